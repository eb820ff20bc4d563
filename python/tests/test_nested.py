# SPDX-License-Identifier: MIT
"""Tables of nested and other types of Arrow: what is written comes back with its type."""
import bisect
import datetime
import decimal
import math
import random

import pytest

import presso

pyarrow = pytest.importorskip("pyarrow")

LEAVES = [
    pyarrow.bool_(),
    *(getattr(pyarrow, f"{sign}int{bits}")() for sign in ("", "u") for bits in (8, 16, 32, 64)),
    pyarrow.float32(),
    pyarrow.float64(),
    pyarrow.date32(),
    pyarrow.date64(),
    *(pyarrow.timestamp(unit) for unit in ("s", "ms", "us", "ns")),
    pyarrow.timestamp("us", "Europe/Berlin"),
    pyarrow.decimal32(7, 2),
    pyarrow.decimal64(18, 0),
    pyarrow.decimal128(5, 5),
    pyarrow.decimal128(38, 3),
    pyarrow.decimal256(70, 4),
    pyarrow.string(),
    pyarrow.large_string(),
    pyarrow.string_view(),
    pyarrow.binary(),
    pyarrow.large_binary(),
    pyarrow.binary_view(),
]
KEYS = [one for one in LEAVES if not pyarrow.types.is_floating(one)]
TEXTS = ["", "a", 'a "quoted" one', "back\\slash", "two\nlines\t\x00\x1f", "K\u00f6ln \U0001f600"]
TEXTS += ["null", "a string of more than twelve bytes", '{"not": ["json"'] + list("[]{},:")


def a_field(rng, name, depth):
    type_ = a_type(rng, depth)
    return pyarrow.field(name, type_, pyarrow.types.is_null(type_) or rng.random() < 0.8)


def a_type(rng, depth):
    """A random type with at most `depth` types around the innermost one."""
    if depth == 0 or rng.random() < 0.2:
        return rng.choice([*LEAVES, pyarrow.null()])
    kind = rng.choice(["list", "list", "fixed", "struct", "struct", "map", "codes", "runs"])
    inner = depth - 1
    if kind == "list":
        of = rng.choice(
            [pyarrow.list_, pyarrow.large_list, pyarrow.list_view, pyarrow.large_list_view]
        )
        return of(a_field(rng, rng.choice(["item", "element", ""]), inner))
    if kind == "fixed":
        return pyarrow.list_(a_field(rng, "item", inner), rng.randrange(1, 4))
    if kind == "struct":
        names = [rng.choice(["a", "b", "a b", 'c"d', "", "a"]) for _ in range(rng.randrange(4))]
        return pyarrow.struct([a_field(rng, name, inner) for name in names])
    if kind == "map":
        key = rng.choice(KEYS) if rng.random() < 0.8 else pyarrow.struct([("k", rng.choice(KEYS))])
        return pyarrow.map_(pyarrow.field("key", key, False), a_field(rng, "value", inner))
    leaf = rng.choice(LEAVES)
    if kind == "codes":
        width = rng.choice([pyarrow.int8(), pyarrow.uint8(), pyarrow.int16(), pyarrow.int32()])
        return pyarrow.dictionary(width, leaf, rng.random() < 0.3)
    return pyarrow.run_end_encoded(rng.choice([pyarrow.int16(), pyarrow.int64()]), leaf)


def a_value(rng, type_):
    """A random value of a type in LEAVES."""
    is_ = pyarrow.types
    if is_.is_boolean(type_):
        return rng.random() < 0.5
    if is_.is_integer(type_):
        signed = is_.is_signed_integer(type_)
        least = -(1 << type_.bit_width - 1) if signed else 0
        most = least + (1 << type_.bit_width) - 1
        return rng.choice([least, most, 0, rng.randint(least, most), max(least, -1)])
    if is_.is_floating(type_):
        odd = [math.nan, math.inf, -math.inf, -0.0, 0.0, 1.0, 1e-30, 1e30, 0.1]
        return rng.choice([*odd, rng.gauss(0, 1), rng.gauss(0, 1e9)])
    if is_.is_date(type_):
        return datetime.date(1, 1, 1) + datetime.timedelta(days=rng.randrange(3652059))
    if is_.is_timestamp(type_):
        return rng.choice([0, -1, 1, rng.randrange(-(10**9), 10**9)])
    if is_.is_decimal(type_):
        digits = min(type_.precision, 38)
        whole = rng.randrange(-(10**digits) + 1, 10 ** rng.randint(1, digits))
        with decimal.localcontext() as context:
            context.prec = 80
            return decimal.Decimal(whole).scaleb(-type_.scale)
    text = rng.choice(TEXTS)
    is_text = is_.is_string(type_) or is_.is_large_string(type_) or is_.is_string_view(type_)
    return text if is_text else text.encode() + bytes([rng.randrange(256)])


def nulls(rng, rows, nullable):
    """A mask of Arrow's: true where a row is null."""
    share = rng.choice([0, 0, 0.2, 1]) if nullable else 0
    return pyarrow.array([rng.random() < share for _ in range(rows)], pyarrow.bool_())


def an_array(rng, type_, rows, nullable=True):
    """A random array, often a slice of a longer one."""
    before = rng.choice([0, 0, 1, 3, 9])
    made = a_whole_array(rng, type_, before + rows + rng.choice([0, 2]), nullable)
    return made.slice(before, rows)


def a_whole_array(rng, type_, rows, nullable):
    is_ = pyarrow.types
    mask = nulls(rng, rows, nullable)
    if is_.is_null(type_):
        return pyarrow.nulls(rows)
    if is_.is_dictionary(type_):
        entries = an_array(rng, type_.value_type, 5, False)
        codes = [None if null else rng.randrange(5) for null in mask.to_pylist()]
        codes = pyarrow.array(codes, type_.index_type)
        return pyarrow.DictionaryArray.from_arrays(codes, entries, ordered=type_.ordered)
    if is_.is_run_end_encoded(type_):
        ends = sorted({*(rng.randrange(1, rows + 1) for _ in range(rows // 2)), rows} - {0})
        values = an_array(rng, type_.value_type, len(ends), nullable)
        ends = pyarrow.array(ends, type_.run_end_type)
        return pyarrow.RunEndEncodedArray.from_arrays(ends, values, type_)
    if is_.is_struct(type_):
        children = [an_array(rng, one.type, rows, one.nullable) for one in type_]
        if not children:
            return pyarrow.array([None if null else {} for null in mask.to_pylist()], type_)
        return pyarrow.StructArray.from_arrays(children, fields=list(type_), mask=mask)
    if is_.is_fixed_size_list(type_):
        child = an_array(rng, type_.value_type, rows * type_.list_size, type_.value_field.nullable)
        return pyarrow.FixedSizeListArray.from_arrays(child, type=type_, mask=mask)
    sizes = [rng.choice([0, 1, 2, 5]) for _ in range(rows)]
    offsets = [sum(sizes[:row]) for row in range(rows + 1)]
    wide = is_.is_large_list(type_) or is_.is_large_list_view(type_)
    width = pyarrow.int64() if wide else pyarrow.int32()
    if is_.is_map(type_):
        keys = an_array(rng, type_.key_type, offsets[-1], False)
        items = an_array(rng, type_.item_type, offsets[-1], type_.item_field.nullable)
        offsets = pyarrow.array(offsets, width)
        return pyarrow.MapArray.from_arrays(offsets, keys, items, type_, mask=mask)
    if is_.is_list(type_) or is_.is_large_list(type_):
        of = pyarrow.LargeListArray if wide else pyarrow.ListArray
        child = an_array(rng, type_.value_type, offsets[-1], type_.value_field.nullable)
        return of.from_arrays(pyarrow.array(offsets, width), child, type=type_, mask=mask)
    if is_.is_list_view(type_) or is_.is_large_list_view(type_):
        of = pyarrow.LargeListViewArray if wide else pyarrow.ListViewArray
        child = an_array(rng, type_.value_type, offsets[-1], type_.value_field.nullable)
        order = list(range(rows))
        rng.shuffle(order)
        offsets = pyarrow.array([offsets[row] for row in order], width)
        sizes = pyarrow.array([sizes[row] for row in order], width)
        return of.from_arrays(offsets, sizes, child, type=type_, mask=mask)
    values = [None if null else a_value(rng, type_) for null in mask.to_pylist()]
    return pyarrow.array(values, type_)


def kept(type_, outermost=True):
    """The type that a type comes back as: decimals of 128 bits, and plain strings as large ones."""
    is_ = pyarrow.types
    if is_.is_decimal(type_):
        return pyarrow.decimal128(min(type_.precision, 38), type_.scale)
    if outermost and is_.is_string(type_):
        return pyarrow.large_string()
    if outermost and is_.is_binary(type_):
        return pyarrow.large_binary()
    if is_.is_dictionary(type_):
        return pyarrow.dictionary(type_.index_type, kept(type_.value_type, False), type_.ordered)
    if is_.is_run_end_encoded(type_):
        return pyarrow.run_end_encoded(type_.run_end_type, kept(type_.value_type, False))
    if is_.is_struct(type_):
        return pyarrow.struct([one.with_type(kept(one.type, False)) for one in type_])
    if is_.is_map(type_):
        key, item = (
            one.with_type(kept(one.type, False)) for one in (type_.key_field, type_.item_field)
        )
        return pyarrow.map_(key, item, type_.keys_sorted)
    if not is_.is_nested(type_):
        return type_
    inner = type_.value_field.with_type(kept(type_.value_type, False))
    if is_.is_fixed_size_list(type_):
        return pyarrow.list_(inner, type_.list_size)
    of = {
        "list": pyarrow.list_,
        "large_list": pyarrow.large_list,
        "list_view": pyarrow.list_view,
        "large_list_view": pyarrow.large_list_view,
    }
    return of[str(type_).partition("<")[0]](inner)


def values(array):
    """The values as lists, tuples and scalars, whose text tells NaN and -0 apart from others.
    to_pylist() declines members of one name."""
    is_ = pyarrow.types
    if isinstance(array, pyarrow.ChunkedArray):
        return [value for chunk in array.chunks for value in values(chunk)]
    valid = array.is_valid().to_pylist()
    if is_.is_dictionary(array.type):
        entries = values(array.dictionary)
        codes = array.indices.to_pylist()
        return [entries[code] if there else None for code, there in zip(codes, valid)]
    if is_.is_run_end_encoded(array.type):
        of_runs, ends = values(array.values), array.run_ends.to_pylist()
        return [of_runs[bisect.bisect_right(ends, array.offset + i)] for i in range(len(array))]
    if is_.is_struct(array.type):
        members = [values(array.field(i)) for i in range(array.type.num_fields)]
        rows = zip(*members) if members else [()] * len(array)
        return [row if there else None for row, there in zip(rows, valid)]
    if is_.is_nested(array.type):
        return [values(one.values) if there else None for one, there in zip(array, valid)]
    return array.to_pylist()


def comes_back(tmp_path, table):
    path = tmp_path / "t.presso"
    presso.write_table(table, path, overwrite=True, group_rows=1024)
    back = pyarrow.table(presso.open(path).table())
    back.validate(full=True)
    for wanted, found in zip(table.schema, back.schema, strict=True):
        assert found.type == kept(wanted.type)
    for name in table.column_names:
        assert repr(values(back[name])) == repr(values(table[name])), table.schema.field(name).type
    return back


@pytest.mark.parametrize("seed", range(60))
def test_random_types_come_back(tmp_path, seed):
    rng = random.Random(seed)
    fields = [a_field(rng, f"c{number}", rng.randrange(4)) for number in range(6)]
    chunks = []
    for _ in range(rng.choice([1, 1, 3])):
        rows = rng.choice([1, 2, 7, 40])
        arrays = [an_array(rng, one.type, rows, one.nullable) for one in fields]
        chunks.append(pyarrow.RecordBatch.from_arrays(arrays, schema=pyarrow.schema(fields)))
    comes_back(tmp_path, pyarrow.Table.from_batches(chunks))


def written(tmp_path, data):
    path = tmp_path / "t.presso"
    presso.write_table(data, path, overwrite=True)
    return path


def test_odd_types_come_back(tmp_path):
    empty = pyarrow.array([{}, None], pyarrow.struct([]))
    none = pyarrow.array([[], None], pyarrow.list_(pyarrow.int8(), 0))
    deep = pyarrow.list_(pyarrow.list_(pyarrow.list_(pyarrow.int8())))
    deep = pyarrow.array([[[[1], None], None], None], deep)
    comes_back(tmp_path, pyarrow.table({"e": empty, "n": none, "d": deep, "null": [None, None]}))
    comes_back(tmp_path, pyarrow.table({"e": empty, "n": none, "d": deep}).slice(0, 0))


def test_values_that_do_not_fit_are_named(tmp_path):
    wide = pyarrow.array([1, 10**40], pyarrow.decimal256(60, 0))
    with pytest.raises(presso.ArgumentError, match="column 'a' .*row 2: a decimal has more"):
        written(tmp_path, pyarrow.table({"a": wide}))
    with pytest.raises(presso.ArgumentError, match="column 'a' .*row 4: a decimal has more"):
        lists = pyarrow.array([[1], [2], [3], [10**40]], pyarrow.list_(wide.type))
        written(tmp_path, pyarrow.table({"a": lists}))
    others = {"tts": "time32[s]", "tDu": "duration[us]", "tin": "month_day_nano_interval"}
    for name, type_ in others.items():
        inner = pyarrow.array([None], type_)
        said = f"column 'a': the Arrow type `{name}`"
        for column in (inner, pyarrow.StructArray.from_arrays([inner], ["x"])):
            with pytest.raises(presso.UnsupportedError, match=said):
                written(tmp_path, pyarrow.table({"a": column}))


def test_dictionaries_that_differ_are_cut(tmp_path):
    """Their codes have eight bits, and all batches together have more values than those number."""
    batches = [
        pyarrow.record_batch({"d": pyarrow.array([f"{first + i}" for i in range(100)])
                              .dictionary_encode().cast(pyarrow.dictionary("int8", "string"))})
        for first in range(0, 1000, 100)
    ]  # fmt: skip
    table = pyarrow.Table.from_batches(batches)
    back = pyarrow.table(presso.query(written(tmp_path, table)))
    assert back.schema == table.schema
    assert back["d"].to_pylist() == table["d"].to_pylist()


def test_entries_of_dictionaries_keep_their_order(tmp_path):
    for entries in (["low", "middle", "high"], [3, 1, 2], [2.5, math.nan, -0.0], [True, False],
                    [datetime.date(2024, 1, 2), datetime.date(1, 1, 1)]):  # fmt: skip
        codes = pyarrow.array([1, None, 0, 1], pyarrow.int8())
        entries = pyarrow.array(entries)
        if pyarrow.types.is_date(entries.type):
            entries = entries.cast(pyarrow.date64())
        column = pyarrow.DictionaryArray.from_arrays(codes, entries, ordered=True)
        lists = pyarrow.ListArray.from_arrays([0, 1, 4], column)
        for one in (column, lists, pyarrow.array(["x"]).dictionary_encode()):
            back = comes_back(tmp_path, pyarrow.table({"c": one}))["c"].chunk(0)
            wanted, found = (getattr(of, "values", of) for of in (one, back))
            assert repr(found.dictionary.to_pylist()) == repr(wanted.dictionary.to_pylist())
            assert found.indices.equals(wanted.indices)


def test_dictionaries_of_other_files_are_asked_together(tmp_path):
    paths = [tmp_path / name for name in ("a.presso", "b.presso")]
    for path, word in zip(paths, "uv"):
        table = pyarrow.table({"c": pyarrow.array([word, None]).dictionary_encode()})
        presso.write_table(table, path)
    both = tmp_path / "both.presso"
    both.write_bytes(b"".join(path.read_bytes() for path in paths))
    for source in (paths, both):
        found = pyarrow.table(presso.query(source))
        assert found.schema == table.schema
        assert found["c"].to_pylist() == ["u", None, "v", None]


@pytest.fixture
def nested(tmp_path):
    member = pyarrow.struct([("x", pyarrow.int64()), ("y", pyarrow.string())])
    floats = pyarrow.map_(pyarrow.string(), pyarrow.float64())
    columns = {
        "i": pyarrow.array([1, 2, 3]),
        "s": pyarrow.array([{"x": 7, "y": "p"}, None, {"x": None, "y": "q"}], member),
        "l": pyarrow.array([[1, 2], [], None], pyarrow.list_(pyarrow.int32())),
        "ls": pyarrow.array([[{"x": 1, "y": "a"}], None, [{"x": 2, "y": None}, None]],
                            pyarrow.list_(member)),
        "m": pyarrow.array([[("k", 1.5)], [], None], floats),
        "c": pyarrow.array(["u", "v", None]).dictionary_encode(),
    }  # fmt: skip
    table = pyarrow.table(columns)
    return written(tmp_path, table), table


def test_queries_look_into_nested_values(nested):
    path, _ = nested

    def rows(statement):
        found = pyarrow.table(presso.sql(statement.replace("TABLE", f"'{path}' t")))
        return [tuple(row.values()) for row in found.to_pylist()]

    assert rows("select s.x, s.y, l[1], m.k from TABLE") == [
        (7, "p", 1, 1.5), (None, None, None, None), (None, "q", None, None)
    ]  # fmt: skip
    assert rows("select sum(s.x) * 2 a, max(l[2]) b from TABLE") == [(14, 2)]
    assert rows("select i, e from TABLE, unnest(l) as u(e)") == [(1, 1), (1, 2)]
    wanted = [(1, "a"), (2, None), (None, None)]
    assert rows("select e.x, e.y from TABLE, unnest(ls) as u(e)") == wanted
    assert rows("select s->'y', s->>'y', json_array_length(l) from TABLE where i = 1") == [
        ('"p"', "p", 2)
    ]
    assert rows("select l::text from TABLE") == [("[1,2]",), ("[]",), (None,)]


def test_columns_that_are_handed_on_keep_their_types(nested):
    path, table = nested
    every = "i, s, l, ls, m, c"
    for statement in (
        f"select {every} from T order by i",
        f"with w as (select * from T) select {every} from w order by i",
        f"select {every} from T union all select {every} from T limit 3",
        f"select {every} from T group by all order by i",
        f"select * from (select {every}, row_number() over (order by i) r from T) where r < 9 "
        "order by i",
    ):
        found = pyarrow.table(presso.sql(statement.replace(" T", f" '{path}'")))
        assert found.select(table.column_names).schema == table.schema, statement
        assert found.select(table.column_names).to_pylist() == table.to_pylist(), statement
    changes = "coalesce(l, '[]')", "case when i = 1 then l else ls end", "upper(c)", "c || 'x'"
    for change in changes:
        found = pyarrow.table(presso.sql(f"select {change} a from '{path}'"))
        assert not pyarrow.types.is_nested(found.schema.field("a").type), change
        assert not pyarrow.types.is_dictionary(found.schema.field("a").type), change


def test_lists_that_queries_make_are_lists(nested):
    path, table = nested
    found = pyarrow.table(
        presso.sql(f"select list(i) i, list(c) c, list(l) l, list(i / 2) h from '{path}'")
    )
    item = pyarrow.list_(pyarrow.int64())
    assert found.schema.types[0] == item
    assert found.schema.field("l").type == pyarrow.list_(pyarrow.list_(pyarrow.int32()))
    assert found.to_pylist() == [
        {"i": [1, 2, 3], "c": ["u", "v", None], "l": [[1, 2], [], None], "h": [0.5, 1.0, 1.5]}
    ]


def test_datasets_have_types_that_pyarrow_filters(tmp_path):
    compute = pytest.importorskip("pyarrow.compute")
    view = pyarrow.string_view()
    member = pyarrow.struct([("a", pyarrow.binary_view())])
    table = pyarrow.table(
        {
            "i": range(6),
            "v": pyarrow.array(["x", None, "a string of more than twelve"] * 2, view),
            "l": pyarrow.array([["x"], None, []] * 2, pyarrow.list_(view)),
            "s": pyarrow.array([{"a": b"x"}, None] * 3, member),
            "c": pyarrow.array(["u", None, "w"] * 2).dictionary_encode(),
        }
    )  # fmt: skip
    dataset = presso.dataset(written(tmp_path, table))
    assert dataset.schema.field("v").type == pyarrow.large_string()
    assert dataset.to_table().to_pylist() == table.to_pylist()
    for condition in (compute.field("v") == "x", compute.field("i") < 1, compute.field("c") == "u"):
        found = dataset.to_table(filter=condition).to_pylist()
        assert found[:1] == table.to_pylist()[:1]
        assert all(row["v"] == "x" for row in found)


def test_codes_of_strings_leave_nested_values_alone(tmp_path):
    rng = random.Random(1)
    words = [f"the word {rng.randrange(9)}" for _ in range(6000)]
    table = pyarrow.table({"l": [[len(one)] for one in words], "t": words})
    found = pyarrow.table(presso.query(written(tmp_path, table)).options(dictionaries=True))
    assert found.schema.types[0] == table.schema.types[0]
    assert pyarrow.types.is_dictionary(found.schema.types[1])
    assert found.to_pylist() == table.to_pylist()


def test_files_of_different_types_are_asked_together(tmp_path):
    for name, of in (("a", pyarrow.list_), ("b", pyarrow.large_list)):
        table = pyarrow.table({"l": pyarrow.array([[1], None], of(pyarrow.int8()))})
        presso.write_table(table, tmp_path / f"{name}.presso")
    found = pyarrow.table(presso.query([tmp_path / "a.presso", tmp_path / "b.presso"]))
    assert found["l"].to_pylist() == ["[1]", None, "[1]", None]


def test_frames_of_polars_come_back(tmp_path):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(
        {
            "l": [[1, 2], None, []],
            "s": [{"a": 1, "b": [True, None]}, None, {"a": None, "b": None}],
            "t": ["x", None, "a string longer than twelve"],
            "b": [b"ab", None, b""],
            "n": [None, None, None],
            "d": [decimal.Decimal("1.50"), None, decimal.Decimal("-3.25")],
        }
    ).with_columns(
        polars.Series("c", ["u", "v", None], dtype=polars.Categorical),
        polars.Series("a", [[1, 2], [3, 4], None], dtype=polars.Array(polars.Int16, 2)),
        polars.Series("lc", [["a", "b"], None, ["a"]], dtype=polars.List(polars.Categorical)),
    )
    back = polars.DataFrame(presso.query(written(tmp_path, frame)))
    assert back.schema == frame.schema
    assert back.equals(frame)


def test_objects_of_pandas_come_back(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {
            "o": [[1, 2], None, [3]],
            "d": [{"a": 1}, {"a": None}, {"a": 3}],
            "c": pandas.Categorical(["a", "b", None]),
        }
    )
    wanted = pyarrow.Table.from_pandas(frame)
    back = pyarrow.table(presso.query(written(tmp_path, frame)))
    assert back.schema == wanted.schema.remove_metadata()
    assert back.to_pylist() == wanted.to_pylist()


def test_answers_of_duckdb_come_back(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    answer = duckdb.sql(
        "select [1, 2, null] as l, {'a': 1, 'b': {'c': date '2024-01-01'}} as s, "
        "map {'k': 1, 'm': null} as m, map {1: [1, 2]} as n, 'x'::enum ('x', 'y') as e, "
        "array[1, 2]::int[2] as a, [{'x': 1.5::decimal(4, 1)}] as d, [timestamp 'infinity'] as f "
        "union all by name select null as l"
    )
    back = presso.query(written(tmp_path, answer))
    assert pyarrow.table(back).schema == pyarrow.table(answer).schema
    assert duckdb.sql("from back").fetchall() == answer.fetchall()
