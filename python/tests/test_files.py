# SPDX-License-Identifier: MIT
"""Opening files, reading their bytes, compressing and decompressing."""
import errno
import gc
import io
import os
import pickle
import random
import re
import shutil
import threading
import time

import pytest

import presso
import presso._far


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

    with pytest.raises(presso.FileError, match="the cable is gone") as caught:
        presso.open(Failing(compressed.read_bytes()))
    assert type(caught.value.__cause__) is OSError

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
    with pytest.raises(presso.MissingFileError, match="memory://none"):
        presso.open("memory://none")


def test_credentials_are_not_shown(damaged, monkeypatch):
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.pipe("/key:se@cret@host/a.presso", damaged.read_bytes())
    url, shown = "memory://key:se@cret@host/a.presso", "memory://***@host/a.presso"
    file = presso.open(url)
    assert file.name == shown and shown in repr(file)
    scan = presso.scan(url, on_error="skip")
    assert {match.path for match in scan} == {shown}
    assert {place["path"] for place in scan.totals["damage"]} == {shown}
    for part in pickle.loads(pickle.dumps(scan.partitions(1 << 18))):
        assert part.path == shown and shown in repr(part)
        assert next(iter(part.scan())).path == shown
    with pytest.raises(presso.DamageError) as caught:
        presso.scan(url).count()
    assert caught.value.path == shown and "cret" not in str(caught.value)

    def fails(*_, **__):
        raise OSError(f"cannot reach {url}")

    def fail(call):
        with pytest.raises(presso.Error) as caught:
            call()
        text = f"{caught.value} {caught.value.path} {caught.value.__cause__}"
        assert "cret" not in text and re.search(r"://\*+@host", text), text

    fail(lambda: presso.open(url + "x"))
    fail(lambda: presso.open("nothing://key:secret@host/a"))
    fail(lambda: presso.open(url + "\0"))
    fail(lambda: presso.sql(f"select * from '{url}'"))
    fail(lambda: presso.sql(f"select nothing, from '{url}'"))
    fail(lambda: presso.sql(f"select nothing from '{url}'"))
    for method in ("cat_file", "info"):
        monkeypatch.setattr(type(memory), method, fails)
        fail(lambda: presso.open(url))
        fail(lambda: presso.scan(url).count())


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://token@host/a", "https://***@host/a"),
        ("s3://key:secret@bucket/a", "s3://***@bucket/a"),
        ("abfs://container@account.net/a", "abfs://container@account.net/a"),
        ("https://host/a?part=1&X-Amz-Signature=ab%2F&b=2", "https://host/a?part=1&***&b=2"),
        ("https://host/a?sv=1&sig=ab", "https://host/a?sv=1&***"),
        ("https://host/a@b:c", "https://host/a@b:c"),
    ],
)
def test_what_is_shown_of_urls(url, shown):
    assert presso._files._shown(url) == shown
    assert presso._files._shown(f"cannot read '{url}': no") == f"cannot read '{shown}': no"


def test_urls_are_opened_together(monkeypatch):
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    urls = [f"memory://many/{i}.presso" for i in range(40)]
    for number, url in enumerate(urls):
        memory.pipe(url, presso.compress(b"file %d\n" % number))
    info = type(memory).info

    def slow(self, path, **options):
        time.sleep(0.05)
        return info(self, path, **options)

    monkeypatch.setattr(type(memory), "info", slow)
    begin = time.monotonic()
    scan = presso.scan(urls)
    assert time.monotonic() - begin < 1
    assert [match.line for match in scan] == [b"file %d\n" % i for i in range(40)]
    parts = scan.partitions()
    assert [part.path for part in parts] == urls
    with pytest.raises(presso.MissingFileError, match="none"):
        presso.scan([*urls, "memory://many/none"])


@pytest.fixture
def requests(monkeypatch):
    """The ranges that are asked of fsspec's memory, as they come."""
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    asked = []
    cat_file = type(memory).cat_file

    def counted(self, path, start=None, end=None, **options):
        asked.append((start, end))
        return cat_file(self, path, start, end, **options)

    monkeypatch.setattr(type(memory), "cat_file", counted)
    return asked


def test_urls_are_read_in_pieces(requests, monkeypatch):
    import fsspec

    memory = fsspec.filesystem("memory")
    text = random.Random(2).randbytes(9_000_000)
    memory.pipe("/pieces.presso", presso.compress(text, block_size=1 << 16))
    file = presso.open("memory://pieces.presso")
    assert len(requests) == 2
    assert file.read(5_000_000, 100_000) == text[5_000_000:5_100_000]
    assert file.read() == text
    assert file.read(1_000_000, 3_000_000) == text[1_000_000:4_000_000]
    assert len(requests) <= 8
    assert sum(end - begin for begin, end in requests) == file.stored_bytes
    # So much is kept of all files together.
    monkeypatch.setattr(presso._far, "_MOST_KEPT_BYTES", 4 << 20)
    other = presso.open("memory://pieces.presso")
    for opened in (file, other, file, other):
        before = len(requests)
        assert opened.read() == text
        assert len(requests) >= before + 2
    assert sum(map(kept_bytes, (file, other))) <= 13 << 20


def kept_bytes(file):
    extents = file._archive.file.reader._far._extents
    return sum(one.end - one.begin for one in extents if one.future is not None)


def test_urls_that_are_read_badly(requests, monkeypatch):
    import fsspec

    memory = fsspec.filesystem("memory")
    memory.pipe("/pieces.presso", presso.compress(b"some lines\n" * 1000))
    cat_file = type(memory).cat_file
    # Servers that know no ranges, or end too early.
    for answer in (lambda data: data + b"x", lambda data: data[:-1]):
        with monkeypatch.context() as patch:
            patch.setattr(
                type(memory), "cat_file", lambda *a, _answer=answer, **o: _answer(cat_file(*a, **o))
            )
            with pytest.raises(presso.FileError, match="bytes 0-[0-9]+: a read gave"):
                presso.open("memory://pieces.presso")
    with monkeypatch.context() as patch:
        patch.setattr(type(memory), "cat_file", lambda *a, **o: 1 / 0)
        broken = pytest.raises(presso.FileError)
        with broken as caught:
            presso.open("memory://pieces.presso")
        assert isinstance(caught.value.__cause__, ZeroDivisionError)
    with pytest.raises(presso.ArgumentError, match="nothing://"):
        presso.open("nothing://app.presso")


@pytest.mark.parametrize("size", [-1, 1.5, 1 << 63, "5"])
def test_sizes_that_no_file_has(monkeypatch, size):
    fsspec = pytest.importorskip("fsspec")

    class Odd(io.BytesIO):
        def seek(self, *_):
            return size

    memory = fsspec.filesystem("memory")
    monkeypatch.setattr(type(memory), "info", lambda *_, **__: {"size": size})
    for source in (Odd(b"x"), "memory://odd.presso"):
        with pytest.raises(presso.FileError, match="a size of .* bytes"):
            presso.open(source)


def test_relative_paths_stay_where_they_were(compressed, tmp_path, monkeypatch):
    monkeypatch.chdir(compressed.parent)
    scan = presso.scan(compressed.name, "ERROR")
    opened = presso.open(compressed.name).scan("ERROR")
    query = presso.query(written_table(compressed.parent).name)
    wanted = list(scan)
    other = tmp_path / "other"
    other.mkdir()
    (other / compressed.name).write_bytes(presso.compress(b"ERROR of another file\n"))
    monkeypatch.chdir(other)
    for one in (scan, opened):
        assert list(one) == wanted and wanted[0].path == compressed.name
        assert [match for part in one.partitions() for match in part.scan()] == wanted
    assert sum(part.scan().run()["rows"] for part in query.partitions()) == 3
    with pytest.raises(presso.MissingFileError, match="^none: "):
        presso.open("none")


def written_table(folder):
    pyarrow = pytest.importorskip("pyarrow")
    path = folder / "rows.presso"
    presso.write_table(pyarrow.table({"a": [1, 2, 3]}), path, overwrite=True)
    return path


def test_ctrl_c_while_a_piece_is_waited_for(monkeypatch):
    class Source:
        size = 1 << 20
        begun = b""

        def fetch(self, begin, end):
            time.sleep(0.05)
            return b"x" * (end - begin)

    file = presso._far.FarFile(Source())
    found = type(file)._found

    def interrupted(*arguments):
        found(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(type(file), "_found", interrupted)
        with pytest.raises(KeyboardInterrupt):
            file.read(0, 5)
    read = []
    reader = threading.Thread(target=lambda: read.append(file.read(0, 5)), daemon=True)
    reader.start()
    reader.join(10)
    assert read == [b"xxxxx"]


class Counting:
    """A source of FarFile's of any size, that counts what is asked for; `pause` is called while a
    request is under way."""

    begun = b""

    def __init__(self, size, pause=lambda: time.sleep(0.002)):
        self.size = size
        self.pause = pause
        self.lock = threading.Lock()
        self.asked = []
        self.at_once = self.most_at_once = 0

    def fetch(self, begin, end):
        with self.lock:
            self.asked.append((begin, end))
            self.at_once += 1
            self.most_at_once = max(self.most_at_once, self.at_once)
        self.pause()
        with self.lock:
            self.at_once -= 1
        return bytes(end - begin)


def ends(count):
    """Waits until there are no more threads than that."""
    for _ in range(1000):
        if threading.active_count() <= count:
            return
        time.sleep(0.01)
    raise AssertionError


def test_an_end_that_claims_a_large_index(monkeypatch):
    monkeypatch.setattr(presso._far._native, "index_offset", lambda end, size: 0)
    threads = threading.active_count()
    source = Counting(100 << 30)
    file = presso._far.FarFile(source)
    assert file.read(source.size - 32, source.size) == bytes(32)
    ends(threads)
    assert len(source.asked) < 20 and source.most_at_once <= 16
    assert min(begin for begin, _ in source.asked if begin) >= source.size - (64 << 20)
    assert sum(end - begin for begin, end in source.asked) <= (64 << 20) + (64 << 10)


def test_a_large_read_is_made_of_few_requests_at_a_time(monkeypatch):
    for name in ("_PIECE_BYTES", "_MOST_PIECE_BYTES", "_LEAST_TAIL_BYTES"):
        monkeypatch.setattr(presso._far, name, 1 << 10)
    monkeypatch.setattr(presso._far, "_MOST_READ_BYTES", 64 << 10)
    monkeypatch.setattr(presso._far, "_MOST_KEPT_BYTES", 128 << 10)
    source = Counting(1 << 20)
    file = presso._far.FarFile(source)
    assert file.read(1 << 10, 1 << 19) == bytes((1 << 19) - (1 << 10))
    assert 1 < source.most_at_once <= 16
    assert len(source.asked) == len(set(source.asked)) <= 513
    kept = [one for one in file._extents if one.future is not None]
    assert sum(one.end - one.begin for one in kept) <= 192 << 10


def test_what_waits_is_not_fetched_for_a_file_that_has_gone(monkeypatch):
    monkeypatch.setattr(presso._far, "_MOST_PIECE_BYTES", 1 << 10)
    threads, go = threading.active_count(), threading.Event()
    source = Counting(1 << 20, go.wait)
    file = presso._far.FarFile(source)
    file._found(1 << 10, 1 << 19)
    assert threading.active_count() == threads + 16
    del file
    gc.collect()
    go.set()
    ends(threads)
    assert len(source.asked) == 16


def test_errors_escape_control_characters(tmp_path):
    with pytest.raises(presso.FileError) as caught:
        presso.open(tmp_path / "a\x1b[31m\r")
    assert "a\\x1b[31m\\r" in str(caught.value)
    assert "\x1b" not in str(caught.value)
    assert caught.value.path == str(tmp_path / "a\x1b[31m\r")


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
    assert isinstance(caught.value, FileNotFoundError)
    assert caught.value.errno == errno.ENOENT
    assert caught.value.filename == str(tmp_path / "none")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), again.errno, str(again)) == (
        presso.MissingFileError,
        errno.ENOENT,
        str(caught.value),
    )
    with pytest.raises(presso.FileError, match="directory") as caught:
        presso.open(tmp_path)
    assert caught.value.errno == errno.EISDIR
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


def test_file_urls_are_decoded(compressed, tmp_path):
    path = tmp_path / "a b%20c.presso"
    shutil.copy(compressed, path)
    url = path.as_uri()
    assert "%2520" in url
    assert presso.open(url).plain_bytes == presso.open(compressed).plain_bytes


def test_paths_of_any_bytes(log, compressed, tmp_path):
    odd = os.path.join(os.fsencode(tmp_path), b"a\xff.presso")
    shutil.copy(compressed, odd)
    name = os.fsdecode(odd)
    assert presso.open(odd).name == presso.open(name).name == name
    for source in (odd, name, tmp_path / "*.presso", os.fsencode(tmp_path) + b"/*.presso"):
        found = presso.scan(source, "ERROR", limit=1)
        assert [match.path for match in found] == [name]
    presso.decompress_file(odd, os.fsencode(tmp_path) + b"/b\xff")
    with open(os.fsencode(tmp_path) + b"/b\xff", "rb") as back:
        assert back.read() == log.read_bytes()
    with pytest.raises(presso.MissingFileError) as caught:
        presso.open(odd + b"x")
    assert caught.value.path == name + "x"
    for nul in (f"{compressed}\0x", os.fsencode(compressed) + b"\0x"):
        for call in (presso.open, presso.query, lambda path: presso.compress_file(log, path)):
            with pytest.raises(presso.ArgumentError, match="NUL"):
                call(nul)


def test_buffers_that_read_gives(log, compressed):
    for kind in (bytearray, memoryview):

        class Other(io.BytesIO):
            def read(self, size=-1, kind=kind):
                return kind(super().read(size))

        assert presso.open(Other(compressed.read_bytes())).read(7, 9) == log.read_bytes()[7:16]


@pytest.mark.parametrize(
    "call",
    [
        lambda path, to: presso.compress(b"", level="x"),
        lambda path, to: presso.compress(b"", level=-1),
        lambda path, to: presso.compress(b"", threads=-1),
        lambda path, to: presso.compress(b"", index="x"),
        lambda path, to: presso.compress(b"", block_size=1 << 40),
        lambda path, to: presso.compress(b"", metadata={1: 2}),
        lambda path, to: presso.decompress(b"", threads=-1),
        lambda path, to: presso.compress_file(path, to, progress=3),
        lambda path, to: presso.compress_file(17, to),
        lambda path, to: presso.compress_file(path, 17),
        lambda path, to: presso.decompress_file(path, to, threads="x"),
        lambda path, to: presso.scan(path, "x", limit=-1),
        lambda path, to: presso.scan(path, "x", limit="x"),
        lambda path, to: presso.scan(path, "x", threads=-1),
        lambda path, to: presso.scan(path, "x", before=-1),
        lambda path, to: presso.scan(path, "x", lines=(None, 5)),
        lambda path, to: presso.scan(path, "x", lines=5),
        lambda path, to: presso.scan(path, "x", columns=[1]),
        lambda path, to: presso.scan(path, 1),
        lambda path, to: presso.scan(1, "x"),
        lambda path, to: presso.open(path).read(0, "x"),
        lambda path, to: presso.open(path).read(-1),
        lambda path, to: presso.open(path).block("x"),
        lambda path, to: presso.open(path).raw().seek(0, 7),
        lambda path, to: presso.open(path).raw().seek(-1),
        lambda path, to: presso.compress(b"", metadata=[1]),
        lambda path, to: presso.compress_file(path, to, metadata=5),
        lambda path, to: presso.scan(path, columns=5),
        lambda path, to: presso.sql(5),
        lambda path, to: presso.sql("select '\ud800'"),
    ],
)
def test_arguments_that_make_no_sense(call, compressed, tmp_path):
    with pytest.raises(presso.ArgumentError):
        call(compressed, tmp_path / "to")


def test_options_that_are_not_known(log, tmp_path):
    for name, call in (
        ("compress", lambda: presso.compress(b"", levle=3)),
        ("compress_file", lambda: presso.compress_file(log, tmp_path / "to", levle=3)),
    ):
        with pytest.raises(TypeError, match=rf"^{name}\(\) got .* 'levle'"):
            call()


def test_one_name_is_not_several(compressed):
    (part,) = presso.scan(compressed).partitions()
    for call in (part.scan, lambda columns: presso.scan(compressed, columns=columns)):
        with pytest.raises(presso.ArgumentError, match="columns='line': not a list"):
            call("line")


def test_errors_of_the_file_that_is_written(log, compressed, tmp_path):
    if os.path.exists("/dev/full"):
        for call, source in ((presso.compress_file, log), (presso.decompress_file, compressed)):
            with pytest.raises(presso.FileError) as caught:
                call(source, "/dev/full")
            assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, "/dev/full")
    (tmp_path / "there").touch()
    with pytest.raises(presso.FileError) as caught:
        presso.compress_file(log, tmp_path / "there")
    assert caught.value.errno == errno.EEXIST
    assert caught.value.filename == str(tmp_path / "there")


def test_names_and_times_of_what_was_compressed(log, tmp_path):
    with pytest.raises(presso.ArgumentError, match="to="):
        presso.compress_file(io.BytesIO(b"text"))
    presso.compress_file(log, tmp_path / "a.presso", metadata={"user.note": "x"})
    assert presso.open(tmp_path / "a.presso").metadata == {
        "name": log.name,
        "mtime": str(log.stat().st_mtime_ns),
        "user.note": "x",
    }
    presso.compress_file(log, tmp_path / "b.presso", metadata={"name": "other"})
    assert presso.open(tmp_path / "b.presso").metadata["name"] == "other"
    presso.compress_file(io.BytesIO(b"text"), tmp_path / "c.presso")
    assert presso.open(tmp_path / "c.presso").metadata == {}


def test_modes_follow_the_umask(tmp_path):
    # umask() tells the mask only by changing it for all threads: the module must not know it.
    with open(presso._compress._native.__file__, "rb") as module:
        assert b"\0umask\0" not in module.read()

    def write(thread):
        for i in range(20):
            presso.compress_file(io.BytesIO(b"x"), tmp_path / f"{thread}.{i}", threads=1)

    before = os.umask(0o027)
    try:
        threads = [threading.Thread(target=write, args=(i,)) for i in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        after = os.umask(before)
    assert after == 0o027
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o640}
    assert len(os.listdir(tmp_path)) == 320


def test_progress_bars(log, tmp_path):
    tqdm = pytest.importorskip("tqdm").tqdm
    compressed, plain = tmp_path / "a.presso", tmp_path / "a"
    options = {"unit": "B", "unit_scale": True, "file": io.StringIO()}
    with tqdm(total=log.stat().st_size, **options) as bar:
        presso.compress_file(log, compressed, progress=bar)
        assert bar.n == bar.total
    with tqdm(total=compressed.stat().st_size, initial=5, **options) as bar:
        presso.decompress_file(compressed, plain, progress=bar)
        assert bar.n == bar.total + 5
    with tqdm(total=log.stat().st_size, **options) as bar:
        presso.compress_file(
            log, compressed, overwrite=True, progress=lambda done, _: bar.update(done - bar.n)
        )
        assert bar.n == bar.total
    with pytest.raises(presso.ArgumentError, match="cannot be called"):
        presso.compress_file(log, compressed, overwrite=True, progress=3)
