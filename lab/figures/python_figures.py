#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Python package beside the command, and DuckDB over a table of presso's beside DuckDB over
Parquet, as CSV.

    lab/figures/python_figures.py --bin build/release/bin log.presso lineitem.csv

Run it with a Python that has presso, pyarrow and duckdb. Runs alternate; times are the least of
--rounds, in milliseconds. Every answer is compared with the peer's; a difference ends the script
with status 1.

`log.presso` should be a log of 1 GiB. `ours` and `peer` are:

  import      a Python that imports presso, and one that imports nothing
  scan ...    presso.scan(...).count() and `presso scan -c`, each in a process of its own that has
              started, as a command starts in 2 ms and Python in 20
  lines ...   all lines as Arrow, in batches that are dropped, and `presso cat`: `of_peer` is no
              goal here, GB/s of lines are in the last column
  duckdb ...  DuckDB over presso.dataset() of the table, and over Parquet with zstd of the same
              table; `streamed`: over the query's stream, which takes no filters; `dictionaries`:
              over presso.dataset(..., dictionaries=True)
"""

import argparse
import csv
import os
import subprocess
import sys
import tempfile

import csv_origin
from select_figures import timed

COLUMNS = "what ours_ms peer_ms of_peer answer gb_per_s".split()
PATTERNS = {"rare": ["OutOfMemoryError"], "frequent": ["trace=[0-9a-f]+7$"], "none": ["no such"]}
QUESTIONS = {
    "sum": "select sum(l_quantity), count(*) from {}",
    "groups": "select l_returnflag, l_linestatus, sum(l_quantity), count(*) from {} "
              "group by all order by all",
    "groups of one": "select l_returnflag, sum(l_quantity), count(*) from {} "
                     "group by all order by all",
    "filter": "select sum(l_quantity), count(*) from {} "
              "where l_shipdate < date '1992-06-01'",
    "skips": "select sum(l_quantity), count(*) from {} "
             "where l_orderkey between 300000 and 301000",
    "strings": "select count(*), max(l_comment) from {} where l_shipmode = 'AIR'",
}


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="", help="what begins so")
    parser.add_argument("log", help="compressed by presso")
    parser.add_argument("lineitem", help="as CSV, of TPC-H")
    return parser.parse_args()


def least(rounds, *actions):
    """(milliseconds, answer) of each, in turn."""
    best = [None] * len(actions)
    for _ in range(rounds):
        for i, action in enumerate(actions):
            run = timed(action)
            if best[i] is None or run[0] < best[i][0]:
                best[i] = run
    return best


def started(code):
    subprocess.run([sys.executable, "-c", code], check=True)


def count_lines(options):
    """A process of Python that has begun: its time is taken within."""
    code = (
        "import time, presso, sys\n"
        "begin = time.perf_counter()\n"
        f"found = presso.scan(sys.argv[1], *{options!r}).count()\n"
        "print(found, (time.perf_counter() - begin) * 1e3)\n"
    )

    def action(log):
        done = subprocess.run(
            [sys.executable, "-c", code, log], check=True, stdout=subprocess.PIPE, text=True)
        found, spent = done.stdout.split()
        return float(spent), int(found)

    return action


def count_by_command(presso, log, options):
    done = subprocess.run(
        [presso, "scan", "-c", "--device=cpu", *options, log], check=False,
        stdout=subprocess.PIPE, text=True)
    return int(done.stdout or 0)


def scans(report, presso, log, rounds):
    for name, options in PATTERNS.items():
        in_python = count_lines(options)
        best = None
        peer = None
        for _ in range(rounds):
            spent, found = in_python(log)
            taken, expected = timed(lambda o=options: count_by_command(presso, log, o))
            if found != expected:
                sys.exit(f"scan {name}: {found} lines, the command found {expected}")
            best = spent if best is None else min(best, spent)
            peer = taken if peer is None else min(peer, taken)
        report(f"scan {name}", best, peer, expected)


def all_lines(report, presso, log, rounds):
    import pyarrow

    import presso as package

    def lines(columns):
        count = 0
        reader = pyarrow.RecordBatchReader.from_stream(package.scan(log, columns=columns))
        for batch in reader:
            count += batch.num_rows
        return count

    plain = package.open(log).plain_bytes
    command = [presso, "cat", "--device=cpu", log]
    for columns in (["line"], ["line_number", "line"], ["path", "line_number", "offset", "line"]):
        ours, peer = least(
            rounds,
            lambda c=columns: lines(c),
            lambda: subprocess.run(command, check=True, stdout=subprocess.DEVNULL))
        if ours[1] != package.open(log).lines:
            sys.exit(f"lines {columns}: {ours[1]} of them")
        report("lines " + " ".join(columns), ours[0], peer[0], ours[1], plain / ours[0] / 1e6)


def engines(report, lineitem, folder, rounds):
    import duckdb
    import pyarrow.csv
    import pyarrow.parquet

    import presso as package

    table = pyarrow.csv.read_csv(lineitem)
    parquet = os.path.join(folder, "lineitem.parquet")
    pyarrow.parquet.write_table(table, parquet, compression="zstd")
    ours = os.path.join(folder, "lineitem.presso")
    package.write_table(table, ours)
    print(f"# {os.path.getsize(ours)} bytes, Parquet {os.path.getsize(parquet)}", file=sys.stderr)
    connection = duckdb.connect()
    for name, question in QUESTIONS.items():
        connection.register("asked", package.dataset(ours))
        connection.register("streamed", package.query(ours))
        connection.register("coded", package.dataset(ours, dictionaries=True))
        runs = least(rounds, *(
            lambda q=question.format(source): connection.execute(q).fetchall()
            for source in ("asked", "streamed", "coded", f"'{parquet}'")))
        peer, answer = runs[-1]
        if any(run[1] != answer for run in runs):
            sys.exit(f"duckdb {name}: {runs}")
        for more, run in zip(("", ", streamed", ", dictionaries"), runs):
            report(f"duckdb {name}{more}", run[0], peer, len(answer))


def main():
    given = arguments()
    presso = os.path.join(given.bin, "presso")
    sys.stdout.write(csv_origin.origin())
    writer = csv.writer(sys.stdout)
    writer.writerow(COLUMNS)

    def report(what, ours, peer, answer, rate=None):
        row = [what, f"{ours:.1f}", f"{peer:.1f}", f"{peer / ours:.2f}", answer]
        writer.writerow([*row, "" if rate is None else f"{rate:.2f}"])
        sys.stdout.flush()

    if "import".startswith(given.only):
        ours, peer = least(
            4 * given.rounds, lambda: started("import presso"), lambda: started("pass"))
        report("import", ours[0], peer[0], f"{ours[0] - peer[0]:.1f} ms")
    if "scan".startswith(given.only):
        scans(report, presso, given.log, given.rounds)
    if "lines".startswith(given.only):
        all_lines(report, presso, given.log, given.rounds)
    if "duckdb".startswith(given.only):
        with tempfile.TemporaryDirectory() as folder:
            engines(report, given.lineitem, folder, given.rounds)


if __name__ == "__main__":
    main()
