# SPDX-License-Identifier: MIT
"""Checks of arguments, before the library gets them."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from presso.errors import ArgumentError

MOST = (1 << 64) - 1
MOST_THREADS = 1 << 16
MOST_OF_32_BITS = (1 << 32) - 1


def whole(name: str, value: Any, most: int = MOST, least: int = 0) -> int:
    """A whole number from `least` to `most`."""
    try:
        number = operator.index(value)
    except TypeError:
        raise ArgumentError(f"{name}={value!r}: not a whole number") from None
    if not least <= number <= most:
        raise ArgumentError(f"{name}={value!r}: not from {least} to {most}")
    return number


def text(name: str, value: Any) -> str:
    """A str that has a form in UTF-8."""
    try:
        str.encode(value)
    except (TypeError, UnicodeEncodeError):
        raise ArgumentError(f"{name}={value!r}: not a text") from None
    return value


def several(name: str, values: Any) -> list[Any]:
    """A list of what is iterated over, which is no text."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise ArgumentError(f"{name}={values!r}: not a list")
    return list(values)


def one_of(name: str, value: Any, known: tuple[str, ...]) -> Any:
    """One of these."""
    if value not in known:
        raise ArgumentError(f"{name}={value!r}: one of {', '.join(map(repr, known))}")
    return value
