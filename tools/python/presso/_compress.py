# SPDX-License-Identifier: MIT
"""Compressing and decompressing."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple, Union

from presso import _native
from presso._files import Source, open_file
from presso.errors import ArgumentError


Path = Union[str, os.PathLike]
Progress = Union[Callable[[int, int], object], None]


class Sizes(NamedTuple):
    """Of a file that was compressed or decompressed."""

    plain_bytes: int
    compressed_bytes: int


def _asked(level=0, coding=None, favor=None, block_size=0, index=None, threads=0, metadata=None):
    for name, value, known in (
        ("coding", coding, (None, "byte", "bit")),
        ("favor", favor, (None, "ratio", "decode", "archive")),
    ):
        if value not in known:
            raise ArgumentError(f"{name}={value!r}: one of {known}")
    return {
        "level": level,
        "coding": coding or "",
        "favor": favor or "",
        "block_bytes": block_size,
        "index_permille": index,
        "threads": threads,
        "metadata": list((metadata or {}).items()),
    }


def compress(data: Any, **options: Any) -> bytes:
    """Compresses bytes, or anything that has a buffer.

    Options, here and in compress_file(): level (1 to 12, 0: by goal), coding ("byte" or "bit"),
    favor ("ratio", "decode" or "archive"), block_size in bytes, index (a filter for scans, in
    thousandths of the file), threads (0: all), metadata (a dictionary of strings; keys of your own
    begin with "user.").
    """
    return _native.compress(data, _asked(**options))


def decompress(data: Any, *, threads: int = 0) -> bytes:
    """The plain bytes of a compressed file in memory. Raises DamageError."""
    return _native.decompress(data, threads)


def compress_file(
    source: Source,
    to: Path | None = None,
    *,
    overwrite: bool = False,
    progress: Progress = None,
    **options: Any,
) -> Sizes:
    """Compresses a file into `to`, by default its path with ".presso" behind it, which appears
    when it is complete. `progress(plain_bytes, compressed_bytes)` is called with what is done so
    far; what it raises ends the work. Returns Sizes."""
    file = open_file(source)
    target = os.fspath(to) if to is not None else file.name + ".presso"
    return Sizes._make(
        _native.compress_file(file, target, overwrite, _asked(**options), progress)
    )


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
    return Sizes._make(
        _native.decompress_file(open_file(source), os.fspath(to), overwrite, threads, progress)
    )


def write_table(
    batches: Any, to: Path, *, overwrite: bool = False, group_rows: int = 0, **options: Any
) -> dict[str, int]:
    """Writes a table of anything that has __arrow_c_stream__ (pyarrow, Polars, pandas, DuckDB).
    `group_rows`: rows of a row group, 0: about 32 MiB of them; options as in compress(). Returns
    a dictionary of rows, row_groups, value_bytes and compressed_bytes. Raises UnsupportedError
    for a column's type that tables do not have."""
    if not hasattr(batches, "__arrow_c_stream__"):
        raise ArgumentError(f"{type(batches).__name__} has no __arrow_c_stream__")
    return _native.write_table(
        batches.__arrow_c_stream__(), os.fspath(to), overwrite, group_rows, _asked(**options)
    )
