#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Judges what presso finds in tables as they are found, beside DuckDB and pandas.

    judge.py --presso BIN FOLDER                     the open half
    judge.py --presso BIN FOLDER --csv OUT.csv       each finding a row
    judge.py --presso BIN FOLDER --held-out          the other half, at the end
    judge.py --prepare FOLDER                        asks DuckDB and pandas, prints nothing

FOLDER is what fetch.py filled. The answers of DuckDB and pandas are kept in FOLDER/answers, so
that a second run asks only presso. Needs duckdb and pandas (see README.md).
"""
import argparse
import collections
import csv
import hashlib
import json
import math
import multiprocessing
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import answers

SECONDS = 60
WIDE = 1000
JSON = (".json", ".jsonl", ".ndjson")
CLASSES = ((200_000, "20-200 KB"), (1_000_000, "to 1 MB"), (math.inf, "over"))
MISSES = "DuckDB types it, presso does not"
CODES = "codes with leading zeros that DuckDB types, presso does not"
LOST = "DuckDB types it, presso has no such column or refuses the file"
NESTED = "field of a nested value, which presso has as text"
OTHER = "both type it, as different kinds"
ALONE = "only presso types it"
NUMBERS = "pandas types it as a number, presso does not"
NUMBER_CODES = "codes with leading zeros that pandas types, presso does not"
NO_HEADER = "header only in DuckDB"
MADE_UP = "header only in presso"
ROWS = "rows differ"
UNJUDGED = "DuckDB refuses it, presso does not"
REFUSED = "refused"
BACK = "does not come back"
FINDINGS = (MISSES, CODES, LOST, NESTED, OTHER, ALONE, NUMBERS, NUMBER_CODES, NO_HEADER, MADE_UP,
            ROWS, UNJUDGED, REFUSED, BACK)


def command(words, **options):
    """Output, error and status of a command within the time limit."""
    try:
        done = subprocess.run(words, capture_output=True, timeout=SECONDS, check=False, **options)
        return done.stdout, done.stderr.decode(errors="replace"), done.returncode
    except subprocess.TimeoutExpired:
        return b"", f"more than {SECONDS} seconds", -1


def header_of(report):
    """Whether presso took the first row as names; an older report does not say so."""
    if "dialect" in report:
        return report["dialect"].get("header", False)
    return not all(re.fullmatch(r"column\d+", one["name"]) for one in report["columns"])


def by_presso(presso, path):
    """What presso finds in a file, how large it becomes, and whether it comes back."""
    with tempfile.TemporaryDirectory() as folder:
        packed = os.path.join(folder, "x.presso")
        out, error, status = command([presso, "compress", "-T1", "--table", "auto", "--report",
                                      "json", "-o", packed, path])
        if status:
            return {"error": error.replace(path, "FILE").strip().split("\n")[0][:300]}
        report = json.loads(out.decode(errors="replace").strip().split("\n")[-1])
        text, error, status = command([presso, "decompress", "-c", packed])
        columns = report["columns"]
        fields = [field for one in columns for field in one.get("fields", ())]
        return {"header": header_of(report), "rows": report["rows"],
                "fields": {one["name"].replace('"', ""): one["type"] for one in fields},
                "names": [one["name"] for one in columns],
                "types": [one["type"] for one in columns],
                "why": [one.get("why") or "" for one in columns],
                "back": not status and text == pathlib.Path(path).read_bytes(),
                "bytes": os.path.getsize(packed), "rows_kept_as_text": report["rows_kept_as_text"]}


def kept_answers(folder, path):
    """DuckDB's and pandas' answers about a file, computed once."""
    key = hashlib.sha256(path.read_bytes()).hexdigest()
    kept = folder / "answers" / f"{key}.json"
    if kept.exists():
        return json.loads(kept.read_text())
    found = answers.answers(str(path))
    kept.write_text(json.dumps(found))
    return found


def judged(task):
    presso, folder, path = task
    return path, kept_answers(folder, path), by_presso(presso, str(path))


def same_place(own, other):
    """For each column of the other table, presso's column, or None.

    Columns of a JSON file, and those of files where both see another number of them, are matched by
    name, all others by place."""
    if len(own["names"]) == len(other["names"]) and other["header"] is not None:
        return list(range(len(own["names"])))
    places = {name: at for at, name in reversed(list(enumerate(own["names"])))}
    return [places.get(name) for name in other["names"]]


KINDS = (
    ("leading or trailing blanks", r"\s.*|.*\s"),
    ("exponent", r"[-+]?[0-9.]+[eE][-+]?[0-9]+"),
    ("leading or trailing dot", r"[-+]?(\.[0-9]+|[0-9]+\.)"),
    ("plus sign", r"\+[0-9.]+"),
    ("NaN or infinity", r"(?i)[-+]?(nan|inf|infinity)"),
    ("a null's word", r"(?i)n/?a|null|none|-+|\\N|\.|\?|nil|#n/a|missing|"),
    ("decimal of many digits", r"-?[0-9]+\.[0-9]{10,}"),
    ("decimal", r"-?[0-9]+\.[0-9]+"),
    ("leading zeros", r"-?0[0-9]+"),
    ("integer", r"-?[0-9]+"),
    ("thousands", r"-?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?"),
    ("time of day", r"[0-9]{1,2}:[0-9]{2}.*"),
    ("date and time", r"[0-9]{4}[-/.].*:.*"),
    ("date", r"[0-9]{1,4}([-/. ])[0-9A-Za-z]{1,3}\1[0-9]{1,4}.*"),
    ("truth", r"(?i)true|false|t|f|yes|no|y|n"),
)


def kind_of_miss(own, has_header, row):
    """A word for what stood in the way, by the value that presso names."""
    value = re.search(r"value `(.*?)`", row["why"], re.DOTALL)
    if value is None:
        return row["why"][:60] or "not said"
    first = "at line 1 " in row["why"] or value.group(1).strip() == row["column"].strip()
    if has_header and not own["header"] and first:
        return "header taken as a row"
    for kind, form in KINDS:
        if re.fullmatch(form, value.group(1)):
            return kind + ", no other word" * (kind == "truth" and len(row["texts"]) == 1)
    return "other text"


def seen(duck, pandas_):
    """DuckDB's answer; of a file that it refuses, pandas' columns, none of which DuckDB types."""
    if "error" not in duck:
        return duck
    names = pandas_.get("names", [])
    return {"header": True, "names": names, "types": ["VARCHAR"] * len(names)}


def column_findings(own, duck, pandas_):
    """The columns of a file about which the three differ, each as a finding."""
    duck = seen(duck, pandas_)
    refused = "error" in own
    places = [None] * len(duck["names"]) if refused else same_place(own, duck)
    numbers = pandas_numbers(duck, pandas_)
    for at, (name, kind) in enumerate(zip(duck["names"], duck["types"])):
        place = places[at]
        field = None if refused else own["fields"].get(name)
        mine = (field or "none") if place is None else own["types"][place]
        facts = duck["columns"][at] if "columns" in duck else {"texts": [], "zeros": False}
        row = {"column": name, "duckdb": kind, "presso": mine, "pandas": numbers.get(at, ""),
               "texts": facts["texts"], "why": "" if place is None else own["why"][place]}
        row["kind"] = "" if place is None else kind_of_miss(own, duck["header"], row)
        inner = not refused and name.partition(".")[0] in own["names"]
        for what in about(answers.kind_of(kind), mine, numbers.get(at), facts):
            yield {"what": NESTED if what == LOST and inner else what, **row}


def about(theirs, mine, number, facts):
    """Which findings a column gives, from the kinds that each gives it."""
    own = "text" if mine == "none" else answers.kind_of(mine)
    if theirs != "text" and own == "text":
        yield LOST if mine == "none" else CODES if facts["zeros"] and theirs == "number" else MISSES
    if theirs != "text" and own not in ("text", theirs):
        yield OTHER
    if theirs == "text" and own != "text" and not number and facts.get("values", 1):
        yield ALONE
    if number and own == "text":
        yield NUMBER_CODES if facts["zeros"] else NUMBERS


def pandas_numbers(duck, pandas_):
    """The type by pandas of each column that it has as numbers, by DuckDB's place."""
    types = pandas_.get("types", [])
    if len(types) != len(duck["names"]):
        return {}
    return {at: kind for at, kind in enumerate(types) if kind.startswith(("int", "uint", "float"))}


def file_findings(own, duck, pandas_):
    """What is to be said of the file as a whole."""
    if "error" in own:
        message = re.sub(r"`.*?`|[0-9][0-9,]*", "N", own["error"])
        yield {"what": REFUSED, "why": own["error"], "kind": message[:90]}
        return
    if not own["back"]:
        yield {"what": BACK}
    if "error" in duck:
        yield {"what": UNJUDGED, "presso": own["rows"], "duckdb": "-", "why": duck["error"],
               "pandas": pandas_.get("rows", "-"), "texts": own["names"][:6]}
        return
    if duck["header"] is not None and duck["header"] != own["header"]:
        kind = "its names are numbers" if all(map(is_number, duck["names"])) else ""
        yield {"what": NO_HEADER if duck["header"] else MADE_UP, "kind": kind,
               "texts": duck["names"][:6], "why": ", ".join(own["names"][:6])}
    if duck["rows"] != own["rows"]:
        kind = "by the header" if records(duck) == records(own) else "by more than the header"
        yield {"what": ROWS, "kind": kind, "duckdb": duck["rows"], "presso": own["rows"],
               "why": f"DuckDB: delimiter {duck.get('delimiter')!r}, {len(duck['names'])} columns, "
                      f"skips {duck.get('skipped')}; presso: {len(own['names'])} columns"}


def is_number(name):
    """Whether a column's name is a number, with the _1 that DuckDB adds to repeated names."""
    try:
        float(re.sub(r"_[0-9]+$", "", name))
        return True
    except ValueError:
        return all(map(is_number, name.split())) if " " in name else False


def records(answer):
    """Rows of a table, its header among them."""
    return answer["rows"] + bool(answer["header"])


def size_class(size):
    return next(name for most, name in CLASSES if size <= most)


def size_ratios(own, duck):
    """presso's size as a share of Parquet's by each writer, where both see the same table."""
    same = "error" not in own and "error" not in duck and (
        records(duck) == records(own) and len(duck["names"]) == len(own["names"]))
    return {writer: own["bytes"] / size for writer, size in duck.get("parquet", {}).items()
            if same}


def looks_like_table(path, duck):
    """A JSON file of one row is settings rather than a table."""
    return path.suffix.lower() not in JSON or duck.get("rows", 0) > 1


class Sums:
    """The figures of a run."""

    def __init__(self):
        self.counts = collections.Counter()
        self.findings = []
        self.ratios = collections.defaultdict(list)

    def add(self, name, path, found, own):
        duck, pandas_ = found["duckdb"], found["pandas"]
        if not looks_like_table(path, duck):
            self.counts["JSON files that are no table"] += 1
            return
        self.counts["files"] += 1
        self.counts["files that DuckDB refuses"] += "error" in duck
        columns = seen(duck, pandas_)
        self.counts["columns"] += len(columns["names"])
        wide = len(columns["names"]) > WIDE
        self.counts[f"columns in files of more than {WIDE}"] += wide * len(columns["names"])
        self.counts["columns that DuckDB types"] += sum(
            answers.kind_of(kind) != "text" for kind in columns["types"])
        self.counts["columns that pandas types as numbers"] += len(pandas_numbers(columns, pandas_))
        self.counts["headers that DuckDB sees"] += "error" not in duck and bool(duck["header"])
        for finding in (*column_findings(own, duck, pandas_), *file_findings(own, duck, pandas_)):
            self.findings.append({"file": name, "wide": wide, **finding})
        for writer, ratio in size_ratios(own, duck).items():
            self.ratios[writer, size_class(path.stat().st_size)].append((ratio, name))


def shown(text):
    """Text that is safe on a terminal."""
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in str(text))


def print_kinds(findings):
    """Each kind of finding with its count and three examples."""
    groups = collections.defaultdict(list)
    for one in findings:
        groups[one["what"], one.get("kind", "")].append(one)
    order = sorted(groups.items(), key=lambda item: (FINDINGS.index(item[0][0]), -len(item[1])))
    for (what, kind), members in order:
        print(f"\n{what}{': ' + shown(kind) if kind else ''}: {len(members)} in "
              f"{len({one['file'] for one in members})} files")
        for one in examples_of(members):
            column = f" column {one['column']}" if "column" in one else ""
            types = f" ({one['duckdb']} | {one['presso']})" if "duckdb" in one else ""
            print(shown(f"    {one['file']}{column}{types} {one.get('texts') or ''} "
                        f"{one.get('why', '')}")[:300])


def examples_of(members):
    """Up to three findings, of different files where there are as many."""
    first = list({one["file"]: one for one in reversed(members)}.values())[::-1]
    return (first if len(first) >= 3 else members)[:3]


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def print_table(sums):
    print()
    for name, count in sums.counts.items():
        print(f"{count:8}  {name}")
    print()
    found = collections.Counter(one["what"] for one in sums.findings)
    wide = collections.Counter(one["what"] for one in sums.findings if one.get("wide"))
    for what in FINDINGS:
        print(f"{found[what]:8}  {what}"
              + (f", {wide[what]} of them in files of more than {WIDE} columns" * bool(wide[what])))
    print()
    order = [(writer, name) for writer in ("duckdb", "pyarrow") for _, name in CLASSES]
    for writer, name in filter(sums.ratios.get, order):
        ratios = sums.ratios[writer, name]
        worst, file = max(ratios)
        print(f"{geometric_mean([ratio for ratio, _ in ratios]):8.3f}  of {writer}'s Parquet "
              f"zstd -3, {name}: {len(ratios)} files, {sum(ratio > 1.1 for ratio, _ in ratios)} "
              f"over 1.1, the worst {worst:.2f} {shown(file)}")


def write_csv(path, sums):
    columns = ("what", "kind", "file", "column", "duckdb", "pandas", "presso", "texts", "why")
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        for one in sums.findings:
            writer.writerow({**one, "texts": " | ".join(one.get("texts") or ())})
        for (tool, _), ratios in sums.ratios.items():
            for ratio, name in sorted(ratios, reverse=True):
                writer.writerow({"what": f"size, of {tool}'s Parquet", "file": name,
                                 "presso": f"{ratio:.3f}"})


def prepare(options):
    """Fills FOLDER/answers for both halves."""
    tasks = [(options.folder, path) for half in ("open", "held-out")
             for path in sorted((options.folder / half).rglob("*")) if path.is_file()]
    with multiprocessing.Pool(options.jobs) as pool:
        pool.starmap(kept_answers, tasks, chunksize=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--presso", help="the command that is judged")
    parser.add_argument("--prepare", action="store_true")
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--only", default="", metavar="TEXT",
                        help="judge only files with TEXT in their path")
    parser.add_argument("--csv", metavar="OUT", help="write each finding as a row")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    os.nice(10)
    (options.folder / "answers").mkdir(exist_ok=True)
    if options.prepare:
        prepare(options)
        return 0
    if not options.presso:
        parser.error("--presso is missing")
    half = options.folder / ("held-out" if options.held_out else "open")
    paths = sorted(path for path in half.rglob("*") if path.is_file() and options.only in str(path))
    sums = Sums()
    tasks = [(os.path.abspath(options.presso), options.folder, path) for path in paths]
    with multiprocessing.Pool(options.jobs) as pool:
        for path, found, own in pool.imap(judged, tasks):
            sums.add(str(path.relative_to(half)), path, found, own)
    print_kinds(sums.findings)
    print_table(sums)
    if options.csv:
        write_csv(options.csv, sums)
    return 0


if __name__ == "__main__":
    sys.exit(main())
