# SPDX-License-Identifier: MIT
"""Spark reads lines and rows by its Python data sources, on workers of its own."""
import os
import shutil
import sys

import pytest
from examples import example, write_log, write_tables
from starting import imported, started

imported("pyspark", "4.1")
pyarrow = imported("pyarrow")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("there is no Java", allow_module_level=True)

import pyspark.errors  # noqa: E402
import pyspark.sql  # noqa: E402

import presso  # noqa: E402
import presso.spark  # noqa: E402


@pytest.fixture(scope="module")
def spark():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = pyspark.sql.SparkSession.builder.master("local[2]")
    builder = builder.config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1")
    session = started("Spark", builder.getOrCreate)
    session.sparkContext.setLogLevel("OFF")
    presso.spark.register(session)
    yield session
    session.stop()


@pytest.fixture
def lines(spark):
    return spark.read.format("presso").option("target", 300_000)


@pytest.mark.parametrize("pushes", ["false", "true"])
def test_one_frame_is_asked_twice(spark, lines, compressed, log_lines, pushes):
    spark.conf.set("spark.sql.python.filterPushdown.enabled", pushes)
    frame = lines.load(str(compressed))
    assert frame.where("line_number = 9").count() == 1
    assert frame.count() == len(log_lines)
    assert frame.where("line_number = 7 or line rlike 'nowhere'").count() == 1


def numbers(frame):
    return sorted(row.line_number for row in frame.select("line_number").collect())


def test_lines(lines, compressed, log_lines):
    frame = lines.load(str(compressed))
    assert frame.columns == ["path", "line_number", "offset", "line"]
    assert frame.rdd.getNumPartitions() == len(presso.scan(compressed).partitions(300_000)) > 4
    assert frame.count() == len(log_lines)
    wanted = [n for n, line in enumerate(log_lines, 1) if "ERROR" in line]
    assert numbers(frame.where("line like '%ERROR%'")) == wanted
    assert numbers(frame.where(frame.line.contains("ERROR"))) == wanted
    with_options = lines.option("pattern", "error").option("ignore_case", "true")
    assert numbers(with_options.load(str(compressed))) == wanted


def test_filters(lines, compressed, log_lines):
    frame = lines.load(str(compressed))
    numbered = list(enumerate(log_lines, 1))
    for condition, wanted in (
        ("line_number between 5 and 9", [5, 6, 7, 8, 9]),
        ("line_number in (3, 50000)", [3, 50_000]),
        ("line_number < 0", []),
        ("line like '2024-01-07%' and line_number < 100", [7, 35, 63, 91]),
        ("line like '%id=77'", [n for n, line in numbered if line.endswith("id=77")]),
        ("line rlike 'id=77$'", [n for n, line in numbered if line.endswith("id=77")]),
        ("not line_number > 2", [1, 2]),
        (f"line = '{log_lines[99]}'", [n for n, line in numbered if line == log_lines[99]]),
    ):
        assert numbers(frame.where(condition)) == wanted, condition


def test_options_leave_out_partitions(spark, compressed, log_lines):
    def frame(**options):
        return spark.read.format("presso").options(target=100_000, **options).load(str(compressed))

    assert frame().rdd.getNumPartitions() > 10
    assert frame(lines="20-90").rdd.getNumPartitions() == 1
    assert numbers(frame(lines="20-90")) == list(range(20, 91))
    assert frame(lines=f"{len(log_lines) + 1}-").count() == 0
    assert frame(pattern="ERROR", fixed="true", lines="59000-").count() == sum(
        "ERROR" in line for line in log_lines[58_999:]
    )


def test_columns_are_those_of_the_schema(lines, compressed, log_lines):
    frame = lines.schema("line string, line_number bigint").load(str(compressed))
    assert [(row.line, row.line_number) for row in frame.orderBy("line_number").take(2)] == [
        (log_lines[0], 1),
        (log_lines[1], 2),
    ]


def test_rows(lines, tmp_path):
    rows = {"id": list(range(5000)), "city": ["Ulm", None, "Bonn", "\u00dc"] * 1250}
    presso.write_table(pyarrow.table(rows), tmp_path / "a.presso", group_rows=500)
    presso.write_table(pyarrow.table(rows), tmp_path / "b.presso", group_rows=500)
    frame = lines.option("target", 1).load(str(tmp_path / "*.presso"))
    assert frame.rdd.getNumPartitions() == 20
    early = lines.option("where", "id < 500").load(str(tmp_path / "*.presso"))
    assert (early.rdd.getNumPartitions(), early.count()) == (2, 1000)
    assert frame.where("id >= 4998").where("city is not null").count() == 4
    assert frame.groupBy("city").count().where("city = 'Ulm'").collect()[0]["count"] == 2500
    some = lines.load([str(tmp_path / "a.presso")])
    ids = [row.id for row in some.where("id < 3 or id in (7, 9)").collect()]
    assert sorted(ids) == [0, 1, 2, 7, 9]


def test_damage(lines, damaged, compressed):
    with pytest.raises(pyspark.errors.PySparkException, match="damaged.presso: block"):
        lines.load(str(damaged)).count()
    left = presso.scan(damaged, on_error="skip").count()
    assert lines.option("on_error", "skip").load(str(damaged)).count() == left
    assert left < presso.scan(compressed).count()


@pytest.mark.parametrize(
    "option, text",
    [
        ({"pattern": "a(b"}, "a\\(b"),
        ({"patern": "a"}, "no option"),
        ({"target": "big"}, "target"),
        ({"target": "\u00b2"}, "not a whole number"),
        ({"pattern": "a", "fixed": "perhaps"}, "fixed"),
        ({"lines": "5"}, "FIRST-LAST"),
        ({"lines": "\u00b2-"}, "FIRST-LAST"),
        ({"where": "a > 5"}, "of tables"),
    ],
)
def test_options_that_are_wrong(spark, compressed, option, text):
    with pytest.raises(pyspark.errors.PySparkException, match=text):
        spark.read.format("presso").options(**option).load(str(compressed)).count()


def test_q3(spark, tmp_path):
    tables = write_tables(tmp_path)
    wanted = pyarrow.table(example("q3_dask").question(*tables))
    found = example("q3_spark").run(spark, *tables, 1 << 13)
    assert found.to_pylist() == wanted.to_pylist() and found.num_rows == 10


@pytest.mark.parametrize("day", ["1990-01-01", "2090-01-01"])
def test_q3_of_no_rows(spark, tmp_path, day):
    """Either orders or lines have no part."""
    tables = write_tables(tmp_path)
    q3 = example("q3_spark")
    some = q3.run(spark, *tables)
    q3.DAY = f"date '{day}'"
    assert q3.run(spark, *tables) == some.slice(0, 0)


def test_log(spark, tmp_path):
    path, wanted = write_log(tmp_path)
    found = example("log_spark").run(spark, path, 1 << 18)
    assert [tuple(row) for row in found.collect()] == wanted


def test_workers_merge(spark, tmp_path):
    lineitem, *_ = write_tables(tmp_path)
    query = presso.query(lineitem).group_by("l_orderkey % 100").aggregate("avg(l_discount)")
    parts = query.partitions(1 << 13)
    partials = spark.sparkContext.parallelize(parts, len(parts)).map(lambda part: part.read())
    fewer = partials.treeReduce(lambda a, b: query.merge([a, b], partial=True))
    assert len(parts) > 8 and query.merge(fewer) == pyarrow.table(query)
