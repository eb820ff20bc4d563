#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Joins in a part of the memory that they want, and semi-joins of a log, as CSV.

    lab/figures/join_memory.py --bin build/release/bin FOLDER > results/cpu-join-memory.csv

FOLDER holds what `presso_generate_table` makes of these names, compressed with `--table auto`:
orders, lineitem, customer and weblog as .csv.presso (scale 1), weblog10.presso (weblog --scale 10,
10 GB of text), and keys.presso: a column `address` of 10^6 different clients of that log.

Each join runs with as much memory as it wants, and with shares (1/5, 1/10) of the most that it then
had. Semi-joins of the log stand beside other queries that read no column but that of their key.
Times are the least of --rounds, in milliseconds, within a process (query_rate); runs alternate.
Answers of shares are compared with that of the whole; a difference ends the script with
status 1."""

import os
import subprocess
import sys

from select_figures import figure_parser, write_figures

# name: statement, of tables by file
JOINS = {
    "orders x lineitem, sums": (
        "select sum(l_quantity), sum(o_totalprice) from 'orders.csv.presso' o join "
        "'lineitem.csv.presso' l on o_orderkey = l_orderkey"),
    "lineitem with itself, two keys": (
        "select count(*), sum(a.l_quantity + b.l_tax) from 'lineitem.csv.presso' a join "
        "'lineitem.csv.presso' b on a.l_orderkey = b.l_orderkey "
        "and a.l_linenumber = b.l_linenumber"),
    "customer x orders, strings": (
        "select count(*), min(c_name), max(c_phone) from 'customer.csv.presso' c join "
        "'orders.csv.presso' o on c_custkey = o_custkey"),
    "log x addresses, string keys": (
        "select count(*), sum(w.bytes) from 'weblog.csv.presso' w join 'keys.presso' k "
        "on w.client = k.address"),
}
LOG = {
    "log, semi-join": (
        "select count(*) from 'weblog10.presso' w semi join 'keys.presso' k "
        "on w.client = k.address"),
    "log, anti-join": (
        "select count(*) from 'weblog10.presso' w anti join 'keys.presso' k "
        "on w.client = k.address"),
    "log, keys read: a test of their text":
        "select count(*) from 'weblog10.presso' where client like '198.18.%'",
    "log, keys read: groups":
        "select count(*) from 'weblog10.presso' group by client having count(*) > 1000000",
}
SHARES = (1, 5, 10)
COLUMNS = "query threads share memory ms of_whole peak passes spilled bytes_read".split()


def arguments():
    parser = figure_parser(__doc__, "semicolons")
    parser.add_argument("folder")
    return parser.parse_args()


def run(options, program, arguments, memory):
    """What a program prints, asked in the folder; `memory` in bytes, 0: as much as it wants."""
    limit = ["--memory", str(memory)] if memory else []
    done = subprocess.run(
        [os.path.abspath(os.path.join(options.bin, program)), *arguments, *limit],
        cwd=options.folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def rate(options, statement, memory):
    """The numbers that query_rate prints."""
    arguments = [statement, "--runs", "1", "-T", str(options.threads)]
    return [float(word) for word in run(options, "query_rate", arguments, memory).split()]


def measure(options, name):
    """A row for each share of the memory."""
    statement = JOINS.get(name) or LOG[name]
    peak = rate(options, statement, 0)[5]
    limits = {share: int(peak / share) if share > 1 else 0
              for share in (SHARES if name in JOINS else (1,))}
    best = {}
    for _ in range(options.rounds):
        for share, memory in limits.items():
            got = rate(options, statement, memory)
            if share not in best or got[0] < best[share][0]:
                best[share] = got
    answer = run(options, "presso", ["sql", statement], 0)
    for share, memory in limits.items():
        if memory and run(options, "presso", ["sql", statement], memory) != answer:
            sys.exit(f"{name}: another answer with {memory} bytes of memory")
        ms, _, _, _, read, peak, spilled, passes = best[share]
        yield [name, options.threads, f"1/{share}", memory or "", round(ms, 2),
               round(ms / best[1][0], 2), int(peak), int(passes), int(spilled), int(read)]


def main():
    options = arguments()
    names = options.only.split(";") if options.only else [*JOINS, *LOG]
    write_figures(options, COLUMNS, (row for name in names for row in measure(options, name)))


if __name__ == "__main__":
    main()
