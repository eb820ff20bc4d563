# SPDX-License-Identifier: MIT
"""Records of several lines: presso.scan() gives what `presso scan --json` gives for the file."""
import base64
import gzip
import json
import os
import pickle
import random

import pytest
from packing import pack
from test_command import run

import presso

#: Options of Python, and the flags that mean the same.
RULES = [
    ({"record_start": r"^\d{4}-"}, ["--record-start", r"^\d{4}-"]),
    ({"record_start": rb"\]\s*$"}, ["--record-start", r"\]\s*$"]),
    ({"record_start": "nowhere"}, ["--record-start", "nowhere"]),
    ({"record": "indent"}, ["--record", "indent"]),
    ({"record": "json"}, ["--record", "json"]),
    ({"record": "time"}, ["--record", "time"]),
]
SMALL = """\
2026-11-28 10:00:00 INFO ready
2026-11-28 10:00:01 ERROR request 7 failed
java.lang.IllegalStateException: no connection
    at shop.Pool.get(Pool.java:10)
Caused by: java.net.SocketTimeoutException: timed out
2026-11-28 10:00:02 INFO ready
"""


def made_log(lines, seed):
    """A log with traces, some of which are longer than a block of 16 KiB."""
    chance = random.Random(seed)
    words = ["alpha", "error", "timeout", "gr\u00fc\u00dfe", "db", "[ok]"]
    rows = ["    before all"]
    while len(rows) < lines:
        text = " ".join(chance.choices(words, k=chance.randrange(1, 9)))
        day, second = len(rows) * 27 // lines + 1, chance.randrange(60)
        rows.append(f"2026-02-{day:02} 10:00:{second:02} {text}")
        if chance.random() < 0.3:
            size = chance.choice([1, 2, 9, 900 if 400 < len(rows) < 1500 else 20])
            rows.append("java.io.IOException: " + chance.choice(words))
            rows += [f"\tat com.shop.Place{number}(error.java:7)" for number in range(size)]
    return "\n".join(rows)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A log as text, compressed in blocks of 16 KiB with an index, and by gzip."""
    log = tmp_path_factory.mktemp("records") / "made.log"
    log.write_text(made_log(4000, 5), encoding="utf-8")
    return pack(log, "--index")


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.log"
    path.write_text(SMALL)
    return path


def rows_of(found):
    return [(m.line_number, m.offset, m.line, m.spans if m.kind == "match" else ()) for m in found]


def told(path, *arguments):
    """What the command tells of each record, with --json."""
    done = run("scan", "--json", "--line-number", *arguments, path)
    assert done.returncode in (0, 1), done.stderr
    rows = []
    for line in done.stdout.splitlines():
        message = json.loads(line)
        if message["type"] not in ("match", "context"):
            continue
        about = message["data"]
        text = about["lines"]
        line = text["text"].encode() if "text" in text else base64.b64decode(text["bytes"])
        spans = tuple((match["start"], match["end"]) for match in about["submatches"])
        is_match = message["type"] == "match"
        rows.append((about["line_number"], about["absolute_offset"], line, spans * is_match))
    return rows


@pytest.mark.parametrize("rule, flags", RULES)
def test_made_logs_whatever_the_file(made, rule, flags):
    several = 0
    for pattern in ("error", "alpha.*db", "gr\u00fc\u00dfe", "Place[0-9]*[05]\\(", "nothing"):
        for options, more in (
            ({}, []),
            ({"invert": True}, ["-v"]),
            ({"limit": 3}, ["--max-total", "3"]),
            ({"before": 1, "after": 2}, ["-B1", "-A2"]),
            ({"since": "2026-02-07", "until": "2026-02-20 10:00:30", "tz": "UTC"},
             ["--since", "2026-02-07", "--until", "2026-02-20 10:00:30", "--tz", "UTC"]),
        ):
            wanted = told(made, *flags, *more, "--", pattern)
            several += sum(b"\n" in row[2][:-1] for row in wanted)
            for source in (made, f"{made}.presso"):
                found = presso.scan(source, pattern, **rule, **options)
                assert rows_of(found) == wanted == told(source, *flags, *more, "--", pattern)
                if not options.get("before"):
                    assert found.count() == found.totals["lines"] == len(wanted)
            with gzip.open(f"{made}.gz") as plain:
                found = rows_of(presso.scan(plain, pattern, **rule, **options))
            assert found == wanted == told(f"{made}.gz", *flags, *more, "--", pattern)
    assert several > 9


def test_a_message_with_its_trace(small):
    (match,) = presso.scan(small, "Timeout", record="time")
    lines = SMALL.splitlines(keepends=True)
    assert (match.line_number, match.kind) == (2, "match")
    assert match.line.decode() == "".join(lines[1:5])
    assert [match.line[begin:end] for begin, end in match.spans] == [b"Timeout"]
    assert [m.line_number for m in presso.scan(small, record="indent")] == [1, 2, 3, 5, 6]
    assert presso.scan(small, record_start="^\\d").count() == 3
    found = presso.scan(small, "pool", record="time", since="2026-11-28 10:00:01", ignore_case=True)
    assert [m.line_number for m in found] == [2]
    assert presso.scan(small, "pool", record="time", until="2026-11-28 10:00:01").count() == 0


def test_empty_files(tmp_path):
    path = tmp_path / "empty.log"
    path.write_bytes(b"")
    for rule, _ in RULES:
        assert list(presso.scan(path, **rule)) == []


def test_streams_and_engines(made):
    pyarrow = pytest.importorskip("pyarrow")
    fields = pytest.importorskip("pyarrow.dataset")
    path = f"{made}.presso"
    wanted = list(presso.scan(path, record="indent"))
    table = pyarrow.table(presso.scan(path, record="indent"))
    texts = [m.line.decode().removesuffix("\n") for m in wanted]
    assert table["line"].to_pylist() == texts
    assert table["line_number"].to_pylist() == [m.line_number for m in wanted]
    dataset = presso.dataset(path, record="indent")
    assert dataset.count_rows() == len(wanted)
    middle = wanted[len(wanted) // 2].line_number
    chosen = dataset.to_table(filter=fields.field("line_number") >= middle)
    assert chosen["line_number"].to_pylist() == [
        m.line_number for m in wanted if m.line_number >= middle
    ]
    polars = pytest.importorskip("polars")
    lines = pytest.importorskip("presso.polars").scan(path, record="indent")
    # The text of a record may match across its lines.
    pattern = r"error\s+at|IOException: [a-z]+[^x]*Place1\("
    across = lines.filter(polars.col("line").str.contains(pattern)).collect()
    own = pyarrow.compute.match_substring_regex(table["line"], pattern)
    assert across["line"].to_list() == table.filter(own)["line"].to_pylist() != []


def test_parts(made):
    scan = presso.scan(f"{made}.presso", "Place7\\(", record_start=r"^\d{4}-")
    parts = pickle.loads(pickle.dumps(scan.partitions(1 << 14)))
    assert [part.rows for part in parts] == [None]
    assert list(parts[0].scan()) == list(scan) != []
    (whole,) = presso.scan(f"{made}.presso", record="indent").partitions(1 << 14)
    assert whole.rows is None


def test_years_count_for_records_too(tmp_path):
    path = tmp_path / "years.log"
    path.write_text("Mar  1 10:00:00 host x\n\ty\nMar  1 11:00:00 host z\n")
    os.utime(path, (1717200000, 1717200000))
    limits = {"since": "2024-03-01 09:00", "until": "2024-03-01 10:30", "tz": "UTC"}
    assert [m.line for m in presso.scan(path, "y", record="time", **limits)] == [
        b"Mar  1 10:00:00 host x\n\ty\n"
    ]
    assert presso.scan(path, "y", record="time", year=2023, **limits).count() == 0


def test_long_records(tmp_path):
    path = tmp_path / "long.log"
    path.write_bytes(b"2026 begin\n" + b" at x\n" * 200_000 + b"2026 end\n")
    said = run("scan", "--record", "indent", "--record-limit", "1K", "end", path).stderr.decode()
    scan = presso.scan(path, "end", record="indent", record_limit=1024)
    for use in (list, presso.Scan.count):
        with pytest.raises(presso.UnsupportedError) as raised:
            use(scan)
        assert f"presso: {raised.value}\n" == said.replace("--record-limit", "record_limit=")
    assert presso.scan(path, "end", record="indent").count() == 1


@pytest.mark.parametrize(
    "options, text",
    [
        ({"record": "time", "record_start": "x"}, "record= cannot go with record_start="),
        ({"record": "words"}, "record='words': one of 'indent', 'json', 'time'"),
        ({"record": "time", "multiline": True}, "multiline= .*cannot go with record="),
        ({"record_start": "x", "multiline": True}, "multiline= .*cannot go with record_start="),
        ({"record_start": "x", "lines": (1, 5)}, "lines= .*cannot go with record_start="),
        ({"record": "indent", "where": "a = 1"}, "where= .*cannot go with record="),
        ({"record_limit": 0}, "record_limit=0: not from 1 "),
        ({"record": "indent", "record_limit": "1K"}, "record_limit='1K': not a whole number"),
        ({"record_start": 5}, "record_start=5: not str or bytes"),
        ({"record_start": "a\nb"}, "record_start: a pattern holds a line feed"),
        ({"record_start": b"\xff"}, "record_start: a pattern is not UTF-8 at its byte 0"),
        ({"record": "time", "tz": "Mars"}, "tz: there is no time zone 'Mars'"),
    ],
)
def test_bad_arguments(small, options, text):
    with pytest.raises(presso.ArgumentError, match=f"^{text}"):
        presso.scan(small, "x", **options)


def test_errors_are_those_of_the_command(tmp_path, small):
    with pytest.raises(presso.ArgumentError) as raised:
        presso.scan(small, "x", record_start="a(")
    said = run("scan", "--record-start", "a(", "x", small).stderr.decode()
    assert f"presso: --record-start{str(raised.value).removeprefix('record_start')}\n" == said
    words = tmp_path / "words.log"
    words.write_text("one\ntwo\n")
    with pytest.raises(presso.ArgumentError, match="its first lines have no time.*time_format="):
        list(presso.scan(words, "o", record="time"))
