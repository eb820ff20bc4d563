# SPDX-License-Identifier: MIT
"""Which tables a random join has, of which kinds, and by which columns: so that there are partners,
and never too many of them."""

from queries import Maker
from tables import Column
from terms import Terms

KINDS = ["inner"] * 5 + ["left"] * 4 + ["right"] * 2 + ["full"] * 2 + ["semi", "semi", "anti"]
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


class SourceMaker(Maker):
    """Draws `sources`, of which `pairs` rows come at most."""

    def __init__(self, rng, tables):
        super().__init__(rng, [], 0)
        self.tables = tables

    def draw_tables(self):
        for _ in range(400):
            self.sources, self.pairs = [], 1
            if self.draw_sources() and self.pairs <= MOST_PAIRS:
                return
        self.draw_simple()

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
        self.sources = []
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
