# SPDX-License-Identifier: MIT
"""Files of servers, those that misbehave among them: never wrong data, never without an end."""
import multiprocessing
import pathlib
import pickle
import random
import threading
import time
import urllib.parse

import pytest
from servers import serving

import presso
import presso._far

pytest.importorskip("urllib3")
_http = pytest.importorskip("presso._http")

# Compressed it has several pieces of those that are fetched at a time.
TEXT = b"".join(b"%06d %s\n" % (i, random.Random(i).randbytes(600).hex().encode())
                for i in range(9000))


@pytest.fixture(scope="module")
def content():
    return presso.compress(TEXT, block_size=1 << 18)


@pytest.fixture
def server(content):
    with serving({"/log.presso": content, "/empty": b"", "/text": TEXT}) as server:
        yield server


@pytest.fixture(autouse=True)
def hurry(monkeypatch):
    """Pauses are shorter in tests."""
    monkeypatch.setattr(_http, "PAUSES", (0.01, 0.02, 0.03))


def read_all(server, name="/log.presso"):
    return presso.open(server.url + name).read()


def always(answer):
    """Misbehaves each time."""

    def misbehave(request, number):
        answer(request)
        return True

    return misbehave


def after_opening(answer):
    """Misbehaves where blocks are read."""

    def misbehave(request, number):
        is_block = 0 < request.begin and request.end < len(request.content)
        if is_block:
            answer(request)
        return is_block

    return misbehave


def test_a_server_that_behaves(server):
    assert read_all(server) == TEXT
    assert {method for method, *_ in server.requests} == {"GET"}
    assert presso.scan(server.url + "/text").count() == 9000
    found = presso.scan(server.url + "/log.presso", "^00012[0-9]")
    assert [match.line_number for match in found] == list(range(121, 131))
    with pytest.raises(presso.DamageError):
        presso.open(server.url + "/empty")
    assert presso.scan(server.url + "/empty").count() == 0


def test_small_files_that_come_whole(server):
    server.files["/small"] = presso.compress(b"a\nb\n")
    server.misbehave = always(lambda request: request.give(status=200, body=request.content))
    assert read_all(server, "/small") == b"a\nb\n"
    assert len(server.requests) == 1


# What a server does wrong for good: the answer, and what the error must say.
WRONG = {
    "whole": (lambda r: r.give(status=200, body=r.content), "knows no ranges"),
    "whole, no length": (
        lambda r: r.give(status=200, headers={"Content-Length": None, "Connection": "close"}),
        "knows no ranges",
    ),
    "another range": (
        lambda r: r.give(headers={"Content-Range": f"bytes 5-{r.end + 4}/{len(r.content)}"}),
        "another range",
    ),
    "a shorter range": (
        lambda r: r.give(
            headers={"Content-Range": f"bytes {r.begin}-{r.end - 2}/{len(r.content)}"},
            body=r.content[r.begin : r.end - 1],
        ),
        "another range",
    ),
    "no range": (lambda r: r.give(headers={"Content-Range": None}), "another range"),
    "no size": (
        lambda r: r.give(headers={"Content-Range": f"bytes {r.begin}-{r.end - 1}/*"}),
        "another range",
    ),
    "too many bytes": (
        lambda r: r.give(body=r.content[r.begin : r.end] + b"x"),
        "gives .* bytes of the range",
    ),
    "coded": (lambda r: r.give(headers={"Content-Encoding": "gzip"}), "Content-Encoding"),
    "403": (lambda r: r.give_status(403), r"status 403 \(Forbidden\)"),
    "404": (lambda r: r.give_status(404), r"status 404 \(Not Found\)"),
    "418": (lambda r: r.give_status(418), "status 418"),
    "416": (lambda r: r.give_status(416), "status 416"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_what_is_wrong_for_good_is_not_tried_again(server, kind):
    answer, said = WRONG[kind]
    for misbehave, asked in ((always(answer), 1), (after_opening(answer), 3)):
        if kind == "no size" and asked == 3:
            continue
        server.requests.clear()
        server.misbehave = misbehave
        with pytest.raises(presso.FileError, match=f"(?s)bytes [0-9]+-[0-9]+: .*{said}") as caught:
            read_all(server)
        assert server.url + "/log.presso" in str(caught.value)
        ranges = [request[2:] for request in server.requests]
        assert len(ranges) == len(set(ranges)) >= asked
        if asked == 1:
            assert len(ranges) == 1
        assert isinstance(caught.value, FileNotFoundError) == (kind == "404" and asked == 1)


# What may pass, and what the error says when it does not.
PASSING = {
    "500": (lambda r: r.give_status(500), r"status 500 \(Internal Server Error\)"),
    "503": (lambda r: r.give_status(503), "status 503"),
    "429": (lambda r: r.give_status(429), "status 429"),
    "cut": (lambda r: r.cut(1000), "IncompleteRead|ended"),
    "cut at once": (lambda r: setattr(r, "close_connection", True), "without response"),
    "hangs": (lambda r: (time.sleep(1), setattr(r, "close_connection", True)), "no answer within"),
    "hangs in the middle": (lambda r: (r.cut(1000), time.sleep(1)), "no answer|ended"),
}


@pytest.fixture
def short_patience(kind, monkeypatch):
    if kind.startswith("hangs"):
        monkeypatch.setattr(_http, "SILENT_SECONDS", 0.5)


@pytest.mark.parametrize("kind", PASSING)
def test_what_may_pass_is_tried_four_times(server, kind, short_patience):
    answer, said = PASSING[kind]
    server.misbehave = always(answer)
    with pytest.raises(presso.FileError, match=f"bytes 0-[0-9]+: .*({said}).*, 4 times"):
        read_all(server)
    assert len(server.requests) == 4
    server.requests.clear()
    server.misbehave = after_opening(answer)
    with pytest.raises(presso.FileError, match=f"bytes [1-9][0-9]*-[0-9]+: .*({said}).*, 4 times"):
        read_all(server)


@pytest.mark.parametrize("kind", PASSING)
def test_what_passes(server, kind, short_patience):
    answer, _ = PASSING[kind]
    failed = {}

    def misbehave(request, number):
        """The first three answers of each range."""
        with server.lock:
            failed[request.begin] = failed.get(request.begin, 0) + 1
        if failed[request.begin] > 3:
            return False
        answer(request)
        return True

    server.misbehave = misbehave
    if kind.startswith("hangs"):
        assert presso.open(server.url + "/log.presso").read(0, 100) == TEXT[:100]
    else:
        assert read_all(server) == TEXT
    assert set(failed.values()) == {4}


def test_answers_that_come_too_slowly(server, monkeypatch):
    monkeypatch.setattr(_http, "LEAST_BYTES_PER_SECOND", 1 << 30)
    monkeypatch.setattr(_http, "SILENT_SECONDS", 0.5)

    def drip(request):
        request.send_response(206)
        request.send_header("Content-Length", "65536")
        request.send_header("Content-Range", f"bytes 0-65535/{len(request.content)}")
        request.end_headers()
        for _ in range(30):
            request.wfile.write(b"x")
            time.sleep(0.05)

    server.misbehave = always(drip)
    with pytest.raises(presso.FileError, match="too slowly, 4 times"):
        read_all(server)


def test_nobody_is_there():
    with pytest.raises(presso.FileError, match="bytes 0-65535: .*refused, 4 times"):
        presso.open("http://127.0.0.1:9/log.presso")


def test_errors_of_servers_are_errors_of_scans(server):
    scan = presso.scan(server.url + "/log.presso", "^0001", on_error="skip")
    server.misbehave = after_opening(lambda request: request.give_status(403))
    for use in (scan.count, lambda: list(scan)):
        with pytest.raises(presso.FileError, match="status 403"):
            use()


def test_an_index_that_cannot_be_read_is_not_taken_for_none(server):
    """Else the whole file would be searched, or be one partition, for nothing."""
    url = server.url + "/log.presso"
    scan = presso.scan(url, "^0001")
    server.misbehave = always(lambda request: request.give_status(403))
    for use in (scan.partitions, scan.count, lambda: next(iter(scan))):
        server.requests.clear()
        with pytest.raises(presso.FileError, match="status 403"):
            use()
        assert len(server.requests) == 1
    server.misbehave = lambda *_: False
    assert len(scan.partitions(1 << 20)) > 3


@pytest.mark.parametrize("change", ["tag", "date", "size"])
def test_a_file_that_changes_while_it_is_read(server, content, change):
    file = presso.open(server.url + "/log.presso")

    def changed(request):
        headers = {"ETag": '"2"'}
        if change == "date":
            headers = {"ETag": None, "Last-Modified": "Sat, 28 Nov 2026 00:00:01 GMT"}
        if change == "size":
            given = f"bytes {request.begin}-{request.end - 1}/{len(request.content) + 1}"
            headers = {"Content-Range": given}
        request.give(headers=headers)

    server.misbehave = always(changed)
    with pytest.raises(presso.FileError, match="bytes [0-9]+-[0-9]+: the file has changed"):
        file.read()


def test_servers_that_name_no_state(server):
    server.misbehave = always(lambda request: request.give(headers={"ETag": None}))
    assert read_all(server) == TEXT


@pytest.mark.parametrize("size", [1 << 63, 1 << 64, "9" * 25, "9" * 5000, "\u00b2"])
def test_sizes_that_no_file_has(server, size):
    def misbehave(request, number):
        said = f"bytes {request.begin}-{request.end - 1}/{size}"
        request.give(headers={"Content-Range": said})
        return True

    server.misbehave = misbehave
    for call in (presso.open, lambda url: presso.scan(url, "x").count()):
        with pytest.raises(presso.FileError, match="gives another range") as caught:
            call(server.url + "/text")
        assert len(str(caught.value)) < 300


def test_redirects(server):
    def redirect(to):
        def answer(request, number):
            if request.path != "/old":
                return False
            request.send_response(302)
            request.send_header("Location", to)
            request.send_header("Content-Length", "0")
            request.end_headers()
            return True

        return answer

    server.misbehave = redirect("/log.presso")
    assert read_all(server, "/old") == TEXT
    server.misbehave = redirect("/old")
    server.requests.clear()
    with pytest.raises(presso.FileError, match="too many redirects"):
        read_all(server, "/old")
    assert len(server.requests) == 6


# To nowhere.
WRONG_PLACES = {
    "http://[::bad/": "no URL",
    "http://host:port/": "no URL",
    "file:///etc/passwd": "no URL of HTTP",
}


@pytest.mark.parametrize("place", WRONG_PLACES)
def test_redirects_to_nowhere(server, place):
    server.misbehave = always(
        lambda request: request.give(status=302, headers={"Location": place}, body=b"")
    )
    said = f"a redirect to what is {WRONG_PLACES[place]}"
    with pytest.raises(presso.FileError, match=said) as caught:
        presso.open(server.url + "/log.presso")
    assert server.url + "/log.presso" in str(caught.value)
    assert len(server.requests) == 1


def test_redirects_tell_other_servers_no_credentials(server, content):
    seen = []
    with serving({"/log.presso": content}) as other:

        def answer(request, number):
            seen.append((request.server is other, request.headers.get("Authorization")))
            to = {"/old": "/between", "/between": other.url + "/log.presso"}.get(request.path)
            if to:
                request.give(status=307, headers={"Location": to}, body=b"")
            return bool(to)

        server.files.update({"/old": content, "/between": content})
        server.misbehave = other.misbehave = answer
        url = server.url.replace("://", "://user:p%40ss@") + "/old"
        assert presso.open(url).read(0, 100) == TEXT[:100]
    assert len(seen) % 3 == 0
    assert set(seen) == {(False, "Basic dXNlcjpwQHNz"), (True, None)}


def test_the_text_of_a_redirect_is_not_read(server, content):
    read = []

    def answer(request, number):
        if request.path != "/old":
            return False
        request.send_response(302)
        request.send_header("Location", "/log.presso")
        request.send_header("Transfer-Encoding", "chunked")
        request.end_headers()
        request.close_connection = True
        # Without an end, but for clients that wait for it.
        for _ in range(64):
            request.wfile.write(b"100000\r\n" + bytes(1 << 20) + b"\r\n")
        request.wfile.write(b"0\r\n\r\n")
        read.append(True)
        return True

    server.files["/old"] = content
    server.misbehave = answer
    assert presso.open(server.url + "/old").read(0, 100) == TEXT[:100]
    assert not read


def test_redirects_that_come_slowly(server, monkeypatch):
    """All of a request has one end of its time."""
    monkeypatch.setattr(_http, "SILENT_SECONDS", 0.5)

    def answer(request):
        time.sleep(0.3)
        request.give(status=302, headers={"Location": "/log.presso"}, body=b"")

    server.misbehave = always(answer)
    with pytest.raises(presso.FileError, match="(take too long|no answer within 0.5 s), 4 times"):
        read_all(server)


def test_credentials(server):
    seen = []

    def check(request, number):
        seen.append(request.headers.get("Authorization"))
        if seen[-1] == "Basic dXNlcjpwQHNz":  # user:p@ss
            return False
        request.give_status(401)
        return True

    server.misbehave = check
    url = urllib.parse.urlsplit(server.url)._replace(path="/log.presso").geturl()
    good = url.replace("://", "://user:p%40ss@")
    assert presso.open(good).read() == TEXT
    bad = url.replace("://", "://user:wrong@") + "?X-Amz-Signature=abc123&part=1"
    with pytest.raises(presso.FileError, match="status 401") as caught:
        presso.open(bad)
    assert "wrong" not in str(caught.value) and "abc123" not in str(caught.value)
    assert "http://***@127" in str(caught.value) and "part=1" in str(caught.value)


def test_a_fork_makes_connections_of_its_own(server):
    """Of its own, and waits for no thread that only its parent has."""
    file = presso.open(server.url + "/log.presso")
    assert file.read(0, 10) == TEXT[:10]
    context = multiprocessing.get_context("fork")
    def read(begin):
        assert file.read(begin, 2_000_000) == TEXT[begin : begin + 2_000_000]

    children = [context.Process(target=read, args=(at,)) for at in (5_000_000, 7_000_000)]
    for child in children:
        child.start()
    assert file.read() == TEXT
    for child in children:
        child.join(30)
        child.kill()
        assert child.exitcode == 0


def test_s3(server, monkeypatch):
    """s3fs asks such a server in the same way."""
    pytest.importorskip("s3fs")
    import fsspec

    options = {"anon": True, "endpoint_url": server.url}
    monkeypatch.setitem(fsspec.config.conf, "s3", options)
    server.files = {"/bucket/log.presso": server.files["/log.presso"]}
    assert presso.open("s3://bucket/log.presso").read() == TEXT
    assert [method for method, *_ in server.requests].count("HEAD") == 1
    with pytest.raises(presso.MissingFileError):
        presso.open("s3://bucket/none")
    file = presso.open("s3://bucket/log.presso")
    server.misbehave = always(lambda request: request.give_status(403))
    with pytest.raises(presso.FileError, match="s3://bucket/log.presso: .*bytes [0-9]+-[0-9]+: "):
        file.read()
    server.misbehave = always(lambda request: request.give(status=200, body=request.content))
    with pytest.raises(presso.FileError, match=r"a read gave [0-9]+ bytes"):
        file.read()


def test_readers_at_the_same_time(server):
    server.seconds = 0.02
    file = presso.open(server.url + "/log.presso")
    found = {}

    def read(begin):
        found[begin] = file.read(begin, 1 << 20)

    threads = [threading.Thread(target=read, args=(at,)) for at in range(0, len(TEXT), 1 << 19)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(found[at] == TEXT[at : at + (1 << 20)] for at in found)
    ranges = [request[2:] for request in server.requests]
    assert len(ranges) == len(set(ranges)) and sum(e - b for b, e in ranges) <= file.stored_bytes


def asked(server):
    """What has been asked for since the last call, without its times."""
    ranges = sorted(request[2:] for request in server.requests)
    server.requests.clear()
    return ranges


def test_requests_of_opening(server):
    file = presso.open(server.url + "/log.presso")
    assert file.lines == 9000
    begin, tail = asked(server)
    assert begin == (0, 64 << 10) and tail == (file.stored_bytes - (256 << 10), file.stored_bytes)
    server.files["/small"] = presso.compress(TEXT[: 1 << 16])
    file = presso.open(server.url + "/small")
    assert file.stored_bytes <= 64 << 10
    assert file.read() == TEXT[: 1 << 16]
    assert asked(server) == [(0, file.stored_bytes)]


def test_an_index_that_is_larger_than_expected(server, monkeypatch):
    """Of many small blocks of a text that nearly disappears."""
    monkeypatch.setattr(presso._far, "_LEAST_TAIL_BYTES", 1000)
    content = presso.compress(b"the same line again\n" * 2_000_000, block_size=16 << 10)
    server.files["/many"] = content
    assert presso.open(server.url + "/many").lines == 2_000_000
    (begin, tail_rest, tail) = asked(server)
    assert begin == (0, 64 << 10) and tail == (len(content) - 1000, len(content))
    assert begin[1] < tail_rest[0] and tail_rest[1] == tail[0]


def test_requests_of_partitions(server, monkeypatch):
    scan = presso.scan(server.url + "/log.presso")
    parts = scan.partitions(4 << 20)
    assert len(parts) == 3 and len(asked(server)) == 2
    for number, part in enumerate(parts):
        part = pickle.loads(pickle.dumps(part))
        server.seconds, server.most_at_once = 0.3, 0
        assert part.scan().count() == part.rows
        ranges = asked(server)
        # Side by side, and nothing twice.
        assert server.most_at_once == len(ranges)
        # What stands in front of the blocks, and blocks.
        assert len(ranges) == (1 if number == 0 else 2), ranges
        assert all(a[1] <= b[0] for a, b in zip(ranges, ranges[1:]))
        stored = sum(end - begin for begin, end in ranges)
        assert stored < 0.45 * len(server.files["/log.presso"])
    # Nothing for what needs nothing.
    part.__arrow_c_schema__()
    assert asked(server) == []
    with monkeypatch.context() as patch:
        patch.setattr(presso._far, "_MOST_PIECE_BYTES", 100_000)
        patch.setattr(presso._far, "_AHEAD", 2)
        server.seconds = 0
        assert sum(1 for _ in part.scan()) == part.rows
        ranges = asked(server)
        assert all(a[1] <= b[0] for a, b in zip(ranges, ranges[1:])) and len(ranges) > 10


@pytest.mark.parametrize("tag", ['"1"', None])
def test_a_file_without_a_tag_is_known_by_its_lines(server, tag):
    """One with a tag is taken for the same, so that its index is not read again."""
    first, second = presso.compress(b"a\nbb\n"), presso.compress(b"aa\nb\n")
    assert len(first) == len(second)
    server.misbehave = always(lambda request: request.give(headers={"ETag": tag}))
    server.files["/log"] = first
    (part,) = presso.scan(server.url + "/log").partitions()
    server.files["/log"] = second
    if tag:
        assert [match.line for match in part.scan()] == [b"aa\n", b"b\n"]
    else:
        with pytest.raises(presso.FileError, match="has changed"):
            part.scan().count()


def test_partitions_skip_what_an_index_rules_out(server):
    lines = [b"%07d %s\n" % (i, random.Random(i).randbytes(200).hex().encode())
             for i in range(30_000)]
    for number in (5, 29_990):
        lines[number] = b"the needle, %d\n" % number
    content = presso.compress(b"".join(lines), block_size=1 << 16, index=10)
    server.files["/indexed"] = content
    (part,) = presso.scan(server.url + "/indexed", "the needle").partitions()
    asked(server)
    assert [match.line_number for match in part.scan()] == [6, 29_991]
    ranges = asked(server)
    assert sum(end - begin for begin, end in ranges) < len(content) / 4 and len(ranges) <= 4


def test_a_partition_of_a_file_that_has_changed(server, content):
    for change in ({"ETag": '"2"'}, {}):
        server.misbehave = lambda *_: False
        part = presso.scan(server.url + "/log.presso").partitions(4 << 20)[1]
        if change:
            server.misbehave = always(lambda request: request.give(headers=change))
        else:
            server.files["/log.presso"] = content * 2
        with pytest.raises(presso.FileError, match="has changed"):
            part.scan().count()


def test_a_hundred_gigabytes(server, monkeypatch):
    """Are planned in two requests, and partitions read nothing else than what they need."""
    pytest.importorskip("xxhash")
    monkeypatch.syspath_prepend(pathlib.Path(__file__).parents[2] / "lab" / "figures")
    from made_up_file import MadeUpFile, lines_of_a_block

    file = MadeUpFile(lines_of_a_block(1 << 20), 10**11)
    server.files["/made-up"] = file
    assert len(file) > 10**11 - (1 << 20)
    scan = presso.scan(server.url + "/made-up")
    parts = scan.partitions(64 << 20)
    assert sum(part.rows for part in parts) == file.lines
    server.requests.clear()
    assert len(presso.scan(server.url + "/made-up").partitions(1 << 30)) > 100
    (begin, tail) = asked(server)
    assert begin == (0, 64 << 10) and tail[1] == len(file) and tail[1] - tail[0] < 64 << 20
    part = pickle.loads(pickle.dumps(parts[len(parts) // 2]))
    assert part.scan().count() == part.rows
    stored = sum(end - begin for begin, end in asked(server))
    # As many bytes as its share of the file, and 64 KiB at the begin.
    of_blocks = len(file) * part.plain_bytes / file.plain_bytes
    assert stored < 1.01 * of_blocks + (80 << 10)
    assert len(pickle.dumps(part)) < 4000
