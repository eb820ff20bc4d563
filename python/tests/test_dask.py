# SPDX-License-Identifier: MIT
"""The recipe for Dask, in threads and in processes."""
import pytest
from recipes import run_recipe

import presso

dask = pytest.importorskip("dask")
pytest.importorskip("dask.dataframe")
pytest.importorskip("pyarrow")


def test_lines(compressed, log_lines):
    frame = run_recipe("dask", presso.scan(compressed))["frame"]
    assert frame.npartitions > 5
    with dask.config.set(scheduler="threads", num_workers=2):
        lines = frame.compute()
        assert lines["line"].tolist() == log_lines
        assert lines["line_number"].tolist() == list(range(1, len(log_lines) + 1))
        errors = frame[frame["line"].str.contains("ERROR")]["line_number"].compute()
        assert len(errors) == sum("ERROR" in line for line in log_lines)
        assert frame.head(3)["line"].tolist() == log_lines[:3]


def test_columns_that_are_not_needed_are_not_read(compressed, monkeypatch):
    asked = []
    read = presso.Partition.read

    def reads(part, columns=None):
        asked.append(columns)
        return read(part, columns)

    monkeypatch.setattr(presso.Partition, "read", reads)
    frame = run_recipe("dask", presso.scan(compressed))["frame"]
    with dask.config.set(scheduler="threads", num_workers=2):
        assert len(frame["offset"].compute()) == presso.scan(compressed).count()
    assert asked and all(columns == ["offset"] for columns in asked)


def test_patterns_and_processes(compressed, log_lines):
    scan = presso.scan(compressed, "ERROR")
    frame = run_recipe("dask", scan)["frame"]
    with dask.config.set(scheduler="processes", num_workers=2):
        assert len(frame) == scan.count()
    none = run_recipe("dask", presso.scan(compressed, lines=(10**9, None)))["frame"]
    assert len(none) == 0 and list(none.columns) == ["path", "line_number", "offset", "line"]


def test_damage(damaged):
    frame = run_recipe("dask", presso.scan(damaged))["frame"]
    with dask.config.set(scheduler="threads", num_workers=2):
        with pytest.raises(presso.DamageError, match="damaged.presso: block"):
            frame.compute()
        scan = presso.scan(damaged, on_error="skip")
        frame = run_recipe("dask", scan)["frame"]
        with pytest.warns(presso.DamageWarning, match="1 damaged blocks left out"):
            assert len(frame.compute()) == scan.count()


def test_rows(tmp_path):
    import pyarrow

    table = pyarrow.table({"id": list(range(3000)), "city": ["Ulm", "Bonn", None] * 1000})
    presso.write_table(table, tmp_path / "t.presso", group_rows=100)
    query = presso.query(tmp_path / "t.presso").where("id >= 1000")
    frame = run_recipe("dask", query)["frame"]
    with dask.config.set(scheduler="threads", num_workers=2):
        assert frame["id"].compute().tolist() == list(range(1000, 3000))
        counts = frame.groupby("city")["id"].count().compute()
        assert counts["Ulm"] == sum(i >= 1000 for i in range(0, 3000, 3))
