"""A data directory of 100,000 small tables: what it takes on disk, and how long a survey of it takes.

``python benchmarks/many_tables.py`` clones a real server's file of an empty table (a fixture) so many times,
each with a space id of its own and right checksums, surveys the directory in several ways, prints a Markdown
table, and removes it. ``--keep`` leaves it, ``--family mysql`` takes MySQL's file. Warm: the files are in the
page cache; cold: they were dropped from it first, file by file (posix_fadvise; directories and inodes stay).
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ibdscan.layout.fil import FIL_HEADER_BYTES
from ibdscan.pages.format.checksums import write_checksum
from ibdscan.pages.source.file import Source
from ibdscan.pages.space.tablespace import read_tablespace

ROOT = Path(__file__).parents[1]
FIXTURES = {"mariadb": "fixtures/mariadb1011/empty.ibd.xz", "mysql": "fixtures/mysql97/empty.ibd.xz"}
A_SCHEMA = 1000
BLOCK = 4096
_SPACE_ID = 34
_FSP_SPACE_ID = 38
_SEGMENT_HEADERS = (74, 84)
_INDEX_TYPES = (17853, 17855)


class Template:
    """A real file, to be written with other space ids."""

    def __init__(self, path: Path) -> None:
        with Source(path) as source:
            space = read_tablespace(source)
            self.flags, self.size = space.flags, space.geometry.physical
            self.pages = [bytearray(space.read_raw(n)) for n in range(space.n_pages)]

    def with_space_id(self, space_id: int) -> list[bytes]:
        """All pages, sealed anew."""
        new = space_id.to_bytes(4, "big")
        out = []
        for number, original in enumerate(self.pages):
            page = bytearray(original)
            if any(page[:FIL_HEADER_BYTES]):
                page[_SPACE_ID : _SPACE_ID + 4] = new
                if number == 0:
                    page[_FSP_SPACE_ID : _FSP_SPACE_ID + 4] = new
                if int.from_bytes(page[24:26], "big") in _INDEX_TYPES:
                    for at in _SEGMENT_HEADERS:
                        page[at : at + 4] = new
                write_checksum(page, self.flags)
            out.append(bytes(page))
        return out


def write_sparse(path: str, pages: list[bytes]) -> None:
    """Write the blocks that are not all zeros; the rest stays a hole, as in a file that a server extended."""
    fd = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o640)
    try:
        offset = 0
        for page in pages:
            for start in range(0, len(page), BLOCK):
                block = page[start : start + BLOCK]
                if block.count(0) != len(block):
                    os.pwrite(fd, block, offset + start)
            offset += len(page)
        os.ftruncate(fd, offset)
    finally:
        os.close(fd)


def make(folder: Path, n: int, family: str, *, first_space_id: int = 1000) -> None:
    """``n`` files in schemas of 1,000."""
    template = Template(ROOT / FIXTURES[family])
    for start in range(0, n, A_SCHEMA):
        schema = folder / f"db{start // A_SCHEMA:04}"
        schema.mkdir(parents=True)
        for i in range(start, min(n, start + A_SCHEMA)):
            write_sparse(str(schema / f"t{i:06}.ibd"), template.with_space_id(first_space_id + i))


def forget(folder: Path) -> None:
    """Drop the files from the page cache."""

    def drop(path: str) -> None:
        fd = os.open(path, os.O_RDONLY)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)

    os.sync()
    with ThreadPoolExecutor(4) as pool:
        for where, _, names in os.walk(folder):
            list(pool.map(drop, [os.path.join(where, name) for name in names]))


PAGE_0 = """
import os, sys
n = 0
for where, _, names in os.walk(sys.argv[1]):
    for name in names:
        fd = os.open(os.path.join(where, name), os.O_RDONLY)
        n += len(os.pread(fd, 16384, 0))
        os.close(fd)
"""
WAYS: list[tuple[str, list[str], bool]] = [
    ("page 0 alone, read and thrown away (one process)", ["-c", PAGE_0, "{folder}"], False),
    ("the same, cold", ["-c", PAGE_0, "{folder}"], True),
    ("`scan --quick`, warm", ["-m", "ibdscan", "scan", "{folder}", "--quick"], False),
    ("`scan --quick`, cold", ["-m", "ibdscan", "scan", "{folder}", "--quick"], True),
    ("`scan`, warm", ["-m", "ibdscan", "scan", "{folder}"], False),
    ("`scan --open-files 64`, warm", ["-m", "ibdscan", "scan", "{folder}", "--open-files", "64"], False),
    ("`scan --open-files 16384`, warm", ["-m", "ibdscan", "scan", "{folder}", "--open-files", "16384"], False),
    ("`scan --open-files 64`, cold", ["-m", "ibdscan", "scan", "{folder}", "--open-files", "64"], True),
    ("`scan --open-files 16384`, cold", ["-m", "ibdscan", "scan", "{folder}", "--open-files", "16384"], True),
]


class Watch:
    """Memory of a process and its children while it runs: the largest sum of their resident sets."""

    def __init__(self, pid: int) -> None:
        self.pid, self.peak = pid, 0

    def look(self) -> None:
        total = 0
        for pid in [self.pid, *_children(self.pid)]:
            try:
                with open(f"/proc/{pid}/statm", encoding="ascii") as f:
                    total += int(f.read().split()[1]) * resource.getpagesize()
            except OSError:
                continue
        self.peak = max(self.peak, total)


def _children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", encoding="ascii") as f:
                found += [int(child) for child in f.read().split()]
    except OSError:
        return found
    return found


def run(arguments: list[str]) -> tuple[float, float, int, str]:
    """Seconds, processor seconds, peak memory, output of one command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    with (
        tempfile.TemporaryFile("w+") as out,
        subprocess.Popen([sys.executable, *arguments], stdout=out) as process,
    ):
        watch = Watch(process.pid)
        while process.poll() is None:
            watch.look()
            time.sleep(0.25)
        seconds = time.monotonic() - start
        out.seek(0)
        text = out.read()
    if process.returncode:
        raise SystemExit(f"{arguments} ended with {process.returncode}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, used, watch.peak, text


def disk_use(folder: Path) -> tuple[int, int, int]:
    """Files, bytes, allocated bytes."""
    n = size = allocated = 0
    for where, _, names in os.walk(folder):
        for name in names:
            status = os.stat(os.path.join(where, name))
            n, size, allocated = n + 1, size + status.st_size, allocated + status.st_blocks * 512
    return n, size, allocated


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=100_000)
    parser.add_argument("--family", choices=list(FIXTURES), default="mariadb")
    parser.add_argument("--dir", help="where to make the directory (default: the temporary folder)")
    parser.add_argument("--use", help="an existing directory of tables: measured, not made")
    parser.add_argument("--only", help="ways whose name contains this")
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    folder = Path(options.use) if options.use else Path(tempfile.mkdtemp(prefix="ibdscan-many-", dir=options.dir))
    try:
        if not options.use:
            start = time.monotonic()
            make(folder, options.n, options.family)
            print(f"made {options.n:,} files in {time.monotonic() - start:.0f} s in {folder}", file=sys.stderr)
        n, size, allocated = disk_use(folder)
        print(f"{n:,} files ({options.family}), {size / n:,.0f} bytes a table, {size / 1e9:.2f} GB; "
              f"{allocated / n:,.0f} bytes a table allocated; {os.cpu_count()} cores\n")  # fmt: skip
        print(
            "| way | seconds | files/s | processor seconds | peak memory of all processes |\n|---|---|---|---|---|"
        )
        text = ""
        for name, arguments, cold in WAYS:
            if options.only and options.only not in name:
                continue
            if cold:
                forget(folder)
            seconds, used, peak, out = run([a.format(folder=folder) if a == "{folder}" else a for a in arguments])
            text = out or text
            print(
                f"| {name} | {seconds:.1f} | {n / seconds:,.0f} | {used:.1f} | {peak / 1e6:,.0f} MB |", flush=True
            )
        print("\n```\n" + text + "```")
    finally:
        if not options.keep and not options.use:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
