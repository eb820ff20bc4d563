#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Queries over tables that lie in a GPU's memory as they are stored: each answer is compared with
# the CPU's before it is timed (table_gpu_rate). Writes CSV files to OUT.
#
#   table_gpu_figures.sh BIN OUT [check]        check: small, under the tools of compute-sanitizer
set -euo pipefail

bin=${1:?"usage: table_gpu_figures.sh BIN OUT [check]"}
out=${2:?"usage: table_gpu_figures.sh BIN OUT [check]"}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=$PATH:${CUDA_PATH:-/usr/local/cuda}/bin

# make_numbers ROWS FILE: columns of 8, 12 and 20 bits, drawn evenly.
make_numbers() {
  python3 - "$1" "$2" <<'END'
import random, sys
rng = random.Random(1)
rows, path = int(sys.argv[1]), sys.argv[2]
with open(path, "w") as file:
    file.write("a,b,c,d\n")
    for _ in range(rows):
        bits = rng.getrandbits(60)
        c, d = bits >> 20 & 1048575, bits >> 40 & 1048575
        file.write(f"{bits & 255},{bits >> 8 & 4095},{c},{d}\n")
END
}

numbers=("a between 60 and 180 | | count(*)" "b between 1000 and 3000 | | count(*)"
  "c between 200000 and 800000 | | count(*)" "b between 1000 and 3000 | | sum(c)"
  "b between 1000 and 3000 | | sum(c * a)" "b < 40 and a < 100 | | sum(c)"
  " | a | count(*), sum(c)" " | b | count(*), sum(c)" " | c | count(*), sum(d)")
price="l_extendedprice * (1 - l_discount)"
one_year="between 1994-01-01 and 1994-12-31"
q1="l_shipdate <= 1998-09-02 | l_returnflag, l_linestatus | sum(l_quantity), sum(l_extendedprice)"
q1+=", sum($price), sum($price * (1 + l_tax)), avg(l_quantity), avg(l_extendedprice)"
q1+=", avg(l_discount), count(*)"
q6="l_shipdate $one_year and l_discount between 0.05 and 0.07 and l_quantity < 24 | "
q6+="| sum(l_extendedprice * l_discount)"
q12="l_shipmode in ('MAIL', 'SHIP') and l_commitdate < l_receiptdate and l_shipdate < l_commitdate"
q12+=" and l_receiptdate $one_year | l_shipmode | count(*)"
text="l_comment like '%special%requests%'"
lineitem=("$q1" "$q6" "$q12" "$text | | count(*)"
  "l_comment like 'carefully%' and l_quantity < 24 | l_returnflag | count(*)"
  " | l_suppkey | count(*), sum(l_quantity)" " | l_partkey | count(*), sum(l_quantity)")

scale=1 rows=4194304 copies=256 item_copies=100
if [[ ${3-} == check ]]; then
  scale=0.01 rows=70000 copies=2 item_copies=2
fi
make_numbers "$rows" "$work/numbers.csv"
"$bin/presso" compress --table auto -q "$work/numbers.csv"
"$bin/presso_generate_table" lineitem --scale "$scale" >"$work/lineitem.csv"
"$bin/presso" compress --table auto -q "$work/lineitem.csv"
if [[ ${3-} == check ]]; then
  for tool in memcheck initcheck synccheck racecheck; do
    compute-sanitizer --tool "$tool" --error-exitcode 9 "$bin/table_gpu_rate" \
      "$work/numbers.csv.presso" "$copies" "${numbers[@]}" | tail -n 3
    compute-sanitizer --tool "$tool" --error-exitcode 9 "$bin/table_gpu_rate" \
      "$work/lineitem.csv.presso" "$item_copies" "${lineitem[@]}" | tail -n 3
  done
  exit
fi
"$bin/table_gpu_rate" "$work/numbers.csv.presso" "$copies" "${numbers[@]}" | tee "$out/numbers.csv"
"$bin/table_gpu_rate" "$work/lineitem.csv.presso" "$item_copies" "${lineitem[@]}" |
  tee "$out/lineitem.csv"
