#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Queries that join tables, on a GPU. Writes CSV files to OUT.
#
# Resident: lineitem lies in its memory as it is stored, so many copies of scale 1, and build sides
# were made before the clock starts (table_gpu_rate, which compares each answer with the CPU's
# first); and 2^30 random numbers of 20 bits, which are looked up among 10^6, as they are stored and
# not compressed (table_gpu_rate says what the layouts are).
#
# Whole: all of a query by the library, build sides and answer included, at scale 10: on the CPU,
# from files in the page cache, and from tables that stay in the GPU's memory (query_gpu_rate);
# TPC-H's Q1 and Q6 as well.
#
# Strings: 10^7 different strings of 16 bytes joined with 4 x 10^7 rows that have each of them four
# times; 16 hexadecimal digits, which row groups store as bytes, then syllables, which they store as
# tokens. Whole queries as above (query_gpu_rate), so that numbers of strings and the build side are
# in the time, and decoding of bytes, which do not stay in the GPU's memory.
#
# From files: the command, start, reading, build sides and answer included, beside the same command
# on the CPU, whose answer must be the same.
#
#   join_queries_gpu.sh BIN OUT [resident | strings | whole | files | check]
#
# check: small, under the tools of compute-sanitizer. Default: the others one after another.
set -euo pipefail
# shellcheck source=lab/figures/built_for_figures.sh
. "$(dirname "${BASH_SOURCE[0]}")/built_for_figures.sh"

bin=${1:?"usage: join_queries_gpu.sh BIN OUT [resident | strings | whole | files | check]"}
out=${2:?"usage: join_queries_gpu.sh BIN OUT [resident | strings | whole | files | check]"}
bin=$(realpath "$bin") out=$(realpath "$out")
refuse_fast_kernels "$bin"
mode=${3-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
PATH=$PATH:${CUDA_PATH:-/usr/local/cuda}/bin

# make_tables SCALE: TPC-H's, in a folder of that name.
make_tables() {
  mkdir -p "$1"
  local table
  for table in lineitem orders customer part supplier nation region; do
    "$bin/presso_generate_table" "$table" --scale "$1" -o "$1/$table.csv" &
  done
  wait
  for table in lineitem orders customer part supplier nation region; do
    "$bin/presso" compress --table auto -q "$1/$table.csv" -o "$1/$table"
    rm "$1/$table.csv"
  done
}

# make_numbers: 2^22 random numbers of 20 bits, and 10^6 of these numbers as keys.
make_numbers() {
  python3 - <<'END'
import random
rng = random.Random(1)
with open("numbers.csv", "w") as file:
    file.write("c\n")
    file.writelines(f"{rng.getrandbits(20)}\n" for _ in range(1 << 22))
with open("keys.csv", "w") as file:
    file.write("id,value\n")
    file.writelines(f"{id},{rng.getrandbits(16)}\n" for id in rng.sample(range(1 << 20), 10**6))
END
  "$bin/presso" compress --table auto -q numbers.csv -o numbers
  "$bin/presso" compress --table auto -q keys.csv -o keys
}

# make_strings KIND BUILD PROBE: so many rows of keys in `build` and `probe`, of 16 bytes. KIND:
# hex, 16 digits of a mixed counter, which are stored as bytes; or syllables, four of 2,048 that a
# mixed number chooses, which are stored as tokens.
make_strings() {
  python3 - "$@" <<'END'
import multiprocessing, os, random, shutil, sys
kind = sys.argv[1]
build, probe = map(int, sys.argv[2:])
rng = random.Random(1)
letters = "abcdefghijklmnopqrstuvwxyz"
syllables = ["".join(rng.choices(letters, k=4)) for _ in range(2048)]
parts = os.cpu_count()
def of_hex(number):
    mixed = (number + 1) * 0x9E3779B97F4A7C15 & (1 << 64) - 1
    return f"{(mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9 & (1 << 64) - 1:016x}"
def of_syllables(number):
    bits = number * 0x9E3779B97F5 % (1 << 44)
    return "".join(syllables[bits >> shift & 2047] for shift in (0, 11, 22, 33))
key = of_hex if kind == "hex" else of_syllables
def write(task):
    name, rows, part = task
    with open(f"{name}.csv.{part}", "w") as file:
        begin, end = rows * part // parts, rows * (part + 1) // parts
        for first in range(begin, end, 10000):
            file.write("".join(f"{key(i * 7919 % build)},{i & 1023}\n"
                               for i in range(first, min(first + 10000, end))))
with multiprocessing.Pool(parts) as pool:
    pool.map(write, [(name, rows, part) for name, rows in (("build", build), ("probe", probe))
                     for part in range(parts)])
for name in ("build", "probe"):
    with open(f"{name}.csv", "wb") as file:
        file.write(f"{name}_key,{name}_value\n".encode())
        for part in range(parts):
            with open(f"{name}.csv.{part}", "rb") as piece:
                shutil.copyfileobj(piece, file, 1 << 24)
            os.remove(f"{name}.csv.{part}")
END
  rm -f build probe
  "$bin/presso" compress --table auto -q build.csv -o build
  "$bin/presso" compress --table auto -q probe.csv -o probe
  rm build.csv probe.csv
}
of_strings="from probe join build on probe_key = build_key"
string_queries=("select count(*) $of_strings" "select count(*), sum(build_value) $of_strings")

revenue="sum(l_extendedprice * (1 - l_discount))"
of_orders="from lineitem join orders on l_orderkey = o_orderkey"
queries=(
  "select count(*) $of_orders"
  "select count(*) $of_orders where o_orderdate < 1995-03-15"
  "select o_orderpriority, count(*), sum(l_quantity) $of_orders group by o_orderpriority"
  "select count(*), $revenue from lineitem join part on l_partkey = p_partkey where p_size < 10"
  "select count(*) from lineitem semi join orders on l_orderkey = o_orderkey
   and o_orderpriority = '1-URGENT'"
  "select l_orderkey, $revenue as revenue, o_orderdate, o_shippriority $of_orders
   join customer on o_custkey = c_custkey where c_mktsegment = 'BUILDING'
   and o_orderdate < 1995-03-15 and l_shipdate > 1995-03-15
   group by l_orderkey, o_orderdate, o_shippriority order by revenue desc, o_orderdate limit 10"
  "select n_name, $revenue as revenue $of_orders join customer on o_custkey = c_custkey
   join supplier on l_suppkey = s_suppkey and c_nationkey = s_nationkey
   join nation on s_nationkey = n_nationkey join region on n_regionkey = r_regionkey
   where r_name = 'ASIA' and o_orderdate between 1994-01-01 and 1994-12-31
   group by n_name order by revenue desc"
  "select l_shipmode, o_orderpriority, count(*) $of_orders
   where l_shipmode in ('MAIL', 'SHIP') and l_commitdate < l_receiptdate
   and l_shipdate < l_commitdate and l_receiptdate between 1994-01-01 and 1994-12-31
   group by l_shipmode, o_orderpriority"
)
# Without line ends, which CSV would have to quote.
for i in "${!queries[@]}"; do queries[i]=$(tr -s '\n ' ' ' <<<"${queries[i]}" | sed 's/ $//'); done

if [[ $mode == check ]]; then
  make_tables 0.01
  cd 0.01
  for tool in memcheck initcheck synccheck racecheck; do
    compute-sanitizer --tool "$tool" --error-exitcode 9 "$bin/table_gpu_rate" lineitem 2 \
      "${queries[@]}" | tail -n 3
  done
  for kind in hex syllables; do
    make_strings $kind 100000 400000
    for tool in memcheck initcheck synccheck racecheck; do
      compute-sanitizer --tool "$tool" --error-exitcode 9 "$bin/query_gpu_rate" \
        "${string_queries[@]}" | tail -n 3
    done
  done
  exit
fi

if [[ -z $mode || $mode == resident ]]; then
  make_tables 1
  make_numbers
  (cd 1 && "$bin/table_gpu_rate" lineitem 100 "${queries[@]}") | tee "$out/join-queries.csv"
  {
    echo "layout,query,rows,bytes,ms,G rows/s,GB/s"
    for layout in stored int32 words; do
      "$bin/table_gpu_rate" --layout "$layout" numbers 256 \
        "select count(*) from numbers join keys on c = id" \
        "select count(*), sum(value) from numbers join keys on c = id" |
        tail -n +2 | sed "s/^/$layout,/"
    done
  } | tee "$out/join-numbers.csv"
fi
[[ $mode != resident ]] || exit 0
if [[ -z $mode || $mode == strings ]]; then
  for kind in hex syllables; do
    mkdir -p strings-$kind
    (
      cd strings-$kind
      make_strings $kind 10000000 40000000
      "$bin/query_gpu_rate" "${string_queries[@]}" | tee "$out/join-strings-$kind.csv"
    )
  done
fi
[[ $mode != strings ]] || exit 0

make_tables 10
cd 10
cat ./* >/dev/null
if [[ -z $mode || $mode == whole ]]; then
  q1="select l_returnflag, l_linestatus, sum(l_quantity), sum(l_extendedprice), $revenue,"
  q1+=" sum(l_extendedprice * (1 - l_discount) * (1 + l_tax)), avg(l_quantity),"
  q1+=" avg(l_extendedprice), avg(l_discount), count(*) from lineitem"
  q1+=" where l_shipdate <= 1998-09-02 group by l_returnflag, l_linestatus"
  q6="select sum(l_extendedprice * l_discount) from lineitem where l_shipdate between 1994-01-01"
  q6+=" and 1994-12-31 and l_discount between 0.05 and 0.07 and l_quantity < 24"
  "$bin/query_gpu_rate" "$q1" "$q6" "${queries[@]}" | tee "$out/whole-queries.csv"
fi
[[ $mode != whole ]] || exit 0
{
  echo "query,cpu ms,gpu ms"
  for query in "${queries[@]}"; do
    "$bin/presso" sql --device cpu "$query" >cpu.txt
    "$bin/presso" sql --device gpu -v "$query" >gpu.txt 2>gpu.log
    cmp cpu.txt gpu.txt
    grep -q "joins, conditions and groups" gpu.log || { cat gpu.log >&2; exit 1; }
    python3 - "$bin/presso" "$query" <<'END'
import statistics, subprocess, sys, time
command, query = sys.argv[1:]
times = {"cpu": [], "gpu": []}
for _ in range(7):
    for device, of_device in times.items():
        begin = time.perf_counter()
        subprocess.run([command, "sql", "--device", device, query], check=True,
                       stdout=subprocess.DEVNULL)
        of_device.append(1e3 * (time.perf_counter() - begin))
print(f'"{query}",' + ",".join(f"{statistics.median(t):.1f}" for t in times.values()), flush=True)
END
  done
} | tee "$out/join-queries-from-files.csv"
