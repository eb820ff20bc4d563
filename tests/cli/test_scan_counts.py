# SPDX-License-Identifier: MIT
"""presso scan --count-by and --histogram."""

import collections
import re

from support import covers, main
from test_scan import Scan


class Counts(Scan):
    @covers("scan", "--count-by")
    def test_counts_by_a_part_of_matches(self):
        content = self.compressed("a", None, "--block-size", "16K")
        counts = collections.Counter(re.findall(rb"host(\d)", content))
        rows = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        expected = b"".join(b"%7d %s!\n" % (count, text) for text, count in rows)
        self.assertTrue(rows)
        for name in ("a", "a.presso"):
            self.assertEqual(self.scan("--count-by", "$1!", r"host(\d)", name), expected)
        self.write("b", b"x=1 x=2\nx=1\n")
        self.assertEqual(self.scan("--count-by", "$0", r"x=\d", "b", "b"),
                         b"      4 x=1\n      2 x=2\n")
        self.assertEqual(self.scan("--count-by", "$v", r"x=(?P<v>\d)", "b"),
                         b"      2 1\n      1 2\n")
        self.assertEqual(self.scan("--count-by", "$0", "nowhere", "b", status=1), b"")

    @covers("scan", "--histogram")
    def test_counts_lines_by_time(self):
        self.write("log", b"first\n2026-11-28 10:59:59,9 a\n2026-11-28 11:00:00 a\n a\n"
                          b"2026-11-28 13:30:00 a\n2026-11-29 00:00:00 b\n")
        self.assertEqual(self.scan("--histogram", "1h", "a", "log"),
                         b"time,count\n2026-11-28 10:00:00,1\n2026-11-28 11:00:00,2\n"
                         b"2026-11-28 12:00:00,0\n2026-11-28 13:00:00,1\n")
        self.assertEqual(self.scan("--histogram", "1d", "-v", "x", "log"),
                         b"time,count\n2026-11-28 00:00:00,4\n2026-11-29 00:00:00,1\n")
        self.assertEqual(self.scan("--histogram", "1w", "--since", "2026-11-29", "", "log", "log"),
                         b"time,count\n2026-11-23 00:00:00,2\n")
        self.write("utc", b"2026-11-28T23:30:00Z a\n")
        self.assertEqual(self.scan("--histogram", "1d", "--tz", "Europe/Berlin", "a", "utc"),
                         b"time,count\n2026-11-29 00:00:00,1\n")
        status, shown = self.on_terminal("scan", "--histogram", "2h", "a", "log")
        self.assertEqual(status, 0)
        self.assertEqual(shown.replace("\r", ""),
                         "2026-11-28 10:00:00  3 " + "#" * 50 + "\n"
                         "2026-11-28 12:00:00  1 " + "#" * 16 + "\n")

    def test_what_is_refused(self):
        self.write("log", b"2026-11-28 10:59:59,9 a\n")
        for arguments in (("--histogram", "1h", "-c"), ("--histogram", "1h", "--json"),
                          ("--histogram", "1h", "--count-by", "$0"), ("--count-by", "$0", "-v"),
                          ("--count-by", "$0", "-C1"), ("--count-by", "$0", "-l"),
                          ("--histogram", "1h", "-U"), ("--count-by", "$0", "-q")):
            self.fails("scan", *arguments, "a", "log", saying="cannot go with")
        self.fails("scan", "--histogram", "1x", "a", "log", saying="is no span")
        self.fails("scan", "--histogram", "0h", "a", "log", saying="is no span")


if __name__ == "__main__":
    main()
