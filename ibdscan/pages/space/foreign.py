"""Plain words about a file that does not begin as a tablespace does."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

from ibdscan.layout.bridge import reader_of
from ibdscan.layout.fil import FIL_HEADER, FIL_HEADER_BYTES
from ibdscan.layout.geometry import PAGE_SIZES
from ibdscan.layout.numbers import SYSTEM_SPACE_ID
from ibdscan.pages.source.file import Source

_KNOWN_NAMES = (
    (r"#ib_\d+_\d+\.b?dblwr", "a doublewrite file of MySQL 8.0.20 or later: copies of pages of other tablespaces"),
    (r"ib_logfile\d+|#ib_redo\d+(_tmp)?", "a redo log"),
    (r".*\.frm", "a table definition (.frm); the data are in the .ibd file"),
    (r".*\.cfg", "the definition that FLUSH TABLES FOR EXPORT writes; the data are in the .ibd file"),
    (r".*\.ibb", "a binary log that MariaDB 12.3 or later keeps in pages of InnoDB; it holds no tables"),
    (r".*\.MYD|.*\.MYI|.*\.MAD|.*\.MAI", "a file of another storage engine (MyISAM, Aria)"),
)
_LATER_NAME = r"ibdata([2-9]|\d\d+)(\.xz|\.gz)?"
_SAMPLE_PAGES = 512
_LEAST_PAGES = 2
_SUFFIX = re.compile(r"\.(xz|gz)$")


@dataclass(frozen=True)
class _Numbering:
    page_size: int
    first: int
    """The number that the first page has or should have."""
    space_id: int
    pages: int


def words_by_name(path: str) -> str | None:
    """What a file of this name is, where that is known to be no tablespace."""
    name = _SUFFIX.sub("", os.path.basename(path))
    return next((words for pattern, words in _KNOWN_NAMES if re.fullmatch(pattern, name)), None)


def words_for_zeros(source: Source) -> str:
    """Why the first page may be all zeros."""
    named = words_by_name(source.path)
    if named:
        return f"not a tablespace: {named}"
    found = _numbering(source)
    if found is None and re.fullmatch(_LATER_NAME, os.path.basename(source.path)):
        return (
            "a later file of the system tablespace, still empty: give it with those before it, as ibdata1:ibdata2"
        )
    if found is None:
        return "page 0 is all zeros: not an InnoDB tablespace, or one whose first page was not yet flushed"
    if found.first:
        return _later_file(found)
    return (
        "page 0 is all zeros: the server had not yet written it when the file was copied (pages of "
        f"{found.page_size} bytes of space {found.space_id} follow). Without it nothing says which pages are in "
        "use: copy the file again after FLUSH TABLES ... FOR EXPORT, or with the server shut down"
    )


def words_for_number(source: Source, page_no: int) -> str:
    """Why the first page may carry another number than 0."""
    named = words_by_name(source.path)
    if named:
        return f"not a tablespace: {named}"
    found = _numbering(source)
    if found is not None and found.first == page_no and found.space_id == SYSTEM_SPACE_ID:
        return _later_file(found)
    return f"not an InnoDB tablespace: the first page carries page number {page_no}"


def _later_file(found: _Numbering) -> str:
    return (
        f"a later file of the system tablespace, its pages count from {found.first} on: "
        "give it together with those before it, as ibdata1:ibdata2"
    )


def _numbering(source: Source) -> _Numbering | None:
    """Page size and first page number that most of the sampled pages agree on."""
    best: _Numbering | None = None
    read = reader_of(FIL_HEADER)
    for size in (1024, 2048, *PAGE_SIZES):
        votes: dict[tuple[int, int], int] = {}
        n_pages = source.size // size
        for i in range(0, n_pages, max(1, n_pages // _SAMPLE_PAGES)):
            head = source.read(i * size, FIL_HEADER_BYTES)
            if any(head):
                fil = read(head, 0)
                key = (fil.page_no - i, fil.space_id)
                votes[key] = votes.get(key, 0) + (key[0] >= 0)
        if not votes:
            continue
        (first, space_id), pages = max(votes.items(), key=lambda item: item[1])
        if pages >= _LEAST_PAGES and (best is None or pages > best.pages):
            best = _Numbering(size, first, space_id, pages)
    return best
