# SPDX-License-Identifier: MIT
"""Reads filters of pyarrow, which does not show what they are made of.

The text of a filter is parsed, and a filter is made from what was understood. Only if pyarrow finds
it equal to the original is the parse believed, so that a change of pyarrow's texts costs speed and
never rows. Tested by python/tests/test_engines.py.
"""

from __future__ import annotations

import datetime
import json
import re
from typing import Any

import pyarrow
import pyarrow.compute

from presso._pushed import Tree

_OPERATORS = {"==": "=", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "!=": None}
_IS_IN = re.compile(
    r"is_in\((?P<name>.*?), \{value_set=(?P<type>\w+):\[(?P<values>.*?)\n?\], ", re.DOTALL
)
_DEEPEST = 100


def tree_of(filter: Any, schema: pyarrow.Schema) -> Tree:
    """A pyarrow.dataset.Expression as a tree of _pushed.py; None if it is not understood."""
    # Engines have texts of their own type, whatever the column's is.
    for text_type in (pyarrow.string(), pyarrow.large_string(), pyarrow.string_view()):
        reader = _Reader(str(filter), schema, text_type)
        try:
            tree, made = reader.filter()
        except (_UnknownError, ValueError, pyarrow.ArrowException):
            return None
        if reader.at == len(reader.text) and made.equals(filter):
            return tree
    return None


class _UnknownError(Exception):
    """The text has something that is not understood here."""


class _Reader:
    """A parser by recursive descent. Its methods return pairs of a tree and the filter of pyarrow
    that it stands for; a part that lets all pass has the tree None."""

    def __init__(self, text, schema, text_type):
        self.text = text
        self.text_type = text_type
        self.at = 0
        self.schema = schema
        self.depth = 0

    def filter(self):
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _UnknownError
        for begin, read in (
            ("if_else(is_valid(", self._is_in),
            ("is_valid(", lambda: self._of_nulls("is_valid", ")")),
            ("is_null(", lambda: self._of_nulls("is_null", ", {nan_is_null=false})")),
            ("(", self._in_brackets),
        ):
            if self.text.startswith(begin, self.at):
                self.at += len(begin)
                made = read()
                self.depth -= 1
                return made
        raise _UnknownError

    def _take(self, text):
        if not self.text.startswith(text, self.at):
            return False
        self.at += len(text)
        return True

    def _name(self, behind):
        """Reads a column's name that one of the given texts follows. Returns the name and the
        text."""
        for name in sorted(self.schema.names, key=len, reverse=True):
            for end in behind:
                if self.text.startswith(name + end, self.at):
                    self.at += len(name) + len(end)
                    return name, end
        raise _UnknownError

    def _in_brackets(self):
        begin = self.at
        try:
            return self._comparison()
        except _UnknownError:
            self.at = begin
        left, left_made = self.filter()
        if self._take(" and "):
            right, right_made = self.filter()
            made = ("and", left, right), left_made & right_made
        elif self._take(" or "):
            right, right_made = self.filter()
            made = ("or", left, right), left_made | right_made
        else:
            raise _UnknownError
        if not self._take(")"):
            raise _UnknownError
        return made

    def _comparison(self):
        name, sign = self._name([f" {sign} " for sign in _OPERATORS])
        sign = sign.strip()
        value = self._value(name)
        if not self._take(")"):
            raise _UnknownError
        field = pyarrow.compute.field(name)
        made = {
            "==": field.__eq__,
            "!=": field.__ne__,
            "<": field.__lt__,
            "<=": field.__le__,
            ">": field.__gt__,
            ">=": field.__ge__,
        }[sign](value)
        known = _OPERATORS[sign]
        return known and (known, name, value.as_py()), made

    def _value(self, name):
        """A scalar of the column's type."""
        kind = self.schema.field(name).type
        if self.text.startswith('"', self.at):
            value, end = json.JSONDecoder().raw_decode(self.text, self.at)
            self.at = end
            return pyarrow.scalar(value, self.text_type)
        end = self.text.index(")", self.at)
        text = self.text[self.at : end]
        self.at = end
        if pyarrow.types.is_integer(kind):
            return pyarrow.scalar(int(text), kind)
        if pyarrow.types.is_date32(kind):
            return pyarrow.scalar(datetime.date.fromisoformat(text), kind)
        if pyarrow.types.is_timestamp(kind):
            return pyarrow.scalar(text).cast(kind)
        raise _UnknownError

    def _of_nulls(self, function, end):
        name, _ = self._name([end])
        field = pyarrow.compute.field(name)
        return None, getattr(field, function)()

    def _is_in(self):
        """Reads a test for a list of values in the form that DuckDB gives it."""
        valid, _ = self._name(["), "])
        found = _IS_IN.match(self.text, self.at)
        if found is None or found["name"] != valid:
            raise _UnknownError
        self.at = found.end()
        if not self._take("null_matching_behavior=MATCH}), null[bool])"):
            raise _UnknownError
        values = json.loads("[" + found["values"] + "]")
        kind = pyarrow.type_for_alias(found["type"])
        compute = pyarrow.compute
        field = compute.field(valid)
        is_in = compute.is_in(
            field, options=compute.SetLookupOptions(pyarrow.array(values, kind))
        )
        null = pyarrow.scalar(None, pyarrow.bool_())
        return ("in", valid, values), compute.if_else(field.is_valid(), is_in, null)
