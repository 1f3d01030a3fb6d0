"""The program: ``ibdscan`` and ``python -m ibdscan``."""

from __future__ import annotations

import atexit
import gc
import os
import sys


def run() -> None:
    """Run the command line."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: nothing here needs linear algebra
    gc.set_threshold(50_000)  # a command makes few cycles: looking for them 70 times while importing costs more
    atexit.register(gc.freeze)  # nor are they looked for when all memory is given back at once
    if sys.argv[1:2] == ["verify"]:
        from ibdscan.pages.early import begin_first, drop

        atexit.register(drop)
        begin_first(sys.argv[2:])
    from ibdscan.cli import main

    main(prog_name="ibdscan")


if __name__ == "__main__":
    run()
