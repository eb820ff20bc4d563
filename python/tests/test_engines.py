# SPDX-License-Identifier: MIT
"""Engines that read lines and rows by themselves: what they filter is left out before they see it,
and their answers are those of the text."""
import datetime
import io
import random
import subprocess
import sys

import pytest

import presso

pyarrow = pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def lines(log_lines):
    """(number, offset, line) of the log."""
    rows, offset = [], 0
    for number, line in enumerate(log_lines, 1):
        rows.append((number, offset, line))
        offset += len(line.encode()) + 1
    return rows


@pytest.fixture(scope="module")
def events(tmp_path_factory):
    """A table with a column of each type, in rising order of some; with nulls."""
    rng = random.Random(6)
    rows = 20_000
    day = datetime.date(2024, 1, 1)
    begin = datetime.datetime(2024, 1, 1)
    table = pyarrow.table(
        {
            "id": pyarrow.array(range(rows), pyarrow.int32()),
            "moment": [begin + datetime.timedelta(seconds=31 * i) for i in range(rows)],
            "day": [day + datetime.timedelta(days=i // 100) for i in range(rows)],
            "city": [rng.choice(["Ulm", "O'Neil \"x\"", None, "Bonn"]) for _ in range(rows)],
            "price": [rng.choice([1.5, 2.0, float("nan"), None]) for _ in range(rows)],
            "a b": [rng.randrange(1000) for _ in range(rows)],
        }
    )
    path = tmp_path_factory.mktemp("events") / "events.presso"
    presso.write_table(table, path, group_rows=1000)
    return path, table


class Asked:
    """What was asked of the library in the meantime."""

    def __init__(self, monkeypatch):
        self.scans = []
        self.conditions = []
        make_scan = presso._native.make_scan

        def scans(files, patterns, asked, part):
            self.scans.append((patterns, asked))
            return make_scan(files, patterns, asked, part)

        ask = presso.Query._ask

        def asks(query, method, *arguments):
            if method == "where":
                self.conditions += arguments
            return ask(query, method, *arguments)

        monkeypatch.setattr(presso._native, "make_scan", scans)
        monkeypatch.setattr(presso.Query, "_ask", asks)

    @property
    def last(self):
        patterns, asked = self.scans[-1]
        return {
            "patterns": patterns,
            "lines": (asked["first_line"], asked["last_line"]),
            "columns": asked["columns"],
        }


@pytest.fixture
def asked(monkeypatch):
    return Asked(monkeypatch)


MOST = (1 << 64) - 1
LINE_QUESTIONS = [
    ("line_number between 5 and 700", lambda n, o, t: 5 <= n <= 700, (5, 700)),
    ("line_number > 59990 or line_number < 3", lambda n, o, t: n > 59990 or n < 3, (1, MOST)),
    ("line_number in (7, 9, 4000)", lambda n, o, t: n in (7, 9, 4000), (7, 4000)),
    ("line_number = 7 and \"offset\" >= 0", lambda n, o, t: n == 7, (7, 7)),
    (
        "line like '%ERROR%' and line_number < 2000",
        lambda n, o, t: "ERROR" in t and n < 2000,
        (1, 1999),
    ),
    ("\"offset\" < 10000", lambda n, o, t: o < 10000, (1, MOST)),
    ("line_number < 0", lambda n, o, t: False, (1, 0)),
    ("line_number <> 5", lambda n, o, t: n != 5, (1, MOST)),
]


@pytest.mark.parametrize("where, wanted, bounds", LINE_QUESTIONS)
def test_duckdb_lines(compressed, lines, asked, where, wanted, bounds):
    duckdb = pytest.importorskip("duckdb")
    log = presso.dataset(compressed)
    found = duckdb.sql(f"select line_number, \"offset\", line from log where {where}").fetchall()
    assert found == [row for row in lines if wanted(*row)]
    assert asked.last["lines"] == bounds
    ((count,),) = duckdb.sql(f"select count(*) from log where {where}").fetchall()
    assert count == len(found)
    assert ("line" in asked.last["columns"]) == ("line like" in where)


def test_duckdb_equal_lines(compressed, lines, asked):
    duckdb = pytest.importorskip("duckdb")
    log = presso.dataset(compressed)
    text = lines[4711][2]
    found = duckdb.sql(f"select line_number from log where line = '{text}'").fetchall()
    assert found == [(n,) for n, _, line in lines if line == text]
    assert asked.last["patterns"] == [b"^" + text.replace("-", "\\-").encode() + b"$"]
    found = duckdb.sql(f"select count(*) from log where line > '{text}'").fetchall()
    assert found == [(sum(line > text for _, _, line in lines),)]
    assert len(duckdb.sql("select line from log limit 3").fetchall()) == 3
    errors = presso.dataset(presso.scan(compressed, "ERROR", columns=["line_number"]))
    assert duckdb.sql("select count(*) from errors").fetchall() == [
        (sum("ERROR" in line for _, _, line in lines),)
    ]


ROW_QUESTIONS = [
    "id between 300 and 1300",
    "id in (5, 19999)",
    "id <> 5",
    "day = date '2024-02-03'",
    "moment >= timestamp '2024-01-02 00:00:00' and moment < timestamp '2024-01-02 03:00:00'",
    "moment > timestamp '2024-01-02 00:00:00.5'",
    "city = 'O''Neil \"x\"'",
    "city in ('Ulm', 'Bonn') and \"a b\" < 100",
    "city is null and id < 4000",
    "city is not null or id = 7",
    "city > 'C' or day < date '2024-01-05'",
    "price > 1.5 and id < 5000",
    "city like 'U%' and id >= 19000",
    "not (id < 100 or \"a b\" > 10)",
]


@pytest.mark.parametrize("where", ROW_QUESTIONS)
def test_duckdb_rows(events, where, asked):
    duckdb = pytest.importorskip("duckdb")
    path, whole = events
    rows = presso.dataset(path)
    with duckdb.connect() as connection:
        connection.register("found", rows)
        connection.register("wanted", whole)

        def answer(columns, source):
            return connection.sql(f"select {columns} from {source} where {where}").fetchall()

        # As text, in which NaNs are alike.
        for columns in ("*", "count(*), min(\"a b\")"):
            assert repr(answer(columns, "found")) == repr(answer(columns, "wanted"))
    understood = not where.startswith(("id <>", "city is not null", "moment > "))
    assert bool(asked.conditions) == understood, asked.conditions


def test_datasets(events, compressed, lines):
    path, table = events
    rows = presso.dataset(path)
    field = pyarrow.dataset.field
    assert rows.schema == pyarrow.schema(presso.query(path))
    assert rows.count_rows() == len(table)
    assert rows.to_table(columns=["id"], filter=field("id") > 19_990)["id"].to_pylist() == list(
        range(19_991, 20_000)
    )
    doubled = rows.to_table(columns={"x": field("id") * 2}, filter=field("city") == "Ulm")
    wanted = table.filter(pyarrow.compute.equal(table["city"], "Ulm"))["id"]
    assert doubled["x"].to_pylist() == [2 * i for i in wanted.to_pylist()]
    assert repr(rows.head(5).to_pylist()) == repr(table.slice(0, 5).to_pylist())
    log = presso.dataset(compressed, target_bytes=1 << 18)
    assert log.count_rows() == len(lines)
    assert log.count_rows(field("line_number") <= 10) == 10
    fragments = list(log.get_fragments())
    assert len(fragments) > 5
    assert sum(fragment.count_rows() for fragment in fragments) == len(lines)
    assert len(list(log.get_fragments(field("line_number") == 77))) == 1
    answer = presso.query(path).group_by("city").aggregate("count(*) as n")
    assert sum(presso.dataset(answer).to_table(columns=["n"])["n"].to_pylist()) == len(table)
    chosen = presso.dataset(presso.query(path).select("id * 2 as x"))
    assert chosen.to_table(filter=field("x") < 4)["x"].to_pylist() == [0, 2]
    with pytest.raises(NotImplementedError):
        rows.filter(field("id") > 3)
    with pytest.raises(presso.ArgumentError, match="options"):
        presso.dataset(path, text=False)


@pytest.mark.parametrize("columns", [None, ["id", "city"], ["city", "id"], ["id", "id"], ["city"]])
def test_columns_without_a_filter(events, columns):
    """What is wanted as it comes does not pass through pyarrow's scanner, all else does; both have
    its methods and can be read once."""
    path, table = events
    rows = presso.dataset(path)
    wanted = repr(table.select(columns or table.column_names).to_pylist())
    is_as_it_comes = columns in (None, ["id", "city"], ["city"])
    for part in (rows, *rows.get_fragments()):
        scanner = part.scanner(columns=columns)
        assert isinstance(scanner, pyarrow.dataset.Scanner) != is_as_it_comes
        reader = scanner.to_reader()
        assert reader.schema.names == (columns or table.column_names)
        assert repr(reader.read_all().to_pylist()) == wanted
        with pytest.raises((StopIteration, pyarrow.ArrowInvalid)):
            scanner.to_reader().read_next_batch()
        assert repr(part.scanner(columns=columns).to_table().to_pylist()) == wanted
        assert part.scanner(columns=columns).count_rows() == len(table)
        assert part.scanner(columns=columns).head(3).num_rows == 3
        scanner = part.scanner(columns=columns, use_threads=True)
        assert isinstance(scanner, pyarrow.dataset.Scanner)


def test_datasets_are_written_by_pyarrow(events, tmp_path):
    """Its threads write the batches in any order."""
    path, table = events
    datasets = pytest.importorskip("pyarrow.dataset")
    datasets.write_dataset(presso.dataset(path), tmp_path / "written", format="arrow")
    written = datasets.dataset(tmp_path / "written", format="arrow").to_table()
    assert repr(written.sort_by("id").to_pylist()) == repr(table.sort_by("id").to_pylist())


def test_parts_as_sources(compressed):
    """Of a part's scan there are the lines of the part, whatever the engine asks."""
    field = pytest.importorskip("pyarrow.dataset").field
    for patterns in ((), ("ERROR",)):
        parts = presso.scan(compressed, *patterns).partitions(1 << 18)
        assert len(parts) > 3
        for part in (parts[0], parts[2]):
            numbers = [match.line_number for match in part.scan()]
            dataset = presso.dataset(part.scan())
            assert dataset.to_table(["line_number"])["line_number"].to_pylist() == numbers
            assert dataset.count_rows() == len(numbers)
            some = dataset.to_table(filter=field("line_number") > numbers[9])
            assert some["line_number"].to_pylist() == numbers[10:]


def test_parts_as_sources_of_polars(compressed):
    polars = pytest.importorskip("polars")
    import presso.polars as presso_polars

    part = presso.scan(compressed).partitions(1 << 18)[1]
    lines = list(part.scan())
    frame = presso_polars.scan(part.scan())
    assert frame.collect().height == len(lines)
    assert frame.select(polars.len()).collect().item() == len(lines)
    found = frame.filter(polars.col("line").str.contains("ERROR")).collect()
    assert found["line_number"].to_list() == [m.line_number for m in lines if b"ERROR" in m.line]


def test_datasets_count_what_they_give(compressed, damaged, log_lines):
    for options in ({}, {"lines": (100, 50_000)}):
        dataset = presso.dataset(damaged, on_error="skip", **options)
        assert dataset.count_rows() == dataset.to_table().num_rows > 0
    with open(compressed, "rb") as file:
        assert presso.dataset(file).count_rows() == len(log_lines)
        assert presso.dataset([compressed, file]).count_rows() == 2 * len(log_lines)


def test_datafusion(compressed, lines, events):
    datafusion = pytest.importorskip("datafusion")
    context = datafusion.SessionContext()
    context.register_dataset("log", presso.dataset(compressed, target_bytes=1 << 18))
    context.register_dataset("events", presso.dataset(events[0], target_bytes=1))
    for text, wanted in (
        ("select count(*) as n from log", len(lines)),
        ("select count(*) as n from log where line like '%ERROR%' and line_number < 20000",
         sum("ERROR" in t and n < 20_000 for n, _, t in lines)),
        ("select count(line) as n from log where line_number between 5 and 9", 5),
        ("select count(*) as n from events where id >= 100 and id < 3000", 2900),
    ):
        assert context.sql(text).to_pydict() == {"n": [wanted]}


def polars_questions(polars):
    line, number = polars.col("line"), polars.col("line_number")
    return [
        (line.str.contains("timeout|retry"), [b"timeout|retry"]),
        (line.str.contains("host[35] .*id=9+"), [b"host(?:(?s-u:.){1,4}) (?:(?s-u:.){1,4})*id=9+"]),
        (line.str.contains("ERROR", literal=True) & (number < 5000), [b"ERROR"]),
        (line.str.starts_with("2024-01-07"), [b"^2024\\-01\\-07"]),
        (line.str.ends_with("id=77"), [b"id=77$"]),
        (line.str.contains(r"\d{6}$"), [b"(?:(?s-u:.){1,4}){6}$"]),
        (line.str.contains("(?i)error"), [b""]),
        (line.str.contains("gr\u00fc\u00dfe"), ["gr\u00fc\u00dfe".encode()]),
        (~line.str.contains("ERROR"), [b""]),
        (line.str.contains("ERROR") | line.str.contains("ok", literal=True), [b"ERROR", b"ok"]),
        (line.str.contains("ERROR") | (number > 9), [b""]),
        (line.str.contains("o") & line.str.contains("timeout"), [b"timeout"]),
        (line.str.to_uppercase().str.contains("TIMEOUT"), [b""]),
        (number.is_between(10, 20), [b""]),
        (5 > number, [b""]),
        (line.str.contains(r"\bok\b"), [b"(?:)ok(?:)"]),
        (line.str.contains("\ufffd", literal=True), [b""]),
    ]


@pytest.mark.parametrize("number", range(17))
def test_polars_lines(compressed, lines, asked, number):
    polars = pytest.importorskip("polars")
    from presso import polars as presso_polars

    whole = polars.DataFrame(
        [(str(compressed), *row) for row in lines],
        ["path", "line_number", "offset", "line"],
        orient="row",
    )
    predicate, patterns = polars_questions(polars)[number]
    frame = presso_polars.scan(compressed).filter(predicate)
    assert frame.collect().equals(whole.filter(predicate))
    assert asked.last["patterns"] == patterns
    some = frame.select("line_number").collect()
    assert some.equals(whole.filter(predicate).select("line_number"))
    assert "path" not in asked.last["columns"]


def test_polars_bounds_and_limits(compressed, lines, asked):
    polars = pytest.importorskip("polars")
    from presso import polars as presso_polars

    number = polars.col("line_number")
    presso_polars.scan(compressed).filter(number.is_between(10, 20, closed="left")).collect()
    assert asked.last["lines"] == (10, 19)
    presso_polars.scan(compressed).filter((5 > number) & (number > 2)).collect()
    assert asked.last["lines"] == (3, 4)
    head = presso_polars.scan(compressed).head(3).collect()
    assert head["line_number"].to_list() == [1, 2, 3]
    found = presso_polars.scan(presso.scan(compressed, "ERROR")).select(polars.len()).collect()
    assert found.item() == sum("ERROR" in line for _, _, line in lines)
    none = presso_polars.scan(compressed).filter(number < 0).collect()
    assert none.height == 0 and none.columns == ["path", "line_number", "offset", "line"]
    with pytest.raises(polars.exceptions.ComputeError):
        presso_polars.scan(compressed).filter(polars.col("line").str.contains("a(b")).collect()


def test_polars_limits_end_the_search():
    pytest.importorskip("polars")
    from presso import polars as presso_polars

    class Source(io.BytesIO):
        read_bytes = 0

        def read(self, size=-1):
            self.read_bytes += size
            return super().read(size)

    rng = random.Random(9)
    source = Source(b"".join(b"%b\n" % rng.randbytes(500).hex().encode() for _ in range(40_000)))
    frame = presso_polars.scan(presso.scan(source, threads=1))
    assert frame.head(3).collect().height == 3
    assert source.read_bytes < len(source.getvalue()) / 2


def test_polars_rows(events, asked):
    polars = pytest.importorskip("polars")
    from presso import polars as presso_polars

    path, table = events
    whole = polars.DataFrame(table)
    column = polars.col
    for predicate, is_understood in (
        (column("id").is_between(300, 1300), True),
        ((column("city") == "Ulm") & (column("price") > 1.0), True),
        (column("price") > 1.0, False),
        (column("city").is_null(), False),
        ((column("a b") < 10) | (column("city") == "O'Neil \"x\""), True),
        ((column("a b") < 10) | (column("price") == 2.0), False),
        (column("city").str.starts_with("U"), False),
    ):
        asked.conditions.clear()
        assert presso_polars.scan(path).filter(predicate).collect().equals(whole.filter(predicate))
        assert bool(asked.conditions) == is_understood
    assert presso_polars.scan(path).select("a b").head(2).collect().height == 2


def test_bytes_that_are_no_text(tmp_path):
    """Filters are of the column, which has U+FFFD where the file has other bytes."""
    polars = pytest.importorskip("polars")
    from presso import polars as presso_polars

    path = tmp_path / "bytes"
    path.write_bytes(b"a\xffb\na\xf0\x9f\x98\x80b\n\xffb\na\xc3\nab\n\xe2\x82b a\n")
    whole = polars.DataFrame(pyarrow.table(presso.scan(path)))
    line = polars.col("line")
    patterns = ["a.b", "a[^x]b", r"^\Wb", "a.$", "^.b", "a\ufffdb", r"\W{2}b", "a.+b", "(a.b|b.a)"]
    for pattern in patterns:
        predicate = line.str.contains(pattern)
        found = presso_polars.scan(path).filter(predicate).collect()
        assert found.equals(whole.filter(predicate)), pattern
        assert found.height > 0, pattern


def test_random_expressions(tmp_path):
    """What is asked of the library matches at least what Rust's expression does."""
    polars = pytest.importorskip("polars")
    from presso._pushed import wider_expression

    rng = random.Random(8)
    alphabet = ["a", "b", "\u00fc", " ", "-", "1", "\ufffd"]
    texts = ["".join(rng.choices(alphabet, k=rng.randrange(12))) for _ in range(300)]
    path = tmp_path / "text"
    path.write_bytes("\n".join(texts).encode().replace("\ufffd".encode(), b"\xfe"))
    pieces = ["a", "b", "\u00fc", "ab", ".", "[ab]", "[^a]", r"\d", r"\w", r"\s", r"\b", "-", r"\-"]
    pieces += ["(a|b.)", "(?:ab)", "[\u00fc1]", "^", "$"]
    frame = polars.DataFrame({"line": texts})
    known = 0
    for _ in range(400):
        piece = lambda: rng.choice(pieces) + rng.choice(["", "", "", "*", "+", "?", "{2}", "{1,3}"])
        expression = "".join(piece() for _ in range(rng.randrange(1, 5)))
        try:
            wanted = frame.filter(polars.col("line").str.contains(expression))["line"].to_list()
        except polars.exceptions.ComputeError:
            continue
        wider = wider_expression(expression)
        assert wider is not None
        try:
            found = presso.scan(path, wider)
        except presso.ArgumentError:
            continue
        known += 1
        found = pyarrow.table(found)["line"].to_pylist()
        assert set(wanted) <= set(found), (expression, wider)
    assert known > 200


def test_filters_that_are_not_understood():
    from presso._read_filter import tree_of

    field = pyarrow.dataset.field
    schema = pyarrow.schema(
        [("a", "int64"), ("a == 1) and (a", "int64"), ("s", "string"), ("x)", "int64")]
    )
    assert tree_of((field("a") == 1) & (field("s") < "b\")"), schema) == (
        "and",
        ("=", "a", 1),
        ("<", "s", "b\")"),
    )
    for unknown in (field("a") + 1 == 2, ~(field("a") == 1), field("s") == 1.5, field(0) == 1):
        assert tree_of(unknown, schema) is None
    # Of the same text as a known one.
    assert tree_of(field("a") == pyarrow.scalar(1, pyarrow.int8()), schema) is None
    tricky = field("a == 1) and (a") == 1
    assert tree_of(tricky, schema) in (None, ("=", "a == 1) and (a", 1))
    assert tree_of(field("x)") == 1, schema) == ("=", "x)", 1)
    deep = field("a") == 1
    for _ in range(2000):
        deep = deep & (field("a") == 1)
    assert tree_of(deep, schema) is None


STOPS_EARLY = """
import sys
import duckdb, polars, presso, presso.polars
log = presso.dataset(sys.argv[1])
for _ in range(5):
    assert len(duckdb.sql("select line from log limit 2").fetchall()) == 2
    assert presso.polars.scan(sys.argv[1]).head(2).collect().height == 2
"""


def test_engines_that_stop_early_end_cleanly(compressed):
    pytest.importorskip("duckdb")
    pytest.importorskip("polars")
    for _ in range(3):
        command = [sys.executable, "-c", STOPS_EARLY, str(compressed)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")


def test_fragments_of_what_cannot_be_divided(log_lines, compressed, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    part = presso.scan(compressed, "ERROR").partitions(1 << 18)[1]
    table = tmp_path / "t.presso"
    presso.write_table(pyarrow.table({"a": [1, 2, 2], "b": ["x", "y", "z"]}), table)
    with open(table, "rb") as file:
        for asked in (
            part.scan(),
            presso.scan(compressed, limit=10),
            presso.sql(f"select a, count(*) as n from '{table}' group by a"),
            presso.query(table).partitions()[0].scan(),
            presso.query(file),
        ):
            whole = pyarrow.table(asked)
            dataset = presso.dataset(asked)
            (fragment,) = dataset.get_fragments()
            assert fragment.scanner().to_table() == whole
            assert fragment.to_table() == whole
            assert pyarrow.Table.from_batches(fragment.to_batches()) == whole
            assert fragment.head(2) == whole.slice(0, 2)
            name = whole.column_names[0]
            assert fragment.scanner(columns=[name]).to_table() == whole.select([name])
            assert fragment.to_table(columns=[name]) == whole.select([name])
            assert fragment.count_rows() == whole.num_rows
