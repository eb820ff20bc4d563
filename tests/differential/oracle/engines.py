# SPDX-License-Identifier: MIT
"""The programs that answer: presso through tests/differential/query_server, DuckDB, SQLite."""

import json
import sqlite3
import subprocess

DUCK_TYPES = {
    "bool": "BOOLEAN",
    "float": "DOUBLE",
    "double": "DOUBLE",
    "date": "DATE",
    "timestamp(s)": "TIMESTAMP_S",
    "timestamp(ms)": "TIMESTAMP_MS",
    "timestamp(us)": "TIMESTAMP",
    "timestamp(ns)": "TIMESTAMP_NS",
    "utf8": "VARCHAR",
    "uint64": "HUGEINT",
}


class Presso:
    """One process for a table."""

    def __init__(self, program, arguments):
        self.process = subprocess.Popen(
            [program, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def ask(self, request):
        self.process.stdin.write(json.dumps(request, ensure_ascii=False) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            self.process.wait()
            return {"died": self.process.returncode}
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def duck_type(column):
    """Integers of any width are computed in 64 bits here, floats as doubles."""
    if column.type.startswith("decimal"):
        return column.type.upper()
    if column.type == "float":
        return "DOUBLE"
    return DUCK_TYPES.get(column.type, "BIGINT")


class Duck:
    def __init__(self, duckdb, columns=None, path=None):
        self.connection = duckdb.connect()
        self.connection.execute("SET threads = 1")
        self.connection.execute("SET preserve_insertion_order = true")
        if columns:
            self.add("t", columns, path)

    def add(self, table, columns, path):
        names = ", ".join("'%s': 'VARCHAR'" % column.name for column in columns)
        casts = []
        for column in columns:
            name = '"%s"' % column.name
            # A float's text is that of the float that it becomes, as in the table.
            cast = "CAST(%s AS FLOAT)" % name if column.type == "float" else name
            casts.append("CAST(%s AS %s) AS %s" % (cast, duck_type(column), name))
        self.connection.execute(
            "CREATE TABLE %s AS SELECT %s FROM read_csv('%s', columns = {%s}, header = true, "
            "auto_detect = false, delim = ',', quote = '\"', escape = '\"', nullstr = '', "
            "allow_quoted_nulls = false, parallel = false, new_line = '\\n')"
            % (table, ", ".join(casts), path, names)
        )

    def ask(self, sql):
        """Rows, or an error's text."""
        try:
            return self.connection.execute(sql).fetchall(), None
        except Exception as error:  # duckdb.Error and what conversion to Python throws
            return None, "%s: %s" % (type(error).__name__, error)

    def close(self):
        self.connection.close()


class Lite:
    """SQLite knows integers and strings only; other columns are left out."""

    def __init__(self, columns=None):
        self.connection = sqlite3.connect(":memory:")
        self.connection.execute("PRAGMA case_sensitive_like = ON")
        if columns:
            self.add("t", columns)

    def add(self, table, columns):
        used = [
            c for c in columns if c.family == "str" or (c.family == "int" and "wide" not in c.tags)
        ]
        types = {"int": "INTEGER", "str": "TEXT"}
        self.connection.execute(
            "CREATE TABLE %s (%s)"
            % (table, ", ".join('"%s" %s' % (c.name, types[c.family]) for c in used))
        )
        rows = zip(
            *[
                [None if v is None else int(v) if c.family == "int" else v for v in c.values]
                for c in used
            ]
        )
        places = ",".join("?" * len(used))
        self.connection.executemany("INSERT INTO %s VALUES (%s)" % (table, places), rows)

    def ask(self, sql):
        try:
            return self.connection.execute(sql).fetchall(), None
        except Exception as error:
            return None, "%s: %s" % (type(error).__name__, error)

    def close(self):
        self.connection.close()
