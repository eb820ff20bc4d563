# SPDX-License-Identifier: MIT
"""What the command-line tests share: running presso, in a pipe or on a terminal, in a scratch
directory, and sample data. The command is named by the environment variable PRESSO."""

import glob
import json
import os
import pty
import random
import select
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

PRESSO = os.path.abspath(os.environ.get("PRESSO", "build/release/bin/presso"))
FAKE_RATES = ("copy_in_rate", "copy_out_rate", "decode_rate", "search_rate")
FAKE_STEPS = (
    *(f"compare_{bits}_bits" for bits in (4, 8, 16, 32, 64)),
    *("byte", "token_byte", "text_byte", "step", "sum", "group", "cached_group", "far_group"),
    *("group_back", "lookup", "far_lookup", "branch", "pass", "kernel", "read", "thread_read"),
)
# Flags for text such as "made by hand\nk;'x;y'\n# nothing\n1;NA\n02\n".
HOW_TEXT_IS_READ = (
    *("--skip", "1", "--delimiter", ";", "--quote", "'", "--comment", "#", "--null", "NA"),
    *("--ragged", "fill", "--schema", "k:utf8", "--header", "yes"),
    *("--escape", "\\"),
)
COVERED = set()  # (command, option) pairs, filled by @covers


def covers(command, *options):
    """Marks a test as the one for `options`; test_coverage.py compares with the flag table."""
    COVERED.update((command, option) for option in options)
    return lambda test: test


def log_text(lines=6000, seed=1):
    """Bytes that look like a log; the same for the same seed."""
    rng = random.Random(seed)
    words = ["started", "stopped", "connection", "refused", "timeout", "user", "session", "cache"]
    rows = []
    for number in range(lines):
        text = " ".join(rng.choice(words) for _ in range(6))
        rows.append(
            f"2026-11-{1 + number % 30:02} host{rng.randrange(40)} "
            f"pid={rng.randrange(9999)} {text}\n"
        )
    return "".join(rows).encode()


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __repr__(self):
        return f"status {self.status}\nstdout: {self.out[:2000]!r}\nstderr: {self.err[:2000]!r}"


class CliTest(unittest.TestCase):
    """Each test has a scratch directory of its own, which is also the current one."""

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="presso_cli_")
        self.addCleanup(shutil.rmtree, self.directory, True)
        self.cache = tempfile.mkdtemp(prefix="presso_cache_")
        self.addCleanup(shutil.rmtree, self.cache, True)
        before = os.getcwd()
        os.chdir(self.directory)
        self.addCleanup(os.chdir, before)

    def run_presso(self, *arguments, stdin=b"", env=None, **more):
        full = dict(os.environ, LC_ALL="C", XDG_CACHE_HOME=self.cache)
        for name in ("PRESSO_THREADS", "PRESSO_LEVEL", "PRESSO_CONFIG_PATH"):
            full.pop(name, None)
        full.update(env or {})
        done = subprocess.run(
            [PRESSO, *arguments], input=stdin, capture_output=True, env=full, timeout=120, **more
        )
        return Result(done.returncode, done.stdout, done.stderr.decode(errors="replace"))

    def set_fake_gpu_rates(self, start_seconds, rate, knows_queries=True, compile_seconds=1e-9):
        """What the user's store says of the GPU that tests have instead of one."""
        version = self.ok("--version").out.split()[1].decode()
        numbers = {name + "_start_seconds": start_seconds for name in ("decode", "search")}
        numbers |= {name: rate for name in FAKE_RATES}
        steps = {name + "_ns": 1e9 / rate for name in FAKE_STEPS}
        queries = steps | {"start_seconds": start_seconds, "compile_seconds": compile_seconds}
        text = "presso measurements 1\n"
        for name, section in (("", numbers), ("queries, ", queries if knows_queries else {})):
            text += f"[Fake GPU, driver 1.0, {name}presso {version}]\n"
            text += "".join(f"{key}={value}\n" for key, value in section.items())
        self.write(os.path.join(self.cache, "presso", "measurements"), text.encode())

    def ok(self, *arguments, **more):
        result = self.run_presso(*arguments, **more)
        self.assertEqual(result.status, 0, result)
        return result

    def fails(self, *arguments, saying="", **more):
        """Status 2, a message that begins with the program's name and holds `saying`."""
        result = self.run_presso(*arguments, **more)
        self.assertEqual(result.status, 2, result)
        self.assertTrue(result.err.startswith("presso: "), result)
        self.assertIn(saying, result.err)
        return result

    def on_terminal(self, *arguments, answers=b"", columns=80):
        """Runs presso with a terminal as stdin, stdout and stderr; returns (status, output)."""
        pid, master = pty.fork()
        if pid == 0:
            os.execve(PRESSO, [PRESSO, *arguments], dict(os.environ, COLUMNS=str(columns)))
        if answers:
            os.write(master, answers)
        output = b""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            ready, _, _ = select.select([master], [], [], 1)
            if not ready:
                continue
            try:
                part = os.read(master, 65536)
            except OSError:
                break
            if not part:
                break
            output += part
        _, status = os.waitpid(pid, 0)
        os.close(master)
        return os.waitstatus_to_exitcode(status), output.decode(errors="replace")

    def write(self, name, content):
        if os.path.dirname(name):
            os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(name, "wb") as file:
            file.write(content)
        return name

    def read(self, name):
        with open(name, "rb") as file:
            return file.read()

    def compressed(self, name="app.log", content=None, *options):
        """Writes `name` and compresses it; returns the content."""
        content = log_text() if content is None else content
        self.write(name, content)
        self.ok("compress", "-q", "-3", *options, name)
        return content

    def files(self, directory="."):
        return sorted(os.listdir(directory))

    def assert_round_trip(self, compressed, content):
        self.assertEqual(self.ok("cat", compressed).out, content)


class ColumnFileTest(CliTest):
    """Tests of files of columns. Those that match `examples` are copied into the directory."""

    examples = ""

    def setUp(self):
        super().setUp()
        for path in glob.glob(self.examples):
            shutil.copy(path, ".")

    def rows(self, statement, *more):
        out = self.ok("sql", statement, "--format", "jsonl", *more).out
        return [json.loads(line) for line in out.decode().splitlines()]

    def types(self, name):
        return [row["column_type"] for row in self.rows(f"describe select * from '{name}'")]


def wait_for(condition, seconds=30):
    """Polls until `condition()` is true; false after `seconds`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.01)
    return False


def main():
    unittest.main(verbosity=2)
