# SPDX-License-Identifier: MIT
"""What a user writes, for test_types.py: is not run, but its types are checked."""
import datetime

import presso


def found(path: str) -> list[int]:
    numbers: list[int] = []
    scan = presso.scan([path], "time(d )?out", ignore_case=True, lines=(1, None))
    since = datetime.timedelta(minutes=-15)
    scan = presso.scan(path, since=since, until="now", tz="UTC", year=2026, record="time")
    for match in scan:
        numbers.append(match.line_number)
        line: bytes = match.line
        print(match.path, line, match.spans[0][0])
    try:
        with presso.open(path).text() as text:
            print(text.read())
        file = presso.open(path)
        size: int = file.plain_bytes + len(file.read(0, 10)) + len(file.block(0))
        rows: int | None = file.rows
        print(size, rows, file.metadata["name"])
    except presso.DamageError as error:
        block: int | None = error.block
        print(block, error.path, error.code)
    for part in scan.partitions(1 << 20):
        print(part.rows, part.plain_bytes, part.read(["line"]))
    sizes = presso.compress_file(path, progress=lambda plain, stored: print(plain, stored))
    plain: bytes = presso.decompress(presso.compress(b"x", level=3))
    print(sizes.plain_bytes, plain)
    answer = presso.query(path).where("a > 3").group_by("b").aggregate("sum(a) as s")
    rows_of: dict[str, int] = answer.run()
    print(rows_of["rows"], presso.sql("select 1").explain(), presso.__version__)
    return numbers
