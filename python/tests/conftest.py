# SPDX-License-Identifier: MIT
"""What the tests of the Python package share: a log, compressed and plain, and a table."""
import random

import pytest

import presso

LINES = 60_000


def make_log(lines):
    rng = random.Random(1)
    words = ["connect", "timeout", "retry", "gr\u00fc\u00dfe", "ERROR disk", "ok"]
    return [
        f"2024-01-{i % 28 + 1:02d} host{rng.randrange(9)} {rng.choice(words)} "
        f"id={rng.randrange(10**6)}"
        for i in range(lines)
    ]


@pytest.fixture(scope="session")
def log_lines():
    return make_log(LINES)


@pytest.fixture(scope="session")
def log(tmp_path_factory, log_lines):
    """A log as text; its last line has no line end."""
    path = tmp_path_factory.mktemp("log") / "app.log"
    path.write_text("\n".join(log_lines), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def compressed(log):
    """The same, compressed in blocks of 64 KiB."""
    presso.compress_file(log, block_size=1 << 16)
    return log.with_name("app.log.presso")


@pytest.fixture
def damaged(compressed, tmp_path):
    """The same with a wrong byte in one of the middle blocks."""
    file = presso.open(compressed)
    _, offset, stored = file.block_place(file.blocks // 2)
    content = bytearray(compressed.read_bytes())
    content[offset + stored // 2] ^= 0x55
    path = tmp_path / "damaged.presso"
    path.write_bytes(content)
    return path
