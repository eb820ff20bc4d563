# SPDX-License-Identifier: MIT
"""presso scan: each flag, messages, terminal, damage. That output is ripgrep's, byte for byte, is
scan_against_rg.py's business; nothing here needs rg."""

import json
import os
import subprocess

import support
from support import CliTest, covers, main

TEXT = b"one foo\nTwo\nfoo foo Foo\nfood\nf\xc3\xb6\xc3\xb6 foo_\n"


class Scan(CliTest):
    def setUp(self):
        super().setUp()
        self.write("t", TEXT)

    def scan(self, *arguments, status=0, **more):
        result = self.run_presso("scan", *arguments, **more)
        self.assertEqual(result.status, status, result)
        return result.out


class Patterns(Scan):
    def test_a_plain_pattern_needs_no_flag(self):
        self.assertEqual(self.scan("Two", "t"), b"Two\n")
        self.assertEqual(self.scan("absent", "t", status=1), b"")

    def test_regular_expressions(self):
        self.assertEqual(self.scan("^f.*d$", "t"), b"food\n")
        self.assertEqual(self.scan("-c", "(?i)f(oo)+", "t"), b"4\n")
        words = b"foo\nfoo\nfoo\nfood\nf\xc3\xb6\xc3\xb6\nfoo_\n"
        self.assertEqual(self.scan("-o", r"f\w+", "t"), words)

    def test_a_bad_expression_is_shown_with_a_caret(self):
        result = self.fails("scan", "-e", "ok", "-e", "fo(o", "t", saying="unclosed group")
        self.assertIn("    fo(o\n      ^\n", result.err)

    @covers("scan", "--fixed-strings")
    def test_fixed_strings(self):
        self.write("r", b"a.b\naxb\n")
        self.assertEqual(self.scan("-F", "a.b", "r"), b"a.b\n")
        self.assertEqual(self.scan("-F", "--no-fixed-strings", "a.b", "r"), b"a.b\naxb\n")

    @covers("scan", "--like")
    def test_like(self):
        self.write("r", b"a.b\naxb\nxaxb\na%\n")
        self.assertEqual(self.scan("--like", "a_b", "r"), b"a.b\naxb\n")
        self.assertEqual(self.scan("--like", "%axb", "r"), b"axb\nxaxb\n")
        self.assertEqual(self.scan("--like", "a\\%", "r"), b"a%\n")

    @covers("scan", "--no-unicode")
    def test_without_unicode_patterns_match_bytes(self):
        self.assertEqual(self.scan("-o", r"f\w+", "t", "-m5", "--no-unicode"),
                         b"foo\nfoo\nfoo\nfood\nfoo_\n")
        self.assertEqual(self.scan("--no-unicode", "-c", "f....\\s", "t"), b"1\n")

    @covers("scan", "--engine")
    def test_engines_find_the_same(self):
        for engine in ("auto", "dfa", "bitset", "nfa"):
            self.assertEqual(self.scan("--engine", engine, "-n", "f(oo)+d", "t"), b"4:food\n")
        self.assertEqual(self.scan("--engine=literal", "food", "t"), b"food\n")
        self.fails("scan", "--engine=literal", "fo+d", "t", saying="fixed strings only")
        large = "(?:[ab]{1000}c){20}"
        self.fails("scan", "--engine=bitset", large, "t", saying="lower its counts")

    @covers("scan", "--regexp")
    def test_several_patterns(self):
        self.assertEqual(self.scan("-e", "Two", "--regexp=food", "t"), b"Two\nfood\n")
        self.write("dash", b"-x\n")
        self.assertEqual(self.scan("-e", "-x", "dash"), b"-x\n")

    @covers("scan", "--file")
    def test_patterns_from_a_file(self):
        self.write("p", b"Two\r\nfood\n")
        self.assertEqual(self.scan("-f", "p", "t"), b"Two\nfood\n")
        self.assertEqual(self.scan("--file=-", "t", stdin=b"Two"), b"Two\n")
        self.write("none", b"")
        self.scan("-f", "none", "t", status=1)
        self.fails("scan", "-f", "missing", "t", saying="missing: No such file")

    def test_patterns_that_cannot_match_are_errors(self):
        self.fails("scan", "-F", "a\nb", "t", saying="line feed")
        self.fails("scan", "-F", b"\xff", "t", saying="UTF-8")
        self.fails("scan", saying="no pattern")

    @covers("scan", "--ignore-case", "--case-sensitive", "--smart-case")
    def test_case(self):
        self.assertEqual(self.scan("-i", "-c", "FOO", "t"), b"4\n")
        self.assertEqual(self.scan("-i", "F\u00d6\u00d6", "t"), "föö foo_\n".encode())
        self.scan("-i", "-s", "FOO", "t", status=1)
        self.assertEqual(self.scan("--smart-case", "-o", "foo foo f", "t"), b"foo foo F\n")
        self.scan("-S", "Foo F", "t", status=1)
        self.write("s", "É é A a\n".encode())
        for pattern, found in (
            (r"\x{e9}", "É\né\n"),
            (r"\x{C9}", "É\n"),
            (r"\x41", "A\n"),
            (r"\pLa?", "É\né\nA\na\n"),
            ("[[:upper:]]|q", "A\na\n"),
            ("(?x) a # A", "A\na\n"),
        ):
            got = self.scan("-S", "-o", pattern, "s")
            self.assertEqual(got.decode(), found, pattern)

    @covers("scan", "--word-regexp", "--line-regexp")
    def test_words_and_lines(self):
        self.assertEqual(self.scan("-w", "-c", "foo", "t"), b"2\n")
        self.assertEqual(self.scan("-x", "food", "t"), b"food\n")
        self.assertEqual(self.scan("-w", "-x", "-c", "foo", "t", status=1), b"")
        self.assertEqual(self.scan("-x", "-w", "-c", "foo", "t"), b"2\n")

    @covers("scan", "--invert-match")
    def test_invert(self):
        self.assertEqual(self.scan("-v", "foo", "t"), b"Two\n")
        self.assertEqual(self.scan("-v", "--no-invert-match", "Two", "t"), b"Two\n")

    @covers("scan", "--max-count")
    def test_max_count(self):
        self.assertEqual(self.scan("-m", "1", "foo", "t"), b"one foo\n")
        self.scan("-m0", "foo", "t", status=1)
        self.fails("scan", "-m", "x", "foo", "t", saying="not a whole number")

    @covers("scan", "--text")
    def test_binary_files(self):
        self.write("b", b"foo\n\0foo\n")
        notice = b'binary file matches (found "\\0" byte around offset 4)\n'
        self.assertEqual(self.scan("foo", "b"), notice)
        self.assertEqual(self.scan("-a", "foo", "b"), b"foo\n\0foo\n")
        self.assertEqual(self.scan("-a", "--no-text", "foo", "b"), notice)


class Output(Scan):
    @covers("scan", "--help")
    def test_help(self):
        self.assertIn(b"fixed-strings", self.scan("--help"))

    @covers("scan", "--count", "--count-matches", "--include-zero")
    def test_counts(self):
        self.assertEqual(self.scan("-c", "foo", "t"), b"4\n")
        self.assertEqual(self.scan("--count-matches", "foo", "t"), b"5\n")
        self.assertEqual(self.scan("-c", "absent", "t", status=1), b"")
        self.assertEqual(self.scan("-c", "--include-zero", "absent", "t", status=1), b"0\n")
        self.scan("-c", "--include-zero", "--no-include-zero", "absent", "t", status=1)

    @covers("scan", "--files-with-matches", "--files-without-match")
    def test_lists_of_files(self):
        self.write("u", b"nothing\n")
        self.assertEqual(self.scan("-l", "foo", "t", "u"), b"t\n")
        self.assertEqual(self.scan("-L", "foo", "t", "u"), b"u\n")
        self.assertEqual(self.scan("--files-without-match", "foo", "t", status=1), b"")

    @covers("scan", "--quiet")
    def test_quiet_forgives_errors_after_a_match(self):
        self.assertEqual(self.scan("-q", "foo", "t"), b"")
        self.scan("-q", "absent", "t", status=1)
        self.scan("-q", "foo", "missing", "t", status=0)
        self.scan("-q", "absent", "missing", "t", status=2)

    @covers("scan", "--line-number", "--no-line-number", "--column")
    def test_numbers(self):
        self.assertEqual(self.scan("-n", "food", "t"), b"4:food\n")
        self.assertEqual(self.scan("-n", "-N", "food", "t"), b"food\n")
        self.assertEqual(self.scan("--column", "Foo", "t"), b"3:9:foo foo Foo\n")
        self.assertEqual(self.scan("--column", "--no-column", "food", "t"), b"food\n")

    @covers("scan", "--byte-offset", "--only-matching")
    def test_offsets_and_matches(self):
        self.assertEqual(self.scan("-b", "food", "t"), b"24:food\n")
        self.assertEqual(self.scan("-ob", "foo", "t"), b"4:foo\n12:foo\n16:foo\n24:foo\n35:foo\n")
        self.assertEqual(self.scan("-b", "--no-byte-offset", "food", "t"), b"food\n")

    @covers("scan", "--with-filename", "--no-filename", "--null", "--heading", "--no-heading")
    def test_file_names(self):
        self.write("u", b"Two\n")
        self.assertEqual(self.scan("Two", "t", "u"), b"t:Two\nu:Two\n")
        self.assertEqual(self.scan("-I", "Two", "t", "u"), b"Two\nTwo\n")
        self.assertEqual(self.scan("-H", "Two", "t"), b"t:Two\n")
        self.assertEqual(self.scan("-0", "-c", "Two", "t", "u"), b"t\x001\nu\x001\n")
        self.assertEqual(self.scan("--heading", "Two", "t", "u"), b"t\nTwo\n\nu\nTwo\n")
        self.assertEqual(self.scan("--heading", "--no-heading", "-H", "Two", "t"), b"t:Two\n")

    @covers("scan", "--color")
    def test_color(self):
        colored = b"\x1b[0m\x1b[1m\x1b[31mTwo\x1b[0m\n"
        self.assertEqual(self.scan("--color=always", "Two", "t"), colored)
        self.assertEqual(self.scan("--color=ansi", "Two", "t"), colored)
        self.assertEqual(self.scan("--color=auto", "Two", "t"), b"Two\n")
        self.fails("scan", "--color=pink", "Two", "t")

    def test_a_terminal_gets_color_headings_and_numbers(self):
        self.write("u", b"Two\n")
        os.environ["TERM"] = "xterm"
        status, output = self.on_terminal("scan", "Two", "t", "u")
        self.assertEqual(status, 0)
        self.assertIn("\x1b[35mt\x1b[0m\r\n\x1b[0m\x1b[32m2\x1b[0m:", output)
        os.environ["NO_COLOR"] = ""
        self.addCleanup(os.environ.pop, "NO_COLOR")
        self.assertEqual(self.on_terminal("scan", "Two", "t", "u"), (status, output))
        os.environ["NO_COLOR"] = "1"
        self.assertEqual(
            self.on_terminal("scan", "Two", "t", "u")[1], "t\r\n2:Two\r\n\r\nu\r\n1:Two\r\n"
        )


class Inputs(Scan):
    def test_directories_in_order_without_hidden_files_and_links(self):
        for name in ("d/b", "d/a", "d/.hidden", "d/sub/c", "d/.sub/e"):
            self.write(name, b"Two\n")
        os.symlink("a", "d/link")
        self.compressed("d/packed", b"Two\n")
        os.remove("d/packed")
        self.assertEqual(
            self.scan("Two", "d"), b"d/a:Two\nd/b:Two\nd/packed.presso:Two\nd/sub/c:Two\n"
        )

    def test_standard_input(self):
        self.assertEqual(self.scan("Two", stdin=TEXT), b"Two\n")
        self.assertEqual(self.scan("-H", "Two", "-", stdin=TEXT), b"<stdin>:Two\n")
        self.compressed("t", TEXT)
        self.assertEqual(self.scan("-nb", "Two", stdin=self.read("t.presso")), b"2:8:Two\n")

    @covers("scan", "--no-messages")
    def test_missing_files_are_named_and_the_rest_is_searched(self):
        result = self.run_presso("scan", "Two", "missing", "t")
        self.assertEqual((result.status, result.out), (2, b"t:Two\n"))
        self.assertEqual(result.err, "presso: missing: No such file or directory\n")
        silent = self.run_presso("scan", "--no-messages", "Two", "missing", "t")
        self.assertEqual((silent.status, silent.out, silent.err), (2, b"t:Two\n", ""))
        self.assertNotEqual(
            self.run_presso("scan", "--no-messages", "--messages", "Two", "missing").err, ""
        )

    @covers("scan", "--threads")
    def test_threads_change_nothing(self):
        content = self.compressed("a", None, "--block-size", "16K")
        count = b"%d\n" % content.count(b"\n")
        for threads in ("1", "2", "7", "0"):
            self.assertEqual(self.scan("-j", threads, "-c", "pid=", "a.presso"), count)

    def test_every_backend_gives_the_same(self):
        self.compressed("a", None, "--block-size", "16K")
        outputs = {
            self.scan(
                "-n",
                "-e",
                "timeout user",
                "-e",
                "refused",
                "a.presso",
                env={"PRESSO_FORCE_BACKEND": backend},
            )
            for backend in ("portable", "avx2", "avx512vbmi2")
        }
        self.assertEqual(len(outputs), 1)

    def test_output_that_cannot_be_written(self):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [support.PRESSO, "scan", "foo", "t"],
                stdout=full,
                timeout=60,
                stderr=subprocess.PIPE,
                stdin=subprocess.DEVNULL,
            )
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"No space left", done.stderr)


class Damage(Scan):
    def damage(self, number):
        """Blocks of 16 KiB, one byte of block `number` changed; returns the plain text's blocks."""
        content = self.compressed("a", None, "--block-size", "16K")
        table = json.loads(self.ok("info", "--json", "--blocks", "a.presso").out)
        self.offset = table["files"][0]["block_table"][number]["compressed_offset"]
        packed = bytearray(self.read("a.presso"))
        packed[self.offset + 100] ^= 0x55
        self.write("a.presso", bytes(packed))
        return [content[at : at + 16384] for at in range(0, len(content), 16384)]

    def test_intact_blocks_are_searched_and_the_hole_is_named(self):
        blocks = self.damage(3)
        result = self.run_presso("scan", "-F", "-b", "pid=", "a.presso")
        self.assertEqual(result.status, 2)
        expected = []
        for begin, part in ((0, b"".join(blocks[:3])), (4 * 16384, b"".join(blocks[4:]))):
            for line in part.splitlines(keepends=True):
                if b"pid=" in line:
                    expected.append(
                        b"%d:%s" % (begin, line if line.endswith(b"\n") else line + b"\n")
                    )
                begin += len(line)
        self.assertEqual(result.out, b"".join(expected))
        place = f"presso: a.presso: block 3 (compressed offset {self.offset:,}): "
        self.assertIn(place, result.err)
        amount = "; 16,384 bytes at plain offset 49,152 not searched\n"
        self.assertTrue(result.err.endswith(amount), result)
        self.assertEqual(result.err.count("\n"), 1)

    @covers("scan", "--fail-fast")
    def test_fail_fast_stops_there(self):
        blocks = self.damage(3)
        result = self.run_presso("scan", "--fail-fast", "pid=", "a.presso")
        self.assertEqual(result.status, 2)
        self.assertTrue(b"".join(blocks[:3]).startswith(result.out[:-1]), result)
        self.assertGreater(len(result.out), 2 * 16384)

    def test_a_file_gives_what_its_bytes_give_in_a_pipe(self):
        """Threads read a file's blocks by its index, a pipe's in order."""
        blocks = len(self.damage(3))
        damaged = self.read("a.presso")
        table = json.loads(self.ok("info", "--json", "--blocks", "a.presso").out)
        offsets = [row["compressed_offset"] for row in table["files"][0]["block_table"]]
        header = bytearray(damaged)
        header[offsets[5] + 9] ^= 0x10
        index = bytearray(damaged)
        index[index.rindex(b"\xf7PBI") + 60] ^= 0x10
        files = {
            "a block": damaged,
            "a block and a header": bytes(header),
            "a block and the index": bytes(index),
            "bytes put in": damaged[: offsets[6]] + b"?" * 64 + damaged[offsets[6] :],
            "cut off": damaged[: offsets[blocks - 2] + 500],
            "two files": damaged + bytes(header),
        }
        ways = [["-n"], ["-j3", "-nb"], ["-j1", "-c"], ["--fail-fast"], ["--blocks", "2-7", "-n"]]
        for what, packed in files.items():
            self.write("a.presso", packed)
            for way in ways:
                by_file = self.run_presso("scan", "-I", *way, "pid=", "a.presso")
                piped = self.run_presso("scan", "-I", *way, "pid=", "-", stdin=packed)
                self.assertEqual(by_file.status, 2, (what, way))
                self.assertEqual(piped.status, 2, (what, way))
                self.assertEqual(by_file.out, piped.out, (what, way))
                names = by_file.err.replace("a.presso", "<stdin>")
                self.assertEqual(names, piped.err, (what, way))

    @covers("scan", "--no-check")
    def test_no_check_leaves_checksums_alone(self):
        self.compressed("a", b"needle and hay\n" * 10)
        table = json.loads(self.ok("info", "--json", "--blocks", "a.presso").out)
        packed = bytearray(self.read("a.presso"))
        at = packed.index(b"hay", table["files"][0]["block_table"][0]["compressed_offset"])
        packed[at : at + 3] = b"HAY"
        self.write("a.presso", bytes(packed))
        self.scan("-c", "needle", "a.presso", status=2)
        self.assertEqual(self.scan("--no-check", "-c", "needle", "a.presso"), b"10\n")
        self.scan("--no-check", "--check", "-c", "needle", "a.presso", status=2)


class Index(Scan):
    def stats(self, *arguments, **more):
        """Numbers by what they count, of what stands behind the results."""
        out = self.scan("--stats", *arguments, **more).decode()
        rows = [line.split(" ", 1) for line in out[out.rindex("\n\n") + 2 :].splitlines()]
        return {what: float(number) for number, what in rows}

    def setUp(self):
        super().setUp()
        text = bytearray(support.log_text(20000))
        at = text.index(b"\n", 700000) + 1
        text[at : at + 12] = b"Zeppelin#42 "
        self.write("app.log", bytes(text))
        self.ok("compress", "-q", "-1", "--index", "--block-size", "16K", "app.log")

    @covers("scan", "--no-index", "--stats")
    def test_blocks_are_left_out(self):
        want = self.scan("-n", "Zeppelin#42", "app.log")
        self.assertEqual(self.scan("-n", "Zeppelin#42", "app.log.presso"), want)
        self.assertEqual(self.scan("-n", "--no-index", "Zeppelin#42", "app.log.presso"), want)
        numbers = self.stats("Zeppelin#42", "app.log.presso")
        self.assertEqual(numbers["matched lines"], 1)
        self.assertEqual(numbers["files searched"], 1)
        self.assertEqual(numbers["bytes searched"], len(self.read("app.log")))
        self.assertEqual(numbers["blocks read"] + numbers["blocks skipped"], numbers["blocks"])
        self.assertGreater(numbers["blocks skipped"], numbers["blocks"] / 2)
        numbers = self.stats("--no-index", "Zeppelin#42", "app.log.presso")
        self.assertEqual(numbers["blocks skipped"], 0)
        self.assertEqual(numbers["blocks read"], numbers["blocks"])
        numbers = self.stats("--no-index", "--index", "Zeppelin#42", "app.log.presso")
        self.assertGreater(numbers["blocks skipped"], 0)
        numbers = self.stats("Zeppelin#42", stdin=self.read("app.log.presso"))
        self.assertEqual(numbers["blocks skipped"], 0)
        self.assertNotIn(b"matched lines", self.scan("--stats", "--no-stats", "Two", "t"))

    def test_a_damaged_index_costs_a_line_on_stderr(self):
        packed = bytearray(self.read("app.log.presso"))
        packed[packed.index(b"\xf7PBF\0\0\0\0") + 60] ^= 1
        self.write("app.log.presso", bytes(packed))
        result = self.ok("scan", "Zeppelin#42", "app.log.presso")
        self.assertEqual(result.out, self.scan("Zeppelin#42", "app.log"))
        self.assertEqual(result.err.count("\n"), 1, result)
        self.assertIn("presso: app.log.presso: the search index is damaged", result.err)


if __name__ == "__main__":
    main()
