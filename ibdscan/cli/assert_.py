"""``ibdscan assert``: does the file hold limits? Exit code 3 and the reason when not."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ibdscan.cli.common import (
    CONTEXT,
    EXIT_PROBLEMS,
    answers,
    emit,
    format_option,
    json_text,
    keyring_option,
    opened,
)
from ibdscan.errors import UsageError

if TYPE_CHECKING:
    from ibdscan.api import Space
    from ibdscan.measures.checks import Check

LIMITS: dict[str, tuple[str, str, dict[str, str]]] = {
    # option: (what is checked, argument of the check that takes the limit, further arguments)
    "min-fill": ("fill", "minimum", {}),
    "max-fill": ("fill", "maximum", {}),
    "min-dir-fill": ("fill", "minimum", {"measure": "dir_fill"}),
    "max-dir-fill": ("fill", "maximum", {"measure": "dir_fill"}),
    "min-contiguous": ("order", "min_contiguous", {}),
    "max-out-of-order": ("order", "max_out_of_order", {}),
    "max-backward": ("order", "max_backward", {}),
}
_HELP = {
    "min-fill": "least leaf fill, as 0.85 or 85%",
    "max-fill": "greatest leaf fill",
    "min-dir-fill": "least leaf fill with the directory (what innodb_fill_factor steers)",
    "max-dir-fill": "greatest leaf fill with the directory",
    "min-contiguous": "least share of links to the next page",
    "max-out-of-order": "greatest share of leaves out of order",
    "max-backward": "greatest share of backward links",
}


def limit_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """One repeatable option a limit."""
    for name, text in reversed(_HELP.items()):
        function = click.option(f"--{name}", multiple=True, metavar="[INDEX=]RATIO", help=text)(function)
    return function


@click.command("assert", context_settings=CONTEXT)
@click.argument("file")
@limit_options
@click.option("--no-findings", is_flag=True, help="the survey must find nothing broken")
@click.option("--allow-small", is_flag=True, help="an index too small to judge (under 8 leaves) may miss a limit")
@format_option
@keyring_option
@answers
def command(file: str, no_findings: bool, allow_small: bool, fmt: str, **limits: tuple[str, ...]) -> None:
    """Does it hold? Limits are for the clustered index, or for the INDEX named before the =.

    Exit code 0 when all limits hold, 3 when one does not, 2 when the question is wrong.

    \b
    Example: ibdscan assert sbtest1.ibd --min-fill PRIMARY=0.85 --min-contiguous 90% --min-fill k_1=0.6
    """
    asked = [(option, text) for option in LIMITS for text in limits[option.replace("-", "_")]]
    if not asked and not no_findings:
        raise UsageError("no limit given; see ibdscan assert --help")
    with opened(file) as space:
        checks = [check for option, text in asked for check in _checks(space, option, text)]
        failed = [c for c in checks if not (c.ok or (allow_small and c.is_small))]
        broken = space.findings if no_findings else []
        emit(_shown(space, checks, failed, fmt, no_findings), None, False)
    if failed or broken:
        sys.exit(EXIT_PROBLEMS)


def _checks(space: Space, option: str, text: str) -> list[Check]:
    from ibdscan.measures.checks import check_fill, check_order

    kind, argument, more = LIMITS[option]
    name, equals, limit = text.rpartition("=")
    arguments: dict[str, Any] = {argument: limit, **more}
    check = check_fill if kind == "fill" else check_order
    return check(space, name if equals else None, **arguments)


def _shown(space: Space, checks: list[Check], failed: list[Check], fmt: str, no_findings: bool) -> str:
    from ibdscan.views.checks import checks_data, checks_table, checks_text
    from ibdscan.views.tables import csv_text

    if fmt == "json":
        return json_text(checks_data(space, checks, failed, no_findings))
    if fmt == "csv":
        return csv_text([checks_table(checks, failed)])
    return checks_text(space, checks, failed, no_findings)
