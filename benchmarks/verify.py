"""``ibdscan verify`` against MariaDB's ``innochecksum`` on the same file, in turns, each a process of its own.

``python -m benchmarks.verify FILE [--pairs 5] [--cold]``. Wall time from start to exit; the ratio is
innochecksum's time / ibdscan's, so that above 1 ibdscan is the faster. ``--cold`` drops the file from the page
cache before each run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time


def timed(command: list[str], path: str, *, cold: bool) -> float:
    """Seconds of one run, which must succeed."""
    if cold:
        fd = os.open(path, os.O_RDONLY)
        os.fdatasync(fd)
        os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(fd)
    start = time.perf_counter()
    subprocess.run([*command, path], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--cold", action="store_true", help="drop the file from the page cache before each run")
    parser.add_argument("--innochecksum", default=shutil.which("innochecksum") or "innochecksum")
    args = parser.parse_args()
    ours = [os.path.join(os.path.dirname(sys.executable), "ibdscan"), "verify"]
    theirs = [args.innochecksum]
    size = os.path.getsize(args.file)
    if not args.cold:
        for command in (ours, theirs):  # the file into the cache, the modules compiled
            timed(command, args.file, cold=False)
    ratios, times = [], []
    for i in range(args.pairs):
        pair = [("ibdscan", ours), ("innochecksum", theirs)]
        took = {name: timed(command, args.file, cold=args.cold) for name, command in pair[:: 1 if i % 2 else -1]}
        ratios.append(took["innochecksum"] / took["ibdscan"])
        times.append(took)
        print(
            f"pair {i + 1}: ibdscan {took['ibdscan']:.3f} s, innochecksum {took['innochecksum']:.3f} s, "
            f"ratio {ratios[-1]:.2f}"
        )
    best = min(t["ibdscan"] for t in times)
    cache = "cold" if args.cold else "warm"
    print(
        f"{size / 1e9:.2f} GB, {cache}, {len(os.sched_getaffinity(0))} cores: median ratio "
        f"{statistics.median(ratios):.2f}; best {best:.3f} s ({size / best / 1e9:.1f} GB/s) against "
        f"{min(t['innochecksum'] for t in times):.3f} s"
    )


if __name__ == "__main__":
    main()
