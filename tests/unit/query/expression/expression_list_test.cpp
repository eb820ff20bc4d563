// SPDX-License-Identifier: MIT
// Lists: what a query shows and what it sorts by.
#include <gtest/gtest.h>

#include "presso/expression.h"
#include "tests/unit/query/expression/expression_dump.h"

namespace presso::expression_list_test {
namespace {

/// "tree AS name; ..."
std::string named(std::string_view text) {
  const auto list = parse_expressions(text);
  if (!list.ok()) return joined(std::to_string(list.error().byte_offset), ": ", list.error().what);
  std::string result;
  for (const NamedExpression& each : *list) {
    result += (result.empty() ? "" : "; ") + dump(each.expression) + " AS " + each.name;
  }
  return result;
}

std::string sorted(std::string_view text) {
  const auto list = parse_sort_expressions(text);
  if (!list.ok()) return joined(std::to_string(list.error().byte_offset), ": ", list.error().what);
  std::string result;
  for (const SortExpression& each : *list) {
    result += (result.empty() ? "" : "; ") + dump(each.expression);
    result += each.descending ? " down" : " up";
    if (each.nulls_first) result += " nulls first";
  }
  return result;
}

TEST(ExpressionList, NamesResults) {
  EXPECT_EQ(named("a, b * 2 as c, *"), "a AS a; (* b 2) AS c; * AS *");
  EXPECT_EQ(named("sum(x * (1 - d)) revenue, count(*)"),
            "sum{(* x (- 1 d))} AS revenue; count{*} AS count(*)");
  EXPECT_EQ(named("a AS \"my \"\"name\"\"\", b \"B\""), "a AS my \"name\"; b AS B");
  EXPECT_EQ(named("a as end, b as 'x'"), "15: expected a name after AS, found a string");
  EXPECT_EQ(named("a as case"), "a AS case");
}

TEST(ExpressionList, TheDefaultNameIsTheColumnsOrTheText) {
  EXPECT_EQ(named("t.a, \"b c\", (d)"), "t.a AS a; b c AS b c; d AS d");
  EXPECT_EQ(named(" ( a+1 )*2 ,  SUM( a ) "), "(* (+ a 1) 2) AS ( a+1 )*2; sum{a} AS SUM( a )");
  EXPECT_EQ(named("(a + 1)"), "(+ a 1) AS (a + 1)");
  EXPECT_EQ(named("-a, +a"), "(neg a) AS -a; a AS a");
}

TEST(ExpressionList, EmptyTextIsAnEmptyList) {
  EXPECT_EQ(named(""), "");
  EXPECT_EQ(named(" \n"), "");
  EXPECT_EQ(sorted("  "), "");
}

TEST(ExpressionList, ErrorsSayWhatIsMissing) {
  EXPECT_EQ(named("a,"), "2: expected an expression after ',', found the end");
  EXPECT_EQ(named(", a"), "0: expected a value, found ','");
  EXPECT_EQ(named("a,,b"), "2: expected a value, found ','");
  EXPECT_EQ(named("a b c"), "4: expected an operator, ',' or the end, found 'c'");
  EXPECT_EQ(named("a b + c"), "4: expected an operator, ',' or the end, found '+'");
  EXPECT_EQ(named("a + 1)"), "5: this ')' closes nothing");
  EXPECT_EQ(named("* as x"), "0: expected a value, found '*'");
  EXPECT_EQ(named("a; b"), "1: unexpected character ';'");
  EXPECT_EQ(named("a as"), "4: expected a name after AS, found the end");
  EXPECT_EQ(named("a from t"), "7: expected an operator, ',' or the end, found 't'");
  EXPECT_EQ(named("'a"), "0: the string that begins here is never closed");
}

TEST(ExpressionList, PlacesAreThoseInTheWholeText) {
  const auto list = parse_expressions("a, bb * 2 as c, *");
  ASSERT_TRUE(list.ok());
  EXPECT_EQ((*list)[1].expression.offset, 3u);
  EXPECT_EQ((*list)[1].expression.length, 6u);
  EXPECT_EQ((*list)[2].expression.offset, 16u);
  EXPECT_EQ((*list)[2].expression.length, 1u);
}

TEST(SortList, ReadsDirections) {
  EXPECT_EQ(sorted("revenue desc, name nulls first"), "revenue down; name up nulls first");
  EXPECT_EQ(sorted("a + 1 ASC NULLS LAST, b DESC NULLS FIRST"), "(+ a 1) up; b down nulls first");
  EXPECT_EQ(sorted("desc desc, nulls nulls last, asc"), "desc down; nulls up; asc up");
  EXPECT_EQ(sorted("a is null, 2"), "(is-null a) up; 2 up");
}

TEST(SortList, ErrorsSayWhatIsMissing) {
  EXPECT_EQ(sorted("a nulls"), "7: expected FIRST or LAST after NULLS, found the end");
  EXPECT_EQ(sorted("a descending"), "2: expected an operator, ',' or the end, found 'descending'");
  EXPECT_EQ(sorted("a desc asc"), "7: expected an operator, ',' or the end, found 'asc'");
  EXPECT_EQ(sorted("a,"), "2: expected an expression after ',', found the end");
  EXPECT_EQ(sorted("*"), "0: expected a value, found '*'");
}

}  // namespace
}  // namespace presso::expression_list_test
