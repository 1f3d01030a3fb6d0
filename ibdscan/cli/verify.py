"""``ibdscan verify``: is a file whole?"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from ibdscan.cli.common import (
    CONTEXT,
    EXIT_CANNOT,
    EXIT_PROBLEMS,
    answers,
    emit,
    format_option,
    json_text,
    output_options,
    refuse_overwrite,
    say_error,
    stdout_style,
)
from ibdscan.errors import IbdError

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

    from ibdscan.measures.verify import Verification
    from ibdscan.pages.sums import PageSums, Progress

BAR_AFTER = 0.5
BAR_EVERY = 0.1
"""Seconds: a file that is read sooner needs no bar."""


@click.command("verify", context_settings=CONTEXT)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--strict",
    type=click.Choice(["crc32", "innodb", "none", "full_crc32"]),
    metavar="ALGORITHM",
    help="the one checksum algorithm allowed: crc32, innodb, none or full_crc32",
)
@click.option("--skip-free", is_flag=True, help="no findings on pages that are not in use")
@click.option("--keyring", metavar="FILE", help="keys of encrypted files, as the server keeps them")
@format_option
@output_options
@answers
def command(
    files: tuple[str, ...],
    strict: str | None,
    skip_free: bool,
    keyring: str | None,
    fmt: str,
    output: str | None,
    force: bool,
) -> None:
    """Is the file whole? Checks the checksum, page number, space id and LSN of every page, the sibling links
    and levels of every index, and that lists, extents and segments agree.

    Exit code 3 when anything is found, 1 when a file can not be read. A page that is not in use counts too (its
    findings begin with free-page-); --skip-free leaves those out.

    \b
    Example: ibdscan verify sbtest1.ibd
             ibdscan verify *.ibd --format csv | sort -t, -k2
    """
    from ibdscan.pages.early import take

    refuse_overwrite(output, force)
    begun = take(files[0])  # before numpy is imported
    text_of = _view(fmt)  # and what is needed afterwards while the workers read
    found: list[Verification] = []
    failed = False
    for one in _verify_all(files, strict, skip_free, keyring, begun):
        if isinstance(one, IbdError):
            if len(files) == 1:
                raise one
            failed = True
            say_error(one)
        else:
            found.append(one)
    emit(text_of(found), output, force)
    if failed:
        sys.exit(EXIT_CANNOT)
    if not all(v.ok for v in found):
        sys.exit(EXIT_PROBLEMS)


def _verify_all(
    files: tuple[str, ...], strict: str | None, skip_free: bool, keyring: str | None, early: PageSums | None
) -> Iterator[Verification | IbdError]:
    """``early``: the pass over the first file, begun already."""
    try:
        from ibdscan.measures.verify import verify_file

        keys = None
        if keyring is not None:
            from ibdscan.pages.keyring import read_keyring

            keys = read_keyring(keyring)
        for path in files:
            try:
                with _progress(path) as progress:
                    yield verify_file(
                        path, keyring=keys, strict=strict, skip_free=skip_free, sums=early, progress=progress
                    )
            except IbdError as e:
                yield e
            if early is not None:
                early.close()
                early = None
    finally:
        if early is not None:
            early.close()


def _view(fmt: str) -> Callable[[list[Verification]], str]:
    if fmt == "json":
        from ibdscan.views.verification import verification_data

        return lambda found: json_text({"files": [verification_data(v) for v in found]})
    if fmt == "csv":
        from ibdscan.views.tables import csv_text
        from ibdscan.views.verification import verification_rows

        return lambda found: csv_text([verification_rows(found)])
    from ibdscan.views.text.verify import verify_text

    style = stdout_style()
    return lambda found: "\n".join(verify_text(v, style) for v in found)


@contextlib.contextmanager
def _progress(path: str) -> Iterator[Progress | None]:
    """A bar on stderr on a terminal, once the work has taken a while; drawn without a thread of its own."""
    if not sys.stderr.isatty():
        yield None
        return
    bar = _Bar(os.path.basename(path))
    try:
        yield bar.advance
    finally:
        bar.close()


class _Bar:
    """Appears :data:`BAR_AFTER` seconds after it was made, and is then drawn anew a few times a second."""

    def __init__(self, label: str) -> None:
        self._label, self._done, self._due = label, 0, time.monotonic() + BAR_AFTER
        self._bar: RichProgress | None = None

    def advance(self, pages: int, of: int) -> None:
        self._done += pages
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + BAR_EVERY
        if self._bar is None:
            self._bar = self._open(of)
        self._bar.update(self._bar.task_ids[0], completed=self._done, refresh=True)

    def _open(self, total: int) -> RichProgress:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f} %"))
        bar = Progress(
            *columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True, auto_refresh=False
        )
        bar.add_task(self._label, total=total)
        bar.start()
        return bar

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
