"""SDI records made up for tests."""

from __future__ import annotations

import json
from typing import Any

from ibdscan.structures.definition.sdi import SdiObject


def sdi_object(type: int, id: int, document: Any) -> SdiObject:
    """A record with that document as its text."""
    return SdiObject(type, id, json.dumps(document).encode())
