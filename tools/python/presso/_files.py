# SPDX-License-Identifier: MIT
"""From what callers name or bring to files that the library reads at any place."""

from __future__ import annotations

import concurrent.futures
import errno
import glob
import io
import itertools
import os
import re
import stat
import threading
import urllib.parse
import weakref
from collections.abc import Iterable
from typing import BinaryIO, Union

from presso import _native
from presso.errors import ArgumentError, Error, FileError, file_error

#: A path, a URL that fsspec knows, or a file object that can seek.
Source = Union[str, bytes, os.PathLike, BinaryIO, _native.OpenedFile]
#: One or several; "logs/*.presso" stands for all files that match.
Sources = Union[Source, Iterable[Source]]
_GLOB = "*?["
#: Of files far away: how many are looked at together.
AT_A_TIME = 64
# Of files far away: what a request reads, and how many of these are kept.
_PIECE_BYTES = 2 << 20
_MOST_PIECES = 128


def open_file(source: Source, later: bool = False) -> _native.OpenedFile:
    """An OpenedFile of a path, a URL that fsspec knows, or a file object that can seek. `later`: a
    path's file is only looked at, and opened when its turn comes."""
    if isinstance(source, _native.OpenedFile):
        return source
    if hasattr(source, "read") and hasattr(source, "seek"):
        reader = _ObjectReader(source)
        return _native.open_object(reader, reader.size, _bytes_of(reader.name))
    path = _path_of(source)
    if path.startswith("file://"):
        path = urllib.parse.unquote(path[len("file://") :], errors="surrogateescape")
        path = path.removeprefix("localhost")
    if "://" not in path:
        return _open_path(path, later)
    reader = _UrlReader(path)
    return _native.open_object(reader, reader.size, _bytes_of(reader.name), _bytes_of(path))


def address_of(file: _native.OpenedFile) -> tuple[str, str]:
    """By which other processes open the file: where it is, and its name for messages. Raises
    ArgumentError for a file object."""
    where = file.url or (file.path and os.path.abspath(file.path))
    if not where:
        raise ArgumentError(f"{file.name}: other processes cannot open a file object")
    return where, file.name


def open_address(address: tuple[str, str]) -> _native.OpenedFile:
    """The file of address_of(), when its turn comes."""
    where, name = address
    if "://" in where and not os.path.isabs(where):
        return open_file(where)
    return _open_path(where, True, name)


def open_files(sources: Sources, later: bool = False) -> list[_native.OpenedFile]:
    """OpenedFiles of one source or several; patterns such as "logs/*.presso" stand for the files
    that match, in the order of their names."""
    is_one = isinstance(sources, (str, bytes, os.PathLike, _native.OpenedFile))
    if is_one or hasattr(sources, "read"):
        sources = [sources]
    elif not isinstance(sources, Iterable):
        raise ArgumentError(f"{sources!r}: neither a path nor a file object nor several")
    named = [one for source in sources for one in _expanded(source)]
    if not named:
        raise ArgumentError("no files")
    if len(named) == 1 or not any(map(_is_url, named)):
        return [open_file(one, later) for one in named]
    # Each asks for its size.
    with concurrent.futures.ThreadPoolExecutor(min(AT_A_TIME, len(named))) as pool:
        return list(pool.map(lambda one: open_file(one, later), named))


def output_path(path: Union[str, bytes, os.PathLike]) -> bytes:
    """A path of a file that is written, as the system knows it."""
    return os.fsencode(_path_of(path))


def _expanded(source):
    if isinstance(source, _native.OpenedFile) or hasattr(source, "read"):
        return [source]
    path = _path_of(source)
    if "://" in path or not any(c in path for c in _GLOB) or os.path.lexists(path):
        return [source]
    found = sorted(glob.glob(path, recursive=True))
    if not found:
        raise ArgumentError(f"{path}: no such files")
    return found


def _is_url(source):
    return isinstance(source, (str, bytes)) and "://" in os.fsdecode(source)


def _path_of(source):
    try:
        path = os.fsdecode(source)
        os.fsencode(path)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{source!r}: neither a path nor a file object") from error
    if "\0" in path:
        raise ArgumentError(_shown(f"{source!r}: a NUL in a path"))
    return path


def _shown(text, url=""):
    """A URL, or a text about one, without user names and passwords: what people see."""
    for secret in re.findall("://([^/]+@)", url):
        text = text.replace(secret, "***@")
    return re.sub("://[^/]+@", "://***@", text)


def _bytes_of(name):
    """Of a name for messages, in which surrogates may stand."""
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return name.encode("utf-8", "backslashreplace")


def _open_path(path, later, name=None):
    try:
        # Without waiting for the other end of a pipe.
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise file_error(error, path) from None
    keep = False
    try:
        about = os.fstat(fd)
        if stat.S_ISDIR(about.st_mode):
            text = f"{path}: is a directory"
            raise FileError(text, code=40, path=path, errno=errno.EISDIR)
        if not stat.S_ISREG(about.st_mode):
            raise FileError(f"{path}: is not a regular file", code=40, path=path)
        if later:
            return _native.later(os.fsencode(path), _bytes_of(path if name is None else name))
        keep = True
        return _native.open_descriptor(fd, about.st_size, os.fsencode(path))
    finally:
        if not keep:
            os.close(fd)


class _ObjectReader:
    """Reads ranges of a file object, which is one at a time, as it has one place."""

    def __init__(self, file):
        self._file = file
        self._lock = threading.Lock()
        self.name = _shown(str(getattr(file, "name", "<file object>")))
        try:
            self.size = file.seek(0, io.SEEK_END)
        except (OSError, ValueError) as error:
            text = f"{self.name}: cannot seek: {error}"
            raise FileError(text, code=40, path=self.name) from error

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


class _KeptPieces:
    """The last pieces of all files far away, by (file, number); used by any thread."""

    def __init__(self):
        self.process = os.getpid()
        self._lock = threading.Lock()
        self._pieces = {}

    def find(self, key, made):
        """The future of the piece that is kept, or `made`, which then is and has to be fulfilled
        by the caller."""
        with self._lock:
            piece = self._pieces.pop(key, made)
            self._pieces[key] = piece
            if len(self._pieces) > _MOST_PIECES:
                oldest, *_ = self._pieces.copy()
                self._pieces.pop(oldest, None)
            return piece

    def drop(self, key, made):
        with self._lock:
            if self._pieces.get(key) is made:
                self._pieces.pop(key, None)

    def drop_file(self, file):
        """Called when memory is tidied up, perhaps while this thread has the lock: needs none."""
        for key in self._pieces.copy():
            if key[0] == file:
                self._pieces.pop(key, None)


def _drop_file(file):
    _kept_pieces.drop_file(file)


_kept_pieces = _KeptPieces()
_file_numbers = itertools.count()


class _Pieces:
    """Ranges of a file far away, read in pieces of which the last ones are kept: a request takes as
    long as a megabyte or two. Used by any thread; each piece is fetched once at a time."""

    def __init__(self, fetch, size):
        self._fetch = fetch
        self._size = size
        self._file = next(_file_numbers)
        weakref.finalize(self, _drop_file, self._file)

    def read(self, offset, length):
        if length > _PIECE_BYTES:
            return self._fetched(offset, length)
        read = []
        end = offset + length
        for number in range(offset // _PIECE_BYTES, (end - 1) // _PIECE_BYTES + 1):
            begin = number * _PIECE_BYTES
            read.append(self._piece(number)[max(offset - begin, 0) : end - begin])
        return read[0] if len(read) == 1 else b"".join(read)

    def _piece(self, number):
        global _kept_pieces
        if _kept_pieces.process != os.getpid():
            # A thread that is not here may have had the lock, or have been fetching.
            _kept_pieces = _KeptPieces()
        kept, key = _kept_pieces, (self._file, number)
        begin = number * _PIECE_BYTES
        made = concurrent.futures.Future()
        # From here on others may wait for it, even where Ctrl-C comes within find().
        try:
            piece = kept.find(key, made)
            if piece is made:
                piece.set_result(self._fetched(begin, min(_PIECE_BYTES, self._size - begin)))
        except BaseException as error:
            kept.drop(key, made)
            if not made.done():
                made.set_exception(error)
            raise
        return piece.result()

    def _fetched(self, offset, length):
        read = self._fetch(offset, length)
        if len(read) != length:
            # A server that knows no ranges gives all of the file.
            raise OSError(f"a read of {length} bytes gave {len(read)}")
        return read


class _UrlReader:
    """Reads ranges of what an fsspec URL names."""

    def __init__(self, url):
        self._url = url
        self.name = _shown(url)
        try:
            import fsspec
        except ImportError as error:
            text = f"{self.name}: URLs need the package fsspec (pip install fsspec)"
            raise ArgumentError(text) from error
        try:
            fs, path = fsspec.core.url_to_fs(url)
            self.size = fs.size(path)
        except Error:
            raise
        except OSError as error:
            raise file_error(error, url, self._shown) from self._cause(error)
        except (ImportError, ValueError) as error:
            raise ArgumentError(self._shown(f"{url}: {error}")) from self._cause(error)
        if self.size is None:
            raise ArgumentError(f"{self.name}: its size is not known")

        # Not a method, as a reader that has itself would stay, and its pieces with it.
        self._pieces = _Pieces(
            lambda offset, length: fs.cat_file(path, start=offset, end=offset + length), self.size
        )

    def read_range(self, offset, length):
        try:
            return self._pieces.read(offset, length)
        except Exception as error:
            if self._cause(error) is None:
                raise OSError(self._shown(str(error))) from None
            raise

    def _shown(self, text):
        return _shown(text, self._url)

    def _cause(self, error):
        """The error, or None where its text has what is not shown."""
        return error if self._shown(str(error)) == str(error) else None
