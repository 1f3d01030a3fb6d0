"""Random mutations of small files: ``verify`` answers or raises IbdError, and nothing else.

``python -m tests.verify.fuzz 100000`` runs many on all cores; the tests run a few.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path

from ibdscan.errors import IbdError
from ibdscan.measures.verify import verify_file
from ibdscan.pages.format.checksums import write_checksum
from ibdscan.pages.format.flags import Flags, parse_flags
from tests.damage.mutate import mutate, seeds
from tests.files import ALL, fixture_bytes

SMALL = 1 << 20


@cache
def sources() -> tuple[tuple[bytes, Flags], ...]:
    """Built files and the small real fixtures, with their flags."""
    real = [fixture_bytes(f"{p.parent.name}/{p.name.removesuffix('.ibd.xz')}") for p in ALL]
    files = [*seeds(), *(data for data in real if len(data) <= SMALL)]
    return tuple((data, parse_flags(int.from_bytes(data[54:58], "big"), set(), "")) for data in files)


def case(number: int) -> bytes:
    """Mutation ``number``: always the same. Half of them with new checksums, so that structures are reached."""
    rng = random.Random(f"verify/{number}")
    data, flags = rng.choice(sources())
    size = flags.geometry.physical
    damaged = bytearray(mutate(data, rng, size))
    if rng.random() < 0.5:
        for at in range(0, len(damaged) - size + 1, size):
            page = damaged[at : at + size]
            if page != data[at : at + size]:
                write_checksum(page, flags)
                damaged[at : at + size] = page
    return bytes(damaged)


def run(number: int, folder: str) -> str:
    """``ok``, ``found``, ``refused``, or the traceback of what must not happen."""
    path = Path(folder, f"{os.getpid()}.ibd")
    path.write_bytes(case(number))
    try:
        found = verify_file(str(path))
        return "ok" if found.ok else "found"
    except IbdError:
        return "refused"
    except Exception:
        return f"mutation {number}: {traceback.format_exc()}"


def main(n: int, start: int = 0) -> int:
    """Run ``n`` mutations; the number of tracebacks."""
    began, results, failed = time.monotonic(), Counter[str](), 0
    with tempfile.TemporaryDirectory(dir=_quick_folder()) as folder, ProcessPoolExecutor() as pool:
        for i, result in enumerate(
            pool.map(partial(run, folder=folder), range(start, start + n), chunksize=100), 1
        ):
            if i % 5000 == 0:
                print(f"{i} of {n}: {dict(results)}", flush=True)
            results[result if "\n" not in result else "traceback"] += 1
            if "\n" in result:
                failed += 1
                print(result, file=sys.stderr)
    print(dict(results), f"{time.monotonic() - began:.0f} s")
    return failed


def _quick_folder() -> str | None:
    return "/dev/shm" if os.path.isdir("/dev/shm") else None


if __name__ == "__main__":
    sys.exit(bool(main(*(int(a) for a in sys.argv[1:]))))
