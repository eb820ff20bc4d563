// SPDX-License-Identifier: MIT
// Automata over whole strings: the minimal sizes that the theses name, Boolean combinations
// against their definition on all short strings, and that '\n' is a byte as any other.
#include <gtest/gtest.h>

#include <functional>
#include <regex>
#include <string>

#include "lab/strings/predicate.h"
#include "lab/tests/string_cases.h"
#include "tests/unit/scan/text/scan_reference.h"

namespace presso::strings::string_dfa_test {
namespace {

using scan_test::as_bytes;

Dfa dfa_of(const Predicate& predicate) {
  auto dfa = compile(predicate);
  EXPECT_TRUE(dfa.ok()) << dfa.error().message();
  return std::move(*dfa);
}

void for_all_strings(const std::string& letters, std::size_t length,
                     const std::function<void(const std::string&)>& visit) {
  for (const std::string& string : string_test::all_strings(letters, length)) visit(string);
}

bool holds(const std::string& string, const char* part) {
  return string.find(part) != std::string::npos;
}

TEST(StringDfa, HasTheMinimalSizesOfTheCatalogue) {
  const Predicate she = contains("she");
  const Predicate her = contains("her");
  EXPECT_EQ(dfa_of(any_of({she, her})).states, 6u);
  EXPECT_EQ(dfa_of(regex_search("she|her")).states, 6u);
  EXPECT_EQ(dfa_of(all_of({she, negation_of(her)})).states, 9u);
  EXPECT_EQ(dfa_of(all_of({she, her})).states, 12u);
  EXPECT_EQ(dfa_of(any_of({contains("special"), contains("packages")})).states, 15u);
  EXPECT_EQ(dfa_of(regex_match("she|her")).states, 7u);
}

TEST(StringDfa, NumbersSinksAndAcceptingStatesLast) {
  const Dfa substring = dfa_of(contains("she"));
  EXPECT_EQ(substring.sink, substring.states - 1);
  EXPECT_EQ(substring.first_matching, substring.states - 1);
  EXPECT_EQ(substring.dead, substring.states);
  const Dfa without = dfa_of(all_of({contains("she"), negation_of(contains("her"))}));
  EXPECT_EQ(without.sink, without.states);
  EXPECT_EQ(without.dead, without.first_matching - 1);
  const Dfa exact = dfa_of(regex_match("she|her"));
  EXPECT_EQ(exact.dead, 5u);
  EXPECT_EQ(exact.first_matching, 6u);
  EXPECT_EQ(exact.classes, 5u) << "s, h, e, r and all others";
}

TEST(StringDfa, CombinesAsBooleanAlgebraDoes) {
  const Predicate she = contains("she");
  const Predicate her = contains("her");
  const Predicate ends = regex_search("(s|h)e$");
  const Dfa both = dfa_of(all_of({she, her}));
  const Dfa either = dfa_of(any_of({she, her}));
  const Dfa without = dfa_of(all_of({she, negation_of(her)}));
  const Dfa mixed = dfa_of(any_of({all_of({ends, negation_of(she)}), negation_of(her)}));
  for_all_strings("sher", 7, [&](const std::string& s) {
    const bool in_she = holds(s, "she");
    const bool in_her = holds(s, "her");
    const bool in_ends = s.ends_with("se") || s.ends_with("he");
    const Bytes bytes = as_bytes(s);
    ASSERT_EQ(both.accepts(bytes), in_she && in_her) << s;
    ASSERT_EQ(either.accepts(bytes), in_she || in_her) << s;
    ASSERT_EQ(without.accepts(bytes), in_she && !in_her) << s;
    ASSERT_EQ(mixed.accepts(bytes), (in_ends && !in_she) || !in_her) << s;
  });
}

TEST(StringDfa, NegatingTwiceChangesNothing) {
  for (const char* pattern : {"a*", "(ab|c)+", "", "[^a]"}) {
    const Predicate once = regex_match(pattern);
    const Dfa dfa = dfa_of(once);
    const Dfa twice = dfa_of(negation_of(negation_of(once)));
    EXPECT_EQ(dfa.states, twice.states) << pattern;
    for_all_strings("abc", 6, [&](const std::string& s) {
      ASSERT_EQ(dfa.accepts(as_bytes(s)), twice.accepts(as_bytes(s))) << pattern << ": " << s;
    });
  }
}

TEST(StringDfa, TakesLineFeedsAsBytes) {
  const auto accepts = [](const Predicate& predicate, std::string_view string) {
    return dfa_of(predicate).accepts(as_bytes(string));
  };
  EXPECT_TRUE(accepts(like("a%b"), "a\n\nb"));
  EXPECT_TRUE(accepts(like("a_b"), "a\nb"));
  EXPECT_FALSE(accepts(like("a"), "a\n"));
  EXPECT_FALSE(accepts(like("a"), "b\na"));
  EXPECT_FALSE(accepts(regex_search("^a"), "b\na"));
  EXPECT_FALSE(accepts(regex_search("a$"), "a\nb"));
  EXPECT_TRUE(accepts(regex_search("a\nb"), "xa\nb"));
  EXPECT_TRUE(accepts(regex_search("(?-u)x\\b\ny"), "x\ny"));
  EXPECT_TRUE(accepts(contains(std::string("\0\n", 2)), std::string_view("a\0\nb", 4)));
  EXPECT_TRUE(accepts(contains("\xFF\x80"), "\x80\xFF\x80"));
  EXPECT_TRUE(accepts(equals("a\n"), "a\n"));
  EXPECT_FALSE(accepts(equals("a\n"), "a"));
}

/// All expressions of `a`, `b` and `.` with up to three operators nested two deep.
std::vector<std::string> small_expressions() {
  std::vector<std::string> all = {"a", "b", "."};
  for (int depth = 0; depth < 2; ++depth) {
    const std::vector<std::string> parts = all;
    for (const std::string& x : parts) {
      all.push_back("(" + x + ")*");
      for (const std::string& y : parts) {
        all.push_back(x + y);
        all.push_back("(" + x + "|" + y + ")");
      }
    }
  }
  return all;
}

TEST(StringDfa, AgreesWithTheStandardLibraryOnSmallExpressions) {
  const auto strings = string_test::all_strings("ab", 4);
  const auto expressions = small_expressions();
  EXPECT_GT(expressions.size(), 1'000u);
  for (const std::string& expression : expressions) {
    const std::regex oracle(expression);
    const Dfa whole = dfa_of(regex_match(expression));
    const Dfa part = dfa_of(regex_search(expression));
    for (const std::string& s : strings) {
      ASSERT_EQ(whole.accepts(as_bytes(s)), std::regex_match(s, oracle)) << expression << ": " << s;
      ASSERT_EQ(part.accepts(as_bytes(s)), std::regex_search(s, oracle)) << expression << ": " << s;
    }
  }
}

TEST(StringDfa, MatchesLikeWithEscape) {
  const Dfa dfa = dfa_of(like("%50\\%_off%"));
  EXPECT_TRUE(dfa.accepts(as_bytes("now 50% off!")));
  EXPECT_FALSE(dfa.accepts(as_bytes("now 500 off!")));
  EXPECT_FALSE(dfa.accepts(as_bytes("now 50%off!")));
}

TEST(StringDfa, FindsSubstringsInOrder) {
  const Dfa dfa = dfa_of(contains_in_order({"ab", "ba"}));
  for_all_strings("ab", 9, [&](const std::string& s) {
    const std::size_t first = s.find("ab");
    const bool wanted = first != std::string::npos && s.find("ba", first + 2) != std::string::npos;
    ASSERT_EQ(dfa.accepts(as_bytes(s)), wanted) << s;
  });
  EXPECT_TRUE(dfa_of(contains_in_order({})).accepts(as_bytes("")));
  EXPECT_TRUE(dfa_of(contains_in_order({"", "%", ""})).accepts(as_bytes("a%")));
  EXPECT_FALSE(dfa_of(contains_in_order({"%"})).accepts(as_bytes("a")));
}

TEST(StringDfa, KnowsEmptyCombinations) {
  EXPECT_TRUE(dfa_of(all_of({})).accepts(as_bytes("")));
  EXPECT_FALSE(dfa_of(any_of({})).accepts(as_bytes("")));
  EXPECT_EQ(dfa_of(any_of({})).dead, 0u);
}

TEST(StringDfa, RefusesWhatItCannotAnswer) {
  const auto error_of = [](const Predicate& predicate, std::size_t states) {
    const auto dfa = compile(predicate, {states});
    EXPECT_FALSE(dfa.ok());
    return dfa.ok() ? ErrorCode::kOk : dfa.error().code;
  };
  EXPECT_EQ(error_of(regex_match("(a"), 100), ErrorCode::kInvalidArgument);
  EXPECT_EQ(error_of(regex_match("(a|b)*a(a|b){9}"), 100), ErrorCode::kInvalidArgument);
  EXPECT_EQ(error_of(all_of({contains("abcdefghij"), contains("klmnopqrst")}), 20),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(error_of(regex_search("\\ba"), 100), ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace presso::strings::string_dfa_test
