# SPDX-License-Identifier: MIT
"""Random joins of two to four tables, with all that queries.py makes of rows behind them. The
statement is the same text for presso and for DuckDB, but for what terms.py says; where it can be
said so, presso is asked by the flags of `presso join`, too."""

from join_sources import JoinTerms, SourceMaker
from queries import Query
from term import ADD, AND, COMPARE, NOT, OR

MOST_ROWS = 20000  # of an answer that is not grouped


class JoinMaker(SourceMaker):
    def query(self):
        self.draw_tables()
        self.where_keys = []
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
