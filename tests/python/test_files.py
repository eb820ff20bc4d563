# SPDX-License-Identifier: MIT
"""Opening files, reading their bytes, compressing and decompressing."""
import io
import os
import pickle
import random
import threading

import pytest

import presso


def test_what_a_file_says(log, compressed, log_lines):
    file = presso.open(compressed)
    assert file.plain_bytes == log.stat().st_size
    assert file.stored_bytes == compressed.stat().st_size
    assert file.lines == len(log_lines)
    assert file.rows is None and not file.is_table
    assert file.blocks == -(-file.plain_bytes // (1 << 16))
    assert file.info["lines"] == file.lines
    assert repr(str(compressed)) in repr(file)


def test_ranges_are_those_of_the_text(log, compressed):
    text = log.read_bytes()
    file = presso.open(str(compressed))
    rng = random.Random(2)
    for _ in range(50):
        begin, length = rng.randrange(len(text) + 10), rng.randrange(200_000)
        assert file.read(begin, length) == text[begin : begin + length]
    assert file.read() == text
    assert file.read(len(text)) == b""
    with pytest.raises(ValueError):
        file.read(-1)


def test_blocks(log, compressed):
    file = presso.open(compressed)
    assert b"".join(file.block(i) for i in range(file.blocks)) == log.read_bytes()
    places = [file.block_place(i) for i in range(file.blocks)]
    assert [plain for plain, _, _ in places] == [i << 16 for i in range(file.blocks)]
    with pytest.raises(IndexError):
        file.block(file.blocks)


def test_file_objects(log, compressed):
    text = log.read_bytes()
    for opened in (io.BytesIO(compressed.read_bytes()), open(compressed, "rb")):
        with opened:
            assert presso.open(opened).read(1000, 500) == text[1000:1500]
    raw = io.BufferedReader(presso.open(compressed).raw())
    assert raw.read(10) == text[:10]
    assert raw.seek(-5, io.SEEK_END) == len(text) - 5
    assert raw.read() == text[-5:]
    with presso.open(compressed).text() as lines:
        assert [line.rstrip("\n") for line in lines] == text.decode().split("\n")


def test_file_objects_that_fail(compressed):
    class Failing(io.BytesIO):
        def read(self, *_):
            raise OSError("the cable is gone")

    with pytest.raises(presso.FileError, match="the cable is gone"):
        presso.open(Failing(compressed.read_bytes()))

    class Short(io.BytesIO):
        def read(self, size=-1):
            return super().read(min(size, 5)) if self.tell() < 20 else b""

    with pytest.raises(presso.FileError, match="gave"):
        presso.open(Short(compressed.read_bytes()))


def test_urls(log, compressed):
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.pipe("/app.presso", compressed.read_bytes())
    assert presso.open("memory://app.presso").read(5, 20) == log.read_bytes()[5:25]
    assert presso.open(f"file://{compressed}").plain_bytes == log.stat().st_size


def test_errors_have_their_places(damaged, log, tmp_path):
    file = presso.open(damaged)
    with pytest.raises(presso.DamageError) as caught:
        file.read()
    assert caught.value.block == file.blocks // 2
    assert caught.value.path == str(damaged)
    assert str(damaged) in str(caught.value)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), again.block, again.offset) == (
        presso.DamageError,
        caught.value.block,
        caught.value.offset,
    )
    with pytest.raises(presso.FileError) as caught:
        presso.open(tmp_path / "none")
    assert isinstance(caught.value, OSError)
    with pytest.raises(presso.DamageError):
        presso.open(log)
    with pytest.raises(presso.ArgumentError, match="directory"):
        presso.open(tmp_path)
    (tmp_path / "short").write_bytes(b"abc")
    with pytest.raises(presso.DamageError):
        presso.open(tmp_path / "short")


def test_buffers():
    rng = random.Random(3)
    for plain in (b"", b"x", rng.randbytes(100_000), b"ab" * 500_000):
        for options in ({}, {"level": 9}, {"coding": "byte"}, {"favor": "decode"}):
            assert presso.decompress(presso.compress(plain, **options)) == plain
    assert presso.decompress(memoryview(presso.compress(bytearray(b"abc")))) == b"abc"
    with pytest.raises(presso.ArgumentError, match="level"):
        presso.compress(b"x", level=99)
    with pytest.raises(presso.ArgumentError, match="coding"):
        presso.compress(b"x", coding="zip")
    with pytest.raises(presso.DamageError):
        presso.decompress(b"not compressed at all")
    with pytest.raises(TypeError):
        presso.compress("text")


def test_files_appear_when_complete(log, tmp_path):
    target = tmp_path / "out.presso"
    seen = []
    sizes = presso.compress_file(log, target, progress=lambda *done: seen.append(done))
    assert sizes.plain_bytes == log.stat().st_size
    assert sizes.compressed_bytes == target.stat().st_size
    assert seen and seen == sorted(seen)
    with pytest.raises(presso.FileError):
        presso.compress_file(log, target)
    presso.compress_file(log, target, overwrite=True, metadata={"user.note": "x"})
    assert presso.open(target).metadata["user.note"] == "x"

    def stop(*_):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        presso.compress_file(log, tmp_path / "never.presso", progress=stop)
    plain = tmp_path / "plain"
    assert presso.decompress_file(target, plain).plain_bytes == log.stat().st_size
    assert plain.read_bytes() == log.read_bytes()
    with pytest.raises(presso.DamageError):
        presso.decompress_file(log, tmp_path / "never")
    assert sorted(os.listdir(tmp_path)) == ["out.presso", "plain"]


def test_no_descriptor_is_left(compressed):
    def descriptors():
        return len(os.listdir("/proc/self/fd"))

    before = descriptors()
    for _ in range(1000):
        presso.open(compressed)
    assert descriptors() == before


def test_threads_share_a_file(log, compressed):
    text = log.read_bytes()
    file = presso.open(compressed)
    wrong = []

    def read(seed):
        rng = random.Random(seed)
        for _ in range(30):
            begin = rng.randrange(len(text))
            if file.read(begin, 5000) != text[begin : begin + 5000]:
                wrong.append(begin)

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
