"""``ibdscan assert``: does the file hold limits? Exit code 3 and the reason when not."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from ibdscan.cli.question import EXIT_PROBLEMS, asked, opened, question
from ibdscan.errors import UsageError
from ibdscan.views.table.answer import Answer

if TYPE_CHECKING:
    from ibdscan.api import Space
    from ibdscan.measures.file.limits import Check

LIMITS: dict[str, tuple[str, str, dict[str, str], str]] = {
    # option: (what is checked, argument of the check that takes the limit, further arguments, help)
    "min-fill": ("fill", "minimum", {}, "least leaf fill, as 0.85 or 85%"),
    "max-fill": ("fill", "maximum", {}, "greatest leaf fill"),
    "min-dir-fill": (
        "fill",
        "minimum",
        {"measure": "dir_fill"},
        "least leaf fill with the directory (what innodb_fill_factor steers)",
    ),
    "max-dir-fill": ("fill", "maximum", {"measure": "dir_fill"}, "greatest leaf fill with the directory"),
    "min-contiguous": ("order", "min_contiguous", {}, "least share of links to the next page"),
    "max-out-of-order": ("order", "max_out_of_order", {}, "greatest share of leaves out of order"),
    "max-backward": ("order", "max_backward", {}, "greatest share of backward links"),
}


def limit_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """One repeatable option a limit."""
    for name, (*_, text) in reversed(LIMITS.items()):
        function = click.option(f"--{name}", multiple=True, metavar="[INDEX=]RATIO", help=text)(function)
    return function


@question("assert", output=None)
@click.argument("file")
@limit_options
@click.option("--no-findings", is_flag=True, help="the survey must find nothing broken")
@click.option("--allow-small", is_flag=True, help="an index too small to judge (under 8 leaves) may miss a limit")
def command(file: str, no_findings: bool, allow_small: bool, **limits: tuple[str, ...]) -> Answer:
    """Does it hold? Limits are for the clustered index, or for the INDEX named before the =.

    Exit code 0 when all limits hold, 3 when one does not, 2 when the question is wrong.

    \b
    Example: ibdscan assert sbtest1.ibd --min-fill PRIMARY=0.85 --min-contiguous 90% --min-fill k_1=0.6
    """
    from ibdscan.views.text.limits import checks_data, checks_table, checks_text

    limited = [(option, text) for option in LIMITS for text in limits[option.replace("-", "_")]]
    if not limited and not no_findings:
        raise UsageError("no limit given; see ibdscan assert --help")
    space = opened(file)
    checks = [check for option, text in limited for check in _checks(space, option, text)]
    failed = [c for c in checks if not (c.ok or (allow_small and c.is_small))]
    if failed or (no_findings and space.findings):
        asked().exit_code = EXIT_PROBLEMS
    return Answer(
        data=lambda: checks_data(space, checks, failed, no_findings),
        table=lambda: checks_table(checks, failed),
        text=lambda _: checks_text(space, checks, failed, no_findings),
    )


def _checks(space: Space, option: str, text: str) -> list[Check]:
    from ibdscan.measures.file.limits import check_fill, check_order

    kind, argument, more, _ = LIMITS[option]
    name, equals, limit = text.rpartition("=")
    arguments: dict[str, Any] = {argument: limit, **more}
    check = check_fill if kind == "fill" else check_order
    return check(space, name if equals else None, **arguments)
