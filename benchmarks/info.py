"""How quick is the survey of one large file? ``python -m benchmarks.info FILE``

Prints, warm (the file is read once before): the scan of all page heads in pages a second, the whole ``ibdscan
info`` against the start of Python with numpy, construct and click (median of ``--runs`` pairs, run in turns),
and the memory a page that it takes over ``info`` of a file of few pages.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from ibdscan.pages.page.columns import scan_columns
from ibdscan.pages.source.file import Source
from ibdscan.pages.space.tablespace import read_tablespace

SMALL = Path(__file__).parents[1] / "fixtures" / "mysql97" / "empty.ibd.xz"
START = [sys.executable, "-c", "import numpy, construct, click"]


def info(path: str) -> list[str]:
    return [sys.executable, "-m", "ibdscan", "info", path]


def run(command: list[str]) -> tuple[float, int]:
    """Seconds, and peak memory in bytes, of one command."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{command} ended with {child.returncode}")
    return seconds, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--runs", type=int, default=7)
    options = parser.parse_args()
    run(info(options.file))
    # before this process has grown: a child's peak is at least that of its parent when it was started
    peak, small = (statistics.median(run(info(path))[1] for _ in range(3)) for path in (options.file, str(SMALL)))
    rates = []
    for _ in range(options.runs):
        with Source(options.file) as source:
            space = read_tablespace(source)
            start = time.perf_counter()
            scan_columns(space)
            rates.append(space.n_pages / (time.perf_counter() - start))
            pages = space.n_pages
    print(
        f"{pages:,} pages; scan: {statistics.median(rates) / 1e6:.2f} million pages/s, best {max(rates) / 1e6:.2f}"
    )
    pairs = [(run(info(options.file)), run(START)) for _ in range(options.runs)]
    whole, start_up = (statistics.median(pair[i][0] for pair in pairs) for i in (0, 1))
    ratio = statistics.median(a[0] / b[0] for a, b in pairs)
    print(f"info: {whole:.3f} s, start-up: {start_up:.3f} s, ratio {ratio:.2f}")
    over = (peak - small) / pages
    print(f"memory: {over:.0f} bytes a page over info of a file of few pages ({small / 1e6:.1f} MB)")


if __name__ == "__main__":
    main()
