# SPDX-License-Identifier: MIT
"""Values that statements compare and change: dates and timestamps of every unit beside literals of
any year, as Python's whole numbers compare them; every code point in both cases, as Python's
unicodedata has them; tables with thousands of columns."""

import bisect
import csv
import datetime
import io
import unicodedata
import unittest

from support import CliTest, main

DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
LITERALS = (
    "0001-01-01",
    "1000-02-03 04:05:06.789",
    "1677-09-21 00:12:43.145224193",
    "1970-01-01",
    "1970-01-01 00:00:00.5",
    "2024-02-29 12:00:00.123456789",
    "2262-04-11 23:47:16.854775807",
    "2262-04-11 23:47:16.854775808",
    "9999-12-31",
    "9999-12-31 23:59:59.999999999",
    "12345-06-07",
)
ROWS = 6000


def days_of(text):
    year, month, day = (int(part) for part in text.split("-"))
    cycles = max(0, (year - 1) // 400 - 20)  # Python's years end with 9999
    first = datetime.date(1970, 1, 1)
    return (datetime.date(year - 400 * cycles, month, day) - first).days + cycles * 146097


def nanos_of(text):
    date, _, time = text.partition(" ")
    hour, minute, second = (time or "00:00:00").split(":")
    whole, _, part = second.partition(".")
    seconds = (int(hour) * 60 + int(minute)) * 60 + int(whole)
    return (days_of(date) * 86400 + seconds) * 10**9 + int((part + "0" * 9)[:9])


def time_text(value, digits):
    seconds, part = divmod(value, 10**digits)
    days, second = divmod(seconds, 86400)
    date = (datetime.date(1970, 1, 1) + datetime.timedelta(days)).isoformat()
    time = "%02d:%02d:%02d" % (second // 3600, second // 60 % 60, second % 60)
    return f"{date} {time}" + (".%0*d" % (digits, part) if digits else "")


class SqlValues(CliTest):
    def rows(self, statement):
        return list(csv.reader(io.StringIO(self.ok("sql", statement).out.decode())))[1:]


class Moments(SqlValues):
    def setUp(self):
        """Ascending values, so that zones leave most of them out, with nulls among them."""
        super().setUp()
        self.nanos = {"day": []}
        columns = {"day": []}
        first, last = days_of("0001-01-01"), days_of("9999-12-31")
        for i in range(ROWS):
            days = first + (last - first) * i // (ROWS - 1)
            columns["day"].append(time_text(days * 86400, 0)[:10])
            self.nanos["day"].append(days * 86400 * 10**9)
        for unit, digits in DIGITS.items():
            low, high = nanos_of("0001-01-01"), nanos_of("9999-12-31 23:59:59.999999999")
            if unit == "ns":
                low, high = -(2**63), 2**63 - 1
            step = 10 ** (9 - digits)
            values = [(low + (high - low) * i // (ROWS - 1)) // step for i in range(ROWS)]
            values[0] += 0 if values[0] * step >= low else 1
            columns[unit] = [time_text(value, digits) for value in values]
            self.nanos[unit] = [value * step for value in values]
        names = list(columns)
        lines = [",".join(names)]
        for i in range(ROWS):
            lines.append(",".join("" if i % 7 == 3 else columns[name][i] for name in names))
        self.write("t.csv", "\n".join(lines).encode() + b"\n")
        types = "date timestamp(s) timestamp(ms) timestamp(us) timestamp(ns)".split()
        schema = ",".join(f"{name}:{type}" for name, type in zip(names, types))
        self.ok("compress", "-q", "--table", "csv", "--schema", schema, "t.csv", "-o", "t.presso")
        for values in self.nanos.values():
            values[:] = [value for i, value in enumerate(values) if i % 7 != 3]

    def counts(self, column, literal):
        """How many values are <, <=, >, >=, = and <> a literal."""
        values, nanos = self.nanos[column], nanos_of(literal)
        less, not_above = bisect.bisect_left(values, nanos), bisect.bisect_right(values, nanos)
        count = len(values)
        equal = not_above - less
        return [less, not_above, count - not_above, count - less, equal, count - equal]

    def test_compare_with_literals_of_any_year(self):
        operators = ["<", "<=", ">", ">=", "=", "<>"]
        for column in self.nanos:
            sums, wanted = [], []
            for literal in LITERALS:
                if column == "day" and " " in literal:
                    continue
                for operator, count in zip(operators, self.counts(column, literal)):
                    condition = f"{column} {operator} '{literal}'"
                    wanted.append(count)
                    sums.append(f"sum(case when {condition} then 1 else 0 end)")
                    found = self.rows(f"select count(*) from t.presso where {condition}")
                    self.assertEqual(found, [[str(count)]], condition)
            found = self.rows("select " + ", ".join(sums) + " from t.presso")
            self.assertEqual(found, [[str(count) for count in wanted]], column)

    def test_sets_and_ranges_of_any_year(self):
        for column, values in self.nanos.items():
            literals = [text for text in LITERALS if column != "day" or " " not in text]
            inside = sum(value in {nanos_of(text) for text in literals} for value in values)
            everything = f"{column} in ({', '.join(repr(text) for text in literals)})"
            others = len(values) - inside
            for condition, count in (
                (everything, inside),
                (f"not ({everything})", others),
                (f"{column} not in ('12345-06-07', '12345-06-08')", len(values)),
                (f"{column} between '0001-01-01' and '12345-06-07'",
                 sum(value >= nanos_of("0001-01-01") for value in values)),
                (f"{column} is distinct from '12345-06-07'", ROWS),
            ):  # fmt: skip
                found = self.rows(f"select count(*) from t.presso where {condition}")
                self.assertEqual(found, [[str(count)]], condition)

    def test_columns_of_several_units(self):
        names = list(self.nanos)
        for first in names:
            for second in names:
                wanted = sum(a < b for a, b in zip(self.nanos[first], self.nanos[second]))
                for statement in (
                    f"select count(*) from t.presso where {first} < {second}",
                    f"select sum(if({second} > {first}, 1, 0)) from t.presso",
                ):
                    self.assertEqual(self.rows(statement), [[str(wanted)]], statement)

    def test_joins_of_several_units(self):
        equal = len(set(self.nanos["s"]) & set(self.nanos["day"]))
        for first, second, count in (("s", "day", equal), ("day", "ns", None)):
            if count is None:
                count = len(set(self.nanos[first]) & set(self.nanos[second]))
            statement = f"select count(*) from t.presso a join t.presso b on a.{first} = b.{second}"
            self.assertEqual(self.rows(statement), [[str(count)]], statement)


class Middles(SqlValues):
    def test_those_of_decimals_are_doubles(self):
        self.write("t.csv", b"x\n1.5\n2.0\n9.7\n3.1\n")
        asked = "select median(x), quantile_cont(x, 0.1), mad(x), typeof(median(x)) from 't.csv'"
        answer = self.ok("sql", asked).out.splitlines()[1]
        self.assertEqual(answer, b"2.55,1.65,0.8,DOUBLE")


class Cases(SqlValues):
    @unittest.skipUnless(unicodedata.unidata_version == "14.0.0", "another version of Unicode")
    def test_every_code_point(self):
        codes = [code for code in range(0x80, 0x110000) if not 0xD800 <= code < 0xE000]
        text = "code,letter\n" + "".join(f'{code},"{chr(code)}"\n' for code in codes)
        self.write("codes.csv", text.encode())
        out = self.ok("sql", "select code, lower(letter), upper(letter) from codes.csv").out
        found = out.decode().split("\n")[1:-1]
        # The csv module would take some of these characters for the ends of lines.
        letters = [line.replace('"', "").split(",") for line in found]
        self.assertEqual([int(line[0]) for line in letters], codes)
        simple = {0xDF: "\u1e9e", 0x130: "i"}
        for code, (_, lower, upper) in zip(codes, letters):
            letter = chr(code)
            self.assertEqual(len(lower), 1, hex(code))
            self.assertEqual(len(upper), 1, hex(code))
            wanted_lower = simple.get(code) if code == 0x130 else letter.lower()
            if len(wanted_lower) == 1:
                self.assertEqual(lower, wanted_lower, hex(code))
            # Several capitals: the simple mapping is the letter in title case, or there is none.
            wanted_upper = simple.get(code) if code == 0xDF else letter.upper()
            if len(wanted_upper) > 1:
                wanted_upper = letter.title() if len(letter.title()) == 1 else letter
            self.assertEqual(upper, wanted_upper, hex(code))


    @unittest.skipUnless(unicodedata.unidata_version == "14.0.0", "another version of Unicode")
    def test_letters_without_marks(self):
        codes = [code for code in range(0x80, 0x3000) if unicodedata.category(chr(code)) != "Cn"]
        text = "code,letter\n" + "".join(f'{code},"a{chr(code)}"\n' for code in codes)
        self.write("codes.csv", text.encode())
        out = self.ok("sql", "select code, strip_accents(letter) from codes.csv").out
        found = out.decode().split("\n")[1:-1]
        self.assertEqual(len(found), len(codes))
        for code, line in zip(codes, found):
            plain = "".join(
                letter
                for letter in unicodedata.normalize("NFD", chr(code))
                if not unicodedata.category(letter).startswith("M")
            )
            # What is several letters, such as U+0344, which is two marks, or a syllable, stays.
            wanted = plain if len(plain) <= 1 else chr(code)
            self.assertEqual(line.replace('"', "").split(",", 1)[1], "a" + wanted, hex(code))


class Random(SqlValues):
    def test_numbers_of_rows(self):
        self.write("n.csv", ("n\n" + "".join(f"{i}\n" for i in range(20000))).encode())
        statement = "select setseed(0.5), random() as r, random() as s from n.csv"
        first = [(float(row[1]), float(row[2])) for row in self.rows(statement)]
        self.assertTrue(all(0 <= number < 1 for pair in first for number in pair))
        numbers = {number for pair in first for number in pair}
        self.assertGreater(len(numbers), 39990)
        for part in range(10):
            count = sum(part / 10 <= number < (part + 1) / 10 for number in numbers)
            self.assertLess(abs(count - 4000), 400)
        again = self.ok("sql", statement, "-T", "1").out
        self.assertEqual(again, self.ok("sql", statement, "-T", "2", "--memory", "4M").out)
        other = self.rows("select random() as r from n.csv")
        self.assertNotEqual([float(row[0]) for row in other], [pair[0] for pair in first])

    def test_in_conditions_and_order(self):
        self.write("n.csv", ("n\n" + "".join(f"{i}\n" for i in range(20000))).encode())
        for statement in (
            "select count(*) from n.csv where random() < 0.25 and n < 10000",
            "select count(*) from (select n from n.csv where random() < 0.25) where n < 10000",
            "with t as (select n, random() as r from n.csv) select count(*) from t "
            "where r < 0.25 and r < 0.25 and n < 10000",
        ):
            count = int(self.rows(statement)[0][0])
            self.assertLess(abs(count - 2500), 400, statement)
        shuffled = [int(row[0]) for row in self.rows("select n from n.csv order by random()")]
        self.assertEqual(sorted(shuffled), list(range(20000)))
        self.assertNotEqual(shuffled, sorted(shuffled))

    def test_rows_are_numbered_in_little_memory(self):
        rows = 300000
        self.write("n.csv", ("n\n" + "".join(f"{i}\n" for i in range(rows))).encode())
        inner = "select n, row_number() over () as i from n.csv"
        statement = f"select max(i - n), count(*) from ({inner})"
        out = self.ok("sql", statement, "--memory", "1M").out.decode().split("\n")[1]
        self.assertEqual(out, f"1,{rows}")
        totals = "sum(n) over () as s, count(*) over () as c, max(n) over () as m"
        inner = f"select n, {totals} from n.csv"
        statement = f"select min(s), max(s), min(c), max(m) from ({inner}) where n > 5"
        out = self.ok("sql", statement, "--memory", "1M").out.decode().split("\n")[1]
        total = rows * (rows - 1) // 2
        self.assertEqual(out, f"{total},{total},{rows},{rows - 1}")


class ManyColumns(SqlValues):
    def test_names_of_thousands_of_columns(self):
        names = [f"c{i}" for i in range(4000)]
        for name, first in (("a", 0), ("b", 5000)):
            row = ",".join(str(first + i) for i in range(len(names)))
            self.write(f"{name}.csv", (",".join(names) + "\n" + row + "\n").encode())
        row = [str(i) for i in range(len(names))]
        self.assertEqual(self.rows("select * from a.csv"), [row])
        self.assertEqual(self.rows(f"select {', '.join(names).upper()} from a.csv"), [row])
        everything = ", ".join(names)
        statement = f"select {everything} from a.csv group by {everything} order by {everything}"
        self.assertEqual(self.rows(statement), [row])
        joined = "select * from a.csv a left join b.csv b on a.c0 = b.c0"
        header = self.ok("sql", joined).out.decode().split("\n")[0].split(",")
        self.assertEqual(header, [f"{side}.{name}" for side in "ab" for name in names])
        again = self.ok("sql", "select " + ", ".join(["c7"] * 4000) + " from a.csv").out.decode()
        header = again.split("\n")[0].split(",")
        self.assertEqual(header, ["c7"] + [f"c7_{i}" for i in range(2, 4001)])


if __name__ == "__main__":
    main()
