# SPDX-License-Identifier: MIT
"""presso.sql(): whole statements, of tables of one file or of many."""
import pytest

import presso
from presso import _native

pyarrow = pytest.importorskip("pyarrow")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sales").mkdir()
    for month, amounts in ((1, [5, 7]), (2, [1, 2, 3])):
        table = pyarrow.table({"store": ["a", "b", "a"][: len(amounts)], "amount": amounts})
        presso.write_table(table, f"sales/2023_{month:02}.presso")
    return tmp_path


def rows(statement, **options):
    query = presso.sql(statement, **options)
    return [tuple(row.values()) for row in pyarrow.table(query).to_pylist()]


def test_statements_of_several_queries():
    assert rows(
        "with s as (select store, sum(amount) as total from 'sales/2023_02.presso' group by store) "
        "select store, total, rank() over (order by total desc) from s order by store"
    ) == [("a", 4, 1), ("b", 2, 2)]
    assert rows(
        "select amount from 'sales/2023_02.presso' where amount > (select avg(amount) from "
        "'sales/2023_02.presso')"
    ) == [(3,)]
    assert rows("select 1 as x union all select 2 as x") == [(1,), (2,)]


def test_what_is_kept_lives_as_long_as_the_answer():
    stream = presso.sql(
        "select t.x * 2 as y from (select amount + 1 as x from 'sales/*.presso') t order by y",
        threads=1,
        memory_bytes=1 << 20,
    ).__arrow_c_stream__()

    class Once:
        def __arrow_c_stream__(self, requested_schema=None):
            return stream

    assert pyarrow.table(Once()).column("y").to_pylist() == [4, 6, 8, 12, 16]


@pytest.mark.parametrize(
    "name", ["'sales/*.presso'", "'sales'", "'sales/'", "'**/2023_0[12].presso'"]
)
def test_patterns_and_folders(name):
    assert rows(f"select store, sum(amount) from {name} group by store order by store") == [
        ("a", 9),
        ("b", 9),
    ]


def test_lists_and_missing_files():
    both = "read_presso(['sales/2023_02.presso', 'sales/*.presso'])"
    assert rows(f"select count(*) from {both}") == [(8,)]
    with pytest.raises(presso.ArgumentError, match="no such files"):
        presso.sql("select * from 'sales/*.csv'")
    with pytest.raises(presso.ArgumentError, match="there is no option delim here"):
        presso.sql("select * from read_csv('sales/2023_01.presso', delim = ';')")
    with pytest.raises(presso.ArgumentError, match="statements of the command"):
        presso.sql("copy (select 1) to 'x.csv'")
    presso.sql("select store from 'sales/2023_01.presso'")


def test_columns_that_differ():
    presso.write_table(pyarrow.table({"amount": [0.5], "note": ["x"]}), "sales/2023_03.presso")
    statement = "select sum(amount), count(store), count(note) from 'sales'"
    words = "has no column 'store', which .*2023_01.presso has"
    with pytest.raises(presso.ArgumentError, match=words):
        presso.sql(statement)
    assert rows(statement, union_by_name=True) == [(18.5, 5, 1)]
    by_name = statement.replace("'sales'", "read_presso('sales', union_by_name = true)")
    assert rows(by_name) == [(18.5, 5, 1)]


def test_options_are_those_of_the_inner_queries(monkeypatch):
    given = []
    made = _native.Query.of_statement

    class Query:
        @staticmethod
        def of_statement(text, open_all, threads, memory_bytes, union_by_name):
            given.append((threads, memory_bytes))
            return made(text, open_all, threads, memory_bytes, union_by_name)

    class Native:
        def __getattr__(self, name):
            return Query if name == "Query" else getattr(_native, name)

    monkeypatch.setattr(presso._query, "_native", Native())
    assert rows("select max(amount) from 'sales'", threads=2, memory_bytes=1 << 24) == [(7,)]
    assert given == [(2, 1 << 24)]


def test_gpus_take_plain_statements_only():
    query = presso.sql("select amount from 'sales'")
    with pytest.raises(presso.UnsupportedError):
        query.options(device="gpu")
