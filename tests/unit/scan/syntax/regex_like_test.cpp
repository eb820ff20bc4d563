// SPDX-License-Identifier: MIT
// SQL's LIKE as trees.
#include <gtest/gtest.h>

#include "tests/unit/scan/syntax/regex_dump.h"

namespace presso::scan_detail::regex_like_test {
namespace {

constexpr const char* kRun = "*(<\\x{0}-\\x{9}\\x{B}-\\x{FF}>)";
constexpr const char* kOne = "[\\x{0}-\\x{9}\\x{B}-\\x{D7FF}\\x{E000}-\\x{10FFFF}]";

std::string like(std::string_view pattern, char escape = '\\', const SyntaxOptions& options = {}) {
  return dump(parse_like(pattern, escape, options));
}

/// With % and _ for what they stand for.
std::string expand(std::string text) {
  std::string result;
  for (const char letter : text) {
    result += letter == '%' ? kRun : letter == '_' ? kOne : std::string(1, letter);
  }
  return result;
}

TEST(Like, MatchesWholeLines) {
  EXPECT_EQ(like(""), "(^ $)");
  EXPECT_EQ(like("abc"), "(^ 'abc' $)");
  EXPECT_EQ(like("%"), expand("(^ % $)"));
  EXPECT_EQ(like("a%b_c"), expand("(^ 'a' % 'b' _ 'c' $)"));
  EXPECT_EQ(like("%%%a%%"), expand("(^ % 'a' % $)"));
  EXPECT_EQ(like("__%"), expand("(^ _ _ % $)"));
  EXPECT_EQ(like("a.*(b"), "(^ 'a.*(b' $)");
  EXPECT_EQ(like("\xC3\xA9"), "(^ '\\xC3\\xA9' $)");
}

TEST(Like, EscapesMakeCharactersLiteral) {
  EXPECT_EQ(like("a\\%b\\_\\\\"), "(^ 'a%b_\\x5C' $)");
  EXPECT_EQ(like("a!%b\\%", '!'), expand("(^ 'a") + "%b\\x5C' " + expand("% $)"));
  EXPECT_EQ(like("a\\%", '\0'), expand("(^ 'a\\x5C' % $)"));
  EXPECT_EQ(like("%%%_", '%'), "(^ '%_' $)");
}

TEST(Like, ErrorsSayWhereAndWhy) {
  EXPECT_EQ(like("ab\\"), "2: nothing after the escape character");
  EXPECT_EQ(like("ab\\c"), "2: the escape character must stand before %, _ or itself");
  EXPECT_EQ(like("%%a", '%'), "(^ '%a' $)");
  EXPECT_EQ(like("%a", '%'), "0: the escape character must stand before %, _ or itself");
  EXPECT_EQ(like("ab\xFF"), "2: the pattern is not UTF-8; for single bytes write (?-u:\\xFF)");
  EXPECT_EQ(like("a\n"),
            "1: a line feed cannot be matched within a line; multi-line mode (-U) can");
  EXPECT_EQ(like("a", '\xE9'), "0: the escape character must be ASCII");
}

TEST(Like, FollowsTheOptions) {
  SyntaxOptions options;
  options.ignore_case = true;
  EXPECT_EQ(like("k%", '\\', options), expand("(^ [Kk\\x{212A}] % $)"));
  options.unicode = false;
  EXPECT_EQ(like("k_", '\\', options), "(^ <Kk> <\\x{0}-\\x{9}\\x{B}-\\x{FF}> $)");
  options = {};
  options.crlf = true;
  EXPECT_EQ(like("_", '\\', options),
            "(^ [\\x{0}-\\x{9}\\x{B}-\\x{C}\\x{E}-\\x{D7FF}\\x{E000}-\\x{10FFFF}] $)");
  options.line_terminated = false;
  EXPECT_EQ(like("a\nb", '\\', options), "(^ 'a\\x0Ab' $)");
}

TEST(Like, LongPatternsTakeLinearTime) {
  std::string pattern;
  for (int i = 0; i < 20000; ++i) pattern += "a%b_";
  EXPECT_TRUE(parse_like(pattern, 0, {}).ok());
  EXPECT_EQ(like(std::string(1 << 20, '%')), expand("(^ % $)"));
}

}  // namespace
}  // namespace presso::scan_detail::regex_like_test
