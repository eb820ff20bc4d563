# SPDX-License-Identifier: MIT
"""Engines with workers of their own: what cannot be imported or started here is a visible skip."""
import pytest

# Of newer ones: what is installed and cannot be imported is skipped without a warning.
_OPTIONS = {"exc_type": ImportError} if pytest.version_tuple >= (8, 2) else {}


def imported(name, minimum=None):
    """The module, or a skip of the tests of the module that asks."""
    return pytest.importorskip(name, minimum, **_OPTIONS)


def started(name, start):
    """What start() gives, or a skip."""
    try:
        return start()
    except Exception as error:
        pytest.skip(f"{name} does not start: {type(error).__name__}: {error}")
