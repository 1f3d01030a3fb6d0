"""``ibdscan page``: one page in full."""

from __future__ import annotations

import click

from ibdscan.cli.pictures import kind_of, write_png_file
from ibdscan.cli.question import asked, opened, question
from ibdscan.views.table.answer import Answer


@question("page", names=True)
@click.argument("file")
@click.argument("page_no", metavar="N", type=click.IntRange(0))
@click.option("--records", is_flag=True, help="also the records with their keys, the free list, the directory")
@click.option("--hex", "hexdump", is_flag=True, help="also the bytes")
def command(file: str, page_no: int, records: bool, hexdump: bool) -> Answer | None:
    """One page in full: what it is and why it exists, and every field with its offset, bytes, name, value
    and meaning.

    With -o FILE.png a picture of its bytes is drawn instead: headers, records, garbage, free space, directory.

    \b
    Example: ibdscan page sbtest1.ibd 4 --records
             ibdscan page sbtest1.ibd 4 -o page4.png
    """
    from ibdscan.views.data.page import field_table, full_page, page_data
    from ibdscan.views.text.page import page_text

    page = full_page(opened(file), page_no)
    output = asked().output
    if output is not None and kind_of(output) == ".png":
        from ibdscan.views.images.page import draw_page

        write_png_file(draw_page(page), output)
        return None
    return Answer(
        data=lambda: page_data(page, records=records, hexdump=hexdump),
        table=lambda: field_table(page),
        text=lambda style: page_text(page, style, records=records, hexdump=hexdump),
    )
