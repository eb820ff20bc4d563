// SPDX-License-Identifier: MIT
// Coding 5 (tokens) there and back, and both decoders on input that no encoder made.
#include "decompress/columns/cpu/token_decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "compress/columns/token_encoder.h"
#include "compress/columns/token_trainer.h"
#include "tests/support/reference_token_decoder.h"
#include "tests/unit/compress/columns/string_columns.h"

namespace presso::token_decoder_test {
namespace {

using test::random_rows;
using test::string_column;
using test::word_rows;

constexpr std::size_t kSlack = 16;  ///< bytes that the fast decoder may write behind the end
constexpr Byte kGuard = 0xA5;

struct Block {
  TokenDictionary dictionary;
  std::vector<std::uint32_t> counts;
  std::vector<Byte> payload;
  std::uint32_t codes = 0;
  std::size_t plain_bytes = 0;
};

Block block_of(const ColumnView& column, TokenDictionary dictionary) {
  Block block;
  Buffer payload;
  TokenEncoder(dictionary).encode(column, 0, column.rows, block.counts, payload);
  block.dictionary = std::move(dictionary);
  block.payload.assign(payload.data(), payload.data() + payload.size());
  block.codes = std::accumulate(block.counts.begin(), block.counts.end(), 0u);
  block.plain_bytes = static_cast<std::size_t>(column.offsets[column.rows]);
  return block;
}

struct Decoded {
  ErrorCode code = ErrorCode::kOk;
  std::vector<Byte> bytes;
  std::vector<std::int64_t> offsets;
};

/// By either decoder; fails where it writes behind what it may.
template <class Decode>
Decoded decode(const Block& block, Decode&& decode_block, std::int64_t first_offset = 0) {
  Decoded decoded;
  decoded.bytes.assign(block.plain_bytes + kSlack + 64, kGuard);
  decoded.offsets.resize(block.counts.size() + 1);
  const Status status = decode_block(block.dictionary, block.payload, block.codes, block.counts,
                                     MutableBytes(decoded.bytes.data(), block.plain_bytes),
                                     decoded.offsets.data(), first_offset);
  if (!status.ok()) decoded.code = status.error().code;
  const auto guard =
      decoded.bytes.begin() + static_cast<std::ptrdiff_t>(block.plain_bytes + kSlack);
  EXPECT_TRUE(std::all_of(guard, decoded.bytes.end(), [](Byte byte) { return byte == kGuard; }));
  decoded.bytes.resize(block.plain_bytes);
  return decoded;
}

/// Both decoders' answer, which must be the same.
Decoded decode_both(const Block& block, std::int64_t first_offset = 0) {
  Decoded fast = decode(block, decode_tokens, first_offset);
  const Decoded reference = decode(block, reference_decode_tokens, first_offset);
  EXPECT_EQ(fast.code, reference.code);
  if (fast.code == ErrorCode::kOk) {
    EXPECT_EQ(fast.bytes, reference.bytes);
    EXPECT_EQ(fast.offsets, reference.offsets);
  }
  return fast;
}

void expect_round_trip(const std::vector<std::string>& rows) {
  const ColumnData column = string_column(rows);
  for (const TokenDictionary& dictionary : {TokenDictionary(), train_tokens(column.view())}) {
    const Decoded decoded = decode_both(block_of(column.view(), dictionary));
    ASSERT_EQ(decoded.code, ErrorCode::kOk);
    EXPECT_EQ(decoded.offsets, column.offsets);
    EXPECT_TRUE(std::equal(decoded.bytes.begin(), decoded.bytes.end(), column.values.data()));
  }
}

TEST(TokenDecoder, GivesBackTextAndRandomBytes) {
  expect_round_trip(word_rows(20000, 1));
  expect_round_trip(random_rows(5000, 2));
}

TEST(TokenDecoder, GivesBackBlocksWithoutRowsOrBytes) {
  expect_round_trip({});
  expect_round_trip({""});
  expect_round_trip(std::vector<std::string>(3000));
  expect_round_trip({"", "", "x", "", ""});
}

TEST(TokenDecoder, GivesBackEveryByteValue) {
  std::vector<std::string> rows;
  for (int value = 0; value < 256; ++value) rows.emplace_back(1, static_cast<char>(value));
  for (int value = 0; value < 256; ++value) rows.emplace_back(100, static_cast<char>(value));
  expect_round_trip(rows);
}

TEST(TokenDecoder, GivesBackRowsOfManyVectorsOfCodes) {
  std::string text;
  for (const std::string& row : word_rows(9000, 3)) text += row;
  expect_round_trip({text, "", text.substr(1), "x", text.substr(7, 5000)});
  expect_round_trip({std::string(100000, 'a')});
}

TEST(TokenDecoder, GivesBackEveryNumberOfCodesAroundStepsAndVectors) {
  for (const std::size_t codes : {1, 31, 32, 33, 1023, 1024, 1025, 1055, 1056, 2047, 2048, 2049}) {
    std::vector<std::string> rows(codes);
    for (std::size_t i = 0; i < codes; ++i) rows[i] = std::string(1, static_cast<char>(i * 7));
    expect_round_trip(rows);
    rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(codes / 2), "");
    rows.emplace_back();
    expect_round_trip(rows);
  }
}

TEST(TokenDecoder, TakesNullsForTheEmptyStringsThatStandUnderThem) {
  ColumnData column = string_column({"a", "", "b", ""});
  column.validity = {0b0101};
  const Decoded decoded = decode_both(block_of(column.view(), TokenDictionary()));
  EXPECT_EQ(decoded.offsets, column.offsets);
}

TEST(TokenDecoder, AddsTheFirstOffset) {
  const ColumnData column = string_column({"ab", "", "c"});
  const Decoded decoded = decode_both(block_of(column.view(), TokenDictionary()), 1000);
  EXPECT_EQ(decoded.offsets, (std::vector<std::int64_t>{1000, 1002, 1002, 1003}));
}

TEST(TokenDecoder, RejectsSizesThatDoNotFit) {
  const ColumnData column = string_column(word_rows(3000, 4));
  const Block block = block_of(column.view(), train_tokens(column.view()));
  Block bad = block;
  bad.payload.resize(bad.payload.size() - 4);
  EXPECT_EQ(decode_both(bad).code, ErrorCode::kBadPayloadSize);
  bad = block;
  bad.counts[7] += 1;
  EXPECT_EQ(decode_both(bad).code, ErrorCode::kBadLength);
  for (const std::size_t bytes : {std::size_t{0}, block.plain_bytes - 1, block.plain_bytes + 1}) {
    bad = block;
    bad.plain_bytes = bytes;
    EXPECT_EQ(decode_both(bad).code, ErrorCode::kBadLength) << bytes;
  }
}

TEST(TokenDecoder, CodesWithoutATokenComeBeforeWrongLengths) {
  const ColumnData column = string_column(word_rows(9000, 5));
  Block bad = block_of(column.view(), TokenDictionary());
  bad.payload[bad.payload.size() - kLanes * 4] = 0xFF;  // in the last vector
  bad.payload[bad.payload.size() - kLanes * 4 + 1] = 0xFF;
  bad.plain_bytes = 10;
  EXPECT_EQ(decode_both(bad).code, ErrorCode::kBadOffset);
}

TEST(TokenDecoder, DecodersAgreeOnMutatedBlocks) {
  const ColumnData column = string_column(word_rows(300, 6));
  const Block block = block_of(column.view(), train_tokens(column.view()));
  std::mt19937 random(7);
  std::vector<int> seen(64);
  for (int i = 0; i < 100000; ++i) {
    Block mutated = block;
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
      mutated.payload[random() % mutated.payload.size()] ^= static_cast<Byte>(1u << random() % 8);
    }
    if (random() % 4 == 0) --mutated.counts[random() % mutated.counts.size()];
    if (random() % 4 == 0) ++mutated.counts[random() % mutated.counts.size()];
    if (random() % 4 == 0) mutated.plain_bytes += random() % 65 - 32;
    if (random() % 16 == 0) mutated.codes += static_cast<std::uint32_t>(random() % 65) - 32;
    if (random() % 64 == 0) mutated.payload.resize(random() % mutated.payload.size());
    ++seen[static_cast<std::size_t>(decode_both(mutated).code)];
    ASSERT_FALSE(::testing::Test::HasFailure()) << i;
  }
  for (const ErrorCode code :
       {ErrorCode::kOk, ErrorCode::kBadPayloadSize, ErrorCode::kBadLength, ErrorCode::kBadOffset}) {
    EXPECT_GT(seen[static_cast<std::size_t>(code)], 0) << static_cast<int>(code);
  }
}

}  // namespace
}  // namespace presso::token_decoder_test
