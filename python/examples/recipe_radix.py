# SPDX-License-Identifier: MIT
"""Two large tables, `sales` and `shops`, joined bucket by bucket. An engine would shuffle the rows
and join each bucket on another machine. pyarrow joins keys of one type only."""
import pyarrow
import pyarrow.compute


def bucket(query, columns, key, number):
    query.select(f"{columns}, bucket({key}, 8) as bucket")
    nothing = pyarrow.schema(query).empty_table()
    rows = pyarrow.concat_tables([nothing, *(part.read() for part in query.partitions(1 << 18))])
    return rows.filter(pyarrow.compute.field("bucket") == number).drop_columns("bucket")


def joined(number):
    left = bucket(presso.query(sales), "*", "shop", number)
    right = bucket(presso.query(shops), "id, city", "id", number)
    return left.join(right, "shop", "id", "inner")


answer = pyarrow.concat_tables([joined(number) for number in range(8)])
