"""Where answers go: stdout or a file, errors to stderr."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import click

from ibdscan.errors import IbdError, UsageError

if TYPE_CHECKING:
    from ibdscan.views.table.tables import Style


def say_error(error: IbdError) -> None:
    """One line on stderr, whatever the name of the file."""
    from ibdscan.views.table.tables import printable

    line = printable(str(error).replace("\n", " "))
    click.echo(f"Error: {line}", err=True)


def stdout_style() -> Style:
    """Colour and folding for stdout: only on a terminal, and no colour with NO_COLOR."""
    from ibdscan.views.table.tables import Style

    if not sys.stdout.isatty():
        return Style()
    color = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Style(width=shutil.get_terminal_size().columns, color=color)


def emit(parts: Iterable[str], output: str | None, force: bool) -> None:
    """Print text that comes in pieces, or write it to a file and say so."""
    if output is None:
        for part in parts:
            print_text(part)
        return
    with writing(output, force) as path, open(path, "w", encoding="utf-8", newline="") as f:
        f.writelines(parts)


def print_text(text: str, *, color: bool | None = None) -> None:
    """Print, what the encoding of stdout does not have as escapes. ``color``: keep those of colours."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        click.echo(text.encode(encoding, "backslashreplace").decode(encoding), nl=False, color=color)
    except BrokenPipeError:
        raise
    except OSError as e:  # a full disk, say
        mute()
        raise IbdError(f"can not write to the standard output: {e.strerror}") from e


def mute() -> None:
    """What stdout still holds is not tried again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextlib.contextmanager
def writing(output: str, force: bool) -> Iterator[str]:
    """The path to write to; refuses to overwrite without ``force``; says ``Wrote FILE`` at the end."""
    refuse_overwrite(output, force)
    try:
        yield output
    except OSError as e:
        raise IbdError(f"can not write: {e.strerror}", path=output) from e
    click.echo(f"Wrote {output}", err=True)


def refuse_overwrite(output: str | None, force: bool) -> None:
    """Raise UsageError when the output file exists: said before the work, and again before writing."""
    if output is not None and os.path.exists(output) and not force:
        raise UsageError("the file exists; --force overwrites it", path=output)
