#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The figures of searching compressed files with a GPU: first the tests that need one, then blocks
# in device memory decoded and then scanned (decode_scan_rate), then files from the page cache to a
# count and to lines (file_scan_rate), then the command's output with the GPU against that of the
# CPU. Needs nothing but programs of a build with tests, which may have been built elsewhere, and 6
# GB of disk in TMPDIR.
#
#   lab/figures/gpu_scan_files.sh BIN_FOLDER OUT_FOLDER COMMIT TEXT...
#
# Texts are repeated to 1 GB. Into OUT_FOLDER: gpu-scan-blocks.csv, gpu-scan-files.csv. Exit status
# 1 where a test failed, a count was wrong or an output differs.
set -euo pipefail
# shellcheck source=lab/figures/built_for_figures.sh
. "$(dirname "${BASH_SOURCE[0]}")/built_for_figures.sh"

if (($# < 4)); then
  echo "usage: gpu_scan_files.sh BIN_FOLDER OUT_FOLDER COMMIT TEXT..." >&2
  exit 2
fi
readonly bin=$1 out=$2 commit=$3
refuse_fast_kernels "$bin"
shift 3
readonly least_bytes=1000000000
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$out"

"$bin/gpu_file_scan_device_tests"
for text in "$@"; do
  name=$(basename "$text")
  name=${name%%.*}
  "$bin/presso" compress -q --level 9 --favor decode --block-size 256K "$text" \
    -o "$scratch/$name.presso"
  "$bin/decode_scan_rate" --csv "$out/gpu-scan-blocks.csv" --commit "$commit" \
    "$scratch/$name.presso"
done
for text in "$@"; do
  name=$(basename "$text")
  name=${name%%.*}
  size=0
  while ((size < least_bytes)); do
    cat "$text"
    size=$((size + $(stat -c %s "$text")))
  done >"$scratch/text"
  file=$scratch/$name.1g.presso
  "$bin/presso" compress -q --level 6 --favor decode --block-size 256K "$scratch/text" -o "$file"
  rm "$scratch/text"
  "$bin/file_scan_rate" --csv "$out/gpu-scan-files.csv" --commit "$commit" \
    --engine auto,automaton "$file" \
    quixotic-zebra the '[0-9]{4}-[0-9]{2}-[0-9]{2}' '(error|fail|denied).*(user|account)' \
    F:interesting W:denied I:logonprocess N:5000 N:5000i
  for mode in -c -n '-c -v' --count-matches '-b -o' '-n -m 1000'; do
    for device in gpu cpu; do
      # shellcheck disable=SC2086  # words of a mode
      "$bin/presso" scan --device "$device" $mode 'denied|refus[a-z]+' "$file" \
        >"$scratch/$device" || (($? == 1))
    done
    cmp "$scratch/gpu" "$scratch/cpu"
  done
  echo "$name: the command prints the same with the GPU and with the CPU"
  rm "$file"
done
origin="command: lab/figures/gpu_scan_files.sh BIN OUT COMMIT $*; commit: $commit"
for csv in "$out"/gpu-scan-*.csv; do
  sed -i "1i # $origin; machine: GPU of the column device, $(nproc) CPUs" "$csv"
done
