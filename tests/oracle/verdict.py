"""One comparison, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

EXACT = "exact"
EXPLAINED = "explained"
DIFFERENT = "different"


@dataclass(frozen=True)
class Comparison:
    """``ours`` against ``theirs`` for one file, index or page."""

    check: str
    file: str
    where: str
    """``page 4``, ``index 158 (PRIMARY)``, or empty: the file as a whole."""
    ours: Any
    theirs: Any
    reason: str = ""
    """Key of :data:`tests.oracle.reasons.REASONS` where a difference is accepted."""

    @property
    def verdict(self) -> str:
        if self.ours == self.theirs:
            return EXACT
        return EXPLAINED if self.reason else DIFFERENT

    def __str__(self) -> str:
        place = f" {self.where}" if self.where else ""
        why = f" [{self.reason}]" if self.reason else ""
        return f"{self.file}: {self.check}{place}: ours {self.ours}, the server's {self.theirs}{why}"
