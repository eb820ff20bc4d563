# SPDX-License-Identifier: MIT
"""Work on threads: the interpreter's lock and its end, Ctrl-C, exceptions of callers, forks. Each
in a process of its own, which must end by itself and say nothing."""
import importlib.util
import subprocess
import sys

import pytest

BEGIN = """
import io, os, signal, sys, threading, time
import presso
path = sys.argv[1]

class Slow(io.BytesIO):
    delay = 0.02
    def __init__(self):
        super().__init__(open(path, "rb").read())
    def read(self, size=-1):
        time.sleep(self.delay)
        return super().read(size)

def interrupt_after(seconds):
    threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
"""


def says(script, *arguments, code=0):
    """What a script prints that ends with this code and without a word to stderr."""
    command = [sys.executable, "-c", BEGIN + script, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (code, "")
    return done.stdout.split()


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    pyarrow = pytest.importorskip("pyarrow")
    import presso

    path = tmp_path_factory.mktemp("table") / "numbers.presso"
    presso.write_table(pyarrow.table({"a": list(range(100_000))}), path, group_rows=10_000)
    return path


# --- the lock


@pytest.mark.parametrize("source", ["scan", "query"])
def test_streams_are_read_with_the_lock(source, compressed, table):
    if importlib.util.find_spec("nanoarrow") is None:
        pytest.skip("nanoarrow is not installed")
    script = """
import nanoarrow
made = presso.scan(Slow(), "ERROR") if sys.argv[2] == "scan" else presso.query(Slow())
print(sum(batch.length for batch in nanoarrow.c_array_stream(made)))
print(nanoarrow.ArrayStream(made).read_all().to_pylist() != [])
stream = nanoarrow.c_array_stream(made)
stream.get_next()
stream.release()
"""
    said = says(script, compressed if source == "scan" else table, source)
    assert int(said[0]) > 1000 and said[1] == "True"


def test_streams_that_nobody_reads(compressed):
    script = """
presso.scan(Slow(), "ERROR").__arrow_c_stream__()
lines = iter(presso.scan(Slow(), "ERROR"))
next(lines)
del lines
"""
    says(script, compressed)


def test_queries_are_not_changed_while_they_run(table):
    script = """
Slow.delay = 0.05
query = presso.query(Slow()).where("a % 2 = 0")
thread = threading.Thread(target=lambda: print(query.run()["rows"]))
thread.start()
time.sleep(0.1)
for change in (lambda: query.where("a > 5"), lambda: query.order_by("a"), query.distinct):
    try:
        change()
    except presso.ArgumentError as error:
        assert "while it runs" in str(error)
    else:
        print("changed")
thread.join()
print(query.where("a > 5").run()["rows"])
"""
    assert says(script, table) == ["50000", "49997"]


# --- exceptions


def test_exceptions_of_any_kind(compressed):
    script = """
class Silent(ValueError):
    def __str__(self):
        raise ValueError("no")

for raised, said in ((ValueError("a\\udcffb"), "a\\\\udcffb"), (Silent("x"), "Silent"),
                     (KeyError(), "KeyError")):
    class Failing(io.BytesIO):
        fails = False
        def read(self, size=-1):
            if self.fails:
                raise raised
            return super().read(size)

    source = Failing(open(path, "rb").read())
    for call in (presso.open(source).read, presso.scan(source, "x").count,
                 lambda: list(presso.scan(source, "x"))):
        Failing.fails = True
        try:
            call()
        except presso.FileError as error:
            assert said in str(error), error
            assert error.__cause__ is raised
            print("ok")
        Failing.fails = False
"""
    assert says(script, compressed) == ["ok"] * 9


# --- Ctrl-C


@pytest.mark.parametrize(
    "call", ["open(slow)", "query(slow)", "scan(slow, 'x').count()", "File.block", "write_table"]
)
def test_ctrl_c(call, request, tmp_path):
    if call == "write_table":
        pytest.importorskip("pyarrow")
    script = """
slow = Slow()
call = sys.argv[2]
if call == "File.block":
    file = presso.open(slow)
    run = lambda: file.block(3)
elif call == "write_table":
    import pyarrow
    def batches():
        for i in range(100):
            time.sleep(0.1)
            yield pyarrow.record_batch({"a": [i]})
    schema = pyarrow.schema({"a": pyarrow.int64()})
    reader = pyarrow.RecordBatchReader.from_batches(schema, batches())
    run = lambda: presso.write_table(reader, sys.argv[3])
else:
    # eval() of a string would end the process by the signal, caught or not.
    run = eval("lambda: presso." + call)
Slow.delay = 2
interrupt_after(0.5)
begin = time.monotonic()
try:
    run()
except KeyboardInterrupt:
    print(time.monotonic() - begin)
"""
    path = request.getfixturevalue("table" if call.startswith("query") else "compressed")
    said = says(script, path, call, tmp_path / "written")
    # Well before what two reads, or all batches, would take.
    assert 0.3 < float(said[0]) < (8 if call == "write_table" else 3.9)
    assert list(tmp_path.iterdir()) == []


# --- the end of the interpreter


@pytest.mark.parametrize(
    "kept",
    [
        "kept = iter(presso.scan(Slow(), 'host')); next(kept)",
        "kept = presso.scan(Slow(), 'host').__arrow_c_stream__()",
        "import nanoarrow; kept = nanoarrow.c_array_stream(presso.scan(Slow(), 'host'));"
        "kept.get_next()",
        "import pyarrow; kept = pyarrow.RecordBatchReader.from_stream(presso.scan(Slow(), 'host'));"
        "kept.read_next_batch()",
        "import pyarrow; kept = pyarrow.RecordBatchReader.from_stream(presso.query(Slow()));"
        "kept.read_next_batch()",
    ],
)
def test_what_lives_when_the_interpreter_ends(kept, request):
    for module in ("nanoarrow", "pyarrow"):
        if module in kept and importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    says(kept, request.getfixturevalue("table" if "query" in kept else "compressed"))


@pytest.mark.parametrize(
    "work",
    [
        "presso.decompress(packed)",
        "presso.compress(plain)",
        "presso.scan(path, 'host', ignore_case=True).count()",
        "list(presso.scan(path, 'host'))",
        "presso.scan(Slow(), 'host').count()",
        "list(presso.scan(Slow(), 'host'))",
        "presso.open(Slow())",
        "presso.open(path).read(0, 100)",
        "presso.compress_file(Slow(), '/dev/null', progress=print_nothing)",
    ],
)
def test_daemon_threads(work, compressed):
    script = """
plain = bytes(range(256)) * 400_000
packed = presso.compress(plain)

def print_nothing(*_):
    time.sleep(0.01)

def work():
    while True:
        try:
            eval(sys.argv[2])
        except presso.CancelledError:
            pass

for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.2)
print("end")
"""
    for _ in range(3):
        assert says(script, compressed, work) == ["end"]


def test_daemon_threads_that_somebody_waits_for(compressed):
    script = """
import atexit

def work():
    try:
        while True:
            presso.scan(path, "host").count()
    except presso.CancelledError:
        print("cancelled")

thread = threading.Thread(target=work, daemon=True)
atexit.unregister(presso._native.end_works)
atexit.register(thread.join)
atexit.register(presso._native.end_works)
thread.start()
time.sleep(0.1)
"""
    assert says(script, compressed) == ["cancelled"]


# --- forks


def test_forks(compressed, table):
    script = """
import pyarrow
lines = iter(presso.scan(path, "host"))
next(lines)
capsule = presso.scan(path, "host").__arrow_c_stream__()
reader = pyarrow.RecordBatchReader.from_stream(presso.scan(path, "host"))
reader.read_next_batch()
answer = pyarrow.RecordBatchReader.from_stream(presso.query(sys.argv[2]))
answer.read_next_batch()
child = os.fork()
if child == 0:
    try:
        list(lines)
    except presso.ArgumentError as error:
        assert "another process" in str(error)
    for stream in (reader, answer):
        try:
            while True:
                stream.read_next_batch()
        except OSError as error:
            assert "another process" in str(error)
    assert presso.scan(path, "host").count() > 0
    assert len(presso.decompress(presso.compress(b"x" * 1000))) == 1000
    del lines, capsule, reader, answer
    sys.exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(len(list(lines)) > 1000)
"""
    assert says(script, compressed, table) == ["7", "True"]


# --- what is given back


def test_streams_are_released_where_writing_fails(compressed, tmp_path):
    script = """
import gc, weakref
import pyarrow
released = []
def batches():
    yield pyarrow.record_batch({"a": [1]})
def attempt(to, **options):
    made = batches()
    weakref.finalize(made, released.append, to)
    schema = pyarrow.schema({"a": pyarrow.int64()})
    reader = pyarrow.RecordBatchReader.from_batches(schema, made)
    try:
        presso.write_table(reader, to, **options)
    except (presso.Error, RuntimeError):
        print("failed")
attempt(sys.argv[2] + "/none/t.presso")
attempt(path)
attempt(sys.argv[2] + "/t.presso", level=99)
gc.collect()
print(len(released))
"""
    pytest.importorskip("pyarrow")
    assert says(script, compressed, tmp_path) == ["failed"] * 3 + ["3"]
