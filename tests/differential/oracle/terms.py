# SPDX-License-Identifier: MIT
"""Random expressions. A term has its text for presso (`p`), for DuckDB (`d`) and, where SQLite
knows such things, for SQLite (`s`, else None). The texts differ only where the two differ by design
(differences.py); parentheses are set, or left out, at the same places, so that precedence is
tested too."""

from conditions import Conditions
from tables import UNIT_DIGITS, WORDS
from term import (
    ADD,
    CAST,
    CONCAT,
    LEAST_64,
    MOST_128,
    MOST_64,
    MULTIPLY,
    NEGATE,
    VALUE,
    Term,
    literal,
    quoted,
)

INT_TYPES = {
    "tinyint": 7,
    "smallint": 15,
    "integer": 31,
    "bigint": 63,
    "utinyint": 8,
    "usmallint": 16,
    "uinteger": 32,
}


class Terms(Conditions):
    def __init__(self, rng, columns, risk=0.0):
        self.rng, self.columns, self.risk = rng, columns, risk
        self.dropped = 0.03  # parentheses that are left out although the tree needs them

    # --- putting together

    def pick(self, *choices):
        return self.rng.choice(choices)

    def chance(self, share):
        return self.rng.random() < share

    def join(self, family, pattern, parts, power, least=None, lite=True, **more):
        """`pattern` with {} for each part; `least`: how strongly each must bind."""
        least = least or [power] * len(parts)
        if self.chance(self.dropped) and not any(part.wrapped for part in parts):
            least = [0] * len(parts)
        elif self.chance(0.1):
            least = [VALUE] * len(parts)
        texts = {}
        for field in "pds":
            bits = [part.text(field, l) for part, l in zip(parts, least)]
            known = all(bit is not None for bit in bits) and (field != "s" or lite)
            texts[field] = pattern.format(*bits) if known else None
        return Term(family, texts["p"], texts["d"], texts["s"], power, parts=parts, **more)

    def both(self, family, own, duck, parts, power=VALUE, least=None, **more):
        """The same with a pattern for each engine."""
        least = least or [0] * len(parts)
        p = own.format(*[part.text("p", l) for part, l in zip(parts, least)])
        d = duck.format(*[part.text("d", l) for part, l in zip(parts, least)])
        term = Term(family, p, d, None, power, parts=parts, **more)
        term.wrapped = term.wrapped or (own != duck and power < VALUE)
        return term

    def call(self, family, name, parts, duck=None, lite=False, **more):
        p = "%s(%s)" % (name, ", ".join(part.p for part in parts))
        d = "%s(%s)" % (duck or name, ", ".join(part.d for part in parts))
        known = lite and all(part.s is not None for part in parts)
        s = "%s(%s)" % (name, ", ".join(part.s for part in parts)) if known else None
        return Term(family, p, d, s, parts=parts, **more)

    # --- columns and literals

    def column(self, family, allowed=lambda column: True):
        known = [c for c in self.columns if c.family == family and allowed(c)]
        column = self.rng.choice(known)
        name = self.spelled(column)
        lite = family == "str" or (family == "int" and "wide" not in column.tags)
        term = Term(
            family,
            name,
            name,
            name if lite else None,
            scale=column.scale,
            bound=column.bound,
            unit=column.unit,
            tags=column.tags,
        )
        if column.type.startswith("decimal"):
            term.whole = int(column.type[8:].split(",")[0]) - column.scale
        term.column = column
        return term

    def spelled(self, column):
        """Names may stand in quotes, and capital letters are the same."""
        if self.chance(0.02):
            return '"%s"' % column.name
        if self.chance(0.02):
            return column.name.upper()
        return column.name

    def sample(self, family, allowed=lambda column: True):
        """A value that stands in some column."""
        column = self.column(family, allowed).column
        for _ in range(5 if column.values else 0):
            value = self.rng.choice(column.values)
            if value is not None:
                return column, value
        return column, None

    def whole(self, value):
        """DuckDB's literals have 32 bits where that suffices, ours 64."""
        type = "HUGEINT" if abs(value) > MOST_64 else "BIGINT"
        sign, digits = ("-" if value < 0 else ""), str(abs(value))
        if value == LEAST_64:
            type = "BIGINT"
            duck = "CAST('%d' AS BIGINT)" % value
        elif type == "HUGEINT":
            duck = "CAST('%d' AS HUGEINT)" % value
        else:
            duck = sign + digits + "::" + type
        tags = ["wide"] if type == "HUGEINT" else []
        return literal(
            "int",
            sign + digits,
            duck,
            sign + digits,
            power=NEGATE if value < 0 else VALUE,
            bound=abs(value),
            tags=tags,
        )

    def int_literal(self):
        rng = self.rng
        if self.chance(0.4):
            _, value = self.sample("int", lambda c: "wide" not in c.tags)
            if value is not None and LEAST_64 < int(value):
                return self.whole(int(value))
        return self.whole(
            rng.choice(
                [
                    rng.randint(-10, 10),
                    rng.randint(-10, 10),
                    rng.randint(-1000, 1000),
                    rng.randint(-(10**6), 10**6),
                ]
            )
        )

    def decimal_literal(self):
        rng = self.rng
        scale = rng.choice([1, 1, 2, 2, 4])
        value = rng.randint(0, rng.choice([100, 10000, 10**8]))
        digits = str(value).rjust(scale + 1, "0")
        text = digits[:-scale] + "." + digits[-scale:]
        power = NEGATE if self.chance(0.3) else VALUE
        text = "-" + text if power == NEGATE else text
        term = literal("dec", text, power=power, scale=scale, bound=value)
        term.whole = len(digits) - scale
        return term

    def real_literal(self):
        text = self.rng.choice(["1e0", "0e0", "2.5e-3", "1.5e1", "-1e2", "1e10", "3e-1"])
        return literal("dbl", text, power=NEGATE if text[0] == "-" else VALUE)

    def string_literal(self, cut=True):
        rng = self.rng
        _, value = self.sample("str")
        if value is None or self.chance(0.2):
            value = rng.choice(WORDS)
        if cut and len(value) > 1 and self.chance(0.4):
            first = rng.randrange(len(value))
            value = value[first : first + rng.randrange(1, 6)]
        return literal("str", quoted(value), quoted(value), quoted(value))

    def date_literal(self):
        _, value = self.sample("date")
        value = value or "2000-02-29"
        duck = "DATE " + quoted(value)
        tags = [] if "1700-01-01" < value < "2250-01-01" else ["wide"]
        return literal("date", self.pick(duck, duck, value), duck, None, tags=tags)

    def time_literal(self, unit=None):
        column, value = self.sample("time", lambda c: c.unit != "ns" and unit in (None, c.unit))
        text = "TIMESTAMP " + quoted(value or "2001-02-03 04:05:06")
        return literal("time", text, text, None, unit="us", tags=column.tags)

    # --- numbers

    def int(self, depth):
        rng = self.rng
        if depth <= 0 or self.chance(0.25):
            return self.int_literal() if self.chance(0.25) else self.column("int", self.calm_int)
        kind = rng.choice(
            "arith arith arith arith negate abs length extract case coalesce cast extreme dates"
            " divide nullif position sign".split()
        )
        if kind == "arith":
            return self.int_arithmetic(self.int(depth - 1), self.int(depth - 1))
        if kind == "divide":
            a = self.int(depth - 1)
            b = self.whole(rng.choice([1, 2, 3, 7, -1, -5, 100]))
            if self.chance(self.risk):
                b = self.int(depth - 1)
            if b.family == "int" and self.chance(0.3):
                name = rng.choice(["mod"])
                term = self.call("int", name, [a, b], bound=a.bound, tags=self.wide_of(a, b))
            else:
                op = rng.choice(["//", "%"])
                term = self.join(
                    "int",
                    "{} " + op + " {}",
                    [a, b],
                    MULTIPLY,
                    [MULTIPLY, MULTIPLY + 1],
                    lite=False,
                    bound=a.bound,
                    tags=self.wide_of(a, b),
                )
            if not b.constant:
                term.risky = True
            return self.checked(term)
        if kind in ("negate", "abs"):
            a = self.int(depth - 1)
            if kind == "negate":
                term = self.join(
                    "int", "- {}", [a], NEGATE, [NEGATE], bound=a.bound, tags=self.wide_of(a)
                )
            else:
                term = self.call("int", "abs", [a], bound=a.bound, tags=self.wide_of(a))
            return self.checked(term)
        if kind == "length":
            return self.length(depth)
        if kind == "extract":
            return self.extract(depth)
        if kind == "dates":
            a, b = self.date(depth - 1), self.date(depth - 1)
            return self.join(
                "int", "{} - {}", [a, b], ADD, [ADD, ADD + 1], lite=False, bound=4 * 10**6
            )
        if kind == "position":
            return self.call(
                "int",
                self.pick("strpos", "instr"),
                [self.str(depth - 1), self.str_simple()],
                bound=2**20,
            )
        if kind == "nullif":
            a, b = self.int(depth - 1), self.int(depth - 1)
            return self.call(
                "int", "nullif", [a, b], lite=True, bound=a.bound, tags=self.wide_of(a)
            )
        if kind == "cast":
            return self.int_cast(depth)
        if kind == "sign":
            a = self.bool(depth - 1)
            return self.both("int", "cast({} as bigint)", "CAST({} AS BIGINT)", [a], bound=1)
        return self.choice("int", depth, kind)

    def length(self, depth):
        name = self.rng.choice(["length", "len", "strlen", "char_length"])
        return self.call("int", name, [self.str(depth - 1)], bound=2**20)

    def calm_int(self, column):
        return column.bound < 2**40 or self.chance(0.3)

    def wide_of(self, *parts):
        return ["wide"] if any("wide" in part.tags for part in parts) else []

    def checked(self, term):
        """Marks what may overflow; where nothing may fail, another number."""
        limit = MOST_128 if "wide" in term.tags or term.family == "dec" else MOST_64
        if term.bound > limit:
            term.risky = True
            term.bound = limit
        if term.risky and not self.chance(self.risk):
            return (
                self.column("int", lambda c: c.bound < 2**33)
                if term.family == "int"
                else self.column("dec")
            )
        return term

    def int_arithmetic(self, a, b):
        op = self.rng.choice("++--*")
        bound = a.bound * b.bound if op == "*" else a.bound + b.bound
        power = MULTIPLY if op == "*" else ADD
        space = self.pick(" ", " ", "")
        if b.p.startswith("-") or op == "-":
            space = " "
        return self.checked(
            self.join(
                "int",
                "{}" + space + op + space + "{}",
                [a, b],
                power,
                [power, power + 1],
                bound=bound,
                tags=self.wide_of(a, b),
            )
        )

    def int_cast(self, depth):
        rng = self.rng
        a = rng.choice([self.int, self.dec, self.dbl_small])(depth - 1)
        type = rng.choice(list(INT_TYPES))
        least_bound = a.bound if a.family == "int" else a.bound // 10**a.scale + 1
        form = self.pick("cast({} as %s)", "{}::%s")
        power = VALUE if form[0] == "c" else CAST
        term = self.both(
            "int",
            form % type,
            "CAST(CAST({} AS %s) AS BIGINT)" % type,
            [a],
            power,
            [0 if power == VALUE else CAST],
            bound=min(least_bound, 2 ** INT_TYPES[type]),
        )
        fits = least_bound < 2 ** INT_TYPES[type] and not type.startswith("u")
        term.risky = term.risky or not fits
        return self.checked(term)

    def extract(self, depth):
        moment = self.moment(depth - 1)
        part = self.rng.choice("year quarter month week day dayofweek dayofyear epoch".split())
        if moment.family == "time":
            part = self.rng.choice([part, "hour", "minute", "second"])
        if part == "epoch":
            return self.both(
                "int", "epoch({})", "CAST(floor(epoch({})) AS BIGINT)", [moment], bound=2**40
            )
        form = self.rng.choice(
            ["%s({})" % part, "date_part('%s', {})" % part, "extract(%s from {})" % part]
        )
        if form.startswith("extract") and part.startswith("dayof"):
            form = "%s({})" % part
        return self.both("int", form, form, [moment], bound=10000)

    def dec(self, depth):
        rng = self.rng
        if depth <= 0 or self.chance(0.3):
            if self.chance(0.2):
                return self.decimal_literal()
            return self.column("dec", lambda c: c.bound < 10**25 or self.chance(0.2))
        kind = rng.choice(
            "arith arith arith negate abs round floor cast case coalesce extreme modulo".split()
        )
        if kind == "arith":
            a, b = self.dec(depth - 1), rng.choice([self.dec, self.dec, self.int])(depth - 1)
            if self.chance(0.4):
                a, b = b, a
            return self.dec_arithmetic(rng.choice("++-*"), a, b)
        if kind == "modulo":
            a, b = self.dec(depth - 1), self.decimal_literal()
            if b.bound == 0 or not self.one_scale([a, b]):
                return a
            scale = max(a.scale, b.scale)
            return self.checked(
                self.join(
                    "dec",
                    "{} % {}",
                    [a, b],
                    MULTIPLY,
                    [MULTIPLY, MULTIPLY + 1],
                    lite=False,
                    scale=scale,
                    bound=max(a.bound * 10 ** (scale - a.scale), b.bound * 10 ** (scale - b.scale)),
                )
            )
        a = self.dec(depth - 1)
        if kind == "negate":
            return self.join("dec", "- {}", [a], NEGATE, [NEGATE], scale=a.scale, bound=a.bound)
        if kind == "abs":
            return self.call("dec", "abs", [a], scale=a.scale, bound=a.bound)
        if kind == "floor":
            return self.call(
                "dec", rng.choice(["floor", "ceil", "round"]), [a], bound=a.bound // 10**a.scale + 1
            )
        if kind == "round":
            digits = rng.randrange(0, 5)
            scale = min(a.scale, digits)
            return self.both(
                "dec",
                "round({}, %d)" % digits,
                "round({}, %d)" % digits,
                [a],
                scale=scale,
                bound=a.bound // 10 ** (a.scale - scale) + 1,
            )
        if kind == "cast":
            return self.dec_cast(depth)
        return self.choice("dec", depth, kind)

    def dec_arithmetic(self, op, a, b):
        if op == "*":
            scale, bound = a.scale + b.scale, a.bound * b.bound
            if scale > 38:
                return a
        else:
            scale = max(a.scale, b.scale)
            bound = a.bound * 10 ** (scale - a.scale) + b.bound * 10 ** (scale - b.scale)
        power = MULTIPLY if op == "*" else ADD
        return self.checked(
            self.join(
                "dec",
                "{} " + op + " {}",
                [a, b],
                power,
                [power, power + 1],
                lite=False,
                scale=scale,
                bound=bound,
            )
        )

    def dec_cast(self, depth):
        a = self.rng.choice([self.int, self.dec, self.dbl_small])(depth - 1)
        precision, scale = self.rng.choice([(18, 2), (18, 0), (18, 6), (38, 4), (38, 12)])
        bound = a.bound * 10**scale // 10**a.scale + 1
        form = self.pick("cast({} as decimal(%d,%d))", "{}::decimal(%d,%d)") % (precision, scale)
        power = VALUE if form[0] == "c" else CAST
        term = self.both(
            "dec", form, form, [a], power, [0 if power == VALUE else CAST], scale=scale, bound=bound
        )
        if bound >= 10**precision:
            term.risky, term.bound = True, 10**precision - 1
        return self.checked(term)

    def dbl_small(self, depth):
        return (
            self.column("dbl", lambda c: "exact" in c.tags)
            if self.chance(0.7)
            else self.exact_real()
        )

    def exact_real(self):
        term = self.column("dbl", lambda c: "exact" in c.tags)
        term.bound = 100
        return term

    def dbl(self, depth):
        rng = self.rng
        if depth <= 0 or self.chance(0.3):
            return self.real_literal() if self.chance(0.2) else self.column("dbl")
        kind = rng.choice(
            "arith arith arith divide divide negate abs floor cast case coalesce extreme sqrt round"
            " modulo".split()
        )
        if kind == "arith":
            a, b = self.dbl(depth - 1), rng.choice([self.dbl, self.dec, self.int])(depth - 1)
            if self.chance(0.4):
                a, b = b, a
            op = rng.choice("+-*")
            power = MULTIPLY if op == "*" else ADD
            return self.join(
                "dbl", "{} " + op + " {}", [a, b], power, [power, power + 1], lite=False
            )
        if kind == "divide":
            pair = [rng.choice([self.dbl, self.dec, self.int])(depth - 1) for _ in range(2)]
            return self.join("dbl", "{} / {}", pair, MULTIPLY, [MULTIPLY, MULTIPLY + 1], lite=False)
        if kind == "modulo":
            return self.join(
                "dbl",
                "{} % {}",
                [self.dbl(depth - 1), self.column("dbl")],
                MULTIPLY,
                [MULTIPLY, MULTIPLY + 1],
                lite=False,
            )
        if kind == "cast":
            a = rng.choice([self.int, self.dec])(depth - 1)
            return self.both("dbl", "cast({} as double)", "CAST({} AS DOUBLE)", [a])
        if kind == "sqrt":
            return self.both(
                "dbl", "sqrt(abs({}))", "sqrt(abs(CAST({} AS DOUBLE)))", [self.dbl(depth - 1)]
            )
        a = self.dbl(depth - 1)
        if kind == "negate":
            return self.join("dbl", "- {}", [a], NEGATE, [NEGATE], lite=False)
        if kind == "abs":
            return self.call("dbl", "abs", [a])
        if kind == "floor":
            return self.call("dbl", rng.choice(["floor", "ceil"]), [a])
        if kind == "round":
            return self.call("dbl", "round", [self.exact_real()])
        return self.choice("dbl", depth, kind)

    # --- moments

    def moment(self, depth):
        return self.date(depth) if self.chance(0.5) else self.time(depth)

    def interval(self, units):
        count = self.rng.randint(-20, 40)
        unit = self.rng.choice(units)
        return self.rng.choice(
            [
                "interval '%d' %s" % (count, unit),
                "interval '%d %s'" % (count, unit + "s"),
                "INTERVAL %d %s" % (abs(count), unit.upper()),
            ]
        )

    def date(self, depth):
        rng = self.rng
        narrow = lambda c: "wide" not in c.tags
        if depth <= 0 or self.chance(0.4):
            return self.date_literal() if self.chance(0.15) else self.column("date")
        kind = rng.choice("days interval interval trunc cast case coalesce extreme".split())
        if kind == "days":
            days = self.whole(rng.randint(0, 400))
            op = rng.choice("+-")
            a = self.column("date", narrow)
            return self.both(
                "date",
                "{} " + op + " {}",
                "CAST({} " + op + " CAST({} AS INTEGER) AS DATE)",
                [a, days],
                ADD,
                [ADD, ADD + 1],
            )
        if kind == "interval":
            a = self.column("date", narrow)
            text = (
                "{} "
                + rng.choice("+-")
                + " "
                + self.interval(["day", "week", "month", "quarter", "year"])
            )
            return self.both("date", text, "CAST(" + text + " AS DATE)", [a], ADD, [ADD])
        if kind == "trunc":
            part = rng.choice("year quarter month week day".split())
            return self.both(
                "date",
                "date_trunc('%s', {})" % part,
                "CAST(date_trunc('%s', {}) AS DATE)" % part,
                [self.column("date", narrow)],
            )
        if kind == "cast":
            return self.both("date", "cast({} as date)", "CAST({} AS DATE)", [self.time(depth - 1)])
        return self.choice("date", depth, kind)

    def time(self, depth):
        rng = self.rng
        calm = lambda c: "wide" not in c.tags and c.unit != "ns"
        if depth <= 0 or self.chance(0.4):
            return (
                self.time_literal()
                if self.chance(0.15)
                else self.column("time", lambda c: c.unit != "ns" or self.chance(0.3))
            )
        kind = rng.choice("interval interval trunc cast case coalesce extreme".split())
        if kind == "interval":
            a = self.column("time", calm)
            text = (
                "{} "
                + rng.choice("+-")
                + " "
                + self.interval("second minute hour day week month quarter year".split())
            )
            return self.both("time", text, text, [a], ADD, [ADD], unit=a.unit)
        if kind == "trunc":
            part = rng.choice("year quarter month week day hour minute second".split())
            return self.both(
                "time",
                "date_trunc('%s', {})" % part,
                "date_trunc('%s', {})" % part,
                [self.column("time", calm)],
                unit="us",
            )
        if kind == "cast":
            if self.chance(0.5):
                return self.both(
                    "time",
                    "cast({} as timestamp)",
                    "CAST({} AS TIMESTAMP)",
                    [self.date(depth - 1)],
                    unit="us",
                )
            a = self.column("time", lambda c: "wide" not in c.tags and c.unit in ("s", "ms"))
            return self.both(
                "time", "cast({} as timestamp)", "CAST({} AS TIMESTAMP)", [a], unit="us"
            )
        return self.choice("time", depth, kind)

    # --- strings

    def str_simple(self):
        return self.string_literal() if self.chance(0.6) else self.column("str")

    def str(self, depth):
        rng = self.rng
        if depth <= 0 or self.chance(0.35):
            return self.string_literal(False) if self.chance(0.15) else self.column("str")
        kind = rng.choice(
            "case coalesce extreme lower upper trim substr substr replace concat concat concat cast"
            " nullif".split()
        )
        if kind in ("lower", "upper"):
            return self.call("str", kind, [self.str(depth - 1)])
        if kind == "trim":
            return self.call("str", rng.choice(["trim", "ltrim", "rtrim"]), [self.str(depth - 1)])
        if kind == "substr":
            parts = [self.str(depth - 1), self.whole(rng.randint(-6, 8))]
            if self.chance(0.7):
                parts.append(self.whole(rng.randint(-3, 8)))
            return self.call("str", rng.choice(["substr", "substring"]), parts)
        if kind == "replace":
            return self.call(
                "str",
                "replace",
                [self.str(depth - 1), self.str_simple(), self.str_simple()],
            )
        if kind == "concat":
            parts = [self.str(depth - 1), self.printed(depth - 1)]
            rng.shuffle(parts)
            if self.chance(0.5):
                return self.join("str", "{} || {}", parts, CONCAT, [CONCAT, CONCAT + 1])
            return self.call("str", "concat", parts)
        if kind == "cast":
            a = self.printed(depth - 1)
            form = self.pick("cast({} as varchar)", "{}::varchar", "cast({} as text)")
            power = VALUE if form[0] == "c" else CAST
            return self.both("str", form, form, [a], power, [0 if power == VALUE else CAST])
        if kind == "nullif":
            return self.call("str", "nullif", [self.str(depth - 1), self.str_simple()], lite=True)
        return self.choice("str", depth, kind)

    def printed(self, depth):
        """What both engines print alike: no doubles, no timestamps with digits."""
        make = self.rng.choice([self.str, self.str, self.int, self.dec, self.date, self.bool])
        term = make(depth)
        term.s = None if term.family != "str" else term.s
        return term

    # --- choices

    def of(self, family, depth):
        return getattr(self, family)(depth)

    def choice(self, family, depth, kind):
        """CASE, coalesce, greatest and least of any family."""
        rng = self.rng
        count = rng.randint(2, 3)
        values = [self.of(family, depth - 1) for _ in range(count)]
        if (
            family == "time"
            and any(v.unit == "ns" for v in values)
            and any("wide" in v.tags for v in values)
        ):
            return values[0]
        more = {
            "scale": max(v.scale for v in values),
            "unit": max((v.unit for v in values), default=""),
            "tags": self.wide_of(*values),
        }
        more["bound"] = max(v.bound * 10 ** (more["scale"] - v.scale) for v in values)
        if family == "time":
            more["unit"] = max((v.unit for v in values), key=lambda unit: UNIT_DIGITS.get(unit, 0))
        if kind == "coalesce":
            name = "ifnull" if count == 2 and self.chance(0.3) else "coalesce"
            term = self.call(family, name, values, lite=True, **more)
        elif kind == "extreme":
            term = self.call(family, rng.choice(["greatest", "least"]), values, **more)
        else:
            term = self.case(family, values, depth, more)
        if family == "dec":
            return self.checked(term) if self.one_scale(values) else values[0]
        return term

    def one_scale(self, values):
        """DuckDB drops digits behind the point where types together have more than 38."""
        scale, whole = max(v.scale for v in values), max(v.whole for v in values)
        return whole + scale <= 38 or all(v.scale == scale for v in values)

    def case(self, family, values, depth, more):
        whens = [self.bool(depth - 1) for _ in values[1:]]
        with_else = self.chance(0.7)
        pattern = (
            "case"
            + "".join(" when {} then {}" for _ in whens)
            + (" else {}" if with_else else "")
            + " end"
        )
        parts = [part for pair in zip(whens, values) for part in pair] + (
            [values[-1]] if with_else else []
        )
        if len(whens) == 1 and self.chance(0.2):
            return self.both(
                family, "if({}, {}, {})", "if({}, {}, {})", [whens[0], values[0], values[1]], **more
            )
        if family in ("int", "str") and self.chance(0.3):
            subject = self.column("int", lambda c: c.bound < 2**33)
            pattern = (
                "case {}"
                + "".join(" when {} then {}" for _ in whens)
                + (" else {}" if with_else else "")
                + " end"
            )
            parts = (
                [subject]
                + [
                    part
                    for value in values[1:]
                    for part in (self.whole(self.rng.randint(-3, 9)), value)
                ]
                + ([values[-1]] if with_else else [])
            )
        return self.join(family, pattern, parts, VALUE, [0] * len(parts), **more)
