"""All that ``ibdscan indexes`` tells of one index beyond the survey: what needs pages read, or a fill factor."""

from __future__ import annotations

from dataclasses import dataclass

from ibdscan.measures.detail.lobs import Lobs, measure_lobs
from ibdscan.measures.detail.records import LevelRecords, measure_records
from ibdscan.measures.file.survey import Survey
from ibdscan.measures.index.index import Index
from ibdscan.measures.index.rebuild import Rebuild
from ibdscan.structures.finding import Finding


@dataclass(frozen=True)
class DeepIndex:
    """One index in full. ``records`` is None where they were not walked."""

    index: Index
    fill_factor: int
    rebuild: Rebuild | None
    lobs: Lobs | None
    records: tuple[LevelRecords, ...] | None
    findings: tuple[Finding, ...]


def measure_deeper(survey: Survey, index: Index, *, fill_factor: int = 100, records: bool = False) -> DeepIndex:
    """Measure one index. Off-page pages are read; with ``records`` every page of the index is."""
    lobs, findings = measure_lobs(survey, index)
    walked: list[LevelRecords] | None = None
    if records:
        walked, more = measure_records(survey, [index])
        findings = [*findings, *more]
    return DeepIndex(
        index=index,
        fill_factor=fill_factor,
        rebuild=index.rebuild_at(fill_factor),
        lobs=lobs,
        records=None if walked is None else tuple(walked),
        findings=tuple(findings),
    )
