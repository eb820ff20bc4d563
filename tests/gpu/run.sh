#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the test programs that need a GPU, then the same programs with small inputs under each tool
# of compute-sanitizer. The programs may have been built elsewhere; the only other files that it
# reads are the golden tables and the queries of this checkout. It fails where there is no usable
# GPU, and refuses programs whose kernels were compiled without optimisation. Most of the time goes
# into answers of the CPU that a GPU's are compared with, so several programs run at once, the long
# ones in shards, half as many as there are cores; JOBS=N sets their number, and at most 16 take
# 32 GB of device memory. Joins are not checked for races, since a thread of a part's table reads
# slots that other threads claim at that moment.
#
#   [JOBS=N] tests/gpu/run.sh BIN_FOLDER [tests|memcheck|initcheck|racecheck|synccheck]...
#                                                                           default: all
set -euo pipefail

bin=${1:?"usage: run.sh BIN_FOLDER [STEP]..."}
shift
(($#)) || set -- tests memcheck initcheck racecheck synccheck
PATH=$PATH:${CUDA_PATH:-/usr/local/cuda}/bin
if [[ -e $bin/compiled-fast ]]; then
  echo "run.sh: the kernels in $bin are not optimised;" \
    "configure with -DPRESSO_CUDA_FAST_COMPILE=OFF" >&2
  exit 2
fi
PRESSO_TESTS_FOLDER=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export PRESSO_TESTS_FOLDER
jobs=${JOBS:-$((($(nproc) + 1) / 2 < 16 ? ($(nproc) + 1) / 2 : 16))}
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

# The programs and the shards of each, the longest first.
readonly PROGRAMS=(query_case:8 query:4 join:3 batch:2 scan:2 file_scan_device:2 pipeline_device:2
  device:1 primitive:1 compiler:1 column:1 string:1 text:1)
# Under a sanitizer, a run takes as long as the memory that it watches, so there are fewer programs.
readonly CHECKED=(query_case:12 query:6 batch:4 join:4 compiler:1 column:1 string:1 text:1)

# run_shard COMMAND...: its last lines, or all but what passed where it failed.
run_shard() {
  local log begin=$SECONDS what
  log=$(mktemp -p "$logs")
  what="$* (part $((GTEST_SHARD_INDEX + 1)) of $GTEST_TOTAL_SHARDS)"
  if ! "$@" >"$log" 2>&1 || grep -q 'no usable GPU' "$log"; then
    touch "$logs/failed"
    printf '== failed: %s\n' "$what"
    grep -vE '^\[ +(RUN|OK) +\]' "$log" | head -n 200 || true
    grep -E '^\[ +RUN +\]' "$log" | tail -n 1 || true
  else
    printf '== %s: %d s\n' "$what" $((SECONDS - begin))
    grep -E '^\[ +(PASSED|SKIPPED) +\] [0-9]|SUMMARY' "$log" || true
  fi
}

# start COMMAND...: runs a shard beside the others, when fewer than $jobs are running.
start() {
  while (($(jobs -rp | wc -l) >= jobs)); do wait -n || true; done
  run_shard "$@" &
}

# filter_of STEP PROGRAM: the tests that the step runs.
filter_of() {
  if [[ $1 == tests ]]; then
    echo '-*TheirAbsence*:*WithoutAGpu*'
  elif [[ $2 == batch ]]; then
    echo '*Batch*:-*WithoutAGpu*:*BatchArguments*'
  else
    echo '*'
  fi
}

for step in "$@"; do
  begin=$SECONDS
  programs=("${PROGRAMS[@]}")
  tool=()
  if [[ $step != tests ]]; then
    programs=("${CHECKED[@]}")
    tool=(compute-sanitizer --tool "$step" --error-exitcode 9)
    export PRESSO_GPU_TEST_SCALE=small
  fi
  export PRESSO_GPU_TEST_RACES=0
  [[ $step != racecheck ]] || PRESSO_GPU_TEST_RACES=1
  for entry in "${programs[@]}"; do
    program=${entry%:*}
    [[ $step$program != racecheckjoin ]] || continue
    export GTEST_TOTAL_SHARDS=${entry#*:}
    for ((GTEST_SHARD_INDEX = 0; GTEST_SHARD_INDEX < GTEST_TOTAL_SHARDS; ++GTEST_SHARD_INDEX)); do
      export GTEST_SHARD_INDEX
      start "${tool[@]}" "$bin/gpu_${program}_tests" \
        --gtest_filter="$(filter_of "$step" "$program")"
    done
  done
  wait
  printf '== %s: %d s\n' "$step" $((SECONDS - begin))
  [[ ! -e $logs/failed ]] || exit 1
done
