#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What it costs to plan and to read files far away: of a made-up file of any size on an HTTP server
of loopback in a process of its own, which answers as late as an object store does. Needs the
package presso, urllib3 and xxhash.

    far_figures.py [--bytes N] [--latency SECONDS] [--repeat N] > results/cpu-far.csv

Times are the least of several; `beyond` and `cpu_beyond` are how many more seconds, and seconds of
the processor, planning takes than the same requests alone, one behind another.
"""

import argparse
import csv
import multiprocessing
import os
import pickle
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "python", "tests"))

from csv_origin import origin
from made_up_file import MadeUpFile, lines_of_a_block
from servers import serving

import presso
from presso._http import HttpFile

COLUMNS = ["work", "block_bytes", "threads", "requests", "bytes", "seconds", "beyond", "cpu_beyond"]


def serve(file, seconds, told, end):
    with serving({"/made-up": file}) as server:
        server.seconds = seconds
        told.send(server.url + "/made-up")
        end.wait()


class Requests:
    """Counts what HttpFile asks for."""

    def __init__(self):
        self.ranges = []
        fetch = HttpFile._fetch_once

        def counted(file, begin, end):
            self.ranges.append((begin, end))
            return fetch(file, begin, end)

        HttpFile._fetch_once = counted

    def of(self, work):
        """(seconds, ranges, seconds of the processor)."""
        self.ranges = []
        begin, cpu = time.perf_counter(), time.process_time()
        work()
        return time.perf_counter() - begin, self.ranges, time.process_time() - cpu


def fetched(url, ranges):
    """The same requests, one behind another, and nothing else."""
    file = HttpFile(url)
    for begin, end in ranges[1:]:
        file.fetch(begin, end)


def row(work, block_bytes, threads, runs, *beyond):
    seconds, ranges, _ = min(runs, key=lambda run: run[0])
    stored = sum(end - begin for begin, end in ranges)
    return [work, block_bytes, threads, len(ranges), stored, f"{seconds:.3f}", *beyond]


def measure(url, block_bytes, repeat, rows):
    requests = Requests()

    def plan():
        return presso.scan(url, threads=1).partitions(64 << 20)

    plans = [requests.of(plan) for _ in range(repeat)]
    ranges = plans[0][1]
    transfers = [requests.of(lambda: fetched(url, ranges)) for _ in range(repeat)]
    beyond = [min(run[i] for run in plans) - min(run[i] for run in transfers) for i in (0, 2)]
    rows.writerow(row("plan", block_bytes, 1, plans, *(f"{seconds:.3f}" for seconds in beyond)))
    for megabytes in (4, 16, 64, 256):
        for threads in (1, 8):
            scan = presso.scan(url, threads=threads)
            parts = scan.partitions(megabytes << 20)
            part = pickle.dumps(parts[len(parts) // 2])
            runs = [requests.of(lambda: pickle.loads(part).scan().count()) for _ in range(repeat)]
            rows.writerow(row(f"partition of {megabytes} MiB", block_bytes, threads, runs, "", ""))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bytes", type=int, default=10**11, help="of the file")
    parser.add_argument("--latency", type=float, default=0.03, help="of an answer, in seconds")
    parser.add_argument("--repeat", type=int, default=5)
    asked = parser.parse_args()
    sys.stdout.write(origin())
    rows = csv.writer(sys.stdout)
    rows.writerow(COLUMNS)
    context = multiprocessing.get_context("fork")
    for block_bytes in (1 << 18, 1 << 20):
        file = MadeUpFile(lines_of_a_block(block_bytes), asked.bytes)
        told, tell = context.Pipe(duplex=False)
        end = context.Event()
        child = context.Process(target=serve, args=(file, asked.latency, tell, end))
        child.start()
        try:
            measure(told.recv(), block_bytes, asked.repeat, rows)
        finally:
            end.set()
            child.join()


if __name__ == "__main__":
    main()
