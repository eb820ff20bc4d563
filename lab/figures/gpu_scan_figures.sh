#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The figures of scanning plain text with a GPU: first the tests that need one, then all patterns
# of scan_gpu_bench on the texts (literals, few and many; regular expressions with word boundaries,
# folded case and classes of Unicode, LIKE), then expressions in every layout of the automaton, and
# texts made against the kernels. Needs nothing but programs of a build with tests, which may have
# been built elsewhere.
#
#   lab/figures/gpu_scan_figures.sh BIN_FOLDER OUT_FOLDER TEXT...
#
# Into OUT_FOLDER: gpu-scan-plain.txt. Exit status 1 where a test failed or a count was wrong.
set -euo pipefail
# shellcheck source=lab/figures/built_for_figures.sh
. "$(dirname "${BASH_SOURCE[0]}")/built_for_figures.sh"

if (($# < 3)); then
  echo "usage: gpu_scan_figures.sh BIN_FOLDER OUT_FOLDER TEXT..." >&2
  exit 2
fi
readonly bin=$1 out=$2
refuse_fast_kernels "$bin"
shift 2
mkdir -p "$out"
"$bin/gpu_scan_tests"
{
  "$bin/scan_gpu_bench" "$@"
  for pattern in the "5 lit" rx "(" near "\\p" LIKE; do
    "$bin/scan_gpu_bench" --layouts --only "$pattern" "$@"
  done
  "$bin/scan_gpu_bench" --layouts
} | tee "$out/gpu-scan-plain.txt"
