"""What the report knows of every page: header fields, state, owner, place in the chain; packed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ibdscan.layout.numbers import FIL_NULL, type_name
from ibdscan.measures.detail.owners import segment_of, segment_owners
from ibdscan.measures.file.survey import Survey
from ibdscan.measures.index.fill import page_fill
from ibdscan.structures.space.states import PageClass, PageState
from ibdscan.views.report.pack import LARGEST, Packed, pack, pack_sparse, pack_steps
from ibdscan.views.table.tables import printable
from ibdscan.views.text.info import CLASS_WORDS

STATE_WORDS = {"stale": "stale: freed, old content left", "unused": "not used yet"}
NOTES = ("", "the page's body could not be read: encrypted or compressed", "the page was never written")
FILL_STEPS = 1000


def page_data(survey: Survey) -> dict[str, Any]:
    """Names and packed columns. 0 stands for none in ``owner``, ``segment``, ``data``, ``rank``, ``prev`` and
    ``next``, whose numbers are one higher than they are on disk."""
    columns = survey.columns
    types, type_codes = np.unique(columns.type, return_inverse=True)
    segments = segment_of(survey) if survey.segments else np.full(survey.n_pages, -1, np.int32)
    return {
        "n_pages": survey.n_pages,
        "extent_pages": survey.space.geometry.extent_pages,
        "types": [_type(survey, int(t)) for t in types],
        "states": [STATE_WORDS.get(s.name.lower(), s.name.lower()) for s in PageState],
        "classes": [CLASS_WORDS.get(c.name.lower(), c.name.lower()) for c in PageClass],
        "indexes": [printable(i.name) for i in survey.indexes],
        "leaves": [len(i.leaf.chain) if i.has_leaf else 0 for i in survey.indexes],
        "segments": [printable(s.name) for s in segment_owners(survey, segments)],
        "notes": NOTES,
        "columns": {
            "type": pack(type_codes),
            "state": pack(survey.state),
            "page_class": pack(survey.page_class),
            "owner": pack(survey.owner + 1),
            "segment": pack(segments + 1),
            "note": pack(np.where(columns.unread, 1, np.where(columns.written, 0, 2))),
            **_index_fields(survey),
            "lsn": lsn_data(columns.lsn),
            **_links(survey),
        },
    }


def _type(survey: Survey, number: int) -> str:
    space = survey.space
    return type_name(number, space.family, full_crc32=bool(space.flags.full_crc32))


def index_pages(survey: Survey) -> npt.NDArray[np.bool_]:
    """Pages whose index header can be read, stale ones included."""
    return survey.columns.is_index & ~survey.columns.unread


def data_column(survey: Survey) -> npt.NDArray[np.int64]:
    """Record bytes + 1 of every index page; 0 elsewhere and where the header says what can not be."""
    out = np.zeros(survey.n_pages, np.int64)
    pages = np.flatnonzero(index_pages(survey))
    data = survey.columns.data_bytes(pages)
    sound = (data >= 0) & (data <= survey.columns.capacity(pages, survey.space.geometry.logical))
    out[pages] = np.where(sound, data + 1, 0)
    return out


def _index_fields(survey: Survey) -> dict[str, Packed]:
    columns = survey.columns
    mask = index_pages(survey)
    data = data_column(survey)
    fill = np.zeros(survey.n_pages, np.int64)
    sound = np.flatnonzero(data)
    fill[sound] = np.round(FILL_STEPS * page_fill(columns, sound, survey.space.geometry.logical))
    return {
        "is_index": pack(mask),
        "level": pack(np.where(mask, columns.level, 0)),
        "records": pack(np.where(mask, columns.n_recs, 0)),
        "data": pack(data),
        "fill": pack_steps(fill, data, data > 0, survey.owner + 1),
        "garbage": pack(np.where(mask, columns.garbage, 0)),
    }


def lsn_column(lsn: npt.NDArray[np.uint64], step: int = 1) -> npt.NDArray[np.int64]:
    """LSNs that JavaScript can count, in steps of ``step``; 0 for a higher one, which only damage brings about."""
    return np.where(lsn > LARGEST, 0, lsn).astype(np.int64) // step


def lsn_data(lsn: npt.NDArray[np.uint64], step: int = 1) -> Packed:
    """The LSN of every page; with a ``step`` only the multiple of it below."""
    beyond = np.flatnonzero(lsn > LARGEST)
    text = {str(p): f"{lsn[p]:,}" for p in beyond.tolist()}
    return {"step": step, "column": pack(lsn_column(lsn, step)), "text": text}


def _links(survey: Survey) -> dict[str, Packed]:
    """Place in the chain; and the links that are not those to the neighbours in the chain."""
    columns = survey.columns
    neighbours = {"prev": np.zeros(survey.n_pages, np.int64), "next": np.zeros(survey.n_pages, np.int64)}
    for index in survey.indexes:
        if index.has_leaf:
            chain = index.leaf.chain
            neighbours["next"][chain[:-1]] = chain[1:] + 1
            neighbours["prev"][chain[1:]] = chain[:-1] + 1
    out = {"rank": pack(survey.rank + 1)}
    mask = index_pages(survey)
    for name, expected in neighbours.items():
        link = getattr(columns, name).astype(np.int64)
        out[name] = pack_sparse(np.where(mask & (link != FIL_NULL), link + 1, 0), expected)
    return out
