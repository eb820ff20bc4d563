# SPDX-License-Identifier: MIT
"""A thousand uses leave no descriptor, no thread and no memory behind."""
import contextlib
import gc
import os
import pickle
import time

import pytest

import presso

USES = 1000


def counted():
    return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))


def resident_bytes():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@contextlib.contextmanager
def leaving_nothing():
    gc.collect()
    descriptors, threads = counted()
    yield
    gc.collect()
    # Threads that end have a moment for it; those of other tests may have ended meanwhile.
    until = time.monotonic() + 10
    while counted()[1] > threads and time.monotonic() < until:
        time.sleep(0.01)
    now = counted()
    assert now[0] <= descriptors and now[1] <= threads


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A log of some blocks, and a table."""
    folder = tmp_path_factory.mktemp("leaks")
    log = folder / "log.presso"
    log.write_bytes(presso.compress(b"a line of a log\n" * 20_000, block_size=1 << 16))
    pyarrow = pytest.importorskip("pyarrow")
    table = folder / "table.presso"
    presso.write_table(pyarrow.table({"a": list(range(5000))}), table, group_rows=1000)
    return str(log), str(table)


def opened(log, table):
    assert presso.open(log).lines == 20_000
    assert presso.open(table).rows == 5000


def read(log, table):
    assert len(presso.open(log).read(0, 200_000, threads=2)) == 200_000


def scanned(log, table):
    assert presso.scan(log, "line", limit=3, threads=2).count() == 3


def begun_scan(log, table):
    assert next(iter(presso.scan(log, "log", threads=2))).line_number == 1


def queried(log, table):
    assert presso.query(table).where("a < 3").options(threads=2).run()["rows"] == 3


def begun_streams(log, table):
    import pyarrow

    for source in (presso.scan(log, threads=2), presso.query(table).options(threads=2)):
        reader = pyarrow.RecordBatchReader.from_stream(source)
        assert reader.read_next_batch().num_rows > 0


def dropped_streams(log, table):
    """Which nobody has asked for a batch."""
    presso.scan(log, threads=2).__arrow_c_stream__()
    presso.query(table).options(threads=2).__arrow_c_stream__()


def partitioned(log, table):
    parts = presso.scan(log, threads=2).partitions(1 << 16)
    assert pickle.loads(pickle.dumps(parts[1])).scan().count() == parts[1].rows
    (part, *_) = presso.query(table).partitions(1)
    assert pickle.loads(pickle.dumps(part)).scan().run()["rows"] == 1000


def failed(log, table):
    for use in (
        lambda: presso.open(log + "x"),
        lambda: presso.scan(log, "(").count(),
        lambda: presso.query(log),
        lambda: presso.query(table).where("b = 1").run(),
        lambda: presso.scan(table).partitions(0),
    ):
        with pytest.raises(presso.Error):
            use()


@pytest.mark.parametrize(
    "use",
    [
        opened,
        read,
        scanned,
        begun_scan,
        queried,
        begun_streams,
        dropped_streams,
        partitioned,
        failed,
    ],
)
def test_uses_leave_nothing(files, use):
    for _ in range(50):
        use(*files)
    with leaving_nothing():
        begin = resident_bytes()
        for _ in range(USES):
            use(*files)
    assert resident_bytes() - begin < 8 << 20


def test_far_files_leave_nothing(files):
    pytest.importorskip("urllib3")
    from servers import serving

    with open(files[0], "rb") as file:
        content = file.read() + presso.compress(os.urandom(200_000))
    with serving({"/log": content}) as server:
        # The server's own threads are as many as there are connections, which are kept.
        def use():
            assert presso.open(server.url + "/log").read(0, 100)[:6] == b"a line"
            assert presso.scan(server.url + "/log").partitions()

        for _ in range(20):
            use()
        # Connections, each with two ends and a thread of the server.
        begin = resident_bytes(), *counted()
        for _ in range(USES // 2):
            use()
        gc.collect()
        time.sleep(0.1)
        assert resident_bytes() - begin[0] < 16 << 20
        assert counted()[0] <= begin[1] + 16 and counted()[1] <= begin[2] + 16
