# SPDX-License-Identifier: MIT
"""TPC-H's third query on Spark, divided by the keys of the join, as for tables that are all large.

Workers read row groups of orders and of lineitem, each with a column `bucket`, which is the same
for equal keys of both. Spark brings the rows of a bucket together, where pyarrow joins and adds
them up. The ten best orders of each bucket are sent back, of which the ten best are the answer.

    python python/examples/q3_spark.py lineitem.presso orders.presso customer.presso
"""
import sys

import pyarrow
import pyarrow.compute

import presso

BUCKETS = 8
DAY = "date '1995-03-15'"
KEYS = ["l_orderkey", "o_orderdate", "o_shippriority"]
BEST = [("revenue", "descending"), ("o_orderdate", "ascending")]


def lines(lineitem):
    price = "l_extendedprice * (1 - l_discount) as price"
    columns = f"bucket(l_orderkey, {BUCKETS}) as bucket, l_orderkey, {price}"
    return presso.query(lineitem).where(f"l_shipdate > {DAY}").select(columns)


def orders_of(orders, customer):
    """Orders of the customers that count, who are few: each part reads them."""
    query = presso.query(orders).join(customer, "o_custkey = c_custkey")
    query.where(f"c_mktsegment = 'BUILDING' and o_orderdate < {DAY}")
    columns = f"bucket(o_orderkey, {BUCKETS}) as bucket, o_orderkey, o_orderdate, o_shippriority"
    return query.select(columns)


def by_bucket(part):
    """Pairs of a bucket and its rows."""
    rows = part.read()
    for bucket in rows["bucket"].unique().to_pylist():
        chosen = rows.filter(pyarrow.compute.field("bucket") == bucket)
        yield bucket, chosen.drop_columns("bucket")


def best(rows):
    return rows.sort_by(BEST).slice(0, 10)


def best_of_bucket(both):
    """The best orders of a bucket's rows, or none."""
    left, right = map(list, both[1])
    if not left or not right:
        return []
    return [best_joined(pyarrow.concat_tables(left), pyarrow.concat_tables(right))]


def best_joined(left, right):
    joined = left.join(right, "l_orderkey", "o_orderkey", "inner")
    groups = joined.group_by(KEYS).aggregate([("price", "sum")])
    return best(groups.rename_columns([*KEYS, "revenue"]))


def no_rows(query):
    """What a bucket without rows has. A condition may leave no part at all."""
    return pyarrow.schema(query).empty_table().drop_columns("bucket")


def run(spark, lineitem, orders, customer, target_bytes=64 << 20):
    """The answer as a pyarrow.Table."""

    def shuffled(query):
        parts = query.partitions(target_bytes)
        return spark.sparkContext.parallelize(parts, len(parts) or 1).flatMap(by_bucket)

    left, right = lines(lineitem), orders_of(orders, customer)
    pairs = shuffled(left).cogroup(shuffled(right), BUCKETS)
    nothing = best_joined(no_rows(left), no_rows(right))
    found = best(pyarrow.concat_tables([nothing, *pairs.flatMap(best_of_bucket).collect()]))
    return found.select(["l_orderkey", "revenue", "o_orderdate", "o_shippriority"])


def main(paths):
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[2]").getOrCreate()
    print(run(spark, *paths).to_pandas())
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
