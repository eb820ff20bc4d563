# SPDX-License-Identifier: MIT
"""Tables: text with rows stored as typed columns, and given back byte for byte."""

import gzip
import json
import os
import random

from support import CliTest, covers, main

ORDERS = b"""id,customer,price,day,paid,note
1,"Smith, John",1.50,2024-01-31,true,
2,O'Neil,2.25,2024-02-29,false,"say ""hi""\"
3,,10.00,1999-12-31,true,"two
lines"
4,x,3.00,,,
"""
API = b"""{"id": 1, "name": "Smith \\u00e9", "tags": ["a", 1], "x": 1.0, "when": "2024-01-31"}
{"id": 2, "name": null, "tags": {}, "x": 1e5, "when": "2024-02-01"}
{"name": "b/c", "id": 3}

{"id": 4, "name": "x", "tags": [], "x": 2, "when": "2024-02-03", "extra": true}
"""
API_TYPES = {
    "id": "int64",
    "name": "utf8",
    "tags": "utf8",
    "x": "double",
    "when": "date",
    "extra": "bool",
}
TAGS = b"""id,tags
1,"[""a"", 1]"
2,{}
3,
4,[]
"""
# Texts in unusual dialects, and their rows as TSV.
AS_FOUND = {
    "index.csv": (b",city,price\n0,Oslo,1.5\n1,Rome,2.25\n",
                  "column1\tcity\tprice\n0\tOslo\t1.5\n1\tRome\t2.25\n"),
    "row_names.csv": (b'"city","n"\n"1","Oslo",1\n"2","Rome",2\n',
                      "column1\tcity\tn\n1\tOslo\t1\n2\tRome\t2\n"),
    "twice.csv": (b"a,b,b\n1,2,3\n4,5,6\n", "a\tb\tb_2\n1\t2\t3\n4\t5\t6\n"),
    "texts.csv": (b"Name,City\nAlice,Paris\nBob,Rome\n", "Name\tCity\nAlice\tParis\nBob\tRome\n"),
    "lower.csv": (b"name,city\nalice,paris\nbob,rome\n", "name\tcity\nalice\tparis\nbob\trome\n"),
    "escape.csv": (b'id,t\n1,"say \\"hi\\", please"\n2,x\n',
                   'id\tt\n1\t"say ""hi"", please"\n2\tx\n'),
    "single.csv": (b"a,b\n'x, y',2\n'z',3\n", "a\tb\nx, y\t2\nz\t3\n"),
    "sep.csv": (b"sep=;\na;b\n1;2\n", "a\tb\n1\t2\n"),
    "comment.tab": (b"# code\tname\nAD\tAndorra\nAE\tEmirates\n",
                    "code\tname\nAD\tAndorra\nAE\tEmirates\n"),
    "notes.csv": (b"# made today\n#\na,b\n1,x\n# half\n2,y\n# end\n", "a\tb\n1\tx\n2\ty\n"),
    "blanks.txt": (b"  n     x\n  1   1.5\n 10  -2.5  \n", "n\tx\n1\t1.5\n10\t-2.5\n"),
    "trailing.csv": (b"a,b\n1,2,\n3,4,\n", "a\tb\n1\t2\n3\t4\n"),
    "cr.csv": (b"a,b\r1,x\r2,y\r", "a\tb\n1\tx\n2\ty\n"),
    "open.tsv": (
        b'id\tt\n1\t"never closed\n2\tsay "hi"\n',
        'id\tt\n1\t"""never closed"\n2\t"say ""hi"""\n',
    ),
}
ODD_JSON = [
    b'{"a":1}',
    b'\xef\xbb\xbf{"a":1}\r\n{"a":2}\r\n',
    b'{"a":1,"a":2}\n{"a":3}\n',
    b'{}\n{"a":null}\n{"a":1}\n',
    b'{"":1,"a b":2,"\xc3\xa9":"\xe6\x97\xa5"}\n',
    b'  {"a" : 1 }  \n\n\n{"a":10}\n{"a":1}\n\n',
    b'{"a":NaN}\n{"a":-Infinity}\n{"a":0.5}\n',
    b'{"a":1e400,"b":-0,"c":123456789012345678901234567890123456789012345}\n',
    b'{"a":"\\ud83d\\ude00\\ud800"}\n{"a":"\xf0\x9f\x98\x80\\/"}\n',
    b'{"a":{"b":[1,2,{"c":"}"}]}}\n{"a":"' + b"x" * 100000 + b'"}\n',
]
TWO_DIGITS = "decimal(18,2)"
TYPES = ["int64", "utf8", "decimal(18,2)", "date", "bool", "utf8"]


def many_rows(rows=70000, seed=1):
    rng = random.Random(seed)
    words = ["red", "green", "blue", "dark", "pale"]
    lines = ["key,amount,colour,comment\n"]
    for number in range(rows):
        comment = " ".join(rng.choice(words) for _ in range(rng.randrange(1, 9)))
        amount = rng.randrange(9999) / 100
        lines.append(f"{number * 4},{amount:.2f},{rng.choice(words)},{comment}\n")
    return "".join(lines).encode()


def tables_for_rows():
    """Texts that columns of their own would make larger, each with something to ask."""
    dice = random.Random(5)
    returns = [str(round(dice.gauss(0, 2), 3)) for _ in range(1600)]
    lags = ["year,lag1,lag2,lag3,today,up"]
    lags += [",".join(["1999", *returns[row : row + 4], "ny"[row % 2]]) for row in range(1500)]
    rows = [{"name": f"node {row}", "at": [row, dice.randrange(1000)]} for row in range(900)]
    document = json.dumps({"rows": rows, "version": 2}, indent=2)
    wide = [",".join(f"price{number}" for number in range(700))]
    wide += [",".join(f"{dice.gauss(0, 9):.9e}" for _ in range(700)) for _ in range(30)]
    return {
        "wide.csv": ("\n".join(wide), "min(price7), sum(price699)"),
        "lags.csv": ("\n".join(lags), "avg(lag2), count(distinct today), max(up)"),
        "document.json": (document, "sum(version)"),
    }


class Tables(CliTest):
    def table(self, name, text, *options):
        """Compresses `text` as a table and checks that it comes back."""
        self.write(name, text)
        self.ok("compress", "-f", "--table", "auto", *options, name)
        self.assertEqual(self.ok("cat", name + ".presso").out, text)
        return name + ".presso"

    def info(self, path):
        return json.loads(self.ok("info", "--json", path).out)["files"][0]

    @covers("compress", "--table")
    def test_types_are_found_and_text_comes_back(self):
        path = self.table("orders.csv", ORDERS)
        table = self.info(path)["table"]
        self.assertEqual([column["type"] for column in table["columns"]], TYPES)
        self.assertEqual([column["nulls"] for column in table["columns"]], [0, 1, 0, 1, 1, 2])
        self.assertEqual((table["rows"], table["exact"]), (4, True))
        self.assertEqual(table["columns"][3]["least"], "1999-12-31")
        self.assertEqual(table["columns"][2]["most"], "10.00")
        self.assertIn("1999-12-31", self.ok("info", path).out.decode())
        os.remove("orders.csv")
        self.ok("decompress", path)
        self.assertEqual(self.read("orders.csv"), ORDERS)
        self.ok("test", path)

    def test_a_table_is_hardly_larger_than_its_text_compressed(self):
        for name, (text, answer) in tables_for_rows().items():
            self.write(name, text.encode())
            self.ok("compress", "-o", "plain.presso", "-f", name)
            self.ok("compress", "--table", "auto", "-q", "-o", "table.presso", "-f", name)
            sizes = [os.path.getsize(path) for path in ("table.presso", "plain.presso")]
            self.assertLessEqual(sizes[0], 1.02 * sizes[1], name)
            self.assertEqual(self.ok("decompress", "-c", "table.presso").out, text.encode())
            columns = self.info("table.presso")["table"]["columns"]
            self.assertEqual({column["stored_as"] for column in columns}, {"rows"}, name)
            self.ok("test", "table.presso")
            questions = [f"select {answer} from '{path}'" for path in ("table.presso", name)]
            self.assertEqual(*(self.ok("sql", "-q", question).out for question in questions))

    def test_a_value_that_would_print_otherwise_keeps_its_column_a_string(self):
        text = b"zip,version\n00501,1.0\n90210,1.00\n"
        said = self.ok("compress", "-v", "--table", "csv", "-c", "-", stdin=text).err
        self.assertIn("column zip: utf8", said)
        self.assertIn("`00501` at line 2", said)

    def test_odd_texts_come_back(self):
        texts = {
            "bom": b"\xef\xbb\xbfa,b\n1,2\n",
            "crlf": b"a,b\r\n1,2\r\n3,4\r\n",
            "mixed line ends": b"a,b\r\n1,2\n3,4\r\n5,6\n",
            "no final newline": b"a,b\n1,2\n3,4",
            "blank lines at the end": b"a,b\n1,2\n\n\n",
            "blank lines within": b"a,b\n\n1,2\n\n3,4\n",
            "doubled and empty names": b"a,a,,b\n1,2,3,4\n",
            "quotes where none are needed": b'a,b\n"1",2\n3,"4"\n',
            "a quote within": b'a,b\nx"y,2\n',
            "text behind a quote": b'a,b\n"x"y,2\n',
            "nul and bytes that are no UTF-8": b"a,b\n\0,\xff\xfe\n",
            "one row": b"a,b\n1,2\n",
            "a header alone": b"alpha,beta\n",
            "one column": b"a\n1\n\n2\n",
            "tabs": b"a\tb\n1\tx y\n2\tz\n",
            "spaces": b"a,b\n 1, 2\n3 ,4\n",
            "quoted line feeds": b'a,b\n"1\n\n2",3\n',
            "1,000 columns": b"c" + b",c" * 999 + b"\n" + b"1," * 999 + b"2\n",
            "a field of 5 MB": b"a,b\n" + b"x" * 5000000 + b",2\n3,4\n",
        }
        for what, text in texts.items():
            with self.subTest(what):
                self.table("odd.csv", text)
        self.table("nation.tbl", b"0|ALGERIA|0| haggle|\n1|ARGENTINA|1|al foxes|\n")

    def test_a_pipe_is_compressed_by_the_types_of_its_begin(self):
        packed = self.ok("compress", "--table", "csv", "-c", stdin=ORDERS).out
        self.assertEqual(self.ok("decompress", "-c", stdin=packed).out, ORDERS)

    def test_types_of_a_pipe_do_not_depend_on_where_its_begin_ends(self):
        day = b"1234567,2024-12-31,abcdefghijklmnopqrstuvwxyz\n"
        text = b"id,day,word\n" + day * ((33 << 20) // len(day))
        packed = self.ok("compress", "--table", "csv", "-c", stdin=text).out
        self.write("days.presso", packed)
        types = [column["type"] for column in self.info("days.presso")["table"]["columns"]]
        self.assertEqual(types, ["int64", "date", "utf8"])
        self.assertEqual(self.ok("cat", "days.presso").out, text)

    def test_options_without_effect_are_named(self):
        self.write("orders.csv", ORDERS)
        for option in (("--index",), ("--block-size", "64K"), ("--dict", "none")):
            said = self.ok("compress", "-f", "--table", "csv", *option, "orders.csv").err
            self.assertIn(option[0] + ": has no effect on tables", said)

    def test_large_tables_are_the_same_with_any_number_of_threads(self):
        text = many_rows()
        self.table("many.csv", text, "--row-group", "9999")
        options = ("--table", "auto", "--row-group", "9999")
        for threads in ("-T1", "-T3"):
            self.ok("compress", threads, *options, "-o", threads[1:], "many.csv")
        self.assertEqual(self.read("T1"), self.read("T3"))
        self.assertEqual(self.info("many.csv.presso")["table"]["row_groups"], 8)

    @covers("compress", "--row-group")
    def test_row_groups_have_so_many_rows(self):
        path = self.table("orders.csv", ORDERS, "--row-group", "3")
        self.assertEqual(self.info(path)["table"]["row_groups"], 2)

    @covers("compress", "--schema")
    def test_types_may_be_given(self):
        path = self.table("orders.csv", ORDERS, "--schema", "id:int16,price:decimal(18,2)")
        self.assertEqual(self.info(path)["table"]["columns"][0]["type"], "int16")
        self.write("types", b"id:int8\nnote:binary\n")
        path = self.table("orders.csv", ORDERS, "--schema", "types")
        self.assertEqual(self.info(path)["table"]["columns"][5]["type"], "binary")
        for types, said in (
            ("note:date", "line 3: `say "),
            ("none:int8", "has no column 'none'"),
            ("id:int9", "int9"),
            ("id", "neither NAME:TYPE"),
        ):
            options = ("-f", "--table", "csv", "--schema", types)
            self.fails("compress", *options, "orders.csv", saying=said)

    @covers("compress", "--header")
    def test_a_header_may_be_named_or_denied(self):
        text = b"x,y\nz,w\n"
        for header, rows in (("yes", 1), ("no", 2)):
            path = self.table("t.csv", text, "--header", header)
            self.assertEqual(self.info(path)["table"]["rows"], rows)

    @covers("compress", "--delimiter")
    @covers("compress", "--quote")
    @covers("compress", "--null")
    @covers("compress", "--comment")
    @covers("compress", "--skip")
    def test_how_the_text_is_written_may_be_said(self):
        text = b"made today\n# a comment\na;b\n1;'x;y'\n# another\nNA;z\n"
        options = ("--delimiter", ";", "--quote", "'", "--null", "NA", "--comment", "#")
        path = self.table("t.csv", text, *options, "--skip", "1")
        table = self.info(path)["table"]
        self.assertEqual([(c["name"], c["type"], c["nulls"]) for c in table["columns"]],
                         [("a", "int64", 1), ("b", "utf8", 0)])
        said = self.ok("cat", "--columns", "b", path).out
        self.assertEqual(said, b"b\n'x;y'\nz\n")

    def test_how_the_text_is_written_is_found_out(self):
        for name, (text, rows) in AS_FOUND.items():
            path = self.table(name, text)
            self.assertEqual(self.ok("decompress", "-c", path).out, text, name)
            self.assertEqual(self.ok("select", name, "--format", "tsv").out.decode(), rows, name)

    def test_quotes_are_judged_by_lines_all_over_the_file(self):
        rows = b"".join(b"%d\tword %d\n" % (i, i) for i in range(40000))
        self.write("t.tsv", b"id\ttext\n" + rows + (b'7\t"open\n' + b'8\tsay "x"\n') * 40000)
        counted = self.ok("select", "t.tsv", "--columns", "count(*)")
        self.assertEqual(counted.out, b"count(*)\n120000\n")

    def test_a_row_of_another_dialect_is_named(self):
        self.write("t.csv", b"a,b,c\n1,2,3\n4,5,6\n7;8;9\n")
        self.fails("select", "t.csv", saying="line 4: 1 field, expected 3: 7;8;9 (--delimiter ';' ")
        self.write("t.csv", b"a,b,c\n" + b"1,2,3\n" * 50000 + b"# end\n")
        self.fails("select", "t.csv", saying="(--comment '#' passes over such lines)")

    @covers("compress", "--escape")
    def test_an_escape_may_be_named_or_denied(self):
        text = b'id,t\n1,"a ^"b^" c"\n'
        path = self.table("t.csv", text, "--escape", "^")
        lines = self.ok("cat", "--format", "jsonl", path)
        self.assertEqual(lines.out, b'{"id":1,"t":"a \\"b\\" c"}\n')
        said = self.ok("select", "--escape", "none", "--format", "jsonl",
                       stdin=b'id,t\n1,"x\\"\n').out
        self.assertEqual(said, b'{"id":1,"t":"x\\\\"}\n')

    def test_rows_in_quotes_or_comments_are_an_error(self):
        rows = b"".join(b"%d,word %d\n" % (i, i) for i in range(40000))
        self.write("t.csv", b"id,text\n" + rows + b'7,"open\n8,y\n9,closed"\n' + rows)
        said = self.fails("compress", "--table", "csv", "t.csv", saying="--quote none").err
        self.assertIn("t.csv: line 40,002: ", said)
        self.ok("compress", "--table", "csv", "--quote", '"', "t.csv")
        self.assertEqual(self.info("t.csv.presso")["table"]["rows"], 80001)
        tags = b"".join(b"tag %d,%d\n" % (i, i) for i in range(40000))
        self.write("t.csv", b"tag,n\nx,1\n#2\n" + tags + b"#7,1\n" + tags)
        saying = "line 40,004: begins with '#'"
        self.fails("select", "t.csv", "--columns", "count(*)", saying=saying)

    @covers("compress", "--ragged")
    def test_rows_of_another_length_are_an_error_or_filled(self):
        self.write("r.csv", b"a,b\n1,2\n3\n")
        self.fails("compress", "--table", "csv", "r.csv",
                   saying="presso: r.csv: line 3: 1 field, expected 2: 3")
        self.assertFalse(os.path.exists("r.csv.presso"))
        path = self.table("r.csv", b"a,b\n1,2\n3\n", "--ragged", "fill")
        self.assertEqual(self.info(path)["table"]["columns"][1]["nulls"], 1)
        self.fails("compress", "-f", "--table", "csv", "--ragged", "fill", "-c", "-",
                   stdin=b"a,b\n1,2,3\n", saying="line 2: 3 fields, expected 2")

    @covers("compress", "--exact")
    def test_without_exact_rows_come_back_as_they_would_be_written(self):
        self.write("t.csv", b'a,b\n"1",2\n\n3,x\n')
        self.ok("compress", "--table", "csv", "--no-exact", "t.csv")
        self.assertEqual(self.ok("cat", "t.csv.presso").out, b"a,b\n1,2\n3,x\n")

    @covers("compress", "--sort-by")
    def test_rows_are_stored_sorted(self):
        self.write("t.csv", b'n,"x, y"\n3,a\n1,b\n,c\n3,b\n20,"a,a"\n')
        self.ok("compress", "--table", "csv", "--sort-by", 'n desc,"x, y"', "t.csv")
        self.assertEqual(
            self.ok("cat", "t.csv.presso").out, b'n,"x, y"\n,c\n20,"a,a"\n3,a\n3,b\n1,b\n'
        )
        self.assertFalse(self.info("t.csv.presso")["table"]["exact"])
        rows = b'{"k":2,"v":"x"}\n{"k":1,"v":null}\n{"k":1,"v":"a"}\n'
        table = self.ok("compress", "--table", "jsonl", "--sort-by", "k,v", "-c", "-", stdin=rows)
        self.assertEqual(
            self.ok("cat", stdin=table.out).out,
            b'{"k":1,"v":"a"}\n{"k":1,"v":null}\n{"k":2,"v":"x"}\n',
        )

    def test_large_tables_are_sorted_the_same_with_any_number_of_threads(self):
        text = many_rows()
        head, *rows = text.splitlines(keepends=True)
        self.write("t.csv", text)
        made = []
        for threads in ("1", "3"):
            self.ok("compress", "-f", "--table", "csv", "--sort-by", "colour,key desc",
                    "--row-group", "30000", "-T", threads, "t.csv")
            made.append(self.read("t.csv.presso"))
        self.assertEqual(made[0], made[1])
        rows.sort(key=lambda row: (row.split(b",")[2], -int(row.split(b",")[0])))
        self.assertEqual(self.ok("cat", "t.csv.presso").out, head + b"".join(rows))
        self.assertEqual(self.info("t.csv.presso")["table"]["row_groups"], 3)

    def test_what_cannot_be_sorted_by_is_an_error(self):
        self.write("t.csv", b"a,b\n1,2\n")
        for by, said in (
            ("c", "t.csv: has no column 'c' to be sorted by, only 'a', 'b'"),
            ("a,b,a desc", "t.csv: is to be sorted by column 'a' twice"),
            ("a,", "lacks the name of a column"),
            ('"a', "has a quote that is never closed"),
        ):
            self.fails("compress", "--table", "csv", "--sort-by", by, "t.csv", saying=said)
        self.fails("compress", "--table", "csv", "--exact", "--sort-by", "a", "t.csv",
                   saying="--exact keeps the rows in their order")
        self.fails("compress", "--sort-by", "a", "t.csv", saying="--sort-by needs --table")
        self.assertEqual(os.listdir(), ["t.csv"])

    def test_errors_name_file_and_line_and_leave_nothing(self):
        for text, said in (
            (b"", "has no row and no header"),
            (b'a,b\n1,"2\n3,4\n', "line 2: the quote that opens here is never closed"),
            ("a,b\n1,2\n".encode("utf-32"), "UTF-32"),
        ):
            self.write("t.csv", text)
            self.fails("compress", "--table", "csv", "t.csv", saying="presso: t.csv: ")
            self.fails("compress", "--table", "csv", "t.csv", saying=said)
            self.assertEqual(os.listdir("."), ["t.csv"])
        self.fails("compress", "--skip", "1", "t.csv", saying="--skip needs --table")

    @covers("cat", "--columns", "--rows", "--format")
    @covers("decompress", "--columns", "--rows", "--format")
    def test_columns_and_rows_in_another_form(self):
        path = self.table("orders.csv", ORDERS, "--row-group", "2")
        self.assertEqual(self.ok("cat", "--columns", "price,id", "--rows", "2-3", path).out,
                         b"price,id\n2.25,2\n10.00,3\n")
        self.assertEqual(self.ok("cat", "--rows", "4", "--columns=id", path).out, b"id\n4\n")
        self.fails("cat", "--rows", "9-", "--columns=id", path, saying="row 9 is after the end")
        lines = self.ok("cat", "--format", "jsonl", path).out.splitlines()
        row = {"id": 2, "customer": "O'Neil", "price": 2.25, "day": "2024-02-29"}
        self.assertEqual(json.loads(lines[1]), {**row, "paid": False, "note": 'say "hi"'})
        tabs = self.ok("decompress", "--format", "tsv", "--columns", "id,customer", path).out
        self.assertEqual(tabs.splitlines()[1], b"1\tSmith, John")
        self.fails("cat", "--columns", "prise", path, saying="Did you mean 'price'?")
        self.write("app.log", b"text\n")
        self.ok("compress", "app.log")
        self.fails("cat", "--rows", "1", "app.log.presso", saying="is not a table, which --rows")
        self.fails("cat", "--bytes", "1:2", path, saying="is a table")
        self.fails("cat", "--rows", "1", "--bytes", "1:2", path, saying="does not go with --bytes")

    def test_notices_come_once_a_command(self):
        names = [self.write(f"{i}.csv", b"a,a\n1,2\n") for i in range(3)]
        flags = ("--table", "auto", "--header", "yes", "-f")
        said = self.ok("compress", *flags, *names).err.splitlines()
        self.assertEqual(len(said), 2, said)
        self.assertIn("presso: 0.csv: ", said[0])
        self.assertEqual(
            said[1], "presso: the same kind of notice for 2 more files; -v prints all"
        )
        self.assertEqual(self.ok("compress", "-q", *flags, *names).err, "")
        found = self.ok("compress", "-v", *flags, *names).err
        for name in names:
            self.assertIn(f"presso: {name}: {said[0].split(': ', 2)[2]}", found)
        self.assertEqual(self.ok("compress", *flags, names[0]).err, said[0] + "\n")
        said = self.ok("select", "--input-header", "yes", *names).err.splitlines()
        self.assertEqual(len(said), 2, said)

    def test_rows_are_aligned(self):
        text = b"id,name\n" + b"".join(b"%d,n%d\n" % (i, i) for i in range(70_000))
        path = self.table("rows.csv", text, "--row-group", "30000")
        lines = self.ok("cat", "--format", "table", path).out.decode().splitlines()
        self.assertEqual(lines[:3], [" id  name", "---  ----", "  0  n0"])
        rows = [line.split() for line in lines[2:-1]]
        self.assertEqual(rows, [[str(i), f"n{i}"] for i in range(70_000)])
        self.assertEqual(lines[-1], "70,000 rows")
        some = ("--format", "table", "--columns", "name,id", "--rows", "29999-30001", path)
        lines = self.ok("cat", *some).out.decode().splitlines()
        wanted = ["name       id", "------  -----"]
        wanted += [f"n{i}  {i}" for i in range(29_998, 30_001)]
        self.assertEqual(lines, [*wanted, "3 rows"])
        self.ok("decompress", "--format", "table", "-o", "rows.txt", path)
        self.assertEqual(self.read("rows.txt").decode().splitlines()[-1], "70,000 rows")

    def test_a_terminal_shows_some_rows_of_a_long_table(self):
        text = b'# c\nid,name\n"0",n0\n' + b"".join(b"%d,n%d\n" % (i, i) for i in range(1, 1000))
        path = self.table("rows.csv", text, "--comment", "#")
        said = "the first 40 lines of 1,000 rows are shown; a pipe or a file gets all of them"
        said = f"presso: {path}: {said}"

        def lines(*arguments):
            status, output = self.on_terminal("cat", *arguments, path)
            self.assertEqual(status, 0, output)
            return output.replace("\r\n", "\n").splitlines()

        shown = text.decode().splitlines()
        self.assertEqual(lines(), [*shown[:42], said])
        self.assertEqual(lines("--columns", "id"), ["id", *map(str, range(40)), said])
        aligned = lines("--format", "table")
        self.assertEqual(len(aligned), 2 + 41 + 1)
        self.assertEqual(aligned[2].split() + aligned[21].split(), ["0", "n0", "19", "n19"])
        self.assertEqual(aligned[23].split() + aligned[42].split(), ["980", "n980", "999", "n999"])
        self.assertEqual(
            aligned[-1], "1,000 rows (the first and last 20 are shown; --rows shows more)"
        )
        self.assertEqual(len(lines("--rows", "1-")), 1001)
        self.assertEqual(len(lines("--format", "csv")), 1001)
        self.assertEqual(self.ok("cat", path).out, text)
        short = self.table("short.csv", b"".join(text.splitlines(True)[:42]), "--comment", "#")
        status, output = self.on_terminal("cat", short)
        self.assertEqual((status, output.splitlines()), (0, shown[:42]))

    def test_the_text_is_searched_as_that_of_any_file(self):
        path = self.table("orders.csv", ORDERS)
        found = self.ok("scan", "-n", "lines|O'Neil", path).out
        self.assertEqual(found, b"3:2,O'Neil,2.25,2024-02-29,false,\"say \"\"hi\"\"\"\n5:lines\"\n")
        self.assertEqual(self.ok("scan", "-c", "2024", path).out, b"2\n")
        piped = self.ok("scan", "-c", "2024", "-", stdin=self.read(path))
        self.assertEqual(piped.out, b"2\n")

    def test_tables_one_after_another_are_one_table(self):
        first = self.read(self.table("a.csv", b"id,x\n1,u\n2,v\n"))
        second = self.read(self.table("b.csv", b"id,x\r\n3,w\r\n"))
        self.write("both.presso", first + second)
        self.assertEqual(self.ok("cat", "both.presso").out, b"id,x\n1,u\n2,v\nid,x\r\n3,w\r\n")
        self.assertEqual(self.ok("cat", "--columns", "id", "both.presso").out, b"id\n1\n2\n3\n")
        other = self.read(self.table("c.csv", b"id,y\n1,2\n"))
        self.write("both.presso", first + other)
        self.fails("cat", "both.presso", saying="column 'y', before 'x'")
        self.fails("info", "both.presso", saying="column 'y', before 'x'")

    def test_damage_is_found_and_named(self):
        path = self.table("many.csv", many_rows(20000))
        whole = bytearray(self.read(path))
        whole[len(whole) // 2] ^= 1
        self.write(path, bytes(whole))
        for command in ("test", "cat"):
            self.fails(command, path, saying="compressed offset")
        self.fails("scan", "nothing", path, saying="compressed offset")
        self.write(path, bytes(whole[: len(whole) // 2]))
        self.fails("cat", path, saying="ends inside")

    def test_row_groups_that_are_intact_are_salvaged(self):
        text = many_rows(9000)
        path = self.table("many.csv", text, "--row-group", "3000")
        whole = bytearray(self.read(path))
        whole[len(whole) // 2] ^= 1
        self.write(path, bytes(whole))
        lines = text.splitlines(keepends=True)
        saved = self.run_presso("cat", "--salvage", path)
        self.assertEqual(saved.status, 2)
        self.assertEqual(saved.out, b"".join(lines[:3001] + lines[6001:]))

    def test_what_stands_before_a_cut_is_salvaged(self):
        text = many_rows(9000)
        path = self.table("many.csv", text, "--row-group", "3000")
        lines = text.splitlines(keepends=True)
        self.write("cut.presso", self.read(path)[: len(self.read(path)) // 2])
        self.assertEqual(self.run_presso("decompress", "--salvage", "cut.presso").status, 2)
        self.assertEqual(self.read("cut"), b"".join(lines[:3001]))
        rows = self.run_presso("cat", "--rows", "2991-3010", "cut.presso")
        self.assertEqual(rows.status, 2)
        self.assertEqual(rows.out, b"".join([lines[0]] + lines[2991:3001]))
        self.assertIn("after row 3,000", rows.err)
        self.ok("cat", "--rows", "1-3000", "cut.presso")

    def test_text_without_rows_is_not_lost(self):
        lines = b"# nothing here\n" * 40000
        self.table("comments.csv", b"a,b\n" + lines, "--comment", "#")
        self.table("blank.csv", b"a,b\n" + b"\n" * 700000)
        self.table("late.csv", b"a,b\n" + lines + b"1,2\n" + lines, "--comment", "#")
        self.assertEqual(self.info("late.csv.presso")["table"]["rows"], 1)

    def test_filled_rows_of_many_columns_are_many_row_groups(self):
        header = ",".join(f"c{n}" for n in range(2000)) + "\n"
        text = header.encode() + b"1\n" * 50000
        path = self.table("wide.csv", text, "--ragged", "fill")
        table = self.info(path)["table"]
        self.assertEqual((table["rows"], table["row_groups"]), (50000, 2))

    def test_a_long_record_from_a_pipe_is_a_row(self):
        text = b'a,b\n1,"' + b"x\n" * (20 << 20) + b'"\n2,y\n'
        packed = self.ok("compress", "--table", "csv", "-c", "-", stdin=text).out
        self.assertEqual(self.ok("cat", "-", stdin=packed).out, text)

    def test_a_pipe_whose_types_change_says_which_to_give(self):
        text = b"a,b\n" + b"1,xxxxxxx\n" * (4 << 20) + b"y,z\n"
        late = self.run_presso("compress", "--table", "csv", "-c", "-", stdin=text)
        self.assertEqual(late.status, 2)
        self.assertIn("`y` in column 'a' is not a text of type int64; types were found", late.err)
        self.assertIn("--schema 'a:utf8'", late.err)
        packed = self.ok("compress", "--table", "csv", "--schema", "a:utf8", "-", stdin=text).out
        self.assertEqual(self.ok("cat", "-", stdin=packed).out, text)
        json_text = b'{"a":1}\n' * (5 << 20) + b'{"b":1}\n'
        late = self.run_presso("compress", "--table", "jsonl", "-c", "-", stdin=json_text)
        self.assertIn("key 'b', which is not a column; --bad-rows FILE", late.err)
        given = ("--table", "jsonl", "--schema", "b:int64")
        packed = self.ok("compress", *given, "-", stdin=json_text).out
        self.assertEqual(self.ok("cat", "-", stdin=packed).out, json_text)

    def test_types_of_a_pipe_do_not_depend_on_the_size_of_row_groups(self):
        text = b"a\n" + b"1\n" * 100 + b"x\n"
        packed = self.ok("compress", "--table", "csv", "--row-group", "50", "-c", "-", stdin=text)
        self.assertEqual(self.ok("cat", "-", stdin=packed.out).out, text)

    def test_json_lines_come_back(self):
        path = self.table("api.jsonl", API)
        table = self.info(path)["table"]
        types = {column["name"]: column["type"] for column in table["columns"]}
        self.assertEqual(types, API_TYPES)
        self.assertEqual(table["rows"], 4)
        rows = self.ok("cat", "--columns", "name,id", path).out
        self.assertEqual(rows.splitlines()[0], b'{"name": "Smith \\u00e9", "id": 1}')
        self.assertEqual(self.ok("cat", "--format", "csv", "--columns", "id,tags", path).out, TAGS)
        for text in ODD_JSON:
            self.table("odd.jsonl", text, "--table", "jsonl")

    def test_json_lines_of_many_forms_come_back(self):
        rng = random.Random(5)
        keys = ["a", "b", "c", "d/e", "\u00fc", 'q"']
        for spaces in (None, (",", ":")):
            for ascii_only in (True, False):
                rows = []
                for _ in range(3000):
                    names = rng.sample(keys, rng.randrange(1, 6))
                    values = [None, True, 1, -2.5, 1e300, "x/y", "\u00e9\n", [1, {"k": []}], ""]
                    row = {name: rng.choice(values) for name in names}
                    rows.append(json.dumps(row, separators=spaces, ensure_ascii=ascii_only))
                self.table("some.jsonl", "\n".join(rows).encode())

    def test_json_of_a_pipe_may_be_given_types(self):
        text = b'{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n'
        packed = self.ok("compress", "--table", "jsonl", "--schema", "a:utf8", "-", stdin=text).out
        self.assertEqual(self.ok("cat", "-", stdin=packed).out, text)
        flags = ("--table", "jsonl", "--header", "yes")
        refused = self.run_presso("compress", *flags, "-", stdin=text)
        self.assertIn("--header means nothing for JSON lines", refused.err)
        self.write("no.jsonl", b"[1,2]\n")
        self.assertIn(
            "no.jsonl: line 1: not a JSON object: at byte 1",
            self.run_presso("compress", "--table", "jsonl", "no.jsonl").err,
        )

    def test_other_json_is_named(self):
        for text in (b"[1,2]", b'"a"\n', b"[[1],[2]]"):
            self.write("all.json", text)
            refused = self.run_presso("compress", "--table", "auto", "all.json")
            self.assertEqual(refused.status, 2)
            self.assertIn("jq -c", refused.err)

    def test_json_arrays_and_objects_over_lines_are_rows(self):
        rows = [{"id": i, "tags": [1, {"k": "}\u00e9"}], "s": "x" * (i % 50)} for i in range(3000)]
        texts = {json.dumps(rows), json.dumps(rows, indent=2), json.dumps(rows, indent=1) + "\n"}
        texts.add("\n".join(json.dumps(row, indent=4) for row in rows))
        texts.add("".join(json.dumps(row) for row in rows))
        texts.add("\ufeff [\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]\n\n")
        texts.add("\n".join(json.dumps(row, indent=row["id"] % 2 or None) for row in rows))
        for text in sorted(texts):
            path = self.table("rows.json", text.encode(), "--row-group", "1000")
            self.assertEqual(self.info(path)["table"]["rows"], 3000)
            lines = self.ok("cat", "--format", "jsonl", path).out.splitlines()
            self.assertEqual([json.loads(line) for line in lines], rows)
            lines = self.ok("cat", "--rows", "2-3", path).out.splitlines()
            self.assertEqual([json.loads(line) for line in lines], rows[1:3])
            asked = self.ok("sql", "select count(*), sum(id) from 'rows.json'").out
            self.assertEqual(asked.splitlines()[1], b"3000,4498500")
            bare = self.ok("compress", "--table", "jsonl", "--no-exact", "-c", "rows.json").out
            lines = self.ok("cat", "-", stdin=bare).out.decode().lstrip("\ufeff").splitlines()
            self.assertEqual([json.loads(line) for line in lines], rows)

    def test_json_of_32_megabytes_is_cut_between_rows(self):
        rows = [{"id": i, "v": [{"a": i}, {"a": "x" * 900}]} for i in range(37000)]
        for indent, rule in ((None, "["), (1, "["), (1, "")):
            text = json.dumps(rows, indent=indent)
            if not rule:
                text = "\n".join(json.dumps(row, indent=indent) for row in rows)
            self.write("rows.json", text.encode())
            self.ok("compress", "-f", "--table", "auto", "rows.json")
            table = self.info("rows.json.presso")["table"]
            self.assertEqual((table["rows"], table["row_groups"]), (37000, 2))
            self.assertTrue(self.ok("cat", "rows.json.presso").out == text.encode())
            piped = self.ok("compress", "--table", "jsonl", "-", stdin=text.encode()).out
            self.assertTrue(self.ok("cat", "-", stdin=piped).out == text.encode())

    def test_broken_json_is_an_error_that_names_the_place(self):
        broken = {
            b'{"i":0}\n{"i":1,\n{"i":2}\n': "line 2: not a JSON object: at byte 8 a key",
            b'{"i":0}\n[1]\n': "line 2: not a JSON object: at byte 1 '{' is expected",
            b'{"i":0}\n{"i":1} x\n': "line 2: not a JSON object: at byte 9 nothing may follow",
            b'{"i":0}\n\n{"i":1}}\n': "line 3: not a JSON object: at byte 8",
            b'{"i":0}\n{"i":1}{"i":2}\n': "line 2: not a JSON object: at byte 8",
            b'\xef\xbb\xbf{"i":0}\r\n\xef\xbb\xbf{"i":1}\r\n': "line 2: ",
            b'{"i":0}\n{"i":"\xff"}\n': "line 2: not a JSON object: at byte 7 a string has bytes",
            b'{"i":[1,,2]}\n{"i":0}\n': "line 1: not a JSON object: at byte 9 a value",
            b'{"i":0}\n{"i":"\x1b[2J"}\n': "a string has a control character, before `\\x1b",
            b'{\n"i":0}\n{\n"i":tru}\n': "line 4: not JSON: at byte 5 a value is expected",
            b'[\n{"i":0},\n{"i":}\n]\n': "line 3: not JSON: at byte 6 a value is expected",
            b'[{"i":0},{"i":1},]': "line 1: not JSON: '{' is expected after ','",
            b'[{"i":0},{"i":1},': "its array is never closed",
            b'[{"i":0},{"i":1}': "line 1: not JSON: ',' or ']' is expected",
            b'[{"i":0}]\n{"i":1}\n': "line 2: not JSON: at byte 1 nothing may follow the array",
        }
        for text, said in broken.items():
            self.write("rows.jsonl", text)
            for command in (("compress", "-f", "--table", "auto"), ("select",)):
                refused = self.run_presso(*command, "rows.jsonl")
                self.assertEqual((refused.status, refused.out), (2, b""), refused)
                self.assertIn("rows.jsonl: ", refused.err)
                self.assertIn(said, refused.err)
            self.assertFalse(os.path.exists("rows.jsonl.presso"))

    def test_broken_lines_and_the_table_are_the_whole_text(self):
        rng = random.Random(7)
        good = [b'{"a":1}\n', b'{"a":2,"b":[1,{}]}\n', b"\n", b'{"b":"x"}\r\n', b'{\n"a":3\n}\n']
        bad = [b"\xff\n", b'{"a":1,\n', b"null\n", b'{"a":[1 2]}\n', b'{"a":1}{"a":2}\n', b"}\n"]
        for count in (1, 3, 40):
            lines = [rng.choice(good) for _ in range(30)] + [rng.choice(bad) for _ in range(count)]
            rng.shuffle(lines)
            lines = [good[0], *lines, good[1]]
            self.write("some.jsonl", b"".join(lines))
            given = ("compress", "-f", "--table", "auto", "--bad-rows", "bad.jsonl")
            said = self.ok(*given, "some.jsonl").err
            self.assertIn(f"{count} row{'s are' if count > 1 else ' is'} in bad.jsonl", said)
            wrong = [line for line in lines if line in bad]
            self.assertEqual(self.read("bad.jsonl"), b"".join(wrong))
            right = [line for line in lines if line in good]
            self.assertEqual(self.ok("cat", "some.jsonl.presso").out, b"".join(right))
            rows = sum(line != b"\n" for line in right)
            self.assertEqual(self.info("some.jsonl.presso")["table"]["rows"], rows)
            for stdin in (None, b"".join(lines)):
                name = "-" if stdin else "some.jsonl"
                ask = ("select", "-f", "--bad-rows", "bad2.jsonl", "--format", "jsonl")
                asked = self.ok(*ask, "--input", "jsonl", name, stdin=stdin)
                self.assertEqual(asked.out.count(b"\n"), rows)
                self.assertEqual(self.read("bad2.jsonl"), self.read("bad.jsonl"))

    def test_the_first_bad_row_is_the_first_in_the_text(self):
        self.write("first.csv", b"id,v\n1,2\nx,3\n4\n8,9\n")
        given = ("compress", "--table", "csv", "--schema", "id:int32", "--bad-rows", "bad.csv")
        said = self.ok(*given, "first.csv").err
        self.assertIn("2 rows are in bad.csv and not in the table; the first: line 3: `x`", said)
        self.write("none.json", b" [ ]\n")
        self.fails("sql", "from 'none.json'", saying="is an empty array, which has no columns")

    @covers("compress", "--bad-rows")
    def test_rows_that_do_not_fit_are_set_aside(self):
        self.write("orders.csv", b'a,b\n1,2\n3\n"x\ny",6\n4,5,6\n\n7,8\nz,9')
        given = ("compress", "-f", "--table", "csv", "--schema", "a:int32", "--bad-rows", "bad.csv")
        said = self.ok(*given, "orders.csv").err
        self.assertIn("4 rows are in bad.csv and not in the table", said)
        self.write("total.csv", b"a,b\n1,2\n4,5\nTotal: 2\n")
        self.ok("compress", "-f", "--table", "csv", "--bad-rows", "bad.csv", "total.csv")
        types = [column["type"] for column in self.info("total.csv.presso")["table"]["columns"]]
        self.assertEqual(types, ["int64", "int64"])
        self.ok(*given, "orders.csv")
        self.assertEqual(self.read("bad.csv"), b'3\n"x\ny",6\n4,5,6\nz,9')
        self.assertEqual(self.ok("cat", "orders.csv.presso").out, b"a,b\n1,2\n\n7,8\n")
        self.write("rows.jsonl", b'{"a":1}\n{"a":"x"}\n{"b":1}\n{"a":2}\n')
        rows = ("compress", "-f", "--table", "jsonl", "--schema", "a:int32,b:int8")
        self.ok(*rows, "--bad-rows", "bad.jsonl", "rows.jsonl")
        self.assertEqual(self.read("bad.jsonl"), b'{"a":"x"}\n')
        two = self.run_presso(*given, "orders.csv", "rows.jsonl")
        self.assertIn("--bad-rows names one file", two.err)
        for flags in (("--bad-rows", "o", "-o", "./o"), ("--bad-rows", "./all.csv.presso")):
            self.write("all.csv", b"a,b\n1\n\n2\n")
            same = self.run_presso("compress", "-f", "--rm", "--table", "csv", *flags, "all.csv")
            self.assertEqual(same.status, 2)
            self.assertIn("names the output itself", same.err)
            self.assertEqual(self.read("all.csv"), b"a,b\n1\n\n2\n")
        self.assertIn("is not the name", self.run_presso(*given[:-1], "-", "orders.csv").err)
        self.ok("compress", "-f", "--table", "csv", "--bad-rows", "bad.csv", "all.csv")
        self.assertEqual(self.read("bad.csv"), b"1\n2\n\n")

    @covers("compress", "--report")
    def test_what_was_found_out_is_reported(self):
        self.write("zip.csv", b"zip,n\n00501,1\n90210,\n")
        given = ("--table", "csv", "--report", "json")
        report = json.loads(self.ok("compress", *given, "zip.csv").out)
        self.assertEqual((report["file"], report["rows"], report["exact"]), ("zip.csv", 2, True))
        zip_code, n = report["columns"]
        self.assertIn("00501", zip_code["why"])
        self.assertEqual(
            (n["type"], n["values"], n["nulls"], n["why"]), ("int64", 1, 1, None)
        )
        both = self.run_presso("compress", "--table", "csv", "--report", "json", "-c", "zip.csv")
        self.assertEqual(both.status, 2)
        self.assertIn("standard output", both.err)

    def test_compressed_text_is_read(self):
        text = many_rows(50000)
        self.write("t.csv.gz", gzip.compress(text))
        self.ok("compress", "--table", "auto", "t.csv.gz")
        self.assertEqual(self.ok("cat", "t.csv.presso").out, text)
        table = self.info("t.csv.presso")["table"]
        self.assertEqual([column["type"] for column in table["columns"]][:2], ["int64", TWO_DIGITS])
        os.remove("t.csv.presso")
        packed = self.ok("compress", "--table", "csv", "-", stdin=gzip.compress(text)).out
        self.assertEqual(self.ok("cat", "-", stdin=packed).out, text)
        self.write("cut.csv.gz", gzip.compress(text)[:-2000])
        cut = self.run_presso("compress", "--table", "auto", "cut.csv.gz")
        self.assertEqual(cut.status, 2)
        self.assertFalse(os.path.exists("cut.csv.presso"))

    def test_blocks_are_not_those_of_a_table(self):
        path = self.table("orders.csv", ORDERS)
        refused = self.run_presso("scan", "--blocks", "1", "Smith", path)
        self.assertEqual(refused.status, 2)
        self.assertIn("is a table", refused.err)


if __name__ == "__main__":
    main()
