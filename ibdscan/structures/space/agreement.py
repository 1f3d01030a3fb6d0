"""Self-check: what pages say of themselves against what extents and segments say."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ibdscan.layout.numbers import IBUF_INDEX_ID, SYSTEM_SPACE_ID
from ibdscan.pages.page.columns import PageColumns, where
from ibdscan.pages.space.tablespace import Tablespace
from ibdscan.structures.finding import Findings
from ibdscan.structures.space.extents import Extents
from ibdscan.structures.space.segments import Segment

BITMAP_PAGE = 1
"""Change-buffer bitmaps: the page after each descriptor page (``FSP_IBUF_BITMAP_OFFSET``)."""


def check_pages(
    space: Tablespace,
    columns: PageColumns,
    extents: Extents,
    owner: npt.NDArray[np.int32],
    findings: Findings,
) -> None:
    """Live pages must carry their own page number and the space's id, and index pages a sane header."""
    _check_size(space, findings)
    own = extents.used if columns.doublewrite is None else extents.used & ~columns.doublewrite
    if columns.forms.problems:
        add_unread(columns, findings)
    fits = columns.page_no == _numbers(len(columns))
    fits &= columns.space_id == space.space_id
    fits &= columns.written
    if not (fits | ~own).all():
        _check_headers(space, columns, own, findings)
    if not columns.forms.is_blind:
        _check_index_pages(space, columns, extents, owner, findings)


@lru_cache(maxsize=8)
def _numbers(n: int) -> npt.NDArray[np.uint32]:
    return np.arange(n, dtype=np.uint32)


def _check_headers(
    space: Tablespace, columns: PageColumns, own: npt.NDArray[np.bool_], findings: Findings
) -> None:
    live = own & columns.written
    wrong = where((columns.page_no != np.arange(len(columns), dtype=np.uint32)) & live)
    for page in wrong[:1000]:
        findings.add("page-number", f"page {page} carries page number {columns.page_no[page]}", int(page), 4)
    foreign = where(live & ~columns.unread & (columns.space_id != space.space_id))
    for page in foreign[:1000]:
        findings.add("space-id", f"page {page} carries space id {columns.space_id[page]}", int(page), 34)
    lost = where(own & ~columns.written)
    if space.is_temporary:  # their change-buffer bitmaps are never written
        lost = lost[lost % space.geometry.descriptor_interval != BITMAP_PAGE]
    if columns.forms.is_blind and space.space_id == SYSTEM_SPACE_ID:
        lost = lost[:0]  # the doublewrite area's fragment pages are never written, and which they are is encrypted
    findings.add_pages(
        "never-written",
        lost,
        "page {page} is marked used but was never written: not yet flushed when the file was copied, or lost",
    )


def add_unread(columns: PageColumns, findings: Findings) -> None:
    """Pages that could not be read. That an encrypted file wants its key is no finding, it is so by design."""
    for (kind, message), unread in columns.forms.problems.items():
        if kind == "damaged-image":
            findings.add_pages(kind, unread.first, "page {page}: " + message.replace("{", "{{").replace("}", "}}"))
        elif kind != "encrypted":
            findings.add(kind, f"{message} ({unread.pages} pages not read)", None)


def _check_size(space: Tablespace, findings: Findings) -> None:
    size, n_pages = int(space.fsp.size), space.n_pages
    if space.tail_bytes:
        findings.add(
            "cut-page",
            f"the file ends with {space.tail_bytes} bytes of a page of {space.geometry.physical}",
            n_pages,
            space.tail_bytes,
        )
    # MariaDB rounds a file of small compressed pages down to whole logical ones
    rounded = space.geometry.logical // space.geometry.physical if space.family == "mariadb" else 1
    if not size:
        findings.add(
            "not-flushed", "the header says 0 pages: copied before the server had written page 0 in full", 0, 46
        )
    if size >= n_pages + rounded:
        findings.add(
            "file-too-short", f"the header says {size} pages, the file has {n_pages}: a copy cut short?", 0, 46
        )


def _check_rootless(
    columns: PageColumns, extents: Extents, owner: npt.NDArray[np.int32], findings: Findings
) -> None:
    # the change buffer's tree hangs on page 3 of the system tablespace, not on an inode of its own root
    ownerless = extents.used & columns.is_index & (owner < 0)
    if not ownerless.any():
        return
    rootless = where(ownerless & ~columns.unread & (columns.index_id != np.uint64(IBUF_INDEX_ID)))
    if not len(rootless):  # np.unique is slow on nothing
        return
    ids, first, counts = np.unique(columns.index_id[rootless], return_index=True, return_counts=True)
    for index_id, at, n in zip(ids, first, counts, strict=True):
        page = int(rootless[at])
        others = f" ({n} such pages)" if n > 1 else ""
        findings.add(
            "rootless-page",
            f"page {page} is a live page of index {index_id}, which has no root here{others}",
            page,
            66,
        )


def _check_index_pages(
    space: Tablespace,
    columns: PageColumns,
    extents: Extents,
    owner: npt.NDArray[np.int32],
    findings: Findings,
) -> None:
    _check_rootless(columns, extents, owner, findings)
    pages = where(owner >= 0)
    size = columns.data_bytes(pages)
    bad = (size < 0) | (size > columns.capacity(pages, space.geometry.logical))
    for page in pages[bad][:1000]:
        findings.add(
            "page-header",
            f"page {page} has an impossible heap: top {columns.heap_top[page]}, garbage {columns.garbage[page]}",
            int(page),
            40,
        )


def check_segments(
    space: Tablespace,
    segments: list[Segment],
    extents: Extents,
    segment_of: npt.NDArray[np.int32],
    findings: Findings,
) -> None:
    """Pages in use that belong to a segment must be as many as its inode counts (law 8 of the house)."""
    owned = segment_of[: len(extents.used)][extents.used]
    counts = np.bincount(owned[owned >= 0], minlength=len(segments))
    whole = int(space.fsp.size) <= space.n_pages
    for i, segment in enumerate(segments):
        if whole and counts[i] != segment.used_pages:
            findings.add(
                "segment-count",
                f"segment {segment.segment_id} counts {segment.used_pages} used pages, "
                f"the extents show {counts[i]}",
                segment.page_no,
                segment.offset,
            )
