#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Statements as analysts type them, answered by `presso sql` and compared with DuckDB's answers.

    test_analysts.py [FOLDER]           fails if an answer is wrong, or if what is refused is not
                                        what FOLDER/refused.txt says; by default this folder
    test_analysts.py --list [FOLDER]    what is refused or wrong, with presso's messages
    test_analysts.py --strike [FOLDER]  drops from refused.txt what is answered

refused.txt names the statements that presso does not answer, one a line with the reason; a reason
that begins with `wrong:` is of one that it answers wrongly. The command is named by the environment
variable PRESSO.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

from answers import difference, rows_of
from statements import HERE, all_statements
from support import PRESSO

RIGHT, REFUSED, WRONG = "right", "refused", "wrong"


class Failure(Exception):
    def __init__(self, outcome, message):
        super().__init__(message)
        self.outcome = outcome


def parameter_flags(statement):
    """--param name=value for $name, --param value for each ?."""
    flags = []
    for name, literal in statement.parameters():
        value = literal[1:-1].replace("''", "'") if literal.startswith("'") else literal
        flags += ["--param", f"{name}={value}" if name else value]
    return flags


def run(text, folder, out, flags=()):
    """The text that presso writes; an exit status of 1 means that there are no rows."""
    env = dict(os.environ, LC_ALL="C", XDG_CACHE_HOME=out)
    command = [PRESSO, "sql", *flags, text.replace("${OUT}", out)]
    done = subprocess.run(command, cwd=folder / "data", env=env, capture_output=True, timeout=60,
                          stdin=subprocess.DEVNULL, check=False)
    message = done.stderr.decode(errors="replace").strip()
    if done.returncode == 2 and message:
        raise Failure(REFUSED, message)
    if done.returncode not in (0, 1):
        raise Failure(WRONG, f"exit status {done.returncode}: {message}")
    return done.stdout.decode()


def chosen_columns(rows, names):
    missing = [name for name in names if name not in rows[0]]
    if missing:
        raise Failure(WRONG, f"no column {missing[0]!r} among {rows[0]}")
    places = [rows[0].index(name) for name in names]
    return [[row[place] for place in places] for row in rows]


def check(statement, folder):
    with tempfile.TemporaryDirectory() as out:
        text, then = statement.text, statement.about["then"]
        if then:
            run(text, folder, out, parameter_flags(statement))  # The file's name says its form.
            text = run(then, folder, out, ["--format", "csv"])
        else:
            text = run(text, folder, out, ["--format", "csv", *parameter_flags(statement)])
    try:
        ours = rows_of(text)
    except ValueError as error:
        raise Failure(WRONG, str(error)) from error
    theirs = rows_of(statement.answer_path.read_text(encoding="utf-8"))
    if not ours:
        raise Failure(WRONG, "no answer")
    if statement.compared_columns():
        ours = chosen_columns(ours, statement.compared_columns())
    if statement.only_counts_rows():
        if (len(ours), len(ours[0])) != (len(theirs), len(theirs[0])):
            raise Failure(WRONG, f"{len(ours) - 1} rows of {len(ours[0])} columns")
        return
    fault = difference(ours, theirs, statement.about["order"] != "none")
    if fault:
        raise Failure(WRONG, fault)


def outcome_of(statement, folder):
    try:
        check(statement, folder)
    except Failure as failure:
        return failure.outcome, str(failure)
    except subprocess.TimeoutExpired:
        return WRONG, "no answer within a minute"
    return RIGHT, ""


def known_faults(folder):
    """{name: (outcome, reason)} of refused.txt"""
    known = {}
    path = folder / "refused.txt"
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        if line and not line.startswith("#"):
            name, _, reason = line.partition(" ")
            known[name] = (WRONG if reason.startswith("wrong:") else REFUSED, reason)
    return known


def strike(folder, names):
    path = folder / "refused.txt"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if line.split(" ")[0] not in names),
                    encoding="utf-8")


def surprise(outcome, known):
    """Why an outcome fails the test, or nothing."""
    expected = known[0] if known else RIGHT
    if outcome == expected:
        return ""
    return f"{outcome}, and refused.txt says that it is {expected}"


def self_test():
    """The comparison finds what it is for."""
    theirs = [["n::BIGINT", "x::DOUBLE", "s::VARCHAR", "l::VARCHAR[]", "t::TIMESTAMP"],
              ["1", "0.1", "007", '["a"]', "2024-01-02 00:00:00"],
              ["2", None, "", "[]", "2024-01-02 03:04:05.120000+00:00"]]
    ours = [["n", "x", "s", "l", "t"], ["1", "0.10000000000000001", "007", "[a]", "2024-01-02"],
            ["2", None, "", "[]", "2024-01-02T03:04:05.120"]]
    assert rows_of('a,"b ""c"\n,""\n') == [["a", 'b "c'], [None, ""]]
    assert difference(ours, theirs) == ""
    assert difference([ours[0], ours[2], ours[1]], theirs)
    assert difference([ours[0], ours[2], ours[1]], theirs, ordered=False) == ""
    for row, column, cell in ((0, 0, "m"), (1, 0, "1.5"), (1, 1, "0.10000000001"), (1, 2, "7"),
                              (1, 3, "[b]"), (2, 1, "0"), (2, 2, None), (2, 3, None),
                              (1, 4, "2024-01-03"), (2, 4, "2024-01-02 03:04:05.121")):
        other = [list(cells) for cells in ours]
        other[row][column] = cell
        assert difference(other, theirs), (row, column, cell)
        assert difference(other, theirs, ordered=False), (row, column, cell)
    assert difference(ours[:2], theirs) and difference(ours + ours[1:2], theirs, ordered=False)


def report(statement, why, message):
    print(f"{statement.name}: {why}\n    " + message.replace("\n", "\n    "))


def main():
    modes = {"--list", "--strike"} & set(sys.argv[1:])
    arguments = [argument for argument in sys.argv[1:] if argument not in modes]
    folder = pathlib.Path(arguments[0]).resolve() if arguments else HERE
    self_test()
    known = known_faults(folder)
    counts, faults = {RIGHT: [], REFUSED: [], WRONG: []}, 0
    for statement in all_statements(folder):
        outcome, message = outcome_of(statement, folder)
        counts[outcome].append(statement.name)
        why = surprise(outcome, known.pop(statement.name, None))
        if modes == {"--list"} and outcome != RIGHT:
            report(statement, outcome, message)
        elif not modes and why:
            faults += 1
            report(statement, why, message)
    for name in known:
        faults += 1
        print(f"refused.txt names {name}, and there is no such statement")
    if "--strike" in modes:
        strike(folder, counts[RIGHT])
    print(f"{sum(map(len, counts.values()))} statements: {len(counts[RIGHT])} right, "
          f"{len(counts[REFUSED])} refused, {len(counts[WRONG])} wrong")
    return 1 if faults and not modes else 0


if __name__ == "__main__":
    sys.exit(main())
