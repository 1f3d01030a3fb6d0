"""What every command is: a question. It declares its own arguments and returns its answer.

:class:`Question` brings the plumbing: the options that all share, open files and the keys to them, the format,
where the answer goes, what an error looks like, the exit code.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ibdscan.cli.output import emit, mute, refuse_overwrite, say_error, stdout_style
from ibdscan.errors import IbdError, UsageError
from ibdscan.views.bars import page_bar

if TYPE_CHECKING:
    from ibdscan.api import Space
    from ibdscan.pages.decode.keyring import Keyring
    from ibdscan.views.table.answer import Answer
    from ibdscan.views.table.tables import Style

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
EXIT_CANNOT, EXIT_USAGE, EXIT_PROBLEMS, EXIT_INTERRUPTED = 1, 2, 3, 130
RAW = "json and csv carry raw integers and ratios 0..1"
TO_FILE = ("FILE", "write to FILE instead of stdout")


@dataclass
class Asked:
    """How a command was asked, beside its question; ``exit_code`` is what it ends with."""

    fmt: str = "text"
    output: str | None = None
    force: bool = False
    system: str | None = None
    keyring: str | None = None
    keyring_password_file: str | None = None
    exit_code: int = 0

    @cached_property
    def keys(self) -> Keyring | None:
        """The keys that the command was given, None without any."""
        if self.keyring is None:
            return None
        from ibdscan.pages.decode.keyring import read_keyring

        return read_keyring(self.keyring, self._secret())

    def _secret(self) -> bytes | None:
        path = self.keyring_password_file
        if path is None:
            return None
        try:
            with open(path, "rb") as f:
                return f.read(1 << 16)
        except OSError as e:
            raise IbdError(f"can not read the passphrase: {e.strerror}", path=path) from e

    @property
    def style(self) -> Style:
        """That of stdout; plain in a file."""
        from ibdscan.views.table.tables import Style

        return stdout_style() if self.output is None else Style()

    def write(self, answer: Answer) -> None:
        """Print an answer, or write it to the file that was named."""
        emit(answer.parts(self.fmt, self.style), self.output, self.force)


class Question(click.Command):
    """A command with the plumbing of all. Its function returns an Answer, or None when it has printed itself.

    ``formats``: the first is the default. ``output``: metavar and help of ``-o``, None without one;
    ``asks_output``: it must be given. ``names``: with ``--system``. ``keyed``: with ``--keyring``.
    """

    def __init__(
        self,
        name: str,
        *,
        formats: Sequence[str] = ("text", "json", "csv"),
        formats_help: str | None = RAW,
        output: tuple[str, str] | None = TO_FILE,
        asks_output: bool = False,
        names: bool = False,
        keyed: bool = True,
        **rest: Any,
    ) -> None:
        params: list[click.Parameter] = [
            *rest.pop("params"),
            *([_SYSTEM] if names else []),
            *([_format(formats, formats_help)] if formats else []),
            *(_to_file(*output, required=asks_output) if output else []),
            *(_KEYRING if keyed else []),
        ]
        super().__init__(name, params=params, context_settings=CONTEXT, **rest)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The columns of the command's table, and what they mean."""
        from ibdscan.views.table.declared import COLUMNS

        columns = [(c.key, c.meaning) for c in COLUMNS.get(self.name or "", ())]
        if columns:
            with formatter.section("Columns (csv; of json the keys)"):
                formatter.write_dl(columns)
        super().format_epilog(ctx, formatter)

    def invoke(self, ctx: click.Context) -> None:
        """Ask, write the answer, set the exit code."""
        with errors_told():
            asked = Asked(**{f.name: ctx.params.pop(f.name) for f in fields(Asked) if f.name in ctx.params})
            ctx.obj = asked
            refuse_overwrite(asked.output, asked.force)
            answer = super().invoke(ctx)
            if answer is not None:
                asked.write(answer)
        if asked.exit_code:
            raise SystemExit(asked.exit_code)


def question(name: str, **plumbing: Any) -> Callable[[Callable[..., Answer | None]], click.Command]:
    """Make a function a command; ``plumbing`` as for :class:`Question`."""
    return click.command(name, cls=Question, **plumbing)


_SYSTEM = click.Option(
    ["--system"],
    metavar="IBDATA1",
    help="system tablespace that has the names (MySQL up to 5.7, MariaDB); else the one beside FILE is used",
)
_KEYRING = (
    click.Option(
        ["--keyring"],
        metavar="FILE",
        help="keys of an encrypted file: MySQL's keyring file, MariaDB's file_key_management file",
    ),
    click.Option(
        ["--keyring-password-file"],
        metavar="FILE",
        help="the passphrase of MariaDB's key file, where that is encrypted itself",
    ),
)


def _format(formats: Sequence[str], words: str | None) -> click.Option:
    choice = click.Choice(list(formats))
    return click.Option(["--format", "fmt"], type=choice, default=formats[0], show_default=True, help=words)


def _to_file(metavar: str, words: str, *, required: bool) -> list[click.Option]:
    return [
        click.Option(["-o", "--output"], metavar=metavar, required=required, help=words),
        click.Option(["--force"], is_flag=True, help="overwrite FILE if it exists"),
    ]


@contextlib.contextmanager
def errors_told() -> Iterator[None]:
    """Turn an IbdError into one line on stderr and exit code 1 (2 for a wrong question)."""
    try:
        yield
    except IbdError as e:
        say_error(e)
        raise SystemExit(EXIT_USAGE if isinstance(e, UsageError) else EXIT_CANNOT) from None
    except BrokenPipeError:
        mute()  # the reader (head, less) has gone: not an error of ours
        raise SystemExit(0) from None
    except KeyboardInterrupt:
        click.echo("Interrupted", err=True)
        raise SystemExit(EXIT_INTERRUPTED) from None


def asked() -> Asked:
    """How the running command was asked."""
    found: Asked = click.get_current_context().obj
    return found


def open_file(path: str) -> Space:
    """A surveyed file; a progress bar on stderr when it takes a while."""
    from ibdscan.api import open as open_space

    with page_bar(path) as progress:
        return open_space(path, system=asked().system, keyring=asked().keys, progress=progress)


def opened(path: str) -> Space:
    """A surveyed file, closed when the command ends."""
    return click.get_current_context().with_resource(open_file(path))


T = TypeVar("T")


def each(
    files: Sequence[str], open_one: Callable[[str], AbstractContextManager[T]], answer: Callable[[T], Answer]
) -> Iterator[Answer]:
    """The answer on each file in turn, the file closed again. One that can not be read is told on stderr, the
    others are still answered (exit code 1)."""
    how = asked()
    for path in files:
        try:
            with open_one(path) as found:
                made = answer(found).made(how.fmt, how.style)
        except IbdError as e:
            if len(files) == 1 or isinstance(e, UsageError):
                raise
            how.exit_code = EXIT_CANNOT
            say_error(e)
        else:
            yield made
