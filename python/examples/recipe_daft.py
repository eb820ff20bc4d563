# SPDX-License-Identifier: MIT
"""A data source for Daft: the partitions of `scan`, a scan or query. Daft passes on the columns
that it needs, and tests filters and limits itself."""
import daft
import pyarrow
from daft.io.source import DataSource, DataSourceTask


class Part(DataSourceTask):
    def __init__(self, part, schema, columns):
        self.part, self._schema, self.columns = part, schema, columns

    @property
    def schema(self):
        return self._schema

    async def read(self):
        table = self.part.read(self.columns)
        yield daft.recordbatch.RecordBatch.from_arrow_table(table)


class Lines(DataSource):
    name = "presso"

    def __init__(self, scan):
        self.parts = scan.partitions()
        self.arrow_schema = pyarrow.schema(scan)

    @property
    def schema(self):
        return daft.Schema.from_pyarrow_schema(self.arrow_schema)

    async def get_tasks(self, pushdowns):
        columns = pushdowns.columns
        if columns is not None:
            named = {*columns, *pushdowns.filter_required_column_names()}
            columns = [name for name in self.arrow_schema.names if name in named]
        for part in self.parts:
            yield Part(part, self.schema, columns)


frame = Lines(scan).read()
