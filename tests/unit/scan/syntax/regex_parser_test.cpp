// SPDX-License-Identifier: MIT
// Regular expressions as trees, their errors, and patterns made to hurt. Classes are tested in
// regex_class_test.cpp.
#include <gtest/gtest.h>

#include "tests/unit/scan/syntax/regex_dump.h"

namespace presso::scan_detail::regex_parser_test {
namespace {

struct Example {
  std::string_view pattern;
  const char* expected;
};

template <std::size_t kCount>
void expect_all(const Example (&examples)[kCount], const SyntaxOptions& options = {}) {
  for (const Example& example : examples) {
    EXPECT_EQ(parsed(example.pattern, options), example.expected) << example.pattern;
  }
}

TEST(RegexParser, LiteralsAndAlternatives) {
  constexpr Example kExamples[] = {
      {"", "()"},
      {"a", "'a'"},
      {"abc", "'abc'"},
      {"a\xC3\xA9z", "'a\\xC3\\xA9z'"},
      {"]", "']'"},
      {"a}b]", "'a}b]'"},
      {"a|b", "('a'|'b')"},
      {"foo|bar|", "('foo'|'bar'|())"},
      {"|", "(()|())"},
      {"|a", "(()|'a')"},
      {"(?:a|b)|c", "('a'|'b'|'c')"},
      {"a|(?:b|c)|d", "('a'|'b'|'c'|'d')"},
      {"a(?:b)c", "'abc'"},
      {"a(?:bc*)d", "('ab' *('c') 'd')"},
      {"(?:a*b)(?:c*d)", "(*('a') 'b' *('c') 'd')"},
      {"(?:)", "()"},
      {"a(?:)b", "'ab'"},
      {"(?:(?:(?:a)))", "'a'"},
      {"a[.]b", "'a.b'"},
  };
  expect_all(kExamples);
}

TEST(RegexParser, Repetitions) {
  constexpr Example kExamples[] = {
      {"a*", "*('a')"},
      {"a+", "+('a')"},
      {"a?", "?('a')"},
      {"a*?", "*?('a')"},
      {"a+?", "+?('a')"},
      {"a?\?", "?\?('a')"},
      {"ab*", "('a' *('b'))"},
      {"ab*c", "('a' *('b') 'c')"},
      {"a\xC3\xA9+", "('a' +('\\xC3\\xA9'))"},
      {"(?:ab)*", "*('ab')"},
      {"a{3}", "{3,3}('a')"},
      {"a{3,}", "{3,}('a')"},
      {"a{3,5}", "{3,5}('a')"},
      {"a{3,5}?", "{3,5}?('a')"},
      {"a{0,}", "*('a')"},
      {"a{1,}", "+('a')"},
      {"a{0,1}", "?('a')"},
      {"a{ 2 , 3 }", "{2,3}('a')"},
      {"a{1}b", "'ab'"},
      {"a{1}?b", "'ab'"},
      {"ab{0}c", "'ac'"},
      {"a{1000}", "{1000,1000}('a')"},
      {"a{4194304}", "{4194304,4194304}('a')"},
      {"a**", "*('a')"},
      {"a+*", "*('a')"},
      {"a?+", "*('a')"},
      {"a++", "+('a')"},
      {"(?:a?)?", "?('a')"},
      {"a*?*", "*(*?('a'))"},
      {"a{2}*", "*({2,2}('a'))"},
      {"a{2}{3}", "{3,3}({2,2}('a'))"},
      {"(a*)*", "*(1(*('a')))"},
      {"^*", "*(^)"},
      {"()+", "+(1(()))"},
      {"(?:)*", "*(())"},
      {"\\b+", "+(\\b)"},
      {"(?U)a*b*?", "(*?('a') *('b'))"},
      {"(?U)a{2,3}(?-U)b{2,3}", "({2,3}?('a') {2,3}('b'))"},
      {"\\Qab\\E*", "('a' *('b'))"},
  };
  expect_all(kExamples);
}

TEST(RegexParser, Groups) {
  constexpr Example kExamples[] = {
      {"(a)", "1('a')"},
      {"(a(b)c)(d)", "(1(('a' 2('b') 'c')) 3('d'))"},
      {"(a|b)", "1(('a'|'b'))"},
      {"(?:a|b)c", "(('a'|'b') 'c')"},
      {"(?P<x>a)(?<y_1.[0]>b)", "(1:x('a') 2:y_1.[0]('b'))"},
      {"(?P<\xC3\xA9>a)", "1:\xC3\xA9('a')"},
      {"((?:a)(b)){0}(c)", "3('c')"},
      {"(?i)a(?-i)b", "([Aa] 'b')"},
      {"(?i:a)b", "([Aa] 'b')"},
      {"((?i)a)b", "(1([Aa]) 'b')"},
      {"a(?i)b|c", "(('a' [Bb])|[Cc])"},
      {"(?i-i:a)", "4: duplicate flag"},
      {"(?is-mu:^.$a)", "(\\A <\\x{0}-\\x{9}\\x{B}-\\x{FF}> \\z <Aa>)"},
      {"(?i)", "()"},
  };
  expect_all(kExamples);
  const auto tree = parse_pattern("(a)(?:b)((c))(?P<d>e)", {});
  EXPECT_EQ(tree->captures, 4u);
}

TEST(RegexParser, Places) {
  constexpr Example kExamples[] = {
      {"^a$", "(^ 'a' $)"},
      {"(?-m)^a$", "(\\A 'a' \\z)"},
      {"\\Aa\\z", "(\\A 'a' \\z)"},
      {"\\ba\\B", "(\\b 'a' \\B)"},
      {"(?-u)\\ba\\B", "(a\\b 'a' a\\B)"},
      {"\\b{start}a\\b{end}", "(\\b \\bs 'a' \\b \\be)"},
      {"\\<a\\>", "(\\b \\bs 'a' \\b \\be)"},
      {"(?:\\<)?a", "(?((\\b \\bs)) 'a')"},
      {"\\b{start-half}a\\b{end-half}", "(\\bs 'a' \\be)"},
      {"\\b{2}", "{2,2}(\\b)"},
  };
  expect_all(kExamples);
}

TEST(RegexParser, Escapes) {
  constexpr Example kExamples[] = {
      {"\\t\\r\\f\\v\\a", "'\\x09\\x0D\\x0C\\x0B\\x07'"},
      {"\\0\\1a", "2: backreferences are not supported"},
      {"\\0\\01\\001\\123\\7777", "'\\x00\\x01\\x01S\\xC7\\xBF7'"},
      {"\\08\\18", "3: backreferences are not supported"},
      {"\\x41\\x{42}\\u0043\\u{44}\\U00000045\\U{46}", "'ABCDEF'"},
      {"\\xe9\\x{1F600}", "'\\xC3\\xA9\\xF0\\x9F\\x98\\x80'"},
      {"(?-u)\\xe9\\x{e9}\\u00e9\\351", "'\\xE9\\xC3\\xA9\\xC3\\xA9\\xE9'"},
      {"(?-u:\\xFF)", "'\\xFF'"},
      {"(?-u)\xC3\xA9", "'\\xC3\\xA9'"},
      {"(?-u)\xC3\xA9*", "*('\\xC3\\xA9')"},
      {"\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\^\\$", "'.*+?()[]{}|^$'"},
      {"\\!\\\"\\#\\%\\&\\,\\/\\:\\;\\=\\@\\_\\`\\~\\ ", "'!\"#%&,/:;=@_`~ '"},
      {"\\\\\\'\\-", "'\\x5C\\x27\\x2D'"},
      {"\\Qa.b*\\Ec", "'a.b*c'"},
      {"\\Qa.b", "'a.b'"},
      {"\\Q\\\\E", "'\\x5C'"},
      {"\\Q\\E", "()"},
      {"(?i)\\Qk\\E", "[Kk\\x{212A}]"},
      {"\\C", "<\\x{0}-\\x{9}\\x{B}-\\x{FF}>"},
      {"(?-u)\\d", "<0-9>"},
  };
  expect_all(kExamples);
  EXPECT_EQ(parsed("\\pN"), parsed("\\p{N}"));
  EXPECT_EQ(parsed("\\PN"), parsed("[^\\p{Number}]"));
  EXPECT_EQ(parsed("\\p{^N}"), parsed("\\PN"));
  EXPECT_EQ(parsed("\\P{^N}"), parsed("\\pN"));
  EXPECT_EQ(parsed("\\d"), parsed("\\p{Nd}"));
  EXPECT_EQ(parsed("\\S"), parsed("\\P{White_Space}"));
  EXPECT_EQ(parsed("(?i)\\p{Lu}"), parsed("(?i)[\\p{Lu}]"));
  EXPECT_EQ(parsed("(?i)\\P{Lu}"), parsed("(?i)[^\\p{Lu}]"));
}

TEST(RegexParser, VerboseMode) {
  constexpr Example kExamples[] = {
      {" a b # c\n d ", "'abd'"},
      {"a b * c", "('a' *('b') 'c')"},
      {"a\\ b\\#", "'a b#'"},
      {"( a | b )", "1(('a'|'b'))"},
      {"( ?i: a )b", "([Aa] 'b')"},
      {"(?-x) a", "' a'"},
      {"(?-x: a) b", "' ab'"},
      {"a #", "'a'"},
      {"\xE3\x80\x80 a\xC2\xA0", "'a'"},
      {"\\Qa b\\E c", "'a bc'"},
  };
  SyntaxOptions options;
  options.verbose = true;
  expect_all(kExamples, options);
  EXPECT_EQ(parsed("(?x) a b(?-x) c"), "'ab c'");
}

TEST(RegexParser, Dots) {
  SyntaxOptions options;
  EXPECT_EQ(parsed(".", options), "[\\x{0}-\\x{9}\\x{B}-\\x{D7FF}\\x{E000}-\\x{10FFFF}]");
  EXPECT_EQ(parsed("(?s).", options), parsed(".", options));
  EXPECT_EQ(parsed("(?-u).", options), "<\\x{0}-\\x{9}\\x{B}-\\x{FF}>");
  options.line_terminated = false;
  EXPECT_EQ(parsed(".", options), "[\\x{0}-\\x{9}\\x{B}-\\x{D7FF}\\x{E000}-\\x{10FFFF}]");
  EXPECT_EQ(parsed("(?s).", options), "[\\x{0}-\\x{D7FF}\\x{E000}-\\x{10FFFF}]");
  EXPECT_EQ(parsed("(?s-u).", options), "<\\x{0}-\\x{FF}>");
  EXPECT_EQ(parsed("\\C", options), "<\\x{0}-\\x{FF}>");
  EXPECT_EQ(parsed("(?-u)(?R).", options), "<\\x{0}-\\x{9}\\x{B}-\\x{C}\\x{E}-\\x{FF}>");
  options.crlf = true;
  EXPECT_EQ(parsed("(?-u).$", options), "(<\\x{0}-\\x{9}\\x{B}-\\x{C}\\x{E}-\\x{FF}> $)");
  EXPECT_EQ(parsed("(?s-u).$", options), "(<\\x{0}-\\x{FF}> $)");
}

TEST(RegexParser, OptionsAreFlags) {
  SyntaxOptions options;
  options.ignore_case = true;
  options.ungreedy = true;
  options.multi_line = false;
  EXPECT_EQ(parsed("^s*", options), "(\\A *?([Ss\\x{17F}]))");
  options.unicode = false;
  EXPECT_EQ(parsed("s\xC3\xA9\\b\\xFF", options), "(<Ss> '\\xC3\\xA9' a\\b '\\xFF')");
  options.dot_matches_line = true;
  options.line_terminated = false;
  EXPECT_EQ(parsed(".\n", options), "(<\\x{0}-\\x{FF}> '\\x0A')");
}

TEST(RegexParser, FoldsEveryCharacter) {
  SyntaxOptions options;
  options.ignore_case = true;
  for (CodePoint code = 0x21; code < 0x1FFFF; code += code < 0x2C00 ? 1 : 7) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    char pattern[16];
    std::snprintf(pattern, sizeof pattern, "\\x{%X}", static_cast<unsigned>(code));
    const auto tree = parse_pattern(pattern, options);
    ASSERT_TRUE(tree.ok()) << pattern;
    std::vector<CodePoint> codes;
    for (const CodeRange& range : tree->root.ranges) {
      for (CodePoint member = range.low; member <= range.high; ++member) codes.push_back(member);
    }
    const std::vector<CodePoint> expected = case_variants(code);
    ASSERT_EQ(tree->root.kind == Node::Kind::kLiteral, expected.size() == 1) << pattern;
    ASSERT_TRUE(expected.size() == 1 || codes == expected) << pattern;
  }
}

TEST(RegexParser, ErrorsSayWhereAndWhy) {
  constexpr Example kExamples[] = {
      {"a(b", "1: unclosed group"},
      {"(a)(b(c)", "3: unclosed group"},
      {"(", "0: unclosed group"},
      {"(?:", "0: unclosed group"},
      {"(?i", "0: unclosed group"},
      {"a(?", "1: unclosed group"},
      {"ab)", "2: unopened group"},
      {"*", "0: repetition operator without expression"},
      {"a|+", "2: repetition operator without expression"},
      {"(?i)*", "4: repetition operator without expression"},
      {"a(?i)*", "5: repetition operator without expression"},
      {"(?)", "1: repetition operator without expression"},
      {"(*a)", "1: repetition operator without expression"},
      {"{", "0: repetition operator without expression"},
      {"{2}", "0: repetition operator without expression"},
      {"a{", "1: unclosed counted repetition"},
      {"a{2", "1: unclosed counted repetition"},
      {"a{2,", "1: unclosed counted repetition"},
      {"a{2x", "1: unclosed counted repetition"},
      {"a{2,3", "1: unclosed counted repetition"},
      {"a{}", "2: a repetition's count must be a number; a literal '{' is \\{"},
      {"a{x}", "2: a repetition's count must be a number; a literal '{' is \\{"},
      {"a{,2}", "2: a repetition's count must be a number; a literal '{' is \\{"},
      {"a{3,2}", "1: the repetition's maximum is below its minimum"},
      {"a{4200000}", "1: the pattern with its repetitions written out is too large"},
      {"a{1,99999999999999999999}", "1: the pattern with its repetitions written out is too large"},
      {"(){99999999999999999999}", "2: the pattern with its repetitions written out is too large"},
      {"(?P<>a)", "4: empty name of a group"},
      {"(?P<a", "4: unclosed name of a group"},
      {"(?<1a>b)", "3: invalid character in a group's name"},
      {"(?P<a-b>c)", "5: invalid character in a group's name"},
      {"(?P<a>b)(?<a>c)", "11: two groups have the name 'a'"},
      {"(?z)", "2: unrecognized flag; there are i m s U x u R"},
      {"(?P)", "2: unrecognized flag; there are i m s U x u R"},
      {"(?\xC3\xA9)", "2: unrecognized flag; there are i m s U x u R"},
      {"(?ii)", "3: duplicate flag"},
      {"(?i-i)", "4: duplicate flag"},
      {"(?i--s)", "4: flags are negated twice"},
      {"(?-)", "2: no flag after the '-'"},
      {"(?i-:a)", "2: no flag after the '-'"},
      {"a(?=b)", "1: look-around (look-ahead and look-behind) is not supported"},
      {"(?!b)", "0: look-around (look-ahead and look-behind) is not supported"},
      {"(?<=b)", "0: look-around (look-ahead and look-behind) is not supported"},
      {"(?<!b)", "0: look-around (look-ahead and look-behind) is not supported"},
      {"(?P<a>b)(?P=a)", "8: backreferences are not supported"},
      {"(a)\\1", "3: backreferences are not supported"},
      {"\\8", "0: backreferences are not supported"},
      {"a\\", "1: incomplete escape sequence"},
      {"\\q", "0: unrecognized escape sequence '\\q'"},
      {"\\Z", "0: unrecognized escape sequence '\\Z'; the end of the text is \\z"},
      {"\\E", "0: unrecognized escape sequence '\\E'"},
      {"\\\xC3\xA9", "0: unrecognized escape sequence '\\\xC3\xA9'"},
      {"a\\x4", "1: incomplete escape sequence"},
      {"\\xg0", "2: invalid hexadecimal digit"},
      {"\\x4g", "3: invalid hexadecimal digit"},
      {"\\x{}", "0: hexadecimal escape without digits"},
      {"\\x{41", "0: incomplete escape sequence"},
      {"\\x{4 1}", "4: invalid hexadecimal digit"},
      {"\\x{110000}", "0: not a Unicode character"},
      {"\\x{FFFFFFFFFFFFFFFFFF}", "0: not a Unicode character"},
      {"a\\uD800", "1: not a Unicode character"},
      {"\\UFFFFFFFF", "0: not a Unicode character"},
      {"\\p", "0: incomplete escape sequence"},
      {"a\\p{L", "1: unclosed Unicode property"},
      {"\\p{}", "0: unknown Unicode property ''"},
      {"\\p{Xyz}", "0: unknown Unicode property 'Xyz'"},
      {"\\pX", "0: unknown Unicode property 'X'"},
      {"\\p{a\nb}", "0: unknown Unicode property 'a?b'"},
      {"(?-u)\\pL", "5: Unicode properties need Unicode mode"},
      {"\\b{", "2: unclosed counted repetition"},
      {"\\b{a", "0: unclosed \\b{"},
      {"\\b{middle}",
       "0: unknown word boundary; there are \\b{start}, \\b{end}, \\b{start-half} and "
       "\\b{end-half}"},
      {"(?-u)\\b{start}", "5: this word boundary needs Unicode mode"},
      {"(?R)a$", "5: '$' with (?R) needs CRLF mode for the whole search (--crlf)"},
      {"ab\xFF", "2: the pattern is not UTF-8; for single bytes write (?-u:\\xFF)"},
      {"\xED\xA0\x80", "0: the pattern is not UTF-8; for single bytes write (?-u:\\xFF)"},
  };
  expect_all(kExamples);
}

TEST(RegexParser, LineFeedsAreErrorsInLines) {
  const std::string what =
      ": a line feed cannot be matched within a line; multi-line mode (-U) can";
  EXPECT_EQ(parsed("a\nb"), "1" + what);
  EXPECT_EQ(parsed("ab\\nc"), "2" + what);
  EXPECT_EQ(parsed("(?i)ab\\x0A"), "6" + what);
  EXPECT_EQ(parsed("a|\\012"), "2" + what);
  EXPECT_EQ(parsed("\\Qa\n\\E"), "3" + what);
  SyntaxOptions options;
  options.line_terminated = false;
  EXPECT_EQ(parsed("a\nb\\n", options), "'a\\x0Ab\\x0A'");
}

TEST(RegexParser, DeepNestingIsAnErrorNotAnOverflow) {
  const auto nested = [](const std::string& open, int depth, const std::string& close) {
    std::string pattern;
    for (int i = 0; i < depth; ++i) pattern += open;
    pattern += "a";
    for (int i = 0; i < depth; ++i) pattern += close;
    return pattern;
  };
  for (const char* open : {"(", "(?:", "(?i:", "(?P<", "((?s)", "x|("}) {
    EXPECT_FALSE(parse_pattern(nested(open, 100000, ")"), {}).ok()) << open;
  }
  EXPECT_TRUE(parse_pattern(nested("(", 200, ")"), {}).ok());
  EXPECT_TRUE(parse_pattern(nested("(?:", 240, ")*"), {}).ok());
  EXPECT_FALSE(parse_pattern(nested("(?:", 240, ")*?*"), {}).ok());
  EXPECT_TRUE(parse_pattern(nested("[", 240, "]"), {}).ok());
  EXPECT_EQ(parsed(nested("[", 100000, "]")), "250: classes are nested too deeply");
  EXPECT_EQ(parsed(nested("(", 251, ")")), "250: groups are nested too deeply");
}

TEST(RegexParser, StackedRepetitionsStayShallow) {
  const std::string stars(1 << 20, '*');
  EXPECT_EQ(parsed(std::string("a").append(stars)), "*('a')");
  std::string alternating = "a";
  for (int i = 0; i < 1000; ++i) alternating += "*?*";
  EXPECT_FALSE(parse_pattern(alternating, {}).ok());
  std::string counted = "a";
  for (int i = 0; i < 100000; ++i) counted += "{2}";
  EXPECT_EQ(parsed(counted), "67: the pattern with its repetitions written out is too large");
}

/// ripgrep 13's rules.
TEST(RegexParser, NotesTheCharactersThatAPatternNames) {
  const struct {
    const char* pattern;
    bool any;
    bool upper;
  } cases[] = {
      {"", false, false},
      {"a", true, false},
      {"aB", true, true},
      {".*", false, false},
      {"\\.", true, false},
      {"\\x{e9}", true, false},
      {"\\xe9", true, false},
      {"\\u00C9", true, true},
      {"a\\x{C9}", true, true},
      {"a\\x41", true, true},
      {"\\W\\S\\B\\PL\\pL\\p{Lu}", false, false},
      {"\\p{Lu}a", true, false},
      {"(?P<Name>a)(?U:b)(?<N>c)", true, false},
      {"(?x) a # Comment", true, false},
      {"[a-z]", true, false},
      {"[^A]", true, true},
      {"[\\x41]", true, true},
      {"[[:upper:]]", false, false},
      {"[\\W]", false, false},
      {"[-]", true, false},
      {"\\QaB\\E", true, true},
  };
  for (const auto& [pattern, any, upper] : cases) {
    const auto parsed = parse_pattern(pattern, {});
    ASSERT_TRUE(parsed.ok()) << pattern;
    EXPECT_EQ(parsed->named.any, any) << pattern;
    EXPECT_EQ(parsed->named.upper, upper) << pattern;
  }
}

TEST(RegexParser, LimitsTheSizeOfRepetitionsWrittenOut) {
  const std::string what = ": the pattern with its repetitions written out is too large";
  EXPECT_TRUE(parse_pattern("(a{1000}){1000}", {}).ok());
  EXPECT_EQ(parsed("((a{1000}){1000}){5}"), "17" + what);
  EXPECT_TRUE(parse_pattern("\\w{1000}", {}).ok());
  EXPECT_FALSE(parse_pattern("(\\w{1000}){1000}", {}).ok());
  EXPECT_TRUE(parse_pattern("(a*){1000}", {}).ok());
  EXPECT_EQ(parsed("(((){1000}){1000}){1000}"), "18" + what);
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "a{1000}";
  EXPECT_FALSE(parse_pattern(many, {}).ok());
  std::string words;
  for (int i = 0; i < 50000; ++i) words += "\\w";
  EXPECT_FALSE(parse_pattern(words, {}).ok());
}

TEST(RegexParser, LongPatternsAreNormal) {
  std::string words = "word0";
  for (int i = 1; i < 120000; ++i) words += "|word" + std::to_string(i);
  const auto tree = parse_pattern(words, {});
  ASSERT_TRUE(tree.ok());
  ASSERT_EQ(tree->root.children.size(), 120000u);
  EXPECT_EQ(tree->root.children[77777].bytes, "word77777");
  const auto joined = parse_pattern("(?:" + words + ")|(?:" + words + ")", {});
  ASSERT_EQ(joined->root.children.size(), 240000u);
  const std::string plain(1 << 20, 'x');
  EXPECT_EQ(parse_pattern(plain, {})->root.bytes, plain);
}

std::string times(int count, std::string_view part) {
  std::string text;
  for (int i = 0; i < count; ++i) text += part;
  return text;
}

std::string bracketed(const std::string& items) {
  return std::string("[").append(items).append("]");
}

/// Each would take a minute and more if something in it were quadratic.
TEST(RegexParser, LongPatternsTakeLinearTime) {
  const std::string nested_choices = times(240, "a(?:b|") + times(100000, "a|") + times(240, ")");
  const std::string nested_runs = times(240, "(?:a*b") + times(50000, "a*b") + times(240, ")");
  for (const std::string& pattern :
       {nested_choices, nested_runs, times(100000, "a*"), times(100000, "a{1}"),
        times(100000, "(?:a)"), times(50000, "(?:ab*)"), times(50000, "(?i)k"), times(100000, "()"),
        times(100000, "a|"), times(50000, "(a|b)"), bracketed(times(100000, "z\xC3\xA9x")),
        bracketed(times(10000, "\\w")), bracketed(times(10000, "a\\w")),
        bracketed(times(20000, "\\p{Greek}")), bracketed(times(50000, "a&&"))}) {
    EXPECT_TRUE(parse_pattern(pattern, {}).ok()) << pattern.substr(0, 20);
  }
  std::string descending = "[";
  for (CodePoint code = 0xD7FE; code > 0x800; code -= 2) {
    Byte bytes[4];
    descending.append(reinterpret_cast<char*>(bytes), encode(code, bytes));
  }
  descending += ']';
  EXPECT_TRUE(parse_pattern(descending, {}).ok());
}

TEST(RegexParser, ExplainsErrorsBelowThePattern) {
  const auto explained = [](std::string_view pattern) {
    return explain_pattern_error(pattern, parse_pattern(pattern, {}).error());
  };
  EXPECT_EQ(explained("a(b"), "    a(b\n     ^\nerror: unclosed group");
  EXPECT_EQ(explained("\xC3\xA9\xE6\x97\xA5(b"),
            "    \xC3\xA9\xE6\x97\xA5(b\n      ^\nerror: unclosed group");
  EXPECT_EQ(explained("(?x)a\nb(c\nd"), "    b(c\n     ^\nerror: unclosed group");
  EXPECT_EQ(explained("\t\x1B[\xC2\x9B("),
            "     \xEF\xBF\xBD[\xEF\xBF\xBD(\n      ^\nerror: unclosed character class");
  EXPECT_EQ(explained("a\xFFz"),
            "    a\xEF\xBF\xBDz\n     ^\n"
            "error: the pattern is not UTF-8; for single bytes write (?-u:\\xFF)");
  EXPECT_EQ(explained("ab\\"), "    ab\\\n      ^\nerror: incomplete escape sequence");
}

TEST(RegexParser, ExplainsErrorsInAWindowOfLongPatterns) {
  const std::string many(200, 'x');
  const std::string text =
      explain_pattern_error(many + "(" + many, parse_pattern(many + "(" + many, {}).error());
  const std::string before(40, 'x'), after(29, 'x'), space(47, ' ');
  EXPECT_EQ(text, "    ..." + before + "(" + after + "...\n" + space + "^\nerror: unclosed group");
  const std::string first =
      explain_pattern_error("*" + many, parse_pattern("*" + many, {}).error());
  EXPECT_EQ(first.substr(0, 12), "    *xxxxxxx");
  EXPECT_EQ(explain_pattern_error("a", make_error(ErrorCode::kInvalidArgument, "no place")),
            "error: no place");
  Error behind_end = make_error(ErrorCode::kInvalidArgument, "too far");
  behind_end.byte_offset = 99;
  EXPECT_EQ(explain_pattern_error("ab", behind_end), "    ab\n      ^\nerror: too far");
}

}  // namespace
}  // namespace presso::scan_detail::regex_parser_test
