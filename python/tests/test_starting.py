# SPDX-License-Identifier: MIT
"""Engines that do not start are skipped, with the reason."""
import sys
import warnings

import pytest
from starting import imported, started


def test_what_does_not_start():
    assert started("It", lambda: 5) == 5
    with pytest.raises(pytest.skip.Exception, match="It does not start: OSError: no port"):
        started("It", lambda: exec("raise OSError('no port')"))  # noqa: S102


def test_what_cannot_be_imported(tmp_path, monkeypatch):
    (tmp_path / "presso_of_no_use.py").write_text("raise ImportError('no library of C')\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(pytest.skip.Exception, match="no library of C"):
            imported("presso_of_no_use")
