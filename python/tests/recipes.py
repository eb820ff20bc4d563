# SPDX-License-Identifier: MIT
"""The recipes of docs/distributed.md: as they stand there, or in the files that it names."""
import pathlib
import re

ROOT = pathlib.Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "distributed.md"
EXAMPLES = ROOT / "python" / "examples"


def recipe(name):
    """Where a recipe stands, and its text."""
    file = EXAMPLES / f"recipe_{name}.py"
    if file.exists():
        assert f"examples/{file.name})" in DOCUMENT.read_text(), f"{DOCUMENT} does not name {file}"
        return file, file.read_text()
    found = re.findall(rf"^```python recipe {name}\n(.*?)^```$", DOCUMENT.read_text(), re.M | re.S)
    (text,) = found
    return DOCUMENT, text


def run_recipe(name, scan, target_bytes=1 << 18, **more):
    """What a recipe leaves behind, given a scan or query, and what else it names."""
    place, text = recipe(name)
    left = {"scan": scan, "parts": scan.partitions(target_bytes), **more}
    exec(compile(text, f"{place.name}: {name}", "exec"), left)  # noqa: S102
    return left
