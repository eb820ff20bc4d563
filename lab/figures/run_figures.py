#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The figures that presso is judged by, as CSV: calls `presso bench --json` for each file and
number of threads, and, with --scan, times `presso scan` beside pipes of lz4, zstd and rg.

    lab/figures/run_figures.py dickens xml nci > codec.csv
    lab/figures/run_figures.py --scan 'rare text' --threads 2 Windows.log > scan.csv

Ratios in the last columns are taken within one run, so that they hold on a busy machine too."""

import argparse
import csv
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import csv_origin


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+")
    parser.add_argument("--presso", default="build/release/bin/presso")
    parser.add_argument("--threads", default="1,2", help="list, such as 1,2")
    parser.add_argument("--levels", default="1,6", help="presso's levels, such as 1-12")
    parser.add_argument("--block-size", default="256K")
    parser.add_argument("--dict", default="none", help="presso's file dictionary")
    parser.add_argument("--seconds", default="3", help="for each codec and level")
    parser.add_argument("--scan", metavar="TEXT", help="time scans for TEXT instead of codecs")
    parser.add_argument("--repeats", type=int, default=7, help="of each scan")
    return parser.parse_args()


def rate_over(row, reference, key):
    """How many times the reference's figure, or nothing where there is none."""
    if reference is None or key not in row or not reference.get(key):
        return ""
    return f"{row[key] / reference[key]:.3f}"


def codec_rows(options, path, threads):
    command = [
        options.presso,
        "bench",
        "--json",
        "-T",
        threads,
        "-b",
        options.levels,
        "--block-size",
        options.block_size,
        "--dict",
        options.dict,
        "--seconds",
        options.seconds,
        path,
    ]
    report = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    file = report["files"][0]
    by_name = {(row["codec"], row["level"]): row for row in file["results"]}
    fast, high = by_name.get(("lz4", 1)), by_name.get(("lz4", 9))
    for row in file["results"]:
        yield [
            os.path.basename(path),
            file["plain_bytes"],
            file["block_bytes"],
            threads,
            report["cpu_back_end"],
            file["rounds"],
            row["codec"],
            row["level"],
            f"{row['ratio']:.4f}",
            f"{row['compress_mb_s']:.1f}",
            f"{row['decompress_mb_s']:.1f}",
            f"{row.get('decompress_verified_mb_s', 0):.1f}",
            rate_over(row, fast, "ratio"),
            rate_over(row, high, "ratio"),
            rate_over(row, fast, "compress_mb_s"),
            rate_over(row, high, "compress_mb_s"),
            rate_over(row, fast, "decompress_mb_s"),
        ]


def write_codecs(options, out):
    out.writerow(
        "file plain_bytes block_bytes threads back_end rounds codec level ratio "
        "compress_mb_s decompress_mb_s decompress_verified_mb_s ratio_over_lz4_1 "
        "ratio_over_lz4_9 compress_over_lz4_1 compress_over_lz4_9 "
        "decompress_over_lz4_1".split()
    )
    for path in options.files:
        for threads in options.threads.split(","):
            out.writerows(codec_rows(options, path, threads))


def quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def scan_commands(options, path, threads, directory):
    """Name -> shell command that prints the number of matching lines."""
    name = os.path.join(directory, os.path.basename(path))
    path = os.path.realpath(path)  # zstd reads no links
    pattern = quote(options.scan)
    presso = quote(os.path.abspath(options.presso))
    commands = {}
    for level in ("1", "6"):
        subprocess.run(
            [
                options.presso,
                "compress",
                "-q",
                "-f",
                f"-{level}",
                "--block-size",
                options.block_size,
                "-o",
                f"{name}.{level}.presso",
                path,
            ],
            check=True,
        )
        commands[f"presso -{level}"] = (
            f"{presso} scan -j {threads} -F -c -e {pattern} " f"{quote(f'{name}.{level}.presso')}"
        )
    if shutil.which("rg"):
        commands["rg -j1, plain file"] = f"rg -j1 -F -c -e {pattern} {quote(path)}"
        for tool in ("lz4", "zstd"):
            if shutil.which(tool):
                with open(f"{name}.{tool}", "wb") as packed:
                    subprocess.run([tool, "-q", "-c", path], check=True, stdout=packed)
                commands[f"{tool} -dc | rg"] = (
                    f"{tool} -dc {quote(f'{name}.{tool}')} | " f"rg -F -c -e {pattern}"
                )
    return commands


def time_interleaved(commands, repeats):
    """Median seconds of each command; all must print the same. A first round warms the caches."""
    seconds = {name: [] for name in commands}
    counts = {}
    for repeat in range(repeats + 1):
        for name, command in commands.items():
            start = time.perf_counter()
            done = subprocess.run(["bash", "-c", command], stdout=subprocess.PIPE)
            if repeat > 0:
                seconds[name].append(time.perf_counter() - start)
            counts[name] = done.stdout.strip()
    if len(set(counts.values())) != 1:
        sys.exit(f"counts differ: {counts}")
    return {name: statistics.median(values) for name, values in seconds.items()}


def write_scans(options, out):
    out.writerow(
        "file plain_bytes threads command seconds mb_s times_faster_presso_1 "
        "times_faster_presso_6".split()
    )
    for path in options.files:
        size = os.path.getsize(path)
        for threads in options.threads.split(","):
            with tempfile.TemporaryDirectory() as directory:
                commands = scan_commands(options, path, threads, directory)
                medians = time_interleaved(commands, options.repeats)
            for name, seconds in medians.items():
                out.writerow(
                    [
                        os.path.basename(path),
                        size,
                        threads,
                        name,
                        f"{seconds:.4f}",
                        f"{size / 1e6 / seconds:.1f}",
                        f"{seconds / medians['presso -1']:.3f}",
                        f"{seconds / medians['presso -6']:.3f}",
                    ]
                )


def main():
    options = arguments()
    sys.stdout.write(csv_origin.origin())
    out = csv.writer(sys.stdout, lineterminator="\n")
    if options.scan is None:
        write_codecs(options, out)
    else:
        write_scans(options, out)


if __name__ == "__main__":
    main()
