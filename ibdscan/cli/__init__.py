"""The command line: one group, one file a command. It parses arguments, shows progress, sets exit codes."""

from __future__ import annotations

import importlib
from typing import Any

import click

from ibdscan import __version__
from ibdscan.cli.question import CONTEXT

COMMANDS = {
    "info": ("info", "What is in the file, how well is each index packed, in what order?"),
    "indexes": ("indexes", "Each index level by level: fill histogram, order, segments."),
    "map": ("map", "Draw a space map: in the terminal, as PNG or SVG."),
    "compare": ("compare", "What differs between files of a table? In numbers, maps, one picture."),
    "report": ("report", "One HTML page: survey, tables, and maps to zoom and pan."),
    "assert": ("assert_", "Does the file hold limits on fill and order? Exit code 3 when not."),
    "verify": (
        "verify",
        "Is it whole? Checksums, page numbers, LSN, links, lists, extents. Exit code 3 when not.",
    ),
    "scan": ("scan", "Which of these 100,000 tables waste how much? A data directory at a time."),
    "segments": ("segments", "Each segment: its owner, pages used and reserved, extents by list."),
    "extents": ("extents", "Each extent: state, owner, a bitmap; what keeps the file from shrinking."),
    "lists": ("lists", "Each list of extents and INODE pages, in order."),
    "regions": ("regions", "Runs of like pages: where each type lies."),
    "pages": ("pages", "One row a page: text, CSV, JSON lines or Parquet."),
    "page": ("page", "One page in full: every field, records, directory; a picture of its bytes."),
    "sdi": ("sdi", "The table's definition, as JSON (as ibd2sdi prints it) or as a summary."),
    "layout": ("layout", "Print the manual of the on-disk structures."),
}


class LazyGroup(click.Group):
    """Imports a command's module when it is run: ``--help`` stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"ibdscan.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings=CONTEXT)
@click.version_option(__version__, prog_name="ibdscan")
def main(**_: Any) -> None:
    """How well does an InnoDB table use its pages?

    Reads .ibd files (and .xz or .gz copies of them) without a server, read-only.

    \b
    Exit codes: 0 done, 1 cannot answer, 2 wrong usage, 3 answered and found problems (assert).
    Example: ibdscan info sbtest1.ibd
    """
