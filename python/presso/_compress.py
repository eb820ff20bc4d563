# SPDX-License-Identifier: MIT
"""Compresses and decompresses bytes and files, and writes tables.

Arguments are checked here; the work is done by python/src/compress.cpp on threads of its own, which
Ctrl-C ends. A file appears under its name when it is complete. Tested by
python/tests/test_files.py, test_tables.py and test_works.py.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, Union

from presso import _native
from presso._arguments import MOST_OF_32_BITS, MOST_THREADS, one_of, whole
from presso._files import Source, open_file, output_path
from presso.errors import ArgumentError

Path = Union[str, bytes, os.PathLike]
#: Is called with bytes of the source that are done and bytes that were written so far; or a bar of
#: tqdm's, of which update() is called with how many bytes of the source are done since the last.
Progress = Union[Callable[[int, int], object], "ProgressBar", None]


class ProgressBar(Protocol):
    """The part of a progress bar that is used; bars of tqdm have it."""

    def update(self, n: float) -> object:
        """Adds to what is done."""


class Sizes(NamedTuple):
    """The sizes of a file that was compressed or decompressed."""

    plain_bytes: int
    compressed_bytes: int


_DEFAULTS = {
    "level": 0,
    "coding": None,
    "favor": None,
    "block_size": 0,
    "index": None,
    "threads": 0,
    "metadata": None,
}


def _asked(function, options):
    """The options of a function, checked and as the native module takes them."""
    for name in options:
        if name not in _DEFAULTS:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")
    given = _DEFAULTS | options
    index = given["index"]
    return {
        "level": whole("level", given["level"], 1000),
        "coding": one_of("coding", given["coding"], (None, "byte", "bit")) or "",
        "favor": one_of("favor", given["favor"], (None, "ratio", "decode", "archive")) or "",
        "block_bytes": whole("block_size", given["block_size"], MOST_OF_32_BITS),
        "index_permille": None if index is None else whole("index", index, 1000),
        "threads": whole("threads", given["threads"], MOST_THREADS),
        "metadata": _entries(given["metadata"]),
    }


def _entries(metadata):
    """The metadata as pairs of strings."""
    try:
        entries = list(dict(metadata or {}).items())
    except (TypeError, ValueError):
        entries = [(None,)]
    if not all(isinstance(text, str) for entry in entries for text in entry):
        raise ArgumentError(f"metadata={metadata!r}: not a dictionary of strings")
    return entries


def compress(data: Any, **options: Any) -> bytes:
    """Compresses bytes, or anything that has a buffer.

    Options, here and in compress_file(): level (1 to 12, 0: by goal), coding ("byte" or "bit"),
    favor ("ratio", "decode" or "archive"), block_size in bytes, index (a filter for scans, in
    thousandths of the file), threads (0: all), metadata (a dictionary of strings; keys of your own
    begin with "user.").
    """
    return _native.compress(data, _asked("compress", options))


def decompress(data: Any, *, threads: int = 0) -> bytes:
    """The plain bytes of a compressed file in memory. Raises DamageError."""
    return _native.decompress(data, whole("threads", threads, MOST_THREADS))


def compress_file(
    source: Source,
    to: Path | None = None,
    *,
    overwrite: bool = False,
    progress: Progress = None,
    **options: Any,
) -> Sizes:
    """Compresses a file into `to`, by default its path with ".presso" appended, which appears
    when it is complete. Its metadata are the path's name and its mtime, and those that are given.
    `progress(plain_bytes, compressed_bytes)` is called with what is done so far, or a bar of tqdm's
    is updated; what that raises ends the work. Returns Sizes."""
    file = open_file(source)
    if to is None and not file.path:
        raise ArgumentError(f"{file.name}: no path; to= says where it is written")
    target = output_path(to if to is not None else file.path + ".presso")
    asked = _asked("compress_file", options)
    asked["metadata"] = [*(_origin(file.path) | dict(asked["metadata"])).items()]
    return Sizes._make(
        _native.compress_file(file, target, bool(overwrite), asked, _callable(progress))
    )


def _origin(path):
    """The metadata about the original file: its name and the time of its last change."""
    if not path:
        return {}
    name = os.path.basename(path).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    try:
        modified = os.stat(path).st_mtime_ns
    except OSError:
        return {"name": name}
    # The tools of the library read the time as a signed number of 64 bits.
    fits = abs(modified) < 1 << 63
    return {"name": name, "mtime": str(modified)} if fits else {"name": name}


def _callable(progress):
    """`progress` as a function of two numbers, or None."""
    if callable(getattr(progress, "update", None)):
        return _updating(progress)
    if progress is not None and not callable(progress):
        raise ArgumentError(f"progress={progress!r}: cannot be called")
    return progress


def _updating(bar):
    """A function that tells a bar how much has been done since its last call."""
    before = 0

    def advance(done, _):
        nonlocal before
        bar.update(done - before)
        before = done

    return advance


def decompress_file(
    source: Source,
    to: Path,
    *,
    overwrite: bool = False,
    progress: Progress = None,
    threads: int = 0,
) -> Sizes:
    """Writes the plain bytes of a compressed file, or the text of a table, to `to`.
    `progress(compressed_bytes, plain_bytes)` as in compress_file(). Returns Sizes."""
    threads = whole("threads", threads, MOST_THREADS)
    target = output_path(to)
    report = _callable(progress)
    file = open_file(source)
    done = _native.decompress_file(file, target, bool(overwrite), threads, report)
    sizes = Sizes._make(done)
    if report is not progress:
        # A bar has come to the last block, but the index follows it, so it is told the whole size.
        report(sizes.compressed_bytes, sizes.plain_bytes)
    return sizes


def write_table(
    batches: Any, to: Path, *, overwrite: bool = False, group_rows: int = 0, **options: Any
) -> dict[str, int]:
    """Writes a table of anything that has __arrow_c_stream__ (pyarrow, Polars, pandas, DuckDB).
    `group_rows`: rows of a row group, 0: about 32 MiB of them; options as in compress(). Returns
    a dictionary of rows, row_groups, value_bytes and compressed_bytes. Raises UnsupportedError
    for a column's type that tables do not have."""
    if not hasattr(batches, "__arrow_c_stream__"):
        raise ArgumentError(f"{type(batches).__name__} has no __arrow_c_stream__")
    group_rows = whole("group_rows", group_rows, MOST_OF_32_BITS)
    target, asked = output_path(to), _asked("write_table", options)
    return _native.write_table(
        batches.__arrow_c_stream__(), target, bool(overwrite), group_rows, asked
    )
