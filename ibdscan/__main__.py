"""The program: ``ibdscan`` and ``python -m ibdscan``."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from typing import TextIO


def run() -> None:
    """Run the command line and end the process."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: nothing here needs linear algebra
    gc.set_threshold(50_000)  # a command makes few cycles: looking for them 70 times while importing costs more
    if sys.stdout is None:  # closed by the caller: what is written to it shall fail, not vanish
        sys.stdout = _stream(os.O_RDONLY)
    if sys.stderr is None:
        sys.stderr = _stream(os.O_WRONLY)
    code: object = 0
    try:
        _run()
    except SystemExit as e:
        code = e.code
    except KeyboardInterrupt:  # while importing
        sys.stderr.write("Interrupted\n")
        code = 130
    except OSError as e:  # --help or --version to a full disk
        from ibdscan.cli.output import mute

        mute()
        code = f"Error: can not write to the standard output: {e.strerror}"
    _leave(code)


def _run() -> None:
    if sys.argv[1:2] == ["verify"]:
        from ibdscan.pages.check.early import begin_first, drop

        atexit.register(drop)
        begin_first(sys.argv[2:])
    from ibdscan.cli import main

    main(prog_name="ibdscan")


def _stream(flags: int) -> TextIO:
    return open(os.open(os.devnull, flags), "w", encoding="utf-8", closefd=False)


def _leave(code: object) -> None:
    """End without giving back each object first, which takes 30 ms: a fifth of a short command."""
    if isinstance(code, int) and not _is_watched():
        atexit._run_exitfuncs()
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except OSError:
            sys.exit(code)  # the interpreter says what is wrong
        os._exit(code)
    sys.exit(code)  # type: ignore[arg-type]


def _is_watched() -> bool:
    """A debugger or profiler wants to see the end, other threads want to come to theirs."""
    if sys.gettrace() is not None or sys.getprofile() is not None:
        return True
    threading = sys.modules.get("threading")
    return threading is not None and threading.active_count() > 1


if __name__ == "__main__":
    run()
