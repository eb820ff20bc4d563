# SPDX-License-Identifier: MIT
"""A test for every flag: compares @covers with the flag table, read back from the completions and
from the lists of expert options."""

import re
import unittest

import support
import test_compress
import test_decompress
import test_device
import test_encodings
import test_failures
import test_frame
import test_given_values
import test_join
import test_many_files
import test_reports
import test_scan
import test_scan_choice
import test_scan_config
import test_scan_counts
import test_scan_device
import test_scan_encoding
import test_scan_files
import test_scan_times
import test_scan_habits
import test_scan_multiline
import test_scan_output
import test_scan_records
import test_scan_where
import test_select
import test_sql
import test_table
import test_table_arrow


class Coverage(support.CliTest):
    def test_every_flag_has_a_test(self):
        script = self.ok("--generate", "complete-fish").out.decode()
        flags = set()
        for condition, name in re.findall(r"-n '([^']*)'(?: -s \S)? -l ([a-z-]+)", script):
            command = condition.split("from ")[1] if "from " in condition else ""
            flags.add((command, "--" + name))
        for command in test_frame.commands():
            text = self.ok(command, "--help=expert").out.decode()
            for no, name in re.findall(r"(?m)^ +--(\[no-\])?([a-z0-9-]+)", text):
                flags.add((command, "--" + name))
        self.assertGreater(len(flags), 50)
        self.assertEqual(sorted(flags - support.COVERED), [], "flags without a test")
        self.assertEqual(sorted(support.COVERED - flags), [], "tests of flags that are gone")


if __name__ == "__main__":
    unittest.main(verbosity=2)
