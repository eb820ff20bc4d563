# SPDX-License-Identifier: MIT
"""presso.open() and the File that it returns: facts about a compressed file, and its plain bytes.

Opening reads header and index and decodes nothing; reads decode only the blocks that they need. A
File may be used by several threads. Plain files are declined. Tested by python/tests/test_files.py.
"""

from __future__ import annotations

import io
from typing import Any

from presso import _native
from presso._arguments import MOST, MOST_THREADS, one_of, whole
from presso._files import Source, open_file
from presso._query import Query
from presso._scan import Scan, scan
from presso.errors import ArgumentError


def open(source: Source) -> File:  # noqa: A001 (presso.open, as gzip.open)
    """Opens a compressed file: a path, a URL that fsspec knows, or a file object that can seek.

    Reads header and index, and decodes nothing. Raises DamageError for what is no file of
    presso's or is damaged there, FileError where it cannot be read.
    """
    return File(open_file(source))


class File:
    """A compressed file, of bytes or a table. Made by presso.open(); may be used by several
    threads."""

    def __init__(self, opened: _native.OpenedFile):
        self._archive = _native.Archive.open(opened)

    @property
    def name(self) -> str:
        """The name that messages have for it: its path or URL."""
        return self._archive.name

    @property
    def is_table(self) -> bool:
        """Whether it is a table: columns with types, in place of bytes."""
        return self._archive.is_table

    @property
    def stored_bytes(self) -> int:
        """The size of the file as it is stored, in bytes."""
        return self._archive.stored_bytes

    @property
    def plain_bytes(self) -> int:
        """The size in bytes when decoded; for a table that of the text it was made from, or 0 if it
        was not made from text."""
        return self._archive.plain_bytes

    @property
    def lines(self) -> int | None:
        """The number of lines; None if the file does not store it."""
        return self._archive.lines

    @property
    def rows(self) -> int | None:
        """The number of rows of a table; None for a file of bytes."""
        return self._archive.rows

    @property
    def blocks(self) -> int:
        """The number of blocks, each of which can be decoded by itself; 0 for a table."""
        return self._archive.blocks

    @property
    def metadata(self) -> dict[str, str]:
        """The metadata that are stored in the file. "name" and "mtime" (in nanoseconds since 1970)
        are those of the original file, if it was compressed from a path."""
        return dict(self._archive.metadata)

    @property
    def info(self) -> dict[str, Any]:
        """All properties above, as a dictionary."""
        names = ("name", "is_table", "stored_bytes", "plain_bytes", "lines", "rows", "blocks")
        return {name: getattr(self, name) for name in names} | {"metadata": self.metadata}

    def read(self, offset: int = 0, length: int = -1, *, threads: int = 0) -> bytes:
        """Plain bytes from `offset` on: `length` of them, fewer at the end, all where it is
        negative. Only the blocks that hold them are read and decoded, on `threads` threads
        (0: all)."""
        length = whole("length", length, MOST >> 1, -(MOST >> 1))
        threads = whole("threads", threads, MOST_THREADS)
        return self._archive.read(whole("offset", offset), length, threads)

    def block(self, number: int) -> bytes:
        """The plain bytes of a block."""
        return self._archive.read_block(self._block_number(number))

    def block_place(self, number: int) -> tuple[int, int, int]:
        """The place of a block: its plain offset, its offset in the file, its bytes in the file."""
        return self._archive.block_place(self._block_number(number))

    def _block_number(self, number):
        number = whole("number", number, least=-MOST)
        if not 0 <= number < self.blocks:
            raise IndexError(f"no block {number}, of {self.blocks}")
        return number

    def raw(self) -> io.RawIOBase:
        """The plain bytes as a file object that reads and seeks (io.RawIOBase); wrap it in
        io.BufferedReader or io.TextIOWrapper for text."""
        return _RawFile(self)

    def text(
        self, encoding: str = "utf-8", errors: str = "strict", newline: str | None = None
    ) -> io.TextIOWrapper:
        """The plain bytes as a text file object."""
        buffered = io.BufferedReader(self.raw(), 1 << 20)
        return io.TextIOWrapper(buffered, encoding=encoding, errors=errors, newline=newline)

    def scan(self, *patterns: str | bytes, **options: Any) -> Scan:
        """presso.scan() of this file."""
        return scan(self._archive.file, *patterns, **options)

    def table(self) -> Query:
        """A Query of this table's rows."""
        return Query([self._archive.file])

    def __repr__(self):
        return f"<presso.File {self.name!r}>"


class _RawFile(io.RawIOBase):
    """The plain bytes as a file object. Each read decodes at least one block, so that small reads
    need a buffer around it. Used by one thread."""

    def __init__(self, file):
        super().__init__()
        self._of = file
        self._size = file.plain_bytes
        self._at = 0

    def readable(self):
        return True

    def seekable(self):
        return True

    def tell(self):
        return self._at

    def seek(self, offset, whence=io.SEEK_SET):
        from_where = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}
        at = from_where[one_of("whence", whence, tuple(from_where))] + offset
        if at < 0:
            raise ArgumentError("seek to a place before the begin")
        self._at = at
        return at

    def readinto(self, into):
        with memoryview(into).cast("B") as view:
            read = self._of.read(self._at, len(view))
            view[: len(read)] = read
        self._at += len(read)
        return len(read)

    def readall(self):
        read = self._of.read(self._at)
        self._at += len(read)
        return read
