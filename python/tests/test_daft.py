# SPDX-License-Identifier: MIT
"""The recipe for Daft."""
import pytest
from recipes import run_recipe

import presso

daft = pytest.importorskip("daft")


def numbers(frame):
    return sorted(frame.select("line_number").to_pydict()["line_number"])


def test_lines(compressed, log_lines):
    frame = run_recipe("daft", presso.scan(compressed))["frame"]
    found = frame.sort("line_number").to_pydict()
    assert found["line"] == log_lines
    assert found["line_number"] == list(range(1, len(log_lines) + 1))
    assert frame.count_rows() == len(log_lines)
    wanted = [n for n, line in enumerate(log_lines, 1) if "ERROR" in line]
    assert numbers(frame.where(daft.col("line").contains("ERROR"))) == wanted
    assert numbers(frame.where(daft.col("line_number") < 5)) == [1, 2, 3, 4]
    assert len(frame.limit(3).to_pydict()["line"]) == 3


def test_patterns(compressed, log_lines):
    frame = run_recipe("daft", presso.scan(compressed, "ERROR"))["frame"]
    assert numbers(frame) == [n for n, line in enumerate(log_lines, 1) if "ERROR" in line]


def test_damage(damaged):
    frame = run_recipe("daft", presso.scan(damaged))["frame"]
    with pytest.raises(Exception, match="damaged.presso: block"):
        frame.to_pydict()
    scan = presso.scan(damaged, on_error="skip")
    assert run_recipe("daft", scan)["frame"].count_rows() == scan.count()


def test_rows(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    presso.write_table(
        pyarrow.table({"id": list(range(3000))}), tmp_path / "t.presso", group_rows=100
    )
    query = presso.query(tmp_path / "t.presso").where("id >= 1000")
    frame = run_recipe("daft", query)["frame"]
    assert sorted(frame.to_pydict()["id"]) == list(range(1000, 3000))
