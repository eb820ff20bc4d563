# SPDX-License-Identifier: MIT
"""presso scan: texts that are not UTF-8. Where ripgrep is installed, it must print the same."""

import gzip
import random
import shutil
import subprocess

from support import covers, main
from test_scan import Scan

WORDS = "one caf\u00e9 \u20ac\nTwo Z\u00fcrich\n\U0001f600 two\n\u65e5\u672c two\n\n"
LONG = "".join(f"{i} {'Two' if i % 97 == 0 else 'one'} caf\u00e9 \u20ac \U0001f600\n"
               for i in range(40_000))
MARKS = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}


class Encodings(Scan):
    def same(self, *arguments, status=0, **more):
        """presso's output, which must be ripgrep's."""
        got = self.run_presso("scan", *arguments, **more)
        self.assertEqual((got.status, got.err), (status, ""), arguments)
        if shutil.which("rg") is not None:
            done = subprocess.run(["rg", "--no-config", *arguments], capture_output=True,
                                  input=more.get("stdin", b""))
            self.assertEqual(got.out, done.stdout, arguments)
        return got.out

    def test_utf16_with_a_mark_is_converted(self):
        for coding, mark in MARKS.items():
            for text in (WORDS, WORDS[:-2], LONG, "", "Two", "\n", "\ufeffTwo"):
                data = mark + text.encode(coding)
                self.write("f", data)
                found = "Two" in text
                others = bool(text.strip("\ufeffTwo"))
                for flags in (("-nb",), ("-c",), ("-ob",), ("--column",), ("-v",), ("-C1",)):
                    status = int(not (others if flags == ("-v",) else found))
                    self.same(*flags, "Two", "f", status=status)
                self.same("-nb", "Two", stdin=data, status=int(not found))
            self.write("f", mark + WORDS.encode(coding))
            self.assertEqual(self.same("-nbo", r"Z\w+", "f"), "2:18:Z\u00fcrich\n".encode())
            self.same("-U", r"Two.*\n.*two", "f")
            self.assertEqual(self.scan("--json", "Two", "f").count(b'"absolute_offset":14'), 1)

    def test_what_is_no_character_is_replaced(self):
        half, second = "\ud83d".encode("utf-16-le", "surrogatepass"), b"\x00\xdc"
        a = "a two\n".encode("utf-16-le")
        for tail in (b"", b"x", half, half + b"x", second, second + b"x", half + half, half + a,
                     second + second, b"\xff", half + b"\xdc"):
            for middle in (b"", half, second, half + half + second, second + half):
                self.write("f", MARKS["utf-16-le"] + a + middle + a + tail)
                self.same("-nb", "", "f")
        # At the border of two pieces of the text.
        for more in range(5):
            filler = ("x" * (32_763 + more) + "\n").encode("utf-16-le")
            for middle in ("\U0001f600".encode("utf-16-le"), half, second):
                self.write("f", MARKS["utf-16-le"] + filler + middle + a)
                self.same("-nb", "two", "f")
                self.same("-nb", "two", stdin=self.read("f"))

    @covers("scan", "--encoding")
    def test_named_encodings(self):
        every = b"".join(b"two " + bytes([i]) + b"\n" for i in range(256) if i not in (0, 10))
        self.write("every", every)
        self.write("le", LONG.encode("utf-16-le"))
        self.write("be", MARKS["utf-16-be"] + WORDS.encode("utf-16-be"))
        self.write("mark", b"\xef\xbb\xbf" + WORDS.encode())
        for name in ("latin1", "windows-1252", "ISO-8859-1", "ascii"):
            self.same("-E", name, "-nb", "two", "every")
            self.same("-E", name, "-nbo", "two [^a-z]", "every")
        self.same("--encoding=utf-16le", "-nb", "Two", "le")
        self.same("-Eutf-16", "-c", "Two", "le")
        self.same("-E", "UTF-16LE", "-nb", "Two", "be")
        self.same("-Elatin1", "-nb", "Two", "mark")
        self.same("-Elatin1", "--encoding=auto", "-nb", "two", "every")
        self.same("-Elatin1", "--no-encoding", "-nb", "two", "every")
        # ripgrep replaces what is not UTF-8.
        self.assertEqual(self.scan("-Eutf-8", "two", "every"), every)
        self.same("-Elatin1", "-nb", "two", stdin=every)
        self.same("-Enone", "-c", "Two", "be", status=1)
        self.same("-Enone", "-c", "Two", "mark")
        self.fails("scan", "-E", "klingon", "Two", "t", saying="-E: 'klingon' is no encoding that")
        self.fails("scan", "--encoding=", "Two", "t", saying="--encoding: '' is no encoding")

    def test_encodings_of_the_system(self):
        text = "\u043f\u0440\u0438\u0432\u0435\u0442 two\n" * 9000
        for name, content in (("koi8-r", text), ("iso-8859-5", text), ("windows-1251", text),
                              ("shift_jis", "\u65e5\u672c two\n" * 20_000),
                              ("euc-jp", "\u65e5\u672c two\n" * 20_000),
                              ("gbk", "\u4e2d\u6587 two\n" * 20_000),
                              ("euc-kr", "\ud55c\uad6d two\n" * 20_000)):
            known = subprocess.run(["iconv", "-f", name, "-t", "UTF-8"], input=b"a",
                                   capture_output=True)
            if known.returncode != 0:
                continue
            self.write("f", content.encode(name))
            self.same("-E", name, "-nb", "two", "f")
        self.write("f", "\u65e5\u672c two\n".encode("shift_jis") + b"\x81\n two\n\x81")
        self.assertEqual(self.scan("-E", "shift_jis", "-c", "\ufffd", "f"), b"2\n")

    def test_compressed_texts(self):
        generator = random.Random(7)
        noise = "".join(chr(generator.randrange(32, 0x3000)) for _ in range(3000))
        for coding, mark in MARKS.items():
            for text in (LONG, WORDS, noise + "\nTwo\n"):
                data = mark + text.encode(coding)
                self.write("f", data)
                expected = self.same("-nb", "Two", "f")
                self.assertTrue(expected)
                self.write("f.gz", gzip.compress(data))
                self.assertEqual(self.scan("-nb", "Two", "f.gz"), expected)
                for options in ((), ("-9",), ("--index",), ("-1", "--block-size=16K")):
                    self.ok("compress", "-qf", *options, "f")
                    for more in ((), ("--no-index",), ("-j2",), ("--no-check",)):
                        self.assertEqual(self.scan("-nb", *more, "Two", "f.presso"), expected)
                    self.assertEqual(self.scan("-nb", "Two", stdin=self.read("f.presso")), expected)
                    self.scan("-c", "Two", "-Enone", "f.presso", status=1)
        self.fails("scan", "--blocks=1-", "Two", "f.presso", saying="--encoding=none searches")
        self.fails("scan", "--blocks=1-", "-Elatin1", "Two", "f.presso", saying="--encoding=none")

    def test_texts_that_only_look_like_it(self):
        for data in (b"\xff", b"\xfe", b"\xfe\xfe Two\n", b"\xff Two\n\xfe", b"\xff\xff\xfe Two\n",
                     "\u00fe\u00ff Two\n".encode("latin-1") * 2, b"", b"Two\n"):
            self.write("f", data)
            expected = self.run_presso("scan", "-nb", "Two", "f")
            self.assertEqual(expected.err, "")
            for options in ((), ("-9",), ("--index",)):
                self.ok("compress", "-qf", *options, "f")
                got = self.run_presso("scan", "-nb", "Two", "f.presso")
                self.assertEqual((got.status, got.out), (expected.status, expected.out), data)
                got = self.run_presso("scan", "-nb", "Two", stdin=self.read("f.presso"))
                self.assertEqual((got.status, got.out), (expected.status, expected.out), data)

    def test_files_with_a_dictionary(self):
        samples = []
        for i in range(40):
            text = "".join(f"{i} {'Two' if j == i else 'one'} caf\u00e9 {j}\n" for j in range(60))
            samples.append(self.write(f"s{i}", MARKS["utf-16-le"] + text.encode("utf-16-le")))
        self.ok("train", "-qo", "dict", *samples)
        for options in ((), ("--dict-by-name",)):
            self.ok("compress", "-qf", "--dict", "dict", *options, "s3")
            given = ("--dict", "dict") if options else ()
            expected = self.same("-nb", "Two", "s3")
            self.assertEqual(self.scan("-nb", *given, "Two", "s3.presso"), expected)
            packed = self.read("s3.presso")
            self.assertEqual(self.scan("-nb", *given, "Two", stdin=packed), expected)

    def test_tables(self):
        self.write("t.csv", MARKS["utf-16-le"] + "a,b\n1,Two\n2,\u00e9\n".encode("utf-16-le"))
        self.ok("compress", "-q", "--table", "auto", "t.csv")
        expected = b"2:1,Two\n3:2,\xc3\xa9\n"
        for flags in ((), ("-Elatin1",), ("-Enone",)):
            self.assertEqual(self.scan("-n", *flags, "Two|\u00e9", "t.csv.presso"), expected)

    def test_explain_says_why_the_cpu_searches(self):
        self.write("f", MARKS["utf-16-le"] + LONG.encode("utf-16-le"))
        self.ok("compress", "-qf", "f")
        result = self.run_presso("scan", "-c", "--explain", "Two", "f.presso")
        self.assertIn("its text is converted to UTF-8", result.err)

    def test_damage_is_an_error_after_what_comes_before(self):
        self.write("f", MARKS["utf-16-le"] + LONG.encode("utf-16-le"))
        self.ok("compress", "-qf", "--block-size=64K", "f")
        data = bytearray(self.read("f.presso"))
        for at in range(len(data) // 2, len(data) // 2 + 200):
            data[at] ^= 0x5A
        self.write("f.presso", bytes(data))
        got = self.run_presso("scan", "-n", "Two", "f.presso")
        self.assertEqual(got.status, 2)
        self.assertIn("presso: f.presso: ", got.err)
        whole = self.scan("-n", "Two", "f")
        self.assertTrue(got.out and whole.startswith(got.out) and got.out != whole)


if __name__ == "__main__":
    main()
