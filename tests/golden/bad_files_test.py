#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every decoder reports the expected code, block and offset for every file in bad/."""

import json
import sys
import unittest
from pathlib import Path

import decoders

BAD = Path(__file__).resolve().parent / "bad"
sys.path.insert(0, str(BAD))

import make_bad  # noqa: E402

MANIFEST = json.loads((BAD / "manifest.json").read_text())


def expected_code(decoder, case):
    if decoder == "indexed":
        return case["indexed"]
    return case["code"] if decoder in decoders.SEQUENTIAL_REFERENCES else case["fast"]


class BadFiles(unittest.TestCase):
    def test_committed_files_are_what_the_generator_makes(self):
        cases = make_bad.all_cases()
        self.assertEqual(sorted(cases), sorted(MANIFEST))
        self.assertEqual(sorted(cases), sorted(path.stem for path in BAD.glob("*.presso")))
        for name, case in cases.items():
            with self.subTest(name):
                self.assertEqual((BAD / f"{name}.presso").read_bytes(), case["data"])
                fields = {key: value for key, value in case.items() if key != "data"}
                self.assertEqual(MANIFEST[name], fields)

    def test_every_code_of_the_format_has_a_file(self):
        codes = {case["code"] for case in MANIFEST.values()}
        self.assertEqual(codes, {int(code) for code in make_bad.Code})

    def test_every_decoder_reports_the_expected_error(self):
        paths = [BAD / f"{name}.presso" for name in MANIFEST]
        for decoder in decoders.names():
            outcomes = decoders.run(decoder, paths)
            for (name, case), outcome in zip(MANIFEST.items(), outcomes):
                with self.subTest(name, decoder=decoder):
                    self.check(decoder, case, outcome)

    def check(self, decoder, case, outcome):
        code = expected_code(decoder, case)
        self.assertEqual(outcome.code, code, f"block {outcome.block}, offset {outcome.offset}")
        if code == 0:
            self.assertEqual(outcome.plain, case["plain"])
        elif decoder != "indexed":  # what it reads first differs, and with it the place
            self.assertEqual((outcome.block, outcome.offset), (case["block"], case["offset"]))


if __name__ == "__main__":
    unittest.main()
