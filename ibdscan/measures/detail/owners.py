"""Who owns each segment, extent and page: an index's leaf or top segment, undo, the doublewrite area, ..."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibdscan.layout.numbers import PageType
from ibdscan.measures.file.survey import Survey
from ibdscan.measures.index.index import Index
from ibdscan.structures.finding import Findings
from ibdscan.structures.space.segments import Segment, segment_of_pages
from ibdscan.structures.space.states import PageClass

UNKNOWN_ROLE = "unknown"
_ROLE_OF_TYPE = {PageType.TRX_SYS: "transaction system", PageType.RSEG_ARRAY: "rollback segment array"}
_ROLE_OF_CLASS = {
    PageClass.UNDO: "undo log",
    PageClass.ROLLBACK: "rollback segment",
    PageClass.CHANGE_BUFFER: "change buffer",
    PageClass.DICTIONARY: "data dictionary header",
    PageClass.DOUBLEWRITE: "doublewrite",
}


@dataclass(frozen=True)
class SegmentOwner:
    """A segment and whose it is. ``role``: ``leaf`` or ``top`` with an index; else what the first page in
    use says (``undo log``, ``rollback segment``, ``doublewrite``, ...), or ``unknown``."""

    ordinal: int
    segment: Segment
    index: Index | None
    role: str
    first_page_no: int | None
    """The first page of the segment that is in use."""

    @property
    def index_name(self) -> str | None:
        return self.index.name if self.index else None

    @property
    def table_name(self) -> str | None:
        return self.index.table if self.index else None

    @property
    def name(self) -> str:
        """As people say it: ``PRIMARY leaf``, ``undo log``."""
        return f"{self.index.name} {self.role}" if self.index else self.role


def segment_of(survey: Survey) -> npt.NDArray[np.int32]:
    """Ordinal (in ``survey.segments``) of the segment that owns each page, -1 for none; int32 (n_pages,)."""
    return segment_of_pages(survey.segments, survey.extents, survey.n_pages, Findings())


def segment_owners(survey: Survey, owner: npt.NDArray[np.int32]) -> list[SegmentOwner]:
    """Whose each segment is, in the order of ``survey.segments``; ``owner`` as of :func:`segment_of`."""
    by_place: dict[tuple[int, int], tuple[Index, str]] = {}
    for index in survey.indexes:
        for segment, role in ((index.leaf_segment, "leaf"), (index.top_segment, "top")):
            if segment is not None:
                by_place[segment.page_no, segment.offset] = (index, role)
    first = _first_pages(survey, owner)
    out = []
    for i, segment in enumerate(survey.segments):
        at, role = by_place.get((segment.page_no, segment.offset), (None, ""))
        page = int(first[i]) if first[i] >= 0 else None
        out.append(SegmentOwner(i, segment, at, role or _role(survey, page), page))
    return out


def _first_pages(survey: Survey, owner: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """The lowest used page of each segment, -1 for none."""
    first = np.full(len(survey.segments), -1, np.int64)
    pages = np.flatnonzero(survey.extents.used & (owner >= 0))[::-1]
    first[owner[pages]] = pages  # the last assignment, that of the lowest page, stays
    return first


def _role(survey: Survey, page: int | None) -> str:
    if page is None:
        return "empty"
    by_class = _ROLE_OF_CLASS.get(PageClass(int(survey.page_class[page])), UNKNOWN_ROLE)
    if by_class == "doublewrite":  # its pages carry the types of what they are copies of
        return by_class
    return {int(kind): role for kind, role in _ROLE_OF_TYPE.items()}.get(int(survey.columns.type[page]), by_class)
