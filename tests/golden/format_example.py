#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The worked example of FORMAT.md, appendix A: builds its file and annotates every byte.

    format_example.py            prints the blocks
    format_example.py --update   writes them into format/FORMAT.md

format_example_test.py compares them with what the document shows.
"""

import re
import sys
from pathlib import Path

import builder
from builder import BIT, BYTE, LITERAL_AWARE, BitStreams, Layout, Seq, Streams

FORMAT_MD = Path(__file__).resolve().parents[2] / "format" / "FORMAT.md"

DICTIONARY_TEXT = b"2026-11-21 09:00:00 INFO server "
DICTIONARY_SEQUENCES = [Seq(DICTIONARY_TEXT, 2049 * 32, 32)]
DICTIONARY = builder.execute(DICTIONARY_SEQUENCES)

LAYOUT = Layout(literal_bits=4, far=True, min_match=4)
SEQUENCES = [
    Seq(b"twenty literal bytes", 14, 65620),
    Seq(b"abc"),
    Seq(b"d", 16341, 4),
]
TAIL = b"tail\n"
RAW_PLAIN = b"end of file\n"
BIT_SEQUENCES = [
    Seq(b"one fine ", 8, 5),
    Seq(b"!", 9, 5),
    Seq(b"", 16353, 3),
]
BIT_TAIL = b"nine"
METADATA = [(b"name", b"app.log"), (b"user.note", b"hi")]

SECTION_FIELDS = [
    (4, "sync, kind '{kind}'"),
    (4, "flags: {flags}"),
    (8, "payload_bytes: {payload_bytes}"),
    (8, "payload checksum"),
    (4, "parameter: {parameter}"),
    (4, "header checksum"),
]


def header_checksum_fields(fields):
    return fields + [(8, "content checksum"), (4, "header checksum")]


def block_fields(block, streams=None):
    """Lengths and meanings of a block header, with the values that the block has."""

    def number(at, size=3):
        return int.from_bytes(block[at : at + size], "little")

    coding = {BYTE: "Byte", BIT: "Bit"}.get(block[11], "raw")
    layout = f"{block[15] & 7} literal bits, far {block[15] >> 3 & 1}, min_match {block[15] >> 4}"
    rule = f"rule {block[19] & 15}, group_log2 {block[19] >> 4}"
    fields = [
        (4, f"sync, kind '{chr(block[3])}'"),
        (4, f"number: {number(4, 4)}"),
        (4, f"plain_bytes: {number(8)}; coding: {coding}"),
    ]
    if streams is None:
        fields += [(4, f"payload_bytes: {number(12)}; 0"), (20, "zero in raw blocks")]
        return header_checksum_fields(fields)
    if block[11] == BIT:
        layout = f"layout {block[15] & 15}, min_match {block[15] >> 4}"
    fields += [
        (4, f"payload_bytes: {number(12)}; {layout}"),
        (4, f"sequences: {number(16)}; {rule}"),
        (4, f"literals: {number(20)}; dictionary_id: {block[23]}"),
    ]
    if block[11] == BIT:
        limits = f"literal_limit {block[27] & 15}, sequence_limit {block[27] >> 4}"
        command_limit = number(32) >> 5
        fields += [
            (4, f"head_bytes: {number(24)}; {limits}"),
            (4, f"least_bits: {number(28)}; size_bits {block[31]}"),
            (4, f"command_limit: {command_limit}; lanes_log2: {block[35]}"),
        ]
        return header_checksum_fields(fields)
    fields += [
        (4, f"far_offsets: {number(24)}; reserved"),
        (4, f"literal_escapes: {number(28)}; reserved"),
        (4, f"match_escapes: {number(32)}; reserved"),
    ]
    return header_checksum_fields(fields)


def stream_fields(streams, meanings):
    """One entry a stream; `meanings` by stream name."""
    return [
        (len(getattr(streams, name)), f"{name.replace('_', ' ')}: {meanings[name]}")
        for name in Streams.NAMES
        if getattr(streams, name)
    ]


def annotate(data, fields, **values):
    """Lines of at most 16 bytes, the meaning after the first line of each field."""
    lines = []
    at = 0
    for size, meaning in fields:
        for begin in range(0, size, 16):
            part = data[at + begin : at + min(begin + 16, size)].hex(" ")
            comment = "  ; " + meaning.format(**values) if begin == 0 else ""
            lines.append(f"{part:<47}{comment}".rstrip())
        at += size
    assert at == len(data), (at, len(data))
    return "\n".join(lines)


def annotate_section(data, kind, parameter, payload_fields, flags):
    payload = sum(size for size, _ in payload_fields)
    fields = SECTION_FIELDS + payload_fields
    if -payload % 16:
        fields = fields + [(-payload % 16, "padding")]
    return annotate(
        data, fields, kind=kind, flags=flags, payload_bytes=payload, parameter=parameter
    )


def with_padding(fields, data):
    rest = len(data) - sum(size for size, _ in fields)
    return fields + ([(rest, "padding")] if rest else [])


def metadata_fields():
    fields = []
    for key, value in METADATA:
        fields += [
            (2, f"key_bytes: {len(key)}"),
            (4, f"value_bytes: {len(value)}"),
            (len(key), f'"{key.decode()}"'),
            (len(value), f'"{value.decode()}"'),
        ]
    return fields


def dictionary_block():
    streams = Streams(DICTIONARY_SEQUENCES)
    block = builder.byte_block(streams, DICTIONARY, kind=b"d")
    meanings = {
        "offsets": "32",
        "tokens": "both codes at their limit, 15",
        "literal_escapes": "32 = 15 + 17",
        "match_escapes": "65,568 - min_match = 65,564 = 15 + 255 + 65,294",
        "long_lengths": "65,294",
        "literals": f'"{DICTIONARY_TEXT.decode()}"',
    }
    fields = block_fields(block, streams) + stream_fields(streams, meanings)
    return block, with_padding(fields, block)


def byte_block():
    streams = Streams(SEQUENCES, TAIL, LAYOUT)
    plain = builder.execute(SEQUENCES, TAIL, DICTIONARY)
    block = builder.byte_block(streams, plain, rule=LITERAL_AWARE, dictionary_id=1)
    meanings = {
        "offsets": "84, 0, 4",
        "tokens": "far, match 7, literals 15; 0, 3; match 7, literals 1",
        "far": "65,620 = 1 * 65,536 + 84",
        "literal_escapes": "20 = 15 + 5",
        "match_escapes": "14 - 4 = 7 + 3; 16,341 - 4 = 7 + 255 + 16,075",
        "long_lengths": "16,075",
        "literals": "of sequence 0, 1, 2, and the tail",
    }
    fields = block_fields(block, streams) + stream_fields(streams, meanings)
    return block, with_padding(fields, block)


def bit_block():
    streams = BitStreams(BIT_SEQUENCES, BIT_TAIL, lanes_log2=1)
    plain = builder.execute(BIT_SEQUENCES, BIT_TAIL)
    block = builder.bit_block(streams, plain, number=1)
    fields = block_fields(block, streams)
    fields.append((len(streams.head), "sizes of the lanes, the list's code, the list"))
    rest = len(streams.payload()) - len(streams.head)
    fields.append((rest, "the lanes' sub-streams"))
    return block, with_padding(fields, block)


def lines_fields():
    fields = []
    for block, where in ((0, "at 16,383"), (1, ""), (2, "at 11")):
        facts = f"one line feed, {where}" if where else "no line feed"
        fields.append((12, f"block {block}: {facts}"))
    return fields


def filter_fields():
    fields = [(8, "block_count: 3"), (4, "group_blocks: 3"), (4, "overlap: 32")]
    fields += [(4, "n: 4; keep: 256; rice: 0"), (4, "rows: 32"), (4, "common_count: 0")]
    return fields + [(4, "common_bytes: 0"), (12, "bits")]


def plain_content():
    bit_plain = builder.execute(BIT_SEQUENCES, BIT_TAIL)
    return builder.execute(SEQUENCES, TAIL, DICTIONARY) + bit_plain + RAW_PLAIN


def example():
    """Name -> annotated bytes, in file order."""
    file = builder.File(version=3)
    blocks = {}
    blocks["file-header"] = annotate(
        file.data,
        [
            (8, "magic"),
            (2, "version: 3"),
            (2, "reserved"),
            (4, "block_bytes: 16,384"),
            (12, "reserved"),
            (4, "header checksum"),
        ],
    )

    frame = builder.section(b"M", builder.metadata(METADATA))
    file.add(frame)
    blocks["metadata"] = annotate_section(frame, "M", 0, metadata_fields(), "optional")

    inner, inner_fields = dictionary_block()
    frame = builder.section(b"D", inner, mandatory=True, parameter=1)
    file.add(frame)
    blocks["dictionary"] = annotate_section(frame, "D", "id 1", inner_fields, "mandatory")

    block, fields = byte_block()
    file.add_block(block)
    blocks["byte-block"] = annotate(block, fields)

    block, fields = bit_block()
    file.add_block(block)
    blocks["bit-block"] = annotate(block, fields)

    block = builder.raw_block(RAW_PLAIN, number=2)
    file.add_block(block)
    fields = block_fields(block) + [(len(RAW_PLAIN), '"end of file", line feed')]
    blocks["raw-block"] = annotate(block, with_padding(fields, block))

    frame = builder.section(b"L", builder.lines_payload(plain_content(), 16384), parameter=1)
    file.add(frame)
    blocks["lines"] = annotate_section(frame, "L", "layout 1", lines_fields(), "optional")

    payload = builder.filter_payload(plain_content(), 16384, 4, 32)
    frame = builder.section(b"F", payload, parameter=2)
    file.add(frame)
    blocks["filter"] = annotate_section(frame, "F", "layout 2", filter_fields(), "optional")

    index_offset = len(file.data)
    frame = file.index()
    fields = [
        (8, "block_count: 3"),
        (8, f"plain size: {file.plain_bytes:,}"),
        (8, f"offset of block 0: {file.first_block}"),
    ] + [(4, f"stored size of block {at}: {size}") for at, size in enumerate(file.stored_bytes)]
    blocks["index"] = annotate_section(frame, "I", 0, fields, "mandatory")

    whole = file.finish(frame)
    fields = [
        (4, "sync, kind 'T'"),
        (4, "reserved"),
        (8, f"offset of the index: {index_offset}"),
        (8, f"file_bytes: {len(whole)}"),
        (4, "reserved"),
        (4, "header checksum"),
    ]
    blocks["trailer"] = annotate(whole[-32:], fields)
    return blocks


FENCE = re.compile(r"```hex ([a-z-]+)\n(.*?)```", re.DOTALL)


def documented():
    """Name -> text of the hex blocks of the appendix, in their order."""
    appendix = FORMAT_MD.read_text().split("\n## Appendix A", 1)[1]
    return {name: text.rstrip("\n") for name, text in FENCE.findall(appendix)}


def hex_bytes(text):
    return b"".join(bytes.fromhex(line.split(";")[0]) for line in text.splitlines())


def main():
    blocks = example()
    if sys.argv[1:] == ["--update"]:
        before, appendix = FORMAT_MD.read_text().split("\n## Appendix A", 1)
        appendix = FENCE.sub(lambda m: f"```hex {m[1]}\n{blocks[m[1]]}\n```", appendix)
        FORMAT_MD.write_text(f"{before}\n## Appendix A{appendix}")
        return
    for name, text in blocks.items():
        print(f"--- {name}\n{text}")


if __name__ == "__main__":
    main()
