# SPDX-License-Identifier: MIT
"""device="gpu": over a library of presso-gpu whose GPU is no GPU, as the tests' build makes it.
PRESSO_GPU_LIBRARY names another one, such as that of the package where there is a GPU."""
import os
import pathlib
import sys
import types

import pytest

import presso

FOUND = sorted(pathlib.Path(__file__).parents[2].glob("build/*/tests/libpresso_gpu_on_cpu.so"))
LIBRARY = os.environ.get("PRESSO_GPU_LIBRARY") or (str(FOUND[0]) if FOUND else "")


@pytest.fixture
def package(monkeypatch):
    """presso-gpu is there, with the library that `path` names."""

    def install(path):
        made = types.ModuleType("presso_gpu")
        made.library = lambda: path
        monkeypatch.setitem(sys.modules, "presso_gpu", made)

    return install


@pytest.fixture
def gpu(package):
    if not LIBRARY:
        pytest.skip("no build of the tests has made libpresso_gpu_on_cpu.so")
    package(LIBRARY)


@pytest.fixture(scope="module")
def orders(tmp_path_factory):
    path = tmp_path_factory.mktemp("gpu") / "orders.csv"
    rows = (f"{i},{i * 7 % 90},city {i % 5}\n" for i in range(3000))
    path.write_text("id,price,city\n" + "".join(rows))
    return path


@pytest.fixture(scope="module")
def tables(orders):
    pyarrow = pytest.importorskip("pyarrow")
    csv = pytest.importorskip("pyarrow.csv")
    made = orders.with_suffix(".presso")
    presso.write_table(csv.read_csv(orders), made)
    cities = pyarrow.table({"city": [f"city {i}" for i in range(4)], "size": [9, 8, 7, 6]})
    named = orders.with_name("cities.presso")
    presso.write_table(cities, named)
    return str(made), str(named)


def test_without_the_package(monkeypatch, log, tables):
    monkeypatch.setitem(sys.modules, "presso_gpu", None)
    for use in (
        lambda: presso.scan(log, "x", device="gpu"),
        lambda: presso.devices(),
        lambda: presso.query(tables[0]).options(device="gpu"),
    ):
        with pytest.raises(presso.UnsupportedError, match=r"presso\[gpu\]"):
            use()


def test_bad_devices(log):
    for device in ("cuda", "gpu:", "gpu:-1", "gpu:x", "GPU", "gpu:99999", 0, None):
        with pytest.raises(presso.ArgumentError, match="device="):
            presso.scan(log, "x", device=device)


def test_what_is_no_library_of_it(package, log, tmp_path):
    text = tmp_path / "library.so"
    text.write_text("no library")
    other = sys.modules["presso._native"].__file__
    for path, why in ((str(text), "library.so"), (other, "is not the library of presso-gpu")):
        package(path)
        with pytest.raises(presso.UnsupportedError, match=why):
            presso.scan(log, "x", device="gpu")


def both(source, *patterns, **options):
    """The same scan by the CPU and by the GPU."""
    return (
        presso.scan(source, *patterns, **options),
        presso.scan(source, *patterns, device="gpu", **options),
    )


def test_scans_are_the_cpus(gpu, compressed, log):
    for patterns, options in (
        (["ERROR"], {"fixed": True}),
        (["host[35] .*id=9+"], {}),
        (["error", "id=77"], {"ignore_case": True}),
        (["timeout"], {"limit": 7}),
        (["nowhere at all"], {}),
        (["%host_ %"], {"like": True}),
    ):
        cpu, gpu_scan = both(compressed, *patterns, **options)
        assert list(gpu_scan) == list(cpu)
        assert gpu_scan.totals["why_cpu"] == ""
        assert gpu_scan.count() == cpu.count()
        assert gpu_scan.totals["lines"] == cpu.totals["lines"]
        assert "why_cpu" not in cpu.totals
    # What GPUs are not for.
    for options, why in (({"before": 1}, "neighbours"), ({"lines": (3, 900)}, "some lines")):
        cpu, gpu_scan = both(compressed, "ERROR", **options)
        assert list(gpu_scan) == list(cpu)
        assert why in gpu_scan.totals["why_cpu"]
    cpu, gpu_scan = both([str(compressed), str(log)], "ERROR")
    assert list(gpu_scan) == list(cpu)
    assert gpu_scan.totals["why_cpu"]


def test_times_and_records_are_left_to_the_cpu(gpu, tmp_path):
    path = tmp_path / "times.log"
    path.write_text("".join(f"2026-11-28 10:{i:02}:00 x\n  at y\n" for i in range(60)))
    presso.compress_file(path)
    path = f"{path}.presso"
    for options, why, lines in (
        ({"since": "2026-11-28 10:30"}, "some time", 60),
        ({"record": "time"}, "records of several lines", 60),
        ({"record": "indent", "until": "2026-11-28 10:10"}, "some time", 10),
    ):
        cpu, gpu_scan = both(path, "x|y", **options)
        assert list(gpu_scan) == list(cpu) and cpu.count() == gpu_scan.count() == lines
        assert why in gpu_scan.totals["why_cpu"]


def test_arrow_and_damage(gpu, compressed, damaged):
    pyarrow = pytest.importorskip("pyarrow")
    columns = ["path", "line_number", "offset", "line", "spans"]
    cpu, gpu_scan = both(compressed, "host3", columns=columns)
    assert pyarrow.table(gpu_scan) == pyarrow.table(cpu)
    cpu, gpu_scan = both(damaged, "host", on_error="skip")
    assert list(gpu_scan) == list(cpu)
    places = [scan.totals["damage"] for scan in (cpu, gpu_scan)]
    assert places[0] == places[1] != []
    with pytest.raises(presso.DamageError) as caught:
        presso.scan(damaged, "host", device="gpu").count()
    assert caught.value.block == places[0][0]["block"]


def test_partitions_are_the_cpus(gpu, compressed):
    scan = presso.scan(compressed, "ERROR", device="gpu")
    parts = scan.partitions(1 << 16)
    assert len(parts) > 1
    found = [match for part in parts for match in part.scan()]
    assert found == list(presso.scan(compressed, "ERROR"))


def test_files_that_python_reads(gpu, compressed):
    with open(compressed, "rb") as file:
        cpu, gpu_scan = both(file, "ERROR")
        assert [match[1:] for match in gpu_scan] == [match[1:] for match in cpu]
    # What a callback raises does not pass through the library.
    class Broken:
        def read(self, *_):
            raise RuntimeError("the cable is out")

        def seek(self, offset, whence=0):
            return 1 << 20

        def tell(self):
            return 1 << 20

    with pytest.raises(presso.FileError) as caught:
        presso.scan(Broken(), "x", device="gpu").count()
    assert "the cable is out" in str(caught.value)
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_iterations_end_early(gpu, compressed):
    for _ in range(5):
        iterator = iter(presso.scan(compressed, "host", device="gpu"))
        next(iterator)
        del iterator


@pytest.mark.parametrize(
    "ask",
    [
        lambda query, other: query.where("price > 30 and city <> 'city 1'"),
        lambda query, other: query.group_by("city").aggregate("sum(price) as s, count(*), min(id)"),
        lambda query, other: query.alias("o")
        .join(other, "o.city = c.city", "left")
        .alias("c")
        .where("price < 9")
        .select("id, size")
        .order_by("id desc")
        .limit(40, 2),
        lambda query, other: query.select("price % 7 as p, city").distinct(),
        lambda query, other: query.group_by("price").aggregate("count(*) as n").having("n > 33"),
    ],
)
def test_queries_are_the_cpus(gpu, tables, ask):
    pyarrow = pytest.importorskip("pyarrow")
    orders, cities = tables
    cpu = ask(presso.query(orders), cities)
    on_gpu = ask(presso.query(orders), cities).options(device="gpu", threads=2)
    assert pyarrow.table(on_gpu) == pyarrow.table(cpu)
    assert pyarrow.schema(on_gpu) == pyarrow.schema(cpu)
    found, expected = on_gpu.run(), cpu.run()
    for name in ("rows", "rows_in", "rows_matched", "groups"):
        assert found[name] == expected[name]
    assert expected["device"] == "" != found["device"]
    assert found["on_device"] or found["why_cpu"]


def test_statements(gpu, tables):
    pyarrow = pytest.importorskip("pyarrow")
    orders, cities = tables
    text = (
        f"select c.size, sum(price) from '{orders}' o join '{cities}' c on o.city = c.city "
        "group by c.size order by c.size"
    )
    cpu, on_gpu = presso.sql(text), presso.sql(text, device="gpu")
    assert pyarrow.table(on_gpu) == pyarrow.table(cpu)
    assert "joins" in on_gpu.run()["on_device"]
    assert on_gpu.explain() and on_gpu.explain(analyze=True)


def test_streams_outlive_queries(gpu, tables):
    pyarrow = pytest.importorskip("pyarrow")
    query = presso.query(tables[0]).where("price < 50").options(device="gpu")
    readers = [pyarrow.RecordBatchReader.from_stream(query) for _ in range(3)]
    expected = pyarrow.table(presso.query(tables[0]).where("price < 50"))
    del query
    assert readers[0].read_all() == expected
    readers[1].close()
    assert readers[2].read_all() == expected


def test_errors_of_queries(gpu, tables):
    with pytest.raises(presso.ArgumentError) as caught:
        presso.query(tables[0]).where("price > 'x y'").options(device="gpu").run()
    assert "price > 'x y'" in str(caught.value)
    # What an answer cannot be.
    failing = presso.query(tables[0]).select("cast(city as bigint)").options(device="gpu")
    with pytest.raises(presso.ArgumentError, match="row 1: a text is not of type int64"):
        failing.run()


@pytest.mark.skipif("gpu_on_cpu" not in LIBRARY, reason="this GPU does not fail when it is to")
def test_a_gpu_that_fails(gpu, compressed, monkeypatch):
    monkeypatch.setenv("PRESSO_FAKE_GPU", "none")
    with pytest.raises(presso.DeviceError, match="the test says so"):
        presso.scan(compressed, "x", device="gpu").count()
    monkeypatch.setenv("PRESSO_FAKE_GPU", "copy=0")
    with pytest.raises(presso.DeviceError):
        presso.scan(compressed, "host", device="gpu").count()
