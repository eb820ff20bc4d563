#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares `presso scan` with ripgrep, byte for byte: standard output and exit status.

    scan_against_rg.py PRESSO [--seed N] [--random N] [--keep-going]
                       [--only-groups | --only-multiline]

Files are generated: ordinary lines, no final newline, CRLF, NUL bytes early and late, a byte order
mark, invalid UTF-8, empty, one line longer than many chunks. Every pair of flags is tried on a few
pairs of patterns and files, then random combinations of everything. Where `presso compress` exists,
compressed files must give what ripgrep gives for the plain ones.

Cases in which we differ on purpose are left out by name: LEFT_OUT below says why, and how many
each of them were is printed at the end. docs/ripgrep.md tells users.

Exits 77 (skipped) where rg is not installed.
"""

import argparse
import collections
import itertools
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

# Flags of which each pair is tried. An empty tuple: one flag alone.
FLAGS = [
    (),
    ("-i",),
    ("-v",),
    ("-x",),
    ("-w",),
    ("-c",),
    ("--count-matches",),
    ("-l",),
    ("--files-without-match",),
    ("-n",),
    ("-N",),
    ("-b",),
    ("-o",),
    ("-q",),
    ("-m1",),
    ("-m", "3"),
    ("-H",),
    ("-I",),
    ("-a",),
    ("--color=always",),
    ("-0",),
    ("--column",),
    ("--heading",),
    ("--include-zero",),
    ("-S",),
    ("-s",),
    ("-A1",),
    ("-B2",),
    ("-C1",),
    ("-A3", "-B1"),
    ("--passthru",),
    (r"--context-separator=\x41\t\q", "-A1"),
    ("--no-context-separator", "-B1"),
    ("--json",),
    ("--stats",),
    ("-M12",),
    ("-M30", "--max-columns-preview"),
    ("--trim",),
    ("--vimgrep",),
    ("--no-heading",),
    ("--null-data",),
    ("--crlf",),
    ("-r", "<$0$1${x}$$>"),
    ("-r", ""),
    (r"--field-match-separator=\t",),
    ("--field-context-separator=", "-A1"),
    ("--path-separator=+",),
    ("--colors=match:fg:blue", "--colors=path:none", "--color=always"),
    ("--colors=match:none", "--colors=line:style:bold", "--color=always"),
    ("-p",),
    ("--line-buffered",),
    ("--block-buffered",),
    ("--hidden",),
    ("-u",),
    ("-uu",),
    ("-uuu",),
    ("-g", "*a*"),
    ("-g", "!b"),
    ("--iglob", "*A"),
    ("--max-depth=1",),
    ("--max-filesize=5K",),
]
# Patterns with one of these are regular expressions.
REGEX_CHARACTERS = set("\\[(*+^$?|")
# Files whose lines must not become one line of which each match is printed in full.
LARGE = {"big", "nul_late", "nul_later", "tree"}
# Their pairs with other flags see more combinations of patterns and files.
CONTEXT_FLAGS = {"-A1", "-B2", "-C1", "-A3", "-B1", "--passthru"}
# Files with a NUL byte in the first 64 KiB; "tree" holds one of them.
NUL_EARLY = {"nul_early", "nul_matched", "nul_only", "tree"}
# Files with a NUL byte after that.
NUL_LATE = {"nul_late", "nul_later", "nul_longline"}

PATTERNS = [
    ["foo"],
    ["o"],
    ["-"],
    [""],
    ["error", "warn"],
    ["a", "ab", "abc"],
    ["abc", "ab", "a"],
    ["fox", "foo", "o", ""],
    ["task"],
    ["ss"],
    ["Straße"],
    ["ΣΑΣ", "é"],
    ["x x"],
    [r"f\w+"],
    [r"^\S+ \d+"],
    [r"(e|a)r+(?P<x>o?)r*", "o+$"],
    [r"[^a-z ]+$"],
    [r"\bo|o\b"],
    ["x*"],
    [" "],
    ["e"],
    ["k"],
    ["timeout=30ms"],
    ["ab", "cd", "ef", "gh", "ij", "kl", "mn", "op", "qr", "st"],
    ["\r"],
    ["лог"],
    ["foo", "FOO"],
    ["zzzz"],
    ["日本"],
    ["_"],
]


def make_files(random_):
    words = [
        "foo",
        "Foo",
        "FOO",
        "error",
        "warn",
        "abc",
        "ab",
        "a",
        "b",
        "x",
        "_",
        "-",
        "ss",
        "ſs",
        "task",
        "taſK",
        "TASK",
        "straße",
        "STRAẞE",
        "σας",
        "ΣΑΣ",
        "é",
        "É",
        "лог",
        "ЛОГ",
        "日本",
        "fox",
        "timeout=30ms",
        "e",
        "o",
        "xfoo",
        "foox",
        "foo_",
        "\u00d7",
        "€",
        "\u2028",
        "\ufeff",
    ]
    separators = [" ", " ", " ", "", "-", "--", "  ", "\t", ".", "\r"]

    def line():
        return "".join(
            random_.choice(words) + random_.choice(separators)
            for _ in range(random_.randrange(0, 9))
        )

    def lines(count, end="\n"):
        return "".join(line() + end for _ in range(count)).encode()

    small = lines(40)
    files = {
        "small": small,
        "unfinished": small[:-1] + b" foo",
        "crlf": lines(30, "\r\n"),
        "empty": b"",
        "newline": b"\n",
        "newlines": b"\n\n\nfoo\n\n",
        "oneline": b"foo bar foo",
        "mark": b"\xef\xbb\xbffoo\nbar foo\n",
        "invalid": b"".join(part + b"\xff" + part + b"\xc3\n" for part in small.split(b"\n")[:20]),
        "nul_early": small[:100] + b"\0" + small,
        "nul_matched": b"bar\nfoo\0foo\nfoo\n" + small,
        "nul_only": b"\0\0\n\0foo\0\n",
        "nul_late": lines(9000) + b"\0\nfoo\n" + lines(50),
        "nul_later": lines(22000) + b"x\0y\nfoo\n" + lines(9000),
        "big": lines(25000),
        "longline": lines(20) + b"x" * 700000 + b" foo " + b"y" * 900000 + b"\n" + lines(20),
        "nul_longline": b"foo\n"
        + b"x" * 300000
        + b"foo\n"
        + lines(10)
        + b"x" * 200000
        + b"\0foo\n",
    }
    return files


class Comparison:
    def __init__(self, presso, folder, keep_going):
        self.presso = presso
        self.folder = folder
        self.keep_going = keep_going
        self.cases = 0
        self.failures = 0
        self.left_out = collections.Counter()  # by name
        self.env = {
            k: v
            for k, v in os.environ.items()
            if k not in ("RIPGREP_CONFIG_PATH", "PRESSO_CONFIG_PATH", "NO_COLOR")
        }

    def run(self, command, stdin):
        with open(stdin or os.devnull, "rb") as source:
            done = subprocess.run(
                command,
                stdin=source,
                capture_output=True,
                cwd=self.folder,
                env=self.env,
                timeout=60,
            )
        return done.stdout, done.returncode, done.stderr

    def check(self, flags, patterns, files, stdin=None, presso_files=None, presso_stdin=None):
        """`presso_files` replace `files` for presso (compressed forms); no names are shown then."""
        left_out = reason_to_leave_out(Case(flags, patterns, files, stdin))
        if left_out:
            self.left_out[left_out] += 1
            return
        self.cases += 1
        given = [argument for pattern in patterns for argument in ("-e", pattern)]
        fixed = [] if any(set(pattern) & REGEX_CHARACTERS for pattern in patterns) else ["-F"]
        arguments = [*fixed, *flags, *given, "--"]
        rg = ["rg", "--no-config", "--no-ignore", "-j1", "--sort=path", *arguments, *files]
        ours = [self.presso, "scan", *arguments, *(presso_files or files)]
        in_folder = lambda name: name and os.path.join(self.folder, name)
        expected = self.run(rg, in_folder(stdin))
        if b"panicked" in expected[2]:
            self.left_out["ripgrep panics"] += 1
            return
        got = self.run(ours, in_folder(presso_stdin or stdin))
        if "--json" in flags or "--stats" in flags:
            expected, got = (
                without_measurements(one, len(patterns) > 1) for one in (expected, got)
            )
        if expected[:2] == got[:2]:
            return
        self.failures += 1
        print(f"DIFFERENT: {' '.join(map(repr, ours[1:]))} stdin={presso_stdin or stdin}")
        show_difference(expected, got)
        if not self.keep_going or self.failures >= 100:
            sys.exit(f"stopped after {self.cases} cases; files are in {self.folder}")

    def show_result(self):
        for name, count in sorted(self.left_out.items()):
            print(f"left out: {name} ({count})")
        print(f"{self.cases} cases, {self.failures} differences")


class Case:
    marked = set()  # names of files that begin with a byte order mark

    def __init__(self, flags, patterns, files, stdin):
        self.flags = set(flags)
        self.words = flags
        self.patterns = patterns
        self.names = {*files, stdin or ""}
        # ripgrep reads up to ten named files as a whole, and everything with -U.
        streamed = stdin is not None or len(files) > 10 or "tree" in self.names
        streamed = streamed or bool(self.names & Case.marked)
        self.streamed = streamed and "-U" not in self.flags

    def has(self, *flags):
        return bool(self.flags & set(flags))

    def finds(self, *patterns):
        return bool(set(patterns) & set(self.patterns))

    def anchored(self):
        return any("^" in pattern or "$" in pattern for pattern in self.patterns)

    def counts_lines(self):
        counts = ("-c", "--count-matches", "-v", "--json", "--stats")
        return self.has(*counts, "-x") or self.anchored() or "nul_only" in self.names

    def long_lines(self):
        return self.has("--null-data") or any("longline" in name for name in self.names)


# Name, whether it is such a case, why it is left out.
LEFT_OUT = [
    (
        "late NUL in a stream",
        lambda case: case.streamed and case.names & NUL_LATE and not case.has("-a")
        and not case.has("-l", "-q", "--files-without-match"),
        "ripgrep reads streams (standard input, directories, more than ten files) through a buffer "
        "and takes a file for binary from the buffer on that holds a NUL; we look at the first "
        "64 KiB and at the lines to be printed, however the file is read",
    ),
    (
        "NUL as a line end in a stream",
        lambda case: case.streamed and case.names & (NUL_EARLY | NUL_LATE) and not case.has("-a")
        and case.counts_lines(),
        "ripgrep lets NUL bytes end lines in the streams that it takes for binary, which shows "
        "where lines are counted or matched as a whole; with us they are bytes of their line. A "
        "file with a byte order mark is a stream to ripgrep",
    ),
    (
        "late NUL and context",
        lambda case: case.flags & CONTEXT_FLAGS and case.names & NUL_LATE and not case.has("-a"),
        "ripgrep prints a separator between the last line of context and the message that the file "
        "is binary",
    ),
    (
        "heading of a binary file",
        lambda case: case.has("--heading", "-p") and any("nul" in name for name in case.names),
        "ripgrep separates such files by an empty line with several threads only",
    ),
    (
        "words, one of them empty",
        lambda case: case.has("-w") and "" in case.patterns and len(case.patterns) > 1,
        "ripgrep 13 shows the wrong match: it strips a letter at a line's start",
    ),
    (
        "words that match nothing",
        lambda case: case.has("-w") and case.finds("x*"),
        "ripgrep takes what stands beside a match into it, so empty matches differ",
    ),
    (
        "lines that end at NUL, anchored",
        lambda case: case.has("--null-data") and (case.anchored() or case.has("-x")),
        "in ripgrep ^ and $ hold at line feeds there too",
    ),
    (
        "a long line for each of its matches",
        lambda case: case.has("--vimgrep") and case.long_lines()
        and case.names & {"longline", "nul_longline", *LARGE},
        "a line of a megabyte once for each of its matches: gigabytes, from both",
    ),
    (
        "-C beside -A or -B",
        lambda case: case.has("-C1") and case.has("-A1", "-A3", "-B1", "-B2"),
        "ripgrep 14 and we let -A and -B outweigh -C for their sides; in ripgrep 13 the last wins",
    ),
    (
        "several replacements",
        lambda case: case.words.count("-r") > 1,
        "ripgrep takes -r once only; with us the last one wins",
    ),
    (
        "replacing nothing at the end",
        lambda case: case.has("-r") and case.finds("", "x*") and "unfinished" in case.names,
        "ripgrep 13 replaces an empty match after the last character, but never shows it; ripgrep "
        "15 does neither",
    ),
    (
        "CR in a pattern, with --crlf",
        lambda case: case.has("--crlf") and case.finds("\r"),
        "ripgrep refuses the pattern",
    ),
    (
        "an empty pattern, with --crlf",
        lambda case: case.has("--crlf") and case.finds(""),
        "ripgrep finds empty matches between all characters of a line",
    ),
    # Matches across lines.
    (
        "-U: summaries of lines without a match",
        lambda case: case.has("-U") and case.has("-v") and case.flags & SUMMARIES,
        "ripgrep counts the matches in lines without a match: none",
    ),
    (
        "-U: all lines and a limit",
        lambda case: case.has("-U") and case.has("--passthru") and case.has("-m1", "-m"),
        "ripgrep prints the last group's lines again as context",
    ),
    (
        "-U: whole lines and a match after the text",
        lambda case: case.has("-U") and case.has("-x") and case.finds("x*"),
        "ripgrep prints the lines before an empty match after the text's end, which it drops",
    ),
    (
        "-U: whole lines, several to a match",
        lambda case: case.has("-U") and case.has("-x") and case.finds("[^x]{30,60}"),
        "ripgrep takes the end of a match for the beginning of a line",
    ),
    (
        "-U: --vimgrep with a limit of columns",
        lambda case: case.has("-U") and case.has("--vimgrep") and case.has("-M12", "-M30"),
        "ripgrep goes on to the match's next line where one is too long",
    ),
    (
        "-U: replacements",
        lambda case: case.has("-U") and case.has("-r"),
        "ripgrep prints up to 128 bytes after the group of lines, or leaves them out elsewhere",
    ),
]


def reason_to_leave_out(case):
    """The name of the first entry that applies."""
    return next((name for name, applies, _ in LEFT_OUT if applies(case)), None)


def without_measurements(result, several_patterns):
    """Without times; without bytes searched where ripgrep counts what it has read ahead; without
    what only presso says of compressed files."""
    out, status, errors = result
    out = re.sub(rb"[0-9]+ files with an index.*?compressed bytes read\n", b"", out, flags=re.S)
    out = re.sub(rb'"(human|nanos|secs)":("[^"]*"|[0-9]+)', rb'"\1":0', out)
    out = re.sub(rb"[0-9.]+ (seconds)", rb"0 \1", out)
    out = re.sub(rb'"bytes_searched":[0-9]+', b'"bytes_searched":0', out)
    out = re.sub(rb"[0-9]+ bytes searched", b"0 bytes searched", out)
    if several_patterns:  # presso says which of them a submatch is of
        out = re.sub(rb',"pattern":[0-9]+}', b"}", out)
        out = re.sub(rb'"bytes_printed":[0-9]+', b'"bytes_printed":0', out)
        out = re.sub(rb"[0-9]+ bytes printed", b"0 bytes printed", out)
    return out, status, errors


def show_difference(expected, got):
    print(f"  status: rg {expected[1]}, presso {got[1]}; stderr {got[2][:200]!r}")
    if expected[0] == got[0]:
        return
    at = next(
        (i for i, (a, b) in enumerate(zip(expected[0], got[0])) if a != b),
        min(len(expected[0]), len(got[0])),
    )
    print(f"  stdout: {len(expected[0])} and {len(got[0])} bytes, first difference at {at}")
    print(f"    rg:     {expected[0][max(0, at - 40):at + 60]!r}")
    print(f"    presso: {got[0][max(0, at - 40):at + 60]!r}")


def pair_cases(comparison):
    combinations = [
        (["foo"], ["small"], None),
        (["a", "ab", ""], ["unfinished", "crlf"], None),
        (["foo"], ["nul_late"], None),
        (["foo"], [], "nul_late"),
        (["o"], ["tree"], None),
        (["foo", "task"], ["small", "oneline", "big"], None),
    ]
    for number, (one, two) in enumerate(itertools.combinations(FLAGS, 2)):
        chosen = [combinations[(number + i) % len(combinations)] for i in range(2)]
        if CONTEXT_FLAGS & {*one, *two}:
            chosen = [*combinations[:2], combinations[5]]
        for patterns, files, stdin in chosen:
            comparison.check([*one, *two], patterns, files, stdin)


def single_cases(comparison, names):
    for flags, patterns, name in itertools.product(
        [(), ("-w",), ("-i", "-o", "-b"), ("-x",), ("-n", "-v")],
        PATTERNS,
        ["small", "crlf", "invalid", "mark"],
    ):
        comparison.check(list(flags), patterns, [name])
    for flags, name in itertools.product(
        [("-n",), ("-c",), ("-b", "-o"), ("-v", "-c"), ("-l",)], names
    ):
        comparison.check(list(flags), ["foo"], [name])
        comparison.check(list(flags), ["foo"], [], stdin=name)
        if name != "nul_longline":  # ripgrep's buffer stays large for the files behind it
            comparison.check(list(flags), ["foo"], [name] * 11)
    comparison.check([], ["foo"], ["missing", "small"])
    comparison.check(["-q"], ["foo"], ["missing", "small"])
    comparison.check(["-q"], ["foo"], ["small", "missing"])
    comparison.check(["--no-messages"], ["foo"], ["missing"])
    comparison.check(["-m0"], ["foo"], ["small"])
    comparison.check(["-f", "patterns"], ["foo"], ["small", "crlf"])
    comparison.check(["-f", "empty"], [], ["small"])
    comparison.check([], ["foo"], ["-", "small"], stdin="crlf")
    comparison.check(["-c"], ["foo"], ["tree", "small"])
    comparison.check([], ["a\nb"], ["small"])


GLOBS = """
    *.txt !*.txt x/* tree/x/* tree/x/** /tree/x/* **/x/** **/c* x !x !x/ !tree/x {a,b}.*
    [ab].* [!a].* tree/*/a.txt */a.txt **/a.txt tree/**/a.txt ?.txt .* .h/** !.h tree/ *
    !* [a-c]* tree/** !tree/**/y/** \\a.txt ** a*t *.{txt,log} {a.txt,x/**} *.TXT tree/x
    x/y **/y/* y/* /x !/tree/x []a].txt [a\\]].txt a.txt/ *** tree/***/a.txt
""".split()


def glob_cases(comparison, random_):
    """Which files below a directory are searched."""
    for name in ("a.txt", "b.log", "x/a.txt", "x/y/c.log", ".h/d.txt", "x/.e.txt"):
        path = os.path.join(comparison.folder, "globs/tree", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(b"foo\n")
    outer, comparison.folder = comparison.folder, os.path.join(comparison.folder, "globs")
    for glob in GLOBS:
        comparison.check(["-l", "-g", glob], ["foo"], ["tree"])
        comparison.check(["-l", "--iglob", glob, "-."], ["foo"], ["./"])
        comparison.check(["-l", "-g", glob, "-g", random_.choice(GLOBS)], ["foo"], ["tree"])
    for depth in range(4):
        comparison.check(["-l", f"--max-depth={depth}"], ["foo"], ["tree", "tree/x"])
    comparison.folder = outer


class GroupPatterns:
    """Random patterns with groups: choices of fixed strings, and what is none."""

    STRINGS = ["foo", "ab", "a", "o", "é", "ss", "K", "warn"]
    PIECES = STRINGS + [r"\w", "[ab]", "[^x]", "o+", "f?", "(?:a|b)+", "x{1,2}", r"\s"]

    def __init__(self, random_):
        self.random = random_
        self.names = 0

    def group(self, inside):
        if self.random.random() < 0.7:
            return f"({inside})"
        self.names += 1
        return f"(?P<{'xyz'[self.names - 1]}>{inside})" if self.names <= 3 else f"({inside})"

    def strings(self, depth=2):
        if depth == 0 or self.random.random() < 0.4:
            return self.random.choice(self.STRINGS)
        choices = [self.strings(depth - 1) for _ in range(self.random.randrange(1, 4))]
        return self.group("|".join(choices))

    def pieces(self, depth=2):
        if depth == 0 or self.random.random() < 0.4:
            return self.random.choice(self.PIECES)
        parts = [self.pieces(depth - 1) for _ in range(self.random.randrange(1, 4))]
        return self.group(self.random.choice(["", "|"]).join(parts))

    def make(self, only_strings):
        self.names = 0
        make = self.random.choice([self.strings, self.strings if only_strings else self.pieces])
        patterns = [make() for _ in range(self.random.choice([1, 1, 1, 2]))]
        if not any("(" in pattern for pattern in patterns):
            patterns[0] = self.group(patterns[0])
        end = self.random.random() < 0.2
        return [f"(?:{pattern})$" if end else pattern for pattern in patterns]


GROUP_REPLACEMENTS = ["[$1]", "<$2$1>", "${x}-$y", "$0=$3", "[$1|$2|$3|$4]"]
GROUP_FLAGS = [
    ("-i",), ("-w",), ("-x",), ("-o",), ("-n",), ("-v", "-A1"), ("-A1",), ("-m1",), ("--crlf",),
    ("--vimgrep",), ("--color=always",), ("--column",), ("-M20",), ("-S",),
]  # fmt: skip


def group_cases(comparison, random_, count):
    """Replacements that name groups, whichever engine finds the matches."""
    patterns = GroupPatterns(random_)
    for _ in range(count):
        chosen = random_.sample(GROUP_FLAGS, random_.randrange(0, 3))
        flags = ["-r", random_.choice(GROUP_REPLACEMENTS), *(f for flag in chosen for f in flag)]
        names = ["returns"] if "--crlf" in flags else ["small", "crlf", "invalid", "mark"]
        # With -w ripgrep takes white space beside a match into it.
        comparison.check(flags, patterns.make("-w" in flags), [random_.choice(names)])


CRLF_PATTERNS = [
    ["foo$"], ["$"], [".*"], ["x*"], [r"\w*$"], ["o$", "a"], ["(foo|a)$"], ["^"], [r"\b"], ["^$"],
    [r"\S+ ?$"], ["a"],
]  # fmt: skip
CRLF_FLAGS = [
    ("-o",), ("-r", "<$1>"), ("-o", "-r", "$0!"), ("--json",), ("--count-matches",), ("--vimgrep",),
    ("--column",), ("--color=always",), ("-c",), ("-o", "-b"), ("-x",), ("-w",), ("-v",), ("-A1",),
    ("-M9",), ("-M9", "--max-columns-preview"), ("--passthru",), ("--trim", "-n"), ("--stats",),
]  # fmt: skip


def crlf_cases(comparison):
    """What belongs to a line's end in every way of output."""
    for flags, patterns in itertools.product(CRLF_FLAGS, CRLF_PATTERNS):
        comparison.check(["--crlf", *flags], patterns, ["returns"])


SUMMARIES = {"-c", "--count-matches", "--include-zero", "-q", "-l", "--files-without-match"}
MULTILINE_PATTERNS = [
    ["foo\\n"],
    [r"a\s+b"],
    [r"o\nf", "b"],
    [r"(?s)foo.*?bar"],
    [r"f.*o"],
    [r"[^x]{30,60}"],
    [r"^foo"],
    [r"^\S+ \d*"],
    [r"\n\n"],
    [r"\s+"],
    [r"(?P<x>o)\s*(\w)"],
    [r"(?s)o.{2,40}e$"],
    [r"r\s*?\n\W*(e|a)", "x$"],
    ["x*"],
    ["foo\nfox", "o\n"],
    ["foo", "a b"],
    [r"\bo\s+a|x\b"],
    [r"(.*\n){3}"],
    [r"zzzz\n"],
    [r"\r?\n"],
]
MULTILINE_FLAGS = [
    (), ("-n",), ("-c",), ("--count-matches",), ("-l",), ("--files-without-match",), ("-v",),
    ("-o",), ("-b",), ("-q",), ("-m1",), ("-m", "3"), ("-A1",), ("-B2",), ("-C1",),
    ("-A3", "-B1"), ("--passthru",), ("--json",), ("-r", "<$0$1${x}$$>"), ("-r", ""),
    ("--vimgrep",), ("--column",), ("--color=always",), ("-H",), ("-i",), ("-x",), ("-a",),
    ("--multiline-dotall",), ("--heading",), ("--stats",), ("-M30",), ("--include-zero",),
    ("-M12", "--max-columns-preview"), ("--no-multiline",), ("-N",), ("-0",), ("-S",),
]  # fmt: skip


def multiline_cases(comparison, random_, names, count):
    """Every flag with every pattern, every pair with one, then random ones; plain and compressed
    files."""
    names = [name for name in names if not name.startswith("big")]

    def check(flags, patterns, files, **more):
        comparison.check(["-U", *flags], patterns, files, **more)

    for flags, patterns in itertools.product(MULTILINE_FLAGS, MULTILINE_PATTERNS):
        check(list(flags), patterns, ["small"])
        check(list(flags), patterns, [random_.choice(["crlf", "unfinished", "invalid", "mark"])])
    for one, two in itertools.combinations(MULTILINE_FLAGS, 2):
        check([*one, *two], random_.choice(MULTILINE_PATTERNS), ["small"])
    for name in names:
        for flags in ([], ["-n", "-o"], ["-c"], ["-l"], ["-v", "-n"]):
            check(flags, [r"o\s+f"], [name])
            check(flags, [r"o\s+f"], [], stdin=name)
    for _ in range(count):
        flags = [
            part
            for flag in random_.sample(MULTILINE_FLAGS, random_.randrange(0, 5))
            for part in flag
        ]
        check(flags, random_.choice(MULTILINE_PATTERNS), [random_.choice(names)])


def random_cases(comparison, random_, names, count):
    for _ in range(count):
        flags = [part for flag in random_.sample(FLAGS, random_.randrange(0, 5)) for part in flag]
        patterns = random_.choice(PATTERNS)
        if random_.random() < 0.3:
            comparison.check(flags, patterns, [], stdin=random_.choice(names))
        else:
            comparison.check(flags, patterns, random_.sample(names, random_.randrange(1, 4)))


def compressed_cases(comparison, random_, names, count):
    """Names differ, so none are shown: -I, one file or standard input, no lists of names."""
    hidden = {"-H", "-l", "--files-without-match", "--heading", "-0", "--vimgrep", "-p", "--json"}
    flags_without_names = [flag for flag in FLAGS if not hidden & set(flag)]
    foreign = [
        (".gz", ["gzip", "-c"]),
        (".zst", ["zstd", "-qc"]),
        (".lz4", ["lz4", "-qcB4"]),
    ]
    foreign = [(ending, command) for ending, command in foreign if shutil.which(command[0])]
    for name in names:
        subprocess.run(
            [comparison.presso, "compress", "-q", "-f", "--block-size=16K", name],
            cwd=comparison.folder,
            check=True,
        )
        for ending, command in foreign:
            with open(os.path.join(comparison.folder, name), "rb") as plain:
                with open(os.path.join(comparison.folder, name + ending), "wb") as packed:
                    subprocess.run(command, stdin=plain, stdout=packed, check=True)
    for _ in range(count):
        chosen = random_.sample(flags_without_names, random_.randrange(0, 4))
        flags = ["-I", *(part for flag in chosen for part in flag)]
        patterns = random_.choice(PATTERNS)
        name = random_.choice(names)
        if random_.random() < 0.3:
            ending = random_.choice([".presso", *(ending for ending, _ in foreign)])
            comparison.check(flags, patterns, [], stdin=name, presso_stdin=name + ending)
        elif foreign and random_.random() < 0.5:
            ending = random_.choice(foreign)[0]
            comparison.check(flags, patterns, [name], presso_files=[name + ending])
        else:
            comparison.check(flags, patterns, [name], presso_files=[name + ".presso"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("presso")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--random", type=int, default=600)
    parser.add_argument("--keep-going", action="store_true")
    parser.add_argument("--only-multiline", action="store_true")
    parser.add_argument("--only-groups", action="store_true")
    options = parser.parse_args()
    if shutil.which("rg") is None:
        print("SKIPPED: ripgrep (rg) is not installed")
        return 77
    # A combination whose output explodes ends this program, not the machine.
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    random_ = random.Random(options.seed)
    folder = tempfile.mkdtemp(prefix="scan_against_rg.")
    files = make_files(random_)
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
    with open(os.path.join(folder, "patterns"), "wb") as file:
        file.write(b"error\r\nab\n")
    with open(os.path.join(folder, "returns"), "wb") as file:
        file.write(b"foo\r\n\r\na foo \r\nfo\ra\r\nxx a\r\nfoo\r\n")
    for name in ("tree/b", "tree/a", "tree/.hidden", "tree/sub/c", "tree/sub/.git/x"):
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        shutil.copy(os.path.join(folder, "small"), os.path.join(folder, name))
    shutil.copy(os.path.join(folder, "nul_early"), os.path.join(folder, "tree/nul"))
    os.symlink("a", os.path.join(folder, "tree/link"))
    Case.marked = {name for name, content in files.items() if content[:3] == b"\xef\xbb\xbf"}
    comparison = Comparison(os.path.abspath(options.presso), folder, options.keep_going)
    names = sorted(files)
    group_cases(comparison, random.Random(options.seed), options.random)
    crlf_cases(comparison)
    if options.only_groups:
        comparison.show_result()
        return 1 if comparison.failures else 0
    multiline_cases(comparison, random_, names, options.random)
    if options.only_multiline:
        comparison.show_result()
        return 1 if comparison.failures else 0
    single_cases(comparison, names)
    pair_cases(comparison)
    glob_cases(comparison, random_)
    random_cases(comparison, random_, names, options.random)
    if subprocess.run([comparison.presso, "help", "compress"], capture_output=True).returncode == 0:
        compressed_cases(comparison, random_, names, options.random)
    else:
        print("SKIPPED part: compressed input ('presso compress' is not in this build)")
    comparison.show_result()
    if comparison.failures == 0:
        shutil.rmtree(folder)
    return 1 if comparison.failures else 0


sys.exit(main())
