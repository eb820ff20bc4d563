# SPDX-License-Identifier: MIT
"""lab/figures/ingest_figures.py: what it measures is complete and true, and it judges right. The
judgements are tested on figures written by hand, which no noise of a machine moves."""

import csv
import importlib.util
import os
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree

from support import PRESSO, CliTest, log_text, main

BENCH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "figures")
sys.path.insert(0, BENCH)
import ingest_figures  # noqa: E402
import ingest_goals  # noqa: E402

LACKING = [tool for tool in ("zstd", "lz4", "rg") if not shutil.which(tool)]
NEEDS_TOOLS = unittest.skipIf(LACKING, f"skipped: not installed: {', '.join(LACKING)}")


def row(name, stored, speed, threads=1, decoding=1000, **more):
    """A row as in the CSV, of a file of a million bytes."""
    tool, _, flags = name.partition(" ")
    if tool not in ("zstd", "lz4"):
        tool, flags = "presso", name
    figures = {
        "file": "a", "plain_bytes": 1000000, "tool": tool, "options": flags, "threads": threads,
        "command": "", "compressed_bytes": stored, "ratio": 1000000 / stored,
        "compress_mb_s": speed, "decompress_mb_s": decoding, "compress_elapsed_mb_s": speed,
        "rare_mb_s": "", "frequent_mb_s": "", "rare": "", "frequent": "", "lines": "", "runs": 1,
        "round_trip": "yes",
    }
    return {key: str(value) for key, value in {**figures, **more}.items()}


class Goals(unittest.TestCase):
    def lines(self, *rows):
        return ingest_goals.acceptance(list(rows))[0][2:]

    def test_ratio_and_speed_are_judged_apart(self):
        line = self.lines(row("default", 100000, 70), row("zstd -3", 90000, 100))[0]
        self.assertIn("default against zstd -3 | 0.900 of 1.00 MISS | 0.700 of 0.70 PASS", line)
        line = self.lines(row("-12", 100000, 9.9), row("zstd -19", 97001, 10))[0]
        self.assertIn("| 0.970 of 0.97 PASS | 0.990 of 1.00 MISS |", line)

    def test_floor_is_neither_passed_nor_missed(self):
        line = self.lines(row("-9", 100000, 50), row("zstd -9", 98000, 100))[0]
        self.assertIn("| 0.980 of 1.00 floor | 0.500 of 0.70 floor |", line)
        line = self.lines(row("-9", 100000, 39), row("zstd -9", 96000, 100))[0]
        self.assertIn("| 0.960 of 1.00 MISS | 0.390 of 0.70 MISS |", line)
        line = self.lines(row("-1", 100000, 79), row("zstd -1", 100000, 100))[0]
        self.assertIn("| 1.000 of 1.00 PASS | 0.790 of 0.80 MISS |", line)

    def test_every_goal_has_its_line_and_misses_are_counted(self):
        rows = [row(name, 100000, 10) for name in ingest_figures.chosen_rows("goals")]
        lines, misses = ingest_goals.acceptance(rows)
        for goal in ingest_goals.GOALS:
            self.assertIn(f"| a | {goal.ours} against {goal.theirs} |", "\n".join(lines))
        self.assertEqual(misses, 0)
        worse = [row("-1", 200000, 1) if r["options"] == "-1" and r["tool"] == "presso" else r
                 for r in rows]
        self.assertEqual(ingest_goals.acceptance(worse)[1], 2)

    def test_decoding_threads_and_searches(self):
        lines = "\n".join(self.lines(
            row("default", 100000, 50, decoding=900),
            row("default", 100000, 50, 2, compress_elapsed_mb_s=96, rare_mb_s=310,
                frequent_mb_s=290),
            row("zstd -3", 100000, 100, rare_mb_s=100, frequent_mb_s=100),
        ))
        self.assertIn("decoding default against zstd -3 |  | 0.900 of 1.00 MISS", lines)
        self.assertIn("two threads against one |  | 1.920 of 1.90 PASS", lines)
        peer = "string, 2 threads, against zstd -dc and rg"
        self.assertIn(f"a rare {peer} |  | 3.100 of 3.00 PASS", lines)
        self.assertIn(f"a frequent {peer} |  | 2.900 of 3.00 MISS", lines)

    def test_wrong_round_trips_and_absent_rows_are_not_judged(self):
        bad = row("-1", 100, 1000, round_trip="no")
        self.assertEqual(self.lines(bad, row("zstd -1", 100000, 10)), [])
        self.assertEqual(list(ingest_goals.broken_rows([bad])),
                         ["a: -1: the round trip is WRONG"])

    def test_levels_in_order_have_no_problem(self):
        rows = [row(f"-{i}", 100000 - i, 100 / i) for i in range(1, 13)]
        self.assertEqual(ingest_goals.monotone(rows, 0.03), [])

    def problems(self, *rows):
        return "\n".join(ingest_goals.monotone(list(rows), 0.03))

    def test_levels_that_grow_or_become_faster_are_named(self):
        found = self.problems(row("-2", 1000, 50), row("-3", 1000, 40))
        self.assertIn("-3 beside -2: not smaller, 1000 bytes and 1000", found)
        self.assertNotIn("not slower", found)
        found = self.problems(row("-9", 1000, 50), row("-10", 900, 52))
        self.assertIn("-10 beside -9: not slower, 52 MB/s and 50", found)
        self.assertIn("-9: dominated by -10", found)
        self.assertEqual(self.problems(row("-9", 1000, 50), row("-10", 900, 51)), "", "noise")

    def test_default_and_archive_are_dominated_too_but_not_by_their_own_level(self):
        found = self.problems(row("-3", 1000, 50), row("default", 1100, 20))
        self.assertIn("default: dominated by -3", found)
        self.assertEqual(self.problems(row("-3", 1000, 50), row("default", 1000, 20)), "")
        found = self.problems(row("-9", 1000, 50), row("--favor archive", 1001, 2))
        self.assertIn("--favor archive: dominated by -9", found)

    def test_other_codings_and_tools_are_not_levels(self):
        rows = [row("-1", 1000, 50), row("--coding byte -1", 2000, 10), row("zstd -1", 10, 500)]
        self.assertEqual(self.problems(*rows), "")


class Words(CliTest):
    def test_rare_and_frequent_words_are_what_they_are_called(self):
        lines = [f"common line {'regular' if i % 10 == 0 else ''}\n" for i in range(1000)]
        lines[500] = "common line singular0815\n"
        self.write("text", "".join(lines).encode())
        self.assertEqual(ingest_figures.choose_words("text"), ("singular0815", "regular"))

    def test_sample_of_a_large_file_is_of_whole_lines_from_all_over_it(self):
        self.write("text", b"".join(b"line%08d\n" % i for i in range(500000)))
        lines = ingest_figures.sample_lines("text")
        self.assertEqual({len(line) for line in lines}, {12})
        self.assertLess(int(lines[0][4:]), 10)
        self.assertGreater(int(lines[-1][4:]), 499990)
        self.assertLess(len(lines), 100000)

    def test_text_without_words_has_none(self):
        self.write("text", b"\n. .\n" * 100)
        self.assertIsNone(ingest_figures.choose_words("text"))


class Figures(CliTest):
    def figures(self, *arguments, presso=PRESSO):
        command = [sys.executable, "-B", os.path.join(BENCH, "ingest_figures.py")]
        command += ["--presso", presso, "--out", "out.csv", "--commit", "tested", "--scratch", "."]
        return subprocess.run([*command, "--runs", "1", *arguments], capture_output=True,
                              text=True, timeout=300)

    def rows(self):
        with open("out.csv", encoding="utf-8") as file:
            self.assertRegex(file.readline(), "^# command: .*; commit: tested; machine: ")
            reader = csv.DictReader(file)
            rows = list(reader)
        self.assertEqual(reader.fieldnames, ingest_figures.COLUMNS)
        return {(ingest_goals.label(r), r["threads"]): r for r in rows}

    @NEEDS_TOOLS
    def test_rows_are_complete_and_sizes_are_those_of_the_commands(self):
        text = log_text(20000)
        self.write("app.log", text)
        done = self.figures("--rows", "goals,-3 --coding bit", "app.log")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.rows()
        names = ingest_figures.chosen_rows("goals") + ["-3 --coding bit"]
        self.assertEqual(set(rows), {(name, "1") for name in names} | {("default", "2")})
        for figures in rows.values():
            self.assertEqual((figures["round_trip"], figures["plain_bytes"]),
                             ("yes", str(len(text))))
            self.assertGreater(float(figures["compress_mb_s"]), 0)
            self.assertGreater(float(figures["decompress_mb_s"]), 0)
        self.check_sizes(rows)
        self.check_searches(rows, text)
        self.assertIn("| app.log | default against zstd -3 |", done.stdout)
        self.assertIn("| app.log | two threads against one |", done.stdout)

    def check_sizes(self, rows):
        for name in ("-1", "-3 --coding bit"):
            stored = self.ok("compress", "-q", *name.split(), "-c", "app.log").out
            self.assertEqual(rows[name, "1"]["compressed_bytes"], str(len(stored)), name)
        zstd = subprocess.run(["zstd", "-q", "--single-thread", "-9", "-c", "app.log"],
                              capture_output=True, check=True)
        self.assertEqual(rows["zstd -9", "1"]["compressed_bytes"], str(len(zstd.stdout)))

    def check_searches(self, rows, text):
        two, peer = rows["default", "2"], rows["zstd -3", "1"]
        words = [two[kind].encode() for kind in ingest_goals.SEARCHES]
        counts = [sum(word in line for line in text.splitlines()) for word in words]
        for figures in (two, peer):
            self.assertEqual(figures["lines"], " ".join(map(str, counts)))
            self.assertGreater(float(figures["rare_mb_s"]), 0)
        self.assertEqual(rows["default", "1"]["rare"], "")

    def test_only_chosen_rows_without_other_tools(self):
        self.write("app.log", log_text(500))
        done = self.figures("--rows", "levels", "--search", "no", "--monotone", "app.log")
        self.assertEqual([name for name, _ in self.rows()], ingest_figures.LEVELS)
        self.assertRegex(done.stdout, "Order of levels: [0-9]+ problems")
        clean = "Order of levels: 0 problems" in done.stdout
        self.assertEqual(done.returncode, 0 if clean else 1, done.stderr)

    def test_a_result_that_does_not_round_trip_has_no_rates_and_fails(self):
        self.write("app.log", log_text(200))
        self.write("wrong", b'#!/bin/sh\ntest "$1" = cat && echo wrong || exec "$0.right" "$@"\n')
        os.chmod("wrong", 0o755)
        os.symlink(PRESSO, "wrong.right")
        done = self.figures("--rows", "-1", "app.log", presso=os.path.abspath("wrong"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("app.log: -1: the round trip is WRONG", done.stdout)
        figures = self.rows()["-1", "1"]
        self.assertEqual((figures["round_trip"], figures["compress_mb_s"]), ("no", ""))

    @NEEDS_TOOLS
    def test_searches_that_disagree_fail(self):
        self.write("app.log", log_text(500))
        self.write("wrong", b'#!/bin/sh\ntest "$1" = scan && echo 7 || exec "$0.right" "$@"\n')
        os.chmod("wrong", 0o755)
        os.symlink(PRESSO, "wrong.right")
        rows = "default,zstd -3"
        done = self.figures("--rows", rows, "app.log", presso=os.path.abspath("wrong"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("searches disagree", done.stderr)

    def test_refused_options_and_absent_commands_are_named(self):
        self.write("app.log", log_text(100))
        done = self.figures("--rows", "-99", "--search", "no", "app.log")
        self.assertEqual(done.returncode, 1)
        self.assertIn("-99 -c", done.stderr)
        done = self.figures("--rows", "-1", "app.log", presso="./absent")
        self.assertEqual((done.returncode, done.stderr), (1, "not installed: ./absent\n"))
        self.assertIn("give files to measure", self.figures().stderr)

    def test_figures_that_exist_are_judged_again(self):
        self.write("app.log", log_text(500))
        first = self.figures("--rows=-1,-3", "--search", "no", "app.log")
        self.assertEqual(first.returncode, 0, first.stderr)
        again = self.figures("--from", "out.csv")
        self.assertEqual((again.returncode, again.stdout), (0, first.stdout))

    @unittest.skipUnless(
        importlib.util.find_spec("matplotlib"), "skipped: matplotlib is not installed"
    )
    def test_plot_shows_every_file_and_level(self):
        rows = [row(name, 100000 - 100 * i, 100 - i, file=file)
                for file in ("first", "second", "third")
                for i, name in enumerate(["default", "-1", "-2", "zstd -1", "zstd -3", "lz4 -1"])]
        import plots  # noqa: PLC0415  needs matplotlib

        plots.matplotlib.rcParams["svg.fonttype"] = "none"  # text stays text
        plots.draw_ladder(rows, "ladder.svg")
        tree = xml.etree.ElementTree.parse("ladder.svg")
        texts = [e.text for e in tree.iter() if e.tag.endswith("}text")]
        self.assertLessEqual({"first, 1 MB", "third, 1 MB", "zstd", "presso, default"}, set(texts))
        self.assertEqual((texts.count("-2"), texts.count("-3")), (3, 3))


if __name__ == "__main__":
    main()
