#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the golden files: files/*.presso and their manifest.

    MAKE_GOLDEN=build/.../make_golden make_golden.py

Makes those that are not there yet. Files are then kept as they are: what was written once must
be read for ever. Another output of the encoder is no reason to make them again, and nothing
compares the two. About half of them come from the encoder, half are put together by hand for what it does
not write.
"""

import hashlib
import json
import os
import subprocess
from pathlib import Path

import builder
import decode
import format_example
import inputs
from builder import BIT, LITERAL_AWARE, NO_RULE, STRICT, TILE, TWO_WAVE, File, Layout, Seq

FILES = Path(__file__).resolve().parent / "files"
SMALLEST = 16 << 10


def compress(
    plain, level=6, block_bytes=SMALLEST, rule="-", group=0, dictionary=0, coding=builder.BYTE,
    filter_size=0,
):
    values = (level, block_bytes, rule, group, dictionary, coding, filter_size)
    arguments = [str(value) for value in values]
    program = os.environ["MAKE_GOLDEN"]
    return subprocess.run(
        [program, *arguments], input=plain, capture_output=True, check=True
    ).stdout


def from_the_encoder():
    text = inputs.log_lines(17000)
    yield "text-none", "back-references without a rule", compress(text, rule=NO_RULE)
    yield "text-strict", "the strict rule", compress(text, rule=STRICT)
    yield "text-literal-aware", "the literal-aware rule", compress(text, rule=LITERAL_AWARE)
    yield "text-two-wave", "the two-wave rule", compress(text, rule=TWO_WAVE)
    yield "text-tile", "the tile rule", compress(text, rule=TILE, group=1024)
    yield "text-fast", "the fast level", compress(text, level=1)
    yield "text-group-of-1024", "groups of 1024", compress(text, rule=TWO_WAVE, group=1024)
    yield "dictionary", "a dictionary", compress(inputs.log_lines(40000), dictionary=4096)
    filtered = compress(inputs.log_lines(300000), filter_size=150)
    yield "lines-and-filter", "line facts and a filter of two groups, with common cells", filtered
    yield "empty", "no block", compress(b"")
    yield "one-byte", "one byte", compress(b"x")
    yield "raw", "incompressible", compress(inputs.noise(600))
    yield "exactly-one-block", "no short block", compress(inputs.log_lines(SMALLEST)[:SMALLEST])
    noise = inputs.noise(900)
    far = noise + bytes(70000) + noise
    yield "far-offsets", "24-bit offsets", compress(far, block_bytes=1 << 18, rule=NO_RULE)
    long = noise + b"ab" * 100000 + noise[:300]
    yield "long-lengths", "long lengths", compress(long, block_bytes=1 << 18)
    for rule in range(5):
        bit = compress(text, rule=rule, group=1024 if rule == TILE else 0, coding=BIT)
        yield f"bit-rule-{rule}", f"Bit blocks under rule {rule}", bit
    bit = compress(inputs.log_lines(40000), dictionary=4096, coding=BIT)
    yield "bit-dictionary", "a dictionary of Bit blocks", bit
    bit = compress(inputs.log_lines(200000), block_bytes=1 << 18, coding=BIT)
    yield "bit-one-large-block", "a Bit block of many lanes", bit
    bit = compress(bytes(30000), coding=BIT)
    yield "bit-zeros", "Bit blocks whose codes have a single symbol", bit
    joined = compress(text[:500]) + compress(b"") + compress(b"x") + compress(noise[:200])
    yield "concatenated", "four files, one of them empty", joined


def layouts():
    """Every token layout: one block each, one sequence of every length around the limits."""
    file = File()
    lengths = [0, 1, 2, 3, 4, 6, 7, 8, 14, 15, 16, 30, 31, 32, 63, 64, 255, 269, 270, 271, 330, 600]
    parameters = [
        (bits, far, least) for bits in (2, 3, 4) for far in (0, 1) for least in (3, 9, 15)
    ]
    for number, (bits, far, least) in enumerate(parameters):
        layout = Layout(bits, bool(far), least)
        sequences = [Seq(inputs.noise(8), least, 8)]
        for at, length in enumerate(lengths):
            literals = inputs.noise(lengths[-1 - at] % 40)
            sequences.append(
                Seq(literals, least + length, 1 + at, far_mark=bool(far and at % 3 == 0))
            )
        plain_bytes = sum(len(s.literals) + s.match for s in sequences)
        filler = Seq(b"", SMALLEST - plain_bytes, 5)
        file.add_block(builder.coded_block([*sequences, filler], layout=layout, number=number))
    return file.finish()


def dictionary_edges():
    """Matches that begin with the dictionary, end with it, or are all of it; two dictionaries."""
    first, second = b"0123456789" * 4, b"the second dictionary"
    file = File()
    for at, content in ((1, first), (16, second)):
        inner = builder.raw_block(content[:7], kind=b"d")
        inner += builder.raw_block(content[7:], kind=b"d", number=1)
        file.add(builder.section(b"D", inner, mandatory=True, parameter=at))
    file.add(builder.section(b"D", b"", mandatory=True, parameter=2))  # empty, legal, not used
    edges = [Seq(b"", 40, 40), Seq(b"abcd", 10, 84), Seq(b"", 4, 58), Seq(b"x", 5, 14)]
    edges.append(Seq(b"", SMALLEST - 64, 3))
    block = builder.coded_block(edges, dictionary=first, dictionary_id=1)
    file.add_block(block)
    uses_second = [Seq(b"", 21, 21), Seq(b"", 21, 42), Seq(b"", SMALLEST - 42, 42)]
    block = builder.coded_block(uses_second, dictionary=second, dictionary_id=16, number=1)
    file.add_block(block)
    file.add_block(builder.coded_block([Seq(b"none", 60, 4)], b"end", number=2))
    return file.finish()


def two_wave_by_hand():
    """What the rule allows and a careless check would refuse."""
    literals = [Seq(bytes([65 + at % 26])) for at in range(32)]
    second_group = [
        Seq(b"", 32, 32),  # first wave: ends where its group starts
        Seq(b"", 32, 64),
        Seq(b"", 32, 96),
        Seq(b"", 32, 128),
        Seq(b"ab", 8, 12),  # second wave: reads the first wave's output and literals
        Seq(b"cd", 5, 1),  # overlaps itself, reads one literal
        Seq(b"", 6, 149),  # begins before the group's start and ends after it
    ]
    tail = b"literals to the end of the block"
    return (
        File().add_block(builder.coded_block(literals + second_group, tail, rule=TWO_WAVE)).finish()
    )


def tile_by_hand():
    """The same for the tile rule: bytes of both waves in one match, tiles of 1024 bytes."""
    sequences = [
        Seq(inputs.noise(1000), 100, 300),  # second wave up to 1023, then first
        Seq(b"", 50, 60),  # second wave, reads the first-wave bytes 1040 to 1089
        Seq(b"abcd", 30, 2),  # overlaps itself, reads literals
        Seq(b"", 1000, 1050),
        Seq(b"xy", 30, 170),
    ]
    at = sum(len(sequence.literals) + sequence.match for sequence in sequences)
    sequences += [
        Seq(inputs.noise(3072 - at), 40, 5),  # begins with a tile: every repetition is first wave
        Seq(b"", 40, 40),
        Seq(inputs.noise(1024 - 80 + 2), 30, 10),  # of each repetition 8 bytes first wave, 2 second
        Seq(b"", 8, 30),
        Seq(b"", 8, 28),
    ]
    tail = b"literals to the end of the block"
    block = builder.coded_block(sequences, tail, rule=TILE, group_log2=10)
    return File().add_block(block).finish()


def bit_layouts():
    """Blocks of every number of lanes, sequences of every length around the classes' limits."""
    file = File(version=3)
    lengths = [*range(20), *range(30, 36), 46, 47, 48, 255, 256, 300]
    for number in range(11):
        sequences = [Seq(inputs.noise(300), 8, 5)]
        for at, length in enumerate(lengths):
            literals = inputs.noise(lengths[-1 - at])
            sequences.append(Seq(literals, 3 + number % 4 + length, 1 + 31 * at % 307))
            sequences.append(Seq(b"r", 7, sequences[-at % 4 - 1].distance))
        plain_bytes = sum(len(s.literals) + s.match for s in sequences)
        sequences += [Seq(b"no match follows"), Seq(b"", SMALLEST - plain_bytes - 16, 5)]
        block = builder.bit_coded_block(
            sequences, min_match=3 + number % 4, lanes_log2=number, number=number
        )
        file.add_block(block)
    return file.finish()


def bit_sub_blocks():
    """Sub-blocks of every size; one block without sequences."""
    file = File(version=3)
    for number in range(7):
        sequences = [Seq(inputs.noise(60), 8, 5)]
        for at in range(80):
            sequences.append(Seq(inputs.noise(at % 7), 4 + at * at % 300, 1 + 31 * at % 67))
        sequences.append(Seq(b"no match follows"))
        size = sum(len(s.literals) + s.match for s in sequences)
        tail = b"behind the last sequence"
        sequences.append(Seq(b"", SMALLEST - size - len(tail), 5))
        block = builder.bit_coded_block(
            sequences, tail, lanes_log2=2 + number, joint=True, number=number
        )
        file.add_block(block)
    block = builder.bit_coded_block([], b"abc" * 500, lanes_log2=4, joint=True, number=7)
    return file.add_block(block).finish()


def bit_edges():
    """Blocks that have next to nothing."""
    file = File(version=3)
    zeros = builder.bit_coded_block([Seq(b"0", SMALLEST - 1, 1)])
    file.add_block(zeros)
    nothing = [Seq()] * 70 + [Seq(bytes(range(64)), SMALLEST - 64, 64)] + [Seq()] * 70
    file.add_block(builder.bit_coded_block(nothing, lanes_log2=3, number=1))
    literals = builder.bit_coded_block([], b"ab" * (SMALLEST // 2), lanes_log2=5, number=2)
    file.add_block(literals)
    few = builder.bit_coded_block([], b"only a few literals, of few kinds, aaaaaaaaaaaaaaaaaaaaaaaaaa"
                                  + b"a" * 6000, lanes_log2=10, number=3)  # fmt: skip
    return file.add_block(few).finish()


def unknown_sections():
    text = inputs.log_lines(300)
    file = File().add(builder.section(b"Z", b"an optional section of a kind nobody knows"))
    file.add(builder.section(b"C", b"", parameter=77))
    file.add_block(builder.raw_block(text))
    file.add(builder.section(b"F", b"behind the blocks")).add(builder.section(b"\x01", b"?"))
    return file.finish()


def bad_tail():
    """Line facts and filters that contradict the file, which decoders do not look at."""
    file = File().add_block(builder.raw_block(inputs.log_lines(300)))
    file.add(builder.section(b"L", b"\xff" * 12, parameter=1))
    file.add(builder.section(b"L", b"of no layout that is known", parameter=9))
    file.add(builder.section(b"F", b"\xff" * 40, parameter=2, checksum=1))
    return file.finish()


def by_hand():
    example = b"".join(map(format_example.hex_bytes, format_example.example().values()))
    yield "format-example", "the example of FORMAT.md", example
    yield "layouts", "every token layout, lengths around every limit", layouts()
    yield "dictionary-edges", "matches at the edges of three dictionaries", dictionary_edges()
    shows = "both waves, overlap, a source across the group's start"
    yield "two-wave-by-hand", shows, two_wave_by_hand()
    shows = "the tile rule: both waves in one match, overlap at a tile's start"
    yield "tile-by-hand", shows, tile_by_hand()
    yield "unknown-sections", "optional sections to be skipped", unknown_sections()
    yield "bad-tail", "line facts and a filter that are wrong", bad_tail()

    yield "bit-layouts", "every number of lanes, classes around their limits", bit_layouts()
    yield "bit-sub-blocks", "sub-blocks of every size", bit_sub_blocks()
    yield "bit-edges", "single symbols, empty codes and lanes", bit_edges()

    tail = b"only literals, no sequence"
    no_sequence = builder.coded_block([], tail)
    yield "no-sequences", "a Byte block without sequences", File().add_block(no_sequence).finish()
    useless = [Seq(b"abc", 200, 3)] + [Seq()] * 40 + [Seq(b"d")] * 3
    block = builder.coded_block(useless, b"tail")
    yield "empty-sequences", "sequences that produce nothing", File().add_block(block).finish()
    match = 15 + 4 + 255 + 65535
    longest_match = builder.coded_block([Seq(b"abcdefg", match, 7)], b"tail")
    file = File(block_bytes=1 << 17).add_block(longest_match).finish()
    yield "longest-match", "the longest match of one sequence", file
    padding = File().add_block(builder.raw_block(b"padded")[:-1] + b"\xff").finish()
    yield "padding-not-zero", "padding is ignored", padding
    yield "file-of-files", "a file whose content is a file", File().add_block(
        builder.raw_block(two_wave_by_hand())
    ).finish()


def main():
    FILES.mkdir(exist_ok=True)
    path = FILES / "manifest.json"
    manifest = json.loads(path.read_text()) if path.exists() else {}
    for make in (from_the_encoder, by_hand):
        for name, shows, data in make():
            if name in manifest:
                continue
            plain = decode.decode(data).plain
            (FILES / f"{name}.presso").write_bytes(data)
            manifest[name] = dict(
                shows=shows,
                bytes=len(data),
                sha256=hashlib.sha256(data).hexdigest(),
                plain_bytes=len(plain),
                plain_sha256=hashlib.sha256(plain).hexdigest(),
            )
    path.write_text(json.dumps(manifest, indent=1) + "\n")


if __name__ == "__main__":
    main()
