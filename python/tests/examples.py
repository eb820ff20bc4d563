# SPDX-License-Identifier: MIT
"""The programs of python/examples/, and what they are tested with: small tables as TPC-H has, and a
log, of a fixed seed."""
import collections
import datetime
import decimal
import importlib.util
import pathlib
import random

import presso

FOLDER = pathlib.Path(__file__).parents[1] / "examples"
ORDERS, CUSTOMERS = 6000, 600
FIRST_DAY = datetime.date(1995, 1, 1)


def example(name):
    """The module python/examples/NAME.py, which workers get by value, as they cannot import it."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write_tables(folder):
    """The paths of lineitem, orders and customer."""
    import pyarrow

    rng = random.Random(3)

    def day():
        return FIRST_DAY + datetime.timedelta(rng.randrange(150))

    def money(most):
        return decimal.Decimal(rng.randrange(most)) / 100

    segments = ["BUILDING", "MACHINERY", "FURNITURE"]
    customers = [(key, rng.choice(segments)) for key in range(CUSTOMERS)]
    orders = [(4 * key, rng.randrange(CUSTOMERS), day(), 0) for key in range(ORDERS)]
    lines = [
        (order[0], money(10**7), money(11), order[2] + datetime.timedelta(rng.randrange(120)))
        for order in orders
        for _ in range(rng.randrange(1, 7))
    ]
    number, small = pyarrow.decimal128(15, 2), pyarrow.int32()
    tables = {
        "lineitem": (lines, {
            "l_orderkey": pyarrow.int64(), "l_extendedprice": number, "l_discount": number,
            "l_shipdate": pyarrow.date32(),
        }),
        "orders": (orders, {
            "o_orderkey": pyarrow.int64(), "o_custkey": pyarrow.int64(),
            "o_orderdate": pyarrow.date32(), "o_shippriority": small,
        }),
        "customer": (customers, {"c_custkey": small, "c_mktsegment": pyarrow.string()}),
    }
    paths = []
    for name, (rows, types) in tables.items():
        columns = zip(types, zip(*rows))
        table = pyarrow.table({one: pyarrow.array(of, types[one]) for one, of in columns})
        paths.append(str(folder / f"{name}.presso"))
        presso.write_table(table, paths[-1], group_rows=1024)
    return paths


def write_log(folder):
    """The path of a compressed log, and (hour, host, errors) of it, in order."""
    rng = random.Random(9)
    wanted = collections.Counter()
    begin = datetime.datetime(2024, 1, 31, 7)
    lines = []
    for number in range(40_000):
        moment = (begin + datetime.timedelta(seconds=number // 3)).isoformat()
        host, level = f"host{rng.randrange(5)}", rng.choice(("INFO", "WARN", "ERROR"))
        lines.append(f"{moment} {host} {level} id={rng.randrange(10**6)}")
        wanted[moment[:13], host] += level == "ERROR"
    path = folder / "app.log"
    path.write_text("\n".join(lines))
    presso.compress_file(path, block_size=1 << 16)
    return f"{path}.presso", sorted((*key, count) for key, count in wanted.items() if count)
