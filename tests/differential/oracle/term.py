# SPDX-License-Identifier: MIT
"""What random expressions are made of: a text for each engine, and what is known of the value."""

# By how strongly an operator binds.
OR, AND, NOT, IS, COMPARE, TEST, CONCAT, ADD, MULTIPLY, NEGATE, CAST, VALUE = range(1, 13)

LEAST_64, MOST_64, MOST_128 = -(2**63), 2**63 - 1, 10**38 - 1


class Term:
    """`bound`: the greatest absolute value of an integer, or of a decimal's digits. `risky`: it may
    fail in some row. `wide`: an integer of 128 bits. `whole`: the most digits before the point that
    DuckDB's type may have. `wrapped`: DuckDB's text has parentheses that presso's has not."""

    def __init__(
        self, family, p, d=None, s=None, power=VALUE, scale=0, bound=0, unit="", tags=(), parts=()
    ):
        self.family, self.p, self.s, self.power = family, p, s, power
        self.d = p if d is None else d
        self.scale, self.bound, self.unit, self.tags = scale, bound, unit, set(tags)
        self.risky = any(part.risky for part in parts)
        self.constant = bool(parts) and all(part.constant for part in parts)
        self.whole = 38 - scale if family == "dec" or "wide" in self.tags else 19
        self.wrapped = power < VALUE and any(part.wrapped for part in parts)

    def text(self, field, least):
        text = getattr(self, field)
        return text if text is None or self.power >= least else "(" + text + ")"


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def literal(family, p, d=None, s=None, **more):
    term = Term(family, p, d, s, **more)
    term.constant = True
    return term
