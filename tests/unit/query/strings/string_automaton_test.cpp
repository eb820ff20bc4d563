// SPDX-License-Identifier: MIT
// LIKE cut into literals and gaps, and what regular expressions of queries mean.
#include "query/strings/string_automaton.h"

#include <gtest/gtest.h>

#include "tests/unit/query/strings/string_rows.h"

namespace presso::query::string_automaton_test {
namespace {

using test::as_bytes;

std::string spelled(std::string_view pattern, char escape = '\0') {
  const auto shape = like_shape(pattern, escape);
  if (!shape.ok()) return std::to_string(shape.error().byte_offset) + ": " + shape.error().what;
  std::string text;
  for (std::size_t i = 0; i < shape->gaps.size(); ++i) {
    const LikeShape::Gap gap = shape->gaps[i];
    text += std::to_string(gap.characters) + (gap.open ? "+" : "");
    if (i < shape->literals.size()) text += " " + shape->literals[i] + " ";
  }
  return text;
}

TEST(LikeShape, IsLiteralsWithGapsBetweenThem) {
  EXPECT_EQ(spelled(""), "0");
  EXPECT_EQ(spelled("%"), "0+");
  EXPECT_EQ(spelled("abc"), "0 abc 0");
  EXPECT_EQ(spelled("%ab%%c"), "0+ ab 0+ c 0");
  EXPECT_EQ(spelled("_%_a__b%_"), "2+ a 2 b 1+");
  EXPECT_EQ(spelled("a$%b$$$c%", '$'), "0 a%b$c 0+");
  EXPECT_EQ(spelled("a$", '$'), "1: nothing after the escape character");
}

bool searches(const char* pattern, std::string_view text) {
  const auto parsed = scan_detail::parse_pattern(pattern, query_syntax());
  EXPECT_TRUE(parsed.ok()) << parsed.error().message();
  const auto dfa = string_automaton(parsed->root);
  EXPECT_TRUE(dfa.ok()) << dfa.error().message();
  return dfa->accepts(as_bytes(text));
}

TEST(StringAutomaton, ReadsExpressionsAsDuckdbDoes) {
  EXPECT_FALSE(searches("a.b", "a\nb"));
  EXPECT_TRUE(searches("a(?s).b", "a\nb"));
  EXPECT_TRUE(searches("a[^x]b", "a\nb"));
  EXPECT_TRUE(searches("a\\Wb", "a\nb"));
  EXPECT_FALSE(searches("a$", "a\nb"));
  EXPECT_FALSE(searches("a$", "a\n"));
  EXPECT_FALSE(searches("^b", "a\nb"));
  EXPECT_TRUE(searches("^.$", "\u00E4"));
  EXPECT_FALSE(searches("^\\w$", "\u00E4"));
  EXPECT_TRUE(searches("^\\pL$", "\u00E4"));
  EXPECT_TRUE(searches("\\bb", "\u00E4b"));
  EXPECT_TRUE(searches("(?i)\u00E4", "\u00C4"));
  EXPECT_FALSE(searches("\\d", "\u0663"));
  EXPECT_FALSE(searches("\\s", "\v"));
}

TEST(StringAutomaton, KnowsTheLinesOfAString) {
  EXPECT_TRUE(searches("(?m)a$", "a\nb"));
  EXPECT_TRUE(searches("(?m)^b", "a\nb"));
  EXPECT_FALSE(searches("(?m)^a", "ba\nb"));
  EXPECT_TRUE(searches("(?m)^$", ""));
  EXPECT_TRUE(searches("(?m)^$", "a\n"));
  EXPECT_TRUE(searches("(?m)^$", "a\n\nb"));
  EXPECT_FALSE(searches("(?m)^$", "a\nb"));
  EXPECT_TRUE(searches("(?m)a$\\n^b", "a\nb"));
  EXPECT_FALSE(searches("(?m)^\\z", "a"));
  EXPECT_TRUE(searches("(?m)^a(?-m)$", "b\na"));
  EXPECT_FALSE(searches("(?m)^a(?-m)$", "b\na\n"));
  EXPECT_FALSE(searches("(?m)\\A^b", "a\nb"));
}

}  // namespace
}  // namespace presso::query::string_automaton_test
