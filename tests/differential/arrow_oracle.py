#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Arrow files and streams of pyarrow, Polars and DuckDB, with every type, layout, codec and pattern
of nulls, as presso reads them; and those that presso writes, as pyarrow and Polars read them.

    arrow_oracle.py PRESSO [ROWS]

Exit status 77: pyarrow or DuckDB is not installed (pip install pyarrow duckdb). Polars is left out,
and said so, where it is missing."""

import itertools
import os
import sys
import tempfile

from parquet_oracle import TYPES, Oracle, made_column, made_table, rng, same, shown, values_of

import duckdb
import pyarrow as pa
from pyarrow import ipc

text = TYPES["string"][1]
whole = TYPES["int64"][1]
MORE = {
    "large": (pa.large_string(), text),
    "view": (pa.string_view(), text),
    "view_bytes": (pa.binary_view(), TYPES["binary"][1]),
    "dec32": (pa.decimal32(7, 2), TYPES["dec7"][1]),
    "dec64": (pa.decimal64(18, 4), TYPES["dec18"][1]),
    "dec256": (pa.decimal256(60, 10), TYPES["dec38"][1]),
    "date64": (pa.date64(), TYPES["date"][1]),
    "large_list": (pa.large_list(pa.string()), lambda: [text()] * rng.randrange(4)),
    "list_view": (pa.list_view(pa.int8()), lambda: [rng.choice((None, 1, 2))] * rng.randrange(4)),
    "large_list_view": (pa.large_list_view(pa.bool_()), lambda: [True] * rng.randrange(4)),
    "fixed_list": (pa.list_(pa.int16(), 3), lambda: [1, rng.choice((None, 2)), 3]),
    "struct": (pa.struct([("x", pa.int32()), ("y", pa.string_view())]),
               lambda: {"x": rng.randrange(9), "y": text()}),
    "halves": (pa.list_(pa.float16()), lambda: [rng.choice((0.5, -2.0))] * rng.randrange(3)),
}


def encoded(table):
    """The same values as dictionaries, runs, and dictionaries within lists."""
    columns = {}
    for name in ("string", "int32", "double", "date", "binary", "bool"):
        columns[f"{name}_dictionary"] = table.column(name).combine_chunks().dictionary_encode()
    words = table.column("string").combine_chunks()
    columns["few"] = words.dictionary_encode().cast(pa.dictionary(pa.uint16(), pa.string()))
    ends = range(1, len(words) + 1)
    columns["runs"] = pa.RunEndEncodedArray.from_arrays(pa.array(ends, pa.int32()), words)
    columns["coded_list"] = pa.ListArray.from_arrays(pa.array(range(len(words) + 1), pa.int32()),
                                                     words.dictionary_encode())
    return pa.table(columns)


def decoded(table):
    """Dictionaries as their values, and dates in milliseconds as dates in days."""
    types = [f.type.value_type if pa.types.is_dictionary(f.type) else
             pa.date32() if f.type == pa.date64() else f.type for f in table.schema]
    columns = [column if column.type == t else column.cast(t)
               for column, t in zip(table.columns, types)]
    return pa.table(columns, names=table.column_names)


class ArrowOracle(Oracle):
    least_digits = 0

    def read(self, table, about):
        super().read(decoded(table), about)

    def __init__(self, presso, folder):
        super().__init__(presso, folder)
        self.path = os.path.join(folder, "in.arrow")
        self.out = os.path.join(folder, "out.arrows")

    def write(self, table, stream, rows, **options):
        make = ipc.new_stream if stream else ipc.new_file
        with make(self.path, table.schema, options=ipc.IpcWriteOptions(**options)) as writer:
            writer.write_table(table, max_chunksize=rows)

    def pyarrow_files(self, table, nulls, rows):
        for stream, codec, old, batch in itertools.product(
            (False, True), (None, "lz4", "zstd"), (False, True), (rows, 701)
        ):
            version = ipc.MetadataVersion.V4 if old else ipc.MetadataVersion.V5
            own = table
            if old and "runs" in table.column_names:  # newer than version 4
                own = table.drop_columns(["runs"])
            self.write(own, stream, batch, compression=codec, metadata_version=version,
                       unify_dictionaries=not stream)
            self.read(own, f"pyarrow, nulls {nulls}, {stream}, {codec}, {version}, {batch}")

    def slices(self, table, nulls):
        """Arrays that begin inside of others."""
        for first, rows in ((1, 7), (9, 64), (333, 1000)):
            part = table.slice(first, rows)
            self.write(part, rng.random() < 0.5, rng.choice((rows, 13)), compression="lz4")
            self.read(part, f"slice from {first}, nulls {nulls}")

    def other_writers(self, table, nulls):
        own = table.drop_columns([name for name in ("half", "ts_s_None", "ts_s_UTC", "ts_ms_UTC",
                                                    "ts_ns_UTC", "time32", "time64n")
                                  if name in table.column_names])
        for view in (False, True):
            connection = duckdb.connect()
            connection.execute(f"set produce_arrow_string_view = {str(view).lower()}")
            connection.execute("set TimeZone = 'UTC'")
            self.write(connection.sql("from own").to_arrow_table(), view, 2048)
            self.read(own, f"DuckDB, views {view}, nulls {nulls}")
        try:
            import polars
        except ImportError:
            print("Polars is not installed; its files are left out")
            return
        frame = polars.from_arrow(table.select(
            [n for n in table.column_names if not n.startswith(("ts_s", "half", "time"))]))
        for codec in ("uncompressed", "lz4", "zstd"):
            frame.write_ipc(self.path, compression=codec)
            self.read(frame.to_arrow(), f"Polars, {codec}, nulls {nulls}")
            frame.write_ipc_stream(self.path, compression=codec)
            self.read(frame.to_arrow(), f"a stream of Polars, {codec}, nulls {nulls}")

    def output(self, table, nulls):
        """What presso writes of the table is what pyarrow and Polars read."""
        self.write(table, False, 1000)
        self.run(f"select * from '{self.path}'", "-f", "-o", self.out)
        written = ipc.open_stream(self.out).read_all()
        self.run(f"select * from '{self.path}'", "-f", "-o", self.path + ".arrow")
        if str(ipc.open_file(self.path + ".arrow").read_all()) != str(written):
            raise SystemExit(f"arrow_oracle: a file has other values than a stream, {nulls}")
        for name in table.column_names:
            before, after = table.column(name), written.column(name)
            wanted = [shown(v, before.type) for v in values_of(before)]
            found = [shown(v, after.type) for v in values_of(after)]
            if not all(same(a, b) for a, b in zip(found, wanted)):
                raise SystemExit(f"arrow_oracle: pyarrow reads other values of {name}, {nulls}")
        self.files += 1


def main():
    presso = os.path.abspath(sys.argv[1])
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 3000
    with tempfile.TemporaryDirectory() as folder:
        oracle = ArrowOracle(presso, folder)
        for nulls in ("none", "some", "runs", "all"):
            plain = made_table(nulls, rows)
            more = pa.table({k: made_column(t, v, nulls, rows) for k, (t, v) in MORE.items()})
            for table in (plain, more, encoded(plain)):
                oracle.pyarrow_files(table, nulls, rows)
                if table is not plain or nulls != "none":
                    oracle.slices(table, nulls)
            oracle.other_writers(plain, nulls)
            oracle.output(plain.drop_columns(["list", "deep"]), nulls)
        print(f"arrow_oracle: {oracle.files} files, all equal")


if __name__ == "__main__":
    main()
