"""What all commands share: options, opening files with progress, output, errors and exit codes."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

from ibdscan.errors import IbdError, UsageError

if TYPE_CHECKING:
    from ibdscan.api import Space
    from ibdscan.pages.keyring import Keyring
    from ibdscan.views.text import Style

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
EXIT_CANNOT = 1
EXIT_PROBLEMS = 3
LONG_BYTES = 4 << 30
"""Files smaller than this are read so quickly that a progress bar would only flicker."""

P = ParamSpec("P")
R = TypeVar("R")


def format_option(function: Callable[P, R]) -> Callable[P, R]:
    """``--format text|json|csv``."""
    return click.option(
        "--format",
        "fmt",
        type=click.Choice(["text", "json", "csv"]),
        default="text",
        show_default=True,
        help="json and csv carry raw integers and ratios 0..1",
    )(function)


def output_options(function: Callable[P, R]) -> Callable[P, R]:
    """``-o FILE`` and ``--force``."""
    force = click.option("--force", is_flag=True, help="overwrite FILE if it exists")
    output = click.option("-o", "--output", "output", metavar="FILE", help="write to FILE instead of stdout")
    return output(force(function))


def system_option(function: Callable[P, R]) -> Callable[P, R]:
    """``--system FILE``."""
    return click.option(
        "--system",
        metavar="IBDATA1",
        help="system tablespace that has the names (MySQL up to 5.7, MariaDB); else the one beside FILE is used",
    )(function)


_KEYRING = "ibdscan.keyring"
_PASSWORD = "ibdscan.keyring_password"


def keyring_option(function: Callable[P, R]) -> Callable[P, R]:
    """``--keyring FILE`` and ``--keyring-password-file FILE``; :func:`opened` takes the keys from there."""

    def keep(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
        context.meta[_KEYRING if parameter.name == "keyring" else _PASSWORD] = value

    keyring = click.option(
        "--keyring",
        metavar="FILE",
        expose_value=False,
        callback=keep,
        help="keys of an encrypted file: MySQL's keyring file, MariaDB's file_key_management file",
    )
    password = click.option(
        "--keyring-password-file",
        metavar="FILE",
        expose_value=False,
        callback=keep,
        help="the passphrase of MariaDB's key file, where that is encrypted itself",
    )
    return keyring(password(function))


def keyring_given() -> Keyring | None:
    """The keys that the command was given, None without any."""
    context = click.get_current_context(silent=True)
    found = context.meta.get(_KEYRING) if context is not None else None
    if context is None or found is None or not isinstance(found, str):
        return found
    from ibdscan.pages.keyring import read_keyring

    password = context.meta.get(_PASSWORD)
    secret = None
    if password is not None:
        try:
            with open(password, "rb") as f:
                secret = f.read(1 << 16)
        except OSError as e:
            raise IbdError(f"can not read the passphrase: {e.strerror}", path=password) from e
    keys = context.meta[_KEYRING] = read_keyring(found, secret)
    return keys


def answers(function: Callable[P, R]) -> Callable[P, R]:
    """Turn an IbdError into one line on stderr and exit code 1 (2 for a wrong question)."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except UsageError as e:
            say_error(e)
            raise SystemExit(2) from None
        except IbdError as e:
            say_error(e)
            raise SystemExit(EXIT_CANNOT) from None
        except BrokenPipeError:
            mute()  # the reader (head, less) has gone: not an error of ours
            raise SystemExit(0) from None
        except KeyboardInterrupt:
            click.echo("Interrupted", err=True)
            raise SystemExit(130) from None

    return run


def say_error(error: IbdError) -> None:
    """One line on stderr, whatever the name of the file."""
    from ibdscan.views.tables import printable

    line = printable(str(error).replace("\n", " "))
    click.echo(f"Error: {line}", err=True)


@contextlib.contextmanager
def opened(path: str, *, system: str | None = None) -> Iterator[Space]:
    """A surveyed file, closed at the end; a progress bar on stderr when the file is large."""
    from ibdscan.api import open as open_space

    with progress_of(path) as progress:
        space = open_space(path, system=system, keyring=keyring_given(), progress=progress)
    try:
        yield space
    finally:
        space.close()


@contextlib.contextmanager
def progress_of(path: str) -> Iterator[Callable[[int], None] | None]:
    """A callback for pages done, or None when nothing is to be shown."""
    try:
        size = os.stat(path).st_size
    except OSError:
        size = 0
    if size < LONG_BYTES or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    from ibdscan.pages.source import Source
    from ibdscan.pages.tablespace import read_tablespace

    with Source(path) as source:
        total = read_tablespace(source).n_pages
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(os.path.basename(path), total=total)
        yield lambda n: bar.update(task, advance=n)


def stdout_style() -> Style:
    """Colour and folding for stdout: only on a terminal, and no colour with NO_COLOR."""
    from ibdscan.views.text import Style

    if not sys.stdout.isatty():
        return Style()
    import shutil

    color = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return Style(width=shutil.get_terminal_size().columns, color=color)


def json_text(data: Any) -> str:
    """JSON as printed: indented, non-ASCII names as they are, NaN never."""
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def emit(text: str, output: str | None, force: bool) -> None:
    """Print ``text``, or write it to a file and say so."""
    if output is None:
        print_text(text)
        return
    with writing(output, force) as path, open(path, "w", encoding="utf-8", newline="") as f:
        f.write(text)


def emit_parts(parts: Iterable[str], output: str | None, force: bool) -> None:
    """The same for text that comes in pieces, too long to be held at once."""
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
    if os.path.exists(output) and not force:
        raise UsageError("the file exists; --force overwrites it", path=output)
    try:
        yield output
    except OSError as e:
        raise IbdError(f"can not write: {e.strerror}", path=output) from e
    click.echo(f"Wrote {output}", err=True)


def refuse_overwrite(output: str | None, force: bool) -> None:
    """Say early, before the work, that the output file exists."""
    if output is not None and os.path.exists(output) and not force:
        raise UsageError("the file exists; --force overwrites it", path=output)
