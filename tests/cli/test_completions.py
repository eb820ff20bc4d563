# SPDX-License-Identifier: MIT
"""The generated completions, by the shells themselves. A shell that is not installed is skipped by
name."""

import os
import pty
import re
import select
import shutil
import subprocess
import time
import unittest

import support


class Completions(support.CliTest):
    shell = ""

    def setUp(self):
        super().setUp()
        if shutil.which(self.shell) is None:
            self.skipTest(f"{self.shell} is not installed")
        self.script = self.write("completion", self.ok("--generate", f"complete-{self.shell}").out)
        self.write("notes.txt", b"")
        self.write("two words.txt", b"")
        self.write("shop.csv", b"id,city,count\n1,Oslo,2\n")


class Bash(Completions):
    shell = "bash"

    def complete(self, *words):
        """What is offered for the last of `words`, in a shell that stops at unset variables."""
        code = (
            'set -u; . ./completion; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _presso; '
            'for word in "${COMPREPLY[@]+"${COMPREPLY[@]}"}"; do printf "%s\\n" "$word"; done'
        )
        done = subprocess.run(
            ["bash", "--norc", "--noprofile", "-c", code, "bash", *words],
            capture_output=True,
            text=True,
            timeout=60,
        )
        self.assertEqual(done.stderr, "")
        return done.stdout.splitlines()

    def test_commands(self):
        self.assertEqual(self.complete("presso", "sc"), ["scan"])
        self.assertIn("decompress", self.complete("presso", ""))
        self.assertEqual(self.complete("presso", "help", "comp"), ["compress"])
        self.assertEqual(self.complete("presso", "--vers"), ["--version"])

    def test_flags(self):
        self.assertEqual(self.complete("presso", "scan", "--engi"), ["--engine"])
        self.assertIn("--no-unicode", self.complete("presso", "scan", "--no-"))
        self.assertIn("-U", self.complete("presso", "scan", "-"))
        self.assertNotIn("--engine", self.complete("presso", "compress", "--"))

    def test_values(self):
        engines = ["auto", "literal", "dfa", "bitset", "nfa"]
        self.assertEqual(self.complete("presso", "scan", "--engine", ""), engines)
        self.assertEqual(self.complete("presso", "scan", "--engine", "d"), ["dfa"])
        # As bash divides "--engine=d" and "--engine=".
        self.assertEqual(self.complete("presso", "scan", "--engine", "=", "d"), ["dfa"])
        self.assertEqual(self.complete("presso", "scan", "--engine", "="), engines)
        self.assertEqual(self.complete("presso", "scan", "--regexp", ""), [])

    def test_files(self):
        self.assertEqual(self.complete("presso", "scan", "x", "not"), ["notes.txt"])
        self.assertEqual(self.complete("presso", "scan", "x", "two"), ["two words.txt"])
        self.assertEqual(self.complete("presso", "scan", "-f", "no"), ["notes.txt"])

    def test_columns(self):
        line = (support.PRESSO, "select", "shop.csv", "--group-by")
        self.assertEqual(self.complete(*line, ""), ["id", "city", "count"])
        self.assertEqual(self.complete(*line, "c"), ["city", "count"])
        self.assertEqual(self.complete(*line, "id,ci"), ["id,city"])
        self.assertEqual(self.complete(*line, "'id,ci"), ["id,city"])
        self.assertEqual(self.complete(support.PRESSO, "select", "--where", ""), [])

    def test_columns_of_all_files_that_are_joined(self):
        self.write("cities.csv", b"city,country\nOslo,NO\n")
        self.write("out.csv", b"other\n1\n")
        line = (support.PRESSO, "join", "shop.csv", "cities.csv", "-o", "out.csv", "--on")
        self.assertEqual(self.complete(*line, ""), ["id", "city", "count", "country"])
        self.assertEqual(self.complete(*line, "cou"), ["count", "country"])
        # As bash divides "city=cou", "--on=city=cou" and "city=".
        self.assertEqual(self.complete(*line, "city", "=", "cou"), ["count", "country"])
        self.assertEqual(self.complete(*line, "=", "city", "=", "cou"), ["count", "country"])
        self.assertEqual(self.complete(*line, "city", "="), ["id", "city", "count", "country"])
        self.assertEqual(self.complete(*line, "'city = right.ci"), ["city = right.city"])
        self.assertEqual(
            self.complete(*line[:-1], "--agg", "'sum(cou"), ["sum(count", "sum(country"]
        )
        self.assertEqual(self.complete(*line, "id", "cit"), ["cities.csv"])
        kinds = ["inner", "left", "right", "full", "semi", "anti"]
        self.assertEqual(self.complete(*line[:-1], "--kind", ""), kinds)

    def test_a_name_of_a_column_is_not_run(self):
        self.write("evil.csv", b"$(touch run),`touch run`,a b,x\n1,2,3,4\n")
        self.assertEqual(self.complete(support.PRESSO, "select", "evil.csv", "--where", ""), ["x"])
        self.assertNotIn("run", self.files())


class Fish(Completions):
    shell = "fish"

    def complete(self, line):
        home = os.path.join(self.directory, "home")
        os.makedirs(home, exist_ok=True)
        done = subprocess.run(
            ["fish", "--no-config", "-c", 'source completion; complete -C "$argv"', line],
            capture_output=True,
            text=True,
            timeout=60,
            env=dict(os.environ, HOME=home, XDG_CONFIG_HOME=home, XDG_DATA_HOME=home),
        )
        self.assertEqual(done.stderr, "")
        return [row.split("\t")[0] for row in done.stdout.splitlines()]

    def test_commands(self):
        self.assertEqual(self.complete("presso sca"), ["scan"])
        self.assertIn("--version", self.complete("presso --v"))

    def test_flags(self):
        self.assertEqual(self.complete("presso scan --engi"), ["--engine"])
        self.assertIn("--no-unicode", self.complete("presso scan --no-"))
        self.assertNotIn("--engine", self.complete("presso compress --"))

    def test_values(self):
        engines = ["auto", "bitset", "dfa", "literal", "nfa"]
        self.assertEqual(sorted(self.complete("presso scan --engine ")), engines)
        self.assertEqual(self.complete("presso scan --engine=d"), ["--engine=dfa"])
        self.assertEqual(self.complete("presso scan --regexp "), [])

    def test_files(self):
        self.assertEqual(self.complete("presso scan x not"), ["notes.txt"])
        self.assertEqual(self.complete("presso scan -f not"), ["notes.txt"])

    def test_columns(self):
        line = f"{support.PRESSO} select shop.csv --where "
        self.assertEqual(sorted(self.complete(line)), ["city", "count", "id"])
        self.assertEqual(self.complete(line + "ci"), ["city"])
        self.write("cities.csv", b"city,country\nOslo,NO\n")
        line = f"{support.PRESSO} join shop.csv cities.csv --on "
        self.assertEqual(sorted(self.complete(line)), ["city", "count", "country", "id"])
        self.assertEqual(sorted(self.complete(line + "id,cou")), ["id,count", "id,country"])


class Zsh(Completions):
    """A shell on a terminal: keys are sent, and what the line has become is read back."""

    shell = "zsh"

    def setUp(self):
        super().setUp()
        os.rename("completion", "_presso")
        self.write("xy.csv", b"zone\n1\n")
        self.write(
            ".zshrc",
            b"PS1='' PS2='' LISTMAX=10000\n"
            b"fpath=($ZDOTDIR $fpath); autoload -Uz compinit; compinit -u -d $ZDOTDIR/dump\n"
            b"setopt no_beep no_always_last_prompt\nunsetopt zle_bracketed_paste 2>/dev/null\n"
            b'show() { print -r -- "<<$BUFFER>>" >> $ZDOTDIR/lines; zle kill-whole-line }\n'
            b"zle -N show; bindkey '^X' show\nprint READY\n",
        )
        pid, self.master = pty.fork()
        if pid == 0:
            env = dict(os.environ, ZDOTDIR=self.directory, TERM="dumb", COLUMNS="200")
            env["PATH"] = os.path.dirname(support.PRESSO) + ":" + env["PATH"]
            os.execvpe("zsh", ["zsh", "-i"], env)
        self.addCleanup(os.waitpid, pid, 0)
        self.addCleanup(os.close, self.master)
        self.read_until(b"READY")

    def read_until(self, wanted):
        output = b""
        deadline = time.monotonic() + 60
        while wanted not in output and time.monotonic() < deadline:
            if select.select([self.master], [], [], 0.2)[0]:
                output += os.read(self.master, 65536)
        self.assertIn(wanted, output)

    def complete(self, typed):
        """The command line after a tab."""
        before = os.path.getsize("lines") if os.path.exists("lines") else 0
        os.write(self.master, typed.encode() + b"\t\x18")
        shown = lambda: os.path.exists("lines") and os.path.getsize("lines") > before
        output = b""
        deadline = time.monotonic() + 60
        while not shown() and time.monotonic() < deadline:
            if select.select([self.master], [], [], 0.1)[0]:
                output += os.read(self.master, 65536)
        self.assertNotRegex(output.decode(errors="replace"), "error|not found|_arguments:")
        rows = re.findall("<<(.*?)>>", self.read("lines")[before:].decode())
        self.assertEqual(len(rows), 1, output)
        return rows[0]

    def test_lines(self):
        for typed, expected in [
            ("presso sca", "presso scan "),
            ("presso --vers", "presso --version "),
            ("presso scan --engi", "presso scan --engine="),
            ("presso scan --engine=d", "presso scan --engine=dfa "),
            ("presso scan --engine li", "presso scan --engine literal "),
            ("presso scan --multiline-d", "presso scan --multiline-dotall "),
            ("presso scan --no-uni", "presso scan --no-unicode "),
            ("presso scan x not", "presso scan x notes.txt "),
            ("presso scan -f not", "presso scan -f notes.txt "),
            ("presso compress --engi", "presso compress --engi"),
            ("presso select shop.csv --where ci", "presso select shop.csv --where city"),
            ("presso select shop.csv --agg id,ci", "presso select shop.csv --agg id,city"),
            ("presso join shop.csv xy.csv --on id=z", "presso join shop.csv xy.csv --on id=zone"),
        ]:
            with self.subTest(typed):
                self.assertEqual(self.complete(typed), expected)


del Completions

if __name__ == "__main__":
    unittest.main(verbosity=2)
