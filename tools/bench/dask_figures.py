#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How much faster Dask scans a compressed log with two worker processes than with one, each of one
thread: the figure of docs/distributed.md. Both clusters live all the time and take turns.

    tools/bench/dask_figures.py [--gib 2] [--runs 5] [--folder /tmp]

Needs the package presso, dask[distributed], and a machine of two cores that has nothing else to do.
"""
import argparse
import os
import random
import statistics
import tempfile
import time

PATTERN = r"host\d+ ERROR .*id=77\d*5$"
PIECE_BYTES = 32 << 20


def write_log(path, size):
    """Some bytes of a log, compressed; pieces differ in their dates."""
    import presso

    rng = random.Random(1)
    words = ["connect", "timeout", "retry", "ERROR disk", "ok", "ready"]
    lines, has_bytes = [], 0
    while has_bytes < PIECE_BYTES:
        word = rng.choice(words)
        lines.append(f" host{rng.randrange(90)} {word} id={rng.randrange(10**6)}\n")
        has_bytes += len(lines[-1]) + 10
    plain = f"{path}.log"
    with open(plain, "w", encoding="utf-8") as log:
        for piece in range(size // PIECE_BYTES):
            log.write("".join(f"2024-01-{piece % 28 + 1:02d}{line}" for line in lines))
    sizes = presso.compress_file(plain, path, level=1, block_size=1 << 20)
    os.unlink(plain)
    return sizes


def count(part):
    return part.scan().count()


def seconds(client, parts):
    begin = time.perf_counter()
    found = sum(client.gather(client.map(count, parts, pure=False)))
    return time.perf_counter() - begin, found


def measure(path, runs):
    """(seconds with one worker, with two) of each run."""
    import presso
    from dask.distributed import Client, LocalCluster

    def cluster(workers):
        return LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)

    parts = presso.scan(path, PATTERN, threads=1).partitions(64 << 20)
    with cluster(1) as one, cluster(2) as two, Client(one) as first, Client(two) as second:
        for client in (first, second):
            seconds(client, parts)
        taken = []
        for run in range(runs):
            (alone, found), (both, again) = seconds(first, parts), seconds(second, parts)
            assert found == again
            print(f"run {run + 1}: {alone:.2f} s, {both:.2f} s, {alone / both:.2f} times")
            taken.append((alone, both))
    return taken


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--gib", type=float, default=2)
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--folder", default=None)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        path = f"{folder}/log.presso"
        sizes = write_log(path, int(asked.gib * (1 << 30)))
        print(f"{sizes.plain_bytes:,} bytes of text, {sizes.compressed_bytes:,} compressed")
        print(f"load of the machine: {os.getloadavg()[0]:.1f}")
        taken = measure(path, asked.runs)
    alone, both = (statistics.median(times) for times in zip(*taken))
    print(f"medians: one worker {alone:.2f} s, two {both:.2f} s, {alone / both:.2f} times")


if __name__ == "__main__":
    main()
