#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files that should be presso's and cannot be read as such: every command says so, and none takes
them for plain text."""

import gzip
import os
import unittest

from support import CliTest, log_text

READERS = (
    ("scan", "-c", "refused"),
    ("test",),
    ("cat",),
    ("cat", "--bytes", "0:1"),
    ("cat", "--rows", "1"),
    ("info",),
    ("select",),
)


class NotPresso(CliTest):
    def setUp(self):
        super().setUp()
        self.text = log_text()
        self.write("app.log", self.text)
        self.ok("compress", "--block-size", "64K", "app.log")
        self.packed = self.read("app.log.presso")

    def damaged(self, name, packed, at):
        changed = bytearray(packed)
        changed[at] ^= 0xFF
        self.write(name, bytes(changed))

    def test_a_damaged_magic_number_is_an_error_of_every_command(self):
        for at in (0, 5):
            for name in ("d.presso", "d"):
                self.damaged(name, self.packed, at)
                for command in READERS:
                    failed = self.fails(*command, name, saying="first bytes")
                    self.assertIn(name + ": ", failed.err)
                    self.assertEqual(failed.out, b"", command)
        self.fails("sql", "select * from 'd.presso'", saying="first bytes")
        self.write("t.csv", b"k\n1\n")
        self.fails("join", "t.csv", "d.presso", "--on", "k", saying="first bytes")

    def test_a_damaged_magic_number_in_a_pipe(self):
        self.damaged("d", self.packed, 0)
        self.fails("scan", "-c", "refused", stdin=self.read("d"), saying="first bytes")

    def test_a_damaged_magic_number_costs_no_content(self):
        self.damaged("d.presso", self.packed, 0)
        self.fails("test", "d.presso", saying="damaged, but all content is intact")
        self.assertEqual(self.run_presso("cat", "--salvage", "d.presso").out, self.text)

    def test_a_table_with_a_damaged_magic_number_is_salvaged_as_a_table(self):
        self.write("t.csv", b"k,v\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(9000)))
        self.ok("compress", "--table", "csv", "t.csv")
        self.damaged("d.presso", self.read("t.csv.presso"), 0)
        saved = self.run_presso("cat", "--salvage", "d.presso")
        self.assertEqual((saved.status, saved.out), (2, self.read("t.csv")))

    def test_files_that_are_too_short(self):
        for size, said in ((0, "it is empty"), (3, "cut off after 3 bytes")):
            self.write("d.presso", self.packed[:size])
            for command in READERS:
                self.fails(*command, "d.presso", saying=said)

    def test_other_content_under_the_name(self):
        self.write("d.presso", b"a line\nanother line\n")
        for command in READERS:
            failed = self.fails(*command, "d.presso", saying="its name ends in .presso")
            self.assertNotIn("--salvage", failed.err)
        self.assertEqual(self.ok("scan", "-c", "--no-search-zip", "line", "d.presso").out, b"2\n")
        os.rename("d.presso", "plain")
        self.assertEqual(self.ok("scan", "-c", "line", "plain").out, b"2\n")

    def test_plain_and_foreign_files_are_named_without_advice_to_salvage(self):
        self.write("c.gz", gzip.compress(b"text\n" * 9))
        for command in (("test",), ("cat",), ("cat", "--salvage"), ("info",)):
            plain = self.fails(*command, "app.log")
            advice = ": '--header auto' shows it as a text of rows" if command == ("info",) else ""
            self.assertEqual(plain.err, f"presso: app.log: not a presso file{advice}\n", command)
            packed = self.fails(*command, "c.gz")
            self.assertEqual(
                packed.err, "presso: c.gz: not a presso file: this is a gzip file\n", command
            )
        self.fails("decompress", "-o", "out", "c.gz", saying="this is a gzip file")
        self.assertFalse(os.path.exists("out"))


class Verdicts(CliTest):
    """What test and cat say of damage: what is lost, and what can be done."""

    def setUp(self):
        super().setUp()
        self.write("app.log", log_text())
        self.ok("compress", "--block-size", "16K", "app.log")
        self.write("t.csv", b"k,v\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(9000)))
        self.ok("compress", "--table", "csv", "t.csv")
        self.packed = self.read("app.log.presso")
        self.table = self.read("t.csv.presso")

    def changed(self, packed, at):
        changed = bytearray(packed)
        changed[at] ^= 0xFF
        self.write("d.presso", bytes(changed))

    def test_damage_of_header_or_trailer_costs_no_content(self):
        for packed in (self.packed, self.table):
            self.changed(packed, len(packed) - 5)
            self.fails("test", "d.presso", saying="damaged, but all content is intact")
            self.write("d.presso", packed[:-20])
            whole = self.fails("test", "d.presso", saying="ends inside the trailer")
            self.assertIn("all content is intact", whole.err)
        self.changed(self.packed, 13)
        self.fails("test", "d.presso", saying="damaged, but all content is intact")

    def test_a_table_whose_end_is_missing(self):
        self.write("d.presso", self.table[:-20])
        said = "the end of the file is missing; rows may be missing after row 9,000"
        self.fails("select", "d.presso", saying=said)
        self.fails("cat", "--rows", "1-", "d.presso", saying=said)

    def test_salvage_that_fails_does_not_advise_itself(self):
        self.changed(self.table, 60)
        failed = self.fails("cat", "--salvage", "d.presso", saying="nothing can be salvaged")
        self.assertNotIn("--salvage", failed.err)
        self.fails("cat", "d.presso", saying="--salvage writes every block that is intact")
        self.fails("test", "d.presso", saying="nothing of the content can be read")

    def test_a_damaged_column_is_named(self):
        self.changed(self.table, len(self.table) * 3 // 4)
        failed = self.fails("test", "d.presso", saying="in column 'v'")
        self.assertIn("'presso cat --columns' reads the columns that are intact", failed.err)
        keys = b"k\n" + b"".join(b"%d\n" % i for i in range(9000))
        self.assertEqual(self.ok("cat", "--columns", "k", "d.presso").out, keys)

    def test_a_damaged_dictionary_is_one_line(self):
        self.write("words", log_text(50))
        self.ok("compress", "-f", "--block-size", "16K", "--dict", "words", "app.log")
        packed = self.read("app.log.presso")
        self.changed(packed, packed.index(b"\xf7PBd") + 80)
        failed = self.fails("test", "d.presso", saying="blocks need the damaged dictionary")
        self.assertIn("nothing of the content can be read", failed.err)
        self.assertLessEqual(len(failed.err.splitlines()), 3, failed)

    def test_rows_after_the_end_are_an_error(self):
        self.fails("cat", "--rows", "9001-", "t.csv.presso", saying="row 9,001 is after the end")
        last = self.ok("cat", "--rows", "9000-", "t.csv.presso").out
        self.assertEqual(last, b"k,v\n8999,80982001\n")


class Questions(CliTest):
    """Errors of queries name what is wrong in the user's words."""

    def setUp(self):
        super().setUp()
        self.write("t.csv", b"day,city,price\n2026-01-02,ulm,3\n")
        self.write("u.csv", b"day,city,cost\n2026-01-02,ulm,3\n")

    def test_aggregates_that_do_not_exist(self):
        for name in ("median", "first", "round"):
            self.fails(
                *("select", "t.csv", "--agg", f"{name}(price)"),
                saying=f"there is no aggregate '{name}'; there are count, sum, avg, min and max",
            )

    def test_values_that_cannot_be_compared(self):
        self.fails(
            *("select", "t.csv", "--where", "day = city"),
            saying="cannot compare day (date) with city (utf8); use cast(...)",
        )

    def test_files_with_other_columns(self):
        failed = self.fails("select", "t.csv", "u.csv", saying="'presso join'")
        self.assertEqual(failed.err.count("first table"), 0, failed)
        self.assertIn("u.csv has no column 'price', which t.csv has", failed.err)
        self.assertIn("--union-by-name takes it as null there", failed.err)

    def test_rows_that_end_are_not_cut(self):
        self.write("bad.csv", b"a,b\n1,2\n3\n4,5\n")
        failed = self.fails("select", "bad.csv", saying="1 field, expected 2: 3")
        self.assertNotIn("...", failed.err)

    def test_an_empty_input_gets_no_advice_for_compress(self):
        failed = self.fails("select", "-", saying="is not a table")
        self.assertNotIn("--table", failed.err)
        self.write("empty.csv", b"")
        self.fails("compress", "--table", "csv", "empty.csv", saying="compress it without --table")

    def test_counts_have_no_units_of_bytes(self):
        failed = self.fails("bench", "--seconds", "1x", "t.csv", saying="is not a whole number")
        self.assertNotIn("unit", failed.err)


if __name__ == "__main__":
    unittest.main()
