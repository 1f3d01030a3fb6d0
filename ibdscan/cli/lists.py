"""``ibdscan lists``: the lists of extents and INODE pages."""

from __future__ import annotations

import click

from ibdscan.cli.question import opened, question
from ibdscan.views.table.answer import Answer


@question("lists", names=True)
@click.argument("file")
def command(file: str) -> Answer:
    """Each list: the tablespace's own (free, free_frag, full_frag, the INODE pages) and each segment's (free,
    not_full, full), its length and what is on it, in order.

    \b
    Example: ibdscan lists sbtest1.ibd
    """
    from ibdscan.measures.detail.owners import segment_of, segment_owners
    from ibdscan.structures.space.lists import all_lists
    from ibdscan.views.data.structure import list_objects, list_table
    from ibdscan.views.text.structure import lists_text

    space = opened(file)
    found = all_lists(space.space, space.extents, space.segments)
    owners = segment_owners(space, segment_of(space))
    objects = list_objects(found, owners, space.extents.pages)
    return Answer(
        data=lambda: {"path": space.path, "lists": objects},
        table=lambda: list_table(objects),
        text=lambda style: lists_text(space, objects, style),
    )
