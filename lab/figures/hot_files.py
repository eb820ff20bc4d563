#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""In which source files the command spends its time: for each the largest share that it has of any
of many commands, with that command. cmake/presso_cold.cmake names the files that have next to none.

    hot_files.py --objects build/zig --module FOLDER --bin build/release/bin LOG > hot.csv

FOLDER has the Python package with a module that has its symbols; --objects, the objects that it is
made of; --bin, presso and presso_generate_table of any build, which make the inputs. LOG is a plain
text of a few hundred MiB. Needs perf and nm. A function that several objects have counts for each
of them, an inlined one for what it is inlined into."""

import argparse
import collections
import csv
import os
import subprocess
import sys
import tempfile

TABLES = {"lineitem": 1, "orders": 1, "customer": 1, "weblog": 1, "ssb_lineorder": 0.3}
REVENUE = "l_extendedprice * (1 - l_discount)"
JOINED = "from orders.presso o join lineitem.presso l on o_orderkey = l_orderkey"

# The arguments of presso; each command runs in the folder with the inputs of made().
COMMANDS = [
    *(["compress", level, "-f", "-o", "out.presso", "log"] for level in ("-1", "-3", "-6", "-9")),
    ["compress", "-12", "-f", "-o", "out.presso", "part.log"],
    ["compress", "--index", "-f", "-o", "out.presso", "log"],
    ["compress", "--coding", "byte", "-f", "-o", "out.presso", "log"],
    ["compress", "--favor", "decode", "-f", "-o", "out.presso", "log"],
    *(["compress", "--table", "auto", "-f", "-o", "out.presso", name]
      for name in ("lineitem.csv", "weblog.csv", "weblog.jsonl")),
    ["compress", "--table", "auto", "--sort-by", "l_shipdate", "-f", "-o", "out.presso",
     "lineitem.csv"],
    *(["test", name] for name in ("log.presso", "byte.presso", "lineitem.presso")),
    *(["cat", name] for name in ("log.presso", "byte.presso", "lineitem.presso", "weblog.presso")),
    *(["select", "lineitem.presso", "--format", form] for form in ("csv", "jsonl", "arrow")),
    ["select", "lineitem.presso", "-f", "-o", "out.presso"],
    *(["scan", "-c", *options, name] for name in ("log.presso", "byte.presso", "log")
      for options in (["OutOfMemoryError"], ["trace=[0-9a-f]+7$"], ["-i", "error|warn"],
                      ["-w", "get"], ["-e", "alpha", "-e", "beta", "-e", "gamma"],
                      [r"\d{3}\.\d+"], ["--like", "%GET%200%"], ["(?:[a-z]+ ){3}[0-9]+"],
                      ["-v", "e"], [r"\bpost\b.*[0-9]{4}"])),
    ["scan", "-n", "e", "log.presso"],
    ["scan", "--json", "-C1", "[0-9]7 ", "log.presso"],
    ["scan", "-o", "[0-9]+", "log.presso"],
    ["scan", "-U", "-c", r"a\n[0-9]", "log.presso"],
    ["scan", "-c", "furious", "lineitem.presso"],
    *(["select", "lineitem.presso", "--where", where, "--agg", "count(*)"] for where in (
        "l_quantity > 30", "l_shipdate between 1994-01-01 and 1994-12-31", "l_orderkey % 7 = 3",
        "l_comment like '%special%requests%'", "l_comment matches 'b[aeiou]ld.*(deposits|reque)'",
        "l_shipmode in ('AIR', 'RAIL') and l_commitdate < l_receiptdate",
        "l_discount in (0.01, 0.03, 0.05) or l_tax = 0.02", "l_comment > 'm'")),
    *(["select", "lineitem.presso", "--group-by", keys, "--agg", "sum(l_quantity), avg(l_tax)"]
      for keys in ("l_returnflag, l_linestatus", "l_orderkey", "l_partkey, l_suppkey", "l_comment",
                   "l_shipdate", "l_extendedprice // 100")),
    ["select", "lineitem.presso", "--agg", f"sum({REVENUE}), min(l_comment), max(l_shipdate)"],
    ["select", "lineitem.presso", "--agg", "count(distinct l_partkey), count(distinct l_comment)"],
    *(["select", "lineitem.presso", "--order-by", order, *limit, "--columns", "l_orderkey, l_tax"]
      for order in ("l_extendedprice desc", "l_comment", "l_shipdate, l_partkey desc")
      for limit in ([], ["--limit", "100"])),
    ["select", "weblog.presso", "--columns", "upper(path) as p, bytes * 2, hour(time)"],
    ["select", "weblog.presso", "--group-by", "client", "--agg", "count(*) as n, sum(bytes)"],
    ["select", "weblog.csv", "--where", "status >= 500", "--agg", "count(*)"],
    *(["sql", f"select {what}"] for what in (
        f"count(*) {JOINED}",
        f"o_orderpriority, sum({REVENUE}) {JOINED} where o_orderdate < date '1995-03-15' "
        "group by 1",
        f"l_orderkey, o_orderdate, sum({REVENUE}) as r {JOINED} join customer.presso c "
        "on c_custkey = o_custkey where c_mktsegment = 'BUILDING' and l_shipdate > date "
        "'1995-03-15' group by 1, 2 order by r desc limit 10",
        f"o_orderdate, l_comment {JOINED} where l_quantity > 20",
        "count(*) from lineitem.presso l semi join orders.presso o on l_orderkey = o_orderkey "
        "and l_commitdate > o_orderdate",
        "c_name, count(*) from customer.presso c left join orders.presso o on c_custkey = "
        "o_custkey group by 1 order by 2 desc limit 9",
        "count(*) from customer.presso c anti join orders.presso o on c_custkey = o_custkey",
        "count(*) from orders.presso o full join customer.presso c on c_custkey = o_custkey",
        "count(*) from lineitem.presso a join lineitem.presso b on a.l_partkey = b.l_partkey and "
        "a.l_suppkey = b.l_suppkey",
        "count(*) from lineitem.presso a join orders.presso b on a.l_comment = b.o_comment",
        "count(*) from weblog.presso a join customer.presso b on a.bytes = b.c_custkey",
        "sum(lo_revenue) from ssb_lineorder.presso join orders.presso on lo_orderkey = o_orderkey "
        "where lo_discount between 1 and 3",
    )),
    ["sql", "select distinct l_partkey from lineitem.presso"],
]


def made(folder, options):
    """The inputs."""
    presso = os.path.join(options.bin, "presso")

    def run(*words):
        subprocess.run(words, cwd=folder, check=True)

    os.symlink(os.path.abspath(options.log), os.path.join(folder, "log"))
    with open(options.log, "rb") as log, open(os.path.join(folder, "part.log"), "wb") as part:
        part.write(log.read(32 << 20))
    run(presso, "compress", "-o", "log.presso", "log")
    run(presso, "compress", "--coding", "byte", "-o", "byte.presso", "log")
    for table, scale in TABLES.items():
        run(os.path.join(options.bin, "presso_generate_table"), table, "--scale", str(scale),
            "-o", f"{table}.csv")
        run(presso, "compress", "--table", "auto", "-o", f"{table}.presso", f"{table}.csv")
    run(presso, "select", "weblog.presso", "-o", "weblog.jsonl")


def objects_of_names(folder):
    """Which objects have a function of a name as the linker knows it."""
    objects = collections.defaultdict(set)
    for path, _, names in os.walk(folder):
        for name in names:
            if not name.endswith(".cpp.o"):
                continue
            source = os.path.relpath(os.path.join(path, name), folder)[:-len(".o")]
            head, _, tail = source.partition("/CMakeFiles/")
            tail = tail.partition("/")[2].replace("__", "..")
            source = os.path.normpath(os.path.join(head, tail))
            listed = subprocess.run(["nm", "--defined-only", os.path.join(path, name)],
                                    capture_output=True, text=True, check=True).stdout
            for line in listed.splitlines():
                _, kind, symbol = line.split(maxsplit=2)
                if kind in "tTwW":
                    objects[symbol].add(source)
    return objects


def shares(command, folder, module):
    """(name of a function, its share of the command's time), of functions of the module."""
    data = os.path.join(folder, "perf.data")
    environment = os.environ | {"PYTHONPATH": os.path.abspath(module)}
    words = ["perf", "record", "-q", "-F", "1000", "-o", data, sys.executable, "-m", "presso"]
    ended = subprocess.run([*words, *command], cwd=folder, stdout=subprocess.DEVNULL,
                           env=environment)
    if ended.returncode > 1:  # scan: 1 where nothing is found
        raise SystemExit(f"hot_files.py: status {ended.returncode}: presso {' '.join(command)}")
    report = subprocess.run(
        ["perf", "report", "-i", data, "--stdio", "--no-demangle", "-F", "overhead,dso,sym"],
        capture_output=True, text=True, check=True).stdout
    for line in report.splitlines():
        words = line.split()
        if len(words) == 4 and words[1].startswith("_native") and words[2] == "[.]":
            yield words[3], float(words[0].rstrip("%"))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", required=True)
    parser.add_argument("--module", required=True)
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("log")
    options = parser.parse_args()
    options.bin = os.path.abspath(options.bin)
    objects = objects_of_names(options.objects)
    largest = {source: (0.0, "") for sources in objects.values() for source in sources}
    with tempfile.TemporaryDirectory() as folder:
        made(folder, options)
        for command in COMMANDS:
            of_command = collections.Counter()
            for name, share in shares(command, folder, options.module):
                for source in objects.get(name, ()):
                    of_command[source] += share
            for source, share in of_command.items():
                largest[source] = max(largest[source], (share, " ".join(command)))
    writer = csv.writer(sys.stdout)
    writer.writerow(["source", "percent", "command"])
    for source, (share, command) in sorted(largest.items(), key=lambda one: -one[1][0]):
        writer.writerow([source, f"{share:.2f}", command])


if __name__ == "__main__":
    main()
