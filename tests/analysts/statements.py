# SPDX-License-Identifier: MIT
"""What make_answers.py and test_analysts.py know of a statement: its comments and its text.

A file begins with comments `-- key: value`:

    asked       what the person wants
    source      where such statements are found
    order       none: the answer's rows have no order; file: they come in the order of the file.
                Without it, ORDER BY settles the order of all rows.
    compare     columns a, b: only these are compared; number of rows: only that is.
    parameters  values for $name (a=1, b='x') or for ? (1, 'x')
    then        the statement that reads what this one wrote to ${OUT}; its answer is compared
    differs     a difference from DuckDB that docs/sql.md names; the answer was changed for it
"""
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
KEYS = ("asked", "source", "order", "compare", "parameters", "then", "differs")


class Statement:
    def __init__(self, path):
        self.path = path
        self.name = path.stem
        self.about = dict.fromkeys(KEYS, "")
        lines = path.read_text(encoding="utf-8").splitlines()
        while lines and (found := re.match(r"-- (\w+): (.*)", lines[0])):
            if found[1] not in KEYS:
                raise ValueError(f"{path}: no comment is called {found[1]}")
            self.about[found[1]] = found[2]
            lines.pop(0)
        self.text = "\n".join(lines).strip()

    @property
    def answer_path(self):
        return self.path.with_suffix(".csv")

    def compared_columns(self):
        compare = self.about["compare"]
        return compare[8:].split(", ") if compare.startswith("columns ") else None

    def only_counts_rows(self):
        return self.about["compare"] == "number of rows"

    def parameters(self):
        """[(name or "", SQL literal)]"""
        found = re.findall(r"(?:(\w+)=)?('(?:[^']|'')*'|[^,\s]+)", self.about["parameters"])
        return list(found)


def all_statements(folder=HERE):
    return [Statement(path) for path in sorted(folder.glob("[0-9]*.sql"))]
