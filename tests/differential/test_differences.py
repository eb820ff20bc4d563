#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the oracles let pass because of LIMIT is that and nothing else."""

import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "oracle"))
sys.dont_write_bytecode = True

import differences  # noqa: E402
from queries import Query  # noqa: E402

OWN = [
    "invalid argument: row 1: a text is not of type int64",
    "row 1,234: division by zero, or a quotient that does not fit",
    "row 7: a result does not fit into decimal(38,2)",
    "a group: a value does not fit into int8",
]
OTHER = [
    "OutOfRangeException: Out of Range Error: Overflow in addition of INT64 (1 + 2)!",
    "ConversionException: Conversion Error: Could not convert string 'a' to INT64",
    "InvalidInputException: Invalid Input Error: Division by zero in expression (a // b)",
]
OTHERWISE = [
    "ParserException: Parser Error: syntax error at or near \"a\"",
    "BinderException: Binder Error: No function matches",
    "OutOfMemoryException: Out of Memory Error",
    "InvalidInputException: Invalid Input Error: bad pattern",
    "InternalException: INTERNAL Error: Overflow in addition",
]


def query_with(limited):
    query = Query()
    query.limited = limited
    return query


class LimitedQueries(unittest.TestCase):
    def test_one_side_may_fail_at_a_value_that_is_left_out(self):
        for own in OWN:
            self.assertIsNotNone(differences.reason(query_with(True), {"error": own}, None), own)
        for error in OTHER:
            self.assertIsNotNone(differences.reason(query_with(True), {"rows": []}, error), error)

    def test_without_a_limit_it_is_a_difference(self):
        for own in OWN:
            self.assertIsNone(differences.reason(query_with(False), {"error": own}, None), own)
        for error in OTHER:
            self.assertIsNone(differences.reason(query_with(False), {"rows": []}, error), error)

    def test_other_errors_are_no_values_that_are_left_out(self):
        for own in ("out of memory: the rows", "no type for a = b", "block 3: bad checksum"):
            self.assertFalse(differences.left_out(query_with(True), own, None), own)
        for error in OTHERWISE:
            self.assertFalse(differences.left_out(query_with(True), None, error), error)


if __name__ == "__main__":
    unittest.main()
