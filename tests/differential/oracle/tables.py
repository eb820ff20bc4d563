# SPDX-License-Identifier: MIT
"""Random tables for the oracle tests: columns of every type with nulls, the least and greatest
values of the type, and values that are often equal. What a column may be used for follows from its
family; `bound` is the greatest absolute value, by which generated arithmetic stays within 64 or 128
bits unless it is meant not to."""

import datetime
import struct

INT_BITS = {"int8": 8, "int16": 16, "int32": 32, "int64": 64}
UINT_BITS = {"uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64}
UNIT_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}
WORDS = """the of and to in is was for on that with as by at from his her it an were which
quick brown fox jumps over lazy dog pending deposits sleep furiously across silent accounts
special requests packages carefully final ironic theodolites express bold regular unusual even
""".split()
ODD = [
    "",
    " ",
    "  ",
    "a",
    "A",
    "%",
    "_",
    "a%b",
    "a_b",
    "\\",
    "\\%",
    "'",
    "''",
    '"',
    ",",
    "é",
    "É",
    "ü",
    "Ω",
    "ω",
    "Привет",
    "привет",
    "日本語",
    "😀",
    "😀x",
    "\n",
    "a\nb",
    "\t",
    "x" * 300,
    "NULL",
    "null",
    "0",
    "-1",
    "1.50",
    "1e3",
    "true",
    "2024-01-31",
    "nan",
    ".",
    "a.b",
    "[a]",
    "(",
    "*",
    "^$",
]


class Column:
    """`text` of values is that of the CSV; None is null."""

    def __init__(self, name, type, family, values, scale=0, unit="", bound=0, tags=()):
        self.name, self.type, self.family, self.values = name, type, family, values
        self.scale, self.unit, self.bound, self.tags = scale, unit, bound, set(tags)


def real_text(value, digits=17):
    """The shortest text, as the format has it."""
    if value != value:
        return "nan"
    text = repr(value)
    return text[:-2] if text.endswith(".0") else text


def float_text(value):
    if value != value or value in (float("inf"), float("-inf")):
        return real_text(value)
    for digits in range(1, 10):
        text = "%.*g" % (digits, value)
        if struct.unpack("f", struct.pack("f", float(text)))[0] == value:
            break
    number = float(text)
    if number == 0:
        return "-0" if str(number)[0] == "-" else "0"
    mantissa, exponent = ("%.*e" % (digits - 1, number)).split("e")
    exponent = int(exponent)
    if -4 <= exponent < 7:
        return "%.*f" % (max(digits - 1 - exponent, 0), number)
    sign = "-" if exponent < 0 else "+"
    return "%se%s%02d" % (mantissa, sign, abs(exponent))


def decimal_text(value, scale):
    sign, digits = ("-" if value < 0 else ""), str(abs(value)).rjust(scale + 1, "0")
    return sign + digits if scale == 0 else sign + digits[:-scale] + "." + digits[-scale:]


def date_text(days):
    return (datetime.date(1970, 1, 1) + datetime.timedelta(days)).isoformat().rjust(10, "0")


def time_text(units, unit):
    digits = UNIT_DIGITS[unit]
    seconds, part = divmod(units, 10**digits)
    days, second = divmod(seconds, 86400)
    text = "%s %02d:%02d:%02d" % (date_text(days), second // 3600, second // 60 % 60, second % 60)
    return text + "." + str(part).rjust(digits, "0") if digits else text


class TableMaker:
    def __init__(self, rng, rows):
        self.rng, self.rows = rng, rows

    def column(self, name, type, family, draw, null_share=None, **more):
        """Nulls are spread, or lie together."""
        rng = self.rng
        share = rng.choice([0, 0.02, 0.2, 0.6]) if null_share is None else null_share
        together = rng.random() < 0.3
        values = []
        begin = rng.randrange(self.rows)
        for row in range(self.rows):
            null = begin <= row < begin + share * self.rows if together else rng.random() < share
            values.append(None if null else draw())
        return Column(name, type, family, values, **more)

    def integers(self, name, type, least, most, extreme_share):
        """Few values, a range, or all over the type; ascending ones are stored as differences."""
        rng = self.rng
        kind = rng.choice(["few", "range", "all", "rising", "runs"])
        state = [rng.randint(least, most) if extreme_share else 0]
        few = [rng.randint(max(least, -9), min(most, 9)) for _ in range(5)] + [least, most, 0]

        def draw():
            if rng.random() < extreme_share:
                return str(rng.choice([least, most, 0, least + 1, most - 1]))
            if kind == "few":
                return str(rng.choice(few[: None if extreme_share else 5]))
            if kind == "rising":
                state[0] = min(most, state[0] + rng.randrange(4))
                return str(state[0])
            if kind == "runs":
                if rng.random() < 0.1:
                    state[0] = rng.randint(max(least, -100), min(most, 100))
                return str(state[0])
            if kind == "range":
                return str(rng.randint(max(least, -50), min(most, 150)))
            return str(rng.randint(least, most))

        return self.column(name, type, "int", draw, bound=max(-least, most))

    def decimals(self, name, precision, scale, bound, odd_share=0.02):
        rng = self.rng
        few = [rng.randint(-bound, bound) // 10 ** rng.randrange(precision) for _ in range(8)]

        def draw():
            value = (
                rng.choice(few)
                if rng.random() < 0.5
                else rng.randint(-bound, bound) // 10 ** rng.randrange(precision)
            )
            if rng.random() < odd_share:
                value = rng.choice([bound, -bound, 0, 1, -1])
            return decimal_text(value, scale)

        type = "decimal(%d,%d)" % (precision, scale)
        return self.column(name, type, "dec", draw, scale=scale, bound=bound)

    def reals(self, name, type, kind):
        rng = self.rng
        text = float_text if type == "float" else real_text

        def narrow(value):
            return struct.unpack("f", struct.pack("f", value))[0] if type == "float" else value

        def draw():
            if kind == "quarters":
                return text(rng.randint(-400, 400) / 4)
            if kind == "odd" and rng.random() < 0.25:
                odd = ["nan", "-0", "0", "inf", "-inf"]
                odd += (
                    ["3.4028235e+38", "1e-45"]
                    if type == "float"
                    else ["1.7976931348623157e+308", "5e-324", "-1e+300"]
                )
                return rng.choice(odd)
            value = rng.choice(
                [
                    rng.random,
                    lambda: rng.uniform(-1e6, 1e6),
                    lambda: rng.gauss(0, 1),
                    lambda: float(rng.randint(-5, 5)),
                ]
            )()
            return text(narrow(value))

        tags = {"quarters": ["exact"], "plain": [], "odd": ["odd"]}[kind]
        return self.column(name, type, "dbl", draw, tags=tags)

    def dates(self, name, least, most, tags=()):
        rng = self.rng
        first, last = datetime.date(1970, 1, 1), datetime.date.fromisoformat
        low, high = (last(least) - first).days, (last(most) - first).days
        few = [rng.randint(low, high) for _ in range(5)]
        narrow = rng.random() < 0.4

        def draw():
            if rng.random() < 0.01:
                return date_text(rng.choice([low, high]))
            return date_text(rng.choice(few) if narrow else rng.randint(low, high))

        return self.column(name, "date", "date", draw, tags=tags)

    def times(self, name, unit, least_year, most_year, tags=()):
        rng = self.rng
        second = 10 ** UNIT_DIGITS[unit]
        first = datetime.date(1970, 1, 1)
        low = (datetime.date(least_year, 1, 1) - first).days * 86400 * second
        high = (datetime.date(most_year, 12, 31) - first).days * 86400 * second + 86400 * second - 1
        # Not the last nanosecond of a day, which DuckDB rounds to the next one.
        few = [rng.randint(low, high) // second * second for _ in range(6)] + [
            0,
            -(second // 1000) or -1,
            86400 * second,
        ]

        def draw():
            return time_text(
                rng.choice(few) if rng.random() < 0.3 else rng.randint(low, high), unit
            )

        return self.column(name, "timestamp(%s)" % unit, "time", draw, unit=unit, tags=tags)

    def strings(self, name, kind):
        rng = self.rng
        few = rng.sample(WORDS, 6) + [""]
        letters = "abcdefghijklmnopqrstuvwxyz0123456789"

        def draw():
            if kind == "few":
                return rng.choice(few)
            if kind == "words":
                return " ".join(rng.choice(WORDS) for _ in range(rng.randrange(1, 9)))
            if kind == "odd":
                return rng.choice(ODD)
            if kind == "numbers":
                return rng.choice(
                    ["0", "1", "-7", "12", "1.50", "-0.25", "100", "2024-02-29", "1e2"]
                )
            return "".join(rng.choice(letters) for _ in range(rng.choice([3, 8, 20, 200])))

        return self.column(name, "utf8", "str", draw, tags=[kind])

    def table(self):
        rng, columns = self.rng, []
        columns.append(
            Column("id", "int64", "int", [str(i) for i in range(self.rows)], bound=self.rows)
        )
        for type, bits in INT_BITS.items():
            name = "i" + str(bits)
            columns.append(self.integers(name, type, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1, 0.02))
        for type, bits in UINT_BITS.items():
            column = self.integers("u" + str(bits), type, 0, 2**bits - 1, 0.02)
            if bits == 64:
                column.values[rng.randrange(self.rows)] = str(2**64 - 1)
                column.tags.add("wide")
            columns.append(column)
        columns.append(self.integers("k", "int32", -3, 12, 0))
        columns.append(self.integers("n", "int64", -1000, 100000, 0))
        columns.append(self.decimals("price", 18, 2, 10**9))
        columns.append(self.decimals("rate", 18, 4, 99999))
        columns.append(self.decimals("d0", 18, 0, 10**18 - 1))
        columns.append(self.decimals("big", 38, 10, 10**30))
        columns.append(self.decimals("huge", 38, 0, 10**38 - 1))
        columns.append(self.decimals("fine", 38, 37, 10**38 - 1))
        columns.append(self.reals("q", "double", "quarters"))
        columns.append(self.reals("x", "double", "plain"))
        columns.append(self.reals("odd", "double", "odd"))
        columns.append(self.reals("f", "float", rng.choice(["plain", "odd"])))
        columns.append(self.column("flag", "bool", "bool", lambda: rng.choice(["true", "false"])))
        columns.append(self.dates("day", "1990-01-01", "2030-12-31"))
        columns.append(self.dates("far", "0001-01-01", "9999-12-31", ["wide"]))
        for unit in UNIT_DIGITS:
            columns.append(self.times("t" + unit, unit, 1960, 2040))
        columns.append(self.times("wide", "us", 1, 9999, ["wide"]))
        for name, kind in [
            ("tag", "few"),
            ("words", "words"),
            ("s", "odd"),
            ("hex", "hex"),
            ("num", "numbers"),
        ]:
            columns.append(self.strings(name, kind))
        columns.append(self.column("none", "int32", "int", lambda: "0", null_share=1, bound=1))
        columns.append(self.column("blank", "utf8", "str", lambda: "", null_share=1, tags=["few"]))
        return columns


def csv_field(column, value):
    if value is None:
        return ""
    if column.family == "str":
        return '"' + value.replace('"', '""') + '"'
    return value


def write_csv(columns, path):
    with open(path, "w", encoding="utf-8", newline="") as out:
        out.write(",".join(column.name for column in columns) + "\n")
        for row in range(len(columns[0].values)):
            out.write(",".join(csv_field(c, c.values[row]) for c in columns) + "\n")


def schema_of(columns):
    return ",".join("%s:%s" % (column.name, column.type) for column in columns)
