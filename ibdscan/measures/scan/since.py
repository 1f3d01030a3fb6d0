"""Two scans of one place: what is new, gone, has grown, has become worse."""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, field

from ibdscan.measures.scan.row import FileRow

FILL_WORSE = 0.05
ORDER_WORSE = 0.10
GREW_BYTES = 1 << 20
SAVED_WORSE = 1 << 20
KEPT = 1000
KINDS = ("new", "gone", "grew", "worse")


@dataclass(frozen=True, slots=True)
class Past:
    """What is kept of a file of the earlier scan."""

    bytes: int
    file_saved_bytes: int
    fill: float | None
    contiguous: float | None
    small: bool

    @classmethod
    def of(cls, row: FileRow) -> Past:
        return cls(row.bytes, row.file_saved_bytes, row.fill, row.contiguous, row.too_small_to_judge)


@dataclass(frozen=True)
class Change:
    """One file: ``kind`` is ``new``, ``gone``, ``grew`` or ``worse``; ``bytes`` is what it is sorted by."""

    kind: str
    path: str
    bytes: int
    before: Past | None
    after: Past | None
    reasons: tuple[str, ...] = ()


@dataclass
class Since:
    """Compares rows, as they come, with those of an earlier scan."""

    path: str
    before: dict[str, Past]
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    sizes: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    _kept: dict[str, list[tuple[int, int, Change]]] = field(default_factory=lambda: {k: [] for k in KINDS})
    _n: int = 0

    @classmethod
    def of(cls, path: str, rows: Iterable[FileRow]) -> Since:
        return cls(path, {row.path: Past.of(row) for row in rows if row.is_read})

    def add(self, row: FileRow) -> None:
        """Compare one row of the later scan."""
        before = self.before.pop(row.path, None)
        if not row.is_read:
            return
        after = Past.of(row)
        if before is None:
            self._note(Change("new", row.path, row.bytes, None, after))
            return
        grown = after.bytes - before.bytes
        if grown >= GREW_BYTES:
            self._note(Change("grew", row.path, grown, before, after))
        reasons = _worse(before, after) if row.mode == "full" else ()
        if reasons:
            self._note(Change("worse", row.path, after.file_saved_bytes, before, after, reasons))

    def finish(self) -> None:
        """All rows were added: the files that are left are gone."""
        for path, past in self.before.items():
            self._note(Change("gone", path, past.bytes, past, None))
        self.before.clear()

    def changes(self, kind: str) -> list[Change]:
        """The changes of one kind, the largest first; at most :data:`KEPT`."""
        return [change for _, _, change in sorted(self._kept[kind], key=lambda e: e[:2], reverse=True)]

    def _note(self, change: Change) -> None:
        self.counts[change.kind] += 1
        self.sizes[change.kind] += change.bytes
        self._n += 1
        heap = self._kept[change.kind]
        entry = (change.bytes, -self._n, change)
        if len(heap) < KEPT:
            heapq.heappush(heap, entry)
        else:
            heapq.heappushpop(heap, entry)


def _worse(before: Past, after: Past) -> tuple[str, ...]:
    """What became worse, in words; nothing of files too small to judge."""
    if after.small or before.small:
        return ()
    reasons = []
    if after.file_saved_bytes - before.file_saved_bytes >= SAVED_WORSE:
        reasons.append("more to give back")
    if before.fill is not None and after.fill is not None and before.fill - after.fill >= FILL_WORSE:
        reasons.append(f"fill {before.fill:.1%} -> {after.fill:.1%}")
    if (
        before.contiguous is not None
        and after.contiguous is not None
        and before.contiguous - after.contiguous >= ORDER_WORSE
    ):
        reasons.append(f"contiguous {before.contiguous:.1%} -> {after.contiguous:.1%}")
    return tuple(reasons)
