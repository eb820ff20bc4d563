# SPDX-License-Identifier: MIT
"""The ten examples of docs/join.md give what stands there: its tables are generated, and every
command is run as a reader would, on a terminal of 120 columns. Those of docs/select.md need 380 MB
of text and are run where PRESSO_GUIDES=all. `test_guides.py --update FILE` writes what comes out
into the guide. PRESSO_GENERATE_TABLE names the program that generates tables."""

import os
import pty
import shlex
import subprocess
import sys
import unittest

from support import PRESSO, CliTest

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs")
GENERATE = os.environ.get("PRESSO_GENERATE_TABLE", "")
INDENT = "    "


def ends_within_quotes(command):
    try:
        shlex.split(command)
    except ValueError:
        return True
    return False


class Guide:
    """The lines of a document; of its section "Ten examples" how tables are made, and the examples
    as (command, first line of what it prints, line behind that)."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.lines = file.read().split("\n")
        self.setup = []
        self.examples = []
        at = self.lines.index("## Ten examples") + 1
        while at < len(self.lines) and not self.lines[at].startswith("## "):
            line = self.lines[at]
            if line.startswith(INDENT + "$ "):
                at = self.take_example(at)
                continue
            if line.startswith(INDENT + "presso") and not self.examples:
                self.setup.append(line.strip())
            at += 1

    def take_example(self, at):
        command = self.lines[at][len(INDENT) + 2 :]
        at += 1
        while command.endswith("\\") or ends_within_quotes(command):
            command += "\n" + self.lines[at][len(INDENT) :]
            at += 1
        first = at
        while self.lines[at].startswith(INDENT) and not self.lines[at].startswith(INDENT + "$ "):
            at += 1
        self.examples.append((command, first, at))
        return at

    def shown(self, first, end):
        return [line[len(INDENT) :] for line in self.lines[first:end]]


def on_terminal(command):
    """The lines that a shell's command writes to a terminal."""
    pid, master = pty.fork()
    if pid == 0:
        environment = dict(os.environ, COLUMNS="120", NO_COLOR="1", LC_ALL="C.UTF-8")
        environment["PATH"] = os.path.dirname(PRESSO) + ":" + environment["PATH"]
        os.execve("/bin/bash", ["bash", "-c", command], environment)
    output = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:
            break
        if not part:
            break
        output += part
    os.waitpid(pid, 0)
    os.close(master)
    return output.decode().replace("\r\n", "\n").splitlines()


def make_tables(guide):
    for command in guide.setup:
        path = os.path.dirname(PRESSO) + ":" + os.path.dirname(GENERATE) + ":" + os.environ["PATH"]
        done = subprocess.run(command, shell=True, capture_output=True, env={"PATH": path})
        if done.returncode != 0:
            raise AssertionError(command + ": " + done.stderr.decode())


@unittest.skipUnless(GENERATE, "PRESSO_GENERATE_TABLE is not set")
class Guides(CliTest):
    def check(self, name):
        guide = Guide(os.path.join(DOCS, name))
        self.assertGreaterEqual(len(guide.examples), 10)
        make_tables(guide)
        for command, first, end in guide.examples:
            with self.subTest(f"{name}, line {first}"):
                self.assertEqual(on_terminal(command), guide.shown(first, end), command)

    def test_join(self):
        self.check("join.md")

    @unittest.skipUnless(os.environ.get("PRESSO_GUIDES") == "all", "PRESSO_GUIDES is not 'all'")
    def test_select(self):
        self.check("select.md")


def update(path):
    """Writes what the examples print into the guide, from the last one on."""
    guide = Guide(path)
    make_tables(guide)
    found = [(first, end, on_terminal(command)) for command, first, end in guide.examples]
    for first, end, printed in reversed(found):
        guide.lines[first:end] = [INDENT + line for line in printed]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(guide.lines))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--update"]:
        update(sys.argv[2])
    else:
        unittest.main(verbosity=2)
