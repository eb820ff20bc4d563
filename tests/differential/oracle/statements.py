# SPDX-License-Identifier: MIT
"""Random whole statements for sql_oracle.py, which presso and DuckDB read alike. An answer never
depends on the order in which rows are read: what depends on an order is sorted by all columns that
it can see, so that only equal rows are left in any order."""

import datetime

import tables as kinds

INT, DEC, DBL, STR, DATE, TIME, BOOL = "int", "dec", "dbl", "str", "date", "time", "bool"
NUMBERS = (INT, DEC, DBL)
ALL = (INT, DEC, DBL, STR, DATE, TIME, BOOL)
TEXTS = ["", "a", "b", "ab", "B", "é", "Ω", "日本", "x y", "a%b", "😀", "zz"]

# Name, columns and their types.
TABLES = {
    "a": [
        ("id", INT),
        ("k", INT),
        ("g", INT),
        ("p", DEC),
        ("x", DBL),
        ("s", STR),
        ("d", DATE),
        ("t", TIME),
        ("f", BOOL),
    ],
    "b": [("id", INT), ("k", INT), ("m", INT), ("q", DEC), ("s", STR), ("d", DATE), ("f", BOOL)],
    "c": [("id", INT), ("g", INT), ("v", INT), ("x", DBL), ("w", STR), ("t", TIME)],
    "e": [("id", INT), ("k", INT), ("g", INT), ("s", STR)],
}


class SmallTables(kinds.TableMaker):
    """Few rows, few values, many nulls."""

    def value(self, name, type):
        rng = self.rng
        if type == INT:
            return lambda: str(rng.randint(-2, 6) if name != "v" else rng.randint(-100, 100))
        if type == DEC:
            return lambda: kinds.decimal_text(
                rng.choice([0, 25, 100, -150, rng.randint(0, 9999)]), 2
            )
        if type == DBL:
            return lambda: kinds.real_text(rng.randint(-20, 20) / 4)
        if type == STR:
            return lambda: rng.choice(TEXTS)
        if type == BOOL:
            return lambda: rng.choice(["true", "false"])
        if type == DATE:
            return self.day
        return lambda: "%s %02d:%02d:%02d.%06d" % (
            self.day(),
            rng.randrange(24),
            rng.randrange(60),
            rng.choice([0, 30]),
            rng.choice([0, 0, 500000]),
        )

    def day(self):
        return (
            datetime.date(2024, 1, 25) + datetime.timedelta(self.rng.randint(0, 40))
        ).isoformat()

    def named(self, table):
        stored = {
            INT: "int64",
            DEC: "decimal(12,2)",
            DBL: "double",
            STR: "utf8",
            DATE: "date",
            TIME: "timestamp(us)",
            BOOL: "bool",
        }
        numbers = list(range(1, self.rows + 1))
        self.rng.shuffle(numbers)
        columns = [kinds.Column("id", "int64", "int", [str(n) for n in numbers])]
        for name, type in TABLES[table][1:]:
            share = self.rng.choice([0, 0.1, 0.3])
            draw = self.value(name, type)
            values = [None if self.rng.random() < share else draw() for _ in range(self.rows)]
            columns.append(kinds.Column(name, stored[type], type, values))
        return columns


class Statements:
    """Makes one statement. A scope is a list of columns that expressions may name, with types."""

    def __init__(self, rng):
        self.rng, self.names, self.common, self.ordered = rng, 0, [], False
        self.windows = False
        # Half of the statements are small, so that what goes wrong is easy to see.
        self.depth, self.size = rng.choice([(0, 0), (0, 1), (1, 0), (1, 1), (2, 2)])

    def name(self, prefix):
        self.names += 1
        return "%s%d" % (prefix, self.names)

    def chance(self, share):
        return self.rng.random() < share

    # Expressions.

    def literal(self, type):
        rng = self.rng
        if type == INT:
            return str(rng.randint(0, 6))
        if type == DEC:
            return rng.choice(["0.25", "1.00", "1.50", "12.34", "0.50"])
        if type == DBL:
            return rng.choice(["0.5e0", "1e0", "2.25e0"])
        if type == STR:
            return "'%s'" % rng.choice(TEXTS)
        if type == BOOL:
            return rng.choice(["true", "false"])
        day = (datetime.date(2024, 1, 25) + datetime.timedelta(rng.randint(0, 40))).isoformat()
        return "date '%s'" % day if type == DATE else "timestamp '%s 12:00:00'" % day

    def column(self, scope, type):
        fitting = [name for name, of in scope if of == type]
        return self.rng.choice(fitting) if fitting else self.literal(type)

    def expr(self, scope, type, depth=2):
        rng = self.rng
        if min(depth, self.size) <= 0 or self.chance(0.45):
            return self.column(scope, type) if self.chance(0.85) else self.literal(type)
        if self.chance(0.2):
            return self.general(scope, type, depth - 1)
        return getattr(self, "of_" + type)(scope, depth - 1)

    def general(self, scope, type, depth):
        one, two = self.expr(scope, type, depth), self.expr(scope, type, depth)
        form = self.rng.randrange(5)
        if form == 0:
            return "case when %s then %s else %s end" % (self.cond(scope, depth), one, two)
        if form == 1:
            return "coalesce(%s, %s)" % (one, two)
        if form == 2:
            return "nullif(%s, %s)" % (one, two)
        if form == 3:
            return "case when %s then %s end" % (self.cond(scope, depth), one)
        return "%s(%s, %s)" % (self.rng.choice(["greatest", "least"]), one, two)

    def of_int(self, scope, depth):
        a, b = self.expr(scope, INT, depth), self.expr(scope, INT, depth)
        form = self.rng.randrange(10)
        if form == 9:
            return self.of_list(scope, a, b, depth)
        if form < 4:
            return "(%s %s %s)" % (a, self.rng.choice("+-*"), b)
        if form == 4:
            return "(%s %s %s)" % (a, self.rng.choice(["//", "%"]), self.rng.choice("2357"))
        if form == 5:
            return "length(%s)" % self.expr(scope, STR, depth)
        if form == 6:
            return "%s(%s)" % (
                self.rng.choice(["year", "month", "day", "dayofweek"]),
                self.expr(scope, self.rng.choice([DATE, TIME]), depth),
            )
        if form == 7:
            return "abs(%s)" % a
        return "date_diff('day', %s, %s)" % (
            self.expr(scope, DATE, depth),
            self.expr(scope, DATE, depth),
        )

    def of_list(self, scope, a, b, depth):
        c = self.expr(scope, INT, min(depth, 1))
        forms = [
            "cast(list_sum(list_transform([%s, %s], lambda v: v + %s)) as bigint)",
            "len(list_filter([%s, %s], lambda v: v > %s))",
            "list_reduce([%s, %s], lambda v, w: v - w * %s)",
            "list_reduce([%s, %s], lambda v, w: w - v, %s)",
            "list_max([v * 2 for v in [%s, %s] if v <> %s])",
            "list_sort([%s, %s, %s])[2]",
            "list_sum(list_transform([1, 2], lambda v, i: v * i + coalesce(%s, %s, %s)))",
            "list_position([%s, %s], coalesce(%s, 2))",
            "list_unique([%s, %s, %s])",
        ]
        return "cast(" + self.rng.choice(forms) % (a, b, c) + " as bigint)"

    def of_dec(self, scope, depth):
        a = self.expr(scope, DEC, depth)
        form = self.rng.randrange(3)
        if form == 0:
            return "(%s %s %s)" % (a, self.rng.choice("+-"), self.expr(scope, DEC, depth))
        if form == 1:
            return "(%s * %s)" % (a, self.rng.choice("234"))
        return "abs(%s)" % a

    def of_dbl(self, scope, depth):
        a = self.expr(scope, self.rng.choice(NUMBERS), depth)
        form = self.rng.randrange(4)
        if form == 0:
            return "(%s %s %s)" % (
                self.expr(scope, DBL, depth),
                self.rng.choice("+-*"),
                self.expr(scope, DBL, depth),
            )
        if form == 1:
            return "(%s / %s)" % (a, self.rng.choice("248"))
        if form == 2:
            return "cast(%s as double)" % a
        return "floor(%s)" % self.expr(scope, DBL, depth)

    def of_str(self, scope, depth):
        a = self.expr(scope, STR, depth)
        form = self.rng.randrange(8)
        if form == 6:
            return "array_to_string(list_transform([%s, %s], lambda v: upper(v) || %s), '-')" % (
                a,
                self.expr(scope, STR, depth),
                self.expr(scope, STR, 1),
            )
        if form == 7:
            return "strip_accents(%s)" % a
        if form == 0:
            return "(%s || %s)" % (a, self.expr(scope, STR, depth))
        if form == 1:
            return "%s(%s)" % (self.rng.choice(["upper", "lower", "trim"]), a)
        if form == 2:
            return "substr(%s, %d, %d)" % (a, self.rng.randint(1, 2), self.rng.randint(0, 2))
        if form == 3:
            return "replace(%s, 'a', %s)" % (a, self.literal(STR))
        if form == 4:
            return "cast(%s as varchar)" % self.expr(scope, INT, depth)
        return "concat(%s, %s)" % (a, self.literal(STR))

    def of_date(self, scope, depth):
        a = self.expr(scope, DATE, depth)
        form = self.rng.randrange(3)
        if form == 0:
            return "(%s + %d)" % (a, self.rng.randint(0, 9))
        if form == 1:
            return "cast(%s as date)" % self.expr(scope, TIME, depth)
        return "last_day(%s)" % a

    def of_time(self, scope, depth):
        a = self.expr(scope, TIME, depth)
        if self.chance(0.5):
            return "date_trunc('%s', %s)" % (self.rng.choice(["day", "month", "hour"]), a)
        return "(%s + interval '%d' %s)" % (
            a,
            self.rng.randint(0, 9),
            self.rng.choice(["day", "hour", "month"]),
        )

    def of_bool(self, scope, depth):
        return "(%s)" % self.cond(scope, depth)

    def cond(self, scope, depth=2):
        rng = self.rng
        type = rng.choice(ALL[:6])
        a = self.expr(scope, type, depth)
        form = rng.randrange(12)
        if depth > 0 and form < 3:
            word = rng.choice(["and", "or"])
            text = "(%s %s %s)" % (self.cond(scope, depth - 1), word, self.cond(scope, depth - 1))
            return "not " + text if self.chance(0.2) else text
        if form < 7:
            word = rng.choice(["=", "<>", "<", "<=", ">", ">="])
            return "%s %s %s" % (a, word, self.expr(scope, type, depth))
        if form == 7:
            return "%s is %snull" % (a, rng.choice(["", "not "]))
        if form == 8:
            between = (self.expr(scope, type, 0), self.expr(scope, type, 0))
            return "%s between %s and %s" % (a, *between)
        if form == 9:
            word = rng.choice(["is distinct from", "is not distinct from"])
            return "%s %s %s" % (a, word, self.expr(scope, type, depth))
        if form == 10:
            list = ", ".join(self.literal(type) for _ in range(rng.randint(1, 3)))
            return "%s %sin (%s)" % (a, rng.choice(["", "not "]), list)
        return self.column(scope, BOOL)

    # Subqueries.

    def subquery(self, scope, type, depth, second=None):
        """One column of a type, and another of the type `second`; correlated or not."""
        source, inner = self.base(depth - 1)
        both = inner + (scope if self.chance(0.5) else [])
        item, end = self.expr(inner, type, 1), ""
        if second:
            item += ", " + self.expr(inner, second, 1)
        elif type == INT and self.chance(0.3):
            item, end = self.over_rows(inner)
        text = "select %s from %s" % (item, source)
        if both != inner and scope:
            text += " where " + self.correlation(inner, scope)
            if self.chance(0.3):
                text += " and " + self.cond(inner, 1)
        elif self.chance(0.6):
            text += " where " + self.cond(inner, 1)
        return text + end

    def over_rows(self, scope):
        """An item that depends on all rows, and what stands at the end of its SELECT."""
        rng = self.rng
        column, key = self.column(scope, INT), self.column(scope, INT)
        having = rng.choice(["", " having count(*) > %d" % rng.randint(0, 3)])
        ranked = (column, " qualify rank() over (order by %s) = 1" % key)
        ranks = ("dense_rank() over (order by %s)" % column, "")
        groups = ("count(*)", " group by %s%s" % (key, having))
        one = rng.choice([("count(*)", having), ("max(%s)" % column, having)])
        return rng.choice([("count(*) over ()", ""), ranked, ranks, groups, one])

    def correlation(self, inner, outer):
        type = self.rng.choice([INT, INT, INT, STR, DATE])
        word = self.rng.choice(["=", "=", "=", "=", "<", ">=", "<>", "is not distinct from"])
        return "%s %s %s" % (self.column(inner, type), word, self.column(outer, type))

    def scalar(self, scope, depth):
        source, inner = self.base(depth - 1)
        type = self.rng.choice([INT, INT, DEC, STR])
        item = self.aggregate(inner, type)
        text = "select %s from %s" % (item, source)
        words = []
        if scope and self.chance(0.6):
            words.append(self.correlation(inner, scope))
        if self.chance(0.4):
            words.append(self.cond(inner, 1))
        end = " having count(*) > %d" % self.rng.randint(0, 2) if self.chance(0.2) else ""
        return "(%s%s%s)" % (text, " where " + " and ".join(words) if words else "", end), type

    def sub_cond(self, scope, depth):
        rng = self.rng
        form = rng.randrange(8)
        type = rng.choice([INT, INT, STR, DATE, DEC])
        if form < 2:
            second = rng.choice([None, None, INT, STR])
            value = self.expr(scope, type, 1)
            if second:
                value = "(%s, %s)" % (value, self.expr(scope, second, 1))
            word = rng.choice(["in", "not in"])
            return "%s %s (%s)" % (value, word, self.subquery(scope, type, depth, second))
        if form < 5:
            text = self.subquery(scope, type, depth)
            if "limit" not in text and rng.random() < 0.3:
                text += rng.choice([" limit 1", " limit 0", " limit 2 offset 1"])
            return "%sexists (%s)" % (rng.choice(["", "not "]), text)
        if form == 5:
            word, which = rng.choice(["=", "<>", "<", ">="]), rng.choice(["any", "all"])
            value, rows = self.expr(scope, type, 1), self.subquery(scope, type, depth)
            return "%s %s %s (%s)" % (value, word, which, rows)
        text, type = self.scalar(scope, depth)
        return "%s %s %s" % (self.expr(scope, type, 1), rng.choice(["=", "<", ">="]), text)

    def where(self, scope, depth):
        if (depth > 0 and self.chance(0.45)) or self.chance(0.15):
            text = self.sub_cond(scope, depth)
            if self.chance(0.2):
                text = "not (%s)" % text
            if self.chance(0.4):
                text = "%s %s %s" % (text, self.rng.choice(["and", "or"]), self.cond(scope, 1))
            return text
        return self.cond(scope)

    # Sources.

    def base(self, depth):
        """One source with a fresh alias, and its columns."""
        rng, alias = self.rng, self.name("t")
        if depth > 0 and self.chance(0.35):
            text, columns = self.select_or_set(depth - 1)
            return "(%s) as %s" % (text, alias), self.qualified(alias, columns)
        if self.common and self.chance(0.5):
            name, columns = rng.choice(self.common)
            return "%s as %s" % (name, alias), self.qualified(alias, columns)
        form = rng.randrange(14)
        if form == 0:
            text = "(values %s) as %s(u, z)" % (
                ", ".join(
                    "(%s, %s)"
                    % (
                        self.literal(INT) if row == 0 or self.chance(0.7) else "null",
                        self.literal(STR),
                    )
                    for row in range(rng.randint(1, 4))
                ),
                alias,
            )
            return "(select u + 0 as u, z from %s) as %s" % (text, alias), [
                (alias + ".u", INT),
                (alias + ".z", STR),
            ]
        if form == 1:
            text = "generate_series(%d, %d) as %s(i)" % (
                rng.randint(-2, 1),
                rng.randint(1, 5),
                alias,
            )
            return text, [(alias + ".i", INT)]
        table = rng.choice(list(TABLES))
        return "%s as %s" % (table, alias), self.qualified(alias, TABLES[table])

    def qualified(self, alias, columns):
        return [("%s.%s" % (alias, name), type) for name, type in columns]

    def sources(self, depth):
        text, scope = self.base(depth)
        if self.chance(0.04):
            return self.asof(text, scope)
        while self.chance(0.35):
            text, scope = self.joined(text, scope, depth)
        return text, scope

    def asof(self, text, scope):
        alias, table = self.name("t"), self.rng.choice(list(TABLES))
        kind = self.rng.choice(["asof join", "asof left join"])
        numbers = [name for name, type in scope if type == INT]
        if not numbers:
            return text, scope
        equal = self.chance(0.5) and "k" in dict(TABLES[table])
        on = "%s %s %s.id" % (self.rng.choice(numbers), self.rng.choice([">=", "<", ">"]), alias)
        if equal:
            on = "%s = %s.k and %s" % (self.rng.choice(numbers), alias, on)
        return "%s %s %s as %s on %s" % (text, kind, table, alias, on), scope + self.qualified(
            alias, TABLES[table]
        )

    def joined(self, text, scope, depth):
        rng = self.rng
        form = rng.randrange(16)
        if form == 0 and " join " not in text.split("(")[0]:
            alias, table = self.name("t"), rng.choice(list(TABLES))
            own = self.qualified(alias, TABLES[table])
            items, end = [self.expr(own, INT, 1), self.expr(own, INT, 1)], ""
            if rng.random() < 0.3:
                items = ["cast(%s as bigint)" % self.aggregate(own, INT), "count(*)"]
            elif rng.random() < 0.4:
                items[0], end = self.over_rows(own)
                if " over " not in items[0] and " qualify " not in end:
                    items[1] = "7"
            inner = "select %s as l1, %s as l2 from %s as %s where " % (*items, table, alias)
            inner += self.correlation(own, scope) + end
            name = self.name("t")
            comma = rng.choice([", lateral", " cross join lateral"])
            return "%s%s (%s) as %s" % (text, comma, inner, name), scope + [
                (name + ".l1", INT),
                (name + ".l2", INT),
            ]
        source, own = self.base(depth)
        if form == 2:
            return "%s cross join %s" % (text, source), scope + own
        type = rng.choice([INT, INT, INT, STR, DATE])
        on = "%s = %s" % (self.column(scope, type), self.column(own, type))
        if form == 3:
            on = "%s %s %s" % (
                self.column(scope, INT),
                rng.choice(["<", ">=", "<>"]),
                self.column(own, INT),
            )
        if self.chance(0.3):
            on += " and " + self.cond(scope + own, 1)
        if form in (4, 5):
            kind = rng.choice(["semi", "anti"])
            return "%s %s join %s on %s" % (text, kind, source, on), scope
        kind = rng.choice(["join", "join", "left join", "left join", "right join", "full join"])
        return "%s %s %s on %s" % (text, kind, source, on), scope + own

    def using(self):
        """FROM with USING or NATURAL, of which columns have no qualifier."""
        rng = self.rng
        one, two = rng.sample(["a", "b", "c", "e"], 2)
        shared = [c for c in TABLES[one] if c in TABLES[two] and c[0] in ("id", "k", "g", "s")]
        names = rng.sample(shared, rng.randint(1, min(2, len(shared))))
        kind = rng.choice(["join", "left join", "right join", "full join"])
        left, right = self.name("t"), self.name("t")
        text = "%s as %s %s %s as %s using (%s)" % (
            one,
            left,
            kind,
            two,
            right,
            ", ".join(name for name, _ in names),
        )
        scope = list(names)
        for alias, table in ((left, one), (right, two)):
            scope += self.qualified(alias, [c for c in TABLES[table] if c not in names])
        return text, scope

    # Aggregates and windows.

    def aggregate(self, scope, type):
        rng = self.rng
        filter = " filter (where %s)" % self.cond(scope, 1) if self.chance(0.2) else ""
        if type == INT:
            form = rng.randrange(10)
            any = self.expr(scope, rng.choice(ALL), 1)
            if form == 0:
                return "count(*)" + filter
            if form == 1:
                return "count(%s)" % any + filter
            if form == 2:
                return "count(distinct %s)" % any + filter
            if form == 3:
                return "cast(sum(distinct %s) as bigint)" % self.expr(scope, INT, 1)
            if form == 4:
                return "cast(sum(%s)%s as bigint)" % (self.expr(scope, INT, 1), filter)
            if form == 5:
                return "%s(%s)" % (rng.choice(["min", "max"]), self.column(scope, INT)) + filter
            if form == 6:
                return (
                    "%s(%s, %s)"
                    % (rng.choice(["arg_max", "arg_min"]), *[self.column(scope, INT)] * 2)
                    + filter
                )
            if form == 7:
                return (
                    "quantile_disc(%s, %s)"
                    % (self.expr(scope, INT, 1), rng.choice(["0.25", "0.5", "0.9", "0", "1"]))
                    + filter
                )
            return "%s(%s)" % (rng.choice(["min", "max"]), self.expr(scope, INT, 1)) + filter
        if type == DBL:
            a = self.expr(scope, rng.choice(NUMBERS), 1)
            form = rng.randrange(5)
            if form == 0:
                return "round(%s(%s)%s, 4)" % (
                    rng.choice(["stddev", "var_pop", "stddev_pop", "var_samp", "variance"]),
                    a,
                    filter,
                )
            if form == 1:
                return "median(%s)" % self.expr(scope, rng.choice([INT, DBL]), 1) + filter
            if form == 2:
                return (
                    "quantile_cont(%s, %s)"
                    % (self.expr(scope, DBL, 1), rng.choice(["0.25", "0.5", "0.9"]))
                    + filter
                )
            if form == 3:
                return "sum(%s)" % self.column(scope, DBL) + filter
            return "avg(%s%s)" % (rng.choice(["", "", "distinct "]), a) + filter
        if type == STR and self.chance(0.5):
            a = self.expr(scope, STR, 1)
            form = rng.randrange(3)
            if form == 0:
                return "string_agg(%s, ',' order by %s)" % (a, a) + filter
            if form == 1:
                return "string_agg(distinct %s, ';' order by %s)" % (a, a) + filter
            return (
                "%s(%s order by %s)" % (rng.choice(["first", "last"]), a, self.total(scope))
                + filter
            )
        if type == BOOL:
            return (
                "%s(%s)" % (rng.choice(["bool_and", "bool_or"]), self.expr(scope, BOOL, 1)) + filter
            )
        if type == DEC and self.chance(0.4):
            return "cast(sum(%s%s)%s as decimal(18,2))" % (
                rng.choice(["", "", "distinct "]),
                self.column(scope, DEC),
                filter,
            )
        return "%s(%s)" % (rng.choice(["min", "max"]), self.expr(scope, type, 1)) + filter

    def total(self, scope):
        names = [name for name, _ in scope]
        self.rng.shuffle(names)
        return ", ".join(name + self.direction() for name in names)

    def direction(self):
        return self.rng.choice(
            [
                "",
                "",
                " desc",
                " nulls first",
                " desc nulls last",
                " asc nulls last",
                " desc nulls first",
            ]
        )

    def frame(self, whole):
        rng = self.rng
        unit = rng.choice(["rows", "groups", "range"])
        ends = [
            "unbounded preceding",
            "%d preceding",
            "current row",
            "%d following",
            "unbounded following",
        ]
        if unit == "range" and not whole:
            ends = [ends[0], ends[2], ends[4]]
        first = rng.randrange(len(ends) - 1)
        last = rng.randrange(first if ends[first] != ends[0] else 1, len(ends))
        last = max(last, 1)
        n = sorted([rng.randint(0, 3), rng.randint(0, 3)])
        if "preceding" in ends[first]:
            n.reverse()
        texts = [
            end % number if "%d" in end else end
            for end, number in zip((ends[first], ends[last]), n)
        ]
        text = " %s between %s and %s" % (unit, *texts)
        if self.chance(0.2):
            text += " exclude " + rng.choice(["current row", "group", "ties", "no others"])
        return text

    def over(self, scope, total=False, frame=True):
        rng, text = self.rng, ""
        if self.chance(0.6):
            text += (
                "partition by "
                + ", ".join(self.expr(scope, rng.choice(ALL), 1) for _ in range(rng.randint(1, 2)))
                + " "
            )
        single = False
        if total:
            text += "order by " + self.total(scope)
        elif self.chance(0.7):
            single = self.chance(0.5)
            if single:
                numbers = [name for name, type in scope if type == INT]
                single = bool(numbers)
            if single:
                text += "order by " + rng.choice(numbers) + self.direction()
            else:
                keys = ", ".join(
                    self.expr(scope, rng.choice(ALL[:6]), 1) + self.direction()
                    for _ in range(rng.randint(1, 2))
                )
                text += "order by " + keys
        if frame and "order by" in text and self.chance(0.6):
            part = self.frame(single)
            if "rows" in part and not total:
                part = part.replace("rows", "groups")
            if "exclude current" in part and not total:
                part = ""
            text += part
        return "(%s)" % text

    def window(self, scope, type):
        rng = self.rng
        if type == INT:
            form = rng.randrange(8)
            if form == 0:
                return "row_number() over " + self.over(scope, True, False)
            if form == 1:
                return "%s() over %s" % (
                    rng.choice(["rank", "dense_rank"]),
                    self.over(scope, False, False),
                )
            if form == 2:
                return "ntile(%d) over %s" % (rng.randint(1, 4), self.over(scope, True, False))
        if type == DBL and self.chance(0.3):
            return "%s() over %s" % (
                rng.choice(["percent_rank", "cume_dist"]),
                self.over(scope, False, False),
            )
        form = rng.randrange(5)
        if form == 0:
            a = self.expr(scope, type, 1)
            more = ", %d" % rng.randint(0, 2) if self.chance(0.5) else ""
            if more and self.chance(0.4):
                more += ", " + self.literal(type)
            return "%s(%s%s) over %s" % (
                rng.choice(["lag", "lead"]),
                a,
                more,
                self.over(scope, True, False),
            )
        if form == 1:
            a, nth = self.expr(scope, type, 1), rng.randint(1, 3)
            call = rng.choice(
                ["first_value(%s%s)", "last_value(%s%s)", "nth_value(%s, " + str(nth) + "%s)"]
            )
            return (
                call % (a, rng.choice(["", "", " ignore nulls"]))
                + " over "
                + self.over(scope, True)
            )
        text = self.window_aggregate(scope, type)
        wrap = "%s"
        if text.startswith("cast(") and "sum(" in text:
            kind = "bigint" if type == INT else "decimal(18,2)"
            wrap, text = "cast(%s as " + kind + ")", "sum(%s)" % self.column(scope, type)
        if text.startswith("round("):
            wrap, text = "round(%s, 4)", "stddev_pop(%s)" % self.column(scope, DBL)
        total = "string_agg" in text or self.chance(0.4)
        return wrap % (text + " over " + self.over(scope, total))

    def window_aggregate(self, scope, type):
        while True:
            text = self.aggregate(scope, type)
            if "order by" not in text:
                return text

    # Statements.

    def item(self, scope, type, depth):
        rng = self.rng
        if self.chance(0.08):
            return self.scalar(scope, depth)
        if self.chance(0.05):
            return "(%s)" % self.sub_cond(scope, depth), BOOL
        if self.windows and self.chance(0.35):
            return self.window(scope, type), type
        return self.expr(scope, type), type

    def select(self, depth, types=None):
        rng = self.rng
        text, scope = self.using() if self.chance(0.1) else self.sources(depth)
        where = " where " + self.where(scope, depth) if self.chance(0.5) else ""
        if types is None and self.chance(0.4):
            return self.grouped(text, scope, where, depth)
        self.windows = self.chance(0.4)
        wanted = types or [rng.choice(ALL) for _ in range(rng.randint(1, 4))]
        items, columns = [], []
        for number, type in enumerate(wanted):
            if types:
                item = (
                    self.window(scope, type)
                    if self.windows and self.chance(0.3)
                    else (self.expr(scope, type))
                )
            else:
                item, type = self.item(scope, type, depth)
            items.append("%s as c%d" % (item, number + 1))
            columns.append(("c%d" % (number + 1), type))
        distinct = qualify = order = ""
        if not self.windows and self.chance(0.15):
            distinct = "distinct "
            if self.chance(0.4) and types is None:
                keys = [self.column(scope, INT), self.expr(scope, STR, 1)][: rng.randint(1, 2)]
                keys = [k for k in keys if "." in k or k.isalpha()] or [scope[0][0]]
                distinct = "distinct on (%s) " % ", ".join(keys)
                order = " order by %s, %s" % (", ".join(keys), self.total(scope))
        elif self.windows and self.chance(0.3):
            qualify = " qualify %s <= %d" % (self.window(scope, INT), rng.randint(1, 5))
        return (
            "select %s%s from %s%s%s%s" % (distinct, ", ".join(items), text, where, qualify, order),
            columns,
        )

    def grouped(self, text, scope, where, depth):
        rng = self.rng
        keys = [
            (self.expr(scope, type, rng.choice([0, 0, 1])), type)
            for type in [rng.choice(ALL) for _ in range(rng.randint(0, 3))]
        ]
        keys = [(key, type) for key, type in keys if any(name in key for name, _ in scope)]
        columns, items = [], []
        for key, type in keys:
            columns.append(("c%d" % (len(columns) + 1), type))
            items.append("%s as c%d" % (key, len(columns)))
        for _ in range(rng.randint(1, 3)):
            type = rng.choice(ALL)
            columns.append(("c%d" % (len(columns) + 1), type))
            items.append("%s as c%d" % (self.aggregate(scope, type), len(columns)))
        group = ""
        names = list(dict.fromkeys(key for key, _ in keys))
        if names:
            form = rng.randrange(8)
            list_ = ", ".join(names)
            if form == 0:
                group = " group by all"
            elif form == 1:
                group = " group by rollup (%s)" % list_
            elif form == 2:
                group = " group by cube (%s)" % list_
            elif form == 3:
                sets = ", ".join(
                    "(%s)" % ", ".join(rng.sample(names, rng.randint(0, len(names))))
                    for _ in range(rng.randint(1, 3))
                )
                sets += ", (%s)" % list_
                group = " group by grouping sets (%s)" % sets
                if self.chance(0.4):
                    columns.append(("c%d" % (len(columns) + 1), INT))
                    items.append("grouping(%s) as c%d" % (list_, len(columns)))
            elif form == 4:
                group = " group by " + ", ".join(str(i + 1) for i in range(len(keys)))
            else:
                group = " group by " + list_
        if self.chance(0.25):
            group += " having %s %s %s" % (
                self.aggregate(scope, INT),
                rng.choice(["<", ">=", "<>"]),
                self.literal(INT),
            )
        if names and self.chance(0.15) and "(" not in group:
            # A window over the groups.
            columns.append(("c%d" % (len(columns) + 1), INT))
            call = rng.choice(
                [
                    "rank() over (order by %s)",
                    "sum(count(*)) over (order by %s)",
                    "dense_rank() over (order by %s desc)",
                ]
            )
            items.append(
                "cast(%s as bigint) as c%d" % (call % self.aggregate(scope, INT), len(columns))
            )
        return "select %s from %s%s%s" % (", ".join(items), text, where, group), columns

    def set_operation(self, depth):
        rng = self.rng
        types = [rng.choice(ALL) for _ in range(rng.randint(1, 3))]
        text, columns = self.select(depth, types)
        for _ in range(rng.choice([1, 1, 1, 2])):
            other, _ = self.select(depth, types)
            word = rng.choice(
                [
                    "union",
                    "union all",
                    "union all",
                    "intersect",
                    "intersect all",
                    "except",
                    "except all",
                    "union by name",
                    "union all by name",
                ]
            )
            if " order by " in other:
                other = "(%s)" % other
            text = "%s %s %s" % (text, word, other)
        return text, columns

    def select_or_set(self, depth):
        if depth > 0 and self.chance(0.2):
            text, columns = self.set_operation(depth - 1)
        else:
            text, columns = self.select(depth)
        if self.chance(0.1) and " distinct on" not in text:
            text, columns = self.limited(text, columns)
        return text, columns

    def limited(self, text, columns):
        keys = [str(i + 1) for i in range(len(columns))]
        self.rng.shuffle(keys)
        text = "select * from (%s) as %s order by %s limit %d" % (
            text,
            self.name("t"),
            ", ".join(k + self.direction() for k in keys),
            self.rng.randint(0, 12),
        )
        return text + (" offset %d" % self.rng.randint(0, 4) if self.chance(0.3) else ""), columns

    def starred(self, text, columns):
        rng, alias = self.rng, self.name("t")
        form = rng.randrange(3)
        name, type = rng.choice(columns)
        if form == 0 and len(columns) > 1:
            left = [column for column in columns if column[0] != name]
            return "select * exclude (%s) from (%s) as %s" % (name, text, alias), left
        if form == 1:
            new = self.expr(columns, type, 1)
            return "select * replace (%s as %s) from (%s) as %s" % (new, name, text, alias), columns
        return "select %s.*, %s as c9 from (%s) as %s" % (
            alias,
            self.expr(columns, type, 1),
            text,
            alias,
        ), columns + [("c9", type)]

    def statement(self):
        """The text; `ordered` says whether its rows come in one order."""
        rng, begin = self.rng, ""
        if self.depth and self.chance(0.3):
            texts = []
            for _ in range(rng.choice([1, 1, 2])):
                text, columns = self.select_or_set(self.depth - 1)
                name = self.name("w")
                texts.append("%s as (%s)" % (name, text))
                self.common.append((name, columns))
            if self.chance(0.2):
                name = self.name("w")
                texts.append(
                    "%s(i, j) as (select 1, %s union %sselect i + 1, j * 2 from %s where i < %d)"
                    % (name, self.literal(INT), rng.choice(["all ", ""]), name, rng.randint(1, 6))
                )
                self.common.append((name, [("i", INT), ("j", INT)]))
                begin = "with recursive "
            else:
                begin = "with "
            begin += ", ".join(texts) + " "
        form = rng.random()
        text, columns = (
            self.set_operation(min(self.depth, 1)) if form < 0.15 else (self.select(self.depth))
        )
        if " distinct on" not in text and not text.endswith(")") and self.chance(0.1):
            text, columns = self.starred(text, columns)
        if self.chance(0.4):
            self.ordered = True
            if "distinct on" in text or self.chance(0.3):
                text, columns = self.limited(text, columns)
            else:
                keys = [str(i + 1) for i in range(len(columns))]
                rng.shuffle(keys)
                text += " order by " + ", ".join(k + self.direction() for k in keys)
                if self.chance(0.3):
                    text += " limit %d" % rng.randint(0, 20)
        return begin + text
