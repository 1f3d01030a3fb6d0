"""What ``ibdscan verify`` found, as data for JSON and as rows for CSV."""

from __future__ import annotations

from typing import Any

from ibdscan.measures.verify import Verification
from ibdscan.views.table.tables import Column, Table


def verification_data(found: Verification) -> dict[str, Any]:
    """One element of ``files`` in ``ibdscan verify --format json``."""
    space = found.space
    return {
        "path": found.path,
        "family": space.family,
        "server_version": space.server_version,
        "space_id": space.space_id,
        "page_size": space.geometry.physical,
        "pages": found.pages,
        "ok": found.ok,
        "pages_hold": found.pages_hold,
        "checksums": found.checksums,
        "structures_checked": found.unchecked is None,
        "unchecked": found.unchecked,
        "findings": [finding.as_dict() for finding in found.findings],
    }


def verification_rows(verifications: list[Verification]) -> Table:
    """One row a finding."""
    table = Table([Column(k, k) for k in ("path", "kind", "page_no", "offset", "message")])
    for found in verifications:
        for f in found.findings:
            table.add(found.path, f.kind, f.page_no, f.offset, f.message)
    return table
