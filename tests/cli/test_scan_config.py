# SPDX-License-Identifier: MIT
"""presso scan: the file of options that PRESSO_CONFIG_PATH names."""

import os
import shutil
import subprocess

import support
from support import covers, main
from test_scan import Scan


class Config(Scan):
    CONFIG = {"PRESSO_CONFIG_PATH": "rc"}

    def with_config(self, text, *arguments, **more):
        self.write("rc", text)
        return self.run_presso("scan", *arguments, env=self.CONFIG, **more)

    def test_options_come_before_those_of_the_command_line(self):
        for text, arguments in (
            (b"-n\n", ("Two",)),
            (b"# comment\n\n  --line-number  \r\n\t-i\n", ("TWO",)),
            (b"-n\n-b\n", ("-N", "Two")),
            (b"--max-count\n1\n-e\n  Two", ("-e", "foo")),
            (b"-m1", ("foo",)),
            (b"-A\n1\n", ("Two",)),
            (b"--field-match-separator\n=\n-n", ("Two",)),
            (b"--context-separator=# no comment\n-C0\n-n", ("foo",)),
            (b"", ("Two",)),
        ):
            got = self.with_config(text, *arguments, "t")
            self.assertEqual((got.status, got.err), (0, ""), text)
            if shutil.which("rg") is None:
                continue
            env = dict(os.environ, RIPGREP_CONFIG_PATH="rc")
            done = subprocess.run(["rg", *arguments, "t"], env=env, capture_output=True)
            self.assertEqual(got.out, done.stdout, text)

    @covers("scan", "--no-config")
    def test_it_can_be_left_out(self):
        self.assertEqual(self.with_config(b"-n\n--nonsense", "--no-config", "Two", "t").out,
                         b"Two\n")
        for path in ("", "rc"):
            self.assertEqual(self.scan("--no-config", "Two", "t", env={"PRESSO_CONFIG_PATH": path}),
                             b"Two\n")
        self.assertEqual(self.scan("Two", "t", env={"PRESSO_CONFIG_PATH": ""}), b"Two\n")

    def test_a_file_that_cannot_be_read_is_a_warning(self):
        for path, why in (("none", "No such file or directory"), (".", "Is a directory")):
            got = self.run_presso("scan", "Two", "t", env={"PRESSO_CONFIG_PATH": path})
            self.assertEqual((got.status, got.out), (0, b"Two\n"))
            self.assertEqual(got.err.count("\n"), 1)
            self.assertTrue(got.err.startswith(f"presso: PRESSO_CONFIG_PATH: {path}: "), got)
            self.assertIn(why, got.err)

    def test_mistakes_have_their_line(self):
        for text, saying in (
            (b"-n\n\n# x\n--nonsense\n-b", "rc:4: unknown option '--nonsense'"),
            (b"-n\n--max-count\n\nx\n", "rc:4: --max-count: 'x' is not a whole number"),
            (b"-m=x\n-n", "rc:1: -m: 'x' is not a whole number"),
            (b"\n--sort\nsize\n", "rc:3: --sort: 'size' is not one of path"),
            (b"-n\n-A\n", "rc:2: option '-A' needs a value: NUM"),
            (b"-n\nfoo\n", "rc:2: 'foo' is not an option; patterns need -e"),
            (b"-n\n-\n", "rc:2: '-' is not an option"),
            (b"-g\n[a\n", "rc:2: glob '[a'"),
            (b"--colors=match:fg:grue", "rc:1: "),
            (b"-n=1\n", "rc:1: "),
            (b"--type-add\nx\n", "rc:2: --type-add: 'x' is not of the form"),
        ):
            got = self.with_config(text, "Two", "t")
            self.assertEqual((got.status, got.out), (2, b""), text)
            self.assertTrue(got.err.startswith("presso: " + saying), (text, got.err))

    def test_it_may_name_itself_and_help_needs_none_of_it(self):
        self.assertEqual(self.with_config(b"--no-config\n-n\n", "Two", "t").out, b"2:Two\n")
        self.assertEqual(self.with_config(b"-f\nrc\n", "t").status, 1)
        self.assertEqual(self.with_config(b"--nonsense\n", "--help").status, 0)

    def test_other_commands_do_not_read_it(self):
        self.write("rc", b"--nonsense\n")
        done = self.run_presso("compress", "-c", "t", env=self.CONFIG)
        self.assertEqual((done.status, done.err), (0, ""))
        self.assertIn("PRESSO_CONFIG_PATH", self.ok("scan", "--help").out.decode())
        self.assertIn("PRESSO_CONFIG_PATH", self.ok("--generate", "man").out.decode())


if __name__ == "__main__":
    main()
