#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# allow(unseeded-random): the self-test's bad snippets
"""House rules that a search of the text can check; CONTRIBUTING.md lists them with their reasons.

    rules.py ROOT         prints each violation, exit status 1 if there is one
    rules.py --self-test  every rule must find its bad snippets and pass its good ones

A line that breaks a rule on purpose says so: `// allow(bare-32): not a warp`. A rule over a whole
file is lifted in the same way within its first ten lines.
"""
import os
import pathlib
import re
import subprocess
import sys

CUDA = {".cu", ".cuh"}
CPP = {".h", ".cpp", ".inc"} | CUDA
GPU = {"gpu code"}  # CUDA files, and C++ files in a folder gpu/, whatever their suffix
SCRIPTS = {".py", ".sh"}
CODE = CPP | SCRIPTS | {".cmake"}
ALLOW = re.compile(r"allow\(([a-z0-9-]+)\)")
LAUNCH = re.compile(r"<<<(.*?)>>>", re.DOTALL)
STRING = re.compile(r'"(?:\\.|[^"\\])*"')
STRING_OR_COMMENT = re.compile(r'//.*|"(?:\\.|[^"\\])*"')

MAX_COLUMNS = 100
MAX_LINES = 900

# name, kinds of file, pattern, what is wrong. The pattern is searched in each line of code.
LINE_RULES = [
    ("device-sync", CPP, r"\bcuda(Device|Thread)Synchronize\b",
     "synchronises the whole device; wait for the stream or an event"),
    ("device-assert", GPU, r"(?<!\w)assert\s*\(",
     "assert in device code traps on bad input; write a block status"),
    ("default-stream", CPP, r"\bcuda(Memcpy|Memset)\s*\(|\bcudaStream(Default|Legacy|PerThread)\b",
     "uses the default stream; take a stream and use the Async call"),
    # Not where bits are meant: a shift by 32.
    ("bare-32", GPU, r"(?<![\w.])(?<!<< )(?<!>> )32[uU]?(?![\w.])",
     "write kWarpSize where a warp is meant"),
    ("raw-intrinsic", GPU, r"\b__(shfl|ballot|any|all|match|reduce|sync|nanosleep|ld[gc]|st[cgw]|"
     r"popc|ffs|clz|byte_perm|funnelshift|dp4a|umulhi|cvta|threadfence)\w*\s*\(|"
     r"\b(thread|block)Idx\b|\b(block|grid)Dim\b|\basm\b|\batomic[A-Z]\w*\s*\(",
     "reach the GPU through simt.h, so that the emulator can run it too"),
    ("unseeded-random", CPP, r"\bstd::random_device\b|(?<![\w:.>])s?rand\s*\(|\bstd::s?rand\s*\(",
     "random numbers must come from a fixed seed"),
    ("unseeded-random", {".py"}, r"(?<![\w.])random\.(?!Random\(\w|seed\(\w)\w+\(|\bRandom\(\)",
     "random numbers must come from random.Random(SEED)"),
]
MACHINE_PATH = re.compile(r"(?<![\w.~$}>-])/(?:work|root)/")


# Comments are plain sentences. These openings and words made fragments and riddles of them.
PLAIN_WORDS = re.compile(
    r"//[/!<]*\s*(Of|What of|What was|The same|[Ll]ikewise)\b"
    r"|//.*\b(so many|likewise|but for|those that there|of those that|what of)\b")
PRODUCT = {"format", "compress", "decompress", "scan", "query", "tools", "python"}
# The engine in these folders is about to be rebuilt; its comments go with it.
NOT_YET_PLAIN = ("query/gpu/table/", "query/gpu/kernels/")


def top_level_commas(text):
    depth = 0
    parts = [""]
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def check_launches(text):
    for match in LAUNCH.finditer(text):
        arguments = top_level_commas(match.group(1))
        if len(arguments) < 4 or arguments[3] in {"0", "nullptr", "NULL", "cudaStream_t{}"}:
            line = text.count("\n", 0, match.start()) + 1
            yield line, "default-stream", "launch without a stream"


def check_first_line(lines):
    """After a #! line, the licence; for C++ with the comment's slashes."""
    begin = 1 if lines and lines[0].startswith("#!") else 0
    if len(lines) <= begin or "SPDX-License-Identifier: MIT" not in lines[begin]:
        yield begin + 1, "licence-line", "the first line must be the SPDX licence line"


def code_of(line):
    """The line without comments and the contents of strings, so that prose may name things."""
    return STRING_OR_COMMENT.sub(lambda m: '""' if m.group(0)[0] == '"' else "", line)


def kind_of(path, text):
    if path.suffix:
        return path.suffix
    return ".sh" if text.startswith("#!") and "sh" in text.split("\n", 1)[0] else ""


def is_gpu_code(path):
    return path.suffix in CUDA or (path.suffix in CPP and "gpu" in path.parts
                                   and path.parts[0] != "tests")


def check_lines(path, kind, lines):
    mine = {kind} | (GPU if is_gpu_code(path) else set())
    for number, line in enumerate(lines, 1):
        code = code_of(line) if kind in CPP else line
        for name, kinds, pattern, message in LINE_RULES:
            if mine & kinds and re.search(pattern, code):
                yield number, name, message
        if kind in CODE and len(line) > MAX_COLUMNS:
            yield number, "long-line", f"{len(line)} columns; at most {MAX_COLUMNS}"
        if kind in CPP and is_worded(path) and PLAIN_WORDS.search(STRING.sub('""', line)):
            yield number, "plain-words", "a comment in words that only we understand"
        if MACHINE_PATH.search(line):
            yield number, "machine-path", "names a path of one machine"


def is_worded(path):
    return path.parts[0] in PRODUCT and not path.as_posix().startswith(NOT_YET_PLAIN)


def is_table(path):
    return path.suffix == ".inc" or "table" in path.name


def check_file(path, text):
    """Yields (line number, rule, message); `path` is relative to the root."""
    kind = kind_of(path, text)
    lines = text.splitlines()
    found = list(check_lines(path, kind, lines))
    if kind in CPP | SCRIPTS:
        found += check_first_line(lines)
    if kind in CPP:
        found += check_launches("\n".join(map(code_of, lines)))
    if kind in CODE and len(lines) > MAX_LINES and not is_table(path):
        found.append((1, "long-file", f"{len(lines)} lines; at most {MAX_LINES}"))
    whole_file = set(ALLOW.findall("\n".join(lines[:10])))
    for number, rule, message in sorted(found):
        here = set(ALLOW.findall(lines[number - 1])) if number <= len(lines) else set()
        if rule not in whole_file | here:
            yield number, rule, message


def files_of(root):
    """What git tracks or would add; without git, everything outside build folders."""
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"],
                            capture_output=True, text=True, check=False)
    if listed.returncode == 0 and listed.stdout:
        names = listed.stdout.rstrip("\0").split("\0")
    else:
        names = [os.path.relpath(path, root) for path in root.rglob("*") if path.is_file()
                 and not {"build", ".git", ".demo"} & set(path.relative_to(root).parts)]
    return sorted(pathlib.Path(name) for name in names)


def is_data(path):
    return path.parts[:2] == ("corpora", "samples") or "golden" in path.parts


def check(root):
    problems = []
    files = 0
    for path in files_of(root):
        if is_data(path) or not (root / path).is_file():
            continue
        try:
            text = (root / path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        files += 1
        problems += [f"{path}:{number}: {rule}: {message}"
                     for number, rule, message in check_file(path, text)]
    return problems, files


LICENCE = "// SPDX-License-Identifier: MIT\n"
HASH_LICENCE = "# SPDX-License-Identifier: MIT\n"
# rule, file, snippet that must be found
BAD = [
    ("device-sync", "a.cu", LICENCE + "cudaDeviceSynchronize();"),
    ("device-assert", "a.cuh", LICENCE + "  assert(lane < kWarpSize);"),
    ("default-stream", "a.cpp", LICENCE + "cudaMemcpy(to, from, size, kind);"),
    ("default-stream", "a.cu", LICENCE + "decode_kernel<<<grid, block>>>(view);"),
    ("default-stream", "a.cu", LICENCE + "decode_kernel<<<grid, dim3(4, 8), f(1, 2), 0>>>(view);"),
    ("default-stream", "a.cu", LICENCE + "decode_kernel<<<grid,\n    block>>>(view);"),
    ("bare-32", "a.cuh", LICENCE + "for (int i = lane; i < n; i += 32) {"),
    ("bare-32", "a.cuh", LICENCE + "shared[32u * warp]"),
    ("bare-32", "scan/gpu/a.h", LICENCE + "constexpr int kLanes = 4 * 32;"),
    ("device-assert", "scan/gpu/a.h", LICENCE + "  assert(true);"),
    ("raw-intrinsic", "a.cuh", LICENCE + "x = __shfl_up_sync(mask, x, 1);"),
    ("raw-intrinsic", "a.cu", LICENCE + "const int i = blockIdx.x;"),
    ("raw-intrinsic", "decompress/gpu/a.h", LICENCE + "asm volatile(PTX);"),
    ("raw-intrinsic", "a.cuh", LICENCE + "atomicAdd(at, 1);"),
    ("unseeded-random", "a.cpp", LICENCE + "std::mt19937 random(std::random_device{}());"),
    ("unseeded-random", "a.cpp", LICENCE + "int x = rand();"),
    ("unseeded-random", "a.py", HASH_LICENCE + "x = random.randint(1, 2)"),
    ("unseeded-random", "a.py", HASH_LICENCE + "r = random.Random()"),
    ("licence-line", "a.h", "#pragma once\n" + LICENCE),
    ("licence-line", "a.cpp", ""),
    ("licence-line", "run", "#!/usr/bin/env bash\nset -e\n"),
    ("long-line", "a.cpp", LICENCE + "x" * (MAX_COLUMNS + 1)),
    ("long-line", "a.cmake", "x" * (MAX_COLUMNS + 1)),
    ("long-file", "a.cpp", LICENCE + "\n" * MAX_LINES),
    ("plain-words", "scan/a.cpp", LICENCE + "/// Of each key."),
    ("plain-words", "query/a.h", LICENCE + "int x;  ///< likewise"),
    ("plain-words", "tools/a.h", LICENCE + "// Takes so many rows."),
    ("machine-path", "README.md", "see " + "/" + "work/data for it"),
    ("machine-path", "a.cpp", LICENCE + 'open("' + "/" + 'root/x");'),
]
GOOD = [
    ("a.cuh", LICENCE + "static_assert(sizeof(x) == 4);  // assert( in a comment"),
    ("a.cu", LICENCE + "decode_kernel<<<grid, block, shared_bytes, stream>>>(view);"),
    ("a.cuh", LICENCE + "std::uint32_t x = y >> 5;  // 32 lanes"),
    ("a.cuh", LICENCE + "value >> 32 | high << 32;"),
    ("a.cuh", LICENCE + "words[bit / 32];  // allow(bare-32): bits of a word"),
    ("a.cuh", LICENCE + "atomic_add(at, simt::ballot(true));\nplasma(1);"),
    ("a.h", LICENCE + "int lanes = 32; assert(lanes);"),
    ("tests/gpu/a_test.cpp", LICENCE + "expect(32);"),
    ("a.cpp", LICENCE + "std::mt19937 random(42);\nint operand(int);\ndraw.rand();"),
    ("a.py", HASH_LICENCE + "r = random.Random(7)\nr.randint(1, 2)"),
    ("run", "#!/usr/bin/env bash\n# SPDX-License-Identifier: MIT\nset -e\n"),
    ("a.cpp", LICENCE + "\u00e4" * MAX_COLUMNS),
    ("huffman_tables.cpp", LICENCE + "\n" * MAX_LINES),
    ("README.md", "x" * 200 + " teamwork/work/root/x"),
    ("a.cpp", LICENCE + 'what = "never call cudaDeviceSynchronize";'),
    ("scan/a.cpp", LICENCE + "// The range of each key.\nfail(\"// so many\");"),
    ("query/gpu/table/a.h", LICENCE + "// Of each key."),
]


def self_test():
    for rule, name, text in BAD:
        found = [found_rule for _, found_rule, _ in check_file(pathlib.Path(name), text)]
        if found != [rule]:
            sys.exit(f"rules self-test: {name}: {text[:80]!r}: expected [{rule}], got {found}")
    for name, text in GOOD:
        found = list(check_file(pathlib.Path(name), text))
        if found:
            sys.exit(f"rules self-test: {name}: {text[:80]!r}: expected nothing, got {found}")
    untested = {name for name, *_ in LINE_RULES} - {rule for rule, *_ in BAD}
    if untested:
        sys.exit(f"rules self-test: no bad snippet for {untested}")
    print(f"rules self-test: {len(BAD)} bad and {len(GOOD)} good snippets told apart")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    problems, files = check(pathlib.Path(sys.argv[1]))
    print("\n".join(problems) or f"rules: {files} files keep the house rules")
    sys.exit(1 if problems or files == 0 else 0)


if __name__ == "__main__":
    main()
