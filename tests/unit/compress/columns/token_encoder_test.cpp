// SPDX-License-Identifier: MIT
// The greedy parse, against one that tries every token.
#include "compress/columns/token_encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <span>

#include "compress/columns/token_trainer.h"
#include "tests/unit/compress/columns/string_columns.h"

namespace presso::token_encoder_test {
namespace {

using test::random_rows;
using test::string_column;
using test::word_rows;

struct Encoded {
  std::vector<std::uint32_t> counts;
  std::vector<std::uint32_t> codes;
};

std::uint32_t code_at(Bytes payload, std::size_t i) {
  const std::size_t bit = i % kVectorRows / kLanes * kTokenBits;
  const std::size_t word = i / kVectorRows * kTokenVectorWords + bit / 32 * kLanes + i % kLanes;
  std::uint64_t bits = load<std::uint32_t>(payload.data() + word * 4);
  if (bit % 32 + kTokenBits > 32) {
    bits |= std::uint64_t{load<std::uint32_t>(payload.data() + (word + kLanes) * 4)} << 32;
  }
  return bits >> bit % 32 & (kMaxTokens - 1);
}

Encoded encode(const TokenDictionary& dictionary, const ColumnView& column, std::uint64_t first,
               std::uint64_t rows) {
  Encoded encoded;
  Buffer payload;
  TokenEncoder(dictionary).encode(column, first, rows, encoded.counts, payload);
  const auto codes = std::accumulate(encoded.counts.begin(), encoded.counts.end(), 0u);
  EXPECT_EQ(payload.size(), token_payload_bytes(codes));
  for (std::uint32_t i = 0; i < codes; ++i) encoded.codes.push_back(code_at(payload.bytes(), i));
  return encoded;
}

std::vector<std::uint32_t> greedy_codes(const std::map<std::string, std::uint32_t>& tokens,
                                        const std::string& text) {
  std::vector<std::uint32_t> codes;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = std::min<std::size_t>(kMaxTokenBytes, text.size() - at);
    while (tokens.count(text.substr(at, length)) == 0) --length;
    codes.push_back(tokens.at(text.substr(at, length)));
    at += length;
  }
  return codes;
}

void expect_greedy(const TokenDictionary& dictionary, const std::vector<std::string>& rows) {
  std::map<std::string, std::uint32_t> tokens;
  for (std::uint32_t code = 0; code < dictionary.size(); ++code) {
    const Bytes token = dictionary.token(code);
    tokens[std::string(token.begin(), token.end())] = code;
  }
  const ColumnData column = string_column(rows);
  const Encoded encoded = encode(dictionary, column.view(), 0, column.rows);
  std::size_t at = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto expected = greedy_codes(tokens, rows[row]);
    ASSERT_EQ(encoded.counts[row], expected.size()) << row;
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(),
                           encoded.codes.begin() + static_cast<std::ptrdiff_t>(at)))
        << row;
    at += expected.size();
  }
}

TEST(TokenEncoder, PayloadIsThatOfTheFormatsExample) {
  const auto dictionary =
      TokenDictionary::parse(std::vector<Byte>{2, 0, 0x01, 0x21, 't', 'h', 'e', ' '});
  ASSERT_TRUE(dictionary.ok());
  const ColumnData column = string_column({"the then", "", "a"});
  std::vector<std::uint32_t> counts;
  Buffer payload;
  TokenEncoder(*dictionary).encode(column.view(), 0, 3, counts, payload);
  EXPECT_EQ(counts, (std::vector<std::uint32_t>{4, 0, 1}));
  std::vector<Byte> expected(128);
  const Byte codes[] = {0x76, 0x75, 0x65, 0x6E, 0x61};
  for (std::size_t i = 0; i < 5; ++i) expected[4 * i] = codes[i];
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), payload.data(),
                         payload.data() + payload.size()));
}

TEST(TokenEncoder, TakesTheLongestTokenAtEveryPosition) {
  const auto rows = word_rows(20000, 1);
  expect_greedy(train_tokens(string_column(rows).view()), rows);
}

TEST(TokenEncoder, TakesTheLongestTokenInTextUnlikeTheDictionarys) {
  const TokenDictionary dictionary = train_tokens(string_column(word_rows(20000, 1)).view());
  expect_greedy(dictionary, random_rows(2000, 2));
  expect_greedy(TokenDictionary(), random_rows(100, 3));
}

TEST(TokenEncoder, TakesTheLongestTokenAmongManyWithTheSameFront) {
  std::vector<std::string> rows;
  std::mt19937 random(4);
  for (int i = 0; i < 30000; ++i) {  // two letters and zero bytes: everything is a prefix
    std::string row(random() % 30, '\0');
    for (char& byte : row) byte = "ab\0"[random() % 3];
    rows.push_back(row);
  }
  const TokenDictionary dictionary = train_tokens(string_column(rows).view());
  EXPECT_GT(dictionary.size(), 1000u);
  expect_greedy(dictionary, rows);
}

TEST(TokenEncoder, EqualStringsHaveEqualCodesWhereverTheyStand) {
  auto rows = word_rows(3000, 5);
  const auto again = rows;
  rows.insert(rows.end(), again.rbegin(), again.rend());
  const ColumnData column = string_column(rows);
  const TokenDictionary dictionary = train_tokens(column.view());
  const Encoded all = encode(dictionary, column.view(), 0, rows.size());
  std::map<std::string, std::vector<std::uint32_t>> codes_of;
  std::size_t at = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto first = all.codes.begin() + static_cast<std::ptrdiff_t>(at);
    const std::vector<std::uint32_t> codes(first, first + all.counts[row]);
    EXPECT_EQ(codes_of.emplace(rows[row], codes).first->second, codes);
    at += codes.size();
  }
}

TEST(TokenEncoder, BlocksOfRowsHaveTheCodesOfThoseRows) {
  const ColumnData column = string_column(word_rows(5000, 6));
  const TokenDictionary dictionary = train_tokens(column.view());
  const Encoded all = encode(dictionary, column.view(), 0, column.rows);
  Encoded joined;
  for (std::uint64_t first = 0; first < column.rows; first += 700) {
    const Encoded part =
        encode(dictionary, column.view(), first, std::min<std::uint64_t>(700, column.rows - first));
    joined.counts.insert(joined.counts.end(), part.counts.begin(), part.counts.end());
    joined.codes.insert(joined.codes.end(), part.codes.begin(), part.codes.end());
  }
  EXPECT_EQ(joined.counts, all.counts);
  EXPECT_EQ(joined.codes, all.codes);
}

TEST(TokenEncoder, ReadsNothingBehindTheColumn) {
  // Exactly as much memory as the strings have: ASan sees what reads beyond.
  const std::string text = "carefully final deposits";
  const std::vector<Byte> memory(text.begin(), text.end());
  const std::int64_t offsets[] = {0, 10, 16, static_cast<std::int64_t>(text.size())};
  ColumnView column;
  column.rows = 3;
  column.values = memory.data();
  column.offsets = offsets;
  const Encoded encoded =
      encode(train_tokens(string_column(word_rows(9000, 7)).view()), column, 0, 3);
  EXPECT_EQ(encoded.counts.size(), 3u);
}

}  // namespace
}  // namespace presso::token_encoder_test
