# SPDX-License-Identifier: MIT
"""Finds the GPU that a caller asks for, and the library that has the code for GPUs.

That library is the package presso-gpu; it is loaded only when a GPU is asked for. Without it, and
for a version that does not fit, UnsupportedError is raised. Tested by python/tests/test_gpu.py.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from presso import _native
from presso.errors import ArgumentError, UnsupportedError


class Device(NamedTuple):
    """A GPU. `device` is what scan() and Query.options() take to use it; memory is in bytes."""

    device: str
    name: str
    memory_bytes: int
    free_memory_bytes: int


def devices() -> list[Device]:
    """The GPUs that presso may use, at least one. Raises UnsupportedError where the package
    presso-gpu is not there or not for this version, DeviceError where there is no GPU."""
    found = _native.gpu_devices(_library())
    return [Device(f"gpu:{number}", *about) for number, about in enumerate(found)]


def gpu_of(device: str) -> tuple[bytes, int] | None:
    """The library's path and the number of a GPU; None for the CPU. Raises ArgumentError for what
    is no device, UnsupportedError where the package presso-gpu is not there."""
    if device == "cpu":
        return None
    named = re.fullmatch(r"gpu(?::([0-9]{1,4}))?", device) if isinstance(device, str) else None
    if named is None:
        raise ArgumentError(f"device={device!r}: one of 'cpu', 'gpu', 'gpu:1' and so on")
    return _library(), int(named[1] or 0)


def _library():
    # The import is here, so that nothing of CUDA is loaded unless a GPU is asked for.
    try:
        import presso_gpu
    except ImportError:
        raise UnsupportedError(
            "GPUs need the package presso-gpu: pip install 'presso[gpu]'"
        ) from None
    return os.fsencode(presso_gpu.library())
