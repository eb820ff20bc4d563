#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Markdown tables of what lab/figures/dependency_figures.py measured, for notes: losses by rule and
level, the best of each staleness sweep, and what costs more than it may.

    lab/figures/dependency_tables.py lab/results"""

import os
import sys

import csv_origin

TEXT = {"dickens", "dbtext"}  # files that may lose 1 %; others are structured and may lose 4 %
SWEEPS = {
    "Single-entry matcher": "dependency-single-entry.csv",
    "Fast parser": "dependency-staleness.csv",
}
DEFAULT_RULE = "two-wave 32"
LOSSES = {
    "ratio_loss_best_percent": "ratio lost against the best none",
    "speed_loss_percent": "speed lost against none",
}


def read_rows(folder, name):
    """The rows that round-trip, numbers of all that the tables and plots compute with. Nothing
    where the file is missing: the single-entry matcher's may be."""
    if not os.path.exists(os.path.join(folder, name)):
        return []
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        rows = [row for row in csv_origin.rows(file) if row["round_trips"] == "yes"]
    for row in rows:
        row["name"] = f"{row['rule']} {row['group']}" if row["rule"] != "none" else "none"
        row["level"], row["block_bytes"] = int(row["level"]), int(row["block_bytes"])
        for key in row:
            if key.endswith("_percent") or key in ("ratio", "mb_s"):
                row[key] = float(row[key])
    return rows


def rule_rows(folder):
    """Rows of dependency-rules.csv with a rule and everything else left to the level."""
    rows = read_rows(folder, "dependency-rules.csv")
    return [row for row in rows if row["rule"] != "none"]


def distinct(rows, *keys):
    """What the rows have in these columns, in the rows' order."""
    if len(keys) == 1:
        return list(dict.fromkeys(row[keys[0]] for row in rows))
    return list(dict.fromkeys(tuple(row[key] for key in keys) for row in rows))


def chosen(rows, **values):
    return [row for row in rows if all(row[key] == value for key, value in values.items())]


def best_of_sweep(rows):
    """(file, window, lookahead, rule) -> the row with the best ratio; of equals the first."""
    best = {}
    for row in rows:
        key = tuple(row[k] for k in ("file", "window", "lookahead", "name"))
        if key not in best or row["ratio"] > best[key]["ratio"]:
            best[key] = row
    return best


def markdown(head, lines):
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for line in lines:
        yield "| " + " | ".join(line) + " |"


def levels_of(rows, key, levels):
    by_level = {row["level"]: f"{row[key]:.1f}" for row in rows}
    return " / ".join(by_level.get(level, "-") for level in levels)


def loss_table(rows, key):
    """A line for each rule, a column for each file, in each cell all levels."""
    files, levels = distinct(rows, "file"), distinct(rows, "level")
    lines = [
        [name] + [levels_of(chosen(rows, name=name, file=file), key, levels) for file in files]
        for name in distinct(rows, "name")
    ]
    return markdown(["", *files], lines)


def sweep_table(rows):
    """A line for each window and rule: loss against the best `none`, and the staleness of both."""
    files, best = distinct(rows, "file"), best_of_sweep(rows)
    lines = []
    for window, lookahead, name in distinct(rows, "window", "lookahead", "name"):
        cells = [best.get((file, window, lookahead, name)) for file in files]
        figure = "ratio" if name == "none" else "ratio_loss_best_percent"
        lines.append(
            [f"{int(window) // 1024} KiB, {lookahead}: {name}"]
            + [f"{row[figure]:.2f} ({row['staleness']})" if row else "-" for row in cells]
        )
    return markdown(["", *files], lines)


def excesses(rows):
    for row in chosen(rows, name=DEFAULT_RULE):
        most = 1 if row["file"] in TEXT else 4
        if row["ratio_loss_best_percent"] > most:
            where = f"{row['file']}, level {row['level']}, {row['coding']}"
            where += f", {row['block_bytes'] // 1024} KiB"
            yield f"{where}: {row['ratio_loss_best_percent']:.2f} % > {most} %"


def all_tables(folder):
    rows = rule_rows(folder)
    levels = " / ".join(str(level) for level in distinct(rows, "level"))
    for key, what in LOSSES.items():
        for coding, block in distinct(rows, "coding", "block_bytes"):
            yield f"\n{coding}, {block // 1024} KiB: percent of {what}, levels {levels}"
            yield from loss_table(chosen(rows, coding=coding, block_bytes=block), key)
    for matcher, name in SWEEPS.items():
        yield f"\n{matcher}, window and longest match: best ratio, or loss in percent (staleness)"
        yield from sweep_table(read_rows(folder, name))
    yield f"\n{DEFAULT_RULE} costs more than it may:"
    yield from list(excesses(rows)) or ["nowhere"]


if __name__ == "__main__":
    print("\n".join(all_tables(*sys.argv[1:])))
