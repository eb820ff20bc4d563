# SPDX-License-Identifier: MIT
"""The package tells type checkers its types, and people what its functions do."""
import inspect
import pathlib
import subprocess
import sys

import pytest

import presso
import presso._native

PROGRAM = pathlib.Path(__file__).with_name("typed_program.py")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("mypy")


def found_in(program, cache):
    """What mypy finds in a program."""
    pytest.importorskip("mypy")
    folder = pathlib.Path(presso.__file__).parent.parent
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--cache-dir",
         str(cache), str(program)],
        env={"PATH": "", "MYPYPATH": "" if "site-packages" in str(folder) else str(folder)},
        cwd=cache, check=False, capture_output=True, text=True,
    )
    assert run.returncode in (0, 1), run.stderr
    return [line for line in run.stdout.splitlines() if f"{program.name}:" in line]


def test_a_program(cache):
    assert found_in(PROGRAM, cache) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("match.line_number)", "match.line)"),
        ("rows: int | None", "rows: int"),
        ("level=3", "progress=3)(x"),
        ("scan.partitions(1 << 20)", "scan.parts(1 << 20)"),
        ("lines=(1, None)", "lines=3"),
        ("since=since", "since=15.0"),
        ('record="time"', "record=True"),
        ("lambda plain, stored: print(plain, stored)", "lambda plain: None"),
    ],
)
def test_a_program_that_is_wrong(right, wrong, cache, tmp_path):
    text = PROGRAM.read_text()
    assert text.count(right) == 1
    program = tmp_path / "wrong.py"
    program.write_text(text.replace(right, wrong))
    assert found_in(program, cache)


def test_stubs_of_the_module():
    """Where it is built or installed with them."""
    stubs = pathlib.Path(presso._native.__file__).with_name("_native.pyi")
    assert "class OpenedFile:" in stubs.read_text()
    assert stubs.with_name("py.typed").exists()


def test_all_is_described():
    for name in presso.__all__:
        public = getattr(presso, name)
        if name == "__version__":
            continue
        assert inspect.getdoc(public), name
        for of, member in vars(public).items() if inspect.isclass(public) else ():
            if callable(member) or isinstance(member, (property, staticmethod, classmethod)):
                assert of.startswith("_") or inspect.getdoc(member), f"{name}.{of}"
