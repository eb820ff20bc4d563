# SPDX-License-Identifier: MIT
"""Lines of some time: what presso.scan() finds is what the command prints for the same file."""
import datetime
import gzip
import os
import pickle
import random
import re
import time

import pytest
from packing import pack
from test_command import run

import presso

UTC = datetime.timezone.utc
#: The last change of every log, by which years are known that lines do not tell.
CHANGED = datetime.datetime(2026, 5, 20, tzinfo=UTC)
FORMS = {
    "iso": "%Y-%m-%d %H:%M:%S {}",
    "zone": "%Y-%m-%dT%H:%M:%SZ {}",
    "json": '{{"ts":"%Y-%m-%dT%H:%M:%S+02:00","msg":"{}"}}',
    "syslog": "%b %d %H:%M:%S {}",
}
SMALL = """\
before any time
2026-11-28 10:00:00 ready
2026-11-28 10:00:01 failed
    at line 7
2026-11-28 10:00:02 ready
"""


def made_log(kind, lines, seed):
    """A log in which time goes on, now and then back; some lines have none."""
    chance = random.Random(seed)
    moment = datetime.datetime(2025, 11, 29, 3)
    rows = []
    for number in range(lines):
        moment += datetime.timedelta(seconds=chance.expovariate(1 / 300))
        if chance.random() < 0.01:
            moment -= datetime.timedelta(seconds=1500)
        rows.append(moment.strftime(FORMS[kind]).format(f"{chance.choice(['ok', 'bad'])} {number}"))
        if chance.random() < 0.05:
            rows += ["    at bad.Place"] * chance.choice([1, 3, 400 if number % 40 == 0 else 2])
    return rows


@pytest.fixture(params=FORMS)
def made(request, tmp_path):
    """A log as text, compressed in blocks of 16 KiB with the times of each, and by gzip."""
    log = tmp_path / f"{request.param}.log"
    log.write_text("\n".join(made_log(request.param, 4000, 7)) + "\n")
    os.utime(log, (CHANGED.timestamp(), CHANGED.timestamp()))
    return pack(log)


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "small.log"
    path.write_text(SMALL)
    return path


@pytest.fixture
def zone(monkeypatch):
    """Sets the zone of this process and of commands."""

    def set_zone(name):
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield set_zone
    monkeypatch.undo()
    time.tzset()


def numbers(source, *patterns, **options):
    return [match.line_number for match in presso.scan(source, *patterns, **options)]


def told(path, *arguments, pattern=""):
    """The numbers of the lines that the command prints."""
    done = run("scan", "--line-number", "--no-filename", *arguments, "--", pattern, path)
    assert done.returncode in (0, 1), done.stderr
    return [int(found) for found in re.findall(rb"^(\d+)[:-]", done.stdout, re.MULTILINE)]


def test_made_logs_whatever_the_file(made):
    chance = random.Random(3)
    sizes = set()
    for _ in range(5):
        begin = datetime.datetime(2025, 11, 29) + datetime.timedelta(hours=chance.randrange(340))
        end = begin + datetime.timedelta(hours=chance.choice([1, 20, 200]))
        limits = {"since": str(begin), "until": end, "tz": "Asia/Kolkata"}
        given = ["--since", str(begin), "--until", str(end), "--tz", "Asia/Kolkata"]
        wanted = told(made, *given)
        for path in (made, f"{made}.presso"):
            assert numbers(path, **limits) == told(path, *given) == wanted
            found = presso.scan(path, "bad", **limits)
            assert [m.line_number for m in found] == told(path, *given, pattern="bad")
            assert found.count() == found.totals["lines"] == len(list(found))
        # A file object has no last change.
        with gzip.open(f"{made}.gz") as plain:
            asked = [*given, "--year", "2025"]
            assert numbers(plain, year=2025, **limits) == told(f"{made}.gz", *asked)
        sizes.add(len(wanted))
    assert len(sizes) == 5 and max(sizes) > 500


def test_blocks_of_other_times_are_not_read(made):
    found = presso.scan(f"{made}.presso", since="2025-12-04", until="2025-12-05", tz="UTC")
    assert 0 < found.count() < 2000
    assert 0 < found.totals["blocks_read"] < found.totals["blocks"] / 2


def test_other_options(made):
    path = f"{made}.presso"
    given = ["--since", "2025-12-03 10:00", "--until", "2025-12-03 15:00", "--tz", "UTC"]
    limits = {"since": "2025-12-03 10:00", "until": "2025-12-03 15:00", "tz": "UTC"}
    assert numbers(path, "bad", invert=True, **limits) == told(path, "-v", *given, pattern="bad")
    assert numbers(path, "bad", limit=7, **limits) == told(path, "-m7", *given, pattern="bad")
    around = told(path, "-B2", "-A3", *given, pattern="ok")
    assert numbers(path, "ok", before=2, after=3, **limits) == around
    lines = told(path, *given)
    middle = lines[len(lines) // 2]
    assert numbers(path, lines=(middle - 5, middle + 5), **limits) == told(
        path, "--lines", f"{middle - 5}-{middle + 5}", *given
    )
    assert numbers(path, since="2025-12-10", year=2031) == told(
        path, "--since", "2025-12-10", "--year", "2031"
    )
    if made.stem == "json":
        where = "msg like 'bad%'"
        assert numbers(path, where=where, **limits) == told(path, *given, pattern='"bad')
        assert numbers(path, time_field="ts", **limits) == lines
    if made.stem == "iso":
        form = "%Y-%m-%d %H:%M:%S"
        assert numbers(path, time_format=form, **limits) == lines


def test_what_a_time_may_be(small, zone):
    moment = datetime.datetime(2026, 11, 28, 10, 0, 1)
    assert numbers(small, since="2026-11-28 10:00:01") == [3, 4, 5]
    assert numbers(small, until="2026-11-28 10:00:01") == [2]
    assert numbers(small, since=moment, until=moment + datetime.timedelta(seconds=1)) == [3, 4]
    assert numbers(small, since=moment + datetime.timedelta(microseconds=1)) == [5]
    assert numbers(small, since=datetime.date(2026, 11, 28)) == [2, 3, 4, 5]
    assert numbers(small, since=datetime.date(2026, 11, 29)) == []
    # A moment is compared with what clocks show where the text was written.
    zone("UTC")
    offset = datetime.timezone(datetime.timedelta(hours=5, minutes=30))
    there = moment.replace(tzinfo=UTC).astimezone(offset)
    assert numbers(small, since=there) == numbers(small, since=str(there)) == [3, 4, 5]
    assert numbers(small, since=there, tz="Europe/Berlin") == []
    assert numbers(small, since=there - datetime.timedelta(hours=1), tz="Europe/Berlin") == [
        3, 4, 5,
    ]
    zone("Europe/Berlin")
    assert numbers(small, since=there) == [] == told(small, "--since", there.isoformat())
    assert numbers(small, since=moment) == told(small, "--since", str(moment)) == [3, 4, 5]


def test_naive_datetimes_are_of_the_zone_that_is_given(tmp_path, zone):
    path = tmp_path / "zone.log"
    path.write_text("2026-07-01T10:00:00Z a\n2026-07-01T11:00:00Z b\n2026-07-01T12:00:00Z c\n")
    noon = datetime.datetime(2026, 7, 1, 12)
    for name, wanted in (("UTC", [3]), ("Europe/London", [2, 3]), ("Europe/Berlin", [1, 2, 3])):
        assert numbers(path, since=noon, tz=name) == wanted
        assert told(path, "--since", str(noon), "--tz", name) == wanted
        zone(name)
        assert numbers(path, since=noon) == told(path, "--since", str(noon)) == wanted


def test_an_hour_that_is_there_twice(tmp_path):
    path = tmp_path / "clocks.log"
    path.write_text("".join(f"2026-10-25T{hour:02}:30:00Z x\n" for hour in range(4)))
    begin, end = "2026-10-25 02:00", "2026-10-25 03:00"
    limits = {"since": datetime.datetime.fromisoformat(begin),
              "until": datetime.datetime.fromisoformat(end), "tz": "Europe/Berlin"}
    given = ["--since", begin, "--until", end, "--tz", "Europe/Berlin"]
    assert numbers(path, **limits) == told(path, *given) == [1, 2]


def test_times_before_now(tmp_path):
    path = tmp_path / "recent.log"
    now = datetime.datetime.now(UTC)
    moments = [now - datetime.timedelta(minutes=minutes) for minutes in (90, 40, 20, 5)]
    path.write_text("".join(f"{moment.isoformat()} x\n" for moment in moments))
    for ago, text in ((1, "-1h"), (0.5, "-30m"), (0.25, "-15m"), (24, "-1d")):
        span = datetime.timedelta(hours=-ago)
        assert numbers(path, since=span) == numbers(path, since=text) == told(path, "--since", text)
        assert numbers(path, until=span) == told(path, f"--until={text}")
    assert numbers(path, since="-50m", until=datetime.timedelta(minutes=-10)) == [2, 3]
    assert numbers(path, until=datetime.timedelta(0)) == [1, 2, 3, 4]
    # A scan that is used later still means the times at which it was made.
    assert numbers(path, until="now") == [1, 2, 3, 4]
    scan = presso.scan(path, until="now")
    with path.open("a") as log:
        log.write(f"{(datetime.datetime.now(UTC) + datetime.timedelta(seconds=1)).isoformat()} y\n")
    assert scan.count() == 4 and presso.scan(path).count() == 5


def test_years_are_those_of_the_last_change(tmp_path):
    path = tmp_path / "years.log"
    path.write_text("Mar  1 10:00:00 host x\nMar  1 11:00:00 host y\n")
    limits = {"since": "2024-03-01 10:30", "until": "2024-04-01", "tz": "UTC"}
    changed = datetime.datetime(2024, 6, 1).timestamp()
    os.utime(path, (changed, changed))
    assert numbers(path, **limits) == [2]
    assert numbers(path, year=2023, **limits) == []
    with path.open("rb") as file:
        assert numbers(file, **limits) == []
        assert numbers(file, year=2024, **limits) == [2]


@pytest.mark.parametrize("value", ["25x", "", "2026-13-01", "10 o'clock", "+15m", "now\0"])
def test_bad_texts(small, value):
    for name in ("since", "until"):
        with pytest.raises(presso.ArgumentError, match=f"^{name}: ") as raised:
            presso.scan(small, **{name: value})
        if "\0" in value:
            continue
        # The command says the same, with its own spelling of the option.
        said = run("scan", f"--{name}={value}", "x", small).stderr.decode()
        assert f"presso: --{raised.value}\n" in said


@pytest.mark.parametrize(
    "options, text",
    [
        ({"since": 5}, "since=5: not a text"),
        ({"since": b"now"}, "since=b'now': not a text"),
        ({"until": datetime.datetime.min}, "until=.*: not from 1678 to 2261"),
        ({"since": datetime.datetime.max.replace(tzinfo=UTC)}, "since=.*: not from 1678 to 2261"),
        ({"since": datetime.timedelta.min}, "since=.*: not from 1678 to 2261"),
        ({"since": datetime.timedelta(1)}, "since=.*: counted from now, so it would be in the fut"),
        ({"since": "now", "tz": "Mars"}, "tz: there is no time zone 'Mars'"),
        ({"tz": "Mars"}, "tz: there is no time zone 'Mars'"),
        ({"since": "now", "tz": UTC}, "tz=.*: not a text"),
        ({"year": 1600}, "year=1600: not from 1678 to 2261"),
        ({"year": "2024"}, "year='2024': not a whole number"),
        ({"time_format": "%Q"}, "time_format: the format '%Q' has %Q; known are"),
        ({"time_format": ""}, "time_format: "),
        ({"time_field": 1}, "time_field=1: not a text"),
        ({"since": "now", "multiline": True}, "since= .*cannot go with multiline="),
        ({"until": "now", "multiline": True}, "until= .*cannot go with multiline="),
    ],
)
def test_bad_arguments(small, options, text):
    with pytest.raises(presso.ArgumentError, match=f"^{text}"):
        presso.scan(small, "x", **options)


def test_files_without_times(tmp_path, small):
    empty, words = tmp_path / "empty.log", tmp_path / "words.log"
    empty.write_bytes(b"")
    words.write_text("one\ntwo\n")
    assert numbers(empty, since="-5m") == told(empty, "--since", "-5m") == []
    said = run("scan", "--since", "-5m", "", words).stderr.decode()
    scan = presso.scan([small, words], since="2026-11-28")
    for use in (list, presso.Scan.count):
        with pytest.raises(presso.ArgumentError, match="words.log: its first lines") as raised:
            use(scan)
        spelled = said.replace("--time-format", "time_format=")
        assert f"presso: {raised.value}\n" == spelled.replace("--time-field", "time_field=")
        assert raised.value.path == str(words)
    # Where only the order of day and month is doubtful, a format settles it.
    doubtful = tmp_path / "doubtful.log"
    doubtful.write_text("01/02/2024 10:00:00 x\n01/03/2024 10:00:00 y\n")
    with pytest.raises(presso.ArgumentError, match="time_format="):
        numbers(doubtful, since="2024-02-10")
    assert numbers(doubtful, since="2024-02-10", time_format="%d/%m/%Y %T") == [2]
    assert numbers(doubtful, since="2024-02-10", time_format="%m/%d/%Y %T") == []
    fields = tmp_path / "fields.log"
    fields.write_text('{"time":"2024-01-01 10:00:00","at":"2024-05-01 10:00:00"}\n')
    assert numbers(fields, since="2024-03-01") == []
    assert numbers(fields, since="2024-03-01", time_field="at") == [1]


def test_parts_mean_the_same_times_elsewhere(made, zone):
    zone("Asia/Kolkata")
    path = f"{made}.presso"
    scan = presso.scan(path, since="2025-12-03 10:00", until="2025-12-04 10:00")
    wanted = list(scan)
    assert wanted
    parts = pickle.loads(pickle.dumps(scan.partitions(1 << 14)))
    assert [part.rows for part in parts] == [None]
    zone("America/New_York")
    assert [match for part in parts for match in part.scan()] == wanted
    everything = presso.scan(path).partitions(1 << 14)
    assert len(everything) > 1 and everything[0].rows is not None


def test_engines_leave_lines_their_times(made):
    fields = pytest.importorskip("pyarrow.dataset")
    path = f"{made}.presso"
    limits = {"since": "2025-12-03 10:00", "until": "2025-12-06 10:00", "tz": "UTC"}
    wanted = numbers(path, **limits)
    rows = made.read_text().splitlines()
    trace = next(n for n in wanted if rows[n - 1].startswith("    at"))
    dataset = presso.dataset(path, **limits)
    found = dataset.to_table(columns=["line_number"], filter=fields.field("line_number") >= trace)
    assert found["line_number"].to_pylist() == [n for n in wanted if n >= trace]
    assert dataset.count_rows() == len(wanted)
    polars = pytest.importorskip("polars")
    lines = pytest.importorskip("presso.polars").scan(path, **limits).filter(
        (polars.col("line_number") >= trace) & polars.col("line").str.contains("bad")
    )
    assert lines.collect()["line_number"].to_list() == [
        n for n in wanted if n >= trace and "bad" in rows[n - 1]
    ]
