# SPDX-License-Identifier: MIT
"""TPC-H's third query on Dask: the ten orders not yet shipped that are worth the most.

Workers join row groups of the largest table with the two smaller ones, which each reads whole, and
give partial sums of their groups. A worker merges these, so that what comes back is the answer.

    python python/examples/q3_dask.py lineitem.presso orders.presso customer.presso
"""
import sys

import presso

CONDITION = (
    "c_mktsegment = 'BUILDING' and o_orderdate < date '1995-03-15' "
    "and l_shipdate > date '1995-03-15'"
)
REVENUE = "sum(l_extendedprice * (1 - l_discount)) as revenue"


def question(lineitem, orders, customer):
    query = presso.query(lineitem).join(orders, "l_orderkey = o_orderkey")
    query.join(customer, "o_custkey = c_custkey").where(CONDITION)
    query.group_by("l_orderkey, o_orderdate, o_shippriority")
    query.select(f"l_orderkey, {REVENUE}, o_orderdate, o_shippriority")
    return query.order_by("revenue desc, o_orderdate").limit(10)


def partial_answer(part):
    return part.read()


def run(client, query, target_bytes=64 << 20):
    """The answer as a pyarrow.Table."""
    partials = client.map(partial_answer, query.partitions(target_bytes))
    return client.submit(query.merge, partials).result()


def main(paths):
    from dask.distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster) as client:
        print(run(client, question(*paths)).to_pandas())


if __name__ == "__main__":
    main(sys.argv[1:])
