# SPDX-License-Identifier: MIT
"""Tables of several files: patterns, folders, lists; columns that differ; the file's name and the
folders key=value/ as columns."""

import csv
import io
import os
import subprocess
import unittest

from support import PRESSO, CliTest, covers, main


class ManyFiles(CliTest):
    def table(self, name, text):
        self.write(name, text)
        self.ok("compress", "-q", "-f", "--table", "auto", name)
        os.remove(os.path.join(self.directory, name))

    def rows(self, *arguments):
        """The rows of the answer as lists of texts, the header first."""
        out = self.ok(*arguments, "--format", "csv").out
        return list(csv.reader(io.StringIO(out.decode())))

    def sql(self, statement, *arguments):
        return self.rows("sql", statement, *arguments)


class Names(ManyFiles):
    def setUp(self):
        super().setUp()
        self.write("logs/b.csv", b"id,x\n3,c\n")
        self.write("logs/a.csv", b"id,x\n1,a\n2,b\n")
        self.write("logs/old/c.csv", b"id,x\n4,d\n")
        self.table("logs/old/z.csv", b"id,x\n5,e\n")
        self.write("logs/readme.md", b"not a table\n")
        self.write("logs/_SUCCESS", b"")
        self.write("logs/.hidden.csv", b"id,x\n9,z\n")

    def ids(self, name):
        by_sql = self.sql(f"select id from '{name}'")
        self.assertEqual(by_sql, self.rows("select", name, "--columns", "id"))
        return [row[0] for row in by_sql[1:]]

    def test_patterns_and_folders(self):
        for name, ids in (
            ("logs/*.csv", "123"),
            ("logs/?.csv", "123"),
            ("logs/[a-a].csv", "12"),
            ("logs/{b,c}.csv", "3"),
            ("logs/*/*.csv", "4"),
            ("logs/**/*.csv", "1234"),
            ("logs/**/z.csv.presso", "5"),
            ("l*/o*/*", "45"),
            ("logs", "12345"),
            ("logs/", "12345"),
            ("./logs/old/", "45"),
        ):
            with self.subTest(name):
                self.assertEqual("".join(self.ids(name)), ids)
        self.assertEqual(self.ids(os.path.join(self.directory, "logs", "*.csv")), ["1", "2", "3"])
        self.assertEqual(
            self.sql("select count(*) from read_csv(['logs/b.csv', 'logs/old/*.csv'])")[1], ["2"]
        )

    def test_more_files_than_may_be_open(self):
        for i in range(1100):
            self.write(f"many/{i}.csv", b"x\n%d\n" % i)
        limited = ["sh", "-c", 'ulimit -Sn 1024; exec "$@"', "sh", PRESSO]
        out = subprocess.run(
            [*limited, "select", "many", "--agg", "count(*), sum(x)"], capture_output=True
        ).stdout
        self.assertEqual(out.splitlines()[1], b"1100,604450")

    def test_a_file_of_that_name_comes_first(self):
        self.write("logs/[ab].csv", b"id,x\n7,q\n")
        self.assertEqual(self.ids("logs/[ab].csv"), ["7"])
        self.assertEqual(self.ids("logs/[ab]?csv"), ["1", "2", "3"])

    def test_what_is_not_found(self):
        for name, words in (
            ("logs/*.tsv", "logs/*.tsv: no file matches this pattern"),
            ("nowhere/*.csv", "nowhere/*.csv: no file matches this pattern"),
            ("logs/[a.csv", "a '[' is not closed"),
        ):
            self.fails("sql", f"select * from '{name}'", saying=words)
            self.fails("select", name, saying=words)
        os.makedirs(os.path.join(self.directory, "empty"))
        self.fails("select", "empty", saying="the folder has no tables and texts")
        self.fails("select", "id * 2", saying="conditions are given with --where")

    def test_joins_of_patterns(self):
        self.write("names.csv", b"x,name\na,Ann\nd,Dan\n")
        joined = [["id", "name"], ["1", "Ann"], ["4", "Dan"]]
        self.assertEqual(
            self.rows("join", "logs/**/*.csv", "names.csv", "--on", "x", "--columns", "id, name"),
            joined,
        )
        self.assertEqual(
            self.sql("select id, name from 'logs/**/*.csv' l join 'names.csv' using (x)"), joined
        )


class Columns(ManyFiles):
    def test_order_types_and_nulls(self):
        self.write("a.csv", b"id,price,day,code\n1,5,2024-01-01,1.50\n")
        self.write("b.csv", b"day,id,price,code\n2024-01-02 10:00:00,2,1.25,x\n")
        self.write("c.csv", b"id,price,day,code\n3,,,\n")
        for files in (("a.csv", "b.csv", "c.csv"), ("[abc].csv",)):
            self.assertEqual(
                self.rows("select", *files),
                [
                    ["id", "price", "day", "code"],
                    ["1", "5.00", "2024-01-01 00:00:00", "1.50"],
                    ["2", "1.25", "2024-01-02 10:00:00", "x"],
                    ["3", "", "", ""],
                ],
            )

    def test_tables_of_other_types_are_copied(self):
        self.table("a.csv", b"id,x\n1,5\n")
        self.table("b.csv", b"id,x\n2,1.5\n")
        self.table("c.csv", b"x,id\nabc,3\n")
        numbers = "a.csv.presso", "b.csv.presso"
        self.assertEqual(self.rows("select", *numbers, "--agg", "sum(x)")[1], ["6.5"])
        rows = self.rows("select", "?.csv.presso")[1:]
        self.assertEqual([row[1] for row in rows], ["5", "1.5", "abc"])

    @covers("select", "--union-by-name")
    @covers("join", "--union-by-name")
    @covers("sql", "--union-by-name")
    def test_missing_columns(self):
        self.table("a.csv", b"id,x\n1,5\n")
        self.write("b.csv", b"id,y\n2,7\n")
        files = "a.csv.presso", "b.csv"
        words = "b.csv has no column 'x', which a.csv.presso has; --union-by-name"
        self.fails("select", *files, saying=words)
        united = [["id", "x", "y"], ["1", "5", ""], ["2", "", "7"]]
        self.assertEqual(self.rows("select", "--union-by-name", *files), united)
        reader = "read_csv(['a.csv.presso', 'b.csv'], union_by_name = true)"
        self.assertEqual(self.sql(f"select * from {reader}"), united)
        sums = "select sum(x), sum(y) from '[ab].csv*'"
        self.assertEqual(self.sql(sums, "--union-by-name")[1], ["5", "7"])
        nulls = "--where", "x is null", "--columns", "id"
        self.assertEqual(self.rows("select", "--union-by-name", *files, *nulls)[1:], [["2"]])


class Added(ManyFiles):
    def setUp(self):
        super().setUp()
        self.write("t/year=2023/month=01/a.csv", b"v\n1\n2\n")
        self.write("t/year=2023/month=02/a.csv", b"v\n3\n")
        self.table("t/year=2024/month=01/a.csv", b"v\n4\n")
        self.write("t/year=2024/month=__HIVE_DEFAULT_PARTITION__/a.csv", b"v\n5\n")

    @covers("select", "--partitions")
    @covers("join", "--partitions")
    @covers("sql", "--partitions")
    def test_partitions(self):
        self.assertEqual(
            self.sql("select * from 't/' order by v"),
            [
                ["v", "year", "month"],
                ["1", "2023", "1"],
                ["2", "2023", "1"],
                ["3", "2023", "2"],
                ["4", "2024", "1"],
                ["5", "2024", ""],
            ],
        )
        self.assertEqual(
            self.rows("select", "t/**/*.*", "--where", "year = 2024", "--agg", "sum(v)")[1], ["9"]
        )
        self.assertEqual(
            self.sql("select year, sum(v) from 't' where month is not null group by year")[1:],
            [["2023", "6"], ["2024", "4"]],
        )
        self.assertEqual(self.rows("select", "t", "--partitions", "no")[0], ["v"])
        self.assertEqual(
            self.sql("select * from read_csv('t/*/*/*', hive_partitioning = false)")[0], ["v"]
        )
        one = "t/year=2023/month=02/a.csv"
        self.assertEqual(self.rows("select", one)[0], ["v"])
        self.assertEqual(self.rows("select", "--partitions", "yes", one)[1], ["3", "2023", "2"])

    def test_types_of_partitions(self):
        for day, text in (("2024-01-01", "x y"), ("2024-01-02", "ä")):
            self.write(f"d/day={day}/k={text.replace(' ', '%20')}/p.csv", b"v\n1\n")
        self.assertEqual(
            self.sql("select day + interval 1 day as d, k from 'd' where day > 2024-01-01")[1:],
            [["2024-01-03", "ä"]],
        )
        self.assertEqual(self.sql("select count(*) from 'd' where k = 'x y'")[1], ["1"])

    def test_partitions_take_the_place_of_columns(self):
        self.write("p/k=7/a.csv", b"k,v\n1,2\n")
        self.assertEqual(self.sql("select * from 'p'"), [["k", "v"], ["7", "2"]])

    def test_conditions_on_partitions_skip_files(self):
        plan = self.ok(
            "select", "t/**/*.presso", "t/year=2023/*/*.csv", "--where", "year < 2000",
            "--explain=analyze",
        ).out.decode()
        self.assertIn("3 of 3 slices have no such row", plan)
        self.assertIn("read: 0 bytes", plan)

    @covers("select", "--filename")
    @covers("join", "--filename")
    @covers("sql", "--filename")
    def test_filename(self):
        self.assertEqual(
            self.sql("select filename, v from read_csv('t/year=2023/*/*', filename = true)")[1:],
            [
                ["t/year=2023/month=01/a.csv", "1"],
                ["t/year=2023/month=01/a.csv", "2"],
                ["t/year=2023/month=02/a.csv", "3"],
            ],
        )
        self.assertEqual(
            self.rows("select", "--filename", "t", "--where", "filename like '%2023%02%'")[1],
            ["3", "2023", "2", "t/year=2023/month=02/a.csv"],
        )
        self.write("f.csv", b"id,filename\n1,x\n")
        self.fails("select", "--filename", "f.csv", saying="f.csv: has a column 'filename' itself")


class Unions(ManyFiles):
    def test_numbers_of_different_types(self):
        self.write("a.csv", b"x\n5\n")
        self.write("b.csv", b"x\n1.5\n")
        self.assertEqual(
            self.sql("select x from 'a.csv' union all select x from 'b.csv'")[1:],
            [["5.0"], ["1.5"]],
        )


class ReaderOptions(ManyFiles):
    def test_each_file_is_read_its_own_way(self):
        self.write("a.csv", b"made by hand\nid;x\n1;NA\n2;5\n")
        self.write("b.csv", b"1,one\n2,two\n")
        self.assertEqual(
            self.sql(
                "select a.id, x, column2 from read_csv('a.csv', delim = ';', skip = 1, "
                "nullstr = 'NA', header = true) a join read_csv('b.csv', header = false) b "
                "on a.id = b.column1 order by 1"
            )[1:],
            [["1", "", "one"], ["2", "5", "two"]],
        )
        self.write("c.tsv", b"x\ty\n1\t2\n")
        self.assertEqual(self.sql("select y from read_csv_auto('c.tsv', sep = '\\t')")[1], ["2"])
        self.write("d.jsonl", b'{"a": 1}\n')
        self.assertEqual(self.sql("select a from read_json_auto('d.jsonl')")[1], ["1"])

    def test_what_is_wrong_with_an_option(self):
        self.write("a.csv", b"id\n1\n")
        for options, words in (
            ("delimitr = ','", "is not supported. Did you mean 'delimiter'"),
            ("header = maybe", "option header: takes true or false"),
            ("delim = ', '", "option delim: takes one byte"),
            ("skip = -1", "option skip: takes a number of lines"),
            ("header", "expected '='"),
            ("header = 1 + 1", "expected ',' or ')'"),
        ):
            self.fails("sql", f"select * from read_csv('a.csv', {options})", saying=words)
        self.fails("sql", "select * from read_csv(1)", saying="expected a file's name in quotes")


if __name__ == "__main__":
    main()
