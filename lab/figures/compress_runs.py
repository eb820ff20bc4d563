# SPDX-License-Identifier: MIT
"""What scripts that compare settings of `presso compress` share: a bounded sample of a file, and
runs of many settings on it, in turns, so that all of them meet the same load of the machine.

CPU time is user and system time together: for runs of some milliseconds Linux knows their sum
exactly and their shares only by the ticks of a clock."""

import dataclasses
import os
import subprocess
import sys
import tempfile

PIECE_BYTES = 1 << 20
ENOUGH_SECONDS = 0.15  # of CPU time; a setting that took less is run up to three times as often
SUFFIXES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def parse_size(text):
    """Bytes, as presso reads them: 64K is 65536."""
    return int(text[:-1]) * SUFFIXES[text[-1]] if text[-1:] in SUFFIXES else int(text)


@dataclasses.dataclass(frozen=True)
class Setting:
    """One way to call `presso compress`; what is None or 0 is left to presso."""

    level: int
    coding: str
    block: str
    rule: str
    group: int = 0
    staleness: int | None = None
    window: str | None = None
    lookahead: int = 0

    def options(self):
        options = ["--level", self.level, "--coding", self.coding, "--block-size", self.block]
        options += ["--deps", self.rule]
        if self.group:
            options += ["--group", self.group]
        if self.staleness is not None:
            options += ["--staleness", self.staleness]
        if self.window is not None:
            options += ["--window", self.window]
        if self.lookahead:
            options += ["--lookahead", self.lookahead]
        return [str(option) for option in options]


@dataclasses.dataclass
class Result:
    """What became of a sample in one setting; worth nothing unless it round-trips."""

    plain_bytes: int
    compressed_bytes: int = 0
    cpu_seconds: float = float("inf")  # the least of all runs
    runs: int = 0
    total_seconds: float = 0
    round_trips: bool = True

    def add_run(self, seconds):
        self.cpu_seconds = min(self.cpu_seconds, seconds)
        self.total_seconds += seconds
        self.runs += 1

    def is_measured(self, repeats):
        enough = self.total_seconds >= ENOUGH_SECONDS or self.runs >= 3 * repeats
        return self.runs >= repeats and enough

    @property
    def ratio(self):
        return self.plain_bytes / self.compressed_bytes

    @property
    def mb_s(self):
        return self.plain_bytes / 1e6 / self.cpu_seconds


def read_sample(path, most_bytes, block_bytes):
    """All of the file, or pieces of it at equal distances, none smaller than a block."""
    size = os.path.getsize(path)
    piece = max(PIECE_BYTES, block_bytes)
    count = max(1, most_bytes // piece)
    with open(path, "rb") as file:
        if most_bytes == 0 or size <= count * piece:
            return file.read()
        parts = []
        for i in range(count):
            file.seek(i * (size - piece) // max(1, count - 1))
            parts.append(file.read(piece))
    return b"".join(parts)


class Runner:
    """Runs presso in a scratch folder, with one thread and no dictionary."""

    def __init__(self, presso, repeats, directory):
        self.presso = presso
        self.repeats = repeats
        self.directory = directory
        with tempfile.TemporaryDirectory(dir=directory) as scratch:
            empty = os.path.join(scratch, "empty")
            open(empty, "wb").close()
            start = Setting(1, "byte", "64K", "none")
            self.start_seconds = min(self._cpu_seconds(start, empty) for _ in range(10))

    def _cpu_seconds(self, setting, path):
        """Compresses path to path.presso."""
        command = [self.presso, "compress", "-q", "-f", "-T1", "--dict", "none"]
        command += [*setting.options(), "-o", path + ".presso", path]
        process = subprocess.Popen(command)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"status {process.returncode}: {' '.join(command)}")
        return usage.ru_utime + usage.ru_stime

    def _verify(self, path, sample, result):
        command = [self.presso, "decompress", "-q", "-T1", "-c", path + ".presso"]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
        result.round_trips = done.returncode == 0 and done.stdout == sample
        result.compressed_bytes = os.path.getsize(path + ".presso")

    def measure(self, sample, settings):
        """Setting -> Result. The first run of each is checked, and timed as the others are."""
        results = {setting: Result(len(sample)) for setting in settings}
        with tempfile.TemporaryDirectory(dir=self.directory) as scratch:
            path = os.path.join(scratch, "sample")
            with open(path, "wb") as file:
                file.write(sample)
            pending = list(results.items())
            while pending:
                for setting, result in pending:
                    seconds = self._cpu_seconds(setting, path) - self.start_seconds
                    result.add_run(max(seconds, 1e-6))
                    if result.runs == 1:
                        self._verify(path, sample, result)
                pending = [(s, r) for s, r in pending if not r.is_measured(self.repeats)]
        return results
