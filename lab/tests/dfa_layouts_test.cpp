// SPDX-License-Identifier: MIT
// Every layout of an automaton's table accepts the same strings.
#include "lab/strings/dfa_layouts.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "corpora/string_data.h"
#include "lab/strings/dfa_tables.h"
#include "lab/strings/predicate.h"
#include "lab/tests/string_cases.h"
#include "tests/unit/scan/text/scan_reference.h"

namespace presso::strings::dfa_layouts_test {
namespace {

using scan_test::as_bytes;

constexpr const char* kExample = "(0|1)*((00)+|001)0";

Dfa dfa_of(const Predicate& predicate) {
  auto dfa = compile(predicate);
  EXPECT_TRUE(dfa.ok()) << dfa.error().message();
  return std::move(*dfa);
}

struct AllLayouts {
  explicit AllLayouts(Dfa automaton)
      : dfa(std::move(automaton)),
        wide(std::move(*DfaTable32::make(dfa))),
        narrow(std::move(*DfaTable8::make(dfa))),
        flat(std::move(*FlatDfa::make(dfa))),
        range(std::move(*RangeDfa::make(dfa))) {}

  void expect(const std::string& text, bool wanted) const {
    const Byte* const bytes = as_bytes(text).data();
    ASSERT_EQ(dfa.accepts(as_bytes(text)), wanted) << text;
    ASSERT_EQ(matches(wide.view(), bytes, text.size()), wanted) << text;
    ASSERT_EQ(matches(narrow.view(), bytes, text.size()), wanted) << text;
    ASSERT_EQ(layout_matches(flat.view(), bytes, text.size()), wanted) << text;
    ASSERT_EQ(layout_matches(range.view(), bytes, text.size()), wanted) << text;
  }

  Dfa dfa;
  DfaTable32 wide;
  DfaTable8 narrow;
  FlatDfa flat;
  RangeDfa range;
};

TEST(DfaLayouts, AcceptTheExampleOnAllShortWords) {
  const AllLayouts layouts(dfa_of(regex_match(kExample)));
  EXPECT_EQ(layouts.dfa.states, 7u) << "six states and the error";
  const auto words = string_test::all_strings("01", 14);
  EXPECT_EQ(words.size(), 32'767u);
  for (const std::string& word : words) {
    layouts.expect(word, word.ends_with("000") || word.ends_with("0010"));
  }
}

/// The error's row leads elsewhere: a reader that went on from it would accept again.
TEST(DfaLayouts, LeaveAtTheErrorWhichIsNotAbsorbing) {
  const AllLayouts layouts(dfa_of(regex_match(kExample)));
  EXPECT_TRUE(layouts.flat.view().can_fail);
  EXPECT_NE(layouts.flat.view().step(LayoutStates::kError, '0'), LayoutStates::kError);
  EXPECT_NE(layouts.range.view().step(LayoutStates::kError, '0'), LayoutStates::kError);
  for (const std::string& word : string_test::all_strings("01x", 8)) {
    const bool pure = word.find('x') == std::string::npos;
    layouts.expect(word, pure && (word.ends_with("000") || word.ends_with("0010")));
  }
}

TEST(DfaLayouts, ProveThatNothingCanFail) {
  const FlatDfa never = std::move(*FlatDfa::make(dfa_of(contains("ab"))));
  EXPECT_FALSE(never.view().can_fail);
  const FlatDfa may = std::move(*FlatDfa::make(dfa_of(equals("ab"))));
  EXPECT_TRUE(may.view().can_fail);
}

TEST(DfaLayouts, NumberTheStartFirstAndAcceptingStatesLast) {
  const FlatDfaView view = [] {
    static const FlatDfa flat = std::move(*FlatDfa::make(dfa_of(contains("ab"))));
    return flat.view();
  }();
  EXPECT_EQ(view.start, 1u);
  EXPECT_EQ(view.states, 4u);
  EXPECT_EQ(view.first_accepting, 3u);
  EXPECT_EQ(view.accept_sink, 3u);
}

TEST(DfaLayouts, TakeBytesAsUnsigned) {
  const AllLayouts layouts(dfa_of(regex_match("(?-u)([\\x80-\\xFF]x|\\xFE[^\\x7F-\\x81])*")));
  std::mt19937 random(4);
  int accepted = 0;
  for (int round = 0; round < 5'000; ++round) {
    std::string text;
    bool wanted = true;
    for (auto pairs = random() % 4; pairs > 0; --pairs) {
      const auto one = static_cast<unsigned>(random() % 8 == 0 ? random() % 256 : 0xFE);
      const auto other = static_cast<unsigned>(random() % 3 == 0 ? 'x' : random() % 256);
      text += static_cast<char>(one);
      text += static_cast<char>(other);
      const bool first = one >= 0x80 && other == 'x';
      wanted &= first || (one == 0xFE && (other < 0x7F || other > 0x81));
    }
    accepted += wanted;
    layouts.expect(text, wanted);
  }
  EXPECT_GT(accepted, 1'000);
  EXPECT_LT(accepted, 4'900);
}

TEST(DfaLayouts, HoldAutomataWithoutSomeKindOfState) {
  AllLayouts(dfa_of(any_of({}))).expect("a", false);
  AllLayouts(dfa_of(any_of({}))).expect("", false);
  AllLayouts(dfa_of(all_of({}))).expect("", true);
  AllLayouts(dfa_of(all_of({}))).expect("a", true);
  const AllLayouts empty(dfa_of(equals("")));
  empty.expect("", true);
  empty.expect("a", false);
  empty.expect("aa", false);
}

TEST(DfaLayouts, AgreeOnTheCommonCasesAndOnUrls) {
  for (const auto& test : string_test::string_cases()) {
    AllLayouts(dfa_of(contains_in_order(test.substrings))).expect(test.text, test.matches);
  }
  const AllLayouts urls(dfa_of(regex_match(corpora::url_pattern())));
  corpora::Random random(17);
  for (std::size_t i = 0; i < 2'000; ++i) {
    urls.expect(corpora::url(random, 24 + i % 50), true);
    urls.expect(corpora::broken_url(random, 24 + i % 50, i % 24), false);
  }
  EXPECT_LT(urls.range.size_bytes(), urls.flat.size_bytes());
  EXPECT_LT(urls.flat.size_bytes(), urls.wide.size_bytes() / 4);
}

TEST(DfaLayouts, RefuseTooManyStates) {
  Dfa large;
  large.states = 65'535;
  EXPECT_FALSE(FlatDfa::make(large).ok());
  EXPECT_FALSE(RangeDfa::make(large).ok());
}

}  // namespace
}  // namespace presso::strings::dfa_layouts_test
