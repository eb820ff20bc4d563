# SPDX-License-Identifier: MIT
"""Lines of some time: scan and cat with --since and --until, on plain and compressed files.

What is right is worked out here, line by line, for made-up logs with traces, times that go back
and blocks of 16 KiB.
"""

import calendar
import datetime
import gzip
import os
import random
import re
import time

from support import covers, main
from test_scan import Scan

LATEST = calendar.timegm((2026, 5, 20, 0, 0, 0))
FORMS = {
    "iso": ("%Y-%m-%d %H:%M:%S", r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)"),
    "zone": ("%Y-%m-%dT%H:%M:%S", r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)Z"),
    "json": ("%Y-%m-%dT%H:%M:%S", r'{"ts":"([^"]*)Z"'),
    "syslog": ("%b %d %H:%M:%S", r"(\w{3} +\d+ \d\d:\d\d:\d\d)"),
}


def made_log(kind, lines, step, seed):
    """A log in which time goes on by `step` seconds a line, and sometimes back."""
    chance = random.Random(seed)
    moment = datetime.datetime(2025, 11, 29, 3)
    words = ["alpha", "error", "timeout", "conn", "db", "x77", "gamma"]
    rows = []
    for _ in range(lines):
        moment += datetime.timedelta(seconds=chance.expovariate(1 / step))
        if chance.random() < 0.01:
            moment -= datetime.timedelta(seconds=5 * step)
        text = " ".join(chance.choices(words, k=chance.randrange(2, 12)))
        stamp = moment.strftime(FORMS[kind][0])
        if kind == "json":
            rows.append(f'{{"ts":"{stamp}Z","msg":"{text}"}}\n')
        else:
            rows.append(stamp + ("Z " if kind == "zone" else " ") + text + "\n")
        if chance.random() < 0.05:
            trace = chance.choice([1, 2, 3, 400 if chance.random() < 0.03 else 4])
            rows += [f"    at com.x.Y{k}(error.java:{k})\n" for k in range(trace)]
    return rows


def times_of(kind, rows):
    """The time of each row, in seconds since 1970, or that of the row before."""
    last, times = None, []
    for row in rows:
        found = re.match(FORMS[kind][1], row)
        if found and kind == "syslog":
            years = (datetime.datetime.strptime(f"{y} {found[1]}", "%Y " + FORMS[kind][0])
                     for y in (2026, 2025))
            last = next(t for t in (calendar.timegm(y.timetuple()) for y in years)
                        if t <= LATEST + 86400)
        elif found:
            last = calendar.timegm(time.strptime(found[1], FORMS[kind][0]))
        times.append(last)
    return times


class Times(Scan):
    def write_log(self, name, rows):
        self.write(name, "".join(rows).encode())
        os.utime(name, (LATEST, LATEST))

    def compress(self, name, *arguments):
        self.ok("compress", "-f", *arguments, name)

    @covers("scan", "--since", "--until", "--tz")
    def test_made_logs_whatever_the_file(self):
        chance = random.Random(5)
        for number in range(40):
            kind = chance.choice(list(FORMS))
            rows = made_log(kind, chance.choice([30, 700, 4000]),
                            chance.choice([1, 60]) if kind == "syslog" else 300, number)
            times = times_of(kind, rows)
            since, until = sorted(chance.choices([t for t in times if t is not None], k=2))
            if chance.random() < 0.5:
                until = min(until, since + chance.choice([1, 60, 3600]))
            pattern = chance.choice(["error", "x77", "Y3", "", "nowhere", "at com"])
            wanted = [f"{i + 1}:{row}".encode() for i, (row, t) in enumerate(zip(rows, times))
                      if t is not None and since <= t < until and pattern in row]

            def shown(t):
                return time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(t)) + chance.choice(["", "Z"])
            asked = ("--tz", "UTC", "--since", shown(since), "--until", shown(until),
                     "-n", "-e", pattern)
            self.write_log("log", rows)
            self.compress("log", "--block-size", "16K", *chance.choice([(), ("--index",)]))
            cut = chance.randrange(len(rows))
            self.write_log("begin", rows[:cut])
            self.write_log("end", rows[cut:])
            both = b""
            for part in ("begin", "end"):
                if os.path.getsize(part):
                    self.compress(part, "--block-size", "16K")
                    with open(part + ".presso", "rb") as file:
                        both += file.read()
            self.write("both.presso", both)
            os.utime("both.presso", (LATEST, LATEST))
            with self.subTest(number=number, kind=kind, asked=asked):
                for name in ("log", "log.presso", "both.presso"):
                    got = self.scan(*asked, name, status=0 if wanted else 1)
                    self.assertEqual(got, b"".join(wanted), name)

    def test_blocks_of_other_times_are_not_read(self):
        self.write_log("log", made_log("iso", 20_000, 60, 1))
        self.compress("log", "--block-size", "16K")
        said = self.run_presso("scan", "--explain", "-c", "--since", "2025-12-01 00:00", "--until",
                               "2025-12-01 01:00", "", "log.presso").err
        skipped, blocks = map(int, re.search(r"by the index: (\d+) of (\d+)", said).groups())
        self.assertGreater(skipped, blocks * 0.9)
        info = self.ok("info", "log.presso").out.decode()
        self.assertIn("lines from 2025-11-29 03:0", info)
        self.assertIn("have no time of their own", info)

    @covers("cat", "--since", "--until", "--tz", "--year", "--time-format", "--time-field")
    @covers("decompress", "--since", "--until", "--tz", "--year", "--time-format", "--time-field")
    def test_cat_writes_the_lines(self):
        self.write_log("log", ["Jan 31 23:59:59 a\n", "Feb  1 00:00:00 b\n", "  c\n",
                               "Feb  1 00:00:01 d\n"])
        self.compress("log")
        flags = ("--since", "2026-02-01", "--until", "2026-02-01 00:00:01", "log.presso")
        self.assertEqual(self.ok("cat", *flags).out, b"Feb  1 00:00:00 b\n  c\n")
        self.ok("decompress", "-o", "part", *flags)
        with open("part", "rb") as file:
            self.assertEqual(file.read(), b"Feb  1 00:00:00 b\n  c\n")
        self.assertEqual(self.ok("cat", "--year", "2025", *flags).out, b"")
        self.assertEqual(self.ok("cat", "--year=2025", "--since=2025-02-01 00:00:01",
                                      "--tz=UTC", "--time-format=%b %d %H:%M:%S", "log.presso").out,
                         b"Feb  1 00:00:01 d\n")
        self.write("json", b'{"at":1700000000,"x":1}\n{"at":1700000001,"x":2}\n')
        self.compress("json", "--time-field", "at")
        self.assertEqual(self.ok("cat", "--since", "@1700000001", "json.presso").out,
                         b'{"at":1700000001,"x":2}\n')
        self.assertEqual(self.ok("cat", "--time-field=at", "--since", "@1700000001",
                                      "json.presso").out, b'{"at":1700000001,"x":2}\n')

    @covers("scan", "--year", "--time-format", "--time-field")
    @covers("compress", "--time-format", "--time-field")
    def test_how_lines_tell_their_time(self):
        self.write("log", b"01/02/2024 10:00:00 a\n02/02/2024 10:00:00 b\n")
        since = ("--since", "2024-02-02", "", "log")
        self.fails("scan", *since, saying="--time-format")
        flag = ("--time-format", "%d/%m/%Y %H:%M:%S")
        self.assertEqual(self.scan(*flag, *since), b"02/02/2024 10:00:00 b\n")
        self.compress("log", *flag)
        self.assertEqual(self.scan(*since[:-1], "log.presso"), b"02/02/2024 10:00:00 b\n")
        self.write("j", b'{"x":"2030-01-01 00:00:00","ts":"2024-01-01 00:00:00"}\n')
        self.scan("--since", "2025-01-01", "x", "j", status=1)
        self.scan("--since", "2025-01-01", "--time-field", "x", "x", "j")
        self.write_log("y", ["Dec 31 10:00:00 a\n"])
        self.assertEqual(self.scan("--since", "2025-12-31", "-c", "a", "y"), b"1\n")
        self.scan("--year", "2020", "--since", "2021-01-01", "a", "y", status=1)
        self.scan("--year", "2020", "--since", "2020-12-31", "a", "y")

    def test_other_files_and_flags(self):
        rows = ["2026-01-0%d 10:00:00 a%d\n" % (day, day) for day in range(1, 10)]
        with open("z.gz", "wb") as file:
            file.write(gzip.compress("".join(rows).encode()))
        asked = ("--since", "2026-01-03", "--until", "2026-01-05T00:00")
        self.assertEqual(self.scan(*asked, "a", "z.gz"), "".join(rows[2:4]).encode())
        self.write_log("p", rows)
        self.assertEqual(self.scan(*asked, "-v", "a3", "p"), rows[3].encode())
        self.assertEqual(self.scan(*asked, "-o", "a.", "p"), b"a3\na4\n")
        self.assertEqual(self.scan(*asked, "-m1", "-c", "a", "p"), b"1\n")
        self.assertEqual(self.scan(*asked, "-B1", "a3", "p"), "".join(rows[1:3]).encode())
        got = self.run_presso("scan", *asked, "-n", "a", "-", stdin="".join(rows).encode())
        self.assertEqual(got.out, b"3:" + rows[2].encode() + b"4:" + rows[3].encode())

    def test_what_a_file_stores_counts_whatever_the_way_of_reading(self):
        self.write_log("y", ["Dec 31 10:00:00 a\n", "Jan  1 10:00:00 a\n"])
        os.utime("y", (1704200000, 1704200000))  # 2024-01-02
        self.write_log("z", ["Mar  1 10:00:00 a\n"])
        os.utime("z", (1740900000, 1740900000))  # 2025-03-02
        self.write("f", b'{"time":"2020-01-01 00:00:00","other":"2025-01-01 00:00:00"}\n')
        self.compress("y")
        self.compress("z")
        self.compress("f", "--time-field", "other")
        with open("y.presso", "rb") as one, open("z.presso", "rb") as other:
            self.write("yz.presso", one.read() + other.read())
        for more in ((), ("-A1",), ("--no-index",), ("-v", "-e", "x")):
            asked = ("-c", "--since", "2023-12-31", "--until", "2024-01-02", *more)
            operands = ("yz.presso",) if "-e" in more else ("a", "yz.presso")
            self.assertEqual(self.scan(*asked, *operands), b"2\n", more)
            asked = ("-c", "--since", "2025-01-01", *more)
            self.assertEqual(self.scan(*asked, *operands), b"1\n", more)
            operands = ("f.presso",) if "-e" in more else ("other", "f.presso")
            self.assertEqual(self.scan(*asked, *operands), b"1\n", more)

    def test_what_is_refused(self):
        self.write("log", b"2026-01-01 10:00:00 a\n")
        for arguments, text in (
            (("--since", "soon", "a", "log"), "--since: 'soon' is no time"),
            (("--until", "10:xx", "a", "log"), "--until: '10:xx' is no time"),
            (("--since", "2026-02-30", "a", "log"), "is no time"),
            (("--since", "now", "--tz", "Mars", "a", "log"), "--tz: there is no time zone 'Mars'"),
            (("--since", "now", "--tz", "Europe", "a", "log"), "--tz: there is no time zone"),
            (("--since", "", "a", "log"), "--since: the time is empty"),
            (("--since", "now", "--time-format", "%Q", "a", "log"), "has %Q"),
            (("--since", "now", "-U", "a", "log"), "--multiline"),
            (("--since", "now", "--null-data", "a", "log"), "--null-data"),
            (("--since", "now", "--passthru", "a", "log"), "--passthru"),
        ):
            self.fails("scan", *arguments, saying=text)
        self.compress("log")
        self.fails("cat", "--since", "now", "--blocks", "0", "log.presso", saying="--blocks")
        self.write("none", b"a\nb\n")
        self.fails("scan", "--since", "now", "a", "none", saying="no time")

    def test_zones_and_changes_of_clocks(self):
        self.write("utc", b"2025-03-30T00:59:59Z a\n2025-03-30T01:00:00Z b\n")
        berlin = ("--tz", "Europe/Berlin")
        self.assertEqual(self.scan(*berlin, "--since", "2025-03-30 03:00", "-c", "", "utc"), b"1\n")
        self.assertEqual(self.scan(*berlin, "--until", "2025-03-30 03:00", "", "utc"),
                         b"2025-03-30T00:59:59Z a\n")
        self.write("local", b"2025-03-30 01:59:59 a\n2025-03-30 03:00:00 b\n")
        self.assertEqual(self.scan(*berlin, "--since", "2025-03-30T01:00:00Z", "", "local"),
                         b"2025-03-30 03:00:00 b\n")
        # Clocks are set back: both hours are found.
        self.write("back", b"2026-10-25 02:55:00 a\n2026-10-25 02:05:00 b\n2026-10-25 03:05:00 c\n")
        self.assertEqual(self.scan(*berlin, "--since", "2026-10-25T00:50Z", "", "back"),
                         self.read("back"))
        self.assertEqual(self.scan(*berlin, "--since", "2026-10-25T00:50Z", "--until",
                                   "2026-10-25T01:10Z", "-c", "", "back"), b"2\n")

    def test_files_are_sorted_by_their_first_lines(self):
        self.write("a", b"at first\n2026-11-03 01:00:00.5 c\n2026-11-01 00:00:00 back\n")
        self.write("b.gz", gzip.compress(b"2026-11-02 01:00:00 b\n"))
        self.write("c", b"2026-11-03 00:00:00.25Z d\n")
        self.write("d", b"@ none at all\n")
        self.write_log("log", [f"2026-11-01 10:{i // 60:02}:{i % 60:02} a\n" for i in range(3000)])
        self.compress("log", "--block-size", "16K")
        names = ["d", "c", "b.gz", "a", "log.presso"]
        for zone, order in (("UTC", "log.presso b.gz c a d"),
                            ("Europe/Berlin", "log.presso b.gz c a d"),
                            ("Asia/Tokyo", "log.presso b.gz a c d")):
            for key, wanted in (("--sort", order.split()), ("--sortr", order.split()[::-1])):
                for order_of in (("--files", *names), ("-l", "", *names)):
                    done = self.run_presso("scan", key, "time", "--tz", zone, *order_of)
                    self.assertEqual(done.out.decode().split(), wanted, (zone, order_of))
                    self.assertIn("d: none of its first lines tells a known time", done.err)
                    self.assertEqual(done.err.count("\n"), 1)
        for more in (("--since", "2026-11-02"), ("--time-format", "%Y-%m-%d %H:%M:%S")):
            self.assertEqual(self.scan("--sort", "time", *more, "-c", "", "c", "b.gz"),
                             b"b.gz:1\nc:1\n")
        done = self.run_presso("scan", "--sort", "time", "-c", "", "missing", "c", "b.gz")
        self.assertEqual((done.status, done.out), (2, b"b.gz:1\nc:1\n"))
        self.assertEqual(done.err, "presso: missing: No such file or directory\n")
        self.fails("scan", "--sort", "time", "--tz", "Mars", "a", "c", saying="--tz")

    def test_a_time_behind_what_only_begins_as_one(self):
        rows = [f"2026-11-28 10:{i // 60:02}:{i % 60:02} row {i} of it\n" for i in range(3000)]
        rows[2500] = "2026-11-28 10:aa 2026-11-30 10:00:00 the word after\n"
        self.write_log("log", rows)
        self.compress("log", "--block-size", "16K")
        asked = ("--since", "2026-11-30", "--until", "2026-12-01", "word")
        for name in ("log", "log.presso"):
            for more in ((), ("--record", "time")):
                got = self.scan(*more, *asked, name)
                self.assertEqual(got, rows[2500].encode(), (name, more))

    def test_forged_times_are_found(self):
        self.write_log("log", made_log("iso", 4000, 60, 3))
        self.compress("log", "--block-size", "16K")
        self.ok("test", "log.presso")
        with open("log.presso", "rb") as file:
            content = bytearray(file.read())
        at = content.index(b"\xf7\x50\x42W")
        content[at + 60] ^= 1
        self.write("damaged.presso", bytes(content))
        self.fails("test", "damaged.presso", saying="the table of times is damaged")
        wanted = self.scan("--since", "2025-11-30", "-c", "", "log.presso")
        self.assertEqual(self.scan("--since", "2025-11-30", "-c", "", "damaged.presso"), wanted)


if __name__ == "__main__":
    main()
