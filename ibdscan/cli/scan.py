"""``ibdscan scan``: all tablespaces below some folders."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TextIO

import click

from ibdscan.cli.common import (
    CONTEXT,
    EXIT_CANNOT,
    answers,
    keyring_given,
    keyring_option,
    mute,
    output_options,
    refuse_overwrite,
    stdout_style,
)
from ibdscan.errors import IbdError, UsageError

if TYPE_CHECKING:
    from ibdscan.measures.scan.find import Walk
    from ibdscan.measures.scan.run import Scan
    from ibdscan.measures.scan.since import Since
    from ibdscan.views.scan_export import Writer

EXIT_INTERRUPTED = 130
_FORMATS = ("text", "json", "jsonl", "csv", "parquet", "prometheus")
_SORTS = ("saved", "size", "allocated", "free", "reserved-unused", "slack", "waste", "records", "fill", "order")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)
_FILE_WEIGHT = 64 << 10
"""Opening a file takes about as long as reading so many bytes of a large one; for the time left."""


class Size(click.ParamType[int]):
    """Bytes, with K, M, G or T for powers of 1,024."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        found = _SIZE.fullmatch(str(value).strip())
        if found is None:
            self.fail(f"{value!r} is no size: write 10M or 1.5G", param, ctx)
        return int(float(found[1]) * 1024 ** " KMGT".index(found[2].upper() or " "))


@click.command("scan", context_settings=CONTEXT)
@click.argument("paths", nargs=-1, required=True, metavar="DIR...")
@click.option("--quick", is_flag=True, help="page 0, INODE and XDES pages only: sizes, free and reserved space")
@click.option("--top", default=20, show_default=True, type=click.IntRange(0), help="tables to list, 0 for all")
@click.option("--sort", type=click.Choice(_SORTS), default="saved", show_default=True, help="what to rank by")
@click.option("--min-size", type=Size(), default=0, metavar="SIZE", help="leave out smaller files, as 10M")
@click.option("--match", multiple=True, metavar="GLOB", help="only these: table, schema.table or path; repeatable")
@click.option("--exclude", multiple=True, metavar="GLOB", help="all but these; repeatable")
@click.option("--since", metavar="FILE", help="compare with a saved scan (JSON lines or Parquet)")
@click.option("--resume", metavar="FILE", help="take rows of unchanged files from a saved scan")
@click.option("-j", "--jobs", type=click.IntRange(1), help="processes; all cores if not given")
@click.option(
    "--open-files",
    type=click.IntRange(8),
    default=256,
    show_default=True,
    help="hold no more files open than that",
)
@click.option("--max-mib-s", type=click.FloatRange(0, min_open=True), help="read no more MiB a second than that")
@click.option(
    "--system", metavar="IBDATA1", help="system tablespace that has the names (MySQL up to 5.7, MariaDB)"
)
@keyring_option
@click.option(
    "--format",
    "fmt",
    type=click.Choice(_FORMATS),
    default="text",
    show_default=True,
    help="jsonl, csv and parquet: a row a file; json: the sums as well; prometheus: a textfile",
)
@output_options
@answers
def command(
    paths: tuple[str, ...],
    quick: bool,
    top: int,
    sort: str,
    min_size: int,
    match: tuple[str, ...],
    exclude: tuple[str, ...],
    since: str | None,
    resume: str | None,
    jobs: int | None,
    open_files: int,
    max_mib_s: float | None,
    system: str | None,
    fmt: str,
    output: str | None,
    force: bool,
) -> None:
    """Which of these tables waste how much, and what would a rebuild of each give back?

    Surveys every tablespace below DIR (.ibd, .ibt, ibdata*, undo_*, mysql.ibd, partitions; .xz and .gz copies)
    and prints sums, schemas, and the tables ranked. Files that can not be read are listed, the rest is answered.
    Ctrl-C prints what is done so far (exit code 130).

    \b
    Example: ibdscan scan /var/lib/mysql --exclude 'mysql.*' --top 50
             ibdscan scan /var/lib/mysql --format parquet -o monday.parquet
             ibdscan scan /var/lib/mysql --since monday.parquet
    """
    from ibdscan.measures.scan.run import scan

    refuse_overwrite(output, force)
    if quick and sort in ("fill", "order", "slack"):
        raise UsageError(f"a quick scan does not measure what --sort {sort} ranks by")
    earlier = _earlier(since)
    with _progress() as (done, expect):
        running = scan(
            paths,
            quick=quick,
            match=match,
            exclude=exclude,
            min_size=min_size,
            sort=sort,
            top=top,
            jobs=jobs,
            open_files=open_files,
            max_mib_s=max_mib_s,
            keyring=keyring_given(),
            system=system,
            resume=resume,
            done=done,
        )
        expect(running.walk)
        with _writer(fmt, output, (since, resume), quick=quick) as writer:
            _go_through(running, writer, earlier)
            report = running.report
            if earlier is not None and not report.interrupted:
                earlier.finish()
            writer.end(report, earlier)
    if output is not None:
        click.echo(f"Wrote {output}", err=True)
    if report.interrupted:
        click.echo("Interrupted", err=True)
        raise SystemExit(EXIT_INTERRUPTED)
    if not report.statuses:
        click.echo("Error: no tablespace files below " + ", ".join(paths), err=True)
        raise SystemExit(EXIT_CANNOT)


def _go_through(running: Scan, writer: Writer, earlier: Since | None) -> None:
    try:
        for row in running:
            writer.row(row)
            if earlier is not None:
                earlier.add(row)
    except KeyboardInterrupt:
        running.report.interrupted = True
    finally:
        running.close()


def _earlier(path: str | None) -> Since | None:
    if path is None:
        return None
    from ibdscan.measures.scan.saved import read_saved
    from ibdscan.measures.scan.since import Since

    return Since.of(path, read_saved(path))


@contextlib.contextmanager
def _writer(fmt: str, output: str | None, sources: tuple[str | None, ...], *, quick: bool) -> Iterator[Writer]:
    """The writer of a format. A file that is read as well is replaced when the new one is whole."""
    from ibdscan.views import scan_export as export
    from ibdscan.views.text import Style

    if fmt == "parquet" and output is None:
        raise UsageError("--format parquet needs -o FILE")
    clash = output is not None and any(s and os.path.exists(s) and _is_same(s, output) for s in sources)
    target = f"{output}.part" if clash else output
    try:
        if fmt == "parquet":
            assert target is not None
            yield export.ParquetWriter(target)
        else:
            style = stdout_style() if target is None else Style()
            with _stream(target) as out:
                makers: dict[str, Callable[[], Writer]] = {
                    "text": lambda: export.TextWriter(out, style, quick=quick),
                    "json": lambda: export.JsonWriter(out),
                    "jsonl": lambda: export.LinesWriter(out),
                    "csv": lambda: export.CsvWriter(out),
                    "prometheus": lambda: export.PrometheusWriter(out),
                }
                yield makers[fmt]()
        if clash and target is not None and output is not None:
            os.replace(target, output)
    except BrokenPipeError:
        raise
    except OSError as e:
        if output is None:
            mute()
        raise IbdError(f"can not write: {e.strerror}", path=output or "stdout") from e


def _is_same(a: str, b: str) -> bool:
    return os.path.exists(b) and os.path.samefile(a, b)


@contextlib.contextmanager
def _stream(path: str | None) -> Iterator[TextIO]:
    """A file or stdout, on which no name of a file can fail."""
    if path is not None:
        with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="") as f:
            yield f
        return
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
    yield sys.stdout
    sys.stdout.flush()


Done = Callable[[int, int], None]


@contextlib.contextmanager
def _progress() -> Iterator[tuple[Done | None, Callable[[Walk], None]]]:
    """A bar on stderr, on a terminal: files, bytes, rate, time left."""
    if not sys.stderr.isatty():
        yield None, lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    from ibdscan.views.units import bytes_text, count_text

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
        state = {"files": 0, "bytes": 0}

        def done(files: int, size: int) -> None:
            state["files"] += files
            state["bytes"] += size
            if state["files"] % 64 and size < _FILE_WEIGHT * 64:
                return
            elapsed = bar.tasks[0].elapsed or 0
            rate = count_text(round(state["files"] / elapsed)) if elapsed > 0 else "-"
            shown: dict[str, Any] = {
                "files": count_text(state["files"]),
                "size": bytes_text(state["bytes"]),
                "rate": rate,
            }
            bar.update(task, completed=state["bytes"] + state["files"] * _FILE_WEIGHT, **shown)

        def expect(walk: Walk) -> None:
            files, size = walk.count()
            bar.update(task, total=size + files * _FILE_WEIGHT, of=count_text(files))

        yield done, expect
