# SPDX-License-Identifier: MIT
"""Checks arguments before the library gets them, so that a mistake is an ArgumentError that names
the argument and its value. Tested by python/tests/test_files.py."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from presso.errors import ArgumentError

MOST = (1 << 64) - 1
MOST_THREADS = 1 << 16
MOST_OF_32_BITS = (1 << 32) - 1


def whole(name: str, value: Any, most: int = MOST, least: int = 0) -> int:
    """Returns `value` as an int. Raises ArgumentError unless it is a whole number from `least` to
    `most`; anything with __index__ is taken, such as numbers of NumPy."""
    try:
        number = operator.index(value)
    except TypeError:
        raise ArgumentError(f"{name}={value!r}: not a whole number") from None
    if not least <= number <= most:
        raise ArgumentError(f"{name}={value!r}: not from {least} to {most}")
    return number


def text(name: str, value: Any) -> str:
    """Returns `value`. Raises ArgumentError unless it is a str that can be written as UTF-8, which
    excludes surrogates."""
    try:
        str.encode(value)
    except (TypeError, UnicodeEncodeError):
        raise ArgumentError(f"{name}={value!r}: not a text") from None
    return value


def several(name: str, values: Any) -> list[Any]:
    """Returns the items as a list. A text is refused: it would be taken for a list of letters."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise ArgumentError(f"{name}={values!r}: not a list")
    return list(values)


def one_of(name: str, value: Any, known: tuple[str, ...]) -> Any:
    """Returns `value`. Raises ArgumentError, with the names that are known, for any other."""
    if value not in known:
        raise ArgumentError(f"{name}={value!r}: one of {', '.join(map(repr, known))}")
    return value
