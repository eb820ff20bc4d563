# SPDX-License-Identifier: MIT
"""Errors per hour and host of a compressed log, on Dask.

Lines are `2024-01-31T12:34:56 host7 ERROR ...`. presso looks for the string, in the compressed
blocks that can have it; workers take the lines that it finds apart.

    python python/examples/log_dask.py 'logs/*.presso'
"""
import sys

import presso

FORM = r"^(?P<hour>\S+):\d\d:\d\d (?P<host>\S+)"


def lines_of(part, columns=None):
    return part.read(columns).to_pandas()


def run(paths, target_bytes=64 << 20):
    """A frame of hour, host and errors, in this order; computed by the cluster that there is."""
    import dask.dataframe
    import pyarrow

    scan = presso.scan(paths, " ERROR ", fixed=True, columns=["line"])
    meta = pyarrow.schema(scan).empty_table().to_pandas()
    parts = scan.partitions(target_bytes)
    lines = dask.dataframe.from_map(lines_of, parts, meta=meta)["line"] if parts else meta["line"]
    errors = lines.str.extract(FORM).groupby(["hour", "host"]).size()
    errors = errors.compute() if parts else errors
    return errors.rename("errors").reset_index().sort_values(["hour", "host"], ignore_index=True)


def main(paths):
    from dask.distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1) as cluster, Client(cluster):
        print(run(paths).to_string())


if __name__ == "__main__":
    main(sys.argv[1:])
