#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Forty random questions about a made-up table, the same ones each time, for kernels that are
compiled for a question: no question and no width of a column is one that they were tuned for.

    random_questions.py table ROWS FILE     writes the table as CSV, by all cores
    random_questions.py questions           prints a question a line: WHERE | GROUP BY | AGGREGATES
    random_questions.py shares RATE FILE    what table_gpu_rate has printed, with a column more: the
                                            share of RATE, in GB/s, at which the blocks were read

A question has 2 to 6 conditions, 1 to 8 sums and no groups or 2 to 64. Columns have 1 to 40 bits
and are drawn evenly: integers, decimals of two digits and dates. Every third question, and only
these, also use a column with nulls or with few strings, which are stored by a dictionary.

`shares` ends with the median and the least share, in lines that begin with #."""

import csv
import datetime
import multiprocessing
import os
import random
import shutil
import statistics
import sys

COUNT = 40
WIDTHS = (1, 2, 3, 5, 7, 8, 10, 12, 13, 16, 17, 19, 20, 23, 26, 29, 32, 33, 37, 40)
PRICES = (11, 15, 18, 24)  # bits of decimals, in hundredths
DAYS = (9, 11)  # bits of dates
NULLS = {2: 3, 4: 4, 9: 6, 14: 8, 21: 10}  # bits, and of how many sixteenths there is a value
STRINGS = {"flag": 3, "mode": 7, "city": 50}
FIRST_DAY = datetime.date(1992, 1, 1)
DATES = [str(FIRST_DAY + datetime.timedelta(i)) for i in range(1 << max(DAYS))]
# Columns that make groups of one number, and how many.
GROUPS = {"i1": 2, "i2": 4, "i3": 8, "i5": 32}
OTHER_GROUPS = {"flag": 3, "mode": 7, "city": 50, "n2": 5, "n4": 17}


def names():
    """All columns, in the table's order."""
    kinds = [("i", WIDTHS), ("p", PRICES), ("d", DAYS), ("n", NULLS)]
    return [f"{kind}{bits}" for kind, widths in kinds for bits in widths] + list(STRINGS)


def line_of(bits):
    """A row of the table, of some hundred random bits."""
    values = []

    def take(width):
        nonlocal bits
        value = bits & ((1 << width) - 1)
        bits >>= width
        return value

    for width in WIDTHS:
        values.append(str(take(width)))
    for width in PRICES:
        value = take(width)
        values.append(f"{value // 100}.{value % 100:02}")
    for width in DAYS:
        values.append(DATES[take(width)])
    for width, sixteenths in NULLS.items():
        value = take(width)
        values.append(str(value) if take(4) < sixteenths else "")
    for name, count in STRINGS.items():
        values.append(f"{name}{take(16) % count}")
    return ",".join(values)


def write_part(task):
    path, part, rows = task
    draw = random.Random(part).getrandbits
    with open(f"{path}.{part}", "w") as file:
        for begin in range(0, rows, 10000):
            count = min(10000, rows - begin)
            file.write("".join(line_of(draw(700)) + "\n" for _ in range(count)))


def write_table(rows, path):
    """In parts of a fixed number of rows, so that the table does not depend on the cores."""
    part_rows = 1 << 18
    tasks = [
        (path, i, min(part_rows, rows - i * part_rows))
        for i in range((rows + part_rows - 1) // part_rows)
    ]
    with multiprocessing.Pool(os.cpu_count()) as pool:
        pool.map(write_part, tasks, chunksize=1)
    with open(path, "wb") as file:
        file.write((",".join(names()) + "\n").encode())
        for _, part, _ in tasks:
            with open(f"{path}.{part}", "rb") as piece:
                shutil.copyfileobj(piece, file, 1 << 24)
            os.remove(f"{path}.{part}")


def literal(kind, value):
    """A value of a column, as questions have it."""
    if kind == "p":
        return f"{value // 100}.{value % 100:02}"
    return DATES[value] if kind == "d" else str(value)


def condition(rng, column):
    """Holds for a third of the column's values or more, nulls aside."""
    if column in STRINGS:
        chosen = rng.sample(range(STRINGS[column]), max(1, STRINGS[column] * 2 // 3))
        texts = [f"'{column}{i}'" for i in sorted(chosen)]
        return f"{column} = {texts[0]}" if len(texts) == 1 else f"{column} in ({', '.join(texts)})"
    kind, most = column[0], (1 << int(column[1:])) - 1
    if kind == "n" and rng.random() < 0.2:
        return f"{column} is not null"
    if most == 1:
        return f"{column} = {rng.randrange(2)}"
    passes = rng.uniform(0.35, 0.95)
    part = max(1, int(passes * most))
    form = rng.randrange(3)
    if form == 0:
        return f"{column} <= {literal(kind, part)}"
    if form == 1:
        return f"{column} >= {literal(kind, most - part)}"
    begin = rng.randrange(most - part + 1)
    return f"{column} between {literal(kind, begin)} and {literal(kind, begin + part)}"


def aggregate(rng, columns):
    """A sum of values, of products of two numbers, or of prices that are reduced."""
    column = rng.choice(columns)
    form = rng.random()
    if column[0] == "p" and form < 0.5:
        return f"sum({column} * (1 - p11))" if column != "p11" else "sum(p18 * (1 - p11))"
    small = [c for c in columns if c[0] == "i" and int(c[1:]) + int(column[1:]) <= 48]
    if column[0] == "i" and small and form < 0.4:
        return f"sum({column} * {rng.choice(small)})"
    return f"sum({column})"


def question(rng, uses_others):
    """`uses_others`: a column with nulls or strings, in a condition, a sum or the groups."""
    numbers = [c for c in names() if c[0] in "ip"]
    plain = numbers + [f"d{bits}" for bits in DAYS]
    nulls = [f"n{bits}" for bits in NULLS]
    wheres = rng.sample(plain, rng.randint(2, 6))
    sums = rng.randint(1, 8)
    place = rng.choice(("where", "sum", "group")) if uses_others else None
    if place == "where":
        wheres[rng.randrange(len(wheres))] = rng.choice(nulls + list(STRINGS))
    aggregates = [aggregate(rng, numbers) for _ in range(sums)]
    if place == "sum":
        aggregates[rng.randrange(sums)] = f"sum({rng.choice(nulls)})"
    groups, most = [], 64
    if place == "group":
        groups = [rng.choice(list(OTHER_GROUPS))]
        most //= OTHER_GROUPS[groups[0]]
    if groups or rng.random() < 0.5:
        for column in rng.sample(list(GROUPS), 2):
            if GROUPS[column] <= most and len(groups) < 2:
                groups.append(column)
                most //= GROUPS[column]
    wheres = " and ".join(condition(rng, column) for column in wheres)
    aggregates = list(dict.fromkeys(aggregates))
    return f"{wheres} | {', '.join(groups)} | {', '.join(aggregates)}"


def questions():
    rng = random.Random(49)
    return [question(rng, i % 3 == 0) for i in range(COUNT)]


def print_shares(rate, path):
    with open(path, newline="") as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#")))
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow([*rows[0], "share of the read rate"])
    at = rows[0].index("GB/s")
    shares = [float(row[at]) / rate for row in rows[1:]]
    for row, share in zip(rows[1:], shares):
        writer.writerow([*row, f"{share:.3f}"])
    if not shares:
        sys.exit("random_questions.py: no question was timed")
    print(f"# {len(shares)} of {COUNT} questions, of {rate:g} GB/s:")
    print(f"# median {statistics.median(shares):.3f}, least {min(shares):.3f}")


def main():
    match sys.argv[1:]:
        case ["table", rows, path]:
            write_table(int(rows), path)
        case ["questions"]:
            print("\n".join(questions()))
        case ["shares", rate, path]:
            print_shares(float(rate), path)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
