// SPDX-License-Identifier: MIT
// Texts of expressions as trees. What operators bind to was compared with DuckDB 2.0.1
// (json_serialize_sql).
#include <gtest/gtest.h>

#include "presso/expression.h"
#include "tests/unit/query/expression/expression_dump.h"

namespace presso::expression_parser_test {
namespace {

struct Case {
  const char* text;
  const char* tree;
};

void expect_trees(std::initializer_list<Case> cases) {
  for (const Case& each : cases) EXPECT_EQ(dump(each.text), each.tree) << each.text;
}

TEST(ExpressionParser, ReadsLiterals) {
  expect_trees({{"12", "12"},
                {" 1.50 ", "1.50"},
                {".5", ".5"},
                {"1.", "1."},
                {"1e-3", "1e-3"},
                {"1.5E+30", "1.5E+30"},
                {"1_000_000", "1000000"},
                {"1_0.2_5e1_0", "10.25e10"},
                {"'it''s'", "'it's'"},
                {"''", "''"},
                {"''''", "'''"},
                {"'a\"b'", "'a\"b'"},
                {"null", "null"},
                {"TRUE", "true"},
                {"False", "false"}});
}

TEST(ExpressionParser, ReadsDatesAndTimes) {
  expect_trees({{"date '1994-01-01'", "date'1994-01-01'"},
                {"1994-01-01", "date'1994-01-01'"},
                {"1994-01-01-1", "(- date'1994-01-01' 1)"},
                {"1994 - 01-01", "(- (- 1994 01) 01)"},
                {"1994-01-012", "(- (- 1994 01) 012)"},
                {"1994-1-1", "(- (- 1994 1) 1)"},
                {"timestamp'1994-01-01 12:00:00'", "time'1994-01-01 12:00:00'"},
                {"date + 1", "(+ date 1)"},
                {"date", "date"},
                {"timestamp", "timestamp"},
                {"date('x')", "date{'x'}"}});
}

TEST(ExpressionParser, ReadsIntervals) {
  expect_trees({{"interval '3' day", "interval'3 day'"},
                {"INTERVAL 3 DAYS", "interval'3 day'"},
                {"interval '3 months'", "interval'3 month'"},
                {"interval ' -12  Years '", "interval'-12 year'"},
                {"interval '+3' hour", "interval'3 hour'"},
                {"interval 1_0 week", "interval'10 week'"},
                {"-interval '3' quarter", "(neg interval'3 quarter')"},
                {"interval + 1", "(+ interval 1)"},
                {"interval '3 days 2 hours'", "interval'3 days 2 hours '"},
                {"a at time zone 'UTC' + b", "(+ timezone{'UTC' a} b)"},
                {"at", "at"},
                {"interval (a + 1) month", "to_months{(+ a 1)}"},
                {"date '1998-12-01' - interval '90' day + a",
                 "(+ (- date'1998-12-01' interval'90 day') a)"}});
}

TEST(ExpressionParser, ReadsNames) {
  expect_trees({{"l_shipdate", "l_shipdate"},
                {"Preis", "Preis"},
                {"_x1", "_x1"},
                {"\xC3\xBC"
                 "ber_1",
                 "\xC3\xBC"
                 "ber_1"},
                {"\"order\"", "order"},
                {"\"a \"\"b\"\" 'c'\"", "a \"b\" 'c'"},
                {"\"\xFF\"", "\xFF"},
                {"orders.o_key", "orders.o_key"},
                {"\"a.b\" . \"c\"", "a.b.c"},
                {"matches", "matches"},
                {"first", "first"},
                {"cast", "cast"},
                {"extract", "extract"},
                {"escape matches 'x'", "(matches escape 'x')"}});
  EXPECT_EQ(parse_expression("\"a.b\" . \"c\"")->qualifier, "a.b");
}

TEST(ExpressionParser, ReadsFieldsAndElements) {
  expect_trees({{"a.b.c", ".{a.b 'c'}"},
                {"a.\"b c\".d.e", ".{.{a.b c 'd'} 'e'}"},
                {"a[1]", "[]{a 1}"},
                {"a.b[-1].c['k']", "[]{.{[]{a.b (neg 1)} 'c'} 'k'}"},
                {"-a[1]::int", "(neg cast{[]{a 1} int})"},
                {"(a || b)[1]", "[]{(|| a b) 1}"},
                {"f(a).b", ".{f{a} 'b'}"},
                {"a -> 'b' ->> 1", "json_extract_string{json_extract{a 'b'} 1}"},
                {"a->>'b' = 'c'", "(= json_extract_string{a 'b'} 'c')"},
                {"a -> b || c", "(|| json_extract{a b} c)"},
                {"a -> b + 1 is null", "(is-null json_extract{a (+ b 1)})"},
                {"a->-1", "json_extract{a (neg 1)}"},
                {"a>-1", "(> a (neg 1))"}});
}

TEST(ExpressionParser, ReadsFunctionsAndAggregates) {
  expect_trees({{"SUM(a)", "sum{a}"},
                {"count ( * )", "count{*}"},
                {"count(distinct a)", "count{distinct a}"},
                {"now()", "now{}"},
                {"coalesce(a, b + 1, 'x')", "coalesce{a (+ b 1) 'x'}"},
                {"\"Max\"(a)", "max{a}"},
                {"sum(a * (1 - b)) / count(*)", "(/ sum{(* a (- 1 b))} count{*})"},
                {"extract(YEAR from a + b)", "year{(+ a b)}"},
                {"extract(second from a) = 1", "(= second{a} 1)"},
                {"cast(a as DECIMAL( 18 , 2 ))", "cast{a decimal(18,2)}"},
                {"cast(a or b as double precision)", "cast{(or a b) double}"},
                {"a::timestamp(ms)", "cast{a timestamp(ms)}"},
                {"a::timestamp with time zone", "cast{a timestamptz}"}});
}

TEST(ExpressionParser, ReadsBothFormsOfCase) {
  expect_trees({{"case when a then b end", "case{a b}"},
                {"case when a then b when c then d else e end + 1", "(+ case{a b c d e} 1)"},
                {"case a + 1 when 2 then 'x' when b or c then 'y' end",
                 "case{(= (+ a 1) 2) 'x' (= (+ a 1) (or b c)) 'y'}"},
                {"case when case a when 1 then b end then c end", "case{case{(= a 1) b} c}"}});
}

TEST(ExpressionParser, OperatorsBindAsInDuckDb) {
  expect_trees({{"a or b and not c = d", "(or a (and b (not (= c d))))"},
                {"not a = b", "(not (= a b))"},
                {"not a is null", "(not (is-null a))"},
                {"not not a", "(not (not a))"},
                {"not a and b", "(and (not a) b)"},
                {"a = not b", "(= a (not b))"},
                {"a = not b = c", "(= a (not (= b c)))"},
                {"a = b is null", "(is-null (= a b))"},
                {"a is null = b", "(= (is-null a) b)"},
                {"a is null is null", "(is-null (is-null a))"},
                {"a in (1) = b", "(= (in a 1) b)"},
                {"a = b in (1)", "(= a (in b 1))"},
                {"a = b like 'c'", "(= a (like b 'c'))"},
                {"a like 'b' = c", "(= (like a 'b') c)"},
                {"a between b and c and d", "(and (between a b c) d)"},
                {"a between b and c = d", "(= (between a b c) d)"},
                {"a between b + 1 and c || d", "(between a (+ b 1) (|| c d))"},
                {"a is distinct from b = c", "(is-distinct a (= b c))"},
                {"a = b is distinct from c", "(is-distinct (= a b) c)"},
                {"a is distinct from b and c", "(and (is-distinct a b) c)"},
                {"a || b + c", "(|| a (+ b c))"},
                {"a + b || c", "(|| (+ a b) c)"},
                {"a || b < c", "(< (|| a b) c)"},
                {"a || b in (c)", "(in (|| a b) c)"},
                {"a || b ~ 'c'", "(matches (|| a b) 'c')"},
                {"a - b - c", "(- (- a b) c)"},
                {"a + b * c", "(+ a (* b c))"},
                {"a / b // c % d * e", "(* (% (// (/ a b) c) d) e)"},
                {"-a * b", "(* (neg a) b)"},
                {"a * -b", "(* a (neg b))"},
                {"a - -b", "(- a (neg b))"},
                {"- - 5", "(neg (neg 5))"},
                {"-a::int::utf8", "(neg cast{cast{a int} utf8})"},
                {"a + b::int", "(+ a cast{b int})"},
                {"a::decimal(18,2) + 1", "(+ cast{a decimal(18,2)} 1)"},
                {"+a * +5", "(* a 5)"},
                {"(a or b) and (c + d) * e", "(and (or a b) (* (+ c d) e))"},
                {"a - (b - c)", "(- a (- b c))"}});
}

TEST(ExpressionParser, ReadsConditions) {
  expect_trees({{"a == b", "(= a b)"},
                {"a != b", "(<> a b)"},
                {"a <> b", "(<> a b)"},
                {"a<=b", "(<= a b)"},
                {"a>=-1", "(>= a (neg 1))"},
                {"a not between 1 and 2", "(not-between a 1 2)"},
                {"a NOT IN (1, b + 2, not c)", "(not-in a 1 (+ b 2) (not c))"},
                {"a is not null", "(not-is-null a)"},
                {"a is unknown", "(is-null a)"},
                {"a is not unknown", "(not-is-null a)"},
                {"a is true", "(not-is-distinct a true)"},
                {"a is not FALSE", "(is-distinct a false)"},
                {"a is not distinct from b", "(not-is-distinct a b)"},
                {"a like 'x%'", "(like a 'x%')"},
                {"a not ilike 'x' escape '!'", "(not-ilike a 'x' '!')"},
                {"a like 'x' escape ''", "(like a 'x')"},
                {"a like ('x')", "(like a 'x')"},
                {"a matches '^x' and b", "(and (matches a '^x') b)"},
                {"a not matches 'x'", "(not-matches a 'x')"},
                {"a ~ 'x'", "(matches a 'x')"},
                {"a !~ 'x'", "(not-matches a 'x')"},
                {"a in (b)", "(in a b)"}});
}

TEST(ExpressionParser, ChainsOfAndAndOrAreOneNode) {
  expect_trees({{"a or b or c or d", "(or a b c d)"},
                {"a and b and c or d and e or f", "(or (and a b c) (and d e) f)"},
                {"(a or b) or c or (d or e)", "(or (or a b) c (or d e))"},
                {"a or b and c and d or e", "(or a (and b c d) e)"}});
}

TEST(ExpressionParser, KeywordsMayHaveAnyCaseAndSpacesAnyForm) {
  EXPECT_EQ(dump("a\tBeTween\n1\r\nAND\v2\fOr b iS NuLl"), "(or (between a 1 2) (is-null b))");
  EXPECT_EQ(dump("(a)in(1,2)and(b)"), "(and (in a 1 2) b)");
}

std::string place(std::string_view text, const Expression& tree) {
  return std::string(text.substr(tree.offset, tree.length));
}

TEST(ExpressionParser, EveryNodeKnowsItsPlace) {
  const std::string_view text = " x and ( \"a b\" + 1_0 ) * -sum( c ) not in (1, ('z')) ";
  const Expression root = *parse_expression(text);
  EXPECT_EQ(place(text, root), "x and ( \"a b\" + 1_0 ) * -sum( c ) not in (1, ('z'))");
  EXPECT_EQ(place(text, root.arguments[0]), "x");
  const Expression& in = root.arguments[1];
  EXPECT_EQ(place(text, in), "( \"a b\" + 1_0 ) * -sum( c ) not in (1, ('z'))");
  EXPECT_EQ(place(text, in.arguments[2]), "'z'");
  const Expression& product = in.arguments[0];
  EXPECT_EQ(place(text, product), "( \"a b\" + 1_0 ) * -sum( c )");
  EXPECT_EQ(place(text, product.arguments[0]), "\"a b\" + 1_0");
  EXPECT_EQ(place(text, product.arguments[0].arguments[0]), "\"a b\"");
  EXPECT_EQ(place(text, product.arguments[0].arguments[1]), "1_0");
  EXPECT_EQ(place(text, product.arguments[1]), "-sum( c )");
  EXPECT_EQ(place(text, product.arguments[1].arguments[0]), "sum( c )");
}

TEST(ExpressionParser, PlacesOfWhatIsNotWrittenAsItIsKept) {
  const std::string_view text = "case a when 7 then cast(b as int) else c::utf8 end is true";
  const Expression root = *parse_expression(text);
  EXPECT_EQ(place(text, root), text);
  EXPECT_EQ(place(text, root.arguments[1]), "true");
  const Expression& choice = root.arguments[0];
  EXPECT_EQ(place(text, choice.arguments[0]), "7");
  EXPECT_EQ(place(text, choice.arguments[0].arguments[0]), "a");
  EXPECT_EQ(place(text, choice.arguments[0].arguments[1]), "7");
  EXPECT_EQ(place(text, choice.arguments[1]), "cast(b as int)");
  EXPECT_EQ(place(text, choice.arguments[2]), "c::utf8");
  EXPECT_EQ(place("x like 'p' escape '!'", parse_expression("x like 'p' escape '!'")->arguments[2]),
            "'!'");
}

TEST(ExpressionParser, PlacesDoNotCountInComparison) {
  EXPECT_EQ(*parse_expression("a+1"), *parse_expression(" ( a )  + 1"));
  EXPECT_FALSE(*parse_expression("a+1") == *parse_expression("a-1"));
  EXPECT_FALSE(*parse_expression("a in (1)") == *parse_expression("a not in (1)"));
  EXPECT_FALSE(*parse_expression("a.b") == *parse_expression("b"));
  EXPECT_FALSE(*parse_expression("count(a)") == *parse_expression("count(distinct a)"));
  EXPECT_FALSE(*parse_expression("a::int") == *parse_expression("a::utf8"));
  EXPECT_FALSE(*parse_expression("1") == *parse_expression("'1'"));
}

TEST(ExpressionTree, MadeByHandIsWhatTheParserMakes) {
  using Op = Expression::Op;
  EXPECT_EQ(operation(Op::kLess, {operation(Op::kMultiply, {column("a"), number("0.9")}),
                                  operation(Op::kNegate, {number(5)})}),
            *parse_expression("a * 0.9 < -5"));
  EXPECT_EQ(number(-5), *parse_expression("-5"));
  EXPECT_EQ(number("-5"), *parse_expression("-5"));
  EXPECT_EQ(number(std::numeric_limits<std::int64_t>::min()),
            *parse_expression("-9223372036854775808"));
  EXPECT_EQ(call("Sum", {operation(Op::kConcat, {string("it's"), column("a b")})}),
            *parse_expression("sum('it''s' || \"a b\")"));
}

TEST(ExpressionText, HasTheParenthesesThatItNeeds) {
  const std::initializer_list<Case> cases = {
      {"a+b*c", "a + b * c"},
      {"(a+b)*c", "(a + b) * c"},
      {"a-(b-c)", "a - (b - c)"},
      {"(a-b)-c", "a - b - c"},
      {"(a and b) or not (c or d)", "a AND b OR NOT (c OR d)"},
      {"(a or b) or c", "(a OR b) OR c"},
      {"not (not a)", "NOT NOT a"},
      {"a = b is null", "(a = b) IS NULL"},
      {"(a in (1)) = b", "(a IN (1)) = b"},
      {"- - a", "- -a"},
      {"-(a+b)", "-(a + b)"},
      {"a - -b", "a - -b"},
      {"(-a)::int", "CAST(-a AS int)"},
      {"a not like 'x%' escape '!'", "a NOT LIKE 'x%' ESCAPE '!'"},
      {"a not between 1 and 2", "a NOT BETWEEN 1 AND 2"},
      {"a is not distinct from b", "a IS NOT DISTINCT FROM b"},
      {"count(distinct \"a b\"), ", "count(DISTINCT \"a b\")"},
      {"count(*) > 3", "count(*) > 3"},
      {"1994-01-01 + interval 3 months", "DATE '1994-01-01' + INTERVAL '3' MONTH"},
      {"case a when 1 then null else true end", "CASE WHEN a = 1 THEN NULL ELSE TRUE END"},
      {"\"or\" = 'it''s'", "\"or\" = 'it''s'"},
      {"\"t t\".\"date\"", "\"t t\".date"},
      {"\"cast\"(a)", "\"cast\"(a)"},
      {"a[ 1 ].\"b c\"", "a[1].\"b c\""},
      {"(a).b", "(a).b"},
      {"(a.b).c", "a.b.c"},
      {"(a + 1)['x']", "(a + 1)['x']"},
      {"('x')[1]", "('x')[1]"},
      {"a -> 'b'", "json_extract(a, 'b')"},
  };
  for (const Case& each : cases) {
    const std::string text(each.text, std::string_view(each.text).find_last_not_of(", ") + 1);
    EXPECT_EQ(to_text(*parse_expression(text)), each.tree) << text;
  }
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

TEST(ExpressionParser, LongConditionsAreNotDeep) {
  for (const std::string word : {" or ", " and "}) {
    const std::string text = joined("a = 1", repeated(word + "b like 'x' is null", 100'000));
    const Result<Expression> parsed = parse_expression(text);
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(parsed->arguments.size(), 100'001u);
    EXPECT_EQ(*parse_expression(to_text(*parsed)), *parsed);
  }
  EXPECT_EQ(parse_expression(joined("a in (1", repeated(", 2", 100'000), ")"))->arguments.size(),
            100'002u);
}

TEST(ExpressionParser, DepthIsBounded) {
  constexpr std::size_t kMost = kMaxExpressionDepth;
  const std::string too_deep =
      "more than 500 levels deep; parentheses around parts of a long sum make it less deep";
  EXPECT_TRUE(parse_expression(joined("a", repeated(" + a", kMost - 1))).ok());
  EXPECT_EQ(dump(joined("a", repeated(" + a", kMost))), joined("0: ", too_deep));
  EXPECT_EQ(dump(joined("a", repeated(" || a", 100'000))), joined("0: ", too_deep));
  EXPECT_TRUE(parse_expression(repeated("- ", kMost - 1) + "a").ok());
  EXPECT_EQ(parse_expression(repeated("- ", kMost) + "a").error().what, too_deep);
  for (const char* open : {"(", "not ", "- ", "f(", "case when ", "a = not ", "a or (", "a in ("}) {
    for (const std::size_t times : {kMost + 1, 3 * kMost, 100'000ul}) {
      const Result<Expression> parsed = parse_expression(repeated(open, times));
      ASSERT_FALSE(parsed.ok());
      if (times == kMost + 1) continue;  // not yet too deep for some of them
      EXPECT_EQ(parsed.error().what, too_deep) << open;
    }
  }
}

TEST(ExpressionParser, DeepestTreesRoundTrip) {
  constexpr std::size_t kMost = kMaxExpressionDepth;
  const std::initializer_list<std::string> texts = {
      repeated("a - (", kMost - 1) + "a" + repeated(")", kMost - 1),
      repeated("-(a + ", kMost / 2 - 1) + "a" + repeated(")", kMost / 2 - 1),
      repeated("a = not ", kMost / 2 - 1) + "a",
      repeated("not ", kMost - 1) + "a",
      repeated("case when a then ", kMost - 1) + "b" + repeated(" end", kMost - 1),
      joined("a", repeated(" is null", kMost - 1)),
      joined("a", repeated("::int", kMost - 1)),
  };
  for (const std::string& text : texts) {
    const Result<Expression> parsed = parse_expression(text);
    ASSERT_TRUE(parsed.ok()) << parsed.error().what << text.substr(0, 20);
    EXPECT_EQ(*parse_expression(to_text(*parsed)), *parsed) << text.substr(0, 20);
  }
}

TEST(ExpressionParser, CopiesOfCaseAreBounded) {
  std::string text = "a";
  for (int i = 0; i < 60; ++i) text = joined("case ", text, " when 1 then 2 when 3 then 4 end");
  EXPECT_EQ(parse_expression(text).error().what, "too long to be compared in so many WHENs");
  const std::string whens = repeated(" when a then 1", 1000);
  text = joined("case '", std::string(1 << 20, 'x'), "'", whens, " end");
  EXPECT_FALSE(parse_expression(text).ok());
  EXPECT_TRUE(parse_expression(joined("case a + 'x'", whens, " end")).ok());
}

}  // namespace
}  // namespace presso::expression_parser_test
