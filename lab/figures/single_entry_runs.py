# SPDX-License-Identifier: MIT
"""Dependency rules on a matcher like LZ4's: calls single_entry_trials (lab/dependency) on a
sample of each file, and gives what it prints the form of other runs."""

import csv
import os
import subprocess
import sys

from compress_runs import Result, Setting, parse_size, read_sample

LOOKAHEAD = 64  # longest match, as in the paper
ROUNDS = 3  # the program times each setting this often


def settings_of(options, path, directory):
    """What single_entry_trials says of a sample: (window, Setting, Result)."""
    block = parse_size(options.sweep_block_size)
    sample = os.path.join(directory, "trial")
    with open(sample, "wb") as file:
        plain_bytes = file.write(read_sample(path, options.sample, block))
    command = [options.trials, "--block-size", str(block), "--lookahead", str(LOOKAHEAD)]
    done = subprocess.run([*command, sample], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"status {done.returncode}: {' '.join(command)}")
    for row in csv.DictReader(done.stdout.splitlines()):
        setting = Setting(
            0,
            "byte",
            options.sweep_block_size,
            row["rule"],
            0 if row["rule"] == "none" else 32,
            int(row["staleness"]),
            row["window"],
            LOOKAHEAD,
        )
        result = Result(plain_bytes, int(row["stored_bytes"]), round_trips=done.returncode == 0)
        result.cpu_seconds, result.runs = max(float(row["cpu_seconds"]), 1e-6), ROUNDS
        yield row["window"], setting, result


def all_results(options, directory):
    """(path, results that are compared), for each file and window."""
    for path in options.files:
        print(f"{os.path.basename(path)}: {os.path.basename(options.trials)} ...", file=sys.stderr)
        windows = {}
        for window, setting, result in settings_of(options, path, directory):
            windows.setdefault(window, {})[setting] = result
        for results in windows.values():
            yield path, results
