# SPDX-License-Identifier: MIT
"""The exceptions that presso raises: an Error with the place that it is about.

The library's error codes are mapped to classes here; python/src/errors.cpp calls error_of(). All
classes can be pickled, so that an error of a worker reaches the process that waits for it. Tested
by python/tests/test_files.py.
"""

from __future__ import annotations

import errno
import re

# Characters that a terminal obeys, which files and names may hold. Line feeds part lines.
_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Error(Exception):
    """Something that presso could not do.

    Attributes:
        code: the library's number of what went wrong (FORMAT.md, "Errors").
        path: the file that it is about, or "".
        block: the number of the block in that file, from 0 on, or None.
        offset: the place in the compressed file in bytes, or None; for a pattern, an expression or
            a statement the place in its text, in bytes.
    """

    def __init__(self, message, *, code=0, path="", block=None, offset=None):
        # Tracebacks go to terminals.
        super().__init__(_CONTROL.sub(lambda found: ascii(found[0])[1:-1], message))
        self.code = code
        self.path = path
        self.block = block
        self.offset = offset

    def __str__(self):
        return self.args[0]

    def with_text(self, text):
        """This error, with its place and code, but with another text."""
        made, (kind, _, places) = self.__reduce__()
        return made(kind, text, places)

    def __reduce__(self):
        places = {"code": self.code, "path": self.path, "block": self.block, "offset": self.offset}
        return _restored, (type(self), self.args[0], places)


class DamageError(Error):
    """The compressed file is cut off or changed, or it is no file of presso's."""


class DamageWarning(UserWarning):
    """Damaged blocks were left out, as on_error="skip" asks for."""


class ArgumentError(Error, ValueError):
    """An argument is wrong: a pattern, an expression, or a column that does not exist."""


class UnsupportedError(Error):
    """A valid request that this version or this machine cannot serve."""


class FileError(Error, OSError):
    """A file cannot be opened, read or written. `filename` is its path, or None, and `errno` the
    system's number, or None where it is not known."""

    def __init__(self, message, *, errno=None, **places):
        super().__init__(message, **places)
        self.errno = errno
        self.filename = self.path or None

    def __reduce__(self):
        made, (kind, message, places) = super().__reduce__()
        return made, (kind, message, places | {"errno": self.errno})


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file."""


class MemoryShortError(Error, MemoryError):
    """There is not enough memory."""


class DeviceError(Error):
    """There is no GPU, or it failed."""


class CancelledError(Error):
    """The work was cancelled before it came to its end."""


# Codes from 1 to _LAST_OF_FILES are faults of the compressed file (FORMAT.md, "Errors").
_LAST_OF_FILES = 39
_CLASSES = {
    40: FileError,
    41: FileError,
    42: FileError,
    43: ArgumentError,
    44: MemoryShortError,
    45: CancelledError,
    46: UnsupportedError,
    47: DeviceError,
    48: DeviceError,
    49: DeviceError,
}
_NUMBERS = {41: errno.ENOSPC, 42: errno.EEXIST}


def error_of(code, message, block, offset, path):
    """Makes the exception for an error of the library."""
    kind = DamageError if 0 < code <= _LAST_OF_FILES else _CLASSES.get(code, Error)
    places = {"code": code, "path": path, "block": block, "offset": offset}
    if kind is FileError:
        places["errno"] = _NUMBERS.get(code)
    return kind(message, **places)


def file_error(error, path, shown=str):
    """Makes the exception for an OSError about a file. `shown` takes secrets out of a text."""
    kind = MissingFileError if isinstance(error, FileNotFoundError) else FileError
    said = error.strerror or str(error) or type(error).__name__
    text = shown(f"{path}: cannot open: {said}")
    return kind(text, code=40, path=shown(path), errno=error.errno)


def _restored(kind, message, places):
    """Makes the exception again when it is unpickled."""
    return kind(message, **places)
