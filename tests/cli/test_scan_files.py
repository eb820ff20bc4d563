# SPDX-License-Identifier: MIT
"""presso scan: which lines and which files are searched, and files of other formats."""

import gzip
import os
import shutil
import socket
import subprocess
import unittest

import support
from support import covers, main
from test_scan import Scan


class Conditions(Scan):
    @covers("scan", "--and", "--not")
    def test_conditions_on_lines(self):
        self.write("c", b"a b\na\nb c\na b c\nA B")
        self.assertEqual(self.scan("--and", "b", "a", "c"), b"a b\na b c\n")
        self.assertEqual(self.scan("--and", "b", "--not", "c", "a", "c"), b"a b\n")
        self.assertEqual(self.scan("--and=b", "--and=c", "-e", "a", "c"), b"a b c\n")
        self.assertEqual(self.scan("--not=b", "--not=c", "-e", "a", "c"), b"a\n")
        self.assertEqual(self.scan("-v", "--not=c", "b", "c"), b"a\nb c\na b c\nA B\n")
        self.assertEqual(self.scan("-i", "-c", "--and=b", "a", "c"), b"3\n")
        self.assertEqual(self.scan("-o", "--and=c", "-e", "a", "-e", "b", "c"), b"b\na\nb\n")
        self.assertEqual(self.scan("--not=a", "", "c"), b"b c\nA B\n")

    def test_conditions_whatever_the_blocks(self):
        content = self.compressed("a", None, "--block-size", "16K")
        rows = content.splitlines(keepends=True)
        wanted = [row for row in rows if b"user" in row and b"cache" in row and b"host7" not in row]
        arguments = ("--and", "cache", "--not", "host7", "user", "a.presso")
        self.assertEqual(self.scan(*arguments), b"".join(wanted))
        self.assertEqual(self.scan("-vc", *arguments), b"%d\n" % (len(rows) - len(wanted)))

    @covers("scan", "--crlf", "--null-data")
    def test_line_ends(self):
        self.write("w", b"foo\r\nx foo\r\n")
        self.scan("-x", "foo", "w", status=1)
        self.assertEqual(self.scan("-x", "--crlf", "foo", "w"), b"foo\r\n")
        self.assertEqual(self.scan("-o", "--crlf", "x", "w"), b"x\r\n")
        self.scan("-x", "--crlf", "--no-crlf", "foo", "w", status=1)
        self.write("n", b"a\nfoo\0b\0foo")
        self.assertEqual(self.scan("--null-data", "foo", "n"), b"a\nfoo\0foo\0")
        self.assertEqual(self.scan("--null-data", "-nv", "foo", "n"), b"2:b\0")
        self.assertEqual(self.scan("--null-data", "-c", "a\nf", "n"), b"1\0")

    def test_groups_with_lines_that_nul_bytes_end(self):
        self.write("n", b"foo bar\nx\0a\nbc foo\0last")
        for replacement, pattern, expected in (
            ("<$1>", "(b[^q]*)", b"foo <bar\nx>\0a\n<bc foo>\0"),
            ("<$1>", "(?s)(b.)", b"foo <ba>r\nx\0a\n<bc> foo\0"),
            ("[$1]", r"(\s)", b"foo[ ]bar[\n]x\0a[\n]bc[ ]foo\0"),
            ("${rest}-$1", r"(\w)\n(?P<rest>\w)", b"foo bax-r\0b-ac foo\0"),
            ("<$1>", "(last)$", b"<last>\0"),
        ):
            got = self.scan("--null-data", "-r", replacement, pattern, "n")
            self.assertEqual(got, expected, pattern)


class UnusualInput(Scan):
    """What is searched where standard input is none: as by ripgrep 13."""

    def scan_from(self, stdin, *arguments):
        """`stdin`: a redirection of the shell."""
        os.mkdir("here")
        self.write("here/f", b"Two\n")
        script = f'cd here && exec "$0" scan "$@" {stdin}'
        command = ["sh", "-c", script, support.PRESSO, *arguments]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        shutil.rmtree("here")
        return done.returncode, done.stdout, done.stderr.decode()

    def test_without_a_path_only_files_pipes_and_sockets_are_searched(self):
        for stdin in ("</dev/null", "<&-", "<.", "</dev/zero"):
            self.assertEqual(self.scan_from(stdin, "Two"), (0, b"f:Two\n", ""), stdin)
            self.assertEqual(self.scan_from(stdin, "-c", "Two"), (0, b"f:1\n", ""), stdin)
        self.write("Two in a file", b"3 Two\n")
        self.assertEqual(self.scan_from("<'../Two in a file'", "Two"), (0, b"3 Two\n", ""))
        self.write("empty", b"")
        self.assertEqual(self.scan_from("<../empty", "Two"), (1, b"", ""))
        ours, theirs = socket.socketpair()
        with ours, theirs:
            theirs.sendall(b"a Two\n")
            theirs.shutdown(socket.SHUT_WR)
            command = [support.PRESSO, "scan", "Two"]
            done = subprocess.run(command, stdin=ours, capture_output=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (0, b"a Two\n"))

    def test_a_terminal_is_not_read(self):
        os.mkdir("here")
        self.write("here/f", b"Two\n")
        os.chdir("here")
        status, output = self.on_terminal("scan", "--color=never", "-IN", "Two")
        self.assertEqual((status, output), (0, "Two\r\n"))

    def test_a_dash_is_standard_input_whatever_that_is(self):
        for stdin in ("</dev/null", "<&-"):
            self.assertEqual(self.scan_from(stdin, "Two", "-"), (1, b"", ""), stdin)
            self.assertEqual(self.scan_from(stdin, "-f", "-", "f"), (1, b"", ""), stdin)
            self.assertEqual(self.scan_from(stdin, "Two", "f", "-"), (0, b"f:Two\n", ""), stdin)
            self.assertEqual(self.scan_from(stdin, "Two", "-", "f"), (0, b"f:Two\n", ""), stdin)
        status, output, message = self.scan_from("<.", "Two", "-")
        self.assertEqual((status, output), (2, b""))
        self.assertEqual(message, "presso: <stdin>: read: Is a directory\n")


class Directories(Scan):
    def setUp(self):
        super().setUp()
        for name in ("d/a.log", "d/b.txt", "d/.h.log", "d/sub/c.log", "d/sub/.g/x.log", "d/B.LOG"):
            self.write(name, b"Two\n")

    def found(self, *arguments):
        output = self.scan("-l", *arguments, "Two", "d", status=None)
        return output.decode().split()

    def scan(self, *arguments, status=0, **more):
        if status is not None:
            return super().scan(*arguments, status=status, **more)
        return self.run_presso("scan", *arguments, **more).out

    @covers("scan", "--glob", "--iglob", "--glob-case-insensitive")
    def test_globs(self):
        self.assertEqual(self.found("-g", "*.log"), ["d/.h.log", "d/a.log", "d/sub/c.log"])
        self.assertEqual(self.found("-g", "!*.log"), ["d/B.LOG", "d/b.txt"])
        self.assertEqual(self.found("--iglob", "b.*"), ["d/B.LOG", "d/b.txt"])
        self.assertEqual(
            self.found("--glob-case-insensitive", "-g", "[b-c].{log,t?t}"),
            ["d/B.LOG", "d/b.txt", "d/sub/c.log"],
        )
        self.assertEqual(
            self.found("--glob-case-insensitive", "--no-glob-case-insensitive", "-g", "B*"),
            ["d/B.LOG"],
        )
        self.assertEqual(self.found("-g", "*.log", "-g", "!d/sub/**"), ["d/.h.log", "d/a.log"])
        self.assertEqual(self.found("-g", "!sub/"), ["d/B.LOG", "d/a.log", "d/b.txt"])
        self.assertEqual(self.found("-g", "d/**/c*"), ["d/sub/c.log"])
        for wrong in ("[a", "{a", "x\\"):
            self.fails("scan", "-g", wrong, "Two", "d", saying="glob")

    def test_a_glob_with_many_stars_ends_soon(self):
        self.write("d/" + "a" * 200, b"Two\n")
        self.assertEqual(self.found("-g", "*a" * 60 + "b"), [])

    @covers("scan", "--hidden", "--unrestricted", "--binary")
    def test_hidden_and_binary_files(self):
        self.assertNotIn("d/.h.log", self.found())
        self.assertIn("d/sub/.g/x.log", self.found("-."))
        self.assertNotIn("d/.h.log", self.found("--hidden", "--no-hidden"))
        self.assertNotIn("d/.h.log", self.found("-u"))
        self.assertIn("d/.h.log", self.found("-uu"))
        self.write("d/bin", b"\0\nTwo\n")
        self.assertNotIn("d/bin", self.found("-uu"))
        self.assertIn("d/bin", self.found("-uuu"))
        self.assertIn("d/bin", self.found("--binary"))
        self.assertNotIn("d/bin", self.found("--binary", "--no-binary"))

    @covers("scan", "--max-depth", "--max-filesize")
    def test_limits(self):
        self.assertNotIn("d/sub/c.log", self.found("--max-depth=1"))
        self.assertEqual(self.found("--max-depth", "0"), [])
        self.write("d/large", b"Two\n" * 600)
        self.assertNotIn("d/large", self.found("--max-filesize", "2K"))
        self.assertIn("d/large", self.found("--max-filesize", "3K", "--sort=path"))
        self.assertEqual(self.found("--sort=none"), self.found())


class Formats(Scan):
    """Each format's own command makes the files."""

    COMMANDS = {".gz": ["gzip", "-c"], ".zst": ["zstd", "-qc"], ".lz4": ["lz4", "-qcB4"]}

    def setUp(self):
        super().setUp()
        self.content = support.log_text(9000)

    def pack(self, ending, content=None):
        command = self.COMMANDS[ending]
        if shutil.which(command[0]) is None:
            raise unittest.SkipTest(command[0] + " is not installed")
        done = subprocess.run(command, input=content or self.content, capture_output=True)
        return done.stdout

    @covers("scan", "--search-zip")
    def test_compressed_files_give_what_the_plain_one_gives(self):
        self.write("plain", self.content)
        for ending in self.COMMANDS:
            packed = self.pack(ending)
            self.write("f" + ending, packed)
            for flags in (["-n"], ["-c"], ["-ob"], ["-v", "-C2", "-m3"], ["-z", "--json", "-q"]):
                expected = self.scan(*flags, "timeout user", "plain")
                self.assertEqual(self.scan(*flags, "timeout user", "f" + ending), expected)
                self.assertEqual(self.scan(*flags, "timeout user", stdin=packed), expected)
            self.scan("--no-search-zip", "timeout user", "f" + ending, status=1)

    def test_members_and_frames_one_behind_another(self):
        cut = self.content.index(b"\n", 200000) + 1
        for ending in self.COMMANDS:
            parts = [self.pack(ending, self.content[:cut]), self.pack(ending, self.content[cut:])]
            self.write("f" + ending, b"".join(parts))
            self.assertEqual(self.scan("pid=", "f" + ending), self.content)
        self.write("padded.gz", gzip.compress(self.content) + bytes(100000))
        self.assertEqual(self.scan("pid=", "padded.gz"), self.content)

    def test_plain_and_compressed_files_in_one_command(self):
        names = []
        for ending in self.COMMANDS:
            names.append(self.write("f" + ending, self.pack(ending)))
        self.compressed("p", self.content)
        names += ["p", "p.presso"]
        count = self.content.count(b"timeout")
        self.assertGreater(count, 0)
        output = self.scan("--count-matches", "timeout", *names).decode()
        self.assertEqual(output, "".join(f"{name}:{count}\n" for name in names))

    def test_a_cut_file_is_searched_up_to_the_cut(self):
        for ending in self.COMMANDS:
            packed = self.pack(ending)
            self.write("f" + ending, packed[: len(packed) * 2 // 3])
            result = self.run_presso("scan", "-I", "-e", "pid=", "-e", "Two", "f" + ending, "t")
            self.assertEqual(result.status, 2, result)
            lines = result.out.splitlines(keepends=True)
            self.assertEqual(lines[-1], b"Two\n")
            self.assertTrue(self.content.startswith(b"".join(lines[:-2])), ending)
            self.assertGreater(len(lines), 2)
            self.assertRegex(
                result.err, rf"^presso: f\{ending}: \w+ data at offset [0-9,]+: the file ends too"
            )

    def test_damage_is_named_with_its_place(self):
        for ending in self.COMMANDS:
            packed = bytearray(self.pack(ending))
            for at in range(len(packed) // 2, len(packed) // 2 + 40):
                packed[at] ^= 0xA5
            self.write("f" + ending, bytes(packed))
            result = self.run_presso("scan", "-a", "pid=", "f" + ending)
            self.assertEqual(result.status, 2, result)
            self.assertRegex(result.err, rf"^presso: f\{ending}: \w+ data at offset [0-9,]+: ")
            self.assertIn("the rest was not read", result.err)

    def test_something_else_behind_the_data(self):
        for ending in self.COMMANDS:
            self.write("f" + ending, self.pack(ending) + b"and now this")
            result = self.run_presso("scan", "pid=", "f" + ending)
            self.assertEqual((result.status, result.out), (2, self.content))
            self.assertIn("something else follows", result.err)

    def test_tiny_files_that_only_look_like_it(self):
        for content in (b"\x1f\x8b", b"\x1f\x8b\x08\x00", b"\x28\xb5\x2f\xfd", b"\x04\x22\x4d\x18"):
            self.write("f", content)
            self.fails("scan", "x", "f", saying="f: ")
        self.write("f", b"\x1f")
        self.scan("x", "f", status=1)


if __name__ == "__main__":
    main()
