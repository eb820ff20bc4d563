# SPDX-License-Identifier: MIT
"""Lets programs that open files with fsspec read what presso compressed as its plain text.

It is read only, one file for each file system, and needs fsspec. Tested by
python/tests/test_fsspec.py.

    pandas.read_csv("presso::s3://bucket/orders.csv.presso")      # nothing need be imported
    dask.dataframe.read_csv("presso::file:///logs/orders.csv.presso")

    import presso.fsspec                                          # from here on in this process
    fsspec.open("orders.csv.presso", compression="infer")         # or "presso"
"""

from __future__ import annotations

import errno
import io
from typing import Any

import fsspec
from fsspec.compression import register_compression
from fsspec.spec import AbstractFileSystem

from presso._file import open as open_file
from presso.errors import ArgumentError, MissingFileError


class PressoFileSystem(AbstractFileSystem):  # type: ignore[misc]
    """The plain text of one compressed file, as the only file of a file system. The compressed
    file is that of the URL after `presso::`."""

    protocol = "presso"
    root_marker = ""
    # Each keeps its file open in the state that it had then, so fsspec must not share it by URL.
    cachable = False

    def __init__(
        self,
        fo: str = "",
        target_protocol: str | None = None,
        target_options: dict[str, Any] | None = None,
        **options: Any,
    ):
        """`fo` is the file's path or URL. With `target_options` fsspec opens it, else presso."""
        super().__init__(**options)
        if not fo:
            raise ArgumentError("presso:: stands in front of the URL of a compressed file")
        self._url = fo
        if target_options:
            self._kept = fsspec.open(fo, protocol=target_protocol, **target_options).open()
            self._file = open_file(self._kept)
        elif target_protocol in (None, "file", "local") or "://" in fo:
            self._file = open_file(fo)
        else:
            self._file = open_file(f"{target_protocol}://{fo}")

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return path.removeprefix("presso://").strip("/")

    def info(self, path: str, **_: Any) -> dict[str, Any]:
        """The name, the size in plain bytes, and the type of the one file."""
        if self._strip_protocol(path):
            text = f"{path}: presso:: has one file, whose name is empty"
            raise MissingFileError(text, path=path, errno=errno.ENOENT)
        return {"name": "", "size": self._file.plain_bytes, "type": "file"}

    def ls(self, path: str, detail: bool = True, **_: Any) -> list[Any]:
        """The list with the one file."""
        return [self.info(path)] if detail else [self.info(path)["name"]]

    def ukey(self, path: str) -> str:
        """A key for this text, by which caches recognise it."""
        return f"{self._url} {self._file.stored_bytes}"

    def _open(self, path: str, mode: str = "rb", **_: Any) -> io.BufferedReader:
        if "r" not in mode:
            raise ArgumentError("a file system of presso:: is only read")
        self.info(path)
        return _plain(self._file)


def _opened(infile, mode="rb", **_):
    """The function by which fsspec opens files with compression="presso"."""
    if "r" not in mode:
        raise ArgumentError("fsspec only reads files of presso's; presso.compress_file() writes")
    return _plain(open_file(infile))


def _plain(file):
    return io.BufferedReader(file.raw(), 1 << 20)


register_compression("presso", _opened, "presso", force=True)
