# SPDX-License-Identifier: MIT
"""Lines and rows for Polars, which also needs pyarrow.

Polars passes columns, limits and filters; a filter is read from its JSON, and the parts that are
not understood are left to Polars, which applies the whole filter again. Tested by
python/tests/test_engines.py.

    import presso.polars

    lines = presso.polars.scan("logs/*.presso")
    found = lines.filter(polars.col("line").str.contains("time(d )?out"))
    found.group_by("path").len().collect()
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import polars
import polars.io.plugins
import pyarrow

from presso._pushed import Tree
from presso._source import Asked, source_of

_OPERATORS = {"Eq": "=", "Lt": "<", "LtEq": "<=", "Gt": ">", "GtEq": ">="}
_MIRRORED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_TESTS = {"StartsWith": "begins", "EndsWith": "ends"}
_BETWEEN = {"Both": (">=", "<="), "Left": (">=", "<"), "Right": (">", "<="), "None": (">", "<")}


def scan(asked: Asked, **options: Any) -> polars.LazyFrame:
    """Makes a LazyFrame from files' lines, with options as in presso.scan(), from a table's rows,
    or from a scan or query. Columns, limits and filters are passed on to presso. Blocks and lines
    that cannot pass are left out for `str.contains` with literals and regular expressions,
    `starts_with`, `ends_with` and `==` on the column `line`, for ranges of `line_number`, and for
    comparisons of a table's numbers, strings and dates."""
    source = source_of(asked, **options)
    empty = polars.from_arrow(pyarrow.schema(source.question(None, None)).empty_table())

    def batches(
        columns: list[str] | None,
        predicate: polars.Expr | None,
        limit: int | None,
        _batch_size: int | None,
    ) -> Iterator[polars.DataFrame]:
        question = source.question(columns, tree_of(predicate))
        with pyarrow.RecordBatchReader.from_stream(question) as reader:
            for batch in reader:
                frame = polars.from_arrow(batch)
                if predicate is not None:
                    frame = frame.filter(predicate)
                if columns is not None:
                    frame = frame.select(columns)
                if limit is not None:
                    frame = frame.head(limit)
                    limit -= frame.height
                yield frame
                if limit == 0:
                    return

    return polars.io.plugins.register_io_source(batches, schema=empty.schema)


def tree_of(predicate: polars.Expr | None) -> Tree:
    """The part of an expression that is understood, as a tree of _pushed.py; None if none is.
    Polars applies the whole expression again."""
    if predicate is None:
        return None
    try:
        return _tree(json.loads(predicate.meta.serialize(format="json")))
    except (ValueError, polars.exceptions.PolarsError):
        return None


def _tree(node):
    match node:
        case {"BinaryExpr": {"left": left, "op": "And" | "LogicalAnd", "right": right}}:
            return "and", _tree(left), _tree(right)
        case {"BinaryExpr": {"left": left, "op": "Or" | "LogicalOr", "right": right}}:
            return "or", _tree(left), _tree(right)
        case {"BinaryExpr": {"left": left, "op": op, "right": right}} if op in _OPERATORS:
            sign = _OPERATORS[op]
            if "Column" in left:
                return _comparison(sign, left, right)
            return _comparison(_MIRRORED[sign], right, left)
        case {"Function": {"input": [column, text], "function": {"StringExpr": {"Contains": how}}}}:
            return _comparison("contains" if how["literal"] else "matches", column, text)
        case {"Function": {"input": [column, text], "function": {"StringExpr": str(test)}}}:
            return _comparison(_TESTS.get(test), column, text)
        case {
            "Function": {
                "input": [column, least, most],
                "function": {"Boolean": {"IsBetween": {"closed": closed}}},
            }
        }:
            low, high = _BETWEEN[closed]
            return "and", _comparison(low, column, least), _comparison(high, column, most)
    return None


def _comparison(kind, column, literal):
    """The tree for a test of a column against a literal; None if either is something else."""
    match column, literal:
        case {"Column": str(name)}, {"Literal": {"Scalar": scalar}} if kind and len(scalar) == 1:
            ((type_name, value),) = scalar.items()
            if type_name == "String" or type_name.startswith(("Int", "UInt")):
                return kind, name, value
    return None
