#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A decoder of tables written from format/FORMAT.md 15 to 21 alone, in plain Python: the second half
of decode.py, with the same purpose and in the same style. It decodes every column of every row group
and gives back the table's text. It is slow, about 100,000 values a second.

    tables.py FILE > text
"""

import collections
import dataclasses
import datetime
import json
import os
import re
import struct
import sys
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Optional

import decode
from decode import Code, FormatError, padded, require, u16, u24, u32, u64
from xxh3 import xxh3_64


class TableCode(IntEnum):  # FORMAT.md 11
    BAD_SCHEMA = 29
    BAD_ROW_GROUP = 30


MASK32 = (1 << 32) - 1
MASK64 = (1 << 64) - 1

# --- 2: limits ----------------------------------------------------------------------------------

MAX_SCHEMA_BYTES = 64 << 20
MAX_HEAD_BYTES = 16 << 20
MAX_COLUMNS = 65535
MAX_ORDER_KEYS = 1 << 20
KEY_OF_NULL = 1 << 16
MAX_NAME_BYTES = 65535
MAX_GROUP_ROWS = 1 << 24
MAX_GROUP_VALUES = 1 << 26
MAX_DIRECTORY_BYTES = 256 << 20
MAX_TEXT_BYTES = 1 << 32
MAX_ENTRIES = 65536
MAX_ENTRY_BYTES = 2 << 20
MAX_BLOCK_ROWS = 65536
MAX_PAYLOAD_BYTES = 4 << 20
MAX_INDEX_BYTES = 1 << 31

# --- 15.2: the schema ---------------------------------------------------------------------------

NO_TEXT, DELIMITED, JSON_LINES = range(3)
JSON_SPACES, JSON_OMITS_NULLS, JSON_ASCII, JSON_SLASHES, JSON_SPACING = 4, 8, 16, 32, 64
RAW_JSON, POINT_REAL, LAST_TEXT = 12, 13, 18
# A column's flags.
NULLABLE, NULL_TEXT, SPELLING, SPELLED, DETAILS, ZONE, NAME_IN_HEAD = 1, 4, 8, 16, 32, 64, 128
FIELDS, ARROW_TYPES, ENCODING = 2, 4, 8  # a table's flags
ENCODINGS = {1: "latin-1", 2: "cp1252", 3: "utf-16-le", 4: "utf-16-be"}
MAX_FIELDS = 1000
MAX_PATH_BYTES = 1 << 22
FIELD_PATH = re.compile(rb'(\.[A-Za-z0-9_]+|\."(?:[^"\\]|\\["\\])*"|\[\*\]|\.\*)+', re.DOTALL)
NEEDLESS_QUOTES = re.compile(rb'\."[A-Za-z0-9_]+"')
BOOL, FLOAT, DOUBLE, DATE, TIMESTAMP, DECIMAL64, DECIMAL128, UTF8, BINARY = 1, *range(10, 18)
VALUE_BYTES = (None, 0, 1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 4, 8, 8, 16, None, None)
UNSIGNED = range(6, 10)


class Reader:
    """Fields one after another."""

    def __init__(self, data, code):
        self.data = data
        self.code = code
        self.at = 0

    def bytes(self, count):
        require(count <= len(self.data) - self.at, self.code, "cut off")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, size):
        return int.from_bytes(self.bytes(size), "little")

    def varint(self):  # 15
        number = 0
        for shift in range(0, 70, 7):
            byte = self.number(1)
            right = (shift < 63 or byte <= 1) and (shift == 0 or byte > 0)
            require(right, self.code, "varint")
            number |= (byte & 127) << shift
            if byte < 128:
                return number
        raise AssertionError("a tenth byte above 1 was refused")

    def varint_of(self, most):
        number = self.varint()
        require(number <= most, self.code, "too large a number")
        return number

    def counted(self, is_there):
        """A number that is stored only where it is not 0."""
        number = self.varint() if is_there else 0
        require(not is_there or number > 0, self.code, "a number that is 0")
        return number

    def image(self):  # 15.4
        form = self.number(1)
        kind, zeros, count = form // 81, form // 9 % 9, form % 9
        require(kind <= 2 and zeros + count <= 8, self.code, "image")
        stored = bytes(zeros) + self.bytes(count)
        number = int.from_bytes(stored, "little")
        image = number if kind == 2 else (~number & MASK64 if kind == 1 else number) ^ 1 << 63
        require(image_form(image) == (kind, zeros, count), self.code, "image")
        return image

    def text(self, most):
        size = self.varint()
        require(size <= most, self.code, "too long a text")
        return self.bytes(size)


def image_form(image):
    """Kind, zero bytes and bytes of the form that an image must have."""
    flipped = image ^ 1 << 63
    forms = []
    for kind, number in enumerate((flipped, ~flipped & MASK64, image)):
        stored = number.to_bytes(8, "little")
        zeros = 8 - len(stored.lstrip(b"\0")) if number else 0
        forms.append((kind, zeros, len(stored.strip(b"\0"))))
    return min(forms, key=lambda form: form[2])


@dataclass
class Column:
    type: int
    flags: int
    scale: int
    precision: int
    unit: int
    text: int
    quoting: int
    name: bytes = b""
    zone: bytes = b""
    null: Optional[bytes] = None
    spelling: bytes = b""
    fields: dict = field(default_factory=dict)  # the type of each path
    arrow_type: Optional["ArrowType"] = None

    @property
    def is_string(self):
        return self.type in (UTF8, BINARY)

    @property
    def value_bytes(self):
        return VALUE_BYTES[self.type]

    @property
    def identity(self):
        """What tables of one file have in common."""
        return self.name, self.type, self.scale, self.unit, self.zone, self.arrow_type


@dataclass
class Schema:
    exact: bool
    kind: int
    delimiter: bytes
    quote: bytes  # b"" where there is none
    carriage_return: bool
    trailing_delimiter: bool
    null: bytes
    head: bytes
    line_flags: int
    orders: list
    spacing: tuple = ()  # of JSON: before, open, colon, between, close, after
    encoding: str = ""  # none: the text is the bytes of the table's own
    columns: list = field(default_factory=list)

    @property
    def stored_columns(self):
        """What the columns of a row group hold: those of the schema, exact lines, spellings."""
        spelled = sum(column.flags & SPELLED != 0 for column in self.columns)
        return self.columns + ([EXACT] + [SPELLINGS] * spelled if self.exact else [])


EXACT = None
SPELLINGS = Column(UTF8, NULLABLE, 0, 0, 0, 0, 0)


def parse_all_fields(from_, columns):
    count, before = from_.varint(), -1
    require(count > 0, TableCode.BAD_SCHEMA, "no fields")
    for _ in range(count):
        number = from_.varint()
        require(before < number < len(columns), TableCode.BAD_SCHEMA, "column of fields")
        columns[number].fields = parse_fields(from_, columns[number])
        before = number
    paths = sum(len(path) for column in columns for path in column.fields)
    require(paths <= MAX_PATH_BYTES, TableCode.BAD_SCHEMA, "paths")


def parse_fields(from_, column):
    """The typed values within nested ones: their columns by their paths."""

    def right(condition):
        require(condition, TableCode.BAD_SCHEMA, "fields")

    count = from_.varint()
    right(column.type == UTF8 and column.text == RAW_JSON and 1 <= count <= MAX_FIELDS)
    fields, before = {}, b""
    for _ in range(count):
        shared, rest = from_.varint(), from_.text(MAX_NAME_BYTES)
        right(shared <= len(before))
        path = before[:shared] + rest
        common = os.path.commonprefix([before, path])
        right(path > before and shared == len(common) and len(path) <= MAX_NAME_BYTES)
        right(FIELD_PATH.fullmatch(path) and not NEEDLESS_QUOTES.search(path))
        kind = from_.number(1)
        right(kind in range(BOOL, BINARY))
        scale, precision = from_.bytes(2) if kind in (DECIMAL64, DECIMAL128) else (0, 0)
        unit, zone = 0, b""
        if kind == TIMESTAMP:
            unit, zone = from_.number(1), from_.text(MAX_NAME_BYTES)
        text = RAW_JSON if kind == UTF8 else 0
        fields[path] = Column(kind, NULLABLE, scale, precision, unit, text, 0, zone=zone)
        check_column(fields[path])
        before = path
    return fields


# --- 15.9: types of Arrow -----------------------------------------------------------------------

MAX_ARROW_DEPTH, MAX_ARROW_TYPES = 64, 65535
INTEGER_FORMATS = b"cCsSiIlL"
ARROW_TYPE_OF = {b"b": BOOL, b"f": FLOAT, b"g": DOUBLE, b"tdD": DATE, b"tdm": DATE}
ARROW_TYPE_OF |= dict(zip((b"c", b"s", b"i", b"l", b"C", b"S", b"I", b"L"), range(2, 10)))
ARROW_TYPE_OF |= {b"u": UTF8, b"U": UTF8, b"vu": UTF8, b"z": BINARY, b"Z": BINARY, b"vz": BINARY}


@dataclass(frozen=True)
class ArrowType:
    format: bytes
    name: bytes
    flags: int
    children: tuple
    dictionary: Optional["ArrowType"]
    entries: Optional[bytes] = field(compare=False)

    @property
    def values(self):
        """The type that a dictionary or runs stand for."""
        if self.dictionary:
            return self.dictionary.values
        return self.children[1].values if self.format == b"+r" else self

    def stored(self):
        """Type, scale, unit and zone of the column, and whether it has JSON."""
        format_ = self.values.format
        if format_[:1] in (b"+", b"n"):
            return UTF8, 0, 0, b"", True
        if format_.startswith(b"ts"):
            return TIMESTAMP, 0, b"smun".index(format_[2:3]), format_[4:], False
        if format_.startswith(b"d:"):
            precision, scale = map(int, format_[2:].split(b","))
            return DECIMAL64 if precision <= 18 else DECIMAL128, scale, 0, b"", False
        return ARROW_TYPE_OF[format_], 0, 0, b"", False

    def is_right(self):
        format_, children = self.format, self.children
        if self.dictionary:
            return len(format_) == 1 and format_ in INTEGER_FORMATS and not children
        if format_ == b"+s":
            return True
        if format_ == b"+m":
            entries = children[0] if len(children) == 1 else None
            struct_ = entries and entries.format == b"+s" and not entries.dictionary
            return bool(struct_) and len(entries.children) == 2
        if format_ == b"+r":
            ends = children[0] if len(children) == 2 else None
            return bool(ends) and ends.format in (b"s", b"i", b"l") and not ends.dictionary
        fixed = re.fullmatch(rb"\+w:(\d+)", format_)
        if format_ in (b"+l", b"+L", b"+vl", b"+vL") or (fixed and int(fixed[1]) < 1 << 31):
            return len(children) == 1
        decimal = re.fullmatch(rb"d:(\d+),(\d+)", format_)
        if decimal:
            return 0 < int(decimal[1]) <= 38 and int(decimal[2]) <= int(decimal[1]) and not children
        plain = format_ in ARROW_TYPE_OF or format_ == b"n" or re.match(rb"ts[smun]:", format_)
        return bool(plain) and not children


def is_utf8(text):
    try:
        return bool(text.decode()) or True
    except UnicodeDecodeError:
        return False


def parse_arrow_type(from_, depth, count):
    """`count` is a list of the number of types so far."""
    count[0] += 1
    sound = depth <= MAX_ARROW_DEPTH and count[0] <= MAX_ARROW_TYPES
    require(sound, TableCode.BAD_SCHEMA, "types of Arrow")
    format_, name = from_.text(MAX_NAME_BYTES), from_.text(MAX_NAME_BYTES)
    flags = from_.number(1)
    require(flags < 32 and flags & 24 != 16, TableCode.BAD_SCHEMA, "flags of a type of Arrow")
    require(is_utf8(name), TableCode.BAD_SCHEMA, "name of a type of Arrow")
    children = tuple(parse_arrow_type(from_, depth + 1, count) for _ in range(from_.varint()))
    dictionary = parse_arrow_type(from_, depth + 1, count) if flags & 8 else None
    entries = from_.text(1 << 16) if flags & 16 else None
    require(entries != b"", TableCode.BAD_SCHEMA, "entries of a dictionary")
    made = ArrowType(format_, name, flags & 14, children, dictionary, entries)
    require(made.is_right(), TableCode.BAD_SCHEMA, "a type of Arrow")
    return made


def parse_arrow_types(from_, columns):
    for column in columns:
        size = from_.varint()
        if size == 0:
            continue
        begin = from_.at
        column.arrow_type = parse_arrow_type(from_, 0, [0])
        has = column.type, column.scale, column.unit, column.zone, column.text == RAW_JSON
        right = from_.at == begin + size and not column.arrow_type.name
        right = right and column.arrow_type.stored() == has
        require(right, TableCode.BAD_SCHEMA, "type of Arrow of a column")
    require(any(column.arrow_type for column in columns), TableCode.BAD_SCHEMA, "no types of Arrow")


def parse_spacing(from_, line_flags):
    lines = {
        flags: (b"", b"", colon, between, b"", end)
        for end_flag, end in ((0, b"\n"), (1, b"\r\n"))
        for flags, colon, between in ((end_flag, b":", b","), (end_flag | JSON_SPACES, b": ", b", "))
    }
    flags = line_flags & (1 | JSON_SPACES | JSON_SPACING)
    if flags in lines:
        return lines[flags]
    spacing = tuple(from_.text(255) for _ in range(6))
    right = flags == JSON_SPACING and spacing not in lines.values()
    require(right, TableCode.BAD_SCHEMA, "white space")
    return spacing


def parse_schema(payload):
    from_ = Reader(payload, TableCode.BAD_SCHEMA)
    columns, flags = from_.varint(), from_.number(1)
    kind, delimiter, quote, line_flags = from_.bytes(4)
    require(flags <= 15 and line_flags <= 127, TableCode.BAD_SCHEMA, "reserved bits")
    has_fields, has_arrow_types = flags & FIELDS, flags & ARROW_TYPES
    schema = Schema(
        exact=bool(flags & 1),
        kind=kind,
        delimiter=bytes([delimiter]),
        quote=bytes([quote]) if quote else b"",
        carriage_return=bool(line_flags & 1),
        trailing_delimiter=bool(line_flags & 2),
        null=from_.text(255),
        head=from_.text(MAX_HEAD_BYTES),
        line_flags=line_flags,
        orders=[],
    )
    if flags & ENCODING:
        encoding = from_.number(1)
        require(encoding in ENCODINGS and kind != 0, TableCode.BAD_SCHEMA, "encoding")
        schema.encoding = ENCODINGS[encoding]
    if kind == JSON_LINES:
        schema.spacing = parse_spacing(from_, line_flags)
        schema.orders = parse_orders(from_, columns)
    right = 1 <= columns <= MAX_COLUMNS and kind <= JSON_LINES and not (schema.exact and kind == 0)
    require(right, TableCode.BAD_SCHEMA, "text")
    if kind == DELIMITED:
        lines = delimiter != quote and delimiter not in b"\r\n" and quote not in b"\r\n"
        require(lines, TableCode.BAD_SCHEMA, "delimiter or quote")
    name_end = 0
    for _ in range(columns):
        type_, flags = from_.bytes(2)
        details = bytes(from_.bytes(5)) if flags & DETAILS else bytes(5)
        require(not flags & DETAILS or any(details), TableCode.BAD_SCHEMA, "details")
        column = Column(type_, flags, *details)
        if flags & NAME_IN_HEAD:
            gap, size = from_.varint(), from_.varint()
            inside = gap + size <= len(schema.head) - name_end
            require(inside, TableCode.BAD_SCHEMA, "a name outside the head")
            column.name = schema.head[name_end + gap :][:size]
        else:
            column.name = from_.text(MAX_NAME_BYTES)
        right = name_gap(schema.head, name_end, column.name)
        require(right == (gap if flags & NAME_IN_HEAD else None), TableCode.BAD_SCHEMA, "name")
        name_end += gap + size if flags & NAME_IN_HEAD else 0
        require(len(column.name) <= MAX_NAME_BYTES, TableCode.BAD_SCHEMA, "name")
        if flags & ZONE:
            column.zone = from_.text(MAX_NAME_BYTES)
            require(column.zone, TableCode.BAD_SCHEMA, "empty zone")
        if flags & NULL_TEXT:
            column.null = from_.text(255)
        if flags & SPELLING:
            column.spelling = from_.text(255)
            require(column.spelling, TableCode.BAD_SCHEMA, "empty spelling")
        exact = schema.exact or not column.flags & SPELLED
        require(exact, TableCode.BAD_SCHEMA, "spellings without exact text")
        check_column(column)
        schema.columns.append(column)
    if has_fields:
        parse_all_fields(from_, schema.columns)
    if has_arrow_types:
        parse_arrow_types(from_, schema.columns)
    require(from_.at == len(payload), TableCode.BAD_SCHEMA, "size")
    names = {column.name for column in schema.columns}
    require(len(names) == columns, TableCode.BAD_SCHEMA, "names")
    return schema


def name_gap(head, at, name):
    """How far the name is from the name before it in the head; None where it must not be there."""
    gaps = (gap for gap in range(32) if name and at + gap <= len(head))
    return next((gap for gap in gaps if head[at + gap :][: len(name)] == name), None)


def parse_orders(from_, columns):
    orders, cost = [], 0
    for _ in range(from_.varint()):
        order = [from_.varint() for _ in range(from_.varint())]
        cost += len(order) + columns // 64 + 1
        keys = [key & ~KEY_OF_NULL for key in order]
        right = cost <= MAX_ORDER_KEYS and all(key < columns for key in keys)
        require(right and len(set(keys)) == len(keys), TableCode.BAD_SCHEMA, "orders of keys")
        orders.append(order)
    return orders


def check_column(column):
    require(BOOL <= column.type <= BINARY, TableCode.BAD_SCHEMA, "type")
    most = {DECIMAL64: 18, DECIMAL128: 38}.get(column.type, 0)
    digits = column.scale <= column.precision <= most and (most == 0 or column.precision > 0)
    require(digits, TableCode.BAD_SCHEMA, "digits of a decimal")
    right = column.unit <= 3 and column.text <= LAST_TEXT and column.quoting <= 1
    require(right, TableCode.BAD_SCHEMA, "text of a column")


# --- 15.3: row groups ---------------------------------------------------------------------------

NULL, PLAIN, DICTIONARY, TOKENS, BYTES, EXACT_LINES, IN_ROWS = range(7)
(
    VALIDITY, ENTRY_LENGTHS, ENTRY_BYTES, TOKEN_DICTIONARY, ROWS, VALUES,
    CODES, LENGTHS, TOKEN_COUNTS, TOKEN_CODES, STRING_BYTES, PACKED_ROWS, TEXT_CUTS,
) = range(13)  # fmt: skip
STREAMS_OF = {
    NULL: (),
    PLAIN: (VALUES,),
    DICTIONARY: (ENTRY_LENGTHS, ENTRY_BYTES, CODES),
    TOKENS: (TOKEN_DICTIONARY, TOKEN_COUNTS, TOKEN_CODES),
    BYTES: (LENGTHS, STRING_BYTES),
    EXACT_LINES: (ROWS, LENGTHS, STRING_BYTES),
    IN_ROWS: (PACKED_ROWS, TEXT_CUTS),
}
HOLD_ZONES = (VALUES, CODES, LENGTHS, TOKEN_COUNTS)


@dataclass
class Block:
    stored_bytes: int
    plain_bytes: int
    rows: int
    stream: int
    zone_flags: int
    least: int
    most: int
    presence: int
    number: int
    place: range  # in the directory


@dataclass
class Chunk:
    """A column of a row group."""

    representation: int
    block_count: int
    nulls: int
    distinct: int
    entries: int
    value_bytes: int
    place: range  # in the directory
    blocks: list = field(default_factory=list)

    def of(self, stream):
        return [block for block in self.blocks if block.stream == stream]

    def rows_of(self, stream):
        return sum(block.rows for block in self.of(stream))

    def bytes_of(self, stream):
        return sum(block.plain_bytes for block in self.of(stream))


@dataclass
class RowGroup:
    rows: int
    text_bytes: int
    text_lines: int
    text_checksum: int
    chunks: list

    @property
    def blocks(self):
        return [block for chunk in self.chunks for block in chunk.blocks]

    @property
    def is_text(self):
        return any(block.stream == TEXT_CUTS for block in self.blocks)


def bad_group(condition, what):
    require(condition, TableCode.BAD_ROW_GROUP, what)


def parse_row_group(payload, schema):
    from_ = Reader(payload, TableCode.BAD_ROW_GROUP)
    rows, columns, text_bytes, text_lines = (from_.varint() for _ in range(4))
    checksum = from_.number(8)
    bad_group(1 <= rows <= MAX_GROUP_ROWS and rows * columns <= MAX_GROUP_VALUES, "rows")
    bad_group(columns == len(schema.stored_columns), "columns")
    bad_group(text_lines <= text_bytes <= MAX_TEXT_BYTES, "text")
    group = RowGroup(rows, text_bytes, text_lines, checksum, [])
    for _ in range(columns):
        at, form = from_.at, from_.number(1)
        bad_group(form & 7 <= IN_ROWS and form < 128, "representation")
        count = from_.varint_of(MASK32)
        fields = [from_.counted(form & bit) for bit in (8, 16, 32, 64)]
        bad_group(all(field <= MASK32 for field in fields[:3]), "field of a column")
        group.chunks.append(Chunk(form & 7, count, *fields, place=range(at, from_.at)))
    number = 0
    for chunk in group.chunks:
        for _ in range(chunk.block_count):
            at, form = from_.at, from_.number(1)
            stream, flags = form & 15, form >> 4
            stored_bytes, plain_bytes, block_rows = (from_.varint_of(MASK32) for _ in range(3))
            least = most = presence = 0
            if stream in HOLD_ZONES and flags & 9 == 1:
                least, most = from_.image(), from_.image()
            if stream == CODES and flags & 1:
                presence = from_.number(8)
            fields = stored_bytes, plain_bytes, block_rows, stream, flags, least, most, presence
            chunk.blocks.append(Block(*fields, number, range(at, from_.at)))
            number += 1
    bad_group(from_.at == len(payload), "size")
    total = sum(chunk.value_bytes for chunk in group.chunks)
    bad_group(total <= MAX_TEXT_BYTES, "bytes of strings")
    for chunk, column in zip(group.chunks, schema.stored_columns):
        check_chunk(chunk, column, rows)
    packed = [chunk.block_count for chunk in group.chunks if chunk.representation == IN_ROWS]
    bad_group(not packed or packed[0] > 0 == sum(packed[1:]), "blocks of packed rows")
    check_text_blocks(group, schema)
    return group


def check_text_blocks(group, schema):  # 20
    entries = [chunk.entries for chunk in group.chunks if chunk.representation == IN_ROWS]
    bad_group(group.is_text or all(entries), "field")
    if group.is_text:
        bad_group(schema.exact and not any(entries), "field")
        bad_group(all(b.stream in (PACKED_ROWS, TEXT_CUTS) for b in group.blocks), "blocks")
        others = group.chunks[len(schema.columns) :]
        bad_group(all(chunk.representation != IN_ROWS for chunk in others), "representation")
        size = sum(block.plain_bytes for block in group.blocks if block.stream == PACKED_ROWS)
        bad_group(size == group.text_bytes, "text")


def check_chunk(chunk, column, rows):
    bad_group(chunk.nulls <= rows, "nulls")
    streams = [block.stream for block in chunk.blocks]
    bad_group(streams == sorted(streams) and all(s <= TEXT_CUTS for s in streams), "order")
    for block in chunk.blocks:
        bad_group(block.zone_flags <= 15, "zone flags")
        size = 48 <= block.stored_bytes <= MAX_PAYLOAD_BYTES + 64 and block.stored_bytes % 16 == 0
        bad_group(size and block.plain_bytes <= decode.MAX_BLOCK_BYTES, "size of a block")
    representation = chunk.representation
    if column is None:
        bad_group(representation in (EXACT_LINES, IN_ROWS) and chunk.nulls == 0, "exact lines")
    elif representation == IN_ROWS:
        bad_group(chunk.nulls < rows, "nulls")
        bad_group(chunk.nulls == 0 or column.flags & NULLABLE, "nulls in a column that has none")
    else:
        bad_group(chunk.nulls == 0 or column.flags & NULLABLE, "nulls in a column that has none")
        some_null = 0 < chunk.nulls < rows
        bad_group(chunk.rows_of(VALIDITY) == (rows if some_null else 0), "validity")
        bad_group((representation == NULL) == (chunk.nulls == rows), "nulls")
        of_type = (DICTIONARY, TOKENS, BYTES) if column.is_string else (PLAIN,)
        bad_group(representation in (NULL, *of_type), "representation")
    validity = [] if representation == IN_ROWS else [VALIDITY]
    bad_group(set(streams) <= {*validity, *STREAMS_OF[representation]}, "streams")
    if representation == IN_ROWS:
        bad_group(chunk.distinct == chunk.value_bytes == 0, "field")
    check_streams(chunk, column, rows)


def check_streams(chunk, column, rows):
    representation = chunk.representation
    if representation == PLAIN:
        check_integers(chunk, VALUES, column.value_bytes, rows)
    if representation == DICTIONARY:
        bad_group(1 <= chunk.entries <= MAX_ENTRIES, "entries")
        bad_group(chunk.bytes_of(ENTRY_BYTES) <= MAX_ENTRY_BYTES, "bytes of entries")
        check_integers(chunk, ENTRY_LENGTHS, 4, chunk.entries)
        check_integers(chunk, CODES, 4, rows)
    if representation == TOKENS:
        bad_group(len(chunk.of(TOKEN_DICTIONARY)) == 1, "token dictionary")
        bad_group(chunk.rows_of(TOKEN_CODES) == rows, "rows of tokens")
        bad_group(chunk.bytes_of(TOKEN_CODES) == chunk.value_bytes, "bytes of tokens")
        check_integers(chunk, TOKEN_COUNTS, 4, rows)
    if representation == EXACT_LINES:
        lines = chunk.rows_of(ROWS)
        bad_group(lines <= rows + 1, "number of exact lines")
        check_integers(chunk, ROWS, 4, lines)
        check_integers(chunk, LENGTHS, 8, lines)
    if representation == BYTES:
        check_integers(chunk, LENGTHS, 8, rows)
    if representation in (BYTES, EXACT_LINES):
        bad_group(chunk.bytes_of(STRING_BYTES) == chunk.value_bytes, "bytes of strings")


def integer_bytes(width_bytes, rows):
    return rows * width_bytes if width_bytes else (rows + 7) // 8


def check_integers(chunk, stream, width_bytes, rows):
    for block in chunk.of(stream):
        right = block.plain_bytes == integer_bytes(width_bytes, block.rows)
        bad_group(1 <= block.rows <= MAX_BLOCK_ROWS and right, "rows of a block")
    bad_group(chunk.rows_of(stream) == rows, "rows of the blocks")


# --- 15.5: blocks of integers and tokens --------------------------------------------------------

INTEGER_CODING, TOKEN_CODING, PLANE_CODING = 4, 5, 6


@dataclass
class ColumnHeader:
    number: int
    plain_bytes: int
    coding: int
    payload_bytes: int
    width_bytes: int
    count: int  # rows, codes
    flags: int
    divisor: int
    checksum: int

    @property
    def floating(self):
        return bool(self.flags & 2)


def parse_column_header(data):
    require(data[:4] == decode.SYNC + b"B", Code.LOST_SYNC)
    decode.check_header_checksum(data)
    header = ColumnHeader(
        number=u32(data, 4),
        plain_bytes=u24(data, 8),
        coding=data[11],
        payload_bytes=u24(data, 12),
        width_bytes=data[15],
        count=u24(data, 16),
        flags=data[19],
        divisor=u64(data, 20),
        checksum=u64(data, 36),
    )
    require(header.coding in (INTEGER_CODING, TOKEN_CODING, PLANE_CODING), Code.UNKNOWN_CODING)
    size = header.payload_bytes
    right = size <= MAX_PAYLOAD_BYTES and (size % 4 == 0 or header.coding == PLANE_CODING)
    require(right, Code.BAD_HEADER, "payload size")
    if header.coding == INTEGER_CODING:
        check_integer_header(header)
    elif header.coding == PLANE_CODING:
        require(header.width_bytes not in (0, 16), Code.BAD_HEADER, "bytes of a value")
        check_integer_header(dataclasses.replace(header, divisor=1))
        require(header.divisor == 0, Code.BAD_HEADER, "reserved")
    else:
        right = header.count <= header.plain_bytes <= decode.MAX_BLOCK_BYTES
        right = right and header.width_bytes == header.flags == header.divisor == 0
        require(right, Code.BAD_HEADER, "tokens")
    require(not any(data[28:36]), Code.BAD_HEADER, "reserved")
    return header


def check_integer_header(header):
    width, floating = header.width_bytes, header.floating
    require(width in (0, 1, 2, 4, 8, 16), Code.BAD_HEADER, "bytes of a value")
    flags = header.flags <= 3 and (not floating or width in (4, 8))
    require(flags, Code.BAD_HEADER, "flags")
    rows = 1 <= header.count <= MAX_BLOCK_ROWS
    require(rows and header.plain_bytes == integer_bytes(width, header.count), Code.BAD_HEADER)
    divides = width not in (0, 16) and not floating
    right = header.divisor == 1 or (header.divisor > 1 and divides)
    require(right, Code.BAD_HEADER, "divisor")


# --- 16: integers -------------------------------------------------------------------------------

PACKED, DELTA_1, DELTA_32, RUNS, PAIR, ALP, ALP_RD, BITMAP = range(8)
VECTOR_ROWS = 1024
RUN_MAP_WORDS = 32


def lane_words(n, width):
    return (-(-n // 32) * width + 31) // 32 * 32


def packed_words(n, width):
    return lane_words(n, min(width, 32)) + lane_words(n, max(width - 32, 0))


def unpack_lanes(words, at, n, width):  # 16.1
    values = []
    for i in range(n):
        bit = i // 32 * width
        place = at + bit // 32 * 32 + i % 32
        value = words[place] >> bit % 32 if width else 0
        if bit % 32 + width > 32:
            value |= words[place + 32] << (32 - bit % 32)
        values.append(value & ((1 << width) - 1))
    return values


def unpack(words, at, n, width):
    if width <= 32:
        return unpack_lanes(words, at, n, width)
    low = unpack_lanes(words, at, n, 32)
    high = unpack_lanes(words, at + lane_words(n, 32), n, width - 32)
    return [a | b << 32 for a, b in zip(low, high)]


class Vector:
    """One vector of n values; `words` are those from its first to the payload's end."""

    def __init__(self, header, entry, n, words):
        self.header = header
        _, self.kind, self.width, self.width2, self.exceptions, self.base = entry
        self.n = n
        self.words = words

    def decode(self):
        """Images of the values: unsigned, of the type's width."""
        require(self.suits_type(), Code.BAD_HEADER, "entry of a vector")
        heads = {RUNS: RUN_MAP_WORDS, ALP: 1}
        self.need(heads.get(self.kind, 0))
        at = self.check_head()
        self.need(at)
        values = getattr(self, f"kind_{self.kind}")()
        mask = (1 << max(8 * self.header.width_bytes, 1)) - 1
        return [value & mask for value in values]

    def need(self, words):
        require(words <= len(self.words), Code.BAD_PAYLOAD_SIZE, "words of a vector")

    def suits_type(self):
        bits = 8 * self.header.width_bytes
        width, width2, exceptions = self.width, self.width2, self.exceptions
        integer = bits in (8, 16, 32, 64) and width <= bits
        double = bits == 64 and self.header.floating
        return {
            PACKED: bits <= 64 and width <= bits and width2 == 0,
            DELTA_1: integer and width2 == exceptions == 0,
            DELTA_32: integer and width2 <= bits and exceptions == 0,
            RUNS: integer and exceptions <= 2 and width2 <= (bits if exceptions == 2 else 0),
            PAIR: bits == 128 and width <= 64 and width2 <= 64 and exceptions == 0,
            ALP: double and width <= 64 and width2 == 0,
            ALP_RD: double and 48 <= width <= 63 and width2 <= 3,
            BITMAP: bits == width == width2 == exceptions == 0,
        }.get(self.kind, False)

    def plain_words(self, kind, n):
        words = packed_words(n, self.width)
        first = {DELTA_1: 2, DELTA_32: 2 + (min(n, 32) * self.width2 + 31) // 32}
        return words + first.get(kind, 0)

    def check_head(self):
        """The vector's size in words; what stands in front of the packed values is sound."""
        kind, n = self.kind, self.n
        rows = (self.exceptions + 1) // 2
        if kind == RUNS:
            self.starts = sum(word << 32 * i for i, word in enumerate(self.words[:RUN_MAP_WORDS]))
            require(self.starts & 1 and self.starts >> n == 0, Code.BAD_HEADER, "map of runs")
            self.runs = bin(self.starts).count("1")
            return RUN_MAP_WORDS + self.plain_words(self.exceptions, self.runs)
        if kind == ALP:
            e, f = self.words[0] & 255, self.words[0] >> 8
            require(e <= 18 and f <= 18, Code.BAD_HEADER, "exponents")
        if kind == PAIR:
            return 2 + packed_words(n, self.width) + packed_words(n, self.width2)
        if kind == BITMAP:
            return (n + 31) // 32
        if kind in (DELTA_1, DELTA_32):
            return self.plain_words(kind, n)
        self.exceptions_at = packed_words(n, self.width)
        if kind == ALP:
            self.exceptions_at += 1
        if kind == ALP_RD:
            self.exceptions_at += 4 + lane_words(n, self.width2)
        return self.exceptions_at + rows + (rows if kind == ALP_RD else 2 * self.exceptions)

    def exceptional(self, value_bytes):
        """(row, what belongs there) of each exception."""
        count, at = self.exceptions, self.exceptions_at
        data = struct.pack(f"<{len(self.words) - at}I", *self.words[at:])
        rows = struct.unpack_from(f"<{count}H", data, 0)
        right = all(a < b for a, b in zip(rows, [*rows[1:], self.n]))
        require(right, Code.BAD_HEADER, "rows of exceptions")
        values = data[(count + 1) // 2 * 4 :]
        for i, row in enumerate(rows):
            value = values[value_bytes * i : value_bytes * (i + 1)]
            yield row, int.from_bytes(value, "little")

    def packed(self, at, n, width=None):
        return unpack(self.words, at, n, self.width if width is None else width)

    def long_word(self, at):
        return self.words[at] | self.words[at + 1] << 32

    def add(self, p):
        return self.base + self.header.divisor * p

    def kind_0(self):
        values = [self.add(p) for p in self.packed(0, self.n)]
        for row, image in self.exceptional(8):
            values[row] = image
        return values

    def kind_1(self, at=0, n=None):
        n = self.n if n is None else n
        values = [self.long_word(at)]
        for p in self.packed(at + 2, n)[1:]:
            values.append(values[-1] + self.add(p))
        return values

    def kind_2(self, at=0, n=None):
        n = self.n if n is None else n
        first, count = self.long_word(at), min(n, 32)
        words = (count * self.width2 + 31) // 32
        bits = sum(word << 32 * i for i, word in enumerate(self.words[at + 2 : at + 2 + words]))
        mask = (1 << self.width2) - 1
        divisor = self.header.divisor
        values = [first + divisor * (bits >> i * self.width2 & mask) for i in range(count)]
        for p in self.packed(at + 2 + words, n)[32:]:
            values.append(values[-32] + self.add(p))
        return values

    def kind_3(self):
        at, runs = RUN_MAP_WORDS, self.runs
        if self.exceptions == PACKED:
            values = [self.add(p) for p in self.packed(at, runs)]
        else:
            values = (self.kind_1 if self.exceptions == DELTA_1 else self.kind_2)(at, runs)
        run, result = -1, []
        for row in range(self.n):
            run += self.starts >> row & 1
            result.append(values[run])
        return result

    def kind_4(self):
        low = self.packed(2, self.n)
        high = self.packed(2 + packed_words(self.n, self.width), self.n, self.width2)
        other = self.long_word(0)
        return [self.base + a & MASK64 | (other + b & MASK64) << 64 for a, b in zip(low, high)]

    def kind_5(self):
        e, f = self.words[0] & 255, self.words[0] >> 8
        values = [alp_bits(self.base + p & MASK64, e, f) for p in self.packed(1, self.n)]
        for row, image in self.exceptional(8):
            values[row] = image
        return values

    def kind_6(self):
        parts = struct.unpack("<8H", struct.pack("<4I", *self.words[:4]))
        codes = unpack_lanes(self.words, 4, self.n, self.width2)
        rights = self.packed(4 + lane_words(self.n, self.width2), self.n)
        lefts = [parts[code] for code in codes]
        for row, left in self.exceptional(2):
            lefts[row] = left
        return [left << self.width | right for left, right in zip(lefts, rights)]

    def kind_7(self):
        return [self.words[row // 32] >> row % 32 & 1 for row in range(self.n)]


def alp_bits(image, e, f):
    """The bits of the double that an integer of kind 5 stands for."""
    number = float(image - (image >> 63 << 64)) * float(f"1e{f}")
    return int.from_bytes(struct.pack("<d", number * float(f"1e-{e}")), "little")


def decode_integers(header, payload, seen=None):
    """Images of a block's values."""
    vectors = -(-header.count // VECTOR_ROWS)
    require(len(payload) >= 16 * vectors, Code.BAD_PAYLOAD_SIZE, "directory")
    words = struct.unpack(f"<{len(payload) // 4}I", payload)
    values = []
    for vector in range(vectors):
        entry = struct.unpack_from("<IBBBBQ", payload, 16 * vector)
        n = min(VECTOR_ROWS, header.count - VECTOR_ROWS * vector)
        values += Vector(header, entry, n, words[4 * vectors + entry[0] :]).decode()
        if seen is not None:
            seen.add(f"kind {entry[1]}")
    return values


# --- 17: tokens ---------------------------------------------------------------------------------

TOKEN_BITS = 12


def parse_token_dictionary(stored):  # 17.1
    require(len(stored) >= 2, Code.BAD_PAYLOAD_SIZE, "token dictionary")
    count = u16(stored, 0)
    require(count <= 4096 - 256, Code.BAD_HEADER, "tokens")
    require(len(stored) >= 2 + count, Code.BAD_PAYLOAD_SIZE, "token dictionary")
    tokens = [bytes([byte]) for byte in range(256)]
    before, at = b"", 2 + count
    for description in stored[2 : 2 + count]:
        shared, further = description >> 4, (description & 15) + 1
        right = shared <= len(before) and 2 <= shared + further <= 16
        require(right, Code.BAD_LENGTH, "length of a token")
        require(further <= len(stored) - at, Code.BAD_PAYLOAD_SIZE, "token dictionary")
        rises = shared == len(before) or stored[at] > before[shared]
        require(rises, Code.BAD_HEADER, "order of tokens")
        before = before[:shared] + stored[at : at + further]
        tokens.append(before)
        at += further
    require(at == len(stored), Code.BAD_PAYLOAD_SIZE, "token dictionary")
    return sorted(tokens)


def decode_tokens(tokens, payload, codes, counts, plain_bytes):  # 17.3, 17.4
    sizes = [min(VECTOR_ROWS, codes - at) for at in range(0, codes, VECTOR_ROWS)]
    needed = sum(lane_words(n, TOKEN_BITS) for n in sizes)
    require(len(payload) == 4 * needed, Code.BAD_PAYLOAD_SIZE, "codes")
    require(sum(counts) == codes, Code.BAD_LENGTH, "counts of codes")
    words = struct.unpack(f"<{needed}I", payload)
    numbers, at = [], 0
    for n in sizes:
        numbers += unpack_lanes(words, at, n, TOKEN_BITS)
        at += lane_words(n, TOKEN_BITS)
    require(all(number < len(tokens) for number in numbers), Code.BAD_OFFSET, "code")
    strings, at = [], 0
    for count in counts:
        strings.append(b"".join(tokens[number] for number in numbers[at : at + count]))
        at += count
    require(sum(map(len, strings)) == plain_bytes, Code.BAD_LENGTH, "tokens")
    return strings


# --- 18: planes ---------------------------------------------------------------------------------

NO_MAP, DECIMALS, DICTIONARY = range(3)
CONSTANT_PLANE = 255


class PlaneReader(Reader):
    """The numbers of a payload's list, as images."""

    def __init__(self, header, payload, seen):
        super().__init__(payload, Code.BAD_PAYLOAD_SIZE)
        self.header = header
        self.seen = seen

    def signed_varint(self):
        return unzigzag(self.varint())

    def list(self, count, may_have_entries):
        form = self.number(1)
        map_, steps = form & 3, form & 4
        self.seen.add(f"planes {form}")
        require(form <= 7 and map_ <= DICTIONARY, Code.BAD_HEADER, "form")
        exponents, exceptions, entries = None, {}, []
        if map_ == DECIMALS:
            exponents, exceptions = self.decimals(count)
        if map_ == DICTIONARY:
            require(may_have_entries, Code.BAD_HEADER, "entries of entries")
            size = self.varint()
            require(1 <= size <= MAX_ENTRIES, Code.BAD_HEADER, "entries")
            entries = self.list(size, False)
        base, divisor, planes = self.signed_varint(), self.varint(), self.number(1)
        require(divisor >= 1, Code.BAD_HEADER, "divisor")
        require(planes <= 8, Code.BAD_HEADER, "planes")
        columns = [self.plane(count) for _ in range(planes)]
        numbers = [int.from_bytes(bytes(row), "little") for row in zip(*columns)] or [0] * count
        if steps:
            last, before = base, numbers
            numbers = [last := last + divisor * unzigzag(number) for number in before]
        else:
            numbers = [base + divisor * number for number in numbers]
        numbers = [number & MASK64 for number in numbers]
        if map_ == DECIMALS:
            e, f = exponents
            numbers = [alp_bits(number, e, f) for number in numbers]
            numbers = [exceptions.get(row, number) for row, number in enumerate(numbers)]
        if map_ == DICTIONARY:
            require(all(number < len(entries) for number in numbers), Code.BAD_OFFSET, "code")
            numbers = [entries[number] for number in numbers]
        return numbers

    def decimals(self, count):
        suits = self.header.floating and self.header.width_bytes == 8
        require(suits, Code.BAD_HEADER, "decimals")
        e, f, size = self.number(1), self.number(1), self.varint()
        require(e <= 18 and f <= 18 and size <= count, Code.BAD_HEADER, "decimals")
        exceptions, row = {}, -1
        for _ in range(size):
            row += 1 + self.varint()
            require(row < count, Code.BAD_HEADER, "row of an exception")
            exceptions[row] = self.number(8)
        return (e, f), exceptions

    def plane(self, count):
        coding = self.number(1)
        self.seen.add(f"plane {coding}")
        if coding == CONSTANT_PLANE:
            return self.bytes(1) * count
        if coding == 0:
            return self.bytes(count)
        require(coding in (1, 3), Code.UNKNOWN_CODING)
        words = [decode.SYNC + b"B", bytes(4), count.to_bytes(3, "little") + bytes([coding])]
        for _ in range(6):
            words.append((self.varint() & 0xFFFFFF).to_bytes(3, "little") + self.bytes(1))
        whole = b"".join(words) + bytes(8)
        sealed = whole + (xxh3_64(whole) & 0xFFFFFFFF).to_bytes(4, "little")
        header = decode.parse_block_header(sealed)
        return decode.decode_block(header, self.bytes(header.payload_bytes), {}, verify=False)


def unzigzag(number):
    return number >> 1 if number % 2 == 0 else -(number + 1 >> 1)


def decode_planes(header, payload, seen=None):
    """Images of a block's values."""
    reader = PlaneReader(header, payload, set() if seen is None else seen)
    values = reader.list(header.count, True)
    require(reader.at == len(payload), Code.BAD_PAYLOAD_SIZE, "bytes after the last plane")
    return [value & ((1 << 8 * header.width_bytes) - 1) for value in values]


# --- 15.3: columns of a row group ---------------------------------------------------------------


class GroupDecoder:
    """Columns as lists: numbers as images, strings as bytes, None for nulls."""

    def __init__(self, schema, group, stored, seen):
        self.schema = schema
        self.group = group
        self.seen = seen
        self.packed = None
        self.stored = []
        at = 0
        for block in group.blocks:
            self.stored.append(stored[at : at + block.stored_bytes])
            at += block.stored_bytes

    def at_block(self, block, action):
        try:
            return action(block, self.stored[block.number])
        except FormatError as error:
            error.block = block.number
            raise

    def column_header(self, block, stored, coding):
        header = parse_column_header(stored[:48])
        right = header.coding == coding and header.number == block.number
        right = right and header.plain_bytes == block.plain_bytes
        right = right and padded(48 + header.payload_bytes) == len(stored)
        bad_group(right, "a block differs from it")
        payload = stored[48 : 48 + header.payload_bytes]
        return header, payload

    def integer_block(self, width_bytes, coding=INTEGER_CODING, decode_values=decode_integers):
        def action(block, stored):
            header, payload = self.column_header(block, stored, coding)
            right = header.width_bytes == width_bytes and header.count == block.rows
            bad_group(right, "a block differs from it")
            require(xxh3_64(payload) == header.checksum, Code.CONTENT_CHECKSUM)
            return decode_values(header, payload, self.seen)

        return action

    def plane_block(self, width_bytes):
        return self.integer_block(width_bytes, PLANE_CODING, decode_planes)

    def values_block(self, block, width_bytes):
        """Integers, or their plain bytes in one of the codings for those."""

        def action(block, stored):
            if stored[11] == PLANE_CODING:
                return self.plane_block(width_bytes)(block, stored)
            if len(stored) < 48 or stored[11] not in (0, 1, 3):
                return self.integer_block(width_bytes)(block, stored)
            plain = self.bytes_block(block, stored)
            self.seen.add("integers as bytes")
            if width_bytes == 0:
                return [plain[row // 8] >> row % 8 & 1 for row in range(block.rows)]
            return [
                int.from_bytes(plain[at : at + width_bytes], "little")
                for at in range(0, len(plain), width_bytes)
            ]

        return self.at_block(block, action)

    def values(self, chunk, width_bytes):
        return self.integers(chunk, VALUES, width_bytes)

    def integers(self, chunk, stream, width_bytes):
        values = []
        for block in chunk.of(stream):
            values += self.values_block(block, width_bytes)
        return values

    def bytes_block(self, block, stored):
        require(stored[:4] == decode.SYNC + b"B", Code.LOST_SYNC)
        header = decode.parse_block_header(stored[:48])
        right = header.plain_bytes == block.plain_bytes and header.number == block.number
        bad_group(right and header.stored_bytes == len(stored), "a block differs from it")
        self.seen.add(f"coding {header.coding}")
        return decode.decode_block(header, stored[48 : 48 + header.payload_bytes], {})

    def bytes(self, chunk, stream):
        return b"".join(self.at_block(block, self.bytes_block) for block in chunk.of(stream))

    def cut(self, plain, lengths):
        bad_group(sum(lengths) == len(plain), "lengths")
        pieces, at = [], 0
        for length in lengths:
            pieces.append(plain[at : at + length])
            at += length
        return pieces

    def column(self, chunk, column):
        rows = self.group.rows
        self.seen |= {f"representation {chunk.representation}", f"type {column.type}"}
        self.seen |= {f"text {column.text}"}
        self.seen |= {f"own spelling {chr(column.spelling[0])}"} if column.spelling else set()
        self.seen |= {f"field of type {field.type}" for field in column.fields.values()}
        self.seen |= {"own null text"} if column.null is not None else set()
        self.seen |= {"spacing"} if self.schema.line_flags & JSON_SPACING else set()
        if chunk.representation == NULL:
            return [None] * rows
        if chunk.representation == IN_ROWS:
            if self.group.is_text:
                self.seen |= {f"type {column.type} of a text"}
                return self.cut_column(column)
            self.seen |= {f"packed type {column.type}"}
            return [packed_value(column, text) for text in self.packed_fields(chunk)[0]]
        valid = self.integers(chunk, VALIDITY, 0) if chunk.nulls else [1] * rows
        self.seen |= {"validity"} if chunk.nulls else set()
        if chunk.representation == PLAIN:
            values = self.values(chunk, column.value_bytes)
        else:
            values = self.strings(chunk)
        return [value if is_valid else None for value, is_valid in zip(values, valid)]

    def packed_fields(self, chunk):  # 19
        """The field of each row, None where it is empty, and the one after the last row."""
        if self.packed is None:
            self.packed = parse_packed_rows(self.all_bytes(PACKED_ROWS), self.group.rows)
        count, fields = self.packed
        bad_group(chunk.entries <= count, "field")
        rows = range(self.group.rows)
        return [fields[row * count + chunk.entries - 1] for row in rows], fields[count * len(rows) :]

    def all_bytes(self, stream):
        blocks = [block for block in self.group.blocks if block.stream == stream]
        return b"".join(self.at_block(block, self.bytes_block) for block in blocks)

    def cut_column(self, column):  # 20
        """The values that the text and its cuts say."""
        if self.packed is None:
            cuts = TextCuts(self.schema, self.all_bytes(PACKED_ROWS), self.seen)
            self.packed = cuts.read(self.all_bytes(TEXT_CUTS), self.group.rows)
        number = self.schema.columns.index(column)
        return [loose_value(column, row.get(number)) for row in self.packed]

    def strings(self, chunk):
        if chunk.representation == DICTIONARY:
            lengths = self.integers(chunk, ENTRY_LENGTHS, 4)
            entries = self.cut(self.bytes(chunk, ENTRY_BYTES), lengths)
            codes = self.integers(chunk, CODES, 4)
            bad_group(max(codes) < chunk.entries, "codes")
            return [entries[code] for code in codes]
        if chunk.representation == BYTES:
            lengths = self.integers(chunk, LENGTHS, 8)
            return self.cut(self.bytes(chunk, STRING_BYTES), lengths)
        stored = self.bytes(chunk, TOKEN_DICTIONARY)
        dictionary = chunk.of(TOKEN_DICTIONARY)[0]
        tokens = self.at_block(dictionary, lambda *_: parse_token_dictionary(stored))
        counts = self.integers(chunk, TOKEN_COUNTS, 4)
        strings = []
        for block in chunk.of(TOKEN_CODES):
            own = counts[len(strings) : len(strings) + block.rows]
            strings += self.at_block(block, self.token_block(tokens, own))
        return strings

    def token_block(self, tokens, counts):
        def action(block, stored):
            header, payload = self.column_header(block, stored, TOKEN_CODING)
            require(xxh3_64(payload) == header.checksum, Code.CONTENT_CHECKSUM)
            return decode_tokens(tokens, payload, header.count, counts, header.plain_bytes)

        return action

    def exact_lines(self):
        """Row number -> text."""
        if not self.schema.exact:
            return {}
        chunk = self.group.chunks[len(self.schema.columns)]
        if chunk.representation == IN_ROWS:
            of_rows, further = self.packed_fields(chunk)
            bad_group(len(further) == 1, "fields of packed rows")
            self.seen |= {"packed exact lines"}
            lines = enumerate(of_rows + further)
            return {row: line for row, line in lines if line is not None}
        rows = self.integers(chunk, ROWS, 4)
        rises = all(a < b for a, b in zip(rows, [*rows[1:], self.group.rows + 1]))
        bad_group(rises, "rows of exact lines")
        lengths = self.integers(chunk, LENGTHS, 8)
        lines = self.cut(self.bytes(chunk, STRING_BYTES), lengths)
        self.seen |= {"exact lines"} if rows else set()
        return dict(zip(rows, lines))

    def spellings(self):
        """By column of the schema that has them: the spelling of each row."""
        chunks = iter(self.group.chunks[len(self.schema.columns) + 1 :])
        spellings = []
        for column in self.schema.columns:
            if not column.flags & SPELLED:
                spellings.append([b""] * self.group.rows)
                continue
            chunk = next(chunks)
            values = self.column(chunk, SPELLINGS)
            bad_group(values.count(None) == chunk.nulls, "nulls")
            if chunk.representation not in (NULL, IN_ROWS):
                self.check_size(chunk, values)
            spellings.append([spelling or b"" for spelling in values])
            self.seen |= {f"spelling {chr(spelling[0])}" for spelling in values if spelling}
        return spellings

    def columns(self):
        pairs = zip(self.group.chunks, self.schema.columns)
        columns = [self.column(chunk, column) for chunk, column in pairs]
        for chunk, column, values in zip(self.group.chunks, self.schema.columns, columns):
            self.check_facts(chunk, column, values)
        return columns

    def check_size(self, chunk, values):
        total = sum(len(value) for value in values if value is not None)
        bad_group(total <= chunk.value_bytes, "bytes of strings")

    def check_facts(self, chunk, column, values):
        """What the directory says beside what is needed to decode."""
        bad_group(values.count(None) == chunk.nulls, "nulls")
        if column.is_string and chunk.representation not in (NULL, IN_ROWS):
            self.check_size(chunk, values)
        at = 0
        for block in chunk.blocks:
            if block.stream in HOLD_ZONES:
                check_zone(block, column, values[at : at + block.rows])
                at += block.rows


# --- 15.4: zones --------------------------------------------------------------------------------


def zone_image(column, value):
    """None for NaN."""
    if column.is_string:
        return int.from_bytes(value[:8].ljust(8, b"\0"), "big")
    if column.type in (FLOAT, DOUBLE):
        number = real(column, value)
        if number != number:
            return None
        bits = u64(struct.pack("<d", number or 0.0), 0)
        return bits ^ MASK64 if bits >> 63 else bits | 1 << 63
    if column.type == DECIMAL128:
        return value >> 64 ^ 1 << 63
    if column.type == BOOL or column.type in UNSIGNED:
        return value
    return signed(column, value) + (1 << 63)


def check_zone(block, column, values):
    images = [zone_image(column, value) for value in values if value is not None]
    numbers = [image for image in images if image is not None]
    flags = block.zone_flags
    if flags & 1 and numbers:
        right = block.least <= min(numbers) and max(numbers) <= block.most and not flags & 8
        bad_group(right, "zone")
    if flags & 1:
        bad_group(None not in images or flags & 2, "zone: NaN")
        bad_group(None not in values or flags & 4, "zone: null")
    if flags & 1 and block.stream == CODES:
        bits = 0
        for value in {value for value in values if value is not None}:
            bits |= 1 << (xxh3_64(value) >> 58)
        bad_group(bits & ~block.presence == 0, "presence")


# --- 15.7: the text -----------------------------------------------------------------------------

BOOL_WORDS = {
    8: ("False", "True"), 9: ("FALSE", "TRUE"), 10: ("f", "t"), 11: ("no", "yes"), 14: ("F", "T"),
    15: ("No", "Yes"), 16: ("NO", "YES"), 17: ("n", "y"), 18: ("N", "Y"),
}  # fmt: skip
EPOCH = datetime.date(1970, 1, 1).toordinal()
DATES = {1: "{y}/{m}/{d}", 2: "{d}.{m}.{y}", 3: "{m}/{d}/{y}", 4: "{d}/{m}/{y}"}


def signed(column, image):
    bits = 8 * column.value_bytes
    return image - (image >> (bits - 1) << bits)


def real(column, image):
    form, size = ("<f", 4) if column.type == FLOAT else ("<d", 8)
    return struct.unpack(form, image.to_bytes(size, "little"))[0]


def as_float(number):
    return struct.unpack("<f", struct.pack("<f", number))[0]


def shortest_digits(number, form):
    """(digits, exponent of the first one) of a positive number: the fewest that give it again."""
    if form == "<d":
        mantissa, _, exponent = repr(number).partition("e")
        whole, _, part = mantissa.partition(".")
        digits = (whole + part).lstrip("0")
        leading = len(whole) - 1 if whole != "0" else -(len(part) - len(part.lstrip("0"))) - 1
        return digits.rstrip("0") or "0", leading + int(exponent or 0)
    for places in range(9):
        mantissa, _, exponent = f"{number:.{places}e}".partition("e")
        near = int(mantissa.replace(".", ""))
        for digits in (near, near - 1, near + 1):
            value = float(f"{digits}e{int(exponent) - places}")
            if value < 2.0**128 * (1 - 2.0**-25) and as_float(value) == number:
                return str(digits).rstrip("0"), int(exponent)
    raise ValueError(number)


def real_text(column, image):
    number = real(column, image)
    if number != number:
        return "nan"
    sign = "-" if struct.pack("<d", number)[7] & 128 else ""
    size = abs(number)
    if size in (0, float("inf")):
        return sign + ("0" if size == 0 else "inf")
    is_float = column.type == FLOAT
    digits, exponent = shortest_digits(size, "<f" if is_float else "<d")
    least = as_float(1e-4) if is_float else 1e-4
    plain = least <= size < (1e7 if is_float else 1e16)
    return sign + (plain_digits if plain else scientific_digits)(digits, exponent)


def scientific_digits(digits, exponent):
    point = "." if len(digits) > 1 else ""
    return f"{digits[0]}{point}{digits[1:]}e{'-' if exponent < 0 else '+'}{abs(exponent):02}"


def plain_digits(digits, exponent):
    if exponent < 0:
        return f"0.{'0' * (-exponent - 1)}{digits}"
    whole, part = digits[: exponent + 1].ljust(exponent + 1, "0"), digits[exponent + 1 :]
    return f"{whole}.{part}" if part else whole


def date_parts(days):
    """Year, month and day of a day since 1970-01-01."""
    days += 719468  # since 0000-03-01
    era, day = divmod(days, 146097)
    year = (day - day // 1460 + day // 36524 - day // 146096) // 365
    day -= 365 * year + year // 4 - year // 100
    month = (5 * day + 2) // 153
    day -= (153 * month + 2) // 5
    return year + 400 * era + (month >= 10), (month + 2) % 12 + 1, day + 1


def date_text(days, form):
    year, month, day = date_parts(days)
    year = f"{'-' if year < 0 else ''}{abs(year):04}"
    return form.format(y=year, m=f"{month:02}", d=f"{day:02}")


def timestamp_text(column, number):
    places = 3 * column.unit
    seconds, part = divmod(number, 10**places)
    days, seconds = divmod(seconds, 86400)
    letter = "T" if column.text in (6, 7) else " "
    time = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    point = f".{part:0{places}}" if places else ""
    return date_text(days, "{y}-{m}-{d}") + letter + time + point + "Z" * (column.text == 7)


def decimal_text(number, scale):
    digits = str(abs(number)).rjust(scale + 1, "0")
    whole = digits[: len(digits) - scale]
    return ("-" if number < 0 else "") + whole + ("." + digits[-scale:] if scale else "")


def value_text(column, value):
    if column.type == BOOL:
        return BOOL_WORDS.get(column.text, ("false", "true"))[value].encode()
    if column.is_string:
        return value
    if column.type in UNSIGNED:
        return str(value).encode()
    if column.type in (FLOAT, DOUBLE):
        text = real_text(column, value)
        whole = column.text == POINT_REAL and text.lstrip("-").isdigit()
        return (text + ".0" * whole).encode()
    number = signed(column, value)
    if column.type == DATE:
        return date_text(number, DATES.get(column.text, "{y}-{m}-{d}")).encode()
    if column.type == TIMESTAMP:
        return timestamp_text(column, number).encode()
    if column.type in (DECIMAL64, DECIMAL128):
        return decimal_text(number, column.scale).encode()
    return str(number).encode()


def parse_packed_rows(stream, rows):  # 19
    """The number of a row's fields, and all fields, None where they are empty."""
    from_ = Reader(stream, TableCode.BAD_ROW_GROUP)
    end, empty, count = from_.bytes(1), from_.bytes(1), from_.varint()
    fields = stream[from_.at :].split(end)
    bad_group(end != empty and count > 0 and fields.pop() == b"", "packed rows")
    bad_group(len(fields) - count * rows in (0, 1), "fields of packed rows")
    return count, [{b"": None, empty: b""}.get(text, text) for text in fields]


# --- 20: rows as their text ---------------------------------------------------------------------

LOOSE_NUMBER = re.compile(rb" *([+-]?)(\d*)(\.(\d*))?((?:[eE][+-]?\d+)?) *")


def loose_value(column, text):
    """The value of a text that may be written in other ways than value_text() has."""
    if text is None or column.is_string:
        return text
    value = parsed_value(column, text)
    if value is not None and value_text(column, value) == text:
        return value
    found = LOOSE_NUMBER.fullmatch(text)
    number = found and column.type not in (BOOL, DATE, TIMESTAMP)
    bad_group(number and (found[2] or found[4]), "a field that is no value")
    sign, whole, _, part, exponent = found.groups()
    if column.type in (FLOAT, DOUBLE):
        return parsed_value(column, text.strip(b" "))
    bad_group(not exponent, "a field that is no value")
    part = part or b""
    part = part[: column.scale] + part[column.scale :].rstrip(b"0")
    bad_group(len(part) <= column.scale, "a field that is no value")
    usual = (whole.lstrip(b"0") or b"0") + b"." * (column.scale > 0) + part.ljust(column.scale, b"0")
    usual = b"-" * (sign == b"-" and bool(usual.strip(b"0."))) + usual
    value = parsed_value(column, usual)
    right = value is not None and value_text(column, value) == usual
    bad_group(right, "a field that is no value")
    return value


class TextCuts:
    """Cuts the values of rows out of their text."""

    DELIMITED_PIECE, JSON_PIECE, FIXED_PIECE = range(3)
    OF_TEXT, OF_NULL, STORED = range(3)

    def __init__(self, schema, text, seen):
        self.schema = schema
        self.text = text
        self.letters = text.decode("latin-1")
        self.seen = seen
        self.at = 0

    def read(self, cuts, rows):
        """For each row, by number of the column what it has; None is a null."""
        head = Reader(cuts, TableCode.BAD_ROW_GROUP)
        plans = Reader(head.text(len(cuts)), TableCode.BAD_ROW_GROUP)
        self.stored = Reader(cuts[head.at :], TableCode.BAD_ROW_GROUP)
        found = []
        while len(found) < rows:
            count = plans.varint()
            bad_group(1 <= count <= rows - len(found), "rows of a plan")
            plan = self.plan(plans)
            for _ in range(count):
                found.append({})
                for cut in plan:
                    self.cut(found[-1], *cut)
        bad_group(plans.at == len(plans.data), "plans")
        bad_group(self.stored.at == len(self.stored.data), "stored values")
        return found

    def plan(self, plans):
        plan, following = [], 0
        while form := plans.number(1):
            bad_group(form <= 18, "form of a cut")
            piece, value = (form - 1) % 9 // 3, (form - 1) % 3
            column = plans.varint() if form > 9 else following
            skipped = plans.varint()
            size = plans.varint() if piece == self.FIXED_PIECE else 0
            bad_group(column < len(self.schema.columns), "column of a cut")
            bad_group(form <= 9 or column != following, "column of a cut")
            plan.append((piece, value, column, skipped, size))
            following = column + 1
            self.seen |= {f"piece {piece}", f"value {value} of a cut"}
        return plan

    def cut(self, row, piece, value, column, skipped, size):
        self.at += skipped
        bad_group(self.at <= len(self.text), "place of a cut")
        if piece == self.FIXED_PIECE:
            bad_group(size <= len(self.text) - self.at, "place of a cut")
            text = self.text[self.at : self.at + size]
            self.at += size
        else:
            take = self.delimited if piece == self.DELIMITED_PIECE else self.json
            text = take(self.schema.columns[column])
        if value == self.STORED:
            text = self.stored.text(len(self.stored.data))
        row[column] = None if value == self.OF_NULL else text

    def delimited(self, column):
        quote = self.schema.quote
        if quote and self.text.startswith(quote, self.at):
            q = re.escape(quote)
            found = re.compile(q + b"((?:[^" + q + b"]|" + q + q + b")*)" + q, re.S)
            found = found.match(self.text, self.at)
            bad_group(found, "a field")
            self.at = found.end()
            return found[1].replace(2 * quote, quote)
        ends = re.compile(b"[^\r\n" + re.escape(self.schema.delimiter) + b"]*")
        found = ends.match(self.text, self.at)
        self.at = found.end()
        null = self.schema.null if column.null is None else column.null
        return None if found[0] == null else found[0]

    def json(self, column):
        try:
            value, end = json.JSONDecoder().raw_decode(self.letters, self.at)
        except ValueError:
            bad_group(False, "a value of JSON")
        text, self.at = self.text[self.at : end], end
        if value is None:
            return None
        if not isinstance(value, str) or (column.is_string and column.text == RAW_JSON):
            return text
        surrogates = re.compile("[\ud800-\udfff]")
        return surrogates.sub("\ufffd", json.loads(text)).encode()


def packed_value(column, text):  # 19
    """The value that a field of packed rows says, which has no other text than this."""
    if text is None or column.is_string:
        return text
    plain = dataclasses.replace(column, text=0)
    value = parsed_value(plain, text)
    bad_group(value is not None and value_text(plain, value) == text, "a field that is no value")
    return value


def parsed_value(column, text):
    """An image for which value_text() may give this text."""
    try:
        word = text.decode("ascii")
        if column.type == BOOL:
            words = BOOL_WORDS.get(column.text, ("false", "true"))
            return words.index(word) if word in words else None
        if column.type in (FLOAT, DOUBLE):
            return int.from_bytes(struct.pack("<f" if column.type == FLOAT else "<d", float(word)),
                                  "little")  # fmt: skip
        if column.type in (DATE, TIMESTAMP):
            number = parsed_time(column, word)
        else:
            number = int(word.replace(".", ""))
    except (ValueError, OverflowError):
        return None
    return number & ((1 << 8 * column.value_bytes) - 1)


def parsed_time(column, text):
    form = DATES.get(column.text, "{y}-{m}-{d}") if column.type == DATE else "{y}-{m}-{d}"
    places = [form.format(y="yyyy", m="mm", d="dd").index(letter) for letter in "ymd"]
    year, month, day = (int(text[p : p + n]) for p, n in zip(places, (4, 2, 2)))
    number = datetime.date(year, month, day).toordinal() - EPOCH
    if column.type == DATE:
        return number
    for part, unit in ((text[11:13], 24), (text[14:16], 60), (text[17:19], 60)):
        number = number * unit + int(part)
    places = 3 * column.unit
    return number * 10**places + int(text[20:].rstrip("Z") or 0)


ESCAPES = {8: b"\\b", 9: b"\\t", 10: b"\\n", 12: b"\\f", 13: b"\\r", 34: b'\\"', 92: b"\\\\"}


def json_string(schema, text):
    """As 15.7 has it; bytes that are no UTF-8 become single surrogates and bytes again."""
    escaped = []
    for character in text.decode("utf-8", "surrogateescape"):
        byte = ord(character)
        if byte in ESCAPES:
            escaped.append(ESCAPES[byte])
        elif byte < 32:
            escaped.append(b"\\u%04x" % byte)
        elif character == "/" and schema.line_flags & JSON_SLASHES:
            escaped.append(b"\\/")
        elif byte > 127 and schema.line_flags & JSON_ASCII and not 0xDC80 <= byte < 0xDD00:
            units = character.encode("utf-16-be")
            escaped += (b"\\u" + units[at : at + 2].hex().encode() for at in range(0, len(units), 2))
        else:
            escaped.append(character.encode("utf-8", "surrogateescape"))
    return b'"' + b"".join(escaped) + b'"'


# Spellings: numbers.
PLUS, NO_ZERO, POINT, UPPER_E, PLUS_EXPONENT, COMMA = 1, 2, 4, 8, 16, 32
MOST_DIGITS, MOST_BLANKS, MOST_EXPONENT_DIGITS, MOST_FRACTION_DIGITS = 64, 48, 4, 18


def blanks(count):
    return b" " * min(count, MOST_BLANKS)


def spelled_double(number, notation, digits):
    """The digits of a finite double, at least 0, in one of the notations f, g, e and s."""
    if notation in "fe":
        text = f"{number:.{digits}{notation}}"
    elif notation == "s":
        text = scientific_digits(*(shortest_digits(number, "<d") if number else ("0", 0)))
    elif number == int(number):
        text = str(int(number))
    else:
        text = plain_digits(*shortest_digits(number, "<d"))
    return text if len(text) <= MOST_DIGITS else ""


def number_digits(column, value, notation, digits):
    """(whether it is negative, the digits of the number's size)"""
    if column.type == DOUBLE and notation != "i":
        number = real(column, value)
        if abs(number) < float("inf"):
            negative = struct.pack("<d", number)[7] & 128 != 0
            return negative, spelled_double(abs(number), notation, digits)
    text = value_text(column, value).decode()
    return text[:1] == "-", text.removeprefix("-")


def grouped(whole, group):
    if not group:
        return whole.encode()
    first = len(whole) % 3
    pieces = [whole[:first], *(whole[at : at + 3] for at in range(first, len(whole), 3))]
    return bytes([group]).join(piece.encode() for piece in pieces if piece)


def exponent_text(exponent, flags, least):
    sign = exponent[0] if exponent[0] == "-" or flags & PLUS_EXPONENT else ""
    digits = exponent[1:].lstrip("0") or "0"
    digits = digits.rjust(min(least, MOST_EXPONENT_DIGITS), "0")
    return ("E" if flags & UPPER_E else "e") + sign + digits


def spelled_number(column, value, spelling):
    _, notation, digits, flags, least, before, after, group = spelling[:8].ljust(8, b"\0")
    notation = chr(notation) if chr(notation) in "ifes" else "g"
    negative, text = number_digits(column, value, notation, digits)
    mantissa, e, exponent = text.partition("e")
    whole, _, part = mantissa.partition(".")
    if whole == "0" and part and flags & NO_ZERO:
        whole = ""
    sign = b"-" if negative else b"+" if flags & PLUS else b""
    point = b"," if flags & COMMA else b"."
    made = blanks(before) + sign + grouped(whole, group)
    made += (point if part or flags & POINT else b"") + part.encode()
    made += exponent_text(exponent, flags, least).encode() if e else b""
    return made + blanks(after)


# Spellings: times.
NO_ZEROS, SHORT_YEAR, SHORT_HOUR, TWELVE_HOURS, LOWER_HALF, BLANK_HALF, BLANK_ZONE = (
    1, 2, 4, 8, 16, 32, 64,
)  # fmt: skip


def spelled_date(days, order, mark, flags):
    year, month, day = date_parts(days)
    month, day = (f"{part:0{1 if flags & NO_ZEROS else 2}}".encode() for part in (month, day))
    sign = "-" if year < 0 and not flags & SHORT_YEAR else ""
    year = (f"{year % 100:02}" if flags & SHORT_YEAR else f"{sign}{abs(year):04}").encode()
    parts = {0: (year, month, day), 2: (day, month, year)}.get(order, (month, day, year))
    return bytes([mark]).join(parts)


def spelled_clock(seconds, part, places, clock, digits, flags):
    hour, half = seconds // 3600, "pm" if seconds >= 12 * 3600 else "am"
    if flags & TWELVE_HOURS:
        hour = (hour + 11) % 12 + 1
    text = f"{hour:0{1 if flags & SHORT_HOUR else 2}}:{seconds // 60 % 60:02}"
    if clock > 1:
        text += f":{seconds % 60:02}"
    digits = min(digits, MOST_FRACTION_DIGITS)
    if digits:
        fraction = f"{part:0{places}}" if places else ""
        text += "." + fraction[:digits].ljust(digits, "0")
    if flags & TWELVE_HOURS:
        text += " " * (flags & BLANK_HALF != 0)
        text += half if flags & LOWER_HALF else half.upper()
    return text.encode()


def spelled_zone(zone, offset, flags):
    text = " " if flags & BLANK_ZONE else ""
    if zone == "Z":
        return (text + "Z").encode()
    text += f"{'-' if offset < 0 else '+'}{abs(offset) // 60:02}"
    if zone != "2":
        text += (":" if zone == ":" else "") + f"{abs(offset) % 60:02}"
    return text.encode()


def spelled_time(column, value, spelling):
    fields = spelling[:12].ljust(12, b"\0")
    _, order, mark, flags, clock, between, digits, zone, before, after = fields[:10]
    (offset,) = struct.unpack("<h", fields[10:])
    days, seconds, part, places = signed(column, value), 0, 0, 0
    if column.type == TIMESTAMP:
        places = 3 * column.unit
        seconds, part = divmod(days, 10**places)
        days, seconds = divmod(seconds + (60 * offset if zone else 0), 86400)
    made = blanks(before) + spelled_date(days, order, mark, flags)
    if clock:
        made += bytes([between]) + spelled_clock(seconds, part, places, clock, digits, flags)
    made += spelled_zone(chr(zone), offset, flags) if zone else b""
    return made + blanks(after)


def spelled_text(column, value, spelling):
    """The text of a value with a spelling; None where the spelling does not suit the type."""
    kind = spelling[:1]
    if kind == b"t" and column.type in (DATE, TIMESTAMP):
        return spelled_time(column, value, spelling)
    if kind == b"n" and not (column.is_string or column.type in (BOOL, DATE, TIMESTAMP)):
        return spelled_number(column, value, spelling)
    return None


def json_value(schema, column, value, spelling):
    if value is None:
        return b"null"
    if column.type == BOOL:
        return b"true" if value else b"false"
    spelled = spelled_text(column, value, spelling)
    if spelled is not None:
        return json_string(schema, spelled) if spelling[:1] == b"t" else spelled
    text = value_text(column, value)
    in_quotes = column.is_string or column.type in (DATE, TIMESTAMP) or text[-1:] in (b"n", b"f")
    if column.is_string and column.text == RAW_JSON:
        return text if schema.line_flags & JSON_SPACING else text.replace(b"\n", b" ")
    return json_string(schema, text) if in_quotes else text


def json_field(schema, column, value, spelling):
    name = json_string(schema, column.name) + schema.spacing[2]
    if spelling[:1] == b"=":
        return name + spelling[1:]
    return name + json_value(schema, column, value, spelling or own_spelling(schema, column))


def own_spelling(schema, column):
    return column.spelling if schema.exact else b""


def json_row(schema, values, spellings):
    present = {number for number, value in enumerate(values) if value is not None}
    for order in schema.orders:
        if {key for key in order if key < KEY_OF_NULL} == present:
            keys = [key & ~KEY_OF_NULL for key in order]
            break
    else:
        keys = range(len(values))
        if schema.line_flags & JSON_OMITS_NULLS:
            keys = sorted(present)
    before, open_, _, between, close, after = schema.spacing
    fields = (json_field(schema, schema.columns[key], values[key], spellings[key]) for key in keys)
    return before + b"{" + open_ + between.join(fields) + close + b"}" + after


def delimited_field(schema, column, value, spelling):
    if spelling[:1] == b"=":
        return spelling[1:]
    if value is None:
        return column.null if schema.exact and column.null is not None else schema.null
    text = spelled_text(column, value, spelling or own_spelling(schema, column))
    if text is None:
        text = value_text(column, value)
    if not schema.quote:
        return text
    marks = (schema.delimiter, schema.quote, b"\n", b"\r")
    needed = text == schema.null or any(mark in text for mark in marks)
    needed = needed or column.quoting == 1
    if column.is_string and spelling[:1] in (b"q", b"u"):
        needed = spelling[:1] == b"q"
    if not needed:
        return text
    return schema.quote + text.replace(schema.quote, 2 * schema.quote) + schema.quote


def row_text(schema, values, spellings):
    if schema.kind == JSON_LINES:
        return json_row(schema, values, spellings)
    end = b"\r\n" if schema.carriage_return else b"\n"
    fields = zip(schema.columns, values, spellings)
    row = schema.delimiter.join(delimited_field(schema, *field) for field in fields)
    return row + (schema.delimiter if schema.trailing_delimiter else b"") + end


def group_text(schema, group, columns, spellings, lines):
    pieces = []
    for row, values in enumerate(zip(*columns)):
        exact = lines.get(row)
        if exact is None:
            exact = row_text(schema, values, [column[row] for column in spellings])
        pieces.append(exact)
    return b"".join(pieces) + lines.get(group.rows, b"")


def check_text(group, text):
    bad_group((len(text), text.count(b"\n")) == (group.text_bytes, group.text_lines), "text")
    require(xxh3_64(text) == group.text_checksum, Code.CONTENT_CHECKSUM, "text")


# --- 15.1, 15.6: the file, front to back --------------------------------------------------------


@dataclass
class Member:
    offset: int
    schema: Optional[Schema] = None
    metadata: list = field(default_factory=list)
    first_group: Optional[int] = None
    places: list = field(default_factory=list)
    groups: list = field(default_factory=list)
    values: list = field(default_factory=list)  # of the columns of each row group
    text: bytearray = field(default_factory=bytearray)
    encoded: bytearray = field(default_factory=bytearray)  # the text in its own encoding


@dataclass
class Decoded:
    text: bytes
    members: list
    seen: set  # what of the format occurred


class Decoder:
    def __init__(self, data):
        self.data = bytes(data)
        self.at = 0
        self.members = []
        self.seen = set()

    def decode(self):
        while self.at < len(self.data) or not self.members:
            try:
                self.read_member()
            except FormatError as error:
                if error.offset is None:
                    error.offset = self.at
                raise
        text = b"".join(bytes(member.encoded) for member in self.members)
        return Decoded(text, self.members, self.seen)

    def need(self, size):
        if len(self.data) - self.at < size:
            raise FormatError(Code.TRUNCATED, offset=len(self.data))
        return self.data[self.at : self.at + size]

    def read_member(self):
        if self.data[self.at : self.at + 8] != decode.MAGIC:
            raise FormatError(Code.LOST_SYNC if self.members else Code.NOT_PRESSO)
        _, content = decode.parse_file_header(self.need(32))
        require(content == decode.TABLE, Code.CONTENT, "bytes")
        self.members.append(Member(self.at))
        self.at += 32
        while self.members[-1].schema is None:
            self.read_before_schema(self.kind())
        while self.kind() != b"I":
            self.read_behind_schema(self.kind())
        self.read_end()

    def kind(self):
        start = self.need(4)
        require(start[:3] == decode.SYNC, Code.LOST_SYNC)
        return start[3:]

    def section(self, most):
        """Payload of a section that is known, with the section's stored size; moves behind it."""
        header = decode.parse_section_header(self.need(32))
        require(header.payload_bytes <= most, Code.BAD_HEADER, "section size")
        stored = self.need(32 + padded(header.payload_bytes))
        payload = stored[32 : 32 + header.payload_bytes]
        require(xxh3_64(payload) == header.checksum, Code.SECTION_CHECKSUM)
        return header, payload, len(stored)

    def skip_section(self):
        header = decode.parse_section_header(self.need(32))
        stored = self.need(32 + padded(header.payload_bytes))
        require(not header.mandatory, Code.UNKNOWN_MANDATORY_SECTION, header.kind)
        self.at += len(stored)

    def read_before_schema(self, kind):
        member = self.members[-1]
        require(kind not in (b"B", b"G", b"I", b"T"), Code.BAD_HEADER, "place of a frame")
        if kind == b"M":
            _, payload, stored = self.section(decode.SECTION_LIMITS["M"])
            member.metadata = decode.parse_metadata(payload)
        elif kind == b"C":
            header, payload, stored = self.section(MAX_SCHEMA_BYTES)
            payload = section_payload(header, payload, MAX_SCHEMA_BYTES, Code.BAD_HEADER)
            member.schema = parse_schema(payload)
            self.check_same_columns()
            member.text += member.schema.head
            member.encoded += encoded(member.schema, member.schema.head)
            member.first_group = self.at + stored - member.offset
        else:
            return self.skip_section()
        self.at += stored

    def check_same_columns(self):
        first, own = self.members[0].schema, self.members[-1].schema
        same = [c.identity for c in first.columns] == [c.identity for c in own.columns]
        require(same, TableCode.BAD_SCHEMA, "differs from the tables before it")

    def read_behind_schema(self, kind):
        require(kind not in (b"B", b"C", b"T"), Code.BAD_HEADER, "place of a frame")
        if kind != b"G":
            return self.skip_section()
        member = self.members[-1]
        header, payload, directory = self.section(MAX_DIRECTORY_BYTES)
        payload = section_payload(header, payload, MAX_DIRECTORY_BYTES, Code.BAD_HEADER)
        group = parse_row_group(payload, member.schema)
        size = directory + sum(block.stored_bytes for block in group.blocks)
        stored = self.need(size)
        decoder = GroupDecoder(member.schema, group, stored[directory:], self.seen)
        columns, spellings = decoder.columns(), decoder.spellings()
        if group.is_text:
            text = decoder.all_bytes(PACKED_ROWS)
        else:
            lines = decoder.exact_lines()
            text = group_text(member.schema, group, columns, spellings, lines)
        if member.schema.exact:
            check_text(group, text)
        member.text += text
        member.encoded += encoded(member.schema, text)
        texts = group.text_bytes, group.text_lines
        member.places.append((size, directory, group.rows, *texts))
        member.groups.append(group)
        member.values.append(columns)
        self.at += size

    def read_end(self):
        member = self.members[-1]
        groups, columns = len(member.groups), len(member.schema.columns)
        index_offset = self.at - member.offset
        header, payload, stored = self.section(MAX_INDEX_BYTES)
        payload = section_payload(header, payload, MAX_INDEX_BYTES, Code.BAD_INDEX)
        rows = sum(group.rows for group in member.groups)
        texts = len(member.text), member.text.count(b"\n")
        totals = (groups, rows, *(texts if member.schema.exact else (0, 0)), member.first_group)
        from_ = Reader(payload, Code.BAD_INDEX)
        require(tuple(from_.varint() for _ in totals) == totals, Code.BAD_INDEX, "totals")
        for place in member.places:
            right = tuple(from_.varint() for _ in place) == place
            require(right, Code.BAD_INDEX, "place of a row group")
        for group in member.groups:
            for chunk in group.chunks[:columns]:
                least, most, nulls, flags = index_zone(chunk)
                right = from_.number(1) == flags and from_.varint() == nulls
                if right and flags & 9 == 1:
                    right = (from_.image(), from_.image()) == (least, most)
                require(right, Code.BAD_INDEX, "zones")
        require(from_.at == len(payload), Code.BAD_INDEX, "size")
        self.at += stored
        trailer = self.need(32)
        require(trailer[:4] == decode.SYNC + b"T", Code.LOST_SYNC)
        decode.check_header_checksum(trailer)
        sound = u64(trailer, 8) <= u64(trailer, 16) and not u32(trailer, 4) and not u32(trailer, 24)
        require(sound, Code.BAD_HEADER, "trailer")
        self.at += 32
        right = u64(trailer, 8) == index_offset and u64(trailer, 16) == self.at - member.offset
        require(right, Code.BAD_INDEX, "trailer")


# --- 21: coded sections -------------------------------------------------------------------------

MAX_CODED_PAYLOAD = 1 << 20
ORDERS = (0, 1, 2, 3, 5)
CURVE = (
    1, 2, 3, 6, 10, 16, 27, 45, 73, 120, 194, 310, 488, 747, 1101, 1546, 2047, 2549, 2994, 3348,
    3607, 3785, 3901, 3975, 4022, 4050, 4068, 4079, 4085, 4089, 4092, 4093, 4094,
)  # fmt: skip
GOLDEN = 0x9E3779B97F4A7C15


def squash(x):
    x = max(-2047, min(2047, x)) + 2048
    return (CURVE[x // 128] * (128 - x % 128) + CURVE[x // 128 + 1] * (x % 128) + 64) // 128


def stretched():
    table = []
    for x in range(-2047, 2048):
        table += [x] * (squash(x) + 1 - len(table))
    return table + [2047] * (4096 - len(table))


STRETCH = stretched()


class Slot:
    def __init__(self):
        self.probability, self.count = 32768, 0

    def learn(self, right):
        wrong = 2 * ((65535 if right else 0) - self.probability)
        step = abs(wrong) // (2 * self.count + 3)  # rounded towards zero
        self.probability += step if wrong > 0 else -step
        self.count = min(self.count + 1, 60)


def decode_payload(coded, most, code):
    from_ = Reader(coded, code)
    size = from_.varint()
    require(size <= min(most, MAX_CODED_PAYLOAD), code, "size of a coded payload")
    rest, read = coded[from_.at :], 4
    word = int.from_bytes(rest[:4].ljust(4, b"\0"), "big")
    low, high = 0, MASK32
    slot_bits = min(size.bit_length() + 5, 16)
    tables_ = [collections.defaultdict(Slot) for _ in ORDERS]
    weights = [20000, 20000, 20000, 24000, 28000, 24000]
    matches = [Slot() for _ in range(32)]
    places, match, length = {}, 0, 0
    out = bytearray()

    def hashed(count):
        last = int.from_bytes(out[-count:], "big") if count else 0
        return (last * GOLDEN & MASK64) >> 32

    while len(out) < size:
        node, hashes = 1, [hashed(order) for order in ORDERS]
        for place in range(8):
            slots, inputs = [], []
            for table, value in zip(tables_, hashes):
                key = ((value + node * 0x9E3779B1) * 0x85EBCA6B & MASK32) >> (32 - slot_bits)
                slots.append(table[key])
                inputs.append(STRETCH[slots[-1].probability >> 4])
            expected = None
            if length and (out[match] | 256) >> (8 - place) == node:
                expected = out[match] >> (7 - place) & 1
                of_match = matches[length]
                inputs.append(STRETCH[of_match.probability >> 4] * (1 if expected else -1))
            else:
                inputs.append(0)
            total = sum(weight * value for weight, value in zip(weights, inputs)) >> 16
            mixed = max(1, min(4095, squash(total)))
            middle = low + (high - low >> 12) * mixed
            bit = int(word <= middle)
            low, high = (low, middle) if bit else (middle + 1, high)
            error = ((bit << 12) - mixed) * 10
            weights = [w + (i * error + 0x2000 >> 14) for w, i in zip(weights, inputs)]
            for slot in slots:
                slot.learn(bit)
            if expected is not None:
                of_match.learn(bit == expected)
                length = length if bit == expected else 0
            node = 2 * node + bit
            while (low ^ high) >> 24 == 0:
                low, high = low << 8 & MASK32, (high << 8 | 255) & MASK32
                word = (word << 8 | (rest[read] if read < len(rest) else 0)) & MASK32
                read += 1
        out.append(node & 255)
        if length:
            match, length = match + 1, min(length + 1, 31)
        if len(out) >= 5:
            key = hashed(5) >> (32 - slot_bits)
            if not length and places.get(key):
                match, length = places[key], 1
            places[key] = len(out)
    require(read == len(rest) + 3, code, "size of a coded payload")
    return bytes(out)


def section_payload(header, payload, most, code):
    require(header.parameter in (1, 2), code, "parameter")
    if header.parameter == 1:
        return payload
    return decode_payload(payload, most, Code.BAD_HEADER)


def encoded(schema, text):
    if not schema.encoding:
        return text
    try:
        return text.decode().encode(schema.encoding)
    except UnicodeError:
        require(False, TableCode.BAD_ROW_GROUP, "characters of the text")


def index_zone(chunk):  # 15.6
    blocks = [block for block in chunk.blocks if block.stream in HOLD_ZONES]
    full = [block for block in blocks if not block.zone_flags & 8]
    flags = int(bool(blocks) and all(block.zone_flags & 1 for block in blocks))
    for block in blocks:
        flags |= block.zone_flags & 6
    flags |= (4 if chunk.nulls else 0) | (0 if full else 8)
    if chunk.representation == IN_ROWS:
        flags = 4 if chunk.nulls else 0
    least = most = 0
    if full and flags & 1:
        least = min(block.least for block in full)
        most = max(block.most for block in full)
    return least, most, chunk.nulls, flags


def decode_table(data):
    """Raises FormatError with code, block and offset."""
    return Decoder(data).decode()


def main(arguments):
    if len(arguments) != 1:
        sys.exit("usage: tables.py FILE > text")
    with open(arguments[0], "rb") as file:
        data = file.read()
    try:
        sys.stdout.buffer.write(decode_table(data).text)
    except FormatError as error:
        sys.exit(f"{arguments[0]}: block {error.block}, offset {error.offset}: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
