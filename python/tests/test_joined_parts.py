# SPDX-License-Identifier: MIT
"""Joins of parts: each part joins its rows with the other tables whole, or rows of both sides meet
by their buckets."""
import os
import pickle
import random

import pytest
from recipes import run_recipe

import presso

pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.compute")


def sent(things):
    """What another process gets."""
    return pickle.loads(pickle.dumps(things))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Sales in two files, and smaller tables of shops, with some shops twice, and cities."""
    rng = random.Random(8)
    folder = tmp_path_factory.mktemp("joined")

    def write(name, columns, group_rows):
        presso.write_table(
            pyarrow.table(columns), folder / f"{name}.presso", group_rows=group_rows
        )

    for name in ("sales1", "sales2"):
        shops = [None if rng.random() < 0.1 else rng.randrange(120) for _ in range(5000)]
        prices = [rng.uniform(0, 9) for _ in range(5000)]
        write(name, {"shop": shops, "price": prices, "day": list(range(5000))}, 512)
    ids = [*range(0, 100), *range(0, 30)]
    names = [rng.choice(["Ulm", "Bonn", "Kiel", None]) for _ in ids]
    write("shops", {"id": pyarrow.array(ids, pyarrow.int16()), "city": names}, 1 << 20)
    write("wide", {"id": ids, "city": names}, 1 << 20)
    write("cities", {"city": ["Ulm", "Bonn", "Jena"], "people": [130, 330, 110]}, 1 << 20)
    return folder


def joins(folder):
    sales = presso.query(folder / "sales*.presso").alias("s")
    yield sales.join(folder / "shops.presso", "shop = id").where("price < 5")
    sales = presso.query(folder / "sales*.presso")
    yield sales.join(folder / "shops.presso", "shop = id", "left").where("day > 100")
    shops = presso.query(folder / "shops.presso").where("price < 5")
    yield shops.join(folder / "sales*.presso", "id = shop", "right")
    for kind in ("semi", "anti"):
        yield presso.query(folder / "sales*.presso").join(
            folder / "shops.presso", "shop = id", kind
        )
    # The largest table is read row by row wherever it is named.
    shops = presso.query(folder / "shops.presso").join(folder / "sales*.presso", "id = shop")
    yield shops.join(folder / "cities.presso", "city").where("people > 120 and day % 3 = 1")


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("target", [1, 30_000, 1 << 40])
def test_rows(folder, number, target):
    query = list(joins(folder))[number]
    whole = pyarrow.table(query)
    parts = sent(query.partitions(target))
    assert all("sales" in part.path and not part.is_partial for part in parts)
    found = [part.read() for part in parts]
    assert whole.num_rows > 100 and len(parts) == {1: 20, 1 << 40: 2}.get(target, len(parts))
    assert pyarrow.concat_tables(found) == whole
    assert all(part.rows is None for part in parts)


@pytest.mark.parametrize("number", range(6))
def test_groups(folder, number):
    query = list(joins(folder))[number].group_by("price > 3, day % 100").aggregate(
        "sum(price), avg(price), count(*), min(day)"
    )
    rng = random.Random(number)
    whole = pyarrow.table(query)
    for target in (1, 30_000, 1 << 40):
        partials = [part.read() for part in sent(query.partitions(target))]
        rng.shuffle(partials)
        again = query.merge(partials[:7], partial=True)
        assert query.merge([*partials[7:], again]) == whole
    query.having("count(*) > 2").order_by("2 desc, 1").limit(9)
    partials = [part.read() for part in query.partitions(1)]
    assert sent(query).merge(partials) == pyarrow.table(query)


def random_join(rng, folder):
    query = presso.query(folder / rng.choice(("sales1.presso", "sales*.presso")))
    kind = rng.choice(("inner", "left", "semi", "anti"))
    query.join(folder / rng.choice(("shops.presso", "wide.presso")), "shop = id", kind)
    conditions = ["price < 8", "shop is null or shop > 7", "day % 7 <> 1"]
    if kind in ("inner", "left"):
        conditions += ["city <> 'Ulm'", "id is null or id < price * 20"]
    if kind == "inner" and rng.random() < 0.5:
        query.join(folder / "cities.presso", "city", rng.choice(("inner", "left")))
    for condition in rng.sample(conditions, rng.randrange(3)):
        query.where(condition)
    return query


@pytest.mark.parametrize("seed", range(8))
def test_random_joins(folder, seed):
    rng = random.Random(seed)
    for _ in range(3):
        query, target = random_join(rng, folder), rng.choice((1, 9000, 30_000, 1 << 40))
        if rng.random() < 0.4:
            found = [part.read() for part in sent(query.partitions(target))]
            assert pyarrow.concat_tables(found) == pyarrow.table(query)
            continue
        query.group_by(rng.choice(("shop", "day % 50, price > 4", "shop is null")))
        query.aggregate("sum(price), avg(day), count(shop), max(price)")
        partials = [part.read() for part in sent(query.partitions(target))]
        rng.shuffle(partials)
        half = rng.randint(1, len(partials))
        again = query.merge(partials[:half], partial=True)
        assert query.merge([*partials[half:], again]) == pyarrow.table(query)


def test_rows_of_the_other_tables_have_no_part(folder):
    sales, shops = folder / "sales*.presso", folder / "shops.presso"
    for left, kind, right, on in (
        (sales, "right", shops, "shop = id"),
        (sales, "full", shops, "shop = id"),
        (shops, "full", sales, "id = shop"),
        (shops, "left", sales, "id = shop"),
        (shops, "semi", sales, "id = shop"),
        (shops, "anti", sales, "id = shop"),
    ):
        query = presso.query(left).join(right, on, kind)
        with pytest.raises(presso.ArgumentError, match="rows of 'shops' by whether any row of"):
            query.partitions()
        with pytest.raises(presso.ArgumentError, match="no part of it knows"):
            query.aggregate("count(*)").partitions()


def test_a_join_that_was_refused_is_not_asked(folder):
    sales, shops = folder / "sales1.presso", folder / "shops.presso"
    query = presso.query(sales)
    for sources, on, how in (
        (folder / "cities.presso", "shop = id", "sideways"),
        (folder / "cities.presso", 5, "inner"),
        (folder / "no.presso", "shop = id", "inner"),
    ):
        with pytest.raises(presso.Error):
            query.join(sources, on, how)
    query.join(shops, "shop = id")
    whole = pyarrow.table(query)
    assert whole == pyarrow.table(presso.query(sales).join(shops, "shop = id"))
    assert pyarrow.concat_tables([part.read() for part in query.partitions()]) == whole
    assert pyarrow.table(sent(query)) == whole


def test_what_is_no_text(folder):
    for method in ("alias", "where", "select", "group_by", "aggregate", "having", "order_by"):
        for value in (5, None, b"shop", "\ud800"):
            with pytest.raises(presso.ArgumentError, match="not a text"):
                getattr(presso.query(folder / "sales1.presso"), method)(value)
    with pytest.raises(presso.ArgumentError, match="on=5: not a text"):
        presso.query(folder / "sales1.presso").join(folder / "shops.presso", 5)


def test_row_groups_are_left_out(folder):
    query = presso.query(folder / "sales1.presso").join(folder / "shops.presso", "shop = id")
    assert len(query.partitions(1)) == 10
    query.where("day < 600")
    assert len(query.partitions(1)) == 2
    assert len(pickle.dumps(query.partitions(1)[0])) < 1500


def test_a_process_keeps_joined_files(folder, monkeypatch):
    from presso import _query

    query = presso.query(folder / "sales*.presso").join(folder / "shops.presso", "shop = id")
    _query._joined_file.cache_clear()
    for part in sent(query.aggregate("count(*)").partitions(1)):
        part.read()
    kept = _query._joined_file.cache_info()
    assert (kept.misses, kept.hits) == (1, 19)


def bucket_of(values, keys="key", buckets=7):
    """The buckets of values, by a table of them."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/t.presso"
        presso.write_table(pyarrow.table({"key": values}), path)
        query = presso.query(path).select(f"bucket({keys}, {buckets}) as bucket")
        column = pyarrow.table(query)["bucket"]
    assert column.type == pyarrow.int32() and column.null_count == 0
    return column.to_pylist()


def test_equal_keys_have_one_bucket():
    whole = [None, 0, 1, -1, 100, -128, 127, 5]
    first = bucket_of(pyarrow.array(whole, pyarrow.int8()))
    for of in (pyarrow.int16(), pyarrow.int32(), pyarrow.int64(), pyarrow.decimal128(38, 0)):
        assert bucket_of(pyarrow.array(whole, of)) == first
    words = ["a", "", None, "gr\u00fc\u00dfe", "a"] * 500
    coded = bucket_of(pyarrow.array(words))
    many = [*words, *map(str, range(20_000))]
    assert bucket_of(pyarrow.array(many))[: len(words)] == coded
    assert len(set(bucket_of(pyarrow.array(many), buckets=16))) == 16
    zeros = bucket_of(pyarrow.array([0.0, -0.0, float("nan"), -float("nan")]))
    assert zeros[0] == zeros[1] and zeros[2] == zeros[3]
    assert bucket_of(pyarrow.array([1, 1]), "key, key + 1") == bucket_of(
        pyarrow.array([1, 1], pyarrow.int8()), "key, 2"
    )
    counts = [bucket_of(list(range(7000))).count(bucket) for bucket in range(7)]
    assert min(counts) > 800 and max(counts) < 1200


def test_what_has_no_bucket(folder):
    for text in ("bucket(shop, 0)", "bucket(shop, day)", "bucket(shop, null)", "bucket(shop)"):
        with pytest.raises(presso.ArgumentError, match="bucket"):
            presso.query(folder / "sales1.presso").select(text).run()


def test_rows_of_a_bucket_are_joined_alone(folder):
    sales = presso.query(folder / "sales*.presso").where("price < 5")
    sales.select("shop, price, bucket(shop, 5) as bucket")
    shops = presso.query(folder / "wide.presso").select("id, city, bucket(id, 5) as bucket")
    left, right = (
        pyarrow.concat_tables([part.read() for part in query.partitions(1)])
        for query in (sales, shops)
    )
    found = []
    for bucket in range(5):
        chosen = pyarrow.compute.field("bucket") == bucket
        some = left.filter(chosen).drop_columns("bucket")
        found.append(some.join(right.filter(chosen).drop_columns("bucket"), "shop", "id", "inner"))
    whole = presso.query(folder / "sales*.presso").join(folder / "shops.presso", "shop = id")
    wanted = pyarrow.table(whole.where("price < 5").select("shop, price, city"))
    order = [("shop", "ascending"), ("price", "ascending"), ("city", "ascending")]
    both = pyarrow.concat_tables(found).select(["shop", "price", "city"])
    assert both.num_rows > 1000
    assert both.sort_by(order).to_pylist() == wanted.sort_by(order).to_pylist()


def test_recipes(folder):
    sales, shops = folder / "sales1.presso", folder / "wide.presso"
    query = presso.query(sales).join(shops, "shop = id")
    left = run_recipe("broadcast", query, 1 << 13, query=query)
    assert len(left["parts"]) > 3 and left["answer"] == pyarrow.table(query)
    left = run_recipe("radix", query, presso=presso, sales=sales, shops=shops)
    nothing = presso.query(sales).join(shops, "shop = id").where("day < 0 and id < 0")
    left_over = run_recipe("broadcast", nothing, query=nothing)
    assert left_over["parts"] == [] and left_over["answer"] == pyarrow.table(nothing)
    order = [("day", "ascending"), ("city", "ascending")]
    wanted = pyarrow.table(query.select("shop, price, day, city")).sort_by(order)
    assert left["answer"].sort_by(order).to_pylist() == wanted.to_pylist()


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """Files whose names qualify columns, and a table of which each column is one of theirs, too."""
    folder = tmp_path_factory.mktemp("named")

    def write(name, shops):
        columns = {"shop": shops, "x": [shop - 20 for shop in shops]}
        presso.write_table(pyarrow.table(columns), folder / f"{name}.presso", group_rows=16)

    for first, name in enumerate(("sa", "sb", 'a"b', "right")):
        write(name, list(range(first, 60)))
    write("shops", list(range(30)))
    return folder


def by_their_names(folder):
    """Questions of two files or more, qualified by any of their names."""

    def sales(*names):
        return presso.query([folder / f"{name}.presso" for name in names])

    shops = folder / "shops.presso"
    yield sales("sa", "sb").join(shops, "shop")
    yield sales("sa", "sb").join(shops, "sa.shop = shops.shop").where("sb.x > -15")
    yield sales("sa", "sb").where("sa.x > 0").select("sb.x * 2 as twice, sa.shop")
    yield presso.query(shops).join([folder / "sa.presso", folder / "sb.presso"], "shop")
    yield sales("sa", 'a"b').where('"a""b".x > 0')
    # Which other names a table has depends on all names of the others.
    yield sales("sa", "right").join(folder / "shops.presso", "right.shop = t2.shop")
    yield sales("sb", "shops").join(folder / "shops.presso", "shop")


@pytest.mark.parametrize("number", range(7))
def test_parts_know_the_names_of_all_files(named, number):
    query = list(by_their_names(named))[number]
    whole = pyarrow.table(query)
    parts = sent(query.partitions(1))
    assert whole.num_rows > 10 and len({part.path for part in parts}) == 2
    assert pyarrow.concat_tables([part.read() for part in parts]) == whole


def test_groups_of_parts_know_the_names_of_all_files(named):
    files = [named / "sa.presso", named / "sb.presso"]
    for query in (presso.query(files), presso.query(files).join(named / "shops.presso", "shop")):
        query.where("sb.x > -15").group_by("sa.x % 3").aggregate("sum(sb.x), min(sa.shop)")
        parts = sent(query.partitions(1))
        assert len({part.path for part in parts}) == 2
        assert sent(query).merge([part.read() for part in parts]) == pyarrow.table(query)


def test_a_part_of_many_files_is_small(named, tmp_path):
    for number in range(300):
        os.link(named / "shops.presso", tmp_path / f"log-{number}-of-some-day.presso")
    query = presso.query(tmp_path / "*.presso").where('"log-7-of-some-day".x > 0')
    parts = query.partitions()
    assert max(len(pickle.dumps(part)) for part in parts) < 1000
    assert pyarrow.concat_tables([part.read() for part in sent(parts)]) == pyarrow.table(query)


def test_errors_of_parts_name_their_own_file(named, tmp_path):
    paths = [tmp_path / f"{name}.presso" for name in ("sa", "sb")]
    for path in paths:
        os.link(named / "sa.presso", path)
    parts = presso.query(paths).where("sa.x > 0").partitions()
    paths[1].unlink()
    os.link(named / "sb.presso", paths[1])
    with pytest.raises(presso.FileError, match="sb.presso: has changed"):
        parts[1].read()


def test_partial_answers_of_other_joined_files(folder):
    def asked(name):
        query = presso.query(folder / "sales1.presso").join(folder / name, "shop = id")
        return query.group_by("city").aggregate("count(*)")

    partials = [part.read() for part in asked("shops.presso").partitions()]
    with pytest.raises(presso.ArgumentError, match="no partial answer of this query"):
        asked("wide.presso").merge(partials)
