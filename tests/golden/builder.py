# SPDX-License-Identifier: MIT
"""Builds presso files by hand: every function writes one structure of format/FORMAT.md.

Any field can be set to a wrong value by its name; checksums of headers are computed last, so that
a wrong field is found as such and not as a damaged header. Sequences are given, not searched for.
"""

import struct
from dataclasses import dataclass
from typing import Optional

from xxh3 import xxh3_64

MAGIC = bytes.fromhex("89505245 53534F0A")
SYNC = bytes.fromhex("F75042")
BLOCK_BYTES = 16384

RAW, BYTE, BIT = 0, 1, 3
NO_RULE, STRICT, LITERAL_AWARE, TWO_WAVE, TILE = range(5)


def u16(value):
    return struct.pack("<H", value)


def u24(value):
    return value.to_bytes(3, "little")


def u32(value):
    return struct.pack("<I", value)


def u64(value):
    return struct.pack("<Q", value)


def pad(data):
    return data + bytes(-len(data) % 16)


def sealed(header):
    """A header followed by its checksum."""
    return header + u32(xxh3_64(header) & 0xFFFFFFFF)


def content_checksum(plain):
    parts = (plain[at : at + 1024] for at in range(0, len(plain), 1024))
    return xxh3_64(b"".join(u64(xxh3_64(part)) for part in parts))


# --- headers --------------------------------------------------------------------------------------


def file_header(block_bytes=BLOCK_BYTES, version=1, magic=MAGIC, content=0, reserved=0):
    fields = u16(version) + u16(content) + u32(block_bytes) + u32(reserved) + bytes(8)
    return sealed(magic + fields)


def section(kind, payload, mandatory=False, parameter=0, flags=None, size=None, checksum=None):
    """`size` and `checksum`: what the header claims, where that is not the truth."""
    flags = int(mandatory) if flags is None else flags
    size = len(payload) if size is None else size
    checksum = xxh3_64(payload) if checksum is None else checksum
    header = SYNC + kind + u32(flags) + u64(size) + u64(checksum) + u32(parameter)
    return sealed(header) + pad(payload)


FILTER_OVERLAP = 32


def filter_cell(gram):
    """FORMAT.md 7.4."""
    h = int.from_bytes(gram.lower(), "little") * 0x9E3779B97F4A7C15 % 2**64
    h = (h ^ h >> 32) * 0xD6E8FEB86659FD93 % 2**64
    return h >> 46


def line_facts(plain):
    flags = int(b"\0" in plain) | int(plain.startswith(b"\xef\xbb\xbf")) << 1
    first, last = max(plain.find(b"\n"), 0), max(plain.rfind(b"\n"), 0)
    return u32(plain.count(b"\n") | flags << 24) + u32(first) + u32(last)


def lines_payload(plain, block_bytes):
    """FORMAT.md 7.3."""
    starts = range(0, len(plain), block_bytes)
    return b"".join(line_facts(plain[at : at + block_bytes]) for at in starts)


def filter_payload(plain, block_bytes, n, rows):
    """One group, all cells kept, none common."""
    starts = range(0, len(plain), block_bytes)
    bits = 0
    for block, start in enumerate(starts):
        end = min(start + block_bytes, len(plain)) + FILTER_OVERLAP
        for at in range(start, min(end, len(plain) - n + 1)):
            gram = plain[at : at + n]
            if b"\n" not in gram:
                bits |= 1 << ((filter_cell(gram) * rows >> 18) * len(starts) + block)
    group = bytes([n, 255, 0, 0]) + u32(rows) + u32(0) + u32(0)
    group += bits.to_bytes((rows * len(starts) + 7) // 8, "little")
    return u64(len(starts)) + u32(len(starts)) + u32(FILTER_OVERLAP) + group


def metadata(entries):
    return b"".join(u16(len(key)) + u32(len(value)) + key + value for key, value in entries)


def index(plain_bytes, first_block, stored_bytes, block_count=None):
    count = len(stored_bytes) if block_count is None else block_count
    sizes = b"".join(u32(size) for size in stored_bytes)
    return section(b"I", u64(count) + u64(plain_bytes) + u64(first_block) + sizes, mandatory=True)


def trailer(index_offset, file_bytes, reserved=0):
    return sealed(SYNC + b"T" + u32(reserved) + u64(index_offset) + u64(file_bytes) + u32(0))


# --- blocks ---------------------------------------------------------------------------------------


@dataclass
class Layout:
    literal_bits: int = 4
    far: bool = False
    min_match: int = 4

    @property
    def literal_limit(self):
        return (1 << self.literal_bits) - 1

    @property
    def match_limit(self):
        return (1 << (8 - self.literal_bits - int(self.far))) - 1

    def packed(self):
        return self.literal_bits | int(self.far) << 3 | self.min_match << 4


@dataclass
class Seq:
    """Literals, then a match; match 0 and distance 0: none. `far_mark`: also where not needed."""

    literals: bytes = b""
    match: int = 0
    distance: int = 0
    far_mark: Optional[bool] = None


class Streams:
    """The seven streams of a Byte payload; a test may change any of them before `payload()`."""

    NAMES = (
        "offsets", "tokens", "far", "literal_escapes", "match_escapes", "long_lengths", "literals",
    )  # fmt: skip

    def __init__(self, sequences=(), tail=b"", layout=None):
        self.layout = layout or Layout()
        for name in self.NAMES:
            setattr(self, name, b"")
        for sequence in sequences:
            self.add(sequence)
        self.literals += tail

    def add(self, sequence):
        layout = self.layout
        count = len(sequence.literals)
        token, self.literal_escapes = self.code(count, layout.literal_limit, self.literal_escapes)
        if sequence.match > 0:
            code, self.match_escapes = self.code(
                sequence.match - layout.min_match, layout.match_limit, self.match_escapes
            )
            token |= code << layout.literal_bits
        far = sequence.distance >= 1 << 16 if sequence.far_mark is None else sequence.far_mark
        if far:
            token |= 0x80
            self.far += bytes([sequence.distance >> 16])
        self.tokens += bytes([token])
        self.offsets += u16(sequence.distance & 0xFFFF)
        self.literals += sequence.literals

    def code(self, value, limit, escapes):
        if value < limit:
            return value, escapes
        rest = value - limit
        if rest >= 255:
            self.long_lengths += u16(rest - 255)
        return limit, escapes + bytes([min(rest, 255)])

    def payload(self):
        return b"".join(getattr(self, name) for name in self.NAMES)


def execute(sequences, tail=b"", dictionary=b""):
    """What sequences mean, byte by byte."""
    out = bytearray(dictionary)
    for sequence in sequences:
        out += sequence.literals
        for _ in range(sequence.match):
            out.append(out[-sequence.distance])
    return bytes(out[len(dictionary) :]) + tail


def block_header(
    plain_bytes,
    payload_bytes,
    checksum,
    kind=b"B",
    number=0,
    coding=RAW,
    layout=0,
    sequences=0,
    rule_and_group=0,
    literals=0,
    dictionary_id=0,
    far_offsets=0,
    literal_escapes=0,
    match_escapes=0,
    reserved=0,
):
    return sealed(
        SYNC
        + kind
        + u32(number)
        + u24(plain_bytes)
        + bytes([coding])
        + u24(payload_bytes)
        + bytes([layout])
        + u24(sequences)
        + bytes([rule_and_group])
        + u24(literals)
        + bytes([dictionary_id])
        + u24(far_offsets)
        + bytes([reserved])
        + u24(literal_escapes)
        + bytes([0])
        + u24(match_escapes)
        + bytes([0])
        + u64(checksum)
    )


def raw_block(plain, number=0, **fields):
    values = dict(plain_bytes=len(plain), payload_bytes=len(plain), number=number)
    values["checksum"] = content_checksum(plain)
    values.update(fields)
    return pad(block_header(**values) + plain)


def byte_block(streams, plain, number=0, rule=NO_RULE, group_log2=5, **fields):
    """A block of `streams` that claims to hold `plain`; `fields` override header fields."""
    payload = streams.payload()
    values = dict(
        plain_bytes=len(plain),
        payload_bytes=len(payload),
        checksum=content_checksum(plain),
        number=number,
        coding=BYTE,
        layout=streams.layout.packed(),
        sequences=len(streams.tokens),
        rule_and_group=rule | group_log2 << 4,
        literals=len(streams.literals),
        far_offsets=len(streams.far),
        literal_escapes=len(streams.literal_escapes),
        match_escapes=len(streams.match_escapes),
    )
    values.update(fields)
    return pad(block_header(**values) + payload)


def coded_block(sequences, tail=b"", layout=None, dictionary=b"", **fields):
    """A sound Byte block: streams and plain content both follow from the sequences."""
    streams = Streams(sequences, tail, layout)
    return byte_block(streams, execute(sequences, tail, dictionary), **fields)


# --- Bit blocks -----------------------------------------------------------------------------------

ALPHABETS = (256, 128, 160, 160, 92)
LIST_RUNS = {13: (3, 2), 14: (3, 3), 15: (11, 7)}  # symbol -> shortest run, extra bits


class BitWriter:
    def __init__(self):
        self.value = 0
        self.size = 0

    def put(self, value, count):
        self.value |= value << self.size
        self.size += count

    def bytes(self):
        return self.value.to_bytes((self.size + 7) // 8, "little")


def even_lengths(used, symbols):
    """Lengths of a complete code whose words differ by one bit at most."""
    lengths = [0] * symbols
    bits = max(len(used).bit_length() - 1, 0)
    short = (2 << bits) - len(used)
    for at, symbol in enumerate(sorted(used)):
        lengths[symbol] = bits if at < short else bits + 1
    if len(used) == 1:
        lengths[next(iter(used))] = 1
    return lengths


def code_words(lengths):
    """Symbol -> (bits as written, how many)."""
    used = sorted((length, symbol) for symbol, length in enumerate(lengths) if length)
    if len(used) == 1:
        return {used[0][1]: (0, 0)}
    words = {}
    word = before = 0
    for length, symbol in used:
        word <<= length - before
        words[symbol] = (int(f"{word:0{length}b}"[::-1], 2), length)
        word += 1
        before = length
    return words


def value_class(value, mantissa):
    """Class, extra bits, how many."""
    if value < 2 << mantissa:
        return value, 0, 0
    extra = value.bit_length() - 1 - mantissa
    return (extra << mantissa) + (value >> extra), value & ((1 << extra) - 1), extra


def list_items(lengths):
    """The list of lengths as symbols with the values of their extra bits, runs where there are."""
    items = []
    at = 0
    while at < len(lengths):
        length = lengths[at]
        run = 1
        while at + run < len(lengths) and lengths[at + run] == length:
            run += 1
        at += run
        if length:
            items.append((length, 0))
            run -= 1
        for symbol in (13,) if length else (15, 14):
            least, bits = LIST_RUNS[symbol]
            while run >= least:
                taken = min(run, least + (1 << bits) - 1)
                items.append((symbol, taken - least))
                run -= taken
        items += [(length, 0)] * run
    return items


FIRST_MATCH_LENGTH = 256 + 128 + 160  # in the list


def written(row):
    """What a lane has of a sequence's three values: alphabet, symbol, extra bits, how many."""
    literals, match, offset = row
    symbols = [(1, (offset == 1) << 6 | min(literals, 3) << 4 | min(match, 15), 0, 0)]
    if literals >= 3:
        symbols.append((2, *value_class(literals - 3, 3)))
    if match >= 15:
        symbols.append((3, *value_class(match - 15, 3)))
    if offset != 1:
        symbols.append((4, *value_class(offset, 2)))
    return symbols


def used_symbols(values):
    """Of every alphabet but the literals'."""
    used = [set() for _ in ALPHABETS[1:]]
    for row in values:
        for alphabet, symbol, _, _ in written(row):
            used[alphabet - 1].add(symbol)
    return used


class BitStreams:
    """A Bit payload in parts; a test may change any of them before `payload()`."""

    def __init__(
        self, sequences=(), tail=b"", min_match=4, lanes_log2=0, lengths=None, joint=False
    ):
        self.min_match = min_match
        self.lanes_log2 = lanes_log2  # sub-blocks: the sequences of one
        self.joint = joint  # sub-blocks
        self.literals = b"".join(sequence.literals for sequence in sequences) + tail
        self.values = self.values_of(sequences)
        used = [set(self.literals), *used_symbols(self.values)]
        self.lengths = lengths or [
            even_lengths(symbols, size) for symbols, size in zip(used, ALPHABETS)
        ]
        if joint and not lengths:
            matches = {value_class(match, 3)[0] for _, match, _ in self.values}
            offsets = {value_class(offset, 2)[0] for _, _, offset in self.values}
            both = used[0] | {FIRST_MATCH_LENGTH + symbol for symbol in matches}
            both = even_lengths(both, FIRST_MATCH_LENGTH + 160)
            zeros = [0] * 128, [0] * 160
            self.lengths = [both[:256], *zeros, both[FIRST_MATCH_LENGTH:]]
            self.lengths.append(even_lengths(offsets, 92))
        self.list_lengths = None  # of the list's code: even, if not set
        self.list_items = None  # else they follow from `lengths`
        self.sizes = None  # of the lanes, likewise
        self.size_bits = None
        self.least_bits = None
        self.after_head = b""
        self.after_lanes = b""

    def values_of(self, sequences):
        rows = []
        run = -(-len(sequences) >> self.lanes_log2)
        if self.joint:
            run = 1 << self.lanes_log2
        for number, sequence in enumerate(sequences):
            if number % run == 0:
                last = [1, 2, 4]
            offset = 0
            if sequence.distance:
                repeats = sequence.distance in last
                offset = last.index(sequence.distance) + 1 if repeats else sequence.distance + 3
                if repeats:
                    last.remove(sequence.distance)
                last = [sequence.distance, *last][:3]
            match = sequence.match - self.min_match if sequence.match else 0
            rows.append((len(sequence.literals), match, offset))
        return rows

    def sub_blocks(self):
        """The bits of every sub-block; sets their numbers of literals."""
        joint, offsets = code_words(sum(self.lengths[:4], [])), code_words(self.lengths[4])
        each = 1 << self.lanes_log2
        writers = []
        self.counts = []
        literal = 0
        for first in range(0, max(len(self.values), 1), each):
            writer = BitWriter()
            begin = literal
            for literals, match, offset in self.values[first : first + each]:
                for byte in self.literals[literal : literal + literals]:
                    writer.put(*joint[byte])
                literal += literals
                symbol, extra, bits = value_class(match, 3)
                writer.put(*joint[FIRST_MATCH_LENGTH + symbol])
                writer.put(extra, bits)
                symbol, extra, bits = value_class(offset, 2)
                writer.put(*offsets[symbol])
                writer.put(extra, bits)
            if first + each >= len(self.values):
                for byte in self.literals[literal:]:
                    writer.put(*joint[byte])
                literal = len(self.literals)
            writers.append(writer)
            self.counts.append(literal - begin)
        return writers

    def lanes(self):
        """The bits of every lane."""
        if self.joint:
            return self.sub_blocks()
        words = [code_words(lengths) for lengths in self.lengths]
        count = 1 << self.lanes_log2
        run = -(-len(self.values) // count)
        lanes = []
        for lane in range(count):
            writer = BitWriter()
            for row in self.values[lane * run : (lane + 1) * run]:
                for alphabet, symbol, extra, bits in written(row):
                    writer.put(*words[alphabet][symbol])
                    writer.put(extra, bits)
            for four in range(4 * lane, len(self.literals), 4 * count):
                for literal in self.literals[four : four + 4]:
                    writer.put(*words[0][literal])
            lanes.append(writer)
        return lanes

    def put_list(self, writer):
        items = self.list_items
        if items is None:
            items = list_items(sum(self.lengths, []))
        lengths = self.list_lengths or even_lengths({symbol for symbol, _ in items}, 16)
        words = code_words(lengths)
        for length in lengths:
            writer.put(length, 3)
        for symbol, extra in items:
            writer.put(*words[symbol])
            writer.put(extra, LIST_RUNS.get(symbol, (0, 0))[1])

    def payload(self):
        lanes = self.lanes()
        sizes = self.sizes or [lane.size for lane in lanes]
        if self.least_bits is None:
            self.least_bits = min(sizes)
        if self.size_bits is None:
            self.size_bits = (max(sizes) - self.least_bits).bit_length()
        head = BitWriter()
        counts = self.counts if self.joint else [0] * len(sizes)
        self.count_bits = max(counts).bit_length()
        for size, count in zip(sizes, counts):
            head.put(size - self.least_bits, self.size_bits)
            head.put(count, self.count_bits)
        self.put_list(head)
        self.head = head.bytes() + self.after_head
        streams = BitWriter()
        for lane in lanes:
            streams.put(lane.value, lane.size)
        return self.head + streams.bytes() + self.after_lanes

    def limits(self):
        """Of literals, commands, and all others."""
        longest = [max(lengths) for lengths in self.lengths]
        if self.joint:
            return max(1, *longest[:4]), 0, max(longest[4], 1)
        return max(longest[0], 1), max(longest[1], 1), max(1, *longest[2:])


def bit_header(
    plain_bytes,
    payload_bytes,
    checksum,
    kind=b"B",
    number=0,
    coding=BIT,
    layout=0,
    min_match=4,
    sequences=0,
    rule_and_group=0,
    literals=0,
    dictionary_id=0,
    head_bytes=0,
    literal_limit=10,
    command_limit=10,
    sequence_limit=9,
    least_bits=0,
    size_bits=0,
    lanes_log2=0,
    count_bits=0,
    reserved_bits=0,
    reserved=0,
):
    return sealed(
        SYNC
        + kind
        + u32(number)
        + u24(plain_bytes)
        + bytes([coding])
        + u24(payload_bytes)
        + bytes([layout | min_match << 4])
        + u24(sequences)
        + bytes([rule_and_group])
        + u24(literals)
        + bytes([dictionary_id])
        + u24(head_bytes)
        + bytes([literal_limit | sequence_limit << 4])
        + u24(least_bits)
        + bytes([size_bits | reserved_bits << 5])
        + u24(count_bits | command_limit << 5 | reserved)
        + bytes([lanes_log2])
        + u64(checksum)
    )


def bit_block(streams, plain, number=0, rule=NO_RULE, group_log2=5, **fields):
    """A block of `streams` that claims to hold `plain`; `fields` override header fields."""
    payload = streams.payload()
    literal_limit, command_limit, sequence_limit = streams.limits()
    values = dict(
        plain_bytes=len(plain),
        payload_bytes=len(payload),
        checksum=content_checksum(plain),
        number=number,
        min_match=streams.min_match,
        sequences=len(streams.values),
        rule_and_group=rule | group_log2 << 4,
        literals=len(streams.literals),
        head_bytes=len(streams.head),
        literal_limit=literal_limit,
        command_limit=command_limit,
        sequence_limit=sequence_limit,
        least_bits=streams.least_bits,
        size_bits=streams.size_bits,
        lanes_log2=streams.lanes_log2,
        layout=int(streams.joint),
        count_bits=streams.count_bits,
    )
    values.update(fields)
    return pad(bit_header(**values) + payload)


def bit_coded_block(
    sequences, tail=b"", dictionary=b"", min_match=4, lanes_log2=0, joint=False, **fields
):
    """A sound Bit block."""
    streams = BitStreams(sequences, tail, min_match, lanes_log2, joint=joint)
    return bit_block(streams, execute(sequences, tail, dictionary), **fields)


# --- files ----------------------------------------------------------------------------------------


class File:
    """Frames in order; index and trailer follow from them."""

    def __init__(self, **header_fields):
        self.data = file_header(**header_fields)
        self.stored_bytes = []
        self.plain_bytes = 0
        self.first_block = None

    def add(self, frame):
        """Anything but a block."""
        self.data += frame
        return self

    def add_block(self, block):
        if self.first_block is None:
            self.first_block = len(self.data)
        self.data += block
        self.stored_bytes.append(len(block))
        self.plain_bytes += int.from_bytes(block[8:11], "little")
        return self

    def index(self, **fields):
        values = dict(
            plain_bytes=self.plain_bytes,
            first_block=len(self.data) if self.first_block is None else self.first_block,
            stored_bytes=self.stored_bytes,
        )
        values.update(fields)
        return index(**values)

    def finish(self, index_frame=None, **trailer_fields):
        index_offset = len(self.data)
        self.data += self.index() if index_frame is None else index_frame
        values = dict(index_offset=index_offset, file_bytes=len(self.data) + 32)
        values.update(trailer_fields)
        self.data += trailer(**values)
        return self.data
