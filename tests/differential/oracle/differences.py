# SPDX-License-Identifier: MIT
"""Where presso answers otherwise than DuckDB on purpose."""

# What, and why. Queries are translated or left out by these (terms.py, engines.py).
DELIBERATE = []


def reason(query, answer, error):
    """Why one of them may fail where the other does not; None: it is a difference."""
    own = answer.get("error")
    if own is not None:
        if "do not chain" in own or "set parentheses" in own:
            return "presso's parser asks for parentheses"
        if "there is no type for" in own and "bool" in own:
            return "truth values and numbers are not compared"
        if query.risky and ("does not fit into decimal" in own or "38 digits" in own):
            return "presso keeps all digits behind the point, DuckDB drops some"
        return None
    if "Overflow in multiplication of DECIMAL(18)" in error:
        return "DuckDB multiplies in 64 bits what its zones say fits"
    if query.risky:
        return "DuckDB computes what AND, OR, CASE or LIMIT leave out"
    return None
