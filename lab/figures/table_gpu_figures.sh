#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Queries over tables that lie in a GPU's memory as they are stored: each answer is compared with
# the CPU's before it is timed (table_gpu_rate). Writes CSV files to OUT.
#
#   table_gpu_figures.sh BIN OUT [check | groups | shares | random]
#
# check: small, under the tools of compute-sanitizer. groups: only what many groups cost, of 10^8
# rows. shares: only sums of products behind conditions that hold for 2 to 62 % of the rows.
# random: only forty random questions (random_questions.py) over 5 x 10^8 rows, each with the share
# of the rate at which the memory can be read, as memory_rate measures it first.
# Default: all but shares and random.
set -euo pipefail
folder=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=lab/figures/built_for_figures.sh
. "$folder/built_for_figures.sh"

bin=${1:?"usage: table_gpu_figures.sh BIN OUT [check | groups | shares | random]"}
refuse_fast_kernels "$bin"
out=${2:?"usage: table_gpu_figures.sh BIN OUT [check | groups | shares | random]"}
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

# make_keys ROWS FILE: keys of 10^3, 10^6 and 4.3 x 10^7 groups, close together, and the last two
# also far apart, so that a table has to find them; drawn evenly, by all cores.
make_keys() {
  python3 - "$1" "$2" <<'END'
import multiprocessing, os, random, shutil, sys
rows, path = int(sys.argv[1]), sys.argv[2]
parts = os.cpu_count()
def write(part):
    draw, lines = random.Random(part).random, []
    with open(f"{path}.{part}", "w") as file:
        for i in range(rows * part // parts, rows * (part + 1) // parts):
            million, many = int(draw() * 1000000), int(draw() * 43000000)
            lines.append(f"{int(draw() * 1000)},{million},{many},{million * 4000000007},"
                         f"{many * 100000007},{int(draw() * 1048576)}\n")
            if len(lines) == 10000:
                file.write("".join(lines))
                lines.clear()
        file.write("".join(lines))
with multiprocessing.Pool(parts) as pool:
    pool.map(write, range(parts))
with open(path, "wb") as file:
    file.write(b"thousand,million,many,far_million,far_many,value\n")
    for part in range(parts):
        with open(f"{path}.{part}", "rb") as piece:
            shutil.copyfileobj(piece, file, 1 << 24)
        os.remove(f"{path}.{part}")
END
}

# make_reals ROWS FILE: keys of 8 and 100,000 values, doubles with two decimals, and any doubles.
make_reals() {
  python3 - "$1" "$2" <<'END'
import random, sys
rng = random.Random(3)
with open(sys.argv[2], "w") as file:
    file.write("k,m,x,y\n")
    for _ in range(int(sys.argv[1])):
        x, y = rng.randrange(2000000) / 100, rng.gauss(0, 1000)
        file.write(f"{rng.randrange(8)},{rng.randrange(100000)},{x!r},{y!r}\n")
END
}

make_lineitem() {
  "$bin/presso_generate_table" lineitem --scale "$scale" >"$work/lineitem.csv"
  "$bin/presso" compress --table auto -q "$work/lineitem.csv"
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
lineitem=("$q1" "$q6" "$q12" "$text | | count(*)" "$text and l_shipdate = 1995-03-15 | | count(*)"
  "l_comment like 'carefully%' and l_quantity < 24 | l_returnflag | count(*)"
  " | l_suppkey | count(*), sum(l_quantity)" " | l_partkey | count(*), sum(l_quantity)")

shares=()
for below in 2 6 10 12 14 18 22 25 32; do
  shares+=("l_quantity < $below | | sum($price * (1 + l_tax)), count(*)"
    "l_quantity < $below | l_returnflag, l_linestatus, l_shipmode | sum($price * (1 + l_tax))")
done
for below in 1000 3000 5000; do
  shares+=("l_suppkey < $below | | sum(l_extendedprice * l_discount)")
done

keys=(" | thousand | sum(value)" " | million | sum(value)" " | far_million | sum(value)"
  " | many | sum(value)" " | far_many | sum(value)")

reals=(" | | sum(x)" " | | sum(y)" " | k | sum(x), count(*)" " | k | avg(y), min(y), max(y)"
  " | m | sum(x)" "x > 1000.5e0 | k | sum(x * y)")

scale=1 rows=4194304 copies=256 item_copies=100 key_rows=100000000
if [[ ${3-} == check ]]; then
  scale=0.01 rows=70000 copies=2 item_copies=2 key_rows=70000
fi
if [[ ${3-} == shares ]]; then
  make_lineitem
  "$bin/table_gpu_rate" "$work/lineitem.csv.presso" "$item_copies" "${shares[@]}" |
    tee "$out/shares.csv"
  exit
fi
if [[ ${3-} == random ]]; then
  mapfile -t questions < <("$folder/random_questions.py" questions)
  ((${#questions[@]} == 40))
  rate=$("$bin/memory_rate" | awk -F, 'END { print $3 }')
  "$folder/random_questions.py" table "$rows" "$work/random.csv"
  "$bin/presso" compress --table auto -q "$work/random.csv"
  rm "$work/random.csv"
  status=0
  "$bin/table_gpu_rate" "$work/random.csv.presso" 128 "${questions[@]}" >"$work/rates.csv" ||
    status=$?
  "$folder/random_questions.py" shares "$rate" "$work/rates.csv" | tee "$out/random.csv"
  exit "$status"
fi
make_keys "$key_rows" "$work/keys.csv"
"$bin/presso" compress --table auto -q "$work/keys.csv"
rm "$work/keys.csv"
if [[ ${3-} != check ]]; then
  "$bin/table_gpu_rate" "$work/keys.csv.presso" 1 "${keys[@]}" | tee "$out/keys.csv"
  [[ ${3-} != groups ]] || exit 0
fi
make_numbers "$rows" "$work/numbers.csv"
"$bin/presso" compress --table auto -q "$work/numbers.csv"
make_reals $((rows / 2)) "$work/reals.csv"
"$bin/presso" compress --table auto --schema x:double,y:double -q "$work/reals.csv"
make_lineitem
if [[ ${3-} == check ]]; then
  for tool in memcheck initcheck synccheck racecheck; do
    compute-sanitizer --tool "$tool" --error-exitcode 9 "$bin/table_gpu_rate" \
      "$work/numbers.csv.presso" "$copies" "${numbers[@]}" | tail -n 3
    compute-sanitizer --tool "$tool" --error-exitcode 9 "$bin/table_gpu_rate" \
      "$work/lineitem.csv.presso" "$item_copies" "${lineitem[@]}" | tail -n 3
    compute-sanitizer --tool "$tool" --error-exitcode 9 "$bin/table_gpu_rate" \
      "$work/keys.csv.presso" 1 "${keys[@]}" | tail -n 3
    compute-sanitizer --tool "$tool" --error-exitcode 9 "$bin/table_gpu_rate" \
      "$work/reals.csv.presso" 1 "${reals[@]}" | tail -n 3
  done
  exit
fi
"$bin/table_gpu_rate" "$work/numbers.csv.presso" "$copies" "${numbers[@]}" | tee "$out/numbers.csv"
"$bin/table_gpu_rate" "$work/reals.csv.presso" 64 "${reals[@]}" | tee "$out/reals.csv"
"$bin/table_gpu_rate" "$work/lineitem.csv.presso" "$item_copies" "${lineitem[@]}" |
  tee "$out/lineitem.csv"
