#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tables.py, written from FORMAT.md 15 to 21 alone, gives back the text of tables that the library
makes, of the committed ones in tables/ and of some made just now; the examples of FORMAT.md 15.8,
16.5, 17.5, 18.4, 19, 20 and 21 are what it says they are; and it takes no damage for content.

    tables_test.py --update     makes the files that tables/ does not have yet
"""

import contextlib
import datetime
import hashlib
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import builder
import decode
import decoders
import format_example
import inputs
import tables
from xxh3 import xxh3_64

FILES = Path(__file__).resolve().parent / "tables"
MANIFEST = FILES / "manifest.json"


def make(text, group_rows=1000, coding=decode.BIT, types=()):
    command = [os.environ["MAKE_TABLE"], str(group_rows), str(coding), *types]
    return subprocess.run(command, input=text, capture_output=True, check=True).stdout


def make_arrow():
    """A table that is none of text, whose columns have types of Arrow."""
    return subprocess.run([os.environ["MAKE_TABLE"], "arrow"], capture_output=True, check=True).stdout


ARROW_TEXT = b"""c1,c2,c3,c4,c5,c6
"[1,null]","{""a"":1.50,""b c"":[NaN,-0.0],""r"":""00ff""}",\
"{""2024-01-31"":""1969-12-31T23:59:59.000000001Z""}","[""x""]",red,a
[],"{""a"":null,""b c"":null,""r"":null}",{},[null],blue,""
,,,,,
"""


def csv(names, columns, delimiter=",", end="\n"):
    rows = [names, *zip(*columns)]
    return "".join(delimiter.join(map(str, row)) + end for row in rows).encode()


# Names, types and values that reach every type, representation and kind of vector.


def bits(dice, count):
    return sum(dice.below(1 << 16) << at for at in range(0, count, 16)) & ((1 << count) - 1)


def numbers(rows):
    dice = inputs.Random(7)
    runs = [bits(dice, 60) for _ in range(rows // 40 + 1)]
    steps = [0]
    for row in range(rows):
        steps.append(steps[-1] + 1000 + dice.below(20))
    columns = {
        "i8 int8": [dice.below(256) - 128 for _ in range(rows)],
        "i16 int16": [100 * dice.below(600) - 30000 for _ in range(rows)],
        "i32 int32": [row * row % 1009 - 500 for row in range(rows)],
        "i64 int64": [bits(dice, 64) - (1 << 63) for _ in range(rows)],
        "u8 uint8": [row % 32 for row in range(rows)],
        "u16 uint16": [65535 - row % 7 for row in range(rows)],
        "u32 uint32": [7 * row for row in range(rows)],
        "u64 uint64": [(1 << 64) - 1 - runs[row // 40] for row in range(rows)],
        "steps int64": steps[:rows],
        "lanes int64": [row // 32 * 5000 + row % 32 * 100 + dice.below(3) for row in range(rows)],
        "rare int32": [bits(dice, 31) if dice.below(90) == 0 else row % 5 for row in range(rows)],
        "cents decimal(18,2)": [f"{dice.below(10**9) / 100:.2f}" for _ in range(rows)],
        "wide decimal(38,4)": [f"-{bits(dice, 90)}.{row % 10000:04}" for row in range(rows)],
    }  # fmt: skip
    return columns


def reals(rows):
    dice = inputs.Random(8)
    odd = ["nan", "inf", "-inf", "-0", "0", "1e+16", "1e-05", "0.0001", "9999999999999998"]
    odd32 = ["nan", "inf", "-0", "1e+07", "9999999", "0.0001", "1e-05", "1e-45", "3.4028235e+38"]

    column = tables.Column(tables.FLOAT, 0, 0, 0, 0, 0, 0)
    wide = tables.Column(tables.DOUBLE, 0, 0, 0, 0, 0, 0)
    images = [bits(dice, 64) for _ in range(rows)]
    fronts = (0x3FF5, 0x40A1, 0xBFE0)
    few_fronts = [fronts[row % 7 % 3] << 48 | images[row] >> 16 for row in range(rows)]
    return {
        "short double": [odd[row] if row < len(odd) else f"{row % 977 / 8:g}" for row in range(rows)],
        "price double": [dice.below(100) * dice.below(100) / 100 for _ in range(rows)],
        "full double": [tables.real_text(wide, image) for image in images],
        "fronts double": [tables.real_text(wide, image) for image in few_fronts],
        "single float": [odd32[row] if row < len(odd32) else
                         tables.real_text(column, images[row] >> 32) for row in range(rows)],
    }  # fmt: skip


def times(rows):
    dice = inputs.Random(9)
    first = datetime.datetime(1960, 2, 28, 23, 59, 1)
    at = [first + datetime.timedelta(seconds=row * 40000 + dice.below(9)) for row in range(rows)]
    days = [moment.date() for moment in at]
    return {
        "day -": days,
        "slash -": [f"{day:%Y/%m/%d}" for day in days],
        "dot -": [f"{day:%d.%m.%Y}" for day in days],
        "usa -": [f"{day:%m/%d/%Y}" for day in days],
        "s -": at,
        "ms -": [f"{moment:%Y-%m-%dT%H:%M:%S}.{dice.below(1000):03}" for moment in at],
        "us -": [f"{moment:%Y-%m-%dT%H:%M:%S}.{dice.below(10**6):06}Z" for moment in at],
        "ns -": [f"{moment}.{dice.below(10**9):09}" for moment in at],
    }


JSON_NUMBERS = """1.50 1000.00 1e5 1.50E+05 2.5e-003 0.00004805 -0.00 1.5 2 1E3 3e+7 1e300 NaN
    0.12345678901234567890 123456789012345678901234567890""".split()
NUMBERS = (*JSON_NUMBERS, *".5 -.5 5. +3 00.5 inf -INF nan Infinity NA".split(), " 7", "7  ")
NULLS = ("NA", "N/A", "NULL", "null", "None", "-", "\\N", " ", "", '""', '"NA"', "<NA>")
TIMES = (
    "2010/01/01 00:00", "2010-01-01", "2010-1-2 9:05", " 2010-01-01 07:08:09 ", "2010-03-04T05:06",
    "2010-01-01 00:00:00.5", "2010-01-01 00:00:00.250", "1960-02-28 23:59:59", "-",
)  # fmt: skip
ZONES = ("Z", "+01:00", "-0330", " +05:30", "+02", " Z")


def halves(moment, dice):
    """A time of twelve hours."""
    year = f"{moment:%y}" if dice.below(4) == 0 else moment.year
    half = "AM" if moment.hour < 12 else "PM"
    end = (" " + half, half, half.lower())[dice.below(3)]
    hour = (moment.hour + 11) % 12 + 1
    return f"{moment.month}/{moment.day}/{year} {hour}:{moment.minute:02}{end}"


def spelled(rows):
    """Columns that are typed, and whose values are written in many ways."""
    dice = inputs.Random(13)
    first = datetime.datetime(2000, 12, 28, 10, 30)
    at = [first + datetime.timedelta(minutes=977 * dice.below(9000)) for _ in range(rows)]
    days = [moment.date() for moment in at]

    def pick(*values, often=None):
        """One of the values in each row, or mostly `often`."""
        each = [values[dice.below(len(values))] for _ in range(rows)]
        return each if often is None else [often if dice.below(8) else value for value in each]

    numbers = [f"{dice.below(4000) / 8}" for _ in range(rows)]
    truths = ("true FALSE True false", "True False", "TRUE FALSE", "T F", "t f", "T F t", "Yes No",
              "yes No", "YES NO", "y n", "Y N", "Y N n")  # fmt: skip
    return {
        "number -": pick(*NUMBERS),
        "own -": [f".{dice.below(90) + 10}" for _ in range(rows)],
        "own_too -": [f".{dice.below(90) + 10}" if row % 9 else "1.25" for row in range(rows)],
        "points -": [number if dice.below(3) else f"{float(number):.4f}" for number in numbers],
        "count int64": pick("+9223372036854775807", " -5", "-0", "12", "12 ", often="12"),
        "cents decimal(18,2)": pick("1.5", ".50", "7", "+3.25", "-.25", "7.", often="0.25"),
        "null -": [row if dice.below(3) else NULLS[dice.below(12)] for row in range(rows)],
        "na -": [row if dice.below(3) else "NA" for row in range(rows)],
        "quoted -": [f'"{row}"' if dice.below(9) == 0 else row for row in range(rows)],
        "bare -": [row if dice.below(9) == 0 else f'"{row}.5"' for row in range(rows)],
        "text -": [f'"word {row}"' if dice.below(5) == 0 else f"word {row % 50}" for row in range(rows)],
        "texts -": [f"word {row}" if row % 50 == 7 else f'"word {row % 50}"' for row in range(rows)],
        "usa -": [f"{day.month}/{day.day}/{day.year}" for day in days],
        "usa_too -": [f"{day:%m/%d/%Y}" if dice.below(9) else f"{day:%m-%d-%y}" for day in days],
        "dot -": [f"{day.day}.{day.month}.{day.year}" if dice.below(5) else "N/A" for day in days],
        "year -": [f"{day}" if dice.below(5) else f"{day:%Y/%m/%d} " for day in days],
        "half -": [halves(moment, dice) for moment in at],
        "time -": pick(*TIMES),
        "zone -": [f"{moment}{ZONES[dice.below(6)]}" for moment in at],
        **{f"bool{number} -": pick(*words.split(), "") for number, words in enumerate(truths)},
    }  # fmt: skip


def framed(rows):
    """Columns that have long spellings of their own, and one with a null text of its own."""
    dice = inputs.Random(15)
    days = [datetime.date(1995 + row, row % 12 + 1, row % 9 + 1) for row in range(rows)]
    clocks = [f"{row % 24:02}:{row:02}:00.{dice.below(999) + 1:03}-01:30" for row in range(rows)]
    return {
        "real -": [f" {dice.below(9) + 1}.5E+{row:02} " for row in range(rows)],
        "fixed -": [f" +{10 ** (row % 19)}.{row:02} " for row in range(rows)],
        "whole -": [f" +{7**row} " for row in range(rows)],
        "day -": [f" {day.year}/{day.month}/{day.day} " for day in days],
        "time -": [f" {day} {clock}" for day, clock in zip(days, clocks)],
        "null -": [row if row % 3 else "N/A" for row in range(rows)],
    }


def spelled_json(rows):
    dice = inputs.Random(14)
    numbers = (*JSON_NUMBERS, "null")
    times = ['"2010-01-01T10:00:00Z"', '"2010-1-2T10:00Z"', '"2010-01-01T10:00:00.5Z"', "null", '"-"']
    days = ['"2/24/2003"', '"02/25/2003"', '"2/3/03"', '"N/A"']
    for row in range(rows):
        values = (dice.below(9), *(some[dice.below(len(some))] for some in (numbers, times, days)))
        yield '{"id":%s,"x":%s,"at":%s,"on":%s}\n' % values


def syllables(dice):
    """A word that is none: some columns of them are smallest as tokens."""
    pairs = [f"{'bcdfghjklmnprstvz'[dice.below(17)]}{'aeiou'[dice.below(5)]}" for _ in range(4)]
    return "".join(pairs[: 1 + dice.below(4)])


def words(rows):
    dice = inputs.Random(10)
    vocabulary = [syllables(dice) for _ in range(300)]
    some = ["", "apple", "pear", '"a, b"', '"say ""yes"""', '""']
    urls = [f"https://example.org/page/{dice.below(50)}/item?{dice.below(9000)}" for _ in range(rows)]
    return {
        "marked -": [["true", "false", ""][dice.below(3)] for _ in range(rows)],
        "agreed -": [("yes", "no")[row % 3 == 0] for row in range(rows)],
        "nothing -": [""] * rows,
        "few -": [some[dice.below(len(some))] for _ in range(rows)],
        "url -": urls,
        "said -": [" ".join(vocabulary[dice.below(300)] for _ in range(8)) for _ in range(rows)],
        "noise -": [inputs.noise(20 + dice.below(40), row).hex() for row in range(rows)],
        "long -": [inputs.noise(300, row).hex() if row % 5 == 0 else "" for row in range(rows)],
        "again int64": [int.from_bytes(inputs.noise(7, row % 60), "little") for row in range(rows)],
        "null int32": ["" if dice.below(3) else row for row in range(rows)],
    }  # fmt: skip


# A field of each type, in objects and arrays.
NESTED_OBJECTS = b"".join(
    json.dumps(
        {
            "o": {"b": row > 1, "i": -row, "u": 2**64 - 1 - row, "f": row * 1.5e300, "s": "x"},
            "a b": [{"day": f"2024-01-0{row}", "at": f"2024-01-01T00:00:00.{row:06}Z"}, None],
            "d": {"e": {'"': row + 0.25}, "": [10**20 + row]},
        }
    ).encode()
    + b"\n"
    for row in range(1, 6)
)

JSON_OBJECTS = b"""{"id": 1, "name": "Smith \\u00e9", "tags": ["a", 1], "x": 1.0, "when": "2024-01-31"}
{"id": 2, "name": null, "tags": {}, "x": 1e5, "when": "2024-02-01"}
{"name": "b/c", "id": 3}

{"id": 4, "name": "x", "tags": [], "x": 2, "when": "2024-02-03", "extra": true}
"""


def typed(columns, **layout):
    names, types = zip(*(name.split() for name in columns))
    return csv(names, columns.values(), **layout), types


def small_texts():
    yield "comments", b"#c\nid,t\n1,a\n\n2,b\n#x\n3,\"c\"\n4,d\n# at the end"
    yield "crlf", b'"id","name"\r\n"1","a"\r\n"2","b\r\nc"\r\n3,d\n'
    yield "tabs", b"id\tname\n1\ta\n2\t\n3\tc,\n"
    yield "trailing", b"1|x|2.50|\n2|yy|3.25|\n3||0.00|"
    yield "ragged", b"a,b,c\n1,2,3\n4\n5,6\n7,8,9"
    yield "bytes", b"\xef\xbb\xbfid,t\n1,\xff\xfe\n2,\0\n"
    yield "only-a-header", b"id,name\n"
    cafes = "\ufeffid,name\n1,caf\u00e9\n2,\u20ac\U0001f600\n"
    yield "utf-16le", cafes.encode("utf-16-le")
    yield "utf-16be", cafes.encode("utf-16-be")


def json_texts():
    yield "objects", JSON_OBJECTS
    yield "nested", NESTED_OBJECTS
    rows = [{"id": row, "in": {"list": [row, "x"]}} for row in range(20)]
    yield "pretty", json.dumps(rows, indent=2).encode()
    dice = inputs.Random(11)
    names = ["id", "kind", "who", "caf\u00e9", "x/y"]
    values = [None, True, False, 3, -2.5, 1e300, "a/b", "\u00e9\n\U0001f600", [1, {"k": 2}], ""]
    for name, ascii_only, spaces in (("ascii", True, None), ("compact", False, (",", ":"))):
        text = ""
        for _ in range(200):
            first, count = (0, 5) if dice.below(3) else (dice.below(5), dice.below(6))
            keys = [names[(first + place) % 5] for place in range(count)]
            row = {key: values[dice.below(len(values))] for key in keys}
            text += json.dumps(row, ensure_ascii=ascii_only, separators=spaces) + "\n"
        yield name, text.encode()


def tokens_text():
    """Words of pieces in no order, which tokens take less room for than matches do."""
    dice = inputs.Random(12)
    letters = "abcdefghijklmnopqrstuvwxyz"
    pieces = ["".join(letters[dice.below(26)] for _ in range(6)) for _ in range(300)]
    text = [["".join(pieces[dice.below(300)] for _ in range(3)) for _ in range(3000)]]
    return csv(["word", "real"], [*text, [row / 8 % 16 for row in range(3000)]])


def all_texts(rows):
    """(name, text, types)"""
    yield "tokens", tokens_text(), ()
    for name, text in json_texts():
        yield name, text, ()
    yield "spelled-json", "".join(spelled_json(rows // 4)).encode(), ()
    yield ("spelled", *typed(spelled(rows // 4)))
    yield ("framed", *typed(framed(20)))
    for name, columns in (("numbers", numbers), ("reals", reals), ("times", times), ("words", words)):
        yield (name, *typed(columns(rows)))
    for name, text in small_texts():
        yield name, text, ()


def odd(row):
    return f"{row * row * 7919 % 99991}x{row * 31337 % 9973}"


def texts_of_rows():
    """Texts whose columns take more than the text itself."""
    rows = range(200)
    lines = (f"   {10 + row % 70}.50000e+01   {odd(row)}  7.0\n" for row in rows)
    yield "padded", ("a b c\n" + "".join(lines)).encode()
    lines = (
        ("# 1,2,3,4,5,6 is a comment\n" if row % 50 == 3 else "")
        + ("NA," if row % 9 == 2 else "N/A," if row % 9 == 5 else f'"{row % 13}.50",')
        + f'"a ""{odd(row)}"", b",'
        + ("" if row % 7 == 0 else odd(row + 5))
        + (",31.01.2024" if row % 5 else ",1.2.2024")
        + (",no,2024-01-31 10:00:00\r\n" if row % 3 == 0 else ",Yes,2024-01-31 10:00\n")
        for row in rows
    )
    yield "quoted", ("n,t,u,d,b,at\n" + "".join(lines)).encode()
    parts = (f'\n  "k{row}": {{\n    "id": "{odd(row)}",\n    "n": [1, 2.50, null]\n  }}' for row in rows)
    last = ',\n  "a\\u0062": "x\\ny",\n  "n": null, "d": "2024-01-31", "r": 1.50, "i": 7\n}\n'
    yield "object", ("{" + ",".join(parts) + last).encode()


class FreshTables(unittest.TestCase):
    def test_every_type_comes_back_and_all_of_the_format_is_reached(self):
        seen = set()
        for name, text, types in all_texts(1400):
            for coding in (decode.RAW, decode.BYTE, decode.BIT):
                with self.subTest(name, coding=coding):
                    decoded = tables.decode_table(make(text, 1100, coding, types))
                    self.assertEqual(decoded.text, text)
                    seen |= decoded.seen
        wanted = {f"type {number}" for number in range(1, 17)}
        wanted |= {f"kind {kind}" for kind in range(8)}
        wanted |= {f"representation {number}" for number in range(5)}
        wanted |= {f"spelling {kind}" for kind in "=ntqu"} | {"own spelling n", "own spelling t"}
        wanted |= {f"field of type {number}" for number in (1, 5, 9, 11, 12, 13, 14, 15)}
        wanted |= {"own null text", "spacing", *(f"text {number}" for number in range(19))}
        wanted |= {"validity", "exact lines", "coding 1", "coding 3", "integers as bytes"}
        wanted |= {f"planes {form}" for form in (0, 1, 2, 4, 5)}
        wanted |= {f"plane {coding}" for coding in (0, 1, 3, 255)}
        self.assertEqual(wanted - seen, set())

    def test_types_of_arrow_are_read(self):
        decoded = tables.decode_table(make_arrow())
        self.assertEqual(decoded.text, ARROW_TEXT)
        formats = [column.arrow_type.format for column in decoded.members[0].schema.columns]
        self.assertEqual(formats, [b"+l", b"+s", b"+m", b"+w:1", b"c", b"vu"])
        with self.assertRaises(decode.FormatError) as caught:
            tables.decode_table(make_arrow() + make(ARROW_TEXT))
        self.assertEqual(caught.exception.code, tables.TableCode.BAD_SCHEMA)

    def test_packed_rows_have_every_type(self):
        seen = set()
        for name, text, types in all_texts(100):
            for group_rows in ("7p", "30p"):
                with self.subTest(name, group_rows=group_rows):
                    decoded = tables.decode_table(make(text, group_rows, decode.BIT, types))
                    self.assertEqual(decoded.text, text)
                    seen |= decoded.seen
        wanted = {f"packed type {number}" for number in range(1, 17)} | {"packed exact lines"}
        self.assertEqual(wanted - seen, set())

    def test_rows_are_stored_as_their_text(self):
        seen = set()
        for name, text in texts_of_rows():
            with self.subTest(name):
                decoded = tables.decode_table(make(text, "1000p", decode.BIT))
                plain = tables.decode_table(make(text, 1000, decode.BIT))
                self.assertEqual(decoded.text, text)
                self.assertTrue(decoded.members[0].groups[0].is_text)
                self.assertEqual(decoded.members[0].values, plain.members[0].values)
                seen |= decoded.seen
        wanted = {f"piece {number}" for number in range(3)}
        wanted |= {f"value {number} of a cut" for number in range(3)}
        wanted |= {f"type {number} of a text" for number in (1, 5, 11, 12, 13, 14, 16)}
        self.assertEqual(wanted - seen, set())

    def test_row_groups_of_every_size(self):
        text = csv(["n", "s"], [range(70), [f"text {row % 9}" for row in range(70)]])
        for group_rows in (1, 2, 31, 32, 33, 69, 70, 71):
            decoded = tables.decode_table(make(text, group_rows))
            self.assertEqual(decoded.text, text)
            self.assertEqual(len(decoded.members[0].groups), -(-70 // group_rows))

    def test_tables_follow_one_another(self):
        first, second = b"id,name\n1,a\n2,b\n", b"id,name\n3,c\n"
        both = tables.decode_table(make(first) + make(second))
        self.assertEqual(both.text, first + second)
        with self.assertRaises(decode.FormatError) as caught:
            tables.decode_table(make(first) + make(b"id,other\n3,c\n"))
        self.assertEqual(caught.exception.code, tables.TableCode.BAD_SCHEMA)


class GoldenTables(unittest.TestCase):
    def test_files_give_the_text_of_the_manifest(self):
        manifest = json.loads(MANIFEST.read_text())
        self.assertEqual(sorted(manifest), sorted(path.stem for path in FILES.glob("*.presso")))
        for name, entry in manifest.items():
            with self.subTest(name):
                data = (FILES / f"{name}.presso").read_bytes()
                self.assertEqual(entry, facts(data, tables.decode_table(data).text))


    def test_every_decoder_of_the_library_gives_their_text(self):
        manifest = json.loads(MANIFEST.read_text())
        outcomes = library_outcomes([FILES / f"{name}.presso" for name in manifest])
        for level, of_level in outcomes.items():
            for name, outcome in zip(manifest, of_level):
                with self.subTest(name, level=level):
                    data = (FILES / f"{name}.presso").read_bytes()
                    text = tables.decode_table(data).text
                    self.assertEqual(outcome, decoders.outcome_of(text))


def library_outcomes(paths):
    """By CPU level, an Outcome for each path."""
    levels = [name for name in decoders.library("list") if name not in ("reference", "indexed")]
    return {level: decoders.run(f"table-{level}", paths) for level in levels}


def outcomes_of_data(cases):
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / str(number) for number in range(len(cases))]
        for path, data in zip(paths, cases):
            path.write_bytes(data)
        return library_outcomes(paths)


def facts(data, text):
    return dict(
        bytes=len(data),
        sha256=hashlib.sha256(data).hexdigest(),
        text_bytes=len(text),
        text_sha256=hashlib.sha256(text).hexdigest(),
    )


class Examples(unittest.TestCase):
    """The hex blocks of FORMAT.md 15.8 and 16.5 to 21."""

    def setUp(self):
        document = format_example.FORMAT_MD.read_text().split("\n## Appendix A")[0]
        blocks = dict(format_example.FENCE.findall(document))
        self.blocks = {name: format_example.hex_bytes(text) for name, text in blocks.items()}

    def integers(self, name, width_bytes, rows, divisor):
        size = tables.integer_bytes(width_bytes, rows)
        header = tables.ColumnHeader(0, size, 4, 0, width_bytes, rows, 1, divisor, 0)
        return tables.decode_integers(header, self.blocks[name])

    def test_integers(self):
        values = [7 * i % 16 for i in range(64)]
        self.assertEqual(self.integers("integers-delta", 4, 64, 1), values)
        values = [1000 + 100 * (i * i % 11) for i in range(35)]
        self.assertEqual(self.integers("integers-packed", 2, 35, 100), values)

    def test_planes(self):
        header = tables.ColumnHeader(0, 20, tables.PLANE_CODING, 0, 4, 5, 1, 0, 0)
        values = tables.decode_planes(header, self.blocks["planes"])
        self.assertEqual(values, [70000, 70000, 100, 70000, 100])

    def test_packed_rows(self):
        count, fields = tables.parse_packed_rows(self.blocks["packed-rows"], 3)
        self.assertEqual((count, fields), (2, [b"1", b"Eve", b"2", None, b"5", b""]))

    def test_text_of_rows(self):
        columns = [tables.Column(tables.UTF8, 1, 0, 0, 0, 0, 0) for _ in range(2)]
        schema = tables.Schema(True, 1, b",", b'"', False, False, b"", b"", 0, [], columns=columns)
        cuts = tables.TextCuts(schema, self.blocks["text-of-rows"], set())
        rows = [list(row.values()) for row in cuts.read(self.blocks["text-cuts"], 3)]
        self.assertEqual(rows, [[b"one", b't"wo'], [b"three", b"x"], [b"four", b"five"]])

    def test_coded_sections(self):
        coded = self.blocks["coded-section"]
        self.assertEqual(tables.decode_payload(coded, 100, decode.Code.BAD_HEADER), b"a" * 20)

    def test_tokens(self):
        tokens = tables.parse_token_dictionary(self.blocks["tokens-dictionary"])
        self.assertEqual((len(tokens), tokens[116:119]), (258, [b"t", b"th", b"the "]))
        codes = struct.pack("<5I", 118, 117, 101, 110, 97) + bytes(108)
        strings = tables.decode_tokens(tokens, codes, 5, [4, 0, 1], 9)
        self.assertEqual(strings, [b"the then", b"", b"a"])

    def test_table(self):
        schema = tables.parse_schema(self.blocks["table-schema"])
        names = [(column.name, column.type) for column in schema.columns]
        self.assertEqual(names, [(b"id", 5), (b"name", tables.UTF8)])
        self.assertEqual((schema.exact, schema.head, schema.null), (True, b"id,name\n", b""))
        group = tables.parse_row_group(self.blocks["table-directory"], schema)
        streams = [(block.stream, block.rows) for block in group.blocks]
        self.assertEqual(streams, [(5, 3), (0, 3), (1, 2), (2, 1), (6, 3)])
        self.assertEqual((group.rows, group.text_bytes, group.text_lines), (3, 15, 3))
        values = group.blocks[0].least, group.blocks[0].most, group.blocks[4].least
        self.assertEqual(values, (1 + (1 << 63), 5 + (1 << 63), int.from_bytes(b"Bob", "big") << 40))
        header = tables.parse_column_header(self.blocks["table-block"][:48])
        payload = self.blocks["table-block"][48 : 48 + header.payload_bytes]
        self.assertEqual(xxh3_64(payload), header.checksum)
        self.assertEqual(tables.decode_integers(header, payload), [1, 2, 5])
        self.assertEqual(group.text_checksum, xxh3_64(b"1,Eve\n2,\n5,Bob\n"))

    def test_every_block_is_looked_at(self):
        self.assertEqual(len(self.blocks), 11)


class Damage(unittest.TestCase):
    def test_no_changed_byte_changes_the_text(self):
        text = b"# c\nid,t,x\n" + b"".join(b"%d,word%d,%d.5\n" % (i, i % 3, i) for i in range(40))
        data = make(text, 25)
        harmless = 0
        for at in range(len(data)):
            damaged = bytearray(data)
            damaged[at] ^= 1 << at % 8
            try:
                self.assertEqual(tables.decode_table(damaged).text, text, at)
                harmless += 1
            except decode.FormatError:
                pass
        self.assertLess(harmless, len(data) // 8)  # padding

    def test_cut_off_tables_are_told(self):
        data = make(b"id,t\n1,a\n2,b\n")
        for size in range(1, len(data)):
            with self.assertRaises(decode.FormatError):
                tables.decode_table(data[:size])

    def test_bytes_and_tables_are_told_apart(self):
        with self.assertRaises(decode.FormatError) as caught:
            decode.decode(make(b"id,t\n1,a\n"))
        self.assertEqual(caught.exception.code, decode.Code.CONTENT)


def seal(data, at, size):
    if at + size <= len(data):
        data[at + size - 4 : at + size] = struct.pack("<I", xxh3_64(data[at : at + size - 4]) & 0xFFFFFFFF)


def reseal(data):
    """Makes all checksums right but those of content; frames as they stand in a sound table."""
    at = 0
    while at + 32 <= len(data):
        kind = data[at + 3 : at + 4]
        if data[at : at + 8] == decode.MAGIC or kind == b"T":
            size = header = 32
        elif kind == b"B":
            header, payload = 48, decode.u24(data, at + 12)
            size = header + payload + -payload % 16
            if data[at + 11] in (tables.INTEGER_CODING, tables.TOKEN_CODING, tables.PLANE_CODING):
                checksum = xxh3_64(bytes(data[at + 48 : at + 48 + payload]))
                data[at + 36 : at + 44] = struct.pack("<Q", checksum)
        else:
            header, payload = 32, decode.u64(data, at + 8)
            size = header + payload + -payload % 16
            checksum = xxh3_64(bytes(data[at + 32 : at + 32 + payload]))
            data[at + 16 : at + 24] = struct.pack("<Q", checksum)
        seal(data, at, header)
        at += size
    return bytes(data)


class Mutations(unittest.TestCase):
    """Changed bytes, with right checksums: the library's decoders say what tables.py says."""

    FILES = (
        "bytes", "comments", "crlf", "ragged", "tabs", "trailing", "only-a-header", "framed",
        "spelled-json", "pretty", "arrow",
    )  # fmt: skip
    EACH = 150

    def mutations(self):
        for number, name in enumerate(self.FILES):
            sound = (FILES / f"{name}.presso").read_bytes()
            places = range(len(sound))
            if name.startswith("spelled"):
                places = spelling_places(sound)
            elif name == "arrow":
                places = range(sound.index(decode.SYNC + b"C"), sound.index(decode.SYNC + b"G"))
            dice = inputs.Random(number + 1)
            for _ in range(self.EACH):
                data = bytearray(sound)
                change = dice.below(3)
                at = places[dice.below(len(places))]
                data[at] = (dice.below(256), data[at] ^ 1 << dice.below(8), data[at] + 1 & 255)[change]
                yield name, at, reseal(data)

    def test_get_the_same_outcome_from_every_decoder(self):
        cases, expected = list(self.mutations()), []
        for _, _, data in cases:
            try:
                expected.append(decoders.outcome_of(tables.decode_table(data).text))
            except decode.FormatError as error:
                expected.append(decoders.Outcome(int(error.code)))
        codes = {outcome.code for outcome in expected}
        self.assertGreaterEqual(len(codes), 8)
        for level, outcomes in outcomes_of_data([data for _, _, data in cases]).items():
            for (name, at, _), outcome, wanted in zip(cases, outcomes, expected):
                if wanted.code == decode.Code.DEPENDENCY_RULE:
                    continue  # the library need not find it (FORMAT.md 11)
                with self.subTest(name, byte=at, level=level):
                    self.assertEqual(outcome._replace(block=None, offset=None), wanted)


class AnySpelling(unittest.TestCase):
    """Any bytes are the spelling of a column. The text that tables.py writes with them becomes the
    table's, and the library's decoders write it, too."""

    CASES = 250

    def forged(self):
        sound = (FILES / "framed.presso").read_bytes()
        dice = inputs.Random(16)
        for _ in range(self.CASES):
            data, at = bytearray(sound), 0
            for column in tables.decode_table(sound).members[0].schema.columns:
                size = len(column.spelling)
                if size:
                    at = sound.index(bytes([size]) + column.spelling, at) + 1
                    data[at : at + size] = any_spelling(dice, column.spelling)
            yield with_its_text(data)

    def test_gives_the_same_text_in_every_decoder(self):
        cases = list(self.forged())
        expected = [decoders.outcome_of(tables.decode_table(data).text) for data in cases]
        self.assertGreater(len({outcome.plain for outcome in expected}), self.CASES // 2)
        for level, outcomes in outcomes_of_data(cases).items():
            for number, (outcome, wanted) in enumerate(zip(outcomes, expected)):
                with self.subTest(number, level=level):
                    self.assertEqual(outcome, wanted)


def any_spelling(dice, spelling):
    """Mostly small numbers, with a kind and a notation that mean something."""
    forged = bytes(dice.below(256 if dice.below(3) == 0 else 8) for _ in spelling)
    if dice.below(16) == 0:
        return forged
    notation = b"ifges"[dice.below(5)]
    zone = (0, *b"Z:h2")[dice.below(5)]
    if spelling[:1] == b"n":
        return bytes([spelling[0], notation]) + forged[2:]
    return spelling[:1] + forged[1:7] + bytes([zone]) + forged[8:]


def with_its_text(data):
    """The table of one row group with size and checksum of the text that its rows have now."""
    texts = []

    def keep(group, text):
        group.text_bytes, group.text_lines = len(text), text.count(b"\n")
        texts.append(text)

    decoder = tables.Decoder(reseal(data))
    with mock.patch.object(tables, "check_text", keep), contextlib.suppress(decode.FormatError):
        decoder.decode()
    members = decoder.members
    text, member = texts[0], members[0]
    sizes = [len(text), text.count(b"\n")]
    begin, end = data.index(decode.SYNC + b"G"), data.rindex(decode.SYNC + b"I")
    old = tables.Reader(section_payload(data, begin), tables.TableCode.BAD_ROW_GROUP)
    rows, columns, *_ = (old.varint() for _ in range(4))
    old.number(8)
    prefix = b"".join(map(varint, (rows, columns, *sizes))) + struct.pack("<Q", xxh3_64(text))
    directory = builder.section(b"G", prefix + old.data[old.at :], mandatory=True, parameter=1)
    blocks = data[begin + member.places[0][1] : end]
    head = member.schema.head
    first = begin - member.offset
    totals = 1, rows, len(head) + sizes[0], head.count(b"\n") + sizes[1], first
    place = len(directory) + len(blocks), len(directory), rows, *sizes
    old = tables.Reader(section_payload(data, end), tables.TableCode.BAD_ROW_GROUP)
    for _ in range(10):
        old.varint()
    payload = b"".join(map(varint, (*totals, *place))) + old.data[old.at :]
    index = builder.section(b"I", payload, mandatory=True, parameter=1)
    made = reseal(data[:begin] + directory + blocks + index)
    return made + builder.trailer(len(made) - len(index), len(made) + 32)


def section_payload(data, at):
    return bytes(data[at + 32 : at + 32 + decode.u64(data, at + 8)])


def varint(number):
    stored = []
    while number >= 128:
        stored.append(number & 127 | 128)
        number >>= 7
    return bytes([*stored, number])


def spelling_places(data):
    """The bytes of the schema, and those of directory and blocks that are about spellings."""
    member = tables.decode_table(data).members[0]
    group, columns = member.groups[0], len(member.schema.columns) + 1
    schema, directory = data.index(decode.SYNC + b"C"), data.index(decode.SYNC + b"G")
    number = sum(len(chunk.blocks) for chunk in group.chunks[:columns])
    entries = [*group.chunks[columns:], *group.blocks[number:]]
    stored = directory + member.places[0][1]
    return [
        *range(schema, directory),
        *(directory + 32 + at for entry in entries for at in entry.place),
        *range(stored + sum(block.stored_bytes for block in group.blocks[:number]),
               stored + sum(block.stored_bytes for block in group.blocks)),
    ]  # fmt: skip


def update():
    FILES.mkdir(exist_ok=True)
    manifest = json.loads(MANIFEST.read_text()) if MANIFEST.exists() else {}
    texts = [(name, decode.BIT, text, types) for name, text, types in all_texts(600)]
    for name, _, text, types in texts[:]:
        if name in ("numbers", "reals", "times", "words"):
            texts.append((f"{name}-packed", decode.RAW, text, types))
    for name, text, types in all_texts(60):
        if name not in ("tokens", "nested"):
            texts.append((f"{name}-in-rows", decode.BYTE, text, types))
    texts += [(f"{name}-as-text", decode.BIT, text, ()) for name, text in texts_of_rows()]
    for name, coding, text, types in texts:
        if name in manifest:
            continue
        form = "-" + name.rpartition("-")[2]
        of_form = {"-rows": "20p", "-text": "1000p"}
        rows = 1500 if name == "tokens" else of_form.get(form, 400)
        data = make(text, rows, coding, types)
        assert tables.decode_table(data).text == text, name
        (FILES / f"{name}.presso").write_bytes(data)
        manifest[name] = facts(data, text)
    if "arrow" not in manifest:
        data = make_arrow()
        (FILES / "arrow.presso").write_bytes(data)
        manifest["arrow"] = facts(data, ARROW_TEXT)
    MANIFEST.write_text(json.dumps(manifest, indent=1) + "\n")


if __name__ == "__main__":
    if sys.argv[1:] == ["--update"]:
        update()
    else:
        unittest.main()
