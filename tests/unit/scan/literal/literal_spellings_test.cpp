// SPDX-License-Identifier: MIT
// Strings in all their spellings: lines that contain one are those in which the pattern matches.
#include "scan/literal/literal_spellings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "scan/matching/matcher.h"
#include "scan/pattern/pattern_access.h"

namespace presso::scan_detail::literal_spellings_test {
namespace {

using Strings = std::vector<std::string>;

Strings spellings(const Strings& strings, const PatternOptions& options) {
  const auto all = all_spellings(strings, options);
  if (!all) return {};
  Strings sorted = all->any_of;
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

PatternOptions folding() {
  PatternOptions options;
  options.ignore_case = true;
  return options;
}

TEST(LiteralSpellings, AreTheStringsThemselvesWhereCaseCounts) {
  const auto all = all_spellings({"Sky", "k"}, {});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->any_of, (Strings{"Sky", "k"}));
  EXPECT_FALSE(all->ignore_ascii_case);
  EXPECT_TRUE(all->exact);
}

TEST(LiteralSpellings, KnowTheLongSAndTheKelvinSign) {
  EXPECT_EQ(spellings({"ERROR"}, folding()), Strings{"error"});
  EXPECT_EQ(spellings({"Sky"}, folding()),
            (Strings{"sky", "s\u212Ay", "\u017Fky", "\u017F\u212Ay"}));
  EXPECT_EQ(spellings({"\u00E4x"}, folding()), (Strings{"\u00C4x", "\u00E4x"}));
}

TEST(LiteralSpellings, DoNotDecideWithBounds) {
  for (const MatchBounds bounds : {MatchBounds::kWord, MatchBounds::kLine}) {
    PatternOptions options = folding();
    options.bounds = bounds;
    const auto all = all_spellings({"error"}, options);
    ASSERT_TRUE(all);
    EXPECT_FALSE(all->exact);
  }
}

TEST(LiteralSpellings, AreLeftWhereTheyAreTooMany) {
  EXPECT_EQ(spellings({"ssssss"}, folding()).size(), 64u);
  EXPECT_TRUE(spellings({"sssssss"}, folding()).empty());
  EXPECT_TRUE(spellings({"a", ""}, {}).empty());
  EXPECT_TRUE(spellings({}, {}).empty());
}

/// Where they are too many the matcher gives what each match contains, which does not decide.
TEST(LiteralSpellings, AMatcherHasOthersInTheirPlace) {
  const auto pattern = Pattern::compile_literals({"sssssss-error"}, folding());
  ASSERT_TRUE(pattern.ok());
  const auto literals = matcher_of(*pattern).line_literals();
  ASSERT_TRUE(literals);
  EXPECT_EQ(literals->any_of, Strings{"-error"});
  EXPECT_TRUE(literals->ignore_ascii_case);
  EXPECT_FALSE(literals->exact);
}

TEST(LineLiterals, OfARequirementAreThoseWhoseShortestIsTheLongest) {
  EXPECT_FALSE(line_literals_of({}));
  RequiredLiterals required;
  required.clauses.push_back({{"abcdefgh", "x"}, false});
  required.clauses.push_back({{"abc", "xyz"}, true});
  const auto best = line_literals_of(required);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->any_of, (Strings{"abc", "xyz"}));
  EXPECT_TRUE(best->ignore_ascii_case);
  EXPECT_FALSE(best->exact);
}

}  // namespace
}  // namespace presso::scan_detail::literal_spellings_test
