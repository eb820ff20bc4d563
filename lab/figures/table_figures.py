#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tables beside Parquet and beside the same text without columns, as CSV: size, and the speed of
loading a CSV file and of writing it again, in MB of text per second of CPU time, one thread.

    lab/figures/table_figures.py --presso build/release/bin/presso lineitem.csv > cpu-tables.csv

Parquet is written by DuckDB and by pyarrow, where Python finds them, with zstd and their defaults
otherwise; their sizes stand in rows of their own, their times are not taken. Every table is read
back and compared with the text byte for byte, else the exit status is 1. The best of --rounds."""

import argparse
import csv
import os
import subprocess
import sys
import tempfile

import csv_origin
from command_figures import cpu_seconds

COLUMNS = "file plain_bytes tool options stored_bytes ratio load_mb_s text_mb_s"


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+")
    parser.add_argument("--presso", default="build/release/bin/presso")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--commit", help="of presso; by default git's")
    parser.add_argument("--machine", help="by default the name of the processor")
    return parser.parse_args()


def by_commands(options, tool, flags, plain, folder):
    """Size and rates of a tool that compresses to standard output and back."""
    packed = os.path.join(folder, "packed")
    pack, unpack = {
        "presso": (f"{options.presso} compress -q -T1 {flags} -c {plain}",
                   f"{options.presso} cat -T1 {packed}"),
        "zstd": (f"zstd -q --single-thread {flags} -c {plain}", f"zstd -q -dc {packed}"),
    }[tool]
    load = min(cpu_seconds(pack, packed)[0] for _ in range(options.rounds))
    text = min(cpu_seconds(f"{unpack} > /dev/null")[0] for _ in range(options.rounds))
    same = subprocess.run(["bash", "-c", f"{unpack} | cmp -s - {plain}"], check=False)
    if same.returncode != 0:
        sys.exit(f"{tool} {flags}: {plain} did not come back")
    return os.path.getsize(packed), load, text


def by_duckdb(plain, level, path):
    import duckdb

    duckdb.sql(
        f"copy (select * from read_csv('{plain}', sample_size=-1)) to '{path}' "
        f"(format parquet, compression zstd, compression_level {level})"
    )


def by_pyarrow(plain, level, path):
    import pyarrow.csv
    import pyarrow.parquet

    table = pyarrow.csv.read_csv(plain)
    pyarrow.parquet.write_table(table, path, compression="zstd", compression_level=level)


def parquet_sizes(plain, folder):
    path = os.path.join(folder, "x.parquet")
    for name, write in (("duckdb", by_duckdb), ("pyarrow", by_pyarrow)):
        for level in (3, 9):
            try:
                write(plain, level, path)
            except ImportError:
                print(f"{name} is not installed: no figures of it", file=sys.stderr)
                break
            except Exception as problem:  # a file that it does not read
                print(f"{name}: {plain}: {problem}", file=sys.stderr)
                break
            yield name, f"parquet zstd -{level}", os.path.getsize(path)


def main():
    options = arguments()
    sys.stdout.write(csv_origin.origin(options.commit, options.machine))
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(COLUMNS.split())
    for plain in map(os.path.realpath, options.files):
        size, name = os.path.getsize(plain), os.path.basename(plain)
        with tempfile.TemporaryDirectory() as folder:
            for tool, flags in (
                ("presso", "--table auto"), ("presso", ""), ("zstd", "-3"), ("zstd", "-9"),
            ):
                stored, load, text = by_commands(options, tool, flags, plain, folder)
                rates = [f"{size / seconds / 1e6:.0f}" for seconds in (load, text)]
                out.writerow([name, size, tool, flags, stored, f"{size / stored:.3f}", *rates])
            for tool, flags, stored in parquet_sizes(plain, folder):
                out.writerow([name, size, tool, flags, stored, f"{size / stored:.3f}", "", ""])
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
