#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The hex blocks of FORMAT.md are what its structures really look like: they are regenerated field
by field, and joined they are a file that every decoder decodes."""

import re
import tempfile
import unittest
from pathlib import Path

import decode
import decoders
import format_example
from builder import Seq, Streams

# literals, match length | token | literal escape | match escape | long lengths
LENGTH_ROW = re.compile(
    r"^\| (\d+), (\d+|none) \|([^|]*)\|([^|]*)\|([^|]*)\|([^|]*)\|$", re.MULTILINE
)


class FormatExamples(unittest.TestCase):
    def setUp(self):
        self.shown = format_example.documented()
        self.file = b"".join(format_example.hex_bytes(text) for text in self.shown.values())

    def test_document_shows_every_byte_as_generated(self):
        generated = format_example.example()
        self.assertEqual(list(self.shown), list(generated), "run format_example.py --update")
        for name, text in generated.items():
            with self.subTest(name):
                self.assertEqual(self.shown[name], text, "run format_example.py --update")

    def test_document_alone_decodes_to_the_content_it_describes(self):
        decoded = decode.decode(self.file)
        self.assertEqual(decoded.plain, format_example.plain_content())
        self.assertEqual(len(decoded.plain), 32780)
        self.assertEqual(len(decoded.members[0].dictionaries[1]), 65600)
        self.assertEqual(decoded.members[0].metadata, [("name", b"app.log"), ("user.note", b"hi")])

    def test_every_decoder_decodes_the_example(self):
        right = decoders.outcome_of(format_example.plain_content())
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "example.presso"
            path.write_bytes(self.file)
            for decoder in decoders.names():
                with self.subTest(decoder=decoder):
                    self.assertEqual(decoders.run(decoder, [path]), [right])

    def test_worked_lengths_are_coded_as_the_table_says(self):
        rows = LENGTH_ROW.findall(format_example.FORMAT_MD.read_text())
        self.assertEqual(len(rows), 5)
        for literals, match, *shown in rows:
            with self.subTest(f"{literals}, {match}"):
                length = 0 if match == "none" else int(match)
                streams = Streams([Seq(bytes(int(literals)), length, 1 if length else 0)])
                longs = int.from_bytes(streams.long_lengths, "little")
                coded = [part.hex().upper() for part in (streams.tokens, streams.literal_escapes)]
                coded += [streams.match_escapes.hex().upper(), str(longs) if longs else ""]
                self.assertEqual([cell.strip(" `") for cell in shown], coded)

    def test_error_table_lists_the_codes_of_the_header(self):
        """Number, name and order as in error.h."""
        header = format_example.FORMAT_MD.parent / "include" / "presso" / "error.h"
        in_header = error_codes(header.read_text())
        document = format_example.FORMAT_MD.read_text()
        rows = [line.split("|")[1:3] for line in document.splitlines() if "| `k" in line]
        in_table = {name.strip().strip("`"): int(code) for code, name in rows}
        for name, code in in_header.items():
            with self.subTest(name):
                if 0 < code < 40:
                    self.assertEqual(in_table.get(name), code)
                elif code >= 40:
                    self.assertIn(f"{code} `{name}`", document)
        self.assertEqual(set(in_table) - set(in_header), set())


def error_codes(text):
    body = text[text.index("enum class ErrorCode") :]
    body = body[: body.index("};")]
    lines = (line.split("//")[0].strip().rstrip(",") for line in body.splitlines())
    pairs = (line.split(" = ") for line in lines if line.startswith("k") and " = " in line)
    return {name: int(value) for name, value in pairs}


if __name__ == "__main__":
    unittest.main()
