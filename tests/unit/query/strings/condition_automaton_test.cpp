// SPDX-License-Identifier: MIT
// The automaton of a condition accepts the strings that its StringTest matches.
#include "query/strings/condition_automaton.h"

#include "tests/unit/query/strings/string_rows.h"

namespace presso::query::condition_automaton_test {
namespace {

using Kind = StringCondition::Kind;
using test::condition_of;
using test::StringRows;

StringRows strings_of_pieces() {
  return test::random_rows(
      {"a", "b", "ab", "\n", std::string(1, '\0'), "\xC3\xA4", "\xC3", "\x80", "zq", "Q"}, 1500, 6,
      1);
}

void expect_the_tests_answers(const StringCondition& condition, const StringRows& rows,
                              std::size_t& matches) {
  const auto test = StringTest::compile(condition);
  const auto dfa = condition_automaton(condition);
  ASSERT_TRUE(test.ok() && dfa.ok()) << condition.text;
  for (const std::string& string : rows.strings) {
    const bool wanted = test->matches(test::as_bytes(string));
    ASSERT_EQ(dfa->accepts(test::as_bytes(string)), wanted) << condition.text << ": " << string;
    matches += wanted ? 1 : 0;
  }
}

TEST(ConditionAutomaton, AcceptsWhatTheTestMatches) {
  const StringRows rows = strings_of_pieces();
  std::vector<StringCondition> conditions;
  for (const Kind kind : {Kind::kEqual, Kind::kLess, Kind::kLessEqual, Kind::kGreater,
                          Kind::kGreaterEqual, Kind::kLike, Kind::kIlike, Kind::kMatches}) {
    for (const char* text : {"", "ab", "a", "zq"}) conditions.push_back(condition_of(kind, text));
  }
  for (const char* text : {"%", "_", "%zq%", "a%", "%b", "a%b", "%_\n%", "%zq%ab%"}) {
    conditions.push_back(condition_of(Kind::kLike, text));
    conditions.push_back(condition_of(Kind::kIlike, text));
  }
  conditions.push_back(condition_of(Kind::kLike, "%a!%"));
  conditions.back().has_escape = true;
  conditions.back().escape = '!';
  for (const char* text : {"^a", "b$", "(a|zq)+b", "\\bab\\b", "[^a]{3}"}) {
    conditions.push_back(condition_of(Kind::kMatches, text));
  }
  conditions.push_back(condition_of(Kind::kIn, ""));
  conditions.push_back(conditions.back());
  conditions.back().set = {"", "ab", "zqzq", "a\n"};
  std::size_t matches = 0;
  for (const StringCondition& condition : conditions) {
    ASSERT_NO_FATAL_FAILURE(expect_the_tests_answers(condition, rows, matches));
  }
  EXPECT_GT(matches, 5000u);
}

TEST(ConditionAutomaton, GivesTheErrorsOfTheTest) {
  StringCondition escape = condition_of(Kind::kLike, "a!");
  escape.has_escape = true;
  escape.escape = '!';
  for (const StringCondition& condition :
       {escape, condition_of(Kind::kMatches, "a("), condition_of(Kind::kMatches, "(?u:\\b)x")}) {
    const auto test = StringTest::compile(condition);
    const auto dfa = condition_automaton(condition);
    ASSERT_EQ(dfa.ok(), test.ok()) << condition.text;
    if (!test.ok()) {
      EXPECT_EQ(dfa.error().code, test.error().code) << condition.text;
      EXPECT_EQ(dfa.error().message(), test.error().message()) << condition.text;
    }
  }
  const auto large = condition_automaton(condition_of(Kind::kMatches, "a[ab]{14}$"));
  ASSERT_FALSE(large.ok());
  EXPECT_EQ(large.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace presso::query::condition_automaton_test
