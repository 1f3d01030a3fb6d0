"""``ibdscan page``: one page in full."""

from __future__ import annotations

import click

from ibdscan.cli.common import (
    CONTEXT,
    answers,
    emit,
    format_option,
    json_text,
    keyring_option,
    opened,
    output_options,
    refuse_overwrite,
    stdout_style,
    system_option,
    writing,
)

PICTURE = ".png"


@click.command("page", context_settings=CONTEXT)
@click.argument("file")
@click.argument("page_no", metavar="N", type=click.IntRange(0))
@click.option("--records", is_flag=True, help="also the records with their keys, the free list, the directory")
@click.option("--hex", "hexdump", is_flag=True, help="also the bytes")
@format_option
@output_options
@system_option
@keyring_option
@answers
def command(
    file: str,
    page_no: int,
    records: bool,
    hexdump: bool,
    fmt: str,
    output: str | None,
    force: bool,
    system: str | None,
) -> None:
    """One page in full: what it is and why it exists, and every field with its offset, bytes, name, value
    and meaning.

    With -o FILE.png a picture of its bytes is drawn instead: headers, records, garbage, free space, directory.

    \b
    Example: ibdscan page sbtest1.ibd 4 --records
             ibdscan page sbtest1.ibd 4 -o page4.png
    """
    from ibdscan.views.page_full import field_table, full_page, page_data
    from ibdscan.views.tables import csv_text
    from ibdscan.views.text.page import page_text

    refuse_overwrite(output, force)
    with opened(file, system=system) as space:
        page = full_page(space, page_no)
        if output is not None and output.lower().endswith(PICTURE):
            from ibdscan.views.images import write_png
            from ibdscan.views.images.page import draw_page

            with writing(output, force) as path:
                write_png(draw_page(page), path)
        elif fmt == "json":
            emit(json_text(page_data(page, records=records, hexdump=hexdump)), output, force)
        elif fmt == "csv":
            emit(csv_text([field_table(page)]), output, force)
        else:
            emit(page_text(page, stdout_style(), records=records, hexdump=hexdump), output, force)
