# SPDX-License-Identifier: MIT
"""Parts of a scan or a query, for other threads, processes and machines.

A part holds the question and the address of its file, and reads nothing until it is used. File
objects have no address and are declined. The modules that make parts say how they are opened, by
opens_parts(). Tested by python/tests/test_partitions.py, test_partial.py and test_joined_parts.py.
"""

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
    or a Query. It can be pickled into a few kilobytes. The process that reads it needs the
    package, and the file and those of joined tables under the same path or URL. Reading it raises
    FileError if the file does not have the size, blocks, lines or row groups any more that it had
    when it was divided, or over HTTP and S3 not the same ETag; divide anew after a change.

    Attributes:
        path: the path of the file, as its scan or query names it.
        rows: the number of rows that it gives; None if that depends on a pattern or a condition, if
            damaged blocks are left out (on_error="skip"), or if the file does not store it.
        plain_bytes: the bytes of text in it, or None; for a table that was not made from text
            exactly, the stored bytes.
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
        """Whether it gives a partial answer, which has to go through Query.merge()."""
        return self._kind == "groups"

    def scan(self, columns: Iterable[str] | None = None) -> Any:
        """A Scan or a Query of this part alone, with the patterns and conditions of the whole, and
        with its columns or `columns`. For a partial answer (`is_partial`) it is an object with all
        columns that any library can read which reads Arrow's streams."""
        file = open_address(self._address, self._ranges)
        columns = None if columns is None else several("columns", columns)
        return _KINDS[self._kind](file, self._question, self._place, columns)

    def read(self, columns: Iterable[str] | None = None) -> Any:
        """The part as a pyarrow.Table. A DamageWarning says how many blocks were left out, if
        on_error="skip" permits that."""
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
    """A pyarrow.Table from a stream. If that fails, `raise_failure` raises the library's own error,
    of which Arrow's stream has only the text."""
    import pyarrow

    try:
        return pyarrow.table(stream)
    except (OSError, MemoryError, pyarrow.ArrowException):
        raise_failure()
        raise


def warn_of_damage(found: Any) -> None:
    """Warns with a DamageWarning if a Scan that has come to its end has left out blocks."""
    holes = getattr(found, "totals", {}).get("damage", ())
    if holes:
        text = f"{holes[0]['path']}: {len(holes)} damaged blocks left out, {holes[0]['message']}"
        warnings.warn(text, DamageWarning, stacklevel=3)


def lines_and_bytes(file: _native.OpenedFile) -> tuple[int | None, int | None]:
    """The numbers of lines and of plain bytes in a whole file; None if it does not store them."""
    try:
        archive = _native.Archive.open(file)
        return archive.lines, archive.plain_bytes
    except (ArgumentError, DamageError):
        return None, None
