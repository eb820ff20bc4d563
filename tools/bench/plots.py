#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the two plots of the README from CSVs in tools/bench/results. Needs matplotlib (Debian:
python3-matplotlib). The same figures give the same bytes with the same version of matplotlib.

    tools/bench/plots.py [RESULTS_FOLDER [OUT_FOLDER]]

ratio-speed.svg  from cpu-commands.csv      ratio against speed of compressing and decompressing
search.svg       from cpu-search-peers.csv  seconds to search 1 GiB of text, beside other tools
"""

import os
import sys

import matplotlib

matplotlib.use("svg")

from matplotlib import pyplot  # noqa: E402  after the choice of a back end
from matplotlib.ticker import FuncFormatter, NullFormatter  # noqa: E402

import csv_origin  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = {  # colour and marker
    "presso": ("#1f5fa8", "o"),
    "presso, Bit coding": ("#5ba3e0", "s"),
    "zstd": ("#c44e52", "^"),
    "lz4": ("#dd8452", "v"),
    "gzip": ("#777777", "D"),
    "xz": ("#8172b3", "P"),
}
TEXTS = {"winlog.jsonl": "Windows event log, JSON lines, 87 MB", "app.log": "server log, 67 MB"}
PEER_TEXTS = {"winlog.jsonl": "long lines (2.3 KB)", "gen.jsonl": "short lines (290 bytes)"}
QUERIES = {  # label, colour, marker
    "rare": ("rare string", "#1f5fa8", "o"),
    "frequent": ("frequent string", "#c44e52", "s"),
    "regex": ("regular expression", "#55a868", "^"),
    "field": ("field = value", "#dd8452", "D"),
}


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv_origin.rows(file))


def series_of(row):
    return "presso, Bit coding" if "bit" in row["options"] else row["tool"]


def short(options):
    return options.replace("--coding bit", "").replace("--block-size ", "").strip()


def plain_numbers(axis):
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axis.set_minor_formatter(NullFormatter())


def draw_points(axes, rows, speed):
    for name, (colour, marker) in TOOLS.items():
        mine = [row for row in rows if series_of(row) == name and "index" not in row["options"]]
        mine.sort(key=lambda row: float(row["ratio"]))
        speeds = [float(row[speed]) for row in mine]
        ratios = [float(row["ratio"]) for row in mine]
        axes.plot(speeds, ratios, color=colour, marker=marker, label=name, linewidth=0.6,
                  markersize=6)
        for row, x, y in zip(mine, speeds, ratios):
            axes.annotate(short(row["options"]), (x, y), textcoords="offset points",
                          xytext=(5, 3), fontsize=7, color=colour)
    axes.set_xscale("log")
    plain_numbers(axes.xaxis)
    axes.grid(True, which="major", linewidth=0.3)
    axes.margins(x=0.12, y=0.12)


def draw_ratio_speed(rows, path):
    texts = [text for text in TEXTS if any(row["file"] == text for row in rows)]
    figure, grid = pyplot.subplots(len(texts), 2, figsize=(10, 3.9 * len(texts)), squeeze=False)
    for line, text in zip(grid, texts):
        mine = [row for row in rows if row["file"] == text]
        titles = ("compressing", "decompressing, checksums verified")
        for axes, speed, title in zip(line, ("compress_mb_s", "decompress_mb_s"), titles):
            draw_points(axes, mine, speed)
            axes.set_title(f"{TEXTS[text]}: {title}", fontsize=9)
            axes.set_xlabel("MB of text a second, one thread")
        line[0].set_ylabel("ratio")
    grid[0][0].legend(fontsize=8, loc="upper right")
    save(figure, path)


def draw_search(rows, path):
    tools = list(dict.fromkeys(row["tool"] for row in rows))[::-1]
    figure, line = pyplot.subplots(1, len(PEER_TEXTS), figsize=(10, 3.6), sharey=True)
    for axes, (text, title) in zip(line, PEER_TEXTS.items()):
        for query, (label, colour, marker) in QUERIES.items():
            mine = [row for row in rows if row["file"] == text and row["query"] == query]
            axes.plot([float(row["seconds_a_gib"]) for row in mine],
                      [tools.index(row["tool"]) for row in mine], color=colour, marker=marker,
                      linestyle="none", label=label, markersize=7, alpha=0.85)
        axes.set_xscale("log")
        plain_numbers(axes.xaxis)
        axes.set_yticks(range(len(tools)), tools, fontsize=9)
        axes.set_xlabel("seconds to search 1 GiB of text, one core")
        axes.set_title(title, fontsize=10)
        axes.grid(True, which="major", linewidth=0.3)
    line[-1].legend(fontsize=8, loc="lower right")
    save(figure, path)


def save(figure, path):
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def main():
    results = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "results")
    out = sys.argv[2] if len(sys.argv) > 2 else os.path.join(HERE, "..", "..", "docs")
    matplotlib.rcParams["svg.hashsalt"] = "presso"
    matplotlib.rcParams["font.size"] = 9
    draw_ratio_speed(read(os.path.join(results, "cpu-commands.csv")),
                     os.path.join(out, "ratio-speed.svg"))
    draw_search(read(os.path.join(results, "cpu-search-peers.csv")),
                os.path.join(out, "search.svg"))


if __name__ == "__main__":
    main()
