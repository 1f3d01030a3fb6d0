"""What is found broken or odd while a survey goes on."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, order=True)
class Finding:
    """One problem of the file: a stable ``kind``, where it is, and a sentence."""

    kind: str
    page_no: int | None
    offset: int | None
    message: str

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


MAX_PER_KIND = 100
"""So that a wholly damaged file gives a list that a person can read; the rest is counted."""


class Findings(list[Finding]):
    """A list that keeps at most :data:`MAX_PER_KIND` of a kind and counts the others."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: dict[str, int] = {}

    def add(self, kind: str, message: str, page_no: int | None = None, offset: int | None = None) -> None:
        """Record one problem."""
        n = self.counts[kind] = self.counts.get(kind, 0) + 1
        if n <= MAX_PER_KIND:
            self.append(Finding(kind, page_no, offset, message))

    def add_pages(self, kind: str, pages: Any, message: str, offset: int | None = None) -> None:
        """One finding for each page number; ``{page}`` in the message is replaced by it."""
        seen = self.counts.get(kind, 0)
        kept = max(0, MAX_PER_KIND - seen)
        for page in pages[:kept]:
            self.append(Finding(kind, int(page), offset, message.format(page=int(page))))
        if len(pages):
            self.counts[kind] = seen + len(pages)

    def closed(self) -> list[Finding]:
        """The findings, with one line for each kind that was cut."""
        more = [
            Finding(kind, None, None, f"{n - MAX_PER_KIND} more findings of this kind are not listed")
            for kind, n in self.counts.items()
            if n > MAX_PER_KIND
        ]
        return [*self, *more]
