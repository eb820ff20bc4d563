// SPDX-License-Identifier: MIT
// Statements and what is read from them; errors are in sql_error_test.cpp.
#include "presso/sql.h"

#include <gtest/gtest.h>

#include "tests/unit/query/expression/sql_dump.h"
#include "tests/unit/query/expression/tpch_texts.h"

namespace presso::sql_test {
namespace {

struct Case {
  const char* text;
  const char* tree;
};

void expect_statements(std::initializer_list<Case> cases) {
  for (const Case& each : cases) EXPECT_EQ(dump_sql(each.text), each.tree) << each.text;
}

TEST(Sql, ReadsEveryClause) {
  EXPECT_EQ(dump_sql("SELECT DISTINCT city AS c, sum(price * 2) total\n"
                     "FROM 'orders.presso' AS o\n"
                     "WHERE price > 5 AND city <> 'x'\n"
                     "GROUP BY city, 2\n"
                     "HAVING count(*) > 1\n"
                     "ORDER BY total DESC NULLS FIRST, c\n"
                     "LIMIT 10 OFFSET 20;\n"),
            "select distinct city AS c, sum{(* price 2)} AS total | from orders.presso as o"
            " | where (and (> price 5) (<> city 'x')) | group city, 2 | having (> count{*} 1)"
            " | order total down nulls first | order c up | limit 10 | offset 20");
}

TEST(Sql, ClausesAreOptional) {
  expect_statements({
      {"select a from 't'", "select a AS a | from t"},
      {"select a from 't' where b", "select a AS a | from t | where b"},
      {"select a from 't' group by a", "select a AS a | from t | group a"},
      {"select count(*) from 't' having count(*) > 1",
       "select count{*} AS count(*) | from t | having (> count{*} 1)"},
      {"select a from 't' order by 1", "select a AS a | from t | order 1 up"},
      {"select a from 't' limit 0", "select a AS a | from t | limit 0"},
      {"select a from 't' offset 3 limit 1_000", "select a AS a | from t | limit 1000 | offset 3"},
      {"select a from 't';;", "select a AS a | from t"},
  });
}

TEST(Sql, ReadsStars) {
  expect_statements({
      {"select * from 't'", "select * AS * | from t"},
      {"select *, a*2 from 't'", "select * AS *, (* a 2) AS a*2 | from t"},
      {"select o.*, \"l l\".* from 't' o", "select o.* AS *, l l.* AS * | from t as o"},
      {"select count(*), count(o.a) from 't' o",
       "select count{*} AS count(*), count{o.a} AS count(o.a) | from t as o"},
  });
  const SqlQuery query = *parse_sql("select  o.*  from t o");
  EXPECT_EQ(query.select[0].expression.offset, 8u);
  EXPECT_EQ(query.select[0].expression.length, 3u);
  EXPECT_EQ(to_text(query.select[0].expression), "o.*");
}

TEST(Sql, ReadsQualifiedNames) {
  expect_statements({
      {"select o.x, \"o\".\"x y\", o.order from t o where o.x = \"o\".x",
       "select o.x AS x, o.x y AS x y, o.order AS order | from t as o | where (= o.x o.x)"},
      {"select sum(o.x) from t o group by o.y order by o.z",
       "select sum{o.x} AS sum(o.x) | from t as o | group o.y | order o.z up"},
  });
}

TEST(Sql, ReadsFileNamesInEveryForm) {
  expect_statements({
      {"select a from 'it''s here.csv'", "select a AS a | from it's here.csv"},
      {"select a from \"x y.csv\" t", "select a AS a | from x y.csv as t"},
      {"select a from orders.presso o", "select a AS a | from orders.presso as o"},
      {"select a from orders", "select a AS a | from orders"},
      {"select a from orders;", "select a AS a | from orders"},
      {"select a from ../data/2024-01/x-1.csv.presso as t where b",
       "select a AS a | from ../data/2024-01/x-1.csv.presso as t | where b"},
      {"select a from 7zip.csv,2024-01-01x.csv z limit 1",
       "select a AS a | from 7zip.csv | , 2024-01-01x.csv as z | limit 1"},
      {"select a from dt=1/p%20q.csv where x", "select a AS a | from dt=1/p%20q.csv | where x"},
      {"select a from file('x.csv') t", "select a AS a | from x.csv as t"},
      {"select a from file", "select a AS a | from file"},
      {"select a from \xC3\xA9t\xC3\xA9.csv t", "select a AS a | from \xC3\xA9t\xC3\xA9.csv as t"},
      {"select a from t--comment\nwhere b", "select a AS a | from t | where b"},
      {"select a from t/*comment*/where b", "select a AS a | from t | where b"},
      {"select a from '-' join '-x' y on b", "select a AS a | from - | join -x as y on b"},
      {"select a from where.csv", "select a AS a | from where.csv"},
  });
}

TEST(Sql, SourcesKnowTheirPlaces) {
  const std::string_view text = "select a from 'x' as o, y.csv l join file('z') on b";
  const SqlQuery query = *parse_sql(text);
  const auto place = [text](const SqlSource& source) {
    return text.substr(source.offset, source.length);
  };
  EXPECT_EQ(place(query.from), "'x'");
  EXPECT_EQ(place(query.joins[0].source), "y.csv");
  EXPECT_EQ(place(query.joins[1].source), "file('z')");
  EXPECT_EQ(query.joins[0].offset, 22u);
  EXPECT_EQ(text.substr(query.joins[1].offset, 4), "join");
}

TEST(Sql, ReadsEveryKindOfJoin) {
  expect_statements({
      {"select a from t join u on a = b", "select a AS a | from t | join u on (= a b)"},
      {"select a from t inner join u on a", "select a AS a | from t | join u on a"},
      {"select a from t LEFT JOIN u on a", "select a AS a | from t | left join u on a"},
      {"select a from t left outer join u on a", "select a AS a | from t | left join u on a"},
      {"select a from t right join u on a", "select a AS a | from t | right join u on a"},
      {"select a from t right outer join u on a", "select a AS a | from t | right join u on a"},
      {"select a from t full join u on a", "select a AS a | from t | full join u on a"},
      {"select a from t full outer join u on a", "select a AS a | from t | full join u on a"},
      {"select a from t semi join u on a", "select a AS a | from t | semi join u on a"},
      {"select a from t anti join u on a", "select a AS a | from t | anti join u on a"},
      {"select a from t left semi join u on a", "select a AS a | from t | semi join u on a"},
      {"select a from t left anti join u on a", "select a AS a | from t | anti join u on a"},
      {"select a from t join u using (b, \"c d\")",
       "select a AS a | from t | join u using b using c d"},
      {"select a from t, u, v x", "select a AS a | from t | , u | , v as x"},
      {"select a from t p join u q on a left join v using (b) where c",
       "select a AS a | from t as p | join u as q on a | left join v using b | where c"},
      {"select a from t p join u q on p.x = q.x left join v on true, w",
       "select a AS a | from t as p | join u as q on (= p.x q.x) | left join v on true | , w"},
      {"select a from t right join u on a, v", "select a AS a | from t | right join u on a | , v"},
      {"select a from t, u left join v on a", "select a AS a | from t | , u | left join v on a"},
  });
}

TEST(Sql, WordsOfJoinsAndTypesAreStillNames) {
  expect_statements({
      {"select left(s, 2), right(s, 1) from t",
       "select left{s 2} AS left(s, 2), right{s 1} AS right(s, 1) | from t"},
      {"select left, semi, date, interval, timestamp from t",
       "select left AS left, semi AS semi, date AS date, interval AS interval,"
       " timestamp AS timestamp | from t"},
      {"select a date, b left from t", "select a AS date, b AS left | from t"},
      {"select a from t join u on a = left left join v on right",
       "select a AS a | from t | join u on (= a left) | left join v on right"},
      {"select a from t as left join u as semi on left.a = semi.a",
       "select a AS a | from t as left | join u as semi on (= left.a semi.a)"},
      {"select \"from\", \"select\" \"where\" from t \"join\"",
       "select from AS from, select AS where | from t as join"},
      {"select a as order from t as group", "select a AS order | from t as group"},
      {"select rollup, cube, over, filter, exists, file, values from t group by rollup, cube",
       "select rollup AS rollup, cube AS cube, over AS over, filter AS filter, exists AS exists,"
       " file AS file, values AS values | from t | group rollup, cube"},
      {"select first, last, by, asc, nulls, sets from t order by asc asc, desc desc",
       "select first AS first, last AS last, by AS by, asc AS asc, nulls AS nulls, sets AS sets"
       " | from t | order asc up | order desc down"},
      {"select sum(a) over from t", "select sum{a} AS over | from t"},
      {"select sum(a) filter from t", "select sum{a} AS filter | from t"},
      {"select a from date d", "select a AS a | from date as d"},
      {"select extract(year from d) from t", "select year{d} AS extract(year from d) | from t"},
      {"select a is distinct from b from t",
       "select (is-distinct a b) AS a is distinct from b | from t"},
  });
}

TEST(Sql, CommentsAreSpaces) {
  expect_statements({
      {"-- what\nselect a -- b\n from t -- end", "select a AS a | from t"},
      {"select/* a\n * -- */a/**/from t/* end */", "select a AS a | from t"},
      {"select '--', \"/*\" from t", "select '--' AS '--', /* AS /* | from t"},
      {"select a - -b from t", "select (- a (neg b)) AS a - -b | from t"},
  });
}

TEST(Sql, NamesOfResultsAreOnOneLine) {
  expect_statements({
      {"select sum( a )\n  + -- plus\n\t1 from t", "select (+ sum{a} 1) AS sum( a ) + 1 | from t"},
      {"select a+1,( b )  from t", "select (+ a 1) AS a+1, b AS b | from t"},
  });
}

TEST(Sql, PlacesAreThoseInTheWholeStatement) {
  const std::string_view text =
      "select a, bb + 1 as c\nfrom t o join u on o.x = y\nwhere zz > 1\ngroup by gg\n"
      "having hh\norder by ss";
  const SqlQuery query = *parse_sql(text);
  const auto place = [text](const Expression& tree) {
    return text.substr(tree.offset, tree.length);
  };
  EXPECT_EQ(place(query.select[1].expression), "bb + 1");
  EXPECT_EQ(place(*query.joins[0].on), "o.x = y");
  EXPECT_EQ(place(query.joins[0].on->arguments[0]), "o.x");
  EXPECT_EQ(place(*query.where), "zz > 1");
  EXPECT_EQ(place(query.group_by[0].expression), "gg");
  EXPECT_EQ(place(*query.having), "hh");
  EXPECT_EQ(place(query.order_by[0].expression), "ss");
  Error error = make_error(ErrorCode::kInvalidArgument, "there is no column 'zz'");
  error.byte_offset = query.where->arguments[0].offset;
  EXPECT_EQ(explain_expression_error(text, error),
            "    where zz > 1\n          ^\nerror: there is no column 'zz'");
}

TEST(Sql, ReadsTpchInItsOwnWords) {
  EXPECT_EQ(dump_sql(tpch::kQ1),
            "select l_returnflag AS l_returnflag, l_linestatus AS l_linestatus,"
            " sum{l_quantity} AS sum_qty, sum{l_extendedprice} AS sum_base_price,"
            " sum{(* l_extendedprice (- 1 l_discount))} AS sum_disc_price,"
            " sum{(* (* l_extendedprice (- 1 l_discount)) (+ 1 l_tax))} AS sum_charge,"
            " avg{l_quantity} AS avg_qty, avg{l_extendedprice} AS avg_price,"
            " avg{l_discount} AS avg_disc, count{*} AS count_order | from lineitem"
            " | where (<= l_shipdate (- date'1998-12-01' interval'90 day'))"
            " | group l_returnflag, l_linestatus | order l_returnflag up | order l_linestatus up");
  EXPECT_EQ(dump_sql(tpch::kQ3),
            "select l_orderkey AS l_orderkey,"
            " sum{(* l_extendedprice (- 1 l_discount))} AS revenue, o_orderdate AS o_orderdate,"
            " o_shippriority AS o_shippriority | from customer | , orders | , lineitem"
            " | where (and (= c_mktsegment 'BUILDING') (= c_custkey o_custkey)"
            " (= l_orderkey o_orderkey) (< o_orderdate date'1995-03-15')"
            " (> l_shipdate date'1995-03-15')) | group l_orderkey, o_orderdate, o_shippriority"
            " | order revenue down | order o_orderdate up");
  EXPECT_EQ(dump_sql(tpch::kQ6),
            "select sum{(* l_extendedprice l_discount)} AS revenue | from lineitem"
            " | where (and (>= l_shipdate date'1994-01-01')"
            " (< l_shipdate (+ date'1994-01-01' interval'1 year'))"
            " (between l_discount (- 0.06 0.01) (+ 0.06 0.01)) (< l_quantity 24))");
  EXPECT_EQ(dump_sql(tpch::kQ13),
            "select c_custkey AS c_custkey, count{o_orderkey} AS c_count | from customer"
            " | left join orders on (and (= c_custkey o_custkey)"
            " (not-like o_comment '%special%requests%')) | group c_custkey"
            " | order c_count down | order c_custkey up");
  EXPECT_EQ(dump_sql(tpch::kQ14),
            "select (/ (* 100.00 sum{case{(like p_type 'PROMO%')"
            " (* l_extendedprice (- 1 l_discount)) 0}}) sum{(* l_extendedprice (- 1 l_discount))})"
            " AS promo_revenue | from lineitem | , part | where (and (= l_partkey p_partkey)"
            " (>= l_shipdate date'1995-09-01')"
            " (< l_shipdate (+ date'1995-09-01' interval'1 month')))");
}

TEST(Sql, ReadsTheOtherQueriesOfTpch) {
  const auto joins = [](const char* text) {
    const Result<SqlQuery> query = parse_sql(text);
    EXPECT_TRUE(query.ok()) << text;
    return query.ok() ? query->joins.size() : 0;
  };
  EXPECT_EQ(joins(tpch::kQ5), 5u);
  EXPECT_EQ(joins(tpch::kQ10), 3u);
  EXPECT_EQ(joins(tpch::kQ12), 1u);
  EXPECT_EQ(joins(tpch::kQ18), 2u);
  EXPECT_EQ(joins(tpch::kQ19), 1u);
  EXPECT_EQ(parse_sql(tpch::kQ10)->group_by.size(), 7u);
  EXPECT_EQ(dump(*parse_sql(tpch::kQ18)->having), "(> sum{l_quantity} 300)");
  EXPECT_EQ(parse_sql(tpch::kQ18)->select.back().name, "sum(l_quantity)");
  EXPECT_EQ(parse_sql(tpch::kQ18)->limit, 100u);
  EXPECT_EQ(parse_sql(tpch::kQ19)->where->arguments.size(), 3u);
  EXPECT_EQ(parse_sql(tpch::kQ5)->where->arguments.size(), 9u);
  EXPECT_EQ(parse_sql(tpch::kQ12)->select[1].name, "high_line_count");
}

}  // namespace
}  // namespace presso::sql_test
