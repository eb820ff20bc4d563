# SPDX-License-Identifier: MIT
"""What DuckDB and pandas make of one file. judge.py keeps the answers, as they do not change."""
import os
import re
import signal
import tempfile
import threading

import duckdb
import pandas
from pyarrow import ArrowException, compute, parquet

SECONDS = 60
NUMBER = re.compile("(U|TINY|SMALL|BIG|HUGE|UTINY|USMALL|UBIG|UHUGE)?INT|DOUBLE|FLOAT|DECIMAL")


def kind_of(name):
    """The kind of a type by any of the three: number, date, time, truth; all else is text."""
    name = name.upper()
    if name.endswith("]"):
        return "text"
    if name.startswith("BOOL"):
        return "truth"
    if name.startswith(("TIMESTAMP", "DATE")):
        return "date"
    if name.startswith(("TIME", "INTERVAL", "DURATION")):
        return "time"
    return "number" if NUMBER.match(name) else "text"


def sql_text(text):
    return "'" + text.replace("'", "''") + "'"


def sql_name(name):
    return '"' + name.replace('"', '""') + '"'


def run(connection, statement):
    """All rows of a statement, which is interrupted when it takes too long."""
    timer = threading.Timer(SECONDS, connection.interrupt)
    timer.start()
    try:
        return connection.execute(statement).fetchall()
    finally:
        timer.cancel()


def facts(texts):
    """Up to three texts of a column, whether it has codes with leading zeros, and its count."""
    texts = compute.filter(texts, compute.fill_null(compute.not_equal(texts, ""), False))
    if not len(texts):
        return {"texts": [], "zeros": False, "values": 0}
    some = (texts[0], *compute.min_max(texts).values())
    zeros = compute.any(compute.match_substring_regex(texts, r"^\s*[-+]?0[0-9]+\s*$"))
    return {"texts": list(dict.fromkeys(text.as_py()[:40] for text in some)),
            "zeros": zeros.as_py(), "values": len(texts)}


def flat(name, kind):
    """A nested type's scalar fields, as the columns a.b.c that they are."""
    if kind.id != "struct":
        yield name, str(kind)
        return
    for child, inner in kind.children:
        yield from flat(f"{name}.{child}", inner)


def parquet_sizes(connection, source):
    """Bytes of the table as Parquet with zstd -3, as DuckDB and as pyarrow write it."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.parquet")
        run(connection, f"copy (select * from {source}) to {sql_text(path)} "
                        "(format parquet, compression zstd, compression_level 3)")
        sizes = {"duckdb": os.path.getsize(path)}
        table = connection.sql(f"from {source}").to_arrow_table()
        parquet.write_table(table, path, compression="zstd", compression_level=3)
        return {**sizes, "pyarrow": os.path.getsize(path)}


def duckdb_csv(connection, path):
    """Dialect, header and columns of a CSV file, by all of its rows."""
    cursor = connection.execute(f"select * from sniff_csv({sql_text(path)}, sample_size=-1)")
    found = dict(zip((one[0] for one in cursor.description), cursor.fetchone()))
    names = [one["name"] for one in found["Columns"]]
    texts = ", ".join(f"{sql_text(name)}: 'VARCHAR'" for name in names)
    start = found["Prompt"].partition("columns={")[0].removeprefix("FROM ")
    return {"delimiter": found["Delimiter"], "header": found["HasHeader"],
            "skipped": found["SkipRows"], "names": names,
            "types": [one["type"] for one in found["Columns"]],
            "as_text": f"{start}columns={{{texts}}})"}


def duckdb_json(connection, source):
    relation = connection.sql(f"from {source}")
    columns = [pair for name, kind in zip(relation.columns, relation.types)
               for pair in flat(name, kind)]
    return {"header": None, "names": [name for name, _ in columns],
            "types": [kind for _, kind in columns]}


def by_duckdb(path, json):
    """DuckDB's answer about a file, or why it has none."""
    connection = duckdb.connect(config={"threads": 1, "memory_limit": "3GB"})
    reader = "read_json_auto" if json else "read_csv"
    source = f"{reader}({sql_text(path)}, sample_size=-1)"
    try:
        answer = duckdb_json(connection, source) if json else duckdb_csv(connection, path)
        answer["rows"] = run(connection, f"select count(*) from {source}")[0][0]
        if not json:
            answer["columns"] = [
                facts(column) for column in
                connection.sql(f"from {answer.pop('as_text')}").to_arrow_table().columns]
        if os.path.getsize(path) >= 20000:
            answer["parquet"] = parquet_sizes(connection, source)
        return answer
    except (duckdb.Error, ArrowException, UnicodeError, RuntimeError) as error:
        return {"error": str(error).split("\n")[0][:200]}
    finally:
        connection.close()


class TooSlow(Exception):
    pass


def too_slow(*_):
    raise TooSlow(f"more than {SECONDS} seconds")


def delimiter_for(path, duck):
    """The delimiter to tell pandas: DuckDB's if it saw columns, else what the name says."""
    if len(duck.get("names", ())) > 1 and len(duck.get("delimiter") or "") == 1:
        return duck["delimiter"]
    return "\t" if path.lower().endswith((".tsv", ".tab")) else ","


def by_pandas(path, duck):
    """The answer of pandas.read_csv, with the delimiter that DuckDB found."""
    signal.signal(signal.SIGALRM, too_slow)
    signal.alarm(SECONDS)
    try:
        frame = pandas.read_csv(path, sep=delimiter_for(path, duck), low_memory=False)
        if not isinstance(frame.index, pandas.RangeIndex):
            frame = frame.reset_index()
        some = frame.notna().any()
        types = [str(kind) if has else "empty" for kind, has in zip(frame.dtypes, some)]
        return {"names": [str(name) for name in frame.columns], "types": types,
                "rows": len(frame)}
    except Exception as error:  # pandas raises what it likes, and each is an answer
        return {"error": f"{type(error).__name__}: {error}"[:200]}
    finally:
        signal.alarm(0)


def answers(path):
    json = path.lower().endswith((".json", ".jsonl", ".ndjson"))
    duck = by_duckdb(path, json)
    return {"duckdb": duck, "pandas": {} if json else by_pandas(path, duck)}
