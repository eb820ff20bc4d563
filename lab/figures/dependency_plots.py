#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws what lab/figures/dependency_figures.py measured, as SVG beside its CSV files: figure-7.13,
the loss of ratio and of speed by file and rule, and ratio by staleness of both matchers. Needs
matplotlib (Debian: python3-matplotlib). The same figures give the same bytes.

    lab/figures/dependency_plots.py lab/results"""

import os
import sys

import matplotlib

matplotlib.use("svg")

from matplotlib import pyplot  # noqa: E402  after the choice of a back end

import dependency_tables as tables  # noqa: E402
from dependency_tables import chosen, distinct, read_rows  # noqa: E402

BEST_LOSSES = ("ratio_loss_best_percent", "speed_loss_best_percent")
LOSSES = ("ratio_loss_best_percent", "speed_loss_percent")
PAPER_LOOKAHEAD = "64"  # longest match where the paper's Figure 7.13 was measured
COLOURS = {
    "none": "#555555",
    "strict 32": "#c44e52",
    "literal-aware 32": "#dd8452",
    "literal-aware 128": "#e8c07d",
    "two-wave 32": "#4c72b0",
    "two-wave 64": "#7fa3d6",
    "two-wave 128": "#b7cdec",
    "tile 2048": "#55a868",
}


def save(figure, folder, name):
    path = os.path.join(folder, name)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})
    pyplot.close(figure)
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip() for line in file]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def bars(axes, rows, key):
    """A group of bars for each file, a bar for each rule."""
    files, names = distinct(rows, "file"), distinct(rows, "name")
    width = 0.8 / len(names)
    for i, name in enumerate(names):
        values = {row["file"]: row[key] for row in chosen(rows, name=name)}
        at = [f + (i - (len(names) - 1) / 2) * width for f in range(len(files))]
        heights = [values.get(file, 0) for file in files]
        axes.bar(at, heights, width, label=name, color=COLOURS.get(name))
    axes.set_xticks(range(len(files)), files, rotation=30)
    axes.axhline(0, color="black", linewidth=0.5)
    axes.grid(axis="y", linewidth=0.3)


def panels_of_losses(folder):
    """(title, rows, losses of ratio and speed) for the columns of Figure 7.13."""
    for matcher, name in tables.SWEEPS.items():
        best = tables.best_of_sweep(read_rows(folder, name)).values()
        for window in distinct(best, "window"):
            rows = chosen(best, window=window, lookahead=PAPER_LOOKAHEAD)
            rows = [row for row in rows if row["rule"] != "none"]
            if rows:
                title = f"{matcher}, {int(window) // 1024} KiB,\nmatches to 64, best staleness"
                yield title, rows, BEST_LOSSES
    rows = tables.rule_rows(folder)
    largest = max(distinct(rows, "block_bytes"), default=0)
    rows = chosen(rows, block_bytes=largest, coding=rows[0]["coding"] if rows else "")
    for level in distinct(rows, "level"):
        title = f"level {level},\n{rows[0]['coding']}, {largest // 1024} KiB blocks"
        yield title, chosen(rows, level=level), LOSSES


def draw_losses(folder):
    panels = list(panels_of_losses(folder))
    if not panels:
        return
    figure, grid = pyplot.subplots(
        2,
        len(panels),
        figsize=(3.2 * len(panels), 6),
        sharex="col",
        sharey="row",
        squeeze=False,
    )
    for column, (title, rows, losses) in enumerate(panels):
        grid[0][column].set_title(title, fontsize=9)
        for line, key in enumerate(losses):
            bars(grid[line][column], rows, key)
    grid[0][0].set_ylabel("ratio lost, %")
    grid[1][0].set_ylabel("speed lost, %")
    # The last panel has all rules that the first ones have.
    figure.legend(*grid[0][-1].get_legend_handles_labels(), loc="lower center", ncol=7)
    figure.subplots_adjust(bottom=0.16)
    save(figure, folder, "figure-7.13.svg")


def draw_staleness(folder, name):
    rows = read_rows(folder, name)
    files, windows = distinct(rows, "file"), distinct(rows, "window", "lookahead")
    if not rows:
        return
    figure, grid = pyplot.subplots(
        len(windows),
        len(files),
        figsize=(3 * len(files), 2.4 * len(windows)),
        sharex=True,
        sharey="col",
        squeeze=False,
    )
    steps = sorted({int(row["staleness"]) for row in rows})
    for line, (window, lookahead) in enumerate(windows):
        grid[line][0].set_ylabel(f"ratio; {int(window) // 1024} KiB,\nmatches to {lookahead}")
        for column, file in enumerate(files):
            axes = grid[line][column]
            part = chosen(rows, file=file, window=window, lookahead=lookahead)
            for rule in distinct(part, "name"):
                curve = {int(r["staleness"]): r["ratio"] for r in chosen(part, name=rule)}
                x = [i for i, step in enumerate(steps) if step in curve]
                y = [curve[steps[i]] for i in x]
                axes.plot(x, y, marker=".", label=rule, color=COLOURS.get(rule))
            axes.set_xticks(range(len(steps)), steps, rotation=60)
            axes.grid(linewidth=0.3)
            if line == 0:
                axes.set_title(file)
    figure.legend(*grid[0][0].get_legend_handles_labels(), loc="upper center", ncol=8)
    figure.text(0.5, -0.15 / len(windows), "staleness, bytes", ha="center")
    save(figure, folder, name.replace(".csv", ".svg"))


def draw_all(folder):
    # Text stays text; names inside the file depend on its content only.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "presso"}):
        draw_losses(folder)
        for name in tables.SWEEPS.values():
            draw_staleness(folder, name)


if __name__ == "__main__":
    draw_all(*sys.argv[1:])
