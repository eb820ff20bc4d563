#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds targets and compares the processor time with the budget, as a multiple of reference files.

    build_time.py ROOT BUILD TARGET...            fails where it is more than 25 % above budget.json
    build_time.py ROOT BUILD TARGET... --update   writes the multiple to budget.json

BUILD is a configured folder in which the targets' objects do not exist yet; where they do, nothing
can be measured, and it fails. The reference is five files of tests/house/reference, which are
compiled with the same compiler before and after, so that a machine that is slow, or shared, makes
both slow. ccache compiles anew and keeps the results for later builds (CCACHE_RECACHE).
"""
import json
import os
import pathlib
import resource
import subprocess
import sys

MARGIN = 1.25


def user_seconds():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def timed(*command):
    begin = user_seconds()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return user_seconds() - begin


def compiler_of(build):
    for line in (build / "CMakeCache.txt").read_text().splitlines():
        if line.startswith("CMAKE_CXX_COMPILER:"):
            return line.split("=", 1)[1]
    raise SystemExit(f"build_time: no compiler in {build}/CMakeCache.txt")


def reference_seconds(root, compiler):
    sources = sorted((root / "tests/house/reference").glob("*.cpp"))
    assert len(sources) == 5, sources
    return sum(timed(compiler, "-std=c++20", "-O3", "-c", str(source), "-o", os.devnull)
               for source in sources)


def main():
    update = "--update" in sys.argv
    root, build, *targets = [pathlib.Path(word) if at < 2 else word for at, word in
                             enumerate(word for word in sys.argv[1:] if word != "--update")]
    objects = sum(1 for _ in build.rglob("*.dir/**/*.o"))
    if objects != 0:
        sys.exit(f"build_time: {build} has {objects} objects already; begin with an empty folder")
    os.environ["CCACHE_RECACHE"] = "1"
    compiler = compiler_of(build)
    before = reference_seconds(root, compiler)
    built = timed("cmake", "--build", str(build), "--target", *targets)
    after = reference_seconds(root, compiler)
    multiple = built / ((before + after) / 2)
    path = root / "tests/house/budget.json"
    budget = json.loads(path.read_text()) if path.exists() else {}
    if update:
        budget["core_seconds"] = round(multiple, 2)
        path.write_text(json.dumps(budget, indent=1) + "\n")
    allowed = budget["core_seconds"]
    print(f"build_time: {' '.join(targets)}: {built:.0f} s of processor time, {multiple:.2f} times "
          f"the reference ({before:.1f} and {after:.1f} s); budget {allowed}")
    if multiple > MARGIN * allowed:
        sys.exit("build_time: more than 25 % above the budget")


if __name__ == "__main__":
    main()
