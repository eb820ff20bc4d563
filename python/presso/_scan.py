# SPDX-License-Identifier: MIT
"""presso.scan(), and the Scan that it returns.

Arguments are checked here; python/src/scan.cpp searches. A Scan reads nothing until it is used, and
each use searches anew. Memory does not grow with what is found, as batches wait until they are
taken. Tested by python/tests/test_scan.py, test_partitions.py and test_engines.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from presso import _native
from presso._arguments import MOST, MOST_THREADS, one_of, several, whole
from presso._files import Sources, address_of, open_files
from presso._gpu import gpu_of
from presso._partition import TARGET_BYTES, Partition, lines_and_bytes, of_files, opens_parts
from presso._times import Time, window
from presso.errors import ArgumentError

COLUMNS = ("path", "line_number", "offset", "line", "spans")


class Match(NamedTuple):
    """A line that was found, or a line of its context."""

    path: str
    line_number: int  #: from 1 on; of a record, that of its first line
    offset: int  #: of its first byte in the plain text
    line: bytes  #: with its line end; of a record, all its lines
    spans: tuple[tuple[int, int], ...]  #: (begin, end) of each match in it
    kind: str  #: "match"; for a line of context "before" or "after"


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
    where: str | None = None,
    since: Time | None = None,
    until: Time | None = None,
    tz: str | None = None,
    year: int | None = None,
    time_format: str | None = None,
    time_field: str | None = None,
    record_start: str | bytes | None = None,
    record: str | None = None,
    record_limit: int = 16 << 20,
    before: int = 0,
    after: int = 0,
    lines: tuple[int, int | None] | None = None,
    limit: int | None = None,
    columns: Iterable[str] = COLUMNS[:4],
    text: bool = True,
    on_error: str = "raise",
    use_index: bool = True,
    threads: int = 0,
    device: str = "cpu",
) -> Scan:
    """Searches files, compressed by presso or plain, for lines that match one of the patterns;
    without a pattern it gives all lines.

    Nothing is read before the result is used: iterate over it, count() it, or hand it to any
    library that reads Arrow's streams (`pyarrow.table(found)`, `polars.DataFrame(found)`,
    DuckDB's `from found`). Each use searches anew.

    Args:
        sources: a path, URL or file object, or several; "logs/*.presso" stands for all that match.
        patterns: regular expressions (RE2's syntax), as str or bytes.
        fixed: patterns are strings; like: they are SQL's LIKE, against whole lines.
        word, whole_line: what must stand around a match.
        invert: lines without a match.
        where: a condition that the fields of lines must meet, too, where lines are JSON objects or
            logfmt: "level = 'error' and ms > 500" (docs/logs.md). Without a pattern the whole line
            is the match. Not for multiline and GPUs.
        since, until: only lines of this time or later, and before this time (docs/logs.md). A text
            is as for the command: "2026-11-28 10:00", "2026-11-28T10:00:00Z", "10:00" (today),
            "-15m" (before now), "yesterday". A datetime without a zone is what clocks show in `tz`;
            a date is its begin; a timedelta is counted from now, so it is negative. "Now" is when
            this function is called. Lines without a time belong to the line before them. Not for
            multiline.
        tz: the zone of times without one, such as "Europe/Berlin"; the system's by default.
        year: of a file's last lines, where lines tell none; by default that of its last change, or
            for file objects and URLs the present.
        time_format, time_field: how lines write their time, as strptime() reads it, and in which
            field it is, in JSON lines or key=value pairs. By default the first lines show it.
        record_start: a regular expression: search records of several lines, such as a message with
            its stack trace; one begins at each line that it matches (docs/logs.md). A record is
            found if a pattern matches one of its lines, with invert if none does, and is given as
            one Match. limit, before, after and counts are of records. Not for multiline, where and
            lines; ignore_case, fixed and the like are about patterns only.
        record: "indent": records begin at lines that do not begin with a space or a tab; "json": at
            lines that do not begin with these or with a closing bracket; "time": at lines that have
            a time, found as for since.
        record_limit: the bytes of the longest record that may reach across blocks.
        before, after: lines of context.
        lines: (first, last): only these lines, counted from 1.
        limit: the most lines that are given, of all files together.
        columns: of the Arrow stream, of path, line_number, offset, line and spans.
        text: the column `line` is text, in which what is no UTF-8 is replaced by U+FFFD; else
            binary.
        on_error: "raise" ends the search at the first damaged block with a DamageError; "skip"
            leaves such blocks out and lists them in totals["damage"].
        threads: 0: all.
        device: "cpu", or "gpu" or "gpu:1" for a GPU (needs the package presso-gpu). What GPUs are
            not for, the CPU searches: plain files, context, most of `invert`, partitions;
            totals["why_cpu"] then says why, else it is empty.

    Raises ArgumentError for a bad pattern or time, FileError for a file that cannot be opened,
    UnsupportedError where presso-gpu is not there, and when it is used DeviceError where there is
    no GPU or it fails, ArgumentError where the first lines of a file tell no time that since=,
    until= or record= asks for, and UnsupportedError for a record that is too long.
    """
    if not patterns and ((invert and where is None) or word or whole_line):
        raise ArgumentError("no pattern for invert, word or whole_line")
    if where is not None and not isinstance(where, str):
        raise ArgumentError(f"where={where!r}: not a str")
    if where is not None and (multiline or device != "cpu"):
        raise ArgumentError("where= is for lines and the CPU, not with multiline= and device=")
    for name, value in (("since", since), ("until", until)):
        if value is not None and multiline:
            raise ArgumentError(f"{name}= is about lines; it cannot go with multiline=")
    times = window(since, until, tz, year, time_format, time_field)
    records = _record_rule(record_start, record, record_limit, times)
    others = ("multiline", multiline), ("lines", lines is not None), ("where", where is not None)
    for name, is_given in others if records is not None else ():
        if is_given:
            kind = "record" if record_start is None else "record_start"
            raise ArgumentError(f"{name}= is about single lines; it cannot go with {kind}=")
    if fixed and like:
        raise ArgumentError("fixed and like exclude each other")
    one_of("on_error", on_error, ("raise", "skip"))
    first_line, last_line = _line_range(lines)
    asked = {
        "syntax": "fixed" if fixed or not patterns else "like" if like else "regex",
        "ignore_case": bool(ignore_case),
        "bounds": "line" if whole_line else "word" if word else "none",
        "invert": bool(invert),
        "unicode": bool(unicode),
        "multiline": bool(multiline),
        "where": where,
        "times": None if since is None and until is None else times,
        "records": records,
        "before": whole("before", before),
        "after": whole("after", after),
        "first_line": first_line,
        "last_line": last_line,
        "limit": MOST if limit is None else whole("limit", limit),
        "text": bool(text),
        "fail_fast": on_error == "raise",
        "use_index": bool(use_index),
        "threads": whole("threads", threads, MOST_THREADS),
        "device": device,
        "columns": [one_of("columns", one, COLUMNS) for one in several("columns", columns)],
    }
    patterns = [_bytes_of(pattern) for pattern in patterns]
    return Scan(open_files(sources, later=True), patterns, asked)


def _record_rule(start, form, limit, times):
    """What _native.make_scan() takes for records; None if lines are searched."""
    limit = whole("record_limit", limit, least=1)
    if form is not None:
        one_of("record", form, ("indent", "json", "time"))
        if start is not None:
            raise ArgumentError("record= cannot go with record_start=")
        return form, None, limit, times if form == "time" else None
    if start is not None and not isinstance(start, (str, bytes)):
        raise ArgumentError(f"record_start={start!r}: not str or bytes")
    return None if start is None else ("start", _bytes_of(start), limit, None)


def _line_range(lines):
    """The first and the last line that are searched."""
    if lines is None:
        return 1, MOST
    try:
        first, last = lines
    except (TypeError, ValueError):
        raise ArgumentError(f"lines={lines!r}: not (first, last)") from None
    return whole("lines", first, least=1), MOST if last is None else whole("lines", last)


def _bytes_of(pattern):
    if isinstance(pattern, bytes):
        return pattern
    if not isinstance(pattern, str):
        raise ArgumentError(f"{pattern!r}: a pattern is str or bytes")
    return pattern.encode("utf-8", "surrogateescape")


class Scan:
    """A search that presso.scan() has made. Several threads may use it at a time."""

    def __init__(
        self,
        files: list[_native.OpenedFile],
        patterns: list[bytes],
        asked: dict[str, Any],
        part: Any = None,
    ):
        self._files = files
        self._patterns = patterns
        self._asked = asked
        given = asked | {"gpu": gpu_of(asked["device"]), "has_patterns": bool(patterns)}
        # Without a pattern it is the empty one, which every line has.
        self._scan = _native.make_scan(files, patterns or [b""], given, part)
        self._part = part

    @property
    def totals(self) -> dict[str, Any]:
        """The totals of the last iteration, count() or Arrow stream that came to its end: lines,
        matches, plain_bytes, blocks, blocks_read, blocks_skipped, bytes_read, and damage, a list of
        the places that were left out; with a GPU also why_cpu. It is empty before that."""
        return self._scan.totals()

    def __iter__(self) -> Iterator[Match]:
        """Yields a Match for each line. Ctrl-C ends the search."""
        lines = self._scan.lines()
        while (batch := lines.next()) is not None:
            for row in batch:
                yield Match._make(row)

    def count(self) -> int:
        """The number of lines that are found, without handing any of them to Python."""
        return self._scan.count()

    def partitions(self, target_bytes: int = TARGET_BYTES) -> list[Partition]:
        """The scan in parts of about `target_bytes` of plain text, in order, for other processes
        and machines. A part has the lines that begin in some blocks of a file; blocks in which the
        file's index rules out matches are in no part, if possible. All parts together give the
        lines of this scan; where one ends with an error, so does this scan. Reads what the files
        tell about their lines. Files that are plain, or damaged where that stands, are one part
        each, and so are all where lines of context, lines of some time, records or multiline
        patterns are asked for, or lines= with on_error="skip".

        With on_error="skip", line numbers after a damaged block are those of the file as it was
        written, in place of being counted as if there were no lines in it (but not where such a
        file is one part), and a block that two parts reach into is in the totals of both.

        Raises ArgumentError for file objects, which other processes cannot open, and for limit=,
        which parts cannot keep together.
        """
        if self._asked["limit"] != MOST:
            raise ArgumentError("limit= is for all lines together, partitions are apart")
        if self._part is not None:
            raise ArgumentError("a partition cannot be divided further")
        return of_files(self._files, target_bytes, self._divided)

    def _is_everything(self):
        """Whether neither a pattern nor a condition leaves out a line."""
        asked = self._asked
        conditions = asked["where"], asked["times"], asked["records"]
        return not self._patterns and conditions == (None, None, None)

    def _divided(self, number, target_bytes):
        file = self._files[number]
        question = self._patterns, self._asked
        is_limited = self._asked["first_line"] > 1 or self._asked["last_line"] != MOST
        is_complete = self._asked["fail_fast"]
        gives_all = self._is_everything() and not is_limited and is_complete
        # After damage, parts would number the lines differently and thus choose other lines.
        is_one = is_limited and not is_complete
        address = address_of(file)
        _, _, known = address
        # With a tag the server tells whether the file has changed, so parts carry its layout along.
        is_tagged = known is not None and known[1] is not None
        parts = None if is_one else self._scan.divide(number, target_bytes, is_tagged)
        if parts is None:
            lines, plain_bytes = lines_and_bytes(file)
            rows = lines if gives_all else None
            return [Partition("lines", address, question, None, rows, plain_bytes)]
        made = []
        for part, ranges in parts:
            begin, end, _, lines = part[:4]
            rows = lines if gives_all else None
            made.append(Partition("lines", address, question, part, rows, end - begin, ranges))
        return made

    def explain(self) -> str:
        """The engine that searches and what it looks for, in a few words."""
        return self._scan.describe()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._scan.stream(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._scan.schema()

    def _raise_failure(self):
        self._scan.raise_failure()


def _opened(file, question, place, columns):
    patterns, asked = question
    if columns is not None:
        asked = asked | {"columns": [one_of("columns", column, COLUMNS) for column in columns]}
    return Scan([file], patterns, asked, place)


opens_parts("lines", _opened)
