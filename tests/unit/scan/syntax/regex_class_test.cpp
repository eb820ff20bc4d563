// SPDX-License-Identifier: MIT
// Sets of code points, case folding of sets, named classes and classes in brackets. What Unicode
// says comes from outside where it can: figures of Python 3.11, whose unicodedata has Unicode 14.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "scan/syntax/code_set.h"
#include "scan/syntax/named_classes.h"
#include "tests/unit/scan/syntax/regex_dump.h"

namespace presso::scan_detail::regex_class_test {
namespace {

using Bits = std::vector<bool>;

Bits bits_of(const CodeSet& set) {
  Bits bits(kLastCodePoint + 1);
  for (const CodeRange& range : set.ranges()) {
    for (CodePoint code = range.low; code <= range.high; ++code) bits[code] = true;
  }
  return bits;
}

void expect_in_order(const CodeSet& set) {
  const std::vector<CodeRange>& ranges = set.ranges();
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    ASSERT_LE(ranges[i].low, ranges[i].high);
    ASSERT_TRUE(i == 0 || ranges[i].low > ranges[i - 1].high + 1);
  }
}

CodeSet random_set(std::mt19937_64& random, CodePoint limit) {
  CodeSet set;
  for (std::uint64_t count = random() % 12; count > 0; --count) {
    const CodePoint low = static_cast<CodePoint>(random() % limit);
    set.add(low, std::min(low + static_cast<CodePoint>(random() % 9), limit - 1));
  }
  return set;
}

TEST(CodeSet, OperationsAreThoseOfSets) {
  constexpr CodePoint kLimit = 64;
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    const CodeSet a = random_set(random, kLimit);
    const CodeSet b = random_set(random, kLimit);
    CodeSet either = a, both = a, rest = a, one = a, none = a;
    either.add(b);
    both.intersect(b);
    rest.subtract(b);
    one.toggle(b);
    none.negate(kLimit - 1);
    for (const CodeSet* set : {&either, &both, &rest, &one, &none}) expect_in_order(*set);
    for (CodePoint code = 0; code < kLimit; ++code) {
      const bool in_a = a.contains(code), in_b = b.contains(code);
      ASSERT_EQ(either.contains(code), in_a || in_b);
      ASSERT_EQ(both.contains(code), in_a && in_b);
      ASSERT_EQ(rest.contains(code), in_a && !in_b);
      ASSERT_EQ(one.contains(code), in_a != in_b);
      ASSERT_EQ(none.contains(code), !in_a);
    }
  }
}

TEST(CodeSet, NegationReachesTheLastCodePoint) {
  CodeSet set;
  set.negate(kLastCodePoint);
  EXPECT_EQ(set.ranges(), (std::vector<CodeRange>{{0, kLastCodePoint}}));
  set.negate(kLastCodePoint);
  EXPECT_TRUE(set.empty());
}

/// What folding must give: all code points whose fold() is that of a member.
Bits folded_slowly(const CodeSet& set) {
  Bits folds(kLastCodePoint + 1);
  for (const CodeRange& range : set.ranges()) {
    for (CodePoint code = range.low; code <= range.high; ++code) folds[fold(code)] = true;
  }
  Bits result(kLastCodePoint + 1);
  for (CodePoint code = 0; code <= kLastCodePoint; ++code) result[code] = folds[fold(code)];
  return result;
}

TEST(CodeSet, FoldingAgreesWithBruteForceOverAllCodePoints) {
  std::mt19937_64 random(2);
  std::vector<CodeSet> sets = {CodeSet('a', 'z'), CodeSet('k', 'k'), CodeSet(0, kLastCodePoint),
                               CodeSet(0x400, 0x52F), CodeSet(0x1C80, 0x1C88)};
  for (const char* name : {"Lu", "Ll", "Lt", "Greek", "Cherokee", "M"}) {
    sets.push_back(*unicode_property(name));
  }
  for (int i = 0; i < 8; ++i) sets.push_back(random_set(random, 0x600));
  for (CodeSet& set : sets) {
    const Bits expected = folded_slowly(set);
    set.fold_unicode();
    expect_in_order(set);
    ASSERT_TRUE(bits_of(set) == expected);
  }
}

TEST(CodeSet, CasePairsAreTheVariantsOfEachCodePoint) {
  const std::vector<CasePair>& pairs = case_pairs();
  auto pair = pairs.begin();
  for (CodePoint code = 0; code <= 0x1FFFF; ++code) {
    if (fold(code) == code && (pair == pairs.end() || pair->code != code)) continue;
    for (const CodePoint variant : case_variants(code)) {
      if (variant == code) continue;
      ASSERT_TRUE(pair != pairs.end() && pair->code == code && pair->variant == variant) << code;
      ++pair;
    }
  }
  EXPECT_TRUE(pair == pairs.end());
}

TEST(CodeSet, FoldingWithoutUnicodeIsAscii) {
  CodeSet set('Y', 'c');
  set.add(0xC0, 0xFF);
  set.fold_ascii();
  EXPECT_EQ(set.ranges(),
            (std::vector<CodeRange>{{'A', 'C'}, {'Y', 'c'}, {'y', 'z'}, {0xC0, 0xFF}}));
}

struct Category {
  const char* name;
  std::uint64_t count;
  std::uint64_t sum;
};

// python3.11 -c 'import unicodedata as u; L = [(u.category(chr(i)), i) for i in range(0x110000)];
// [print(c, sum(k == c for k, i in L), sum(i for k, i in L if k == c)) for c in
// set(next(zip(*L)))]'
constexpr Category kCategories[] = {
    {"Cc", 65, 5215},
    {"Cf", 163, 91759707},
    {"Cn", 829834, 467725244442},
    {"Co", 137468, 137822040966},
    {"Cs", 2048, 115342336},
    {"Ll", 2227, 102366205},
    {"Lm", 334, 11185275},
    {"Lo", 127333, 13704636958},
    {"Lt", 31, 220514},
    {"Lu", 1831, 85228200},
    {"Mc", 445, 18029279},
    {"Me", 13, 195909},
    {"Mn", 1950, 291285791},
    {"Nd", 660, 30806570},
    {"Nl", 236, 13199783},
    {"No", 895, 55170712},
    {"Pc", 10, 415682},
    {"Pd", 26, 566513},
    {"Pe", 77, 1814706},
    {"Pf", 10, 95624},
    {"Pi", 12, 112041},
    {"Po", 605, 21469060},
    {"Ps", 79, 1830591},
    {"Sc", 63, 1352243},
    {"Sk", 125, 3403074},
    {"Sm", 948, 11584894},
    {"So", 6605, 512713528},
    {"Zl", 1, 8232},
    {"Zp", 1, 8233},
    {"Zs", 17, 124933},
};

TEST(NamedClasses, CategoriesAreThoseOfPython) {
  for (const Category& category : kCategories) {
    std::uint64_t count = 0, sum = 0;
    const CodeSet set = *unicode_property(category.name);
    expect_in_order(set);
    for (const CodeRange& range : set.ranges()) {
      const std::uint64_t size = range.high - range.low + 1;
      count += size;
      sum += size * (range.low + range.high) / 2;
    }
    EXPECT_EQ(count, category.count) << category.name;
    EXPECT_EQ(sum, category.sum) << category.name;
  }
}

TEST(NamedClasses, GroupsOfCategoriesAreTheirUnions) {
  for (const std::string group : {"C", "L", "M", "N", "P", "S", "Z"}) {
    CodeSet all;
    for (const Category& category : kCategories) {
      if (category.name[0] == group[0]) all.add(*unicode_property(category.name));
    }
    EXPECT_EQ(all.ranges(), unicode_property(group)->ranges()) << group;
  }
  CodeSet cased = *unicode_property("Lu");
  cased.add(*unicode_property("Ll"));
  cased.add(*unicode_property("Lt"));
  EXPECT_EQ(cased.ranges(), unicode_property("LC")->ranges());
  EXPECT_EQ(cased.ranges(), unicode_property("L&")->ranges());
}

struct Spot {
  const char* name;
  CodePoint in;
  CodePoint out;
};

constexpr Spot kSpots[] = {
    {"Greek", 0x3B1, 'a'},
    {"Cyrillic", 0x416, 0x3B1},
    {"Latin", 0xE9, 0x416},
    {"Han", 0x65E5, 0x3042},
    {"Hiragana", 0x3042, 0x30A2},
    {"Katakana", 0x30A2, 0x3042},
    {"Hangul", 0xAC00, 0x65E5},
    {"Arabic", 0x627, 0x5D0},
    {"Hebrew", 0x5D0, 0x627},
    {"Devanagari", 0x905, 0x985},
    {"Thai", 0xE01, 0xE81},
    {"Common", ' ', 'a'},
    {"Zinh", 0x300, 'a'},
    {"scx=Greek", 0x342, 'a'},
    {"scx:Deva", 0x964, 'a'},
    {"Alphabetic", 0x2160, '1'},
    {"Uppercase", 0x2160, 0x2170},
    {"Lowercase", 0x2170, 0x2160},
    {"White_Space", 0x3000, 0x200B},
    {"Any", 0x10FFFF, 0x110000},
    {"ASCII", 0x7F, 0x80},
    {"Assigned", 'a', 0x378},
    {"Emoji", 0x1F600, 'a'},
    {"Math", 0x2200, 'a'},
    {"Hex_Digit", 0xFF21, 'g'},
    {"Ideographic", 0x4E00, 'a'},
    {"Join_Control", 0x200D, 0x200B},
    {"XID_Start", 'a', '1'},
    {"XID_Continue", '1', '-'},
    {"Default_Ignorable_Code_Point", 0xAD, 'a'},
    {"Grapheme_Extend", 0x300, 'a'},
    {"Extended_Pictographic", 0xA9, 'a'},
    {"sc!=Greek", 'a', 0x3B1},
    {"gc!=Lu", 'a', 'A'},
};

TEST(NamedClasses, SpotValuesOfScriptsAndProperties) {
  for (const Spot& spot : kSpots) {
    const std::optional<CodeSet> set = unicode_property(spot.name);
    ASSERT_TRUE(set.has_value()) << spot.name;
    EXPECT_TRUE(set->contains(spot.in)) << spot.name;
    EXPECT_FALSE(set->contains(spot.out)) << spot.name;
  }
}

TEST(NamedClasses, NamesAreComparedLoosely) {
  const auto expected = unicode_property("Lu")->ranges();
  for (const char* name :
       {"lu", "LU", "Uppercase_Letter", "uppercase letter", "UPPERCASE-LETTER", "isLu", "Is_Lu",
        "gc=Lu", "GC:lu", "General_Category=Uppercase_Letter", "generalcategory = Lu"}) {
    ASSERT_TRUE(unicode_property(name).has_value()) << name;
    EXPECT_EQ(unicode_property(name)->ranges(), expected) << name;
  }
  EXPECT_EQ(unicode_property("Grek")->ranges(), unicode_property("script=greek")->ranges());
  EXPECT_EQ(unicode_property("sc")->ranges(), unicode_property("Currency_Symbol")->ranges());
  EXPECT_EQ(unicode_property("wspace")->ranges(), unicode_property("Space")->ranges());
}

TEST(NamedClasses, UnknownNamesAreNone) {
  for (const char* name : {"", "Xyz", "is", "L=", "=Lu", "sc=Lu", "gc=Greek", "age=3.0", "Lu ", "!",
                           "!=", "\xCE\xB1", "lul"}) {
    EXPECT_EQ(unicode_property(name).has_value(), std::string(name) == "Lu ") << name;
  }
}

TEST(NamedClasses, EveryCodePointHasOneScript) {
  Bits seen(kLastCodePoint + 1);
  for (const char* name : {"Latin", "Greek", "Common", "Inherited", "Unknown", "Han", "Hangul"}) {
    const Bits bits = bits_of(*unicode_property(name));
    for (CodePoint code = 0; code <= kLastCodePoint; ++code) {
      ASSERT_FALSE(seen[code] && bits[code]) << name << " " << code;
      if (bits[code]) seen[code] = true;
    }
  }
}

TEST(NamedClasses, AgreeWithTheTablesOfFixedStrings) {
  const Bits word = bits_of(perl_class('w', true));
  const Bits upper = bits_of(*unicode_property("Uppercase"));
  for (CodePoint code = 0; code <= kLastCodePoint; ++code) {
    ASSERT_EQ(word[code], is_word(code)) << code;
    ASSERT_EQ(upper[code], is_upper(code)) << code;
  }
}

TEST(NamedClasses, WordsAreClosedUnderCase) {
  CodeSet word = perl_class('w', true);
  word.fold_unicode();
  EXPECT_EQ(word.ranges(), perl_class('w', true).ranges());
}

struct Example {
  const char* pattern;
  const char* expected;
};

constexpr Example kClasses[] = {
    {"[a]", "'a'"},
    {"[abc]", "[a-c]"},
    {"[c-ea-b]", "[a-e]"},
    {"[]a]", "[]a]"},
    {"[]]", "']'"},
    {"[-]", "'\\x2D'"},
    {"[--]", "'\\x2D'"},
    {"[a-]", "[\\x{2D}a]"},
    {"[-a]", "[\\x{2D}a]"},
    {"[--a]", "[\\x{2D}a]"},
    {"[+--]", "'+'"},
    {"[\\--a]", "[\\x{2D}-a]"},
    {"[a\\-z]", "[\\x{2D}az]"},
    {"[a&b]", "[&a-b]"},
    {"[a~b]", "[a-b~]"},
    {"[^\\x00-\\x60b-\\x{10FFFF}]", "'a'"},
    {"[\\]\\[\\^]", "[[]-^]"},
    {"[.*+?(){}|$]", "[$(-+.?{-}]"},
    {"[\\x41-\\x{43}\\u0045\\U00000047]", "[A-CEG]"},
    {"[\\t\\r\\f\\v\\a]", "[\\x{7}\\x{9}\\x{B}-\\x{D}]"},
    {"[\\101\\0]", "[\\x{0}A]"},
    {"[\xC3\xA9-\xC3\xAB]", "[\\x{E9}-\\x{EB}]"},
    {"[\\x{D7FF}-\\x{E000}]", "[\\x{D7FF}\\x{E000}]"},
    {"[a[b-c]]", "[a-c]"},
    {"[a[^b-z[:^lower:]]]", "'a'"},
    {"[a-z&&[^aeiou]]", "[b-df-hj-np-tv-z]"},
    {"[a-z--aeiou]", "[b-df-hj-np-tv-z]"},
    {"[a-m~~g-z]", "[a-fn-z]"},
    {"[a-f&&c-z--d]", "[ce-f]"},
    {"[a-f--b~~x]", "[ac-fx]"},
    {"[^a-y&&b-z[:^lower:][:^ascii:]]", "[\\x{0}-\\x{9}\\x{B}-az-\\x{D7FF}\\x{E000}-\\x{10FFFF}]"},
    {"[a&&]", "[]"},
    {"[&&a]", "[]"},
    {"[a--]", "'a'"},
    {"[[:alnum:]]", "[0-9A-Za-z]"},
    {"[[:alpha:]]", "[A-Za-z]"},
    {"[[:ascii:]]", "[\\x{0}-\\x{9}\\x{B}-\\x{7F}]"},
    {"[[:blank:]]", "[\\x{9}\\x{20}]"},
    {"[[:cntrl:]]", "[\\x{0}-\\x{9}\\x{B}-\\x{1F}\\x{7F}]"},
    {"[[:digit:]]", "[0-9]"},
    {"[[:graph:]]", "[!-~]"},
    {"[[:lower:]]", "[a-z]"},
    {"[[:print:]]", "[\\x{20}-~]"},
    {"[[:punct:]]", "[!-/:-@[-`{-~]"},
    {"[[:space:]]", "[\\x{9}\\x{B}-\\x{D}\\x{20}]"},
    {"[[:upper:]]", "[A-Z]"},
    {"[[:word:]]", "[0-9A-Z_a-z]"},
    {"[[:xdigit:]]", "[0-9A-Fa-f]"},
    {"[[:^print:]&&[:ascii:]]", "[\\x{0}-\\x{9}\\x{B}-\\x{1F}\\x{7F}]"},
    {"(?-u)[^a]", "<\\x{0}-\\x{9}\\x{B}-`b-\\x{FF}>"},
    {"(?-u)[\\x80-\\xFF]", "<\\x{80}-\\x{FF}>"},
    {"(?-u)[\\377]", "'\\xFF'"},
    {"(?-u)\\W", "<\\x{0}-\\x{9}\\x{B}-/:-@[-^`{-\\x{FF}>"},
    {"(?-u)[\\D&&[:ascii:]&&[^ -\\x7F]]", "<\\x{0}-\\x{9}\\x{B}-\\x{1F}>"},
    {"(?-u)\\s\\d\\w", "(<\\x{9}\\x{B}-\\x{D}\\x{20}> <0-9> <0-9A-Z_a-z>)"},
    {"(?i)[a]", "[Aa]"},
    {"(?i)[k-s]", "[K-Sk-s\\x{17F}\\x{212A}]"},
    {"(?i-u)[k-s]", "<K-Sk-s>"},
    {"(?i)[^k]", "[\\x{0}-\\x{9}\\x{B}-JL-jl-\\x{2129}\\x{212B}-\\x{D7FF}\\x{E000}-\\x{10FFFF}]"},
    {"(?i)[a-z--K]", "[A-JL-Za-jl-z\\x{17F}]"},
    {"(?i)[[:lower:]&&B]", "[Bb]"},
    {"(?i)[^\\P{Lu}&&[:ascii:]]", "[A-Za-z\\x{80}-\\x{D7FF}\\x{E000}-\\x{10FFFF}]"},
    {"(?x)[ a - c # comment\n ^ ]", "[^a-c]"},
    {"(?x)[ ^ a\\ ]", "[\\x{0}-\\x{9}\\x{B}-\\x{1F}!-`b-\\x{D7FF}\\x{E000}-\\x{10FFFF}]"},
    {"[\\pN&&[:ascii:]]", "[0-9]"},
    {"[\\p{Nd}\\p{Lu}&&[:ascii:]]", "[0-9A-Z]"},
    {"[\\P{^L}&&[:ascii:]]", "[A-Za-z]"},
    {"[^\\P{L}[:^ascii:]]", "[A-Za-z]"},
    {"[\\p{^L}&&[@-B]]", "'@'"},
    {"\\p{ASCII}", "[\\x{0}-\\x{9}\\x{B}-\\x{7F}]"},
    {"\\p{Cs}", "[]"},
    {"[^\\p{Any}]", "[]"},
    {"[\\s\\S]", "[\\x{0}-\\x{9}\\x{B}-\\x{D7FF}\\x{E000}-\\x{10FFFF}]"},
    {"[\\n-\\r]", "[\\x{B}-\\x{D}]"},
    {"[\\na]", "'a'"},
};

TEST(RegexClasses, MeanWhatTheySay) {
  for (const Example& example : kClasses) {
    EXPECT_EQ(parsed(example.pattern), example.expected) << example.pattern;
  }
}

constexpr Example kBadClasses[] = {
    {"[", "0: unclosed character class"},
    {"a[b", "1: unclosed character class"},
    {"[]", "0: unclosed character class"},
    {"[^]", "0: unclosed character class"},
    {"[a-", "0: unclosed character class"},
    {"[a&&", "0: unclosed character class"},
    {"[a[b]", "0: unclosed character class"},
    {"[a[b", "2: unclosed character class"},
    {"[z-a]", "1: the range ends before it begins"},
    {"[ab-\\d]", "4: a range must lie between two characters"},
    {"[\\w-z]", "1: a range must lie between two characters"},
    {"[\\b]", "1: escape sequence without a meaning in a character class"},
    {"[\\C]", "1: escape sequence without a meaning in a character class"},
    {"[\\A]", "1: escape sequence without a meaning in a character class"},
    {"[\\Qa\\E]", "1: unrecognized escape sequence '\\Q'"},
    {"[[:nosuch:]]", "1: unknown character class [:nosuch:]"},
    {"[\\p{Nosuch}]", "1: unknown Unicode property 'Nosuch'"},
    {"[\\", "1: incomplete escape sequence"},
    {"(?-u)[a\xC3\xA9]", "7: characters beyond ASCII in a class need Unicode mode"},
    {"(?-u)[\\x{E9}]", "6: characters beyond ASCII in a class need Unicode mode"},
    {"(?-u)[\\pL]", "6: Unicode properties need Unicode mode"},
    {"a[\\n]", "1: a line feed cannot be matched within a line; multi-line mode (-U) can"},
    {"[^\\x00-\\x09\\x0B-\\x{10FFFF}]",
     "0: a line feed cannot be matched within a line; multi-line mode (-U) can"},
    {"(?x)[#]", "4: unclosed character class"},
};

TEST(RegexClasses, ErrorsSayWhereAndWhy) {
  for (const Example& example : kBadClasses) {
    EXPECT_EQ(parsed(example.pattern), example.expected) << example.pattern;
  }
}

TEST(RegexClasses, KeepLineFeedsWhereTextsHaveThem) {
  SyntaxOptions options;
  options.line_terminated = false;
  EXPECT_EQ(parsed("[\\n]", options), "'\\x0A'");
  EXPECT_EQ(parsed("[\\n-\\r]", options), "[\\x{A}-\\x{D}]");
  EXPECT_EQ(parsed("[^a]", options), "[\\x{0}-`b-\\x{D7FF}\\x{E000}-\\x{10FFFF}]");
  EXPECT_EQ(parsed("(?-u)[^a]", options), "<\\x{0}-`b-\\x{FF}>");
}

TEST(RegexClasses, LeaveOutCarriageReturnsThatEndLines) {
  SyntaxOptions options;
  options.crlf = true;
  EXPECT_EQ(parsed("[^a-z]", options),
            "[\\x{0}-\\x{9}\\x{B}-\\x{C}\\x{E}-`{-\\x{D7FF}\\x{E000}-\\x{10FFFF}]");
  EXPECT_EQ(parsed("[[:space:]]", options), "[\\x{9}\\x{B}-\\x{C}\\x{20}]");
  EXPECT_EQ(parsed("[\\r]", options), "'\\x0D'");
}

}  // namespace
}  // namespace presso::scan_detail::regex_class_test
