"""Progress bars, on stderr, on a terminal: of the pages of a file, and of the files of a scan."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

    from ibdscan.measures.scan.find import Walk

BAR_AFTER = 0.5
BAR_EVERY = 0.1
"""Seconds: a file that is read sooner needs no bar."""
FILE_WEIGHT = 64 << 10
"""Opening a file takes about as long as reading so many bytes of a large one; for the time left."""


@contextlib.contextmanager
def page_bar(path: str) -> Iterator[Callable[[int, int], None] | None]:
    """A callback for pages done since its last call, and pages in all; None when nothing is to be shown."""
    if not sys.stderr.isatty():
        yield None
        return
    bar = Bar(os.path.basename(path))
    try:
        yield bar.advance
    finally:
        bar.close()


class Bar:
    """Appears :data:`BAR_AFTER` seconds after it was made, then is drawn anew a few times a second, without a
    thread of its own."""

    def __init__(self, label: str) -> None:
        self._label, self._done, self._due = label, 0, time.monotonic() + BAR_AFTER
        self._bar: RichProgress | None = None

    @property
    def percentage(self) -> float | None:
        """How far the bar is drawn, None before it appears."""
        return None if self._bar is None else self._bar.tasks[0].percentage

    def advance(self, pages: int, of: int) -> None:
        """So many pages more are done."""
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
        """Take it away."""
        if self._bar is not None:
            self._bar.stop()


@contextlib.contextmanager
def file_bar() -> Iterator[tuple[Callable[[int, int], None] | None, Callable[[Walk], None]]]:
    """For a scan: a callback for files and bytes done since its last call, and one for the walk ahead; the bar
    shows files, bytes, rate, time left."""
    if not sys.stderr.isatty():
        yield None, lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from ibdscan.views.table.units import bytes_text, count_text

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn(
            "{task.fields[files]} of {task.fields[of]} files, {task.fields[size]}, {task.fields[rate]} files/s"
        ),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True, refresh_per_second=4) as bar:
        task = bar.add_task("scan", total=None, files="0", of="?", size="0 B", rate="-")
        total_files = total_bytes = 0

        def done(files: int, size: int) -> None:
            nonlocal total_files, total_bytes
            total_files += files
            total_bytes += size
            if total_files % 64 and size < FILE_WEIGHT * 64:
                return
            elapsed = bar.tasks[0].elapsed or 0
            rate = count_text(round(total_files / elapsed)) if elapsed > 0 else "-"
            shown: dict[str, Any] = {
                "files": count_text(total_files),
                "size": bytes_text(total_bytes),
                "rate": rate,
            }
            bar.update(task, completed=total_bytes + total_files * FILE_WEIGHT, **shown)

        def expect(walk: Walk) -> None:
            files, size = walk.count()
            bar.update(task, total=size + files * FILE_WEIGHT, of=count_text(files))

        yield done, expect
