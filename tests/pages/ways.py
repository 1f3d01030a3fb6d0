"""The ways of gathering page heads that this system has."""

from __future__ import annotations

from pathlib import Path

from ibdscan.pages.gather import WAYS
from ibdscan.pages.uring import Ring


def ways() -> list[str]:
    """All ways, io_uring only where the system allows it."""
    with Path(__file__).open("rb") as f:
        try:
            Ring(f.fileno()).close()
        except OSError:
            return [way for way in WAYS if way != "uring"]
    return list(WAYS)
