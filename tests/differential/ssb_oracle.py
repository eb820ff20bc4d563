#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The queries of the Star Schema Benchmark (lab/figures/ssb_queries.sql), answered by presso and by
DuckDB from the same CSV files.

    ssb_oracle.py QUERY_SERVER GENERATE_TABLE [SCALE]

SCALE: 0.2 if nothing is said, where Q3.3 has rows; Q3.4 has some from 1 on.
Exit status 77: DuckDB is not installed (pip install duckdb)."""

import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "oracle"))
sys.dont_write_bytecode = True

import engines  # noqa: E402
from compare import own_value  # noqa: E402

QUERIES = os.path.join(HERE, "../../lab/figures/ssb_queries.sql")
TABLES = ["ssb_lineorder", "ssb_date", "ssb_customer", "ssb_supplier", "ssb_part"]
# In which columns of the answer the statements leave no tie open: the order of the others is not
# told.
SORTED_BY = {"Q1": [], "Q2": [1, 2], "Q3": [2, 3], "Q4": [0, 1]}


def statements():
    """By name."""
    with open(QUERIES, encoding="utf-8") as file:
        found = re.findall(r"^-- (Q\d\.\d)\n(.*?);", file.read(), re.DOTALL | re.MULTILINE)
    return {name: text.replace("\n", " ") for name, text in found}


def make_tables(generator, scale, folder):
    """Paths by name."""
    paths = {table: os.path.join(folder, table + ".csv") for table in TABLES}
    for table, path in paths.items():
        subprocess.run([generator, table, "--scale", scale, "-o", path], check=True)
    return paths


def ask(presso, request):
    answer = presso.ask(request)
    if "rows" not in answer:
        raise SystemExit("%s: %s" % (request, answer))
    types = answer["types"]
    return [[own_value(text, type) for text, type in zip(row, types)] for row in answer["rows"]]


def is_same(name, own, other):
    columns = SORTED_BY[name.split(".")[0]]
    in_order = [[[row[i] for i in columns] for row in rows] for rows in (own, other)]
    return in_order[0] == in_order[1] and sorted(own, key=str) == sorted(other, key=str)


def main():
    server, generator = sys.argv[1], sys.argv[2]
    scale = sys.argv[3] if len(sys.argv) > 3 else "0.2"
    try:
        import duckdb
    except ImportError:
        print("skipped: the Python package duckdb is not installed (pip install duckdb)")
        return 77
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        connection = duckdb.connect()
        connection.execute("SET threads = 2")
        arguments = []
        for table, path in make_tables(generator, scale, folder).items():
            connection.execute("CREATE TABLE %s AS FROM read_csv('%s')" % (table, path))
            arguments += ["--name", table, path]
        presso = engines.Presso(server, arguments)
        for name, text in statements().items():
            begun = time.time()
            other = [list(row) for row in connection.execute(text).fetchall()]
            for more in ({"threads": 2, "variants": 4, "seed": 1, "large": 1}, {"device": "gpu"}):
                own = ask(presso, dict(more, sql=text))
                if is_same(name, own, other):
                    continue
                failures += 1
                print("%s, %s: presso\n  %s\nDuckDB\n  %s" % (name, more, own[:5], other[:5]))
            print("%s %7d rows, %.1f s" % (name, len(other), time.time() - begun))
        presso.close()
    print("%d failures" % failures)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
