# SPDX-License-Identifier: MIT
"""Queries of TPC-H that join tables: Q3, Q5, Q10, Q12, Q13 (its block inside), Q18 (HAVING in place
of its subquery) and Q19, as the texts that the parser is tested with, and some in the words of
`presso join`."""

import os
import re

REVENUE = "sum(l_extendedprice * (1 - l_discount))"
LATE = (
    "l_shipmode in ('MAIL', 'SHIP') and l_commitdate < l_receiptdate and l_shipdate < l_commitdate "
    "and l_receiptdate >= DATE '1994-01-01' and l_receiptdate < DATE '1995-01-01'"
)

TEXTS = os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "../../unit/query/expression/tpch_texts.h"
)
# By name: which columns of the answer it is sorted by.
JOINED = {"Q3": [1, 2], "Q5": [1], "Q10": [2], "Q12": [0], "Q13": [1, 0], "Q18": [4, 3], "Q19": []}
# The same in the words of `presso join`.
FLAGS = {
    "Q3": {
        "from": "customer",
        "join1": "orders",
        "on1": "c_custkey = o_custkey",
        "join2": "lineitem",
        "on2": "o_orderkey = l_orderkey",
        "where": (
            "c_mktsegment = 'BUILDING' and o_orderdate < DATE '1995-03-15' and l_shipdate >"
            " DATE '1995-03-15'"
        ),
        "columns": "l_orderkey, " + REVENUE + " as revenue, o_orderdate, o_shippriority",
        "group_by": "l_orderkey, o_orderdate, o_shippriority",
        "order_by": "revenue desc, o_orderdate",
    },
    "Q12": {
        "from": "orders",
        "join1": "lineitem",
        "on1": "o_orderkey = l_orderkey",
        "where": LATE,
        "columns": (
            "l_shipmode, sum(case when o_orderpriority in ('1-URGENT', '2-HIGH') then 1 else 0"
            " end), sum(case when o_orderpriority in ('1-URGENT', '2-HIGH') then 0 else 1 end)"
        ),
        "group_by": "l_shipmode",
        "order_by": "l_shipmode",
    },
    "Q13": {
        "from": "customer",
        "join1": "orders",
        "kind1": "left",
        "on1": "c_custkey = o_custkey, o_comment not like '%special%requests%'",
        "columns": "c_custkey, count(o_orderkey) as c_count",
        "group_by": "c_custkey",
        "order_by": "c_count desc, c_custkey",
    },
    "Q19": {
        "from": "lineitem",
        "join1": "part",
        "on1": "l_partkey = p_partkey",
        "where": "("
        + ") or (".join(
            "p_brand = '%s' and p_container in (%s) and l_quantity between %d and %d and p_size"
            " between 1 and %d and l_shipmode in ('AIR', 'AIR REG') and l_shipinstruct = 'DELIVER"
            " IN PERSON'" % branch
            for branch in (
                ("Brand#12", "'SM CASE', 'SM BOX', 'SM PACK', 'SM PKG'", 1, 11, 5),
                ("Brand#23", "'MED BAG', 'MED BOX', 'MED PKG', 'MED PACK'", 10, 20, 10),
                ("Brand#34", "'LG CASE', 'LG BOX', 'LG PACK', 'LG PKG'", 20, 30, 15),
            )
        )
        + ")",
        "columns": REVENUE + " as revenue",
    },
}


def statements():
    """By name, as the specification words them."""
    with open(TEXTS, encoding="utf-8") as file:
        found = re.findall(r'kQ(\d+) = R"\((.*?)\)"', file.read(), re.DOTALL)
    return {"Q" + number: text.strip().rstrip(";").replace("\n", " ") for number, text in found}
