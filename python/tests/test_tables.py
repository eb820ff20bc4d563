# SPDX-License-Identifier: MIT
"""Tables: written from Arrow's streams, and asked."""
import random

import pytest

import presso

pyarrow = pytest.importorskip("pyarrow")

ROWS = 5000


@pytest.fixture(scope="module")
def orders():
    rng = random.Random(4)
    prices = [rng.randrange(1000) / 4 for _ in range(ROWS)]
    return pyarrow.table(
        {
            "id": list(range(ROWS)),
            "shop": [rng.randrange(20) for _ in range(ROWS)],
            "price": [None if price > 230 else price for price in prices],
            "city": [rng.choice(["Ulm", "K\u00f6ln", None, "Bonn"]) for _ in range(ROWS)],
        }
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory, orders):
    folder = tmp_path_factory.mktemp("tables")
    presso.write_table(orders, folder / "orders.presso", group_rows=1024)
    shops = pyarrow.table({"shop": list(range(0, 20, 2)), "name": [f"s{i}" for i in range(10)]})
    presso.write_table(shops, folder / "shops.presso")
    return folder


def test_tables_come_back(folder, orders):
    file = presso.open(folder / "orders.presso")
    assert file.is_table and file.rows == ROWS
    back = pyarrow.table(file.table())
    assert back.to_pylist() == orders.to_pylist()
    assert back.column_names == orders.column_names
    with pytest.raises(presso.ArgumentError, match="table"):
        file.read()


def test_groups_and_order(folder, orders):
    query = presso.query(folder / "orders.presso").where("price >= 100.5e0").group_by("city")
    query.aggregate("count(*) as n, max(price) as most").order_by("n desc")
    found = pyarrow.table(query).to_pylist()
    rows = [row for row in orders.to_pylist() if row["price"] is not None and row["price"] >= 100.5]
    wanted = {}
    for row in rows:
        count, most = wanted.get(row["city"], (0, 0))
        wanted[row["city"]] = count + 1, max(most, row["price"])
    assert {row["city"]: (row["n"], row["most"]) for row in found} == wanted
    assert [row["n"] for row in found] == sorted((n for n, _ in wanted.values()), reverse=True)
    assert query.run()["rows_matched"] == len(rows)
    assert "group by" in query.explain()


def test_joins(folder, orders):
    query = presso.query(folder / "orders.presso").join(folder / "shops.presso", "shop")
    found = pyarrow.table(query.select("id, name").limit(10)).to_pylist()
    wanted = [
        {"id": row["id"], "name": f"s{row['shop'] // 2}"}
        for row in orders.to_pylist()
        if row["shop"] % 2 == 0
    ]
    assert found == wanted[:10]
    anti = presso.query(folder / "orders.presso").join(folder / "shops.presso", "shop", "anti")
    assert anti.run()["rows"] == ROWS - len(wanted)
    with pytest.raises(presso.ArgumentError, match="kind of join"):
        presso.query(folder / "orders.presso").join(folder / "shops.presso", "shop", "outer")


def test_sql(folder, orders):
    path = folder / "orders.presso"
    counted = pyarrow.table(presso.sql(f"select count(*) as n from '{path}'"))
    assert counted.to_pylist() == [{"n": ROWS}]
    answer = presso.sql(f"select distinct shop from '{path}' order by shop limit 3", threads=1)
    assert pyarrow.table(answer)["shop"].to_pylist() == [0, 1, 2]
    with pytest.raises(presso.ArgumentError) as caught:
        presso.sql(f"select from '{path}'")
    assert "^" in str(caught.value)
    with pytest.raises(presso.ArgumentError, match="no column 'prise'.*price"):
        presso.sql(f"select prise from '{path}'").run()
    with pytest.raises(presso.FileError, match="nothing.presso"):
        presso.sql("select 1 as one from 'nothing.presso'")


def test_answers_end_early(folder):
    for _ in range(20):
        reader = pyarrow.RecordBatchReader.from_stream(presso.query(folder / "orders.presso"))
        reader.read_next_batch()
        reader.close()


def test_what_tables_do_not_take(tmp_path, orders):
    spans = pyarrow.table({"a": pyarrow.array([[1, 2], [3]], pyarrow.list_(pyarrow.duration("s")))})
    with pytest.raises(presso.UnsupportedError, match="column 'a': the Arrow type `tDs`"):
        presso.write_table(spans, tmp_path / "t.presso")
    with pytest.raises(presso.ArgumentError, match="__arrow_c_stream__"):
        presso.write_table([1, 2], tmp_path / "t.presso")
    stream = orders.__arrow_c_stream__()

    class Once:
        def __arrow_c_stream__(self, requested_schema=None):
            return stream

    presso.write_table(Once(), tmp_path / "once.presso")
    with pytest.raises(presso.ArgumentError, match="read already"):
        presso.write_table(Once(), tmp_path / "t.presso")
    with pytest.raises(presso.FileError):
        presso.write_table(orders, tmp_path / "once.presso")
    assert [path.name for path in tmp_path.iterdir()] == ["once.presso"]


def test_files_that_are_no_tables_come_with_advice(tmp_path):
    text = tmp_path / "orders.csv"
    text.write_text("id,city\n1,Rome\n")
    advice = r"orders\.csv: .*compress --table auto.*write_table"
    with pytest.raises(presso.DamageError, match=advice):
        presso.query(text)
    presso.compress_file(text)
    advice = r"orders\.csv\.presso: .*presso\.scan\(\)"
    with pytest.raises(presso.DamageError, match=advice):
        presso.sql(f"select * from '{text}.presso'").run()


def test_engines_write_and_read(tmp_path, orders):
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(orders)
    presso.write_table(frame, tmp_path / "p.presso")
    assert polars.DataFrame(presso.query(tmp_path / "p.presso")).equals(frame)
    duckdb = pytest.importorskip("duckdb")
    found = presso.query(tmp_path / "p.presso")
    wanted = sum(row["id"] for row in orders.to_pylist())
    assert duckdb.sql("select sum(id) from found").fetchall() == [(wanted,)]


def test_how_questions_show_themselves(folder, orders):
    path = str(folder / "orders.presso")
    query = presso.query(path)
    assert repr(query) == f"<presso.Query of {path!r}>"
    assert repr(presso.sql(f"select shop from '{path}'")) == repr(query)
    wide = pyarrow.table({f"c{number}": [1] for number in range(8)})
    presso.write_table(wide, folder / "wide.presso", overwrite=True)
    dataset = presso.dataset(folder / "wide.presso")
    assert repr(dataset) == "<presso.Dataset of columns c0, c1, c2, c3, c4 and 3 more>"
    assert repr(presso.dataset(query.select("shop"))) == "<presso.Dataset of columns shop>"
    joined = presso.query(path).join(folder / "shops.presso", "shop").join(path, "shop")
    assert repr(joined) == f"<presso.Query of {path!r} and 2 more>"
