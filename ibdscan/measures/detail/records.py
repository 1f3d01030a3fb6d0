"""Records by index and level: how many are delete-marked, waiting for purge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ibdscan.measures.file.survey import Survey
from ibdscan.measures.index.index import Index
from ibdscan.structures.finding import Finding, Findings
from ibdscan.structures.rows.records import walk_records


@dataclass(frozen=True)
class LevelRecords:
    """The records of one level, walked one by one.

    ``delete_marked``: of leaves only; a node pointer keeps a copy of its record's mark and is none.
    ``delete_marked_bytes`` is their share of each page's data: the size of single records is not known.
    ``metadata``: hidden records of an instant ALTER (MariaDB), which are no rows. ``pages`` were read;
    encrypted ones can not be.
    """

    index: Index
    level: int
    pages: int
    records: int
    delete_marked: int
    delete_marked_bytes: int
    metadata: int

    @property
    def rows(self) -> int:
        """Records that are neither delete-marked nor metadata: COUNT(*), on the clustered index's leaves."""
        return self.records - self.delete_marked - self.metadata

    @property
    def delete_marked_share(self) -> float | None:
        return self.delete_marked / self.records if self.records else None


def measure_records(survey: Survey, indexes: list[Index]) -> tuple[list[LevelRecords], list[Finding]]:
    """Walk the records of all pages of the given indexes; root level first. Reads every page of them."""
    findings = Findings()
    out = []
    columns = survey.columns
    for index in indexes:
        for level in index.levels:
            walk = walk_records(survey.space, columns, level.page_nos, findings)
            marked = walk.delete_marked if level.level == 0 else np.zeros_like(walk.records)
            size = columns.data_bytes(walk.pages)
            share = marked / np.maximum(1, walk.records)
            out.append(
                LevelRecords(
                    index=index,
                    level=level.level,
                    pages=len(walk.pages),
                    records=int(walk.records.sum()),
                    delete_marked=int(marked.sum()),
                    delete_marked_bytes=int((size * share).sum()),
                    metadata=int(walk.min_rec.sum()) if level.level == 0 else 0,
                )
            )
    return out, findings.closed()
