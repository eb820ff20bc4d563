# SPDX-License-Identifier: MIT
"""The times that since= and until= of presso.scan() mean.

What Python has for times becomes a text of the command, whose code reads it
(python/src/line_rules.cpp). The result is two moments, and what clocks show at them: it means the
same in another process, at another time and in another zone. Tested by python/tests/test_times.py.
"""

from __future__ import annotations

import datetime
from typing import Any, Union

from presso import _native
from presso._arguments import text, whole
from presso.errors import ArgumentError

#: A text as the command takes it, or one of Python's times.
Time = Union[str, datetime.date, datetime.datetime, datetime.timedelta]
#: The years in which nanoseconds since 1970 are a number of 64 bits.
FIRST_YEAR, LAST_YEAR = 1678, 2261


def window(
    since: Time | None,
    until: Time | None,
    tz: str | None,
    year: int | None,
    time_format: str | None,
    time_field: str | None,
) -> tuple[Any, ...]:
    """The window of times for _native.make_scan(). All arguments are checked, those too that have
    no effect without a limit."""
    now = datetime.datetime.now(datetime.timezone.utc)
    return _native.time_window(
        since=_text_of("since", since, now),
        until=_text_of("until", until, now),
        zone="" if tz is None else text("tz", tz),
        year=None if year is None else whole("year", year, LAST_YEAR, FIRST_YEAR),
        format=None if time_format is None else text("time_format", time_format),
        field="" if time_field is None else text("time_field", time_field),
    )


def _text_of(name, value, now):
    """The time as the command takes it; an empty text if it is not given."""
    if value is None:
        return ""
    if isinstance(value, datetime.timedelta):
        return _moment(name, value, lambda: now + _not_positive(name, value))
    if isinstance(value, datetime.datetime):
        return _moment(name, value, lambda: value)
    if isinstance(value, datetime.date):
        return value.isoformat()
    if text(name, value) == "":
        raise ArgumentError(f"{name}: the time is empty")
    return value


def _not_positive(name, value):
    if not value <= datetime.timedelta(0):
        raise ArgumentError(f"{name}={value!r}: counted from now, so it would be in the future")
    return value


def _moment(name, given, make):
    """A datetime as a text, in UTC if it tells its zone."""
    try:
        moment = make()
        if FIRST_YEAR <= moment.year <= LAST_YEAR:
            if moment.utcoffset() is not None:
                moment = moment.astimezone(datetime.timezone.utc)
            return moment.isoformat(" ")
    except OverflowError:
        pass
    raise ArgumentError(f"{name}={given!r}: not from {FIRST_YEAR} to {LAST_YEAR}")
