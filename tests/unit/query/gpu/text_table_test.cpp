// SPDX-License-Identifier: MIT
// Tables over bytes say what the automaton says, state by state and byte by byte, and know what
// lengths matching strings have.
#include "query/gpu/strings/text_table.h"

#include <gtest/gtest.h>

#include <cstring>

#include "corpora/random.h"
#include "query/strings/condition_automaton.h"
#include "tests/unit/query/strings/string_rows.h"

namespace presso::gpu::text_table_test {
namespace {

using query::StringCondition;
using query::test::condition_of;
using Kind = StringCondition::Kind;
using scan_detail::Dfa;

Dfa automaton_of(Kind kind, const char* text) {
  auto dfa = query::condition_automaton(condition_of(kind, text));
  EXPECT_TRUE(dfa.ok()) << text;
  return std::move(*dfa);
}

/// As kernels look it up.
std::uint32_t next_of(const TextTable& table, std::uint32_t state, Byte byte) {
  const std::size_t size = table.layout == TextLayout::kClasses ? 1 : 2;
  const Byte column = table.image[byte];
  const std::size_t at = table.view.rows_at + (state * table.view.pitch + column) * size;
  std::uint32_t value = 0;
  EXPECT_LE(at + size, table.image.size());
  std::memcpy(&value, table.image.data() + at, size);
  return value;
}

TEST(TextTable, StepsAreTheAutomatons) {
  corpora::Random random(7);
  std::uint32_t decided = 0, matching = 0;
  for (const auto& [kind, text] : {std::pair{Kind::kLike, "%al%e%"},
                                   {Kind::kLike, "%"},
                                   {Kind::kLike, "al%"},
                                   {Kind::kEqual, "ale"},
                                   {Kind::kLess, "al"},
                                   {Kind::kMatches, "(al|e).*(l|b)$"},
                                   {Kind::kMatches, "a[a-z]{8}$"}}) {
    const Dfa dfa = automaton_of(kind, text);
    for (const TextLayout layout : {TextLayout::kClasses, TextLayout::kWide}) {
      if (!fits(layout, dfa)) continue;
      const auto table = lay_out_text(layout, dfa);
      ASSERT_TRUE(table.ok());
      const StringTableView& view = table->view;
      ASSERT_EQ(view.image_bytes, table->image.size());
      ASSERT_EQ(view.image_bytes % 16, 0u);
      ASSERT_EQ(view.shared_bytes % 16, 0u);
      ASSERT_LE(view.shared_bytes, view.image_bytes);
      for (int round = 0; round < 400; ++round) {
        std::uint32_t state = dfa.start;
        std::uint32_t own = view.start;
        for (int step = 0; step < 12; ++step) {
          const bool is_matching = view.first_matching <= own && own < view.end_matching;
          ASSERT_EQ(is_matching, state >= dfa.first_matching);
          ASSERT_EQ(own >= view.first_decided, dfa.is_absorbing(state));
          matching += is_matching ? 1 : 0;
          decided += own >= view.first_decided ? 1 : 0;
          const Byte byte = random.below(4) == 0 ? static_cast<Byte>(random.below(256))
                                                 : static_cast<Byte>("aleb"[random.below(4)]);
          state = dfa.step(state, byte);
          own = next_of(*table, own, byte);
        }
      }
    }
  }
  EXPECT_GT(decided, 1000u);
  EXPECT_GT(matching, 1000u);
}

TEST(TextTable, KnowsLengthsOfMatchingStrings) {
  constexpr std::uint32_t kAny = ~std::uint32_t{0};
  struct Expected {
    Kind kind;
    const char* text;
    std::uint32_t least;
    std::uint32_t most;
  };
  for (const Expected& one : {Expected{Kind::kEqual, "abc", 3, 3},
                              {Kind::kEqual, "", 0, 0},
                              {Kind::kLike, "abc%", 3, kAny},
                              {Kind::kLike, "%abc%d", 4, kAny},
                              {Kind::kLike, "", 0, 0},
                              {Kind::kLike, "%", 0, kAny},
                              {Kind::kMatches, "^a(b|cd)?$", 1, 3},
                              {Kind::kMatches, "^(ab)+$", 2, kAny},
                              {Kind::kMatches, "b", 1, kAny},
                              {Kind::kLess, "b", 0, kAny},
                              {Kind::kGreater, "b", 1, kAny}}) {
    const auto table = lay_out_text(automaton_of(one.kind, one.text));
    ASSERT_TRUE(table.ok());
    EXPECT_EQ(table->least_bytes, one.least) << one.text;
    EXPECT_EQ(table->most_bytes, one.most) << one.text;
  }
  StringCondition set = condition_of(Kind::kIn, "");
  const auto none = query::condition_automaton(set);
  ASSERT_TRUE(none.ok());
  const auto of_none = lay_out_text(*none);
  ASSERT_TRUE(of_none.ok());
  EXPECT_EQ(of_none->least_bytes, kAny);
  set.set = {"abcd", "ab", "x"};
  const auto some = query::condition_automaton(set);
  ASSERT_TRUE(some.ok());
  const auto of_some = lay_out_text(*some);
  ASSERT_TRUE(of_some.ok());
  EXPECT_EQ(of_some->least_bytes, 1u);
  EXPECT_EQ(of_some->most_bytes, 4u);
}

TEST(TextTable, TooManyStatesAreNotLaidOut) {
  const Dfa large = automaton_of(Kind::kMatches, "a[a-z]{8}$");
  EXPECT_FALSE(fits(TextLayout::kClasses, large));
  EXPECT_EQ(lay_out_text(TextLayout::kClasses, large).error().code, ErrorCode::kUnsupported);
  const auto chosen = lay_out_text(large);
  ASSERT_TRUE(chosen.ok());
  EXPECT_EQ(chosen->layout, TextLayout::kWide);
  EXPECT_EQ(lay_out_text(automaton_of(Kind::kLike, "%ab%"))->layout, TextLayout::kClasses);
}

}  // namespace
}  // namespace presso::gpu::text_table_test
