#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""DuckDB and SQLite answer the same random joins of random tables as presso. Each answer must be
the same, byte by byte, for other strategies, numbers of threads and amounts of memory; rows that
are not sorted must come in the order that presso/query.h promises.

    join_oracle.py QUERY_SERVER [--queries N] [--seed S] [--show N]

Environment: PRESSO_ORACLE_QUERIES, PRESSO_ORACLE_SEED. Exit status 77: DuckDB is not installed
(pip install duckdb)."""

import itertools
import os
import random
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import query_oracle  # noqa: E402
import engines  # noqa: E402
from join_tables import JoinTable, Texts  # noqa: E402
from joins import JoinMaker  # noqa: E402
from tables import Column, schema_of, write_csv  # noqa: E402

QUERIES_OF_TABLES = 100


def rows_of_file(table, first, end):
    return [
        Column(column.name, column.type, column.family, column.values[first:end])
        for column in table.columns
    ]


def orders(sources):
    """Keys by which an answer may be sorted, given the numbers of the rows of all tables: those of
    the table that is read, of the first one in memory and so on, with missing ones at the end."""
    inner = list(itertools.takewhile(lambda s: s.kind in (None, "inner", "comma"), sources))
    if len(sources) == 2:
        turns = [[0, 1], [1, 0]]
    else:
        rest = list(range(len(inner), len(sources)))
        turns = [list(turn) + rest for turn in itertools.permutations(range(len(inner)))]
    seen = [i for i, source in enumerate(sources) if not source.hidden]
    for turn in turns:
        places = [seen.index(i) for i in turn if i in seen]
        yield lambda row, places=places: [(row[i] is None, row[i] or 0) for i in places]


class Run(query_oracle.Run):
    def table(self, number, queries):
        """Some tables, and queries on them."""
        seed = "%d tables %d" % (self.options.seed, number)
        rng = random.Random(seed)
        texts = Texts(rng)
        tables = []
        for name in ("t0", "t1", "t2", "t3"):
            rows = rng.choice([7, 30, 60, 100, 300] if name < "t2" else [0, 1, 7, 100, 1000, 3000])
            tables.append(JoinTable(rng, texts, name, rows))
        with tempfile.TemporaryDirectory() as folder:
            arguments = self.write(rng, tables, folder)
            self.engine_list = [
                engines.Presso(self.options.server, arguments),
                engines.Duck(self.duckdb),
                engines.Lite(),
            ]
            for table in tables:
                path = os.path.join(folder, table.name + ".csv")
                self.engine_list[1].add(table.name, table.columns, path)
                self.engine_list[2].add(table.name, table.columns)
            for query in range(queries):
                self.join(number, query, tables)
                if self.server_died:
                    self.engine_list[0] = engines.Presso(self.options.server, arguments)
                    self.server_died = False
            for engine in self.engine_list:
                engine.close()

    def write(self, rng, tables, folder):
        """Writes each table, for presso now and then in several files."""
        arguments = []
        for table in tables:
            write_csv(table.columns, os.path.join(folder, table.name + ".csv"))
            arguments += ["--schema", schema_of(table.columns), "--name", table.name]
            arguments += ["--rows-per-group", str(rng.choice([37, 128, 500, 1024]))]
            files = rng.choice([1, 1, 1, 2, 3])
            cuts = sorted(rng.randrange(table.rows + 1) for _ in range(files - 1))
            for first, end in zip([0] + cuts, cuts + [table.rows]):
                path = os.path.join(folder, "%s_%d_%d.csv" % (table.name, first, len(arguments)))
                write_csv(rows_of_file(table, first, end), path)
                arguments.append(path)
        return arguments

    def join(self, table, number, tables):
        if self.options.query is not None and number != self.options.query:
            return
        seed = "%d tables %d query %d" % (self.options.seed, table, number)
        query = JoinMaker(random.Random(seed), tables).query()
        presso, duck, lite = self.engine_list
        answer = presso.ask(dict(query.request, variants=self.options.variants, seed=number))
        self.counts["queries"] += 1
        for source in query.sources[1:]:
            self.counts["kind " + source.kind] += 1
        if "died" in answer:
            self.server_died = True
            return self.fail(table, number, query, "the server died: %s" % answer["died"])
        if "differs" in answer:
            what = "another way gives another answer: %s\n  than %s"
            what %= (answer["differs"], str(answer["from"])[:1500])
            return self.fail(table, number, query, what)
        self.counts["runs in several passes"] += answer.get("passes", 1) > 1
        self.counts["runs that spill"] += answer.get("spilled", 0) > 0
        self.counts["runs that do not suit"] += answer.get("unfit", 0)
        if query.all is not None and "rows" in answer:
            answer = self.without_limit(table, number, query, answer)
            if answer is None:
                return
        if query.keys < 0 and not query.ordered and "rows" in answer:
            ids = [[int(id) if id else None for id in row[query.keys :]] for row in answer["rows"]]
            self.counts["orders"] += 1
            if not any(ids == sorted(ids, key=key) for key in orders(query.sources)):
                self.fail(table, number, query, "rows come in no order: %s" % str(ids)[:1500])
        self.compare(table, number, query, answer, "DuckDB", duck.ask(query.sql), query.sums)
        if query.lite is not None and not query.risky:
            result = lite.ask(query.lite)
            # Its tables lack columns of other types, of which USING may name one.
            if result[1] is None or "cannot join using" not in result[1]:
                self.compare(table, number, query, answer, "SQLite", result, {})

    def without_limit(self, table, number, query, answer):
        """All rows, of which `answer` has some that follow one another."""
        everything = self.engine_list[0].ask(query.all)
        first = query.limits["offset"]
        if "rows" not in everything:
            self.counts["fails without a limit"] += 1
            return None
        if answer["rows"] == everything["rows"][first : first + query.limits["limit"]]:
            return everything
        self.fail(table, number, query, "a limit gives other rows: %s" % str(answer)[:1500])
        return None


if __name__ == "__main__":
    query_oracle.QUERIES_OF_TABLE = QUERIES_OF_TABLES
    sys.exit(query_oracle.main(Run, 400))
