# SPDX-License-Identifier: MIT
"""presso keeps big text, logs and tables compressed on storage and searches, selects and joins
them there.

    import presso

    for match in presso.scan("logs/*.presso", "time(d )?out", ignore_case=True):
        print(match.path, match.line_number, match.line)

    answer = presso.query("orders.presso").where("price > 10").group_by("city")
    table = pyarrow.table(answer.aggregate("sum(price) as revenue"))

`cpu_level` names the code that runs on this machine ("portable", "avx2" or "avx512vbmi2"; the
environment variable PRESSO_FORCE_BACKEND chooses among those that it can run), `cpu_features` what
presso looks for in a CPU and found, by the names of /proc/cpuinfo.
"""

from __future__ import annotations

import atexit
from typing import Any

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
from presso._files import Sources
from presso._gpu import Device, devices
from presso._native import cpu_features, cpu_level
from presso._native import version as __version__
from presso._partition import Partition
from presso._query import Query, query, sql
from presso._scan import Match, Scan, scan
from presso.errors import (
    ArgumentError,
    CancelledError,
    DamageError,
    DamageWarning,
    DeviceError,
    Error,
    FileError,
    MemoryShortError,
    MissingFileError,
    UnsupportedError,
)


def dataset(
    sources: Sources | Scan | Query, *, target_bytes: int = 64 << 20, **options: Any
) -> Any:
    """Makes a dataset of pyarrow (which has to be installed) from files' lines, with options as in
    scan(), from a table's rows, or from a scan or query. DuckDB, DataFusion and other engines pass
    the columns and filters that they need to it. Comparisons of line and line_number, and of a
    table's numbers, strings and dates, leave out what they rule out. `target_bytes` is the size of
    its fragments, as in partitions(). `dictionaries=True` gives strings of a table as dictionaries,
    as Query.options() says: DuckDB, which has the same types and answers either way, groups by one
    such column several times as fast."""
    from presso._dataset import Dataset

    return Dataset(sources, target_bytes, options)


# Threads of the library end before the interpreter does.
atexit.register(_native.end_works)

__all__ = [
    "ArgumentError",
    "CancelledError",
    "DamageError",
    "DamageWarning",
    "Device",
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
    "__version__",
    "compress",
    "compress_file",
    "dataset",
    "decompress",
    "decompress_file",
    "devices",
    "open",
    "query",
    "scan",
    "sql",
    "write_table",
]
