# SPDX-License-Identifier: MIT
"""Turns the paths, URLs and file objects that callers give into files that the library can read at
any place.

Paths are opened by the system, http and https by _http.py, other URLs by fsspec, and file objects
are read through their own methods, one read at a time. Pipes and devices are declined, because they
cannot be read at any place. Passwords and signatures in URLs are left out of names and messages.
Tested by python/tests/test_files.py and test_servers.py.
"""

from __future__ import annotations

import errno
import functools
import io
import os
import stat
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, BinaryIO, Union

from presso import _native
from presso.errors import ArgumentError, Error, FileError, file_error

#: A path, a URL that fsspec knows, or a file object that can seek.
Source = Union[str, bytes, os.PathLike, BinaryIO, _native.OpenedFile]
#: One or several; "logs/*.presso" stands for all files that match.
Sources = Union[Source, Iterable[Source]]
_GLOB = "*?["
# How many files are looked at together.
_AT_A_TIME = 64


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
        from urllib.parse import unquote

        path = unquote(path[len("file://") :], errors="surrogateescape")
        path = path.removeprefix("localhost")
    if "://" not in path:
        return _open_path(path, later)
    return _open_url(path)


#: What other processes need to open a file: its place, its name for messages, and for a URL its
#: size and tag (_http.py).
Address = tuple[str, str, Union[tuple[int, Union[str, None]], None]]


def address_of(file: _native.OpenedFile) -> Address:
    """The address of a file. Raises ArgumentError for a file object, which has none."""
    where = file.url or file.path
    if not where:
        raise ArgumentError(f"{file.name}: other processes cannot open a file object")
    return where, file.name, file.reader.known if file.url else None


def open_address(
    address: Address, ranges: Iterable[tuple[int, int]] = ()
) -> _native.OpenedFile:
    """The file at an address, which is opened when its turn comes. `ranges` are the bytes that will
    be read of it."""
    where, name, known = address
    return _open_path(where, True, name) if known is None else _open_url(where, known, ranges)


def open_files(sources: Sources, later: bool = False) -> list[_native.OpenedFile]:
    """OpenedFiles of one source or several; patterns such as "logs/*.presso" stand for the files
    that match, and folders for all "*.presso" below them, in the order of their names."""
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
    return side_by_side(lambda one: open_file(one, later), named)


def side_by_side(call: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    """The results of call(item) for each item, in their order; several calls run at a time."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(_AT_A_TIME, len(items))) as pool:
        return list(pool.map(call, items))


def output_path(path: Union[str, bytes, os.PathLike]) -> bytes:
    """A path of a file that is written, as the system knows it."""
    return os.fsencode(_path_of(path))


def _expanded(source):
    """The sources that one stands for: the matches of a pattern, or the tables below a folder, in
    the order of their names; or the source itself, also if a file has the name of the pattern."""
    if isinstance(source, _native.OpenedFile) or hasattr(source, "read"):
        return [source]
    path = _path_of(source)
    is_folder = "://" not in path and os.path.isdir(path)
    exists = os.path.lexists(path)
    if not is_folder and ("://" in path or exists or not any(c in path for c in _GLOB)):
        return [source]
    import glob

    pattern = os.path.join(glob.escape(path), "**", "*.presso") if is_folder else path
    found = sorted(one for one in glob.glob(pattern, recursive=True) if not os.path.isdir(one))
    if not found:
        raise ArgumentError(f"{path}: no such files" + (" (*.presso)" if is_folder else ""))
    return found


def _is_url(source):
    return isinstance(source, (str, bytes)) and "://" in os.fsdecode(source)


def _path_of(source):
    """The path as a str, in which bytes that are not UTF-8 are surrogates."""
    try:
        path = os.fsdecode(source)
        os.fsencode(path)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{source!r}: neither a path nor a file object") from error
    if "\0" in path:
        raise ArgumentError(_shown(f"{source!r}: a NUL in a path"))
    return path


# The parts of URLs that are not shown: users with their passwords, users of hosts (in URLs of other
# kinds they may name a container), and signatures, tokens and keys in a query.
_SECRETS = (
    r"(?<=://)[^/\s]*:[^/\s]*(?=@)"
    r"|(?:(?<=http://)|(?<=https://)|(?<=ftp://)|(?<=sftp://)|(?<=ssh://)|(?<=smb://))[^/\s]+(?=@)"
    r"|(?<=[?&])(?:[\w-]*(?:signature|credential|token|accesskeyid|api_?key)|sig)=[^&#\s'\"]+"
)


@functools.cache
def _secrets():
    import re

    return re.compile(_SECRETS, re.IGNORECASE)


def _shown(text, url=""):
    """A URL, or a text about one, as people see it: without passwords, tokens and signatures."""
    for secret in _secrets().findall(url):
        text = text.replace(secret, "***")
    return _secrets().sub("***", text)


def hidden(text: str) -> str:
    """The text with a star for each character of a secret, so that the text after it stays in its
    column."""
    return _secrets().sub(lambda found: "*" * len(found[0]), text)


def _bytes_of(name):
    """The bytes of a name for messages. Surrogates in it stand for bytes that are not UTF-8."""
    try:
        return name.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return name.encode("utf-8", "backslashreplace")


def _open_path(path, later, name=None):
    """Opens a regular file. Raises FileError for anything else."""
    try:
        # O_NONBLOCK keeps open() from waiting for the other end of a pipe.
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
        name = _bytes_of(path if name is None else name)
        # The path is made absolute, since the process may change its folder before opening it.
        where = os.fsencode(os.path.join(os.getcwd(), path))
        if later:
            return _native.later(where, name)
        keep = True
        return _native.open_descriptor(fd, about.st_size, where, name)
    finally:
        if not keep:
            os.close(fd)


def _open_url(url, known=None, ranges=()):
    reader = _UrlReader(url, known, ranges)
    return _native.open_object(reader, reader.size, _bytes_of(reader.name), _bytes_of(url))


class _ObjectReader:
    """Reads ranges of a file object, one at a time, because it has a single position."""

    def __init__(self, file):
        self._file = file
        self._lock = threading.Lock()
        self.name = _shown(str(getattr(file, "name", "<file object>")))
        try:
            self.size = _checked_size(file.seek(0, io.SEEK_END))
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


def _checked_size(size):
    """Checks a size that a server or a file object has told. Raises OSError if no file can have
    it."""
    if not isinstance(size, int) or not 0 <= size < 1 << 63:
        raise OSError(errno.EIO, f"a size of {str(size)[:100]} bytes")
    return size


class _FsspecFile:
    """A file of one of fsspec's file systems, which decide whether a request is repeated."""

    begun = b""

    def __init__(self, url, known):
        try:
            import fsspec
        except ImportError as error:
            raise ArgumentError("needs the package fsspec (pip install fsspec)") from error
        self._fs, self._path = fsspec.core.url_to_fs(url)
        about = self._fs.info(self._path)
        self.size = about.get("size")
        self.tag = about.get("ETag") or about.get("etag")
        if self.size is None:
            raise ArgumentError("its size is not known")
        if known not in (None, (self.size, self.tag)):
            raise OSError(errno.ESTALE, "the file has changed")

    def fetch(self, begin, end):
        try:
            return self._fs.cat_file(self._path, start=begin, end=end)
        except OSError as error:
            text = f"bytes {begin}-{end - 1}: {error.strerror or error or type(error).__name__}"
            raise OSError(error.errno or errno.EIO, text) from error


class _UrlReader:
    """Reads ranges of the file at a URL."""

    def __init__(self, url, known=None, ranges=()):
        """`known` is the size and tag that the file had when it was divided; `ranges` are the bytes
        that will be read."""
        from presso._far import FarFile

        self._url = url
        self.name = _shown(url)
        try:
            source = _source_of(url, known)
            self.size = _checked_size(source.size)
            self._far = FarFile(source)
        except Error as error:
            raise type(error)(self._shown(f"{url}: {error}")) from None
        except OSError as error:
            raise file_error(error, url, self._shown) from self._cause(error)
        except (ImportError, ValueError) as error:
            raise ArgumentError(self._shown(f"{url}: {error}")) from self._cause(error)
        self.known = self.size, source.tag
        self._far.plan(ranges)

    def read_range(self, offset, length):
        try:
            return self._far.read(offset, offset + length)
        except Exception as error:
            if self._cause(error) is None:
                raise OSError(self._shown(str(error))) from None
            raise

    def _shown(self, text):
        return _shown(text, self._url)

    def _cause(self, error):
        """The error, or None if its text has a secret, which a traceback would show."""
        return error if self._shown(str(error)) == str(error) else None


def _source_of(url, known):
    """The source of a URL's bytes. "::" chains several of fsspec's file systems."""
    if not url.startswith(("http://", "https://")) or "::" in url:
        return _FsspecFile(url, known)
    from presso._http import HttpFile

    return HttpFile(url, known)
