# SPDX-License-Identifier: MIT
"""Lines of JSON and logfmt at random, conditions on their fields, and what they give according to
Python's json and SQL's logic of three values; for test_scan_where.py. Run alone, with a seed and a
number of rounds, it compares presso with this for as long as one likes."""

import json
import operator
import random
import re
import subprocess
import sys

KEYS = ["level", "ms", "msg", "a.b", "ok", "k y", 'q"t', "e/f", "u\u00fc"]
TEXTS = ["error", "info", "err", "512", "1e3", "a timeout b", "timeout", 'x"y', "b\\s", "a/b", "",
         "true", "false", "null", "t\tab", "z\u00fcg", "\U0001f600", "=error", '"error"', "erro"]
NUMBERS = ["512", "5.12e2", "0", "-7", "1e3", "12.5", "9007199254740993", "9007199254740992", "499",
           "0.1", "1e400", "-0"]
OPERATORS = {"=": operator.eq, "<>": operator.ne, "<": operator.lt, "<=": operator.le,
             ">": operator.gt, ">=": operator.ge}


class Raw(str):
    """A number as it is written."""


class Alone:
    """A key of logfmt without a value."""


class Unknown(Exception):
    """The text of a nested value is as it is written, which json does not tell."""


# --- Lines ---------------------------------------------------------------------------------------


def json_text(rng, text):
    """A string of JSON, with some characters spelled as escapes."""
    out = []
    for letter in text:
        if rng.random() < 0.08 and ord(letter) < 0x10000:
            digits = f"{ord(letter):04x}"
            out.append("\\u" + (digits.upper() if rng.random() < 0.5 else digits))
        elif letter == "/" and rng.random() < 0.5:
            out.append("\\/")
        else:
            out.append(json.dumps(letter, ensure_ascii=rng.random() < 0.3)[1:-1])
    return '"' + "".join(out) + '"'


def json_value(rng, depth=0):
    kind = rng.randrange(10 if depth < 2 else 8)
    if kind < 4:
        return json_text(rng, rng.choice(TEXTS))
    if kind < 7:
        return rng.choice(NUMBERS)
    if kind == 7:
        return rng.choice(["true", "false", "null"])
    space = rng.choice(["", " "])
    if kind == 8:
        values = [json_value(rng, depth + 1) for _ in range(rng.randrange(4))]
        return "[" + f",{space}".join(values) + "]"
    return json_object(rng, depth + 1)


def json_object(rng, depth=0):
    space = rng.choice(["", " ", "\t"])
    members = []
    for _ in range(rng.randrange(6)):
        key = rng.choice(KEYS + ["a", "b", "t"])
        members.append(f"{json_text(rng, key)}{space}:{space}{json_value(rng, depth)}")
    return "{" + f"{space},".join(members) + space + "}"


def logfmt_word(rng):
    key = rng.choice(["level", "ms", "msg", "a.b", "ok", "a", "t", "e/f"])
    text = rng.choice(TEXTS + NUMBERS)
    form = rng.randrange(6)
    if form == 0:
        return key
    if form == 1:
        return rng.choice(["=", "=x", '"', "x=y=z", '"a b"'])
    if form < 4 and not re.search(r'[\s"]', text):
        return f"{key}={text}"
    quoted = json_text(rng, text)
    return f"{key}={quoted[:-1] if rng.random() < 0.05 else quoted}"


def random_line(rng):
    kind = rng.randrange(10)
    if kind < 5:
        line = rng.choice(["", " "]) + json_object(rng) + rng.choice(["", " ", "\r"])
    elif kind < 8:
        line = rng.choice([" ", "  ", "\t"]).join(logfmt_word(rng) for _ in range(rng.randrange(7)))
    else:
        line = json_object(rng)
        line = line[: rng.randrange(len(line))] if kind == 8 else line + rng.choice("}x,{")
    return line


# --- What is read --------------------------------------------------------------------------------


def unescaped(text):
    """The text of logfmt in quotes."""

    def one(match):
        if match[1]:
            return json.loads(f'"{match[0]}"').encode("utf-16", "surrogatepass")
        return {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}.get(match[2], match[2])

    escape = re.compile(r'((?:\\u[0-9a-fA-F]{4})+)|\\(["\\/bfnrt])')
    def as_text(match):
        found = one(match)
        return found.decode("utf-16", "replace") if isinstance(found, bytes) else found
    return escape.sub(as_text, text)


def read_logfmt(line):
    fields, at, has_values = {}, 0, False
    while True:
        at = re.compile(r"[ \t\r\n]*").match(line, at).end()
        if at == len(line):
            return fields if has_values else {}
        key = re.compile(r"[^= \t\r\n]*").match(line, at)
        at = key.end()
        if at == len(line) or line[at] != "=":
            fields[key[0]] = Alone
            continue
        if not key[0]:
            at = re.compile(r"[^ \t\r\n]*").match(line, at).end()
            continue
        has_values = True
        value = re.compile(r'"((?:[^"\\]|\\.)*)"').match(line, at + 1)
        fields[key[0]] = unescaped(value[1]) if value else None
        if not value:
            value = re.compile(r"[^ \t\r\n]*").match(line, at + 1)
            fields[key[0]] = value[0]
        at = value.end()


def read_line(line):
    if not line.strip(" \t\r\n").startswith("{"):
        return read_logfmt(line)
    try:
        return json.loads(line, parse_int=Raw, parse_float=Raw)
    except json.JSONDecodeError:
        return {}


def field(fields, path):
    """The value at a path of keys and places from 1; the single key goes first."""
    joined = ".".join(map(str, path))
    if len(path) > 1 and all(isinstance(step, str) for step in path) and joined in fields:
        return fields[joined]
    value = fields
    for step in path:
        if isinstance(step, str):
            value = value.get(step) if isinstance(value, dict) else None
        elif isinstance(value, list) and 0 < abs(step) <= len(value):
            value = value[step - 1 if step > 0 else step]
        else:
            return None
    return value


def as_number(value):
    if not isinstance(value, str) or not re.fullmatch(
        r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", value
    ):
        return None
    return int(value) if re.fullmatch(r"[+-]?\d+", value) else float(value)


def as_text(value):
    if value is Alone:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (dict, list)):
        raise Unknown
    return str(value) if isinstance(value, str) else None


def as_truth(value):
    if value is Alone or isinstance(value, bool):
        return bool(value)
    known = {"true": True, "false": False}
    return known.get(value) if isinstance(value, str) and not isinstance(value, Raw) else None


# --- Conditions: pairs of a text and a function of fields -----------------------------------------


def sql_text(text):
    return "'" + text.replace("'", "''") + "'"


def strict(function, *values):
    return None if any(value is None for value in values) else function(*values)


def random_path(rng):
    path = rng.choice([["level"], ["ms"], ["msg"], ["ok"], ["a", "b"], ["t", 1], ["t", -1],
                       ["k y"], ['q"t'], ["e/f"], ["u\u00fc"], ["a", "b", 2], ["a"]])
    written = "".join(
        f"[{step}]" if isinstance(step, int)
        else ("." if i else "") + (step if step.isalpha() and step.isascii()
                                   else '"' + step.replace('"', '""') + '"')
        for i, step in enumerate(path)
    )
    return written, path


def random_atom(rng):
    name, path = random_path(rng)
    kind = rng.randrange(10)
    text = rng.choice(TEXTS)
    compare = rng.choice(list(OPERATORS))
    if kind < 2:
        if rng.random() < 0.3:
            return f"{sql_text(text)} {compare} {name}", lambda f: strict(
                lambda v: OPERATORS[compare](text.encode(), v.encode()), as_text(field(f, path)))
        quoted = sql_text(text)
        if text and rng.random() < 0.5:
            quoted = '"' + text.replace('"', '""') + '"'
        return f"{name} {compare} {quoted}", lambda f: strict(
            lambda v: OPERATORS[compare](v.encode(), text.encode()), as_text(field(f, path)))
    if kind < 4:
        number = rng.choice(["512", "0", "-7", "12.5", "1000", "0.1", "9007199254740993"])
        bound = as_number(number)
        exact = isinstance(bound, int) and abs(bound) >= 1 << 53
        def value(v):
            if exact:
                return v if isinstance(v, int) else v
            return float(v)
        return f"{name} {compare} {number}", lambda f: strict(
            lambda v: OPERATORS[compare](value(v), bound if exact else float(bound)),
            as_number(field(f, path)))
    if kind == 4:
        part = text.replace("%", "").replace("_", "")[:6]
        pattern, regex = rng.choice([(f"%{part}%", f".*{re.escape(part)}.*"),
                                     (f"{part}%", f"{re.escape(part)}.*"),
                                     (f"%{part}", f".*{re.escape(part)}"),
                                     (f"{part[:2]}_%{part[3:]}",
                                      f"{re.escape(part[:2])}..*{re.escape(part[3:])}")])
        return f"{name} like {sql_text(pattern)}", lambda f: strict(
            lambda v: re.fullmatch(regex, v, re.S) is not None, as_text(field(f, path)))
    if kind == 5:
        texts = rng.sample(TEXTS, 3)
        negated = rng.random() < 0.3
        words = ", ".join(map(sql_text, texts))
        return f"{name} {'not ' if negated else ''}in ({words})", lambda f: strict(
            lambda v: (v in texts) != negated, as_text(field(f, path)))
    if kind == 6:
        negated = rng.random() < 0.5
        return f"{name} is {'not ' if negated else ''}null", lambda f: (
            (field(f, path) is None) != negated)
    if kind == 7:
        return name, lambda f: as_truth(field(f, path))
    if kind == 8:
        function, test = rng.choice([("contains", lambda v: text in v),
                                     ("starts_with", lambda v: v.startswith(text)),
                                     ("ends_with", lambda v: v.endswith(text))])
        return f"{function}({name}, {sql_text(text)})", lambda f: strict(
            test, as_text(field(f, path)))
    low, high = sorted(rng.sample([-7, 0, 500, 512, 1000], 2))
    return f"{name} between {low} and {high}", lambda f: strict(
        lambda v: low <= float(v) <= high, as_number(field(f, path)))


def both(values):
    return False if False in values else None if None in values else True


def either(values):
    return True if True in values else None if None in values else False


def random_condition(rng, depth=0):
    kind = rng.randrange(4 if depth < 3 else 1)
    if kind == 0:
        return random_atom(rng)
    if kind == 1:
        text, test = random_condition(rng, depth + 1)
        return f"not ({text})", lambda f: strict(lambda v: not v, test(f))
    parts = [random_condition(rng, depth + 1) for _ in range(rng.randrange(2, 4))]
    word, join = ("and", both) if kind == 2 else ("or", either)
    return f" {word} ".join(f"({text})" for text, _ in parts), lambda f: join(
        [test(f) for _, test in parts])


def holds(test, fields):
    """Whether a line is selected; None where it is not known."""
    try:
        return test(fields) is True
    except Unknown:
        return None


def main(presso, seed, rounds):
    for number in range(seed, seed + rounds):
        rng = random.Random(number)
        lines = [random_line(rng) for _ in range(500)]
        with open("where_lines", "wb") as file:
            file.write("".join(line + "\n" for line in lines).encode())
        fields = [read_line(line) for line in lines]
        for _ in range(20):
            text, test = random_condition(rng)
            truths = [holds(test, f) for f in fields]
            for condition in (text, f"case when {text} then true else false end"):
                done = subprocess.run([presso, "scan", "-n", "--where", condition, "where_lines"],
                                      capture_output=True, check=False)
                found = [int(line.split(b":")[0]) for line in done.stdout.splitlines()
                         if line[:1].isdigit()]
                wrong = [i for i, truth in enumerate(truths) if truth is (i + 1 not in found)]
                if not wrong and done.returncode == (0 if found else 1):
                    continue
                print(number, condition, done.returncode, done.stderr)
                for i in wrong[:3]:
                    print(truths[i], lines[i], fields[i])
                return 1
    print(rounds, "rounds agree")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
