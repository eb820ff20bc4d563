# SPDX-License-Identifier: MIT
"""Judges the rows that ingest_figures.py measures: what compressing must reach beside zstd and
lz4, and whether presso's levels are in order. Speeds are CPU time of one thread, except where two
threads take part: there it is elapsed time, which a busy machine spoils."""

from collections import namedtuple

# Multiples of the other tool's ratio and speed. What misses a goal but reaches the floor is
# tolerable; most goals have no lower floor.
Goal = namedtuple("Goal", "ours theirs ratio speed ratio_floor speed_floor")
GOALS = (
    Goal("default", "zstd -3", 1.0, 0.7, 1.0, 0.4),
    Goal("-1", "zstd -1", 1.0, 0.8, 1.0, 0.8),
    Goal("-9", "zstd -9", 1.0, 0.7, 0.97, 0.4),
    Goal("-12", "zstd -19", 0.97, 1.0, 0.97, 1.0),
    Goal("--coding byte -1", "lz4 -1", 1.0, 0.8, 1.0, 0.8),
)
PEER = "zstd -3"  # what decoding and searching are compared with
TWO_THREADS, DECODING, SEARCHING = 1.9, 1.0, 3.0
SEARCHES = ("rare", "frequent")
HEAD = "| file | what | ratio, times the other's | speed, times the other's |\n|---|---|---|---|"


def label(row):
    """What --rows calls this row."""
    return row["options"] if row["tool"] == "presso" else f"{row['tool']} {row['options']}"


def one_thread(rows):
    """label -> row, without the rows of two threads."""
    return {label(row): row for row in rows if row["threads"] == "1"}


def by_file(rows):
    files = {}
    for row in rows:
        files.setdefault(row["file"], []).append(row)
    return files


def usable(row):
    return row is not None and row["round_trip"] == "yes"


def verdict(value, goal, floor):
    word = "PASS" if value >= goal else "floor" if value >= floor else "MISS"
    return f"{value:.3f} of {goal:.2f} {word}"


def quotient(ours, theirs, column):
    """How many times the other's figure; None where one of them is missing."""
    if not (usable(ours) and usable(theirs) and ours[column] and theirs[column]):
        return None
    return float(ours[column]) / max(float(theirs[column]), 1e-9)


def compression_lines(rows):
    """(what, verdict on the ratio, verdict on the speed) of one file."""
    found = one_thread(rows)
    for goal in GOALS:
        ours, theirs = found.get(goal.ours), found.get(goal.theirs)
        ratio = quotient(ours, theirs, "ratio")
        speed = quotient(ours, theirs, "compress_mb_s")
        if ratio is not None and speed is not None:
            yield (
                f"{goal.ours} against {goal.theirs}",
                verdict(ratio, goal.ratio, goal.ratio_floor),
                verdict(speed, goal.speed, goal.speed_floor),
            )


def other_lines(rows):
    """Decoding, two threads and searching, in the same form."""
    found = one_thread(rows)
    default, peer = found.get("default"), found.get(PEER)
    two = next((r for r in rows if label(r) == "default" and r["threads"] == "2"), None)
    figures = [
        ("decoding default against " + PEER, quotient(default, peer, "decompress_mb_s"), DECODING),
        ("two threads against one", quotient(two, default, "compress_elapsed_mb_s"), TWO_THREADS),
    ]
    for kind in SEARCHES:
        what = f"searching a {kind} string, 2 threads, against zstd -dc and rg"
        figures.append((what, quotient(two, peer, f"{kind}_mb_s"), SEARCHING))
    for what, value, goal in figures:
        if value is not None:
            yield what, "", verdict(value, goal, goal)


def broken_rows(rows):
    for row in rows:
        if not usable(row):
            yield f"{row['file']}: {label(row)}: the round trip is WRONG"


def acceptance(rows):
    """The table of all goals as lines, and how many of its verdicts were MISS."""
    lines = HEAD.splitlines()
    for file, mine in by_file(rows).items():
        for what, ratio, speed in [*compression_lines(mine), *other_lines(mine)]:
            lines.append(f"| {file} | {what} | {ratio} | {speed} |")
    return lines, sum(line.count("MISS") for line in lines)


def ladder_rows(rows):
    """Numbered levels in order, each with its default options."""
    numbered = [r for r in one_thread(rows).values() if r["tool"] == "presso" and usable(r)]
    numbered = [r for r in numbered if r["options"][1:].isdigit()]
    return sorted(numbered, key=lambda row: int(row["options"][1:]))


def size_and_speed(row):
    return int(row["compressed_bytes"]), float(row["compress_mb_s"])


def order_problems(levels, noise):
    for before, after in zip(levels, levels[1:]):
        (size, speed), (next_size, next_speed) = map(size_and_speed, (before, after))
        names = f"{label(after)} beside {label(before)}"
        if next_size >= size:
            yield f"{names}: not smaller, {next_size} bytes and {size}"
        if next_speed > speed * (1 + noise):
            yield f"{names}: not slower, {next_speed:g} MB/s and {speed:g}"


def dominated_problems(candidates, noise):
    for row in candidates:
        size, speed = size_and_speed(row)
        for other in candidates:
            other_size, other_speed = size_and_speed(other)
            if other_size <= size and other_speed > speed * (1 + noise):
                yield (
                    f"{label(row)}: dominated by {label(other)}, {other_size} bytes at "
                    f"{other_speed:g} MB/s, itself {size} at {speed:g}"
                )


def presets_beside(levels, found):
    """The default and the preset for archives, unless they are one of the numbered levels."""
    presets = [found.get(name) for name in ("default", "--favor archive")]
    sizes = {row["compressed_bytes"] for row in levels}
    return [row for row in presets if usable(row) and row["compressed_bytes"] not in sizes]


def monotone(rows, noise):
    """What is wrong with the order of presso's levels. Speeds that differ by no more than the
    fraction `noise` count as equal."""
    problems = []
    for file, mine in by_file(rows).items():
        levels = ladder_rows(mine)
        candidates = levels + presets_beside(levels, one_thread(mine))
        found = [*order_problems(levels, noise), *dominated_problems(candidates, noise)]
        problems += [f"{file}: {problem}" for problem in found]
    return problems


def short(text):
    """A figure of the CSV with three digits that count."""
    value = float(text or "nan")
    return "" if value != value else f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f}"


def table(rows):
    """All rows in Markdown."""
    lines = ["| file | options | threads | ratio | compress MB/s | decompress MB/s |"]
    lines.append("|---|---|---|---|---|---|")
    for row in rows:
        figures = [short(row[key]) for key in ("ratio", "compress_mb_s", "decompress_mb_s")]
        cells = [row["file"], f"{row['tool']} {row['options']}", row["threads"], *figures]
        lines.append("| " + " | ".join(cells) + " |")
    return lines
