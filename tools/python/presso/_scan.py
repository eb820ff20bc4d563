# SPDX-License-Identifier: MIT
"""Searching lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from presso import _native
from presso._files import Sources, open_files
from presso.errors import ArgumentError

COLUMNS = ("path", "line_number", "offset", "line", "spans")
_ALL = (1 << 64) - 1


class Match(NamedTuple):
    """A line that was found."""

    path: str
    line_number: int  #: from 1 on
    offset: int  #: of its first byte in the plain text
    line: bytes  #: with its line end
    spans: tuple[tuple[int, int], ...]  #: (begin, end) of each match in it


def scan(
    sources: Sources,
    *patterns: str | bytes,
    fixed: bool = False,
    like: bool = False,
    ignore_case: bool = False,
    word: bool = False,
    whole_line: bool = False,
    invert: bool = False,
    unicode: bool = True,
    multiline: bool = False,
    before: int = 0,
    after: int = 0,
    lines: tuple[int, int | None] | None = None,
    limit: int | None = None,
    columns: Iterable[str] = COLUMNS[:4],
    text: bool = True,
    on_error: str = "raise",
    use_index: bool = True,
    threads: int = 0,
) -> Scan:
    """Searches files, compressed by presso or plain, for lines that match one of the patterns.

    Nothing is read before the result is used: iterate over it, count() it, or hand it to any
    library that reads Arrow's streams (`pyarrow.table(found)`, `polars.DataFrame(found)`,
    DuckDB's `from found`). Each use searches anew.

    Args:
        sources: a path, URL or file object, or several; "logs/*.presso" stands for all that match.
        patterns: regular expressions (RE2's syntax), as str or bytes.
        fixed: patterns are strings; like: they are SQL's LIKE, against whole lines.
        word, whole_line: what must stand around a match.
        invert: lines without a match.
        before, after: lines of context.
        lines: (first, last): only these lines, counted from 1.
        limit: at most so many lines, of all files together.
        columns: of the Arrow stream, of path, line_number, offset, line and spans.
        text: the column `line` is text, in which what is no UTF-8 is replaced by U+FFFD; else
            binary.
        on_error: "raise" ends the search at the first damaged block with a DamageError; "skip"
            leaves such blocks out and lists them in totals["damage"].
        threads: 0: all.

    Raises ArgumentError for a bad pattern, FileError for a file that cannot be opened.
    """
    if not patterns:
        raise ArgumentError("no pattern")
    if fixed and like:
        raise ArgumentError("fixed and like exclude each other")
    if on_error not in ("raise", "skip"):
        raise ArgumentError(f"on_error={on_error!r}: 'raise' or 'skip'")
    first_line, last_line = lines if lines is not None else (1, _ALL)
    asked = {
        "syntax": "fixed" if fixed else "like" if like else "regex",
        "ignore_case": ignore_case,
        "bounds": "line" if whole_line else "word" if word else "none",
        "invert": invert,
        "unicode": unicode,
        "multiline": multiline,
        "before": before,
        "after": after,
        "first_line": first_line,
        "last_line": _ALL if last_line is None else last_line,
        "limit": _ALL if limit is None else limit,
        "text": text,
        "fail_fast": on_error == "raise",
        "use_index": use_index,
        "threads": threads,
    }
    return Scan(open_files(sources), [_as_text(pattern) for pattern in patterns], asked, columns)


def _as_text(pattern):
    if isinstance(pattern, bytes):
        return pattern.decode("utf-8", "surrogateescape")
    return pattern


class Scan:
    """A search that presso.scan() has made."""

    def __init__(self, files, patterns, asked, columns):
        self._files = files
        self._patterns = patterns
        self._asked = asked
        self._stream = self._made(columns)
        self.totals: dict[str, Any] = {}  #: of the last iteration that came to its end

    def _made(self, columns):
        return _native.make_scan(
            self._files, self._patterns, {**self._asked, "columns": list(columns)}
        )

    def __iter__(self) -> Iterator[Match]:
        """Match for each line. Ctrl-C ends it."""
        lines = self._made(COLUMNS).lines()
        while (batch := lines.next()) is not None:
            for row in batch:
                yield Match._make(row)
        self.totals = lines.totals()

    def count(self) -> int:
        """How many lines there are, without making them."""
        return self._stream.count()

    def explain(self) -> str:
        """How is searched, in a few words."""
        return self._stream.describe()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._stream.stream(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._stream.schema()
