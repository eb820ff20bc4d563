#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The queries of the Star Schema Benchmark (ssb_queries.sql) on a GPU, over columns as they are
# stored and over columns that are not compressed. Writes a CSV file to OUT.
#
# Lineorder lies in the GPU's memory as 100 copies of a hundredth of scale 100, 6 x 10^8 rows, with
# the whole other tables of scale 100, of which build sides are made before the clock starts.
# table_gpu_rate compares each answer with the CPU's first, and says what the layouts are: stored,
# int32, words and narrow. Ratios are times of a layout divided by those of stored columns.
#
#   ssb_gpu.sh BIN OUT [check]
#
# check: two copies of scale 0.01, then also under the tools of compute-sanitizer.
set -euo pipefail
# shellcheck source=lab/figures/built_for_figures.sh
. "$(dirname "${BASH_SOURCE[0]}")/built_for_figures.sh"

bin=${1:?"usage: ssb_gpu.sh BIN OUT [check]"}
out=${2:?"usage: ssb_gpu.sh BIN OUT [check]"}
bin=$(realpath "$bin") out=$(realpath "$out")
refuse_fast_kernels "$bin"
mode=${3-}
statements=$(realpath "$(dirname "${BASH_SOURCE[0]}")/ssb_queries.sql")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
PATH=$PATH:${CUDA_PATH:-/usr/local/cuda}/bin

scale=100 orders=1500000 copies=100
if [[ $mode == check ]]; then
  scale=0.01 orders=15000 copies=2
fi

# make_lineorder: the first orders of the scale, in 16 parts at once.
make_lineorder() {
  local parts=16 part pids=()
  for ((part = 0; part < parts; ++part)); do
    "$bin/presso_generate_table" ssb_lineorder --scale "$scale" -o "part.$part" \
      --rows $((orders * part / parts + 1))-$((orders * (part + 1) / parts)) &
    pids+=($!)
  done
  for part in "${pids[@]}"; do wait "$part"; done
  for ((part = 0; part < parts; ++part)); do
    cat "part.$part"
    rm "part.$part"
  done >ssb_lineorder.csv
}

make_tables() {
  local tables=(ssb_date ssb_customer ssb_supplier ssb_part) table pids=()
  for table in "${tables[@]}"; do
    "$bin/presso_generate_table" "$table" --scale "$scale" -o "$table.csv" &
    pids+=($!)
  done
  make_lineorder
  for table in "${pids[@]}"; do wait "$table"; done
  for table in ssb_lineorder "${tables[@]}"; do
    "$bin/presso" compress --table auto -q "$table.csv" -o "$table"
    rm "$table.csv"
  done
}

# A name, a tab and the statement, without line ends, which CSV would have to quote.
mapfile -t lines < <(awk '
  /^-- Q/ { name = $2; text = ""; next }
  name == "" { next }
  { sub(/^ +/, ""); text = text (text == "" ? "" : " ") $0 }
  /;$/ { sub(/;$/, "", text); print name "\t" text; name = "" }' "$statements")
queries=()
for line in "${lines[@]}"; do queries+=("${line#*$'\t'}"); done
((${#queries[@]} == 13))

make_tables
for layout in stored int32 words narrow; do
  "$bin/table_gpu_rate" --layout "$layout" ssb_lineorder "$copies" "${queries[@]}" >"$layout.csv"
done
printf '%s\n' "${lines[@]%%$'\t'*}" >names
python3 - <<'END' | tee "$out/ssb.csv"
import csv

def rows(name):
    with open(name + ".csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))

with open("names", encoding="utf-8") as file:
    names = file.read().split()
stored = rows("stored")
others = {name: rows(name) for name in ("int32", "words", "narrow")}
columns = ["query", "rows", "bytes", "ms", "G rows/s"]
print(",".join(columns + [f"{n} {what}" for n in others for what in ("bytes", "ms", "ratio")]))
for i, name in enumerate(names):
    fields = [name, *(stored[i][column] for column in columns[1:])]
    for other in others.values():
        ratio = float(other[i]["ms"]) / float(stored[i]["ms"])
        fields += [other[i]["bytes"], other[i]["ms"], f"{ratio:.2f}"]
    print(",".join(fields))
END
[[ $mode == check ]] || exit 0
for layout in stored int32; do
  for tool in memcheck initcheck synccheck racecheck; do
    compute-sanitizer --tool "$tool" --error-exitcode 9 "$bin/table_gpu_rate" --layout "$layout" \
      ssb_lineorder "$copies" "${queries[@]}" | tail -n 3
  done
done
