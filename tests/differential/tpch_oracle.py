#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Queries of TPC-H, answered by presso and by DuckDB to the last digit: decimals are equal,
averages and quotients are those of DuckDB's exact sums, rounded once. Of one table Q1, Q6, and what
Q12, Q13 and Q14 ask of lineitem and orders alone; of several Q14 and those of
oracle/tpch_joins.py; and all 22 as whole statements, if there is tpchgen-cli (pip install
tpchgen-cli), by oracle/tpch_whole.py.

    tpch_oracle.py QUERY_SERVER GENERATE_TABLE [PRESSO]

Environment: PRESSO_TPCH, a folder with lineitem.csv and so on, and their .presso where there are
any (else they are loaded); without it small ones are made, of scale 0.01. Tables that the folder
lacks are made with the scale PRESSO_TPCH_SCALE (1). Exit status 77: DuckDB is not installed (pip
install duckdb)."""

import collections
import datetime
import os
import re
import subprocess
import sys
import tempfile
import time
from decimal import Decimal
from fractions import Fraction

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "oracle"))
sys.dont_write_bytecode = True

import engines  # noqa: E402
from compare import other_value, own_value  # noqa: E402
import tpch_whole  # noqa: E402
from tpch_joins import FLAGS, JOINED, LATE, REVENUE, statements  # noqa: E402

Q1_COLUMNS = (
    "l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice), "
    + REVENUE
    + ", sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)), count(*)"
)
LATE_CASES = (
    "sum(case when l_receiptdate - l_commitdate > 30 then 1 else 0 end), "
    "sum(case when l_receiptdate - l_commitdate > 30 then 0 else 1 end)"
)
MONTH = "year(l_shipdate) * 100 + month(l_shipdate)"

# Name, table, what presso is asked, and the same as SQL; the part behind FROM is common.
QUERIES = [
    (
        "Q1",
        "lineitem",
        {
            "columns": Q1_COLUMNS,
            "where": "l_shipdate <= DATE '1998-12-01' - interval '90' day",
            "group_by": "l_returnflag, l_linestatus",
            "order_by": "l_returnflag, l_linestatus",
        },
    ),
    (
        "Q1, any order",
        "lineitem",
        {"columns": Q1_COLUMNS, "group_by": "l_returnflag, l_linestatus"},
    ),
    (
        "Q6",
        "lineitem",
        {
            "columns": "sum(l_extendedprice * l_discount) as revenue",
            "where": (
                "l_shipdate >= DATE '1994-01-01' and l_shipdate < DATE '1994-01-01' + interval '1'"
                " year and l_discount between 0.05 and 0.07 and l_quantity < 24"
            ),
        },
    ),
    (
        "Q12",
        "lineitem",
        {
            "columns": "l_shipmode, " + LATE_CASES,
            "where": LATE,
            "group_by": "l_shipmode",
            "order_by": "l_shipmode",
        },
    ),
    (
        "Q13",
        "orders",
        {
            "columns": "o_custkey, count(o_orderkey)",
            "where": "o_comment not like '%special%requests%'",
            "group_by": "o_custkey",
            "order_by": "o_custkey",
        },
    ),
    (
        "Q13, the 20 most",
        "orders",
        {
            "columns": "o_custkey, count(o_orderkey) as n",
            "where": "o_comment not like '%special%requests%'",
            "group_by": "o_custkey",
            "order_by": "count(o_orderkey) desc, o_custkey",
            "limit": 20,
        },
    ),
    (
        "Q14",
        "lineitem",
        {"columns": MONTH + ", " + REVENUE + ", count(*)", "group_by": MONTH, "order_by": MONTH},
    ),
    (
        "Q14, a month",
        "lineitem",
        {
            "columns": REVENUE,
            "where": (
                "l_shipdate >= DATE '1995-09-01' and l_shipdate < DATE '1995-09-01' + interval '1'"
                " month"
            ),
        },
    ),
]
AVERAGED = ["l_quantity", "l_extendedprice", "l_discount"]

DUCK_TYPES = {
    "lineitem": (
        "l_orderkey BIGINT, l_partkey BIGINT, l_suppkey BIGINT, l_linenumber BIGINT, l_quantity"
        " BIGINT, l_extendedprice DECIMAL(18,2), l_discount DECIMAL(18,2), l_tax DECIMAL(18,2),"
        " l_returnflag VARCHAR, l_linestatus VARCHAR, l_shipdate DATE, l_commitdate DATE,"
        " l_receiptdate DATE, l_shipinstruct VARCHAR, l_shipmode VARCHAR, l_comment VARCHAR"
    ),
    "orders": (
        "o_orderkey BIGINT, o_custkey BIGINT, o_orderstatus VARCHAR, o_totalprice DECIMAL(18,2),"
        " o_orderdate DATE, o_orderpriority VARCHAR, o_clerk VARCHAR, o_shippriority BIGINT,"
        " o_comment VARCHAR"
    ),
    "customer": (
        "c_custkey BIGINT, c_name VARCHAR, c_address VARCHAR, c_nationkey BIGINT, c_phone VARCHAR,"
        " c_acctbal DECIMAL(18,2), c_mktsegment VARCHAR, c_comment VARCHAR"
    ),
    "part": (
        "p_partkey BIGINT, p_name VARCHAR, p_mfgr VARCHAR, p_brand VARCHAR, p_type VARCHAR, p_size"
        " BIGINT, p_container VARCHAR, p_retailprice DECIMAL(18,2), p_comment VARCHAR"
    ),
    "supplier": (
        "s_suppkey BIGINT, s_name VARCHAR, s_address VARCHAR, s_nationkey BIGINT, s_phone VARCHAR,"
        " s_acctbal DECIMAL(18,2), s_comment VARCHAR"
    ),
    "nation": "n_nationkey BIGINT, n_name VARCHAR, n_regionkey BIGINT, n_comment VARCHAR",
    "region": "r_regionkey BIGINT, r_name VARCHAR, r_comment VARCHAR",
}
PARTSUPP = (
    "ps_partkey BIGINT, ps_suppkey BIGINT, ps_availqty BIGINT, ps_supplycost DECIMAL(18,2),"
    " ps_comment VARCHAR"
)


def sql_of(table, request):
    sql = "SELECT %s FROM %s" % (request["columns"], table)
    for field, clause in (
        ("where", "WHERE"),
        ("group_by", "GROUP BY"),
        ("order_by", "ORDER BY"),
        ("limit", "LIMIT"),
    ):
        if field in request:
            sql += " %s %s" % (clause, request[field])
    return sql


def plain(value):
    return value.isoformat() if isinstance(value, datetime.date) else value


class Run:
    def __init__(self, server, paths, connection):
        self.failures, self.connection = 0, connection
        arguments = []
        for table, types in DUCK_TYPES.items():
            path = paths[table]
            connection.execute("CREATE TABLE %s (%s)" % (table, types))
            connection.execute("COPY %s FROM '%s' (HEADER, DELIMITER ',')" % (table, path))
            stored = path + ".presso" if os.path.exists(path + ".presso") else path
            arguments += ["--name", table, stored]
        self.presso = engines.Presso(server, arguments)

    def ask(self, table, request):
        if table is not None:
            request = dict(request, **{"from": table})
        answer = self.presso.ask(request)
        if "rows" not in answer:
            raise SystemExit("%s: %s" % (request, answer))
        return [
            [own_value(text, type) for text, type in zip(row, answer["types"])]
            for row in answer["rows"]
        ], answer["types"]

    def expect(self, name, own, other):
        if own != other:
            self.failures += 1
            print("%s: presso\n  %s\nDuckDB\n  %s" % (name, own[:5], other[:5]))

    def query(self, name, table, request):
        begun = time.time()
        own, types = self.ask(table, dict(request, threads=2, variants=4, seed=len(name)))
        other = [list(row) for row in self.connection.execute(sql_of(table, request)).fetchall()]
        other = [[other_value(value, type) for value, type in zip(row, types)] for row in other]
        if "group_by" in request and "order_by" not in request:
            own.sort(key=str), other.sort(key=str)
        self.expect(name, own, other)
        print("%-20s %7d rows, %.1f s" % (name, len(own), time.time() - begun))

    def joined(self, name, request, sql):
        """Rows that sorting leaves equal may come in another order."""
        begun = time.time()
        asked = dict(request, threads=2, variants=4, seed=len(name), large=1)
        own, types = self.ask(None, asked)
        other = [[plain(value) for value in row] for row in self.connection.execute(sql).fetchall()]
        keys = JOINED[name.split(",")[0]]
        self.expect(
            name, [[r[i] for i in keys] for r in own], [[r[i] for i in keys] for r in other]
        )
        self.expect(name, sorted(own, key=str), sorted(other, key=str))
        print("%-20s %7d rows, %.1f s" % (name, len(own), time.time() - begun))

    def joins(self):
        texts = statements()
        for name in JOINED:
            self.joined(name, {"sql": texts[name]}, texts[name])
            if name in FLAGS:
                self.joined(name + ", flags", FLAGS[name], texts[name])
        self.quotient(texts["Q14"])

    def quotient(self, text):
        """Q14: DuckDB rounds sums before it divides."""
        own, _ = self.ask(None, {"sql": text, "threads": 2, "variants": 4, "large": 1})
        top, bottom, rest = re.fullmatch(
            r"select +(.*) */ *(sum\(.*?\)\)) as promo_revenue( +from.*)", text
        ).groups()
        [(a, b)] = self.connection.execute("SELECT %s, %s %s" % (top, bottom, rest)).fetchall()
        self.expect("Q14", own, [[float(a) / float(b)]])

    def averages(self):
        """Those of Q1, of which DuckDB rounds sums before it divides."""
        columns = ", ".join("avg(%s)" % column for column in AVERAGED)
        parts = ", ".join("sum(%s), count(%s)" % (column, column) for column in AVERAGED)
        where = "l_shipdate <= DATE '1998-09-02'"
        grouping = {
            "where": where,
            "group_by": "l_returnflag, l_linestatus",
            "order_by": "l_returnflag, l_linestatus",
        }
        own, _ = self.ask("lineitem", dict(grouping, columns=columns, threads=2, variants=4))
        rows = self.connection.execute(sql_of("lineitem", dict(grouping, columns=parts))).fetchall()
        other = [
            [float(Fraction(Decimal(row[i])) / row[i + 1]) for i in range(0, len(row), 2)]
            for row in rows
        ]
        self.expect("Q1, averages", own, other)

    def counts_of_counts(self):
        """Q13 as a whole but for customers without orders: how many customers have n orders."""
        request = {
            "columns": "o_custkey, count(*)",
            "where": "o_comment not like '%special%requests%'",
            "group_by": "o_custkey",
        }
        own, _ = self.ask("orders", request)
        counted = collections.Counter(count for _, count in own)
        sql = (
            "SELECT n, count(*) FROM (SELECT o_custkey, count(*) AS n FROM orders WHERE o_comment"
            " NOT LIKE '%special%requests%' GROUP BY o_custkey) GROUP BY n"
        )
        other = dict(self.connection.execute(sql).fetchall())
        self.expect("Q13, counts of counts", sorted(counted.items()), sorted(other.items()))


def find_tables(generator, folder, scratch):
    """Paths by name; what there is not is made."""
    scale = os.environ.get("PRESSO_TPCH_SCALE", "1") if folder else "0.01"
    paths = {}
    for table in DUCK_TYPES:
        paths[table] = os.path.join(folder or scratch, table + ".csv")
        if not os.path.exists(paths[table]):
            paths[table] = os.path.join(scratch, table + ".csv")
            subprocess.run([generator, table, "--scale", scale, "-o", paths[table]], check=True)
    return paths


def whole_statements(duckdb, scratch):
    """How many of the 22 queries differ."""
    generator = tpch_whole.find_generator()
    if len(sys.argv) < 4 or generator is None:
        print("skipped: the 22 queries as statements, for lack of tpchgen-cli or PRESSO")
        return 0
    folder = os.path.join(scratch, "whole")
    os.mkdir(folder)
    types = dict(DUCK_TYPES, partsupp=PARTSUPP)
    types["lineitem"] = types["lineitem"].replace("l_quantity BIGINT", "l_quantity DECIMAL(15,2)")
    return tpch_whole.check(sys.argv[3], generator, duckdb.connect(), folder, types)


def main():
    server, generator = sys.argv[1], sys.argv[2]
    try:
        import duckdb
    except ImportError:
        print("skipped: the Python package duckdb is not installed (pip install duckdb)")
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        paths = find_tables(generator, os.environ.get("PRESSO_TPCH"), scratch)
        connection = duckdb.connect()
        connection.execute("SET threads = 2")
        run = Run(server, paths, connection)
        for name, table, request in QUERIES:
            run.query(name, table, request)
        run.averages()
        run.counts_of_counts()
        run.joins()
        run.presso.close()
        run.failures += whole_statements(duckdb, scratch)
    print("%d failures" % run.failures)
    return 1 if run.failures else 0


if __name__ == "__main__":
    sys.exit(main())
