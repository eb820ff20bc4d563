# SPDX-License-Identifier: MIT
"""presso.query(), presso.sql(), and the Query that they return.

A Query records what is asked; python/src/query.cpp runs it. It also divides a question into parts
for other processes and merges their partial answers. sql() cannot be divided, and what cannot be
put together again is declined (see partitions()). Tested by python/tests/test_tables.py,
test_partitions.py, test_partial.py, test_joined_parts.py and test_dictionaries.py.
"""

from __future__ import annotations

import functools
from typing import Any

from presso import _native
from presso._arguments import MOST_THREADS, text, whole
from presso._files import Sources, address_of, hidden, open_address, open_files
from presso._gpu import gpu_of
from presso._partition import TARGET_BYTES, Partition, of_files, opens_parts, table_of
from presso.errors import ArgumentError, UnsupportedError

_MOST_BUCKETS = 1 << 20
#: The bits that number the groups of a part; the part's own number stands above them.
_GROUPS_BITS = 32
#: The most files of joined tables that a process keeps open for later parts.
_KEPT_FILES = 64
#: The calls that neither drop nor combine rows, so that a part knows how many it gives.
_PLAIN = ("from", "alias", "select", "set_options")
#: The calls on which no state of a group depends, so that they may change before merging.
_LATER = ("having", "order_by", "limit", "set_options")


def query(sources: Sources) -> Query:
    """A Query of the rows of a table, or of several files with the same columns."""
    return Query(open_files(sources))


def sql(
    statement: str,
    *,
    threads: int = 0,
    memory_bytes: int = 0,
    device: str = "cpu",
    union_by_name: bool = False,
) -> Query:
    """A Query of one statement over files: "select city, sum(price) from 'orders.presso' group by
    city". A name may be a pattern ('logs/*.presso'), a folder, of which all tables below it are
    read, or read_presso(['a.presso', 'b.presso']). Columns of several files are matched by their
    names and get a common type; with `union_by_name` those that a file lacks are null. Subqueries
    and everything else that has to be answered first is answered now, with `threads` and
    `memory_bytes`. Raises ArgumentError with the place that is wrong."""
    made = Query.__new__(Query)
    text("statement", statement)
    limits = whole("threads", threads, MOST_THREADS), whole("memory_bytes", memory_bytes)
    try:
        made._query = _native.Query.of_statement(
            statement, open_files, *limits, bool(union_by_name)
        )
    except ArgumentError as error:
        # Its text shows the statement, with the URLs that are in it, and the place below it.
        raise error.with_text(hidden(str(error))) from None
    made._files, made._joined, made._asked = None, [], []
    made._begun = None
    made._why_cpu = "statements of several queries, or of tables of several files, run on the CPU"
    if made._query.is_plain():
        made._begun = statement, made._query.files()
    return made.options(threads=threads, memory_bytes=memory_bytes, device=device)


class Query:
    """Rows, groups or joins of tables. Methods add to the question and return it; nothing is read
    before the answer is used: by any library that reads Arrow's streams
    (`pyarrow.table(query)`, `polars.DataFrame(query)`), each time anew, or by run(). It cannot be
    changed while another thread is in run() or explain()."""

    #: Why no GPU can be asked, where that is so.
    _why_cpu = "partitions run on the CPU"

    def __init__(self, files: list[_native.OpenedFile], groups: Any = None):
        self._query = _native.Query.from_files(files, groups)
        # The first table's and those of joined ones: what partitions ask again; None where they
        # cannot.
        self._files = files if groups is None else None
        self._joined = []
        self._asked = []
        # What a GPU is asked from the start; None if it cannot be asked.
        self._begun = ("", files) if groups is None else None
        self._gpu = None

    def alias(self, name: str) -> Query:
        """Names the last table, so that its columns can be qualified by that name."""
        return self._ask("alias", text("name", name))

    def join(self, sources: Sources, on: str, how: str = "inner") -> Query:
        """Joins a table: `on` is "a = b, c = d", a column that both have, or a condition with an
        equality; `how`: inner, left, right, full, semi or anti."""
        asked = text("how", how), text("on", on)
        files = open_files(sources)
        self._ask("join", files, *asked)
        self._joined.append(files)
        return self

    def where(self, condition: str) -> Query:
        """Keeps the rows for which the condition is true; several conditions must all be true."""
        return self._ask("where", text("condition", condition))

    def select(self, columns: str) -> Query:
        """Sets the answer's columns: "city, price * 2 as double"."""
        return self._ask("select", text("columns", columns))

    def distinct(self) -> Query:
        """Leaves out rows of the answer that are equal to an earlier one."""
        return self._ask("distinct")

    def group_by(self, keys: str) -> Query:
        """Groups the rows by these columns or expressions."""
        return self._ask("group_by", text("keys", keys))

    def aggregate(self, columns: str) -> Query:
        """Adds to the answer's columns: "sum(price) as revenue, count(*)"."""
        return self._ask("aggregate", text("columns", columns))

    def having(self, condition: str) -> Query:
        """Keeps the groups for which the condition is true."""
        return self._ask("having", text("condition", condition))

    def order_by(self, keys: str) -> Query:
        """Sorts the answer: "revenue desc, city"."""
        return self._ask("order_by", text("keys", keys))

    def limit(self, rows: int, offset: int = 0) -> Query:
        """At most `rows` rows, after the first `offset` have been passed over."""
        return self._ask("limit", whole("rows", rows), whole("offset", offset))

    def options(
        self,
        *,
        threads: int = 0,
        memory_bytes: int = 0,
        device: str = "cpu",
        dictionaries: bool = False,
    ) -> Query:
        """Threads (0: all), bytes for groups and sorting (0: half of what there is), and where it
        runs: "cpu", or "gpu" or "gpu:1" for a GPU (needs the package presso-gpu). What GPUs are not
        for, the CPU does, for the same answer; run() tells in why_cpu why. Partitions run on the
        CPU. Raises UnsupportedError where presso-gpu is not there; where there is no GPU or it
        fails, running it raises DeviceError.

        `dictionaries`: strings that all row groups of the first table store as dictionaries, of at
        most 32,768 entries, leave as Arrow's dictionaries, whose codes have 32 bits, wherever rows
        are not joined, grouped or sorted. Each batch has the dictionary of its row group, so that
        they differ from batch to batch. Reads the directories of all row groups. Raises
        UnsupportedError together with a GPU."""
        gpu = gpu_of(device)
        if gpu is not None and self._begun is None:
            raise UnsupportedError(self._why_cpu)
        if gpu is not None and dictionaries:
            raise UnsupportedError("dictionaries are given by the CPU only")
        self._gpu = gpu
        return self._ask(
            "set_options",
            whole("threads", threads, MOST_THREADS),
            whole("memory_bytes", memory_bytes),
            self._query.dictionary_columns() if dictionaries else [],
        )

    def column_kinds(self) -> dict[str, str]:
        """The kinds of those columns of the answer that all libraries compare alike: "integer",
        "string", "date" or "timestamp" (without a zone)."""
        return {name: kind for name, kind in self._query.column_kinds() if kind}

    def _runner(self):
        if self._gpu is None:
            return self._query
        return _native.GpuQuery.make(*self._gpu, *self._begun, self._asked)

    def _ask(self, method, *arguments):
        """Passes a call on, and records it if it was accepted."""
        getattr(self._query, method)(*arguments)
        self._asked.append((method, *arguments))
        return self

    def partitions(
        self, target_bytes: int = TARGET_BYTES, *, buckets: int = 0
    ) -> list[Partition]:
        """The question in parts of about `target_bytes` of the tables' text (of stored bytes, where
        they were not made from text exactly), in order, for other processes and machines. A part
        has some row groups of a file; those that the conditions rule out by what their directories
        tell are in no part, if possible.

        Without groups all parts together give the rows of this query. With group_by() or
        aggregates a part gives a partial answer, the states of its groups, and merge() makes the
        answer of them; having(), order_by() and limit() are merge()'s. `buckets`: adds a column
        "bucket", a number below it by a hash of the groups' keys, so that an engine can bring the
        same groups of all parts together and each bucket can be merged alone.

        Of joined tables the one that is read row by row is divided, which is the largest, and each
        part reads the others whole. Raises ArgumentError for what cannot be put together again: an
        order or a limit of rows, count(distinct), full joins, left, semi and anti joins whose first
        table is the smaller one, right joins whose second table is, sql(), and file objects.
        """
        if self._files is None:
            raise ArgumentError("neither sql() nor a partition can be divided")
        buckets = whole("buckets", buckets, _MOST_BUCKETS)
        source, grouped, divided = self._query.divide()
        if buckets and not grouped:
            raise ArgumentError("buckets= is for groups; select bucket(key, 16) of rows")
        form = _order_name(self._question(0)), buckets
        if grouped:
            self._query.partial_schema(form[0], 0, buckets)
        names = self._names(source)
        asked = _Asked(self._question(source), source, names, grouped, form, divided)
        files = [self._files, *self._joined][source]
        return of_files(
            files, target_bytes, lambda number, target: asked.parts(files, number, target)
        )

    def merge(self, partials: Any, *, partial: bool = False, buckets: int = 0) -> Any:
        """The answer of this query, a pyarrow.Table, of partial answers that its partitions have
        given: an iterable of anything that has __arrow_c_stream__, in any order, together or with
        others of them merged before, but each exactly once: one that is given twice counts twice.
        `partial`: gives a partial answer again, of fewer rows, which can be merged with others.
        `buckets`: as in partitions(), of that.

        Where the partial answers are those of one bucket, so is the answer, with an order and a
        limit of its own. having(), order_by() and limit() may be asked or changed after the parts
        were made, with no aggregates but those that the parts have. Partial answers of the same
        question over other files of the first table are taken, so that those of several tables
        can be merged; without order_by(), which groups come first is not promised then. Raises
        ArgumentError for partial answers of other questions, or of other joined files, and for
        states that are cut off.
        """
        if self._files is None:
            raise ArgumentError("neither sql() nor a partition has partial answers")
        given = [partials] if hasattr(partials, "__arrow_c_stream__") else list(partials)
        if not given:
            raise ArgumentError("no partial answers")
        for one in given:
            if not hasattr(one, "__arrow_c_stream__"):
                raise ArgumentError(f"{type(one).__name__} has no __arrow_c_stream__")
        buckets = whole("buckets", buckets, _MOST_BUCKETS)
        if buckets and not partial:
            raise ArgumentError("buckets= is for partial=True: an answer has no buckets")
        streams = [one.__arrow_c_stream__() for one in given]
        order = _order_name(self._question(0))
        merged = self._query.merge(streams, order, buckets, bool(partial))
        # Some errors, such as an overflow, are found only while the answer is made.
        return table_of(_Stream(merged), self._raise_failure)

    def _question(self, source):
        """The calls that a part repeats, with addresses in place of files, and None in place of the
        files of the source that is divided."""
        tables = [self._files, *self._joined]
        addresses = [tuple(map(address_of, files)) for files in tables]
        addresses[source] = None
        rest = iter(addresses)
        question = [("from", next(rest))]
        for method, *arguments in self._asked:
            if method == "join":
                arguments[0] = next(rest)
            question.append((method, *arguments))
        return tuple(question)

    def _names(self, source):
        """Those of the source's files that the question may use, without folders and endings, and
        the first one, by which the answer's columns are called: what a part, which has one of the
        files, needs of the others. There may be thousands of files, and a part is small."""
        tables = [[_stem(file) for file in files] for files in (self._files, *self._joined)]
        names = list(filter(None, tables.pop(source)))
        texts = [one for asked in self._asked for one in asked if isinstance(one, str)]
        # Names that are another table's, or that one may get from its place, are seen as well.
        texts += [name for others in tables for name in others]
        texts += ["left", "right", *(f"t{number + 1}" for number in range(len(tables) + 1))]
        said = "\n".join(texts)
        said += said.replace('""', '"')
        kept = dict.fromkeys([*names[:1], *(name for name in names if name in said)])
        return tuple(name.encode("utf-8", "surrogateescape") for name in kept)

    def __reduce__(self):
        if self._files is None:
            raise ArgumentError("neither sql() nor a partition can be pickled")
        files = tuple(map(address_of, self._files))
        return _pickled, (files, self._question(0))

    def run(self) -> dict[str, Any]:
        """Runs it, drops the answer, and tells what was read and how many rows there were; of a
        GPU its name, what it did, and why it did not do the rest."""
        return self._runner().run()

    def explain(self, analyze: bool = False) -> str:
        """The plan as text for people. With `analyze` the query is run and figures are added."""
        return self._runner().explain(bool(analyze))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._runner().stream(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._query.schema()

    def _raise_failure(self):
        self._query.raise_failure()

    def __repr__(self):
        names = [file.name for file in self._query.files()]
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        return f"<presso.Query of {names[0]!r}{more}>"


def quoted(column: str) -> str:
    """A column's name in the quotes of expressions."""
    return '"' + column.replace('"', '""') + '"'


def _stem(file):
    """A file's name as it qualifies columns."""
    return file.name.rpartition("/")[2].partition(".")[0]


class _Stream:
    """A stream that can be read once."""

    def __init__(self, capsule):
        self._capsule = capsule

    def __arrow_c_stream__(self, requested_schema=None):
        return self._capsule


class PartialQuery:
    """The states of a part's groups, for any library that reads Arrow's streams."""

    def __init__(self, query: Query, form: tuple[str, int, int]):
        self._query = query
        self._form = form

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._query._query.partial(*self._form)

    def __arrow_c_schema__(self) -> object:
        return self._query._query.partial_schema(*self._form)

    def _raise_failure(self):
        self._query._raise_failure()


class _Asked:
    """Makes the parts of one question, file by file."""

    def __init__(self, question, source, names, grouped, form, divided):
        self._question = question
        self._source = source
        self._names = names
        self._kind = "groups" if grouped else "rows"
        self._form = form
        self._divided = divided
        gives_all = len(question) == sum(one[0] in _PLAIN for one in question)
        self._gives_rows = gives_all and not grouped

    def parts(self, files, number, target_bytes):
        """The parts of one file; its row groups are numbered over all files before it."""
        groups, *file = self._divided[number]
        address = address_of(files[number])
        before = sum(len(of_file) for of_file, *_ in self._divided[:number])
        made = []
        for some in self._runs(groups, target_bytes, number):
            first, end = (some[0], some[-1] + 1) if groups else (0, 0)
            rows = sum(groups[one][0] for one in some) if self._gives_rows else None
            plain_bytes = sum(groups[one][1] for one in some)
            about = (*file, self._names)
            place = self._source, first, end, about, before + first, self._form
            made.append(Partition(self._kind, address, self._question, place, rows, plain_bytes))
        return made

    def _runs(self, groups, target_bytes, number):
        """Row groups that follow each other, without those at the ends that are not wanted."""
        runs = []
        some = []
        has_bytes = 0
        for group, (_, plain_bytes, is_wanted) in enumerate(groups):
            if some or is_wanted:
                some.append(group)
            has_bytes += plain_bytes
            if has_bytes >= target_bytes or group + 1 == len(groups):
                while some and not groups[some[-1]][2]:
                    some.pop()
                if some:
                    runs.append(some)
                some, has_bytes = [], 0
        # Without any part, an answer without keys would lack its one row.
        if not runs and self._kind == "groups" and number == 0:
            runs.append([0] if groups else [])
        return runs


def _order_name(question):
    """The name of the column that orders groups. It has a checksum of the calls that make the
    states, so that merge() notices partial answers of another question."""
    import hashlib  # which loads all of OpenSSL

    asked = [one for one in question if one[0] not in _LATER]
    return "order_" + hashlib.blake2b(repr(asked).encode(), digest_size=4).hexdigest()


def _ask_again(question, first, place=None):
    """Makes the query of a question again; `first` are the files of the source that is divided."""
    source, groups = (0, None) if place is None else place
    tables = 0
    for method, *arguments in question:
        if method in ("from", "join"):
            is_divided = tables == source
            files = first if is_divided else [_joined_file(address) for address in arguments[0]]
            tables += 1
            of_part = groups if is_divided else None
            if method == "from":
                query = Query(files, of_part)
            else:
                query._joined.append(files)
                query._query.join(files, *arguments[1:], of_part)
                query._asked.append((method, files, *arguments[1:]))
        else:
            query._ask(method, *arguments)
    if place is not None:
        query._files = query._begun = None
        if tables > 1:
            query._query.divided(source)
    return query


@functools.lru_cache(maxsize=_KEPT_FILES)
def _joined_file(address):
    """Opens a file of a joined table, once for many parts. If it is far away, what was read of it
    is kept as well."""
    return open_address(address)


def _pickled(files, question):
    return _ask_again(question, [open_address(address) for address in files])


def _of_place(file, question, place):
    source, first, end, about, _, _ = place
    return _ask_again(question, [file], (source, (first, end, *about)))


def _opened(file, question, place, columns):
    query = _of_place(file, question, place)
    selects = any(method in ("select", "distinct") for method, *_ in question)
    if columns is not None and selects:
        raise ArgumentError("columns= is for queries without select()")
    if columns is not None:
        query.select(", ".join(map(quoted, columns)))
    return query


def _opened_groups(file, question, place, columns):
    if columns is not None:
        raise ArgumentError("columns= is for rows; partial answers are merged with all of theirs")
    order, buckets = place[-1]
    query = _of_place(file, question, place)
    return PartialQuery(query, (order, place[-2] << _GROUPS_BITS, buckets))


opens_parts("rows", _opened)
opens_parts("groups", _opened_groups)
