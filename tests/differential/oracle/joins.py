# SPDX-License-Identifier: MIT
"""Random joins of two to four tables, with all that queries.py makes of rows behind them. The
statement is the same text for presso and for DuckDB, but for what terms.py says; where it can be
said so, presso is asked by the flags of `presso join`, too."""

from queries import Maker, Query
from tables import Column
from term import ADD, AND, COMPARE, NOT, OR
from terms import Terms

KINDS = ["inner"] * 5 + ["left"] * 4 + ["right"] * 2 + ["full"] * 2 + ["semi", "semi", "anti"]
MOST_ROWS = 20000  # of an answer that is not grouped
MOST_PAIRS = 400000


class JoinTerms(Terms):
    """Columns of some sources, by their qualified names."""

    def __init__(self, rng, sources):
        columns = []
        for source in sources:
            for column in source.table.columns:
                copy = Column(
                    column.name,
                    column.type,
                    column.family,
                    column.values,
                    column.scale,
                    column.unit,
                    column.bound,
                    column.tags,
                )
                copy.source = source
                columns.append(copy)
        super().__init__(rng, columns)
        self.unqualified = ()  # names that only one source has

    def spelled(self, column):
        name = column.name
        if name in self.unqualified and self.chance(0.7):
            return name
        if self.chance(0.02):
            name = '"%s"' % name
        elif self.chance(0.02):
            name = name.upper()
        return column.source.alias + "." + name


class Source:
    def __init__(self, table, alias, kind=None):
        self.table, self.alias, self.kind = table, alias, kind
        self.hidden = kind in ("semi", "anti")  # behind the join
        self.on, self.using, self.pairs = [], [], []
        self.words = (kind or "") + " join"
        if kind in ("left", "right", "full") and len(alias + table.name) % 2:
            self.words = kind + " outer join"
        if kind == "inner" and len(alias + table.name) % 2:
            self.words = "join"


class JoinMaker(Maker):
    def __init__(self, rng, tables):
        super().__init__(rng, [], 0)
        self.tables = tables

    # --- which tables

    def query(self):
        for _ in range(400):
            self.sources, self.where_keys, self.pairs = [], [], 1
            if self.draw_sources() and self.pairs <= MOST_PAIRS:
                break
        else:
            self.draw_simple()
        rng = self.rng
        self.lite = self.lite_possible() and rng.random() < 0.3
        self.rows = max(self.pairs, 1)
        self.draw_conditions()
        visible = [source for source in self.sources if not source.hidden]
        self.terms = JoinTerms(rng, visible)
        self.columns = self.terms.columns
        self.terms.unqualified = ["only_" + s.table.name for s in visible if self.alone(s)]
        self.visible = visible
        query = Query()
        self.used = []
        wheres = self.wheres() if rng.random() < 0.5 else []
        wheres += self.where_keys
        if self.pairs <= MOST_ROWS and rng.random() < 0.6:
            self.plain(query, wheres)
        else:
            self.grouped(query, wheres)
        terms = self.used + [term for source in self.sources for term in source.on]
        query.risky = any(term.risky for term in terms)
        query.sources = self.sources
        return query

    def alone(self, source):
        return sum(other.table is source.table for other in self.sources) == 1

    def lite_possible(self):
        return not any(source.kind in ("semi", "anti") for source in self.sources)

    def draw_sources(self):
        rng = self.rng
        count = rng.choice([2] * 6 + [3] * 3 + [4])
        # Inner joins only, comma joins only, or anything.
        mode = rng.choice(["any", "any", "any", "inner", "comma"])
        style = rng.choice(["letter", "name", "letter"])
        comma = False
        for number in range(count):
            table = rng.choice(self.tables)
            taken = [source.alias for source in self.sources]
            alias = "abcd"[number]
            if style == "name" and table.name not in taken:
                alias = table.name
            kind = {"any": rng.choice(KINDS), "inner": "inner", "comma": "comma"}[mode]
            if mode == "any" and rng.random() < 0.08:
                kind = "comma"
            # A comma binds less than RIGHT or FULL, where the order of joins matters.
            if comma and kind in ("right", "full", "semi", "anti"):
                kind = "left"
            source = Source(table, alias, kind if number else None)
            if number and not self.draw_keys(source, since_comma=comma):
                return False
            comma = comma or (number > 0 and kind == "comma")
            self.sources.append(source)
        return True

    def draw_simple(self):
        """By numbers of rows, which match at most once."""
        self.sources, self.where_keys = [], []
        for number in range(2):
            source = Source(self.tables[number % len(self.tables)], "ab"[number])
            self.sources.append(source)
        source.kind = self.rng.choice(KINDS)
        source.hidden = source.kind in ("semi", "anti")
        source.pairs = [(self.sources[0], "id", "id")]
        self.pairs = sum(source.table.rows for source in self.sources)

    def partners(self, source, since_comma):
        """Sources that ON may name."""
        known = [other for other in self.sources if not other.hidden]
        if since_comma and source.kind != "comma":
            last = max(i for i, other in enumerate(self.sources) if other.kind == "comma")
            known = [other for other in self.sources[last:] if not other.hidden]
        return known

    def draw_keys(self, source, since_comma):
        """Equalities, and how many rows come of them at most."""
        rng = self.rng
        partners = self.partners(source, since_comma)
        if not partners:
            return False
        main = rng.choice(partners)
        if rng.random() < 0.25 and source.kind != "comma":
            return self.draw_using(source, partners)
        for number in range(rng.choice([1, 1, 1, 1, 2, 2, 3])):
            other = main if rng.random() < 0.85 else rng.choice(partners)
            pair = self.draw_pair(other.table, source.table)
            if pair is None:
                return False
            source.pairs.append((other, *pair))
        theirs = {}
        for other, name, mine in source.pairs:
            theirs.setdefault(other, []).append((name, mine))
        for other, pairs in theirs.items():
            left, right = zip(*pairs)
            matches = other.table.values(left) & source.table.values(right)
            if not matches and rng.random() < 0.9:
                return False
        self.count_pairs(source, [mine for _, _, mine in source.pairs])
        return True

    def draw_pair(self, left, right):
        for _ in range(20):
            a = self.rng.choice(left.columns)
            same = right.by_name.get(a.name)
            if same is not None and same.family == a.family and self.rng.random() < 0.5:
                return a.name, a.name
            b = self.rng.choice(right.columns)
            if self.can_match(a, b):
                return a.name, b.name
        return None

    @staticmethod
    def can_match(a, b):
        numbers, moments = ("int", "dec", "dbl"), ("date", "time")
        if a.family in numbers and b.family in numbers:
            return True
        return a.family == b.family or (a.family in moments and b.family in moments)

    def draw_using(self, source, partners):
        rng = self.rng
        names = rng.sample(
            ["k1", "k2", "k3", "id", "tag", "int32", "q", "day"], rng.choice([1, 1, 2])
        )
        # The name must be that of one column on the left, or merged to one.
        left = [other for other in self.sources if not other.hidden]
        for name in names:
            merged = set()
            for other in left[1:]:
                if name in other.using:
                    merged.add(other)
            if len(left) - len(merged) != 1 or len(partners) != len(left):
                return False
            for other in left:
                if not self.can_match(other.table.by_name[name], source.table.by_name[name]):
                    return False
        source.using = names
        self.count_pairs(source, names)
        return True

    def count_pairs(self, source, names):
        each = source.table.most_equal(names)
        back = max(
            (
                other.table.most_equal([name for o, name, _ in source.pairs if o is other])
                for other, _, _ in source.pairs
            ),
            default=max([other.table.most_equal(source.using) for other in self.sources]),
        )
        before = max([self.pairs] + [other.table.rows for other in self.sources])
        # Presso may begin with any table.
        self.pairs = max(before * max(each, 1), source.table.rows * max(back, 1) * max(each, 1))
        self.pairs += source.table.rows

    # --- conditions

    def draw_conditions(self):
        rng = self.rng
        for number, source in enumerate(self.sources):
            if source.kind is None:
                continue
            equal = [self.equality(source, *pair) for pair in source.pairs]
            if source.kind == "comma":
                self.where_keys += equal
                continue
            source.on = equal
            if not equal or rng.random() < 0.55:
                continue
            names = [other for other in self.sources[:number] if not other.hidden]
            if any(other.kind == "comma" for other in self.sources[:number]):
                names = self.partners_of(number)
            for _ in range(rng.choice([1, 1, 2])):
                pool = rng.choice([names + [source], [source], [rng.choice(names)]])
                terms = JoinTerms(rng, pool)
                source.on.append(self.draw(lambda: self.on_condition(terms)))
            if rng.random() < 0.2:
                source.on = [self.distributed(terms, source.on)]
            elif rng.random() < 0.3:
                rng.shuffle(source.on)

    def partners_of(self, number):
        last = max(i for i, other in enumerate(self.sources[:number]) if other.kind == "comma")
        return [other for other in self.sources[last:number] if not other.hidden]

    def on_condition(self, terms):
        if self.rng.random() < 0.3:
            return terms.bool(self.rng.choice([0, 1, 2]))
        here, self.terms = self.terms, terms
        term = self.likely()
        self.terms = here
        return term

    def distributed(self, terms, parts):
        """(a and b) or (a and c), with a the equalities."""
        equal, rest = parts[:-1], parts[-1]
        other = self.on_condition(terms)
        pattern = " and ".join(["{}"] * (len(equal) + 1))
        least = [NOT] * (len(equal) + 1)
        both = [terms.join("bool", pattern, equal + [one], AND, least) for one in (rest, other)]
        return terms.join("bool", "({}) or ({})", both, OR, [0, 0])

    def equality(self, source, other, theirs, mine):
        rng = self.rng
        terms = JoinTerms(rng, [other, source])
        terms.dropped = 0
        by_source = {}
        for who, name in ((other, theirs), (source, mine)):
            column = next(c for c in terms.columns if c.source is who and c.name == name)
            by_source[who] = terms.column(column.family, lambda c: c is column)
        a, b = by_source[other], by_source[source]
        if rng.random() < 0.1:
            a, b = self.shifted(terms, a), self.shifted(terms, b)
        if rng.random() < 0.5:
            a, b = b, a
        op = rng.choice(["=", "=", "=", "=="])
        return terms.join("bool", "{} " + op + " {}", [a, b], COMPARE, [COMPARE + 1] * 2)

    @staticmethod
    def shifted(terms, term):
        if term.family == "int" and term.bound < 2**40:
            parts = [term, terms.whole(1)]
            return terms.join("int", "{} + {}", parts, ADD, [ADD, ADD + 1], bound=term.bound + 1)
        if term.family == "str":
            return terms.call("str", "lower", [term])
        return term

    # --- what becomes of the rows

    def identity(self):
        return [(source.alias + ".id",) * 3 for source in self.visible]

    def key(self):
        rng, terms = self.rng, self.terms
        if rng.random() < 0.3:
            return terms.column("str", lambda c: c.name in ("tag", "s"))
        for _ in range(20):
            term = terms.of(
                rng.choice("int int str date bool dec dbl time".split()), rng.choice([0, 0, 0, 1])
            )
            if not term.constant:
                return term
        return terms.column("int")

    def from_clause(self, field):
        text = ""
        for source in self.sources:
            name = source.table.name
            one = name if source.alias == name else name + " as " + source.alias
            if source.kind in (None, "comma"):
                text += (", " if source.kind else "") + one
                continue
            text += " " + source.words + " " + one
            if source.using:
                text += " using (%s)" % ", ".join(source.using)
                continue
            on = self.on_text(source, field, " and ")
            if on is None:
                return None
            text += " on " + on
        return text

    def on_text(self, source, field, between):
        parts = [term.text(field, NOT if len(source.on) > 1 else 0) for term in source.on]
        return None if None in parts else between.join(parts)

    def finish(self, query, parts, wheres):
        """As Maker.finish, but presso is asked by a statement or by flags. Which rows a limit
        leaves that are not sorted is presso's own choice: others are asked for all of them."""
        limits = {name: query.request[name] for name in ("limit", "offset") if query.request}
        query.ordered = any(clause == "ORDER BY" and texts for clause, _, texts in parts)
        grouped = any(clause == "GROUP BY" for clause, _, _ in parts)
        query.keys = query.keys if grouped else -len(self.visible)
        others_limits = limits if query.ordered else {}
        where = {field: self.where_text(wheres, field) if wheres else "" for field in "pds"}
        clauses = {"p": {}, "d": {}, "s": {}}
        request = dict(limits, where=where["p"])
        for clause, name, texts in parts:
            for number, field in enumerate("pds"):
                bits = [text[number] for text in texts]
                if texts:
                    clauses[field][clause] = None if None in bits else ", ".join(bits)
            request[name] = clauses["p"].get(clause, "")
        statements = {}
        for field in "pds":
            self.source = self.from_clause(field)
            known = self.source is not None and (field != "s" or self.lite)
            asked = limits if field == "p" else others_limits
            statements[field] = self.sql(clauses[field], where[field], asked) if known else None
        query.sql, query.lite = statements["d"], statements["s"]
        flags = self.flags()
        by_flags = flags is not None and self.rng.random() < 0.4
        query.request = dict(request, **flags) if by_flags else {"sql": statements["p"]}
        query.limits, query.limited, query.all = limits, bool(limits), None
        if limits != others_limits:
            self.source = self.from_clause("p")
            query.all = {"sql": self.sql(clauses["p"], where["p"], {})}

    def flags(self):
        """The tables as `presso join` is given them."""
        first = self.sources[0]
        flags = {"from": first.table.name, "as": first.alias}
        for number, source in enumerate(self.sources[1:], 1):
            if source.kind == "comma":
                return None
            flags["join%d" % number] = source.table.name
            flags["as%d" % number] = source.alias
            flags["kind%d" % number] = source.kind
            between = self.rng.choice([", ", " and "])
            on = ", ".join(source.using) or self.on_text(source, "p", between)
            flags["on%d" % number] = on
        return flags
