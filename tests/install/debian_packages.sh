#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# debian_packages.sh BUILD_FOLDER SCRATCH CPACK: makes the Debian packages of the build, unpacks
# them, runs the command, and builds and runs outside/ against the library. Exit status 77 where
# dpkg is not there.
set -euo pipefail
build=$(cd "$1" && pwd)
scratch=$2
cpack=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

type -P dpkg-deb dpkg-shlibdeps >/dev/null || exit 77
rm -rf "$scratch"
mkdir -p "$scratch"
scratch=$(cd "$scratch" && pwd)
"$cpack" -G DEB --config "$build/CPackConfig.cmake" -B "$scratch/packages" >"$scratch/cpack.log"
shopt -s nullglob
packages=("$scratch"/packages/*.deb)
((${#packages[@]} == 2)) || { echo "packages: ${packages[*]}" >&2; exit 1; }
for package in "${packages[@]}"; do
  mkdir -p "$scratch/root"
  dpkg-deb --extract "$package" "$scratch/root"
done

echo "== what the command needs"
[[ $(dpkg-deb --field "$scratch"/packages/presso_*.deb Depends) == "libc6 (>= 2."* ]]
echo "== the command"
root=$scratch/root/usr
for ((i = 0; i < 100000; i++)); do echo "line $i"; done >"$scratch/lines"
"$root/bin/presso" compress "$scratch/lines" -o "$scratch/lines.presso"
[[ $("$root/bin/presso" scan -c 'line 9+$' "$scratch/lines.presso") == 5 ]]
echo "== its manual and completions"
grep -q '^\.TH' < <(gzip -dc "$root/share/man/man1/presso.1.gz")
[[ -s $root/share/bash-completion/completions/presso ]]
for name in presso libpresso-dev; do
  [[ -s $root/share/doc/$name/copyright && -s $root/share/doc/$name/changelog.gz ]]
done

echo "== the library, which has no GPU code"
[[ -z $(find "$scratch/root" -name '*gpu*') ]]
cmake -S "$here/outside" -B "$scratch/cmake" -DCMAKE_PREFIX_PATH="$root" \
  -DCMAKE_CXX_COMPILER="${CXX:-c++}" -DCMAKE_BUILD_TYPE=Release >"$scratch/configure.log"
cmake --build "$scratch/cmake" --target round_trip
"$scratch/cmake/round_trip"
