# SPDX-License-Identifier: MIT
"""presso scan: matches across lines, and which of several patterns matched. That the output is
ripgrep's is scan_against_rg.py's business; here is what ripgrep has no word for."""

import json
import random
import re
import unittest

from support import covers, log_text
from test_scan import Scan


class Multiline(Scan):
    def setUp(self):
        super().setUp()
        self.write("t", b"one\ntwo\nthree two\nthree\n")

    @covers("scan", "--multiline", "--multiline-dotall")
    def test_matches_span_lines(self):
        self.assertEqual(self.scan("-U", r"two\nthree", "t"), b"two\nthree two\nthree\n")
        self.assertEqual(self.scan("-U", "-F", "e\nt", "t"), b"one\ntwo\n")
        self.assertEqual(self.scan("-U", "-o", "-n", r"e\st", "t"), b"1:e\n2:t\n3:e t\n")
        self.assertEqual(self.scan("-U", "-c", "one.*two", "t", status=1), b"")
        self.assertEqual(self.scan("-U", "--multiline-dotall", "-c", "one.*two", "t"), b"1\n")
        self.assertEqual(self.scan("--multiline-dotall", "-c", "e.t", "t"), b"1\n")
        self.fails("scan", "-U", "--no-multiline", r"o\nt", "t", saying="(-U) can")
        self.fails("scan", "-e", "o\nt", "t", saying="or -U for matches across lines")

    def test_replacement(self):
        self.assertEqual(
            self.scan("-U", "-n", "-r", "[$2|$1]", r"(t\w+)\n(t\w+)", "t"),
            b"2:[three|two] [three|two]\n",
        )
        self.assertEqual(self.scan("-U", "-r", "", r"e\n", "t"), b"on\nthre\n")

    def test_what_cannot_go_with_it(self):
        for flags in (("--and", "x"), ("--not", "x"), ("--like",), ("--null-data",)):
            self.fails("scan", "-U", *flags, "x", "t", saying="--multiline")

    @covers("scan", "--multiline-limit")
    def test_limit(self):
        content = self.compressed("log", None, "--block-size", "16K")
        arguments = ("-U", "-c", r"timeout\n2026", "log", "log.presso")
        self.ok("scan", f"--multiline-limit={len(content)}", *arguments)
        result = self.run_presso("scan", f"--multiline-limit={len(content) - 1}", *arguments)
        self.assertEqual(result.status, 2)
        self.assertEqual(result.out, b"")
        for name in ("log", "log.presso"):
            self.assertIn(f"presso: {name}: its text is larger than", result.err)
        self.assertIn("--multiline-limit", result.err)
        # A pattern that stays within its line needs no memory.
        self.ok("scan", "--multiline-limit=1", "-U", "-c", "timeout", "log", "log.presso")

    def test_compressed_as_plain(self):
        content = self.compressed("log", None, "--block-size", "16K").decode()
        pattern = r"timeout\n\S+ host1\d "
        expected = [match.start() for match in re.finditer(pattern, content)]
        self.assertGreater(len(expected), 10)
        rows = self.scan("-U", "--json", pattern, "log.presso").splitlines()
        found = []
        for row in map(json.loads, rows):
            if row["type"] == "match":
                data = row["data"]
                found += [data["absolute_offset"] + one["start"] for one in data["submatches"]]
        self.assertEqual(found, expected)
        numbers = self.scan("-U", "-n", pattern, "log.presso").splitlines()
        self.assertEqual(int(numbers[0].split(b":")[0]), content.count("\n", 0, expected[0]) + 1)

    def test_ranges_of_lines(self):
        self.assertEqual(self.scan("-U", "--lines=2-3", "-n", r"\n", "t"), b"2:two\n3:three two\n")
        self.assertEqual(self.scan("-U", "--lines=1-2", r"two\nthree", "t", status=1), b"")

    def test_damage_divides_the_text(self):
        content = self.compressed("log", None, "--block-size", "16K")
        data = bytearray(self.read("log.presso"))
        data[len(data) // 2] ^= 0xFF
        self.write("bad.presso", bytes(data))
        result = self.run_presso("scan", "-U", "-c", r"\n", "bad.presso")
        self.assertEqual(result.status, 2)
        self.assertIn("block ", result.err)
        left = int(result.out)
        lines = content.count(b"\n")
        self.assertTrue(lines - 1000 < left < lines, (left, lines))


class WhichPattern(Scan):
    def patterns_of(self, *arguments):
        """(text, pattern) of all submatches."""
        found = []
        result = self.run_presso("scan", "--json", *arguments)
        self.assertIn(result.status, (0, 1), result)
        for row in map(json.loads, result.out.splitlines()):
            for one in row["data"].get("submatches", []) if row["type"] == "match" else []:
                found.append((one["match"]["text"], one.get("pattern")))
        return found

    def test_only_where_there_are_several(self):
        self.write("t", b"ab abc\n")
        self.assertEqual(self.patterns_of("ab", "t"), [("ab", None), ("ab", None)])
        self.assertEqual(self.patterns_of("a|b", "t")[0], ("a", None))
        self.assertEqual(self.patterns_of("-e", "ab", "-e", "abc", "t"), [("ab", 0), ("ab", 0)])
        self.assertEqual(self.patterns_of("-e", "abc", "-e", "a|b", "t")[-1], ("abc", 0))
        self.assertEqual(self.patterns_of("-w", "-e", "ab", "-e", "a.*", "t")[0], ("ab", 0))
        like = self.patterns_of("--like", "-e", "x%", "-e", "a%", "t")
        self.assertEqual(like, [("ab abc", 1)])
        self.write("patterns", b"zz\r\nC\n")
        self.assertEqual(self.patterns_of("-i", "-f", "patterns", "t"), [("c", 1)])
        self.assertEqual(self.patterns_of("-U", "-e", "x", "-e", r"b\sa", "t"), [("b a", 1)])

    def test_against_each_pattern_alone(self):
        self.compressed("log", log_text(500), "--block-size", "16K")
        text = self.read("log").decode()
        pool = [r"t\w*", "session", "started|stopped", r"\d+", r"pid=\d\d", "[a-c]+h", "e"]
        rng = random.Random(5)
        for fixed in (False, True):
            for _ in range(8):
                patterns = rng.sample(pool, 3)
                flags = ["-F"] if fixed else []
                given = [part for pattern in patterns for part in ("-e", pattern)]
                one_by_one = [re.escape(p) if fixed else p for p in patterns]
                expected = [
                    (match[0], match.lastindex - 1)
                    for line in text.splitlines()
                    for match in re.finditer("|".join(f"({p})" for p in one_by_one), line)
                ]
                self.assertEqual(self.patterns_of(*flags, *given, "log.presso"), expected)


if __name__ == "__main__":
    unittest.main(verbosity=2)
