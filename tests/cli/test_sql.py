# SPDX-License-Identifier: MIT
"""presso sql: statements over tables, plain text and standard input; what SQL has beyond that is
refused with its place; joins, groups and distinct rows are those that Python finds."""

import collections
import csv
import gzip
import io
import os
import signal
import subprocess
import unittest

from support import HOW_TEXT_IS_READ, PRESSO, CliTest, covers, main, wait_for
from test_join import CITIES, SHOP, STRATEGIES, made_rows, text_of


class SqlTest(CliTest):
    def setUp(self):
        super().setUp()
        self.write("shop.csv", SHOP)
        self.write("cities.csv", CITIES)

    def table(self, name, text, *options):
        self.write(name, text)
        self.ok("compress", "-q", "-f", "--table", "auto", *options, name)
        return name + ".presso"

    def sql(self, statement, *arguments, **more):
        """The rows of the answer as lists of texts, without the header."""
        out = self.ok("sql", statement, *arguments, **more).out
        return list(csv.reader(io.StringIO(out.decode())))[1:]

    def refused(self, statement, *saying):
        """An error that shows the statement with a caret below; returns what stands above it."""
        said = self.fails("sql", statement).err
        for words in saying:
            self.assertIn(words, said)
        lines = said.splitlines()
        at = next(i for i, line in enumerate(lines) if line.strip() == "^")
        # Both lines are indented by the same four characters, the first one behind "presso: ".
        return lines[at - 1].removeprefix("presso: ")[lines[at].index("^") :]


class Statements(SqlTest):
    def test_rows(self):
        self.assertEqual(self.ok("sql", "select * from shop.csv").out, SHOP)
        self.assertEqual(
            self.ok(
                "sql", "SELECT id, price * 2 AS double FROM 'shop.csv' WHERE city = 'Oslo';"
            ).out,
            b"id,double\n1,5.00\n3,0.50\n",
        )
        self.assertEqual(
            self.sql("select id from shop.csv order by price desc, id limit 2 offset 1"),
            [["4"], ["1"]],
        )
        self.assertEqual(
            self.sql("select id -- the number\nfrom shop.csv /* a file */ where id > 4"), [["5"]]
        )

    def test_names_of_files(self):
        table = self.table("shop.csv", SHOP)
        self.write("two words.csv", SHOP)
        self.write("from.csv.gz", gzip.compress(SHOP))
        os.makedirs("a/b")
        self.write("a/b/x-1.csv", SHOP)
        for name in (
            table,
            "'two words.csv'",
            '"two words.csv"',
            "file('two words.csv')",
            "'from.csv.gz'",
            "a/b/x-1.csv",
            os.path.abspath("shop.csv"),
        ):
            found = self.sql(f"select count(*), sum(price) from {name}")
            self.assertEqual(found, [["5", "20.75"]], name)
        self.assertEqual(self.sql("select count(*) from -", stdin=SHOP), [["5"]])
        self.assertEqual(self.sql("select count(*) from '-' as s", stdin=SHOP), [["5"]])
        found = self.sql("select stdin.id from - join cities.csv using (city)", stdin=SHOP)
        self.assertEqual(found, [["1"], ["2"], ["3"]])

    def test_groups(self):
        rows = made_rows(3000, 1)
        name = self.table("many.csv", text_of(rows, "number,key,word"))
        groups = collections.defaultdict(list)
        for number, key, word in rows:
            groups[word].append((number, key))
        expected = sorted(
            [word, str(len(group)), str(sum(number for number, _ in group))]
            for word, group in groups.items()
            if word != "red"
        )
        found = self.sql(
            f"select word as w, count(*) as n, sum(number) from {name} group by 1 "
            "having w <> 'red' order by 1"
        )
        self.assertEqual(found, sorted(expected, key=lambda row: row[0].encode()))
        by_name = f"select word as w, count(*) n from {name} group by w having n > 10 order by w"
        self.assertEqual([row[0] for row in self.sql(by_name)], sorted(groups, key=str.encode))
        self.assertEqual(self.sql(f"select max(number) from {name}"), [["2999"]])
        self.assertEqual(
            self.run_presso("sql", f"select max(key) from {name} having 1 > 2").status, 1
        )

    def test_distinct_rows_come_once_in_the_order_of_the_first(self):
        rows = made_rows(3000, 1)
        name = self.table("many.csv", text_of(rows, "number,key,word"))
        shown = [["" if key is None else str(key), word] for _, key, word in rows]
        expected = list(map(list, dict.fromkeys(map(tuple, shown))))
        self.assertEqual(self.sql(f"select distinct key, word from {name}"), expected)
        self.assertEqual(
            self.sql("select distinct city from shop.csv order by city nulls first"),
            [[], ["Bonn"], ["Oslo"], ["Rome"]],
        )
        self.assertEqual(self.ok("sql", "select distinct * from shop.csv").out, SHOP)
        self.assertEqual(self.sql("select distinct s.city from shop.csv s limit 1"), [["Oslo"]])
        self.assertEqual(self.sql("select distinct 7 as x from shop.csv"), [["7"]])
        at = self.refused("select distinct city, count(*) from shop.csv", "DISTINCT goes without")
        self.assertTrue(at.startswith("count(*)"), at)
        self.refused("select distinct city from shop.csv group by city", "DISTINCT goes without")

    def test_each_aggregate_has_distinct_values_of_its_own(self):
        self.write("few.csv", b"a,b,c\n1,3,3\n1,3,4\n2,5,4\n2,,4\n2,7,\n")
        self.assertEqual(
            self.sql(
                "select sum(distinct b), sum(distinct c), count(distinct a, b),"
                " count(distinct a, c), avg(distinct b) filter (where a = 2) from few.csv"
            ),
            [["15", "7", "4", "4", "6"]],
        )

    @covers("sql", "--param")
    def test_parameters(self):
        ask = "select id from shop.csv where city = $city and price > ? order by id"
        self.assertEqual(
            self.sql(ask, "--param", "city=Oslo", "--param", "1.5"), [["1"]],
        )
        self.assertEqual(
            self.sql(ask, "--param", "-3", "--param", "city=Oslo"), [["1"], ["3"]],
        )
        self.fails("sql", ask, "--param", "1", saying="the parameter $city has no value")

    def test_a_comment_may_stand_first(self):
        self.assertEqual(self.sql("-- all\nselect count(*) from shop.csv"), [["5"]])

    def test_joins_are_those_of_the_command(self):
        large = self.table("large.csv", text_of(made_rows(3000, 1), "a,key,word"))
        small = self.table("small.csv", text_of(made_rows(300, 2), "b,key,word"))
        for kind, words in {
            "inner": ("join", "inner join"),
            "left": ("left join", "left outer join"),
            "right": ("right join", "right outer join"),
            "full": ("full join", "full outer join"),
            "semi": ("semi join",),
            "anti": ("anti join",),
        }.items():
            expected = self.ok("join", large, small, "--on", "key", "--kind", kind).out
            for join in words:
                statement = f"select * from {large} {join} {small} using (key)"
                self.assertEqual(self.ok("sql", statement).out, expected, join)
            on = "left.key = right.key and left.word <> right.word"
            expected = self.ok("join", large, small, "--on", on, "--kind", kind).out
            statement = (
                f"select * from {large} l {words[0]} {small} s "
                "on l.key = s.key and l.word <> s.word"
            )
            found = self.ok("sql", statement).out
            self.assertEqual(found.splitlines()[1:], expected.splitlines()[1:], kind)

    def test_tables_between_commas_are_joined_by_where(self):
        found = self.sql(
            "select s.id, country from shop.csv s, cities.csv c where s.city = c.city and price > 1"
        )
        self.assertEqual(found, [["1", "NO"], ["2", "IT"]])
        found = self.sql(
            "select a.id, b.id as other, country from shop.csv a, shop.csv b, cities.csv c "
            "where a.city = b.city and a.id < b.id and c.city = a.city"
        )
        self.assertEqual(found, [["1", "3", "NO"]])

    def test_stars_of_one_table(self):
        self.assertEqual(
            self.ok(
                "sql",
                "select c.*, s.price from shop.csv s join cities.csv c on s.city = c.city "
                "limit 1",
            ).out,
            b"city,country,id,price\nOslo,NO,10,2.50\n",
        )

    def test_names_disregard_case(self):
        self.assertEqual(
            self.sql(
                "select S.id, CITIES.country from shop.csv s "
                "join cities.csv on S.CITY = Cities.city "
                "order by s.ID limit 1"
            ),
            [["1", "NO"]],
        )
        self.assertEqual(
            self.ok("sql", "select B.* from shop.csv a join cities.csv b using (city) limit 1").out,
            b"city,country,id\nOslo,NO,10\n",
        )
        # One that is called exactly so comes before one that differs in case.
        self.assertEqual(
            self.sql(
                "select A.id, a.id from shop.csv A join cities.csv a on A.city = a.city limit 1"
            ),
            [["1", "10"]],
        )
        self.refused(
            "select xY.id from shop.csv Xy join cities.csv xy on Xy.city = xy.city",
            "there is no table 'xY', but several that differ in case",
        )
        self.refused(
            "select xY.* from shop.csv Xy join cities.csv xy on Xy.city = xy.city",
            "there is no table 'xY', but several that differ in case",
        )

    def test_names_of_results_disregard_case(self):
        rows = self.sql("select id, city from shop.csv where city is not null")
        cities = [row[1] for row in rows]
        counts = collections.Counter(city.upper() for city in cities)
        wanted = sorted(counts.items(), key=lambda group: (group[1], group[0]))
        for statement in (
            "select upper(city) as Place, count(*) as Number from shop.csv where city is not null "
            "group by PLACE order by number, place",
            "select upper(city) as Place, count(*) as Number from shop.csv where city is not null "
            "group by place having NUMBER > 0 order by number, place",
        ):
            self.assertEqual(
                self.sql(statement), [[place, str(number)] for place, number in wanted], statement
            )
        self.assertEqual(
            self.sql("select id * -1 as Minus from shop.csv order by minus limit 1"),
            [[str(-max(int(row[0]) for row in self.sql("select id from shop.csv")))]],
        )
        # A column comes before a result whose name differs in case.
        self.assertEqual(
            self.sql("select id * -1 as ID from shop.csv order by id limit 1"),
            [[str(-min(int(row[0]) for row in self.sql("select id from shop.csv")))]],
        )

    @covers(
        "sql",
        "--strategy",
        "--threads",
        "--memory",
        "--temp",
        "--plan",
        "--plan-rows",
        "--group-strategy",
    )
    def test_how_it_is_done_changes_nothing(self):
        large = self.table("large.csv", text_of(made_rows(30000, 1, 9000), "a,key,word"))
        small = self.table("small.csv", text_of(made_rows(20000, 2, 9000), "b,key,word"))
        statement = (
            f"select l.word, count(*) as n, sum(b) from {large} l join {small} s "
            "using (key) where a > 5 and a % 3 = 1 group by l.word"
        )
        expected = self.ok("sql", statement).out
        os.mkdir("spill")
        for more in (
            *(("--strategy", strategy) for strategy in STRATEGIES if strategy != "merge"),
            ("-T", "1"),
            ("--threads", "3"),
            ("--memory", "1M", "--temp", "spill"),
            ("--plan", "2&&1"),
            ("--plan", "1;2", "--plan-rows", "bitmap"),
            ("--group-strategy", "radix"),
        ):
            self.assertEqual(self.ok("sql", statement, *more).out, expected, more)

    @covers(
        "sql",
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
        self.write("k.jsonl", b'{"k":1}\n{"k":\n{"k":2}\n')
        asked = self.ok("sql", "--bad-rows", "bad", "select sum(k) as s from 'k.jsonl'")
        self.assertEqual(asked.out, b"s\n3\n")
        self.assertEqual(self.read("bad"), b'{"k":\n')
        self.write("a.txt", b"made by hand\nk;'x;y'\n# nothing\n1;NA\n02\n")
        found = self.ok(
            "sql",
            'select * from a.txt where "x;y" is null',
            *HOW_TEXT_IS_READ,
        ).out
        self.assertEqual(found, b"k,x;y\n1,\n02,\n")
        found = self.sql("select k from -", "--input", "jsonl", stdin=b'{"k":"02"}\n')
        self.assertEqual(found, [["02"]])

    @covers("sql", "--output", "--force", "--format", "--no-header", "--level")
    def test_forms(self):
        ask = ("sql", "select id, city from shop.csv where id < 3")
        expected = b"id,city\n1,Oslo\n2,Rome\n"
        self.assertEqual(self.ok(*ask, "-o", "o.csv").out, b"")
        self.assertEqual(self.read("o.csv"), expected)
        self.fails(*ask, "-o", "o.csv", saying="o.csv: exists; not overwritten")
        self.ok(*ask, "-f", "-o", "o.csv", "--format", "tsv")
        self.assertEqual(self.read("o.csv"), expected.replace(b",", b"\t"))
        self.assertEqual(self.ok(*ask, "--no-header", "-o", "-").out, b"1,Oslo\n2,Rome\n")
        self.assertEqual(
            self.ok(*ask, "--format", "table").out,
            b"id  city\n--  ----\n 1  Oslo\n 2  Rome\n2 rows\n",
        )
        self.ok(*ask, "-9", "-o", "o.presso")
        self.assertEqual(self.ok("cat", "o.presso").out, expected)
        self.fails(*ask, "-9", saying="LIMIT in a statement")
        self.fails(*ask, "-o", "o.xlsx", saying="does not write .xlsx")
        self.fails(*ask, "-f", "-o", "shop.csv", saying="is an input itself")
        self.assertEqual(self.read("shop.csv"), SHOP)

    @covers("sql", "--explain")
    def test_explain(self):
        statement = "select * from shop.csv s left join cities.csv c on s.city = c.city"
        text = self.ok("sql", statement, "--explain").out.decode()
        self.assertRegex(
            text,
            r"^from: 9 rows in 2 tables\nroot: s, 5 rows, read in order\n.*\n"
            r"join 1: s with c, 4 rows, on s.city = c.city; outer, also rows for which c has no "
            r"partner\n  predicted: 4 rows kept in memory, ",
        )
        found = self.ok("sql", statement, "--explain=analyze").out.decode()
        self.assertRegex(
            found, r"\n  was: kept 3 rows, .*; asked by 5 rows, which found 3 partners\n"
        )
        self.assertIn("\nanswer: 5 rows in ", found)

    @covers("sql", "--verbose", "--quiet", "--progress")
    def test_messages(self):
        statement = "select * from shop.csv limit 2"
        said = self.ok("sql", statement, "-v").err
        self.assertIn("presso: shop.csv: loaded into memory: 5 rows", said)
        self.assertRegex(said, r"\npresso: 2 rows of 5; ")
        self.assertEqual(self.ok("sql", statement, "-q", "--no-progress").err, "")
        self.assertEqual(self.run_presso("sql", "-qq", "select nothing").err, "")

    def test_text_that_is_compared_with_numbers_and_dates_is_warned_of_once(self):
        self.write("t.csv", b"d,v,w\n2024-01-31,10,a\nsoon,9,b\n2024-02-01,y,c\n")
        compared = "is text, and is compared byte by byte with what looks like a "
        date = f"column d {compared}date"
        number = f"column v {compared}number; cast(v as double) makes it one"
        for condition, said in (
            ("d > '2024-01-31'", date + "; cast(d as date) makes it one"),
            ("d < '1/31/2024'", date),
            ("'5' < v", number),
            ("v in ('y', '9') or v = '10'", number),
            ("v between '1' and '2'", number),
            ("t.v <> '1'", f"column t.v {compared}number; cast(t.v as double) makes it one"),
        ):
            statement = f"select count(*) from t.csv where {condition}"
            self.assertEqual(self.ok("sql", statement).err, f"presso: {said}\n", condition)
            self.assertEqual(self.ok("sql", "-q", statement).err, "", condition)
        joined = "select count(*) from t.csv a join t.csv b using (w) where b.d > '2024-01-01'"
        self.assertIn("presso: column b.d is text", self.ok("sql", joined).err)
        having = "select w, max(v) from t.csv group by w having w > '1'"
        self.assertIn("presso: column w is text", self.ok("sql", having).err)
        self.write("u.csv", self.read("t.csv"))
        several = self.ok("select", "t.csv", "u.csv", "--where", "v > '1'").err
        self.assertEqual(several.count("\n"), 1, several)
        for condition in ("w = 'a'", "v = '007'", "v like '1%'", "w > 'nan'", "v is null"):
            statement = f"select count(*) from t.csv where {condition}"
            self.assertEqual(self.ok("sql", statement).err, "", condition)


class Failures(SqlTest):
    def test_exit_status(self):
        self.assertEqual(self.run_presso("sql", "select * from shop.csv").status, 0)
        none = self.run_presso("sql", "select id from shop.csv where id = 9")
        self.assertEqual((none.status, none.out, none.err), (1, b"id\n", ""))
        self.assertEqual(self.run_presso("sql", "select id from shop.csv limit 0").status, 1)
        self.assertEqual(self.run_presso("sql", "select").status, 2)

    def test_one_statement_in_quotes(self):
        self.fails("sql", saying="no statement is given, such as")
        self.fails("sql", "select", "*", "from", "shop.csv", saying="'*' stands outside of them")
        self.fails("sql", "--where", "id = 1", "select * from shop.csv", saying="--where")
        self.fails("sql", "select id from -, '-' s where true", saying="read once only")
        self.refused("select id from shop.csv; select 1 from shop.csv", "one statement")

    def test_what_sql_has_beyond_is_refused_with_its_place(self):
        for statement, place, words in (
            ("select foo(id) over () from shop.csv", "foo", "no window function 'foo'"),
            ("select * from read_csv('shop.csv', delimm=',')", "delimm", "is not supported"),
            ("select * from read_text('shop.csv')", "read_text", "cannot be called in FROM"),
            ("insert into x values (1)", "insert", "only read"),
            ("update x set y = 1", "update", "only read"),
            ("select * from shop.csv join cities.csv", "", "expected ON"),
            ("select id from", "", "a file's name"),
            ("shop.csv", "shop.csv", "expected SELECT"),
            ("select top 3 id from shop.csv", "top", "write LIMIT 3 at the end"),
            ("select city collate nocase from shop.csv", "collate", "write lower(x)"),
            ("select to_char(id, '0') from shop.csv", "to_char", "write strftime"),
            ("select foo", "foo", "no FROM that could have it"),
            ("select columns(id) from shop.csv", "id", "COLUMNS takes a regular expression"),
            (
                "select id from shop.csv a where exists "
                "(select 1 from (select 2 from shop.csv b where b.id = a.id limit 1) c)",
                "a.id",
                "can stand in the subquery's own WHERE",
            ),
        ):
            at = self.refused(statement, words)
            self.assertTrue(at.lower().startswith(place), (statement, at))

    def test_cross_and_range_joins(self):
        for statement, rows in (
            ("select * from shop.csv a, cities.csv b", 20),
            ("select * from shop.csv a cross join cities.csv b", 20),
            ("select * from shop.csv a, cities.csv b where a.price < b.id", 19),
            ("select * from shop.csv a join cities.csv b on a.price between 1 and b.id", 16),
            ("select * from shop.csv a left join cities.csv b on true", 20),
            ("select * from shop.csv a left join cities.csv b on false", 5),
        ):
            self.assertEqual(len(self.sql(statement)), rows, statement)

    def test_words_that_were_mistyped_behind_a_table_or_its_alias(self):
        for behind, wrong, meant in (
            ("a jion cities.csv b on a.city = b.city", "jion", "join"),
            ("jion cities.csv b on city = b.city", "jion", "join"),
            ("a lfet join cities.csv b on a.city = b.city", "lfet", "left"),
            ("a wehre id = 1", "wehre", "where"),
            ("as a gruop by id", "gruop", "group"),
            ("a oder by id", "oder", "order"),
            ("limt 5", "limt", "limit"),
        ):
            at = self.refused("select * from shop.csv " + behind, "Did you mean '%s'?" % meant)
            self.assertTrue(at.startswith(wrong), (behind, at))

    def test_names_that_are_not_there(self):
        at = self.refused("select idd from shop.csv", "Did you mean 'id'?")
        self.assertTrue(at.startswith("idd"), at)
        at = self.refused("select id from shop.csv order by foo", "there are: id city price")
        self.assertTrue(at.startswith("foo"), at)
        self.refused('select id from shop.csv where city = "Oslo"', "text stands in single quotes")
        self.refused("select x.id from shop.csv s", "there is no table 'x'")
        self.refused(
            "select id from shop.csv a join cities.csv b on a.city = b.city", "a.id or b.id"
        )
        self.refused(
            "select a.id from shop.csv a join cities.csv a on a.city = a.city",
            "several tables are called 'a'",
        )
        self.refused(
            "select country from shop.csv a semi join cities.csv b using (city)",
            "right of a semi join",
        )
        self.refused(
            "select a.id from shop.csv a join cities.csv b on a.city = c.city join cities.csv "
            "c on b.city = c.city",
            "joined later",
        )

    def test_messages_name_no_flags_that_there_are_not(self):
        flags = ("--where", "--columns", "--group-by", "--agg", "--having", "--order-by", "--on")
        for statement in (
            "select id from shop.csv having id > 1",
            "select id, count(*) from shop.csv group by city",
            "select id from shop.csv where count(*) > 1",
            "select city, count(*) from shop.csv group by 3",
            "select id from shop.csv order by 4",
            "select sum(max(id)) from shop.csv",
            "select sum(*) from shop.csv",
        ):
            said = self.fails("sql", statement).err
            for flag in flags:
                self.assertNotIn(flag, said)
        page = self.ok("sql", "--help=expert").out.decode() + self.ok("sql", "--help").out.decode()
        for flag in flags:
            self.assertNotRegex(page, flag + r"\b")

    def test_files_that_cannot_be_read(self):
        self.fails("sql", "select * from none.csv", saying="presso: none.csv: cannot open")
        self.fails("sql", "select * from shop", saying="did you mean 'shop.csv'?")
        self.table("orders.csv", SHOP)
        os.remove("orders.csv")
        self.fails("sql", "select * from orders", saying="did you mean 'orders.csv.presso'?")
        content = self.read(self.table("many.csv", text_of(made_rows(20000, 1), "a,key,word")))
        damaged = bytearray(content)
        damaged[len(content) // 2] ^= 0x40
        self.write("bad.presso", bytes(damaged))
        for statement in (
            "select * from bad.presso",
            "select max(a), max(word) from shop.csv s join bad.presso b on s.id = b.key",
            "select max(a), max(word) from bad.presso b join shop.csv s on s.id = b.key",
        ):
            said = self.fails("sql", statement, "-o", "out.csv").err
            self.assertTrue(said.startswith("presso: bad.presso: block "), said)
            self.assertNotIn("out.csv", self.files())
        many = ", ".join(f"shop.csv s{i}" for i in range(17))
        self.fails("sql", f"select 1 from {many}", saying="at most 16 tables")

    @unittest.skipUnless(os.path.exists("/dev/full"), "no /dev/full")
    def test_a_full_disk(self):
        statement = "select * from shop.csv a join shop.csv b using (id)"
        self.fails("sql", statement, "-f", "-o", "/dev/full", saying="presso: /dev/full: no space")

    def test_a_signal_leaves_nothing(self):
        name = self.table("many.csv", text_of([(i, i % 100) for i in range(200000)], "a,key"))
        before = self.files()
        process = subprocess.Popen(
            [PRESSO, "sql", f"select * from {name} a join {name} b using (key)", "-o", "out.csv"],
            stderr=subprocess.DEVNULL,
        )
        self.assertTrue(wait_for(lambda: any(name.startswith(".out.") for name in self.files())))
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(timeout=60), -signal.SIGTERM)
        self.assertEqual(self.files(), before)


if __name__ == "__main__":
    main()
