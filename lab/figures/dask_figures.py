#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How much faster Dask scans a compressed log with two worker processes than with one, each of one
thread: the figure of docs/distributed.md. Both clusters live all the time and take turns. Beside
the times stands the CPU time of the longest worker, which other work on the machine stretches less.

    lab/figures/dask_figures.py [--gib 2] [--runs 5] [--part-mib 64] [--folder /tmp]

Needs the package presso, dask[distributed], and a machine of two cores that has nothing else to do.
"""
import argparse
import collections
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
    """The worker, how many lines there are, and seconds of its CPU."""
    begin = time.process_time()
    found = part.scan().count()
    return os.getpid(), found, time.process_time() - begin


def seconds(client, parts):
    """Until all parts are counted, CPU of the worker that had most of it, and the count."""
    begin = time.perf_counter()
    counted = client.gather(client.map(count, parts, pure=False))
    taken = time.perf_counter() - begin
    cpu = collections.Counter()
    for worker, _, one in counted:
        cpu[worker] += one
    return taken, max(cpu.values()), sum(found for _, found, _ in counted)


def measure(path, runs, part_bytes):
    """Seconds with one worker and with two, then those of CPU, of each run."""
    import presso
    from dask.distributed import Client, LocalCluster

    def cluster(workers):
        return LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None)

    parts = presso.scan(path, PATTERN, threads=1).partitions(part_bytes)
    with cluster(1) as one, cluster(2) as two, Client(one) as first, Client(two) as second:
        for client in (first, second):
            seconds(client, parts)
        taken = []
        for run in range(runs):
            (alone, cpu, found), (both, most_cpu, again) = (
                seconds(client, parts) for client in (first, second)
            )
            assert found == again
            print(f"run {run + 1}: {alone:.2f} s, {both:.2f} s; CPU {cpu:.2f} s, {most_cpu:.2f} s")
            taken.append((alone, both, cpu, most_cpu))
    return taken


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--gib", type=float, default=2)
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--part-mib", type=int, default=64)
    options.add_argument("--folder", default=None)
    asked = options.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        path = f"{folder}/log.presso"
        sizes = write_log(path, int(asked.gib * (1 << 30)))
        print(f"{sizes.plain_bytes:,} bytes of text, {sizes.compressed_bytes:,} compressed")
        print(f"load of the machine: {os.getloadavg()[0]:.1f}")
        taken = measure(path, asked.runs, asked.part_mib << 20)
    alone, both, cpu, most_cpu = (statistics.median(times) for times in zip(*taken))
    ratio = statistics.median(one / two for one, two, *_ in taken)
    print(f"medians: one worker {alone:.2f} s, two {both:.2f} s, of each run's {ratio:.2f} times")
    print(f"of CPU: {cpu:.2f} s, the longer of two {most_cpu:.2f} s, {cpu / most_cpu:.2f} times")


if __name__ == "__main__":
    main()
