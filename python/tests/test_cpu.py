# SPDX-License-Identifier: MIT
"""The fastest code that this machine can run is chosen, however the package was built."""
import os
import pathlib

import pytest

import presso

ASKED_FOR = {"sse4_2", "popcnt", "avx2", "bmi1", "bmi2", "avx512f", "avx512bw", "avx512vl",
             "avx512dq", "avx512_vbmi2"}
AVX2 = {"avx2", "bmi1", "bmi2"}
AVX512_VBMI2 = AVX2 | {"avx512f", "avx512bw", "avx512vl", "avx512dq", "avx512_vbmi2"}


@pytest.fixture
def flags():
    """Of the first CPU, as Linux's kernel lists them."""
    text = pathlib.Path("/proc/cpuinfo").read_text()
    lines = [line for line in text.splitlines() if line.startswith("flags")]
    if not lines:
        pytest.skip("no flags of a CPU in /proc/cpuinfo")
    return set(lines[0].split(":")[1].split())


def test_features_are_those_that_the_kernel_lists(flags):
    assert set(presso.cpu_features) == ASKED_FOR & flags


def test_what_the_machine_has_is_used(flags):
    best = "portable"
    if flags >= AVX2:
        best = "avx2"
    if flags >= AVX512_VBMI2:
        best = "avx512vbmi2"
    assert presso.cpu_level == os.environ.get("PRESSO_FORCE_BACKEND", best)
