# SPDX-License-Identifier: MIT
"""What the caller says of values: words for nulls, formats of dates, types."""

import json

from support import CliTest, covers, main

NULLS = b'id,t,x,q\n1,abc,-999,"-"\n2,missing,5,b\n3,-,-,missing\n4,,7,"missing"\n'
DATES = (b"a,b,c,d\n05/01/2024,05-Jan-2024,20240105,1/5/2024 3:04 PM\n"
         b"06/02/2024,NA,20240206,\n07/03/2024,07-Mar-2024,20240307,3/7/2024 12:00 AM\n")
CODES = b'code,f,b,n,us,w\n00123,1.50,Y,"1,234",01/13/2024,1.0\n-007,2,Y,3,02/01/2024,2\n'


class GivenValues(CliTest):
    def read_as(self, data, *options):
        """The rows, which a table has as well, and whose text comes back."""
        self.write("t.csv", data)
        rows = self.ok("select", *options, "--format", "jsonl", "t.csv").out
        self.ok("compress", "-f", "--table", "auto", *options, "t.csv")
        self.assertEqual(self.ok("cat", "t.csv.presso").out, data)
        self.assertEqual(self.ok("select", "--format", "jsonl", "t.csv.presso").out, rows)
        return [json.loads(line) for line in rows.splitlines()]

    def column(self, data, name, *options):
        return [row[name] for row in self.read_as(data, *options)]

    def types(self, *options):
        found = json.loads(self.ok("info", "--json", *options, "t.csv").out)["files"][0]
        return {column["name"]: (column["type"], column["nulls"]) for column in found["columns"]}

    @covers("compress", "--null")
    @covers("select", "--null")
    def test_several_words_for_nulls(self):
        for options, t, x, q in (
            ((),
             ["abc", "missing", "-", None], [-999, 5, None, 7], ["-", "b", "missing", "missing"]),
            (("--null", "missing"),
             ["abc", None, "-", ""], [-999, 5, None, 7], ["-", "b", None, "missing"]),
            (("--null", "missing", "--null", "-999", "--null", "-"),
             ["abc", None, None, ""], [None, 5, None, 7], ["-", "b", None, "missing"]),
            (("--null", "", "--null", "missing", "--null", "-999"),
             ["abc", None, "-", None], [None, 5, None, 7], ["-", "b", None, "missing"]),
        ):
            rows = self.read_as(NULLS, *options)
            for name, expected in (("t", t), ("x", x), ("q", q)):
                self.assertEqual([row[name] for row in rows], expected, options)
        words = "nullstr = ['missing', '-999', '']"
        query = f"select count(x), count(t) from read_csv('t.csv', {words})"
        self.assertEqual(self.ok("sql", query).out.splitlines()[1], b"2,2")
        self.assertEqual(self.types("--null", "missing", "--null", "-999")["x"], ("int64", 2))

    def test_a_word_for_nulls_far_from_the_beginning(self):
        data = b"x,t\n" + b"1,a\n" * 70_000 + b"-1,NA\n2,?\n"
        rows = self.read_as(data, "--null", "?", "--null", "-1")[-2:]
        self.assertEqual(rows, [{"x": None, "t": "NA"}, {"x": 2, "t": None}])

    @covers("compress", "--decimal")
    @covers("select", "--decimal")
    @covers("sql", "--decimal")
    @covers("join", "--decimal")
    @covers("info", "--decimal", "--input")
    def test_the_decimal_point(self):
        data = b"a;b;c;d\n1,234;1,5;1.5;x\n2,000;2,25;2;y\n"
        for options, types, a in (
            ((), ("utf8", "double", "double"), "1,234"),
            (("--decimal", ","), ("double", "double", "utf8"), 1.234),
            (("--decimal", "."), ("int64", "utf8", "double"), 1234),
        ):
            self.assertEqual(self.column(data, "a", *options)[0], a)
            found = self.types("--input", "auto", *options)
            self.assertEqual(tuple(found[name][0] for name in "abc"), types)
        query = "select sum(a) as s from read_csv('t.csv', decimal_separator = ',')"
        self.assertEqual(self.ok("sql", query).out, b"s\n3.234\n")
        self.fails("sql", "from read_csv('t.csv', decimal_separator = ';')", saying="takes . or ,")
        self.assertEqual(self.ok("select", "--table", "csv", "--delimiter", ";", "t.csv").out,
                         self.ok("select", "--input", "csv", "--delimiter", ";", "t.csv").out)

    @covers("compress", "--date-format")
    @covers("select", "--date-format")
    @covers("sql", "--date-format")
    @covers("join", "--date-format")
    @covers("info", "--date-format")
    def test_formats_of_dates(self):
        both = ("--date-format", "%d-%b-%Y", "--date-format", "%d/%m/%Y")
        rows = self.read_as(DATES, *both)
        self.assertEqual([row["a"] for row in rows], ["2024-01-05", "2024-02-06", "2024-03-07"])
        self.assertEqual([row["b"] for row in rows], ["2024-01-05", None, "2024-03-07"])
        types = self.types(*both)
        self.assertEqual((types["b"], types["c"]), (("date", 1), ("int64", 0)))
        self.assertEqual(self.column(DATES, "a", "--date-format", "%m/%d/%Y")[0], "2024-05-01")
        times = self.column(DATES, "d", "--date-format", "%m/%d/%Y %I:%M %p")
        self.assertEqual(times, ["2024-01-05 15:04:00", None, "2024-03-07 00:00:00"])
        for options in ("dateformat = '%d/%m/%Y'", "timestampformat = '%d/%m/%Y'"):
            query = f"select month(max(a)) as m from read_csv('t.csv', {options})"
            self.assertEqual(self.ok("sql", query).out, b"m\n3\n")
        day = ("--schema", "c:date", "--date-format", "%Y%m%d")
        self.assertEqual(self.column(DATES, "c", *day)[2], "2024-03-07")
        self.write("x.jsonl", b'{"d": "5 Jan 2024"}\n{"d": null}\n{"d": "7 Mar 2024"}\n')
        self.ok("compress", "--table", "auto", "--date-format", "%d %b %Y", "x.jsonl")
        self.assertEqual(self.ok("cat", "x.jsonl.presso").out, self.read("x.jsonl"))
        self.assertEqual(self.ok("sql", "select max(d) - min(d) as n from 'x.jsonl.presso'").out,
                         b"n\n62\n")

    def test_a_value_of_another_format_keeps_a_text_and_is_named_if_a_type_is_given(self):
        data = DATES + b"8 March,08-Mar-2024,,\n"
        self.assertEqual(self.column(data, "a", "--date-format", "%d/%m/%Y")[0], "05/01/2024")
        self.fails("select", "--schema", "a:date", "--date-format", "%d/%m/%Y", "t.csv",
                   saying="line 5: `8 March` in column 'a' is not a text of type date")
        self.fails("select", "--schema", "a:date", "t.csv",
                   saying="line 2: `05/01/2024` in column 'a' is not a text of type date; --date-f")
        self.assertIn("--date-format says which", self.ok("select", "t.csv").err)
        self.write("t.csv", DATES)
        for bad, said in (("%Q", "an unknown %Q"), ("%H:%M", "tells no day"), ("", "nothing")):
            self.fails("select", "--date-format", bad, "t.csv", saying=said)
        self.fails("compress", "--date-format", "%Y", "t.csv", saying="tells no day")
        self.fails("sql", "from read_csv('t.csv', dateformat = '%H')", saying="tells no day")

    def test_types_convert_what_can_be(self):
        for types, name, values in (
            ("code:int", "code", [123, -7]),
            ("code:DECIMAL(9,1)", "code", [123.0, -7.0]),
            ("code:double", "code", [123.0, -7.0]),
            ("f:float", "f", [1.5, 2.0]),
            ("f:decimal(9,1)", "f", [1.5, 2.0]),
            ("f:varchar", "f", ["1.50", "2"]),
            ("b:boolean", "b", [True, True]),
            ("n:double", "n", [1234.0, 3.0]),
            ("n:decimal(10,2)", "n", [1234.0, 3.0]),
            ("us:timestamp", "us", ["2024-01-13 00:00:00.000000", "2024-02-01 00:00:00.000000"]),
            ("w:bigint", "w", [1, 2]),
            ("w:bool", "w", None),
        ):
            if values is None:
                self.fails("select", "--schema", types, "t.csv", saying="column 'w' is not a text")
            else:
                self.assertEqual(self.column(CODES, name, "--schema", types), values, types)
        self.fails("select", "--schema", "f:int", "t.csv",
                   saying="line 2: `1.50` in column 'f' is not a text of type int32")
        self.fails("select", "--schema", "w:int8", "--header", "yes", "-", stdin=b"w\n1952\n",
                   saying="`1952` in column 'w' is beyond the range of int8")
        self.fails("select", "--schema", "code:float8x", "t.csv", saying="no column type is called")

    def test_fields_within_json_have_no_given_type(self):
        self.write("x.jsonl", b'{"a": {"b": "007"}}\n{"a": {"b": "8"}}\n')
        self.fails("select", "--schema", "a.b:int", "x.jsonl",
                   saying="'a.b' is within a nested column")


if __name__ == "__main__":
    main()
