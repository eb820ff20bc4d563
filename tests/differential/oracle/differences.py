# SPDX-License-Identifier: MIT
"""Where presso answers otherwise than DuckDB or SQLite on purpose, and where one of them may refuse
what the other answers."""

import re

# What, and what is done about it here. docs/sql.md has those that users meet.
DELIBERATE = [
    ("whole numbers", "64 bits whatever the column's width; DuckDB is given bigints"),
    ("floats", "computed as doubles; DuckDB is given doubles"),
    ("sum and avg of doubles", "exact, rounded once; compared with math.fsum of DuckDB's list(x)"),
    ("avg of decimals", "the exact quotient, rounded once; compared to a billionth"),
    ("decimals of several scales", "keep all digits behind the point and fail where 38 do not "
     "suffice; DuckDB drops some. Only types that fit together are mixed"),
    ("products of more than 38 digits behind the point", "doubles; DuckDB refuses them. Left out"),
    ("x // y of decimals and doubles", "drops the rest; DuckDB divides. Left out"),
    ("remainders of decimals", "exact; DuckDB's are doubles where types do not fit. Left out"),
    ("round(x, -2)", "refused. Left out"),
    ("sqrt of negative numbers", "an error; DuckDB: nan. Left out"),
    ("a date plus an interval, date_trunc of a date", "a date; DuckDB's timestamp is cast"),
    ("1994-01-01", "a date; DuckDB is given DATE '1994-01-01'"),
    ("epoch", "a whole number; DuckDB's double is rounded down"),
    ("nanoseconds as a date or in coarser units", "cut off; DuckDB rounds to microseconds"),
    ("timestamps of several units", "compared exactly; DuckDB fails where nanoseconds overflow"),
    ("doubles and timestamps as text", "written otherwise (1, not 1.0; all digits). Left out"),
    ("strings", "not compared with numbers, literals aside; DuckDB casts them. Left out"),
    ("truth values", "no numbers: 1 is true, true = 1, flag in (1, 2) are refused"),
    ("x in (a) not in (b), a is null = b", "parentheses are asked for"),
    ("x matches 'p'", "DuckDB: regexp_matches(x, 'p')"),
    ("patterns", "are literals. Left out"),
    ("joins without an equality", "refused; DuckDB makes all pairs"),
    ("rows and groups that LIMIT or OFFSET leaves out", "may be computed or not, of LIMIT 0 too: "
     "one of both may fail at an overflow, a cast or a division"),
    ("invalid UTF-8", "any bytes are a string; DuckDB does not load them. Left out"),
    ("SQLite", "replace(x, '', null) is x, integers overflow to doubles, / is of integers, other "
     "types are none. Left out"),
]


# What goes wrong with the values of a row or a group, and with nothing else.
OWN_EVALUATION = re.compile(
    r"\b(row [\d,]+|a group): "
    r"(a (result|value) does not fit into|a text is not of type|division by zero)"
)
OTHER_EVALUATION = re.compile(
    r"^(OutOfRangeException: .*(Overflow in|out of range)|ConversionException: "
    r"|InvalidInputException: .*Division by zero)",
    re.IGNORECASE | re.DOTALL,
)


def left_out(query, own, error):
    """Whether the one error that there is, presso's own or the other's, is about a value that
    LIMIT or OFFSET may leave out."""
    if not query.limited or (own is None) == (error is None):
        return False
    return bool(OWN_EVALUATION.search(own) if own is not None else OTHER_EVALUATION.search(error))


def reason(query, answer, error):
    """Why one of them may fail where the other does not; None: it is a difference."""
    own = answer.get("error")
    if left_out(query, own, error):
        return "one of both computes what LIMIT or OFFSET leaves out"
    if own is not None:
        if "do not chain" in own or "set parentheses" in own:
            return "presso's parser asks for parentheses"
        if "no equality" in own and " or " in query.sql:
            return "presso does not join without an equality"
        if "a pattern must be a string" in own:
            return "patterns are literals"
        if "cannot compare" in own and "bool" in own or "is not a value of type bool" in own:
            return "truth values are no numbers"
        if "cannot compare" in own and "utf8" in own:
            return "strings and numbers are not compared"
        if "where a condition must stand" in own:
            return "truth values are no numbers"
        if query.risky and ("does not fit into decimal" in own or "38 digits" in own):
            return "presso keeps all digits behind the point, DuckDB drops some"
        if query.risky and ": row " in own:
            return "presso computes what a null beside it leaves out"
        return None
    if "Overflow in multiplication of DECIMAL(18)" in error:
        return "DuckDB multiplies in 64 bits what its zones say fits"
    if "'+(BIGINT, DATE)'" in error or "'-(DATE, BIGINT)'" in error:
        return "DuckDB adds integers, not bigints, to dates"
    if "ParserException" in error:
        return "DuckDB's parser asks for parentheses"
    if query.risky:
        return "DuckDB computes what AND, OR or CASE leave out"
    return None
