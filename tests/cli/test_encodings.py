# SPDX-License-Identifier: MIT
"""Text that is not UTF-8: queries see UTF-8, and decompress gives the bytes back."""

import json

from support import CliTest, covers, main

TEXT = "name,price\ncaf\u00e9,1.50\n\u20ac,2\nz\u00fcrich,3\n"
READ = "name,price\ncaf\u00e9,1.5\n\u20ac,2\nz\u00fcrich,3\n".encode()
# How files are written, the option that they need, and the name that is reported.
FILES = (
    ("utf-16", (), "utf-16le"),
    ("utf-16-le", (), "utf-16le"),
    ("utf-16-be", (), "utf-16be"),
    ("utf-16-be", ("--encoding", "utf-16"), "utf-16be"),
    ("utf-16-le", ("--encoding", "utf-16le"), "utf-16le"),
    ("cp1252", ("--encoding", "windows-1252"), "windows-1252"),
)
OBJECTS = '{"a": "\u00e9", "b": 1}\n{"a": "\u20ac", "b": 2}\n'


class Encodings(CliTest):
    def table_of(self, name, data, *options):
        self.write(name, data)
        self.ok("compress", "-f", "--table", "auto", *options, name)
        self.assertEqual(self.ok("cat", name + ".presso").out, data)
        return name + ".presso"

    @covers("compress", "--encoding")
    @covers("select", "--encoding")
    @covers("sql", "--encoding")
    @covers("info", "--encoding")
    def test_queries_see_utf8_and_the_bytes_come_back(self):
        for written, options, name in FILES:
            table = self.table_of("t.csv", TEXT.encode(written), *options)
            for file, given in (("t.csv", options), (table, ())):
                self.assertEqual(self.ok("select", *given, file).out, READ)
                self.assertEqual(self.ok("sql", *given, f"from '{file}'").out, READ)
            found = json.loads(self.ok("info", "--json", *options, "t.csv").out)["files"][0]
            self.assertEqual(found["dialect"]["encoding"], name)
            piped = self.ok("compress", "--table", "auto", *options, stdin=self.read("t.csv")).out
            self.assertEqual(self.ok("decompress", stdin=piped).out, self.read("t.csv"))

    @covers("join", "--encoding")
    def test_joins_and_readers(self):
        self.write("l.csv", "k,x\n\u00e9,1\n".encode("latin-1"))
        self.write("r.csv", "k,y\n\u00e9,2\n".encode())
        joined = self.ok("join", "--encoding", "latin-1", "--on", "k", "l.csv", "l.csv").out
        self.assertEqual(joined.splitlines()[1].split(b",")[0], "\u00e9".encode())
        for name in ("latin1", "ISO-8859-1", "cp1252"):
            query = f"select y from read_csv('l.csv', encoding = '{name}') join 'r.csv' using (k)"
            self.assertEqual(self.ok("sql", query).out, b"y\n2\n")
        self.fails("sql", "from read_csv('l.csv', encoding = 'klingon')",
                   saying="takes utf-8, utf-16, utf-16le, utf-16be, latin-1 or windows-1252")

    def test_json_and_long_texts(self):
        table = self.table_of("o.jsonl", OBJECTS.encode("utf-16"))
        self.assertEqual(self.ok("sql", f"select a from '{table}' where b = 2").out,
                         "a\n\u20ac\n".encode())
        rows = "".join(f"{i},\u65e5\u672c{i}\U0001f600,x\n" for i in range(60_000))
        self.table_of("long.csv", ("n,t,x\n" + rows).encode("utf-16-be"), "--row-group", "7000")
        self.table_of("sorted.csv", "a,b\n2,\u00e9\n1,\u00e8\n".encode("latin-1"),
                      "--encoding", "latin-1", "--no-exact")

    def test_latin_1_is_noted_wherever_it_stands(self):
        later = b"a,b\n" + b"hello,1\n" * 60_000 + b"caf\xe9,2\n"
        for data, line in ((b"a,b\ncaf\xe9,1\n", "2"), (b"caf\xe9,b\nx,1\n", "1"),
                           (b"a,b\n\x93x\x94,1\n", "2"), (later, "60,002")):
            self.write("t.csv", data)
            said = self.ok("sql", "select count(*) from 't.csv'").err
            self.assertIn(f"presso: t.csv: line {line} is not UTF-8; if the text is Lat", said)
            self.assertEqual(self.ok("sql", "--encoding", "windows-1252", "from 't.csv'").err, "")
        self.write("t.csv", b"a,b\nx\x01\xe9,1\n")
        self.assertEqual(self.ok("sql", "from 't.csv'").err, "")

    def test_bytes_that_are_no_characters_are_errors_with_their_place(self):
        for data, encoding, said in (
            (b"a,b\n1,x\x81\n", "windows-1252",
             "line 2: byte 8, 0x81, is no character of windows-1252; --encoding latin-1"),
            ("a,b\n1,".encode("utf-16-le") + b"\0\xd8x\0", "utf-16le",
             "line 2: byte 13 begins no character of utf-16le"),
            ("a,b\n1,2".encode("utf-16-le") + b"\n", "utf-16", "line 2: byte 15 begins no"),
            ("a,b\n".encode("utf-32"), "auto", "UTF-32"),
        ):
            self.write("t.csv", data)
            arguments = ("--encoding", encoding, "t.csv")
            self.fails("compress", "--table", "csv", *arguments, saying="presso: t.csv: ")
            self.fails("compress", "--table", "csv", *arguments, saying=said)
            self.fails("select", *arguments, saying=said)
            self.fails("info", *arguments, saying=said)
        self.fails("compress", "--encoding", "latin-1", "t.csv", saying="needs --table")

    def test_bad_rows_are_written_as_they_stood(self):
        self.write("t.csv", "a,b\n1,\u00e9\n\u00e8\n2,x\n".encode("latin-1"))
        self.ok("compress", "--table", "csv", "--encoding", "latin-1", "--bad-rows", "bad", "t.csv")
        self.assertEqual(self.read("bad"), b"\xe8\n")
        self.assertEqual(self.ok("cat", "t.csv.presso").out, b"a,b\n1,\xe9\n2,x\n")


if __name__ == "__main__":
    main()
