# SPDX-License-Identifier: MIT
"""Errors per hour and host of a compressed log, on Spark.

Lines are `2024-01-31T12:34:56 host7 ERROR ...`. presso looks for the string, in the compressed
blocks that can have it; Spark's SQL takes the lines that it finds apart.

    python python/examples/log_spark.py 'logs/*.presso'
"""
import sys

import presso.spark

FORM = r"^(\S+):\d\d:\d\d (\S+)"
ERRORS = f"""
    select regexp_extract(line, r'{FORM}', 1) as hour, regexp_extract(line, r'{FORM}', 2) as host,
        count(*) as errors
    from {{lines}} group by 1, 2 order by 1, 2
"""


def run(spark, path, target_bytes=64 << 20):
    """A DataFrame of hour, host and errors, in this order."""
    presso.spark.register(spark)
    found = spark.read.format("presso").option("pattern", " ERROR ").option("target", target_bytes)
    return spark.sql(ERRORS, lines=found.schema("line string").load(path))


def main(path):
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[2]").getOrCreate()
    run(spark, path).show(1000)
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
