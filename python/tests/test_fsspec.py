# SPDX-License-Identifier: MIT
"""Compressed files where others open files by fsspec, in processes of their own, too."""
import gc
import importlib.metadata
import os
import pathlib
import subprocess
import sys

import pytest

import presso

fsspec = pytest.importorskip("fsspec")


@pytest.fixture(autouse=True)
def registered():
    """By pip, where it has installed the package."""
    names = [one.name for one in importlib.metadata.entry_points(group="fsspec.specs")]
    if "presso" not in names:
        fsspec.register_implementation("presso", "presso.fsspec.PressoFileSystem", clobber=True)
    return "presso" in names


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "orders.csv"
    path.write_text("id,city\n" + "".join(f"{i},Ulm{i % 7}\n" for i in range(50_000)))
    presso.compress_file(path, block_size=1 << 16)
    return f"{path}.presso"


def test_as_a_compression(csv, log, compressed):
    import presso.fsspec  # noqa: F401

    for compression in ("infer", "presso"):
        with fsspec.open(compressed, compression=compression) as file:
            assert file.read() == log.read_bytes()
    with fsspec.open(csv, "rt", compression="infer") as file:
        assert next(file) == "id,city\n"
        assert sum(1 for _ in file) == 50_000
    fsspec.filesystem("memory").pipe("/orders.csv.presso", open(csv, "rb").read())
    with fsspec.open("memory://orders.csv.presso", compression="infer") as file:
        file.seek(-9, 2)
        assert file.read().endswith(b"Ulm5\n")
    with pytest.raises(presso.ArgumentError, match="only reads"):
        fsspec.open(csv + "2.presso", "wb", compression="infer").open()


def test_as_a_file_system(csv, log, compressed):
    for url in (f"presso::file://{compressed}", f"presso::{compressed}"):
        fs, path = fsspec.core.url_to_fs(url)
        assert fs.size(path) == log.stat().st_size
        assert fs.cat_file(path, start=100, end=200) == log.read_bytes()[100:200]
        with fsspec.open(url) as file:
            assert file.read() == log.read_bytes()
    fsspec.filesystem("memory").pipe("/orders.csv.presso", open(csv, "rb").read())
    with fsspec.open("presso::memory://orders.csv.presso", "rt") as file:
        assert file.readline() == "id,city\n"
    with pytest.raises(presso.MissingFileError):
        fsspec.open("presso::memory://none").open()
    with pytest.raises(presso.ArgumentError, match="only read"):
        fsspec.open(f"presso::{compressed}", "wb").open()
    with pytest.raises(presso.ArgumentError, match="in front of the URL"):
        fsspec.filesystem("presso")


def test_a_file_that_was_written_anew(tmp_path):
    path = tmp_path / "a.presso"
    for text in (b"old\n", b"newer text\n"):
        path.write_bytes(presso.compress(text))
        with fsspec.open(f"presso::file://{path}") as file:
            assert file.read() == text
    del file
    gc.collect()
    held = [os.path.realpath(one) for one in pathlib.Path("/proc/self/fd").iterdir()]
    assert str(path) not in held


def test_there_is_one_file(compressed):
    fs, _ = fsspec.core.url_to_fs(f"presso::file://{compressed}")
    assert [fs.exists(path) for path in ("", "presso://", "nope")] == [True, True, False]
    assert fs.isfile("") and not fs.isfile("nope")
    assert fs.find("") == [""] and fs.ls("", False) == [""]
    for call in (fs.info, fs.ls, fs.open, fs.cat_file):
        with pytest.raises(FileNotFoundError, match="nope: .* one file"):
            call("nope")


def test_pandas(csv):
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(f"presso::file://{csv}")
    assert len(frame) == 50_000 and frame["id"].sum() == sum(range(50_000))
    with presso.open(csv).text() as text:
        assert pandas.read_csv(text).equals(frame)


def test_dask(csv):
    pytest.importorskip("dask.dataframe")
    import dask.dataframe

    frame = dask.dataframe.read_csv(f"presso::file://{csv}", blocksize=100_000)
    assert frame.npartitions > 3
    assert len(frame) == 50_000 and frame["id"].sum().compute() == sum(range(50_000))
    bag = pytest.importorskip("dask.bag").read_text(f"presso::file://{csv}")
    assert bag.count().compute() == 50_001


def test_nothing_need_be_imported(csv, registered):
    if not registered:
        pytest.skip("the package is not installed by pip")
    code = "import fsspec, sys; print(len(fsspec.open(sys.argv[1]).open().read()))"
    read = subprocess.run(
        [sys.executable, "-c", code, f"presso::file://{csv}"],
        check=True, capture_output=True, text=True,
    )
    assert int(read.stdout) == presso.open(csv).plain_bytes
