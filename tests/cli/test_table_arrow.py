# SPDX-License-Identifier: MIT
"""Tables as Arrow's IPC stream. The frame of each message is read here; the values by pyarrow,
where it is installed."""

import datetime
import decimal
import io
import math
import struct
import unittest

from support import CliTest, covers, main
from test_table import many_rows

try:
    import pyarrow
    import pyarrow.ipc
except ImportError:
    pyarrow = None

EVERY_TYPE = """whole,large,price,wide,real,day,when,utc,paid,note
-1,18446744073709551615,1.50,12345678901234567890123.5,0.25,2024-01-31,2024-01-01 00:00:01,\
2024-01-31T23:59:59.123Z,true,"naïve, so"
2,,-2.25,,nan,1899-12-31,,2024-01-31T23:59:59.124Z,false,
,7,,-2345678901234567890123.5,1e-05,,1969-12-31 23:59:59,,,x
""".encode()
SCHEMA, BATCH = 1, 3  # kinds of messages


def field(data, table, number):
    """Where field `number` of a FlatBuffers table stands, or None."""
    fields = table - struct.unpack_from("<i", data, table)[0]
    size = struct.unpack_from("<H", data, fields)[0]
    if 4 + 2 * number >= size:
        return None
    distance = struct.unpack_from("<H", data, fields + 4 + 2 * number)[0]
    return table + distance if distance else None


def follow(data, place):
    return place + struct.unpack_from("<I", data, place)[0]


def messages(stream):
    """(kind, rows, body bytes) of each message; checks the frames."""
    found = []
    at = 0
    while True:
        marker, size = struct.unpack_from("<II", stream, at)
        assert marker == 0xFFFFFFFF, at
        at += 8
        if size == 0:
            assert at == len(stream), "bytes behind the end"
            return found
        assert size % 8 == 0, size
        data = stream[at : at + size]
        root = follow(data, 0)
        assert struct.unpack_from("<h", data, field(data, root, 0))[0] == 4, "version 5"
        kind = data[field(data, root, 1)]
        body = struct.unpack_from("<q", data, field(data, root, 3))[0]
        assert body % 8 == 0, body
        header = follow(data, field(data, root, 2))
        rows = 0
        if kind == BATCH:
            rows = struct.unpack_from("<q", data, field(data, header, 0))[0]
            check_buffers(data, follow(data, field(data, header, 2)), body)
        found.append((kind, rows, body))
        at += size + body


def check_buffers(data, vector, body):
    """They lie in the body one after another, each at a multiple of 8."""
    assert (vector + 4) % 8 == 0, vector
    end = 0
    for number in range(struct.unpack_from("<I", data, vector)[0]):
        offset, length = struct.unpack_from("<qq", data, vector + 4 + 16 * number)
        assert offset == end, (offset, end)
        end = offset + (length + 7) // 8 * 8
    assert end == body, (end, body)


class TablesAsArrow(CliTest):
    def table(self, name, text, *options):
        self.write(name, text)
        self.ok("compress", "-f", "--table", "auto", *options, name)
        return name + ".presso"

    def read(self, stream):
        if pyarrow is None:
            self.skipTest("skipped: pyarrow is not installed")
        with pyarrow.ipc.open_stream(io.BytesIO(stream)) as reader:
            table = reader.read_all()
        table.validate(full=True)
        return table

    @covers("cat", "--format")
    @covers("decompress", "--format")
    def test_a_stream_is_a_schema_batches_and_an_end(self):
        path = self.table("many.csv", many_rows(20000), "--row-group", "6000")
        stream = self.ok("cat", "--format", "arrow", path).out
        kinds = [(kind, rows) for kind, rows, _ in messages(stream)]
        self.assertEqual(kinds, [(SCHEMA, 0)] + [(BATCH, n) for n in (6000, 6000, 6000, 2000)])
        self.ok("decompress", "--format", "arrow", "-o", "many.arrows", path)
        with open("many.arrows", "rb") as file:
            self.assertEqual(file.read(), stream)
        for threads in ("1", "2"):
            self.assertEqual(self.ok("cat", "--format=arrow", "-T", threads, path).out, stream)
        part = self.ok("cat", "--format=arrow", "--rows", "5999-6002", "--columns=key", path).out
        self.assertEqual([rows for _, rows, _ in messages(part)], [0, 2, 2])
        self.fails("cat", "--format=arrow", "--rows", "20001-", path, saying="after the end")
        empty = self.table("none.csv", b"key,value\n")
        none = self.ok("cat", "--format=arrow", empty).out
        self.assertEqual([kind for kind, _, _ in messages(none)], [SCHEMA])

    def test_pyarrow_reads_every_type(self):
        path = self.table("types.csv", EVERY_TYPE)
        stream = self.ok("cat", "--format=arrow", path).out
        self.assertEqual([rows for _, rows, _ in messages(stream)], [0, 3])
        table = self.read(stream)
        self.assertEqual(
            [str(column.type) for column in table.schema],
            ["int64", "uint64", "decimal128(18, 2)", "decimal128(38, 1)", "double", "date32[day]",
             "timestamp[s]", "timestamp[ms, tz=UTC]", "bool", "large_string"],
        )
        rows = table.to_pydict()
        number = decimal.Decimal
        self.assertEqual(rows["whole"], [-1, 2, None])
        self.assertEqual(rows["large"], [2**64 - 1, None, 7])
        self.assertEqual(rows["price"], [number("1.50"), number("-2.25"), None])
        wide = [number("12345678901234567890123.5"), None, number("-2345678901234567890123.5")]
        self.assertEqual(rows["wide"], wide)
        self.assertEqual((rows["real"][0], rows["real"][2]), (0.25, 1e-05))
        self.assertTrue(math.isnan(rows["real"][1]))
        days = [datetime.date(2024, 1, 31), datetime.date(1899, 12, 31), None]
        self.assertEqual(rows["day"], days)
        self.assertEqual(rows["when"][2], datetime.datetime(1969, 12, 31, 23, 59, 59))
        self.assertEqual(rows["utc"][1].isoformat(), "2024-01-31T23:59:59.124000+00:00")
        self.assertEqual(rows["paid"], [True, False, None])
        self.assertEqual(rows["note"], ["naïve, so", None, "x"])

    def test_pyarrow_reads_columns_and_rows_across_row_groups(self):
        text = many_rows(20000)
        path = self.table("many.csv", text, "--row-group", "6000")
        part = ("--columns=comment,key", "--rows=2-12001")
        stream = self.ok("cat", "--format=arrow", *part, path).out
        rows = [line.decode().split(",") for line in text.splitlines()[2:12002]]
        table = self.read(stream)
        self.assertEqual(table.column_names, ["comment", "key"])
        self.assertEqual(table["key"].to_pylist(), [int(row[0]) for row in rows])
        self.assertEqual(table["comment"].to_pylist(), [row[3] for row in rows])

    def test_text_that_is_not_utf8_is_binary(self):
        path = self.table("latin.csv", b"name,id\nJos\xe9,1\n")
        stream = self.ok("cat", "--format=arrow", path).out
        self.assertEqual([rows for _, rows, _ in messages(stream)], [0, 1])
        table = self.read(stream)
        self.assertEqual(str(table.schema.field("name").type), "large_binary")
        self.assertEqual(table["name"].to_pylist(), [b"Jos\xe9"])

    def test_given_types_keep_what_is_known_of_the_text(self):
        path = self.table("typed.csv", b"id,zip\n1,80331\n", "--schema", "zip:utf8")
        table = self.read(self.ok("cat", "--format=arrow", path).out)
        self.assertEqual(str(table.schema.field("zip").type), "large_string")

    def test_nobody_says_of_a_long_pipe_that_it_is_utf8(self):
        text = b"name,id\n" + b"Jos\xc3\xa9,1\n" * 4000000 + b"Jos\xe9,2\n"
        self.write("pipe.presso", self.ok("compress", "--table=csv", "-c", "-", stdin=text).out)
        last = ("--format=arrow", "--rows=4000001")
        table = self.read(self.ok("cat", *last, "pipe.presso").out)
        self.assertEqual(table["name"].to_pylist(), [b"Jos\xe9"])

    def test_streams_are_refused_where_nobody_could_read_them(self):
        path = self.table("a.csv", b"a\n1\n")
        self.fails("cat", "--format=arrow", path, path, saying="one stream")
        status, said = self.on_terminal("cat", "--format=arrow", path)
        self.assertEqual(status, 2)
        self.assertIn("not written to a terminal", said)


if __name__ == "__main__":
    if pyarrow is None:
        print("skipped: pyarrow is not installed, so values in Arrow streams are not read")
    main()
