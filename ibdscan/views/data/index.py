"""``ibdscan indexes`` as plain objects: the index of ``info`` with its history, LOBs and records."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from ibdscan.measures.detail.index import DeepIndex
from ibdscan.measures.detail.lobs import Lobs
from ibdscan.measures.detail.records import LevelRecords
from ibdscan.views.data.survey import index_data


def deep_index_data(deep: DeepIndex) -> dict[str, Any]:
    """One element of ``indexes`` in ``ibdscan indexes --format json``."""
    index = deep.index
    rebuild = asdict(deep.rebuild) | {"fill_factor": deep.fill_factor} if deep.rebuild else None
    return index_data(index) | {
        "history": asdict(index.history) if index.history else None,
        "mergeable": asdict(index.mergeable) if index.mergeable else None,
        "rebuild": rebuild,
        "lobs": lobs_data(deep.lobs) if deep.lobs else None,
        "record_walk": None if deep.records is None else [records_data(r) for r in deep.records],
        "findings": [f.as_dict() for f in deep.findings],
    }


def lobs_data(lobs: Lobs) -> dict[str, Any]:
    """Off-page data of an index."""
    return asdict(lobs) | {"fill": lobs.fill, "contiguous": lobs.contiguous, "backward": lobs.backward}


def records_data(records: LevelRecords) -> dict[str, Any]:
    """The walked records of one level."""
    return {
        "level": records.level,
        "pages": records.pages,
        "records": records.records,
        "delete_marked": records.delete_marked,
        "delete_marked_share": records.delete_marked_share,
        "delete_marked_bytes": records.delete_marked_bytes,
        "metadata": records.metadata,
        "rows": records.rows,
    }
