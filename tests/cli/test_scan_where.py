# SPDX-License-Identifier: MIT
"""presso scan --where: lines of JSON and logfmt by their fields, with all the ways to show lines,
and compared with Python's json on random lines and conditions (where_oracle.py)."""

import gzip
import json
import random
import shutil
import subprocess

import where_oracle
from support import PRESSO, CliTest, covers, main

LOG = b"""\
{"level":"error","ms":512,"msg":"read timeout","user":{"name":"ann","tags":["x","y"]},"ok":true}
{"level":"info","ms":12,"msg":"fine","user":{"name":"bob"},"ok":false}
{"level":"\\u0065rror","ms":"900","msg":"write timeout","ok":"true"}
level=error ms=700 msg="a timeout b" ok=true debug
level=error ms=7 msg=short
plain text about an error and a timeout, 512 ms
{"level":"error","ms":800,"msg":"timeout"
{"level":"error","ms":1e3,"msg":"late timeout","log.file":"a.c","id":9007199254740993}
{"level":"error","level":"warn","ms":1000,"id":9007199254740992,"at":"2024-01-15T10:30:00.5Z"}
"""
ISSUE = 'level = "error" and ms > 500 and msg like "%timeout%"'


class Where(CliTest):
    def setUp(self):
        super().setUp()
        self.write("log", LOG)

    def lines(self, condition, *flags):
        """The numbers of the lines that are selected."""
        result = self.run_presso("scan", "-n", *flags, "--where", condition, "log")
        self.assertEqual(result.err, "")
        numbers = [int(line.split(b":")[0]) for line in result.out.splitlines()]
        self.assertEqual(result.status, 0 if numbers else 1, result)
        return numbers

    def test_offsets_of_times(self):
        times = ("2026-01-01T10:00:00+01:00", "2026-01-01T10:00:00Z", "2026-01-01 10:00",
                 "2026-01-01 08:30:00 -0500", "yesterday")
        self.write("log", "".join(f'{{"at":"{time}"}}\n' for time in times).encode())
        for condition, numbers in [
            ("at >= timestamp '2026-01-01 09:30:00'", [2, 3, 4]),
            ("at = timestamptz '2026-01-01 10:00:00+01:00'", [1]),
            ("hour(at) = 13", [4]),
            ("at::date = date '2026-01-01'", [1, 2, 3, 4]),
        ]:
            with self.subTest(condition):
                self.assertEqual(self.lines(condition), numbers)

    @covers("scan", "--where")
    def test_fields_of_json_and_logfmt(self):
        for condition, numbers in [
            (ISSUE, [1, 3, 4, 8]),
            ("level = 'error'", [1, 3, 4, 5, 8]),
            ("level in (\"info\", 'warn')", [2, 9]),
            ("user.name = 'ann'", [1]),
            ("user.tags[1] = 'x' and user.tags[-1] = 'y' and user.tags[3] is null", [1]),
            ("len(user.tags) = 2", [1]),
            ("list_contains(user.tags, 'y')", [1]),
            ("log.file = 'a.c' and \"log.file\" = 'a.c'", [8]),
            ("ok", [1, 3, 4]),
            ("ok = false", [2]),
            ("debug", [4]),
            ("ms is null", [6, 7]),
            ("not (ms > 500)", [2, 5]),
            ("ms between 500 and 900", [1, 3, 4]),
            ("ms % 100 = 0 and ms / 2 < 460", [3, 4]),
            ("id = 9007199254740993", [8]),
            ("id <= 9007199254740992", [9]),
            ("at > timestamp '2024-01-15 10:00:00'", [9]),
            ("at > '2024-01-15T10:30' and at < '2024-02'", [9]),
            ("at::date = date '2024-01-15' and year(at) = 2024", [9]),
            ("at > timestamptz '2024-01-15 11:30:00+01:00'", [9]),
            ("at > timestamptz '2024-01-15 05:30:01-05:00'", []),
            ("cast(ms as int) > 950", [8, 9]),
            ("lower(msg) matches 'time.ut$'", [1, 3, 8]),
            ("starts_with(msg, \"a \")", [4]),
            ("level <> user.name or ms > `ms`", [1, 2]),
            ("level ilike 'ERR%' and coalesce(ok, true)", [1, 3, 4, 5, 8]),
            ("`level` = \"error\" and ms < 10", [5]),
            ("true", [1, 2, 3, 4, 5, 6, 7, 8, 9]),
            ("null", []),
            ("'x' = 'y'", []),
        ]:
            with self.subTest(condition):
                self.assertEqual(self.lines(condition), numbers)

    def test_several_conditions_and_patterns_all_hold(self):
        self.assertEqual(self.lines("level = 'error'", "--where", "ms < 600"), [1, 5])
        self.assertEqual(self.lines("level = 'error'", "-e", "late|short"), [5, 8])
        self.assertEqual(self.lines("level = 'error'", "-i", "-e", "LATE|SHORT"), [5, 8])
        self.assertEqual(self.lines("ms > 0", "--and", "timeout", "--not", "late"), [1, 3, 4])
        self.assertEqual(self.lines("ms > 0", "-e", "b", "-e", "late", "--not", "bob"), [4, 8])

    def test_v_selects_the_other_lines(self):
        everything = set(range(1, 10))
        for condition in (ISSUE, "ms is null", "null"):
            selected = set(self.lines(condition))
            self.assertEqual(set(self.lines(condition, "-v")), everything - selected)
        self.assertEqual(self.lines("level = 'error'", "-v", "-e", "timeout"), [2, 5, 6, 7, 9])

    def shown(self, *flags, status=0):
        result = self.run_presso("scan", *flags)
        self.assertEqual((result.status, result.err), (status, ""), result)
        return result.out

    def test_lines_are_shown_in_every_way(self):
        where = ("--where", "ms > 500 and level = 'error'")
        lines = LOG.splitlines(keepends=True)
        self.assertEqual(self.shown(*where, "log"), b"".join(lines[i] for i in (0, 2, 3, 7)))
        self.assertEqual(self.shown("-c", *where, "log"), b"4\n")
        self.assertEqual(self.shown("--count-matches", *where, "log"), b"4\n")
        self.assertEqual(self.shown("-l", *where, "log"), b"log\n")
        self.assertEqual(self.shown("-q", *where, "log"), b"")
        self.assertEqual(self.shown("-q", "--where", "ms > 5000", "log", status=1), b"")
        self.assertEqual(self.shown("-o", *where, "log"), self.shown(*where, "log"))
        self.assertEqual(self.shown("-o", "-e", "time", *where, "log"), b"time\n" * 4)
        self.assertEqual(self.shown("-m2", "-c", *where, "log"), b"2\n")
        self.assertEqual(self.shown("--max-total=1", *where, "log", "log"), b"log:" + lines[0])
        around = self.shown("-n", "-C1", "--where", "debug", "log")
        self.assertEqual(around, b"3-" + lines[2] + b"4:" + lines[3] + b"5-" + lines[4])
        self.assertEqual(self.shown("--lines", "5-", "-c", *where, "log"), b"1\n")
        self.assertEqual(self.shown("-r", "[$0]", "--where", "ms = 7", "log"),
                         b"[level=error ms=7 msg=short]\n")
        events = [json.loads(line) for line in self.shown("--json", *where, "log").splitlines()]
        found = [event["data"] for event in events if event["type"] == "match"]
        self.assertEqual([one["line_number"] for one in found], [1, 3, 4, 8])
        self.assertEqual(found[0]["submatches"][0]["match"]["text"], lines[0].decode().rstrip())

    def test_a_match_that_is_the_whole_line_has_no_colour(self):
        line = LOG.splitlines(keepends=True)[4]
        self.assertEqual(self.shown("--color=always", "-N", "--where", "ms = 7", "log"), line)
        colored = self.shown("--color=always", "-N", "-e", "sho", "--where", "ms = 7", "log")
        self.assertIn(b"\x1b[1m\x1b[31msho\x1b", colored)

    def test_files_of_every_kind_and_standard_input(self):
        self.ok("compress", "-q", "log")
        self.write("log.gz", gzip.compress(LOG))
        names = ["log.presso", "log.gz"]
        if shutil.which("zstd"):
            subprocess.run(["zstd", "-q", "log"], check=True)
            names.append("log.zst")
        for name in names:
            self.assertEqual(self.shown("-c", "--where", ISSUE, name), b"4\n")
        self.assertEqual(self.shown("-c", "--where", ISSUE, *names),
                         b"".join(name.encode() + b":4\n" for name in names))
        self.assertEqual(self.shown("-c", "--where", ISSUE, "."),
                         b"".join(f"./{name}:4\n".encode() for name in sorted(names + ["log"])))
        result = self.run_presso("scan", "-c", "--where", ISSUE, stdin=LOG)
        self.assertEqual(result.out, b"4\n")
        self.write("crlf", LOG.replace(b"\n", b"\r\n"))
        self.assertEqual(self.shown("-c", "--where", "msg = 'short' or ok", "crlf"), b"4\n")

    def test_an_index_skips_blocks(self):
        rng = random.Random(1)
        rows = [f'{{"id":{i},"level":"info","trace":"{rng.getrandbits(64):x}"}}\n'
                for i in range(60_000)]
        rows[40_000] = '{"id":40000,"level":"fatal","trace":"0"}\n'
        rows[50_000] = '{"id":50000,"level":"f\\u0061tal","trace":"0"}\n'
        self.write("big", "".join(rows).encode())
        self.ok("compress", "-q", "--index", "big")
        result = self.ok("scan", "--stats", "--where", 'level = "fatal"', "big.presso")
        self.assertEqual(result.out.splitlines()[:2],
                         [rows[40_000].rstrip().encode(), rows[50_000].rstrip().encode()])
        self.assertRegex(result.out.decode(), r"\n[1-9]\d* blocks? skipped")

    def test_errors_come_before_any_file_is_opened(self):
        for condition, caret, saying in [
            ("ms >", 4, "expected a value, found the end"),
            ("ms > 5 and (a", 11, "the '(' here is never closed"),
            ("foo(ms) > 3", 0, "there is no function 'foo'"),
            ("ms > 1 or sum(ms) > 3", 10, "sum() is of groups"),
            ("ms + 'x' > 3", 0, "number"),
            ("msg like other", 9, "a pattern must be a string in single quotes"),
            ("msg matches '(a'", 13, "unclosed group"),
            ("a[b] = 1", 2, "brackets hold a whole number"),
            ("round(ms)", 0, "a condition must stand"),
        ]:
            with self.subTest(condition):
                result = self.fails("scan", "--where", condition, "absent", saying=saying)
                self.assertNotIn("absent", result.err)
                self.assertNotIn("##", result.err)
                self.assertIn(f"    {condition}\n    {' ' * caret}^\n", result.err)
        self.fails("scan", "--where", "ms > 1", "-U", "log", saying="--multiline")
        self.fails("scan", "--where", "ms > 1", "--null-data", "log", saying="--null-data")
        self.fails("scan", "-i", "--where", "ms > 1", "log", saying="ilike and lower()")
        self.fails("scan", "--where", "ms > 1", "pattern", saying="pattern: No such file")

    def test_what_is_seldom_meant_is_said(self):
        result = self.ok("scan", "-c", "--where", "ms > '60'", "log")
        self.assertIn("'60' is text, so values are compared byte by byte", result.err)
        result = self.run_presso("scan", "-c", "--where", "level = error", "log")
        self.assertIn("error is a field here; text stands in quotes: 'error'", result.err)

    def test_random_lines_give_what_python_finds(self):
        self.assertEqual(where_oracle.main(PRESSO, 1, 12), 0)


if __name__ == "__main__":
    main()
