# SPDX-License-Identifier: MIT
"""The recipe for Ray, with workers of its own."""
import pytest
from recipes import run_recipe
from starting import imported, started

import presso

ray = imported("ray")
imported("ray.data")


@pytest.fixture(scope="module", autouse=True)
def cluster():
    options = {"include_dashboard": False, "log_to_driver": False, "configure_logging": False}
    started("Ray", lambda: ray.init(num_cpus=2, **options))
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


def test_lines(compressed, log_lines):
    dataset = run_recipe("ray", presso.scan(compressed))["dataset"]
    assert dataset.count() == len(log_lines)
    lines = sorted(dataset.take_all(), key=lambda row: row["line_number"])
    assert [row["line"] for row in lines] == log_lines
    wanted = [n for n, line in enumerate(log_lines, 1) if n > 59_000]
    found = dataset.filter(expr=ray.data.expressions.col("line_number") > 59_000)
    assert sorted(row["line_number"] for row in found.take_all()) == wanted
    assert len(dataset.limit(3).take_all()) == 3


def test_patterns(compressed, log_lines):
    dataset = run_recipe("ray", presso.scan(compressed, "ERROR"))["dataset"]
    found = dataset.select_columns(["line_number"]).take_all()
    assert sorted(row["line_number"] for row in found) == [
        n for n, line in enumerate(log_lines, 1) if "ERROR" in line
    ]


def test_damage(damaged):
    dataset = run_recipe("ray", presso.scan(damaged))["dataset"]
    with pytest.raises(Exception, match="damaged.presso: block"):
        dataset.take_all()
    scan = presso.scan(damaged, on_error="skip")
    assert len(run_recipe("ray", scan)["dataset"].take_all()) == scan.count()
