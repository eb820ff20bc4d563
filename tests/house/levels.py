#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Code that is compiled for a CPU level is called at that level alone.

The linker keeps one copy of a function that several objects have, such as an inline function or an
instance of a template. If the copy of an object that was compiled for AVX2 is kept, portable code
may call it, and the program ends on a CPU without AVX2. So the objects of these levels have no such
function outside of their level's namespace (format/cpu_loops.h).

    levels.py BUILD       prints each function that could be shared; exit status 1 if there is one
    levels.py --self-test
"""
import pathlib
import re
import subprocess
import sys

OBJECT = re.compile(r"_(avx2|avx512)\.cpp\.o$")


def shared_functions(listing, level):
    """Names in a listing of nm -C that other objects may define too, outside of the level."""
    symbols = (line.strip().split(" ", 2)[-2:] for line in listing.splitlines() if line.strip())
    return [name for kind, name in symbols
            if kind == "W" and "(" in name and f"::{level}::" not in name]


def check(build):
    objects = [path for path in sorted(pathlib.Path(build).rglob("*.cpp.o"))
               if OBJECT.search(path.name)]
    if not objects:
        sys.exit(f"levels: no object for AVX2 or AVX-512 in {build}")
    failures = 0
    for path in objects:
        listing = subprocess.run(["nm", "-C", path], capture_output=True, check=True, text=True)
        for name in shared_functions(listing.stdout, OBJECT.search(path.name)[1]):
            print(f"{path}: {name}")
            failures += 1
    return failures


def self_test():
    listing = ("0000000000000000 W std::min(int const&, int const&)\n"
               "0000000000000000 W int presso::avx2::get<int>(char const*)\n"
               "0000000000000010 T presso::sum(int)\n"
               "                 U memcpy\n")
    assert shared_functions(listing, "avx2") == ["std::min(int const&, int const&)"]
    assert len(shared_functions(listing, "avx512")) == 2


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        sys.exit(1 if check(sys.argv[1]) else 0)
