#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Queries on TPC-H's lineitem: presso beside DuckDB, both with the same number of threads, as CSV.

    lab/figures/select_figures.py --bin build/release/bin lineitem.csv > results/cpu-select.csv

DuckDB is asked twice: of a table in its memory, and of its own file. presso is asked of the file
that `presso compress --table auto` makes, within a process (query_rate) as DuckDB is, and as a
command, its start included. Decimals are decimals in both. Runs alternate; times are the least of
--rounds, in milliseconds. Every answer is compared; a difference ends the script with status 1.
With --csv-tools the same counts are made of the CSV file by mlr, where it is installed, and by
presso without loading it first."""

import argparse
import csv
import itertools
import os
import subprocess
import sys
import tempfile
import time

import csv_origin

DECIMALS = ("l_quantity", "l_extendedprice", "l_discount", "l_tax")
Q1 = ("sum(l_quantity) as sum_qty, sum(l_extendedprice) as sum_base_price, "
      "sum(l_extendedprice * (1 - l_discount)) as sum_disc_price, "
      "sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)) as sum_charge, "
      "avg(l_quantity) as avg_qty, avg(l_extendedprice) as avg_price, "
      "avg(l_discount) as avg_disc, count(*) as count_order")
Q6 = ("l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01' "
      "and l_discount between 0.05 and 0.07 and l_quantity < 24")
REGEX = "b[aeiou]ld.*(deposits|requests)$"
# name: (where, keys, columns, order, what DuckDB calls the condition, if it differs)
QUERIES = {
    "Q1": ("l_shipdate <= date '1998-12-01' - interval '90' day", "l_returnflag, l_linestatus", Q1,
           "l_returnflag, l_linestatus", None),
    "Q6": (Q6, "", "sum(l_extendedprice * l_discount) as revenue", "", None),
    "like": ("l_comment like '%special%requests%'", "", "count(*)", "", None),
    "regex": (f"l_comment matches '{REGEX}'", "", "count(*)", "",
              f"regexp_matches(l_comment, '{REGEX}')"),
    "4 groups": ("", "l_returnflag, l_linestatus", "sum(l_quantity), count(*)",
                 "l_returnflag, l_linestatus", None),
    "200 k groups": ("", "l_partkey", "sum(l_quantity) as s, count(*)", "", None),
    "1.5 M groups": ("", "l_orderkey", "sum(l_quantity) as s, count(*)", "", None),
    "filter, count": ("l_shipdate < date '1995-01-01'", "", "count(*)", "", None),
    "sorted column": ("l_orderkey between 3000000 and 3001000", "", "count(*), sum(l_quantity)", "",
                      None),
    "top 10": ("", "", "l_orderkey, l_extendedprice", "l_extendedprice desc, l_orderkey limit 10",
               None),
}
COLUMNS = ("query threads presso_ms presso_command_ms duckdb_memory_ms duckdb_file_ms of_memory "
           "of_file rows bytes_read").split()


def figure_parser(description, separator):
    """The options of scripts that time queries. `separator`: between names of queries."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", help=f"names of queries, separated by {separator}")
    parser.add_argument("--commit")
    parser.add_argument("--machine")
    return parser


def arguments():
    parser = figure_parser(__doc__, "commas")
    parser.add_argument("lineitem", help="as CSV")
    parser.add_argument("--csv-tools", action="store_true")
    return parser.parse_args()


def presso_flags(query):
    where, keys, columns, order, _ = QUERIES[query]
    order, _, limit = order.partition(" limit ")
    flags = []
    for flag, value in (("--where", where), ("--group-by", keys), ("--order-by", order),
                        ("--limit", limit)):
        if value:
            flags += [flag, value]
    grouped = keys or "(" in columns
    return flags + ["--agg" if grouped else "--columns", columns]


def sql(query, table):
    where, keys, columns, order, other = QUERIES[query]
    text = f"select {keys + ', ' if keys else ''}{columns} from {table}"
    if where:
        text += f" where {other or where}"
    if keys:
        text += f" group by {keys}"
    if order:
        text += f" order by {order}"
    return text


def timed(action):
    begin = time.perf_counter()
    result = action()
    return (time.perf_counter() - begin) * 1e3, result


def number(text):
    try:
        return float(text)
    except ValueError:
        return text


def same(mine, theirs, ordered):
    """Averages may differ in the last digits: DuckDB's are sums of doubles."""
    mine = [[number(cell) for cell in row] for row in mine]
    theirs = [[number(str(cell)) for cell in row] for row in theirs]
    if not ordered:
        mine.sort()
        theirs.sort()
    if len(mine) != len(theirs):
        return False
    return all(
        a == b or (isinstance(a, float) and isinstance(b, float) and abs(a - b) <= 1e-12 * abs(b))
        for left, right in zip(mine, theirs) for a, b in zip(left, right))


def compare(name, options, duck, asked, command, rate_arguments, ordered):
    """Runs alternate. `asked`: of DuckDB's memory and file. Returns a row of the table: the least
    times in milliseconds, their quotients, rows; and the stored bytes that presso read."""
    best = {}
    threads = ["-T", str(options.threads)]
    for _ in range(options.rounds):
        for where, text in asked.items():
            # Into a table: to make Python's objects of many rows would take longer.
            spent, _ = timed(lambda: duck.execute(
                f"create or replace temp table answer as {text}"))
            best[where] = min(best.get(where, spent), spent)
        rows = duck.execute("select * from answer").fetchall()
        spent, done = timed(lambda: subprocess.run(
            [*command, "--format", "csv", "--no-header", *threads], capture_output=True, text=True,
            check=False))
        best["command"] = min(best.get("command", spent), spent)
        rate = subprocess.run(
            [os.path.join(options.bin, "query_rate"), *rate_arguments, *threads],
            capture_output=True, text=True, check=True).stdout.split()
        best["process"] = min(best.get("process", 1e9), float(rate[0]))
    answer = list(csv.reader(done.stdout.splitlines()))
    if not same(answer, rows, ordered):
        sys.exit(f"{name}: answers differ: {answer[:2]} and {rows[:2]}")
    return [name, threads[1], round(best["process"], 2), round(best["command"], 2),
            round(best["memory"], 2), round(best["file"], 2),
            round(best["process"] / best["memory"], 3), round(best["process"] / best["file"], 3),
            len(answer)], rate[4]


class Peers:
    """The same rows in presso's file, in DuckDB's memory and in DuckDB's file."""

    def __init__(self, options, folder):
        import duckdb

        self.options = options
        self.packed = os.path.join(folder, "lineitem.presso")
        self.presso = os.path.join(options.bin, "presso")
        subprocess.run([self.presso, "compress", "-q", "--table", "auto", options.lineitem, "-o",
                        self.packed], check=True)
        self.duck = duckdb.connect(config={"threads": options.threads})
        replaced = ", ".join(f"{name}::decimal(15,2) as {name}" for name in DECIMALS)
        self.duck.execute(f"attach '{folder}/lineitem.duckdb' as stored")
        self.duck.execute(f"create table stored.lineitem as select * replace ({replaced}) "
                          f"from read_csv('{options.lineitem}', sample_size=-1)")
        self.duck.execute("checkpoint stored")
        self.duck.execute("create table lineitem as select * from stored.lineitem")

    def measure(self, query):
        flags = presso_flags(query)
        row, bytes_read = compare(
            query, self.options, self.duck,
            {"memory": sql(query, "lineitem"), "file": sql(query, "stored.lineitem")},
            [self.presso, "select", self.packed, *flags], [self.packed, *flags, "--runs", "3"],
            bool(QUERIES[query][3]))
        return row + [bytes_read]


def csv_tools(options, packed):
    """Seconds that tools take for count and sum by group of the CSV file."""
    presso = os.path.join(options.bin, "presso")
    group = ["--group-by", "l_shipmode", "--agg", "count(*), sum(l_quantity)"]
    commands = {
        "presso, loaded": [presso, "select", packed, *group],
        "presso, plain CSV": [presso, "select", options.lineitem, *group],
        "mlr": ["mlr", "--icsv", "--ocsv", "stats1", "-a", "count,sum", "-f", "l_quantity", "-g",
                "l_shipmode", options.lineitem],
    }
    for tool, command in commands.items():
        try:
            spent, _ = timed(lambda: subprocess.run(command, capture_output=True, check=True))
        except FileNotFoundError:
            continue
        yield ["group of " + tool, options.threads, round(spent, 1), "", "", "", "", "", "", ""]


def write_figures(options, columns, rows):
    """Where they come from, the names of the columns, and each row as soon as it is there."""
    sys.stdout.write(csv_origin.origin(options.commit, options.machine))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow(row)
        sys.stdout.flush()


def main():
    options = arguments()
    queries = options.only.split(",") if options.only else list(QUERIES)
    with tempfile.TemporaryDirectory() as folder:
        peers = Peers(options, folder)
        tools = csv_tools(options, peers.packed) if options.csv_tools else ()
        write_figures(options, COLUMNS,
                      itertools.chain((peers.measure(query) for query in queries), tools))


if __name__ == "__main__":
    main()
