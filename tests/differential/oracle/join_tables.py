# SPDX-License-Identifier: MIT
"""Random tables that are joined: the values of all their columns, of whatever type, stand for small
numbers, so that a day may belong to a timestamp and an integer to a decimal. How often a number
occurs is another thing for each column: as often as others, seldom, always, never."""

import datetime
import math

from tables import ODD, UNIT_DIGITS, WORDS, Column, date_text, decimal_text, real_text, time_text

NUMBERS = "int8 int16 int32 int64 uint8 uint16 uint32 uint64 price rate d0 big q odd f".split()
MOMENTS = "day ts tms tus tns".split()
# Columns of all tables; k1, k2 and k3 have another type in each of them.
NAMES = NUMBERS + MOMENTS + ["flag", "tag", "s", "none", "k1", "k2", "k3"]
INTEGERS = {"int%d" % bits: (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)}
INTEGERS.update({"uint%d" % bits: (0, 2**bits - 1) for bits in (8, 16, 32, 64)})
DECIMALS = {"price": (18, 2), "rate": (18, 4), "d0": (18, 0), "big": (38, 10)}
FIRST_DAY = (datetime.date(2000, 2, 20) - datetime.date(1970, 1, 1)).days


class Texts:
    """What numbers from 0 on are written as, by the kind of column: the same for all tables of a
    run, but for extremes."""

    def __init__(self, rng):
        self.rng = rng
        self.shift = rng.choice([0, 0, 3, 50])
        self.quarters = rng.random() < 0.5
        self.odd = rng.random() < 0.5
        self.high = rng.random() < 0.15  # integers near the greatest of their type
        self.long = rng.random() < 0.3

    def integer(self, type, n):
        least, most = INTEGERS[type]
        if self.high:
            return str(most - n % min(most, 1000))
        value = n - self.shift
        while not least <= value <= most:
            value = abs(value) % (most + 1)
        return str(value)

    def real(self, n, odd):
        value = (n - self.shift) / (4 if self.quarters else 1)
        if odd and self.odd:
            return {1: "nan", 2: "-0", 3: "0", 4: "inf", 5: "-inf"}.get(n, real_text(value))
        return real_text(value)

    def decimal(self, kind, n):
        _, scale = DECIMALS[kind]
        digits = 10**scale
        value = n - self.shift
        return decimal_text(value * digits // (4 if self.quarters and scale else 1), scale)

    def moment(self, kind, n):
        if kind == "day":
            return date_text(FIRST_DAY + n // 2)
        unit = kind[1:] if kind != "ts" else "s"
        return time_text((FIRST_DAY * 2 + n) * 43200 * 10 ** UNIT_DIGITS[unit], unit)

    def string(self, kind, n):
        if kind == "s":
            return ODD[n % len(ODD)] + ("" if n < len(ODD) else str(n))
        word = WORDS[n % len(WORDS)]
        if n >= len(WORDS):
            word += " " + str(n)
        return "a long text whose end alone differs: " + word if self.long else word


class Spread:
    """Draws numbers below `size`."""

    def __init__(self, rng, rows):
        self.rng = rng
        self.kind = rng.choice(["even", "even", "skewed", "one", "unique", "rising"])
        self.size = rng.choice([2, 5, 20, 60, 300, max(rows, 1), 2 * rows + 1])
        self.one = rng.randrange(8)
        self.state = 0
        self.order = list(range(max(rows, 1)))
        if rng.random() < 0.7:
            rng.shuffle(self.order)

    def draw(self, row):
        rng = self.rng
        if self.kind == "one":
            return self.one
        if self.kind == "unique":
            return self.order[row]
        if self.kind == "rising":
            self.state += rng.choice([0, 0, 0, 1, 1, 2])
            return self.state
        if self.kind == "skewed":
            return min(int(math.exp(rng.random() * math.log(self.size + 1))), self.size) - 1
        return rng.randrange(self.size)


class JoinTable:
    """`columns` are those of tables.Column. `files`: the first rows of each."""

    def __init__(self, rng, texts, name, rows):
        self.rng, self.texts, self.name, self.rows = rng, texts, name, rows
        ids = [str(i) for i in range(rows)]
        self.columns = [Column("id", "int64", "int", ids, bound=max(rows, 1))]
        for column in NAMES:
            self.columns.append(self.column(column))
        self.columns.append(self.only())
        self.by_name = {column.name: column for column in self.columns}
        self.counts = {}

    def only(self):
        """No other table has a column of that name."""
        values = [str(self.rng.randrange(10)) for _ in range(self.rows)]
        return Column("only_" + self.name, "int32", "int", values, bound=10)

    def column(self, name):
        rng = self.rng
        kind = name
        if name in ("k1", "k3"):
            kind = rng.choice(NUMBERS[:8] * 2 + NUMBERS if name == "k1" else NUMBERS[:8])
        if name == "k2":
            kind = rng.choice(MOMENTS if self.texts.long else ["tag", "s"])
        share = rng.choice([0, 0, 0.05, 0.3]) if name != "none" else 1
        spread = Spread(rng, self.rows)
        if name in ("k1", "k2", "k3", "tag") and rng.random() < 0.5:
            spread.kind, spread.size = "even", max(2, self.rows // 2)
        values = []
        for row in range(self.rows):
            n = spread.draw(row)
            values.append(None if rng.random() < share else self.text(kind, n))
        return self.of_kind(name, kind, values)

    def text(self, kind, n):
        rng, texts = self.rng, self.texts
        if kind in INTEGERS:
            if rng.random() < 0.01:
                return str(rng.choice(INTEGERS[kind]))
            return texts.integer(kind, n)
        if kind in DECIMALS:
            return texts.decimal(kind, n)
        if kind in ("q", "odd", "f"):
            return texts.real(n, kind == "odd")
        if kind in MOMENTS:
            return texts.moment(kind, n)
        if kind == "flag":
            return "true" if n % 2 else "false"
        if kind == "none":
            return "0"
        return texts.string(kind, n)

    def of_kind(self, name, kind, values):
        if kind in INTEGERS:
            tags = ["wide"] if kind == "uint64" else []
            most = max((abs(int(v)) for v in values if v is not None), default=0)
            return Column(name, kind, "int", values, bound=max(most, 1), tags=tags)
        if kind in DECIMALS:
            precision, scale = DECIMALS[kind]
            most = max((abs(int(v.replace(".", ""))) for v in values if v is not None), default=0)
            type = "decimal(%d,%d)" % (precision, scale)
            return Column(name, type, "dec", values, scale=scale, bound=max(most, 1))
        if kind in ("q", "odd", "f"):
            tags = ["exact"] if kind == "q" else ["odd"] if self.texts.odd else []
            return Column(name, "float" if kind == "f" else "double", "dbl", values, tags=tags)
        if kind == "day":
            return Column(name, "date", "date", values)
        if kind in MOMENTS:
            unit = kind[1:] if kind != "ts" else "s"
            return Column(name, "timestamp(%s)" % unit, "time", values, unit=unit)
        if kind == "flag":
            return Column(name, "bool", "bool", values)
        if kind == "none":
            return Column(name, "int32", "int", values, bound=1)
        return Column(name, "utf8", "str", values, tags=["few" if kind == "tag" else "odd"])

    def most_equal(self, names):
        """The most rows that have the same values in all of the columns."""
        names = tuple(names)
        if names not in self.counts:
            counts = {}
            for row in zip(*[self.by_name[name].values for name in names]):
                if None not in row:
                    row = tuple("0" if value == "-0" else value for value in row)
                    counts[row] = counts.get(row, 0) + 1
            self.counts[names] = max(counts.values(), default=0)
        return self.counts[names]
