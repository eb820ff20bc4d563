# SPDX-License-Identifier: MIT
"""Lines and rows for Spark 4.1 or newer, which needs pyspark and pyarrow, on workers too.

Spark's own filters are not used, for the reason in register(); the options of the format are.
Tested by python/tests/test_spark.py.

    import presso.spark

    presso.spark.register(spark)
    lines = spark.read.format("presso").option("pattern", "time(d )?out").load("logs/*.presso")
    lines.groupBy("path").count().show()
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pyarrow
from pyspark.sql import SparkSession, datasource
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema
from pyspark.sql.types import StructType

from presso._arguments import one_of, whole
from presso._files import open_files
from presso._partition import TARGET_BYTES, warn_of_damage
from presso._plain_types import plain_schema
from presso._query import Query, quoted
from presso._scan import COLUMNS, Scan, scan
from presso._source import is_table
from presso.errors import ArgumentError

_OF_LINES = ("pattern", "fixed", "ignore_case", "lines", "on_error")
_OPTIONS = ("path", "paths", "target", "where", *_OF_LINES)


def register(spark: SparkSession) -> None:
    """Makes the format "presso" known to a session. Its options, of which `pattern`, `lines` and
    `where` leave out blocks and partitions:

    - pattern, fixed, ignore_case, on_error: of lines, as in presso.scan(); without a pattern all
    - lines: "5-700", "5-": only these lines of each file
    - where: of tables, a condition as in presso.query()
    - target: of partitions, in bytes of plain text

    Columns are those of schema("line_number bigint, line string"), or all. Spark's own filters are
    not asked for: where one DataFrame is asked twice, Spark 4.3 hands the partitions of the first
    question's filters to a second one without filters.
    """
    spark.dataSource.register(Source)


class Source(datasource.DataSource):
    """The format "presso". Spark makes an object for each load()."""

    @classmethod
    def name(cls) -> str:
        return "presso"

    def schema(self) -> StructType:
        return from_arrow_schema(plain_schema(pyarrow.schema(self._question()), codes=False))

    def reader(self, schema: StructType) -> Reader:
        target_bytes = self.options.get("target", str(TARGET_BYTES))
        if not _is_whole(target_bytes):
            raise ArgumentError(f"target={target_bytes!r}: not a whole number")
        return Reader(self._question, schema, whole("target", int(target_bytes), least=1))

    def _question(self, columns: list[str] | None = None) -> Scan | Query:
        options = self.options
        unknown = [name for name in options if name.lower() not in _OPTIONS]
        if unknown:
            raise ArgumentError(f"no option {unknown[0]!r}: {', '.join(_OPTIONS)}")
        paths = json.loads(options["paths"]) if "paths" in options else options.get("path")
        if not paths:
            raise ArgumentError("no path")
        files = open_files(paths, later=True)
        if is_table(files[0]):
            if any(name in options for name in _OF_LINES):
                raise ArgumentError(f"{', '.join(_OF_LINES)} are options of lines")
            query = Query(files)
            if "where" in options:
                query.where(options["where"])
            return query if columns is None else query.select(", ".join(map(quoted, columns)))
        if "where" in options:
            raise ArgumentError("where is an option of tables")
        patterns = (options["pattern"],) if "pattern" in options else ()
        return scan(
            files,
            *patterns,
            fixed=_is_true(options, "fixed"),
            ignore_case=_is_true(options, "ignore_case"),
            lines=_lines(options.get("lines", "1-")),
            on_error=options.get("on_error", "raise"),
            columns=COLUMNS[:4] if columns is None else columns,
        )


def _is_true(options, name):
    text = options.get(name, "false").lower()
    return one_of(name, text, ("true", "false")) == "true"


def _is_whole(text):
    return text.isascii() and text.isdigit()


def _lines(text):
    first, dash, last = text.partition("-")
    if not dash or not _is_whole(first) or not (_is_whole(last) or last == ""):
        raise ArgumentError(f"lines={text!r}: not FIRST-LAST")
    return int(first), int(last) if last else None


class Reader(datasource.DataSourceReader):
    """Divides the question into partitions on the driver, and reads them on workers."""

    def __init__(self, question: Any, schema: StructType, target_bytes: int):
        self._question = question
        self._schema = schema
        self._target_bytes = target_bytes

    def partitions(self) -> list[datasource.InputPartition]:
        parts = self._question(self._schema.names).partitions(self._target_bytes)
        return [datasource.InputPartition(part) for part in parts]

    def read(self, partition: datasource.InputPartition) -> Iterator[pyarrow.RecordBatch]:
        # Without partitions Spark makes one itself, whose value is None.
        if partition.value is None:
            return
        found = partition.value.scan()
        wanted = to_arrow_schema(self._schema)
        with pyarrow.RecordBatchReader.from_stream(found) as batches:
            for batch in batches:
                yield batch.cast(wanted)
        warn_of_damage(found)
