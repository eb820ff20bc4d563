#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""presso-gpu from Python: scans and queries on a GPU beside the same on the CPU, as CSV.

    lab/figures/python_gpu_figures.py log.presso lineitem.presso orders.presso

Run it with a Python that has presso, presso-gpu and pyarrow, on a machine with a GPU. Times are the
least of --rounds, in milliseconds: `cpu_ms`, `gpu_ms`. `first_ms` is the first time in a process of
its own, which starts CUDA. Every answer is compared with the CPU's, in rows and order; a difference
ends the script with status 1."""

import argparse
import csv
import subprocess
import sys

import csv_origin
from select_figures import timed

import presso

COLUMNS = "what cpu_ms gpu_ms of_cpu first_ms answer".split()
# (name, function of the log, the two tables and a device that asks and returns the answer)
QUESTIONS = [
    *((f"scan {name}", lambda log, _, device, p=pattern: presso.scan(log, p, device=device).count())
      for name, pattern in (("rare", "OutOfMemoryError"), ("frequent", "trace=[0-9a-f]+7$"),
                            ("none", "no such text"), ("words", r"\bGET\b.*[0-9]{4}"))),
    ("sum", lambda _, tables, device: rows(
        presso.query(tables[0]).where("l_shipdate < date '1995-01-01'")
        .aggregate("sum(l_quantity) as q, count(*)"), device)),
    ("groups", lambda _, tables, device: rows(
        presso.query(tables[0]).group_by("l_returnflag, l_linestatus")
        .aggregate("sum(l_quantity), sum(l_extendedprice * (1 - l_discount))"), device)),
    ("like", lambda _, tables, device: rows(
        presso.query(tables[0]).where("l_comment like '%special%requests%'")
        .aggregate("count(*)"), device)),
    ("join", lambda _, tables, device: rows(
        presso.query(tables[0]).alias("l").join(tables[1], "l.l_orderkey = o.o_orderkey")
        .alias("o").group_by("o_orderpriority").aggregate("sum(l_quantity), count(*)")
        .order_by("o_orderpriority"), device)),
]


def rows(query, device):
    """Of an answer, which is small."""
    import pyarrow

    return repr(pyarrow.table(query.options(device=device)).to_pylist())


def in_a_process(options, number):
    """Milliseconds of the first time."""
    words = [sys.executable, __file__, "--only-once", str(number), options.log, *options.tables]
    return float(subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only-once", type=int, help=argparse.SUPPRESS)
    parser.add_argument("log")
    parser.add_argument("tables", nargs=2)
    options = parser.parse_args()
    if options.only_once is not None:
        _, ask = QUESTIONS[options.only_once]
        print(timed(lambda: ask(options.log, options.tables, "gpu"))[0])
        return
    writer = csv.writer(sys.stdout)
    gpu = presso.devices()[0].name
    sys.stdout.write(csv_origin.origin(machine=f"{gpu}; {csv_origin.processor()}"))
    writer.writerow(COLUMNS)
    for number, (name, ask) in enumerate(QUESTIONS):
        first = in_a_process(options, number)
        best = {}
        for _ in range(options.rounds):
            for device in ("cpu", "gpu"):
                run = timed(lambda d=device: ask(options.log, options.tables, d))
                best[device] = min(best.get(device, run), run)
                if run[1] != best["cpu"][1]:
                    sys.exit(f"{name}: {run[1]} by the {device}, {best['cpu'][1]} by the CPU")
        cpu, on_gpu = best["cpu"][0], best["gpu"][0]
        times = [f"{one:.2f}" for one in (cpu, on_gpu, on_gpu / cpu, first)]
        writer.writerow([name, *times, best["cpu"][1]])
        sys.stdout.flush()


if __name__ == "__main__":
    main()
