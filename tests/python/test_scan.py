# SPDX-License-Identifier: MIT
"""Searching lines, by iteration, counts and Arrow's streams."""
import re
import subprocess
import sys
import threading

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
    assert numbers("gr\u00fc\u00dfe".encode()) == numbers("gr\u00fc\u00dfe")
    assert numbers(log_lines[17], whole_line=True, fixed=True) == [18]


def test_several_files(log, compressed, tmp_path):
    one = presso.scan(compressed, "ERROR").count()
    assert presso.scan([log, compressed], "ERROR").count() == 2 * one
    assert presso.scan(compressed.parent / "app.*", "ERROR").count() == 2 * one
    assert presso.scan([log, compressed], "ERROR", limit=one + 3).count() == one + 3
    with pytest.raises(presso.ArgumentError, match="no such files"):
        presso.scan(tmp_path / "*.presso", "x")
    with pytest.raises(presso.ArgumentError, match="no files"):
        presso.scan([], "x")


def test_bad_patterns_are_shown(log):
    with pytest.raises(presso.ArgumentError) as caught:
        presso.scan(log, "good", "a(b")
    assert caught.value.offset == 1
    assert "a(b\n" in str(caught.value) and "^" in str(caught.value)
    with pytest.raises(presso.ArgumentError):
        presso.scan(log)
    with pytest.raises(presso.ArgumentError, match="no column 'x'"):
        presso.scan(log, "a", columns=["x"])


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


def test_iteration_may_end_early(compressed):
    for _ in range(50):
        iterator = iter(presso.scan(compressed, "host"))
        next(iterator)
        del iterator
    assert threading.active_count() == 1


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
