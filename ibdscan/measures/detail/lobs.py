"""Off-page data of an index: pages, bytes, slack in the pages, and whether values lie in order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ibdscan.layout.numbers import PageType
from ibdscan.measures.file.survey import Survey
from ibdscan.measures.index.index import Index
from ibdscan.structures.finding import Finding, Findings
from ibdscan.structures.space.states import PageClass
from ibdscan.structures.tree.lobs import FIRST_TYPES, UNKNOWN, read_lobs


@dataclass(frozen=True)
class Lobs:
    """Off-page pages of one index.

    - ``values``: values stored off-page; ``data_bytes`` of them, as far as pages say (``unknown_pages`` do not:
      those of ROW_FORMAT=COMPRESSED)
    - ``slack_bytes``: room left in pages that hold data, nearly all of it in the last page of each value
    - ``index_pages``: pages that only tell where the parts of a value are (MySQL 8.0+)
    - ``links``: from one page of a value to the next; ``contiguous``: of them, to page + 1; ``backward``: to a
      lower page
    """

    pages: int
    values: int
    data_bytes: int
    slack_bytes: int
    last_page_slack_bytes: int
    index_pages: int
    unknown_pages: int
    links: int
    contiguous_links: int
    backward_links: int

    @property
    def contiguous(self) -> float | None:
        return self.contiguous_links / self.links if self.links else None

    @property
    def backward(self) -> float | None:
        return self.backward_links / self.links if self.links else None

    @property
    def fill(self) -> float | None:
        room = self.data_bytes + self.slack_bytes
        return self.data_bytes / room if room else None


def measure_lobs(survey: Survey, index: Index) -> tuple[Lobs | None, list[Finding]]:
    """Read the off-page pages of one index, a page each; None where it has none."""
    mine = (survey.page_class == PageClass.OFF_PAGE) & (survey.owner == index.ordinal)
    pages = np.flatnonzero(mine)
    if not len(pages):
        return None, []
    findings = Findings()
    found = read_lobs(survey.space, survey.columns, pages, findings)
    known = found.data_bytes != UNKNOWN
    slack = np.where(known, found.room - found.data_bytes, 0)
    linked = found.successor != UNKNOWN
    step = found.successor[linked] - found.pages[linked]
    led_to = np.isin(found.pages, found.successor[linked])
    starts = np.isin(found.types, [int(t) for t in FIRST_TYPES]) | ((found.types == PageType.BLOB) & ~led_to)
    is_index = found.types == PageType.LOB_INDEX
    return (
        Lobs(
            pages=len(pages),
            values=int(starts.sum()),
            data_bytes=int(found.data_bytes[known].sum()),
            slack_bytes=int(slack.sum()),
            last_page_slack_bytes=int(slack[known & ~linked].sum()),
            index_pages=int(is_index.sum()),
            unknown_pages=int((~known & ~is_index).sum()),
            links=int(linked.sum()),
            contiguous_links=int((step == 1).sum()),
            backward_links=int((step < 0).sum()),
        ),
        findings.closed(),
    )
