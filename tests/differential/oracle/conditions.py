# SPDX-License-Identifier: MIT
"""Random conditions: the part of terms.Terms that makes truth values."""

from tables import WORDS
from term import AND, COMPARE, IS, MOST_128, NOT, OR, TEST, VALUE, Term, literal, quoted


class Conditions:
    # --- truth

    def bool(self, depth):
        rng = self.rng
        if depth <= 0:
            return self.column("bool") if self.chance(0.3) else self.test(0)
        kind = rng.random()
        if kind < 0.18:
            return self.junction("and", AND, depth)
        if kind < 0.36:
            return self.junction("or", OR, depth)
        if kind < 0.46:
            return self.join("bool", "not {}", [self.bool(depth - 1)], NOT, [NOT])
        if kind < 0.52:
            word = rng.choice(["true", "false", "not true", "not false", "unknown", "not unknown"])
            return self.join(
                "bool", "{} is " + word, [self.bool(depth - 1)], IS, [IS + 1], lite=False
            )
        if kind < 0.54:
            return self.choice("bool", depth, rng.choice(["case", "coalesce", "extreme"]))
        return self.test(depth - 1)

    def junction(self, word, power, depth):
        parts = [self.bool(depth - 1) for _ in range(rng_count(self.rng))]
        word = " " + (word if self.chance(0.8) else word.upper()) + " "
        return self.join(
            "bool", word.join(["{}"] * len(parts)), parts, power, [power + 1] * len(parts)
        )

    def pair(self, depth):
        """Two things that can be compared."""
        rng = self.rng
        kind = rng.choice("int int num num str str date time moments bool".split())
        if kind == "num":
            makers = [self.int, self.dec, self.dbl]
            a, b = rng.choice(makers)(depth), rng.choice(makers)(depth)
            return self.comparable(a, b)
        if kind == "moments":
            a, b = self.date(depth), self.time(depth)
            if "wide" in a.tags | b.tags or b.unit == "ns":
                b = self.date(0)
            return [a, b]
        if kind == "time":
            a, b = self.time(depth), self.time_literal() if self.chance(0.5) else self.time(depth)
            if "ns" in (a.unit, b.unit) and "wide" in a.tags | b.tags:
                b = a
            return [a, b]
        if kind == "bool":
            return [self.column("bool"), self.bool(depth)]
        if kind == "date" and self.chance(0.3):
            _, value = self.sample("date")
            return [self.date(depth), literal("date", quoted(value or "1999-12-31"))]
        a = self.of(kind, depth)
        simple = {"int": self.int_literal, "str": self.string_literal, "date": self.date_literal}
        b = simple[kind]() if self.chance(0.5) else self.of(kind, depth)
        return [a, b]

    def comparable(self, a, b):
        """Decimals are compared in the greater scale, where they must fit."""
        if "dbl" not in (a.family, b.family):
            if not self.one_scale([a, b]):
                return [a, a]
            scale = max(a.scale, b.scale)
            for term in (a, b):
                if term.bound * 10 ** (scale - term.scale) > MOST_128 and not self.chance(
                    self.risk
                ):
                    return [a, a]
                if term.bound * 10 ** (scale - term.scale) > MOST_128:
                    a.risky = True
        return [a, b]

    def test(self, depth):
        rng = self.rng
        kind = rng.choice(
            "compare compare compare compare null between in in text text text function".split()
        )
        if kind == "compare":
            parts = self.pair(depth)
            if self.chance(0.2):
                parts.reverse()
            if self.chance(0.12):
                text = "{} is " + rng.choice(["", "not "]) + "distinct from {}"
                return self.join("bool", text, parts, IS, [IS + 1, IS + 1], lite=False)
            op = rng.choice(["=", "=", "<>", "!=", "<", "<=", ">", ">=", "=="])
            return self.join("bool", "{} " + op + " {}", parts, COMPARE, [COMPARE + 1] * 2)
        if kind == "null":
            a = self.of(rng.choice("int dec dbl str date time bool".split()), depth)
            return self.join(
                "bool",
                "{} is " + rng.choice(["", "not "]) + "null",
                [a],
                IS,
                [IS + 1],
                lite=a.family in ("int", "str"),
            )
        if kind == "between":
            a, b = self.pair(depth)
            c = self.pair_of(a, b, depth)
            text = "{} " + rng.choice(["", "not "]) + "between {} and {}"
            return self.join("bool", text, [a, b, c], TEST, [TEST + 1] * 3)
        if kind == "in":
            return self.member(depth)
        if kind == "function":
            name = rng.choice(["starts_with", "prefix", "ends_with", "suffix", "contains"])
            return self.call("bool", name, [self.str(depth), self.str_simple()])
        return self.text_test(depth)

    def pair_of(self, a, b, depth):
        """A third one for BETWEEN."""
        if a.family == "dec" or b.family == "dec" or a.family == "time" or b.family == "time":
            return b
        return self.of(b.family, 0) if b.family != "int" else self.int_literal()

    def member(self, depth):
        rng = self.rng
        family = rng.choice("int int str str date dec bool".split())
        a = self.of(family, depth)
        makers = {
            "int": self.int_literal,
            "str": lambda: self.string_literal(False),
            "date": self.date_literal,
            "dec": self.decimal_literal,
        }
        make = makers.get(family, lambda: self.column("bool"))
        set = [make() for _ in range(rng.choice([1, 2, 3, 5, 9]))]
        if family == "dec":
            set = [
                one
                for one in set
                if self.one_scale([a, one])
            ] or [a]
        if self.chance(0.2) and family != "bool":
            set.append(self.of(family, 0) if family != "dec" else a)
        if self.chance(0.1):
            set.append(literal("null", "null", "null", "null"))
        text = "{} " + rng.choice(["", "not "]) + "in (" + ", ".join(["{}"] * len(set)) + ")"
        return self.join("bool", text, [a] + set, TEST, [TEST + 1] + [0] * len(set))

    def text_test(self, depth):
        rng = self.rng
        a = self.column("str") if self.chance(0.7) else self.str(depth)
        negated = rng.choice(["", "", "not "])
        kind = rng.choice(["like", "like", "like", "ilike", "matches", "matches"])
        if kind == "matches":
            pattern = quoted(self.regex())
            if self.chance(0.3):
                return self.both(
                    "bool",
                    "{} "
                    + self.pick("~ ", "matches ")
                    + pattern.replace("{", "{{").replace("}", "}}"),
                    "regexp_matches({}, " + pattern.replace("{", "{{").replace("}", "}}") + ")",
                    [a],
                    TEST,
                    [TEST + 1],
                )
            own = "{} " + negated + "matches " + pattern.replace("{", "{{").replace("}", "}}")
            duck = (
                negated
                + "regexp_matches({}, "
                + pattern.replace("{", "{{").replace("}", "}}")
                + ")"
            )
            term = self.both("bool", own, duck, [a], TEST, [TEST + 1])
            term.d = "(" + term.d + ")"
            return term
        pattern = self.like_pattern()
        escape = ""
        if self.chance(0.15):
            escape, pattern = " escape '!'", pattern.replace("%", "!%", 1).replace("_", "!_", 1)
        text = (
            "{} "
            + negated
            + kind
            + " "
            + quoted(pattern).replace("{", "{{").replace("}", "}}")
            + escape
        )
        return self.join(
            "bool", text, [a], TEST, [TEST + 1], lite=kind == "like" and "\\" not in pattern
        )

    def like_pattern(self):
        rng = self.rng
        pieces = []
        for _ in range(rng.randint(1, 3)):
            word = (
                rng.choice(WORDS)
                if self.chance(0.5)
                else rng.choice(["a", "é", "語", "x", "", "th", "e", "0", "\\\\", "."])
            )
            if self.chance(0.4):
                word = word[: rng.randint(0, 3)]
            if self.chance(0.1):
                word = word.upper()
            pieces.append(word)
            pieces.append(rng.choice(["%", "%", "_", "", "%_"]))
        text = rng.choice(["%", "", ""]) + "".join(pieces)
        return text

    def regex(self):
        rng = self.rng

        def atom(level):
            kind = rng.randrange(8 if level < 2 else 6)
            if kind < 3:
                return rng.choice(WORDS)[: rng.randint(1, 4)]
            if kind == 3:
                return rng.choice(
                    [".", "[a-f]", "[^a-z]", "\\d", "\\w", "\\s", "[0-9]", "\\.", "é", "\\b"]
                )
            if kind < 6:
                return rng.choice("abcdexyz01 ")
            return "(" + self.alternation(atom, level + 1) + ")"

        text = self.alternation(atom, 0)
        if self.chance(0.15):
            text = "^" + text if "|" not in text else "^(" + text + ")"
        if self.chance(0.15):
            text = text + "$" if "|" not in text else "(" + text + ")$"
        if self.chance(0.1):
            text = "(?i)" + text
        return text

    def alternation(self, atom, level):
        rng = self.rng
        branches = []
        for _ in range(rng.choice([1, 1, 1, 2])):
            piece = ""
            for _ in range(rng.randint(1, 3)):
                one = atom(level)
                if (
                    len(one) == 1
                    and one not in "."
                    or one in (".", "[a-f]", "\\d", "\\w", "[0-9]")
                    or one.startswith("(")
                ):
                    one += rng.choice(["", "", "", "*", "+", "?", "{2}"])
                piece += one
            branches.append(piece)
        return "|".join(branches)


def rng_count(rng):
    return rng.choice([2, 2, 2, 3, 4])
