#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Searching files with a GPU by the automaton, which was all there was before, and by the engine
# that is chosen for the pattern now: in under five minutes, the tests that need a GPU first, then
# the command's output with the GPU against that of the CPU, then times, and a short table last.
# Needs nothing but programs of a build with tests, which may have been built elsewhere, and 3 GB of
# disk in TMPDIR.
#
#   lab/figures/gpu_scan_engines.sh BIN_FOLDER OUT_FOLDER COMMIT TEXT...
#
# Texts are repeated to 1 GB. Into OUT_FOLDER: tests.log, rates.log, gpu-scan-engines.csv. Exit
# status 1 where a test failed, a count was wrong or an output differs.
set -euo pipefail
# shellcheck source=lab/figures/built_for_figures.sh
. "$(dirname "${BASH_SOURCE[0]}")/built_for_figures.sh"

if (($# < 4)); then
  echo "usage: gpu_scan_engines.sh BIN_FOLDER OUT_FOLDER COMMIT TEXT..." >&2
  exit 2
fi
readonly bin=$1 out=$2 commit=$3
refuse_fast_kernels "$bin"
shift 3
readonly least_bytes=1000000000
readonly csv=$out/gpu-scan-engines.csv
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$out"

for tests in gpu_scan_tests gpu_file_scan_device_tests; do
  "$bin/$tests" >>"$out/tests.log" 2>&1 || { tail -n 60 "$out/tests.log"; exit 1; }
  tail -n 1 "$out/tests.log"
done

# Words of which some are in logs and books, and 5,000 that are not.
{ printf 'denied\nChuzzlewit\ninteresting\n'; seq -f 'unheard-of-%.0f' 5000; } >"$scratch/words"

# same_output FILE ARGUMENT...: the command prints the same with both.
same_output() {
  local file=$1 device
  shift
  for device in gpu cpu; do
    "$bin/presso" scan --device "$device" "$@" "$file" >"$scratch/$device" || (($? == 1))
  done
  cmp "$scratch/gpu" "$scratch/cpu" || { echo "differs: $*" >&2; exit 1; }
}

for text in "$@"; do
  name=$(basename "$text")
  name=${name%%.*}
  size=0
  while ((size < least_bytes)); do
    cat "$text"
    size=$((size + $(stat -c %s "$text")))
  done >"$scratch/text"
  file=$scratch/$name.presso
  "$bin/presso" compress -q --level 6 --favor decode --block-size 256K "$scratch/text" -o "$file"
  rm "$scratch/text"
  for mode in -c -n; do
    same_output "$file" $mode -F Chuzzlewit
    same_output "$file" $mode -F -i INTERESTING
    same_output "$file" $mode -F -w denied
    same_output "$file" $mode -F -f "$scratch/words"
    same_output "$file" $mode -F -i -w -f "$scratch/words"
  done
  echo "$name: the command prints the same with the GPU and with the CPU"
  "$bin/file_scan_rate" --runs 5 --csv "$csv" --commit "$commit" --engine auto,automaton "$file" \
    F:the F:quixotic-zebra F:interesting W:denied I:logonprocess 'error|denied|refused' N:1000 \
    N:5000 N:5000i '[0-9]{4}-[0-9]{2}-[0-9]{2}' >>"$out/rates.log"
  rm "$file"
done

echo "GB/s of text: by the CPU, by the automaton and by the engine that is chosen now"
awk -F, 'NR > 1 && ($4 == "counted by the GPU" || $4 == "counted by the CPU") {
  key = $3 " " $5
  if (!(key in seen)) { seen[key] = 1; order[++keys] = key }
  rate[key, $6] = $8
  if ($NF != "yes") wrong = 1
}
END {
  for (i = 1; i <= keys; ++i) {
    key = order[i]
    printf "%-60s %8s %8s %8s\n", key, rate[key, "cpu"],
      (key, "automaton") in rate ? rate[key, "automaton"] : "-",
      (key, "auto") in rate ? rate[key, "auto"] : "-"
  }
  exit wrong
}' "$csv"
