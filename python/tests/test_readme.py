# SPDX-License-Identifier: MIT
"""README's lines of Python run as they stand."""
import pathlib
import re
import subprocess
import sys

README = pathlib.Path(__file__).parents[2] / "README.md"


def test_example_runs(tmp_path):
    example = re.search(r"^## Python$.*?^```python\n(.*?)^```$", README.read_text(encoding="utf-8"),
                        re.MULTILINE | re.DOTALL).group(1)
    done = subprocess.run([sys.executable, "-c", example], cwd=tmp_path, capture_output=True,
                          text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    first, second, third, totals = done.stdout.splitlines()
    assert first == r"app.log.presso 1 b'10:00 read timeout\n'"
    assert second == r"app.log.presso 8 b'10:07 read timeout\n'"
    assert third == r"app.log.presso 15 b'10:14 read timeout\n'"
    assert "'rows': 1" in totals
