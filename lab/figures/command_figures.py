#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a user of the commands gets, as CSV: ratio and speed of presso, zstd, lz4, gzip and xz on
whole files, each with one thread and its own defaults (so presso has its dictionary, blocks and
checksums, and zstd the whole file as its window), and the speed of a search for a rare string.

    lab/figures/command_figures.py --presso build/release/bin/presso app.log > cpu-commands.csv

Rates are millions of bytes of plain text per second of CPU time (user and system, all processes of
a pipe together), the best of --rounds. CPU time of one thread is close to elapsed time on an idle
machine and is not disturbed by other programs as much. What takes longer than --slow seconds is
measured once. Searches count the lines that hold --pattern: presso in its own file, the others by
piping the decompressed text into rg; the counts must agree, or the exit status is 1."""

import argparse
import csv
import os
import subprocess
import sys
import tempfile

import csv_origin

PRESSO = [
    ("presso", options)
    for options in (
        "", "-1", "-2", "-5", "-9", "-12", "--index",
        "--coding byte -1", "--coding byte",
    )
]
OTHERS = [
    ("lz4", "-1"), ("lz4", "-9"), ("zstd", "-1"), ("zstd", "-3"), ("zstd", "-9"), ("zstd", "-19"),
    ("gzip", "-6"), ("xz", "-6"),
]
SUFFIX = {"presso": "presso", "lz4": "lz4", "zstd": "zst", "gzip": "gz", "xz": "xz"}
COLUMNS = (
    "file plain_bytes tool options command compressed_bytes ratio compress_mb_s "
    "decompress_mb_s search_mb_s lines"
)


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+")
    parser.add_argument("--presso", default="build/release/bin/presso")
    parser.add_argument("--pattern", default="quixotic-zebra", help="a rare string")
    parser.add_argument("--rounds", type=int, default=5)
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
    quiet = " -n" if tool == "gzip" else " -q"  # gzip -n: no time stamp
    unpack = f"{tool}{quiet} -dc {packed}"
    return (
        f"{tool}{quiet}{single} {flags} -c {plain}",
        f"{unpack} > /dev/null",
        f"{unpack} | rg -j1 -a -F -c {options.pattern}",
    )


class Subject:
    """One tool with its options on one file: its commands, and the least CPU time of each."""

    def __init__(self, options, tool, flags, plain, packed):
        self.options, self.tool, self.flags, self.plain = options, tool, flags, plain
        self.packed = packed
        self.commands = commands(options, tool, flags, plain, packed)
        self.least = [None] * len(self.commands)
        self.lines = 0

    def run_once(self):
        for number, command in enumerate(self.commands):
            least = self.least[number]
            if least is not None and least > self.options.slow:
                continue
            seconds, text = cpu_seconds(command, self.packed if number == 0 else None)
            self.least[number] = seconds if least is None else min(least, seconds)
        self.lines = int(text or 0)

    def row(self):
        size, stored = os.path.getsize(self.plain), os.path.getsize(self.packed)
        name = os.path.basename(self.plain)
        rates = (size / seconds / 1e6 for seconds in self.least)
        shown = self.commands[0].replace(self.options.presso, "presso").replace(self.plain, name)
        return [
            name, size, self.tool, self.flags, shown, stored, f"{size / stored:.3f}",
            *(f"{rate:.{0 if rate > 10 else 1}f}" for rate in rates), self.lines,
        ]


def measure(options, plain, folder):
    """All tools in turns, so that what disturbs a round disturbs all of them."""
    subjects = [
        Subject(options, tool, flags, plain, os.path.join(folder, f"{number}.{SUFFIX[tool]}"))
        for number, (tool, flags) in enumerate(PRESSO + OTHERS)
    ]
    for _ in range(options.rounds):
        for subject in subjects:
            subject.run_once()
    return subjects


def main():
    options = arguments()
    sys.stdout.write(csv_origin.origin(options.commit, options.machine))
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(COLUMNS.split())
    agree = True
    for plain in map(os.path.realpath, options.files):  # zstd reads no links
        with tempfile.TemporaryDirectory() as folder:
            subjects = measure(options, plain, folder)
            out.writerows(subject.row() for subject in subjects)
        sys.stdout.flush()
        agree &= len({subject.lines for subject in subjects}) == 1
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
