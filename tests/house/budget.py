#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds the house to a budget: what it costs to compile, how large it is, how much is to be read.

    budget.py ROOT BUILD            fails where a figure is more than 10 % above budget.json
    budget.py ROOT BUILD --update   writes the figures of this build to budget.json
    budget.py --self-test

BUILD is a configured and built folder with compile_commands.json, for example build/gcc-werror. The
figures can be counted exactly: preprocessed bytes of all units of the core, of CUDA and of the
tests; instances of kernels; lines of the product by room, without comments and blank lines; bytes
of the command. Where one is exceeded, the five units or files that grew most since budget.json was
last changed are named. A commit that changes the budget says why.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

MARGIN = 1.10
ROOMS = ("format", "compress", "decompress", "scan", "query", "tools")
SOURCES = (".h", ".cpp", ".cu", ".cuh")
BUDGET = "tests/house/budget.json"


def output_of(*command, **options):
    return subprocess.run(command, capture_output=True, check=True, **options).stdout


def code_lines(text):
    """Lines with code: neither blank nor nothing but a comment."""
    return sum(1 for line in text.splitlines()
               if line.strip() and not line.strip().startswith("//"))


def room_of(path):
    """The product's room of a file, the GPU's half of a room apart; None: not of the product."""
    parts = pathlib.PurePosixPath(path).parts
    if parts[0] not in ROOMS or not path.endswith(SOURCES):
        return None
    return parts[0] + "/gpu" if "gpu" in parts[:-1] else parts[0]


def lines_by_file(root):
    names = output_of("git", "-C", root, "ls-files").decode().split("\n")
    return {name: code_lines((pathlib.Path(root) / name).read_text(errors="replace"))
            for name in names if name and room_of(name) and (pathlib.Path(root) / name).exists()}


def sum_by_room(lines):
    rooms = collections.Counter()
    for name, count in lines.items():
        rooms[room_of(name)] += count
    return dict(sorted(rooms.items()))


def kind_of(source, root, build):
    """Which sum a unit belongs to: core, cuda, tests, or None."""
    path = os.path.realpath(source)
    for base in (os.path.realpath(build), os.path.realpath(root)):
        if path.startswith(base + os.sep):
            path = os.path.relpath(path, base)
            break
    if path.endswith(".cu"):
        return "cuda", path
    first = path.split(os.sep)[0]
    return ("core" if first in ROOMS else "tests" if first in ("tests", "corpora") else None), path


def preprocess(entry):
    words = [word for word in shlex.split(entry["command"]) if os.path.basename(word) != "ccache"]
    at = words.index("-o")
    del words[at:at + 2]
    words = [word for word in words if word not in ("-c", "-MD")]
    text = output_of(*words, "-E", cwd=entry["directory"])
    return sum(len(line) + 1 for line in text.split(b"\n") if line and not line.startswith(b"#"))


def preprocessed_units(root, build):
    """{kind: {unit: bytes}}"""
    entries = json.loads((pathlib.Path(build) / "compile_commands.json").read_text())
    units = collections.defaultdict(dict)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for entry, size in zip(entries, pool.map(preprocess, entries)):
            kind, name = kind_of(entry["file"], root, build)
            if kind:
                units[kind][name] = size
    return units


def kernel_instances(build):
    """Kernels in the objects of CUDA sources: each has one stub on the host's side."""
    objects = [str(path) for path in pathlib.Path(build).rglob("*.cu.o")]
    stubs = set()
    for path in objects:
        for line in output_of("nm", path).decode().splitlines():
            if "__device_stub__" in line:
                stubs.add((path, line.split()[-1]))
    return len(stubs)


def figures_of(root, build):
    units = preprocessed_units(root, build)
    command = pathlib.Path(build) / "bin" / "presso"
    return {
        "preprocessed_bytes": {kind: sum(sizes.values()) for kind, sizes in sorted(units.items())},
        "units": {kind: dict(sorted(sizes.items())) for kind, sizes in sorted(units.items())},
        "kernels": kernel_instances(build),
        "lines": sum_by_room(lines_by_file(root)),
        "command_bytes": command.stat().st_size,
    }


def flat(figures):
    """The figures that are compared, each under a name."""
    named = {"bytes of the command": figures["command_bytes"],
             "instances of kernels": figures["kernels"]}
    for kind, size in figures["preprocessed_bytes"].items():
        named[f"preprocessed bytes, {kind}"] = size
    for room, count in figures["lines"].items():
        named[f"lines of {room}"] = count
    return named


def grown_most(before, now):
    grown = sorted(((now[name] - before.get(name, 0), name) for name in now), reverse=True)
    return [f"    {name}: {before.get(name, 0):,} -> {now[name]:,}"
            for difference, name in grown[:5] if difference > 0]


def lines_at_budget(root):
    """Lines of each file at the commit that last changed the budget."""
    commit = output_of("git", "-C", root, "log", "-1", "--format=%H", "--", BUDGET).decode().strip()
    if not commit:
        return {}
    listing = output_of("git", "-C", root, "ls-tree", "-r", "--name-only", commit).decode()
    names = listing.split("\n")
    return {name: code_lines(output_of("git", "-C", root, "show", f"{commit}:{name}").decode(
        errors="replace")) for name in names if name and room_of(name)}


def exceeded(budget, figures):
    """Names of figures that are more than the margin above the budget."""
    allowed = flat(budget)
    return [(name, allowed.get(name, 0), value) for name, value in flat(figures).items()
            if value > MARGIN * allowed.get(name, 0)]


def report(root, budget, figures):
    problems = exceeded(budget, figures)
    for name, allowed, value in problems:
        print(f"budget: {name}: {value:,}, more than 10 % above the {allowed:,} of the budget")
        if name.startswith("preprocessed"):
            kind = name.split(", ")[1]
            print("\n".join(grown_most(budget["units"].get(kind, {}), figures["units"][kind])))
        elif name.startswith("lines"):
            room = name.removeprefix("lines of ")
            now = {file: count for file, count in lines_by_file(root).items()
                   if room_of(file) == room}
            print("\n".join(grown_most(lines_at_budget(root), now)))
    return problems


def self_test():
    budget = {"command_bytes": 100, "kernels": 10, "preprocessed_bytes": {"core": 1000},
              "units": {"core": {"a": 600, "b": 400}}, "lines": {"scan": 50}}
    figures = json.loads(json.dumps(budget))
    assert exceeded(budget, figures) == []
    figures["lines"]["scan"] = 55
    assert exceeded(budget, figures) == []
    figures["lines"]["scan"] = 56
    figures["kernels"] = 12
    figures["preprocessed_bytes"]["core"] = 1101
    names = [name for name, _, _ in exceeded(budget, figures)]
    assert names == ["instances of kernels", "preprocessed bytes, core", "lines of scan"], names
    figures["lines"]["new"] = 1  # a room that the budget does not know
    assert "lines of new" in [name for name, _, _ in exceeded(budget, figures)]
    grown = grown_most({"a": 1, "b": 5}, {"a": 4, "b": 4, "c": 9})
    assert grown == ["    c: 0 -> 9", "    a: 1 -> 4"], grown
    assert code_lines("// a\n\nint x;  // y\n  // z\n}\n") == 2
    assert room_of("query/gpu/join/a.cu") == "query/gpu" and room_of("lab/a.cpp") is None
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "a.cpp"
        source.write_text("#define TWO 2\nint x = TWO;\n")
        command = f"c++ -c {source} -o a.o"
        assert preprocess({"command": command, "directory": folder}) == len("int x = 2;\n")
    print("budget self-test: right")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    root, build = sys.argv[1:3]
    figures = figures_of(root, build)
    path = pathlib.Path(root) / BUDGET
    if "--update" in sys.argv:
        kept = json.loads(path.read_text()) if path.exists() else {}
        kept.update(figures)
        path.write_text(json.dumps(kept, indent=1) + "\n")
    budget = json.loads(path.read_text())
    problems = report(root, budget, figures)
    for name, value in flat(figures).items():
        print(f"budget: {name}: {value:,} of {flat(budget).get(name, 0):,}")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
