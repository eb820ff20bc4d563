# SPDX-License-Identifier: MIT
"""Nested values of JSON: fields and elements in statements, as Python's json reads them, over the
text and over the table that it becomes."""

import csv
import io
import json
import random
import unittest

from support import CliTest, main

ROWS = (
    {"id": 1, "a": {"b": {"c": 1.5}, "l": [1, 2, "x\u00e9\n"]}, "tags": ["red", "blue"]},
    {"id": 2, "a": {"b": {"c": 2}, "l": []}, "tags": None},
    {"id": 3, "a": None, "tags": ["green"]},
    {"id": 4, "a": {"b": {"c": None}, "k k": {"z": True}}, "tags": []},
)


def lines_of(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


class Nested(CliTest):
    def answers(self, statement, rows=ROWS):
        """The rows of a statement over the table t, which text and table must agree upon."""
        self.write("t.jsonl", lines_of(rows))
        self.ok("compress", "-q", "-f", "--table", "auto", "t.jsonl")
        found = [
            self.ok("sql", statement.replace("TABLE", f"'t.jsonl{suffix}' t")).out.decode()
            for suffix in ("", ".presso")
        ]
        self.assertEqual(*found)
        return list(csv.reader(io.StringIO(found[0])))

    def test_fields_and_elements(self):
        self.assertEqual(
            self.answers("select id, a.b.c, t.a.l[-1] last, tags[1], a['b']['c'] d from TABLE"),
            [
                ["id", "c", "last", "tags[1]", "d"],
                ["1", "1.5", "x\u00e9\n", "red", "1.5"],
                ["2", "2", "", "", "2"],
                ["3", "", "", "green", ""],
                ["4", "", "", "", ""],
            ],
        )
        self.assertEqual(
            self.answers("select id, a.\"k k\".z from TABLE where a.\"k k\" is not null"),
            [["id", "z"], ["4", "true"]],
        )

    def test_arrows_and_functions(self):
        self.assertEqual(
            self.answers(
                "select a -> 'b' x, a ->> '$.b.c' y, tags -> 0 z, json_array_length(tags) n "
                "from TABLE"
            ),
            [
                ["x", "y", "z", "n"],
                ['{"c":1.5}', "1.5", '"red"', "2"],
                ['{"c":2}', "2", "", ""],
                ["", "", "green".join('""'), "1"],
                ['{"c":null}', "", "", "0"],
            ],
        )

    def test_groups_and_joins(self):
        self.assertEqual(
            self.answers("select a.b.c, count(*) n from TABLE group by a.b.c order by a.b.c"),
            [["c", "n"], ["1.5", "1"], ["2", "1"], ["", "2"]],
        )
        self.assertEqual(
            self.answers("select t.id from TABLE join 't.jsonl' u on t.a.b.c = u.a.b.c"),
            [["id"], ["1"], ["2"]],
        )

    def test_fields_have_types(self):
        rows = [
            {"a": {"n": i, "x": i / 4, "d": f"2024-01-{1 + i % 28:02}", "s": str(i), "b": i > 2}}
            for i in range(40)
        ]
        self.assertEqual(
            self.answers(
                "select sum(a.n) n, max(t.a.x) x, min(\"a.d\") d, max(a.s) s, min(t.\"a.b\") b "
                "from TABLE where a.n > 2",
                rows,
            ),
            [["n", "x", "d", "s", "b"], ["777", "9.75", "2024-01-01", "9", "true"]],
        )
        fields = [
            {"name": "a.b", "type": "bool"},
            {"name": "a.d", "type": "date"},
            {"name": "a.n", "type": "int64"},
            {"name": "a.x", "type": "double"},
        ]
        for path in ("t.jsonl", "t.jsonl.presso"):
            report = json.loads(self.ok("info", "--json", path).out)["files"][0]
            columns = report.get("columns") or report["table"]["columns"]
            self.assertEqual(columns[0]["fields"], fields)
        self.fails("sql", "select sum(a.s) from t.jsonl", saying="sum() takes numbers")
        self.fails("sql", "select a.x.y.z from t.jsonl u join t.jsonl v using (q)", saying="q")

    def test_fields_that_are_arrays_or_objects_stay_so(self):
        rows = [{"s": {"l": l, "o": {"z": z}}} for l, z in (([9], 9), ([10, 1], 10), ([], 100))]
        inner = "(select s.l, s.o from TABLE limit 9) i"
        for statement, wanted in (
            ("select len(s.l), list_max(s.l) from TABLE", ["1,9", "2,10", "0,"]),
            (f"select l[1], o.z from {inner} order by z", ["9,9", "10,10", ",100"]),
            (f"select max(u) from (select unnest(l) u from {inner})", ["10"]),
            (f"select max(k[1].z), max(k[3].z) from (select list(o) k from {inner})", ["9,100"]),
            ("select to_json(s.o), upper(s.l) from TABLE where s.o.z = 10", ['{"z":10},[10,1]']),
            ("select max(json_object('k', s.o).k.z) from TABLE", ["100"]),
        ):
            answer = [",".join(row) for row in self.answers(statement, rows)[1:]]
            self.assertEqual(answer, wanted, statement)

    def test_the_length_of_a_field_is_that_of_its_text_or_array(self):
        rows = [{"s": {"n": value}} for value in ("abc", ["x"], "[1,2]", 12.50, None, [])]
        answer = self.answers("select len(s.n), length(t.s['n']) from TABLE", rows)
        self.assertEqual(answer[1:], [[n, n] for n in ("3", "1", "5", "4", "", "0")])

    def test_columns_and_tables_of_a_name_win(self):
        self.write("a.jsonl", lines_of([{"a": {"b": 1}, "b": 2, "a.c": 3, "c": {"d": 4}}]))
        found = self.ok("sql", 'select a.b, "a.c", a.a.b as f, c.d, a."c.d" as e from a.jsonl').out
        self.assertEqual(found, b"b,a.c,f,d,e\n2,3,1,4,4\n")

    def test_files_with_other_types_have_the_common_ones(self):
        self.write("x.jsonl", lines_of([{"a": {"i": 1, "n": 1, "t": 1, "o": 1}}]))
        self.write("y.jsonl", lines_of([{"a": {"i": 2, "n": 2.5, "t": "x"}}]))
        for name in ("x", "y"):
            self.ok("compress", "-q", "-f", "--table", "auto", f"{name}.jsonl")
        with open("both.presso", "wb") as both:
            both.write(self.read("x.jsonl.presso") + self.read("y.jsonl.presso"))
        found = self.ok("sql", "select a.i + 1 i, a.n * 2 n, a.t, a.o from both.presso").out
        self.assertEqual(found, b"i,n,t,o\n2,2,1,1\n3,5,x,\n")

    def test_a_text_that_is_no_json_is_an_error_with_its_row(self):
        self.write("t.csv", b'id,j\n1,"{""a"":5}"\n2,{a}\n')
        self.fails("sql", "select j ->> 'a' from t.csv", saying="row 2: a text is not JSON")
        found = self.ok("sql", "select j ->> 'a' as a from t.csv where json_valid(j)").out
        self.assertEqual(found, b"a\n5\n")
        self.fails("sql", "select j.a from t.csv", saying="this is text, and no nested value")

    def test_random_values_are_those_that_python_reads(self):
        rng = random.Random(5)
        words = ("a", "b c", "\u00e9", 'q"', "back\\slash", "")

        def value(depth):
            kind = rng.randrange(7 if depth else 5)
            if kind == 0:
                return rng.choice((None, True, False))
            if kind < 3:
                return rng.choice((0, -7, 12345678901, 1.5, -0.001, 1e20))
            if kind < 5:
                return rng.choice(words) * rng.randrange(3)
            if kind == 5:
                return [value(depth - 1) for _ in range(rng.randrange(4))]
            return {rng.choice(words[:3]): value(depth - 1) for _ in range(rng.randrange(4))}

        rows = [{"id": i, "v": {"a": value(3), "b c": [value(2), value(1)]}} for i in range(400)]

        def shown(found):
            return "null" if found is None else json.dumps(found, sort_keys=True)

        asked = "select id, v -> 'a', v['b c'][2], v ->> '$.\"b c\"[0]' from TABLE order by id"
        for (_, a, last, first), row in zip(self.answers(asked, rows)[1:], rows):
            expected = row["v"]
            self.assertEqual(shown(json.loads(a)), shown(expected["a"]))
            for text, inner in ((last, expected["b c"][1]), (first, expected["b c"][0])):
                plain = "" if inner is None else inner
                self.assertEqual(
                    text if isinstance(plain, str) else shown(json.loads(text)),
                    plain if isinstance(plain, str) else shown(plain),
                )


if __name__ == "__main__":
    main()
