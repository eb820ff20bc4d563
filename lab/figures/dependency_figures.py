#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What dependency rules cost in ratio and speed, as CSV and plots: compresses a sample of each file
under every rule, decompresses and compares, and sets each rule beside `none`.

    lab/figures/dependency_figures.py dickens xml nci winlog dbtext

Writes into --out
    dependency-rules.csv          rule and group, by level, coding and block size
    dependency-staleness.csv      rule and staleness, by window and longest match: the fast parser
    dependency-single-entry.csv   the same of a matcher like LZ4's (level 0; times of parsing only),
                                  by the program --trials, which a build with tests makes
    figure-7.13.svg, dependency-staleness.svg, dependency-single-entry.svg
                                  plots of these; need matplotlib (Debian: python3-matplotlib)
and prints tables for notes.

A loss is a percentage of what `none` reaches; "best": of what `none` reaches with the staleness
that gives it the best ratio, where the level has a table of single entries. Speeds are CPU time,
one thread, the fastest of several runs in turns. Exit status 1 where a result did not round-trip.
"""

import argparse
import concurrent.futures
import csv
import os
import subprocess
import sys
import tempfile

import csv_origin
import dependency_tables
import single_entry_runs
from compress_runs import Runner, Setting, parse_size, read_sample

FIRST_SLOW_LEVEL = 10
RULES = (
    "strict:32,literal-aware:32,literal-aware:128,two-wave:32,two-wave:64,two-wave:128,tile:2048"
)
STALENESS = [0, 64, 128, 256, 512, 1024, 2048, 4096, 8192]
FIGURES = (
    "sample_bytes compressed_bytes ratio ratio_loss_percent ratio_loss_best_percent best_staleness "
    "mb_s speed_loss_percent speed_loss_best_percent runs round_trips"
).split()
SETTING = "level coding block_bytes window lookahead rule group staleness".split()


def words(text):
    return text.split(",")


def numbers(text):
    """1,6,9 or 1-12."""
    ranges = [part.split("-") for part in text.split(",")]
    return [number for r in ranges for number in range(int(r[0]), int(r[-1]) + 1)]


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+")
    parser.add_argument("--presso", default="build/release/bin/presso")
    parser.add_argument("--trials", default="build/release/bin/single_entry_trials")
    parser.add_argument("--out", default="lab/results", help="folder for the results")
    parser.add_argument("--commit", default="", help="what git cannot tell")
    parser.add_argument("--levels", type=numbers, default="1,6,9,12")
    parser.add_argument("--codings", type=words, default="byte,bit")
    parser.add_argument("--block-sizes", type=words, default="64K,256K")
    parser.add_argument("--rules", type=words, default=RULES, help="RULE:GROUP beside none")
    parser.add_argument("--sample", type=parse_size, default="8M", help="of a file; 0: all of it")
    parser.add_argument("--slow-sample", type=parse_size, default="4M", help="from level 10 on")
    parser.add_argument("--repeats", type=int, default=3, help="runs of which the fastest counts")
    parser.add_argument("--jobs", type=int, default=1, help="files and settings at a time")
    parser.add_argument(
        "--staleness-levels", type=numbers, default="1-2", help="that have single entries"
    )
    parser.add_argument("--staleness", type=numbers, default=STALENESS)
    parser.add_argument("--sweep-level", type=int, default=1)
    parser.add_argument("--sweep-windows", type=words, default="8K,64K")
    parser.add_argument("--sweep-block-size", default="256K")
    parser.add_argument(
        "--sweep-rules", type=words, default="strict:32,literal-aware:32,two-wave:32"
    )
    parser.add_argument("--sweep-lookaheads", type=numbers, default="0,64", help="0: unlimited")
    return parser.parse_args()


def with_none(rules):
    """(rule, group) pairs, `none` first."""
    pairs = [rule.partition(":")[::2] for rule in rules if rule != "none"]
    return [("none", 0)] + [(rule, int(group or 0)) for rule, group in pairs]


def rule_units(options):
    """(path, settings that are compared with one another) for dependency-rules.csv."""
    for path in options.files:
        for level in options.levels:
            for coding in options.codings:
                for block in options.block_sizes:
                    common = (level, coding, block)
                    pairs = with_none(options.rules)
                    settings = [Setting(*common, rule, group) for rule, group in pairs]
                    if level in options.staleness_levels:
                        settings += [Setting(*common, "none", 0, s) for s in options.staleness]
                    yield path, settings


def sweep_units(options):
    """The same for dependency-staleness.csv."""
    for path in options.files:
        for window in options.sweep_windows:
            for lookahead in options.sweep_lookaheads:
                yield path, [
                    Setting(
                        options.sweep_level,
                        "byte",
                        options.sweep_block_size,
                        rule,
                        group,
                        staleness,
                        window,
                        lookahead,
                    )
                    for rule, group in with_none(options.sweep_rules)
                    for staleness in options.staleness
                ]


def loss(value, reference):
    return f"{100 * (1 - value / reference):.2f}"


def plain_setting(setting):
    """The same without a rule; in a sweep, with the same staleness."""
    return Setting(**{**vars(setting), "rule": "none", "group": 0})


def figures(setting, results, best):
    """The columns of FIGURES. Nothing is said of what does not round-trip, or beside such."""
    result, none = results[setting], results[plain_setting(setting)]
    row = [result.plain_bytes]
    if not (result.round_trips and none.round_trips and best):
        return row + [""] * 8 + [result.runs, "no"]
    reference = results[best]
    return row + [
        result.compressed_bytes,
        f"{result.ratio:.4f}",
        loss(result.ratio, none.ratio),
        loss(result.ratio, reference.ratio),
        "default" if best.staleness is None else best.staleness,
        f"{result.mb_s:.1f}",
        loss(result.mb_s, none.mb_s),
        loss(result.mb_s, reference.mb_s),
        result.runs,
        "yes",
    ]


def best_none(results):
    """The setting without a rule whose ratio is best; of equals the first."""
    plain = [s for s, r in results.items() if s.rule == "none" and r.round_trips]
    return max(plain, key=lambda setting: results[setting].ratio, default=None)


def rows(commit, path, results):
    best = best_none(results)
    for setting in results:
        values = vars(setting)
        head = {
            **values,
            "block_bytes": parse_size(setting.block),
            "window": parse_size(setting.window) if setting.window else "default",
            "lookahead": setting.lookahead or "unlimited",
            "staleness": "default" if setting.staleness is None else setting.staleness,
        }
        yield [commit, os.path.basename(path)] + [head[key] for key in SETTING] + figures(
            setting, results, best
        )


def measure_unit(runner, options, unit):
    path, settings = unit
    slow = settings[0].level >= FIRST_SLOW_LEVEL
    most = options.slow_sample if slow else options.sample
    sample = read_sample(path, most, parse_size(settings[0].block))
    print(f"{os.path.basename(path)}: {' '.join(settings[0].options())} ...", file=sys.stderr)
    return path, runner.measure(sample, settings)


def measured(runner, options, units):
    """(path, results) in the order of the units, whatever --jobs is."""
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        yield from pool.map(lambda unit: measure_unit(runner, options, unit), units)


def write_csv(name, options, parts):
    """Whether everything in the parts, (path, results that are compared), round-trips."""
    correct = True
    with open(os.path.join(options.out, name), "w", encoding="utf-8") as file:
        file.write(csv_origin.origin(options.commit))
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["commit", "file", *SETTING, *FIGURES])
        for path, results in parts:
            out.writerows(rows(options.commit, path, results))
            file.flush()
            correct &= all(result.round_trips for result in results.values())
    return correct


def write_all(options):
    correct = True
    with tempfile.TemporaryDirectory() as directory:
        if os.path.exists(options.trials):
            correct &= write_csv(
                "dependency-single-entry.csv",
                options,
                single_entry_runs.all_results(options, directory),
            )
        else:
            print(f"LEFT OUT: single-entry matcher: no {options.trials}", file=sys.stderr)
        runner = Runner(options.presso, options.repeats, directory)
        for name, units in (
            ("dependency-staleness.csv", sweep_units),
            ("dependency-rules.csv", rule_units),
        ):
            correct &= write_csv(name, options, measured(runner, options, units(options)))
    return correct


def draw(options):
    try:
        import dependency_plots
    except ImportError as error:
        print(f"LEFT OUT: plots: {error}; on Debian: python3-matplotlib", file=sys.stderr)
        return
    dependency_plots.draw_all(options.out)


def main():
    options = arguments()
    options.commit = options.commit or csv_origin.git_commit()
    os.makedirs(options.out, exist_ok=True)
    correct = write_all(options)
    draw(options)
    print("\n".join(dependency_tables.all_tables(options.out)))
    if not correct:
        sys.exit("WRONG results; see the rows whose last column is no")


if __name__ == "__main__":
    main()
