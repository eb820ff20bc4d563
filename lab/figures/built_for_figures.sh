# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by the scripts that time kernels.

# refuse_fast_kernels BIN: ends the script where the programs' kernels were compiled without
# optimisation, as CI does (cmake/presso_cuda.cmake).
refuse_fast_kernels() {
  [[ ! -e $1/compiled-fast ]] && return
  echo "the kernels in $1 are not optimised: configure with -DPRESSO_CUDA_FAST_COMPILE=OFF" >&2
  exit 2
}
