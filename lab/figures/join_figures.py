#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Joins of TPC-H's tables: presso beside DuckDB, both with the same number of threads, as CSV.

    lab/figures/join_figures.py --bin build/release/bin FOLDER > results/cpu-join.csv

FOLDER holds customer, lineitem, orders and part as CSV and as .csv.presso, which `presso compress
--table auto` makes; `shuffled`, lineitem's keys and quantities in another order, is made of them.
DuckDB is asked twice: of tables in its memory, and of its own file. presso is asked of its files,
within a process (query_rate) as DuckDB is, and as a command, its start included. Runs alternate;
times are the least of --rounds, in milliseconds. Every answer is compared; a difference ends the
script with status 1. tuples: rows of both sides of the two-table joins a second, in millions."""

import os
import subprocess
import tempfile

from select_figures import DECIMALS, compare, figure_parser, write_figures

REVENUE = "sum(l_extendedprice * (1 - l_discount))"
# name: (statement with {tables}, tables whose rows are counted)
QUERIES = {
    "orders x lineitem, count": (
        "select count(*) from {orders} join {lineitem} on o_orderkey = l_orderkey",
        ("orders", "lineitem")),
    "orders x lineitem, sums": (
        "select sum(l_quantity), sum(o_totalprice) from {orders} join {lineitem} "
        "on o_orderkey = l_orderkey", ("orders", "lineitem")),
    "orders x shuffled, count": (
        "select count(*) from {orders} join {shuffled} on o_orderkey = l_orderkey",
        ("orders", "shuffled")),
    "orders x shuffled, sums": (
        "select sum(l_quantity), sum(o_totalprice) from {orders} join {shuffled} "
        "on o_orderkey = l_orderkey", ("orders", "shuffled")),
    "Q3": (
        f"select l_orderkey, {REVENUE} as revenue, o_orderdate, o_shippriority "
        "from {customer}, {orders}, {lineitem} where c_mktsegment = 'BUILDING' "
        "and c_custkey = o_custkey and l_orderkey = o_orderkey "
        "and o_orderdate < date '1995-03-15' and l_shipdate > date '1995-03-15' "
        "group by l_orderkey, o_orderdate, o_shippriority "
        "order by revenue desc, o_orderdate, l_orderkey limit 10", ()),
    "Q12": (
        "select l_shipmode, sum(case when o_orderpriority = '1-URGENT' "
        "or o_orderpriority = '2-HIGH' then 1 else 0 end), sum(case when "
        "o_orderpriority <> '1-URGENT' and o_orderpriority <> '2-HIGH' then 1 else 0 end) "
        "from {orders}, {lineitem} where o_orderkey = l_orderkey "
        "and l_shipmode in ('MAIL', 'SHIP') and l_commitdate < l_receiptdate "
        "and l_shipdate < l_commitdate and l_receiptdate >= date '1994-01-01' "
        "and l_receiptdate < date '1995-01-01' group by l_shipmode order by l_shipmode", ()),
    "Q13, inner block": (
        "select c_custkey, count(o_orderkey) as n from {customer} left join {orders} "
        "on c_custkey = o_custkey and o_comment not like '%special%requests%' "
        "group by c_custkey order by n desc, c_custkey limit 100", ()),
    "Q14": (
        f"select 100.00 * sum(case when p_type like 'PROMO%' then l_extendedprice * "
        f"(1 - l_discount) else 0 end) / {REVENUE} from {{lineitem}}, {{part}} "
        "where l_partkey = p_partkey and l_shipdate >= date '1995-09-01' "
        "and l_shipdate < date '1995-10-01'", ()),
}
COLUMNS = ("query threads presso_ms presso_command_ms duckdb_memory_ms duckdb_file_ms of_memory "
           "of_file rows tuples").split()
TABLES = ("customer", "lineitem", "orders", "part", "shuffled")


def arguments():
    parser = figure_parser(__doc__, "semicolons")
    parser.add_argument("folder")
    return parser.parse_args()


class Peers:
    """The same rows in presso's files, in DuckDB's memory and in DuckDB's file."""

    def __init__(self, options, folder, tables):
        import duckdb

        self.options = options
        self.presso = os.path.join(options.bin, "presso")
        self.duck = duckdb.connect(config={"threads": options.threads})
        self.duck.execute(f"attach '{folder}/tpch.duckdb' as stored")
        self.rows = {}
        self.paths = {}
        for table in tables:
            self.load(table, folder)

    def load(self, table, folder):
        path = os.path.join(self.options.folder, table + ".csv")
        if table == "shuffled":
            path = os.path.join(folder, "shuffled.csv")
            self.duck.execute(
                "copy (select l_orderkey, l_quantity from lineitem order by hash(l_orderkey, "
                f"l_linenumber)) to '{path}' (header)")
        packed = path + ".presso"
        if not os.path.exists(packed):
            packed = os.path.join(folder, table + ".presso")
            subprocess.run([self.presso, "compress", "-q", "--table", "auto", path, "-o", packed],
                           check=True)
        self.paths[table] = packed
        names = self.duck.execute(
            f"select * from read_csv('{path}', sample_size=-1) limit 0").description
        decimals = [name for name, *_ in names
                    if name in DECIMALS or name in ("o_totalprice", "c_acctbal")]
        replaced = ", ".join(f"{name}::decimal(15,2) as {name}" for name in decimals)
        replacement = f"replace ({replaced})" if replaced else ""
        self.duck.execute(f"create table stored.{table} as select * {replacement} "
                          f"from read_csv('{path}', sample_size=-1)")
        self.duck.execute("checkpoint stored")
        self.duck.execute(f"create table {table} as select * from stored.{table}")
        self.rows[table] = self.duck.execute(f"select count(*) from {table}").fetchone()[0]

    def measure(self, query):
        statement, sides = QUERIES[query]
        mine = statement.format(**{name: f"'{path}'" for name, path in self.paths.items()})
        row, _ = compare(
            query, self.options, self.duck,
            {name: statement.format(**{table: prefix + table for table in TABLES})
             for name, prefix in (("memory", ""), ("file", "stored."))},
            [self.presso, "sql", mine], [mine, "--runs", "1"], True)
        tuples = sum(self.rows[side] for side in sides) / row[2] / 1e3
        return row + [round(tuples) if sides else ""]


def main():
    options = arguments()
    queries = options.only.split(";") if options.only else list(QUERIES)
    with tempfile.TemporaryDirectory() as folder:
        asked = [QUERIES[query][0] for query in queries]
        tables = [table for table in TABLES
                  if any(f"{{{table}}}" in statement for statement in asked)]
        if "shuffled" in tables and "lineitem" not in tables:
            tables.insert(0, "lineitem")  # of which it is made
        peers = Peers(options, folder, tables)
        write_figures(options, COLUMNS, (peers.measure(query) for query in queries))


if __name__ == "__main__":
    main()
