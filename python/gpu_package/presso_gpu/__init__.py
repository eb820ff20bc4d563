# SPDX-License-Identifier: MIT
"""presso's code for NVIDIA GPUs, which the package presso loads when a GPU is asked for:
`presso.scan(..., device="gpu")`. It has nothing to be called by others."""

from __future__ import annotations

import pathlib


def library() -> str:
    """Where the library is."""
    return str(pathlib.Path(__file__).with_name("libpresso_gpu.so"))
