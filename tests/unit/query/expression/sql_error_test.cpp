// SPDX-License-Identifier: MIT
// What is said of a text that is no statement, or one of those that are not supported, and where.
#include <gtest/gtest.h>

#include "presso/sql.h"
#include "tests/unit/query/expression/sql_dump.h"

namespace presso::sql_error_test {
namespace {

struct Case {
  const char* text;
  const char* error;
};

void expect_errors(std::initializer_list<Case> cases) {
  for (const Case& each : cases) EXPECT_EQ(dump_sql(each.text), each.error) << each.text;
}

TEST(SqlError, PartsThatTakeMoreThanOneQueryAreParsedAsStatements) {
  for (const char* const text : {
           "select a from t limit 10%",
           "select a from t o (a, b)",
           "select (select a) from t",
           "select a from t where b in (select c from u)",
           "select a from t where b not in (select c from u)",
           "select a from t where exists (select c from u)",
           "select a from t where not exists (select c from u)",
           "select a from (select b from t)",
           "select a from t, lateral (select b)",
           "select a from t where b = any (select c from u)",
           "select a from (values (1))",
           "select a from unnest(b)",
           "select a from t union select b from u",
           "select a from t where b union all select c from u",
           "select a from t intersect select b from u",
           "with x as (select 1) select a from x",
           "values (1)",
           "create table x as select 1",
           "select a from t natural join u",
           "select a from t cross join u",
           "select a from t o cross join u",
           "select a from t asof join u on b",
           "select a from t join u on b natural join v",
           "select a from t natural left join u",
           "select sum(a) over (partition by b) from t",
           "select sum(a) over w from t window w as ()",
           "select rank() over () from t",
           "select a from t window w as (x)",
           "select a from t qualify b > 1",
           "select sum(a) filter (where b) from t",
           "select f(a) within group (order by b) from t",
           "select distinct on (a) b from t",
           "select a from t group by rollup (a)",
           "select a from t group by grouping sets ((a), ())",
           "select a from t group by all",
           "select a from t order by all",
           "select * exclude (a) from t",
           "select * replace (a as b) from t",
           "select a from t using sample 5",
           "copy t to 'x'",
           "pivot t on a using sum(b)",
       }) {
    const Result<SqlStatement> parsed = parse_statement(text);
    ASSERT_TRUE(parsed.ok()) << text << ": " << parsed.error().what;
    EXPECT_FALSE(is_one_query(*parsed) && parsed->purpose == SqlStatement::Purpose::kAnswer)
        << text;
    const Result<SqlQuery> one = parse_sql(text);
    ASSERT_FALSE(one.ok()) << text;
    EXPECT_TRUE(one.error().what.starts_with("this takes more than one query")) << text;
  }
}

TEST(SqlError, OtherWaysToWriteOneQuery) {
  expect_errors({
      {"select a, from t", "select a AS a | from t"},
      {"select a from read_csv('x')", "select a AS a | from x"},
      {"from t select a", "select a AS a | from t"},
      {"(select a from t)", "select a AS a | from t"},
      {"select all a from t", "select a AS a | from t"},
  });
}

TEST(SqlError, ReadersTakeFilesAndOptions) {
  const Result<SqlStatement> parsed =
      parse_statement("select a from read_csv(['x', 'y*'], Skip = 2, nullstr = ['-', 'NA']) as t");
  ASSERT_TRUE(parsed.ok()) << parsed.error().what;
  const SqlSource& source = parsed->select.from;
  EXPECT_EQ(source.reader, "read_csv");
  EXPECT_EQ(source.path, "x");
  EXPECT_EQ(source.paths, (std::vector<std::string>{"x", "y*"}));
  EXPECT_EQ(source.alias, "t");
  ASSERT_EQ(source.options.size(), 2u);
  EXPECT_EQ(source.options[0].name, "skip");
  EXPECT_EQ(source.options[0].values, std::vector<std::string>{"2"});
  EXPECT_EQ(source.options[0].offset, 36u);
  EXPECT_EQ(source.options[1].values, (std::vector<std::string>{"-", "NA"}));
  expect_errors({
      {"select a from read_csv(1)",
       "23: expected a file's name in quotes, or a list: ['a.csv', 'b.csv'], found '1'"},
      {"select a from read_csv(['x'", "27: expected ',' or ']', found the end"},
      {"select a from read_csv('x', 1)",
       "28: expected an option, such as header = true, found '1'"},
      {"select a from read_csv('x', skip)", "32: expected '=' and the option's value, found ')'"},
      {"select a from read_csv('x', skip = )", "35: expected a literal, found ')'"},
  });
}

TEST(SqlError, NamesWhatIsMissing) {
  expect_errors({
      {"", "0: expected SELECT, found the end"},
      {"-- nothing", "10: expected SELECT, found the end"},
      {";", "0: expected SELECT, found ';'"},
      {"select", "6: expected a value, found the end"},
      {"select from t", "7: expected a value, found the keyword 'from'"},
      {"select a from", "13: expected a file's name, such as 'orders.csv', found the end"},
      {"select a from where b",
       "14: expected a file's name, such as 'orders.csv', found the keyword 'where'"},
      {"select a from t where", "21: expected a value, found the end"},
      {"select a from t group a", "22: expected BY after GROUP, found 'a'"},
      {"select a from t group by", "24: expected a value, found the end"},
      {"select a from t having", "22: expected a value, found the end"},
      {"select a from t order a", "22: expected BY after ORDER, found 'a'"},
      {"select a from t limit", "21: expected a whole number of rows after LIMIT, found the end"},
      {"select a from t limit x", "22: expected a whole number of rows after LIMIT, found 'x'"},
      {"select a from t limit -1", "22: expected a whole number of rows after LIMIT, found '-'"},
      {"select a from t limit 1.5", "22: expected a whole number of rows after LIMIT, found '1.5'"},
      {"select a from t limit 99999999999999999999", "22: the number of rows is too large"},
      {"select a from t limit 1, 2", "23: LIMIT a, b is not supported; write LIMIT b OFFSET a"},
      {"select a from t limit 1 limit 2", "24: LIMIT stands here for the second time"},
      {"select a from t limit 1 offset 2 limit 3", "33: LIMIT stands here for the second time"},
      {"select a from t; select b",
       "17: expected one statement, which ends at ';', found the keyword 'select'"},
      {"select a from t)", "15: this ')' closes nothing"},
      {"select (a from t", "10: expected an operator or ')', found the keyword 'from'"},
      {"select a from t where (b", "22: the '(' here is never closed"},
      {"select a b c from t", "11: expected an operator, ',' or FROM, found 'c'"},
      {"select a 'x' from t", "9: expected an operator, ',' or FROM, found a string"},
      {"select a from t 'x'",
       "16: expected ',', JOIN, WHERE, GROUP BY, ORDER BY, LIMIT or the end, found a string"},
      {"select a from t as 'x'", "19: expected a name after AS, found a string"},
      {"select a from t as", "18: expected a name after AS, found the end"},
      {"select a from ''", "14: a file's name must not be empty"},
      {"select a from 'x", "14: the string that begins here is never closed"},
      {"select a from file(x)", "19: expected a file's name in quotes, found 'x'"},
      {"select a from file('x'", "22: expected ')' after the file's name, found the end"},
  });
}

TEST(SqlError, PointsAtSourcesThatAreNone) {
  expect_errors({
      {"select a from t,", "16: expected a file's name, such as 'orders.csv', found the end"},
      {"select a from t /* x", "16: the comment that begins here is never closed"},
      {"select a from data/*.csv", "18: the comment that begins here is never closed"},
      {"select a from t where b ? c",
       "24: expected an operator, GROUP BY, ORDER BY, LIMIT or the end, found '?'"},
  });
}

TEST(SqlError, ExplainsJoins) {
  expect_errors({
      {"select a from t join u",
       "22: expected ON and a condition, or USING and columns, after JOIN, found the end"},
      {"select a from t join u where b",
       "23: expected ON and a condition, or USING and columns, after JOIN, found the keyword "
       "'where'"},
      {"select a from t left u on b", "21: expected JOIN, found 'u'"},
      {"select a from t join u on", "25: expected a value, found the end"},
      {"select a from t join u using a", "29: expected '(' after USING, found 'a'"},
      {"select a from t join u using ()", "30: expected a column's name, found ')'"},
      {"select a from t join u using (a", "31: expected ',' or ')' after a column, found the end"},
      {"select a from t join u using (a.b)", "31: expected ',' or ')' after a column, found '.'"},
      {"select a from t using (a)", "16: USING stands after JOIN and a file"},
      {"select a from t on b", "16: ON stands after JOIN and a file"},
      {"select a from t inner left join u on b", "22: expected JOIN, found 'left'"},
      {"select a from t right semi join u on b",
       "16: RIGHT SEMI JOIN and RIGHT ANTI JOIN are not supported; exchange the tables"},
      {"select a from t, u right join v on b",
       "19: RIGHT and FULL JOIN are not supported after a comma; write JOIN ... ON instead of the "
       "comma"},
      {"select a from t, u full join v on b",
       "19: RIGHT and FULL JOIN are not supported after a comma; write JOIN ... ON instead of the "
       "comma"},
      {"select a from t join u join v on a on b",
       "23: expected ON and a condition, or USING and columns, after JOIN, found the keyword "
       "'join'"},
  });
}

TEST(SqlError, SaysWhereAClauseMustStand) {
  expect_errors({
      {"select a from t where b join u on c",
       "24: JOIN must stand before WHERE and what follows it"},
      {"select a from t where b left join u on c",
       "24: JOIN must stand before WHERE and what follows it"},
      {"select a from t order by a where b", "27: WHERE must stand before ORDER BY"},
      {"select a from t where b where c", "24: WHERE stands here for the second time"},
      {"select a from t order by a group by b", "27: GROUP BY must stand before ORDER BY"},
      {"select a from t order by a order by b", "27: ORDER BY stands here for the second time"},
      {"select a from t limit 1 where b", "24: WHERE must stand before LIMIT"},
      {"select a from t having a group by b", "25: GROUP BY must stand before HAVING"},
      {"select a from t where b from u", "24: FROM must stand before WHERE"},
  });
}

TEST(SqlError, RefusesSubqueriesAndFunctionsInFrom) {
  expect_errors({
      {"select a from (t join u on b)",
       "14: parentheses around joins are not supported; joins are done from left to right"},
      {"select a from values (1)",
       "21: expected ',', JOIN, WHERE, GROUP BY, ORDER BY, LIMIT or the end, found '('"},
  });
}

TEST(SqlError, RefusesSetsOfStatements) {
  expect_errors({
      {"select a from t limit 1 except select b from u",
       "24: expected OFFSET or the end, found the keyword 'except'"},
      {"select a from t o minus select b from u", "18: MINUS is not supported; write EXCEPT"},
  });
}

TEST(SqlError, RefusesOtherStatements) {
  expect_errors({
      {"insert into t values (1)",
       "0: INSERT is not supported; files are only read here: a statement begins with SELECT"},
      {"Update t set a = 1",
       "0: UPDATE is not supported; files are only read here: a statement begins with SELECT"},
      {"delete from t",
       "0: DELETE is not supported; files are only read here: a statement begins with SELECT"},
      {"explain select a from t",
       "0: EXPLAIN is not part of a statement here; the command's --explain does it"},
      {"table t", "0: TABLE is not supported; write SELECT * FROM and a file"},
      {"pragma x",
       "0: PRAGMA is not supported; files are only read here: a statement begins with SELECT"},
  });
}

TEST(SqlError, RefusesOtherJoinsWithAdvice) {
  expect_errors({
      {"select a from t positional join u",
       "16: POSITIONAL JOIN is not supported; write JOIN ... ON and a condition"},
  });
}

TEST(SqlError, RefusesWindowsAndFilters) {
  expect_errors({});
}

TEST(SqlError, RefusesWhatElseItDoesNotKnow) {
  expect_errors({
      {"select a from t group by a, cube(b)", "28: CUBE stands alone in GROUP BY; name the keys"},
      {"select a from t group by ()", "25: () stands alone in GROUP BY; name the keys"},
      {"select a from t group by a with rollup",
       "27: expected an operator, ',', HAVING, ORDER BY, LIMIT or the end, found the keyword "
       "'with'"},
      {"select a from t tablesample many",
       "28: expected a whole number of rows after TABLESAMPLE, found 'many'"},
      {"select a from t fetch 5 rows only", "22: expected FIRST after FETCH, found '5'"},
      {"select a from t fetch first 5 rows", "34: expected ROWS ONLY, found the end"},
      {"select top 5 a from t", "7: TOP is not supported; write LIMIT 5 at the end"},
      {"select a from t pivot (sum(b) of c)", "30: expected FOR and a column, found 'of'"},
      {"select a from t for update", "16: FOR is not supported"},
      {"select a into u from t",
       "9: INTO is not supported; where the answer goes is said by the command's -o"},
      {"select * as x from t", "9: expected an operator, ',' or FROM, found the keyword 'as'"},
      {"select sum(*) + * from t", "16: expected a value, found '*'"},
      {"select count(o.*) from t o", "15: expected a column's name after '.', found '*'"},
      {"select a from t pivot (b)", "24: expected FOR and a column, found ')'"},
  });
}

TEST(SqlError, SuggestsTheKeywordThatWasMeant) {
  expect_errors({
      {"selct a from t", "0: expected SELECT, found 'selct'. Did you mean 'select'?"},
      {"select a form t",
       "9: expected an operator, ',' or FROM, found 'form'. Did you mean 'from'?"},
      {"select a b form t",
       "11: expected an operator, ',' or FROM, found 'form'. Did you mean 'from'?"},
      {"select * form t",
       "9: expected an operator, ',' or FROM, found 'form'. Did you mean 'from'?"},
      {"select a, b fom 'x'",
       "12: expected an operator, ',' or FROM, found 'fom'. Did you mean 'from'?"},
      {"select a from 'x' wehre b = 1",
       "18: expected ',', JOIN, WHERE, GROUP BY, ORDER BY, LIMIT or the end, found 'wehre'. Did "
       "you mean 'where'?"},
      {"select a from 'x' o wehre b = 1",
       "20: expected ',', JOIN, WHERE, GROUP BY, ORDER BY, LIMIT or the end, found 'wehre'. Did "
       "you mean 'where'?"},
      {"select a from t o gruop by a",
       "18: expected ',', JOIN, WHERE, GROUP BY, ORDER BY, LIMIT or the end, found 'gruop'. Did "
       "you mean 'group'?"},
      {"select a from t gruop by a",
       "16: expected ',', JOIN, WHERE, GROUP BY, ORDER BY, LIMIT or the end, found 'gruop'. Did "
       "you mean 'group'?"},
      {"select a from t group yb a", "22: expected BY after GROUP, found 'yb'. Did you mean 'by'?"},
      {"select a from t where a = 1 adn b = 2",
       "28: expected an operator, GROUP BY, ORDER BY, LIMIT or the end, found 'adn'. Did you mean "
       "'and'?"},
      {"select a from t where b oder by a",
       "24: expected an operator, GROUP BY, ORDER BY, LIMIT or the end, found 'oder'. Did you mean "
       "'order'?"},
      {"select a from t oder by a",
       "16: expected ',', JOIN, WHERE, GROUP BY, ORDER BY, LIMIT or the end, found 'oder'. Did you "
       "mean 'order'?"},
      {"select a from t order by a dsec",
       "27: expected an operator, ASC, DESC, NULLS, ',', LIMIT or the end, found 'dsec'. Did you "
       "mean 'desc'?"},
      {"select a from t order by a limt 5",
       "27: expected an operator, ASC, DESC, NULLS, ',', LIMIT or the end, found 'limt'. Did you "
       "mean 'limit'?"},
      {"select a from t limt 5",
       "16: expected ',', JOIN, WHERE, GROUP BY, ORDER BY, LIMIT or the end, found 'limt'. Did you "
       "mean 'limit'?"},
      {"select a from t left jion u on b", "21: expected JOIN, found 'jion'. Did you mean 'join'?"},
      {"select a from t o jion u on b",
       "18: expected ',', JOIN, WHERE, GROUP BY, ORDER BY, LIMIT or the end, found 'jion'. Did you "
       "mean 'join'?"},
      {"select a from t jion u on b",
       "16: expected ',', JOIN, WHERE, GROUP BY, ORDER BY, LIMIT or the end, found 'jion'. Did you "
       "mean 'join'?"},
      {"select a from t lfet join u on b",
       "16: expected JOIN, found 'lfet'. Did you mean 'left'? AS stands before a table's name that "
       "looks like it"},
      {"select a from t o rihgt join u on b",
       "18: expected ',', JOIN, WHERE, GROUP BY, ORDER BY, LIMIT or the end, found 'rihgt'. Did "
       "you mean 'right'?"},
      {"select a from t join u no a = b",
       "23: expected ON and a condition, or USING and columns, after JOIN, found 'no'. Did you "
       "mean 'on'?"},
      {"select a from t group by a hvaing b",
       "27: expected an operator, ',', HAVING, ORDER BY, LIMIT or the end, found 'hvaing'. Did you "
       "mean 'having'?"},
      {"select a from t limit 1 ofset 2",
       "24: expected OFFSET or the end, found 'ofset'. Did you mean 'offset'?"},
      {"select a as form t", "17: expected an operator, ',' or FROM, found 't'"},
      {"select a from t o lfet outer join u on b",
       "18: expected ',', JOIN, WHERE, GROUP BY, ORDER BY, LIMIT or the end, found 'lfet'. Did you "
       "mean 'left'?"},
  });
}

TEST(SqlError, TheWordOfWhichFewerLettersAreWrongIsTheOneThatWasMeant) {
  expect_errors({
      {"select a from t a jion u b on b",
       "18: expected ',', JOIN, WHERE, GROUP BY, ORDER BY, LIMIT or the end, found 'jion'. Did you "
       "mean 'join'?"},
      {"select a from t s wehre b",
       "18: expected ',', JOIN, WHERE, GROUP BY, ORDER BY, LIMIT or the end, found 'wehre'. Did "
       "you mean 'where'?"},
      {"select a from t ot gruop by b",
       "19: expected ',', JOIN, WHERE, GROUP BY, ORDER BY, LIMIT or the end, found 'gruop'. Did "
       "you mean 'group'?"},
      {"select a from t a lfet join u on b",
       "18: expected ',', JOIN, WHERE, GROUP BY, ORDER BY, LIMIT or the end, found 'lfet'. Did you "
       "mean 'left'?"},
      {"select a from t lfet jion u on b",
       "16: expected ',', JOIN, WHERE, GROUP BY, ORDER BY, LIMIT or the end, found 'lfet'. Did you "
       "mean 'left'?"},
      {"select a from t a x b",
       "18: expected ',', JOIN, WHERE, GROUP BY, ORDER BY, LIMIT or the end, found 'x'"},
      {"select a from t as a limt 5",
       "21: expected ',', JOIN, WHERE, GROUP BY, ORDER BY, LIMIT or the end, found 'limt'. Did you "
       "mean 'limit'?"},
      {"select a from t join u a on b oder by c",
       "30: expected an operator, ',', JOIN, WHERE, GROUP BY, ORDER BY, LIMIT or the end, found "
       "'oder'. Did you mean 'order'?"},
  });
}

TEST(SqlError, KeywordsAreNoNamesWithoutQuotes) {
  expect_errors({
      {"select a from t where select", "22: a SELECT within an expression stands in parentheses"},
      {"select a from t where group = 1", "22: expected a value, found the keyword 'group'"},
      {"select a order from t", "15: expected BY after ORDER, found the keyword 'from'"},
      {"select a.* + 1 from t", "11: expected an operator, ',' or FROM, found '+'"},
      {"select a from t order by a nulls", "32: expected FIRST or LAST after NULLS, found the end"},
      {"select distinct", "15: expected a value, found the end"},
      {"select a from t as o p",
       "21: expected ',', JOIN, WHERE, GROUP BY, ORDER BY, LIMIT or the end, found 'p'"},
  });
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

TEST(SqlError, DepthIsBoundedInEveryClause) {
  const char* const too_deep =
      "more than 500 levels deep; parentheses around parts of a long sum make it less deep";
  const std::string deep = joined(repeated("- ", kMaxExpressionDepth), "a");
  for (const char* begin :
       {"select ", "select b from t where ", "select b from t join u on ",
        "select b from t group by c, ", "select b from t having ", "select b from t order by "}) {
    const Result<SqlQuery> parsed = parse_sql(joined(begin, deep, " from t"));
    ASSERT_FALSE(parsed.ok()) << begin;
    EXPECT_EQ(parsed.error().what, too_deep) << begin;
  }
  for (const char* open : {"(", "f(", "case when ", "a in (", "select (", "not exists("}) {
    EXPECT_FALSE(parse_sql(joined("select ", repeated(open, 100'000))).ok()) << open;
  }
}

TEST(SqlError, ManySourcesAreRefused) {
  const std::string most = joined("select a from t", repeated(", 7a", kMaxSqlSources - 1));
  EXPECT_TRUE(parse_sql(most).ok());
  EXPECT_EQ(dump_sql(joined(most, ", u")),
            joined(std::to_string(most.size() + 2), ": more than 64 files in one statement"));
  EXPECT_FALSE(parse_sql(joined("select a from t", repeated(" join 7a on b", 200'000))).ok());
}

TEST(SqlError, LongStatementsAreRead) {
  const std::string text =
      joined("select a", repeated(", b", 50'000), " from t where c", repeated(" or d = 1", 50'000),
             " group by a", repeated(", b", 50'000), repeated(" /* x */ -- y\n", 50'000));
  const Result<SqlQuery> query = parse_sql(text);
  ASSERT_TRUE(query.ok());
  EXPECT_EQ(query->select.size(), 50'001u);
  EXPECT_EQ(query->where->arguments.size(), 50'001u);
  EXPECT_EQ(query->group_by.size(), 50'001u);
}

TEST(SqlError, IsShownInItsLine) {
  const std::string_view text = "select a\nfrom 'x' o\nwhere o.b = exists (select 1)\nlimit 3";
  EXPECT_EQ(
      explain_expression_error(text, parse_sql(text).error()),
      "    where o.b = exists (select 1)\n"
      "                ^\n"
      "error: this takes more than one query (a subquery, WITH, a set operation, a window function "
      "or the like); parse_statement() reads it");
}

TEST(SqlError, WordsOfStatementsMeanNothingInExpressions) {
  EXPECT_TRUE(parse_expression("from + where * limit = select").ok());
  EXPECT_EQ(parse_expressions("a from, b order")->at(0).name, "from");
  EXPECT_EQ(parse_expression("a -- b").error().byte_offset, 2u);
  EXPECT_EQ(parse_expression("a;").error().what, "unexpected character ';'");
  EXPECT_EQ(parse_expression("interval '90' day (3)")->text, "90");
}

}  // namespace
}  // namespace presso::sql_error_test
