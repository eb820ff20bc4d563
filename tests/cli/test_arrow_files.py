# SPDX-License-Identifier: MIT
"""Arrow's IPC files and streams as tables. The files in arrow/ were written by pyarrow 26 and
Polars 2.1; tests/differential/arrow_oracle.py has every type, layout and codec."""

import json
import os
import random
import shutil
import unittest

from support import ColumnFileTest, main
from test_table_arrow import field, follow

FILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "arrow")
KINDS = [
    {"n": None, "b": True, "i": 1, "u": 2**64 - 1, "h": 1.5, "f": 1.5, "s": "a", "sv": "short",
     "z": "x", "w": "abc", "dd": "1970-01-01", "dm": "1970-01-01",
     "ts": "1970-01-01 00:00:00.000", "tz": "1970-01-01 00:00:00.000000000",
     "t": "00:00:00.001", "du": 0, "iv": "P1M2DT0.000000003S", "d5": 1.25, "d60": 1.25,
     "uu": "00000000-0000-0000-0000-000000000005"},
    dict.fromkeys(("n", "b", "i", "h", "f", "s", "sv", "z", "w", "dd", "dm", "ts", "tz", "t", "du",
                   "iv", "d5", "d60", "uu")) | {"u": 0},
    {"n": None, "b": False, "i": -3, "u": None, "h": -0.25, "f": 3, "s": "Zürich",
     "sv": "longer than 12 bytes", "z": "", "w": "def", "dd": "2022-01-08", "dm": "1970-01-02",
     "ts": "1970-01-01 00:00:00.001", "tz": "1970-01-01 00:00:00.000000001",
     "t": "23:59:59.999", "du": -1, "iv": "P-1M-2DT-0.003S", "d5": -3, "d60": -3,
     "uu": "80000000-0000-0000-0000-000000000000"},
]
TYPES = ["utf8", "bool", "int8", "uint64", "float", "float", "utf8", "utf8", "binary", "binary",
         "date", "date", "timestamp(ms)", "timestamp(ns)", "utf8", "int64", "utf8",
         "decimal(5,2)", "decimal(38,2)", "utf8"]
NESTED = [
    {"l": [1, None], "st": {"x": 1, "y": "q"}, "m": {"k": 1}, "fl": [1, 2], "lv": [1, 2],
     "dc": "x", "re": "p", "ld": ["a", "b"], "lt": ["00:00:00.001"]},
    {"l": None, "st": None, "m": None, "fl": None, "lv": None, "dc": None, "re": "p", "ld": None,
     "lt": None},
    {"l": [], "st": {"x": None, "y": None}, "m": {}, "fl": [3, 4], "lv": [3], "dc": "y",
     "re": None, "ld": ["a"], "lt": ["00:00:00.002", None]},
]


def kinds_of_fields(stream):
    """The numbers of the types in a stream's schema (Schema.fbs)."""
    data = stream[8:]
    header = follow(data, field(data, follow(data, 0), 2))
    fields = follow(data, field(data, header, 1))
    count = int.from_bytes(data[fields : fields + 4], "little")
    return [data[field(data, follow(data, fields + 4 + 4 * i), 2)] for i in range(count)]


class ArrowFilesTest(ColumnFileTest):
    examples = os.path.join(FILES, "*.arrow*")

    def test_types_and_codecs(self):
        for name in ("kinds.arrow", "kinds_lz4.arrow", "kinds_zstd.arrows"):
            self.assertEqual(self.rows(f"select * from '{name}'"), KINDS)
            self.assertEqual(self.types(name), TYPES)

    def test_nested_values(self):
        self.assertEqual(self.rows("select * from 'nested.arrow'"), NESTED)
        self.assertEqual(self.rows("select st.x + 1 y, l[1] e from 'nested.arrow' where st.x = 1"),
                         [{"y": 2, "e": 1}])

    def test_other_writers(self):
        self.assertEqual(
            self.rows("select * from 'polars.arrow'"),
            [{"a": 1, "c": "x", "e": "lo", "w": 1, "l": [1], "ar": [1, 2],
              "st": {"a": 1, "b": "x"}},
             {"a": None, "c": "y", "e": "hi", "w": 2**100, "l": None, "ar": None,
              "st": {"a": None, "b": None}},
             {"a": 3, "c": "x", "e": "lo", "w": None, "l": [], "ar": [3, 4], "st": None}],
        )

    def test_dictionaries_that_grow_and_change(self):
        grown = [{"d": "a", "i": 7}, {"d": "b", "i": 7}, {"d": "c", "i": None}, {"d": "b", "i": 7}]
        self.assertEqual(self.rows("select * from 'deltas.arrow'"), grown)
        replaced = [{"d": "X", "i": 9}, {"d": "Y", "i": 9}]
        self.assertEqual(self.rows("select * from 'deltas.arrows'"), grown + replaced)
        self.assertEqual(self.rows("select d from 'deltas.arrows' where i = 9"),
                         [{"d": "X"}, {"d": "Y"}])

    def test_messages_before_arrow_0_15(self):
        self.assertEqual(self.rows("select * from 'old.arrow'"),
                         [{"a": 1, "d": "x"}, {"a": 2, "d": "y"}])

    def test_a_file_without_rows(self):
        self.assertEqual(self.rows("select count(*) n, count(s) s from 'none.arrow'"),
                         [{"n": 0, "s": 0}])
        self.assertEqual(self.types("none.arrow"), ["int32", "utf8", "utf8", "utf8", "utf8"])

    def test_names_that_repeat_or_are_empty(self):
        self.assertEqual(self.rows("select * from 'names.arrow'"),
                         [{"a": 1, "a_3": 2, "column3": 3, "a_2": 4}])

    def test_the_content_counts_and_not_the_name(self):
        for name in ("deltas.arrow", "deltas.arrows"):
            content = self.read(name)
            wanted = self.ok("select", name).out
            self.write("table.csv", content)
            self.assertEqual(self.ok("select", "table.csv").out, wanted)
            self.assertEqual(self.ok("select", "-", stdin=content).out, wanted)
            self.ok("compress", "-qf", "table.csv", "-o", "packed.presso")
            self.assertEqual(self.ok("select", "packed.presso").out, wanted)

    def test_with_other_files(self):
        self.write("more.csv", b"a,s\n2,z\n9,\n")
        self.assertEqual(
            self.rows("select o.d, m.s from 'old.arrow' o join 'more.csv' m using (a)"),
            [{"d": "y", "s": "z"}],
        )
        os.makedirs("d/y=1")
        os.makedirs("d/y=2")
        shutil.copy("old.arrow", "d/y=1/a.arrow")
        shutil.copy("old.arrow", "d/y=2/b.feather")
        counts = "select y, count(*) n, sum(a) s from '{}' group by y order by y"
        both = [{"y": 1, "n": 2, "s": 3}, {"y": 2, "n": 2, "s": 3}]
        self.assertEqual(self.rows(counts.format("d/*/*")), both)
        self.assertEqual(self.rows(counts.format("d")), both)

    def test_tables_are_made(self):
        for name in ("kinds", "nested"):
            self.ok("compress", "-q", "--table", "auto", f"{name}.arrow")
            self.assertEqual(self.rows(f"select * from '{name}.presso'"),
                             {"kinds": KINDS, "nested": NESTED}[name])
            self.assertEqual(self.ok("cat", f"{name}.presso").out,
                             self.ok("select", f"{name}.arrow").out)
        report = json.loads(self.ok("compress", "-qf", "--table", "auto", "--report", "json",
                                    "kinds.arrow").out)
        self.assertEqual((report["rows"], report["dialect"]), (3, {"kind": "arrow"}))
        self.assertEqual([each["nulls"] for each in report["columns"]], [3] + 19 * [1])
        piped = self.ok("compress", "--table", "auto", stdin=self.read("deltas.arrows")).out
        self.write("piped.presso", piped)
        self.assertEqual(len(self.rows("select * from 'piped.presso'")), 6)

    def test_answers_keep_types(self):
        for name, types in (("nested", [12, 13, 17, 16, 25, 5, 22, 12, 12]),
                            ("polars", [2, 24, 24, 7, 21, 16, 13])):
            self.ok("sql", f"select * from '{name}.arrow'", "-o", f"{name}.arrows")
            self.assertEqual(kinds_of_fields(self.read(f"{name}.arrows")), types)
            self.assertEqual(self.rows(f"select * from '{name}.arrows'"),
                             self.rows(f"select * from '{name}.arrow'"))
            self.ok("compress", "-q", "--table", "auto", f"{name}.arrow")
            stored = self.ok("cat", "--format", "arrow", f"{name}.presso").out
            self.assertEqual(kinds_of_fields(stored), types)
            self.assertEqual(len(stored), len(self.read(f"{name}.arrows")))

    def test_answers_as_files(self):
        for name in ("nested", "kinds"):
            for ending in ("arrow", "feather", "ipc"):
                self.ok("sql", f"select * from '{name}.arrow'", "-o", f"out.{ending}", "-f")
                self.assertEqual(self.rows(f"select * from 'out.{ending}'"),
                                 self.rows(f"select * from '{name}.arrow'"))
            content = self.read("out.ipc")
            self.assertEqual((content[:8], content[-6:]), (b"ARROW1\0\0", b"ARROW1"))
        self.assertEqual(self.types("out.ipc"), TYPES)
        done = self.run_presso("sql", "select * from 'kinds.arrow' where i > 9", "-o", "out.arrow",
                               "-f")
        self.assertEqual(done.status, 1)
        self.assertEqual(self.types("out.arrow"), TYPES)
        parts = " union all ".join(["select i, s from 'kinds.arrow'"] * 9)
        self.ok("sql", f"copy ({parts}) to 'many.arrow'")
        self.assertEqual(self.rows("select s from 'many.arrow'"),
                         9 * [{"s": row["s"]} for row in KINDS])

    def test_answers_of_many_batches(self):
        parts = " union all ".join(["select * from 'nested.arrow'"] * 5)
        self.ok("sql", f"select * from ({parts})", "-o", "many.arrows")
        self.assertEqual(self.rows("select * from 'many.arrows'"), 5 * NESTED)

    def test_sorted_and_with_other_types(self):
        self.ok("compress", "-q", "--table", "auto", "--sort-by", "i desc", "--schema",
                "i:int64,u:decimal(20,0)", "kinds.arrow")
        self.assertEqual(self.rows("select * from 'kinds.presso'"),
                         [KINDS[1], KINDS[0], KINDS[2]])
        self.assertEqual(self.types("kinds.presso"),
                         TYPES[:2] + ["int64", "decimal(38,0)"] + TYPES[4:])
        for option, saying in ((("--sort-by", "x"), "there is no column 'x'"),
                               (("--schema", "x:int8"), "there is no column 'x'"),
                               (("--schema", "s:int8"), "a text is not of type int8")):
            self.fails("compress", "-f", "--table", "auto", *option, "kinds.arrow", saying=saying)

    def test_info(self):
        files = json.loads(self.ok("info", "--json", "kinds.arrow").out)["files"]
        self.assertEqual([each["type"] for each in files[0]["columns"]], TYPES)
        self.assertIn("an Arrow file", self.ok("info", "deltas.arrows").out.decode())

    def test_what_cannot_be_read(self):
        self.fails("select", "union.arrow", saying="union.arrow: column 'u' is or has a union")
        content = self.read("kinds.arrow")
        self.write("short.arrow", content[:-5])
        self.fails("select", "short.arrow", saying="the Arrow file is cut off: it does not end")
        stream = self.read("deltas.arrows")
        self.write("short.arrows", stream[:-20])
        self.fails("select", "short.arrows", saying="the Arrow file is cut off in the message at")
        self.write("two.arrows", stream + stream)
        self.fails("select", "two.arrows", saying="and more follows")
        for name in ("x.arrow", "x.arrows", "x.feather", "x.ipc"):
            self.write(name, b"a,b\n1,2\n")
            self.fails("select", name, saying=f"{name}: is no ")

    def test_damage_is_an_error_or_other_values(self):
        rng = random.Random(7)
        for name in ("kinds_lz4.arrow", "kinds_zstd.arrows", "nested.arrow", "deltas.arrows",
                     "polars.arrow"):
            good = self.read(name)
            for _ in range(20):
                bad = bytearray(good)
                for _ in range(rng.randrange(1, 4)):
                    bad[rng.randrange(8, len(bad))] = rng.randrange(256)
                self.write("bad", bytes(bad[: rng.choice((len(bad), rng.randrange(8, len(bad))))]))
                done = self.run_presso("sql", "select * from bad", "-o", "out.csv", "-f")
                self.assertIn(done.status, (0, 1, 2), done)
                if done.status == 2:
                    self.assertIn("presso: bad", done.err)


if __name__ == "__main__":
    main()
