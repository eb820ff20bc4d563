#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a user of the commands gets, as CSV: ratio and speed of presso, zstd, lz4, gzip and xz on
whole files, each with one thread and its own defaults (so presso has its dictionary, blocks and
checksums, and zstd the whole file as its window), and the speed of a search for a rare string.

    tools/bench/command_figures.py --presso build/release/bin/presso app.log > cpu-commands.csv

Rates are millions of bytes of plain text per second of CPU time (user and system, all processes of
a pipe together), the best of --rounds. CPU time of one thread is close to elapsed time on an idle
machine and is not disturbed by other programs as much. What takes longer than --slow seconds is
measured once. Searches count the lines that hold --pattern: presso in its own file, the others by
piping the decompressed text into rg; the counts must agree, or the exit status is 1."""

import argparse
import csv
import os
import platform
import subprocess
import sys
import tempfile

PRESSO = [
    ("presso", options)
    for options in (
        "-1", "-3", "-6", "-9", "-12", "-6 --index",
        "-1 --coding bit", "-6 --coding bit", "-9 --coding bit --block-size 1M", "-12 --coding bit",
    )
]
OTHERS = [
    ("lz4", "-1"), ("lz4", "-9"), ("zstd", "-1"), ("zstd", "-3"), ("zstd", "-9"), ("zstd", "-19"),
    ("gzip", "-6"), ("xz", "-6"),
]
COLUMNS = (
    "commit machine file plain_bytes tool options command compressed_bytes ratio compress_mb_s "
    "decompress_mb_s search_mb_s lines"
)


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+")
    parser.add_argument("--presso", default="build/release/bin/presso")
    parser.add_argument("--pattern", default="quixotic-zebra", help="a rare string")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--slow", type=float, default=4)
    parser.add_argument("--commit", help="of presso; by default git's")
    parser.add_argument("--machine", help="by default the name of the processor")
    return parser.parse_args()


def cpu_seconds(command, path=None):
    """CPU time of a shell command and of all its children, and what it wrote. To `path` if given,
    else to a pipe that is read to its end."""
    shell = ["sh", "-c", command]
    if path:
        with open(path, "wb") as out:
            process = subprocess.Popen(shell, stdout=out)
            text = b""
    else:
        process = subprocess.Popen(shell, stdout=subprocess.PIPE)
        text = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode > 1:
        sys.exit(f"failed: {command}")
    return usage.ru_utime + usage.ru_stime, text


def best(options, command, path=None):
    text = b""
    least = None
    for _ in range(options.rounds):
        seconds, text = cpu_seconds(command, path)
        least = seconds if least is None else min(least, seconds)
        if seconds > options.slow:
            break
    return least, text


def commands(options, tool, flags, plain, packed):
    """How to compress to standard output, to decompress, and to search."""
    if tool == "presso":
        command = options.presso
        return (
            f"{command} compress -q -T1 {flags} -c {plain}",
            f"{command} cat -T1 {packed} > /dev/null",
            f"{command} scan -j1 --device=cpu -F -c {options.pattern} {packed}",
        )
    single = " --single-thread" if tool == "zstd" else " -T1" if tool == "xz" else ""
    quiet = "" if tool == "gzip" else " -q"
    unpack = f"{tool}{quiet} -dc {packed}"
    return (
        f"{tool}{quiet}{single} {flags} -c {plain}",
        f"{unpack} > /dev/null",
        f"{unpack} | rg -j1 -a -F -c {options.pattern}",
    )


def row_of(options, tool, flags, plain, folder):
    packed = os.path.join(folder, "packed." + tool)
    size = os.path.getsize(plain)
    compress, decompress, search = commands(options, tool, flags, plain, packed)
    seconds = [best(options, compress, packed)[0]]
    seconds.append(best(options, decompress)[0])
    spent, text = best(options, search)
    stored = os.path.getsize(packed)
    lines = int(text or 0)
    shown = compress.replace(options.presso, "presso").replace(plain, os.path.basename(plain))
    return lines, [
        os.path.basename(plain), size, tool, flags, shown, stored, f"{size / stored:.3f}",
        *(f"{size / value / 1e6:.{0 if size > 1e7 * value else 1}f}"
          for value in [*seconds, spent]),
        lines,
    ]


def processor():
    with open("/proc/cpuinfo", encoding="ascii") as info:
        names = [line.split(":")[1].strip() for line in info if line.startswith("model name")]
    return f"{names[0]}, {len(names)} CPUs" if names else platform.machine()


def git_commit():
    here = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run(["git", "-C", here, "rev-parse", "--short", "HEAD"], check=False,
                          stdout=subprocess.PIPE, text=True)
    return done.stdout.strip() or "unknown"


def main():
    options = arguments()
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(COLUMNS.split())
    origin = [options.commit or git_commit(), options.machine or processor()]
    agree = True
    with tempfile.TemporaryDirectory() as folder:
        for plain in map(os.path.abspath, options.files):
            counts = set()
            for tool, flags in PRESSO + OTHERS:
                lines, row = row_of(options, tool, flags, plain, folder)
                counts.add(lines)
                out.writerow(origin + row)
                sys.stdout.flush()
            agree &= len(counts) == 1
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
