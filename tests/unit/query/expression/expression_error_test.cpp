// SPDX-License-Identifier: MIT
// What is said of a text that is no expression, and where.
#include <gtest/gtest.h>

#include "presso/expression.h"
#include "tests/unit/query/expression/expression_dump.h"

namespace presso::expression_error_test {
namespace {

struct Case {
  const char* text;
  const char* error;
};

void expect_errors(std::initializer_list<Case> cases) {
  for (const Case& each : cases) EXPECT_EQ(dump(each.text), each.error) << each.text;
}

TEST(ExpressionError, NamesWhatIsMissing) {
  expect_errors({
      {"", "0: expected a value, found the end"},
      {"  ", "2: expected a value, found the end"},
      {"a +", "3: expected a value, found the end"},
      {"a = ", "4: expected a value, found the end"},
      {"a and or b", "6: expected a value, found the keyword 'or'"},
      {"= 1", "0: expected a value, found '='"},
      {"a = = 1", "4: expected a value, found '='"},
      {"a b", "2: expected an operator or the end, found 'b'"},
      {"a 'b'", "2: expected an operator or the end, found a string"},
      {"a \"b\"", "2: expected an operator or the end, found a name in double quotes"},
      {"a, b", "1: expected an operator or the end, found ','"},
      {"5 6", "2: expected an operator or the end, found '6'"},
      {"end", "0: expected a value, found the keyword 'end'"},
      {"*", "0: expected a value, found '*'"},
      {"a.", "2: expected a column's name after '.', found the end"},
      {"a.in", "2: expected a column's name after '.', found the keyword 'in'"},
      {"a.b.'c'", "3: expected an operator or the end, found '.'"},
      {"a[1", "1: the '[' here is never closed"},
      {"a[1 2]", "4: expected an operator or ']', found '2'"},
      {"a[]", "2: expected a value, found ']'"},
      {"1[1]", "1: expected an operator or the end, found '['"},
  });
}

TEST(ExpressionError, PointsAtParenthesesThatAreNotClosed) {
  expect_errors({
      {"(a", "0: the '(' here is never closed"},
      {"a * (b + c", "4: the '(' here is never closed"},
      {"sum(a, b", "3: the '(' here is never closed"},
      {"a in (1, 2", "5: the '(' here is never closed"},
      {"a)", "1: this ')' closes nothing"},
      {"(a b)", "3: expected an operator or ')', found 'b'"},
      {"(a, b)", "2: expected an operator or ')', found ','"},
      {"()", "1: expected a value, found ')'"},
      {"sum(a b)", "6: expected an operator, ',' or ')', found 'b'"},
      {"sum(a,)", "6: expected a value, found ')'"},
      {"sum(*, a)", "4: expected a value, found '*'"},
      {"count(distinct)", "14: expected a value, found ')'"},
  });
}

TEST(ExpressionError, ExplainsConditions) {
  const char* const chain = "comparisons do not chain; write a < b AND b < c, or set parentheses";
  const char* const tests = "such conditions do not chain; join them with AND, or set parentheses";
  for (const char* text : {"a < b < c", "a = b = c", "a <> b >= c"}) {
    EXPECT_EQ(parse_expression(text).error().what, chain);
  }
  EXPECT_EQ(parse_expression("a < b < c").error().byte_offset, 6u);
  for (const char* text : {"a like 'b' like 'c'", "a in (1) in (2)", "a like 'b' not in (1)",
                           "a between 1 and 2 between 3 and 4"}) {
    EXPECT_EQ(parse_expression(text).error().what, tests) << text;
  }
  expect_errors({
      {"a between 1", "11: expected AND and the upper bound of BETWEEN, found the end"},
      {"a between 1 or 2",
       "12: expected AND and the upper bound of BETWEEN, found the keyword 'or'"},
      {"a between 1 and", "15: expected a value, found the end"},
      {"a in 1", "5: expected a list in parentheses after IN, found '1'"},
      {"a in ()", "6: expected a value, found ')'"},
      {"a in (1 2)", "8: expected ',' or ')' in the list of IN, found '2'"},
      {"a is 5", "5: expected NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM after IS, found '5'"},
      {"a is distinct b",
       "14: expected NULL, TRUE, FALSE, UNKNOWN or DISTINCT FROM after IS, found 'b'"},
      {"a not b", "6: expected IN, BETWEEN, LIKE, ILIKE or MATCHES after NOT, found 'b'"},
      {"a + not b", "4: NOT stands before a whole condition; set parentheses"},
      {"a in (1) + 1", "9: '+' cannot follow a condition; set parentheses"},
      {"a = b is null || c", "14: '||' cannot follow a condition; set parentheses"},
      {"a is null::int", "9: '::' cannot follow a condition; set parentheses"},
      {"not", "3: expected a value, found the end"},
  });
}

TEST(ExpressionError, ExplainsStringsAndPatterns) {
  expect_errors({
      {"a = 'x", "4: the string that begins here is never closed"},
      {"a = 'x''", "4: the string that begins here is never closed"},
      {"a = \"x", "4: the name that begins here is never closed"},
      {"a = \"\"", "4: a name must not be empty; strings stand in single quotes"},
      {"a like", "6: expected a value, found the end"},
      {"a like b", "7: a pattern must be a string in single quotes"},
      {"a like 5", "7: a pattern must be a string in single quotes"},
      {"a like (b)", "8: a pattern must be a string in single quotes"},
      {"a like 'b' || c", "7: a pattern must be a string in single quotes"},
      {"a like \"b%\"", "7: strings stand in single quotes: 'a%', not \"a%\""},
      {"a matches \"b\" and c", "10: strings stand in single quotes: 'a%', not \"a%\""},
      {"a like 'b' escape c", "18: expected a string after ESCAPE, found 'c'"},
      {"a like 'b' escape 'cd'", "18: ESCAPE takes a single ASCII character"},
      {"a like 'b' escape '\xC3\xA9'", "18: ESCAPE takes a single ASCII character"},
      {"a like 'b' escape '\xE9'", "18: ESCAPE takes a single ASCII character"},
      {"a matches 'b' escape 'c'", "14: expected an operator or the end, found 'escape'"},
      {"a = \xE2\x80\x98x\xE2\x80\x99",
       "4: strings stand in '...', names in \"...\"; this is another kind of quote"},
  });
}

TEST(ExpressionError, ExplainsCharactersThatMeanNothing) {
  expect_errors({
      {"a && b", "2: '&&' has no meaning here; write AND"},
      {"!a", "0: '!' has no meaning here; write NOT"},
      {"a | b", "2: '|' has no meaning here; '||' joins strings, OR conditions"},
      {"a --b", "2: '--' begins a comment in SQL; two signs stand apart: '- -'"},
      {"12:30",
       "2: ':' has no meaning here; a time is written TIMESTAMP '1994-01-01 12:00:00', "
       "a cast x::type"},
      {"a ^", "3: expected a value, found the end"},
      {"{'a' 1}", "5: expected ':' after the key, found '1'"},
      {"f(lambda x)", "9: expected an operator, ',' or ')', found 'x'"},
      {"a + \x01",
       "4: unexpected character U+0001; names with such characters stand in double "
       "quotes"},
      {"a\xC2\xA0= 1",
       "1: unexpected character U+00A0; names with such characters stand in "
       "double quotes"},
      {"\xFF", "0: unexpected byte 0xFF; names with such characters stand in double quotes"},
      {"1a", "0: a number runs into a name; names that begin with a digit stand in double quotes"},
      {"1_", "0: a number runs into a name; names that begin with a digit stand in double quotes"},
      {"1994-01-01T12",
       "0: a date runs into a name; a time is written TIMESTAMP '1994-01-01 12:00:00'"},
      {"a = b ? c", "6: unexpected character '?'"},
  });
}

TEST(ExpressionError, AnEarlierMistakeIsReportedFirst) {
  EXPECT_EQ(dump("a = = 'b"), "4: expected a value, found '='");
  EXPECT_EQ(dump("a b $"), "2: expected an operator or the end, found 'b'");
}

TEST(ExpressionError, ExplainsWordsWithAGrammarOfTheirOwn) {
  const char* const parts = "expected YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE or SECOND";
  EXPECT_EQ(dump("extract(5 from a)"), "8: " + std::string(parts) + ", found '5'");
  expect_errors({
      {"extract(year a)", "13: expected FROM, found 'a'"},
      {"cast(a)", "6: expected AS and a type, found ')'"},
      {"cast(a as 5)", "10: expected a type, found '5'"},
      {"cast(a as decimal(18,2)", "4: the '(' here is never closed"},
      {"cast(a as timestamp with zone)", "20: expected ')' after the type, found 'with'"},
      {"a::", "3: expected a type, found the end"},
      {"a::decimal(18", "10: the '(' here is never closed"},
      {"a::decimal(+)", "11: expected a number, found '+'"},
      {"case end", "5: expected a value, found the keyword 'end'"},
      {"case a end", "7: expected WHEN, found the keyword 'end'"},
      {"case when a end", "12: expected THEN, found the keyword 'end'"},
      {"1 + case when a then b", "4: the CASE here has no END"},
      {"case when a then b else c d", "26: expected an operator, WHEN, ELSE or END, found 'd'"},
      {"interval '3'", "12: expected a unit of time, such as DAY or MONTH, found the end"},
      {"interval 3 foo", "11: expected a unit of time, such as DAY or MONTH, found 'foo'"},
      {"interval '1.5' day", "9: an INTERVAL begins with a whole number: INTERVAL '3' DAY"},
      {"interval 1.5 day", "9: an INTERVAL begins with a whole number: INTERVAL '3' DAY"},
      {"interval 'x'", "9: an INTERVAL begins with a whole number: INTERVAL '3' DAY"},
      {"interval (3) foo", "13: expected a unit of time, such as DAY or MONTH, found 'foo'"},
  });
}

TEST(ExpressionError, IsShownBelowItsPlace) {
  const std::string_view text = "price > 5 and (quantity < 3";
  EXPECT_EQ(explain_expression_error(text, parse_expression(text).error()),
            "    price > 5 and (quantity < 3\n"
            "                  ^\n"
            "error: the '(' here is never closed");
}

TEST(ExpressionError, OfTheBinderIsShownTheSameWay) {
  Error error = make_error(ErrorCode::kInvalidArgument, "no column 'b'");
  error.byte_offset = 4;
  EXPECT_EQ(explain_expression_error("a + b", error), "    a + b\n        ^\nerror: no column 'b'");
}

}  // namespace
}  // namespace presso::expression_error_test
