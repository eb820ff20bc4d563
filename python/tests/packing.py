# SPDX-License-Identifier: MIT
"""A log in the forms in which the command reads it, for tests that compare with the command."""
import gzip

from test_command import run

import presso


def pack(log, *options):
    """Writes `log` also as .presso, in blocks of 16 KiB and with the command's options, and as
    .gz, both beside it."""
    assert run("compress", *options, "--block-size", "16K", log).returncode == 0
    assert presso.open(f"{log}.presso").blocks > 5
    with gzip.open(f"{log}.gz", "wb") as packed:
        packed.write(log.read_bytes())
    return log
