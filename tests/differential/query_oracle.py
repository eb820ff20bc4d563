#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""DuckDB and SQLite answer the same random queries on the same random tables as presso.

    query_oracle.py QUERY_SERVER [--queries N] [--seed S] [--show N]

Environment: PRESSO_ORACLE_QUERIES, PRESSO_ORACLE_SEED. Exit status 77: DuckDB is not installed
(pip install duckdb)."""

import argparse
import collections
import os
import random
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "oracle"))
sys.dont_write_bytecode = True

import compare  # noqa: E402
import differences  # noqa: E402
import engines  # noqa: E402
from queries import Maker  # noqa: E402
from tables import TableMaker, schema_of, write_csv  # noqa: E402

QUERIES_OF_TABLE = 200


def parse_arguments(queries):
    parser = argparse.ArgumentParser()
    parser.add_argument("server")
    parser.add_argument(
        "--queries", type=int, default=int(os.environ.get("PRESSO_ORACLE_QUERIES", queries))
    )
    parser.add_argument("--seed", type=int, default=int(os.environ.get("PRESSO_ORACLE_SEED", 1)))
    parser.add_argument("--variants", type=int, default=2)
    parser.add_argument("--show", type=int, default=20)
    parser.add_argument("--table", type=int, help="only the table with this number")
    parser.add_argument("--query", type=int, help="only the query with this number")
    parser.add_argument("--progress", action="store_true", help="say how far it is")
    parser.add_argument("--lazy", action="store_true", help="show also what is let pass")
    return parser.parse_args()


class Run:
    def __init__(self, options, duckdb):
        self.options, self.duckdb = options, duckdb
        self.counts = collections.Counter()
        self.failures = 0
        self.server_died = False

    def table(self, number, queries):
        seed = "%d table %d" % (self.options.seed, number)
        rng = random.Random(seed)
        rows = rng.choice([1, 60, 300, 700, 700, 1500, 1500, 2500, 2500, 4000])
        columns = TableMaker(rng, rows).table()
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "t.csv")
            write_csv(columns, path)
            group_rows = rng.choice([0, 37, 128, 500, 1024])
            arguments = ["--schema", schema_of(columns)]
            if group_rows:
                arguments += ["--rows-per-group", str(group_rows)]
            arguments.append(path)
            engine_list = [
                engines.Presso(self.options.server, arguments),
                engines.Duck(self.duckdb, columns, path),
                engines.Lite(columns),
            ]
            for query in range(queries):
                self.query(number, query, columns, rows, engine_list)
                if self.server_died:
                    engine_list[0] = engines.Presso(self.options.server, arguments)
                    self.server_died = False
            for engine in engine_list:
                engine.close()

    def query(self, table, number, columns, rows, engine_list):
        if self.options.query is not None and number != self.options.query:
            return
        seed = "%d table %d query %d" % (self.options.seed, table, number)
        rng = random.Random(seed)
        query = Maker(rng, columns, rows).query()
        presso, duck, lite = engine_list
        request = dict(query.request, variants=self.options.variants, seed=number)
        answer = presso.ask(request)
        self.counts["queries"] += 1
        if "died" in answer:
            self.server_died = True
            return self.fail(table, number, query, "the server died: %s" % answer["died"])
        if "differs" in answer:
            return self.fail(
                table,
                number,
                query,
                "another plan answers differently: "
                + answer["differs"]
                + "\n  than "
                + str(answer["from"])[:1500],
            )
        self.compare(table, number, query, answer, "DuckDB", duck.ask(query.sql), query.sums)
        if query.lite is not None and not query.risky:
            self.compare(table, number, query, answer, "SQLite", lite.ask(query.lite), {})

    def compare(self, table, number, query, answer, engine, result, sums):
        rows, error = result
        self.counts[engine] += 1
        if error is not None or "error" in answer:
            if error is not None and "error" in answer:
                self.counts["both fail"] += 1
                return
            why = differences.reason(query, answer, error)
            if why:
                self.counts["let pass: " + why] += 1
                if not self.options.lazy:
                    return
            return self.fail(
                table,
                number,
                query,
                "%s: %s\n  presso: %s"
                % (engine, error or "%d rows" % len(rows), answer.get("error", "rows")),
            )
        what = compare.difference(query, answer, rows, sums)
        self.counts["rows"] += len(rows)
        self.counts["empty answers"] += len(rows) == 0
        if what:
            self.fail(table, number, query, engine + ": " + what)

    def fail(self, table, number, query, what):
        self.failures += 1
        if self.failures <= self.options.show:
            print("--seed %d --table %d --query %d" % (self.options.seed, table, number))
            print("  " + what)
            for name, text in query.request.items():
                print("  %s: %s" % (name, text))
            print("  sql: " + query.sql, flush=True)


def main(kind_of_run=Run, queries=1500):
    options = parse_arguments(queries)
    try:
        import duckdb
    except ImportError:
        print("skipped: the Python package duckdb is not installed (pip install duckdb)")
        return 77
    run = kind_of_run(options, duckdb)
    begun = time.time()
    if options.table is not None:
        run.table(options.table, QUERIES_OF_TABLE)
    else:
        for number in range((options.queries + QUERIES_OF_TABLE - 1) // QUERIES_OF_TABLE):
            run.table(number, min(QUERIES_OF_TABLE, options.queries - number * QUERIES_OF_TABLE))
            if options.progress and number % 10 == 9:
                done = (run.counts["queries"], run.failures, time.time() - begun)
                print("%d queries, %d failures, %.0f s" % done, flush=True)
    for name, count in sorted(run.counts.items()):
        print("%-50s %d" % (name, count))
    print("%d failures in %.1f s" % (run.failures, time.time() - begun))
    return 1 if run.failures else 0


if __name__ == "__main__":
    sys.exit(main())
