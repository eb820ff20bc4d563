# SPDX-License-Identifier: MIT
"""presso keeps big text, logs and tables compressed on storage and searches, selects and joins
them there.

    import presso

    for match in presso.scan("logs/*.presso", "time(d )?out", ignore_case=True):
        print(match.path, match.line_number, match.line)

    answer = presso.query("orders.presso").where("price > 10").group_by("city")
    table = pyarrow.table(answer.aggregate("sum(price) as revenue"))
"""

import atexit

from presso import _native
from presso._compress import (
    Sizes,
    compress,
    compress_file,
    decompress,
    decompress_file,
    write_table,
)
from presso._file import File, open  # noqa: A004
from presso._native import version as __version__
from presso._partition import Partition
from presso._query import Query, query, sql
from presso._scan import Match, Scan, scan
from presso.errors import (
    ArgumentError,
    CancelledError,
    DamageError,
    DeviceError,
    Error,
    FileError,
    MemoryShortError,
    MissingFileError,
    UnsupportedError,
)

# Threads of the library end before the interpreter does.
atexit.register(_native.end_works)

__all__ = [
    "ArgumentError",
    "CancelledError",
    "DamageError",
    "DeviceError",
    "Error",
    "File",
    "FileError",
    "Match",
    "MemoryShortError",
    "MissingFileError",
    "Partition",
    "Query",
    "Scan",
    "Sizes",
    "UnsupportedError",
    "compress",
    "compress_file",
    "decompress",
    "decompress_file",
    "open",
    "query",
    "scan",
    "sql",
    "write_table",
]
