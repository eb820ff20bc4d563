# SPDX-License-Identifier: MIT
"""presso join: every kind over tables and plain text, compared with nested loops in Python, in the
order in which the rows must come; names, conditions, groups, forms of answers, little memory; and
what goes wrong."""

import csv
import gzip
import io
import json
import os
import random
import re
import resource
import signal
import subprocess
import unittest

from support import HOW_TEXT_IS_READ, PRESSO, CliTest, covers, main, wait_for

try:
    import pyarrow
    import pyarrow.ipc
except ImportError:
    pyarrow = None

SHOP = b"""id,city,price
1,Oslo,2.50
2,Rome,10.00
3,Oslo,0.25
4,,7.00
5,Bonn,1.00
"""
CITIES = b"""city,country,id
Oslo,NO,10
Rome,IT,20
Paris,FR,30
,XX,40
"""
KINDS = ("inner", "left", "right", "full", "semi", "anti")
STRATEGIES = "auto merge direct unchained".split()


def made_rows(rows, seed, keys=400):
    """(number, key or None, word): some keys come often, some never."""
    rng = random.Random(seed)
    return [
        (
            number,
            None if rng.randrange(20) == 0 else min(rng.randrange(keys), rng.randrange(keys)),
            rng.choice(["red", "green", "blue", "grün"]),
        )
        for number in range(rows)
    ]


def text_of(rows, names):
    lines = [names] + [",".join("" if v is None else str(v) for v in row) for row in rows]
    return ("\n".join(lines) + "\n").encode()


def joined(kind, left, right, matches):
    """Pairs in the order of the answer: the larger side's rows, each with its partners in turn;
    then rows without a partner of the other side."""
    if len(left) >= len(right):
        return joined_from(kind, left, right, matches)
    if kind in ("semi", "anti"):
        return [(l, None) for l in left if any(matches(l, r) for r in right) == (kind == "semi")]
    mirror = {"left": "right", "right": "left"}.get(kind, kind)
    return [(l, r) for r, l in joined_from(mirror, right, left, lambda r, l: matches(l, r))]


def joined_from(kind, probe, build, matches):
    found = set()
    pairs = []
    for p in probe:
        partners = [b for b in build if matches(p, b)]
        found.update(map(id, partners))
        if kind in ("semi", "anti"):
            if bool(partners) == (kind == "semi"):
                pairs.append((p, None))
            continue
        pairs += [(p, b) for b in partners]
        if not partners and kind in ("left", "full"):
            pairs.append((p, None))
    if kind in ("right", "full"):
        pairs += [(None, b) for b in build if id(b) not in found]
    return pairs


class JoinTest(CliTest):
    def setUp(self):
        super().setUp()
        self.write("shop.csv", SHOP)
        self.write("cities.csv", CITIES)

    def table(self, name, text, *options):
        self.write(name, text)
        self.ok("compress", "-q", "-f", "--table", "auto", *options, name)
        return name + ".presso"

    def rows_of(self, result):
        return list(csv.reader(io.StringIO(result.out.decode())))[1:]

    def join(self, *arguments, **more):
        return self.rows_of(self.ok("join", *arguments, **more))

    def cities(self, *arguments):
        return self.join("shop.csv", "cities.csv", "--on", "city", *arguments)


class Kinds(JoinTest):
    @covers("join", "--on", "--kind")
    def test_kinds(self):
        country = ("--columns", "shop.id, country")
        inner = [["1", "NO"], ["2", "IT"], ["3", "NO"]]
        left = [["4", ""], ["5", ""]]
        right = [["", "FR"], ["", "XX"]]
        self.assertEqual(self.cities(*country), inner)
        self.assertEqual(self.cities(*country, "--kind", "inner"), inner)
        self.assertEqual(self.cities(*country, "--kind", "left"), inner + left)
        self.assertEqual(self.cities(*country, "--kind", "right"), inner + right)
        self.assertEqual(self.cities(*country, "--kind", "full"), inner + left + right)
        self.assertEqual(self.cities("--kind", "semi", "--columns", "id"), [["1"], ["2"], ["3"]])
        self.assertEqual(self.cities("--kind", "anti", "--columns", "id"), [["4"], ["5"]])
        self.fails(
            "join", "shop.csv", "cities.csv", "--on", "city", "--kind", "cross", saying="semi"
        )

    def test_all_columns_come_with_a_shared_key_once(self):
        out = self.ok("join", "shop.csv", "cities.csv", "--on", "city", "--limit", "1").out
        self.assertEqual(out, b"shop.id,city,price,country,cities.id\n1,Oslo,2.50,NO,10\n")
        out = self.ok("join", "shop.csv", "cities.csv", "--on", "city=city", "--limit", "1").out
        self.assertEqual(
            out, b"shop.id,shop.city,price,cities.city,country,cities.id\n1,Oslo,2.50,Oslo,NO,10\n"
        )
        out = self.ok("join", "shop.csv", "cities.csv", "--on", "city", "--kind", "semi").out
        self.assertEqual(out.splitlines()[0], b"id,city,price")

    def test_every_kind_is_that_of_a_nested_loop_whichever_side_is_larger(self):
        large, small = made_rows(3000, 1), made_rows(300, 2)
        files = {
            "large": self.table("large.csv", text_of(large, "a,key,word"), "--row-group", "700"),
            "small": self.table("small.csv", text_of(small, "b,key,word")),
        }
        rows = {"large": large, "small": small}
        by_key = lambda l, r: l[1] is not None and l[1] == r[1]
        by_both = lambda l, r: by_key(l, r) and l[2] == r[2]
        by_part = lambda l, r: by_key(l, r) and l[0] % 2 == r[0] % 2
        conditions = {
            "key": by_key,
            "key, word": by_both,
            "left.key = right.key and {} % 2 = {} % 2": by_part,
            "key, {} + {} < 1500": lambda l, r: by_key(l, r) and l[0] + r[0] < 1500,
            "left.key = right.key and left.word < right.word": lambda l, r: by_key(l, r)
            and l[2].encode() < r[2].encode(),
        }
        for left, right in (("large", "small"), ("small", "large")):
            names = {"large": "a", "small": "b"}
            for on, matches in conditions.items():
                on = on.format(names[left], names[right])
                for kind in KINDS:
                    pairs = joined(kind, rows[left], rows[right], matches)
                    shown = (
                        [names[left]] if kind in ("semi", "anti") else [names[left], names[right]]
                    )
                    expected = [
                        ["" if row is None else str(row[0]) for row in pair][: len(shown)]
                        for pair in pairs
                    ]
                    found = self.join(
                        files[left],
                        files[right],
                        "--on",
                        on,
                        "--kind",
                        kind,
                        "--columns",
                        ", ".join(shown),
                    )
                    self.assertEqual(found, expected, (left, on, kind))

    @covers("join", "--strategy", "--threads")
    def test_strategies_and_threads_give_the_same_rows(self):
        large = self.table(
            "large.csv", text_of(made_rows(3000, 1), "a,key,word"), "--row-group", "700"
        )
        small = text_of(sorted(made_rows(300, 2), key=lambda row: row[1] or 0), "b,key,word")
        ask = ("join", large, self.table("small.csv", small), "--on", "key", "--kind", "full")
        expected = self.ok(*ask).out
        for strategy in STRATEGIES:
            for threads in ("1", "3"):
                found = self.run_presso(*ask, "--strategy", strategy, "-T", threads)
                self.assertEqual((found.status, found.out), (0, expected), strategy)
        for unknown in ("best", "open", "radix"):
            self.fails(*ask, "--strategy", unknown, saying="auto, merge, direct, unchained")

    @covers("join", "--memory", "--temp")
    def test_little_memory_gives_the_same_rows(self):
        large = self.table("large.csv", text_of(made_rows(60000, 1, 20000), "a,key,word"))
        small = self.table("small.csv", text_of(made_rows(30000, 2, 20000), "b,key,word"))
        os.mkdir("spill")
        for kind in KINDS:
            ask = ("join", large, small, "--on", "key", "--kind", kind)
            plenty = self.ok(*ask).out
            little = self.ok(*ask, "--memory", "1M", "--temp", "spill")
            self.assertEqual(little.out, plenty, kind)
            self.assertEqual(self.files("spill"), [])

    def test_several_files_with_a_kind_each(self):
        self.write("countries.csv", b"code,name\nNO,Norway\nFR,France\n")
        files = ("shop.csv", "cities.csv", "countries.csv")
        on = ("--on", "city", "--on", "country = code")
        ask = (*files, *on, "--columns", "shop.id, city, name")
        self.assertEqual(self.join(*ask), [["1", "Oslo", "Norway"], ["3", "Oslo", "Norway"]])
        self.assertEqual(
            self.join(*ask, "--kind", "inner", "--kind", "left"),
            [["1", "Oslo", "Norway"], ["2", "Rome", ""], ["3", "Oslo", "Norway"]],
        )
        self.assertEqual(
            self.join(
                *files, *on, "--kind", "left", "--kind", "anti", "--columns", "shop.id, city"
            ),
            [["2", "Rome"], ["4", ""], ["5", "Bonn"]],
        )
        self.fails("join", *files, "--on", "city", *on, saying="--on is given 3 times")
        self.fails("join", *files, *on, *["--kind", "left"] * 3, saying="--kind is given 3 times")
        self.fails("join", *files[:2], "--on", "city", *["--kind", "left"] * 2, saying="two files")

    def test_one_key_for_all_files(self):
        self.write("third.csv", b"id,x\n1,a\n3,b\n9,c\n")
        ask = ("shop.csv", "shop.csv", "third.csv", "--on", "id")
        self.assertEqual(
            self.join(*ask, "--columns", "id, x, t1.city, t2.city"),
            [["1", "a", "Oslo", "Oslo"], ["3", "b", "Oslo", "Oslo"]],
        )
        self.write("none.csv", b"id,y\n1,q\n8,r\n")
        full = self.join(
            "third.csv",
            "none.csv",
            "shop.csv",
            "--on",
            "id",
            "--kind",
            "full",
            "--columns",
            "id, x, y, price",
            "--order-by",
            "id",
        )
        self.assertEqual(
            full,
            [
                ["1", "a", "q", "2.50"],
                ["2", "", "", "10.00"],
                ["3", "b", "", "0.25"],
                ["4", "", "", "7.00"],
                ["5", "", "", "1.00"],
                ["8", "", "r", ""],
                ["9", "c", "", ""],
            ],
        )

    def test_nulls_are_equal_to_nothing(self):
        self.assertNotIn(["4", "XX"], self.cities("--columns", "shop.id, country"))
        both = "left.city is not distinct from right.city and left.id < right.id"
        rows = self.join("shop.csv", "cities.csv", "--on", both, "--columns", "left.id, right.id")
        self.assertEqual(rows, [["1", "10"], ["2", "20"], ["3", "10"], ["4", "40"]])

    def test_a_side_without_rows(self):
        """Nothing tells the types of its columns, which are strings then."""
        self.write("none.csv", b"id,x\n")
        ids = [["1"], ["2"], ["3"], ["4"], ["5"]]
        for none in ("none.csv", self.table("none.csv", b"id,x\n")):
            for kind in KINDS:
                ask = ("--on", "id", "--kind", kind, "--no-header")
                left = self.run_presso("join", "shop.csv", none, *ask, "--columns", "id")
                right = self.run_presso("join", none, "shop.csv", *ask, "--columns", "id")
                rows = [line.split() for line in left.out.decode().splitlines()]
                self.assertEqual(rows, ids if kind in ("left", "full", "anti") else [], kind)
                rows = [line.split() for line in right.out.decode().splitlines()]
                self.assertEqual(rows, ids if kind in ("right", "full") else [], kind)
            self.assertEqual(self.run_presso("join", none, none, "--on", "id").status, 1)
            self.assertEqual(self.run_presso("join", "shop.csv", none, "--on", "price=x").status, 1)
        self.fails("join", "shop.csv", "cities.csv", "--on", "price=country", saying="cast(")

    def test_a_file_with_itself(self):
        pairs = self.join(
            "shop.csv",
            "shop.csv",
            "--on",
            "city, left.id < right.id",
            "--columns",
            "left.id, right.id as other",
        )
        self.assertEqual(pairs, [["1", "3"]])
        out = self.ok("join", "shop.csv", "shop.csv", "--on", "id", "--limit", "1").out
        self.assertEqual(out.splitlines()[0], b"id,left.city,left.price,right.city,right.price")


class Questions(JoinTest):
    @covers("join", "--where")
    def test_where(self):
        ask = ("--columns", "shop.id")
        self.assertEqual(self.cities("--where", "price > 1", *ask), [["1"], ["2"]])
        self.assertEqual(self.cities("--where", "country = 'NO'", *ask), [["1"], ["3"]])
        self.assertEqual(self.cities("--where", "price * 4 < cities.id", *ask), [["3"]])
        left = ("--kind", "left", *ask)
        self.assertEqual(self.cities("--where", "country is null", *left), [["4"], ["5"]])
        # A condition of --on decides about partners, one of --where about rows.
        self.assertEqual(
            self.join("shop.csv", "cities.csv", "--on", "city, price > 1", *left),
            [["1"], ["2"], ["3"], ["4"], ["5"]],
        )
        self.assertEqual(
            self.cities("--where", "price > 1", "--where", "country = 'NO'", *ask), [["1"]]
        )

    @covers("join", "--columns")
    def test_names(self):
        for name in ("shop.id", "left.id", "t1.id", '"shop"."id"', "shop.ID"):
            self.assertEqual(self.cities("--columns", name, "--limit", "1"), [["1"]], name)
        for name in ("cities.id", "right.id", "t2.id"):
            self.assertEqual(self.cities("--columns", name, "--limit", "1"), [["10"]], name)
        self.assertEqual(
            self.cities("--columns", "right.*", "--limit", "1"), [["Oslo", "NO", "10"]]
        )
        self.assertEqual(
            self.cities("--columns", "country, upper(city)", "--limit", "1"), [["NO", "OSLO"]]
        )
        ask = ("join", "shop.csv", "cities.csv", "--on", "city", "--columns")
        self.fails(
            *ask, "id", saying="several tables have a column 'id'; write shop.id or cities.id"
        )
        self.fails(*ask, "lefft.id", saying="Did you mean 'left'?")
        self.fails(*ask, "contry", saying="Did you mean 'country'?")
        self.fails(*ask, "nothing.*", saying="there is no table 'nothing'")
        self.fails(*ask, "country", "--kind", "semi", saying="right of a semi join")
        self.fails(*ask, "country", "--kind", "anti", saying="right of an anti join")
        self.assertEqual(
            self.cities("--kind", "semi", "--where", "id > 1", "--columns", "id"), [["2"], ["3"]]
        )

    def test_names_that_need_quotes_are_proposed_with_them(self):
        self.write("my-shop.csv", SHOP)
        self.write("2024.csv", SHOP)
        ask = ("my-shop.csv", "2024.csv", "--on", "id", "--columns")
        self.fails("join", *ask, "price", saying='write "my-shop".price or "2024".price')
        self.assertEqual(self.join(*ask, '"my-shop".price', "--limit", "1"), [["2.50"]])

    def test_names_of_folders_and_endings_are_left_out(self):
        os.makedirs("a")
        self.write("a/orders.v2.csv", SHOP)
        found = self.join(
            "a/orders.v2.csv",
            "cities.csv",
            "--on",
            "orders.city = cities.city",
            "--columns",
            "orders.id",
        )
        self.assertEqual(found, [["1"], ["2"], ["3"]])

    @covers("join", "--group-by", "--agg", "--having", "--order-by", "--limit", "--offset")
    def test_groups_and_order(self):
        large, small = made_rows(3000, 1), made_rows(300, 2)
        self.write("l.csv", text_of(large, "a,key,word"))
        self.write("s.csv", text_of(small, "b,key,word"))
        counts = {}
        for l, s in joined("inner", large, small, lambda l, r: l[1] is not None and l[1] == r[1]):
            n, total = counts.get(s[2], (0, 0))
            counts[s[2]] = (n + 1, total + l[0])
        expected = sorted(
            ([word, str(n), str(total)] for word, (n, total) in counts.items() if word != "red"),
            key=lambda row: -int(row[1]),
        )
        ask = (
            "l.csv",
            "s.csv",
            "--on",
            "key",
            "--group-by",
            "s.word",
            "--agg",
            "count(*) as n, sum(a) as total",
            "--having",
            "s.word <> 'red'",
            "--order-by",
            "n desc",
        )
        self.assertEqual(self.join(*ask), expected)
        self.assertEqual(self.join(*ask, "--limit", "1", "--offset", "1"), expected[1:2])

    @covers("join", "--plan", "--plan-rows", "--group-strategy")
    def test_how_it_is_done_changes_nothing(self):
        ask = (
            "--where",
            "price > 0.3",
            "--where",
            "shop.id <> 2",
            "--group-by",
            "country",
            "--agg",
            "count(*) as n",
        )
        expected = self.cities(*ask)
        for more in (
            ("--plan", "2&&1"),
            ("--plan", "1;2", "--plan-rows", "list"),
            ("--group-strategy", "hash"),
            ("--group-strategy", "radix"),
        ):
            self.assertEqual(self.cities(*ask, *more), expected, more)

    def test_plain_text_tables_and_pipes(self):
        shop = self.table("shop.csv", SHOP)
        self.write("cities.csv.gz", gzip.compress(CITIES))
        expected = self.ok("join", "shop.csv", "cities.csv", "--on", "city").out
        self.assertEqual(self.ok("join", shop, "cities.csv.gz", "--on", "city").out, expected)
        found = self.ok("join", "shop.csv", "-", "--on", "city", stdin=CITIES).out
        self.assertEqual(found, expected.replace(b"cities.id", b"stdin.id"))
        found = self.join(
            "-",
            "cities.csv",
            "--on",
            "stdin.city = cities.city",
            "--columns",
            "stdin.id, country",
            stdin=self.read(shop),
        )
        self.assertEqual(found, [["1", "NO"], ["2", "IT"], ["3", "NO"]])
        self.fails("join", "-", "-", "--on", "city", stdin=SHOP, saying="read once only")

    @covers(
        "join",
        "--input",
        "--delimiter",
        "--header",
        "--quote",
        "--schema",
        "--null",
        "--comment",
        "--escape",
        "--skip",
        "--ragged",
        "--bad-rows",
    )
    def test_how_plain_text_is_read(self):
        self.write("one.jsonl", b'{"k":1}\n{"k":\n{"k":2}\n')
        self.write("two.jsonl", b'[]\n{"k":2,"v":"x"}\n')
        joined = self.ok("join", "--on", "k", "--bad-rows", "bad", "one.jsonl", "two.jsonl")
        self.assertEqual(joined.out, b"k,v\n2,x\n")
        self.assertEqual(self.read("bad"), b'{"k":\n[]\n')
        self.assertIn("one.jsonl: 1 row is in bad", joined.err)
        self.assertIn("two.jsonl: 1 row is in bad", joined.err)
        self.assertEqual(self.run_presso("join", "--on", "k", "one.jsonl", "two.jsonl").status, 2)
        self.write("a.txt", b"made by hand\nk;'x;y'\n# nothing\n1;NA\n02\n")
        self.write("b.txt", b"made by hand\nk;z\n02;q\n")
        found = self.ok(
            "join",
            "a.txt",
            "b.txt",
            "--on",
            "k",
            "--kind",
            "left",
            *HOW_TEXT_IS_READ,
        ).out
        self.assertEqual(found, b"k,x;y,z\n1,,\n02,,q\n")
        self.write("c.jsonl", b'{"k":"02","w":1}\n')
        found = self.ok("join", "--input", "jsonl", "c.jsonl", "c.jsonl", "--on", "k").out
        self.assertEqual(found, b"k,left.w,right.w\n02,1,1\n")


class Forms(JoinTest):
    @covers("join", "--output", "--force", "--format", "--no-header", "--level")
    def test_forms(self):
        ask = ("join", "shop.csv", "cities.csv", "--on", "city", "--columns", "shop.id, country")
        expected = {
            "o.csv": b"id,country\n1,NO\n2,IT\n3,NO\n",
            "o.tsv": b"id\tcountry\n1\tNO\n2\tIT\n3\tNO\n",
            "o.jsonl": b"".join(
                b'{"id":%d,"country":"%s"}\n' % row for row in ((1, b"NO"), (2, b"IT"), (3, b"NO"))
            ),
        }
        for name, content in expected.items():
            self.assertEqual(self.ok(*ask, "-o", name).out, b"")
            self.assertEqual(self.read(name), content, name)
        self.assertEqual(self.ok(*ask, "-o", "-").out, expected["o.csv"])
        self.assertEqual(self.ok(*ask, "--no-header").out, b"1,NO\n2,IT\n3,NO\n")
        self.assertEqual(
            self.ok(*ask, "--format", "table").out,
            b"id  country\n--  -------\n 1  NO\n 2  IT\n 3  NO\n3 rows\n",
        )
        self.fails(*ask, "-o", "o.csv", saying="o.csv: exists; not overwritten")
        self.ok(*ask, "-f", "-o", "o.csv", "--format", "tsv")
        self.assertEqual(self.read("o.csv"), expected["o.tsv"])
        self.fails(*ask, "-o", "o.xlsx", saying="does not write .xlsx")
        self.ok(*ask, "-9", "-o", "o.presso")
        self.ok("test", "o.presso")
        self.assertEqual(self.ok("select", "o.presso").out, expected["o.csv"])
        self.fails(*ask, "-9", saying="--limit")

    @unittest.skipIf(pyarrow is None, "pyarrow is not installed")
    def test_arrow_stream(self):
        self.ok(
            "join", "shop.csv", "cities.csv", "--on", "city", "--kind", "full", "-o", "o.arrows"
        )
        with pyarrow.ipc.open_stream(self.read("o.arrows")) as stream:
            table = stream.read_all()
        table.validate(full=True)
        self.assertEqual(
            table.column("country").to_pylist(), ["NO", "IT", "NO", None, None, "FR", "XX"]
        )
        self.assertEqual(table.column("shop.id").to_pylist(), [1, 2, 3, 4, 5, None, None])

    def test_an_answer_on_a_terminal_is_aligned(self):
        os.environ["NO_COLOR"] = "1"
        self.addCleanup(os.environ.pop, "NO_COLOR")
        status, output = self.on_terminal(
            "join",
            "shop.csv",
            "cities.csv",
            "--on",
            "city",
            "--columns",
            "shop.id, country",
            "--format",
            "table",
            "--limit",
            "1",
        )
        self.assertEqual(
            (status, output.split()), (0, ["id", "country", "--", "-------", "1", "NO", "1", "row"])
        )


class Passes(JoinTest):
    """Memory does not hold a side, and the rows of all passes are put in order by way of temporary
    files."""

    KEYS = "left.key = right.key"
    SAID = "passes over the tables: [0-9]+"

    def setUp(self):
        super().setUp()
        rows = made_rows(60000, 1, 30000)
        self.large = self.table("large.csv", text_of(rows, "a,key,word"), "--row-group", "9000")
        self.small = self.table(
            "small.csv", text_of(made_rows(30000, 2, 30000), "b,key,word"), "--row-group", "5000"
        )
        os.mkdir("spill")
        self.ask = ("join", self.large, self.small, "--on", self.KEYS, "--kind", "left")
        self.little = ("--memory", "1M", "--temp", "spill", "-f", "-o", "out.csv")
        self.write("out.csv", b"precious")
        self.before = self.files()

    def assert_nothing_left(self):
        self.assertEqual(self.files("spill"), [])
        self.assertEqual(self.files(), self.before)
        self.assertEqual(self.read("out.csv"), b"precious")

    def test_the_answer_is_that_of_one_pass(self):
        plenty = self.ok(*self.ask).out
        said = self.ok(*self.ask, *self.little, "-v").err
        self.assertEqual(self.read("out.csv"), plenty)
        self.assertRegex(said, "bytes through temporary files")
        told = self.ok(*self.ask, *self.little[:4], "--explain=analyze").out.decode()
        self.assertRegex(told, self.SAID)
        self.assertEqual(self.files("spill"), [])

    def test_folders_that_take_no_file(self):
        said = self.fails(*self.ask, *self.little, "--temp", "none").err
        self.assertRegex(said, r"^presso: .*`none`")
        self.assert_nothing_left()

    def test_temporary_files_that_may_not_grow(self):
        done = subprocess.run(
            [PRESSO, *self.ask, *self.little],
            capture_output=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536)),
            timeout=60,
        )
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertRegex(
            done.stderr.decode(), r"^presso: no space left: a temporary file in `spill`"
        )
        self.assert_nothing_left()

    def test_signals(self):
        self.write("few.csv", b"key,x\n" + b"".join(b"%d,%d\n" % (i % 50, i) for i in range(3000)))
        ask = ("join", self.large, "few.csv", self.small, "--on", "key", "--kind", "left")
        self.before = self.files()
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen(
                [PRESSO, *ask, *self.little], stderr=subprocess.PIPE, stdout=subprocess.DEVNULL
            )
            self.assertTrue(
                wait_for(lambda: any(name.startswith(".out.") for name in self.files()))
            )
            process.send_signal(number)
            said = process.communicate(timeout=60)[1]
            self.assertEqual((process.returncode, said), (-number, b""))
            self.assert_nothing_left()

    def test_damage_that_a_later_pass_meets(self):
        content = self.read(self.small)
        found = 0
        for at in range(len(content) * 8 // 10, len(content) // 2, -3000):
            damaged = bytearray(content)
            damaged[at] ^= 0x10
            self.write("bad.presso", bytes(damaged))
            self.before = self.files()
            result = self.run_presso("join", self.large, "bad.presso", *self.ask[3:], *self.little)
            self.assertEqual(result.status, 2, at)
            self.assertRegex(result.err, r"^presso: bad.presso: block [0-9]+ \(")
            self.assert_nothing_left()
            found += 1
        self.assertGreater(found, 3)


class Files(Passes):
    """Strings have no ranges to pass by: rows of both sides go to temporary files."""

    KEYS = "cast(left.key as string) = cast(right.key as string)"
    SAID = r"was: wrote [0-9,]+ rows to a temporary file, .* joined in [0-9]+ parts"


class Reports(JoinTest):
    @covers("join", "--explain")
    def test_explain(self):
        large = self.table("large.csv", text_of(made_rows(60000, 1, 20000), "a,key,word"))
        small = self.table("small.csv", text_of(made_rows(30000, 2, 20000), "b,key,word"))
        ask = ("join", large, small, "--on", "key", "--where", "b < 9000", "--explain")
        text = self.ok(*ask).out.decode()
        self.assertRegex(
            text,
            r"^from: 90,000 rows in 2 tables\nroot: large, 60,000 rows, read in order\n"
            r"  where: no condition, all rows\n"
            r"join 1: large with small, 30,000 rows, on large.key = small.key; inner\n"
            r"  where: plan 1, .*\n    1  b in 1 interval: .*\n  zones: .*\n"
            r"  predicted: (8|9),[0-9]{3} rows kept in memory, [0-9.]+ kB \(.* direct table\)\n",
        )
        self.assertNotIn("was:", text)
        little = self.ok(*ask[:-3], "--explain", "--memory", "1M").out.decode()
        passes = re.search(
            r"--memory is 1\.05 MB, of which 524 kB are left for it: "
            r"about ([0-9]+) passes over [0-9.]+ [kM]B\n",
            little,
        )
        self.assertTrue(passes, little)
        was = self.ok(*ask[:-3], "--explain=analyze", "--memory", "1M").out.decode()
        parts = re.search(r"the last of ([0-9]+) parts", was)
        self.assertTrue(parts, was)
        self.assertLessEqual(abs(int(parts[1]) - int(passes[1])), 1 + int(parts[1]) // 3, was)
        found = self.ok(*ask[:-1], "--explain=analyze").out.decode()
        self.assertRegex(
            found,
            r"\n  was: kept 8,555 rows, [0-9.]+ [kM]B \(direct, .*\); "
            r"asked by 60,000 rows, which found [0-9,]+ partners; "
            r"the scan had dropped [0-9,]+\n",
        )
        self.fails(*ask[:-1], "--explain=more", saying="--explain")

    @covers("join", "--verbose", "--quiet", "--progress")
    def test_messages(self):
        ask = ("join", "shop.csv", "cities.csv", "--on", "city")
        said = self.ok(*ask, "-v").err
        self.assertIn("presso: cities.csv: loaded into memory: 4 rows", said)
        self.assertRegex(said, r"\npresso: 3 rows of 9; [0-9,]+ of [0-9,]+ stored bytes read, ")
        self.assertEqual(self.ok(*ask, "-q", "--no-progress").err, "")
        self.assertEqual(self.run_presso("join", "-qq", "none", "none", "--on", "x").err, "")


class Failures(JoinTest):
    def test_exit_status(self):
        ask = ("join", "shop.csv", "cities.csv", "--on", "city")
        none = self.run_presso(*ask, "--where", "shop.id = 9")
        self.assertEqual(
            (none.status, none.out, none.err), (1, b"shop.id,city,price,country,cities.id\n", "")
        )
        self.assertEqual(self.run_presso(*ask).status, 0)
        self.assertEqual(self.run_presso(*ask, "--where", "x").status, 2)

    def test_what_is_missing_is_said(self):
        self.fails("join", saying="no file is given; two or more are joined")
        self.fails("join", "shop.csv", "--on", "id", saying="one file is given")
        self.fails("join", "shop.csv", "cities.csv", saying="--on is missing")
        self.fails("join", "shop.csv", "cities.csv", "city=city", saying="what is equal with --on")
        self.fails("join", "shop.csv", "cities.csv", "--on", " ", saying="--on: nothing is given")
        self.fails("join", *["shop.csv"] * 17, "--on", "id", saying="at most 16 files")
        self.assertEqual(len(self.join(*["shop.csv"] * 16, "--on", "id")), 5)

    def test_cross_and_range_joins(self):
        """Without an equality all pairs of rows are tried."""
        for on, pairs in (
            ("price < right.id", 19),
            ("price > 3", 8),
            ("left.id = 1 and right.id = 10", 1),
            ("true", 20),
        ):
            for kind in ("inner", "left", "semi"):
                rows = self.join(
                    "shop.csv", "cities.csv", "--on", on, "--kind", kind, "--columns", "left.id"
                )
                found = {row[0] for row in rows}
                if kind == "inner":
                    self.assertEqual(len(rows), pairs, on)
                    partners = found
                elif kind == "semi":
                    self.assertEqual((found, len(rows)), (partners, len(partners)), on)
                else:
                    self.assertEqual(len(rows), pairs + 5 - len(partners), on)

    def test_errors_of_conditions_show_the_place(self):
        ask = ("join", "shop.csv", "cities.csv", "--on")
        said = self.fails(*ask, "city = and").err
        self.assertIn("city = and\n", said)
        self.assertRegex(said, r"\n *\^\nerror: ")
        self.assertIn("Did you mean 'city'", self.fails(*ask, "cty = city").err)
        self.assertIn("Did you mean 'city'", self.fails(*ask, "cty").err)
        self.fails(*ask, "price = city", saying="use cast(")
        self.fails(*ask, "country", saying="there is no column 'country'")
        self.fails(*ask, "price", saying="there is no column 'price'")

    def test_files_that_cannot_be_read(self):
        self.fails(
            "join", "shop.csv", "none.csv", "--on", "id", saying="presso: none.csv: cannot open"
        )
        self.fails(
            "join", "none.csv", "shop.csv", "--on", "id", saying="presso: none.csv: cannot open"
        )
        self.fails("join", "shop", "cities.csv", "--on", "city", saying="did you mean 'shop.csv'?")
        self.write("bad.csv", b"a,b\n1,2,3\n")
        self.fails("join", "shop.csv", "bad.csv", "--on", "id", saying="presso: bad.csv: line 2")
        self.write("other", b"ARROW1" + bytes(100))
        self.fails("join", "shop.csv", "other", "--on", "id", saying="other: the Arrow file is cut")

    def test_the_damaged_file_is_named(self):
        good = self.table("good.csv", text_of(made_rows(20000, 1, 20000), "a,key,word"))
        content = self.read(
            self.table("bad.csv", text_of(made_rows(20000, 2, 20000), "b,key,word"))
        )
        self.write("cut.presso", content[: len(content) // 2])
        self.fails("join", good, "cut.presso", "--on", "key", saying="presso: cut.presso: ")
        for at in (len(content) // 4, len(content) // 2):
            damaged = bytearray(content)
            damaged[at] ^= 0x40
            self.write("bad.presso", bytes(damaged))
            for files in ((good, "bad.presso"), ("bad.presso", good), (good, good, "bad.presso")):
                self.write("out.csv", b"precious")
                said = self.fails("join", *files, "--on", "key", "-f", "-o", "out.csv").err
                self.assertTrue(said.startswith("presso: bad.presso: block "), said)
                self.assertEqual(self.read("out.csv"), b"precious")

    def test_an_overflow_is_an_error(self):
        self.write("big.csv", b"id,n\n1,1\n2,9223372036854775807\n")
        ask = (
            "join",
            "big.csv",
            "shop.csv",
            "--on",
            "id",
            "--columns",
            "n + price * 0 + 1 as m, n + big.id as k",
        )
        self.fails(*ask, "-o", "o.csv", saying="fit")
        self.assertNotIn("o.csv", self.files())

    def test_the_output_is_no_input(self):
        for name in ("shop.csv", "cities.csv"):
            self.fails(
                "join",
                "shop.csv",
                "cities.csv",
                "--on",
                "city",
                "-f",
                "-o",
                name,
                saying="is an input itself",
            )
        self.assertEqual(self.read("cities.csv"), CITIES)

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_a_full_disk(self):
        name = self.table("many.csv", text_of(made_rows(20000, 1, 20000), "a,key,word"))
        ask = ("join", name, name, "--on", "key")
        self.fails(*ask, "-f", "-o", "/dev/full", saying="presso: /dev/full: no space")
        for form in ("csv", "jsonl", "table", "arrow", "presso"):
            with open("/dev/full", "wb") as full:
                done = subprocess.run(
                    [PRESSO, *ask, "--format", form],
                    stdout=full,
                    stderr=subprocess.PIPE,
                    timeout=60,
                )
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"presso: standard output: no space", done.stderr)

    def test_a_closed_pipe_is_no_error(self):
        name = self.table("many.csv", text_of(made_rows(20000, 1, 2000), "a,key,word"))
        script = (
            f"'{PRESSO}' join {name} {name} --on key | head -c 10 >/dev/null; "
            "echo ${PIPESTATUS[0]}"
        )
        done = subprocess.run(["bash", "-c", script], capture_output=True, timeout=60)
        self.assertEqual((done.stdout, done.stderr), (b"0\n", b""))

    def test_a_signal_leaves_nothing(self):
        """Every row finds 100 partners: 400 million rows are to come."""
        name = self.table(
            "many.csv",
            b"key,text\n" + b"".join(b"%d,text%d\n" % (i % 100, i) for i in range(200000)),
        )
        before = self.files()
        for number in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen(
                [PRESSO, "join", name, name, "--on", "key", "-o", "out.csv"],
                stderr=subprocess.DEVNULL,
            )
            self.assertTrue(
                wait_for(lambda: any(name.startswith(".out.") for name in self.files()))
            )
            process.send_signal(number)
            self.assertEqual(process.wait(timeout=60), -number)
            self.assertEqual(self.files(), before)


if __name__ == "__main__":
    main()
