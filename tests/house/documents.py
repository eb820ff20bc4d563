#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the documents: lines are short, links and paths lead somewhere, the README fits on a page,
no document is longer than it may be, nor are all NOTES.md together, and lab/figures/README.md lists
the files of lab/results.

    documents.py ROOT         prints each violation, exit status 1 if there is one
    documents.py --self-test  every check must find its bad snippets and pass its good ones
"""
import pathlib
import re
import subprocess
import sys

MAX_COLUMNS = 120
README_LINES, README_COLUMNS = 100, 100
MAX_WORDS = {"README.md": 700, "docs/architecture.md": 1200, "docs/queries.md": 3000}
MAX_NOTES_WORDS = 15000
LINK = re.compile(r"\]\(([^)\s]+)\)")
TOP_FOLDERS = ("cmake compress corpora decompress docs examples format lab python query scan tests "
               "tools").split()
PATH = re.compile(r"`((?:" + "|".join(TOP_FOLDERS) + r")/[A-Za-z0-9_./-]*)`")
RESULT = re.compile(r"`([A-Za-z0-9-]+\.csv)`")


def tracked(root):
    """The names of all files that git tracks or would add, and of their folders."""
    done = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"],
                          capture_output=True, text=True, check=True)
    files = {name for name in done.stdout.split("\0") if name and (root / name).is_file()}
    return files | {str(folder) for name in files for folder in pathlib.PurePath(name).parents}


def anchors(text):
    """What '#...' in a link may name: GitHub's form of the headings."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def resolve(document, target):
    """The path in the repository to which a link of a document leads."""
    parts = []
    for part in (pathlib.PurePath(document).parent / target).parts:
        if part == ".." and parts:
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts) or "."


def check_link(name, link, names, text_of):
    if re.match(r"[a-z]+:", link):
        return
    target, _, anchor = link.partition("#")
    path = resolve(name, target) if target else name
    if path not in names:
        yield f"{name}: link to {link}, which is not there"
    elif anchor and path.endswith(".md") and anchor not in anchors(text_of(path)):
        yield f"{name}: link to {link}, which has no such heading"


def check_document(name, text, names, text_of):
    """Yields what is wrong with one document; `names` are the repository's files and folders."""
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > MAX_COLUMNS:
            yield f"{name}:{number}: {len(line)} columns; at most {MAX_COLUMNS}"
    if len(text.split()) > MAX_WORDS.get(name, sys.maxsize):
        yield f"{name}: {len(text.split())} words; at most {MAX_WORDS[name]}"
    for link in LINK.findall(text):
        yield from check_link(name, link, names, text_of)
    for path in PATH.findall(text):
        if path.rstrip("/") not in names and not any(at.startswith(path + ".") for at in names):
            yield f"{name}: `{path}` is not there"


def check_notes(texts):
    """Yields a problem if the notes of developers have too many words together."""
    words = sum(len(text.split()) for text in texts)
    if words > MAX_NOTES_WORDS:
        yield f"NOTES.md: {words} words in all of them; at most {MAX_NOTES_WORDS}"


def check_readme(text):
    lines = text.splitlines()
    if len(lines) > README_LINES:
        yield f"README.md: {len(lines)} lines; at most {README_LINES}"
    for number, line in enumerate(lines, 1):
        if len(line) > README_COLUMNS:
            yield f"README.md:{number}: {len(line)} columns; at most {README_COLUMNS}"


def check_results(text, names):
    present = {pathlib.PurePath(name).name for name in names
               if name.startswith("lab/results/") and name.endswith(".csv")}
    listed = {name for name in RESULT.findall(text)}
    for name in sorted(present ^ listed):
        yield f"lab/figures/README.md: {name} is listed or in lab/results, not both"


def check(root):
    names = tracked(root)

    def text_of(name):
        return (root / name).read_text(encoding="utf-8")

    for name in sorted(name for name in names if name.endswith(".md")):
        yield from check_document(name, text_of(name), names, text_of)
    yield from check_notes(text_of(name) for name in names if name.endswith("NOTES.md"))
    yield from check_readme(text_of("README.md"))
    yield from check_results(text_of("lab/figures/README.md"), names)


def self_test():
    names = {"docs", "docs/a.md", "scan/x.cpp", "lab/results/b.csv"}
    bad = ["x" * (MAX_COLUMNS + 1), "[a](b.md)", "[a](#none)", "[a](a.md#none)", "`scan/gone.cpp`"]
    good = ["x" * MAX_COLUMNS, "[a](a.md#a-heading)", "[a](../docs)", "[a](https://b.c/d)",
            "`scan/x.cpp`", "`scan/x`", "`--scan/y`"]
    for text in bad + good:
        found = list(check_document("docs/a.md", text, names, lambda _: "# A heading"))
        assert bool(found) == (text in bad), (text, found)
    words = "x\n" * (MAX_WORDS["docs/queries.md"] + 1)
    assert list(check_document("docs/queries.md", words, names, str))
    assert not list(check_document("docs/a.md", words, names, str))
    assert list(check_notes(["x " * MAX_NOTES_WORDS, "x"]))
    assert not list(check_notes(["x " * MAX_NOTES_WORDS]))
    assert list(check_readme("x\n" * (README_LINES + 1)))
    assert list(check_readme("x" * (README_COLUMNS + 1)))
    assert not list(check_readme("x\n" * README_LINES))
    assert not list(check_results("`b.csv`", names))
    assert len(list(check_results("`c.csv`", names))) == 2
    print("documents: self-test passed")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return
    problems = list(check(pathlib.Path(sys.argv[1])))
    print("\n".join(problems) or "documents: in order")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
