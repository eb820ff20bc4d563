# SPDX-License-Identifier: MIT
"""Strings that leave as Arrow's dictionaries, which differ from batch to batch: readers of Arrow
make of them what they make of the same strings as they are."""
import gc
import pickle
import random
import subprocess
import sys

import pytest

import presso

pyarrow = pytest.importorskip("pyarrow")

ROWS = 20_000
GROUP_ROWS = 1000
CODED = ["city", "kind", "never", "bytes"]


@pytest.fixture(scope="module")
def shops(tmp_path_factory):
    """(path, table): of strings with few values, which are others in each row group and come in
    another order, with and without nulls, only nulls, no UTF-8, and strings with many values."""
    rng = random.Random(26)
    cities = [
        ["Ulm", None, "", "Köln"], ["Bonn", "Köln"], [None], ["a" * 40, "Ulm", "b" * 41, None]
    ]

    def city(row):
        return rng.choice(cities[row // GROUP_ROWS % len(cities)])

    table = pyarrow.table(
        {
            "id": pyarrow.array(range(ROWS), pyarrow.int32()),
            "city": pyarrow.array([city(row) for row in range(ROWS)], pyarrow.large_utf8()),
            "kind": pyarrow.array(
                [rng.choice("xyzuvw"[row // GROUP_ROWS % 4 :]) for row in range(ROWS)],
                pyarrow.large_utf8(),
            ),
            "never": pyarrow.array([None] * ROWS, pyarrow.large_utf8()),
            "bytes": pyarrow.array(
                [rng.choice([b"\xff", b"", b"\x00\xfe"]) for _ in range(ROWS)],
                pyarrow.large_binary(),
            ),
            "note": pyarrow.array(
                [f"{rng.random()} of {row}" for row in range(ROWS)], pyarrow.large_utf8()
            ),
        }
    )
    path = tmp_path_factory.mktemp("shops") / "shops.presso"
    presso.write_table(table, path, group_rows=GROUP_ROWS)
    return path, table


def coded(path):
    return presso.query(path).options(dictionaries=True)


def plain(table):
    """With dictionaries replaced by their strings."""
    for i, field in enumerate(table.schema):
        if pyarrow.types.is_dictionary(field.type):
            table = table.set_column(i, field.name, table[i].cast(field.type.value_type))
    return table


def in_dictionaries(schema):
    """The columns that are."""
    return [field.name for field in schema if pyarrow.types.is_dictionary(field.type)]


def test_values(shops):
    path, table = shops
    found = pyarrow.table(coded(path))
    found.validate(full=True)
    assert in_dictionaries(found.schema) == CODED
    assert found.schema == pyarrow.schema(coded(path))
    assert found.schema.field("city").type == pyarrow.dictionary(
        pyarrow.int32(), pyarrow.large_utf8()
    )
    assert plain(found) == table
    # None of them without being asked for.
    assert in_dictionaries(pyarrow.schema(presso.query(path))) == []
    assert pyarrow.table(presso.query(path)) == table


def test_each_batch_has_the_dictionary_of_its_row_group(shops):
    path, table = shops
    reader = pyarrow.RecordBatchReader.from_stream(coded(path))
    dictionaries = []
    begin = 0
    for batch in reader:
        strings = set(table["city"][begin : begin + batch.num_rows].to_pylist()) - {None}
        dictionaries.append(batch["city"].dictionary.to_pylist())
        assert set(dictionaries[-1]) == (strings or {""})
        begin += batch.num_rows
    assert begin == ROWS
    assert len({tuple(one) for one in dictionaries}) >= 4


def test_what_is_kept_outlives_the_stream(shops):
    path, table = shops
    batches = list(pyarrow.RecordBatchReader.from_stream(coded(path)))
    kept = batches[3]["city"].dictionary, batches[7]["kind"]
    strings = [str(kept[0]), str(kept[1])]
    del batches
    gc.collect()
    assert [str(kept[0]), str(kept[1])] == strings


@pytest.mark.parametrize(
    "asked",
    [
        lambda query: query.where("city = 'Köln'"),
        lambda query: query.where("kind = 'w' or city is null"),
        lambda query: query.where("id % 7 = 3 and kind in ('x', 'w')"),
        lambda query: query.where("id < 0"),
        lambda query: query.select("city as town, id + 1 as next, kind, city, upper(city) as big"),
        lambda query: query.select("city"),
        lambda query: query.limit(1500, 777),
        lambda query: query.where("kind = 'w'").limit(5, 3),
    ],
)
def test_questions(shops, asked):
    path, _ = shops
    found = pyarrow.table(asked(coded(path)))
    found.validate(full=True)
    assert in_dictionaries(found.schema) != []
    assert plain(found) == pyarrow.table(asked(presso.query(path)))


@pytest.mark.parametrize(
    "asked",
    [
        lambda query: query.order_by("city, id"),
        lambda query: query.group_by("city"),
        lambda query: query.select("city").distinct(),
        lambda query: query.select("city || kind as both"),
    ],
)
def test_what_gives_none(shops, asked):
    path, _ = shops
    found = pyarrow.table(asked(coded(path)))
    assert in_dictionaries(found.schema) == []
    assert found == pyarrow.table(asked(presso.query(path)))


def test_joins_give_none(shops):
    path, _ = shops
    found, expected = (
        pyarrow.table(query.join(path, on="id").where("id < 3000"))
        for query in (coded(path), presso.query(path))
    )
    assert in_dictionaries(found.schema) == []
    assert found == expected


def test_tables_without_rows_give_none(tmp_path, shops):
    empty = shops[1].slice(0, 0)
    presso.write_table(empty, tmp_path / "empty.presso")
    assert pyarrow.table(coded(tmp_path / "empty.presso")) == empty


def test_columns_that_are_stored_otherwise_give_strings(tmp_path):
    rng = random.Random(27)
    strings = [f"{rng.randrange(40_000):08}" for _ in range(400_000)]
    table = pyarrow.table({"s": pyarrow.array(strings, pyarrow.large_utf8())})
    presso.write_table(table, tmp_path / "large.presso")
    assert pyarrow.table(coded(tmp_path / "large.presso")) == table
    # A second file stores the column otherwise.
    few = rng.choices(["a", "b", "c"], k=10_000)
    for name, of in (("few", few), ("many", [str(rng.random()) for _ in few])):
        column = pyarrow.array(of, pyarrow.large_utf8())
        presso.write_table(pyarrow.table({"s": column}), tmp_path / f"{name}.presso")
    few, many = tmp_path / "few.presso", tmp_path / "many.presso"
    assert in_dictionaries(pyarrow.schema(coded(few))) == ["s"]
    assert in_dictionaries(pyarrow.schema(coded([few, many]))) == []
    assert pyarrow.table(coded([few, many])) == pyarrow.table(presso.query([few, many]))


def test_options_are_set_all_at_once(shops):
    path, _ = shops
    assert in_dictionaries(pyarrow.schema(coded(path).options(threads=1))) == []


def test_gpus_have_none(shops, monkeypatch):
    monkeypatch.setattr(presso._query, "gpu_of", lambda device: (None, 0))
    with pytest.raises(presso.UnsupportedError, match="CPU"):
        presso.query(shops[0]).options(dictionaries=True, device="gpu")


def test_partitions_and_pickles(shops):
    path, table = shops
    parts = coded(path).where("id >= 1500").partitions(1)
    assert len(parts) > 10
    read = [pickle.loads(pickle.dumps(part)).read() for part in parts]
    assert all(in_dictionaries(one.schema) == CODED for one in read)
    assert pyarrow.concat_tables(map(plain, read)) == table.slice(1500)
    again = pickle.loads(pickle.dumps(coded(path)))
    assert in_dictionaries(pyarrow.schema(again)) == CODED
    assert plain(pyarrow.table(again)) == table


def test_of_a_dataset(shops):
    path, table = shops
    field = pytest.importorskip("pyarrow.dataset").field
    dataset = presso.dataset(path, dictionaries=True, target_bytes=1)
    assert in_dictionaries(dataset.schema) == CODED
    strings = presso.dataset(path)
    for filter in (
        field("city") == "Köln",
        field("city") != "Köln",
        field("kind") >= "w",
        field("kind").isin(["x", "w"]) & (field("id") > 2500),
        field("city").is_null(),
        (field("city") == "Ulm") | (field("kind") == "u"),
    ):
        found = dataset.scanner(columns=["id", "city", "kind"], filter=filter).to_table()
        expected = strings.scanner(columns=["id", "city", "kind"], filter=filter).to_table()
        assert found.num_rows > 0 and plain(found) == expected
    fragments = [one.scanner(columns=["city"]).to_table() for one in dataset.get_fragments()]
    assert plain(pyarrow.concat_tables(fragments))["city"] == table["city"]


def test_what_a_dataset_refuses(shops, log):
    with pytest.raises(presso.ArgumentError, match="lines"):
        presso.dataset(log, dictionaries=True)
    with pytest.raises(presso.ArgumentError, match="named"):
        presso.dataset(presso.query(shops[0]), dictionaries=True)
    dataset = presso.dataset(coded(shops[0]))
    assert in_dictionaries(dataset.schema) == CODED


QUESTIONS = [
    "select city, kind, sum(id), count(*) from {} group by all order by all",
    "select city, count(*), min(kind), max(length(city)) from {} group by all order by all",
    "select id, city, kind, never, bytes from {} order by id",
    "select count(*), count(distinct city), max(note) from {} where city = 'Köln'",
    "select id, city from {} where kind in ('x', 'w') and city >= 'K' order by id",
    "select id, city from {} where city is null and id < 5000 order by id",
    "select id, city from {} where city like '%lm' order by id",
    "select a.city, count(*) from {} a join {} b on a.city = b.kind || 'lm' group by all",
    "select * from {} limit 10",
]


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("threads", [1, 4])
def test_duckdb(shops, question, threads):
    duckdb = pytest.importorskip("duckdb")
    path, table = shops
    connection = duckdb.connect(config={"threads": threads})
    connection.register("memory", table)
    connection.register("dataset", presso.dataset(path, dictionaries=True))
    connection.register("stream", coded(path))
    expected = connection.execute(question.format("memory", "memory")).fetchall()
    types = connection.execute("describe memory").fetchall()
    for name in ("dataset", "stream"):
        assert connection.execute(question.format(name, name)).fetchall() == expected
        assert connection.execute(f"describe {name}").fetchall() == types


def test_datafusion(shops):
    datafusion = pytest.importorskip("datafusion")
    path, _ = shops
    context = datafusion.SessionContext()
    context.register_dataset("strings", presso.dataset(path))
    context.register_dataset("coded", presso.dataset(path, dictionaries=True))
    question = (
        "select city, kind, count(*) as n from {} where kind >= 'w' group by 1, 2 order by 1, 2"
    )
    expected, found = (
        context.sql(question.format(name)).to_arrow_table().to_pylist()
        for name in ("strings", "coded")
    )
    assert found == expected != []


def test_polars(shops):
    polars = pytest.importorskip("polars")
    path, table = shops
    columns = ["id", "city", "kind", "note"]
    expected = polars.from_arrow(table.select(columns))
    query = coded(path).select(", ".join(columns))
    found = polars.DataFrame(query)
    assert isinstance(found.schema["city"], polars.Categorical)
    strings = [polars.col("city", "kind").cast(polars.String)]
    assert found.with_columns(strings).equals(expected)
    import presso.polars as sources

    lazy = sources.scan(path, dictionaries=True).select(columns).filter(
        polars.col("city") == "Köln"
    )
    assert lazy.collect().with_columns(strings).equals(
        expected.filter(polars.col("city") == "Köln")
    )


def test_nanoarrow(shops):
    nanoarrow = pytest.importorskip("nanoarrow")
    path, table = shops
    stream = nanoarrow.ArrayStream(coded(path).select("city"))
    found = [row["city"] for array in stream for row in array.to_pylist()]
    assert found == table["city"].to_pylist()


def test_pandas(shops):
    pytest.importorskip("pandas")
    path, table = shops
    found = pyarrow.table(coded(path).select("city")).to_pandas()
    assert str(found["city"].dtype) == "category"
    assert [None if one != one else one for one in found["city"]] == table["city"].to_pylist()


def test_written_again(tmp_path, shops):
    path, table = shops
    presso.write_table(coded(path), tmp_path / "again.presso")
    again = pyarrow.table(presso.query(tmp_path / "again.presso"))
    assert again.schema.field("city").type == pyarrow.dictionary("int32", "large_utf8")
    assert again.cast(table.schema) == table


def test_the_most_entries(tmp_path):
    """Half of a batch's rows are the most; one more, and strings are handed over as they are."""
    rng = random.Random(27)

    def strings(entries):
        rows = [f"{rng.getrandbits(80):020x}" for _ in range(entries)]
        repeated = []
        for first in range(0, entries, GROUP_ROWS):
            some = rows[first : first + GROUP_ROWS] * 8
            rng.shuffle(some)
            repeated += some
        return pyarrow.array(repeated, pyarrow.large_utf8())

    found = {}
    for entries in (32_768, 32_769):
        path = tmp_path / f"{entries}.presso"
        table = pyarrow.table({"s": strings(entries)})
        presso.write_table(table, path, group_rows=1 << 20)
        info = subprocess.check_output([sys.executable, "-m", "presso", "info", "--json", path])
        assert b'"stored_as": "dictionary"' in info
        answer = pyarrow.table(coded(path))
        assert plain(answer) == table
        found[entries] = in_dictionaries(answer.schema)
    assert found == {32_768: ["s"], 32_769: []}
