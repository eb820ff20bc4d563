# SPDX-License-Identifier: MIT
"""scan() finds what Python's re finds, in bytes, where both mean the same: patterns and texts are
made up by hypothesis.

Not asked for, as Python has it and RE2's syntax not, or otherwise:
- references to groups, look-around, atomic groups and possessive quantifiers;
- a repetition of what may match nothing, where engines differ in which match is preferred;
- empty matches but the first of a line: Python gives one right behind a match that is not empty;
- \\s and \\S where the text has a vertical tab, and \\Z;
- \\B in empty lines, where it matches, before Python 3.14 not in Python.
Lines are searched one by one, without their ends: as re.search() of a line.
"""
import io
import re

import pytest

import presso

hypothesis = pytest.importorskip("hypothesis")
strategies = hypothesis.strategies

LETTERS = [b"a", b"b", b"B", b"0", b"_", b" ", b"-", b"\\.", b"\\x00", b"\\r", b"\\xc3", b"\\xa9"]
CLASSES = [b"\\d", b"\\D", b"\\w", b"\\W", b"\\s", b"\\S", b".", b"[ab]", b"[^a]", b"[a-c0-9]",
           b"[^\\w]", b"[\\d_-]", b"[\\x80-\\xff]", b"[]a]", b"[^]a]"]
EMPTY = [b"^", b"$", b"\\b", b"\\B", b"", b"\\A"]
REPEATS = [b"*", b"+", b"?", b"{2}", b"{1,3}", b"{2,}", b"{0,1}", b"{0}"]


# A pattern, and whether it may match nothing.
def one_of(texts, may_be_empty):
    return strategies.sampled_from(texts).map(lambda text: (text, may_be_empty))


@strategies.composite
def repeated(draw, parts):
    text, may_be_empty = draw(parts.filter(lambda part: not part[1]))
    repeat = draw(strategies.sampled_from(REPEATS))
    lazy = draw(strategies.sampled_from([b"", b"?"]))
    may_be_empty = repeat in (b"*", b"?", b"{0,1}", b"{0}")
    return b"(?:" + text + b")" + repeat + lazy, may_be_empty


def grown(parts):
    several = strategies.lists(parts, min_size=1, max_size=4)
    return strategies.one_of(
        several.map(lambda of: (b"".join(text for text, _ in of), all(one for _, one in of))),
        several.map(
            lambda of: (
                b"(" + b"|".join(text for text, _ in of) + b")", any(one for _, one in of)
            )
        ),
        repeated(parts),
    )


LEAVES = strategies.one_of(one_of(LETTERS, False), one_of(CLASSES, False), one_of(EMPTY, True))
PATTERNS = strategies.recursive(LEAVES, grown, max_leaves=12).map(lambda part: part[0])
LINE = strategies.lists(
    strategies.sampled_from([b"a", b"b", b"B", b"c", b"0", b"7", b"_", b" ", b"-", b".", b"\0",
                             b"\r", b"\t", b"\xc3\xa9", b"\xff", b"aa", b"ab"]),
    max_size=12,
).map(b"".join)
LINES = strategies.lists(LINE, min_size=1, max_size=8)


def found_by_re(pattern, lines, flags):
    compiled = re.compile(pattern, flags)
    found = []
    for number, line in enumerate(lines, 1):
        spans = [match.span() for match in compiled.finditer(line)]
        if spans:
            found.append((number, spans))
    return found


def found_by_presso(pattern, lines, ignore_case, compressed):
    text = b"\n".join(lines) + b"\n"
    source = io.BytesIO(presso.compress(text) if compressed else text)
    scan = presso.scan(source, pattern, unicode=False, ignore_case=ignore_case, threads=1)
    return [(match.line_number, [*match.spans]) for match in scan]


def check(pattern, lines, ignore_case=False, compressed=False):
    if b"\\B" in pattern:
        lines = [line or b"-" for line in lines]
    expected = found_by_re(pattern, lines, re.IGNORECASE if ignore_case else 0)
    found = found_by_presso(pattern, lines, ignore_case, compressed)
    assert [number for number, _ in found] == [number for number, _ in expected]
    for (_, spans), (number, those) in zip(found, expected):
        assert spans[0] == those[0], number
        if all(begin < end for begin, end in those):
            assert spans == those, number


@hypothesis.settings(max_examples=400, derandomize=True, deadline=None, database=None)
@hypothesis.given(PATTERNS, LINES, strategies.booleans(), strategies.booleans())
def test_the_same_as_re(pattern, lines, ignore_case, compressed):
    check(pattern, lines, ignore_case, compressed)


@pytest.mark.parametrize("ignore_case", [False, True])
def test_many_patterns_and_texts_that_were_hard(ignore_case):
    """Some that hold each kind of element, so that they are tested without hypothesis' choice."""
    lines = [b"", b"a", b"ab 07_-", b"\xc3\xa9B\0\r", b"aab.-ba 0", b"\xff\xffa\tb"]
    patterns = (b"(a|ab)(c|)", b"a{2,}?b|\\b0", b"^$", b"[^\\w]+\\B", b"(?:ab|a)*?b$", b"\\x00")
    for pattern in patterns:
        check(pattern, lines, ignore_case)
