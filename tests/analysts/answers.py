# SPDX-License-Identifier: MIT
"""Reads tables of CSV with nulls, and compares presso's answer with DuckDB's."""
import datetime
import decimal
import json
import math
import re

TOLERANCE = 1e-12  # of doubles, which DuckDB adds up in another order
INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT",
            "UINTEGER", "UBIGINT", "UHUGEINT")
FIELD = re.compile(r'(?:"((?:[^"]|"")*)"|([^,"\r\n]*))(,|\r?\n|$)')
PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def rows_of(text):
    """Cells as text, None where nothing stands: an empty string is written as two quotes."""
    rows, row, at = [], [], 0
    while at < len(text) or row:
        found = FIELD.match(text, at)
        if not found:
            raise ValueError(f"no CSV from here: {text[at:at + 40]!r}")
        quoted, bare, end = found.groups()
        row.append(quoted.replace('""', '"') if quoted is not None else bare or None)
        at = found.end()
        if end != ",":
            rows.append(row)
            row = []
    return rows


def number(cell):
    try:
        return decimal.Decimal(cell)
    except decimal.InvalidOperation as error:
        raise ValueError(f"{cell!r} is no number") from error


def same_number(ours, theirs, exact):
    ours, theirs = number(ours), number(theirs)
    if ours.is_nan() or theirs.is_nan():
        return ours.is_nan() and theirs.is_nan()
    if exact or ours == theirs:
        return ours == theirs
    return math.isclose(float(ours), float(theirs), rel_tol=TOLERANCE)


def moment(cell):
    """A timestamp in UTC. One without a zone is in UTC."""
    read = datetime.datetime.fromisoformat(cell)
    return read.astimezone(datetime.timezone.utc).replace(tzinfo=None) if read.tzinfo else read


def list_of(cell):
    """A list or struct, as JSON or, of plain words, as DuckDB prints lists."""
    try:
        return json.loads(cell)
    except json.JSONDecodeError:
        if not re.fullmatch(r"\[[^\[\]{}\"]*\]", cell):
            raise
        words = cell[1:-1].split(", ") if cell != "[]" else []
        return [None if word == "NULL" else word for word in words]


def same_nested(ours, theirs):
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(ours) == len(theirs) and all(
            map(same_nested, ours, theirs))
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and list(ours) == list(theirs) and all(
            same_nested(ours[key], theirs[key]) for key in theirs)
    if isinstance(theirs, (int, float)) and not isinstance(theirs, bool):
        return ours is not None and same_number(str(ours), str(theirs), isinstance(theirs, int))
    return ours == theirs


def same_cell(ours, theirs, kind):
    """`kind` is DuckDB's name of the column's type."""
    if ours is None or theirs is None:
        return ours is theirs
    try:
        if kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "JSON")):
            return same_nested(list_of(ours), list_of(theirs))
        if kind in INTEGERS:
            return same_number(ours, theirs, True)
        if kind in ("DOUBLE", "FLOAT") or kind.startswith("DECIMAL"):
            return same_number(ours, theirs, False)
        if kind.startswith("TIMESTAMP"):
            # A date is its midnight: dates stay dates in date_trunc() and beside intervals here.
            return moment(ours) == moment(theirs)
    except ValueError:
        return False
    return ours == theirs


def difference(ours, theirs, ordered=True):
    """What is wrong with the rows `ours`, header first, or nothing. `theirs` has types beside the
    names of its columns. A name is compared if somebody chose it."""
    names, kinds = zip(*(cell.rsplit("::", 1) for cell in theirs[0]))
    if len(ours[0]) != len(names):
        return f"{len(ours[0])} columns, not {len(names)}"
    for mine, name in zip(ours[0], names):
        if PLAIN_NAME.fullmatch(name) and mine != name:
            return f"a column is called {mine!r}, not {name!r}"
    if len(ours) != len(theirs):
        return f"{len(ours) - 1} rows, not {len(theirs) - 1}"
    if ordered:
        return next(filter(None, map(lambda mine, row: row_difference(mine, row, kinds),
                                     ours[1:], theirs[1:])), "")
    return unordered_difference(ours[1:], theirs[1:], kinds)


def row_difference(ours, theirs, kinds):
    if all(map(same_cell, ours, theirs, kinds)):
        return ""
    return f"the row {ours}, not {theirs}"


def unordered_difference(ours, theirs, kinds):
    left = list(theirs)
    for row in ours:
        place = next((place for place, other in enumerate(left)
                      if not row_difference(row, other, kinds)), None)
        if place is None:
            return f"the row {row} is in no answer; left are {left[:3]}"
        left.pop(place)
    return ""
