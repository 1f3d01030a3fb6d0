"""``ibdscan scan``: all tablespaces below some folders."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from ibdscan.cli.output import say_error
from ibdscan.cli.question import EXIT_CANNOT, EXIT_INTERRUPTED, asked, question
from ibdscan.errors import IbdError, UsageError
from ibdscan.views.bars import file_bar

if TYPE_CHECKING:
    from ibdscan.measures.scan.run import Scan
    from ibdscan.measures.scan.since import Since
    from ibdscan.views.export.writers import Writer

_SORTS = ("saved", "size", "allocated", "free", "reserved-unused", "slack", "waste", "records", "fill", "order")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)


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


@question(
    "scan",
    formats=("text", "json", "jsonl", "csv", "parquet", "prometheus"),
    formats_help="jsonl, csv and parquet: a row a file; json: the sums as well; prometheus: a textfile",
    names=True,
)
@click.argument("paths", nargs=-1, required=True, metavar="DIR...")
@click.option("--quick", is_flag=True, help="page 0, INODE and XDES pages only: sizes, free and reserved space")
@click.option("--top", default=20, show_default=True, type=click.IntRange(0), help="tables to list, 0 for all")
@click.option("--sort", type=click.Choice(_SORTS), help="what to rank by [default: saved; free with --quick]")
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
def command(paths: tuple[str, ...], since: str | None, **options: Any) -> None:
    """Which of these tables waste how much, and what would a rebuild of each give back?

    Surveys every tablespace below DIR (.ibd, .ibt, ibdata*, undo_*, mysql.ibd, partitions; .xz, .gz, .zst and .lz4
    copies), or in a backup stream or tar that is named instead (- is the standard input), and prints
    sums, schemas, and the tables ranked. Files that can not be read are listed, the rest is answered.
    Ctrl-C prints what is done so far (exit code 130).

    \b
    Example: ibdscan scan /var/lib/mysql --exclude 'mysql.*' --top 50
             ibdscan scan /var/lib/mysql --format parquet -o monday.parquet
             ibdscan scan /var/lib/mysql --since monday.parquet
             mariabackup --backup --stream=xbstream | ibdscan scan -
    """
    from ibdscan.measures.scan.run import scan
    from ibdscan.views.export.writers import export_to

    how, quick = asked(), options["quick"]
    if quick and options["sort"] in ("saved", "fill", "order", "slack"):
        raise UsageError(f"a quick scan does not measure what --sort {options['sort']} ranks by")
    if how.fmt == "parquet" and how.output is None:
        raise UsageError("--format parquet needs -o FILE")
    earlier = _earlier(since)
    with file_bar() as (done, expect):
        running = scan(paths, keyring=how.keys, system=how.system, done=done, **options)
        expect(running.walk)
        with export_to(how.output, how.fmt, how.style, quick=quick, sources=(since, options["resume"])) as writer:
            _go_through(running, writer, earlier)
            report = running.report
            if earlier is not None and not report.interrupted:
                earlier.finish()
            writer.end(report, earlier)
    if how.output is not None:
        click.echo(f"Wrote {how.output}", err=True)
    if report.interrupted:
        click.echo("Interrupted", err=True)
        how.exit_code = EXIT_INTERRUPTED
    elif not report.statuses:
        say_error(IbdError("no tablespace files below " + ", ".join(paths)))
        how.exit_code = EXIT_CANNOT


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
