# SPDX-License-Identifier: MIT
"""presso scan as met by somebody who knows ripgrep, grep and zstdgrep: what they type and what can
go wrong around them."""

import gzip
import os
import re
import shutil
import subprocess
import unittest

from support import PRESSO, covers, log_text, main
from test_scan import Scan


class OtherToolsOptions(Scan):
    NO_EFFECT = (
        "--mmap",
        "--auto-hybrid-regex",
        "--no-ignore",
        "--no-ignore-dot",
        "--no-ignore-exclude",
        "--no-ignore-global",
        "--no-ignore-parent",
        "--no-ignore-vcs",
        "--no-ignore-messages",
        "--no-pcre2",
        "--no-pre",
        "--no-require-git",
        "--recursive",
        "--sort-files",
    )

    @covers("scan", *NO_EFFECT)
    def test_what_changes_nothing_is_accepted(self):
        for flag in (*self.NO_EFFECT, "--no-mmap", "--ignore", "--ignore-vcs"):
            self.assertEqual(self.scan(flag, "Two", "t"), b"Two\n")

    @covers("scan", "--dfa-size-limit", "--regex-size-limit")
    def test_limits_of_ripgrep_are_accepted(self):
        for flag in ("--dfa-size-limit", "--regex-size-limit"):
            self.assertEqual(self.scan(flag, "1G", "Two", "t"), b"Two\n")
            self.fails("scan", flag + "=much", "Two", "t", saying="not a whole number")

    def test_every_option_of_ripgrep_is_known(self):
        if shutil.which("rg") is None:
            self.skipTest("ripgrep is not installed")
        text = subprocess.run(["rg", "--help"], capture_output=True).stdout.decode()
        flags = set(re.findall(r"(?m)^ +(?:(-.), )?(--[a-z0-9-]+)", text))
        self.assertGreater(len(flags), 80)
        for spelled in (one for both in flags for one in both if one):
            result = self.run_presso("scan", spelled)
            self.assertNotIn("unknown option", result.err, spelled)

    def test_what_is_not_there_says_what_is(self):
        for flags, saying in [
            (("-P",), "-P: look-around and backreferences are not supported"),
            (("--perl-regexp",), "look-around"),
            (("--extended-regexp",), "patterns are extended regular expressions without it"),
            (("-R",), "-R: directories are searched recursively without it"),
            (("--include=*.c",), "--include: --glob GLOB"),
            (("--exclude", "*.c"), "--glob '!GLOB'"),
            (("--pre-glob=*.c",), "pipe the command's output"),
            (("--debug",), "--explain says how"),
            (("-V",), "'presso --version' prints it"),
            (("--hyperlink-format=kitty",), "without links"),
            (("--stop-on-nonmatch",), "--max-count limits"),
        ]:
            self.fails("scan", *flags, "Two", "t", saying=saying)
        listed = self.ok("scan", "--help").out.decode()
        self.assertNotIn("--pcre2", listed)
        self.assertNotIn("--no-ignore-vcs", listed)

    def test_other_names_of_the_command(self):
        self.fails("grep", "Two", "t", saying="Did you mean 'scan'?")


class Surroundings(Scan):
    def test_help_into_a_closed_pipe(self):
        for arguments in (["scan", "--help"], ["help", "scan"], ["scan", "", "t"]):
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run([PRESSO, *arguments], stdout=writer, stderr=subprocess.PIPE)
            os.close(writer)
            self.assertEqual(done.stderr, b"")

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_a_full_disk_is_named(self):
        for arguments in (["Two"], ["-c", "Two"], ["--json", "Two"], ["--stats", "-q", "Two"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run(
                    [PRESSO, "scan", *arguments, "t"], stdout=full, stderr=subprocess.PIPE
                )
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"presso: standard output: no space left", done.stderr)

    def test_what_was_found_before_a_file_breaks_off_counts(self):
        content = log_text(20000)
        whole = gzip.compress(content)
        self.write("cut.gz", whole[: len(whole) // 2])
        result = self.run_presso("scan", "-c", "timeout", "cut.gz")
        self.assertEqual(result.status, 2)
        self.assertIn("presso: cut.gz: gzip data at offset", result.err)
        self.assertIn("the file ends too early; the rest was not read", result.err)
        lines = content.count(b"\n")
        found = int(result.out)
        printed = self.run_presso("scan", "timeout", "cut.gz").out.splitlines()
        self.assertEqual(found, len(printed))
        self.assertTrue(lines // 4 < found * 2 < lines * 2, (found, lines))
        self.assertEqual(self.run_presso("scan", "-l", "timeout", "cut.gz").out, b"cut.gz\n")

    def test_pipes_from_the_shell(self):
        if shutil.which("bash") is None:
            self.skipTest("bash is not installed")
        done = subprocess.run(
            ["bash", "-c", f"{PRESSO} scan -c foo <(cat t) <(gzip -c t)"], capture_output=True
        )
        self.assertEqual([row.split(b":")[1] for row in done.stdout.splitlines()], [b"4", b"4"])

    def test_pattern_files(self):
        self.write("crlf", b"Two\r\nfood\r\n")
        self.assertEqual(self.scan("-f", "crlf", "t"), b"Two\nfood\n")
        self.assertEqual(self.scan("-F", "-f", "-", "t", stdin=b"Two\n"), b"Two\n")
        self.fails("scan", "-f", "none", "t", saying="none: No such file or directory")
        self.fails("scan", "-f", ".", "t", saying="Is a directory")

    def test_files_that_cannot_be_read_do_not_hide_the_others(self):
        self.write("secret", b"Two\n")
        os.chmod("secret", 0)
        result = self.run_presso("scan", "-c", "Two", "missing", "secret", "t")
        self.assertEqual(result.status, 2)
        self.assertIn("presso: missing: No such file or directory\n", result.err)
        self.assertIn(b"t:1\n", result.out)
        if os.geteuid() != 0:
            self.assertIn("presso: secret: Permission denied\n", result.err)

    def test_a_line_of_many_megabytes(self):
        self.write("long", b"a" * 20_000_000 + b" foo\nfoo\n")
        self.assertEqual(self.scan("-c", "foo", "long"), b"2\n")
        self.assertEqual(self.scan("-bo", "foo", "long"), b"20000001:foo\n20000005:foo\n")
        self.assertEqual(self.scan("-c", "a{3} foo$", "long"), b"1\n")


if __name__ == "__main__":
    main()
