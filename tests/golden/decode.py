#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A decoder of presso files written from format/FORMAT.md alone, in plain Python.

It shares no code with the C++ decoders and exists to show that the document suffices, and to notice
when document and code part ways. One function per part of the specification, in its order; the
checks stand in the order that FORMAT.md gives, so that errors are the same as everybody's. It also
checks the dependency rule that each block records. It is slow. Tables are decoded by tables.py.

    decode.py FILE > plain
"""

import struct
import sys
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Optional

from xxh3 import xxh3_64


class Code(IntEnum):  # FORMAT.md 11
    NOT_PRESSO = 1
    UNSUPPORTED_VERSION = 2
    TRUNCATED = 3
    HEADER_CHECKSUM = 4
    BAD_HEADER = 5
    UNKNOWN_MANDATORY_SECTION = 6
    SECTION_CHECKSUM = 7
    BAD_INDEX = 8
    UNKNOWN_CODING = 9
    MISSING_DICTIONARY = 10
    BAD_METADATA = 11
    LOST_SYNC = 12
    CONTENT = 13
    BAD_PAYLOAD_SIZE = 20
    BAD_LENGTH = 21
    BAD_OFFSET = 22
    BAD_LITERALS = 23
    BAD_ESCAPES = 24
    CONTENT_CHECKSUM = 25
    DEPENDENCY_RULE = 26
    BAD_TREE = 27
    BAD_BITS = 28


class FormatError(Exception):
    def __init__(self, code, what="", offset=None):
        super().__init__(f"{code.name}: {what}")
        self.code = code
        self.offset = offset
        self.block = None


def require(condition, code, what=""):
    if not condition:
        raise FormatError(code, what)


# --- 1, 2: conventions and limits ---------------------------------------------------------------

MAGIC = bytes.fromhex("89 50 52 45 53 53 4F 0A")
SYNC = bytes.fromhex("F7 50 42")
MIN_BLOCK_BYTES = 16 << 10
MAX_BLOCK_BYTES = 4 << 20
MAX_DICTIONARY_BYTES = 4 << 20
MAX_SECTION_BYTES = 1 << 62
SECTION_LIMITS = {"M": 1 << 20, "D": (4 << 20) // 128 * 129}
MAX_DICTIONARIES = 16


def u16(data, at):
    return struct.unpack_from("<H", data, at)[0]


def u24(data, at):
    return int.from_bytes(data[at : at + 3], "little")


def u32(data, at):
    return struct.unpack_from("<I", data, at)[0]


def u64(data, at):
    return struct.unpack_from("<Q", data, at)[0]


def padded(size):
    return (size + 15) // 16 * 16


# --- 8: checksums -------------------------------------------------------------------------------


def check_header_checksum(header):
    right = u32(header, len(header) - 4) == xxh3_64(header[:-4]) & 0xFFFFFFFF
    require(right, Code.HEADER_CHECKSUM)


def content_checksum(plain):
    segments = (plain[at : at + 1024] for at in range(0, len(plain), 1024))
    return xxh3_64(b"".join(struct.pack("<Q", xxh3_64(segment)) for segment in segments))


# --- 4: file header -----------------------------------------------------------------------------

BYTES, TABLE = 0, 1


def parse_file_header(header):
    check_header_checksum(header)
    version, content = u16(header, 8), u16(header, 10)
    require(version in (1, 2, 3, 4), Code.UNSUPPORTED_VERSION, str(version))
    block_bytes = u32(header, 12)
    require(MIN_BLOCK_BYTES <= block_bytes <= MAX_BLOCK_BYTES, Code.BAD_HEADER, "block size")
    require(content <= (version == 4), Code.BAD_HEADER, "content")
    require(not any(header[16:28]), Code.BAD_HEADER, "reserved")
    return block_bytes, content


# --- 5: block header ----------------------------------------------------------------------------

RAW, BYTE, BIT = 0, 1, 3


@dataclass
class BlockHeader:
    number: int
    plain_bytes: int
    payload_bytes: int
    coding: int
    literal_bits: int
    far: bool
    min_match: int
    sequences: int
    rule: int
    group_log2: int
    literals: int
    dictionary_id: int
    far_offsets: int
    literal_escapes: int
    match_escapes: int
    checksum: int
    bit_layout: int  # from here on: 13.1
    head_bytes: int
    literal_limit: int
    command_limit: int
    sequence_limit: int
    least_bits: int
    size_bits: int
    lanes_log2: int
    count_bits: int

    @property
    def stored_bytes(self):
        return padded(48 + self.payload_bytes)

    @property
    def sub_streams(self):
        each = 1 << self.lanes_log2
        return max(1, -(-self.sequences // each)) if self.bit_layout else each

    @property
    def long_length_bytes(self):
        """What the other streams leave of the payload (6.1)."""
        others = 3 * self.sequences + self.far_offsets + self.literal_escapes
        return self.payload_bytes - others - self.match_escapes - self.literals


def parse_block_header(data):
    check_header_checksum(data)
    header = BlockHeader(
        number=u32(data, 4),
        plain_bytes=u24(data, 8),
        coding=data[11],
        payload_bytes=u24(data, 12),
        literal_bits=data[15] & 7,
        far=bool(data[15] & 8),
        min_match=data[15] >> 4,
        sequences=u24(data, 16),
        rule=data[19] & 15,
        group_log2=data[19] >> 4,
        literals=u24(data, 20),
        dictionary_id=data[23],
        far_offsets=u24(data, 24),
        literal_escapes=u24(data, 28),
        match_escapes=u24(data, 32),
        checksum=u64(data, 36),
        bit_layout=data[15] & 15,
        head_bytes=u24(data, 24),
        literal_limit=data[27] & 15,
        command_limit=u24(data, 32) >> 5 & 15,
        sequence_limit=data[27] >> 4,
        least_bits=u24(data, 28),
        size_bits=data[31] & 31,
        lanes_log2=data[35],
        count_bits=data[32] & 31,
    )
    require(1 <= header.plain_bytes <= MAX_BLOCK_BYTES, Code.BAD_HEADER, "plain size")
    require(header.payload_bytes <= header.plain_bytes, Code.BAD_HEADER, "payload size")
    require(header.coding in (RAW, BYTE, BIT), Code.UNKNOWN_CODING, str(header.coding))
    if header.coding == RAW:
        require(header.payload_bytes == header.plain_bytes, Code.BAD_HEADER, "payload size")
        require(not any(data[15:36]), Code.BAD_HEADER, "reserved")
    elif header.coding == BIT:
        check_bit_fields(header)
        require(not (data[31] >> 5 or u24(data, 32) >> 9), Code.BAD_HEADER, "reserved")
    else:
        check_byte_fields(header)
        require(not (data[27] or data[31] or data[35]), Code.BAD_HEADER, "reserved")
    return header


def check_all(allowed):
    for what, right in allowed:
        require(right, Code.BAD_HEADER, what)


def common_fields(header):
    """What both codings have."""
    least = 10 if header.rule == TILE else 5
    return (
        ("minimum match", header.min_match >= 3),
        ("dependency rule", header.rule <= TILE),
        ("group size", least <= header.group_log2 <= least + 5),
        ("literals", header.literals <= header.plain_bytes),
        ("sequences", header.sequences <= header.plain_bytes),
    )


def check_bit_fields(header):
    joint = header.bit_layout == 1
    allowed = (
        ("layout", header.bit_layout <= 1),
        *common_fields(header),
        ("sequences", header.sequences <= (header.plain_bytes + 2) // 3),
        ("literal limit", 1 <= header.literal_limit <= 12),
        ("sequence limit", 1 <= header.sequence_limit <= 9),
        ("command limit", header.command_limit == 0 if joint else 1 <= header.command_limit <= 10),
        ("bits of a size", header.size_bits <= 24),
        ("lanes", 2 <= header.lanes_log2 <= 8 if joint else header.lanes_log2 <= 10),
        ("bits of a count", header.count_bits <= (22 if joint else 0)),
        ("head", header.head_bytes <= header.payload_bytes),
    )
    check_all(allowed)
    sizes_bits = header.sub_streams * (header.size_bits + header.count_bits)
    sizes_fit = sizes_bits <= 8 * header.head_bytes
    require(sizes_fit, Code.BAD_PAYLOAD_SIZE, "head")


def check_byte_fields(header):
    allowed = (
        ("literal bits", 2 <= header.literal_bits <= 4),
        *common_fields(header),
        ("far offsets", header.far_offsets <= (header.sequences if header.far else 0)),
        ("literal escapes", header.literal_escapes <= header.sequences),
        ("match escapes", header.match_escapes <= header.sequences),
    )
    check_all(allowed)
    require(header.long_length_bytes >= 0, Code.BAD_PAYLOAD_SIZE)


# --- 6: Byte coding -----------------------------------------------------------------------------

NO_RULE, STRICT, LITERAL_AWARE, TWO_WAVE, TILE = range(5)
EARLIER, LITERAL, FIRST_WAVE, SECOND_WAVE = range(4)  # who wrote a byte of the group or tile


class Stream:
    """Values taken one by one from a part of the payload."""

    def __init__(self, data, width=1):
        self.data = data
        self.width = width
        self.at = 0

    def take(self):
        require(self.at + self.width <= len(self.data), Code.BAD_ESCAPES, "stream is used up")
        value = int.from_bytes(self.data[self.at : self.at + self.width], "little")
        self.at += self.width
        return value

    @property
    def left(self):
        return len(self.data) - self.at


class Executor:
    """Executes sequences; a coding brings them by a method `sequences()` and has `literals`."""

    def __init__(self, header, dictionary):
        self.header = header
        self.dictionary = dictionary
        self.plain = bytearray()
        self.writers = bytearray()  # of each plain byte; older groups count as EARLIER
        self.group_start = 0

    def decode(self):
        for number, sequence in enumerate(self.sequences()):
            if number % (1 << self.header.group_log2) == 0:
                self.group_start = len(self.plain)
            self.execute(*sequence)
        self.copy_literals(self.literals.left)
        require(len(self.plain) == self.header.plain_bytes, Code.BAD_LENGTH, "block too short")
        self.check_end()
        return bytes(self.plain)

    def execute(self, literals, match, distance):
        self.copy_literals(literals)
        if distance == 0:
            require(match == 0, Code.BAD_OFFSET, "a match length without a distance")
            return
        self.copy_match(match + self.header.min_match, distance)

    def room(self):
        return self.header.plain_bytes - len(self.plain)

    def copy_literals(self, count):
        require(count <= self.literals.left, Code.BAD_LITERALS)
        require(count <= self.room(), Code.BAD_LENGTH)
        at = self.literals.at
        self.plain += self.literals.data[at : at + count]
        self.literals.at += count
        self.writers += bytes([LITERAL]) * count

    def copy_match(self, length, distance):
        require(length <= self.room(), Code.BAD_LENGTH)
        source = len(self.plain) - distance
        if source < 0:
            before = -source
            inside = before <= len(self.dictionary) and length <= before
            require(inside, Code.BAD_OFFSET)
            begin = len(self.dictionary) - before
            self.plain += self.dictionary[begin : begin + length]
            self.writers += bytes([FIRST_WAVE]) * length
            return
        if self.header.rule == TILE:
            self.check_tiles(source, length, distance)
        else:
            first_wave = source + length <= self.group_start
            self.check_rule(source, length, first_wave)
            self.writers += bytes([FIRST_WAVE if first_wave else SECOND_WAVE]) * length
        pattern = self.plain[source:]  # repeated where the match overlaps itself
        repeats = length // len(pattern) + 1
        self.plain += (pattern * repeats)[:length]

    def check_tiles(self, begin, length, distance):
        """Rule 4: notes the wave of each byte."""
        tile_bytes = 1 << self.header.group_log2
        for at in range(length):
            tile = len(self.writers) // tile_bytes * tile_bytes
            source = begin + at % distance
            if source < tile:
                self.writers.append(FIRST_WAVE)
                continue
            require(self.writers[source] != SECOND_WAVE, Code.DEPENDENCY_RULE)
            self.writers.append(SECOND_WAVE)

    def check_rule(self, source, length, first_wave):
        rule = self.header.rule
        if rule == NO_RULE:
            return
        if rule == STRICT:
            require(first_wave, Code.DEPENDENCY_RULE)
        read = self.writers[max(source, self.group_start) : source + length]
        forbidden = (FIRST_WAVE, SECOND_WAVE) if rule == LITERAL_AWARE else (SECOND_WAVE,)
        require(not any(writer in forbidden for writer in read), Code.DEPENDENCY_RULE)

class ByteBlock(Executor):
    def __init__(self, header, payload, dictionary):
        super().__init__(header, dictionary)
        require(header.long_length_bytes % 2 == 0, Code.BAD_PAYLOAD_SIZE, "odd long lengths")
        at = 0

        def part(size, width=1):
            nonlocal at
            at += size
            return Stream(payload[at - size : at], width)

        self.offsets = part(2 * header.sequences, 2)
        self.tokens = part(header.sequences)
        self.far = part(header.far_offsets)
        self.literal_escapes = part(header.literal_escapes)
        self.match_escapes = part(header.match_escapes)
        self.long_lengths = part(header.long_length_bytes, 2)
        self.literals = part(header.literals)

    def check_end(self):
        for stream in (self.far, self.literal_escapes, self.match_escapes, self.long_lengths):
            require(stream.left == 0, Code.BAD_ESCAPES, "bytes are left over")

    def sequences(self):
        for _ in range(self.header.sequences):
            yield self.sequence()

    def sequence(self):
        header = self.header
        match_bits = 8 - header.literal_bits - (1 if header.far else 0)
        token = self.tokens.take()
        distance = self.offsets.take()
        if header.far and token & 0x80:
            distance += self.far.take() << 16
        literal_code = token & ((1 << header.literal_bits) - 1)
        match_code = (token >> header.literal_bits) & ((1 << match_bits) - 1)
        literals = self.length(literal_code, header.literal_bits, self.literal_escapes)
        match = self.length(match_code, match_bits, self.match_escapes)
        return literals, match, distance

    def length(self, code, bits, escapes):
        limit = (1 << bits) - 1
        if code < limit:
            return code
        escape = escapes.take()
        if escape < 255:
            return limit + escape
        return limit + 255 + self.long_lengths.take()


# --- 13: Bit coding -----------------------------------------------------------------------------

# Literals, commands, literal lengths, match lengths, offsets.
ALPHABETS = (256, 128, 160, 160, 92)


class Bits:
    """Bits taken from bytes, lowest first. Behind the end there are zeros."""

    def __init__(self, data, at=0):
        self.value = int.from_bytes(data, "little")
        self.size = 8 * len(data)
        self.at = at

    def take(self, count):
        bits = self.value >> self.at & ((1 << count) - 1)
        self.at += count
        return bits


class PrefixCode:  # 13.4
    """A code, given by the lengths of its words."""

    def __init__(self, lengths, limit):
        self.single = None
        self.words = {}
        self.empty = not any(lengths)
        used = [symbol for symbol, length in enumerate(lengths) if length]
        require(all(length <= limit for length in lengths), Code.BAD_TREE, "too long a word")
        if len(used) == 1:
            require(lengths[used[0]] == 1, Code.BAD_TREE, "length of a single symbol")
            self.single = used[0]
        elif used:
            total = sum(1 << (limit - lengths[symbol]) for symbol in used)
            require(total == 1 << limit, Code.BAD_TREE, "not complete")
        word = 0
        for length in range(1, limit + 1):
            for symbol in used:
                if lengths[symbol] == length:
                    self.words[length, word] = symbol
                    word += 1
            word <<= 1

    def take(self, bits):
        if self.single is not None:
            return self.single
        word = 0
        length = 0
        while True:
            word = word << 1 | bits.take(1)
            length += 1
            if (length, word) in self.words:
                return self.words[length, word]


def read_lengths(bits):
    code = PrefixCode([bits.take(3) for _ in range(16)], 7)
    require(not code.empty, Code.BAD_TREE, "no list")
    lengths = []
    while len(lengths) < sum(ALPHABETS):
        symbol = code.take(bits)
        if symbol <= 12:
            lengths.append(symbol)
        elif symbol == 13:
            require(lengths, Code.BAD_TREE, "nothing to repeat")
            lengths += [lengths[-1]] * (3 + bits.take(2))
        else:
            lengths += [0] * (3 + bits.take(3) if symbol == 14 else 11 + bits.take(7))
    require(len(lengths) == sum(ALPHABETS), Code.BAD_TREE, "a run beyond the list")
    return lengths


class BitBlock(Executor):
    def __init__(self, header, payload, dictionary):
        super().__init__(header, dictionary)
        self.payload = payload
        head = Bits(payload[: header.head_bytes])
        sizes, counts = [], []
        for _ in range(header.sub_streams):
            sizes.append(header.least_bits + head.take(header.size_bits))
            counts.append(head.take(header.count_bits))
        end = 8 * header.head_bytes + sum(sizes)
        fits = 0 <= 8 * len(payload) - end < 8
        require(fits, Code.BAD_PAYLOAD_SIZE, "sub-streams")
        if header.bit_layout == 1:
            require(sum(counts) == header.literals, Code.BAD_PAYLOAD_SIZE, "literals")
        self.read_codes(head)
        self.decoded = [None] * header.sequences
        self.literals = Stream(bytearray(header.literals))
        begin = 8 * header.head_bytes
        for number, size in enumerate(sizes):
            bits = Bits(payload, begin)
            if header.bit_layout == 1:
                first = sum(counts[:number])
                self.decode_sub_block(number, bits, first, first + counts[number])
            else:
                self.decode_lane(number, bits)
            begin += size
            require(bits.at == begin, Code.BAD_BITS, "end of a sub-stream")
        require(Bits(payload, end).take(8) == 0, Code.BAD_BITS, "after the last lane")

    def read_codes(self, head):
        lengths = read_lengths(head)
        rest = head.size - head.at
        right = 0 <= rest < 8 and head.take(8) == 0
        require(right, Code.BAD_TREE, "end of the head")
        self.codes = []
        header = self.header
        sizes = ALPHABETS
        if header.bit_layout == 1:
            require(not any(lengths[256 : 256 + 128 + 160]), Code.BAD_TREE, "codes of lanes")
            sizes = (sum(ALPHABETS[:4]), ALPHABETS[4])
            needed = (header.literals + header.sequences, header.sequences)
            limits = (header.literal_limit, header.sequence_limit)
        else:
            needed = [header.literals, header.sequences, False, False, False]
            for command in range(128):
                if lengths[256 + command]:
                    needed[2] |= command >> 4 & 3 == 3
                    needed[3] |= command & 15 == 15
                    needed[4] |= command >> 6 == 0
            limits = (header.literal_limit, header.command_limit, *3 * (header.sequence_limit,))
        for symbols, limit, is_needed in zip(sizes, limits, needed):
            code = PrefixCode(lengths[:symbols], limit)
            lengths = lengths[symbols:]
            require(not (code.empty and is_needed), Code.BAD_TREE, "a code without symbols")
            self.codes.append(code)

    def decode_lane(self, lane, bits):
        header = self.header
        lanes = header.sub_streams
        run = (header.sequences + lanes - 1) // lanes
        last = [1, 2, 4]
        for number in range(lane * run, min((lane + 1) * run, header.sequences)):
            command = self.codes[1].take(bits)
            literals, match, offset = command >> 4 & 3, command & 15, 1
            if literals == 3:
                literals += self.value(2, 3, bits)
            if match == 15:
                match += self.value(3, 3, bits)
            if command >> 6 == 0:
                offset = self.value(4, 2, bits)
            self.decoded[number] = literals, match, self.distance(offset, last)
        for four in range(4 * lane, header.literals, 4 * lanes):
            for number in range(four, min(four + 4, header.literals)):
                self.literals.data[number] = self.codes[0].take(bits)

    def decode_sub_block(self, number, bits, literal, literal_end):  # 13.7
        header = self.header
        each = 1 << header.lanes_log2
        last = [1, 2, 4]
        for sequence in range(number * each, min((number + 1) * each, header.sequences)):
            first = literal
            symbol = self.codes[0].take(bits)
            while symbol < 256:
                require(literal < literal_end, Code.BAD_BITS, "too many literals")
                self.literals.data[literal] = symbol
                literal += 1
                symbol = self.codes[0].take(bits)
            match = self.with_extra_bits(symbol - 256 - 128 - 160, 3, bits)
            distance = self.distance(self.value(1, 2, bits), last)
            self.decoded[sequence] = literal - first, match, distance
        if (number + 1) * each < header.sequences:
            require(literal == literal_end, Code.BAD_BITS, "too few literals")
        for at in range(literal, literal_end):
            symbol = self.codes[0].take(bits)
            require(symbol < 256, Code.BAD_BITS, "a match length after the last sequence")
            self.literals.data[at] = symbol

    def value(self, alphabet, mantissa, bits):
        return self.with_extra_bits(self.codes[alphabet].take(bits), mantissa, bits)

    def with_extra_bits(self, symbol, mantissa, bits):
        if symbol < 2 << mantissa:
            return symbol
        extra = (symbol >> mantissa) - 1
        top = (1 << mantissa) + symbol % (1 << mantissa)
        return (top << extra) + bits.take(extra)

    def distance(self, value, last):
        if value == 0:
            return 0
        distance = last.pop(value - 1) if value <= 3 else value - 3
        last.insert(0, distance)
        del last[3:]
        return distance

    def sequences(self):
        return self.decoded

    def check_end(self):
        pass


def decode_block(header, payload, dictionaries, verify=True):
    if header.coding == RAW:
        plain = bytes(payload)
    else:
        known = header.dictionary_id == 0 or header.dictionary_id in dictionaries
        require(known, Code.MISSING_DICTIONARY, str(header.dictionary_id))
        coded = BitBlock if header.coding == BIT else ByteBlock
        plain = coded(header, payload, dictionaries.get(header.dictionary_id, b"")).decode()
    require(not verify or content_checksum(plain) == header.checksum, Code.CONTENT_CHECKSUM)
    return plain


# --- 7: sections --------------------------------------------------------------------------------


@dataclass
class SectionHeader:
    kind: str
    mandatory: bool
    payload_bytes: int
    checksum: int
    parameter: int


def parse_section_header(data):
    check_header_checksum(data)
    require(u32(data, 4) <= 1, Code.BAD_HEADER, "section flags")
    header = SectionHeader(chr(data[3]), data[4] == 1, u64(data, 8), u64(data, 16), u32(data, 24))
    require(header.payload_bytes <= MAX_SECTION_BYTES, Code.BAD_HEADER, "section size")
    return header


def decode_dictionary(payload):
    plain = b""
    number = 0
    while payload:
        require(len(payload) >= 48, Code.TRUNCATED, "dictionary")
        require(payload[:3] == SYNC, Code.LOST_SYNC)
        header = parse_block_header(payload[:48])
        right = payload[3] == ord("d") and header.dictionary_id == 0 and header.number == number
        require(right, Code.BAD_HEADER, "dictionary block")
        require(header.stored_bytes <= len(payload), Code.TRUNCATED, "dictionary")
        size = len(plain) + header.plain_bytes
        require(size <= MAX_DICTIONARY_BYTES, Code.BAD_HEADER, "dictionary size")
        plain += decode_block(header, payload[48 : 48 + header.payload_bytes], {})
        payload = payload[header.stored_bytes :]
        number += 1
    return plain


def parse_metadata(payload):
    entries = []
    while payload:
        require(len(payload) >= 6, Code.BAD_METADATA, "entry is cut off")
        key_end = 6 + u16(payload, 0)
        end = key_end + u32(payload, 2)
        require(end <= len(payload), Code.BAD_METADATA, "entry is cut off")
        entries.append((payload[6:key_end].decode("utf-8", "replace"), payload[key_end:end]))
        payload = payload[end:]
    return entries


# --- 3, 9, 10.1: the file, front to back --------------------------------------------------------


@dataclass
class Member:
    """What a file has shown so far."""

    offset: int
    block_bytes: int
    plain: bytearray = field(default_factory=bytearray)
    metadata: Optional[list] = None
    dictionaries: dict = field(default_factory=dict)
    stored_bytes: list = field(default_factory=list)
    first_block: Optional[int] = None
    short_block: bool = False
    after_blocks: bool = False
    index_offset: Optional[int] = None


@dataclass
class Decoded:
    plain: bytes
    members: list
    headers: list  # of all blocks


class Decoder:
    def __init__(self, data):
        self.data = bytes(data)
        self.at = 0
        self.members = []
        self.headers = []

    def decode(self):
        while self.at < len(self.data) or not self.members:
            try:
                self.read_member_header()
                while self.read_frame():
                    pass
            except FormatError as error:
                if error.offset is None:
                    error.offset = self.at
                raise
        plain = b"".join(member.plain for member in self.members)
        return Decoded(plain, self.members, self.headers)

    def need(self, size):
        """The next `size` bytes, which must all be there."""
        if len(self.data) - self.at < size:
            raise FormatError(Code.TRUNCATED, offset=len(self.data))
        return self.data[self.at : self.at + size]

    def read_member_header(self):
        if self.data[self.at : self.at + 8] != MAGIC:
            raise FormatError(Code.LOST_SYNC if self.members else Code.NOT_PRESSO)
        block_bytes, content = parse_file_header(self.need(32))
        require(content == BYTES, Code.CONTENT, "a table")
        self.members.append(Member(self.at, block_bytes))
        self.at += 32

    def read_frame(self):
        """Reads one frame; False where it was the trailer."""
        try:
            start = self.need(4)
            require(start[:3] == SYNC, Code.LOST_SYNC)
            if start[3:] == b"B":
                self.read_block()
                return True
        except FormatError as error:
            error.block = len(self.headers)
            raise
        if start[3:] == b"T":
            self.read_trailer()
            return False
        self.read_section()
        return True

    def read_block(self):
        member = self.members[-1]
        header = parse_block_header(self.need(48))
        due = len(member.stored_bytes) % (1 << 32)
        require(header.number == due, Code.BAD_HEADER, "block number")
        fits = header.plain_bytes <= member.block_bytes and not member.short_block
        require(fits, Code.BAD_HEADER, "plain size")
        require(not member.after_blocks, Code.BAD_HEADER, "place of a block")
        stored = self.need(header.stored_bytes)
        member.plain += decode_block(
            header, stored[48 : 48 + header.payload_bytes], member.dictionaries
        )
        if member.first_block is None:
            member.first_block = self.at - member.offset
        member.stored_bytes.append(header.stored_bytes)
        member.short_block = header.plain_bytes < member.block_bytes
        self.headers.append(header)
        self.at += header.stored_bytes

    def read_section(self):
        member = self.members[-1]
        header = parse_section_header(self.need(32))
        known = header.kind in "MDI"
        if known:
            self.check_known_section(header)
        else:
            require(not header.mandatory, Code.UNKNOWN_MANDATORY_SECTION, header.kind)
        self.check_place(header)
        stored = self.need(32 + padded(header.payload_bytes))
        if known:
            payload = stored[32 : 32 + header.payload_bytes]
            require(xxh3_64(payload) == header.checksum, Code.SECTION_CHECKSUM)
            self.take_section(header, payload)
        member.after_blocks |= bool(member.stored_bytes) or header.kind == "I"
        self.at += len(stored)

    def check_known_section(self, header):
        blocks = len(self.members[-1].stored_bytes)
        if header.kind == "I":
            require(header.payload_bytes == 24 + 4 * blocks, Code.BAD_INDEX, "size")
        else:
            fits = header.payload_bytes <= SECTION_LIMITS[header.kind]
            require(fits, Code.BAD_HEADER, "section size")
        allowed = range(1, MAX_DICTIONARIES + 1) if header.kind == "D" else (0,)
        require(header.parameter in allowed, Code.BAD_HEADER, "parameter")

    def check_place(self, header):
        member = self.members[-1]
        right = member.index_offset is None
        if header.kind in "MD":
            right = right and not member.stored_bytes
        if header.kind == "M":
            right = right and member.metadata is None
        if header.kind == "D":
            right = right and header.parameter not in member.dictionaries
        require(right, Code.BAD_HEADER, "place of a section")

    def take_section(self, header, payload):
        member = self.members[-1]
        if header.kind == "M":
            member.metadata = parse_metadata(payload)
        elif header.kind == "D":
            try:
                member.dictionaries[header.parameter] = decode_dictionary(payload)
            except FormatError as error:
                error.offset = self.at
                raise
        else:
            self.check_index(payload)
            member.index_offset = self.at - member.offset

    def check_index(self, payload):
        member = self.members[-1]
        blocks = len(member.stored_bytes)
        right = u64(payload, 0) == blocks and u64(payload, 8) == len(member.plain)
        if blocks > 0:
            right = right and u64(payload, 16) == member.first_block
        stored = list(struct.unpack_from(f"<{blocks}I", payload, 24))
        require(right and stored == member.stored_bytes, Code.BAD_INDEX)

    def read_trailer(self):
        member = self.members[-1]
        data = self.need(32)
        check_header_checksum(data)
        require(u64(data, 8) <= u64(data, 16), Code.BAD_HEADER, "index offset")
        require(not any(data[4:8]) and not any(data[24:28]), Code.BAD_HEADER, "reserved")
        file_bytes = self.at + 32 - member.offset
        right = u64(data, 8) == member.index_offset and u64(data, 16) == file_bytes
        require(right, Code.BAD_INDEX, "trailer")
        self.at += 32


def decode(data):
    """Raises FormatError with code, block and offset."""
    return Decoder(data).decode()


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: decode.py FILE > plain")
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    if u16(data[:12].ljust(12, b"\0"), 10) == TABLE:
        import tables  # which needs this module

        return tables.main(sys.argv[1:])
    try:
        sys.stdout.buffer.write(decode(data).plain)
    except FormatError as error:
        sys.exit(f"{sys.argv[1]}: block {error.block}, offset {error.offset}: {error}")


if __name__ == "__main__":
    main()
