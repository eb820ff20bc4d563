// SPDX-License-Identifier: MIT
// Blocks of tokens on a GPU, real or emulated, give what the CPU's decoder gives: text and offsets,
// and the same error where they are damaged. And all blocks of the golden tables.
#include <cstring>
#include <numeric>

#include "compress/columns/token_encoder.h"
#include "compress/columns/token_trainer.h"
#include "lab/tests/token_case.h"
#include "presso/decompress.h"
#include "tests/simt/golden_columns.h"
#include "tests/unit/compress/columns/string_columns.h"

namespace presso::gpu::test {
namespace {

using TokenColumns = Columns;
using GoldenColumns = Columns;

TokenCase tokens_of(const std::vector<std::string>& rows, const TokenDictionary& dictionary) {
  const ColumnData column = presso::test::string_column(rows);
  TokenCase one;
  one.dictionary = &dictionary;
  Buffer payload;
  TokenEncoder(dictionary).encode(column.view(), 0, column.rows, one.counts, payload);
  one.payload.assign(payload.data(), payload.data() + payload.size());
  one.codes = std::accumulate(one.counts.begin(), one.counts.end(), 0u);
  one.plain_bytes = static_cast<u32>(column.offsets.back());
  one.checksum = checksum64(one.payload);
  return one;
}

const TokenDictionary& single_bytes() {
  static const TokenDictionary dictionary;
  return dictionary;
}
/// Of words, tokens of up to 16 bytes among them.
const TokenDictionary& of_words() {
  static const TokenDictionary dictionary =
      train_tokens(presso::test::string_column(presso::test::word_rows(20000, 1)).view());
  return dictionary;
}

TEST_F(TokenColumns, TokensOfTextAndRandomBytes) {
  std::vector<TokenCase> cases;
  const std::size_t rows = column_backend().is_fast() ? 60000 : 2500;
  for (const TokenDictionary* dictionary : {&of_words(), &single_bytes()}) {
    cases.push_back(tokens_of(presso::test::word_rows(rows, 2), *dictionary));
    cases.push_back(tokens_of(presso::test::random_rows(rows / 4, 3), *dictionary));
    cases.push_back(tokens_of(presso::test::word_rows(rows / 8, 4), *dictionary));
    cases.back().first_offset = 1000;
  }
  expect_the_cpus_answers(cases);
  EXPECT_EQ(seen_.size(), 1u);
}

TEST_F(TokenColumns, TokensOfEveryNumberOfCodesAroundStepsTilesAndVectors) {
  std::vector<TokenCase> cases;
  for (const std::size_t codes : {0, 1, 2, 5, 31, 32, 33, 127, 128, 129, 1023, 1024, 1025, 2049}) {
    std::vector<std::string> rows(codes);
    for (std::size_t i = 0; i < codes; ++i) rows[i] = std::string(1, static_cast<char>(i * 7));
    cases.push_back(tokens_of(rows, single_bytes()));
    rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(codes / 2), 3, "");
    rows.insert(rows.begin(), 40, "");
    rows.insert(rows.end(), 70, "");
    cases.push_back(tokens_of(rows, of_words()));
  }
  cases.push_back(tokens_of({}, of_words()));
  cases.push_back(tokens_of({""}, of_words()));
  cases.push_back(tokens_of(std::vector<std::string>(20000), of_words()));
  expect_the_cpus_answers(cases);
  EXPECT_EQ(seen_.size(), 1u);
}

TEST_F(TokenColumns, TokensOfEveryLengthAtEveryAddress) {
  std::vector<Token> tokens;
  std::string longest = "0123456789abcdef";
  for (std::size_t length = 2; length <= 16; ++length) {
    Token token;
    Byte slot[16] = {};
    std::memcpy(slot, longest.data(), length);
    token.key = load_token_key(slot);
    token.length = static_cast<u32>(length);
    tokens.push_back(token);
  }
  const TokenDictionary dictionary(tokens);
  std::vector<TokenCase> cases;
  for (std::size_t round = 0; round < 32; ++round) {  // a remainder of 16 for each case in turn
    std::vector<std::string> rows;
    for (u32 i = 0; i < 300; ++i) {
      const std::size_t one_length = 1 + round / 2;
      rows.push_back(longest.substr(0, round % 2 == 0 ? 1 + random_below(16) : one_length));
    }
    cases.push_back(tokens_of(rows, dictionary));
  }
  cases.push_back(tokens_of({std::string(9000, '0'), "", longest}, dictionary));
  expect_the_cpus_answers(cases);
  EXPECT_EQ(seen_.size(), 1u);
}

TEST_F(TokenColumns, TokensWhoseSizesDoNotFit) {
  const TokenCase sound = tokens_of(presso::test::word_rows(700, 5), of_words());
  std::vector<TokenCase> cases;
  const auto add = [&](auto change) {
    cases.push_back(sound);
    change(cases.back());
    cases.back().checksum = checksum64(cases.back().payload);
  };
  add([](TokenCase& one) { one.payload.resize(one.payload.size() - 4); });
  add([](TokenCase& one) { one.counts[7] += 1; });
  add([](TokenCase& one) { one.counts[7] = 0xFFFFFFFF; });
  add([](TokenCase& one) { one.counts.pop_back(), one.counts.back() += 1; });
  add([](TokenCase& one) { std::fill(one.counts.begin(), one.counts.end(), 0xF0000000u); });
  add([](TokenCase& one) { one.plain_bytes -= 1; });
  add([](TokenCase& one) { one.plain_bytes += 1; });
  add([](TokenCase& one) { one.plain_bytes = 0; });
  add([](TokenCase& one) { one.codes += 1000; });
  expect_the_cpus_answers(cases);
  EXPECT_EQ(seen_[static_cast<u32>(ErrorCode::kBadPayloadSize)], 2u);
  EXPECT_EQ(seen_[static_cast<u32>(ErrorCode::kBadLength)], 7u);
}

TEST_F(TokenColumns, MutatedTokensGetTheCpusCodes) {
  const TokenCase sound = tokens_of(presso::test::word_rows(250, 6), of_words());
  const TokenCase of_bytes = tokens_of(presso::test::word_rows(60, 7), single_bytes());
  std::vector<TokenCase> cases;
  const int rounds = column_backend().is_fast() ? 5000 : 120;
  for (int i = 0; i < rounds; ++i) {
    TokenCase one = i % 2 == 0 ? sound : of_bytes;
    for (u32 changes = random_below(3); changes > 0; --changes) {
      const u32 at = random_below(static_cast<u32>(one.payload.size()));
      one.payload[at] ^= static_cast<Byte>(1u << random_below(8));
    }
    const u32 row = random_below(static_cast<u32>(one.counts.size()));
    if (random_below(6) == 0) --one.counts[row];
    if (random_below(6) == 0) ++one.counts[row];
    if (random_below(6) == 0) one.plain_bytes += random_below(65) - 32;
    if (random_below(16) == 0) one.codes += random_below(65) - 32;
    if (random_below(32) == 0) {
      one.payload.resize(random_below(static_cast<u32>(one.payload.size())));
    }
    one.checksum = checksum64(one.payload);
    cases.push_back(std::move(one));
  }
  expect_the_cpus_answers(cases);
  for (const ErrorCode code :
       {ErrorCode::kOk, ErrorCode::kBadPayloadSize, ErrorCode::kBadLength, ErrorCode::kBadOffset}) {
    EXPECT_GT(seen_[static_cast<u32>(code)], 0u) << static_cast<int>(code);
  }
}

TEST_F(TokenColumns, TokensThatAreNotThoseOfTheirChecksumsComeFirst) {
  std::vector<TokenCase> cases = {tokens_of(presso::test::word_rows(300, 8), of_words())};
  cases[0].payload.back() ^= 1;
  cases[0].plain_bytes += 1;
  const auto outcomes = token_backend().decode(cases, {});
  ASSERT_TRUE(outcomes.ok()) << outcomes.error().message();
  EXPECT_EQ((*outcomes)[0].status, static_cast<u32>(ErrorCode::kContentChecksum));
}

// --- golden tables

/// The blocks of both codings of a row group, through their headers.
struct GroupCases {
  std::vector<IntegerCase> integers;
  std::vector<TokenCase> tokens;
};

Result<TokenDictionary> dictionary_of(Bytes stored, u32 plain_bytes) {
  PRESSO_ASSIGN(const BlockHeader header, parse_block_header(stored.data()));
  Buffer plain;
  plain.resize_discarding(plain_bytes);
  const Byte* const payload = stored.data() + kBlockHeaderBytes;
  PRESSO_TRY(reference_decode_block(header, payload, nullptr, true, plain.data()));
  return TokenDictionary::parse(plain.bytes());
}

/// Counts of a column's codes, from its blocks of them.
std::vector<u32> counts_of(const std::vector<IntegerCase>& blocks) {
  std::vector<u32> counts;
  for (const IntegerCase& one : blocks) {
    const std::vector<Byte> bytes = cpu_answer(one).bytes;
    for (std::size_t at = 0; at < bytes.size(); at += 4) {
      counts.push_back(load<u32>(bytes.data() + at));
    }
  }
  return counts;
}

void take_column(const RowGroup& group, const ColumnChunk& chunk, const std::vector<Bytes>& stored,
                 std::vector<TokenDictionary>& dictionaries, GroupCases& cases) {
  std::vector<IntegerCase> of_counts;
  u32 row = 0;
  for (u32 i = chunk.first_block; i < chunk.first_block + chunk.blocks; ++i) {
    const ColumnBlock& block = group.blocks[i];
    if (block.stream == ColumnStream::kTokenDictionary) {
      auto dictionary = dictionary_of(stored[i], block.plain_bytes);
      ASSERT_TRUE(dictionary.ok()) << dictionary.error().message();
      dictionaries.push_back(std::move(*dictionary));
    }
    if (!is_column_coding(stored[i].data())) continue;
    const auto header = parse_column_block_header(stored[i].data());
    ASSERT_TRUE(header.ok()) << header.error().message();
    const Bytes payload = stored[i].subspan(kBlockHeaderBytes, header->payload_bytes);
    if (header->coding == Coding::kPlanes) continue;
    if (header->coding == Coding::kIntegers) {
      cases.integers.push_back(integers_of(*header, payload));
      if (block.stream == ColumnStream::kTokenCounts) of_counts.push_back(cases.integers.back());
      continue;
    }
    const std::vector<u32> counts = counts_of(of_counts);
    const auto begin = counts.begin() + static_cast<std::ptrdiff_t>(row);
    row += block.rows;
    cases.tokens.push_back({&dictionaries.back(),
                            {begin, begin + static_cast<std::ptrdiff_t>(block.rows)},
                            {payload.begin(), payload.end()},
                            header->count,
                            header->plain_bytes,
                            0,
                            header->payload_checksum});
  }
}

TEST_F(GoldenColumns, BlocksOfEveryTable) {
  std::size_t integers = 0;
  for_each_golden_group([&](const RowGroup& group, const std::vector<Bytes>& stored) {
    GroupCases cases;
    std::vector<TokenDictionary> dictionaries;
    dictionaries.reserve(group.columns.size());
    for (const ColumnChunk& chunk : group.columns) {
      take_column(group, chunk, stored, dictionaries, cases);
    }
    expect_the_cpus_answers(cases.integers);
    expect_the_cpus_answers(cases.tokens);
    integers += cases.integers.size();
  });
  EXPECT_GT(integers, 20u);
  EXPECT_EQ(seen_.size(), 1u);
}

}  // namespace
}  // namespace presso::gpu::test
