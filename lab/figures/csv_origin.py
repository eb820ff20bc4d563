# SPDX-License-Identifier: MIT
"""The first line of every CSV in results/: a comment that names the command, the commit of presso
and the machine. Readers skip lines that begin with '#'."""

import csv
import os
import shlex
import subprocess
import sys


def git_commit():
    here = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run(
        ["git", "-C", here, "rev-parse", "--short", "HEAD"],
        check=False, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )
    return done.stdout.strip() or "unknown"


def processor():
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as info:
            names = [line.split(":")[1].strip() for line in info if line.startswith("model name")]
    except OSError:
        names = []
    return f"{names[0]}, {len(names)} CPUs" if names else "unknown"


def origin(commit=None, machine=None, command=None):
    """The comment, with its line feed; by default of this process."""
    if command is None:
        words = [os.path.join("lab/figures", os.path.basename(sys.argv[0])), *sys.argv[1:]]
        command = " ".join(shlex.quote(word) for word in words)
    return (
        f"# command: {command}; commit: {commit or git_commit()}; "
        f"machine: {machine or processor()}\n"
    )


def rows(file):
    """csv.DictReader over what is no comment."""
    return csv.DictReader(line for line in file if not line.startswith("#"))
