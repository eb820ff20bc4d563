#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Parquet files of pyarrow, DuckDB, Polars and fastparquet, with every type, encoding, codec, page
version and pattern of nulls, as presso reads them; and those that presso writes, as pyarrow and
DuckDB read them.

    parquet_oracle.py PRESSO [ROWS]

Exit status 77: pyarrow or DuckDB is not installed (pip install pyarrow duckdb). Polars and
fastparquet are left out, and said so, where they are missing."""

import datetime
import decimal
import itertools
import json
import math
import os
import random
import struct
import subprocess
import sys
import tempfile

try:
    import duckdb
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
WORDS = ("", "a", "alpha", "beta" * 3, "Zürich", "x" * 50, 'q"uo,te\n')
rng = random.Random(11)
decimal.getcontext().prec = 60


def integer(bits, unsigned):
    least, end = (0, 2**bits) if unsigned else (-(2 ** (bits - 1)), 2 ** (bits - 1))
    return lambda: rng.randrange(least, end) if rng.random() < 0.3 else rng.randrange(100)


def moment(unit):
    per = PER_SECOND[unit]
    return lambda: rng.randrange(-(10**9), 10**9) * per + (rng.randrange(1000) if per > 1 else 0)


def digits(count, scale):
    return lambda: decimal.Decimal(rng.randrange(-(10**count) + 1, 10**count)).scaleb(-scale)


TYPES = {
    "bool": (pa.bool_(), lambda: rng.random() < 0.5),
    "float": (pa.float32(), lambda: rng.randrange(-1000, 1000) / 8),
    "double": (
        pa.float64(),
        lambda: rng.choice((rng.random(), 1e300, -0.1, math.inf, math.nan, rng.randrange(9) / 4)),
    ),
    "half": (pa.float16(), lambda: rng.choice((0.5, -2.0, 6e-8, 65504.0, 0.0))),
    "date": (
        pa.date32(),
        lambda: datetime.date(1000 + rng.randrange(8000), 1 + rng.randrange(12), 28),
    ),
    "time32": (pa.time32("ms"), lambda: rng.randrange(86400 * 10**3)),
    "time64": (pa.time64("us"), lambda: rng.randrange(86400 * 10**6)),
    "time64n": (pa.time64("ns"), lambda: rng.randrange(86400 * 10**9)),
    "dec7": (pa.decimal128(7, 2), digits(7, 2)),
    "dec18": (pa.decimal128(18, 4), digits(18, 4)),
    "dec38": (pa.decimal128(38, 10), digits(38, 10)),
    "string": (
        pa.string(),
        lambda: rng.choice(WORDS) + (str(rng.randrange(10**6)) if rng.random() < 0.5 else ""),
    ),
    "blank": (pa.string(), lambda: "" if rng.random() < 0.999 else "x" * rng.randrange(40)),
    "binary": (pa.binary(), lambda: rng.choice((b"abc", b"", b"zz" * 20))),
    "fixed": (pa.binary(5), lambda: b"%05d" % rng.randrange(10**5)),
    "list": (pa.list_(pa.int32()), lambda: [rng.choice((None, 1, 2))] * rng.randrange(4)),
    "deep": (
        pa.list_(pa.struct([("x", pa.string()), ("y", pa.list_(pa.float64()))])),
        lambda: [rng.choice((None, {"x": rng.choice(WORDS), "y": [1.5] * rng.randrange(3)}))]
        * rng.randrange(3),
    ),
}
for bits, unsigned in itertools.product((8, 16, 32, 64), (False, True)):
    name = ("uint" if unsigned else "int") + str(bits)
    TYPES[name] = (getattr(pa, name)(), integer(bits, unsigned))
for unit, zone in itertools.product(("s", "ms", "us", "ns"), (None, "UTC")):
    TYPES[f"ts_{unit}_{zone}"] = (pa.timestamp(unit, zone), moment(unit))


def is_whole(name):
    return name.startswith(("int", "uint", "ts_", "date", "time"))


def made_column(arrow_type, value, nulls, rows):
    few = [value() for _ in range(5)]
    share = {"none": 0, "some": 0.3, "all": 1}
    values = []
    for row in range(rows):
        is_null = (row // 100) % 3 == 0 if nulls == "runs" else rng.random() < share[nulls]
        repeats = (row // 500) % 2 == 1
        values.append(None if is_null else rng.choice(few) if repeats else value())
    return pa.array(values, arrow_type)


def made_table(nulls, rows):
    table = pa.table({k: made_column(t, v, nulls, rows) for k, (t, v) in TYPES.items()})
    if nulls != "none":
        return table
    return table.cast(pa.schema([field.with_nullable(False) for field in table.schema]))


def fraction_of(rest, per, digit_count):
    return str(rest * 10**digit_count // per).zfill(digit_count)


def shown(value, arrow_type, least_digits=3):
    """What presso writes of a value in JSON. Parquet has no timestamps in seconds."""
    if value is None:
        return None
    if pa.types.is_timestamp(arrow_type):
        per = PER_SECOND[arrow_type.unit]
        seconds, rest = divmod(value, per)
        when = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
        count = max(least_digits, len(str(per)) - 1)
        fraction = "." + fraction_of(rest, per, count) if count else ""
        return when.isoformat(" ").rjust(19, "0") + fraction
    if pa.types.is_time(arrow_type):
        per = PER_SECOND[arrow_type.unit]
        seconds, rest = divmod(value, per)
        text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
        return (text + "." + fraction_of(rest, per, len(str(per)) - 1)).rstrip("0").rstrip(".") \
            if rest else text
    if pa.types.is_date(arrow_type):
        return value.isoformat()
    return value.decode() if isinstance(value, bytes) else value


def values_of(column):
    if pa.types.is_timestamp(column.type) or pa.types.is_time(column.type):
        width = pa.int32() if pa.types.is_time32(column.type) else pa.int64()
        return column.cast(width).to_pylist()
    return column.to_pylist()


def same(own, value):
    if isinstance(value, float) and own is not None:
        if math.isnan(value) or math.isinf(value):
            return str(own).lower() == str(value)
        return float(own) == value or struct.pack("f", float(own)) == struct.pack("f", value)
    if isinstance(value, (list, dict)) and type(own) is type(value):
        pairs = zip(own, value) if isinstance(value, list) else (
            (own.get(key), each) for key, each in value.items())
        return len(own) == len(value) and all(same(a, b) for a, b in pairs)
    return own == value


class Oracle:
    least_digits = 3  # of a timestamp's fraction

    def __init__(self, presso, folder):
        self.presso = presso
        self.path = os.path.join(folder, "in.parquet")
        self.out = os.path.join(folder, "out.parquet")
        self.files = 0

    def run(self, *arguments):
        done = subprocess.run([self.presso, "sql", "-q", *arguments], capture_output=True,
                              check=False)
        if done.returncode not in (0, 1):
            raise SystemExit(f"parquet_oracle: {arguments}: exit status {done.returncode}: "
                             f"{done.stderr.decode()}")
        return done.stdout.decode()

    def read(self, table, about):
        """The file at self.path must have the rows of the table."""
        lines = self.run(f"select * from '{self.path}'", "--format", "jsonl").split("\n")[:-1]
        rows = [json.loads(line, parse_float=decimal.Decimal) for line in lines]
        if len(rows) != table.num_rows:
            raise SystemExit(f"parquet_oracle: {about}: {len(rows)} rows, not {table.num_rows}")
        for name, column in zip(table.column_names, table.columns):
            for row, value in enumerate(values_of(column)):
                wanted = shown(value, column.type, self.least_digits)
                if not same(rows[row][name], wanted):
                    raise SystemExit(f"parquet_oracle: {about}: {name}, row {row}: "
                                     f"{rows[row][name]!r}, not {wanted!r}")
        self.files += 1

    def pyarrow_files(self, table, nulls, rows):
        for codec, version, dictionary, page_bytes in itertools.product(
            ("none", "snappy", "gzip", "zstd", "lz4"), ("1.0", "2.0"), (True, False),
            (1 << 20, 2000)
        ):
            options = {"compression": codec, "data_page_version": version,
                       "use_dictionary": dictionary, "data_page_size": page_bytes,
                       "row_group_size": rng.choice((700, rows)),
                       "write_page_checksum": rng.random() < 0.5}
            pq.write_table(table, self.path, **options)
            self.read(table, f"pyarrow, nulls {nulls}, {options}")

    def encodings(self, table, nulls, rows):
        flat = table.drop_columns(["list", "deep"])
        whole = [name for name in flat.column_names if is_whole(name)]
        others = [
            {"float": "BYTE_STREAM_SPLIT", "double": "BYTE_STREAM_SPLIT", "bool": "RLE",
             "half": "BYTE_STREAM_SPLIT", "fixed": "BYTE_STREAM_SPLIT",
             "dec38": "BYTE_STREAM_SPLIT", "string": "DELTA_BYTE_ARRAY",
             "binary": "DELTA_LENGTH_BYTE_ARRAY"} | dict.fromkeys(whole, "DELTA_BINARY_PACKED"),
            {"string": "DELTA_LENGTH_BYTE_ARRAY", "binary": "DELTA_BYTE_ARRAY", "bool": "PLAIN",
             "fixed": "DELTA_BYTE_ARRAY", "dec38": "DELTA_BYTE_ARRAY"}
            | dict.fromkeys(whole, "BYTE_STREAM_SPLIT"),
        ]
        for number, version, page_bytes in itertools.product((0, 1), ("1.0", "2.0"),
                                                             (1 << 20, 2000)):
            pq.write_table(flat, self.path, use_dictionary=False, data_page_version=version,
                           column_encoding=others[number], data_page_size=page_bytes,
                           row_group_size=rng.choice((700, rows)))
            self.read(flat, f"encodings {number}, {version}, nulls {nulls}")
        moments = flat.select(["ts_us_None"])
        pq.write_table(moments, self.path, use_deprecated_int96_timestamps=True)
        self.read(moments, f"int96, nulls {nulls}")
        decimals = flat.select(["dec7", "dec18"])
        pq.write_table(decimals, self.path, store_decimal_as_integer=True)
        self.read(decimals, f"decimals as integers, nulls {nulls}")

    def other_writers(self, table, nulls):
        # What these read of the table is what they write.
        for codec, version in itertools.product(("uncompressed", "snappy", "gzip", "zstd",
                                                 "lz4_raw"), ("v1", "v2")):
            own = table.drop_columns(["time32", "time64n", "half", "ts_s_None", "ts_s_UTC",
                                      "ts_ms_UTC", "ts_ns_UTC"])
            duckdb.sql(f"copy (from own) to '{self.path}' (format parquet, compression {codec}, "
                       f"parquet_version {version}, row_group_size 2048)")
            self.read(own, f"DuckDB, {codec}, {version}, nulls {nulls}")
        try:
            import polars
            names = [n for n in table.column_names if not n.startswith(("ts_s", "half"))]
            for codec in ("uncompressed", "snappy", "gzip", "zstd", "lz4"):
                own = table.select(names)
                polars.from_arrow(own).write_parquet(self.path, compression=codec,
                                                     row_group_size=700)
                times = [n for n in names if n.startswith("time")]
                self.read(own.drop_columns(times), f"Polars, {codec}, nulls {nulls}")
        except ImportError:
            print("Polars is not installed; its files are left out")
        try:
            import fastparquet
            frame = table.select(["bool", "int8", "int64", "double", "string"]).to_pandas()
            for codec in (None, "SNAPPY", "GZIP", "ZSTD"):
                fastparquet.write(self.path, frame, compression=codec, row_group_offsets=700,
                                  object_encoding="infer" if nulls != "all" else "utf8")
                own = pq.read_table(self.path)
                self.read(own, f"fastparquet, {codec}, nulls {nulls}")
        except ImportError:
            print("fastparquet is not installed; its files are left out")

    def conditions(self, table, nulls):
        """Rows that a condition keeps, of files with many row groups, are those of DuckDB."""
        names = ["int8", "uint32", "uint64", "int64", "double", "float", "date", "dec7", "dec18",
                 "dec38", "string", "ts_us_None", "ts_ms_None", "ts_ns_None", "ts_us_UTC"]
        own = table.select(names).sort_by(rng.choice(names))
        duckdb.sql("set TimeZone = 'UTC'")
        pq.write_table(own, self.path, row_group_size=100)
        duckdb.sql(f"copy (from own) to '{self.out}' (format parquet, row_group_size 2048)")
        for path, _ in itertools.product((self.path, self.out), range(60)):
            name = rng.choice(names)
            found = duckdb.sql(f'select "{name}"::varchar v from own where v is not null '
                               "using sample 2 rows").fetchall()
            in_quotes = name in ("string", "date") or name.startswith("ts")
            values = [value.removesuffix("+00") for (value,) in found]
            values = values or ["2024-01-01" if in_quotes else "1"]
            one, two = (f"'{value}'" if in_quotes else value for value in (values * 2)[:2])
            if "nan" in one + two or "inf" in one + two or '"' in one + two:
                continue
            where = rng.choice((f"{name} < {one}", f"{name} >= {one}", f"{one} < {name}",
                                f"{name} = {one}", f"{name} between {one} and {two}",
                                f"{name} in ({one}, {two})", f"{name} > {one} and {name} <= {two}",
                                f"{name} is null or {name} < {one}", f"{name} is not null"))
            statement = f"select count(*) n from '{path}' where {where}"
            # Not from the file: DuckDB 2.0.1 leaves out NaN beyond the range of a row group.
            wanted = duckdb.sql(f"select count(*) from own where {where}").fetchall()[0][0]
            if int(self.run(statement).split()[1]) != wanted:
                raise SystemExit(f"parquet_oracle: {statement}, nulls {nulls}: not {wanted}")
        self.files += 2

    def output(self, table, nulls):
        """What presso writes of the table is what pyarrow and DuckDB read."""
        flat = table.drop_columns(["list", "deep"])
        pq.write_table(flat, self.path)
        self.run(f"select * from '{self.path}'", "-f", "-o", self.out)
        written = pq.read_table(self.out)
        for name in flat.column_names:
            before, after = flat.column(name), written.column(name)
            wanted = [shown(v, before.type) for v in values_of(before)]
            found = [shown(v, after.type) for v in values_of(after)]
            if not all(same(a, b) for a, b in zip(found, wanted)):
                raise SystemExit(f"parquet_oracle: pyarrow reads other values of {name}, {nulls}")
            is_text = pa.types.is_time(before.type) or name in ("half", "fixed", "ts_s_None",
                                                                "ts_s_UTC")
            if not is_text and after.type != before.type:
                raise SystemExit(f"parquet_oracle: {name} became {after.type}")
            texts = [
                duckdb.sql(f'select "{name}"::varchar from \'{path}\'').fetchall()
                for path in (self.path, self.out)
            ]
            if texts[0] != texts[1] and name != "half":
                raise SystemExit(f"parquet_oracle: DuckDB reads other values of {name}, {nulls}")
            # With the ranges in the footer.
            least = duckdb.sql(
                f'select count(*) from \'{self.out}\' where "{name}" = (select min("{name}") from '
                f"'{self.out}')").fetchall()[0][0]
            if nulls != "all" and least == 0:
                raise SystemExit(f"parquet_oracle: the range of {name} is wrong, {nulls}")
        self.files += 1


def main():
    presso = os.path.abspath(sys.argv[1])
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 3000
    with tempfile.TemporaryDirectory() as folder:
        oracle = Oracle(presso, folder)
        for nulls in ("none", "some", "runs", "all"):
            table = made_table(nulls, rows)
            oracle.pyarrow_files(table, nulls, rows)
            oracle.encodings(table, nulls, rows)
            oracle.other_writers(table, nulls)
            oracle.conditions(table, nulls)
            oracle.output(table, nulls)
        print(f"parquet_oracle: {oracle.files} files, all equal")


if __name__ == "__main__":
    main()
