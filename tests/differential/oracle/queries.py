# SPDX-License-Identifier: MIT
"""Random queries: what presso is asked, and the same as SQL."""

from term import ADD, COMPARE, IS, MULTIPLY, NOT, OR, VALUE, Term
from terms import Terms


class Query:
    """`request`: for presso. `sql`, `lite`: for DuckDB, SQLite (or None). `ordered`: rows come in
    one order; else by `keys`, the first so many columns, which no two rows share. `sums`: columns
    in which DuckDB gives the list of doubles to be summed ("sum") or averaged ("avg"). `limited`:
    there is a LIMIT or OFFSET."""

    def __init__(self):
        self.request, self.sql, self.lite = {}, "", None
        self.ordered, self.keys, self.sums, self.risky, self.limited = True, 0, {}, False, False


class Maker:
    source = "t"  # behind FROM

    def __init__(self, rng, columns, rows):
        self.rng, self.columns, self.rows = rng, columns, rows
        self.terms = Terms(rng, columns)

    def query(self):
        rng = self.rng
        self.terms.risk = 1.0 if rng.random() < 0.06 else 0.0
        self.lite = rng.random() < 0.15
        query = Query()
        self.used = []
        wheres = self.wheres()
        if rng.random() < 0.5:
            self.plain(query, wheres)
        else:
            self.grouped(query, wheres)
        query.risky = any(term.risky for term in self.used)
        return query

    def keep(self, term):
        self.used.append(term)
        return term

    def draw(self, make):
        """Something that SQLite knows, too, where the query is for it."""
        term = make()
        for _ in range(200 if self.lite else 0):
            if term.s is not None and not term.risky:
                break
            term = make()
        return term

    def wheres(self):
        rng = self.rng
        kind = rng.random()
        if kind < 0.15:
            return []
        if kind < 0.5:
            make = self.likely if kind < 0.3 else lambda: self.terms.bool(rng.choice([1, 2, 2, 3]))
            return [self.keep(self.draw(make))]
        count = rng.choice([2, 2, 3, 3, 4])
        return [self.keep(self.draw(self.condition)) for _ in range(count)]

    def condition(self):
        if self.rng.random() < 0.85:
            return self.likely()
        return self.terms.bool(self.rng.choice([0, 0, 1, 2]))

    def likely(self):
        """A condition that many rows fulfil, so that something is left behind several of them."""
        rng, terms = self.rng, self.terms
        test, kind = terms.test(rng.choice([0, 0, 1])), rng.random()
        if kind < 0.35:
            return terms.join("bool", "not {}", [test], NOT, [NOT])
        if kind < 0.45:
            return terms.join("bool", "{} is not true", [test], IS, [IS + 1], lite=False)
        term = terms.column(rng.choice("int dbl str date".split()))
        known = terms.join("bool", "{} is not null", [term], IS, [IS + 1])
        if kind < 0.75:
            parts = [known, test]
            rng.shuffle(parts)
            return terms.join("bool", "{} or {}", parts, OR, [OR + 1] * 2)
        if kind < 0.8 or term.family == "dbl":
            return known
        makers = {"int": terms.int_literal, "str": terms.string_literal, "date": terms.date_literal}
        op = rng.choice(["<>", "<>", "<=", ">=", "<", ">"])
        parts = [term, makers[term.family]()]
        return terms.join("bool", "{} " + op + " {}", parts, COMPARE, [COMPARE + 1] * 2)

    def where_text(self, wheres, field):
        """Several conditions are joined by AND."""
        if len(wheres) == 1:
            return getattr(wheres[0], field)
        texts = [term.text(field, VALUE) for term in wheres]
        return None if None in texts else " and ".join(texts)

    def finish(self, query, parts, wheres):
        """`parts`: (clause, presso's field, its list of (p, d, s) texts)."""
        request = {"where": self.where_text(wheres, "p")} if wheres else {}
        clauses = {"d": {}, "s": {}}
        for clause, field, texts in parts:
            if not texts:
                continue
            request[field] = ", ".join(text[0] for text in texts)
            for letter, place in (("d", 1), ("s", 2)):
                bits = [text[place] for text in texts]
                clauses[letter][clause] = None if None in bits else ", ".join(bits)
        if "limit" in query.request:
            request["limit"] = query.request["limit"]
            request["offset"] = query.request["offset"]
        query.limited = "limit" in request
        query.request = request
        query.sql = self.sql(clauses["d"], self.where_text(wheres, "d") if wheres else "", request)
        query.lite = self.sql(clauses["s"], self.where_text(wheres, "s") if wheres else "", request)

    def sql(self, clauses, where, request):
        if where is None or any(text is None for text in clauses.values()):
            return None
        sql = "SELECT %s FROM %s" % (clauses["SELECT"], self.source)
        if where:
            sql += " WHERE " + where
        for clause in ("GROUP BY", "HAVING", "ORDER BY"):
            if clauses.get(clause):
                sql += " %s %s" % (clause, clauses[clause])
        if "limit" in request:
            sql += " LIMIT %d OFFSET %d" % (request["limit"], request["offset"])
        return sql

    def limit(self, query):
        rng = self.rng
        if rng.random() < 0.5:
            query.request["limit"] = rng.choice([0, 1, 3, 10, 10, 50, 50, 300, 300, 5000])
            query.request["offset"] = rng.choice([0, 0, 0, 0, 0, 1, 3, 40])

    def selected(self, term):
        """Dates and times are fetched as text, whatever their unit."""
        if term.family in ("date", "time"):
            return (term.p, "CAST(%s AS VARCHAR)" % term.d, None)
        return (term.p, term.d, term.s)

    def direction(self):
        rng = self.rng
        word = rng.choice(["", "", " asc", " desc", " desc"])
        nulls = rng.choice(["", "", "", " nulls first", " nulls last"])
        lite = word + (nulls or " nulls last")
        return word + nulls, lite

    def order_item(self, term, name=None):
        words, lite = self.direction()
        s = None if term.s is None else term.text("s", ADD) + lite
        return ((name or term.p) + words, term.text("d", ADD) + words, s)

    # --- rows

    def identity(self):
        """What no two rows share."""
        return [("id", "id", "id")]

    def plain(self, query, wheres):
        rng = self.rng
        items, names, terms = [], [], []
        for number in range(rng.choice([1, 2, 2, 3, 4])):
            term = self.keep(self.draw(lambda: self.any_term(rng.choice([0, 1, 2, 3]))))
            item = self.selected(term)
            name = None
            if rng.random() < 0.25:
                name = "a%d" % number
                item = (item[0] + rng.choice([" as ", " AS "]) + name, item[1], item[2])
            items.append(item)
            names.append(name)
            terms.append(term)
        items += self.identity()
        parts = [("SELECT", "columns", items)]
        if rng.random() < 0.6:
            order = []
            for _ in range(rng.choice([1, 1, 2, 3])):
                number = rng.randrange(len(terms))
                if rng.random() < 0.5 and not terms[number].constant:
                    position = str(number + 1) if rng.random() < 0.3 else names[number]
                    order.append(self.order_item(terms[number], position))
                else:
                    term = self.draw(lambda: self.any_term(1))
                    if not term.constant:
                        order.append(self.order_item(self.keep(term)))
            order += [(p, d, s + " nulls last") for p, d, s in self.identity()]
            parts.append(("ORDER BY", "order_by", order))
        self.limit(query)
        self.finish(query, parts, wheres)

    def any_term(self, depth):
        family = self.rng.choice(
            "int int int dec dec dbl dbl str str str date time bool bool".split()
        )
        return self.terms.of(family, depth)

    # --- groups

    def key(self):
        rng, terms = self.rng, self.terms
        kind = rng.random()
        if kind < 0.55:
            names = rng.choice(
                [
                    ("k",),
                    ("tag",),
                    ("flag",),
                    ("k", "tag", "flag", "i8", "u8"),
                    ("q", "price", "day", "s", "num", "none"),
                ]
            )
            family = rng.choice([c.family for c in self.columns if c.name in names])
            return terms.column(family, lambda c: c.name in names)
        if kind < 0.7:
            return terms.of(rng.choice("int str date bool dec dbl time".split()), 0)
        for _ in range(5):
            term = terms.of(
                rng.choice("int int str str date bool dec dbl time".split()), rng.choice([1, 2])
            )
            if not term.constant:
                return term
        return terms.column("int")

    def aggregate(self, plain=True):
        for _ in range(100):
            used = len(self.used)
            term, kind = self.any_aggregate(plain)
            if not self.lite or (
                term.s is not None and kind is None and not any(t.risky for t in self.used[used:])
            ):
                break
            del self.used[used:]
        return term, kind

    def any_aggregate(self, plain):
        """`plain` ones stand alone in the list of columns."""
        rng, terms = self.rng, self.terms
        kind = rng.choice("rows count distinct sum sum sum avg min max min max".split())
        if kind == "rows":
            return (
                Term(
                    "int",
                    rng.choice(["count(*)", "count()", "COUNT(*)"]),
                    "count(*)",
                    "count(*)",
                    bound=self.rows,
                ),
                None,
            )
        if kind in ("count", "distinct"):
            family = rng.choice("int dec dbl str str date time bool".split())
            term = self.keep(terms.of(family, rng.choice([0, 0, 1, 2])))
            return self.call("int", kind, term, self.rows), None
        if kind in ("min", "max"):
            term = self.keep(
                terms.of(
                    rng.choice("int dec dbl str date time bool".split()), rng.choice([0, 0, 1, 2])
                )
            )
            return self.call(term.family, kind, term, term.bound), None
        family = rng.choice(
            "int int dec dec dbl".split() if kind == "sum" else "int dec dbl".split()
        )
        term = self.keep(terms.of(family, rng.choice([0, 0, 1, 2])))
        if family == "dbl" and not plain:
            term = terms.exact_real()
        total = self.call("dbl" if kind == "avg" else family, kind, term, term.bound * self.rows)
        if kind == "sum" and family == "int":
            total.tags.add("wide")
        if family != "dbl" and total.bound > 10**38:
            total.risky = True
            self.keep(total)
        if family != "dbl" or not plain:
            return total, None
        total.d = "list(%s)" % term.d
        return total, kind

    def call(self, family, kind, term, bound):
        pattern = {"count": "count(%s)", "distinct": "count(distinct %s)"}.get(kind, kind + "(%s)")
        s = None if term.s is None or kind == "avg" or term.family == "bool" else pattern % term.s
        scale = 0 if kind in ("count", "distinct", "avg") else term.scale
        aggregate = Term(
            family,
            pattern % term.p,
            pattern % term.d,
            s,
            scale=scale,
            bound=bound,
            unit=term.unit,
            tags=term.tags if kind in ("min", "max") else [],
        )
        if kind == "sum" and term.bound * self.rows > 2**62:
            aggregate.s = None
        return aggregate

    def of_aggregates(self):
        """An expression over aggregates."""
        rng, terms = self.rng, self.terms
        while True:
            a, _ = self.aggregate(False)
            b, _ = self.aggregate(False)
            numbers = ("int", "dec", "dbl")
            if a.family in numbers and b.family in numbers:
                break
        kind = rng.choice(["+", "-", "/", "coalesce"])
        if kind == "coalesce" and a.family == b.family == "int":
            return terms.call("int", "coalesce", [a, terms.whole(0)], bound=a.bound, tags=a.tags)
        op = rng.choice(["+", "-"]) if kind == "coalesce" else kind
        if op != "/" and "dbl" not in (a.family, b.family):
            scale = max(a.scale, b.scale)
            bound = a.bound * 10 ** (scale - a.scale) + b.bound * 10 ** (scale - b.scale)
            wide = "dec" in (a.family, b.family) or terms.wide_of(a, b)
            if bound > (10**38 - 1 if wide else 2**63 - 1):
                op = "/"
            else:
                family = "int" if a.family == b.family == "int" else "dec"
                return terms.join(
                    family,
                    "{} " + op + " {}",
                    [a, b],
                    ADD,
                    [ADD, ADD + 1],
                    lite=False,
                    scale=scale,
                    bound=bound,
                    tags=terms.wide_of(a, b),
                )
        if op != "/":
            return terms.join("dbl", "{} " + op + " {}", [a, b], ADD, [ADD, ADD + 1], lite=False)
        return terms.join("dbl", "{} / {}", [a, b], MULTIPLY, [MULTIPLY, MULTIPLY + 1], lite=False)

    def grouped(self, query, wheres):
        rng = self.rng
        keys = []
        for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3])):
            term = self.keep(self.draw(self.key))
            plain = lambda one: one.p.strip('"').lower()
            if all(plain(term) != plain(key) for key in keys) and not term.constant:
                keys.append(term)
        items = [self.selected(key) for key in keys]
        aggregates = []
        for _ in range(rng.choice([1, 1, 2, 3, 4])):
            if rng.random() < 0.15 and not self.lite:
                term, kind = self.of_aggregates(), None
                self.keep(term)
            else:
                term, kind = self.aggregate()
            name = "b%d" % len(aggregates) if rng.random() < 0.4 else None
            item = self.selected(term)
            aggregates.append(
                (item[0] + (" as " + name if name else ""), item[1], item[2], term, kind, name)
            )
            if kind:
                query.sums[len(items) + len(aggregates) - 1] = kind
        outputs = [one[:3] for one in aggregates]
        grouping = [(key.p, key.d, key.s) for key in keys]
        if not keys or rng.random() < 0.5:
            parts = [("SELECT", "columns", items + outputs), ("GROUP BY", "group_by", grouping)]
        else:
            parts = [("SELECT", "agg", items + outputs), ("GROUP BY", "group_by", grouping)]
        having = self.having(aggregates) if rng.random() < 0.3 else None
        if having is not None:
            parts.append(("HAVING", "having", [(having.p, having.d, having.s)]))
        query.ordered, query.keys = len(keys) == 0, len(keys)
        if rng.random() < 0.6 and keys:
            order = []
            sortable = [
                one
                for one in aggregates
                if one[4] is None and not one[3].constant and one[3].family != "dbl"
            ]
            if sortable and rng.random() < 0.6:
                one = rng.choice(sortable)
                order.append(self.order_item(one[3], one[5]))
            rest = list(keys)
            rng.shuffle(rest)
            order += [self.order_item(key) for key in rest]
            parts.append(("ORDER BY", "order_by", order))
            query.ordered = True
            self.limit(query)
        self.finish(query, parts, wheres)
        if "agg" in query.request:
            # The keys stand in front by themselves.
            query.request["agg"] = ", ".join(one[0] for one in outputs)

    def having(self, aggregates):
        rng, terms = self.rng, self.terms
        term, _ = self.aggregate(False)
        if term.family in ("int", "dec"):
            other = terms.whole(rng.choice([0, 1, 2, 5, 100]))
            if term.bound > 10**30:
                other = term
        elif term.family == "dbl":
            other = terms.real_literal()
        else:
            other = term
        return terms.join(
            "bool",
            "{} " + rng.choice(["<", ">", ">=", "<>", "="]) + " {}",
            [term, other],
            COMPARE,
            [COMPARE + 1] * 2,
        )
