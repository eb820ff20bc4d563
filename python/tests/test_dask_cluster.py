# SPDX-License-Identifier: MIT
"""Dask with two worker processes: the programs of python/examples/, and groups that they merge."""
import pytest
from examples import example, write_log, write_tables
from recipes import run_recipe
from starting import imported, started

import presso

pyarrow = imported("pyarrow")
distributed = imported("distributed")
imported("dask.dataframe")


@pytest.fixture(scope="module")
def client():
    def start():
        cluster = distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        )
        return cluster, distributed.Client(cluster)

    cluster, client = started("Dask's cluster", start)
    yield client
    client.close()
    cluster.close()


def test_q3(client, tmp_path):
    q3 = example("q3_dask")
    query = q3.question(*write_tables(tmp_path))
    assert len(query.partitions(1 << 13)) > 4
    found = q3.run(client, query, 1 << 13)
    assert found == pyarrow.table(query) and found.num_rows == 10


def test_log(client, tmp_path):
    path, wanted = write_log(tmp_path)
    frame = example("log_dask").run(path, 1 << 18)
    assert [tuple(row) for row in frame.itertuples(index=False)] == wanted
    assert len(wanted) > 15 and sum(count for *_, count in wanted) == presso.scan(
        path, " ERROR ", fixed=True
    ).count()


def test_no_errors(client, tmp_path):
    path = tmp_path / "quiet.log"
    path.write_text("2024-01-31T07:00:00 host1 INFO id=1\n")
    presso.compress_file(path)
    frame = example("log_dask").run(f"{path}.presso")
    assert len(frame) == 0 and list(frame.columns) == ["hour", "host", "errors"]


def test_workers_merge(client, tmp_path):
    lineitem, *_ = write_tables(tmp_path)
    query = presso.query(lineitem).group_by("l_orderkey % 100").aggregate("avg(l_discount)")
    left = run_recipe("groups_dask", query, query=query, target_bytes=1 << 13)
    assert len(left["parts"]) > 8
    assert left["answer"] == pyarrow.table(query)
