#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The figures of GPU decoding: compresses the corpus in several settings, then measures decode_batch
# on all blocks, on 100 and on one, on nested data by depth, and the pipeline. Needs a GPU and the
# programs of a build with tests, which may have been built elsewhere.
#
#   lab/figures/gpu_figures.sh BIN_FOLDER DATA_FOLDER OUT_FOLDER
#
# DATA_FOLDER holds dickens, xml, nci, winlog and dbtext; a missing one is left out, which is said.
# Into OUT_FOLDER: gpu-decode.csv, gpu-nested.csv, gpu-pipeline.txt, and files/, which is made anew
# unless REUSE=1. COMMIT=TEXT names the commit where git cannot; ONLY=PATTERN takes the settings
# whose names match, and neither nested data nor the pipeline. Exit status 1 where a result was
# wrong. Settings with options that presso refuses are left out, which is said too.
set -euo pipefail
# shellcheck source=lab/figures/built_for_figures.sh
. "$(dirname "${BASH_SOURCE[0]}")/built_for_figures.sh"

if (($# != 3)); then
  echo "usage: gpu_figures.sh BIN_FOLDER DATA_FOLDER OUT_FOLDER" >&2
  exit 2
fi
readonly bin=$1 data=$2 out=$3
refuse_fast_kernels "$bin"

# NAME|OPTIONS of presso compress
readonly SETTINGS=(
  "l9-decode.256K|--level 9 --favor decode --block-size 256K"
  "l9.256K|--coding byte --level 9 --dict none --block-size 256K"
  "l9-two-wave.256K|--coding byte --level 9 --deps two-wave --dict none --block-size 256K"
  "l9-dict64K.256K|--coding byte --level 9 --dict 64K --block-size 256K"
  "l9-dict1M.256K|--coding byte --level 9 --dict 1M --block-size 256K"
  "l12-decode.256K|--level 12 --favor decode --block-size 256K"
  "l9-decode.64K|--level 9 --favor decode --block-size 64K"
  "l12-bit-decode.256K|--coding bit --level 12 --favor decode --block-size 256K"
  "l12-bit-decode.64K|--coding bit --level 12 --favor decode --block-size 64K"
  "l12-bit.256K|--coding bit --level 12 --dict none --block-size 256K"
  "l12-dict.64K|--coding byte --level 12 --block-size 64K"
  "l12-bit-dict.64K|--coding bit --level 12 --block-size 64K"
  "default|"
)
readonly PIPELINE_PLAIN_BYTES=$((1 << 30))

# The names of the corpus files that are there.
present_files() {
  local name
  for name in dickens xml nci winlog dbtext; do
    if [[ -f $data/$name ]]; then
      echo "$name"
    else
      echo "gpu_figures: LEFT OUT: $name is not in DATA_FOLDER" >&2
    fi
  done
}

# is_accepted NAME OPTION...: whether presso takes these options; says so where it does not.
is_accepted() {
  local complaint
  complaint=$("$bin/presso" compress "${@:2}" -c - 2>&1 >/dev/null </dev/null) && return
  echo "gpu_figures: LEFT OUT: setting $1: ${complaint%%$'\n'*}" >&2
  return 1
}

# compress_files SETTING OPTION...: all of $names; the results' paths go to $compressed.
compress_files() {
  local name target
  compressed=()
  for name in "${names[@]}"; do
    target=$out/files/$name.$1.presso
    if [[ ${REUSE-} != 1 || ! -f $target ]]; then
      "$bin/presso" compress -q -f "${@:2}" -o "$target" "$data/$name"
    fi
    compressed+=("$target")
  done
}

# sign CSV: its first line names command, commit and machine (csv_origin.py reads it).
sign() {
  local origin="command: lab/figures/gpu_figures.sh BIN DATA OUT; commit: $commit"
  sed -i "1i # $origin; machine: GPU of the column device, $(nproc) CPUs" "$out/$1"
}

# rate CSV ARGUMENT...: decode_rate; a wrong result fails this script at its end.
rate() {
  local status=0
  "$bin/decode_rate" --csv "$out/$1" --commit "$commit" "${@:2}" || status=$?
  case $status in
    0) ;;
    1) wrong=1 ;;
    *) exit "$status" ;;
  esac
}

# pipeline FILE PLAIN_BYTES: over a file large enough, compressed files behind one another being
# one. Of tiny files not so large, since they grow by headers.
pipeline() {
  local large=$out/files/pipeline.presso copies
  copies=$(((PIPELINE_PLAIN_BYTES + $2 - 1) / $2))
  if ((copies > 1000)); then copies=1000; fi
  trap 'rm -f "$out/files/pipeline.presso"' EXIT
  for ((; copies > 0; --copies)); do cat "$1"; done >"$large"
  echo "== pipeline: $(basename "$1"), repeated" | tee "$out/gpu-pipeline.txt"
  "$bin/pipeline_rate" "$large" | tee -a "$out/gpu-pipeline.txt"
}

mapfile -t names < <(present_files)
((${#names[@]})) || { echo "gpu_figures: DATA_FOLDER has none of the files" >&2; exit 2; }
commit=${COMMIT:-$(git -C "$(dirname "${BASH_SOURCE[0]}")" rev-parse --short HEAD 2>/dev/null ||
  echo unknown)}
mkdir -p "$out/files"
rm -f "$out/gpu-decode.csv" "$out/gpu-nested.csv"
wrong=0 first_compressed='' compressed=()

for setting in "${SETTINGS[@]}"; do
  # shellcheck disable=SC2053  # a pattern
  [[ -z ${ONLY-} || ${setting%%|*} == $ONLY ]] || continue
  read -ra options <<<"${setting#*|}"
  is_accepted "${setting%%|*}" "${options[@]}" || continue
  echo "== ${setting%%|*}: presso compress ${options[*]}"
  compress_files "${setting%%|*}" "${options[@]}"
  [[ -n $first_compressed ]] || first_compressed=${compressed[0]}
  rate gpu-decode.csv "${compressed[@]}"
  rate gpu-decode.csv --strategies auto --blocks 100,1 "${compressed[@]}"
done
[[ ! -f $out/gpu-decode.csv ]] || sign gpu-decode.csv
if [[ -z ${ONLY-} ]]; then
  echo "== nested data"
  rate gpu-nested.csv --nested
  sign gpu-nested.csv
  pipeline "$first_compressed" "$(stat -L -c %s "$data/${names[0]}")"
fi
((!wrong)) || { echo "gpu_figures: WRONG results; see the rows" >&2; exit 1; }
