// SPDX-License-Identifier: MIT
// The choice of a kernel takes the faster one wherever that matters, by what was measured.
#include "query/gpu/strings/string_choice.h"

#include <gtest/gtest.h>

#include "compress/columns/token_trainer.h"
#include "corpora/tpch_text.h"
#include "query/gpu/strings/string_batch.h"
#include "query/strings/condition_automaton.h"
#include "tests/support/token_codes.h"
#include "tests/unit/query/strings/string_rows.h"

namespace presso::gpu::string_choice_test {
namespace {

using Kind = query::StringCondition::Kind;
using query::test::StringRows;

/// Comments of TPC-H of such lengths.
StringRows comments(std::uint32_t shortest, std::uint32_t longest, std::size_t rows) {
  corpora::tpch::CommentText text;
  corpora::Random random(7);
  std::vector<std::string> strings(rows);
  for (std::string& string : strings) string = text.make(random, shortest, longest);
  return StringRows(std::move(strings));
}

struct Column {
  StringRows rows;
  TokenDictionary tokens;
  StringSample sample;

  explicit Column(StringRows of) : rows(std::move(of)) {
    ColumnView column;
    column.rows = rows.rows();
    column.values = rows.text.data();
    column.offsets = rows.offsets.data();
    tokens = train_tokens(column);
    const auto coded =
        presso::test::token_codes(tokens, rows.text.data(), rows.offsets.data(), kSampleRows);
    sample.codes.assign(coded.codes.begin(), coded.codes.end());
    for (std::uint32_t row = 0; row < kSampleRows; ++row) {
      sample.counts.push_back(coded.begins[row + 1] - coded.begins[row]);
    }
    sample.codes.resize(coded.begins[kSampleRows]);
  }
};

/// Milliseconds on an H100 (gpu-strings.csv).
struct Measured {
  double sweep;
  double classes;
};
struct Asked {
  Kind kind;
  const char* text;
  Measured lineitem;  ///< l_comment
  Measured partsupp;  ///< ps_comment
};
constexpr Asked kAsked[] = {
    {Kind::kLike, "%special%requests%", {0.547, 0.634}, {0.622, 0.461}},
    {Kind::kLike, "%furiously%", {0.569, 0.635}, {0.711, 0.457}},
    {Kind::kLike, "%Customer%Complaints%", {0.473, 0.637}, {0.368, 0.463}},
    {Kind::kMatches, "b[aeiou]ld.*(deposits|requests)$", {0.566, 0.635}, {0.691, 0.467}},
    {Kind::kMatches, "(foxes|ideas).*(sleep|haggle)", {0.596, 0.636}, {0.805, 0.461}},
    {Kind::kIlike, "%SPECIAL%", {0.545, 0.634}, {0.623, 0.459}},
    {Kind::kLike, "carefully%", {0.548, 0.531}, {0.547, 0.312}},
    {Kind::kLike, "%ly", {0.627, 0.633}, {0.865, 0.462}},
    {Kind::kEqual, "furiously final", {0.539, 0.530}, {0.491, 0.314}},
    {Kind::kLess, "f", {1.426, 0.533}, {1.348, 0.313}},
    {Kind::kMatches, "[0-9]", {0.471, 0.636}, {0.365, 0.460}},
    {Kind::kLike, "%s_e%", {0.678, 0.632}, {0.887, 0.452}},
};

TEST(StringChoice, TakesTheFasterKernel) {
  const Column lineitem(comments(10, 43, 60000));
  const Column partsupp(comments(49, 198, 20000));
  std::uint32_t sweeps = 0;
  for (const Asked& asked : kAsked) {
    const auto dfa = query::condition_automaton(query::test::condition_of(asked.kind, asked.text));
    ASSERT_TRUE(dfa.ok());
    for (const bool is_long : {false, true}) {
      SCOPED_TRACE(std::string(asked.text) + (is_long ? ", ps_comment" : ", l_comment"));
      const Column& column = is_long ? partsupp : lineitem;
      const Measured& ms = is_long ? asked.partsupp : asked.lineitem;
      const auto functions = token_functions(*dfa, column.tokens);
      ASSERT_TRUE(functions.ok());
      const bool is_sweep = choose_layout(*functions, column.sample) == StringLayout::kSweep;
      sweeps += is_sweep ? 1 : 0;
      EXPECT_LE(is_sweep ? ms.sweep : ms.classes, 1.06 * std::min(ms.sweep, ms.classes));
    }
  }
  EXPECT_GT(sweeps, 6u);
}

TEST(StringChoice, TakesWhatHasRoom) {
  const auto large = query::test::condition_of(Kind::kMatches, "a[a-z]{8}$");
  const auto functions = token_functions(*query::condition_automaton(large), TokenDictionary());
  ASSERT_TRUE(functions.ok());
  ASSERT_FALSE(fits(StringLayout::kClasses, *functions));
  EXPECT_EQ(choose_layout(*functions, {}), StringLayout::kWide);
  StringSample never{std::vector<std::uint32_t>(2000, 6), std::vector<std::uint16_t>(12000, 'z')};
  EXPECT_EQ(choose_layout(*functions, never), StringLayout::kSweep);
  StringSample always{std::vector<std::uint32_t>(2000, 6), std::vector<std::uint16_t>(12000, 'a')};
  EXPECT_EQ(choose_layout(*functions, always), StringLayout::kWide);
  const auto small = query::test::condition_of(Kind::kLike, "%a%");
  const auto few = token_functions(*query::condition_automaton(small), TokenDictionary());
  EXPECT_EQ(choose_layout(*few, {}), StringLayout::kClasses);
}

}  // namespace
}  // namespace presso::gpu::string_choice_test
