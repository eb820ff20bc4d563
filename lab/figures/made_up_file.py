# SPDX-License-Identifier: MIT
"""Compressed files of any size that need no room: each block is the same one under another number,
and what is asked for is computed. Needs the package presso, and xxhash."""

import io
import random
import struct

import xxhash

import presso

_SYNC = bytes.fromhex("f75042")
_FILE_HEADER_BYTES = 32
_BLOCK_HEADER_BYTES = 48


def _with_checksum(header):
    return header + struct.pack("<I", xxhash.xxh3_64_intdigest(header) & 0xFFFFFFFF)


def _section(kind, payload, flags=0, parameter=0):
    checksum = xxhash.xxh3_64_intdigest(payload)
    header = _SYNC + kind + struct.pack("<IQQI", flags, len(payload), checksum, parameter)
    return _with_checksum(header) + payload + bytes(-len(payload) % 16)


class MadeUpFile:
    """Has len(), which is `stored_bytes` or little less, and slices, which are bytes. Attributes:
    lines, plain_bytes, blocks."""

    def __init__(self, text, stored_bytes):
        """`text`: of each block; it has a block's size and ends with a line end."""
        one = presso.compress(text, block_size=len(text), level=6)
        _, begin, size = presso.open(io.BytesIO(one)).block_place(0)
        self._block = one[begin : begin + size]
        self._front = one[:_FILE_HEADER_BYTES]
        # Index and line facts take 16 bytes of each.
        self.blocks = (stored_bytes - 256) // (size + 16)
        self.plain_bytes = self.blocks * len(text)
        self.lines = self.blocks * text.count(b"\n")
        self._blocks_end = len(self._front) + self.blocks * size
        self._tail = self._made_tail(text, size)

    def _made_tail(self, text, size):
        facts = struct.pack("<III", text.count(b"\n"), text.find(b"\n"), text.rfind(b"\n"))
        lines = _section(b"L", facts * self.blocks, parameter=1)
        about = struct.pack("<QQQ", self.blocks, self.plain_bytes, len(self._front))
        index = _section(b"I", about + struct.pack("<I", size) * self.blocks, flags=1)
        at = self._blocks_end + len(lines)
        trailer = _SYNC + b"T" + struct.pack("<IQQI", 0, at, at + len(index) + 32, 0)
        return lines + index + _with_checksum(trailer)

    def __len__(self):
        return self._blocks_end + len(self._tail)

    def __getitem__(self, places):
        begin, end, _ = places.indices(len(self))
        made = [self._front[begin:end]]
        size = len(self._block)
        first = max(0, begin - len(self._front)) // size
        for number in range(first, self.blocks):
            at = len(self._front) + number * size
            if at >= end:
                break
            made.append(self._numbered(number)[max(0, begin - at) : end - at])
        if end > self._blocks_end:
            made.append(self._tail[max(0, begin - self._blocks_end) : end - self._blocks_end])
        return b"".join(made)

    def _numbered(self, number):
        header = bytearray(self._block[: _BLOCK_HEADER_BYTES - 4])
        struct.pack_into("<I", header, 4, number)
        return _with_checksum(bytes(header)) + self._block[_BLOCK_HEADER_BYTES:]


def lines_of_a_block(block_bytes, seed=1):
    """A text of a log that has exactly this size."""
    rng = random.Random(seed)
    lines = []
    left = block_bytes
    while left > 0:
        line = b"2026-11-%02d host%d id=%d status=%d %s\n" % (
            rng.randrange(1, 29),
            rng.randrange(50),
            rng.randrange(10**9),
            rng.choice([200, 200, 404, 500]),
            rng.randbytes(12).hex().encode(),
        )
        line = line if left - len(line) > 200 else b"x" * (left - 1) + b"\n"
        lines.append(line)
        left -= len(line)
    return b"".join(lines)
