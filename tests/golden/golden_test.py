#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every decoder of the library, and the one written from FORMAT.md, decode to the same content: the
committed golden files, files compressed just now, and blocks of random sequences. What the encoder
writes is never compared with an earlier output."""

import hashlib
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import builder
import decode
import decoders
import filters
import inputs
from builder import NO_RULE, File, Layout, Seq
from make_golden import compress
from xxh3 import xxh3_64

FILES = Path(__file__).resolve().parent / "files"
MANIFEST = json.loads((FILES / "manifest.json").read_text())


def sha256(data):
    return hashlib.sha256(data).hexdigest()


class EveryDecoder(unittest.TestCase):
    """expect() runs all decoders over many files at once."""

    def expect(self, contents):
        """`contents`: compressed bytes -> plain, by name."""
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / str(at) for at in range(len(contents))]
            for path, (compressed, _) in zip(paths, contents.values()):
                path.write_bytes(compressed)
            for decoder in decoders.names():
                outcomes = decoders.run(decoder, paths)
                for (name, (_, plain)), outcome in zip(contents.items(), outcomes):
                    with self.subTest(name, decoder=decoder):
                        self.assertEqual(outcome, decoders.outcome_of(plain))


class GoldenFiles(EveryDecoder):
    def test_files_are_those_of_the_manifest(self):
        self.assertEqual(sorted(MANIFEST), sorted(path.stem for path in FILES.glob("*.presso")))
        for name, entry in MANIFEST.items():
            with self.subTest(name):
                data = (FILES / f"{name}.presso").read_bytes()
                self.assertEqual((len(data), sha256(data)), (entry["bytes"], entry["sha256"]))

    def test_every_decoder_gives_the_content_of_the_manifest(self):
        contents = {}
        for name, entry in MANIFEST.items():
            data = (FILES / f"{name}.presso").read_bytes()
            plain = decode.decode(data).plain
            with self.subTest(name):
                right = (entry["plain_bytes"], entry["plain_sha256"])
                self.assertEqual((len(plain), sha256(plain)), right)
            contents[name] = (data, plain)
        self.expect(contents)

    def test_files_cover_what_the_format_can_express(self):
        seen = set()
        for name in MANIFEST:
            decoded = decode.decode((FILES / f"{name}.presso").read_bytes())
            seen |= {f"members {len(decoded.members)}"}
            seen |= {"metadata" for member in decoded.members if member.metadata}
            seen |= {"dictionary" for header in decoded.headers if header.dictionary_id}
            for header in decoded.headers:
                seen |= {f"coding {header.coding}"}
                if header.coding == decode.BIT:
                    seen |= {f"Bit, rule {header.rule}"}
                    kind = "sub-blocks" if header.bit_layout else "lanes"
                    seen |= {f"{kind} {header.lanes_log2}"}
                if header.coding != decode.BYTE:
                    continue
                seen |= {f"rule {header.rule}", f"group {header.group_log2}"}
                seen |= {f"bits {header.literal_bits} far {header.far}"}
                seen |= {"far offset"} if header.far_offsets else set()
                seen |= {"long length"} if header.long_length_bytes else set()
        wanted = {f"rule {rule}" for rule in range(5)} | {"coding 0", "coding 1", "group 10"}
        wanted |= {f"coding {decode.BIT}"} | {f"Bit, rule {rule}" for rule in range(5)}
        wanted |= {f"lanes {lanes_log2}" for lanes_log2 in range(11)}
        wanted |= {f"sub-blocks {sub_block_log2}" for sub_block_log2 in range(2, 9)}
        wanted |= {f"bits {bits} far {far}" for bits in (2, 3, 4) for far in (False, True)}
        wanted |= {"metadata", "dictionary", "far offset", "long length", "members 4"}
        self.assertEqual(wanted - seen, set())


class FreshFiles(EveryDecoder):
    def test_every_rule_level_and_input(self):
        texts = {
            "log": inputs.log_lines(50000),
            "runs": inputs.runs(60000),
            "noise": inputs.noise(9000),
        }
        contents = {}
        for kind, plain in texts.items():
            for level, coding in ((1, builder.BYTE), (6, builder.BYTE), (6, builder.BIT)):
                for rule in range(5):
                    compressed = compress(plain, level=level, rule=rule, coding=coding)
                    name = f"{kind}, level {level}, rule {rule}, coding {coding}"
                    contents[name] = (compressed, plain)
        self.expect(contents)

    def test_dictionary_and_far_offsets(self):
        text = inputs.log_lines(120000)
        self.expect(
            {
                "dictionary": (compress(text, dictionary=8192), text),
                "one large block": (compress(text, block_bytes=1 << 18), text),
                "Bit": (compress(text, dictionary=8192, coding=builder.BIT), text),
            }
        )

    def test_sizes_around_a_block(self):
        text = inputs.log_lines(16385)
        sizes = (0, 1, 2, 15, 16, 17, 1023, 1024, 1025, 16383, 16384, 16385)
        for coding in (builder.BYTE, builder.BIT):
            contents = {
                f"{size} bytes": (compress(text[:size], coding=coding), text[:size])
                for size in sizes
            }
            self.expect(contents)


def random_sequences(dice, layout, dictionary_bytes, room):
    """Sound sequences of all kinds of lengths and distances, at most `room` bytes."""
    sequences = []
    at = 0
    while True:
        short, long = dice.below(4) != 0, dice.below(60) == 0
        literals = dice.below(6) if short else dice.below(700 if long else 40)
        match = layout.min_match + (dice.below(10) if short else dice.below(900 if long else 90))
        start = at + literals
        if dice.below(12) == 0 or start + dictionary_bytes == 0:
            match, distance = 0, 0
        elif start == 0 or (dictionary_bytes > 0 and dice.below(4) == 0):
            before = 1 + dice.below(dictionary_bytes)
            distance = start + before
            match = match if match <= before else 0
            distance = distance if match else 0
        else:
            distance = 1 + dice.below(min(start, 20 if dice.below(3) == 0 else 65535))
        if distance > 65535 and not layout.far:
            match, distance = 0, 0
        if start + match > room:
            return sequences
        mark = True if layout.far and dice.below(9) == 0 else None
        sequences.append(Seq(inputs.noise(literals, dice.below(1 << 30)), match, distance, mark))
        at = start + match


class RandomBlocks(EveryDecoder):
    def test_blocks_of_random_sequences(self):
        dice = inputs.Random(11)
        contents = {}
        for number in range(60):
            far = bool(dice.below(2))
            layout = Layout(2 + dice.below(3), far, 3 + dice.below(13))
            dictionary = (
                inputs.noise(70000, number)
                if number % 10 == 0
                else inputs.noise(500 * (number % 2))
            )
            file = File(block_bytes=1 << 17)
            if dictionary:
                inner = builder.raw_block(dictionary, kind=b"d")
                file.add(builder.section(b"D", inner, mandatory=True, parameter=3))
            room = 400 + dice.below(90000 if number % 10 == 5 else 9000)
            sequences = random_sequences(dice, layout, len(dictionary), room)
            tail = b"the end" * dice.below(4)
            plain = builder.execute(sequences, tail, dictionary)
            fields = dict(rule=NO_RULE, dictionary_id=3 if dictionary else 0)
            block = builder.coded_block(sequences, tail, layout, dictionary, **fields)
            data = file.data
            contents[f"block {number}, {layout}"] = (file.add_block(block).finish(), plain)
            if any(s.distance >= 1 << 24 for s in sequences):
                continue
            lanes_log2 = dice.below(7)
            block = builder.bit_coded_block(
                sequences, tail, dictionary, layout.min_match, lanes_log2, **fields
            )
            joint = builder.bit_coded_block(
                sequences, tail, dictionary, layout.min_match, 2 + lanes_log2, True, **fields
            )
            for name, block in (("lanes", block), ("sub-blocks", joint)):
                if int.from_bytes(block[12:15], "little") <= len(plain):
                    file = File(block_bytes=1 << 17)
                    file.data = data
                    contents[f"Bit block {number}, {name}"] = (
                        file.add_block(block).finish(),
                        plain,
                    )
        self.expect(contents)


class Xxh3(unittest.TestCase):
    def test_python_and_library_agree_for_all_lengths_with_a_path_of_their_own(self):
        data = inputs.noise(5000, seed=4)
        program = os.environ["MAKE_GOLDEN"]
        sizes = [
            *range(0, 34),
            63,
            64,
            65,
            96,
            97,
            127,
            128,
            129,
            144,
            239,
            240,
            241,
            255,
            256,
            257,
        ]
        for size in sizes + [511, 512, 513, 1023, 1024, 1025, 1088, 2048, 2049, 5000]:
            run = subprocess.run([program, "checksum"], input=data[:size], capture_output=True)
            self.assertEqual(f"{xxh3_64(data[:size]):016x}", run.stdout.decode().strip(), size)


class LineFacts(unittest.TestCase):
    """What line facts say of a file, read by what FORMAT.md says."""

    def test_they_are_those_of_the_content(self):
        plain = b"\xef\xbb\xbf" + inputs.log_lines(50000) + bytes(40000) + b"\n" * 20000
        files = {"fresh": compress(plain)}
        for name in ("lines-and-filter", "format-example"):
            files[name] = (FILES / f"{name}.presso").read_bytes()
        for name, data in files.items():
            with self.subTest(name):
                plain = decode.decode(data).plain
                found = filters.line_facts(filters.section_of(data, b"L"))
                self.assertEqual(found, [self.facts_of(block) for block in blocks_of(plain)])

    @staticmethod
    def facts_of(block):
        places = [at for at, byte in enumerate(block) if byte == 10] or [0]
        mark = int(block[:3] == b"\xef\xbb\xbf")
        return block.count(b"\n"), int(0 in block), mark, places[0], places[-1]


def blocks_of(plain, block_bytes=16 << 10):
    return [plain[at : at + block_bytes] for at in range(0, len(plain), block_bytes)]


class Filters(unittest.TestCase):
    """What the encoder's filter says of a file, read by what FORMAT.md says."""

    def test_no_string_of_a_block_is_missed_and_strange_ones_are_left_out(self):
        data = (FILES / "lines-and-filter.presso").read_bytes()
        plain = decode.decode(data).plain
        block_bytes = 16 << 10
        found = filters.Filter(filters.section_of(data, b"F"))
        starts = range(0, len(plain), block_bytes)
        self.assertEqual(found.blocks, len(starts))
        for at in [*range(0, len(plain) - 40, 997), *(start - 9 for start in starts[1:])]:
            text = plain[at : at + 40].split(b"\n")[0]
            with self.subTest(at=at, text=text):
                self.assertIn(at // block_bytes, found.may_hold(text))
        self.assertLess(len(found.may_hold(b"a string that no log line has")), 3)


if __name__ == "__main__":
    unittest.main()
