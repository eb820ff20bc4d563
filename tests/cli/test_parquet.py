# SPDX-License-Identifier: MIT
"""Parquet files as tables and as answers. The files in parquet/ were written by pyarrow 26, DuckDB
2.0 and fastparquet 2026.9; tests/differential/parquet_oracle.py has every type and encoding."""

import json
import os
import random
import re
import shutil
import unittest

from support import ColumnFileTest, main

FILES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "parquet")
NULLS = dict.fromkeys(("i", "u", "s", "b", "ts", "dt", "dec", "t"))
ROWS = [
    {"i": 1, "u": 1, "s": "a", "d": 1.5, "b": True, "ts": "2024-01-02 03:04:05.678900",
     "dt": "2024-01-02", "dec": 1.25, "t": "01:02:03.04"},
    NULLS | {"d": 2.5},
    {"i": -3, "u": 255, "s": "ccc", "d": None, "b": False, "ts": "1969-12-31 23:59:59.000000",
     "dt": "0001-01-01", "dec": -99.99, "t": "00:00:00"},
    {"i": 7, "u": 7, "s": "Zürich", "d": -0.25, "b": True, "ts": "2000-02-29 00:00:00.000000",
     "dt": "9999-12-31", "dec": 0.0, "t": "23:59:59"},
]
TYPES = ["int32", "uint8", "utf8", "double", "bool", "timestamp(us)", "date", "decimal(7,2)",
         "utf8"]
NESTED = [
    {"id": 1, "l": [1, None], "st.x": 1, "st.y": "q", "m": {"k": 1},
     "ls": [{"a": 1, "b": [1.5]}]},
    {"id": 2, "l": None, "st.x": None, "st.y": None, "m": None, "ls": []},
    {"id": 3, "l": [], "st.x": None, "st.y": 'w"', "m": {"a": 2, "b": None},
     "ls": [{"a": None, "b": None}, None]},
]


class ParquetTest(ColumnFileTest):
    examples = os.path.join(FILES, "*.parquet")


class Input(ParquetTest):
    def test_encodings_and_codecs(self):
        for name in ("plain", "snappy", "deltas_v2_zstd"):
            self.assertEqual(self.rows(f"select * from '{name}.parquet'"), ROWS)
            self.assertEqual(self.types(f"{name}.parquet"), TYPES)

    def test_row_groups_that_begin_with_empty_strings(self):
        self.assertEqual(self.rows("select * from 'empty_strings.parquet'"),
                         [{"plain": "", "coded": "", "deltas": ""}] * 2
                         + [{"plain": "a", "coded": "b", "deltas": "c"}])

    def test_nested_values(self):
        self.assertEqual(self.rows("select * from 'nested.parquet'"), NESTED)
        self.assertEqual(
            self.rows("select id, st.x, \"st.y\" y, l[1] e, m.k, ls[1].b[1] f "
                      "from 'nested.parquet' where st.x = 1"),
            [{"id": 1, "x": 1, "y": "q", "e": 1, "k": 1, "f": 1.5}],
        )
        self.assertEqual(self.rows("select id, unnest(l) e from 'nested.parquet'"),
                         [{"id": 1, "e": 1}, {"id": 1, "e": None}])

    def test_nested_values_have_types(self):
        rows = [{"l": [n], "ls": [{"a": n, "b": "x"}], "y": [n], "m": {"k": n},
                 "ml": {"k": [n / 2]}} for n in (9, 10, 100)]
        try:
            import pyarrow as pa
            from pyarrow import feather, parquet
        except ImportError:
            self.skipTest("pyarrow is not there")
        number = pa.int64()
        columns = {
            "l": pa.array([row["l"] for row in rows], pa.list_(number)),
            "ls": pa.array([row["ls"] for row in rows]),
            "s": pa.array([{"x": 1, "y": row["y"]} for row in rows]),
            "m": pa.array([list(row["m"].items()) for row in rows], pa.map_(pa.string(), number)),
            "ml": pa.array([list(row["ml"].items()) for row in rows],
                           pa.map_(pa.string(), pa.list_(pa.float64()))),
        }
        parquet.write_table(pa.table(columns), "n.parquet")
        feather.write_feather(pa.table(columns), "n.arrow", compression="uncompressed")
        for name in ("n.parquet", "n.arrow"):
            self.ok("compress", "-q", name)
            self.ok("sql", f"select l, ls, l y, m, ml from '{name}'", "-o", "w.parquet", "-f")
            for source in (name, f"{name}.presso"):
                self.check_types(source, "s.y")
            self.check_types("w.parquet", "y")

    def check_types(self, name, y):
        """Values of 9, 10 and 100, whose order is not that of their texts."""
        for value in ("l[1]", "ls[1].a", f"{y}[1]", "m['k']", "m.k", "greatest(l[1], 1)"):
            self.assertEqual(self.rows(f"select max({value}) v, sum({value}) s from '{name}'"),
                             [{"v": 100, "s": 119}])
            self.assertEqual(self.rows(f"select l[1] v from '{name}' order by {value}"),
                             [{"v": 9}, {"v": 10}, {"v": 100}])
        self.assertEqual(self.rows(f"select max(ml['k'][1]) v from '{name}'"), [{"v": 50}])
        self.assertEqual(self.rows(f"select l[1] + 1 v from '{name}' where l[1] = 10"),
                         [{"v": 11}])
        self.assertEqual(self.rows(f"select list_transform(l, v -> v + 1) v from '{name}' limit 1"),
                         [{"v": [10]}])
        self.assertEqual(
            self.rows(f"select count(*) n from '{name}' a join '{name}' b on a.l[1] < b.l[1]"),
            [{"n": 3}])

    def test_other_writers(self):
        self.assertEqual(
            self.rows("select * from 'duckdb.parquet'"),
            [{"h": 42, "f": 1.5, "u": "12345678-1234-5678-1234-567812345678",
              "iv": "P0M3DT0.000S", "b": "x", "tz": "2024-01-01 00:00:00.000000",
              "tm": "12:34:56.789", "d": 1234567890123.123}],
        )
        self.assertEqual(
            self.rows("select a, s, t from 'fastparquet.parquet'"),
            [{"a": 1, "s": "x", "t": "2024-01-01 00:00:00.000000"},
             {"a": 2, "s": "y", "t": "2024-01-02 03:04:05.000000"},
             {"a": 3, "s": None, "t": "2020-02-29 00:00:00.000000"}],
        )

    def test_the_content_counts_and_not_the_name(self):
        os.rename("plain.parquet", "table.csv")
        self.assertEqual(self.rows("select i from 'table.csv' where i > 0"), [{"i": 1}, {"i": 7}])
        content = self.read("table.csv")
        self.assertEqual(self.ok("select", "-", "--columns", "i", stdin=content).out,
                         b"i\n1\n\"\"\n-3\n7\n".replace(b'""', b""))

    def test_columns_that_are_not_named(self):
        name = "'plain.parquet'"
        for statement, expected in (
            (f"select count(*) n from {name}", [{"n": 4}]),
            (f"select 2 * i j from {name} where s = 'a'", [{"j": 2}]),
            (f"select count(i) n, min(P.D) d from {name} p", [{"n": 3, "d": -0.25}]),
            (f"select p.* from {name} p limit 1", ROWS[:1]),
            (f"from {name} limit 1", ROWS[:1]),
            (f"with w as (from {name}) select max(u) u from w", [{"u": 255}]),
            (f"select * exclude (u, d, b, ts, dt, dec, t) from {name} limit 1",
             [{"i": 1, "s": "a"}]),
            (f"select distinct on (b) b, i from {name} where i = -3", [{"b": False, "i": -3}]),
            (f"select count(*) n from {name} a join {name} b using (i, s)", [{"n": 3}]),
            (f"select count(*) n from {name} a natural join {name} b", [{"n": 2}]),
            (f"select first from {name} t(first, second) where second = 1", [{"first": 1}]),
            (f"select (1 - d) * u x, count( * ) n from {name} where i = 1 group by 1",
             [{"x": -0.5, "n": 1}]),
            (f"select count(*) over w n from {name} window w as (partition by s) limit 1",
             [{"n": 1}]),
            (f"select max(u) u from {name} /* from here */ -- on", [{"u": 255}]),
        ):
            self.assertEqual(self.rows(statement), expected, statement)
        both = self.rows(f"select 1000 as i union all by name from {name}")
        self.assertEqual([row for row in both if row["i"] != 1000], ROWS)
        self.fails("sql", f"select none from {name}", saying="there is no column 'none'")
        out = self.ok("select", "plain.parquet", "--columns", "s, i+1 j", "--where", "u > 1").out
        self.assertEqual(out.decode(), "s,j\nccc,-2\nZürich,8\n")

    def test_with_other_files(self):
        self.write("more.csv", b"i,s\n7,z\n9,\n")
        self.assertEqual(
            self.rows("select p.i, m.s from 'plain.parquet' p join 'more.csv' m using (i)"),
            [{"i": 7, "s": "z"}],
        )
        os.makedirs("d/y=1")
        os.makedirs("d/y=2")
        shutil.copy("plain.parquet", "d/y=1/a.parquet")
        shutil.copy("snappy.parquet", "d/y=2/b.parquet")
        counts = "select y, count(*) n, sum(i) s from '{}' group by y order by y"
        both = [{"y": 1, "n": 4, "s": 5}, {"y": 2, "n": 4, "s": 5}]
        self.assertEqual(self.rows(counts.format("d/**/*.parquet")), both)
        self.assertEqual(self.rows(counts.format("d")), both)
        shutil.copy("more.csv", "d/y=2/c.csv")
        both[1] = {"y": 2, "n": 6, "s": 21}
        self.assertEqual(self.rows(counts.format("d"), "--union-by-name"), both)

    def test_tables_are_made(self):
        self.ok("compress", "-q", "--table", "auto", "plain.parquet")
        self.assertEqual(self.rows("select * from 'plain.presso'"), ROWS)
        self.assertEqual(self.types("plain.presso"), TYPES)
        text = self.ok("select", "plain.parquet").out
        self.assertEqual(self.ok("cat", "plain.presso").out, text)
        report = json.loads(
            self.ok("compress", "-qf", "--table", "auto", "--report", "json", "snappy.parquet").out
        )
        self.assertEqual((report["rows"], report["dialect"]), (4, {"kind": "parquet"}))
        self.assertEqual([each["nulls"] for each in report["columns"]], [1, 1, 1, 1, 1, 1, 1, 1, 1])
        piped = self.ok("compress", "--table", "auto", stdin=self.read("plain.parquet")).out
        self.write("piped.presso", piped)
        self.assertEqual(self.ok("cat", "piped.presso").out, text)
        self.ok("compress", "-qf", "--table", "auto", "--sort-by", "s desc, i", "--schema",
                "i:int64", "plain.parquet")
        self.assertEqual(self.rows("select * from 'plain.presso'"),
                         self.rows("select * from 'plain.parquet' order by s desc nulls first, i"))
        self.assertEqual(self.types("plain.presso"), ["int64"] + TYPES[1:])

    def test_info(self):
        files = json.loads(self.ok("info", "--json", "plain.parquet").out)["files"]
        self.assertEqual([each["type"] for each in files[0]["columns"]], TYPES)
        self.assertIn("4 rows of 9 columns", self.ok("info", "plain.parquet").out.decode())

    def left_out(self, *command):
        """How many rows -v says were not read."""
        found = re.search(r"([0-9,]+) rows are left out", self.run_presso(*command, "-v").err)
        return int(found.group(1).replace(",", "")) if found else 0

    def test_row_groups_are_left_out(self):
        for condition, rows in (
            ("i < 40", 20), ("i <= 40", 16), ("40 > i", 20), ("i > 190", 20), ("i >= 190", 16),
            ("i = 100", 20), ("i between 45 and 95", 16), ("i in (1, 100, 230)", 12),
            ("i = 100 or s = 'bbbü'", 16), ("i is null", 20), ("s is not null", 4),
            ("i > 70 and i < 80", 24), ("u > 3000000000", 24), ("u >= 2147483648", 12),
            ("d < 1", 20), ("d = 2.25", 20), ("d > 5", 0), ("d >= 100", 0),
            ("s = 'eeeü'", 20), ("s < 'b'", 20), ("s > 'zz'", 24),
            ("dt < date '2024-01-05'", 20), ("dt = '2024-01-24'", 20),
            ("ts < timestamp '2024-01-02 00:00:00'", 20), ("tz > '2024-01-23'", 20),
            ("dec < 0.9", 20), ("dec > 5.1", 20), ("st.x > 100", 0), ("l[1] > 100", 0),
            ("i + 0 < 40", 0), ("i <> 0", 0), ("not i > 190", 0), ("i < d", 0),
        ):
            self.assertEqual(self.left_out("sql", f"select * from 'groups.parquet' where "
                                           f"{condition}"), rows, condition)
        self.assertEqual(
            self.left_out("select", "groups.parquet", "--where", "i < 40", "--where", "u > 1"), 20)

    def test_conditions_whose_rows_may_not_be_left_out(self):
        name = "'groups.parquet'"
        for statement in (
            f"select i from {name} union all select i from {name} where i < 0",
            f"select * from {name} a join {name} b on a.i = b.i where a.i < 40",
            f"select count(*) from (select i from {name}) where i < 40",
            f"select i from {name} where i < 40 using sample 3 rows",
            f"with i as (select 1 i) select * from {name} where i < 40",
        ):
            self.assertEqual(self.left_out("sql", statement), 0, statement)
        os.makedirs("d/i=7")
        shutil.copy("groups.parquet", "d/i=7/a.parquet")
        self.assertEqual(self.rows("select count(*) n from 'd' where i = 7"), [{"n": 24}])

    def test_conditions_leave_the_same_rows_as_without_ranges(self):
        self.ok("compress", "-q", "--table", "auto", "groups.parquet")
        rng = random.Random(5)
        values = {"i": [-1, 0, 40, 55, 230, 999], "u": [0, 3, 2**31, 2**31 + 12000, 2**32],
                  "d": [0, 0.25, 3.25, 99, "'nan'"], "s": ["''", "'d'", "'dddü'", "'zzz'"],
                  "dt": ["'2024-01-04'", "date '2024-01-12'", "'2025-01-01'"],
                  "ts": ["'2024-01-04 03:00:00'", "'2024-01-05'",
                         "timestamp '2023-01-01 00:00:00'"],
                  "tz": ["'2024-01-04 00:00:00'", "'2024-01-05'"], "dec": [0, 0.75, 1, 5.75]}

        def condition():
            column = rng.choice(sorted(values))
            one, two = rng.choice(values[column]), rng.choice(values[column])
            return rng.choice((
                f"{column} {rng.choice(('<', '<=', '=', '>=', '>', '<>'))} {one}",
                f"{one} {rng.choice(('<', '<=', '=', '>=', '>'))} {column}",
                f"{column} between {one} and {two}", f"{column} in ({one}, {two})",
                f"{column} is null", f"{column} is not null", f"not {column} < {one}",
            ))

        for _ in range(150):
            where = f" {rng.choice(('and', 'or'))} ".join(
                f"({condition()})" for _ in range(rng.randrange(1, 4)))
            found, wanted = (
                self.run_presso("sql", f"select * from 'groups.{kind}' where {where}")
                for kind in ("parquet", "presso")
            )
            self.assertEqual((found.status, found.out), (wanted.status, wanted.out), where)

    def test_what_cannot_be_read(self):
        self.fails("select", "brotli.parquet",
                   saying="row group 1, column 'i', byte 4: is compressed by brotli")
        content = self.read("plain.parquet")
        self.write("short.parquet", content[:-5])
        self.fails("select", "short.parquet", saying="short.parquet: the Parquet file is cut off")
        self.write("locked.parquet", content[:-4] + b"PARE")
        self.fails("select", "locked.parquet", saying="the Parquet file is encrypted")
        self.write("page.parquet", content[:20] + b"\xff" * 40 + content[60:])
        self.fails("select", "page.parquet", saying="row group 1, column 'i', byte ")

    def test_a_name_that_promises_parquet(self):
        self.write("no.parquet", b"a,b\n1,2\n")
        self.fails("select", "no.parquet", saying="no.parquet: is no Parquet file")

    def test_a_file_that_presso_compressed(self):
        self.ok("compress", "-q", "plain.parquet")
        self.assertEqual(self.rows("select * from 'plain.parquet.presso'"), ROWS)

    def test_damage_is_an_error_or_other_values(self):
        rng = random.Random(7)
        for name in ("snappy", "deltas_v2_zstd", "nested", "duckdb", "groups"):
            good = self.read(f"{name}.parquet")
            for _ in range(25):
                bad = bytearray(good)
                for _ in range(rng.randrange(1, 4)):
                    bad[rng.randrange(len(bad))] = rng.randrange(256)
                self.write("bad", bytes(bad[: rng.choice((len(bad), rng.randrange(len(bad))))]))
                done = self.run_presso("sql", "select * from bad", "-o", "out.csv", "-f")
                self.assertIn(done.status, (0, 1, 2), done)
                if done.status == 2:
                    self.assertIn("presso: bad", done.err)


class Output(ParquetTest):
    def test_nested_values_come_back_with_types(self):
        lines = "".join('{"l": [%d], "m": {"k": %d}}\n' % (n, n) for n in (9, 10, 100))
        self.write("n.jsonl", lines.encode())
        self.ok("select", "n.jsonl", "-o", "n.parquet")
        self.assertEqual(self.rows("select max(l[1]) l, max(m.k) m from 'n.parquet'"),
                         [{"l": 100, "m": 100}])

    def test_text_of_the_type_json_must_be_json(self):
        try:
            import duckdb
        except ImportError:
            self.skipTest("duckdb is not there")
        duckdb.sql("copy (select '[1,\n 2]'::json j) to 'good.parquet'")
        self.assertEqual(self.rows("select j, j[2] + 1 k from 'good.parquet'"),
                         [{"j": [1, 2], "k": 3}])
        try:
            import pyarrow as pa
            from pyarrow import parquet
        except ImportError:
            self.skipTest("pyarrow is not there")
        texts = pa.ExtensionArray.from_storage(pa.json_(), pa.array(["[1]", None, "{x"]))
        parquet.write_table(pa.table({"j": texts}), "bad.parquet")
        self.fails("select", "bad.parquet",
                   saying="bad.parquet: row group 1, column 'j': value 2 is no JSON: a key")

    def test_a_flipped_bit_in_a_page_is_an_error(self):
        rng = random.Random(5)
        numbers = "".join(f"{rng.randrange(1 << 40)}\n" for _ in range(20000))
        self.write("n.csv", b"n\n" + numbers.encode())
        self.ok("select", "n.csv", "-o", "n.parquet")
        good = self.read("n.parquet")
        footer = int.from_bytes(good[-8:-4], "little")
        for _ in range(60):
            bad = bytearray(good)
            # The header of the only page is short.
            bad[rng.randrange(60, len(good) - footer - 8)] ^= 1 << rng.randrange(8)
            self.write("bad.parquet", bytes(bad))
            self.fails("sql", "select sum(n) from 'bad.parquet'", saying="bad.parquet")

    def test_values_types_and_nulls_come_back(self):
        for name in ("plain", "nested", "duckdb", "fastparquet"):
            rows = self.rows(f"select * from '{name}.parquet'")
            self.ok("sql", f"select * from '{name}.parquet'", "-o", "out.parquet", "-f")
            again = self.rows("select * from 'out.parquet'")
            self.assertEqual(again, rows)
            self.assertEqual(self.types("out.parquet"), self.types(f"{name}.parquet"))

    def test_ways_to_write(self):
        self.ok("select", "plain.parquet", "--columns", "i,s", "-o", "a.parquet")
        out = self.ok("select", "plain.parquet", "--columns", "i,s", "--format", "parquet").out
        self.assertEqual(out, self.read("a.parquet"))
        self.ok("sql", "copy (select i, s from 'plain.parquet') to 'b.parquet' "
                "(format parquet, compression zstd)")
        self.assertEqual(self.read("b.parquet"), out)
        self.ok("sql", "copy 'plain.parquet' to 'c.parquet'")
        self.assertEqual(self.rows("select * from 'c.parquet'"), ROWS)
        self.fails("sql", "copy 'plain.parquet' to 'd.parquet' (format parquet, compression gzip)",
                   saying="with zstd only")
        self.assertFalse(os.path.exists("d.parquet"))

    def test_answers_without_rows(self):
        done = self.run_presso("sql", "select i, s from 'plain.parquet' where i > 99",
                               "-o", "none.parquet")
        self.assertEqual(done.status, 1)
        self.assertEqual(self.types("none.parquet"), ["int32", "utf8"])
        self.assertEqual(self.ok("sql", "select count(*) n from 'none.parquet'").out, b"n\n0\n")

    def test_many_rows(self):
        rng = random.Random(3)
        lines = ["n,few,word,real,day,flag\n"]
        for i in range(150_000):
            word = rng.choice(("alpha", "beta", "")) if i % 3 else f"w{rng.randrange(10**9)}"
            lines.append(
                f"{i * i},{rng.randrange(5)},{word},{rng.random()},"
                f"20{i % 90 + 10}-01-{i % 28 + 1:02},{'true' if rng.random() < 0.3 else ''}\n"
            )
        self.write("many.csv", "".join(lines).encode())
        self.ok("select", "many.csv", "-o", "many.parquet")
        self.assertEqual(self.ok("select", "many.parquet").out, self.ok("select", "many.csv").out)
        self.assertLess(len(self.read("many.parquet")), len(self.read("many.csv")))

    def test_text_that_is_no_utf8(self):
        self.write("bytes.csv", b"a,b\nx,\xff\ny,z\n")
        self.ok("select", "bytes.csv", "-o", "bytes.parquet")
        self.assertEqual(self.types("bytes.parquet"), ["utf8", "binary"])
        self.ok("sql", "select upper(a) u from 'bytes.csv'", "-o", "text.parquet")
        self.assertEqual(self.types("text.parquet"), ["utf8"])

    def test_seconds_become_milliseconds(self):
        self.write("t.csv", b"t\n2024-01-02 03:04:05\n1960-01-01 00:00:00\n")
        self.ok("select", "t.csv", "-o", "t.parquet")
        self.assertEqual(self.rows("select t from 't.parquet'"),
                         [{"t": "2024-01-02 03:04:05.000"}, {"t": "1960-01-01 00:00:00.000"}])


if __name__ == "__main__":
    main()
