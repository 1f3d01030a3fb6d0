"""``ibdscan segments``: one row a segment."""

from __future__ import annotations

import click

from ibdscan.cli.question import opened, question
from ibdscan.views.table.answer import Answer


@question("segments", names=True)
@click.argument("file")
def command(file: str) -> Answer:
    """One row a segment: its inode, owner (index and leaf or top, undo, ...), pages used and reserved,
    extents by list, fragment pages.

    \b
    Example: ibdscan segments sbtest1.ibd
    """
    from ibdscan.measures.detail.owners import segment_of, segment_owners
    from ibdscan.views.data.structure import segment_objects, segment_table
    from ibdscan.views.text.structure import segments_text

    space = opened(file)
    owners = segment_owners(space, segment_of(space))
    return Answer(
        data=lambda: {"path": space.path, "segments": segment_objects(owners)},
        table=lambda: segment_table(owners),
        text=lambda style: segments_text(space, owners, style),
    )
