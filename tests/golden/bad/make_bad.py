#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Bad files, each wrong in one way, with the error that every decoder must report for it.

    make_bad.py           writes the files and manifest.json beside this script

Each case says what is wrong, and where: the block (None: the error has none) and the offset of the
bad frame. Unless a case is about a checksum, all checksums are right. bad_files_test.py checks
that the committed files are what this script makes, and runs every decoder over them.

A decoder that goes by the index does not see everything (FORMAT.md 11): `indexed` gives its error
where it is another one, or OK where it decodes the file. OK also stands for sequential decoders
that need not notice a broken dependency rule.
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))

import bit_cases  # noqa: E402
import builder  # noqa: E402
from builder import (  # noqa: E402
    BLOCK_BYTES,
    LITERAL_AWARE,
    STRICT,
    TILE,
    TWO_WAVE,
    File,
    Layout,
    Seq,
    Streams,
)
from decode import Code  # noqa: E402
from xxh3 import xxh3_64  # noqa: E402

OK = 0
CASES = {}


def bad(name, data, code, offset, block=None, indexed=None, fast=None, plain=None):
    """`plain`: what decoders deliver that accept the file."""
    assert name not in CASES, name
    if plain is not None:
        plain = f"{xxh3_64(plain):016x}"
    CASES[name] = dict(
        data=bytes(data),
        code=int(code),
        block=block,
        offset=offset,
        indexed=int(code if indexed is None else indexed),
        fast=int(code if fast is None else fast),
        plain=plain,
    )


# Plain contents and frames that many cases share.
TEXT = b"a small block of text\n"
FULL = bytes(range(256)) * (BLOCK_BYTES // 256)  # exactly one block
FULL_BLOCK = builder.coded_block([Seq(FULL[:256], BLOCK_BYTES - 256, 256)])
FIRST = 32  # offset of the first frame behind the file header


def with_block(block):
    """A whole file with one block."""
    return File().add_block(block).finish()


def small_file():
    return with_block(builder.raw_block(TEXT))


def patched(data, at, new):
    return data[:at] + new + data[at + len(new) :]


# --- file header ----------------------------------------------------------------------------------


def file_headers():
    header = builder.file_header
    rest = small_file()[32:]
    bad("empty-input", b"", Code.NOT_PRESSO, 0)
    bad("not-presso", b"hello, world\n" * 10, Code.NOT_PRESSO, 0)
    bad("shorter-than-the-magic", small_file()[:7], Code.NOT_PRESSO, 0)
    bad("magic", header(magic=b"\x89PRESSP\n") + rest, Code.NOT_PRESSO, 0)
    bad("header-cut-off", small_file()[:31], Code.TRUNCATED, 31)
    bad("header-checksum", patched(small_file(), 12, b"\x01"), Code.HEADER_CHECKSUM, 0)
    bad("version", header(version=5) + rest, Code.UNSUPPORTED_VERSION, 0)
    bad("table-where-bytes-are-due", header(version=4, content=1) + rest, Code.CONTENT, 0)
    bad("table-in-version-3", header(version=3, content=1) + rest, Code.BAD_HEADER, 0)
    bad("content-2", header(version=4, content=2) + rest, Code.BAD_HEADER, 0)
    bad("block-bytes-too-small", header(block_bytes=16383) + rest, Code.BAD_HEADER, 0)
    bad("block-bytes-too-large", header(block_bytes=(4 << 20) + 1) + rest, Code.BAD_HEADER, 0)
    bad("header-reserved", header(reserved=1) + rest, Code.BAD_HEADER, 0)


# --- truncation -----------------------------------------------------------------------------------


def truncation():
    """One block at 32 (48 + 22 bytes, stored in 80), index at 112 (64), trailer at 176 (32)."""
    file = small_file()
    assert len(file) == 208
    cut = lambda size: file[:size]  # noqa: E731
    # Walking finds the whole blocks of a file that was cut off, so "indexed" may succeed.
    bad("cut-behind-the-header", cut(32), Code.TRUNCATED, 32, block=0)
    bad("cut-in-the-sync", cut(35), Code.TRUNCATED, 35, block=0)
    bad("cut-in-the-block-header", cut(79), Code.TRUNCATED, 79, block=0, indexed=OK, plain=b"")
    bad("cut-in-the-payload", cut(90), Code.TRUNCATED, 90, block=0, indexed=OK, plain=b"")
    bad("cut-in-the-padding", cut(111), Code.TRUNCATED, 111, block=0, indexed=OK, plain=b"")
    bad("cut-behind-the-block", cut(112), Code.TRUNCATED, 112, block=1, indexed=OK, plain=TEXT)
    bad("cut-in-the-index", cut(160), Code.TRUNCATED, 160, indexed=OK, plain=TEXT)
    bad("cut-behind-the-index", cut(176), Code.TRUNCATED, 176, block=1, indexed=OK, plain=TEXT)
    bad("cut-in-the-trailer", cut(207), Code.TRUNCATED, 207, indexed=OK, plain=TEXT)


# --- block header ---------------------------------------------------------------------------------


def block_headers():
    def raw(name, code=Code.BAD_HEADER, **fields):
        block = builder.raw_block(TEXT, **fields)
        bad(name, with_block(block), code, FIRST, block=0)

    def byte(name, code=Code.BAD_HEADER, layout=None, **fields):
        streams = Streams([Seq(b"abcd", 8, 4)], b"tail-of-the-block", layout)
        plain = b"abcdabcdabcdtail-of-the-block"
        block = builder.byte_block(streams, plain, **fields)
        bad(name, with_block(block), code, FIRST, block=0)

    sync_lost = patched(small_file(), FIRST, b"\0")
    bad("no-sync", sync_lost, Code.LOST_SYNC, FIRST, block=0)
    flipped = patched(small_file(), FIRST + 4, b"\1")
    bad("block-header-checksum", flipped, Code.HEADER_CHECKSUM, FIRST, block=0)

    raw("plain-bytes-0", plain_bytes=0)
    raw("plain-bytes-above-4-mib", plain_bytes=(4 << 20) + 1)
    raw("payload-above-plain", payload_bytes=len(TEXT) + 1)
    raw("raw-payload-below-plain", payload_bytes=len(TEXT) - 1)
    raw("raw-with-layout", layout=0x44)
    raw("raw-with-literals", literals=len(TEXT))
    raw("raw-with-dictionary", dictionary_id=1)
    raw("coding-retired", Code.UNKNOWN_CODING, coding=2)
    raw("coding-reserved", Code.UNKNOWN_CODING, coding=4)
    raw("coding-unknown", Code.UNKNOWN_CODING, coding=200)

    byte("literal-bits-1", layout=Layout(1))
    byte("literal-bits-5", layout=Layout(5, far=True))
    byte("min-match-2", layout=Layout(min_match=2))
    byte("rule-5", rule=5)
    byte("group-of-16", group_log2=4)
    byte("group-of-2048", group_log2=11)
    byte("tile-of-512", rule=TILE, group_log2=9)
    byte("literals-above-plain", literals=30)
    byte("sequences-above-plain", sequences=30)
    byte("far-offsets-without-far", far_offsets=1)
    byte("far-offsets-above-sequences", layout=Layout(far=True), far_offsets=2)
    byte("literal-escapes-above-sequences", literal_escapes=2)
    byte("match-escapes-above-sequences", match_escapes=2)
    byte("block-reserved", reserved=1)
    byte("streams-above-payload", Code.BAD_PAYLOAD_SIZE, literals=25)
    byte("sequences-fill-payload-twice", Code.BAD_PAYLOAD_SIZE, sequences=8)


# --- order of blocks ------------------------------------------------------------------------------


def block_order():
    second = FIRST + len(FULL_BLOCK)

    def two(first, block):
        return File().add_block(first).add_block(block).finish()

    # The index is right about where the second block is, so only the block itself is refused.
    first_is_1 = with_block(builder.raw_block(TEXT, number=1))
    bad("block-number-1-first", first_is_1, Code.BAD_HEADER, FIRST, 0, indexed=Code.BAD_INDEX)
    twice = two(FULL_BLOCK, builder.raw_block(TEXT, number=0))
    bad("block-number-twice", twice, Code.BAD_HEADER, second, 1, indexed=Code.BAD_INDEX)
    gap = two(FULL_BLOCK, builder.raw_block(TEXT, number=2))
    bad("block-number-gap", gap, Code.BAD_HEADER, second, 1, indexed=Code.BAD_INDEX)

    short = builder.raw_block(TEXT)
    file = two(short, builder.raw_block(TEXT, number=1))
    bad("short-block-in-the-middle", file, Code.BAD_HEADER, FIRST + len(short), 1)
    long_plain = FULL + b"!"
    long_block = builder.coded_block([Seq(FULL[:256], BLOCK_BYTES - 256, 256)], b"!")
    assert len(long_plain) == BLOCK_BYTES + 1
    bad("block-above-block-bytes", with_block(long_block), Code.BAD_HEADER, FIRST, 0)


# --- sections -------------------------------------------------------------------------------------


def sections():
    block = builder.raw_block(TEXT)

    def front(name, frames, code, offset=FIRST, indexed=None, plain=None):
        """A file whose first frames are `frames`, before one good block."""
        file = File()
        for frame in frames:
            file.add(frame)
        bad(name, file.add_block(block).finish(), code, offset, indexed=indexed, plain=plain)

    section = builder.section
    unknown = Code.UNKNOWN_MANDATORY_SECTION
    front("mandatory-unknown", [section(b"Z", b"what?", mandatory=True)], unknown)
    front("mandatory-reserved-kind", [section(b"C", b"", mandatory=True)], unknown)
    front("section-flags", [section(b"Z", b"", flags=2)], Code.BAD_HEADER)
    damaged = patched(section(b"Z", b"payload"), 8, b"\x08")
    front("section-header-checksum", [damaged], Code.HEADER_CHECKSUM)
    # A section that is skipped is not read, so what it claims shows at the end of the input.
    size_of_file = 32 + 32 + len(block) + 64 + 32
    skipped = [section(b"Z", b"", size=1 << 60)]
    front("skipped-section-2-to-the-60", skipped, Code.TRUNCATED, size_of_file)
    front("section-above-2-to-the-62", [section(b"Z", b"", size=(1 << 62) + 1)], Code.BAD_HEADER)
    front("metadata-2-to-the-60", [section(b"M", b"", size=1 << 60)], Code.BAD_HEADER)
    front("metadata-above-1-mib", [section(b"M", b"", size=(1 << 20) + 1)], Code.BAD_HEADER)
    front("metadata-parameter", [section(b"M", b"", parameter=1)], Code.BAD_HEADER)
    wrong_sum = [section(b"M", builder.metadata([(b"name", b"x")]), checksum=1)]
    front("section-checksum", wrong_sum, Code.SECTION_CHECKSUM)
    front("metadata-entry-cut-off", [section(b"M", b"\4\0\1")], Code.BAD_METADATA)
    long_value = b"\4\0" + b"\xff\xff\xff\xff" + b"name"  # a value of 2^32 - 1 bytes
    front("metadata-value-too-long", [section(b"M", long_value)], Code.BAD_METADATA)
    empty = section(b"M", b"")
    front("metadata-twice", [empty, empty], Code.BAD_HEADER, FIRST + len(empty))

    behind = FIRST + len(block)
    late = File().add_block(block).add(empty)
    bad("metadata-behind-a-block", late.finish(), Code.BAD_HEADER, behind, indexed=OK, plain=TEXT)
    late = File().add_block(block).add(section(b"Z", b"", mandatory=True))
    bad("mandatory-behind-the-blocks", late.finish(), unknown, behind, indexed=OK, plain=TEXT)
    lines = section(b"L", builder.lines_payload(TEXT, BLOCK_BYTES), parameter=1)
    cut = File().add_block(block)
    short = patched(lines, 0, section(b"L", b"", parameter=1, size=1 << 60))
    at_end = len(cut.data) + len(short) + 64 + 32
    # Its size is believed by who goes from front to back, and not looked at by the others.
    bad("line-facts-2-to-the-60", cut.add(short).finish(), Code.TRUNCATED, at_end, indexed=OK,
        plain=TEXT)  # fmt: skip
    before = File().add_block(FULL_BLOCK)
    before.add(section(b"L", builder.lines_payload(FULL, BLOCK_BYTES), parameter=1))
    offset = len(before.data)
    before.add_block(builder.raw_block(TEXT, number=1))
    wrong = Code.HEADER_CHECKSUM  # of an indexed reader, as in the next case
    bad("line-facts-between-blocks", before.finish(), Code.BAD_HEADER, offset, 1, wrong)
    between = File().add_block(FULL_BLOCK).add(section(b"Z", b""))
    offset = len(between.data)
    between.add_block(builder.raw_block(TEXT, number=1))
    # The index cannot express the gap: where it says that block 1 begins, the section does.
    bad(
        "section-between-blocks", between.finish(), Code.BAD_HEADER, offset, 1, Code.HEADER_CHECKSUM
    )


def dictionaries():
    section = builder.section
    content = b"words that stand in the dictionary, and more of them"
    inner = builder.raw_block(content, kind=b"d")

    def dictionary(name, payload, code, parameter=1, size=None, offset=FIRST):
        frame = section(b"D", payload, mandatory=True, parameter=parameter, size=size)
        file = File().add(frame).add_block(builder.raw_block(TEXT))
        bad(name, file.finish(), code, offset)

    dictionary("dictionary-id-0", inner, Code.BAD_HEADER, parameter=0)
    dictionary("dictionary-id-17", inner, Code.BAD_HEADER, parameter=17)
    dictionary("dictionary-2-to-the-60", inner, Code.BAD_HEADER, size=1 << 60)
    above = (4 << 20) // 128 * 129 + 1
    dictionary("dictionary-stored-above-its-limit", inner, Code.BAD_HEADER, size=above)
    # 1 byte and 4 MiB: refused before the second block is decoded.
    huge = builder.byte_block(Streams(), b"", kind=b"d", number=1, plain_bytes=4 << 20)
    one = builder.raw_block(b"1", kind=b"d")
    dictionary("dictionary-above-4-mib", one + huge, Code.BAD_HEADER)
    dictionary("dictionary-of-file-blocks", builder.raw_block(content), Code.BAD_HEADER)
    numbered = builder.raw_block(content, kind=b"d", number=1)
    dictionary("dictionary-block-number", numbered, Code.BAD_HEADER)
    nested = builder.coded_block(
        [Seq(b"abcd", 8, 4)], kind=b"d", dictionary_id=1, tail=b"0123456789"
    )
    dictionary("dictionary-with-a-dictionary", nested, Code.BAD_HEADER)
    dictionary("dictionary-cut-off", inner[:-16], Code.TRUNCATED)
    dictionary("dictionary-header-cut-off", inner + inner[:20], Code.TRUNCATED)
    dictionary("dictionary-without-sync", bytes(64), Code.LOST_SYNC)
    wrong = builder.raw_block(content, kind=b"d", checksum=1)
    dictionary("dictionary-content-checksum", wrong, Code.CONTENT_CHECKSUM)

    frame = section(b"D", inner, mandatory=True, parameter=1)
    twice = File().add(frame).add(frame).add_block(builder.raw_block(TEXT)).finish()
    bad("dictionary-id-twice", twice, Code.BAD_HEADER, FIRST + len(frame))
    late = File().add_block(builder.raw_block(TEXT))
    offset = len(late.data)
    late.add(frame)
    bad("dictionary-behind-a-block", late.finish(), Code.BAD_HEADER, offset, indexed=OK, plain=TEXT)

    using = builder.coded_block([Seq(b"", 20, len(content))], b"tail" * 8, dictionary=content,
                                dictionary_id=2)  # fmt: skip
    file = File().add(frame)
    offset = len(file.data)
    bad("missing-dictionary", file.add_block(using).finish(), Code.MISSING_DICTIONARY, offset, 0)


# --- index and trailer ----------------------------------------------------------------------------


def index_and_trailer():
    """A reader at random rebuilds what it cannot believe, so "indexed" succeeds nearly always."""

    def file():
        return File().add_block(builder.raw_block(TEXT))

    at = len(file().data)  # of the index

    def index(name, code=Code.BAD_INDEX, frame=None, indexed=OK, **fields):
        data = file().finish(frame or file().index(**fields))
        bad(name, data, code, at, indexed=indexed, plain=TEXT)

    index("index-count-2-to-the-60", block_count=1 << 60)
    # As many blocks as there are: only the block itself contradicts it.
    index("index-plain-size", plain_bytes=len(TEXT) + 1, indexed=Code.BAD_INDEX)
    index("index-plain-size-wraps", plain_bytes=(1 << 64) - 1)
    index("index-first-block", first_block=48)
    index("index-stored-size", stored_bytes=[96])
    index("index-too-long", stored_bytes=[80, 80])
    huge = builder.section(b"I", bytes(28), mandatory=True, size=1 << 60)
    index("index-2-to-the-60", frame=huge)
    wrong = builder.section(b"I", bytes(28), mandatory=True, checksum=1)
    index("index-checksum", Code.SECTION_CHECKSUM, frame=wrong)

    end = len(file().finish()) - 32  # of the trailer

    def trailer(name, code=Code.BAD_INDEX, **fields):
        bad(name, file().finish(**fields), code, end, indexed=OK, plain=TEXT)

    trailer("trailer-index-offset", index_offset=at + 16)
    trailer("trailer-file-bytes", file_bytes=end + 48)
    trailer("trailer-index-behind-the-file", Code.BAD_HEADER, index_offset=1 << 40)
    trailer("trailer-reserved", Code.BAD_HEADER, reserved=1)
    flipped = patched(file().finish(), end + 8, b"\xff")
    bad("trailer-checksum", flipped, Code.HEADER_CHECKSUM, end, indexed=OK, plain=TEXT)

    no_index = file().data + builder.trailer(at, at + 32)
    bad("no-index", no_index, Code.BAD_INDEX, at, indexed=OK, plain=TEXT)
    twice = file()
    twice.add(twice.index())
    second = len(twice.data)
    bad("index-twice", twice.finish(), Code.BAD_HEADER, second, indexed=OK, plain=TEXT)
    behind = File().add_block(FULL_BLOCK)
    behind.add(behind.index())
    second = len(behind.data)
    behind.add_block(builder.raw_block(TEXT, number=1))
    # The last index knows both blocks and takes them for neighbours.
    data = behind.finish()
    bad("block-behind-the-index", data, Code.BAD_HEADER, second, 1, Code.HEADER_CHECKSUM)


def trailing_bytes():
    file = small_file()
    end = len(file)
    for name, tail in (("one-byte", b"\n"), ("zeros", bytes(512)), ("text", b"more\n" * 20)):
        bad(f"trailing-{name}", file + tail, Code.LOST_SYNC, end, indexed=OK, plain=TEXT)
    bad("trailing-half-a-header", file + file[:20], Code.TRUNCATED, end + 20)
    # Block numbers and offsets count through concatenated files.
    damaged = patched(file, FIRST + 48, b"A")
    bad("second-file-damaged", file + damaged, Code.CONTENT_CHECKSUM, end + FIRST, 1)


# --- content of Byte blocks -----------------------------------------------------------------------


def contents():
    """Each fault in the second sequence of a block, and once more behind 40 good ones, where vector
    code that takes 32 sequences at a time has begun."""
    in_group = [Seq(b"0123456789", 10, 10)] + [Seq(b"xy", 24, 9)] * 39
    for prefix, before in (("", [Seq(b"0123", 300, 4)]), ("in-group-", in_group)):
        content_faults(prefix, before)


def content_faults(prefix, before):
    here = sum(len(sequence.literals) + sequence.match for sequence in before)
    # Behind the fault: 32 more sequences, so that the fault lies in a full group, and a long tail.
    after = [Seq(b"+", 4, 3)] * 32 if len(before) > 1 else []
    tail = b"literals at the end of the block, enough to be spent"

    def fault(name, sequences, code, change=None, layout=None, room=0, end=None, **fields):
        """`change` edits the streams. The block claims `room` bytes more than are written, or to
        end `end` bytes behind the fault's beginning."""
        streams = Streams(before + sequences + after, tail, layout)
        if change is not None:
            change(streams)
        size = here + sum(len(s.literals) + s.match for s in sequences + after) + len(tail) + room
        size = size if end is None else here + end
        block = builder.byte_block(streams, bytes(size), **fields)
        bad(prefix + name, with_block(block), code, FIRST, 0)

    sound = [Seq(b"abcd", 8, 4)]
    second_token = len(before)  # index of the faulty sequence's token

    def token(value):
        def change(streams):
            streams.tokens = patched(streams.tokens, second_token, bytes([value]))

        return change

    fault("offset-0-with-match", [Seq(b"abcd")], Code.BAD_OFFSET, token(0x14))
    fault("offset-before-block", [Seq(b"abcd", 8, here + 5)], Code.BAD_OFFSET)
    fault("offset-65535", [Seq(b"abcd", 8, 65535)], Code.BAD_OFFSET)
    far = Layout(far=True)
    fault("offset-2-to-the-24", [Seq(b"abcd", 8, (1 << 24) - 1)], Code.BAD_OFFSET, layout=far)
    fault("match-above-block", [Seq(b"abcd", 60000, 4)], Code.BAD_LENGTH, end=20)
    fault("literals-above-block", [Seq(b"L" * 14, 8, 4)], Code.BAD_LENGTH, end=13)
    fault("block-too-short", sound, Code.BAD_LENGTH, room=1)
    fault("tail-too-long", sound, Code.BAD_LENGTH, room=-1)

    def literals_missing(streams):
        streams.literals = streams.literals[:2]

    fault("literals-overrun", sound, Code.BAD_LITERALS, literals_missing)

    long_literals, long_match = Seq(b"L" * 20, 8, 4), Seq(b"abcd", 40, 4)
    longest = Seq(b"abcd", 400, 4)

    def without(name):
        def change(streams):
            setattr(streams, name, getattr(streams, name)[: -1 if name != "long_lengths" else -2])

        return change

    def left_over(name, value=b"\0"):
        def change(streams):
            setattr(streams, name, getattr(streams, name) + value)

        return change

    escapes = Code.BAD_ESCAPES
    fault("literal-escape-missing", [long_literals], escapes, without("literal_escapes"))
    fault("match-escape-missing", [long_match], escapes, without("match_escapes"))
    fault("long-length-missing", [longest], escapes, without("long_lengths"))
    far_sequence = [Seq(b"abcd", 8, 4, far_mark=True)]
    fault("far-offset-missing", far_sequence, escapes, without("far"), far)
    fault("literal-escape-left-over", sound, escapes, left_over("literal_escapes"))
    fault("match-escape-left-over", sound, escapes, left_over("match_escapes"))
    fault("long-length-left-over", sound, escapes, left_over("long_lengths", b"\0\0"))
    fault("far-offset-left-over", sound, escapes, left_over("far"), far)
    odd = left_over("long_lengths")
    fault("long-lengths-odd", sound, Code.BAD_PAYLOAD_SIZE, odd)
    fault("wrong-content", sound, Code.CONTENT_CHECKSUM, checksum=0x0123456789ABCDEF)


def dictionary_borders():
    content = b"0123456789" * 5
    frame = builder.section(
        b"D", builder.raw_block(content, kind=b"d"), mandatory=True, parameter=1
    )

    def fault(name, sequence, tail=b"tail" * 5):
        size = len(sequence.literals) + sequence.match + len(tail)
        block = builder.byte_block(Streams([sequence], tail), bytes(size), dictionary_id=1)
        file = File().add(frame)
        offset = len(file.data)
        bad(name, file.add_block(block).finish(), Code.BAD_OFFSET, offset, 0)

    fault("match-before-the-dictionary", Seq(b"abcd", 8, 55))
    fault("match-across-dictionary-and-block", Seq(b"abcd", 8, 8))
    fault("match-across-by-one-byte", Seq(b"abcd", 5, 8))
    fault("match-behind-the-dictionary-by-overlap", Seq(b"", 8, 4))


def dependency_rules():
    """Sequential decoders deliver the content, the reference decoder refuses the block."""
    tail = b"a tail that keeps the payload below the plain size"

    def broken(name, rule, sequences, group_log2=5):
        data = with_block(builder.coded_block(sequences, tail, rule=rule, group_log2=group_log2))
        plain = builder.execute(sequences, tail)
        bad(name, data, Code.DEPENDENCY_RULE, FIRST, 0, indexed=OK, fast=OK, plain=plain)

    broken("strict-reads-literals-of-its-group", STRICT, [Seq(b"abcdefgh", 4, 8)])
    # 32 sequences make a group of 64 literals; what copies them from the next group is legal.
    group = [Seq(b"ab")] * 32 + [Seq(b"", 64, 64), Seq(b"", 64, 128), Seq(b"", 64, 192)]
    broken("strict-reads-a-match-of-its-group", STRICT, group + [Seq(b"", 8, 8)])
    broken("strict-ends-behind-the-group-start", STRICT, group + [Seq(b"", 8, 196)])
    overlap = [Seq(b"ab")] * 32 + [Seq(b"", 200, 64)]
    broken("strict-overlaps-itself", STRICT, overlap)
    broken("literal-aware-reads-a-match", LITERAL_AWARE, [Seq(b"abcdefgh", 8, 8), Seq(b"x", 4, 5)])
    # Copies of the first group belong to the first wave of the second group. The match that follows
    # ends behind the group's start, so it is of the second wave, and the last one reads it.
    second_wave = [Seq(b"abcdefgh", 8, 8), Seq(b"x", 4, 5)]
    broken("two-wave-reads-the-second-wave", TWO_WAVE, group + second_wave)
    across = [Seq(b"", 8, 196), Seq(b"x", 4, 5)]  # begins before the group's start
    broken("two-wave-reads-what-crossed-the-group-start", TWO_WAVE, group + across)

    broken("tile-reads-the-second-wave", TILE, second_wave, 10)
    # The second match reads the end of one tile, legally, then bytes of its own, which the third
    # must not read.
    across = [Seq(FULL[:1000], 100, 300), Seq(b"", 50, 100), Seq(b"", 8, 20)]
    broken("tile-reads-behind-what-crossed-its-start", TILE, across, 10)
    # Of each repetition the first 8 bytes come from before the tile, the last 2 do not.
    overlap = [Seq(FULL[:1026], 30, 10), Seq(b"", 8, 30), Seq(b"", 4, 30)]
    broken("tile-reads-the-second-wave-of-an-overlap", TILE, overlap, 10)


def bit_blocks():
    for name, code, block in bit_cases.cases():
        data = File(version=3).add_block(block).finish()
        bad(name, data, code, FIRST, 0)
    name, block, plain = bit_cases.rule_case()
    data = File(version=3).add_block(block).finish()
    bad(name, data, Code.DEPENDENCY_RULE, FIRST, 0, indexed=OK, fast=OK, plain=plain)


def first_error():
    """The first bad frame in file order counts, whatever a parallel decoder meets first."""
    damaged = builder.coded_block([Seq(FULL[:256], BLOCK_BYTES - 256, 256)], checksum=1)
    file = File().add_block(damaged).add_block(builder.raw_block(TEXT, number=1))
    data = file.finish()
    cut = data[: FIRST + len(damaged) + 20]
    bad("damaged-block-before-truncation", cut, Code.CONTENT_CHECKSUM, FIRST, 0)


def all_cases():
    if not CASES:
        for make in (
            file_headers,
            truncation,
            block_headers,
            block_order,
            sections,
            dictionaries,
            index_and_trailer,
            trailing_bytes,
            contents,
            dictionary_borders,
            dependency_rules,
            bit_blocks,
            first_error,
        ):
            make()
    return CASES


def main():
    for old in HERE.glob("*.presso"):
        old.unlink()
    manifest = {}
    for name, case in all_cases().items():
        (HERE / f"{name}.presso").write_bytes(case["data"])
        manifest[name] = {key: value for key, value in case.items() if key != "data"}
    lines = [f"  {json.dumps(name)}: {json.dumps(case)}" for name, case in manifest.items()]
    (HERE / "manifest.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
