#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The layer rule: format <- {compress, decompress} <- scan <- query <- tools.

Checks what every source file includes and which presso:: libraries every CMakeLists.txt names.
compress and decompress never use each other; scan and query never use compress. The GPU's part of a
layer is its folder gpu/: the layer's other files include nothing of it and link nothing of it, so
that they build without CUDA, and neither do they include headers of CUDA. Its public headers (in
gpu/include/presso) include none either, so that tools, which may use them, need no CUDA compiler.
Within the layers the rooms, which are the folders, use each other in one direction only: what one
room includes, and what that includes, never leads back to it.
The other folders (lab, python, tests, corpora) stand above all layers: they may use everything, and
no layer uses them.

    layers.py ROOT        prints each violation, exit status 1 if there is one
    layers.py --self-test
"""
import pathlib
import re
import sys
import tempfile

# What each layer may use besides itself. Folders that are not named here are free.
MAY_USE = {
    "format": set(),
    "compress": {"format"},
    "decompress": {"format"},
    "scan": {"format", "decompress"},
    "query": {"format", "decompress", "scan"},
    "tools": {"format", "compress", "decompress", "scan", "query"},
}
# Folders above all layers.
ABOVE = ("lab/", "python/", "tests/", "corpora/")
# Folders that are one room with the folder they lie in: two back ends of one interface.
PART_OF_A_ROOM = {"emulator"}
SOURCES = {".h", ".cpp", ".cuh", ".cu", ".inc"}
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')
LIBRARY = re.compile(r"\bpresso::(\w+)")
CUDA_HEADER = re.compile(r"(cuda|cub/|cooperative_groups|nv\w*ml|device_|sm_\d)[\w./]*$")


def public_headers(root):
    """Maps presso/NAME.h to the layer that owns it, and whether it is of the GPU's part."""
    owner = {}
    for layer in MAY_USE:
        for folder in (root / layer / "include", root / layer / "gpu" / "include"):
            for header in folder.rglob("*.h"):
                name = header.relative_to(folder).as_posix()
                if name in owner:
                    raise SystemExit(f"layers: {name} is in {owner[name][0]} and in {layer}")
                owner[name] = layer, "gpu" in folder.parts[-2:]
    return owner


def layer_of_include(name, owner):
    if name in owner:
        return owner[name][0]
    first = name.split("/")[0]
    return first if first in MAY_USE and "/" in name else None


def is_gpu_include(name, owner):
    if name in owner:
        return owner[name][1]
    return name.endswith(".cuh") or "gpu" in name.split("/")[:-1]


def is_gpu_file(path):
    return "gpu" in path.parts or path.suffix in {".cu", ".cuh"}


def check_gpu_include(layer, path, name, owner):
    if CUDA_HEADER.match(name):
        if not is_gpu_file(path) or "include" in path.parts:
            yield f"includes {name} of CUDA, which only gpu/ may, and there no public header"
    elif is_gpu_file(path) or not is_gpu_include(name, owner):
        return
    elif layer != "tools" or name not in owner:
        yield f"a CPU file includes the GPU header {name}"


def check_include(layer, path, name, owner):
    if name.startswith(ABOVE):
        yield f"includes {name}, which stands above the layers"
        return
    if ".." in name.split("/"):
        yield f"includes {name}: name private headers from the repository's root"
    yield from check_gpu_include(layer, path, name, owner)
    used = layer_of_include(name, owner)
    if used is not None and used != layer and used not in MAY_USE[layer]:
        yield f"{layer} includes {name} of {used}"
    elif name.startswith("presso/") and used is None:
        yield f"includes {name}, which no layer has"


def check_source(layer, path, relative, owner):
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            for problem in check_include(layer, relative, match.group(1), owner):
                yield f"{relative}:{number}: {problem}"


def check_cmake(layer, path, relative):
    for number, line in enumerate(path.read_text().splitlines(), 1):
        for name in LIBRARY.findall(line.split("#")[0]):
            used = name.removesuffix("_gpu")
            if name.startswith("lab_"):
                yield f"{relative}:{number}: {layer} links presso::{name}, which is above it"
            elif used in MAY_USE and used != layer and used not in MAY_USE[layer]:
                yield f"{relative}:{number}: {layer} links presso::{name}"
            elif name.endswith("_gpu") and layer != "tools" and "gpu" not in relative.parts:
                yield f"{relative}:{number}: a CPU library links presso::{name}"


def room_of(relative):
    folder = relative.parent
    return (folder.parent if folder.name in PART_OF_A_ROOM else folder).as_posix()


def add_room_arrows(rooms, path, relative):
    """Private headers are named from the root, so that an include names the room."""
    arrows = rooms.setdefault(room_of(relative), {})
    for line in path.read_text(errors="replace").splitlines():
        match = INCLUDE.match(line)
        if match and "/" in match.group(1) and not match.group(1).startswith("presso/"):
            other = room_of(pathlib.PurePosixPath(match.group(1)))
            if other != room_of(relative):
                arrows.setdefault(other, f"{relative} includes {match.group(1)}")


def reachable(rooms, room):
    """What a room includes at first or second hand: room -> the arrows on a way there."""
    ways = {}
    waiting = [(room, [])]
    while waiting:
        at, way = waiting.pop()
        for other, arrow in rooms.get(at, {}).items():
            if other not in ways:
                ways[other] = way + [arrow]
                waiting.append((other, ways[other]))
    return ways


def check_rooms(rooms):
    named = set()
    for room in sorted(rooms):
        way = reachable(rooms, room).get(room)
        if way and not named & set(way):
            named |= set(way)
            yield f"{room}: its includes lead back to it: " + "; ".join(way)


def check(root):
    problems = []
    owner = public_headers(root)
    files = 0
    rooms = {}
    for layer in MAY_USE:
        for path in sorted((root / layer).rglob("*")):
            relative = path.relative_to(root)
            if path.suffix in SOURCES:
                files += 1
                problems += check_source(layer, path, relative, owner)
                add_room_arrows(rooms, path, relative)
            elif path.name == "CMakeLists.txt":
                problems += check_cmake(layer, path, relative)
    problems += check_rooms(rooms)
    return problems, files


# (file, content, part of the message expected, or None where it is allowed)
CASES = [
    ("scan/a.cpp", '#include "lab/x.h"', "stands above the layers"),
    ("tools/a.cpp", '#include "lab/programs/x.h"', "stands above the layers"),
    ("tools/CMakeLists.txt", "link(presso presso::lab_strings)", "which is above it"),
    ("scan/text/a.h", '#include "scan/regex/b.h"', "its includes lead back to it"),
    ("scan/regex/emulator/a.h", '#include "scan/text/b.h"\n#include "scan/regex/c.h"', None),
    ("lab/a.cu", '#include "decompress/gpu/k.cuh"\n#include "scan/text/b.h"', None),
    ("compress/a.cpp", '#include "presso/decode.h"', "compress includes presso/decode.h"),
    ("decompress/a.cpp", '#include "compress/match.h"', "decompress includes compress/match.h"),
    ("scan/a.cpp", "#include <presso/encode.h>", "scan includes presso/encode.h"),
    ("format/a.cpp", '#include "scan/x.h"', "format includes scan/x.h"),
    ("scan/a.h", '  #  include "tools/x.h"', "scan includes tools/x.h"),
    ("decompress/cpu/a.cpp", '#include "decompress/gpu/k.cuh"', "GPU header"),
    ("decompress/a.cpp", '#include "decompress/gpu/plan.h"', "GPU header"),
    ("decompress/a.cpp", '#include "presso/gpu_batch.h"', "GPU header"),
    ("tools/a.cpp", '#include "decompress/gpu/plan.h"', "GPU header"),
    ("scan/gpu/a.cu", '#include "compress/parse/match.h"', "scan includes compress/parse/match.h"),
    ("decompress/a.cpp", "#include <cuda_runtime.h>", "of CUDA"),
    ("tools/a.cpp", "#include <cub/cub.cuh>", "of CUDA"),
    ("decompress/gpu/include/presso/b.h", "#include <cuda_runtime_api.h>", "of CUDA"),
    ("scan/a.cpp", '#include "../format/x.h"', "repository's root"),
    ("scan/a.cpp", '#include "presso/nowhere.h"', "which no layer has"),
    ("scan/CMakeLists.txt", "  DEPENDS presso::compress)", "scan links presso::compress"),
    ("decompress/CMakeLists.txt", "  DEPENDS presso::scan_gpu)", "links presso::scan_gpu"),
    ("scan/CMakeLists.txt", "  DEPENDS presso::decompress_gpu)", "a CPU library links"),
    ("scan/a.cpp", '#include "presso/decode.h"\n#include "presso/wire.h"\n#include <vector>', None),
    ("tools/a.cpp", '#include "presso/encode.h"\n#include "tools/b.h"', None),
    ("decompress/gpu/a.cu", '#include "decompress/gpu/k.cuh"\n#include <cuda_runtime.h>', None),
    ("decompress/gpu/a.cuh", '#include "presso/gpu_batch.h"\n#include "presso/wire.h"', None),
    ("scan/gpu/a.cu", '#include "decompress/gpu/simt/simt.h"', None),
    ("scan/gpu/CMakeLists.txt", "  DEPENDS presso::scan presso::decompress_gpu)", None),
    ("tools/a.cpp", '#include "presso/gpu_batch.h"', None),
    ("tools/CMakeLists.txt", "link(presso presso::decompress_gpu)", None),
    ("tests/unit/a.cpp", '#include "compress/parse/match.h"\n#include "decompress/x.h"', None),
    ("scan/CMakeLists.txt", "  DEPENDS presso::decompress)  # not presso::compress", None),
]
# Files that stand beside each case's own.
OTHERS = {"scan/regex/b.h": '#include "scan/text/c.h"'}
HEADERS = ["format/include/presso/wire.h", "compress/include/presso/encode.h",
           "decompress/include/presso/decode.h", "decompress/gpu/include/presso/gpu_batch.h"]


def write(root, name, content):
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content + "\n")


def self_test():
    for name, content, expected in CASES:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for header in HEADERS:
                write(root, header, "#pragma once")
            for other, text in OTHERS.items():
                write(root, other, text)
            write(root, name, content)
            problems, _ = check(root)
        found = len(problems) == 1 and expected in problems[0] if expected else not problems
        if not found:
            sys.exit(f"layers self-test: {name}: {content!r}: wanted {expected!r}, got {problems}")
    print(f"layers self-test: {len(CASES)} cases right")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    problems, files = check(pathlib.Path(sys.argv[1]))
    print("\n".join(problems) or f"layers: {files} files keep the rule")
    sys.exit(1 if problems or files == 0 else 0)


if __name__ == "__main__":
    main()
