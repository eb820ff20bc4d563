# SPDX-License-Identifier: MIT
"""Questions asked of tables."""

from __future__ import annotations

from typing import Any

from presso import _native
from presso._arguments import MOST_THREADS, whole
from presso._files import Sources, address_of, hidden, open_file, open_files
from presso._gpu import gpu_of
from presso._partition import TARGET_BYTES, Partition, of_files, opens_parts
from presso.errors import ArgumentError


def query(sources: Sources) -> Query:
    """A Query of the rows of a table, or of several files with the same columns."""
    return Query(open_files(sources))


def sql(
    statement: str, *, threads: int = 0, memory_bytes: int = 0, device: str = "cpu"
) -> Query:
    """A Query of one SELECT statement over files: "select city, sum(price) from 'orders.presso'
    group by city". Raises ArgumentError with the place that is wrong."""
    made = Query.__new__(Query)
    try:
        made._query = _native.Query.of_statement(statement, open_file)
    except ArgumentError as error:
        # Its text shows the statement, with the URLs that are in it, and the place below it.
        raise error.with_text(hidden(str(error))) from None
    made._files, made._asked = None, []
    made._begun = statement, made._query.files(), None
    return made.options(threads=threads, memory_bytes=memory_bytes, device=device)


class Query:
    """Rows, groups or joins of tables. Methods add to the question and return it; nothing is read
    before the answer is used: by any library that reads Arrow's streams
    (`pyarrow.table(query)`, `polars.DataFrame(query)`), each time anew, or by run(). It cannot be
    changed while another thread is in run() or explain()."""

    def __init__(self, files: list[_native.OpenedFile], groups: Any = None):
        self._query = _native.Query.from_files(files, groups)
        # What partitions ask again; None where they cannot.
        self._files = files if groups is None else None
        self._asked = []
        # What a GPU is asked from the begin.
        self._begun = "", files, groups
        self._gpu = None

    def alias(self, name: str) -> Query:
        """By which the columns of the table named last are qualified."""
        return self._ask("alias", name)

    def join(self, sources: Sources, on: str, how: str = "inner") -> Query:
        """Joins a table: `on` is "a = b, c = d", a column that both have, or a condition with an
        equality; `how`: inner, left, right, full, semi or anti."""
        return self._ask("join", open_files(sources), how, on)

    def where(self, condition: str) -> Query:
        """Rows for which it is true; several: all of them."""
        return self._ask("where", condition)

    def select(self, columns: str) -> Query:
        """The answer's columns: "city, price * 2 as double"."""
        return self._ask("select", columns)

    def distinct(self) -> Query:
        """Each row of the answer once."""
        return self._ask("distinct")

    def group_by(self, keys: str) -> Query:
        """Groups by these expressions."""
        return self._ask("group_by", keys)

    def aggregate(self, columns: str) -> Query:
        """Adds to the answer's columns: "sum(price) as revenue, count(*)"."""
        return self._ask("aggregate", columns)

    def having(self, condition: str) -> Query:
        """Groups for which it is true."""
        return self._ask("having", condition)

    def order_by(self, keys: str) -> Query:
        """The order of the answer: "revenue desc, city"."""
        return self._ask("order_by", keys)

    def limit(self, rows: int, offset: int = 0) -> Query:
        """At most so many rows, behind the first `offset`."""
        return self._ask("limit", whole("rows", rows), whole("offset", offset))

    def options(
        self, *, threads: int = 0, memory_bytes: int = 0, device: str = "cpu"
    ) -> Query:
        """Threads (0: all), bytes for groups and sorting (0: half of what there is), and where it
        runs: "cpu", or "gpu" or "gpu:1" for a GPU (needs the package presso-gpu). What GPUs are not
        for, the CPU does, for the same answer; run() tells in why_cpu why. Partitions run on the
        CPU. Raises UnsupportedError where presso-gpu is not there; where there is no GPU or it
        fails, running it raises DeviceError."""
        self._gpu = gpu_of(device)
        return self._ask(
            "set_options",
            whole("threads", threads, MOST_THREADS),
            whole("memory_bytes", memory_bytes),
        )

    def column_kinds(self) -> dict[str, str]:
        """Of the answer's columns that all libraries compare alike: "integer", "string", "date" or
        "timestamp" (without a zone)."""
        return {name: kind for name, kind in self._query.column_kinds() if kind}

    def _runner(self):
        if self._gpu is None:
            return self._query
        statement, files, groups = self._begun
        return _native.GpuQuery.make(*self._gpu, statement, files, groups, self._asked)

    def _ask(self, method, *arguments):
        getattr(self._query, method)(*arguments)
        self._asked.append((method, *arguments))
        return self

    def partitions(self, target_bytes: int = TARGET_BYTES) -> list[Partition]:
        """The rows in parts of about so many bytes of the tables' text (of stored bytes, where
        they were not made from text exactly), in order, for other processes and machines. A part
        has some row groups of a file; those that the conditions rule out by what their directories
        tell are in no part, if possible. All parts together give the rows of this query.

        Only of where() and select() of one table, or several files of it: raises ArgumentError for
        groups, joins, an order, a limit and sql(), which are for the engine that has the parts, and
        for file objects.
        """
        if self._files is None:
            raise ArgumentError("neither sql() nor a partition can be divided")
        divided = self._query.divide()
        return of_files(
            self._files,
            target_bytes,
            lambda number, target: self._parts(number, target, *divided[number]),
        )

    def _parts(self, number, target_bytes, groups, *file):
        question = tuple(self._asked)
        address = address_of(self._files[number])
        gives_all = not any(method == "where" for method, *_ in question)
        made = []
        some = []

        def end_part():
            while some and not groups[some[-1]][2]:
                some.pop()
            if some:
                rows = sum(groups[group][0] for group in some) if gives_all else None
                plain_bytes = sum(groups[group][1] for group in some)
                place = some[0], some[-1] + 1, *file
                made.append(Partition("rows", address, question, place, rows, plain_bytes))
            some.clear()

        has_bytes = 0
        for group, (_, plain_bytes, is_wanted) in enumerate(groups):
            if some or is_wanted:
                some.append(group)
            has_bytes += plain_bytes
            if has_bytes >= target_bytes:
                end_part()
                has_bytes = 0
        end_part()
        return made

    def run(self) -> dict[str, Any]:
        """Runs it, drops the answer, and tells what was read and how many rows there were; of a
        GPU its name, what it did, and why it did not do the rest."""
        return self._runner().run()

    def explain(self, analyze: bool = False) -> str:
        """How it is run, for people; with `analyze` it is, and what happened is added."""
        return self._runner().explain(bool(analyze))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._runner().stream(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._query.schema()


def quoted(column: str) -> str:
    """A column's name as expressions have it."""
    return '"' + column.replace('"', '""') + '"'


def _opened(file, question, place, columns):
    query = Query([file], place)
    selects = any(method == "select" for method, *_ in question)
    if columns is not None and selects:
        raise ArgumentError("columns= is for queries without select()")
    for method, *arguments in question:
        query._ask(method, *arguments)
    if columns is not None:
        query.select(", ".join(map(quoted, columns)))
    return query


opens_parts("rows", _opened)
