#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Tries wheels and packages on the Debians that they are for: in bookworm and trixie the wheel of
# their Python, installed without a network, with README's example; in all, bullseye among them
# (glibc 2.31), the command of the package presso_*.deb, if there is one that they can run.
#
#   tests/install/debians.sh FOLDER WORK_FOLDER [SUITE...]
#
# FOLDER: what python/wheels.sh made, and .deb files. Needs root, debootstrap and, for systems
# that are not in WORK_FOLDER yet, Debian's mirror. Exit status 1 where something does not work.
set -euo pipefail

if (($# < 2)); then
  echo "usage: debians.sh FOLDER WORK_FOLDER [SUITE...]" >&2
  exit 2
fi
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$(cd "$1" && pwd)
mkdir -p "$2"
work=$(cd "$2" && pwd)
shift 2
readonly root folder work
suites=("$@")
((${#suites[@]})) || suites=(bullseye bookworm trixie)

# make_system SUITE
make_system() {
  local packages=python3,python3-venv
  [[ ! -e $work/$1/tried ]] || return 0
  rm -rf "${work:?}/$1"
  debootstrap --variant=minbase --include="$packages" "$1" "$work/$1" >"$work/$1.log"
  touch "$work/$1/tried"
}

# try_wheel SUITE
try_wheel() {
  local inside="$work/$1"
  chroot "$inside" python3 -m venv --clear /venv
  chroot "$inside" /venv/bin/pip install -q --no-index --find-links /tried_files presso
  awk '/^## / {python = $2 == "Python"} /^```/ {code = python && $1 == "```python"; next} code' \
    "$root/README.md" >"$inside/tried_files/readme.py"
  chroot "$inside" sh -ec 'mkdir -p /tmp/1; cd /tmp/1; /venv/bin/python /tried_files/readme.py'
  try_command "$1" /venv/bin/presso
}

# try_command SUITE COMMAND
try_command() {
  chroot "$work/$1" sh -c 'set -e; cd /tmp; seq 100000 >numbers; '"$2"' --version -v
    '"$2"' compress -f numbers && '"$2"' scan -c "77$" numbers.presso | grep -qx 1000
    '"$2"' cat numbers.presso | cmp - numbers'
}

for suite in "${suites[@]}"; do
  echo "== $suite"
  make_system "$suite"
  rm -rf "$work/$suite/tried_files"
  cp -r "$folder" "$work/$suite/tried_files"
  if [[ $suite != bullseye ]]; then try_wheel "$suite"; fi
  for package in "$folder"/presso_*.deb; do
    [[ -e $package ]] || continue
    chroot "$work/$suite" dpkg -i "/tried_files/${package##*/}"
    try_command "$suite" presso
    chroot "$work/$suite" dpkg -P presso
  done
done
