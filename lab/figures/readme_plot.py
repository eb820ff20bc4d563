#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the plot of the README, docs/compared.svg, from lab/results/cpu-commands.csv: what one
gigabyte of each log takes with presso, zstd, lz4, gzip and xz. Needs nothing but Python. The same
figures give the same bytes; tests/cli/test_guides.py checks that the committed plot is drawn here.

    readme_plot.py [--out FILE]
"""
import argparse
import os
import statistics

import csv_origin

HERE = os.path.dirname(os.path.abspath(__file__))
FIGURES = os.path.join(HERE, "..", "results", "cpu-commands.csv")
PLOT = os.path.join(HERE, "..", "..", "docs", "compared.svg")
TEXTS = {"winlog.jsonl": "Windows event log", "app.log": "Made-up server log"}
TOOLS = [("presso", ""), ("presso", "-9"), ("zstd", "-3"), ("lz4", "-1"), ("gzip", "-6"),
         ("xz", "-6")]
PANELS = [  # title, value for 1 GB of text
    ("MB on disk", lambda row: 1000 / float(row["ratio"])),
    ("seconds to compress", lambda row: 1000 / float(row["compress_mb_s"])),
    ("seconds to decompress", lambda row: 1000 / float(row["decompress_mb_s"])),
    ("seconds to search", lambda row: 1000 / float(row["search_mb_s"])),
]
NAMES, PANEL, BAR, LINE, HEAD = 70, 205, 140, 19, 56  # widths and heights in pixels
COLOURS = {"presso": "#1f5fa8"}
OTHERS = "#b9b9b9"


def text(x, y, words, more=""):
    return f'<text x="{x:g}" y="{y:g}"{more}>{words}</text>'


def draw_bars(values, left, top):
    """One bar for each tool. A bar that would be far longer than the others is cut, and says so."""
    longest = min(max(values), 2 * statistics.median(values))
    for number, ((tool, _), value) in enumerate(zip(TOOLS, values)):
        y = top + number * LINE
        width = max(1.0, BAR * min(value, longest) / longest)
        colour = COLOURS.get(tool, OTHERS)
        yield f'<rect x="{left}" y="{y}" width="{width:.1f}" height="{LINE - 5}" fill="{colour}"/>'
        cut = " …" if value > longest else ""
        yield text(round(left + width + 4, 1), y + 11, f"{value:.3g}{cut}")


def draw_text(rows, title, top):
    """The four panels of one log, beside each other."""
    yield text(0, top + 14, f"1 GB of: {title}", ' font-weight="bold"')
    for number, (tool, options) in enumerate(TOOLS):
        yield text(0, top + HEAD + number * LINE + 11, f"{tool} {options}".strip())
    for number, (name, value_of) in enumerate(PANELS):
        left = NAMES + number * PANEL
        yield text(left, top + HEAD - 10, name, ' fill="#555555"')
        yield from draw_bars([value_of(row) for row in rows], left, top + HEAD)


def drawing(rows):
    found = {(row["file"], row["tool"], row["options"]): row for row in rows}
    height = HEAD + len(TOOLS) * LINE + 14
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{NAMES + len(PANELS) * PANEL}" '
             f'height="{height * len(TEXTS)}" font-family="sans-serif" font-size="12">',
             '<rect width="100%" height="100%" fill="white"/>']
    for number, (file, title) in enumerate(TEXTS.items()):
        lines += draw_text([found[(file, *tool)] for tool in TOOLS], title, number * height)
    return "\n".join([*lines, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--out", default=PLOT)
    options = parser.parse_args()
    with open(FIGURES, newline="", encoding="utf-8") as file:
        plot = drawing(csv_origin.rows(file))
    with open(options.out, "w", encoding="utf-8") as file:
        file.write(plot)


if __name__ == "__main__":
    main()
