#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Adds up ctest results: count_results.py JUNIT.xml... [--quiet]

Prints what was skipped or failed, and why, then the line `N passed, N failed, N skipped`.
Exit status 1 where something failed or nothing passed. A test that ctest could not run counts as
failed; one that skipped itself (gtest's GTEST_SKIP, exit code of SKIP_RETURN_CODE) or is disabled
counts as skipped.
"""
import sys
import xml.etree.ElementTree


def outcome(case):
    status = case.get("status")
    if status == "run":
        return "passed"
    skipped = case.find("skipped")
    message = skipped.get("message", "") if skipped is not None else ""
    if status == "disabled" or message.startswith("SKIP_"):
        return "skipped"
    return "failed"


def reason(case):
    """The line of the output that tells why: what follows gtest's 'Skipped' line, or the last."""
    lines = [line for line in (case.findtext("system-out") or "").splitlines() if line.strip()]
    for at, line in enumerate(lines[:-1]):
        if line.endswith("Skipped"):
            return lines[at + 1].strip()
    return lines[-1].strip() if lines else case.get("status", "")


def last_lines(case):
    lines = (case.findtext("system-out") or "").splitlines()
    return ["    " + line[:200] for line in lines[-20:]]


def count(documents):
    totals = {"passed": 0, "failed": 0, "skipped": 0}
    notes = {"skipped": [], "failed": []}
    for document in documents:
        for case in xml.etree.ElementTree.fromstring(document).iter("testcase"):
            result = outcome(case)
            totals[result] += 1
            if result != "passed":
                notes[result].append(f"{result}: {case.get('name')}: {reason(case)[:160]}")
                if result == "failed":
                    notes[result] += last_lines(case)
    # What failed stands last, where the end of a log shows it.
    return totals, notes["skipped"] + notes["failed"]


EXAMPLE = """<testsuite name="x" tests="5">
<testcase name="good" status="run"><system-out>ok</system-out></testcase>
<testcase name="bad" status="fail"><failure message=""/>
<system-out>expected 1</system-out></testcase>
<testcase name="gtest" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
<system-out>[ RUN ] gtest
x_test.cpp:5: Skipped
no device
[  SKIPPED ] gtest</system-out></testcase>
<testcase name="lost" status="notrun"><skipped message="Unable to find executable"/></testcase>
<testcase name="off" status="disabled"><disabled message=""/></testcase>
</testsuite>"""


def self_test():
    totals, notes = count([EXAMPLE])
    expected = {"passed": 1, "failed": 2, "skipped": 2}
    if totals != expected or notes[0] != "skipped: gtest: no device":
        sys.exit(f"count_results self-test: expected {expected}, got {totals}, {notes}")
    print("count_results self-test: 5 results told apart")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    names = [name for name in sys.argv[1:] if name != "--quiet"]
    totals, notes = count([open(name, encoding="utf-8").read() for name in names])
    if "--quiet" not in sys.argv:
        print("\n".join(notes))
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**totals))
    sys.exit(1 if totals["failed"] or totals["passed"] == 0 else 0)


if __name__ == "__main__":
    main()
