# SPDX-License-Identifier: MIT
"""Reads files that are far away in few large requests, of which several are under way at a time.

A request to a server takes as long as one or two megabytes, so reads are widened: to pieces that
grow while a file is read in order, to the index when its end is read, and to what a partition has
said that it will read. What was read is kept, at most 256 MiB for all files together. Requests that
fail raise in the read that needs them. Tested by python/tests/test_servers.py.
"""

from __future__ import annotations

import collections
import concurrent.futures
import errno
import itertools
import os
import threading
import weakref
from collections.abc import Iterable
from typing import Any

from presso import _native

#: The first request asks for this much: small files are complete then, and it tells the size.
BEGIN_BYTES = 64 << 10
#: No file is larger.
MOST_BYTES = (1 << 63) - 1
# The bytes of a request where it is not known what will be read next, and of the largest request.
# Starting a request takes as long as reading a megabyte or two.
_PIECE_BYTES = 2 << 20
_MOST_PIECE_BYTES = 8 << 20
# How many requests of a plan are under way or not used yet.
_AHEAD = 8
# How many requests of a file are under way; others wait for one that ends.
_MOST_REQUESTS = 16
# The most bytes that are kept of all files together, not counting requests under way.
_MOST_KEPT_BYTES = 256 << 20
# A larger read is made in several steps, since all that a step has asked for must be kept.
_MOST_READ_BYTES = 128 << 20
# The most of a file's end that is fetched because its trailer says that it is the index. That is
# about 60 bytes for each block with line facts: 100 GB in blocks of 256 KiB have 24 MB. The rest of
# a larger index is fetched when it is read.
_MOST_INDEX_BYTES = 64 << 20


class FarFile:
    """Reads ranges of a file through a source: an object with `size`, `begun`, which is what of the
    file's begin is there already, and fetch(begin, end), which any thread may call. What was read
    last is kept. Used by any thread."""

    def __init__(self, source: Any):
        self.source = source
        self._size: int = source.size
        self._piece_bytes = _PIECE_BYTES
        self._sequence_end = -1
        self._forget()
        if source.begun:
            begin = _Extent(0, len(source.begun))
            begin.future.set_result(source.begun)
            self._keep(begin)
            _kept.add(begin)
        _files.add(self)

    def plan(self, ranges: Iterable[tuple[int, int]]) -> None:
        """Announces what will be read, in this order. Fetching begins with the first read."""
        with self._lock:
            for begin, end in ranges:
                steps = range(begin, end, _MOST_PIECE_BYTES)
                self._planned += [(at, min(end, at + _MOST_PIECE_BYTES)) for at in steps]

    def read(self, begin: int, end: int) -> bytes | memoryview:
        """The bytes from `begin` to `end`, which must lie within the file. Waits for them. Raises
        the error of their request."""
        steps = [
            self._read(at, min(end, at + _MOST_READ_BYTES))
            for at in range(begin, end, _MOST_READ_BYTES)
        ]
        return steps[0] if len(steps) == 1 else b"".join(steps)

    def _read(self, begin, end):
        with self._lock:
            found = self._found(begin, end)
        pieces = []
        for at, future in found:
            pieces.append(memoryview(future.result())[max(begin - at, 0) : end - at])
        if not self._has_seen_end and end == self._size:
            self._look_at_end(*found[-1])
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _forget(self):
        """Begins anew, as in a forked process, which has none of the threads that fetch."""
        self._lock = threading.Lock()
        self._requests = _Requests(self.source.fetch)
        self._extents: list[_Extent] = []
        self._planned: collections.deque[tuple[int, int]] = collections.deque()
        self._ahead = 0
        self._has_seen_end = False

    def _found(self, begin, end):
        """The extents that have the range, in order, as pairs of begin and future. Starts to fetch
        what is missing."""
        found = []
        while self._planned and self._ahead < _AHEAD:
            self._ahead += 1
            self._start_planned()
        while begin < end:
            extent = self._extent_at(begin)
            if extent is None:
                self._fetch_around(begin, end)
                extent = self._extent_at(begin, may_have_failed=True)
            future = extent and extent.future
            if future is None:
                continue
            if extent.is_planned:
                extent.is_planned = False
                self._start_planned()
            extent.used = next(_uses)
            found.append((extent.begin, future))
            begin = extent.end
        return found

    def _extent_at(self, at, may_have_failed=False):
        """The newest extent that has the byte at `at`, or None."""
        for extent in reversed(self._extents):
            if extent.begin <= at < extent.end and (may_have_failed or not extent.has_failed()):
                return extent
        return None

    def _fetch_around(self, begin, end):
        """Fetches what is missing of the range, and what is likely to be asked for next."""
        size = self._size
        if begin == 0 or size - begin <= _LEAST_TAIL_BYTES:
            # A reader of the beginning or the end is opening the file and needs both.
            self._fetch(0, min(BEGIN_BYTES, size))
            tail = _native.tail_bytes(self.source.begun, size)
            self._fetch(size - min(size, max(tail, _LEAST_TAIL_BYTES)), size)
        if self._extent_at(begin) is not None:
            return
        self._piece_bytes *= 2 if begin == self._sequence_end else 0
        self._piece_bytes = min(max(self._piece_bytes, _PIECE_BYTES), _MOST_PIECE_BYTES)
        self._sequence_end = min(size, begin + max(self._piece_bytes, end - begin))
        for at in range(begin, self._sequence_end, _MOST_PIECE_BYTES):
            self._fetch(at, min(self._sequence_end, at + _MOST_PIECE_BYTES))

    def _fetch(self, begin, end, is_planned=False):
        """Starts requests for those parts of the range that are neither there nor under way."""
        while begin < end:
            extent = self._extent_at(begin)
            if extent is None:
                later = [one.begin for one in self._extents if begin < one.begin < end]
                extent = _Extent(begin, min([end, *later]))
                extent.is_planned = is_planned
                self._requests.add(extent)
                self._keep(extent)
            begin = extent.end

    def _start_planned(self):
        """Starts the next request of the plan, if there is one."""
        if self._planned:
            self._fetch(*self._planned.popleft(), is_planned=True)

    def _keep(self, extent):
        """Adds the extent. Those that were dropped, or have failed at its place, are removed."""
        kept = [one for one in self._extents if one.future is not None]
        self._extents = [one for one in kept if one.begin != extent.begin or not one.has_failed()]
        self._extents.append(extent)

    def _look_at_end(self, at, tail):
        """Fetches what belongs to the file's index and is not there."""
        with self._lock:
            self._has_seen_end = True
            index = _native.index_offset(tail.result()[-_TRAILER_BYTES:], self._size)
            if index >= at:
                return
            # The line facts in front of it have three times as many bytes.
            begin = max(0, index - 3 * (self._size - index), self._size - _MOST_INDEX_BYTES)
            for piece in range(begin, at, _MOST_PIECE_BYTES):
                self._fetch(piece, min(at, piece + _MOST_PIECE_BYTES))


_TRAILER_BYTES = 32
_LEAST_TAIL_BYTES = 256 << 10
_uses = itertools.count()
_files: weakref.WeakSet[FarFile] = weakref.WeakSet()


class _Extent:
    """A range of a file's bytes, which has been read or is being fetched."""

    def __init__(self, begin, end):
        self.begin = begin
        self.end = end
        self.used = next(_uses)
        self.is_planned = False
        # None: the bytes were dropped.
        self.future: concurrent.futures.Future[bytes] | None = concurrent.futures.Future()

    def has_failed(self):
        """Whether the request has failed or the bytes were dropped, so that they must be fetched
        again."""
        future = self.future
        return future is None or (future.done() and future.exception() is not None)


class _Requests:
    """Fetches extents of a file, some at a time, in the order in which they were asked for."""

    def __init__(self, fetch):
        self._fetch = fetch
        self._lock = threading.Lock()
        # References are weak: an extent that nobody has any more is not fetched.
        self._waiting: collections.deque[weakref.ref[_Extent]] = collections.deque()
        self._threads = 0

    def add(self, extent):
        """Queues the extent to be fetched. Raises RuntimeError if no thread can be started and none
        is running that would fetch it."""
        with self._lock:
            self._waiting.append(weakref.ref(extent))
            if self._threads == _MOST_REQUESTS:
                return
            self._threads += 1
        try:
            # A thread of its own, which no Ctrl-C ends: others may wait for the same bytes.
            threading.Thread(target=self._run, daemon=True).start()
        except RuntimeError:
            with self._lock:
                self._threads -= 1
                is_alone = self._threads == 0
            if is_alone:
                raise

    def _run(self):
        """The thread: fetches until nothing is waiting."""
        while (extent := self._next()) is not None:
            self._get(extent, extent.future)

    def _next(self):
        """The next extent that is still wanted; None ends the thread."""
        with self._lock:
            while self._waiting:
                extent = self._waiting.popleft()()
                if extent is not None:
                    return extent
            self._threads -= 1
            return None

    def _get(self, extent, future):
        """Fetches one extent and sets its future, to an exception if that fails."""
        try:
            read = self._fetch(extent.begin, extent.end)
            if len(read) != extent.end - extent.begin:
                where = f"bytes {extent.begin}-{extent.end - 1}"
                raise OSError(errno.EIO, f"{where}: a read gave {len(read)} bytes")
        except BaseException as error:
            future.set_exception(error)
            return
        future.set_result(read)
        _kept.add(extent)


class _Kept:
    """Limits the bytes that are kept of all files together. The extents that were used longest ago
    are dropped; those under way are not counted."""

    def __init__(self):
        self.forget()

    def forget(self):
        self._lock = threading.Lock()
        self._extents: weakref.WeakSet[_Extent] = weakref.WeakSet()
        self._added_bytes = 0

    def add(self, extent):
        with self._lock:
            self._extents.add(extent)
            self._added_bytes += extent.end - extent.begin
            if self._added_bytes * 4 < _MOST_KEPT_BYTES:
                return
            self._added_bytes = 0
            self._drop_oldest()

    def _drop_oldest(self):
        extents = sorted(self._extents, key=lambda extent: extent.used, reverse=True)
        kept_bytes = 0
        for extent in extents:
            kept_bytes += extent.end - extent.begin
            if kept_bytes > _MOST_KEPT_BYTES:
                extent.future = None
                self._extents.discard(extent)


_kept = _Kept()


def _forget_all():
    # Threads that fetch, or have a lock, are not in this process.
    _kept.forget()
    for file in list(_files):
        file._forget()


os.register_at_fork(after_in_child=_forget_all)
