#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""DuckDB answers the same random statements as presso: subqueries, WITH, set operations, window
functions, groupings and joins of all kinds over four small tables.

    sql_oracle.py QUERY_SERVER [--queries N] [--seed S] [--show N]

What presso refuses is counted by message. A tenth of the statements is answered again by two
threads with little memory, and must be the same. Environment: PRESSO_ORACLE_QUERIES,
PRESSO_ORACLE_SEED. Exit status 77: DuckDB is not installed (pip install duckdb)."""

import collections
import datetime
import os
import random
import re
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "oracle"))
sys.dont_write_bytecode = True

import compare  # noqa: E402
import engines  # noqa: E402
import statements  # noqa: E402
from query_oracle import QUERIES_OF_TABLE, parse_arguments  # noqa: E402
from tables import schema_of, write_csv  # noqa: E402

SMALL_MEMORY = 4 << 20


class Question:
    """As compare.difference() takes it."""

    keys = 99

    def __init__(self, text, ordered):
        self.text, self.ordered = text, ordered


def plain(value):
    if isinstance(value, datetime.datetime):
        return str(value)
    return value.isoformat() if isinstance(value, datetime.date) else value


def kind_of(message):
    """A message without names and numbers."""
    line = re.sub(r"\n\s*\^", "", message.split("error: ")[-1]).strip().split("\n")[0]
    return re.sub(r"'[^']*'|\b[a-z]\d+\b(\.\w+)?|\d[\d,.]*", "#", line)[:110]


class Run:
    def __init__(self, options, duckdb):
        self.options, self.duckdb = options, duckdb
        self.counts = collections.Counter()
        self.refused, self.accepted = collections.Counter(), collections.Counter()
        self.examples = {}
        self.failures = 0

    def table(self, number, queries):
        seed = "%d tables %d" % (self.options.seed, number)
        rng = random.Random(seed)
        with tempfile.TemporaryDirectory() as folder:
            self.open(rng, folder)
            for query in range(queries):
                if self.options.query is None or self.options.query == query:
                    self.query(number, query)
            self.presso.close()
            self.duck.close()
            self.turned.close()

    def open(self, rng, folder):
        """DuckDB has the tables twice, of which `turned` has the rows the other way round."""
        self.duck, self.turned = engines.Duck(self.duckdb), engines.Duck(self.duckdb)
        self.arguments = []
        for name in statements.TABLES:
            rows = rng.choice([0, 1, 5, 12, 12, 30, 60])
            columns = statements.SmallTables(rng, rows).named(name)
            path = os.path.join(folder, name + ".csv")
            write_csv(columns, path)
            self.arguments += ["--name", name, "--schema", schema_of(columns), path]
            self.duck.add(name, columns, path)
            for column in columns:
                column.values.reverse()
            write_csv(columns, path + ".turned.csv")
            self.turned.add(name, columns, path + ".turned.csv")
        if rng.random() < 0.3:
            self.arguments = ["--rows-per-group", "8"] + self.arguments
        self.presso = engines.Presso(self.options.server, self.arguments)

    def query(self, table, number):
        seed = "%d tables %d statement %d" % (self.options.seed, table, number)
        rng = random.Random(seed)
        maker = statements.Statements(rng)
        question = Question(maker.statement(), False)
        question.ordered = maker.ordered
        self.counts["statements"] += 1
        what = self.judge(question, rng.random() < 0.1)
        if what:
            self.fail(table, number, question, what)

    def ask(self, text, **more):
        answer = self.presso.ask(dict(more, statement=text))
        if "died" in answer:
            self.presso = engines.Presso(self.options.server, self.arguments)
        return answer

    def judge(self, question, again, counts=True):
        """What is wrong, or None."""
        answer = self.ask(question.text)
        if "died" in answer:
            return "the server died: %s" % answer["died"]
        rows, error = self.duck.ask(question.text)
        if error is not None or "error" in answer:
            if counts:
                self.count_errors(question, answer, error)
            return None
        what = self.difference(question, answer, rows)
        if what and self.is_right_without_optimizer(question, answer):
            what = None
            if counts:
                self.counts["let pass: DuckDB's optimizer changes its answer"] += 1
        if what and self.is_ambiguous(question, answer, rows):
            what = None
            if counts:
                self.counts["let pass: depends on the order of the rows"] += 1
        if counts:
            self.counts["compared"] += 1
            self.counts["rows"] += len(rows)
            self.counts["empty answers"] += not rows
        if not what and again:
            self.counts["answered again with little memory"] += 1
            other = self.ask(question.text, threads=2, memory=SMALL_MEMORY)
            if "out of memory" in other.get("error", ""):
                self.counts["let pass: does not fit into little memory"] += 1
            elif "rows" not in other or sorted(map(str, other["rows"])) != sorted(
                map(str, answer["rows"])
            ):
                return "with little memory: %s" % str(other)[:300]
        return what

    def difference(self, question, answer, rows):
        rows = [[plain(value) for value in row] for row in rows]
        return compare.difference(question, answer, rows, {})

    def is_right_without_optimizer(self, question, answer):
        """DuckDB 2.0.1 finds nothing in EXISTS (SELECT 5 FROM a LEFT JOIN b ON b.d = 1)."""
        self.duck.connection.execute("PRAGMA disable_optimizer")
        rows, error = self.duck.ask(question.text)
        self.duck.connection.execute("PRAGMA enable_optimizer")
        return error is None and self.difference(question, answer, rows) is None

    def is_ambiguous(self, question, answer, rows):
        """Whether DuckDB itself answers otherwise if rows come in another order."""
        other, error = self.turned.ask(question.text)
        if error is not None:
            return True
        return sorted(map(str, other)) != sorted(map(str, rows))

    def count_errors(self, question, answer, error):
        if error is not None and "error" in answer:
            self.counts["both fail"] += 1
        elif error is not None:
            self.counts["only DuckDB fails"] += 1
            self.accepted[kind_of(error)] += 1
            self.examples.setdefault(kind_of(error), question.text)
        else:
            self.counts["only presso fails"] += 1
            kind = kind_of(answer["error"])
            self.refused[kind] += 1
            if kind not in self.examples or len(self.examples[kind]) > len(question.text):
                self.examples[kind] = question.text

    def fail(self, table, number, question, what):
        self.failures += 1
        if self.failures <= self.options.show:
            print("--seed %d --table %d --query %d" % (self.options.seed, table, number))
            print("  " + what)
            print("  sql: " + question.text)
            print("  less: " + self.shrunk(question, what), flush=True)

    def shrunk(self, question, what):
        """The same failure with as few words as possible."""
        words = re.findall(r"'[^']*'|[\w.]+|[<>=|!]+|\S", question.text)
        size = max(1, len(words) // 2)
        until = time.time() + 8
        while size and time.time() < until:
            at, found = 0, False
            while at < len(words) and time.time() < until:
                fewer = words[:at] + words[at + size :]
                if self.still_fails(fewer, question.ordered, what):
                    words, found = fewer, True
                else:
                    at += 1
            size = size if found and size == 1 else size // 2
        return " ".join(words)

    def still_fails(self, words, ordered, what):
        if words.count("(") != words.count(")"):
            return False
        text = " ".join(words)
        if "recursive" in words and not re.search(r"i \+ 1 , .* where i < \d \)", text):
            return False  # it would not end
        ordered = ordered and "order" in words
        now = self.judge(Question(text, ordered), "little memory" in what, False)
        return now is not None and (now[:8] == what[:8] or "row" in now[:9] and "row" in what[:9])

    def report(self):
        for title, counter in (("only presso fails", self.refused), ("only DuckDB", self.accepted)):
            print(title + ":")
            for kind, count in counter.most_common(self.options.show):
                print("%7d %s\n        %s" % (count, kind, self.examples[kind][:400]))


def main():
    options = parse_arguments(4000)
    try:
        import duckdb
    except ImportError:
        print("skipped: the Python package duckdb is not installed (pip install duckdb)")
        return 77
    run, begun = Run(options, duckdb), time.time()
    numbers = range((options.queries + QUERIES_OF_TABLE - 1) // QUERIES_OF_TABLE)
    for number in numbers if options.table is None else [options.table]:
        run.table(
            number,
            (
                min(QUERIES_OF_TABLE, options.queries - number * QUERIES_OF_TABLE)
                if options.table is None
                else QUERIES_OF_TABLE
            ),
        )
        if options.progress and number % 10 == 9:
            done = (run.counts["statements"], run.failures, time.time() - begun)
            print("%d statements, %d failures, %.0f s" % done, flush=True)
    run.report()
    for name, count in sorted(run.counts.items()):
        print("%-50s %d" % (name, count))
    print("%d failures in %.1f s" % (run.failures, time.time() - begun))
    return 1 if run.failures else 0


if __name__ == "__main__":
    sys.exit(main())
