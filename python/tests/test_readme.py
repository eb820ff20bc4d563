# SPDX-License-Identifier: MIT
"""The Python examples of README.md and docs/tour.md run as they stand, and print what is shown."""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]


def python_of(document, heading):
    """The Python code below a heading, and the lines that follow the code."""
    text = (ROOT / document).read_text(encoding="utf-8")
    match = re.search(rf"^## {heading}$.*?^```python\n(.*?)^```$(.*)", text, re.M | re.S)
    return match.groups()


def run(command, folder, **options):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60,
                          **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_readme_runs(tmp_path):
    example, _ = python_of("README.md", "Python")
    lines = run([sys.executable, "-c", example], tmp_path).splitlines()
    first, second, third, totals = lines
    assert first == r"app.log.presso 1 b'10:00 read timeout\n'"
    assert second == r"app.log.presso 8 b'10:07 read timeout\n'"
    assert third == r"app.log.presso 15 b'10:14 read timeout\n'"
    assert "'rows': 1" in totals


def test_tour_runs(tmp_path):
    """After the tour's commands that make its files."""
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "presso"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m presso "$@"\n')
    command.chmod(0o755)
    text = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
    made = [shell for shell in re.findall(r"^    \$ (.*(?:\n          .*)*)", text, re.M)
            if " > " in shell or "presso compress" in shell]
    path = f"{command.parent}:{os.environ['PATH']}"
    for shell in made[:4]:
        run(["bash", "-c", shell], tmp_path, env={**os.environ, "PATH": path})
    example, shown = python_of("docs/tour.md", "Python")
    printed = run([sys.executable, "-c", example], tmp_path).splitlines()
    assert printed == re.findall(r"^    (.*)$", shown, re.M)
