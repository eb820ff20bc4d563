#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What compressing costs at every level of presso beside zstd and lz4, as CSV, and whether it is
good enough: ratio and speed on whole files, decoding, two threads, and searching.

    lab/figures/ingest_figures.py --presso build/release/bin/presso winlog.jsonl dickens xml nci
    lab/figures/ingest_figures.py --rows default,-1,'zstd -1','zstd -3' --runs 3 --search no app.log
    lab/figures/ingest_figures.py --monotone --rows levels app.log
    lab/figures/ingest_figures.py --from cpu-ingest.csv --monotone     # judges, measures nothing

A row is `default`, options of `presso compress` such as `-9` or `-3 --coding bit`, or options of
another tool such as `zstd -3` or `lz4 -1`. --rows also takes `all`, `goals` (what the goals of
ingest_goals.py compare) and `levels` (-1 to -12); where it begins with a level: `--rows=-1,-3`.

Rates are millions of bytes of plain text per second of CPU time (user and system, the whole
process), the best of --runs, each with one thread. The elapsed rates are for two threads against
one. All rows of a file run in turns, so that what disturbs the machine disturbs all of them; what
takes longer than --slow seconds is measured once. Files are read from the page cache and written to
--scratch, a folder in memory; decompressed text goes to /dev/null. Every round trip is checked by
its SHA-256.

Searches count the lines that hold a rare and a frequent word of the file, with two threads in the
default's file and by `zstd -dc | rg` in that of zstd -3: elapsed time, and the counts must agree.

Exit status 1 where a round trip or a count is wrong or --monotone finds something; missed goals are
printed and change nothing."""

import argparse
import collections
import csv
import hashlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

import csv_origin
import ingest_goals

LEVELS = [f"-{level}" for level in range(1, 13)]
# Rows that are compared with each other stand side by side, and so run at nearly the same time.
ALL = (
    "default,zstd -3,-1,zstd -1,--coding byte -1,lz4 -1,-2,-3,-4,-5,-6,-7,-8,-9,zstd -9,-10,-11,"
    "-12,zstd -19,--favor archive"
).split(",")
COLUMNS = (
    "file plain_bytes tool options threads command compressed_bytes ratio compress_mb_s "
    "decompress_mb_s compress_elapsed_mb_s rare_mb_s frequent_mb_s rare frequent lines runs "
    "round_trip"
).split()
SUFFIX = {"presso": "presso", "lz4": "lz4", "zstd": "zst"}
DEFAULTS = ("PRESSO_LEVEL", "ZSTD_CLEVEL", "ZSTD_NBTHREADS")  # would change what a row means
SAMPLE_BYTES = 1 << 20
SAMPLE_PIECES = 16


def chosen_rows(text):
    named = {"all": ALL, "levels": LEVELS}
    named["goals"] = [name for goal in ingest_goals.GOALS for name in (goal.ours, goal.theirs)]
    rows = [row for word in text.split(",") for row in named.get(word.strip(), [word.strip()])]
    return list(dict.fromkeys(rows))


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*")
    parser.add_argument("--presso", default="build/release/bin/presso")
    parser.add_argument("--rows", type=chosen_rows, default="all", help="separated by commas")
    parser.add_argument("--runs", type=int, default=5, help="of which the fastest counts")
    parser.add_argument("--slow", type=float, default=4, help="seconds; slower ones run once")
    parser.add_argument("--search", choices=("yes", "no"), default="yes")
    parser.add_argument("--two-threads", choices=("yes", "no"), default="yes")
    parser.add_argument("--rare", help="to search for instead of a word chosen from the file")
    parser.add_argument("--frequent", help="likewise")
    parser.add_argument("--monotone", action="store_true", help="judge the order of the levels")
    parser.add_argument("--noise", type=float, default=0.03, help="speeds so close are equal")
    parser.add_argument("--scratch", default="/dev/shm", help="folder in memory")
    parser.add_argument("--out", default="cpu-ingest.csv")
    parser.add_argument("--from", dest="source", metavar="CSV", help="judge these figures only")
    parser.add_argument("--commit", help="of presso; by default git's")
    parser.add_argument("--machine", help="by default the name of the processor")
    options = parser.parse_args()
    if bool(options.files) == bool(options.source) or options.runs < 1:
        parser.error("give files to measure or --from CSV, and --runs of at least 1")
    return options


def environment():
    return {key: value for key, value in os.environ.items() if key not in DEFAULTS}


def timed(command, out=os.devnull):
    """CPU and elapsed seconds of a command and all that it starts, whose output goes to `out`."""
    with open(out, "wb") as sink:
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdout=sink, env=environment())
        _, status, usage = os.wait4(process.pid, 0)
        elapsed = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"failed with status {process.returncode}: {shlex.join(command)}")
    return usage.ru_utime + usage.ru_stime, elapsed


def digest(stream):
    sha = hashlib.sha256()
    while piece := stream.read(1 << 20):
        sha.update(piece)
    return sha.hexdigest()


def file_digest(path):
    with open(path, "rb") as file:  # this also brings the file into the page cache
        return digest(file)


def sample_lines(path):
    """Whole lines from pieces that are spread evenly over the file."""
    size = os.path.getsize(path)
    piece = SAMPLE_BYTES // SAMPLE_PIECES
    if size <= SAMPLE_BYTES:
        with open(path, "rb") as file:
            return file.read().splitlines()
    lines = []
    with open(path, "rb") as file:
        for number in range(SAMPLE_PIECES):
            file.seek((size - piece) * number // (SAMPLE_PIECES - 1))
            lines += file.read(piece).split(b"\n")[1:-1]
    return lines


def choose_words(path):
    """A word that at most three places of the file hold, and the one that is nearest to every tenth
    line: what a search for a trace's number, and one for a kind of message, find."""
    lines = sample_lines(path)
    counts = collections.Counter()
    for line in lines:
        counts.update(set(re.findall(rb"[A-Za-z0-9_]{5,40}", line)))
    if not counts:
        return None
    frequent = min(counts, key=lambda word: (abs(counts[word] - len(lines) / 10), word))
    with open(path, "rb") as file:
        content = file.read()
    once = sorted((word for word in counts if counts[word] == 1), key=lambda w: (-len(w), w))
    rare = next((word for word in once[:1000] if content.count(word) <= 3), min(counts))
    return rare.decode(), frequent.decode()


class Subject:
    """A row on one file: its commands, and the least CPU and elapsed time of each."""

    def __init__(self, options, plain, name, threads, packed, words):
        self.options, self.plain, self.name = options, plain, name
        self.threads, self.packed = threads, packed
        first, _, rest = name.partition(" ")
        self.tool, self.flags = (first, rest) if first in SUFFIX else ("presso", name)
        self.words = words
        self.commands = {"compress": self.compress(), "decompress": self.decompress()}
        for kind, word in words.items():
            self.commands[kind] = self.search(word)
        self.least, self.runs, self.counts = {}, 0, {}
        self.round_trip = False

    def compress(self):
        if self.tool == "presso":
            flags = [] if self.name == "default" else shlex.split(self.flags)
            words = [self.options.presso, "compress", "-q", f"-T{self.threads}", *flags]
        else:
            single = ["--single-thread"] if self.tool == "zstd" else []
            words = [self.tool, "-q", *single, *shlex.split(self.flags)]
        return [*words, "-c", self.plain]

    def decompress(self):
        if self.tool == "presso":
            return [self.options.presso, "cat", f"-T{self.threads}", self.packed]
        return [self.tool, "-q", "-dc", self.packed]

    def search(self, word):
        if self.tool == "presso":
            command = [self.options.presso, "scan", f"-j{self.threads}", "--device=cpu"]
            return [*command, "-c", "-F", "-e", word, self.packed]
        search = shlex.join(["rg", "-a", "-c", "-F", "-e", word])
        return ["sh", "-c", f"{shlex.join(self.decompress())} | {search}"]

    def out_of(self, step):
        if step == "decompress":
            return os.devnull
        return self.packed if step == "compress" else f"{self.packed}.{step}"

    def run_once(self):
        self.runs += 1
        for step, command in self.commands.items():
            cpu, elapsed = self.least.get(step, (0, 0))
            if cpu > self.options.slow:
                continue
            now = timed(command, self.out_of(step))
            self.least[step] = tuple(map(min, now, (cpu, elapsed))) if cpu else now

    def check(self, expected):
        """Compares the text with the original's, and reads what the searches counted."""
        with subprocess.Popen(self.decompress(), stdout=subprocess.PIPE) as process:
            self.round_trip = digest(process.stdout) == expected
        self.round_trip &= process.returncode == 0
        for kind in self.words:
            with open(self.out_of(kind), encoding="ascii") as file:
                self.counts[kind] = int(file.read())

    def rate(self, step, clock):
        if step not in self.least or not self.round_trip:
            return ""
        return f"{os.path.getsize(self.plain) / max(self.least[step][clock], 1e-6) / 1e6:.4g}"

    def row(self):
        size, stored = os.path.getsize(self.plain), os.path.getsize(self.packed)
        name = os.path.basename(self.plain)
        shown = shlex.join(self.commands["compress"]).replace(self.plain, name)
        rates = [self.rate(step, 0) for step in ("compress", "decompress")]
        rates += [self.rate(step, 1) for step in ("compress", "rare", "frequent")]
        words = [self.words.get(kind, "") for kind in ingest_goals.SEARCHES]
        return [
            name, size, self.tool, self.flags, self.threads,
            shown.replace(self.options.presso, "presso"), stored, f"{size / stored:.4f}", *rates,
            *words, " ".join(str(count) for count in self.counts.values()), self.runs,
            "yes" if self.round_trip else "no",
        ]


def has_archive(presso):
    done = subprocess.run([presso, "compress", "--help"], stdout=subprocess.PIPE, check=True)
    text = done.stdout.decode()
    return "archive" in text[text.index("--favor"):][:2000]


def known_rows(options):
    """Without the preset for archives where this presso is too old for it."""
    rows = options.rows
    if "--favor archive" in rows and not has_archive(options.presso):
        print("LEFT OUT: --favor archive: presso does not know it", file=sys.stderr)
        rows = [row for row in rows if row != "--favor archive"]
    return rows


def search_words(options, plain):
    if options.search == "no":
        return {}
    chosen = (options.rare, options.frequent)
    if not all(chosen):
        words = choose_words(plain)
        if words is None:
            print(f"LEFT OUT: searches: no words in {plain}", file=sys.stderr)
            return {}
        chosen = [given or word for given, word in zip(chosen, words)]
    return dict(zip(ingest_goals.SEARCHES, chosen))


def subjects_of(options, plain, folder):
    """The rows of one file. Two threads and searches come right after what they are beside."""
    words = search_words(options, plain)
    subjects = []

    def add(name, threads, searched):
        tool = name.partition(" ")[0]
        packed = os.path.join(folder, f"{len(subjects)}.{SUFFIX.get(tool, 'presso')}")
        subjects.append(Subject(options, plain, name, threads, packed, words if searched else {}))

    for name in known_rows(options):
        add(name, 1, name == ingest_goals.PEER)
        if name == "default" and (options.two_threads == "yes" or words):
            add(name, 2, True)
    return subjects


def measure(options, plain):
    """Rows as in the CSV, and whether round trips and counts are right."""
    expected = file_digest(plain)
    with tempfile.TemporaryDirectory(dir=options.scratch) as folder:
        subjects = subjects_of(options, plain, folder)
        for number in range(options.runs):
            for subject in subjects:
                if number == 0 or min(cpu for cpu, _ in subject.least.values()) <= options.slow:
                    subject.run_once()
                if number == 0:
                    subject.check(expected)
        rows = [subject.row() for subject in subjects]
    counts = {tuple(subject.counts.items()) for subject in subjects if subject.counts}
    if len(counts) > 1:
        print(f"WRONG: {plain}: searches disagree: {sorted(counts)}", file=sys.stderr)
    return rows, len(counts) <= 1


def write(options):
    """Measures all files. The CSV grows file by file: an interrupted run leaves its rows."""
    agree = True
    with open(options.out, "w", newline="", encoding="utf-8") as file:
        file.write(csv_origin.origin(options.commit, options.machine))
        out = csv.writer(file, lineterminator="\n")
        out.writerow(COLUMNS)
        for plain in map(os.path.realpath, options.files):  # zstd reads no links
            rows, same = measure(options, plain)
            out.writerows(rows)
            file.flush()
            agree &= same
    return agree


def missing_tools(options):
    tools = {row.partition(" ")[0] for row in options.rows} & set(SUFFIX)
    tools |= {"rg"} if options.search == "yes" and ingest_goals.PEER in options.rows else set()
    return sorted(tool for tool in tools | {options.presso} if not shutil.which(tool))


def judge(options):
    """Prints the tables; false where something is wrong."""
    with open(options.source or options.out, newline="", encoding="utf-8") as file:
        rows = list(csv_origin.rows(io.StringIO(file.read(), newline="")))
    broken = list(ingest_goals.broken_rows(rows))
    lines, misses = ingest_goals.acceptance(rows)
    print("\n".join([*ingest_goals.table(rows), "", *lines, "", f"{misses} missed"]))
    problems = ingest_goals.monotone(rows, options.noise) if options.monotone else []
    if options.monotone:
        print(f"\nOrder of levels: {len(problems)} problems")
    print("\n".join([*problems, *broken]), end="\n" if problems or broken else "")
    return not problems and not broken


def main():
    options = arguments()
    agree = True
    if not options.source:
        missing = missing_tools(options)
        if missing:
            sys.exit(f"not installed: {', '.join(missing)}")
        agree = write(options)
    return 0 if judge(options) and agree else 1


if __name__ == "__main__":
    sys.exit(main())
