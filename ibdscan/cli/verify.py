"""``ibdscan verify``: is a file whole?"""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

import click

from ibdscan.cli.question import EXIT_PROBLEMS, asked, each, question
from ibdscan.views.bars import page_bar
from ibdscan.views.table.answer import Answer, of_files

if TYPE_CHECKING:
    from ibdscan.measures.verify import Verification


@question("verify")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--strict",
    type=click.Choice(["crc32", "innodb", "none", "full_crc32"]),
    metavar="ALGORITHM",
    help="the one checksum algorithm allowed: crc32, innodb, none or full_crc32",
)
@click.option("--skip-free", is_flag=True, help="no findings on pages that are not in use")
def command(files: tuple[str, ...], strict: str | None, skip_free: bool) -> Answer:
    """Is the file whole? Checks the checksum, page number, space id and LSN of every page, the sibling links
    and levels of every index, and that lists, extents and segments agree.

    Exit code 3 when anything is found, 1 when a file can not be read. A page that is not in use counts too (its
    findings begin with free-page-); --skip-free leaves those out.

    \b
    Example: ibdscan verify sbtest1.ibd
             ibdscan verify *.ibd --format csv | sort -t, -k2
    """
    from ibdscan.measures.verify import verify_file
    from ibdscan.views.data.verification import verification_data, verification_rows
    from ibdscan.views.text.verify import verify_text

    how = asked()

    def verified(path: str) -> nullcontext[Verification]:
        with page_bar(path) as progress:
            found = verify_file(path, keyring=how.keys, strict=strict, skip_free=skip_free, progress=progress)
        return nullcontext(found)

    def answer(found: Verification) -> Answer:
        if not found.ok and not how.exit_code:
            how.exit_code = EXIT_PROBLEMS
        return Answer(
            data=lambda: verification_data(found),
            table=lambda: verification_rows([found]),
            text=lambda style: verify_text(found, style),
        )

    return of_files(each(files, verified, answer), verification_rows([]))
