"""ibdscan: how well does an InnoDB table use its pages? Reads ``.ibd`` files without a server.

The public names are loaded when first used; importing the package costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ibdscan import testing as testing
    from ibdscan.api import Space as Space
    from ibdscan.api import compare as compare
    from ibdscan.api import open as open
    from ibdscan.errors import IbdError as IbdError
    from ibdscan.errors import MissingExtraError as MissingExtraError
    from ibdscan.errors import NotATablespaceError as NotATablespaceError
    from ibdscan.errors import ShrunkError as ShrunkError
    from ibdscan.errors import UnreadableError as UnreadableError
    from ibdscan.errors import UnreadPageError as UnreadPageError
    from ibdscan.errors import UnsupportedFormatError as UnsupportedFormatError
    from ibdscan.errors import UsageError as UsageError
    from ibdscan.measures.scan.run import scan as scan
    from ibdscan.structures.finding import Finding as Finding

__version__ = "0.1.0"

_HOMES = {
    "Space": "ibdscan.api",
    "open": "ibdscan.api",
    "compare": "ibdscan.api",
    "scan": "ibdscan.measures.scan.run",
    "Finding": "ibdscan.structures.finding",
    **dict.fromkeys(
        (
            "IbdError",
            "MissingExtraError",
            "NotATablespaceError",
            "ShrunkError",
            "UnreadableError",
            "UnreadPageError",
            "UnsupportedFormatError",
            "UsageError",
        ),
        "ibdscan.errors",
    ),
}
__all__ = [
    "Finding",
    "IbdError",
    "MissingExtraError",
    "NotATablespaceError",
    "ShrunkError",
    "Space",
    "UnreadPageError",
    "UnreadableError",
    "UnsupportedFormatError",
    "UsageError",
    "compare",
    "open",
    "scan",
    "testing",
]


def __getattr__(name: str) -> Any:
    if name == "testing":
        return importlib.import_module("ibdscan.testing")
    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'ibdscan' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
