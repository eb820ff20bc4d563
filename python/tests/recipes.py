# SPDX-License-Identifier: MIT
"""The recipes of docs/distributed.md, as they stand there."""
import pathlib
import re

DOCUMENT = pathlib.Path(__file__).parents[2] / "docs" / "distributed.md"


def run_recipe(name, scan, target_bytes=1 << 18, **more):
    """What a recipe leaves behind, given a scan or query, and what else it names."""
    found = re.findall(rf"^```python recipe {name}\n(.*?)^```$", DOCUMENT.read_text(), re.M | re.S)
    (text,) = found
    left = {"scan": scan, "parts": scan.partitions(target_bytes), **more}
    exec(compile(text, f"{DOCUMENT.name}: {name}", "exec"), left)  # noqa: S102
    return left
