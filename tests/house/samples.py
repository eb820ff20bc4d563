#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""corpora/manifest.md must list every sample with its size and SHA-256, and the generated samples
must still be what the generator makes: samples.py ROOT GENERATOR"""
import hashlib
import pathlib
import re
import subprocess
import sys

ROW = re.compile(r"^\| `([^`]+)` \| (\d+) \| `([0-9a-f]{64})` \|$", re.MULTILINE)
COMMAND = re.compile(r"^- `([^`]+)`:[^`]*`presso_generate_log ([^`]*)`", re.MULTILINE)


def manifest_rows(text):
    """Size, SHA-256 and, for generated samples, the generator's arguments, by name."""
    commands = {name: arguments.split() for name, arguments in COMMAND.findall(text)}
    return {name: (int(size), digest, commands.get(name))
            for name, size, digest in ROW.findall(text)}


def check(folder, rows, generator):
    present = {path.name for path in folder.iterdir()}
    for name in sorted(present ^ set(rows)):
        yield f"{name} is in the folder or in the manifest, not in both"
    for name in sorted(present & set(rows)):
        size, digest, arguments = rows[name]
        content = (folder / name).read_bytes()
        if len(content) != size or hashlib.sha256(content).hexdigest() != digest:
            yield f"{name}: size or SHA-256 differ from the manifest"
        if arguments is not None:
            made = subprocess.run([generator, *arguments], capture_output=True, check=True).stdout
            if made != content:
                yield f"{name}: presso_generate_log {' '.join(arguments)} gives something else"


def main():
    root = pathlib.Path(sys.argv[1])
    rows = manifest_rows((root / "corpora/manifest.md").read_text())
    problems = list(check(root / "corpora/samples", rows, sys.argv[2]))
    print("\n".join(problems) or f"samples: {len(rows)} files as listed")
    sys.exit(1 if problems or not rows else 0)


if __name__ == "__main__":
    main()
