# SPDX-License-Identifier: MIT
"""Whether two answers are the same. Whole numbers, decimals, strings, dates and truth values are
equal or not; doubles may differ by a billionth, since DuckDB adds them up in another order and
divides decimals as doubles. Sums and averages of doubles are compared with what Python's math.fsum
gives for the values, which is the sum rounded once."""

import math
import struct
from decimal import Decimal

TOLERANCE = 1e-9


def own_value(text, type):
    """A value of presso's, whose text depends on its type."""
    if text is None:
        return None
    if type.startswith(("int", "uint")):
        return int(text)
    if type.startswith("decimal"):
        return Decimal(text)
    if type == "float":
        return as_float(float(text))
    if type == "double":
        return float(text)
    if type == "bool":
        return text == "true"
    if type.startswith("timestamp"):
        return short_time(text)
    return text


def short_time(text):
    """Without zeros at the end of a fraction, and none at midnight of it."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def as_float(value):
    """The nearest of 32 bits: presso's text of a float has no more digits than that needs."""
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return value


def other_value(value, type):
    if isinstance(value, str) and type.startswith("timestamp"):
        return short_time(value)
    if isinstance(value, str) and type == "date":
        return value[:10] if value[10:] in ("", " 00:00:00") else value
    return value


def exact_total(values, kind):
    """fsum, with what it does not take: infinities of both signs, sums beyond the last double."""
    values = [value for value in values or [] if value is not None]
    if not values:
        return None
    if any(math.isnan(value) for value in values):
        return math.nan
    infinite = {value for value in values if math.isinf(value)}
    if len(infinite) == 2:
        return math.nan
    if infinite:
        return infinite.pop()
    try:
        total = math.fsum(values)
    except OverflowError:
        scaled = math.fsum(value / 4294967296 for value in values)
        if kind == "avg":
            return scaled / len(values) * 4294967296
        return scaled * 4294967296
    return total / len(values) if kind == "avg" else total


def equal(a, b):
    if a is None or b is None:
        return a is b
    if isinstance(a, bool) or isinstance(b, bool):
        return isinstance(b, (bool, int)) and isinstance(a, (bool, int)) and bool(a) == bool(b)
    numbers = (int, float, Decimal)
    if isinstance(a, numbers) and isinstance(b, numbers):
        if not isinstance(a, float) and not isinstance(b, float):
            return a == b
        a, b = float(a), float(b)
        if math.isnan(a) or math.isnan(b):
            return math.isnan(a) and math.isnan(b)
        return a == b or abs(a - b) <= TOLERANCE * max(abs(a), abs(b), 1e-290)
    return a == b


def sort_key(row, keys):
    """By the first columns, or where `keys` is negative by the last ones."""

    def one(value):
        if value is None:
            return (3, 0)
        if isinstance(value, float) and math.isnan(value):
            return (2, 0)
        if isinstance(value, (bool, int, float, Decimal)):
            return (0, value + 0)
        return (1, value)

    return [one(value) for value in (row[:keys] if keys >= 0 else row[keys:])]


def difference(query, answer, rows, sums):
    """What differs between presso's answer and another's rows, or None."""
    types = answer["types"]
    own = [[own_value(text, type) for text, type in zip(row, types)] for row in answer["rows"]]
    other = [[other_value(value, type) for value, type in zip(row, types)] for row in rows]
    for column, kind in sums.items():
        for row in other:
            row[column] = exact_total(row[column], kind)
    if len(own) != len(other):
        return "%d rows, not %d" % (len(own), len(other))
    if not query.ordered:
        own.sort(key=lambda row: sort_key(row, query.keys))
        other.sort(key=lambda row: sort_key(row, query.keys))
    for number, (a, b) in enumerate(zip(own, other)):
        for column, (x, y) in enumerate(zip(a, b)):
            if not equal(x, y):
                return "row %d column %d (%s): %r, not %r\n    %r\n    %r" % (
                    number,
                    column,
                    types[column],
                    x,
                    y,
                    a,
                    b,
                )
    return None
