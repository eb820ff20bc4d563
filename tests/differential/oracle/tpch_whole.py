# SPDX-License-Identifier: MIT
"""The 22 queries of TPC-H as whole statements (tests/tpch/*.sql), answered by `presso sql` and by
DuckDB over tables of the generator tpchgen-cli."""

import csv
import os
import re
import shutil
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

TEXTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tpch")
SCALE = "0.01"


def find_generator():
    """tpchgen-cli beside this Python or in PATH; None if there is none."""
    folders = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])
    return shutil.which("tpchgen-cli", path=folders)


def make_tables(presso, generator, connection, folder, types):
    """Each table for DuckDB, and as NAME.presso in the folder."""
    subprocess.run([generator, "csv", "-s", SCALE, "-o", folder, "-q"], check=True)
    for table, columns in types.items():
        path = os.path.join(folder, table)
        connection.execute("CREATE TABLE %s (%s)" % (table, columns))
        connection.execute("COPY %s FROM '%s.csv' (HEADER, DELIMITER ',')" % (table, path))
        subprocess.run(
            [presso, "compress", "-f", "--table", "auto", path + ".csv", "-o", path + ".presso"],
            check=True,
            stderr=subprocess.DEVNULL,
        )


def own_rows(presso, folder, text):
    command = [os.path.abspath(presso), "sql", "-T2", "--format=csv", text]
    answer = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if answer.returncode != 0:
        raise SystemExit("%s\n%s" % (text, answer.stderr))
    return list(csv.reader(answer.stdout.splitlines()))[1:]


def other_rows(connection, text):
    """DuckDB rounds sums before it divides them, so averages are made of sums and counts; Q1, which
    has them, ends with the count of all rows."""
    text = re.sub(r"'(\w+)\.presso'", r"\1", text)
    calls = re.findall(r"\b(avg|sum|count)\(", text)
    averages = [i for i, call in enumerate(calls) if call == "avg"]
    is_q1 = "count_order" in text
    if is_q1:
        text = text.replace("avg(", "sum(")
    rows = [list(row) for row in connection.execute(text).fetchall()]
    for row in rows if is_q1 else []:
        for i in averages:
            # Two keys stand before the aggregates.
            row[i + 2] = float(Fraction(row[i + 2]) / row[-1])
    return rows


def differs(own, other):
    if other is None:
        return own != ""
    if isinstance(other, Decimal):
        return Decimal(own) != other
    if isinstance(other, float):
        return float(own) != other
    return own != str(other)


def check(presso, generator, connection, folder, types):
    """Prints what differs, and returns the number of queries for which something does."""
    make_tables(presso, generator, connection, folder, types)
    failures = 0
    for name in sorted(os.listdir(TEXTS)):
        with open(os.path.join(TEXTS, name), encoding="utf-8") as file:
            text = file.read()
        own = own_rows(presso, folder, text)
        other = other_rows(connection, text)
        is_same = len(own) == len(other) and not any(
            differs(a, b) for x, y in zip(own, other) for a, b in zip(x, y)
        )
        print("%-20s %7d rows" % (name, len(other)))
        if not is_same:
            failures += 1
            print("%s: presso\n  %s\nDuckDB\n  %s" % (name, own[:5], other[:5]))
    return failures
