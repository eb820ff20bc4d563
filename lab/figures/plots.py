#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the plots of docs/benchmarks.md from CSVs in lab/results, and prints the table of the same
figures. Needs matplotlib (Debian: python3-matplotlib). The same figures give the same bytes with
the same version of matplotlib. readme_plot.py draws the plot of the README.

    lab/figures/plots.py [RESULTS_FOLDER [OUT_FOLDER]]

ratio-speed.svg  from cpu-commands.csv      ratio against speed of compressing and decompressing
search.svg       from cpu-search-peers.csv  seconds to search 1 GiB of text, beside other tools
ladder.svg       from cpu-ingest.csv        ratio against speed of compressing, every level beside
                                            zstd's; left out where ingest_figures.py has not run
"""

import os
import sys

import matplotlib

matplotlib.use("svg")

from matplotlib import pyplot  # noqa: E402  after the choice of a back end
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter  # noqa: E402

import csv_origin  # noqa: E402
import ingest_goals  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = {  # colour and marker
    "presso": ("#1f5fa8", "o"),
    "presso, Byte coding": ("#5ba3e0", "s"),
    "zstd": ("#c44e52", "^"),
    "lz4": ("#dd8452", "v"),
    "gzip": ("#777777", "D"),
    "xz": ("#8172b3", "P"),
}
TEXTS = {"winlog.jsonl": "Windows event log, JSON lines, 87 MB", "app.log": "server log, 67 MB"}
PEER_TEXTS = {"winlog.jsonl": "long lines (2.3 KB)", "gen.jsonl": "short lines (290 bytes)"}
PRESETS = {"default": "o", "--favor archive": "*"}  # marker
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
    return "presso, Byte coding" if "byte" in row["options"] else row["tool"]


def short(options):
    return " ".join(options.replace("--coding byte", "").split()) or "default"


def plain_numbers(axis):
    axis.set_major_locator(LogLocator(subs=(1, 3), numticks=20))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axis.set_minor_formatter(NullFormatter())


DEFAULT_LEVELS = {"": 3, "--coding byte": 6}


def level(row):
    options = row["options"]
    if options in DEFAULT_LEVELS:
        return DEFAULT_LEVELS[options]
    return next(int(word[1:]) for word in options.split() if word[1:].isdigit())


def draw_points(axes, rows, speed):
    for name, (colour, marker) in TOOLS.items():
        mine = [row for row in rows if series_of(row) == name and "index" not in row["options"]]
        mine.sort(key=level)
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
    grid[0][1].legend(fontsize=8, loc="upper left")
    save(figure, path)


def draw_ladder_of(axes, rows):
    """Numbered levels of each tool joined by a line; presso's default and preset for archives."""
    found = ingest_goals.one_thread(row for row in rows if row["compress_mb_s"])
    for tool in ("presso", "zstd", "lz4"):
        colour, marker = TOOLS[tool]
        mine = [row for row in found.values() if row["tool"] == tool]
        mine = sorted((row for row in mine if row["options"][1:].isdigit()), key=level)
        speeds = [float(row["compress_mb_s"]) for row in mine]
        ratios = [float(row["ratio"]) for row in mine]
        axes.plot(speeds, ratios, color=colour, marker=marker, label=tool, linewidth=0.8,
                  markersize=5)
        for row, x, y in zip(mine, speeds, ratios):
            axes.annotate(row["options"], (x, y), textcoords="offset points", xytext=(4, 3),
                          fontsize=7, color=colour)
    for name, marker in PRESETS.items():
        if name in found:
            axes.plot(float(found[name]["compress_mb_s"]), float(found[name]["ratio"]),
                      color=TOOLS["presso"][0], marker=marker, markerfacecolor="none",
                      markersize=12, linestyle="none", label=f"presso, {name}")


def draw_ladder(rows, path):
    files = list(ingest_goals.by_file(rows).items())
    lines = (len(files) + 1) // 2
    figure, grid = pyplot.subplots(lines, 2, figsize=(10, 3.9 * lines), squeeze=False)
    for axes, (file, mine) in zip(grid.flat, files):
        draw_ladder_of(axes, mine)
        axes.set_title(f"{file}, {int(mine[0]['plain_bytes']) / 1e6:.0f} MB", fontsize=9)
        axes.set_xlabel("MB of text compressed a second, one thread")
        axes.set_ylabel("ratio")
        axes.set_xscale("log")
        plain_numbers(axes.xaxis)
        axes.grid(True, which="major", linewidth=0.3)
        axes.margins(x=0.12, y=0.12)
    for axes in grid.flat[len(files):]:
        axes.set_visible(False)
    grid[0][0].legend(fontsize=8)
    save(figure, path)


def draw_search(rows, path):
    tools = list(dict.fromkeys(row["tool"] for row in rows))[::-1]
    figure, line = pyplot.subplots(1, len(PEER_TEXTS), figsize=(10, 3.8), sharey=True)
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
    figure.legend(*line[0].get_legend_handles_labels(), fontsize=8, ncols=len(QUERIES),
                  loc="lower center")
    save(figure, path, bottom=0.07)


def cells(row):
    numbers = (float(row[key]) for key in ("compress_mb_s", "decompress_mb_s", "search_mb_s"))
    ratio = float(row["ratio"])
    return [f"{ratio:.{1 if ratio >= 10 else 2}f}", *(f"{number:.10g}" for number in numbers)]


def print_table(rows, texts):
    """A line for each tool in Markdown; in each text's column ratio and three rates."""
    print("\n| | " + " | ".join(texts) + " |\n|---|" + "---|" * len(texts))
    for tool, options in dict.fromkeys((row["tool"], row["options"]) for row in rows):
        found = {row["file"]: row for row in rows if (row["tool"], row["options"]) ==
                 (tool, options)}
        line = [" / ".join(cells(found[text])) if text in found else "" for text in texts]
        print(f"| {tool} {options} | " + " | ".join(line) + " |")


def save(figure, path, bottom=0):
    figure.tight_layout(rect=(0, bottom, 1, 1))
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def main():
    results = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "results")
    out = sys.argv[2] if len(sys.argv) > 2 else os.path.join(HERE, "..", "..", "docs")
    matplotlib.rcParams["svg.hashsalt"] = "presso"
    matplotlib.rcParams["font.size"] = 9
    rows = read(os.path.join(results, "cpu-commands.csv"))
    draw_ratio_speed(rows, os.path.join(out, "ratio-speed.svg"))
    draw_search(read(os.path.join(results, "cpu-search-peers.csv")),
                os.path.join(out, "search.svg"))
    ladder = os.path.join(results, "cpu-ingest.csv")
    if os.path.exists(ladder):
        draw_ladder(read(ladder), os.path.join(out, "ladder.svg"))
    else:
        print("LEFT OUT: ladder.svg: no cpu-ingest.csv", file=sys.stderr)
    print_table(rows, list(dict.fromkeys(row["file"] for row in rows)))


if __name__ == "__main__":
    main()
