# SPDX-License-Identifier: MIT
"""Files that are not what a command expects: other compressed formats, links in the way of an
output, bytes that are no text, input without an end. Nothing is lost or wrong without a word."""

import base64
import bz2
import json
import lzma
import os
import shutil
import socket
import struct
import subprocess
import threading
import unittest

import support
from support import PRESSO, CliTest

ESCAPE = "\x1b[31m"
TEXT = b"one\ntwo needle\n"
TABLE = b"a,b\n1,x\n2,needle\n"


def packed(command, content):
    if shutil.which(command[0]) is None:
        raise unittest.SkipTest(command[0] + " is not installed")
    return subprocess.run(command, input=content, capture_output=True, check=True).stdout


def lz4(content):
    return packed(["lz4", "-qc"], content)


def zstd(content):
    return packed(["zstd", "-qc"], content)


def skippable(content, number=0):
    return struct.pack("<II", 0x184D2A50 + number, len(content)) + content


class SkippableFrames(CliTest):
    """zstd and lz4 mark frames that are to be skipped alike: what follows tells the format."""

    def test_files_that_begin_with_skippable_frames(self):
        long_ones = skippable(bytes(200000)) + skippable(b"x")
        begins = [skippable(b""), skippable(b"note", 15), long_ones]
        for number, begin in enumerate(begins):
            for pack in (zstd, lz4):
                text = self.write(f"{number}.log", begin + pack(TEXT))
                self.assertEqual(self.ok("scan", "needle", text).out, b"two needle\n")
                read = self.ok("scan", "needle", stdin=begin + pack(TEXT))
                self.assertEqual(read.out, b"two needle\n")
                table = self.write(f"{number}.csv", begin + pack(TABLE))
                rows = self.ok("select", table, "--where", "a = 2").out
                self.assertEqual(rows, b"a,b\n2,needle\n")
                self.ok("compress", "-qf", "--table", "auto", table)
                self.assertEqual(self.ok("cat", table + ".presso").out, TABLE)

    def test_frames_between_and_after_others(self):
        for pack in (zstd, lz4):
            content = pack(b"one\n") + skippable(b"between") + pack(b"two\n") + skippable(b"after")
            self.write("f", skippable(b"before") + content)
            self.assertEqual(self.ok("scan", "", "f").out, b"one\ntwo\n")

    def test_skippable_frames_alone_hold_no_text(self):
        self.write("f", skippable(b"alone"))
        self.assertEqual(self.run_presso("scan", "", "f").status, 1)

    def test_what_follows_must_be_known(self):
        self.write("f", skippable(b"note") + b"plain text\n")
        self.fails("scan", "plain", "f", saying="presso: f: begins with a frame to be skipped")

    def test_files_cut_off_in_or_after_skippable_frames(self):
        whole = skippable(b"note") + lz4(TEXT)
        for size in (5, 9, 13, 14, len(whole) - 3):
            self.write("f", whole[:size])
            self.fails("scan", "needle", "f", saying="presso: f: ")
            self.fails("select", "f", saying="presso: f: ")
        self.write("f", struct.pack("<II", 0x184D2A50, 0xFFFFFFFF) + b"short")
        self.fails("scan", "needle", "f", saying="the file ends too early")


class UnreadFormats(CliTest):
    """Formats that are known and not read: the message names them and what decompresses them."""

    def files_of_others(self):
        yield "xz", "xz -dc", lzma.compress(TABLE)
        yield "lzma", "xz -dc", lzma.compress(TABLE, lzma.FORMAT_ALONE)
        yield "bzip2", "bzip2 -dc", bz2.compress(TABLE)
        yield "bzip2", "bzip2 -dc", bz2.compress(b"")
        yield "lz4 in its legacy format", "lz4 -dc", packed(["lz4", "-qlc"], TABLE)
        yield "lz4 in its legacy format", "lz4 -dc", skippable(b"") + packed(["lz4", "-qlc"], TABLE)
        yield "compress", "gzip -dc", b"\x1f\x9d\x90" + bytes(20)
        yield "lzip", "lzip -dc", b"LZIP\1" + bytes(20)
        yield "lzop", "lzop -dc", b"\x89LZO\0\r\n\x1a\n" + bytes(20)
        yield "snappy", "snzip -dc", b"\xff\6\0\0sNaPpY" + bytes(20)

    def test_the_format_is_named(self):
        for name, command, content in self.files_of_others():
            saying = f"presso: f: is compressed by {name}"
            self.write("f", content)
            table = ["compress", "-f", "--table", "auto"]
            for arguments in (["scan", "needle"], ["select"], table):
                failed = self.fails(*arguments, "f", saying=saying)
                self.assertIn(f"'{command}' decompresses it", failed.err)
                self.assertEqual(failed.out, b"")
            self.fails("scan", "x", stdin=content, saying=f"is compressed by {name}")

    def test_the_bytes_can_be_searched_and_compressed(self):
        for _, _, content in self.files_of_others():
            self.write("f", content)
            self.assertEqual(self.run_presso("scan", "--no-search-zip", "needle", "f").err, "")
            self.ok("compress", "-qf", "f")
            self.assertEqual(self.ok("cat", "f.presso").out, content)

    def test_archives_and_tables_of_others_are_no_text(self):
        for name, begin in {
            "Feather file of version 1": b"FEA1",
            "Avro file": b"Obj\1",
            "ORC file": b"ORC",
            "SQLite database": b"SQLite format 3",
            "zip archive": b"PK\3\4",
            "7z archive": b"7z\xbc\xaf\x27\x1c",
            "RAR archive": b"Rar!\x1a\7",
        }.items():
            self.write("f", begin + bytes(30))
            self.fails("select", "f", saying=f"{name}, which presso does not read")
        self.write("f", b"ORC,b\n1,2\n")
        self.assertEqual(self.ok("select", "f").out, b"ORC,b\n1,2\n")

    def test_texts_that_only_look_alike_are_searched(self):
        for begin in (b"BZh9", b"BZh", b"LZIP\n", b"]\0\0", b"PK", b"\xfd7zXY"):
            self.write("f", begin + b" needle\n")
            self.assertEqual(self.ok("scan", "-a", "-o", "needle", "f").out, b"needle\n")


class Links(CliTest):
    """With -f an output replaces a link of its name, as zstd and gzip do."""

    def writers(self):
        """Commands that write to "out", and what must be able to read it."""
        self.write("app.log", TEXT)
        self.write("t.csv", TABLE)
        self.write("bad.csv", b"a,b\n1,x\n2\n")
        for number in range(40):
            self.write(f"samples/{number}", support.log_text(200, number))
        self.ok("compress", "-q", "app.log")
        yield ["compress", "-q", "-o", "out", "app.log"]
        yield ["compress", "-q", "--table", "auto", "-o", "out", "t.csv"]
        yield ["compress", "-q", "--table", "auto", "--bad-rows", "out", "-o", "other", "bad.csv"]
        yield ["decompress", "-q", "-o", "out", "app.log.presso"]
        yield ["select", "t.csv", "-o", "out"]
        yield ["sql", "select * from 't.csv'", "-o", "out", "--format", "presso"]
        yield ["train", "-q", "-r", "samples", "-o", "out"]

    def put(self, make):
        for name in ("out", "other"):
            if os.path.lexists(name):
                os.unlink(name)
        make()

    def test_a_link_to_a_file_is_replaced(self):
        for writer in self.writers():
            self.write("store", b"precious")
            self.put(lambda: os.symlink("store", "out"))
            self.fails(*writer, saying="exists")
            self.assertTrue(os.path.islink("out"))
            self.ok(*writer, "-f")
            self.assertEqual(self.read("store"), b"precious", writer)
            self.assertFalse(os.path.islink("out"), writer)
            self.assertNotEqual(self.read("out"), b"precious")

    def test_a_link_that_leads_nowhere_is_replaced(self):
        for writer in self.writers():
            self.put(lambda: os.symlink("nowhere", "out"))
            self.fails(*writer, saying="exists")
            self.ok(*writer, "-f")
            self.assertFalse(os.path.islink("out"), writer)
            self.assertFalse(os.path.lexists("nowhere"), writer)

    def test_another_hard_link_keeps_the_old_content(self):
        for writer in self.writers():
            self.write("store", b"precious")
            self.put(lambda: os.link("store", "out"))
            self.ok(*writer, "-f")
            self.assertEqual(self.read("store"), b"precious", writer)
            self.assertNotEqual(self.read("out"), b"precious")

    def test_a_link_to_a_folder_is_left_alone(self):
        os.mkdir("folder")
        for writer in self.writers():
            self.put(lambda: os.symlink("folder", "out"))
            self.fails(*writer, "-f", saying="directory")
            self.assertTrue(os.path.islink("out"))
            self.assertEqual(self.files("folder"), [])

    def test_links_to_devices_and_descriptors_are_followed(self):
        for writer in self.writers():
            self.put(lambda: os.symlink("/dev/null", "out"))
            self.ok(*writer)
            self.assertEqual(os.readlink("out"), "/dev/null")
        self.write("app.log", TEXT)
        for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            piped = self.ok("compress", "-q", "-o", name, "app.log").out
            self.assertEqual(self.ok("cat", stdin=piped).out, TEXT)
            self.write("appended", b"before")
            with open("appended", "ab") as stdout:
                command = [PRESSO, "decompress", "-o", name, "app.log.presso"]
                subprocess.run(command, stdout=stdout, check=True)
            self.assertEqual(self.read("appended"), b"before" + TEXT)
        self.assertTrue(os.path.islink("/dev/stdout"))

    def test_default_names_and_removed_sources(self):
        self.write("app.log", TEXT)
        self.write("store", b"precious")
        os.symlink("store", "app.log.presso")
        self.ok("compress", "-q", "-f", "--rm", "app.log")
        self.assertEqual(self.files(), ["app.log.presso", "store"])
        os.symlink("store", "app.log")
        self.ok("decompress", "-q", "-f", "app.log.presso")
        self.assertFalse(os.path.islink("app.log"))
        self.assertEqual(self.read("app.log"), TEXT)
        self.assertEqual(self.read("store"), b"precious")


class Json(CliTest):
    """Every line of JSON is JSON, whatever the bytes; U+FFFD stands for those that are no UTF-8."""

    BAD = b"n\xff,s\n1,a\xffb\n2,\xe2\x82\n3,\x1b[31m\n4,\xed\xa0\x80\n"

    def lines(self, *arguments, **more):
        out = self.ok(*arguments, **more).out
        return [json.loads(line) for line in out.decode("utf-8").splitlines()]

    def test_json_lines_of_answers(self):
        self.write("t.csv", self.BAD)
        self.ok("compress", "-q", "--table", "auto", "t.csv")
        expected = ["a\ufffdb", "\ufffd\ufffd", "\x1b[31m", "\ufffd\ufffd\ufffd"]
        for name in ("t.csv", "t.csv.presso"):
            rows = self.lines("select", name, "--format", "jsonl")
            self.assertEqual([row["s"] for row in rows], expected)
            self.assertEqual(list(rows[0]), ["n\ufffd", "s"])
            rows = self.lines("sql", f"select s || 'x' as s from '{name}'", "--format", "jsonl")
            self.assertEqual([row["s"] for row in rows], [value + "x" for value in expected])
        rows = self.lines("cat", "--format", "jsonl", "t.csv.presso")
        self.assertEqual([row["s"] for row in rows], expected)

    def test_json_lines_are_refused(self):
        bad = b'{"a":"\xff","b":["\x80"]}\n'
        sound = b'{"a":"x","b":[]}\n'
        self.write("t.jsonl", bad + sound)
        saying = "line 1: not a JSON object: at byte 7 a string has bytes that are not UTF-8"
        self.fails("compress", "-q", "--table", "auto", "t.jsonl", saying=saying)
        self.ok("compress", "-q", "--table", "auto", "--bad-rows", "bad", "t.jsonl")
        self.assertEqual(self.ok("cat", "t.jsonl.presso").out, sound)
        self.assertEqual(self.read("bad"), bad)

    def test_text_becomes_valid_json(self):
        self.write("t.csv", b"a,b\n\xff,1\nx,2\n")
        self.ok("compress", "-q", "--table", "auto", "t.csv")
        rows = self.lines("cat", "--format", "jsonl", "t.csv.presso")
        self.assertEqual(rows, [{"a": "\ufffd", "b": 1}, {"a": "x", "b": 2}])

    def test_reports(self):
        name = b"n\xff\x1b.csv"
        self.write(name, self.BAD)
        report = self.ok("compress", "-q", "--table", "auto", "--report", "json", name).out
        self.assertEqual(json.loads(report)["columns"][0]["name"], "n\ufffd")
        info = json.loads(self.ok("info", "--json", name + b".presso").out)
        self.assertEqual(info["files"][0]["file"], "n\ufffd\x1b.csv.presso")
        self.assertEqual(info["files"][0]["table"]["columns"][0]["name"], "n\ufffd")
        alone = ["-b1", "--seconds", "0", "--against", "none"]
        bench = json.loads(self.ok("bench", "--json", *alone, name).out)
        self.assertIn("n\\ufffd\\u001b.csv", json.dumps(bench))
        found = self.lines("scan", "--json", "1,a", name)
        path = base64.b64decode(found[0]["data"]["path"]["bytes"])
        self.assertEqual(path, name)
        self.assertEqual(base64.b64decode(found[1]["data"]["lines"]["bytes"]), b"1,a\xffb\n")


class Messages(CliTest):
    """What stands in data and names sends no commands to the terminal."""

    def assert_escaped(self, result):
        self.assertNotIn("\x1b", result.err, result)
        self.assertIn("\\x1b[31m", result.err, result)

    def test_values_names_and_patterns(self):
        name = self.write(f"{ESCAPE}\n.csv", f"id,{ESCAPE}\n1,2\n2,{ESCAPE}\n3\n".encode())
        self.write("plain.csv", TABLE)
        missing = f"no{ESCAPE}"
        typed = ["--table", "auto", "--schema", f"{ESCAPE}:int32", "--ragged", "fill"]
        for arguments in (
            ["cat", missing],
            ["scan", "x", missing],
            ["info", missing],
            ["select", missing],
            ["select", name],
            ["select", "--ragged", "fill", name, "--columns", f'"{missing}"'],
            ["sql", f"select \"{ESCAPE}\" from 'plain.csv'"],
            ["compress", missing],
            ["compress", "-f", "--table", "auto", name],
            ["compress", "-f", *typed, name],
            ["compress", f"--{ESCAPE}", name],
            [ESCAPE],
        ):
            self.assert_escaped(self.fails(*arguments))
        self.assertIn("\\x1b[31m\\n.csv: ", self.fails("cat", name).err)
        # Excerpts over a caret show one character for each of the text's.
        for arguments in (
            ["scan", f"({ESCAPE}"],
            ["select", name, "--where", f"{missing} = 1"],
            ["sql", f"select '{ESCAPE}"],
        ):
            self.assertNotIn("\x1b", self.fails(*arguments).err)

    def test_warnings_and_verbose_lines(self):
        name = self.write("t.csv", f"{ESCAPE},{ESCAPE}\n1,2\n{ESCAPE},3\n".encode())
        self.assert_escaped(self.ok("compress", "-v", "--table", "auto", name))
        bad = self.write("bad.csv", f"a,b\n1,2\n{ESCAPE}\n".encode())
        arguments = ["--table", "auto", "--bad-rows", "rest"]
        self.assert_escaped(self.ok("compress", *arguments, bad))

    def test_reports_for_people(self):
        self.write("t.csv", f"{ESCAPE},b\n1,{ESCAPE}x\n".encode())
        self.ok("compress", "-q", "--table", "auto", "t.csv")
        report = self.ok("info", "t.csv.presso").out
        self.assertNotIn(b"\x1b", report)
        self.assertIn(b"\\x1b[31m", report)

    def test_questions_and_progress(self):
        name = f"{ESCAPE}.log"
        self.write(name, TEXT)
        self.write(name + ".presso", b"old")
        status, output = self.on_terminal("compress", name, answers=b"n\n")
        self.assertEqual(status, 2)
        self.assertIn("\\x1b[31m.log.presso' exists", output)
        self.assertNotIn(ESCAPE, output)


class NoEnd(CliTest):
    """Input without an end, a line end or rows ends early with an error that says why."""

    def commands(self, name):
        yield ["select", name]
        yield ["sql", f"select * from '{name}'"]
        yield ["join", name, name, "--on", "a"]
        yield ["compress", "-f", "-o", "out", "--table", "auto", name]

    def test_devices(self):
        for device in ("/dev/zero", "/dev/urandom", "/dev/full"):
            for command in self.commands(device):
                self.fails(*command, saying=f"presso: {device}: is a device")
            self.fails("cat", device, saying=f"presso: {device}: ")
        self.fails("select", "/dev/null", saying="no row")
        self.assertEqual(self.files(), [])

    def test_files_of_nul_bytes(self):
        with open("zeros", "wb") as file:
            file.truncate(1 << 40)
        for command in self.commands("zeros"):
            self.fails(*command, saying="presso: zeros: begins with 262,144 NUL bytes")

    def feed(self, content, command):
        """Runs `command` on a pipe that has `content` and then "x" for ever."""
        os.mkfifo("pipe")
        self.addCleanup(os.unlink, "pipe")

        def write():
            try:
                with open("pipe", "wb", buffering=0) as pipe:
                    pipe.write(content)
                    while True:
                        pipe.write(b"x" * (1 << 20))
            except BrokenPipeError:
                pass

        writer = threading.Thread(target=write)
        writer.start()
        try:
            return self.fails(*command)
        finally:
            writer.join()

    def test_a_pipe_that_never_ends_its_line(self):
        self.assertIn("a line of more than 256 MiB", self.feed(b"a,b\n1,", ["select", "pipe"]).err)

    def test_a_pipe_that_never_ends_its_first_row(self):
        command = ["compress", "-o", "out", "--table", "auto", "pipe"]
        self.assertIn("has no row in its first 256 MiB", self.feed(b"", command).err)

    def test_a_pipe_that_never_ends_a_later_row(self):
        command = ["compress", "-o", "out", "--table", "auto", "pipe"]
        failed = self.feed(b"a,b\n1,2\n3,", command)
        self.assertIn("line 3: a row that begins here is longer than 256 MiB", failed.err)
        self.assertEqual(self.files(), ["pipe"])

    def test_folders_and_sockets(self):
        os.mkdir("folder")
        address = socket.socket(socket.AF_UNIX)
        self.addCleanup(address.close)
        address.bind("socket")
        for name in ("folder", "socket"):
            for command in (*self.commands(name), ["cat", name], ["info", name]):
                self.fails(*command, saying=f"presso: {name}: ")

    def test_files_of_proc(self):
        count = "select count(*) > 0 as mounted from '/proc/filesystems'"
        answer = self.ok("sql", "--header", "no", count, "--format", "jsonl").out
        self.assertEqual(answer, b'{"mounted":true}\n')
        self.ok("scan", "-q", ".", "/proc/self/status")


class OneColumn(CliTest):
    """Nulls of an answer's only column come back from its text."""

    def test_nulls_come_back(self):
        self.write("t.jsonl", b'{"n":1,"s":"x"}\n{"s":""}\n{"n":3}\n{}\n')
        for answer in ("answer.csv", "answer.tsv"):
            for column in ("n", "s"):
                self.ok("select", "t.jsonl", "--columns", column, "-f", "-o", answer)
                counts = f"select count(*) as rows, count({column}) as values from '{answer}'"
                again = self.ok("sql", "--header", "yes", counts, "--format", "jsonl").out
                self.assertEqual(json.loads(again), {"rows": 4, "values": 2})

    def test_rows_come_back_as_they_were(self):
        self.write("t.jsonl", b'{"s":"a b"}\n{"s":""}\n{}\n{"s":"c"}\n{}\n')
        self.ok("select", "t.jsonl", "-o", "answer.csv")
        again = self.ok("select", "--header", "yes", "answer.csv", "--format", "jsonl").out
        self.assertEqual(again, b'{"s":"a b"}\n{"s":""}\n{"s":null}\n{"s":"c"}\n{"s":null}\n')

    def test_text_of_one_column_keeps_its_bytes(self):
        texts = (b"n\n1\n\n2\n\n", b"n\r\n\r\n1\r\n", b"\n\nn\n1", b"n\n\n\n")
        for number, content in enumerate(texts):
            name = self.write(f"{number}.csv", content)
            self.ok("compress", "-q", "--table", "auto", name)
            self.assertEqual(self.ok("cat", name + ".presso").out, content)


if __name__ == "__main__":
    support.main()
