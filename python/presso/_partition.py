# SPDX-License-Identifier: MIT
"""Parts of a scan or a query, for other threads, processes and machines."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any

from presso import _native
from presso._arguments import several, whole
from presso._files import address_of, open_address, side_by_side
from presso.errors import ArgumentError, DamageError, DamageWarning

TARGET_BYTES = 64 << 20


class Partition:
    """Lines or rows of one file, or a partial answer of its groups, made by partitions() of a Scan
    or a Query. It can be pickled, and takes a few kilobytes then; who has it needs the package,
    and the file, and those of joined tables, under the same path or URL. Whether the file still has
    the size, blocks, lines or row groups that it had, and over HTTP and S3 the same ETag, is looked
    at when it is read (FileError); divide anew after a change.

    Attributes:
        path: of the file, as its scan or query calls it.
        rows: how many it gives; None where that depends on a pattern or a condition, where damaged
            blocks are left out (on_error="skip"), or where the file does not tell.
        plain_bytes: of text that it stands for, or None; of a table that was not made from text
            exactly, stored bytes.
    """

    __slots__ = (
        "_address",
        "_kind",
        "_place",
        "_question",
        "_ranges",
        "path",
        "plain_bytes",
        "rows",
    )

    def __init__(self, kind, address, question, place, rows, plain_bytes, ranges=()):
        self._kind = kind
        self._address = address
        self._question = question
        self._place = place
        self._ranges = ranges
        self.path = address[1]
        self.rows = rows
        self.plain_bytes = plain_bytes

    @property
    def is_partial(self) -> bool:
        """Whether it gives a partial answer, which Query.merge() needs."""
        return self._kind == "groups"

    def scan(self, columns: Iterable[str] | None = None) -> Any:
        """A Scan or a Query of it alone, with the same patterns, conditions and columns, or
        `columns` in place of these. Where it gives a partial answer (`is_partial`), an object that
        any library which reads Arrow's streams reads, of all columns."""
        file = open_address(self._address, self._ranges)
        columns = None if columns is None else several("columns", columns)
        return _KINDS[self._kind](file, self._question, self._place, columns)

    def read(self, columns: Iterable[str] | None = None) -> Any:
        """A pyarrow.Table of it. Where blocks are left out (on_error="skip") it warns of how many,
        by a DamageWarning."""
        found = self.scan(columns)
        table = table_of(found, found._raise_failure)
        warn_of_damage(found)
        return table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.scan().__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self.scan().__arrow_c_schema__()

    def __reduce__(self):
        address, question, place = self._address, self._question, self._place
        known = self.rows, self.plain_bytes, self._ranges
        return Partition, (self._kind, address, question, place, *known)

    def __repr__(self):
        return f"<presso.Partition of {self.path!r}: {self.plain_bytes} plain bytes>"


#: How the parts of each kind are opened: by the module that makes them.
_KINDS: dict[str, Callable[..., Any]] = {}


def opens_parts(kind: str, opened: Callable[..., Any]) -> None:
    """Partitions of this kind are opened by `opened(file, question, place, columns)`."""
    _KINDS[kind] = opened


def of_files(
    files: list[_native.OpenedFile],
    target_bytes: int,
    divided: Callable[[int, int], list[Partition]],
) -> list[Partition]:
    """The partitions that `divided(number, target_bytes)` gives for each file, several at once."""
    target_bytes = whole("target_bytes", target_bytes, least=1)
    for file in files:
        address_of(file)
    if len(files) == 1:
        return divided(0, target_bytes)
    found = side_by_side(lambda number: divided(number, target_bytes), range(len(files)))
    return [part for parts in found for part in parts]


def table_of(stream: Any, raise_failure: Callable[[], None]) -> Any:
    """A pyarrow.Table of a stream. Where that fails, what the library's own error was is raised by
    `raise_failure`."""
    import pyarrow

    try:
        return pyarrow.table(stream)
    except (OSError, MemoryError, pyarrow.ArrowException):
        raise_failure()
        raise


def warn_of_damage(found: Any) -> None:
    """A DamageWarning where a Scan that has come to its end has left out blocks."""
    holes = getattr(found, "totals", {}).get("damage", ())
    if holes:
        text = f"{holes[0]['path']}: {len(holes)} damaged blocks left out, {holes[0]['message']}"
        warnings.warn(text, DamageWarning, stacklevel=3)


def lines_and_bytes(file: _native.OpenedFile) -> tuple[int | None, int | None]:
    """How many lines and plain bytes a whole file has, each None where the file does not tell."""
    try:
        archive = _native.Archive.open(file)
        return archive.lines, archive.plain_bytes
    except (ArgumentError, DamageError):
        return None, None
