// SPDX-License-Identifier: MIT
// Conditions on rows of text on a GPU, real or emulated, find what the CPU finds string by string,
// in each layout of tables that has room, by each variant of the backend; and lengths
// that do not fit the text are an error.
#include <gtest/gtest.h>

#include <random>

#include "query/strings/condition_automaton.h"
#include "tests/simt/text_backend.h"
#include "tests/unit/compress/columns/string_columns.h"
#include "tests/unit/query/strings/string_rows.h"

namespace presso::gpu::test {
namespace {

using query::StringCondition;
using query::StringTest;
using query::test::condition_of;
using query::test::StringRows;
using Kind = StringCondition::Kind;
using u32 = std::uint32_t;

TextCase case_of(const StringRows& rows) {
  TextCase one;
  one.text = rows.text;
  for (const std::string& string : rows.strings) one.lengths.push_back(string.size());
  return one;
}

/// Which rows match, one by one.
std::vector<u32> cpu_bits(const StringTest& test, const StringRows& rows) {
  std::vector<u32> bits(row_words(rows.rows()));
  for (u32 row = 0; row < rows.rows(); ++row) {
    if (!test.matches(query::test::as_bytes(rows.strings[row]))) continue;
    bits[row / kLanes] |= 1u << row % kLanes;
  }
  return bits;
}

class Texts : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = text_backend().unavailable();
    if (!reason.empty()) GTEST_SKIP() << reason;
  }

  /// Every column with every condition, all at once, in every layout, by each of these variants of
  /// the kernel.
  void expect_the_cpus_rows(const std::vector<StringCondition>& conditions,
                            const std::vector<StringRows>& columns,
                            const std::vector<u32>& variants = text_backend().variants()) {
    std::vector<TextCase> cases;
    for (const StringRows& rows : columns) cases.push_back(case_of(rows));
    std::vector<TextTable> tables;
    std::vector<std::vector<std::vector<u32>>> expected;  // by table, then by column
    for (const StringCondition& condition : conditions) {
      const auto test = StringTest::compile(condition);
      const auto dfa = query::condition_automaton(condition);
      ASSERT_TRUE(test.ok() && dfa.ok()) << condition.text;
      std::vector<std::vector<u32>> bits;
      for (const StringRows& rows : columns) bits.push_back(cpu_bits(*test, rows));
      for (const TextLayout layout : {TextLayout::kClasses, TextLayout::kWide}) {
        if (!fits(layout, *dfa)) continue;
        auto table = lay_out_text(layout, *dfa);
        ASSERT_TRUE(table.ok()) << condition.text;
        tables.push_back(std::move(*table));
        expected.push_back(bits);
        for (const std::vector<u32>& of : bits) count_matches(of);
      }
    }
    for (const u32 variant : variants) {
      const auto outcomes = text_backend().test(cases, tables, {variant, ++seed_});
      ASSERT_TRUE(outcomes.ok()) << outcomes.error().message();
      for (std::size_t i = 0; i < cases.size(); ++i) {
        const TextOutcome& outcome = (*outcomes)[i];
        ASSERT_EQ(outcome.status, 0u) << "column " << i;
        ASSERT_TRUE(outcome.is_intact) << "column " << i;
        for (std::size_t table = 0; table < tables.size(); ++table) {
          ASSERT_EQ(outcome.bits[table], expected[table][i])
              << "column " << i << ", table " << table << ", variant " << variant;
        }
      }
    }
  }

  void count_matches(const std::vector<u32>& bits) {
    for (const u32 word : bits) matches_ += static_cast<u32>(__builtin_popcount(word));
  }
  u32 random_below(u32 end) { return static_cast<u32>(random_() % end); }

  std::mt19937_64 random_{29};
  std::uint64_t matches_ = 0;
  u32 seed_ = 0;
};

std::vector<std::string> small_pieces() {
  return {"a", "b",  "ab", "\n", std::string(1, '\0'), "\xC3\xA4", "\xC3", "\xFF", "\x80", "z", "q",
          "x", "zq", "qz", "zqx"};
}

u32 sample(u32 many, u32 few) {
  return text_backend().is_fast() ? many : few;
}

TEST_F(Texts, ConditionsOfEveryKind) {
  const std::vector<StringRows> columns = {
      query::test::random_rows(small_pieces(), sample(40000, 1400), 12, 1),
      query::test::random_rows(small_pieces(), 77, 3, 2), StringRows({})};
  const std::vector<StringCondition> conditions = query::test::conditions_of_every_kind();
  expect_the_cpus_rows(conditions, columns);
  EXPECT_GT(matches_, 20000u);
}

TEST_F(Texts, EveryVariantFindsTheSameRows) {
  std::vector<StringRows> columns;
  columns.emplace_back(presso::test::word_rows(sample(50000, 1200), 7));
  columns.push_back(query::test::random_rows({"a", "b", "zq"}, 300, 90, 3));
  expect_the_cpus_rows({condition_of(Kind::kLike, "%al%e%"), condition_of(Kind::kLike, "%zqa")},
                       columns, text_backend().all_variants());
  EXPECT_GT(matches_, 100u);
}

TEST_F(Texts, RowsAroundWarpsAndTiles) {
  std::vector<StringRows> columns;
  for (const u32 rows : {0, 1, 31, 32, 33, 1023, 1024, 1025, 2049}) {
    std::vector<std::string> strings(rows);
    for (std::string& string : strings) string = random_below(3) == 0 ? "zq" : "z";
    if (rows > 0) strings.back() = "zq";
    columns.emplace_back(std::move(strings));
    columns.emplace_back(std::vector<std::string>(rows));
  }
  expect_the_cpus_rows({condition_of(Kind::kLike, "%zq%"), condition_of(Kind::kLike, "%"),
                        condition_of(Kind::kLike, "")},
                       columns);
  EXPECT_GT(matches_, 8000u);
}

/// Rows of all lengths, from all places of a piece of 16 bytes on.
TEST_F(Texts, RowsAroundPieces) {
  std::vector<StringRows> columns;
  for (u32 shift = 0; shift < 16; ++shift) {
    std::vector<std::string> strings{std::string(shift, 'q')};
    for (u32 length = 1; length <= 50; ++length) {
      std::string text(length, 'z');
      text[random_below(length)] = 'q';
      if (length % 3 == 0) text.back() = 'q';
      strings.push_back(std::move(text));
      // What comes next begins at the same place.
      strings.emplace_back((32 - length % 16) % 16, 'y');
    }
    columns.emplace_back(std::move(strings));
  }
  expect_the_cpus_rows(
      {condition_of(Kind::kLike, "%q"), condition_of(Kind::kLike, "q%"),
       condition_of(Kind::kLike, "%q%z"), condition_of(Kind::kMatches, "^z*q$"),
       condition_of(Kind::kMatches, "^.{17}$"), condition_of(Kind::kEqual, "zzzzzzzzzzzzzzzzzq")},
      columns);
  EXPECT_GT(matches_, 500u);
}

TEST_F(Texts, RowsMayBeLong) {
  std::vector<std::string> strings;
  for (u32 i = 0; i < 70; ++i) {
    const u32 length = i % 9 == 0 ? 9000 : i % 4 == 1 ? 700 : random_below(60);
    std::string text(length, 'z');
    for (u32 hits = random_below(3); hits > 0 && length > 0; --hits) {
      text[random_below(length)] = 'q';
    }
    strings.push_back(std::move(text));
  }
  std::vector<StringRows> columns;
  columns.emplace_back(std::move(strings));
  expect_the_cpus_rows({condition_of(Kind::kLike, "%q%q%"), condition_of(Kind::kLike, "%zq"),
                        condition_of(Kind::kLike, "%zzz")},
                       columns);
  EXPECT_GT(matches_, 20u);
}

/// The ninth letter from the end: 2^9 states, which are no bytes.
TEST_F(Texts, AutomataWithMoreStatesThanBytesHave) {
  const StringCondition condition = condition_of(Kind::kMatches, "a[a-z]{8}$");
  const auto dfa = query::condition_automaton(condition);
  ASSERT_TRUE(dfa.ok());
  EXPECT_FALSE(fits(TextLayout::kClasses, *dfa));
  const auto chosen = lay_out_text(*dfa);
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->layout, TextLayout::kWide);
  expect_the_cpus_rows(
      {condition}, {query::test::random_rows({"a", "b", "ab", "zq"}, sample(20000, 700), 30, 5)});
  EXPECT_GT(matches_, 100u);
}

/// Nothing of such a row group is looked at, others are tested.
TEST_F(Texts, LengthsThatDoNotAddUpAreAnError) {
  const StringRows rows(presso::test::word_rows(1500, 6));
  const auto condition = condition_of(Kind::kLike, "%al%");
  const auto test = StringTest::compile(condition);
  const auto dfa = query::condition_automaton(condition);
  ASSERT_TRUE(test.ok() && dfa.ok());
  auto table = lay_out_text(*dfa);
  ASSERT_TRUE(table.ok());
  const std::vector<TextTable> tables(1, *table);
  const std::uint64_t changes[] = {1, ~std::uint64_t{0}, std::uint64_t{1} << 32,
                                   std::uint64_t{1} << 63};
  for (const std::uint64_t change : changes) {
    for (const std::size_t row : {0u, 700u, 1499u}) {
      std::vector<TextCase> cases(3, case_of(rows));
      cases[1].lengths[row] += change;
      for (const u32 variant : text_backend().variants()) {
        const auto outcomes = text_backend().test(cases, tables, {variant, ++seed_});
        ASSERT_TRUE(outcomes.ok()) << outcomes.error().message();
        for (std::size_t i = 0; i < cases.size(); ++i) {
          const TextOutcome& outcome = (*outcomes)[i];
          const auto status = static_cast<ErrorCode>(outcome.status);
          EXPECT_TRUE(outcome.is_intact);
          EXPECT_EQ(status, i == 1 ? ErrorCode::kBadLength : ErrorCode::kOk);
          if (i == 1) continue;
          EXPECT_EQ(outcome.bits[0], cpu_bits(*test, rows));
        }
      }
    }
  }
}

}  // namespace
}  // namespace presso::gpu::test
