# SPDX-License-Identifier: MIT
"""Turns filters of engines into questions of presso, so that what they rule out is not read.

An engine's filter becomes a tree of tuples, and the tree becomes patterns and ranges of lines, or a
condition of a query. The question may let more rows pass than the filter, never fewer: what is not
understood lets all rows pass, and the engine applies its own filter again. Tested by
python/tests/test_engines.py and test_regex.py. The trees are:

    ("and", trees...), ("or", trees...)
    ("=" | "<" | "<=" | ">" | ">=", column, value)
    ("in", column, values)
    ("contains" | "begins" | "ends", column, text)
    ("matches", column, expression of Rust's regular expressions)
    None: not understood
"""

from __future__ import annotations

import datetime
from typing import Any, NamedTuple, Union

from presso._arguments import MOST
from presso._query import quoted

Tree = Union[tuple, None]


# --- lines


class LineQuestion(NamedTuple):
    """A question to presso.scan(): the lines `first` to `last` that match one of the patterns.
    Patterns are regular expressions; None stands for any line."""

    first: int = 1
    last: int = MOST
    patterns: tuple[str, ...] | None = None


def line_question(tree: Tree) -> LineQuestion:
    """The question to presso.scan() that gives all lines which the tree may let pass. It may give
    more: engines apply their filter to what they get."""
    if tree is None:
        return LineQuestion()
    kind, *rest = tree
    if kind == "and":
        asked = [line_question(part) for part in rest]
        patterns = [one.patterns for one in asked if one.patterns is not None]
        return LineQuestion(
            max(one.first for one in asked),
            min(one.last for one in asked),
            max(patterns, key=_sharpness, default=None),
        )
    if kind == "or":
        asked = [line_question(part) for part in rest]
        is_known = all(one.patterns is not None for one in asked)
        return LineQuestion(
            min(one.first for one in asked),
            max(one.last for one in asked),
            tuple(p for one in asked for p in one.patterns) if is_known else None,
        )
    column, value = rest
    if column == "line_number":
        return _numbers(kind, value)
    if column == "line":
        return LineQuestion(patterns=_patterns(kind, value))
    return LineQuestion()


def _sharpness(patterns):
    """How much a set of patterns is likely to leave out: the length of its shortest one."""
    return min(map(len, patterns))


def _numbers(kind, value):
    """The range of lines for a comparison of line numbers."""
    values = value if kind == "in" else [value]
    is_whole = all(isinstance(one, int) and not isinstance(one, bool) for one in values)
    if not values or not is_whole:
        return LineQuestion()
    first, last = 1, MOST
    if kind in ("=", "in", ">", ">="):
        first = min(values) + (kind == ">")
    if kind in ("=", "in", "<", "<="):
        last = max(values) - (kind == "<")
    # No line has a number below 1.
    return LineQuestion(min(max(first, 1), MOST), min(max(last, 0), MOST))


def _patterns(kind, value):
    """The patterns for a test of the line's text; None if it cannot be written as patterns."""
    if kind == "matches":
        wider = wider_expression(value)
        return None if wider is None else (wider,)
    texts = value if kind == "in" else [value]
    if kind not in ("=", "in", "contains", "begins", "ends"):
        return None
    if not texts or not all(isinstance(text, str) and _is_in_the_file(text) for text in texts):
        return None
    begin = "^" if kind in ("=", "in", "begins") else ""
    end = "$" if kind in ("=", "in", "ends") else ""
    return tuple(begin + _escaped(text) + end for text in texts)


def _is_in_the_file(text):
    """Whether a line of the file has these bytes where the column has the text: U+FFFD may stand
    for a byte that is no UTF-8, and a line feed is in no line."""
    return "\ufffd" not in text and "\n" not in text


def _escaped(text):
    return "".join("\\" + c if c in "\\.+*?()|[]{}^$-" else c for c in text)


#: Any character of the column: in the file it has up to four bytes, which need not be UTF-8.
_ANY = "(?:(?s-u:.){1,4})"


def wider_expression(text: str) -> str | None:
    """A regular expression of presso that matches at least the lines in whose column `line` Rust's
    expression `text` matches; None if that is not certain. Whatever the two grammars read
    differently, and whatever tells UTF-8 from other bytes, becomes "any character"."""
    made = []
    at = 0
    while at < len(text):
        char = text[at]
        at += 1
        if char == "\\":
            if at == len(text):
                return None
            escaped = text[at]
            at += 1
            if escaped in "dDwWsS":
                made.append(_ANY)
            elif escaped == "b":
                # A boundary of words becomes the empty string, which is everywhere.
                made.append("(?:)")
            elif not escaped.isalnum() and escaped.isascii():
                made.append("\\" + escaped)
            else:
                return None
        elif char == "[":
            end = _class_end(text, at)
            if end is None:
                return None
            made.append(_ANY)
            at = end
        elif char == ".":
            made.append(_ANY)
        elif char == "(":
            if text.startswith("?", at):
                if not text.startswith("?:", at):
                    return None
                at += 2
            made.append("(?:")
        elif char in "^$|)*+?":
            made.append(char)
        elif char == "{":
            end = text.find("}", at)
            bounds = text[at:end].split(",")
            if end < 0 or len(bounds) > 2 or not bounds[0].isdigit() or not _is_count(bounds[-1]):
                return None
            made.append(text[at - 1 : end + 1])
            at = end + 1
        elif _is_in_the_file(char) and char not in "]}":
            made.append(char)
        else:
            return None
    return "".join(made)


def _is_count(text):
    return text == "" or (text.isascii() and text.isdigit() and int(text) <= 100)


def _class_end(text, at):
    """The place after a class in brackets; None if it has more than characters and ranges."""
    end = text.find("]", at + 1 + text.startswith("^", at))
    inside = text[at:end]
    return None if end < 0 or any(c in inside for c in "[&~\\") or "--" in inside else end + 1


# --- tables


def condition(tree: Tree, columns: dict[str, str]) -> str | None:
    """A condition of a query that is true for at least the rows that pass the filter; None if there
    is none. `columns` has the kind ("integer", "string", "date" or "timestamp") of each column that
    all libraries compare in the same way."""
    if tree is None:
        return None
    kind, *rest = tree
    if kind == "and":
        known = [text for part in rest if (text := condition(part, columns)) is not None]
        return " and ".join(f"({text})" for text in known) or None
    if kind == "or":
        parts = [condition(part, columns) for part in rest]
        return None if None in parts else " or ".join(f"({text})" for text in parts)
    column, value = rest
    values = list(value) if kind == "in" else [value]
    if column not in columns or not values or kind not in ("=", "in", "<", "<=", ">", ">="):
        return None
    literals = [_literal(one, columns[column]) for one in values]
    if None in literals:
        return None
    if kind == "in":
        return f"{quoted(column)} in ({', '.join(literals)})"
    return f"{quoted(column)} {kind} {literals[0]}"


def _literal(value: Any, kind: str) -> str | None:
    """The value as a literal of a query; None if it is not certain to be compared alike."""
    if kind == "integer" and isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < 1 << 62 else None
    if kind == "string" and isinstance(value, str) and "\0" not in value:
        return "'" + value.replace("'", "''") + "'"
    is_time = isinstance(value, datetime.datetime)
    if kind == "date" and isinstance(value, datetime.date) and not is_time:
        return f"date '{value.isoformat()}'" if value.year >= 1000 else None
    # Parts of a second may be finer than the column's.
    is_second = is_time and value.tzinfo is None and value.microsecond == 0
    if kind == "timestamp" and is_second and value.year >= 1000:
        return f"timestamp '{value.isoformat(' ')}'"
    return None
