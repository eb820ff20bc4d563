# SPDX-License-Identifier: MIT
"""Datasets of pyarrow, which DuckDB, DataFusion and other engines read.

Columns and filters that an engine passes are handed on as far as they are understood (_pushed.py);
pyarrow then applies the whole filter, so that what is not understood costs time and never rows.
Views of strings and lists, which pyarrow cannot filter, are given as strings and lists.
Datasets cannot be pickled; their partitions can. Tested by python/tests/test_engines.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pyarrow
import pyarrow.dataset

from presso._partition import Partition
from presso._plain_types import plain_reader, plain_schema
from presso._pushed import Tree
from presso._read_filter import tree_of
from presso._source import LineSource, RowSource, source_of
from presso.errors import ArgumentError


class Dataset(pyarrow.dataset.Dataset):
    """Lines or rows as a dataset of pyarrow, made by presso.dataset(). Nothing is read before a
    scanner or a fragment is used."""

    def __init__(self, asked: Any, target_bytes: int, options: dict[str, Any]):
        self._source = source_of(asked, **options)
        self._target_bytes = target_bytes
        self._schema = plain_schema(pyarrow.schema(self._source.question(None, None)))

    @property
    def schema(self) -> pyarrow.Schema:
        return self._schema

    def __repr__(self):
        names = self._schema.names
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        return f"<presso.Dataset of columns {', '.join(names[:5])}{more}>"

    @property
    def partition_expression(self) -> pyarrow.dataset.Expression:
        return pyarrow.dataset.scalar(True)

    def scanner(self, columns: Any = None, filter: Any = None, **settings: Any) -> Any:
        """A pyarrow.dataset.Scanner, or an object with its methods. If the reader stops early, the
        search ends too. The size of batches cannot be chosen."""
        question = self._source.question(*self._needed(columns, filter))
        return _scanner(question, columns, filter, settings)

    def get_fragments(self, filter: Any = None) -> Iterator[Fragment]:
        """The partitions, without those that `filter` rules out. There is a single one where the
        question cannot be divided: for a partition, a limit, groups, joins or file objects."""
        columns, tree = self._needed(None, filter)
        question = self._source.question(columns, tree)
        try:
            parts = question.partitions(self._target_bytes)
            has_rows = not any(part.is_partial for part in parts)
        except ArgumentError:
            has_rows = False
        if not has_rows:
            parts = [_Whole(self._source, tree)]
        for part in parts:
            yield Fragment(self, part)

    def count_rows(self, filter: Any = None, **_: Any) -> int:
        """How many rows there are; lines without a pattern are counted without decoding them."""
        if filter is not None:
            return self.scanner(columns=[], filter=filter).count_rows()
        return self._source.count()

    def filter(self, expression: Any) -> Any:
        raise NotImplementedError("filter what scanner() gives, or the scan or query")

    replace_schema = join = join_asof = sort_by = filter

    def __reduce__(self):
        raise TypeError("datasets are not pickled; partitions are")

    def _needed(self, columns, filter):
        """The names of the columns that the question has to give, None for all, and the part of the
        filter that is understood. pyarrow does not tell which columns an expression uses, so its
        text is searched for their names, which may find too many and never too few."""
        tree: Tree = None if filter is None else tree_of(filter, self._schema)
        if columns is None:
            return None, tree
        named = list(columns.values()) if isinstance(columns, dict) else columns
        names = {one for one in named if isinstance(one, str)}
        texts = [str(one) for one in [*named, filter] if not isinstance(one, str)]
        if any("FieldRef" in text or "FieldPath" in text for text in texts):
            return None, tree
        # Texts of expressions have the names of their columns, and perhaps others.
        needed = [
            name
            for name in self._schema.names
            if name in names or any(_is_in(name, text) for text in texts)
        ]
        # The number of rows can only be seen in a column.
        return needed or self._schema.names[:1], tree


class _Whole:
    """A question that cannot be divided, in the form of a partition."""

    def __init__(self, source: LineSource | RowSource, tree: Tree):
        self._source = source
        self._tree = tree

    def scan(self, columns: Any = None) -> Any:
        """The whole question, as a Scan or a Query."""
        return self._source.question(columns, self._tree)


class Fragment:
    """A partition of a dataset, which engines read as one of pyarrow's fragments."""

    def __init__(self, dataset: Dataset, part: Partition | _Whole):
        self._dataset = dataset
        self._part = part

    @property
    def physical_schema(self) -> pyarrow.Schema:
        return self._dataset.schema

    @property
    def partition_expression(self) -> Any:
        return self._dataset.partition_expression

    def scanner(
        self, schema: Any = None, columns: Any = None, filter: Any = None, **settings: Any
    ) -> Any:
        """A scanner of it, as that of a Dataset."""
        needed, _tree = self._dataset._needed(columns, filter)
        takes_columns = self._dataset._source.takes_columns
        question = self._part.scan(needed if takes_columns else None)
        return _scanner(question, columns, filter, settings)

    def to_table(self, *args: Any, **options: Any) -> pyarrow.Table:
        """Its rows; arguments as of scanner()."""
        return self.scanner(*args, **options).to_table()

    def to_batches(self, *args: Any, **options: Any) -> Iterator[pyarrow.RecordBatch]:
        """Its rows in batches; arguments as of scanner()."""
        return self.scanner(*args, **options).to_batches()

    def head(self, num_rows: int, **options: Any) -> pyarrow.Table:
        """Its first rows; options as of scanner()."""
        return self.scanner(**options).head(num_rows)

    def count_rows(self, filter: Any = None, **_: Any) -> int:
        """How many rows it has."""
        return self.scanner(columns=[], filter=filter).count_rows()


def _is_in(name, text):
    """Whether the text has the name as a word of its own."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


class _AsItComes:
    """A scanner whose batches need neither a filter nor other columns. Its reader is the stream
    itself, which avoids the threads and queues of pyarrow's scanner."""

    def __init__(self, scanner: pyarrow.dataset.Scanner, reader: pyarrow.RecordBatchReader):
        self._scanner = scanner
        self._reader = reader

    def to_reader(self) -> pyarrow.RecordBatchReader:
        """The stream, which can be read once, like that of pyarrow's scanner of batches."""
        return self._reader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._scanner, name)


def _scanner(question, columns, filter, settings):
    # pyarrow.dataset.write_dataset() passes settings and needs pyarrow's own scanner.
    reader = plain_reader(question)
    scanner = pyarrow.dataset.Scanner.from_batches(reader, columns=columns, filter=filter)
    is_as_wanted = not settings and filter is None and columns in (None, reader.schema.names)
    return _AsItComes(scanner, reader) if is_as_wanted else scanner
