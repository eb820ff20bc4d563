# SPDX-License-Identifier: MIT
"""lab/figures/dependency_figures.py on small inputs: what it writes is complete, true and drawn."""

import csv
import importlib.util
import os
import subprocess
import sys
import unittest
import xml.etree.ElementTree

from support import PRESSO, CliTest, log_text, main

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "figures")
sys.path.insert(0, BENCH)
import compress_runs  # noqa: E402

TRIALS = os.path.abspath(
    os.environ.get("SINGLE_ENTRY_TRIALS", "build/release/bin/single_entry_trials")
)
SMALL = ["--levels", "1,6,10", "--block-sizes", "16K,64K", "--repeats", "1", "--commit", "tested"]
SMALL += ["--rules", "strict:32,two-wave:32,two-wave:128,tile:2048", "--staleness", "0,1024"]
SMALL += ["--sweep-windows", "8K", "--sweep-block-size", "64K"]
RULES_HEAD = (
    "commit file level coding block_bytes window lookahead rule group staleness sample_bytes "
    "compressed_bytes ratio ratio_loss_percent ratio_loss_best_percent best_staleness mb_s "
    "speed_loss_percent speed_loss_best_percent runs round_trips"
).split()


class Figures(CliTest):
    def figures(self, *arguments, presso=PRESSO, env=None):
        command = [sys.executable, "-B", os.path.join(BENCH, "dependency_figures.py")]
        command += ["--presso", presso, "--trials", "none", "--out", "out", *SMALL, *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=500, env={**os.environ, **(env or {})}
        )

    def rows(self, name):
        with open(os.path.join("out", name), encoding="utf-8") as file:
            self.assertRegex(file.readline(), "^# command: .*; commit: tested; machine: ")
            reader = csv.DictReader(file)
            rows = list(reader)
        self.assertEqual(reader.fieldnames, RULES_HEAD)
        return rows

    def test_rows_are_complete_and_losses_are_what_they_say(self):
        text = log_text(3000)
        self.write("app.log", text)
        done = self.figures("app.log")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_rules(self.rows("dependency-rules.csv"), text)
        self.check_sweep(self.rows("dependency-staleness.csv"))
        for name in ("strict 32", "two-wave 128", "tile 2048", "8 KiB, 64: two-wave 32"):
            self.assertIn(f"| {name} |", done.stdout)
        self.assertIn("two-wave 32 costs more than it may:", done.stdout)
        self.check_row_against_presso(self.rows("dependency-rules.csv"))

    def check_rules(self, rows, text):
        # none and four rules for all; `none` with two values of staleness at level 1.
        self.assertEqual(len(rows), (3 * 5 + 2) * 2 * 2)
        for row in rows:
            self.assertEqual(
                (row["commit"], row["file"], row["sample_bytes"], row["round_trips"]),
                ("tested", "app.log", str(len(text)), "yes"),
            )
            self.assertGreater(float(row["mb_s"]), 0)
            if row["level"] != "1":
                self.assertEqual(row["best_staleness"], "default", row)
        units = {}
        for row in rows:
            key = tuple(row[k] for k in ("level", "coding", "block_bytes"))
            units.setdefault(key, []).append(row)
        for unit in units.values():
            self.check_losses(unit)

    def check_losses(self, unit):
        sizes = {(r["rule"], r["group"], r["staleness"]): int(r["compressed_bytes"]) for r in unit}
        none = sizes["none", "0", "default"]
        best = min(size for key, size in sizes.items() if key[0] == "none")
        self.assertLess(none, sizes["strict", "32", "default"] * 1.001)
        self.assertLess(sizes["two-wave", "32", "default"], sizes["two-wave", "128", "default"])
        for row in unit:
            size = sizes[row["rule"], row["group"], row["staleness"]]
            if row["staleness"] == "default":
                expected = 100 * (1 - none / size)
                self.assertAlmostEqual(float(row["ratio_loss_percent"]), expected, delta=0.01)
            expected = 100 * (1 - best / size)
            self.assertAlmostEqual(float(row["ratio_loss_best_percent"]), expected, delta=0.01)

    def check_sweep(self, rows):
        self.assertEqual(len(rows), 2 * 4 * 2)  # lookaheads, none and three rules, staleness
        self.assertEqual({row["window"] for row in rows}, {"8192"})
        self.assertEqual({row["lookahead"] for row in rows}, {"64", "unlimited"})
        for row in rows:
            self.assertEqual(row["round_trips"], "yes")
            if row["rule"] == "none":
                self.assertGreaterEqual(float(row["ratio_loss_best_percent"]), 0)
        sizes = {row["compressed_bytes"] for row in rows}
        self.assertGreater(len(sizes), 5, "settings that change nothing")

    def check_row_against_presso(self, rows):
        """A row's size is that of the file which presso makes with the row's settings."""
        row = next(r for r in rows if r["rule"] == "strict" and r["coding"] == "bit")
        options = ["--level", row["level"], "--coding", "bit", "--block-size", row["block_bytes"]]
        options += ["--deps", "strict", "--group", row["group"], "--dict", "none"]
        self.ok("compress", "-q", *options, "app.log")
        size = os.path.getsize("app.log.presso")
        self.assertLess(abs(size - int(row["compressed_bytes"])), 65, "the name's length")

    @unittest.skipUnless(os.path.exists(TRIALS), "skipped: single_entry_trials is not built")
    def test_single_entry_matcher_is_set_beside_its_best_without_a_rule(self):
        self.write("app.log", log_text(3000))
        done = self.figures("--trials", TRIALS, "--levels", "6", "app.log")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.rows("dependency-single-entry.csv")
        self.assertEqual(len(rows), 2 * 4 * 9)
        for window in ("8192", "65536"):
            part = [row for row in rows if row["window"] == window]
            none = [r for r in part if r["rule"] == "none"]
            best = max(float(row["ratio"]) for row in none)
            for row in part:
                self.assertEqual((row["level"], row["round_trips"]), ("0", "yes"))
                loss = 100 * (1 - float(row["ratio"]) / best)
                self.assertAlmostEqual(float(row["ratio_loss_best_percent"]), loss, delta=0.02)
            losses = {r["rule"]: 100.0 for r in part}
            for r in part:
                loss = float(r["ratio_loss_best_percent"])
                losses[r["rule"]] = min(losses[r["rule"]], loss)
            self.assertEqual(losses["none"], 0)
            self.assertGreater(losses["strict"], losses["two-wave"])
        self.assertIn("| 64 KiB, 64: strict 32 |", done.stdout)

    def test_a_result_that_does_not_round_trip_counts_for_nothing(self):
        self.write("app.log", log_text(200))
        self.write(
            "wrong",
            b'#!/bin/sh\ntest "$1" = decompress && echo wrong || exec "$0.right" "$@"\n',
        )
        os.chmod("wrong", 0o755)
        os.symlink(PRESSO, "wrong.right")
        done = self.figures("--levels", "1", "app.log", presso=os.path.abspath("wrong"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("WRONG", done.stderr)
        for row in self.rows("dependency-rules.csv") + self.rows("dependency-staleness.csv"):
            self.assertEqual((row["round_trips"], row["ratio"], row["mb_s"]), ("no", "", ""))

    def test_refused_options_end_it(self):
        self.write("app.log", log_text(100))
        done = self.figures("--rules", "two-wave:33", "--sweep-rules", "none", "app.log")
        self.assertEqual(done.returncode, 1)
        self.assertIn("--group 33", done.stderr)

    def test_without_matplotlib_the_plots_are_left_out_which_is_said(self):
        self.write("app.log", log_text(100))
        self.write("absent/matplotlib.py", b"raise ImportError('no matplotlib')\n")
        env = {"PYTHONPATH": os.path.abspath("absent")}
        done = self.figures("--levels", "1", "app.log", env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("LEFT OUT: plots: no matplotlib; on Debian: python3-matplotlib", done.stderr)
        self.assertIn("LEFT OUT: single-entry matcher: no none", done.stderr)
        self.assertEqual(self.files("out"), ["dependency-rules.csv", "dependency-staleness.csv"])

    @unittest.skipUnless(
        importlib.util.find_spec("matplotlib"), "skipped: matplotlib is not installed"
    )
    def test_plots_show_every_file_and_rule_and_are_the_same_again(self):
        self.write("app.log", log_text(200))
        self.write("other.log", log_text(200, seed=2))
        done = self.figures("--levels", "1,6", "app.log", "other.log")
        self.assertEqual(done.returncode, 0, done.stderr)
        names = {
            "figure-7.13.svg": ["app.log", "other.log", "strict 32", "tile 2048", "ratio lost, %"],
            "dependency-staleness.svg": ["app.log", "other.log", "none", "two-wave 32", "1024"],
        }
        before = {name: self.read(os.path.join("out", name)) for name in names}
        for name, labels in names.items():
            tree = xml.etree.ElementTree.fromstring(before[name])
            texts = {element.text for element in tree.iter() if element.tag.endswith("}text")}
            self.assertLessEqual(set(labels), texts, name)
        plots = os.path.join(BENCH, "dependency_plots.py")
        subprocess.run([sys.executable, "-B", plots, "out"], check=True, timeout=300)
        for name in names:
            self.assertEqual(self.read(os.path.join("out", name)), before[name])


class Samples(CliTest):
    def test_pieces_reach_from_the_first_byte_to_the_last(self):
        piece = compress_runs.PIECE_BYTES
        content = b"".join(bytes([i]) * (piece // 2) for i in range(20))
        self.write("file", content)
        sample = compress_runs.read_sample("file", 3 * piece, 65536)
        self.assertEqual(len(sample), 3 * piece)
        self.assertEqual(sample[:piece], content[:piece])
        self.assertEqual(sample[-piece:], content[-piece:])
        larger = compress_runs.read_sample("file", 3 * piece, 2 * piece)
        self.assertEqual(larger, content[: 2 * piece], "a piece holds a block")

    def test_small_files_and_no_limit_take_the_whole_file(self):
        self.write("small", b"abc" * 1000)
        self.assertEqual(compress_runs.read_sample("small", 1 << 20, 65536), b"abc" * 1000)
        self.write("large", b"abc" * 1000000)
        self.assertEqual(compress_runs.read_sample("large", 0, 65536), b"abc" * 1000000)

    def test_sizes_are_read_as_presso_reads_them(self):
        self.assertEqual(compress_runs.parse_size("64K"), 65536)
        self.assertEqual(compress_runs.parse_size("4M"), 4 << 20)
        self.assertEqual(compress_runs.parse_size("1000"), 1000)


if __name__ == "__main__":
    main()
