#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# run.sh BUILD_FOLDER SCRATCH: installs the build into SCRATCH/prefix, moves that elsewhere, and
# builds and runs outside/ against it through find_package and through pkg-config; where the build
# has GPU code, with that too.
set -euo pipefail
build=$(cd "$1" && pwd)
scratch=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cxx=${CXX:-c++}

rm -rf "$scratch"
mkdir -p "$scratch"
scratch=$(cd "$scratch" && pwd)
cmake --install "$build" --prefix "$scratch/first" >"$scratch/install.log"
# An installed tree must not remember where it was.
mv "$scratch/first" "$scratch/prefix"

echo "== find_package"
cmake -S "$here/outside" -B "$scratch/cmake" -DCMAKE_PREFIX_PATH="$scratch/prefix" \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_BUILD_TYPE=Release >"$scratch/configure.log"
cmake --build "$scratch/cmake"
"$scratch/cmake/round_trip"

echo "== pkg-config"
pc=$(find "$scratch/prefix" -name presso.pc)
[[ -n $pc ]] || { echo "presso.pc was not installed" >&2; exit 1; }
read -ra flags < <(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs presso)
"$cxx" "$here/outside/round_trip.cpp" "${flags[@]}" -o "$scratch/round_trip_pc"
"$scratch/round_trip_pc"

gpu_pc=$(find "$scratch/prefix" -name presso-gpu.pc)
if [[ -n $gpu_pc ]]; then
  echo "== the GPU library, by both"
  "$scratch/cmake/list_devices"
  "$scratch/cmake/search_text"
  "$scratch/cmake/plan_join"
  cudart=$(sed -n 's/^CUDA_cudart_static_LIBRARY:.*=//p' "$scratch/cmake/CMakeCache.txt")
  read -ra flags < <(PKG_CONFIG_PATH=$(dirname "$gpu_pc") \
    pkg-config --define-variable=cudalibdir="${cudart%/*}" --cflags --libs presso-gpu)
  "$cxx" "$here/outside/list_devices.cpp" "${flags[@]}" -o "$scratch/list_devices_pc"
  "$scratch/list_devices_pc"
fi

if [[ -e $build/bin/presso ]]; then
  echo "== the command"
  "$scratch/prefix/bin/presso" --version
fi
if grep -rlIF -e "$scratch/first" -e "$build" "$scratch/prefix"; then
  echo "these installed files name the folder they were built or installed in" >&2
  exit 1
fi
