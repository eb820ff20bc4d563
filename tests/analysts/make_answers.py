#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes NNN_name.csv beside each NNN_name.sql: the answer of DuckDB 2.0.1 (pip install
duckdb==2.0.1). The header names each column and its type, `name::BIGINT`.

    make_answers.py [FOLDER]    FOLDER holds the statements and data/; by default this one

Each statement is also run over the same files with their rows in reverse, which finds statements
whose comment `order` is wrong: without ORDER BY, rows are compared as a multiset (`-- order: none`)
or, where people rely on it, in the order of the file (`-- order: file`).
"""
import csv
import datetime
import json
import os
import pathlib
import re
import sys
import tempfile

import duckdb

from statements import HERE, all_statements

VERSION = "2.0.1"


def interval_text(value):
    """As DuckDB prints it, for intervals of days and less."""
    seconds = value.seconds
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    if value.microseconds:
        clock += f".{value.microseconds:06}".rstrip("0")
    days = f"{value.days} day{'s' if value.days != 1 else ''}"
    return days if value.days and not value.seconds else f"{days} {clock}" if value.days else clock


def plain(value):
    """What json.dumps can write."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return text(value)


def text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ")
    if isinstance(value, datetime.timedelta):
        return interval_text(value)
    if isinstance(value, (dict, list, tuple)):
        return json.dumps(plain(value), ensure_ascii=False)
    return str(value)


def prepared(connection, statement, query):
    """The answer of a query with the parameters of its statement."""
    values = ", ".join(f"{name} := {literal}" if name else literal
                       for name, literal in statement.parameters())
    connection.execute(f"PREPARE query AS {query}")
    return connection.execute(f"EXECUTE query({values})")


def answer(statement, data, out):
    """(header, rows of texts and None) over the tables in the folder `data`."""
    before = os.getcwd()
    os.chdir(data)
    try:
        connection = duckdb.connect()
        connection.execute("SET TimeZone = 'UTC'")
        query = statement.text.replace("${OUT}", str(out)).rstrip().rstrip(";")
        # What presso keeps in a file is a table of a data base here.
        query = re.sub(r"(?i)create table '([^']*)'", r'CREATE TABLE "\1"', query)
        run = connection.execute
        done = prepared(connection, statement, query) if statement.parameters() else run(query)
        if statement.about["then"]:
            then = statement.about["then"].replace("${OUT}", str(out))
            done = run(re.sub(r"'([^']*\.presso)'", r'"\1"', then))
        header = [f"{column[0]}::{column[1]}" for column in done.description]
        rows = [[None if cell is None else text(cell) for cell in row] for row in done.fetchall()]
        return header, rows
    finally:
        os.chdir(before)


def reverse_tables(data, folder):
    for path in data.iterdir():
        header = 0 if path.suffix == ".jsonl" else 1
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        (folder / path.name).write_text("".join(lines[:header] + lines[header:][::-1]),
                                        encoding="utf-8")


def rounded(row):
    """Sums of doubles in another order differ in their last digits."""
    cells = []
    for cell in row:
        try:
            cells.append(f"{float(cell):.9g}")
        except (TypeError, ValueError):
            cells.append("" if cell is None else cell)
    return cells


def order_fault(statement, rows, other):
    """What the comments say wrongly, given the answer over the reversed tables; or none."""
    rows, other = [rounded(row) for row in rows], [rounded(row) for row in other]
    if statement.about["compare"] or statement.about["order"] == "file":
        return ""
    if sorted(rows) != sorted(other):
        return "depends on the order of the rows in the file"
    if rows != other and statement.about["order"] != "none":
        return "ORDER BY does not settle the order of all rows"
    return ""


def write_answer(statement, header, rows):
    with open(statement.answer_path, "w", newline="", encoding="utf-8") as file:
        file.write(",".join(quoted(cell) for cell in header) + "\n")
        for row in rows:
            file.write(",".join("" if cell is None else quoted(cell) for cell in row) + "\n")


def quoted(cell):
    """Null is nothing, the empty string is two quotes."""
    special = cell == "" or any(letter in cell for letter in ',"\n\r') or cell != cell.strip()
    return '"' + cell.replace('"', '""') + '"' if special else cell


def make(statement, folder, reversed_data):
    with tempfile.TemporaryDirectory() as out, tempfile.TemporaryDirectory() as other_out:
        header, rows = answer(statement, folder / "data", out)
        fault = order_fault(statement, rows, answer(statement, reversed_data, other_out)[1])
        if fault:
            raise ValueError(fault)
    kept = statement.compared_columns()
    if kept:
        places = [[name.split("::")[0] for name in header].index(name) for name in kept]
        header = [header[place] for place in places]
        rows = [[row[place] for place in places] for row in rows]
    if statement.only_counts_rows():
        rows = [[None] * len(header)] * len(rows)
    write_answer(statement, header, rows)


def main():
    if duckdb.__version__ != VERSION:
        sys.exit(f"this is DuckDB {duckdb.__version__}, not {VERSION}")
    folder = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else HERE
    faults = 0
    statements = all_statements(folder)
    with tempfile.TemporaryDirectory() as reversed_data:
        reverse_tables(folder / "data", pathlib.Path(reversed_data))
        for statement in statements:
            try:
                make(statement, folder, pathlib.Path(reversed_data))
            except (duckdb.Error, ValueError) as error:
                faults += 1
                print(f"{statement.name}: {error}", file=sys.stderr)
    print(f"{len(statements)} statements, {faults} without an answer")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
