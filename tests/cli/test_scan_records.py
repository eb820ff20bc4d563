# SPDX-License-Identifier: MIT
"""Records of several lines: scan with --record-start, --record and --record-limit.

What is right is worked out here, record by record, for made-up logs with traces, lines before the
first record and records longer than blocks and chunks. Records that are single lines must come out
as lines do.
"""

import calendar
import gzip
import json
import os
import random
import re
import time

from support import covers, main
from test_scan import Scan

TIME = rb"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)"
LATEST = calendar.timegm((2026, 3, 1, 0, 0, 0))
RULES = {
    ("--record-start", r"^\d{4}-"): rb"\d{4}-",
    ("--record-start", r"^(\d|\[)"): rb"\d|\[",
    ("--record-start", "alpha|^$"): rb"(?s).*alpha|\n?$",
    ("--record-start", "nowhere"): rb"(?!)",
    ("--record-start", r"\]\s*$"): rb".*\]\s*$",
    ("--record", "indent"): rb"[^ \t]",
    ("--record", "json"): rb"[^ \t}\]]",
    ("--record", "time"): TIME,
}
# Patterns of presso and their like in Python, for the text of one line.
PATTERNS = ["error", "alpha", "x77|gamma", "^ +at", "[a-z]+Exception", r"\d+$", "Caused", "nothing",
            r"^\d{4}.*db"]


def made_log(chance, size):
    """Lines of a log with traces; some have none of the usual beginnings."""
    words = ["alpha", "error", "timeout", "conn", "db", "x77", "gamma", "[ok]"]
    rows, moment = [], LATEST - 86400 * 20
    for _ in range(chance.choice([0, 0, 1, 3])):
        rows.append("    before " + chance.choice(words))
    while len(rows) < size:
        moment += chance.choice([0, 1, 30, 600])
        stamp = time.strftime("%Y-%m-%d %H:%M:%S ", time.gmtime(moment))
        begin = chance.choice([stamp, stamp, stamp, stamp, "[main] "])
        rows.append(begin + " ".join(chance.choices(words, k=chance.randrange(1, 9))))
        if chance.random() < 0.3:
            # How lines tell their time is found out from the first 300.
            lines = chance.choice([1, 2, 3, 9, size // 3 if len(rows) > 300 else 20])
            rows.append("java.io.IOException: " + chance.choice(words))
            rows += [f"{chance.choice(['    at', chr(9) + 'at'])} com.x.Y{k}(error.java:{k})"
                     for k in range(lines)]
            rows += chance.choice([[], [""], ["Caused by: alpha"], ["}"], ["],", "} error"]])
    text = "\n".join(rows) + chance.choice(["", "\n", "\n", "\n"])
    return text.encode()


class Record:
    def __init__(self, number, offset):
        self.number, self.offset, self.lines = number, offset, []


def records_of(text, rule):
    """The records of a text, each with its lines, their first number and offset."""
    records, offset = [], 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if not records or re.match(rule, line):
            records.append(Record(number, offset))
        records[-1].lines.append(line)
        offset += len(line)
    last = None
    for record in records:
        times = [t for t in map(time_of, record.lines) if t is not None]
        record.time = times[0] if times else last
        last = times[-1] if times else last
    return records


def time_of(line):
    found = re.match(TIME, line)
    return found and calendar.timegm(time.strptime(found[1].decode(), "%Y-%m-%d %H:%M:%S"))


def matches_in(line, pattern):
    return [m for m in re.finditer(pattern.encode(), line.rstrip(b"\n"))]


def selected(records, pattern, invert=False, since=None, until=None, required=(), forbidden=()):
    """For each record whether it is selected."""
    result = []
    for record in records:
        def holds(pattern):
            return any(matches_in(line, pattern) for line in record.lines)
        hit = all(map(holds, [pattern, *required])) and not any(map(holds, forbidden))
        hit = hit != invert
        if since is not None:
            hit = hit and record.time is not None and since <= record.time < until
        result.append(hit)
    return result


def printed(records, hits, before=0, after=0, limit=None, numbers=False, offsets=False, only=None):
    """What scan prints of the records that are hits; with `only`, the matches of that pattern."""
    out, last_hit, shown, found = b"", None, None, 0
    context = before > 0 or after > 0

    def show(index, mark):
        nonlocal out, shown
        if context and shown is not None and index > shown + 1:
            out += b"--\n"
        shown = index
        record = records[index]
        offset = record.offset
        for i, line in enumerate(record.lines):
            pieces = [(0, line)]
            if only is not None and mark == b":":
                pieces = [(m.start(), m[0]) for m in matches_in(line, only)]
            for begin, piece in pieces:
                out += b"%d%s" % (record.number + i, mark) if numbers else b""
                out += b"%d%s" % (offset + begin, mark) if offsets else b""
                out += piece.rstrip(b"\n") + b"\n"
            offset += len(line)

    for index, hit in enumerate(hits):
        if limit is not None and found >= limit and (last_hit is None or index > last_hit + after):
            break
        if hit:
            if limit is None or found < limit:
                first = max(index - before, 0 if shown is None else shown + 1)
                for i in range(first, index):
                    show(i, b"-")
                last_hit = index
            found += 1
            show(index, b":")
        elif last_hit is not None and index <= last_hit + after:
            show(index, b"-")
    return out


class MadeLogs(Scan):
    def write_log(self, name, text):
        self.write(name, text)
        os.utime(name, (LATEST, LATEST))

    def files_of(self, text, chance):
        """The log as a plain file, with small blocks, as several members, and as gzip."""
        self.write_log("log", text)
        index = chance.choice([(), ("--index",)])
        self.ok("compress", "-f", "--block-size", "16K", *index, "log")
        names = ["log", "log.presso"]
        both = b""
        # A member tells how its lines write their times; half of a time may look like another kind.
        begins = [m.start() for m in re.finditer(rb"(?m)^\d{4}-.*\n", text)] or [0]
        cuts = sorted(chance.choice(begins) + chance.choice([0, 21]) for _ in range(2))
        if cuts[0] + 21 >= cuts[1] or not re.search(TIME, text[:cuts[0]]):
            cuts = [len(text)]
        if not re.search(rb"(?m)^" + TIME, text[cuts[-1]:]):
            cuts.pop()
        for begin, end in zip([0] + cuts, cuts + [len(text)]):
            self.write_log("part", text[begin:end])
            self.ok("compress", "-f", "--block-size", "16K", "part")
            with open("part.presso", "rb") as file:
                both += file.read()
        self.write_log("both.presso", both)
        self.write_log("log.gz", gzip.compress(text, 1))
        return names + ["both.presso", chance.choice(["log.gz", "-"])]

    def check(self, wanted, *arguments, names, text):
        for name in names:
            threads = ("-j", random.Random(name).choice(["1", "2", "3"]))
            stdin = text if name == "-" else b""
            got = self.run_presso("scan", *threads, *arguments, name, stdin=stdin)
            self.assertEqual(got.err, "", (name, arguments))
            self.assertEqual(got.out, wanted, (name, arguments))
            self.assertEqual(got.status, 0 if wanted else 1, (name, arguments))

    @covers("scan", "--record-start", "--record")
    def test_random_logs_and_flags(self):
        chance = random.Random(50)
        for number in range(300):
            size = 9000 if number % 60 == 59 else chance.choice([1, 4, 20, 300, 1500])
            text = made_log(chance, size)
            rule, like = chance.choice(list(RULES.items()))
            if rule[-1] == "time" and not any(map(time_of, text.splitlines())):
                continue
            records = records_of(text, like)
            pattern = chance.choice(PATTERNS)
            names = self.files_of(text, chance)
            flags = [*rule, "-e", pattern]
            invert = chance.random() < 0.3
            times = {}
            stamps = [r.time for r in records if r.time is not None]
            if stamps and size >= 20 and chance.random() < 0.3:
                since, until = sorted(chance.choices(stamps, k=2))
                times = {"since": since, "until": until + 1}
                shown = [time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(t))
                         for t in times.values()]
                flags += ["--tz", "UTC", "--since", shown[0], "--until", shown[1]]
            flags += ["-v"] if invert else []
            conditions = {}
            if chance.random() < 0.3:
                conditions = {"required": chance.choices(PATTERNS, k=chance.randrange(2)),
                              "forbidden": chance.choices(PATTERNS, k=chance.randrange(2))}
                flags += [f"--and={one}" for one in conditions["required"]]
                flags += [f"--not={one}" for one in conditions["forbidden"]]
            hits = selected(records, pattern, invert, **times, **conditions)
            found = [record for record, hit in zip(records, hits) if hit]
            more = {}
            form = chance.choice(["lines", "lines", "context", "count", "matches", "only", "json"])
            if form in ("lines", "context", "only", "count", "json") and chance.random() < 0.3:
                more["limit"] = chance.choice([1, 2, 7])
                flags += ["-m", str(more["limit"])]
            with self.subTest(number=number, flags=flags, form=form):
                if form in ("lines", "context"):
                    more |= {"numbers": chance.random() < 0.6, "offsets": chance.random() < 0.2}
                    if form == "context":
                        more |= {"before": chance.randrange(4), "after": chance.randrange(4)}
                        flags += ["-B", str(more["before"]), "-A", str(more["after"])]
                    flags += ["-n"] * more["numbers"] + ["-b"] * more["offsets"]
                    self.check(printed(records, hits, **more), *flags, names=names, text=text)
                elif form == "only" and not invert:
                    wanted = printed(records, hits, only=pattern, numbers=True, offsets=True,
                                     **more)
                    self.check(wanted, *flags, "-onb", names=names, text=text)
                elif form == "json":
                    self.check_json(found[:more.get("limit")], flags, names, text,
                                    None if invert else pattern)
                elif form == "matches" and not invert:
                    count = sum(len(matches_in(line, pattern)) for r in found for line in r.lines)
                    wanted = b"%d\n" % count if count else b""
                    self.check(wanted, *flags, "--count-matches", names=names, text=text)
                else:
                    count = len(found[:more.get("limit")])
                    wanted = b"%d\n" % count if count else b""
                    self.check(wanted, *flags, "-c", names=names, text=text)
                    self.check_lists(count, flags, names[0])

    def check_lists(self, count, flags, name):
        listed = self.run_presso("scan", *flags, "-l", name)
        self.assertEqual(listed.out, name.encode() + b"\n" if count else b"")
        listed = self.run_presso("scan", *flags, "-L", name)
        self.assertEqual(listed.out, b"" if count else name.encode() + b"\n")
        self.assertEqual(self.run_presso("scan", *flags, "-q", name).status, 0 if count else 1)

    def check_json(self, found, flags, names, text, pattern):
        for name in names:
            stdin = text if name == "-" else b""
            got = self.run_presso("scan", *flags, "--json", name, stdin=stdin)
            messages = [json.loads(line) for line in got.out.splitlines()]
            data = [m["data"] for m in messages if m["type"] == "match"]
            self.assertEqual(len(data), len(found), name)
            for one, record in zip(data, found):
                lines = b"".join(record.lines)
                self.assertEqual(one["lines"]["text"].encode(), lines)
                self.assertEqual(one["line_number"], record.number)
                self.assertEqual(one["absolute_offset"], record.offset)
                wanted, at = [], 0
                for line in record.lines:
                    if pattern is not None:
                        wanted += [(at + m.start(), at + m.end())
                                   for m in matches_in(line, pattern)]
                    at += len(line)
                self.assertEqual([(s["start"], s["end"]) for s in one["submatches"]], wanted)
                for s in one["submatches"]:
                    self.assertEqual(s["match"]["text"].encode(), lines[s["start"]:s["end"]])

    def test_an_index_leaves_blocks_out(self):
        chance = random.Random(51)
        skipped = 0
        for number in range(60):
            rows = made_log(chance, chance.choice([3000, 9000])).splitlines(keepends=True)
            for _ in range(chance.randrange(4)):
                at = chance.randrange(len(rows) - 1)
                rows[at:at + 1] = [rows[at][:-1] + b" needle0042x\n"]
            if chance.random() < 0.3:
                # Not at the beginning, which has to show how lines tell their time.
                at = chance.randrange(len(rows) // 2, len(rows))
                rows[at:at] = [b"  long\n"] * chance.choice([3000, 9000])
            text = b"".join(rows)
            rule, like = chance.choice(list(RULES.items()))
            self.write_log("log", text)
            self.ok("compress", "-f", "--block-size", "16K", "--index", "log")
            records = records_of(text, like)
            pattern = chance.choice(["needle0042x", "e0042x$", "alpha.*needle0042", r"needle\d+x"])
            hits = selected(records, pattern)
            with self.subTest(number=number, rule=rule, pattern=pattern):
                self.check(printed(records, hits, numbers=True, offsets=True), *rule, "-nb", "-e",
                           pattern, names=["log.presso"], text=text)
                limited = printed(records, hits, numbers=True, limit=1)
                self.check(limited, *rule, "-nm1", pattern, names=["log.presso"], text=text)
                said = self.run_presso("scan", "--explain", "-c", *rule, pattern, "log.presso")
                self.assertEqual(said.out, b"%d\n" % sum(hits) if any(hits) else b"")
                left_out = re.search(r"blocks skipped by the index: (\d+) of", said.err)
                skipped += int(left_out[1]) if left_out else 0
        self.assertGreater(skipped, 200)

    @covers("scan", "--record-limit")
    def test_a_record_that_is_too_long(self):
        text = b"2026 ok\n" + b"2026 x\n" + b"  at foo\n" * 100_000 + b"2026 ok\n"
        self.write("long", text)
        self.ok("compress", "-f", "--block-size", "16K", "long")
        flags = ("scan", "--record-start", "^2026", "--record-limit")
        for name in ("long", "long.presso"):
            got = self.fails(*flags, "500K", "ok|foo", name,
                             saying=f"presso: {name}: the record at offset 8 is longer than 512000 "
                                    "bytes (--record-limit sets how long one may be)")
            self.assertEqual(got.out, b"2026 ok\n")
            self.assertEqual(self.ok(*flags, "1M", "-c", "ok|foo", name).out, b"3\n")

    def test_what_is_refused(self):
        for flags, text in (
            (("--record", "time", "--record-start", "x"), "--record cannot go with --record-start"),
            (("--record", "indent", "-U"), "--multiline cannot go with --record: "),
            (("--record-start", "x", "--null-data"), "--null-data cannot go with --record-start: "),
            (("--record", "indent", "--lines", "1-2"), "--lines cannot go with --record: "),
            (("--record", "indent", "--where", "a = 1"), "--where cannot go with --record: "),
            (("--record-start", "a("), "--record-start:\n    a(\n     ^\nerror: unclosed group"),
            (("--record", "lines"), "'lines' is not one of indent, json, time"),
            (("--record", "time", "--tz", "Nowhere/Land"), "--tz: "),
            (("--record", "time"), "t: its first lines have no time that is known"),
        ):
            with self.subTest(flags=flags):
                self.fails("scan", *flags, "-e", "foo", "t", saying=text)

    def test_fields_before_lines_and_other_outputs(self):
        self.write("log", b"10 a\n  b ERR x\n c\n11 d\n  e ERR\n  f ERR ERR\n12 a\n13 a\n")
        flags = ("--record-start", r"^\d", "-e", "ERR")
        self.assertEqual(self.scan(*flags, "--column", "-A1", "log"),
                         b"1:10 a\n2:5:  b ERR x\n3: c\n4:11 d\n5:5:  e ERR\n6:5:  f ERR ERR\n"
                         b"7-12 a\n")
        self.assertEqual(self.scan(*flags, "-on", "--column", "log"),
                         b"2:5:ERR\n5:5:ERR\n6:5:ERR\n6:9:ERR\n")
        self.assertEqual(self.scan(*flags, "--vimgrep", "-m1", "log"), b"log:2:5:  b ERR x\n")
        self.assertEqual(self.scan(*flags, "-r", "<$0>", "-m1", "-b", "log"),
                         b"0:10 a\n5:  b <ERR> x\n15: c\n")
        self.assertEqual(self.scan(*flags, "--count-by", "$0", "log"), b"      4 ERR\n")
        self.assertEqual(self.scan(*flags, "-v", "-C1", "log"),
                         b"11 d\n  e ERR\n  f ERR ERR\n12 a\n13 a\n")
        self.assertIn(b"2 matched lines\n", self.scan(*flags, "--stats", "log"))
        messages = self.scan(*flags, "-e", "x", "--json", "-m1", "log").splitlines()
        submatches = json.loads(messages[1])["data"]["submatches"]
        self.assertEqual([s["pattern"] for s in submatches], [0, 1])
        self.write("hours", b"2026-01-01 10:00:00 a\n x\n x\n2026-01-01 10:30:00 x\n"
                            b"2026-01-01 11:00:00 x\n")
        self.assertEqual(self.scan("--record", "time", "--histogram", "1h", "x", "hours"),
                         b"time,count\n2026-01-01 10:00:00,2\n2026-01-01 11:00:00,1\n")
        self.write("nul", b"10 a\n" + b"x" * 70_000 + b"\n11\n  ERR \0\n12 ERR\n")
        self.assertIn(b"binary file matches", self.scan(*flags, "nul"))
        self.assertEqual(self.scan(*flags, "-ac", "nul"), b"2\n")


class SingleLines(Scan):
    """Records of one line each are lines, whatever else is asked for."""

    FLAGS = [
        *(("-n",), ("-b",), ("--column",), ("-o",), ("-v",), ("-H",), ("--trim",), ("-M9",)),
        *(("--heading",), ("--vimgrep",), ("--color=always",), ("--max-columns-preview", "-M7")),
        *(("-r", "<$0>"), ("-i",), ("-w",), ("-x",), ("-m3",), ("--passthru",), ("-C2",), ("-A1",)),
        *(("-B1",), ("--crlf",), ("--json",), ("-c",), ("--count-matches",), ("-l",), ("-L",)),
        *(("-0",), ("-e", "gamma$"), ("-e", r"^\w+ (\w+)"), ("--count-by", "$0")),
        *(("--max-total=2",), ("--engine=nfa",), ("--field-match-separator=;",), ("-a",), ("-q",)),
        ("--no-unicode",),
        *(("--histogram=1d", "--tz=UTC"), ("--since=2026-02-10", "--tz=UTC")),
    ]

    def same(self, records, flags, name):
        lines = self.run_presso("scan", *flags, name)
        got = self.run_presso("scan", *records, *flags, name)
        if "--json" in flags:
            for result in (lines, got):
                result.out = re.sub(rb'"(elapsed|elapsed_total)":\{[^}]*\},?', b"", result.out)
        self.assertEqual((got.status, got.out, got.err), (lines.status, lines.out, lines.err),
                         (records, flags, name))

    def test_they_come_out_as_lines_do(self):
        chance = random.Random(7)
        text = made_log(chance, 900) + b"\r\nalpha\r\n\n  beta\0\n"
        for name, part in (("log", text), ("long", text.replace(b"\0", b"")), ("none", b"")):
            self.write(name, part)
            os.utime(name, (LATEST, LATEST))
        self.ok("compress", "-f", "--block-size", "16K", "long")
        for number in range(250):
            flags = [flag for flags in chance.sample(self.FLAGS, 3) for flag in flags]
            flags += ["-e", chance.choice(PATTERNS)]
            if "--histogram=1d" in flags or "--count-by" in flags:
                flags = [f for f in flags if f in ("--histogram=1d", "--tz=UTC") or f == flags[-1]
                         or f == "-e"]
            record = chance.choice(["^", "", ".|^$"])
            with self.subTest(number=number, flags=flags):
                name = chance.choice(["log", "long", "long.presso", "none"])
                self.same(("--record-start", record), flags, name)


if __name__ == "__main__":
    main()
