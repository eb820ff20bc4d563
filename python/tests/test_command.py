# SPDX-License-Identifier: MIT
"""The presso command that the package brings: by its script where the package is installed, else by
`python -m presso`."""
import os
import pathlib
import signal
import subprocess
import sys
import sysconfig
import time

import pytest

import presso

SCRIPT = pathlib.Path(sysconfig.get_path("scripts")) / "presso"
COMMAND = [str(SCRIPT)] if SCRIPT.exists() else [sys.executable, "-m", "presso"]


def run(*arguments, **options):
    return subprocess.run([*COMMAND, *arguments], capture_output=True, timeout=60, **options)


def test_says_its_version():
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"presso {presso.__version__}\n".encode())


def test_says_which_code_runs():
    assert f"{presso.cpu_level} (in use)".encode() in run("--version", "-v").stdout


def test_is_the_same_as_a_module():
    module = subprocess.run([sys.executable, "-m", "presso", "--help"], capture_output=True,
                            check=True, timeout=60)
    assert run("--help").stdout == module.stdout
    assert b"usage: presso" in module.stdout.lower()


def test_finds_what_the_package_finds(compressed):
    found = [match.line.rstrip(b"\n") for match in presso.scan(compressed, "timeout")]
    done = run("scan", "timeout", str(compressed))
    assert done.returncode == 0
    assert done.stdout.splitlines() == found


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["scan", "-c", "nothing has this"], 1, b""),
        (["scan", "--no-such-option", "x"], 2, b"presso"),
        (["scan", "host", "/no/such/file"], 2, b"/no/such/file"),
    ],
)
def test_exit_statuses(arguments, status, said, compressed):
    done = run(*arguments, str(compressed))
    assert done.returncode == status
    assert said in done.stderr
    assert b"Traceback" not in done.stderr


def test_reads_and_writes_pipes(log, tmp_path):
    packed = run("compress", "-c", input=log.read_bytes())
    assert packed.returncode == 0
    assert run("decompress", "-c", input=packed.stdout).stdout == log.read_bytes()


def test_a_name_that_is_no_utf8(log, tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff.log"
    with open(path, "wb") as file:
        file.write(log.read_bytes())
    assert run("compress", path).returncode == 0
    assert run("scan", "-c", "timeout", path + b".presso").returncode == 0


def test_a_reader_that_goes_away(compressed):
    with subprocess.Popen([*COMMAND, "decompress", "-c", str(compressed)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full")
def test_a_full_disk(compressed):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*COMMAND, "--help"], stdout=full, stderr=subprocess.PIPE,
                              timeout=60)
    assert done.returncode == 2
    assert b"cannot write to standard output" in done.stderr


def test_ctrl_c_leaves_no_unfinished_file(tmp_path):
    to = tmp_path / "out.presso"
    with subprocess.Popen([*COMMAND, "compress", "-o", str(to)], stdin=subprocess.PIPE,
                          stderr=subprocess.PIPE) as process:
        process.stdin.write(b"a line\n" * 100_000)
        process.stdin.flush()
        until = time.monotonic() + 30
        while not list(tmp_path.iterdir()) and time.monotonic() < until:
            time.sleep(0.01)
        assert list(tmp_path.iterdir())
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == -signal.SIGINT
        assert b"Traceback" not in process.stderr.read()
    assert not list(tmp_path.iterdir())
