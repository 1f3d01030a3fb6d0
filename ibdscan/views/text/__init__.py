"""The survey and the comparison as text for people. Loaded when first used: a command imports its own."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ibdscan.views.text.comparison import comparisons_text as comparisons_text
    from ibdscan.views.text.head import Style as Style
    from ibdscan.views.text.indexes import indexes_text as indexes_text
    from ibdscan.views.text.info import info_text as info_text

_HOMES = {"Style": "head", "comparisons_text": "comparison", "indexes_text": "indexes", "info_text": "info"}
__all__ = ["Style", "comparisons_text", "indexes_text", "info_text"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
