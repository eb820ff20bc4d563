# SPDX-License-Identifier: MIT
"""Partial answers of `parts`, which are the partitions of `query`, merged by workers of Dask."""
from dask import delayed


@delayed
def read(part):
    return part.read()


@delayed
def merge(query, partials, **options):
    return query.merge(partials, **options)


partials = [read(part) for part in parts]
while len(partials) > 8:
    some = [partials[first : first + 8] for first in range(0, len(partials), 8)]
    partials = [merge(query, few, partial=True) for few in some]
answer = merge(query, partials).compute()
