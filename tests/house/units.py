#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Refuses names that one file could take from another file without a warning.

The C++ files of a folder are compiled as one unit (presso_unity() of cmake/presso_targets.cmake),
in which their anonymous namespaces are one. A call can then choose an overload of a file that was
included earlier, although the file compiles by itself with another one. This cannot happen where
the name of a function in an anonymous namespace belongs to one file of its unit, and to no
function of a header where another file of the unit calls it.

Two types of one name in one namespace are refused wherever they are: the linker keeps one copy of
what the compiler has written for both, such as their destructors.

    units.py ROOT BUILD    checks the units that BUILD has generated
    units.py --self-test
"""
import collections
import pathlib
import re
import subprocess
import sys

STRING_OR_COMMENT = re.compile(r'"(?:[^"\\\n]|\\.)*"|//(?! namespace)[^\n]*')
FUNCTION = re.compile(r"[A-Za-z_][\w:<>,&*\s\[\]]*?[\s&*]([a-z]\w*)\(")
TYPE = re.compile(r"(?:template <.*> )?(?:class|struct|union|enum(?: class)?) "
                  r"(?:\[\[\w+\]\] )?([A-Za-z]\w*)(?: final)?(?: : [^;]*)?(?: \{|$)")
NAMESPACE = re.compile(r"(?:inline )?namespace(?: ([\w:]+))? \{")
NO_FUNCTION = ("return", "using", "namespace", "else", "throw")


def functions_of(text):
    """Names of functions of a namespace in `text`: those for this file alone, and the others."""
    mine, others = set(), set()
    anonymous = False
    for line in text.split("\n"):
        if line.startswith("namespace {"):
            anonymous = True
        elif line == "}  // namespace":
            anonymous = False
        found = FUNCTION.match(line)
        if found and not line.startswith(NO_FUNCTION):
            (mine if anonymous or line.startswith("static ") else others).add(found.group(1))
    return mine, others


def types_of(text):
    """Full names of the types that `text` defines for other files too."""
    spaces = []
    for line in text.split("\n"):
        opened = NAMESPACE.match(line)
        defined = TYPE.match(line)
        if opened:
            spaces.append(opened.group(1))
        elif line.startswith("}  // namespace") and spaces:
            spaces.pop()
        elif defined and None not in spaces:
            yield "::".join([*spaces, defined.group(1)])


def check_types(texts):
    owners = collections.defaultdict(set)
    for file, text in texts.items():
        for name in types_of(text):
            owners[name].add(file)
    for name, files in sorted(owners.items()):
        if len(files) > 1:
            yield f"{max(files)}: {name} is a type of {min(files)} too"


def calls(text, name):
    """Whether `text` calls a function of this name without an object or a scope before it."""
    return re.search(rf"(?<![\w.>:~]){name}\(", text) is not None


def check_unit(texts, headers):
    """`texts` by file in the unit's order; `headers`: names of functions to the files with them."""
    owners = collections.defaultdict(list)
    for file, text in texts.items():
        for name in functions_of(text)[0]:
            owners[name].append(file)
    for name, files in sorted(owners.items()):
        if len(files) > 1:
            yield f"{files[1]}: {name}() is in an anonymous namespace of {files[0]} too"
        callers = [file for file in texts if file not in files and calls(texts[file], name)]
        if callers and name in headers:
            yield (f"{files[0]}: {name}() hides in an anonymous namespace, but {callers[0]}, which "
                   f"is compiled in the same unit, may mean that of {min(headers[name])}")


def read(path):
    return STRING_OR_COMMENT.sub('""', path.read_text())


def product_texts(root):
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "*.h", "*.cpp", "*.cuh", "*.cu"],
                            capture_output=True, text=True, check=True)
    return {file: read(root / file) for file in listed.stdout.split()
            if not file.startswith(("tests/", "lab/"))}


def headers_of(texts):
    names = collections.defaultdict(set)
    for file, text in texts.items():
        if file.endswith(".h"):
            for name in functions_of(text)[1]:
                names[name].add(file)
    return names


def check(root, build):
    texts = product_texts(root)
    headers = headers_of(texts)
    problems, units = list(check_types(texts)), 0
    for unit in sorted(build.rglob("presso_*.cpp")):
        files = re.findall(r'#include "(.*?)"', unit.read_text())
        problems += check_unit({file: read(root / file) for file in files}, headers)
        units += 1
    for problem in problems:
        print(problem)
    print(f"units: {units} checked, {len(problems)} names that two files could share")
    return 1 if problems or units == 0 else 0


def self_test():
    own = "namespace {\nvoid put(int a) {\n}  // namespace\n"
    cases = [
        ({"a.cpp": own, "b.cpp": own}, {}, 1),
        ({"a.cpp": own, "b.cpp": "void f() { put(1); }\n"}, {"put": {"c.h"}}, 1),
        ({"a.cpp": own, "b.cpp": "void f() { x.put(1); X::put(2); }\n"}, {"put": {"c.h"}}, 0),
        ({"a.cpp": own, "b.cpp": "void put(int a) {\n"}, {}, 0),
    ]
    for texts, headers, wanted in cases:
        found = list(check_unit(texts, headers))
        assert len(found) == wanted, (texts, found)
    begin, end = "namespace a {\n", "}  // namespace a\n"
    type, hidden = "class T final : public B {\n", "namespace {\nclass T {\n}  // namespace\n"
    for first, second, wanted in [(type, "struct T {\n", 1), (type, hidden, 0),
                                  (type, "struct T;\n", 0)]:
        texts = {"a.h": begin + first + end, "b.h": begin + second + end}
        found = list(check_types(texts))
        assert len(found) == wanted, (texts, found)
    print(f"units: self-test, {len(cases) + 3} cases")
    return 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test())
    sys.exit(check(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
