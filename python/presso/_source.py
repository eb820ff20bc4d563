# SPDX-License-Identifier: MIT
"""The lines or rows that engines read, with the columns and filters that they pass.

A filter is handed on only where that cannot change the answer: not beside a limit, lines of
context, matches across lines, records, or a query that groups, joins or sorts. Tested by
python/tests/test_engines.py.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Union

from presso import _native
from presso._arguments import MOST
from presso._files import Sources, open_files
from presso._pushed import Tree, condition, line_question
from presso._query import Query, quoted
from presso._scan import Scan, scan
from presso.errors import ArgumentError, DamageError

#: What an engine reads: all lines or rows of some sources, or those of a scan or query.
Asked = Union[Sources, Scan, Query]


def source_of(
    asked: Asked,
    patterns: tuple[str | bytes, ...] = (),
    *,
    dictionaries: bool = False,
    **options: Any,
) -> LineSource | RowSource:
    """A source of lines or of a table's rows; patterns and options as in scan(), for lines;
    `dictionaries` as in Query.options(), for rows."""
    if isinstance(asked, (Scan, Query)):
        if patterns or options or dictionaries:
            raise ArgumentError("options are for sources that are named")
        return LineSource(asked) if isinstance(asked, Scan) else RowSource(asked)
    files = open_files(asked, later=True)
    if is_table(files[0]):
        if patterns or options:
            raise ArgumentError("a table has no patterns and options")
        query = Query(files)
        return RowSource(query.options(dictionaries=True) if dictionaries else query)
    if dictionaries:
        raise ArgumentError("lines have no dictionaries")
    return LineSource(scan(files, *patterns, **options))


def is_table(file: _native.OpenedFile) -> bool:
    """Whether the file is a table; a file that is damaged or plain is none."""
    try:
        return _native.Archive.open(file).is_table
    except DamageError:
        return False


class LineSource:
    """The lines of a scan."""

    #: Whether its partitions can be read with other columns.
    takes_columns = True

    def __init__(self, asked: Scan):
        self._scan = asked

    def question(self, columns: Iterable[str] | None, tree: Tree) -> Scan:
        """A scan of the lines that the filter may let pass, with these columns or all."""
        base = self._scan
        asked = dict(base._asked)
        if columns is not None:
            asked["columns"] = list(columns)
        # A filter would change what a limit counts, and which lines are context.
        is_plain = asked["limit"] == MOST and not asked["before"] and not asked["after"]
        if not is_plain or asked["multiline"] or asked["records"] is not None:
            return self._asking(base._patterns, asked)
        more = line_question(tree)
        # Lines may have the time of a line before them, and the first lines of a file tell how.
        if asked["times"] is None:
            asked["first_line"] = max(asked["first_line"], more.first)
            asked["last_line"] = min(asked["last_line"], more.last)
        # Inverted, a further pattern would give more lines.
        if base._patterns or asked["invert"] or more.patterns is None:
            return self._asking(base._patterns, asked)
        sharper = asked | {"syntax": "regex", "ignore_case": False, "unicode": True}
        try:
            patterns = [pattern.encode() for pattern in more.patterns]
            return self._asking(patterns, sharper)
        except ArgumentError:
            # The pattern is no regular expression of RE2's syntax: the engine filters alone.
            return self._asking(base._patterns, asked)

    def _asking(self, patterns, asked):
        """A scan with another question about the same files or the same partition."""
        return Scan(self._scan._files, patterns, asked, self._scan._part)

    def count(self) -> int:
        """The number of lines, from the files' own line facts if possible."""
        base, asked = self._scan, self._scan._asked
        gives_all = base._is_everything() and asked["limit"] == MOST and asked["fail_fast"]
        # Partitions of files with an address tell how many lines they have.
        is_divided = base._part is None and all(file.url or file.path for file in base._files)
        if not gives_all or not is_divided:
            return base.count()
        parts = base.partitions(MOST)
        return sum(part.scan().count() if part.rows is None else part.rows for part in parts)


class RowSource:
    """The rows of a query's answer."""

    def __init__(self, asked: Query):
        self._query = asked
        self.takes_columns = self._is_plain()
        self._columns = asked.column_kinds() if self.takes_columns else {}

    def _is_plain(self):
        """Whether the answer has rows of files as they are, so that conditions can be added."""
        asked = self._query._asked
        return self._query._files is not None and all(one[0] in _OF_ROWS for one in asked)

    def question(self, columns: Iterable[str] | None, tree: Tree) -> Query:
        """A query of the rows that the filter may let pass, with these columns or all. A query that
        does more than choose rows of files is left as it is, with all columns."""
        if not self._is_plain():
            return self._query
        made = Query(self._query._files)
        for method, *arguments in self._query._asked:
            made._ask(method, *arguments)
        more = condition(tree, self._columns)
        if more is not None:
            made.where(more)
        if columns is not None and (names := list(columns)):
            made.select(", ".join(map(quoted, names)))
        return made

    def count(self) -> int:
        """The number of rows of the answer."""
        return self._query.run()["rows"]


_OF_ROWS = ("alias", "where", "set_options")
