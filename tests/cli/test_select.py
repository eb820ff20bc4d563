# SPDX-License-Identifier: MIT
"""presso select: rows, expressions, groups and order, asked of tables and of plain text; every form
of an answer; what goes wrong. Answers are compared with what Python computes of the same rows."""

import collections
import csv
import gzip
import io
import json
import os
import random
import signal
import subprocess
import unittest

from support import PRESSO, CliTest, covers, main, wait_for

try:
    import pyarrow
    import pyarrow.ipc
except ImportError:
    pyarrow = None

SHOP = b"""id,city,price,amount,day,note
1,Oslo,2.50,4,2024-01-31,fresh
2,Rome,10.00,1,2024-02-01,
3,Oslo,0.25,10,2024-02-29,"a, b"
4,,7.00,,2024-03-01,it's
5,Rome,3.75,2,,100%
"""
MANY = 20000


def many_rows(rows=MANY, seed=3):
    """(number, key, word, value or None) and the same as CSV."""
    rng = random.Random(seed)
    words = ["red", "green", "blue", "dark", "pale", "grün"]
    made = []
    for number in range(rows):
        value = None if rng.randrange(9) == 0 else rng.randrange(-500, 500)
        made.append((number, rng.randrange(40), rng.choice(words), value))
    text = "number,key,word,value\n" + "".join(
        f"{number},{key},{word},{'' if value is None else value}\n"
        for number, key, word, value in made
    )
    return made, text.encode()


class SelectTest(CliTest):
    def setUp(self):
        super().setUp()
        self.write("shop.csv", SHOP)

    def table(self, name, text, *options):
        self.write(name, text)
        self.ok("compress", "-q", "-f", "--table", "auto", *options, name)
        return name + ".presso"

    def select(self, *arguments, **more):
        """The rows of the answer as lists of texts, without the header."""
        return list(csv.reader(io.StringIO(self.ok("select", *arguments, **more).out.decode())))[1:]

    def ids(self, *arguments):
        return [row[0] for row in self.select("shop.csv", "--columns", "id", *arguments)]


class Questions(SelectTest):
    def test_all_rows_come_as_they_stand(self):
        expected = SHOP.replace(b'"a, b"', b'"a, b"')
        self.assertEqual(self.ok("select", "shop.csv").out, expected)
        self.assertEqual(self.ok("select", self.table("shop.csv", SHOP)).out, expected)

    @covers("select", "--where")
    def test_where(self):
        self.assertEqual(self.ids("--where", "price > 3"), ["2", "4", "5"])
        self.assertEqual(self.ids("--where", "price>3 and city = 'Rome'"), ["2", "5"])
        self.assertEqual(self.ids("--where", "price > 3", "--where", "city='Rome'"), ["2", "5"])
        self.assertEqual(
            self.ids("--where", "city is null or note like '%0\\%' escape '\\'"), ["4", "5"]
        )
        self.assertEqual(self.ids("--where", "day between 2024-02-01 and 2024-02-29"), ["2", "3"])
        self.assertEqual(self.ids("--where", "day > date '2024-02-29'"), ["4"])
        self.assertEqual(self.ids("--where", "note matches '^[a-f]'"), ["1", "3"])
        self.assertEqual(self.ids("--where", "id in (1, 4, 9)"), ["1", "4"])
        self.assertEqual(self.ids("--where", "note = 'it''s'"), ["4"])
        self.assertEqual(self.ids("--where", '"price" * amount = 10'), ["1", "2"])

    def test_nulls_fulfil_no_condition_and_not_its_opposite(self):
        self.assertEqual(self.ids("--where", "amount > 3"), ["1", "3"])
        self.assertEqual(self.ids("--where", "not amount > 3"), ["2", "5"])
        self.assertEqual(
            self.ids("--where", "not (amount > 3 and id = 9)"), ["1", "2", "3", "4", "5"]
        )

    @covers("select", "--columns")
    def test_columns_and_expressions(self):
        out = self.ok("select", "shop.csv", "--columns", "id, price * amount as total").out
        self.assertEqual(out, b"id,total\n1,10.00\n2,10.00\n3,2.50\n4,\n5,7.50\n")
        twice = self.ok("select", "shop.csv", "--columns", "id", "--columns", "upper(city) c").out
        self.assertEqual(twice.splitlines()[:2], [b"id,c", b"1,OSLO"])

    @covers("select", "--group-by", "--agg")
    def test_groups_come_in_the_order_of_their_first_rows(self):
        out = self.ok(
            "select",
            "shop.csv",
            "--group-by",
            "city",
            "--agg",
            "count(*) as n, sum(price) as s, max(day) as last",
        ).out
        self.assertEqual(
            out,
            b"city,n,s,last\nOslo,2,2.75,2024-02-29\nRome,2,13.75,2024-02-01\n,1,7.00,2024-03-01\n",
        )
        out = self.ok("select", "shop.csv", "--agg", "count(*) as n, count(amount) as m").out
        self.assertEqual(out, b"n,m\n5,4\n")

    def test_keys_have_names(self):
        ask = ("select", "shop.csv", "--group-by", "month(day) as m", "--agg", "count(*) as n")
        expected = b"m,n\n1,1\n2,2\n3,1\n,1\n"
        self.assertEqual(self.ok(*ask, "--order-by", "m").out, expected)
        self.assertEqual(
            self.ok(*ask[:4], "--columns", "m, count(*) as n", "--order-by", "1").out, expected
        )
        self.assertEqual(
            self.ok(*ask, "--having", "m >= 2", "--order-by", "m").out, b"m,n\n2,2\n3,1\n"
        )
        by_name = (
            "--columns",
            "month(day) as m, count(*) as n",
            "--group-by",
            "m",
            "--order-by",
            "m",
        )
        self.assertEqual(self.ok("select", "shop.csv", *by_name).out, expected)

    def test_groups_are_those_of_a_plain_computation(self):
        rows, text = many_rows()
        name = self.table("many.csv", text)
        counts = collections.Counter()
        sums = collections.defaultdict(int)
        for _, key, word, value in rows:
            counts[key, word] += 1
            sums[key, word] += value or 0
        order = sorted(counts, key=lambda group: (-counts[group], group[0], group[1].encode()))
        expected = [
            [str(key), word, str(counts[key, word]), str(sums[key, word])] for key, word in order
        ]
        for strategy in ("auto", "hash", "radix"):
            found = self.select(
                name,
                "--group-by",
                "key, word",
                "--agg",
                "count(*) as n, sum(value) as s",
                "--order-by",
                "n desc, key, word",
                "--group-strategy",
                strategy,
            )
            self.assertEqual(found, expected, strategy)

    @covers("select", "--group-strategy")
    def test_strategies_give_the_same_groups(self):
        name = self.table("many.csv", many_rows()[1])
        ask = (name, "--group-by", "key", "--agg", "min(value), max(value), avg(value)")
        answers = {
            strategy: self.ok("select", *ask, "--group-strategy", strategy).out
            for strategy in ("auto", "dense", "hash", "radix")
        }
        self.assertEqual(len(set(answers.values())), 1, answers)
        self.fails(
            "select", *ask, "--group-strategy", "optimistic", saying="auto, dense, hash, radix"
        )

    @covers("select", "--having")
    def test_having(self):
        ask = ("shop.csv", "--group-by", "city", "--agg", "count(*) as n, sum(price) as s")
        self.assertEqual(
            self.select(*ask, "--having", "count(*) > 1"),
            [["Oslo", "2", "2.75"], ["Rome", "2", "13.75"]],
        )
        self.assertEqual(
            self.select(*ask, "--having", "n > 1", "--having", "s > 5"), [["Rome", "2", "13.75"]]
        )

    @covers("select", "--order-by", "--limit", "--offset")
    def test_order_and_limit(self):
        self.assertEqual(self.ids("--order-by", "price desc"), ["2", "4", "5", "1", "3"])
        self.assertEqual(self.ids("--order-by", "city, id desc"), ["3", "1", "5", "2", "4"])
        self.assertEqual(self.ids("--order-by", "amount nulls first", "--limit", "2"), ["4", "2"])
        self.assertEqual(
            self.ids("--order-by", "id desc", "--limit", "2", "--offset", "1"), ["4", "3"]
        )
        self.assertEqual(self.ids("--offset", "3"), ["4", "5"])
        self.assertEqual(self.ids("--limit", "1"), ["1"])

    def test_sorting_is_that_of_a_plain_computation(self):
        rows, text = many_rows()
        name = self.table("many.csv", text)
        expected = sorted(
            rows, key=lambda row: (row[3] is None, -(row[3] or 0), row[2].encode(), row[0])
        )
        found = self.select(name, "--columns", "number", "--order-by", "value desc, word, number")
        self.assertEqual([int(row[0]) for row in found], [row[0] for row in expected])

    @covers("select", "--threads", "--plan", "--plan-rows")
    def test_neither_threads_nor_plans_change_the_answer(self):
        rows, text = many_rows()
        name = self.table("many.csv", text, "--row-group", "3000")
        expected = [
            str(row[0])
            for row in rows
            if row[1] < 20 and row[3] is not None and row[3] % 3 == 1 and "r" in row[2]
        ]
        ask = (
            name,
            "--columns",
            "number",
            "--where",
            "key < 20",
            "--where",
            "value % 3 = 1 or value % 3 = -2",
            "--where",
            "word like '%r%'",
        )
        for more in (
            ("-T", "1"),
            ("--threads", "3"),
            ("--plan", "3&2&1"),
            ("--plan", "2&&1;3"),
            ("--plan", "3;2;1", "--plan-rows", "list"),
            ("--plan", "1;2;3", "--plan-rows", "bitmap"),
        ):
            self.assertEqual([row[0] for row in self.select(*ask, *more)], expected, more)
        self.fails("select", *ask, "--plan", "1&4", saying="4")

    @covers("select", "--memory", "--temp")
    def test_little_memory_gives_the_same_answer(self):
        name = self.table("many.csv", many_rows(60000)[1])
        os.mkdir("spill")
        for ask in (
            ("--order-by", "value, word desc, number"),
            ("--group-by", "number, word", "--agg", "sum(value)"),
        ):
            plenty = self.ok("select", name, *ask).out
            little = self.ok("select", name, *ask, "--memory", "1M", "--temp", "spill").out
            self.assertEqual(little, plenty, ask)
            self.assertEqual(self.files("spill"), [])
        self.fails("select", name, "--memory", "1K", saying="--memory")

    def test_several_files_are_one_table(self):
        rows, text = many_rows(3000)
        lines = text.splitlines(keepends=True)
        first = self.table("a.csv", lines[0] + b"".join(lines[1:1000]))
        self.write("b.csv", lines[0] + b"".join(lines[1000:]))
        self.assertEqual(self.ok("select", first, "b.csv").out, text)
        self.fails("select", first, "shop.csv", saying="shop.csv")


class Forms(SelectTest):
    @covers("select", "--format")
    def test_formats(self):
        ask = ("select", "shop.csv", "--columns", "id, note, price", "--where", "id in (3, 4)")
        self.assertEqual(
            self.ok(*ask, "--format", "tsv").out, b"id\tnote\tprice\n3\ta, b\t0.25\n4\tit's\t7.00\n"
        )
        lines = self.ok(*ask, "--format", "jsonl").out.splitlines()
        self.assertEqual(
            [json.loads(line) for line in lines],
            [{"id": 3, "note": "a, b", "price": 0.25}, {"id": 4, "note": "it's", "price": 7.0}],
        )
        self.assertEqual(
            self.ok(*ask, "--format", "table").out.decode(),
            "id  note  price\n--  ----  -----\n 3  a, b   0.25\n 4  it's   7.00\n2 rows\n",
        )
        self.fails("select", "shop.csv", "--format", "xml", saying="xml")

    def test_a_table_has_no_row_or_one(self):
        ask = ("select", "shop.csv", "--columns", "id", "--format", "table")
        self.assertTrue(self.ok(*ask, "--limit", "1").out.endswith(b"\n 1\n1 row\n"))
        none = self.run_presso(*ask, "--where", "id > 9")
        self.assertEqual((none.status, none.out), (1, b"id\n--\n0 rows\n"))

    @covers("select", "--no-header")
    def test_no_header(self):
        ask = ("select", "shop.csv", "--columns", "id, city", "--limit", "1", "--no-header")
        self.assertEqual(self.ok(*ask).out, b"1,Oslo\n")
        self.assertEqual(self.ok(*ask, "--format", "table").out, b" 1  Oslo\n")
        self.assertEqual(self.ok(*ask, "--format", "jsonl").out, b'{"id":1,"city":"Oslo"}\n')

    @covers("select", "--output", "--force")
    def test_the_output_has_the_form_that_its_name_says(self):
        ask = ("select", "shop.csv", "--columns", "id, city", "--where", "id < 3")
        expected = {
            "o.csv": b"id,city\n1,Oslo\n2,Rome\n",
            "o.tsv": b"id\tcity\n1\tOslo\n2\tRome\n",
            "o.jsonl": b'{"id":1,"city":"Oslo"}\n{"id":2,"city":"Rome"}\n',
            "o": b"id,city\n1,Oslo\n2,Rome\n",
        }
        for name, content in expected.items():
            self.assertEqual(self.ok(*ask, "-o", name).out, b"")
            self.assertEqual(self.read(name), content, name)
        self.assertEqual(self.ok(*ask, "-o", "-").out, expected["o.csv"])
        self.fails(*ask, "-o", "o.csv", saying="o.csv: exists; not overwritten")
        self.ok(*ask, "-f", "-o", "o.csv", "--format", "tsv")
        self.assertEqual(self.read("o.csv"), expected["o.tsv"])
        self.fails(*ask, "-o", "o.xlsx", saying="does not write .xlsx")
        self.fails(*ask, "-o", "o.json", saying=".jsonl")
        self.assertEqual(self.files(), sorted([*expected, "shop.csv"]))

    @covers("select", "--level")
    def test_the_answer_may_be_a_table_again(self):
        rows, text = many_rows()
        name = self.table("many.csv", text)
        self.ok("select", name, "--where", "key = 7", "-o", "seven.presso")
        expected = [row for row in rows if row[1] == 7]
        self.ok("test", "seven.presso")
        lines = self.ok("cat", "seven.presso").out.splitlines()
        self.assertEqual(lines[0], b"number,key,word,value")
        self.assertEqual(
            [int(line.split(b",")[0]) for line in lines[1:]], [row[0] for row in expected]
        )
        self.ok("select", name, "-9", "--format", "presso", "-o", "nine.out")
        self.assertEqual(self.ok("select", "nine.out").out, text)
        self.assertEqual(self.ok("select", "-", stdin=self.read("nine.out")).out, text)
        self.fails("select", name, "-9", saying="--limit")
        types = [
            column["type"]
            for column in json.loads(self.ok("info", "--json", "seven.presso").out)["files"][0][
                "table"
            ]["columns"]
        ]
        self.assertEqual(types, ["int64", "int64", "utf8", "int64"])

    @unittest.skipIf(pyarrow is None, "pyarrow is not installed")
    def test_arrow_stream(self):
        self.ok("select", "shop.csv", "-o", "o.arrows")
        with pyarrow.ipc.open_stream(self.read("o.arrows")) as stream:
            table = stream.read_all()
        table.validate(full=True)
        self.assertEqual(table.column("id").to_pylist(), [1, 2, 3, 4, 5])
        self.assertEqual(table.column("city").to_pylist(), ["Oslo", "Rome", "Oslo", None, "Rome"])
        self.assertEqual(
            [str(price) for price in table.column("price").to_pylist()],
            ["2.50", "10.00", "0.25", "7.00", "3.75"],
        )

    def test_arrow_without_rows_is_a_stream(self):
        none = self.run_presso("select", "shop.csv", "--where", "id > 9", "--format", "arrow")
        self.assertEqual(none.status, 1)
        self.assertTrue(none.out.endswith(b"\xff\xff\xff\xff\0\0\0\0"))


class Terminals(SelectTest):
    def lines(self, *arguments, columns=80):
        status, output = self.on_terminal("select", *arguments, columns=columns)
        return status, output.replace("\r\n", "\n").splitlines()

    def setUp(self):
        super().setUp()
        os.environ["NO_COLOR"] = "1"
        self.addCleanup(os.environ.pop, "NO_COLOR")

    def test_an_answer_is_an_aligned_table(self):
        status, lines = self.lines("shop.csv", "--columns", "id, city, price")
        self.assertEqual(status, 0)
        self.assertEqual(
            lines,
            [
                "id  city  price",
                "--  ----  -----",
                " 1  Oslo   2.50",
                " 2  Rome  10.00",
                " 3  Oslo   0.25",
                " 4  null   7.00",
                " 5  Rome   3.75",
                "5 rows",
            ],
        )

    def test_long_cells_are_cut_and_numbers_are_not(self):
        text = b"n,text\n123456789012," + b"x" * 300 + b"\n"
        self.write("long.csv", text)
        status, lines = self.lines("long.csv", columns=40)
        self.assertEqual(status, 0)
        self.assertIn("123456789012", lines[2])
        self.assertTrue(lines[2].endswith("x…"), lines)
        self.assertLessEqual(max(map(len, lines)), 80)

    def test_rows_that_do_not_fit_are_vertical(self):
        names = [f"column_{i}" for i in range(40)]
        values = ["1234567890"] * 38 + ["x" * 300, "\x1b[2J"]
        text = ",".join(names) + "\n" + 2 * (",".join(values) + "\n") + "," * 39 + "\n"
        self.write("wide.csv", text.encode())
        status, lines = self.lines("wide.csv")
        self.assertEqual(status, 0)
        row = [f"  {name:9}  1234567890" for name in names[:38]]
        row += ["  column_38  " + "x" * 66 + "…", "  column_39  \\x1b[2J"]
        empty = [f"  {name:9}  null" for name in names]
        self.assertEqual(
            lines, ["row 1", *row, "row 2", *row, "row 3", *empty, "3 rows"], lines[35:45]
        )
        piped = self.ok("select", "wide.csv", "--format", "table").out
        self.assertEqual(len(piped.splitlines()), 6)

    def test_long_answers_show_their_ends_and_the_count(self):
        for rows in (40, 41, 45, 70_001):
            self.write("n.csv", b"n,word\n" + b"".join(b"%d,w%d\n" % (i, i) for i in range(rows)))
            for answer in (
                self.lines("n.csv"),
                self.lines("n.csv", "--offset", "0"),
                self.lines("n.csv", "--format", "table"),
                self.lines("n.csv", "--order-by", "n"),
            ):
                status, lines = answer
                self.assertEqual(status, 0)
                self.assertEqual([line.split() for line in lines[:1]], [["n", "word"]])
                shown = [line.split() for line in lines[2:-1]]
                numbers = [*range(20), *range(rows - 20, rows)]
                wanted = [[str(i), f"w{i}"] for i in numbers]
                if rows > 40:
                    wanted.insert(20, ["…", "…"])
                    said = f"{rows:,} rows (the first and last 20 are shown; a limit shows more)"
                else:
                    said = f"{rows} rows"
                self.assertEqual((shown, lines[-1]), (wanted, said))

    def test_a_limit_and_other_forms_are_complete(self):
        rows = b"".join(b"%d,w%d\n" % (i, i) for i in range(500))
        self.write("n.csv", b"n,word\n" + rows)
        status, lines = self.lines("n.csv", "--limit", "300")
        self.assertEqual((status, len(lines), lines[-1]), (0, 303, "300 rows"))
        status, lines = self.lines("n.csv", "--format", "csv")
        self.assertEqual((status, lines), (0, ["n,word", *rows.decode().split()]))
        status, output = self.on_terminal("sql", "select n from n.csv limit 100")
        self.assertEqual((status, output.count("\n")), (0, 103))
        status, output = self.on_terminal("sql", "select n from n.csv")
        self.assertEqual((status, output.count("\n")), (0, 44))
        self.assertEqual(len(self.ok("select", "n.csv", "--format", "table").out.splitlines()), 503)

    def test_long_vertical_answers_show_their_ends(self):
        names = [f"column_{i}" for i in range(20)]
        rows = "".join(",".join([str(i)] * 20) + "\n" for i in range(1000, 1100))
        self.write("wide.csv", (",".join(names) + "\n" + rows).encode())
        status, lines = self.lines("wide.csv")
        self.assertEqual(status, 0)
        self.assertEqual(lines[19 * 21], "row 20")
        self.assertEqual(lines[20 * 21 : 20 * 21 + 3], ["…", "row 81", "  column_0   1080"])
        self.assertEqual(len(lines), 40 * 21 + 2)
        self.assertTrue(lines[-1].startswith("100 rows ("), lines[-1])

    def test_bytes_that_a_terminal_would_obey_are_shown(self):
        self.write("odd.csv", 'a,b\n"\x1b[2Jx",日本\ny,"two\nlines"\n'.encode())
        lines = self.lines("odd.csv")[1]
        self.assertEqual(
            lines,
            [
                "a         b",
                "--------  ----------",
                "\\x1b[2Jx  日本",
                "y         two\\nlines",
                "2 rows",
            ],
        )

    def test_nulls_and_names_are_marked_where_there_are_colors(self):
        os.environ.pop("NO_COLOR")
        os.environ["TERM"] = "xterm"
        output = self.on_terminal("select", "shop.csv", "--columns", "city")[1]
        os.environ["NO_COLOR"] = "1"
        self.assertIn("\x1b[1mcity\x1b[0m", output)
        self.assertIn("\x1b[2mnull\x1b[0m", output)

    def test_rows_behind_those_that_were_measured_come_too(self):
        self.write("n.csv", b"n,word\n" + b"".join(b"%d,w%d\n" % (i, i) for i in range(2500)))
        status, lines = self.lines("n.csv", "--limit", "9999")
        self.assertEqual((status, len(lines)), (0, 2503))
        self.assertEqual(lines[2501], "2499  w2499")

    def test_binary_forms_are_refused(self):
        for form in ("arrow", "presso"):
            status, output = self.on_terminal("select", "shop.csv", "--format", form)
            self.assertEqual(status, 2)
            self.assertIn("not written to a terminal", output)

    def test_without_a_file_nobody_is_waited_for(self):
        status, output = self.on_terminal("select")
        self.assertEqual(status, 2)
        self.assertIn("no file given and standard input is a terminal", output)


class Inputs(SelectTest):
    @covers("select", "--input", "--delimiter", "--header", "--quote")
    def test_plain_text(self):
        self.assertEqual(self.select(stdin=SHOP)[0][:2], ["1", "Oslo"])
        self.assertEqual(self.select("-", "--limit", "1", stdin=SHOP)[0][:2], ["1", "Oslo"])
        rows = self.select(
            "--input", "jsonl", "--where", "a > 1", stdin=b'{"a":1}\n{"a":2,"b":"x"}\n'
        )
        self.assertEqual(rows, [["2", "x"]])
        self.write("nation.tbl", b"0|ALGERIA|0|\n1|ARGENTINA|1|\n")
        self.assertEqual(self.select("nation.tbl", "--limit", "1"), [["0", "ALGERIA", "0"]])
        self.assertEqual(
            self.select("--input", "tbl", stdin=b"1|x|\n2|y|\n"), [["1", "x"], ["2", "y"]]
        )
        self.assertEqual(self.select("--delimiter", ";", stdin=b"a;b\n1,5;2\n"), [["1.5", "2"]])
        self.assertEqual(
            self.select("--header", "no", stdin=b"a,b\nc,d\n"), [["a", "b"], ["c", "d"]]
        )
        self.assertEqual(self.select("--header", "yes", stdin=b"1,2\n3,4\n"), [["3", "4"]])
        self.assertEqual(self.select("--quote", "'", stdin=b"a,b\n'x,y',2\n"), [["x,y", "2"]])

    @covers("select", "--bad-rows")
    def test_rows_that_are_no_objects_are_set_aside(self):
        self.write("k.jsonl", b'{"k":1}\n{"k":\n{"k":2}\n')
        self.fails("select", "k.jsonl", saying="line 2: not a JSON object")
        asked = self.ok("select", "--bad-rows", "bad", "k.jsonl")
        self.assertEqual(asked.out, b"k\n1\n2\n")
        self.assertIn("k.jsonl: 1 row is in bad and not in the table", asked.err)
        self.assertEqual(self.read("bad"), b'{"k":\n')
        self.fails("select", "--bad-rows", "bad", "k.jsonl", saying="bad: exists")
        itself = ("select", "-f", "--bad-rows", "k.jsonl", "k.jsonl")
        self.fails(*itself, saying="is what --bad-rows names")
        self.assertEqual(self.read("k.jsonl"), b'{"k":1}\n{"k":\n{"k":2}\n')

    @covers("select", "--schema", "--null", "--comment", "--escape", "--skip", "--ragged")
    def test_how_plain_text_is_read(self):
        text = b"made by hand\na,b\n# nothing\n1,NA\n02\n"
        self.assertEqual(
            self.select(
                "--skip",
                "1",
                "--comment",
                "#",
                "--escape",
                "\\",
                "--null",
                "NA",
                "--ragged",
                "fill",
                "--schema",
                "a:utf8",
                "--where",
                "b is null",
                stdin=text,
            ),
            [["1", ""], ["02", ""]],
        )
        text = b"a\n1\nx\n"
        said = self.fails("select", "--schema", "a:int64", "--header", "yes", stdin=text).err
        self.assertIn("line 3", said)

    def test_compressed_text(self):
        for name, content in {"a.csv.gz": gzip.compress(SHOP), "b.gz": gzip.compress(SHOP)}.items():
            self.write(name, content)
            self.assertEqual(self.ok("select", name).out, SHOP)
        self.assertEqual(self.ok("select", stdin=gzip.compress(SHOP)).out, SHOP)
        self.ok("compress", "-q", "shop.csv")
        self.assertEqual(self.ok("select", "shop.csv.presso").out, SHOP)
        self.assertEqual(self.ok("select", stdin=self.read("shop.csv.presso")).out, SHOP)

    def test_a_table_through_a_pipe_or_from_a_file(self):
        name = self.table("shop.csv", SHOP)
        self.assertEqual(self.ok("select", stdin=self.read(name)).out, SHOP)
        with open(name, "rb") as file:
            done = subprocess.run([PRESSO, "select"], stdin=file, capture_output=True, timeout=60)
        self.assertEqual(done.stdout, SHOP)

    def test_types_of_a_pipe_come_from_all_of_it(self):
        text = b"n\n" + b"1\n" * 20_000_000 + b"x\n"
        rows = self.select("--where", "n = 'x'", stdin=text)
        self.assertEqual(rows, [["x"]])

    def test_what_is_no_text_is_named(self):
        for content, what in (
            (b"PAR1" + bytes(100), "the Parquet file is cut off"),
            (b"ARROW1\0\0" + bytes(99), "the Arrow file is cut off"),
            (b"FEA1" + bytes(99), "is a Feather file of version 1"),
        ):
            self.write("other", content)
            self.fails("select", "other", saying="other: " + what)


class Failures(SelectTest):
    def test_exit_status(self):
        self.assertEqual(self.run_presso("select", "shop.csv", "--where", "id = 1").status, 0)
        none = self.run_presso("select", "shop.csv", "--where", "id = 9")
        self.assertEqual(
            (none.status, none.out, none.err), (1, SHOP.splitlines(keepends=True)[0], "")
        )
        self.assertEqual(self.run_presso("select", "none.csv").status, 2)

    def test_errors_of_expressions_show_the_place(self):
        said = self.fails("select", "shop.csv", "--where", "price > and 3").err
        lines = said.splitlines()
        self.assertEqual(lines[1].index("and"), lines[2].index("^"), said)
        self.assertEqual(lines[2].strip(), "^")
        said = self.fails("select", "shop.csv", "--where", "prise > 3").err
        self.assertIn("Did you mean", said)
        self.assertIn("price", said)
        self.fails("select", "shop.csv", "--where", "city > 3", saying="city")
        self.fails("select", "shop.csv", "--columns", "nothing(price)", saying="nothing")
        self.fails("select", "shop.csv", "--where", "", saying="--where")
        self.fails("select", "shop.csv", "--where", "id", saying="id")

    def test_a_condition_without_its_flag(self):
        self.fails("select", "price > 3", "shop.csv", saying="--where")
        self.fails("select", "-", "-", saying="standard input")

    def test_files_that_cannot_be_read(self):
        self.fails("select", "none.csv", saying="presso: none.csv: cannot open")
        self.fails("select", self.cache, saying="the folder has no tables and texts")
        self.fails("select", stdin=b"", saying="presso: standard input: ")
        self.fails("select", stdin=b"a,b\n1,2,3\n", saying="line 2")
        self.fails("select", stdin=b'a,b\n1,"2\n', saying="never closed")
        self.write("cut.csv.gz", gzip.compress(SHOP * 100)[:-20])
        self.fails("select", "cut.csv.gz", saying="cut.csv.gz")

    def test_damaged_tables(self):
        rows, text = many_rows()
        name = self.table("many.csv", text)
        content = self.read(name)
        self.write("cut.presso", content[: len(content) // 2])
        self.fails("select", "cut.presso", saying="presso: cut.presso: ")
        damaged = bytearray(content)
        damaged[len(content) // 2] ^= 0x40
        self.write("bad.presso", bytes(damaged))
        said = self.fails("select", "bad.presso", "-o", "out.csv").err
        self.assertIn("bad.presso", said)
        self.assertIn("block", said)
        said = self.fails("select", name, "bad.presso", name, "-o", "out.csv").err
        self.assertTrue(said.startswith("presso: bad.presso: block "), said)
        self.assertNotIn("out.csv", self.files())

    def test_an_overflow_names_the_row(self):
        self.write("big.csv", b"n\n1\n9223372036854775807\n")
        said = self.fails("select", "big.csv", "--columns", "n + 1 as m", "-o", "o.csv").err
        self.assertIn("row 2", said)
        self.assertEqual(self.files(), ["big.csv", "shop.csv"])

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_a_full_disk(self):
        name = self.table("many.csv", many_rows()[1])
        self.fails("select", name, "-f", "-o", "/dev/full", saying="presso: /dev/full: no space")
        for form in ("csv", "jsonl", "table", "arrow", "presso"):
            with open("/dev/full", "wb") as full:
                done = subprocess.run(
                    [PRESSO, "select", name, "--format", form],
                    stdout=full,
                    stderr=subprocess.PIPE,
                    timeout=60,
                )
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"presso: standard output: no space", done.stderr)

    def test_a_closed_pipe_is_no_error(self):
        name = self.table("many.csv", many_rows()[1])
        for form in ("csv", "jsonl", "table", "arrow"):
            script = (
                f"'{PRESSO}' select {name} --format {form} | head -c 10 >/dev/null; "
                "echo ${PIPESTATUS[0]}"
            )
            done = subprocess.run(["bash", "-c", script], capture_output=True, timeout=60)
            self.assertEqual((done.stdout, done.stderr), (b"0\n", b""), form)

    def test_the_output_is_no_input(self):
        self.fails("select", "shop.csv", "-f", "-o", "shop.csv", saying="is an input itself")
        self.assertEqual(self.read("shop.csv"), SHOP)

    def test_a_signal_leaves_nothing(self):
        name = self.table("many.csv", many_rows()[1])
        before = self.files()
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen(
                [PRESSO, "select", *[name] * 400, "-9", "-o", "out.presso"],
                stderr=subprocess.DEVNULL,
            )
            self.assertTrue(
                wait_for(lambda: any(name.startswith(".out.") for name in self.files()))
            )
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=60), -number)
            self.assertEqual(self.files(), before)


class Reports(SelectTest):
    @covers("select", "--explain")
    def test_explain(self):
        rows, text = many_rows()
        name = self.table("many.csv", text)
        ask = ("select", name, "--where", "key = 7 and word like 'r%'", "--columns", "number")
        plan = self.ok(*ask, "--explain").out.decode()
        self.assertIn("key", plan)
        self.assertTrue(plan.endswith("\n"))
        found = self.ok(*ask, "--explain=analyze").out.decode()
        matched = sum(1 for row in rows if row[1] == 7 and row[2].startswith("r"))
        self.assertRegex(found, rf"\b{matched}\b")
        self.assertNotIn("\nnumber\n", found)
        self.assertRegex(self.ok(*ask, "--explain=code").out.decode(), rf"\b{matched}\b")
        self.fails(*ask, "--explain=more", saying="--explain")

    def test_memory_is_predicted(self):
        name = self.table("many.csv", many_rows(40000)[1])
        ask = ("select", name, "--memory", "1M", "--temp", "none", "--explain")
        text = self.ok(*ask, "--order-by", "value").out.decode()
        self.assertRegex(
            text,
            r"\n  predicted: 40,000 rows, [0-9.]+ MB; --memory is 1\.05 MB: "
            r"about [0-9.]+ MB through temporary files in `none`\n",
        )
        text = self.ok(*ask, "--group-by", "number", "--agg", "count(*)").out.decode()
        self.assertRegex(text, r"\n  predicted: at most 40,000 groups, [0-9.]+ [kM]B")
        text = self.ok(*ask, "--order-by", "value", "--limit", "5").out.decode()
        self.assertRegex(text, r"\n  predicted: [0-9]+ rows, [0-9,.]+ (kB|bytes)\n")

    @covers("select", "--verbose", "--quiet", "--progress")
    def test_messages(self):
        name = self.table("many.csv", many_rows()[1])
        said = self.ok("select", name, "-v", "--where", "number < 10").err
        self.assertRegex(
            said, r"(?m)^presso: 10 rows of 20,000; [0-9,]+ of [0-9,]+ stored bytes read, "
        )
        said = self.ok("select", "shop.csv", "-v").err
        self.assertIn("presso: shop.csv: loaded into memory: 5 rows", said)
        twice = b"a,a\n1,2\n"
        ask = ("select", "--header", "yes")
        self.assertIn("presso: standard input", self.ok(*ask, stdin=twice).err)
        self.assertEqual(self.ok(*ask, "-q", "--no-progress", stdin=twice).err, "")
        self.assertEqual(self.run_presso("select", "-qq", "none").err, "")

    def test_small_queries_leave_the_store_alone(self):
        self.ok("select", "shop.csv", "--where", "id = 1")
        self.assertEqual(self.files(self.cache), [])

    def test_calibration_measures_queries(self):
        self.ok("info", "--calibrate")
        kept = self.read(os.path.join(self.cache, "presso", "measurements")).decode()
        self.assertRegex(kept, r"\[.*, queries, presso .*\]\n(.*\n)*compare_ns=")


if __name__ == "__main__":
    main()
