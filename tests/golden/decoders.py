# SPDX-License-Identifier: MIT
"""Every decoder under test through one call: those of the library, through the helper program that
DECODE_GOLDEN names, and decode.py, "document"."""

import os
import subprocess
from typing import NamedTuple, Optional

import decode
from xxh3 import xxh3_64

SEQUENTIAL_REFERENCES = ("reference", "document")  # these check the dependency rule


class Outcome(NamedTuple):
    """Either content, by size and XXH3, or an error."""

    code: int = 0
    block: Optional[int] = None
    offset: Optional[int] = None
    plain_bytes: Optional[int] = None
    plain: Optional[str] = None


def outcome_of(plain):
    return Outcome(plain_bytes=len(plain), plain=f"{xxh3_64(plain):016x}")


def number(text):
    return None if text == "-" else int(text)


def parse(line):
    word, *values = line.split()
    if word == "ok":
        return Outcome(plain_bytes=int(values[0]), plain=values[1])
    return Outcome(*map(number, values))


def library(*arguments):
    program = os.environ["DECODE_GOLDEN"]
    run = subprocess.run([program, *arguments], capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


def names():
    return [*library("list"), "document"]


def run_document(path):
    with open(path, "rb") as file:
        data = file.read()
    try:
        return outcome_of(decode.decode(data).plain)
    except decode.FormatError as error:
        return Outcome(int(error.code), error.block, error.offset)


def run(decoder, paths):
    """An Outcome for each path."""
    if decoder == "document":
        return [run_document(path) for path in paths]
    lines = library(decoder, *map(str, paths))
    assert len(lines) == len(paths), (decoder, len(lines), len(paths))
    return [parse(line) for line in lines]
