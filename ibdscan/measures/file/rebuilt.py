"""How large a table's file is after a rebuild (OPTIMIZE TABLE, ALTER TABLE ... FORCE), and what that gives back.

The pages of each index by its estimate (``measures.index.rebuild``), the file by the servers' rules of growth
(``measures.index.reservation``). It is the one number of what the *file* shrinks by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ibdscan.layout.numbers import SYSTEM_SPACE_ID
from ibdscan.measures.index.index import Index
from ibdscan.measures.index.rebuild import COMPRESSED
from ibdscan.measures.index.reservation import SegmentUse, built_file_pages
from ibdscan.pages.space.tablespace import Tablespace
from ibdscan.structures.definition.sdi import SdiObject, autoextend_bytes

SHARED = "a shared tablespace does not shrink"
NO_INDEX = "no user index in this file"


@dataclass(frozen=True)
class FileRebuild:
    """Pages and bytes of the file after a rebuild, what it is smaller by (never negative); all None, with the
    ``reason``, where that can not be told."""

    pages: int | None = None
    bytes: int | None = None
    saved_bytes: int | None = None
    reason: str | None = None


def rebuild_file(
    space: Tablespace, indexes: Sequence[Index], sdi: Sequence[SdiObject], fill_factor: int = 100
) -> FileRebuild:
    """Of a survey: each index packed as the server's sorted build does at that innodb_fill_factor."""
    reason = _reason(space)
    users = [i for i in indexes if i.kind not in ("sdi", "fulltext")]
    if not users:
        reason = reason or NO_INDEX
    for index in users:
        reason = reason or (f"{index.name}: {index.no_estimate}" if index.no_estimate else None)
    if reason:
        return FileRebuild(reason=reason)
    uses = []
    for index in sorted(indexes, key=lambda i: i.kind != "sdi"):
        if index.kind == "sdi":
            segments = (index.top_segment, index.leaf_segment)
            uses += [SegmentUse(s.used_pages) for s in segments if s and s.used_pages]
        elif index.build:
            uses += index.build.segments(fill_factor)
    return _built(space, uses, autoextend_bytes(sdi) if space.flags.sdi else 0)


def _reason(space: Tablespace) -> str | None:
    if space.space_id == SYSTEM_SPACE_ID or space.flags.shared:
        return SHARED
    return COMPRESSED if space.flags.is_zip else None


def _built(space: Tablespace, uses: list[SegmentUse], autoextend: int) -> FileRebuild:
    geometry = space.geometry
    mariadb = space.family == "mariadb"
    step = autoextend // geometry.physical
    pages = built_file_pages(uses, geometry, mariadb=mariadb, autoextend_pages=step)
    size = pages * geometry.physical
    return FileRebuild(pages, size, max(0, space.n_pages * geometry.physical - size))
