# SPDX-License-Identifier: MIT
"""Searching lines, by iteration, counts and Arrow's streams."""
import gzip
import io
import re
import resource
import shutil
import subprocess
import sys
import threading
import time

import pytest

import presso


def expected(lines, pattern, flags=0):
    """(number, offset, text, spans) of lines that match, by Python's own engine."""
    found, offset = [], 0
    for number, line in enumerate(lines, 1):
        text = line.encode()
        spans = tuple(m.span() for m in re.finditer(pattern.encode(), text, flags))
        if spans:
            found.append((number, offset, text, spans))
        offset += len(text) + 1
    return found


@pytest.mark.parametrize("source", ["log", "compressed"])
@pytest.mark.parametrize("pattern", ["ERROR", "host[35] .*id=9+", "nowhere", "^2024-01-07", "."])
def test_matches_are_those_of_re(source, pattern, log_lines, request):
    path = request.getfixturevalue(source)
    found = presso.scan(path, pattern)
    if pattern == ".":
        assert found.count() == len(log_lines)
        return
    wanted = expected(log_lines, pattern)
    rows = list(found)
    assert [(m.line_number, m.offset, m.line.rstrip(b"\n"), m.spans) for m in rows] == wanted
    assert {m.path for m in rows} <= {str(path)}
    assert found.count() == len(wanted) == found.totals["lines"]


def test_options(compressed, log_lines):
    def numbers(*patterns, **options):
        return [m.line_number for m in presso.scan(compressed, *patterns, **options)]

    assert numbers("error DISK", ignore_case=True) == numbers("ERROR disk")
    assert numbers("id=1.", fixed=True) == []
    assert numbers("2024-01-0_ host1%", like=True) == numbers("^2024-01-0. host1")
    assert numbers("o", word=True) == []
    assert numbers("retry", invert=True) == numbers("connect|timeout|gr\u00fc\u00dfe|ERROR|ok ")
    assert numbers("retry", "timeout") == numbers("retry|timeout")
    assert numbers(".", lines=(100, 104)) == [100, 101, 102, 103, 104]
    assert numbers("host", limit=7) == list(range(1, 8))
    assert len(numbers("timeout", after=1, limit=3)) > 3
    assert numbers(b"\xff", fixed=True) == []
    kinds = [(m.line_number, m.kind) for m in presso.scan(compressed, ".", lines=(5, 5), limit=1)]
    assert kinds == [(5, "match")]
    around = presso.scan(compressed, log_lines[17], fixed=True, before=2, after=1)
    assert [(m.line_number, m.kind) for m in around] == [
        (16, "before"),
        (17, "before"),
        (18, "match"),
        (19, "after"),
    ]
    assert numbers("gr\u00fc\u00dfe".encode()) == numbers("gr\u00fc\u00dfe")
    assert numbers(log_lines[17], whole_line=True, fixed=True) == [18]


@pytest.mark.parametrize("source", ["log", "compressed"])
def test_all_lines(source, log_lines, request):
    scan = presso.scan(request.getfixturevalue(source), ignore_case=True)
    assert [m.line.rstrip(b"\n").decode() for m in scan] == log_lines
    assert scan.count() == len(log_lines)


def test_conditions_on_fields(log, compressed, log_lines):
    ids = [int(re.search("id=([0-9]+)", line)[1]) for line in log_lines]
    wanted = [i + 1 for i, number in enumerate(ids) if number < 1000]

    def numbers(*patterns, source=compressed, **options):
        return [m.line_number for m in presso.scan(source, *patterns, **options)]

    assert numbers(where="id < 1000") == numbers(where="id < 1000", source=log) == wanted
    found = presso.scan(compressed, where="id < 1000")
    assert found.count() == len(wanted) == len(pyarrow_lines(found))
    assert [m.spans for m in presso.scan(compressed, where="id < 1000", columns=["spans"])] == [
        ((0, len(log_lines[i - 1].encode())),) for i in wanted
    ]
    chosen = [i for i in wanted if "retry" in log_lines[i - 1]]
    assert numbers("retry", where="id < 1000") == numbers(where="id < 1000 and retry") == chosen
    others = presso.scan(compressed, where="id < 1000", invert=True)
    assert others.count() == len(log_lines) - len(wanted)
    parts = found.partitions(1 << 18)
    assert len(parts) > 1 and all(part.rows is None for part in parts)
    assert sum((list(part.scan()) for part in parts), []) == list(found)
    with pytest.raises(presso.ArgumentError, match=r"id <\n +\^"):
        presso.scan(compressed, where="id <")
    for wrong in ({"multiline": True}, {"device": "gpu"}):
        with pytest.raises(presso.ArgumentError, match="where="):
            presso.scan(compressed, where="id < 1000", **wrong)
    with pytest.raises(presso.ArgumentError, match="not a str"):
        presso.scan(compressed, where=5)


def pyarrow_lines(found):
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.table(found)["line"]


def test_several_files(log, compressed, tmp_path):
    one = presso.scan(compressed, "ERROR").count()
    assert presso.scan([log, compressed], "ERROR").count() == 2 * one
    assert presso.scan(compressed.parent / "app.*", "ERROR").count() == 2 * one
    assert presso.scan([log, compressed], "ERROR", limit=one + 3).count() == one + 3
    with pytest.raises(presso.ArgumentError, match="no such files"):
        presso.scan(tmp_path / "*.presso", "x")
    with pytest.raises(presso.ArgumentError, match="no files"):
        presso.scan([], "x")


def test_files_of_other_programs_are_refused(log, tmp_path):
    packed = tmp_path / "log.gz"
    packed.write_bytes(gzip.compress(log.read_bytes()))
    with pytest.raises(presso.UnsupportedError, match=r"log\.gz: .*gzip\.open\(path\)"):
        presso.scan([log, packed], "ERROR").count()
    with pytest.raises(presso.UnsupportedError, match="by gzip"):
        list(presso.scan(packed, "ERROR"))
    with gzip.open(packed) as plain:
        assert presso.scan(plain, "ERROR").count() == presso.scan(log, "ERROR").count() > 0
    for begun, said in ((b"\x28\xb5\x2f\xfd", "zstd or lz4"), (b"\xfd7zXZ\0", "'xz -dc'")):
        packed.write_bytes(begun + bytes(60))
        with pytest.raises(presso.UnsupportedError, match=said):
            presso.scan(packed, "ERROR").count()


def test_bad_patterns_are_shown(log):
    with pytest.raises(presso.ArgumentError) as caught:
        presso.scan(log, "good", "a(b")
    assert caught.value.offset == 1
    assert "a(b\n" in str(caught.value) and "^" in str(caught.value)
    with pytest.raises(presso.ArgumentError):
        presso.scan(log, whole_line=True)
    with pytest.raises(presso.ArgumentError, match="columns='x'"):
        presso.scan(log, "a", columns=["x"])
    with pytest.raises(presso.ArgumentError, match="'line' is named twice"):
        presso.scan(log, "a", columns=["line", "path", "line"])


def test_damage_is_raised_or_listed(damaged, compressed):
    file = presso.open(damaged)
    bad = file.blocks // 2
    found = []
    with pytest.raises(presso.DamageError) as caught:
        found.extend(presso.scan(damaged, "host"))
    assert caught.value.block == bad
    scan = presso.scan(damaged, "host", on_error="skip")
    lines = list(scan)
    assert len(found) < len(lines) < presso.scan(compressed, "host").count()
    assert [place["block"] for place in scan.totals["damage"]] == [bad]
    with pytest.raises(presso.DamageError):
        presso.scan(damaged, "host").count()
    counted = presso.scan(damaged, "host", on_error="skip")
    assert counted.totals == {}
    assert counted.count() == len(lines) == counted.totals["lines"]
    assert [place["block"] for place in counted.totals["damage"]] == [bad]


def test_damage_that_arrow_streams_leave_out(damaged):
    pyarrow = pytest.importorskip("pyarrow")
    scan = presso.scan(damaged, "host", on_error="skip")
    rows = pyarrow.table(scan).num_rows
    assert scan.totals["lines"] == rows
    assert [place["path"] for place in scan.totals["damage"]] == [str(damaged)]


def test_iteration_may_end_early(compressed):
    threads = threading.active_count()
    for _ in range(50):
        iterator = iter(presso.scan(compressed, "host"))
        next(iterator)
        del iterator
    assert threading.active_count() == threads


def test_arrow(compressed, log_lines):
    pyarrow = pytest.importorskip("pyarrow")
    columns = ["line_number", "spans", "line", "offset", "path"]
    scan = presso.scan(compressed, "host3", columns=columns)
    for _ in range(2):
        table = pyarrow.table(scan)
        assert table.column_names == columns
        wanted = expected(log_lines, "host3")
        assert table["line_number"].to_pylist() == [row[0] for row in wanted]
        assert table["offset"].to_pylist() == [row[1] for row in wanted]
        assert table["line"].to_pylist() == [row[2].decode() for row in wanted]
        spans = [tuple((s["begin"], s["end"]) for s in row) for row in table["spans"].to_pylist()]
        assert spans == [row[3] for row in wanted]
        assert set(table["path"].to_pylist()) == {str(compressed)}
        table.validate(full=True)
    assert pyarrow.schema(scan).names == columns


def test_arrow_of_bytes_that_are_no_text(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / "bytes"
    path.write_bytes(b"a\xff\xfeb\nok\n\xc3")
    text = pyarrow.table(presso.scan(path, "(?s-u:.)", columns=["line"]))
    assert text["line"].to_pylist() == ["a\ufffd\ufffdb", "ok", "\ufffd"]
    binary = pyarrow.table(presso.scan(path, "(?s-u:.)", columns=["line"], text=False))
    assert binary["line"].to_pylist() == [b"a\xff\xfeb", b"ok", b"\xc3"]
    path.write_bytes(b"")
    assert pyarrow.table(presso.scan(path, "", columns=["line"])).num_rows == 0


@pytest.mark.parametrize("text", [True, False])
def test_arrow_of_lines_of_all_lengths(tmp_path, text):
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / "lines"
    # Batches of text alone, with some that is none, of empty lines, of long ones, without an end.
    lines = [b"", b"", "gr\u00fc\u00dfe \U0001f600".encode() * 9, b"ascii " * 50] * 3000
    lines += [b"\xa9 begins inside", b"ends \xc3"] + [b""] * 70000 + [b"x" * 3_000_000, b"last"]
    path.write_bytes(b"\n".join(lines))
    table = pyarrow.table(presso.scan(path, "", text=text))
    table.validate(full=True)
    wanted = [line.decode(errors="replace") for line in lines] if text else lines
    assert table["line"].to_pylist() == wanted
    assert table["line_number"].to_pylist() == list(range(1, len(lines) + 1))


def test_arrow_streams_end_early(compressed):
    pyarrow = pytest.importorskip("pyarrow")
    for _ in range(50):
        reader = pyarrow.RecordBatchReader.from_stream(presso.scan(compressed, "."))
        reader.read_next_batch()
        reader.close()
    capsule = presso.scan(compressed, ".").__arrow_c_stream__()
    del capsule


def test_arrow_streams_fail_with_the_file(damaged):
    pyarrow = pytest.importorskip("pyarrow")
    with pytest.raises(OSError, match="damaged.presso: block"):
        pyarrow.table(presso.scan(damaged, "host"))


def test_engines(compressed, log_lines):
    wanted = len(expected(log_lines, "ERROR"))
    found = presso.scan(compressed, "ERROR")
    duckdb = pytest.importorskip("duckdb")
    assert duckdb.sql("select count(*) from found").fetchall() == [(wanted,)]
    assert len(duckdb.sql("select line from found limit 3").fetchall()) == 3
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(found).height == wanted


INTERRUPTED = """
import os, signal, sys, threading, time
import presso
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begin = time.time()
try:
    while True:
        presso.scan(sys.argv[1], "(x+x+)+y|[a-q][^u-z]{13}x", ignore_case=True).count()
except KeyboardInterrupt:
    print(time.time() - begin)
"""


def test_ctrl_c(compressed):
    command = [sys.executable, "-c", INTERRUPTED, str(compressed)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) >= 0.4


def test_more_files_than_descriptors(compressed, tmp_path):
    for i in range(300):
        shutil.copy(compressed, tmp_path / f"{i}.presso")
    one = presso.scan(compressed, "id=77").count()
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, limits[1]))
    try:
        scan = presso.scan(tmp_path / "*.presso", "id=77")
        assert scan.count() == 300 * one
        assert len(list(scan)) == 300 * one
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    with pytest.raises(presso.FileError):
        presso.scan([compressed, tmp_path / "none"], "x")


def test_first_lines_come_at_once(log):
    class Slow(io.BytesIO):
        slow = False

        def read(self, size=-1):
            if self.slow and self.tell() > 100_000:
                time.sleep(0.02)
            return super().read(size)

    source = Slow(presso.compress(b"here it is\n" + log.read_bytes(), block_size=1 << 15))
    scan = presso.scan(source, "here it is", threads=1)
    Slow.slow = True
    begin = time.monotonic()
    lines = iter(scan)
    assert next(lines).line_number == 1
    first = time.monotonic() - begin
    assert next(lines, None) is None
    assert first < (time.monotonic() - begin) / 2


def test_arrow_batches_of_long_paths(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    text = io.BytesIO(b"\n" * 1_000_000)
    text.name = "n" * 2200
    reader = pyarrow.RecordBatchReader.from_stream(presso.scan(text, "", columns=["path"]))
    assert sum(batch.num_rows for batch in reader) == 1_000_000
