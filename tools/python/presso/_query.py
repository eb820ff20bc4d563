# SPDX-License-Identifier: MIT
"""Questions asked of tables."""

from __future__ import annotations

from presso import _native
from presso._arguments import MOST_THREADS, whole
from presso._files import Sources, open_file, open_files


def query(sources: Sources) -> Query:
    """A Query of the rows of a table, or of several files with the same columns."""
    return Query(open_files(sources))


def sql(statement: str, *, threads: int = 0, memory_bytes: int = 0) -> Query:
    """A Query of one SELECT statement over files: "select city, sum(price) from 'orders.presso'
    group by city". Raises ArgumentError with the place that is wrong."""
    made = Query.__new__(Query)
    made._query = _native.Query.of_statement(statement, open_file)
    return made.options(threads=threads, memory_bytes=memory_bytes)


class Query:
    """Rows, groups or joins of tables. Methods add to the question and return it; nothing is read
    before the answer is used: by any library that reads Arrow's streams
    (`pyarrow.table(query)`, `polars.DataFrame(query)`), each time anew, or by run(). It cannot be
    changed while another thread is in run() or explain()."""

    def __init__(self, files: list[_native.OpenedFile]):
        self._query = _native.Query.from_files(files)

    def alias(self, name: str) -> Query:
        """By which the columns of the table named last are qualified."""
        self._query.alias(name)
        return self

    def join(self, sources: Sources, on: str, how: str = "inner") -> Query:
        """Joins a table: `on` is "a = b, c = d", a column that both have, or a condition with an
        equality; `how`: inner, left, right, full, semi or anti."""
        self._query.join(open_files(sources), how, on)
        return self

    def where(self, condition: str) -> Query:
        """Rows for which it is true; several: all of them."""
        self._query.where(condition)
        return self

    def select(self, columns: str) -> Query:
        """The answer's columns: "city, price * 2 as double"."""
        self._query.select(columns)
        return self

    def distinct(self) -> Query:
        """Each row of the answer once."""
        self._query.distinct()
        return self

    def group_by(self, keys: str) -> Query:
        """Groups by these expressions."""
        self._query.group_by(keys)
        return self

    def aggregate(self, columns: str) -> Query:
        """Adds to the answer's columns: "sum(price) as revenue, count(*)"."""
        self._query.aggregate(columns)
        return self

    def having(self, condition: str) -> Query:
        """Groups for which it is true."""
        self._query.having(condition)
        return self

    def order_by(self, keys: str) -> Query:
        """The order of the answer: "revenue desc, city"."""
        self._query.order_by(keys)
        return self

    def limit(self, rows: int, offset: int = 0) -> Query:
        """At most so many rows, behind the first `offset`."""
        self._query.limit(whole("rows", rows), whole("offset", offset))
        return self

    def options(self, *, threads: int = 0, memory_bytes: int = 0) -> Query:
        """Threads (0: all), and bytes for groups and sorting (0: half of what there is)."""
        self._query.set_options(
            whole("threads", threads, MOST_THREADS), whole("memory_bytes", memory_bytes)
        )
        return self

    def run(self) -> dict[str, int]:
        """Runs it, drops the answer, and tells what was read and how many rows there were."""
        return self._query.run()

    def explain(self, analyze: bool = False) -> str:
        """How it is run, for people; with `analyze` it is, and what happened is added."""
        return self._query.explain(bool(analyze))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._query.stream(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._query.schema()
