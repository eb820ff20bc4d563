# SPDX-License-Identifier: MIT
"""presso scan: what lines of output look like. A test for each flag; that all of it is ripgrep's,
byte for byte and in every pair, is scan_against_rg.py's business."""

import json
import re
import subprocess

import support
from support import covers, log_text, main
from test_scan import Scan

LINES = b"1\n2 foo\n3\n4\n5\n6 foo\n7 foo foo\n8\n"


class Context(Scan):
    def setUp(self):
        super().setUp()
        self.write("c", LINES)

    @covers("scan", "--after-context", "--before-context", "--context")
    def test_lines_around_matches(self):
        self.assertEqual(self.scan("-n", "-A1", "2", "c"), b"2:2 foo\n3-3\n")
        self.assertEqual(self.scan("-B1", "2 foo", "c"), b"1\n2 foo\n")
        both = b"1\n2 foo\n3\n--\n5\n6 foo\n7 foo foo\n8\n"
        self.assertEqual(self.scan("-C", "1", "foo", "c"), both)
        self.assertEqual(self.scan("-A1", "--context=1", "foo", "c"), both)
        # The sides outweigh -C wherever they stand, as in ripgrep 14.
        for flags in (("-A2", "-C1"), ("-C1", "-A2"), ("-A2", "-B0", "-B1", "-C5")):
            self.assertEqual(self.scan(*flags, "2", "c"), b"1\n2 foo\n3\n4\n")
        self.assertEqual(self.scan("--passthru", "-C1", "2", "c"), b"1\n2 foo\n3\n")
        self.assertEqual(self.scan("-A1", "--passthru", "2", "c"), LINES)
        none = ("--before-context=0", "--after-context=0")
        self.assertEqual(self.scan("-C5", *none, "3", "c"), b"3\n")

    @covers("scan", "--context-separator")
    def test_what_stands_between_groups(self):
        arguments = ("-m2", "-A1", "foo", "c")
        self.assertIn(b"3\n\t!\n6", self.scan(r"--context-separator=\t\x21", *arguments))
        self.assertIn(b"3\n6", self.scan("--no-context-separator", *arguments))

    @covers("scan", "--passthru")
    def test_all_lines(self):
        self.assertEqual(self.scan("--passthru", "foo", "c"), LINES)
        self.assertEqual(self.scan("--passthru", "zoo", "c", status=1), LINES)
        self.assertEqual(self.scan("--passthrough", "-m1", "foo", "c"), b"1\n2 foo\n")

    def test_context_reaches_across_blocks_but_not_across_damage(self):
        content = self.compressed("a", None, "--block-size", "16K")
        rows = content.splitlines(keepends=True)
        for row in (150, 220, 300, 301, 777):
            expected = b"".join(rows[row - 40 : row + 41])
            self.assertEqual(self.scan("-C40", "-m1", rows[row][:-1], "a.presso"), expected)


class Fields(Scan):
    @covers("scan", "--field-match-separator", "--field-context-separator")
    def test_separators(self):
        result = self.scan(
            "-nA1", r"--field-match-separator=\t", "--field-context-separator", "|", "Two", "t"
        )
        self.assertEqual(result, b"2\tTwo\n3|foo foo Foo\n")

    @covers("scan", "--path-separator")
    def test_path_separator(self):
        self.write("d/e/f", b"x\n")
        self.assertEqual(self.scan("--path-separator=+", "x", "d"), b"d+e+f:x\n")
        self.fails("scan", "--path-separator=ab", "x", "d", saying="more than one byte")

    @covers("scan", "--vimgrep")
    def test_vimgrep(self):
        expected = b"t:3:1:foo foo Foo\nt:3:5:foo foo Foo\n"
        self.assertEqual(self.scan("--vimgrep", "-m1", "foo ", "t"), expected)
        self.assertEqual(self.scan("--vimgrep", "Two", "t"), b"t:2:1:Two\n")

    @covers("scan", "--max-columns", "--max-columns-preview", "--trim")
    def test_long_lines(self):
        self.write("l", b"  short\n" + b"x" * 50 + b"short\n")
        self.assertEqual(
            self.scan("-M", "20", "short", "l"), b"  short\n[Omitted long matching line]\n"
        )
        preview = self.scan("--max-columns=5", "--max-columns-preview", "x", "l")
        self.assertEqual(preview, b"xxxxx [... omitted end of long line]\n")
        self.assertEqual(self.scan("--trim", "-m1", "short", "l"), b"short\n")
        self.assertEqual(self.scan("--trim", "--no-trim", "-m1", "short", "l"), b"  short\n")
        hidden = self.scan(
            "-M5", "--max-columns-preview", "--no-max-columns-preview", "-m1", "short", "l"
        )
        self.assertEqual(hidden, b"[Omitted long matching line]\n")

    @covers("scan", "--replace")
    def test_replacement(self):
        self.assertEqual(self.scan("-r", "<$0>", "Two", "t"), b"<Two>\n")
        self.assertEqual(self.scan("-o", "--replace=$$1${0}$1${x}${", "Two", "t"), b"$1Two${\n")
        self.assertEqual(self.read("t").count(b"Two"), 1)

    def test_groups_of_fixed_strings_are_put_in(self):
        self.write("e", b"level=ERROR x\n")
        for flags, replacement, pattern, expected in (
            ((), "[$1]", "(ERROR|WARN)", b"level=[ERROR] x\n"),
            ((), "[$1|$2]", "(WARN)|(ERROR)", b"level=[|ERROR] x\n"),
            ((), "[$2$all]", "(?P<all>(ERROR)|WARN)", b"level=[ERRORERROR] x\n"),
            (("-i",), "[$1]", "(error)", b"level=[ERROR] x\n"),
            (("-w",), "[$1]", "(ERR|ERROR)", b"level=[ERROR] x\n"),
            (("-o",), "[$1]", "(E|L)RROR", b"[E]\n"),
            (("-U",), "[$1]", "(ERROR)", b"level=[ERROR] x\n"),
            (("-x",), "[$1]", "(level=ERROR x)", b"[level=ERROR x]\n"),
            (("-e", "(level)"), "[$1$2]", "-e(ERROR)", b"[level]=[ERROR] x\n"),
            (("--and", "level"), "[$1]", "(ERROR)", b"level=[ERROR] x\n"),
            (("-F",), "[$1]", "ERROR", b"level=[] x\n"),
        ):
            got = self.scan(*flags, "-r", replacement, pattern, "e")
            self.assertEqual(got, expected, (flags, pattern))

    def test_replacements_leave_line_ends_alone(self):
        self.write("w", b"svc failed\r\nfailed \r\nfailed\r\n")
        self.assertEqual(
            self.scan("--crlf", "-r", "<$1>", "(f.*d)$", "w"), b"svc <failed>\r\n<failed>\r\n"
        )
        self.assertEqual(self.scan("--crlf", "-o", "failed$", "w"), b"failed\r\nfailed\r\n")
        self.assertEqual(self.scan("--crlf", "-U", "-r", "<$1>", "(failed)$", "w"),
                         b"svc <failed>\r\n<failed>\r\n")
        self.assertEqual(self.scan("--crlf", "--count-matches", ".*", "w"), b"3\r\n")
        vimgrep = b"w:1:5:svc failed\r\nw:3:1:failed\r\n"
        self.assertEqual(self.scan("--crlf", "--vimgrep", "failed$", "w"), vimgrep)
        found = [
            (one["start"], one["end"], one["pattern"])
            for line in self.scan("--crlf", "--json", "-e", "x$", "-e", "failed$", "w").splitlines()
            if b'"match"' in line
            for one in json.loads(line)["data"]["submatches"]
        ]
        self.assertEqual(found, [(4, 10, 1), (0, 6, 1)])

    def test_characters_stay_whole(self):
        self.write("c", "é-ü \n".encode())
        self.assertEqual(self.scan("-r", "|", r"\B", "c"), "é-ü |\n".encode())


class LongLines(Scan):
    """A line of many matches. What takes the square of them runs into the test's time limit."""

    RECORDS = 150_000

    def setUp(self):
        super().setUp()
        record = b'{"id":%d,"name":"x"},'
        self.line = b"".join(record % i for i in range(self.RECORDS)) + b"\n"
        self.write("long", self.line)

    def test_all_matches_of_a_long_line(self):
        ids = b"".join(b'"id":%d\n' % i for i in range(self.RECORDS))
        for flags in ((), ("-U",), ("-U", "-e", r"x\ny"), ("-w",)):
            self.assertEqual(self.scan(*flags, "-o", "-e", r'"id":\d+', "long"), ids, flags)
        count = b"%d\n" % self.RECORDS
        for pattern in (r'"id":\d+', r'"id":\d+,"name":"\w', r'\d+,"name":"x"', r'\b\d+\b'):
            self.assertEqual(self.scan("--count-matches", pattern, "long"), count, pattern)
        gone = self.line.replace(b'"id":', b"")
        self.assertEqual(self.scan("-r", "$1", r'"id":(\d+)', "long"), gone)
        self.assertEqual(self.scan("--column", r'"id":\d+', "long"), b"1:2:" + self.line)
        with_nul = ("--null-data", "-r", "$1", r'"id":(\d+)', "long")
        self.assertEqual(self.scan(*with_nul), gone + b"\0")

    def test_a_line_for_each_match_is_written_as_it_is_made(self):
        script = 'ulimit -v 2000000; "$0" scan --vimgrep id long | head -c 30'
        done = subprocess.run(["sh", "-c", script, support.PRESSO], capture_output=True)
        self.assertEqual((done.stdout, done.stderr), (b'long:1:3:{"id":0,"name":"x"},{', b""))


class Colors(Scan):
    @covers("scan", "--colors")
    def test_colors(self):
        arguments = ("--color=always", "-H", "Two", "t")
        plain = self.scan("--colors=match:none", "--colors=path:none", *arguments)
        self.assertEqual(plain, b"\x1b[0mt\x1b[0m:Two\n")
        blue = self.scan("--colors=match:fg:0x10,2,3", "--colors=match:style:nobold", *arguments)
        self.assertTrue(blue.endswith(b"\x1b[0m\x1b[38;2;16;2;3mTwo\x1b[0m\n"), blue)
        for wrong in ("match", "x:fg:red", "match:x:red", "match:fg:pink", "match:style:x"):
            self.fails("scan", "--colors", wrong, "Two", "t", saying="--colors: '" + wrong)

    @covers("scan", "--pretty")
    def test_pretty(self):
        output = self.scan("-p", "-H", "Two", "t")
        self.assertTrue(output.startswith(b"\x1b[0m\x1b[35mt\x1b[0m\n\x1b[0m\x1b[32m2"), output)

    @covers("scan", "--line-buffered", "--block-buffered")
    def test_buffering_changes_nothing_in_the_end(self):
        for kind in ("line", "block"):
            self.assertEqual(self.scan(f"--{kind}-buffered", "Two", "t"), b"Two\n")
            self.assertEqual(self.scan(f"--no-{kind}-buffered", "Two", "t"), b"Two\n")


class Forms(Scan):
    @covers("scan", "--json")
    def test_json(self):
        self.write("j", b"a\n\xff foo\n\x01\"\\foo\n")
        rows = [json.loads(row) for row in self.scan("--json", "-B1", "foo", "j").splitlines()]
        kinds = ["begin", "context", "match", "match", "end", "summary"]
        self.assertEqual([row["type"] for row in rows], kinds)
        self.assertEqual(rows[2]["data"]["lines"], {"bytes": "/yBmb28K"})
        self.assertEqual(rows[3]["data"]["lines"], {"text": '\x01"\\foo\n'})
        self.assertEqual(
            rows[3]["data"]["submatches"], [{"match": {"text": "foo"}, "start": 3, "end": 6}]
        )
        self.assertEqual(rows[4]["data"]["stats"]["matched_lines"], 2)
        self.assertEqual(rows[5]["data"]["stats"]["bytes_searched"], len(self.read("j")))
        self.assertEqual(self.scan("--json", "--no-json", "Two", "t"), b"Two\n")
        for flag in ("-c", "-l", "--count-matches", "--files-without-match", "--count-total"):
            self.fails("scan", "--json", flag, "foo", "j", saying="--json prints lines")

    @covers("scan", "--stats")
    def test_statistics(self):
        output = self.scan("--stats", "foo", "t").decode()
        figures = "5 matches\n4 matched lines\n1 files contained matches\n1 files searched\n"
        self.assertIn("\n\n" + figures, output)
        self.assertRegex(output, r"\n[0-9]+ bytes searched\n[0-9.]+ seconds spent searching\n")
        self.assertEqual(self.scan("--stats", "--no-stats", "Two", "t"), b"Two\n")
        self.assertIn(b"\n8 matched lines", self.scan("--stats", "-q", "foo", "t", "t"))

    @covers("scan", "--explain")
    def test_explain(self):
        result = self.run_presso("scan", "--explain", "-F", "-j3", "-n", "Two", "t")
        self.assertEqual(result.out, b"2:Two\n")
        self.assertRegex(result.err, r"plan: fixed strings: 1; .*; CPU: .*, threads: 3;")
        self.assertRegex(result.err, r"done: files: 1, plain bytes: [0-9]+, matched lines: 1, ")

    def test_explain_describes_the_file(self):
        content = self.compressed("log", log_text(30000), "--block-size", "64K", "--index")
        size = f"{len(content):,}"
        plain = self.run_presso("scan", "--explain", "-c", "refused", "log").err
        self.assertIn(f"log: {size} bytes of text, plain\n", plain)
        self.assertRegex(plain, rf"log: actual: \S+ s, .*/s, {size} bytes of text\n")
        by_index = self.run_presso("scan", "--explain", "-c", "absent word", "log.presso").err
        blocks = -(-len(content) // 65536)
        self.assertIn(f"{size} bytes of text in {blocks} blocks, coding ", by_index)
        self.assertIn("; by the index 0 of them may hold a match", by_index)
        self.assertIn(f"blocks: 0 read, {blocks} skipped by the index, 0 read in vain", by_index)
        every = self.run_presso("scan", "--explain", "-c", "o", "log.presso").err
        self.assertIn("no index that this pattern can use, all of them are read", every)
        self.assertIn(f"blocks: {blocks} read, 0 skipped by the index\n", every)
        piped = self.run_presso("scan", "--explain", "-c", "o", stdin=content).err
        self.assertIn("<stdin>: read in order", piped)

    @covers("scan", "--progress", "--force-progress")
    def test_progress(self):
        self.assertEqual(self.run_presso("scan", "--progress", "Two", "t").err, "")
        forced = self.run_presso("scan", "--force-progress", "Two", "t")
        size = len(self.read("t"))
        self.assertTrue(re.match(rf"presso: t: {size} bytes of {size}, ", forced.err), forced)


class Limits(Scan):
    def setUp(self):
        super().setUp()
        self.write("c", LINES)

    @covers("scan", "--count-total", "--max-total")
    def test_totals_over_all_files(self):
        self.assertEqual(self.scan("--count-total", "foo", "t", "c"), b"7\n")
        self.assertEqual(self.scan("--count-total", "-o", "foo", "t", "c"), b"9\n")
        self.assertEqual(self.scan("--count-total", "absent", "t", "c", status=1), b"0\n")
        self.assertEqual(self.scan("--count-total", "--no-count-total", "Two", "t"), b"Two\n")
        self.assertEqual(self.scan("--max-total=5", "--count-total", "foo", "t", "c"), b"5\n")
        self.assertEqual(self.scan("-I", "--max-total=5", "foo", "t", "c").count(b"\n"), 5)
        self.scan("--max-total=0", "foo", "t", status=1)

    @covers("scan", "--lines")
    def test_only_some_lines(self):
        self.assertEqual(self.scan("--lines=3-6", "-nC9", "foo", "c"), b"3-3\n4-4\n5-5\n6:6 foo\n")
        self.assertEqual(self.scan("--lines=-2", "-b", "foo", "c"), b"2:2 foo\n")
        self.assertEqual(self.scan("--lines=7-", "-c", "", "c"), b"2\n")
        self.assertEqual(self.scan("--lines=8", "-v", "foo", "c"), b"8\n")
        self.scan("--lines=9-", "foo", "c", status=1)
        self.assertEqual(self.run_presso("scan", "--lines=9-", "foo", "c").err, "")
        self.assertEqual(self.scan("--lines=3-", "-m1", "foo", "c"), b"6 foo\n")
        for wrong in ("-", "x", "0-3", "5-4"):
            self.fails("scan", "--lines=" + wrong, "foo", "c")

    def test_only_some_lines_whatever_the_blocks(self):
        content = self.compressed("a", None, "--block-size", "16K")
        rows = content.splitlines(keepends=True)
        for first, last in ((1, 1), (100, 4000), (5999, 6000), (6000, 9999)):
            chosen = rows[first - 1 : last]
            arguments = (f"--lines={first}-{last}", "pid=", "a.presso")
            self.assertEqual(self.scan(*arguments), b"".join(chosen))
            self.assertEqual(self.scan("-c", *arguments), b"%d\n" % len(chosen))
            self.assertTrue(self.scan("-n", *arguments).startswith(b"%d:" % first))

    @covers("scan", "--blocks")
    def test_only_some_blocks(self):
        content = self.compressed("a", None, "--block-size", "16K")
        part = content[2 * 16384 : 5 * 16384]
        shown = self.scan("--blocks=2-4", "--passthru", "x", "a.presso", status=1)
        self.assertEqual(shown, part + b"\n")
        self.assertEqual(self.scan("--blocks=0", "-m1", "-b", "pid=", "a.presso")[:2], b"0:")
        last = (len(content) - 1) // 16384
        tail = content[last * 16384 :]
        shown = self.scan(f"--blocks={last}-999", "--passthru", "absent", "a.presso", status=1)
        self.assertEqual(shown, tail)
        has = f"the file has {last + 1} blocks, counted from 0"
        behind = f"block {last + 1} is after the end: {has}"
        for how in (("pid=",), ("-c", "pid="), ("--no-index", "pid="), ("-U", r"pid=\n")):
            self.fails("scan", f"--blocks={last + 1}-", *how, "a.presso", saying=behind)
        stored = self.read("a.presso")
        self.fails("scan", f"--blocks={last + 1}-", "pid=", "-", stdin=stored, saying=behind)
        self.fails("scan", "--blocks=1", "Two", "t", saying="t: has no blocks")


if __name__ == "__main__":
    main()
