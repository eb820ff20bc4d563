# SPDX-License-Identifier: MIT
"""presso test, info and bench: what they say of good and bad files."""

import gzip
import json
import os

from support import CliTest, covers, log_text, main


class Test(CliTest):
    def test_intact_files_are_silent(self):
        self.compressed("a")
        self.compressed("b", b"")
        result = self.ok("test", "a.presso", "b.presso")
        self.assertEqual((result.out, result.err), (b"", ""))
        self.assertEqual(self.ok("test", stdin=self.read("a.presso")).err, "")

    def test_every_bad_block_is_named(self):
        self.compressed("a", None, "--block-size", "16K")
        table = json.loads(self.ok("info", "--json", "--blocks", "a.presso").out)
        blocks = table["files"][0]["block_table"]
        packed = bytearray(self.read("a.presso"))
        bad = (1, 4, len(blocks) - 1)
        for number in bad:
            packed[blocks[number]["compressed_offset"] + 100] ^= 0x55
        self.write("a.presso", bytes(packed))
        result = self.fails("test", "a.presso")
        for number in bad:
            self.assertIn(
                f"block {number} (compressed offset " f"{blocks[number]['compressed_offset']:,})",
                result.err,
            )
            self.assertIn(f"plain offset {blocks[number]['plain_offset']:,} lost", result.err)
        self.assertEqual(result.err.count("presso: a.presso: block "), len(bad))

    def test_damaged_index_and_trailing_bytes_are_found(self):
        self.compressed("a")
        packed = self.read("a.presso")
        index = bytearray(packed)
        index[-60] ^= 1
        self.write("index.presso", bytes(index))
        self.fails("test", "index.presso", saying="presso: index.presso: ")
        self.write("tail.presso", packed + b"something behind it")
        self.fails("test", "tail.presso", saying="presso: tail.presso: ")

    def test_goes_on_after_a_bad_file(self):
        self.compressed("a")
        self.write("bad.presso", b"no such thing, but long enough for a header....")
        result = self.fails("test", "-v", "bad.presso", "a.presso", saying="bad.presso: ")
        self.assertIn("presso: a.presso: intact: ", result.err)

    @covers("test", "--recursive")
    def test_recursive(self):
        self.write("logs/a", b"a\n")
        self.ok("compress", "-r", "logs")
        self.ok("test", "-r", "logs")
        self.fails("test", "logs", saying="directory")

    @covers("test", "--threads", "--quiet", "--verbose", "--progress")
    def test_flags(self):
        self.compressed("a")
        self.assertIn("intact", self.ok("test", "-T1", "-v", "a.presso").err)
        silent = self.run_presso("test", "-qq", "missing")
        self.assertEqual((silent.status, silent.err), (2, ""))
        self.assertEqual(self.on_terminal("test", "--no-progress", "a.presso"), (0, ""))


class Info(CliTest):
    def test_table_with_totals(self):
        self.compressed("a")
        self.compressed("b", log_text(50))
        lines = self.ok("info", "a.presso", "b.presso").out.decode().splitlines()
        self.assertEqual(len(lines), 4)
        for heading in (
            "compressed",
            "plain",
            "ratio",
            "lines",
            "blocks",
            "block size",
            "coding",
            "dictionary",
            "deps",
            "checksum",
            "file",
        ):
            self.assertIn(heading, lines[0])
        total = sum(os.path.getsize(name) for name in ("a", "b"))
        self.assertIn(f"{total:,}", lines[3])
        self.assertIn("2 files", lines[3])
        newlines = sum(self.read(name).count(b"\n") for name in ("a", "b"))
        self.assertIn(f"  {newlines:,}  ", lines[3])
        self.assertEqual(len(self.ok("info", "a.presso").out.splitlines()), 2)

    def test_lines_are_counted_without_decoding(self):
        for text, lines in ((b"", 0), (b"one", 1), (b"one\n", 1), (b"one\n\nthree", 3)):
            self.compressed("a", text, "-f")
            report = json.loads(self.ok("info", "--json", "a.presso").out)["files"][0]
            self.assertEqual(report["lines"], lines, text)
        self.compressed("b", log_text(5000) + b"no line feed")
        both = self.read("b.presso") + self.read("a.presso")
        self.write("both.presso", both)
        report = json.loads(self.ok("info", "--json", "both.presso").out)["files"][0]
        self.assertEqual(report["lines"], 5003)
        self.write("cut.presso", both[:-1])
        result = self.fails("info", "--json", "cut.presso", saying="truncated")
        self.assertIsNone(json.loads(result.out)["files"][0]["lines"])

    @covers("info", "--json", "--blocks")
    def test_json_and_blocks_add_up(self):
        text = self.compressed("a", None, "--block-size", "16K")
        self.assertNotIn("block_table", self.ok("info", "--json", "a.presso").out.decode())
        report = json.loads(self.ok("info", "--json", "--blocks", "a.presso").out)["files"][0]
        self.assertEqual(report["plain_bytes"], len(text))
        self.assertEqual(report["compressed_bytes"], os.path.getsize("a.presso"))
        self.assertEqual(report["members"], 1)
        table = report["block_table"]
        self.assertEqual(len(table), report["blocks"])
        self.assertEqual(sum(row["plain_bytes"] for row in table), len(text))
        for before, after in zip(table, table[1:]):
            self.assertEqual(
                before["compressed_offset"] + before["compressed_bytes"], after["compressed_offset"]
            )
            self.assertEqual(before["plain_offset"] + before["plain_bytes"], after["plain_offset"])
        rows = self.ok("info", "--blocks", "a.presso").out.decode().splitlines()
        self.assertEqual(len(rows), 5 + len(table))

    def test_no_files_give_empty_json(self):
        result = self.run_presso("info", "--json", "missing")
        self.assertEqual(result.status, 2)
        self.assertEqual(json.loads(result.out), {"files": []})

    def test_truncated_file_is_shown_and_said_to_be_so(self):
        text = self.compressed("a", None, "--block-size", "16K")
        self.write("a.presso", self.read("a.presso")[:-40000])
        result = self.fails("info", "--json", "a.presso", saying="truncated")
        report = json.loads(result.out)["files"][0]
        self.assertTrue(report["truncated"] and report["index_rebuilt"])
        self.assertTrue(0 < report["plain_bytes"] < len(text))

    def test_rebuilt_index_is_said(self):
        self.compressed("a")
        packed = bytearray(self.read("a.presso"))
        packed[-60] ^= 1
        self.write("a.presso", bytes(packed))
        result = self.fails("info", "--json", "a.presso", saying="index is damaged; rebuilt")
        report = json.loads(result.out)["files"][0]
        self.assertEqual((report["truncated"], report["index_rebuilt"]), (False, True))

    def test_incompressible_blocks_are_raw(self):
        self.compressed("a", os.urandom(100000))
        report = json.loads(self.ok("info", "--json", "a.presso").out)["files"][0]
        self.assertEqual(report["coding"], "raw")

    def test_names_that_are_not_utf8(self):
        name = b"caf\xe9"
        self.write(name, b"x")
        self.ok("compress", name)
        json.loads(self.ok("info", "--json", name + b".presso").out)

    def test_directory_and_pipe(self):
        os.mkdir("d")
        self.fails("info", "d", saying="directory")
        self.fails("info", "-", saying="not a regular file")


class InfoOfText(CliTest):
    """What loading a text as a table would find."""

    TEXT = b"id,when,note,x\n1,2024-01-31,a,1\n2,NA,b,2\n3,2024-02-29,c,2.5\n"

    def report(self, *arguments):
        return json.loads(self.ok("info", "--json", *arguments).out)["files"][-1]

    def test_columns_and_dialect(self):
        self.write("t.csv", self.TEXT)
        lines = self.ok("info", "t.csv").out.decode().splitlines()
        self.assertEqual(lines[0], f"t.csv: 3 rows of 4 columns, {len(self.TEXT)} bytes of text")
        self.assertEqual(
            lines[1],
            "delimiter ',', quote '\"', a header: `x` stands above values of type double",
        )
        self.assertEqual(lines[2].split(), ["values", "nulls", "type", "column", "why"])
        self.assertEqual(lines[3].split(), ["3", "0", "int64", "id"])
        self.assertEqual(lines[4].split(), ["2", "1", "'NA'", "date", "when"])
        self.assertIn("value `a` at line 2 keeps it a string", lines[5])
        self.assertIn("value `2.5` at line 4 keeps it a double", lines[6])
        self.assertEqual(len(lines), 7)

    def test_json_has_what_loading_reports(self):
        self.write("t.csv", self.TEXT)
        found = self.report("t.csv")
        self.ok("compress", "-q", "t.csv")
        both = self.report("t.csv.presso", "t.csv")
        self.assertEqual(both, found)
        loaded = json.loads(self.ok("compress", "-f", "--table=auto", "--report=json", "t.csv").out)
        self.assertEqual(found["bad_rows"], 0)
        for field in found:
            self.assertEqual(found[field], loaded[field], field)
        self.assertEqual(
            found["dialect"],
            {
                "kind": "delimited",
                "delimiter": ",",
                "quote": '"',
                "escape": None,
                "comment": None,
                "trailing_delimiter": False,
                "carriage_return": False,
                "null": "",
                "header": True,
                "header_why": "`x` stands above values of type double",
            },
        )
        self.assertEqual(
            found["columns"][1],
            {"name": "when", "type": "date", "values": 2, "nulls": 1, "null": "NA", "why": None},
        )

    def test_compressed_texts_and_other_kinds(self):
        rows = b"".join(b"%d,n%d\n" % (i, i) for i in range(300_000))
        text = b"id,name\n" + rows
        self.write("big.csv", text)
        plain = self.report("big.csv")
        self.assertEqual((plain["rows"], plain["plain_bytes"]), (300_000, len(text)))
        self.write("big.csv.gz", gzip.compress(text, 1))
        self.assertEqual(self.report("big.csv.gz"), {**plain, "file": "big.csv.gz"})
        self.write("t.jsonl", b'{"a":1}\n{"a":2,"b":"x"}\n')
        found = self.report("t.jsonl")
        self.assertEqual((found["rows"], found["dialect"]), (2, {"kind": "json"}))
        self.assertEqual([c["nulls"] for c in found["columns"]], [0, 1])
        self.write("t.tbl", b"1|x|\n2|y|\n")
        dialect = self.report("t.tbl")["dialect"]
        self.assertEqual((dialect["quote"], dialect["trailing_delimiter"]), (None, True))
        self.assertIn(b"a tab, quote", self.ok("info", self.write("t.tsv", b"a\tb\n1\t2\n")).out)

    def test_rows_that_do_not_fit_are_counted(self):
        rows = "".join(f"{i},{i}\n" for i in range(200_000))
        self.write("t.csv", f"a,b\n{rows}\x1b[31m,2,3\n7\n{rows}".encode())
        found = self.report("t.csv")
        self.assertEqual((found["rows"], found["bad_rows"]), (400_000, 2))
        first = "line 200,002: 3 fields, expected 2: \x1b[31m,2,3"
        self.assertEqual(found["first_bad_row"], first)
        self.assertEqual([c["type"] for c in found["columns"]], ["int64", "int64"])
        out = self.ok("info", "t.csv").out
        self.assertIn(b"2 rows do not fit; the first: line 200,002: ", out)
        self.assertIn(b"\\x1b[31m,2,3", out)
        self.assertNotIn(b"\x1b", out)
        self.fails("compress", "--table=auto", "t.csv", saying="line 200,002: 3 fields, expected 2")
        self.assertEqual(self.report("--ragged", "fill", "t.csv")["bad_rows"], 1)
        self.fails("info", self.write("q.csv", b'a,b\n1,"x\n'), saying="q.csv: line 2: the quote")

    @covers("info", "--delimiter", "--header", "--quote", "--null", "--comment", "--skip")
    @covers("info", "--ragged", "--threads", "--schema", "--escape")
    def test_how_a_text_is_written_can_be_said(self):
        self.write("t.dat", b"skipped\n#c\na;b\n1;'x;y'\n2;-\n")
        self.fails("info", "t.dat", saying="not a presso file")
        flags = ("--delimiter=;", "--quote='", "--null=-", "--comment=#", "--skip=1", "--threads=1")
        found = self.report(*flags, "t.dat")
        self.assertEqual((found["rows"], found["dialect"]["quote"]), (2, "'"))
        self.assertEqual([c["nulls"] for c in found["columns"]], [0, 1])
        found = self.report(*flags, "--header=no", "t.dat")
        self.assertEqual((found["rows"], found["dialect"]["header"]), (3, False))
        self.assertEqual(found["dialect"]["header_why"], "was given")
        self.fails("info", self.write("e.csv", b""), saying="it is empty")
        self.write("b.dat", b"a,t\n1,\"x~\"y\"\n2,z\nw,v\n")
        found = self.report("--escape=~", "--schema=a:int32", "b.dat")
        self.assertEqual((found["rows"], found["bad_rows"]), (2, 1))
        self.assertEqual(found["columns"][0]["type"], "int32")
        self.assertEqual(found["dialect"]["escape"], "~")


class Bench(CliTest):
    def bench(self, *options):
        self.write("app.log", log_text(1500))
        out = self.ok("bench", "--seconds", "0", "--json", *options, "app.log").out
        return json.loads(out)

    @covers("bench", "--levels", "--against", "--json", "--seconds")
    def test_rows_are_those_asked_for(self):
        self.fails("bench", "-b", "9-3", "app.log", saying="'9-3' has no levels")
        report = self.bench("-b", "1-3,9", "--against", "none")
        rows = report["files"][0]["results"]
        self.assertEqual(
            [(row["codec"], row["level"]) for row in rows],
            [("presso", level) for level in (1, 2, 3, 9)],
        )
        for row in rows:
            self.assertGreater(row["ratio"], 2)
            for rate in ("compress_mb_s", "decompress_mb_s", "decompress_verified_mb_s"):
                self.assertGreater(row[rate], 0)
            seconds = row["compress_seconds"]
            self.assertEqual(
                list(seconds), ["sampling", "training", "coding", "indexing", "reading", "writing"]
            )
            self.assertGreater(seconds["coding"], 0)

    def test_the_table_says_where_the_time_went(self):
        self.write("app.log", log_text(1500))
        out = self.ok("bench", "--seconds", "0", "--against", "none", "-b", "1,3", "app.log").out
        for level in (1, 3):
            self.assertRegex(out.decode(), rf"presso -{level}: \d+\.\d+ s of work: .*coding \d+ %")

    def test_peers_are_there_or_said_to_be_absent(self):
        report = self.bench()
        names = {row["codec"] for row in report["files"][0]["results"]} | set(report["absent"])
        self.assertEqual(names, {"presso", "lz4", "zlib", "libdeflate", "zstd"})
        absent = set(report["absent"])
        if absent:
            self.skipTest(f"built without {absent}")
        levels = [(row["codec"], row["level"]) for row in report["files"][0]["results"]]
        peers = {"lz4": (1, 9), "zlib": (6,), "libdeflate": (6,), "zstd": (1, 3, 9)}
        for pair in [(name, level) for name in peers for level in peers[name]]:
            self.assertIn(pair, levels)

    @covers("bench", "--dict-by-name")
    def test_dictionary_of_a_file(self):
        self.write("words", log_text(100, seed=3))
        report = self.bench("-b", "1", "--against", "none", "--dict", "words", "--dict-by-name")
        self.assertGreater(report["files"][0]["plain_bytes"], 0)

    @covers("bench", "--dict-renew")
    def test_dictionary_renewal(self):
        report = self.bench("-b", "4", "--against", "none", "--dict-renew", "8M")
        self.assertGreater(report["files"][0]["results"][0]["ratio"], 2)
        self.fails("bench", "--dict-renew", "8", "app.log", saying="out of range")

    @covers(
        "bench",
        "--block-size",
        "--threads",
        "--limit",
        "--favor",
        "--dict",
        "--deps",
        "--group",
        "--window",
        "--lookahead",
        "--staleness",
        "--coding",
        "--bit-gain",
        "--sub-block",
    )
    def test_options_reach_the_codec(self):
        report = self.bench(
            "--block-size",
            "16K",
            "-T2",
            "--limit",
            "64K",
            "-b",
            "1",
            "--against",
            "none",
            "--favor",
            "ratio",
            "--dict",
            "none",
            "--deps",
            "strict",
            "--group",
            "32",
            "--window",
            "8K",
            "--lookahead",
            "64",
            "--staleness",
            "4K",
            "--coding",
            "bit",
            "--bit-gain",
            "1",
            "--sub-block",
            "16",
        )
        file = report["files"][0]
        self.assertEqual(
            (file["block_bytes"], file["threads"], file["plain_bytes"]), (16384, 2, 65536)
        )
        easy = self.bench("--limit", "64K", "-b", "1", "--against", "none")
        self.assertLess(file["results"][0]["ratio"], easy["files"][0]["results"][0]["ratio"])

    @covers("bench", "--quiet", "--verbose", "--progress")
    def test_table(self):
        self.write("app.log", log_text(1000))
        result = self.ok(
            "bench", "-q", "-v", "--no-progress", "--seconds", "0", "--against", "none", "app.log"
        )
        lines = result.out.decode().splitlines()
        self.assertEqual(len(lines), 8)  # title, headings, three levels, and their work
        self.assertIn("median of", lines[0])
        self.assertIn("compress MB/s", lines[1])

    @covers("bench", "--scan")
    def test_scan(self):
        self.write("app.log", log_text(1000))
        out = self.ok("bench", "--scan", "pid=77", "--seconds", "0", "--json", "app.log").out
        file = json.loads(out)["files"][0]
        wanted = sum(b"pid=77" in line for line in self.read("app.log").splitlines())
        self.assertEqual(file["matching_lines"], wanted)
        self.assertEqual(file["results"][0]["codec"], "plain")
        for row in file["results"]:
            self.assertGreater(row["scan_mb_s"], 0)

    def test_bad_requests(self):
        self.write("empty", b"")
        self.fails("bench", "empty", saying="is empty")
        self.fails("bench", "missing", saying="presso: missing: ")
        self.fails("bench", saying="no file given")
        self.fails("bench", "-b", "0", "x", saying="permitted: 1 to 12")
        self.fails("bench", "--against", "lz5", "x", saying="Did you mean 'lz4'?")


if __name__ == "__main__":
    main()
