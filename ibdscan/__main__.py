"""The program: ``ibdscan`` and ``python -m ibdscan``."""

from __future__ import annotations

import os
import sys
from typing import TextIO


def run() -> None:
    """Run the command line and end the process."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: nothing here needs linear algebra
    if sys.stdout is None:  # closed by the caller: what is written to it shall fail, not vanish
        sys.stdout = _stream(os.O_RDONLY)
    if sys.stderr is None:
        sys.stderr = _stream(os.O_WRONLY)
    try:
        from ibdscan.cli import main

        main(prog_name="ibdscan")
    except KeyboardInterrupt:  # while importing
        sys.stderr.write("Interrupted\n")
        sys.exit(130)
    except OSError as e:  # --help or --version to a full disk
        from ibdscan.cli.output import mute

        mute()
        sys.exit(f"Error: can not write to the standard output: {e.strerror}")


def _stream(flags: int) -> TextIO:
    return open(os.open(os.devnull, flags), "w", encoding="utf-8", closefd=False)


if __name__ == "__main__":
    run()
