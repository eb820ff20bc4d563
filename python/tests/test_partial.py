# SPDX-License-Identifier: MIT
"""Groups of parts: partial answers, merged in any order and shape, are the undivided answer."""
import decimal
import math
import pickle
import random
import re
import subprocess
import sys

import pytest
from recipes import run_recipe

import presso

pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.compute")


def sent(things):
    """What another process gets."""
    return pickle.loads(pickle.dumps(things))


def bits(table):
    """Rows whose doubles are told apart by their bits, but for NaNs, which are all alike."""

    def shown(value):
        if isinstance(value, float):
            return "nan" if math.isnan(value) else value.hex()
        return value

    return [tuple(map(shown, row.values())) for row in table.to_pylist()]


def merged(query, tables, rng, depth=3):
    """The answer, by way of partial answers of some of them in random groups."""
    tables = list(tables)
    rng.shuffle(tables)
    for _ in range(rng.randrange(depth)):
        rest = []
        while tables:
            some = [tables.pop() for _ in range(rng.randint(1, len(tables)))]
            is_table = rng.random() < 0.5
            given = pyarrow.concat_tables(some) if is_table else some
            rest.append(query.merge(given, partial=True) if rng.random() < 0.7 else some[0])
            if rest[-1] is some[0]:
                rest += some[1:]
        tables = rest
        rng.shuffle(tables)
    return query.merge(tables)


def same(query, target, rng):
    whole = pyarrow.table(query)
    parts = sent(query.partitions(target))
    assert all(part.is_partial and part.rows is None for part in parts)
    found = merged(query, [part.read() for part in parts], rng)
    assert found.schema == whole.schema
    assert bits(found) == bits(whole)
    return whole


DECIMAL = decimal.Decimal
NUMBERS = {
    "whole": lambda rng: rng.randrange(-50, 50),
    "large": lambda rng: rng.choice((1, -1)) * rng.randrange(2**62, 2**63),
    "small": lambda rng: rng.randrange(-128, 128),
    "money": lambda rng: DECIMAL(rng.randrange(-(10**9), 10**9)) / 100,
    "huge": lambda rng: DECIMAL(rng.randrange(-(10**34), 10**34)),
    "real": lambda rng: rng.choice((rng.uniform(-1e3, 1e3), rng.uniform(-1, 1) * 1e-200, 1e300)),
    "wild": lambda rng: rng.choice((math.nan, math.inf, 0.0, -0.0, 1.5, rng.uniform(-9, 9))),
    "rare": lambda rng: math.ldexp(rng.uniform(-1, 1), rng.randrange(-1070, 1020)),
    "text": lambda rng: rng.choice(("", "a", "ab", "gr\u00fc\u00dfe", "x" * rng.randrange(40))),
    "day": lambda rng: rng.randrange(-1000, 20_000),
    "time": lambda rng: rng.randrange(10**15),
    "truth": lambda rng: rng.random() < 0.5,
    "few": lambda rng: rng.randrange(4),
    "many": lambda rng: rng.randrange(10**9),
}
TYPES = {
    "whole": pyarrow.int64(),
    "large": pyarrow.int64(),
    "small": pyarrow.int8(),
    "money": pyarrow.decimal128(12, 2),
    "huge": pyarrow.decimal128(38, 0),
    "real": pyarrow.float64(),
    "wild": pyarrow.float64(),
    "rare": pyarrow.float64(),
    "text": pyarrow.string(),
    "day": pyarrow.date32(),
    "time": pyarrow.timestamp("us"),
    "truth": pyarrow.bool_(),
    "few": pyarrow.int16(),
    "many": pyarrow.uint32(),
}
SUMMED = ("whole", "large", "small", "money", "huge", "real", "wild", "rare", "truth", "many")


def random_table(rng, rows, path, group_rows):
    """Columns with nulls, of a seed."""
    share = rng.choice((0, 0.1, 0.9))
    columns = {
        name: pyarrow.array(
            [None if rng.random() < share else made(rng) for _ in range(rows)], TYPES[name]
        )
        for name, made in NUMBERS.items()
    }
    presso.write_table(pyarrow.table(columns), path, group_rows=group_rows, overwrite=True)


def random_query(rng, paths):
    query = presso.query(paths)
    if rng.random() < 0.5:
        query.where(rng.choice(("whole > 10", "few in (1, 2)", "text like 'a%'", "day is null")))
    if rng.random() < 0.8:
        keys = ["few", "text", "many", "day", "truth", "wild", "money", "whole % 7", "time"]
        # These are narrow numbers of a wide type.
        keys += ["money * 2", "day + 1", "whole * 3"]
        query.group_by(", ".join(rng.sample(keys, rng.randint(1, 3))))
    asked = [f"{call}({name})" for call in ("sum", "avg") for name in SUMMED]
    asked += [f"{call}({name})" for call in ("min", "max", "count") for name in NUMBERS]
    asked += ["count(*)", "sum(whole) / count(*)", "sum(whole * few) + max(few)"]
    asked += ["max(text) || 'x'", "min(money * few)", "max(money + 1)"]
    query.aggregate(", ".join(rng.sample(asked, rng.randint(1, 6))))
    if rng.random() < 0.3:
        query.having("count(*) > 1 and (max(few) > 1 or min(many) is null)")
    if rng.random() < 0.4:
        query.order_by(rng.choice(("count(*)", "1 desc", "min(many), count(*) desc")))
        if rng.random() < 0.5:
            query.limit(rng.randrange(1, 9), rng.randrange(3))
    return query


@pytest.mark.parametrize("seed", range(12))
def test_random_queries(tmp_path, seed):
    rng = random.Random(seed)
    paths = [tmp_path / f"{number}.presso" for number in range(rng.choice((1, 1, 3)))]
    for path in paths:
        random_table(rng, rng.choice((0, 1, 300, 2500)), path, rng.choice((64, 1024, 1 << 20)))
    for _ in range(6):
        same(random_query(rng, paths), rng.choice((1, 5000, 40_000, 1 << 40)), rng)


@pytest.fixture(scope="module")
def shops(tmp_path_factory):
    """A table of two files."""
    rng = random.Random(6)
    folder = tmp_path_factory.mktemp("shops")
    for name in ("a", "b"):
        rows = {
            "city": [rng.choice(["Ulm", "Bonn", None, ""]) for _ in range(4000)],
            "shop": [rng.randrange(300) for _ in range(4000)],
            "price": [rng.uniform(0, 100) for _ in range(4000)],
        }
        presso.write_table(pyarrow.table(rows), folder / f"{name}.presso", group_rows=256)
    return folder


def by_shop(shops):
    query = presso.query(shops / "*.presso").group_by("shop, city")
    return query.aggregate("avg(price) as mean, count(*) as n").having("n > 3")


def test_buckets(shops):
    query = by_shop(shops)
    partials = [part.read() for part in sent(query.partitions(1 << 15, buckets=4))]
    column = pyarrow.concat_tables(partials)["bucket"]
    assert column.type == pyarrow.int32() and set(column.to_pylist()) == {0, 1, 2, 3}
    found = []
    for bucket in range(4):
        chosen = pyarrow.compute.field("bucket") == bucket
        some = [partial.filter(chosen) for partial in partials]
        again = query.merge(some, partial=True, buckets=4)
        assert set(again["bucket"].to_pylist()) == {bucket}
        assert again.column_names == partials[0].column_names
        found.append(query.merge([again]))
    assert sorted(bits(pyarrow.concat_tables(found)), key=repr) == sorted(
        bits(pyarrow.table(query)), key=repr
    )
    with pytest.raises(presso.ArgumentError, match="no keys"):
        presso.query(shops / "a.presso").aggregate("count(*)").partitions(buckets=3)
    with pytest.raises(presso.ArgumentError, match="for groups"):
        presso.query(shops / "a.presso").partitions(buckets=3)
    with pytest.raises(presso.ArgumentError, match="buckets= is for partial=True"):
        query.merge(partials, buckets=4)


MERGING = """
import pickle, sys
query, parts = pickle.load(sys.stdin.buffer)
pickle.dump(query.merge([part.read() for part in parts]), sys.stdout.buffer)
"""


def test_another_process_reads_and_merges(shops, tmp_path, monkeypatch):
    monkeypatch.chdir(shops)
    query = presso.query("*.presso").alias("s").where("s.price > 3").group_by("s.shop")
    query.select("shop, sum(price) * 2 as twice").order_by("2 desc")
    given = pickle.dumps((query, query.partitions(1 << 15)))
    command = [sys.executable, "-c", MERGING]
    done = subprocess.run(command, input=given, capture_output=True, cwd=tmp_path, check=True)
    found = pickle.loads(done.stdout)
    assert found == pyarrow.table(query)
    assert pickle.loads(pickle.dumps(query)).explain() == query.explain()


def test_what_is_left_out_by_directories(shops):
    query = presso.query(shops / "*.presso").where("shop < 0").aggregate("count(*), sum(price)")
    (part,) = query.partitions()
    assert query.merge(part).to_pylist() == [{"count(*)": 0, "sum(price)": None}]
    query = presso.query(shops / "*.presso").where("shop < 0").group_by("shop")
    (part,) = query.partitions()
    assert query.merge([part]).num_rows == 0


def test_partial_answers_are_small_and_named(shops):
    query = presso.query(shops / "a.presso").group_by("city")
    query.aggregate("avg(price), sum(price), max(city), count(*)")
    (part,) = query.partitions()
    partial = part.read()
    *named, order = partial.column_names
    assert named == ["city", "sum(price)", "max(city)", "count(*)"] and order.startswith("order_")
    assert pyarrow.schema(part.scan()) == partial.schema and partial.num_rows == 4
    assert partial.nbytes < 1000 and len(pickle.dumps(part)) < 1000
    # A part has not the other files.
    first, *_ = presso.query(shops / "*.presso").group_by("city").partitions()
    assert b"a.presso" in pickle.dumps(first) and b"b.presso" not in pickle.dumps(first)


def test_what_cannot_be_merged(shops):
    query = by_shop(shops)
    parts = query.partitions(1 << 15)
    partial = parts[0].read()
    other = presso.query(shops / "*.presso").where("price > 1").group_by("shop, city")
    other.aggregate("avg(price), count(*)")
    with pytest.raises(presso.ArgumentError, match="no partial answer of this query") as caught:
        other.merge([partial])
    assert "order_" not in str(caught.value)
    with pytest.raises(presso.ArgumentError, match="no partial answer of this query"):
        query.merge([partial, other.partitions()[0]])
    for change in ("where", "group_by", "select"):
        other = getattr(by_shop(shops), change)("shop")
        with pytest.raises(presso.ArgumentError):
            other.merge([partial])
    lacks = by_shop(shops).having("max(price) > 1")
    with pytest.raises(presso.ArgumentError, match="no column 'max\\(price\\)', which the query"):
        lacks.merge([partial])
    with pytest.raises(presso.ArgumentError, match="no partial answers"):
        query.merge([])
    with pytest.raises(presso.ArgumentError, match="__arrow_c_stream__"):
        query.merge([partial, 3])
    with pytest.raises(presso.ArgumentError, match="rows"):
        parts[0].read(["shop"])
    narrow = partial.set_column(1, "city", pyarrow.array([1] * partial.num_rows))
    with pytest.raises(presso.ArgumentError, match="'city' of a partial answer has become int64"):
        query.merge([narrow])
    for made in (lambda state: state[:-1], lambda state: b"", lambda state: state + b"1"):
        states = [made(state) for state in partial["sum(price)"].to_pylist()]
        cut = partial.set_column(2, "sum(price)", pyarrow.array(states, pyarrow.binary()))
        with pytest.raises(presso.ArgumentError, match="cut off"):
            query.merge([cut])
    for name in ("sum(price)", "count(*)", partial.column_names[-1]):
        place = partial.column_names.index(name)
        nulls = pyarrow.nulls(partial.num_rows, partial.schema.types[place])
        with pytest.raises(presso.ArgumentError, match=f"{re.escape(repr(name))} .* cut off"):
            query.merge([partial.set_column(place, name, nulls)])
    with pytest.raises(presso.ArgumentError, match="count\\(distinct x\\) of parts"):
        presso.query(shops / "a.presso").aggregate("count(distinct city)").partitions()
    rows = presso.query(shops / "a.presso")
    with pytest.raises(presso.ArgumentError, match="no groups"):
        rows.merge([partial])
    for one in (parts[0].scan()._query, presso.sql(f"select 1 from '{shops / 'a.presso'}'")):
        with pytest.raises(presso.ArgumentError, match="pickled"):
            pickle.dumps(one)
        with pytest.raises(presso.ArgumentError, match="sql\\(\\) nor a partition"):
            one.merge([partial])
    # Partial answers are no rows of it: there is one fragment.
    fragments = list(presso.dataset(query).get_fragments())
    assert [one.count_rows() for one in fragments] == [pyarrow.table(query).num_rows]


def test_merging_may_cut_and_order_otherwise(shops):
    query = by_shop(shops)
    partials = [part.read() for part in sent(query.partitions(1 << 15))]
    query.having("count(*) > 5").order_by("mean desc, shop").limit(7, 1).options(threads=1)
    assert query.merge(partials) == pyarrow.table(query) and pyarrow.table(query).num_rows == 7
    again = query.merge(partials[:2], partial=True)
    assert query.limit(3).merge([again, *partials[2:]]) == pyarrow.table(query)


def test_the_same_question_of_other_files(shops):
    def asked(name):
        query = presso.query(shops / name).group_by("shop").aggregate("sum(price), count(*)")
        return query.order_by("shop")

    partials = [part.read() for name in "ab" for part in asked(f"{name}.presso").partitions(1)]
    random.Random(5).shuffle(partials)
    assert asked("a.presso").merge(partials) == pyarrow.table(asked("[ab].presso"))


def test_damage(shops, tmp_path):
    content = bytearray((shops / "a.presso").read_bytes())
    content[len(content) // 2] ^= 0x55
    path = tmp_path / "damaged.presso"
    path.write_bytes(content)
    query = presso.query(path).group_by("city").aggregate("sum(price), sum(shop), count(*)")
    damaged, partials = 0, []
    for part in sent(query.partitions(1)):
        try:
            partials.append(part.read())
        except presso.DamageError as error:
            assert error.path == str(path) and error.block is not None
            damaged += 1
    assert damaged == 1 and len(partials) == 15
    counts = query.merge(partials)["count(*)"].to_pylist()
    assert sum(counts) in (4000 - 256, 4000 - 4000 % 256)


def test_parts_of_a_part(shops):
    whole = by_shop(shops)
    with pytest.raises(presso.ArgumentError, match="neither"):
        whole.partitions(1 << 15)[0].scan()._query.partitions()


def test_recipes(shops):
    query = by_shop(shops)
    left = run_recipe("groups", query, 1 << 13, query=query)
    assert len(left["partials"]) > 4 and left["answer"] == pyarrow.table(query)
    left = run_recipe("buckets", query, query=query)
    wanted = sorted(bits(pyarrow.table(query)), key=repr)
    assert sorted(bits(left["answers"]), key=repr) == wanted
