#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the test programs that need a GPU, then the same programs with small inputs under each tool
# of compute-sanitizer. The programs may have been built elsewhere; the only other files that it
# reads are the golden tables of this checkout. It fails where there is no usable GPU, and refuses
# programs whose kernels were compiled without optimisation. Joins are not checked for races, since
# a thread of a part's table reads slots that other threads claim at that moment.
#
#   tests/gpu/run.sh BIN_FOLDER [tests|memcheck|initcheck|racecheck|synccheck]...    default: all
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
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# run_tests COMMAND...: its last lines, or all but what passed where it failed.
run_tests() {
  printf '== %s\n' "$*"
  if ! "$@" >"$log" 2>&1 || grep -q 'no usable GPU' "$log"; then
    grep -vE '^\[ +(RUN|OK) +\]' "$log" | head -n 200 || true
    grep -E '^\[ +RUN +\]' "$log" | tail -n 1 || true
    printf '== failed: %s\n' "$*"
    return 1
  fi
  grep -E '^\[ +(PASSED|SKIPPED) +\] [0-9]|SUMMARY' "$log"
}

for step in "$@"; do
  if [[ $step == tests ]]; then
    for program in device primitive batch column join string text query query_case \
      pipeline_device scan file_scan_device; do
      run_tests "$bin/gpu_${program}_tests" --gtest_filter='-*TheirAbsence*:*WithoutAGpu*'
    done
  else
    races=0
    [[ $step != racecheck ]] || races=1
    PRESSO_GPU_TEST_SCALE=small PRESSO_GPU_TEST_RACES=$races run_tests \
      compute-sanitizer --tool "$step" --error-exitcode 9 \
      "$bin/gpu_batch_tests" --gtest_filter='*Batch*:-*WithoutAGpu*:*BatchArguments*'
    PRESSO_GPU_TEST_SCALE=small run_tests \
      compute-sanitizer --tool "$step" --error-exitcode 9 "$bin/gpu_column_tests"
    for program in query string text query_case; do
      PRESSO_GPU_TEST_SCALE=small run_tests \
        compute-sanitizer --tool "$step" --error-exitcode 9 "$bin/gpu_${program}_tests"
    done
    ((races)) || PRESSO_GPU_TEST_SCALE=small run_tests \
      compute-sanitizer --tool "$step" --error-exitcode 9 "$bin/gpu_join_tests"
  fi
done
