# SPDX-License-Identifier: MIT
"""From what callers name or bring to files that the library reads at any place."""

from __future__ import annotations

import glob
import io
import os
import threading
from collections.abc import Iterable
from typing import BinaryIO, Union

from presso import _native
from presso.errors import ArgumentError

#: A path, a URL that fsspec knows, or a file object that can seek.
Source = Union[str, bytes, os.PathLike, BinaryIO, _native.OpenedFile]
#: One or several; "logs/*.presso" stands for all files that match.
Sources = Union[Source, Iterable[Source]]
_GLOB = "*?["


def open_file(source: Source) -> _native.OpenedFile:
    """An OpenedFile of a path, a URL that fsspec knows, or a file object that can seek."""
    if isinstance(source, _native.OpenedFile):
        return source
    if hasattr(source, "read") and hasattr(source, "seek"):
        reader = _ObjectReader(source)
        return _native.open_object(reader, reader.size, reader.name)
    path = os.fspath(source)
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    if path.startswith("file://"):
        path = path[len("file://") :]
    if "://" not in path:
        return _native.open_path(path)
    reader = _UrlReader(path)
    return _native.open_object(reader, reader.size, path)


def open_files(sources: Sources) -> list[_native.OpenedFile]:
    """OpenedFiles of one source or several; patterns such as "logs/*.presso" stand for the files
    that match, in the order of their names."""
    is_one = isinstance(sources, (str, bytes, os.PathLike, _native.OpenedFile))
    if is_one or hasattr(sources, "read"):
        sources = [sources]
    opened = []
    for source in sources:
        opened += [open_file(one) for one in _expanded(source)]
    if not opened:
        raise ArgumentError("no files")
    return opened


def _expanded(source):
    is_path = isinstance(source, (str, os.PathLike)) and not hasattr(source, "read")
    path = os.fspath(source) if is_path else ""
    if not isinstance(path, str) or "://" in path or not any(c in path for c in _GLOB):
        return [source]
    if os.path.exists(path):
        return [source]
    found = sorted(glob.glob(path, recursive=True))
    if not found:
        raise ArgumentError(f"{path}: no such files")
    return found


class _ObjectReader:
    """Reads ranges of a file object, which is one at a time, as it has one place."""

    def __init__(self, file):
        self._file = file
        self._lock = threading.Lock()
        self.size = file.seek(0, io.SEEK_END)
        self.name = str(getattr(file, "name", "<file object>"))

    def read_range(self, offset, length):
        with self._lock:
            self._file.seek(offset)
            pieces = []
            while length > 0:
                piece = self._file.read(length)
                if not piece:
                    break
                pieces.append(piece)
                length -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)


class _UrlReader:
    """Reads ranges of what an fsspec URL names."""

    def __init__(self, url):
        try:
            import fsspec
        except ImportError as error:
            text = f"{url}: URLs need the package fsspec (pip install fsspec)"
            raise ArgumentError(text) from error
        self._fs, self._path = fsspec.core.url_to_fs(url)
        self.size = self._fs.size(self._path)
        if self.size is None:
            raise ArgumentError(f"{url}: its size is not known")

    def read_range(self, offset, length):
        return self._fs.cat_file(self._path, start=offset, end=offset + length)
