# SPDX-License-Identifier: MIT
"""Partitions: together they are the scan or the query that they were made of, for any text, block
size, target and damage."""
import bisect
import pickle
import random
import subprocess
import sys

import pytest

import presso

BLOCK = 1 << 14  # the smallest
MOST_PICKLED = 1100


def sent(parts):
    """As a worker gets them, with all that was sent within bounds."""
    pickled = [pickle.dumps(part) for part in parts]
    assert all(len(one) <= MOST_PICKLED for one in pickled), max(map(len, pickled))
    return [pickle.loads(one) for one in pickled]


def random_text(rng):
    """Lines of all kinds: none, empty, long over many blocks; with or without an end."""
    words = [b"x", b"needle", b" ", b"foo", b"", b"bar baz", "gr\u00fc\u00dfe".encode(), b"\xff"]
    size = rng.choice([0, 1, BLOCK - 1, BLOCK, 5 * BLOCK, 12 * BLOCK])
    longest = rng.choice([40, 300, 3000, 4 * BLOCK])
    text = bytearray(b"\xef\xbb\xbf" if rng.random() < 0.2 else b"")
    while len(text) < size:
        if rng.random() < 0.1:
            text += b"\n" * rng.randrange(1, 20)
        length = rng.randrange(longest + 1)
        line = b"".join(rng.choices(words, k=1 + length // 4)) if length < 100 else b""
        filler = bytes(rng.choices(b"abcdefgh ijkl", k=min(length, 500)))
        text += (line + filler * (1 + length // 500))[:length] + b"\n"
        if rng.random() < 0.01:
            text += b"needle at the edge\n"
    if rng.random() < 0.3:
        # Line ends where blocks end.
        for at in range(BLOCK - 1, len(text), BLOCK):
            text[at] = 10
    return bytes(text[:size] if rng.random() < 0.5 else text)


def compressed(rng, texts, index):
    """One file of several members."""
    options = {"index": 1000} if index else {}
    sizes = [BLOCK, BLOCK, 2 * BLOCK]
    return b"".join(presso.compress(t, block_size=rng.choice(sizes), **options) for t in texts)


PATTERNS = [
    (("needle",), {"fixed": True}),
    (("needle", "grüße x"), {"fixed": True, "ignore_case": True}),
    (("nowhere in it",), {"fixed": True}),
    (("^fo+|baz$",), {}),
    (("e",), {"invert": True}),
    ((), {}),
    (("x",), {"lines": (20, 700)}),
    (("needle",), {"before": 2, "after": 1}),
    (("baz\nfoo|needle",), {"multiline": True}),
]


@pytest.mark.parametrize("seed", range(25))
def test_parts_are_the_whole(tmp_path, seed):
    rng = random.Random(seed)
    index = rng.random() < 0.6
    path = tmp_path / "a.presso"
    texts = [random_text(rng) for _ in range(rng.choice([1, 1, 1, 3]))]
    path.write_bytes(compressed(rng, texts, index))
    files = [path]
    if rng.random() < 0.3:
        (tmp_path / "plain.txt").write_bytes(random_text(rng))
        files.insert(rng.randrange(2), tmp_path / "plain.txt")
    for patterns, options in PATTERNS:
        scan = presso.scan(files, *patterns, **options)
        whole = list(scan)
        for target in (1, rng.randrange(2 * BLOCK, 5 * BLOCK), 1 << 40):
            parts = sent(scan.partitions(target))
            found = [line for part in parts for line in part.scan()]
            assert found == whole
            assert sum(part.scan().count() for part in parts) == scan.count()
            if not patterns:
                known = [part.rows for part in parts if not part.path.endswith(".txt")]
                counts = [part.scan().count() for part in parts if not part.path.endswith(".txt")]
                assert known == counts
                sizes = sum(part.plain_bytes for part in parts if part.rows is not None)
                assert sizes == sum(map(len, texts))


def test_targets_are_kept(compressed, log_lines):
    parts = presso.scan(compressed).partitions(200_000)
    assert all(200_000 - 5_000 <= part.plain_bytes <= 300_000 for part in parts[:-1])
    assert sum(part.rows for part in parts) == len(log_lines)
    assert len(presso.scan(compressed).partitions()) == 1


def test_what_cannot_match_gives_no_part(tmp_path):
    rng = random.Random(1)
    lines = [b"%08d %s" % (i, bytes(rng.choices(b"abcdefghij", k=50))) for i in range(20_000)]
    lines[300], lines[15_000] = b"here is needle one", b"here is needle two"
    path = tmp_path / "a.presso"
    path.write_bytes(presso.compress(b"\n".join(lines), block_size=BLOCK, index=20))
    parts = sent(presso.scan(path, "needle (one|two)").partitions(BLOCK))
    assert 2 <= len(parts) <= 6
    assert [m.line_number for part in parts for m in part.scan()] == [301, 15_001]
    wide = sent(presso.scan(path, "needle (one|two)").partitions(1 << 30))[0].scan()
    assert wide.count() == 2
    assert wide.totals["blocks_read"] <= 8 < wide.totals["blocks"]
    numbered = presso.scan(path, lines=(1, 100)).partitions(BLOCK)
    assert len(numbered) == 1 and numbered[0].rows is None
    everything = presso.scan(path, "needle (one|two)", use_index=False).partitions(BLOCK)
    assert len(everything) > 50


def test_many_blocks_of_which_every_other_can_match(tmp_path):
    rng = random.Random(3)
    lines = [f"{i:06d} {rng.randbytes(1000).hex()}" for i in range(6_000)]
    for i in range(0, len(lines), 17):
        lines[i] += " qxzyvw"
    path = tmp_path / "a.presso"
    path.write_bytes(presso.compress("\n".join(lines).encode(), block_size=BLOCK, index=50))
    scan = presso.scan(path, "qxzyvw", fixed=True)
    parts = sent(scan.partitions(1 << 40))
    assert scan.count() == 353
    assert scan.totals["blocks_skipped"] > 200
    assert [m for part in parts for m in part.scan()] == list(scan)


def damaged_copy(path, blocks, at=0.5):
    file = presso.open(path)
    content = bytearray(path.read_bytes())
    for block in blocks:
        _, offset, stored = file.block_place(block)
        content[offset + int(stored * at)] ^= 0x55
    copy = path.with_name("damaged.presso")
    copy.write_bytes(content)
    return copy


@pytest.mark.parametrize("seed", range(20))
def test_damage(tmp_path, seed):
    rng = random.Random(seed)
    text = b""
    while len(text) < 6 * BLOCK:
        text += random_text(rng)
    path = tmp_path / "a.presso"
    path.write_bytes(compressed(rng, [text], rng.random() < 0.5))
    blocks = range(presso.open(path).blocks)
    # Of its header, or of its content.
    at = rng.choice([0.5, 0])
    bad = rng.sample(blocks, rng.randrange(1, 4))
    path = damaged_copy(path, bad, at)
    body = text.removeprefix(b"\xef\xbb\xbf")
    line_ends = [at for at, byte in enumerate(body) if byte == 10]
    for patterns, options in PATTERNS[:6]:
        scan = presso.scan(path, *patterns, **options)
        whole, error = lines_and_error(scan)
        skipping = presso.scan(path, *patterns, on_error="skip", **options)
        rest = list(skipping)
        holes = {place["block"] for place in skipping.totals["damage"]}
        for target in (1, 2 * BLOCK, 1 << 40):
            found = []
            failure = None
            for part in sent(scan.partitions(target)):
                lines, failure = lines_and_error(part.scan())
                found += lines
                if failure:
                    break
            assert found == whole
            assert (failure and (type(failure), failure.block, failure.offset, failure.code)) == (
                error and (type(error), error.block, error.offset, error.code)
            )
            found, found_holes = [], set()
            parts = sent(skipping.partitions(target))
            for part in parts:
                one = part.scan()
                found += one
                found_holes |= {place["block"] for place in one.totals["damage"]}
            assert [m._replace(line_number=0) for m in found] == [
                m._replace(line_number=0) for m in rest
            ]
            # Neighbours whose headers are damaged are one hole where a file is read in order.
            assert holes <= found_holes <= set(bad)
            if [part._place for part in parts] == [None]:
                # The first or the last header is damaged, and the file is read as a whole.
                assert found == rest
                break
            for match in found:
                assert match.line_number == bisect.bisect_left(line_ends, match.offset) + 1


def test_errors_of_reading_are_those_of_scanning(damaged, compressed, tmp_path):
    pytest.importorskip("pyarrow")
    with pytest.raises(presso.DamageError) as scanned:
        presso.scan(damaged).count()
    failed = []
    for part in sent(presso.scan(damaged).partitions(1 << 18)):
        try:
            part.read()
        except presso.DamageError as error:
            failed.append(error)
    about = (scanned.value.code, scanned.value.block, scanned.value.offset, scanned.value.path)
    assert None not in about and str(damaged) == about[-1]
    assert {(one.code, one.block, one.offset, one.path) for one in failed} == {about}
    assert str(failed[0]) == str(scanned.value)
    path = tmp_path / "a.presso"
    path.write_bytes(compressed.read_bytes())
    (part, *_) = presso.scan(path).partitions(1 << 18)
    assert part.read().num_rows == part.rows
    path.write_bytes(compressed.read_bytes() * 2)
    with pytest.raises(presso.FileError, match="has changed") as caught:
        part.read()
    assert caught.value.path == str(path)


def test_reading_raises_what_a_file_far_away_has_raised(compressed, monkeypatch):
    pytest.importorskip("pyarrow")
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.pipe("/failing.presso", compressed.read_bytes())
    (part,) = sent(presso.scan("memory://failing.presso").partitions())
    monkeypatch.setattr(type(memory), "cat_file", lambda *_, **__: 1 / 0)
    with pytest.raises(presso.FileError, match="division") as caught:
        part.read()
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_rows_are_not_known_where_damage_is_left_out(damaged, compressed):
    for path in (damaged, compressed):
        parts = presso.scan(path, on_error="skip").partitions(1 << 18)
        assert len(parts) > 3 and all(part.rows is None for part in parts)
        assert all(part.rows for part in presso.scan(path).partitions(1 << 18))


@pytest.mark.parametrize("lines", [(100, 200), (50_000, 50_100), (100, None)])
def test_numbered_lines_where_damage_is_left_out(damaged, lines):
    scan = presso.scan(damaged, lines=lines, on_error="skip")
    parts = sent(scan.partitions(1 << 18))
    assert len(parts) == 1
    assert [line for part in parts for line in part.scan()] == list(scan)
    every = presso.scan(damaged, on_error="skip")
    last = lines[1] or 10**9
    assert list(scan) == [line for line in every if lines[0] <= line.line_number <= last]


def lines_and_error(scan):
    lines = []
    try:
        for line in scan:
            lines.append(line)
    except presso.DamageError as error:
        return lines, error
    return lines, None


def test_damaged_line_facts_and_plain_files_are_one_part(compressed, log, log_lines, tmp_path):
    content = bytearray(compressed.read_bytes())
    cut = tmp_path / "cut.presso"
    cut.write_bytes(content[: len(content) // 2])
    for path in (cut, log):
        scan = presso.scan(path, "ERROR", on_error="skip")
        parts = sent(scan.partitions(1))
        assert len(parts) == 1
        assert list(parts[0].scan()) == list(scan)


def test_other_files_are_refused(compressed, log, tmp_path):
    path = tmp_path / "a.presso"
    path.write_bytes(compressed.read_bytes())
    (part, *_) = presso.scan(path, "ERROR").partitions(1 << 16)
    presso.compress_file(log, path, block_size=1 << 15, overwrite=True)
    with pytest.raises(presso.FileError, match="has changed"):
        list(part.scan())
    path.unlink()
    with pytest.raises(presso.MissingFileError):
        part.scan()


def test_what_has_no_parts(compressed):
    with pytest.raises(presso.ArgumentError, match="limit="):
        presso.scan(compressed, "a", limit=3).partitions()
    with open(compressed, "rb") as file, pytest.raises(presso.ArgumentError, match="file object"):
        presso.scan(file, "a").partitions()
    with pytest.raises(presso.ArgumentError, match="target_bytes"):
        presso.scan(compressed, "a").partitions(0)
    part = presso.scan(compressed, "a").partitions()[0]
    with pytest.raises(presso.ArgumentError, match="further"):
        part.scan().partitions()
    with pytest.raises(presso.ArgumentError, match="columns="):
        part.scan(["no such"])
    with pytest.raises(presso.ArgumentError, match="no pattern"):
        presso.scan(compressed, invert=True)


OTHER = """
import pickle, sys
for part in pickle.load(sys.stdin.buffer):
    for match in part.scan():
        print(match.path, match.line_number, match.offset)
"""


def test_another_process_in_another_folder(compressed, tmp_path, monkeypatch):
    monkeypatch.chdir(compressed.parent)
    scan = presso.scan(compressed.name, "host3 ERROR")
    command = [sys.executable, "-c", OTHER]
    pickled = pickle.dumps(scan.partitions(1 << 18))
    done = subprocess.run(command, input=pickled, capture_output=True, cwd=tmp_path, check=True)
    wanted = "".join(f"{m.path} {m.line_number} {m.offset}\n" for m in scan)
    assert done.stdout.decode() == wanted


def test_urls(compressed):
    fsspec = pytest.importorskip("fsspec")
    with fsspec.open("memory://parts/app.presso", "wb") as file:
        file.write(compressed.read_bytes())
    scan = presso.scan("memory://parts/app.presso", "ERROR")
    parts = sent(scan.partitions(1 << 18))
    assert len(parts) > 3
    assert [m for part in parts for m in part.scan()] == list(scan)


def test_lines_as_arrow(compressed):
    pyarrow = pytest.importorskip("pyarrow")
    scan = presso.scan(compressed, "ERROR", columns=["line_number", "line"])
    parts = sent(scan.partitions(1 << 18))
    assert pyarrow.concat_tables(map(pyarrow.table, parts)) == pyarrow.table(scan)
    assert pyarrow.schema(parts[0]) == pyarrow.schema(scan)
    lines = pyarrow.concat_tables(part.read(["line"]) for part in parts)
    assert lines == pyarrow.table(scan).select(["line"])


ROWS = 20_000


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """A table of two files with rising ids."""
    pyarrow = pytest.importorskip("pyarrow")
    rng = random.Random(5)
    folder = tmp_path_factory.mktemp("tables")
    for name, first in (("a", 0), ("b", ROWS)):
        rows = {
            "id": range(first, first + ROWS),
            "a \"name\"": [rng.choice(["Ulm", None, "Bonn"]) for _ in range(ROWS)],
            "price": [rng.randrange(1000) / 4 for _ in range(ROWS)],
        }
        table = pyarrow.table({name: list(column) for name, column in rows.items()})
        presso.write_table(table, folder / f"{name}.presso", group_rows=1024)
    return folder


def questions(tables):
    def query():
        return presso.query(tables / "*.presso")

    yield query()
    yield query().where("price > 200.0e0").select("id, price * 2e0 as double")
    yield query().where("id between 3000 and 5000 or id > 35000")
    yield query().where("id >= 5").where("\"a \"\"name\"\"\" = 'Ulm' and id < 25000")
    yield query().alias("t").where("t.id % 7 = 3")
    yield query().where("id < 0")


def test_rows(tables):
    pyarrow = pytest.importorskip("pyarrow")
    for query in questions(tables):
        whole = pyarrow.table(query)
        for target in (1, 20_000, 1 << 40):
            parts = sent(query.partitions(target))
            found = [part.read() for part in parts]
            assert pyarrow.concat_tables([whole.slice(0, 0), *found]) == whole
            assert all(p.rows in (None, t.num_rows) for p, t in zip(parts, found))


def test_row_groups_that_cannot_match_give_no_part(tables):
    pyarrow = pytest.importorskip("pyarrow")

    def parts(condition, target=1):
        return presso.query(tables / "*.presso").where(condition).partitions(target)

    assert len(presso.query(tables / "*.presso").partitions(1)) == 40
    assert len(parts("id = 4000")) == 1
    assert len(parts("id between 3000 and 5000")) == 3
    assert parts("id < 0") == []
    late, whole = parts("id > 19000", 1 << 40)[0], parts("id >= 0", 1 << 40)[0]
    assert late.plain_bytes < whole.plain_bytes / 5
    (part,) = parts("id = 4000", 1 << 40)
    assert part.read()["id"].to_pylist() == [4000]
    part = presso.query(tables / "a.presso").partitions(1 << 40)[0]
    assert part.rows == ROWS
    assert part.read(["a \"name\""]).column_names == ["a \"name\""]
    assert part.scan().run()["rows"] == ROWS
    with pytest.raises(presso.ArgumentError, match="without select"):
        presso.query(tables / "a.presso").select("id").partitions()[0].read(["id"])
    pyarrow.table(part).validate(full=True)


def test_damaged_tables(tables, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    content = bytearray((tables / "a.presso").read_bytes())
    content[len(content) // 2] ^= 0x55
    path = tmp_path / "damaged.presso"
    path.write_bytes(content)
    failed = 0
    whole = pyarrow.table(presso.query(tables / "a.presso"))
    parts = sent(presso.query(path).partitions(1))
    first = 0
    for part in parts:
        rows = part.rows
        try:
            assert part.read() == whole.slice(first, rows)
        except presso.DamageError as error:
            assert error.path == str(path) and error.block is not None and error.offset > 0
            with pytest.raises(presso.DamageError):
                part.scan().run()
            failed += 1
        first += rows
    assert failed == 1


def test_questions_that_have_no_parts(tables):
    path = tables / "a.presso"
    for query in (
        presso.query(path).group_by("price").aggregate("count(distinct id)"),
        presso.query(path).order_by("price"),
        presso.query(path).limit(3),
        presso.query(path).join(path, "id", "full"),
        presso.query(path).join(path, "id", "right"),
        presso.sql(f"select * from '{path}'"),
    ):
        with pytest.raises(presso.ArgumentError):
            query.partitions()
    with open(path, "rb") as file, pytest.raises(presso.ArgumentError, match="file object"):
        presso.query(file).partitions()
    with pytest.raises(presso.ArgumentError, match="no column"):
        presso.query(path).where("prise > 3").partitions()


def test_rows_that_cannot_be_computed(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / "t.presso"
    presso.write_table(pyarrow.table({"a": [1, 2**62]}), path)
    rows = presso.query(path).select("a * 4 as b")
    groups = presso.query(path).group_by("a * 4").aggregate("count(*)")
    for query in (rows, groups):
        (part,) = sent(query.partitions())
        with pytest.raises(presso.ArgumentError, match="row") as caught:
            part.read()
        assert caught.value.code == 43


def test_tables_that_have_changed(tables, tmp_path):
    path = tmp_path / "t.presso"
    path.write_bytes((tables / "a.presso").read_bytes())
    (part,) = presso.query(path).partitions(1 << 40)
    path.write_bytes((tables / "a.presso").read_bytes() * 2)
    with pytest.raises(presso.FileError, match="has changed"):
        part.scan()


def test_tables_written_anew_with_the_same_size(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / "t.presso"

    def write(first):
        rows = pyarrow.table({"a": [first + i for i in range(1000)]})
        presso.write_table(rows, path, overwrite=True)
        return path.stat().st_size

    size = write(1000)
    (part,) = presso.query(path).partitions()
    assert part.scan().run()["rows"] == 1000
    assert write(2000) == size
    with pytest.raises(presso.FileError, match="has changed"):
        part.scan()


def test_logs_written_anew_with_the_same_size(tmp_path):
    path = tmp_path / "t.presso"
    path.write_bytes(presso.compress(b"a\nbb\n"))
    (part,) = presso.scan(path).partitions()
    assert part.scan().count() == 2
    path.write_bytes(presso.compress(b"aa\nb\n"))
    with pytest.raises(presso.FileError, match="has changed"):
        part.scan().count()
