# SPDX-License-Identifier: MIT
"""What documents show is what comes out: the commands of docs/tour.md and docs/logs.md and the
examples of docs/queries.md are run as a reader would, in an empty folder and on a terminal of 120
columns, and the plot of the README is what its script draws. `test_guides.py --update FILE` writes
what comes out into a document. PRESSO_GENERATE_TABLE names the program that generates tables."""

import os
import pty
import shlex
import subprocess
import sys
import textwrap
import unittest

from support import PRESSO, CliTest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
DOCS = os.path.join(ROOT, "docs")
GENERATE = os.environ.get("PRESSO_GENERATE_TABLE", "")
INDENT = "    "
COLUMNS = 116  # of a line that is shown


def ends_within_quotes(command):
    try:
        shlex.split(command)
    except ValueError:
        return True
    return False


class Guide:
    """The lines of a document, and its commands: those without "$ " that generate tables or
    compress them, and the examples as (command, first line of what it prints, line after that)."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.lines = file.read().split("\n")
        self.setup = []
        self.examples = []
        at = 0
        for heading in ("## Examples", "## Fields without a schema"):
            if heading in self.lines:
                at = self.lines.index(heading)
        while at < len(self.lines):
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


def folded(line):
    """A line as a document shows it: a long one goes on in the next line, indented."""
    return textwrap.wrap(line, COLUMNS, subsequent_indent=INDENT) if len(line) > COLUMNS else [line]


def on_terminal(command):
    """The lines that a shell's command writes to a terminal, as a document shows them."""
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
    lines = output.decode().replace("\r\n", "\n").splitlines()
    return [part for line in lines for part in folded(line)]


def make_tables(guide):
    for command in guide.setup:
        path = os.path.dirname(PRESSO) + ":" + os.path.dirname(GENERATE) + ":" + os.environ["PATH"]
        done = subprocess.run(command, shell=True, capture_output=True, env={"PATH": path})
        if done.returncode != 0:
            raise AssertionError(command + ": " + done.stderr.decode())


class Guides(CliTest):
    def check(self, name, examples):
        guide = Guide(os.path.join(DOCS, name))
        self.assertGreaterEqual(len(guide.examples), examples)
        make_tables(guide)
        for command, first, end in guide.examples:
            with self.subTest(f"{name}, line {first}"):
                self.assertEqual(on_terminal(command), guide.shown(first, end), command)

    @unittest.skipUnless(GENERATE, "PRESSO_GENERATE_TABLE is not set")
    def test_queries(self):
        self.check("queries.md", 5)

    def test_logs(self):
        self.check("logs.md", 9)

    def test_tour(self):
        self.check("tour.md", 14)

    def test_plot(self):
        """The README shows the plot that its script draws from the committed figures."""
        script = os.path.join(ROOT, "lab", "figures", "readme_plot.py")
        subprocess.run([sys.executable, "-B", script, "--out", "drawn.svg"], check=True)
        with open(os.path.join(DOCS, "compared.svg"), encoding="utf-8") as committed:
            with open("drawn.svg", encoding="utf-8") as drawn:
                self.assertEqual(committed.read(), drawn.read())
        with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as readme:
            self.assertIn("(docs/compared.svg)", readme.read())


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
