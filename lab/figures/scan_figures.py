#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast presso scan counts lines beside ripgrep, as CSV: whole processes, warm files, in turns.

    lab/figures/scan_figures.py --presso build/release/bin/presso winlog.jsonl generated.log

The files are put together to one text of --bytes (repeated with other host names, so that no copy
is near another), kept plain, plain in two halves for ripgrep (which uses one thread a file), as
zstd -3 for `rg -z`, and as presso files with the Byte coding, the Bit coding and an index. Every
program counts the lines of every pattern; counts that differ end the run with status 1. What is
timed is held to --cpus. `ratio`: of the time of `rg -z` to this one.
"""

import argparse
import csv
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

import csv_origin

PATTERNS = [
    ("rare literal", ["-F", "quixotic-zebra"]),
    ("frequent literal", ["-F", "Microsoft"]),
    ("literal, any case", ["-F", "-i", "logonprocess"]),
    ("5 literals", ["-F", *(f"-e{w}" for w in "refused timeout denied violation corrupt".split())]),
    ("1000 literals", ["-F", "-f", "WORDS"]),
    ("[0-9]{4}-[0-9]{2}-[0-9]{2}T", ["[0-9]{4}-[0-9]{2}-[0-9]{2}T"]),
    ("(error|fail|denied).*(user|account)", ["(error|fail|denied).*(user|account)"]),
    ("[A-Za-z]{30}", ["[A-Za-z]{30}"]),
    (r"\w+ing\b", [r"\w+ing\b"]),
]


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+")
    parser.add_argument("--presso", default="presso")
    parser.add_argument("--rg", default="rg")
    parser.add_argument("--bytes", type=int, default=1 << 30)
    parser.add_argument("--cpus", default="0,1", help="processors, as many as threads")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--level", default="6")
    parser.add_argument("--block-size", default="256K")
    parser.add_argument("--indexed", action="store_true", help="this presso makes an index")
    parser.add_argument("--folder", help="where texts are kept, instead of a temporary folder")
    parser.add_argument("--out", default="-", help="the CSV")
    return parser.parse_args()


def write_text(files, size, path):
    """Rounds through the files; in each the digits of some numbers are shifted."""
    texts = [open(name, "rb").read() for name in files]
    with open(path, "wb") as out:
        number = 0
        while out.tell() < size:
            for text in texts:
                digits = bytes(48 + (digit + number) % 10 for digit in range(10))
                shift = bytes.maketrans(b"0123456789", digits)
                out.write(text.translate(shift)[: size - out.tell()])
            number += 1


def halve(path):
    """Two files that are cut at a line."""
    text = open(path, "rb").read()
    middle = text.index(b"\n", len(text) // 2) + 1
    for name, part in ((path + ".1", text[:middle]), (path + ".2", text[middle:])):
        with open(name, "wb") as out:
            out.write(part)


def words_of(files, count):
    words = set()
    for name in files:
        with open(name, "rb") as file:
            words.update(re.findall(rb"[A-Za-z]{7,}", file.read(8 << 20)))
    return b"\n".join(sorted(words)[:: max(1, len(words) // count)][:count]) + b"\n"


def prepare(options, folder):
    plain = os.path.join(folder, "text")
    write_text(options.files, options.bytes, plain)
    halve(plain)
    with open(os.path.join(folder, "words"), "wb") as out:
        out.write(words_of(options.files, 1000))
    subprocess.run(["zstd", "-q", "-3", "-f", "-T0", "-o", plain + ".zst", plain], check=True)
    forms = {"byte": ["--coding", "byte"], "bit": ["--coding", "bit"]}
    if options.indexed:
        forms["index"] = ["--coding", "byte", "--index"]
    for name, flags in forms.items():
        subprocess.run(
            [options.presso, "compress", "-q", "-f", f"-{options.level}", *flags]
            + ["--block-size", options.block_size, "-o", f"{plain}.{name}", plain],
            check=True,
        )
    return plain, list(forms)


def commands(options, plain, forms, pattern):
    threads = len(options.cpus.split(","))
    scan = [options.presso, "scan", "--device=cpu", f"-j{threads}", "-c", *pattern]
    search = [options.rg, f"-j{threads}", "-a", "-c", "--no-filename", *pattern]
    rows = [("rg -z", [*search, "-z", plain + ".zst"])]
    rows += [(f"presso {name}", [*scan, f"{plain}.{name}"]) for name in forms]
    rows.append(("rg plain, two files", [*search, plain + ".1", plain + ".2"]))
    rows.append(("rg plain", [*search, plain]))
    rows.append(("presso plain", [*scan, plain]))
    return rows


def timed(command):
    begin = time.perf_counter()
    result = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    seconds = time.perf_counter() - begin
    if result.returncode > 1:
        sys.exit(f"failed: {command}")
    return seconds, sum(int(line) for line in result.stdout.split())


def measure(rows, rounds):
    """Median seconds by name, and the counts that were seen."""
    seconds = {name: [] for name, _ in rows}
    counts = set()
    for turn in range(rounds + 1):
        for name, command in rows:
            spent, count = timed(command)
            counts.add(count)
            if turn > 0:  # the first is to warm up
                seconds[name].append(spent)
    return {name: statistics.median(times) for name, times in seconds.items()}, counts


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or scratch
        plain, forms = prepare(options, folder)
        os.sched_setaffinity(0, {int(cpu) for cpu in options.cpus.split(",")})
        out = open(options.out, "w", newline="") if options.out != "-" else sys.stdout
        out.write(csv_origin.origin())
        table = csv.writer(out, lineterminator="\n")
        table.writerow("pattern lines input file_bytes seconds plain_mb_s ratio".split())
        wrong = False
        for name, pattern in PATTERNS:
            pattern = [os.path.join(folder, "words") if p == "WORDS" else p for p in pattern]
            rows = commands(options, plain, forms, pattern)
            medians, counts = measure(rows, options.rounds)
            wrong |= len(counts) != 1
            for row, command in rows:
                spent = medians[row]
                table.writerow(
                    [name, "/".join(map(str, sorted(counts))), row, os.path.getsize(command[-1])]
                    + [f"{spent:.4f}", round(options.bytes / spent / 1e6)]
                    + [f"{medians['rg -z'] / spent:.2f}"]
                )
            out.flush()
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
