// SPDX-License-Identifier: MIT
// What tokens are learnt, and from which parts of a column.
#include "compress/columns/token_trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "compress/columns/string_sample.h"
#include "compress/columns/token_encoder.h"
#include "tests/unit/compress/columns/string_columns.h"

namespace presso::token_trainer_test {
namespace {

using test::random_rows;
using test::string_column;
using test::word_rows;

std::set<std::string> tokens_of(const TokenDictionary& dictionary) {
  std::set<std::string> tokens;
  for (std::uint32_t code = 0; code < dictionary.size(); ++code) {
    const Bytes token = dictionary.token(code);
    tokens.insert(std::string(token.begin(), token.end()));
  }
  return tokens;
}

TEST(StringSample, TakesSmallColumnsWhole) {
  const auto rows = word_rows(100, 1);
  const ColumnData column = string_column(rows);
  const StringSample sample = sample_strings(column.view(), 1u << 20);
  EXPECT_EQ(sample.bytes(), column.values.size());
  EXPECT_TRUE(std::equal(column.values.data(), column.values.data() + column.values.size(),
                         sample.text.begin()));
  const auto empty = static_cast<std::size_t>(std::count(rows.begin(), rows.end(), ""));
  EXPECT_EQ(sample.ends.size(), rows.size() - empty);
}

TEST(StringSample, IsSpreadOverLargeColumns) {
  std::vector<std::string> rows;
  for (int part = 0; part < 10; ++part) {
    rows.insert(rows.end(), 10000, std::string(10, static_cast<char>('0' + part)));
  }
  const ColumnData column = string_column(rows);
  const StringSample sample = sample_strings(column.view(), 100000);
  for (char part = '0'; part <= '9'; ++part) {
    const auto found = std::count(sample.text.begin(), sample.text.end(), static_cast<Byte>(part));
    EXPECT_NEAR(static_cast<double>(found), 10000, 2000) << part;
  }
}

TEST(StringSample, TakesPiecesOfLongRows) {
  const ColumnData column = string_column({"", std::string(10u << 20, 'x'), "end"});
  const StringSample sample = sample_strings(column.view(), 1u << 20);
  EXPECT_EQ(sample.bytes(), 1u << 20);
  EXPECT_GT(sample.ends.size(), 500u);
}

TEST(TokenTrainer, FindsTheWordsOfAColumn) {
  const auto tokens = tokens_of(train_tokens(string_column(word_rows(20000, 2)).view()));
  EXPECT_TRUE(tokens.count("carefully final ") == 1 || tokens.count("carefully ") == 1);
  EXPECT_TRUE(std::any_of(tokens.begin(), tokens.end(), [](const std::string& token) {
    return token.find("haggle. ") != std::string::npos;
  }));
}

TEST(TokenTrainer, FindsTokensOfClustersThroughoutAColumn) {
  std::vector<std::string> rows(100000, "aaaaaaa first part");
  rows.resize(200000, "zzz at the end");
  const auto tokens = tokens_of(train_tokens(string_column(rows).view()));
  EXPECT_EQ(tokens.count("zzz at the end"), 1u);
}

TEST(TokenTrainer, SameColumnGivesSameTokens) {
  const ColumnData column = string_column(word_rows(60000, 3));
  std::vector<Byte> first;
  std::vector<Byte> second;
  train_tokens(column.view()).append_to(first);
  train_tokens(column.view()).append_to(second);
  EXPECT_EQ(first, second);
}

TEST(TokenTrainer, LearnsNothingWhereTokensWouldCostMoreThanTheySave) {
  EXPECT_EQ(train_tokens(ColumnView{}).size(), kSingleTokens);
  EXPECT_EQ(train_tokens(string_column({"", "", ""}).view()).size(), kSingleTokens);
  EXPECT_EQ(train_tokens(string_column({"abcdefgh"}).view()).size(), kSingleTokens);
}

TEST(TokenTrainer, CopesWithRandomBytes) {
  const ColumnData column = string_column(random_rows(200000, 4));
  const TokenDictionary dictionary = train_tokens(column.view());
  EXPECT_GE(dictionary.size(), kSingleTokens);
  // 12 bits a byte or little less: the chooser takes another coding.
  EXPECT_GT(estimate_tokens(column.view(), dictionary).total(), column.values.size());
}

TEST(TokenTrainer, EstimateIsCloseToWhatTheEncoderMakes) {
  const ColumnData column = string_column(word_rows(100000, 5));
  const TokenDictionary dictionary = train_tokens(column.view());
  const TokenEstimate estimate = estimate_tokens(column.view(), dictionary);
  std::vector<std::uint32_t> counts;
  Buffer payload;
  TokenEncoder(dictionary).encode(column.view(), 0, column.rows, counts, payload);
  std::vector<Byte> stored;
  dictionary.append_to(stored);
  EXPECT_EQ(estimate.dictionary_bytes, stored.size());
  const auto made = static_cast<double>(payload.size());
  EXPECT_NEAR(static_cast<double>(estimate.code_bytes), made, made / 20);
}

}  // namespace
}  // namespace presso::token_trainer_test
