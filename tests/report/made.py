"""Made-up surveys for the report: any number of pages, any names, on page 0 of a real file."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from ibdscan.layout.numbers import FIL_NULL, ExtentState, PageType
from ibdscan.measures.file.survey import Survey, open_survey
from ibdscan.measures.index.fill import measure_fill
from ibdscan.measures.index.index import Index, Level
from ibdscan.measures.index.order import measure_order
from ibdscan.pages.page.columns import PageColumns
from ibdscan.structures.finding import Finding
from ibdscan.structures.space.extents import Extents
from ibdscan.structures.space.states import PageClass, PageState
from tests.files import fixture

CAPACITY = 16384 - 132


@cache
def _real() -> Survey:
    return open_survey(str(fixture("mysql97/import_single")))


def made(
    n_pages: int,
    *,
    index_names: list[str] | None = None,
    table: str = "db/made",
    path: str = "/data/made.ibd",
    shuffled: bool = False,
    findings: list[Finding] | None = None,
    seed: int = 1,
) -> Survey:
    """Three system pages, then leaves in extents dealt to the indexes, the last eighth not used yet.

    ``shuffled``: the most that a file can hold against being packed; leaves in random order, records, fill,
    garbage and LSN random.
    """
    names = index_names or ["PRIMARY"]
    at = np.random.default_rng(seed)
    page = np.arange(n_pages)
    page_class = np.full(n_pages, PageClass.LEAF, np.uint8)
    page_class[:3] = PageClass.SYSTEM
    page_class[n_pages - n_pages // 8 :] = PageClass.ABOVE_FREE_LIMIT
    leaf = page_class == PageClass.LEAF
    owner = np.where(leaf, page // 64 % len(names), -1).astype(np.int32)
    state = np.where(page_class == PageClass.ABOVE_FREE_LIMIT, PageState.UNUSED, PageState.LIVE).astype(np.uint8)
    chains = [np.flatnonzero(owner == i) for i in range(len(names))]
    if shuffled:
        chains = [at.permutation(chain) for chain in chains]
    columns = _columns(n_pages, leaf, chains, shuffled, at)
    indexes = [_index(i, name, table, chains[i], columns) for i, name in enumerate(names)]
    real = _real()
    source: Any = SimpleNamespace(
        path=path, size=n_pages * 16384, allocated_bytes=None, read=real.space.source.read
    )
    n_extents = -(-n_pages // 64)
    extents = Extents(
        64,
        np.full(n_extents, ExtentState.FREE_FRAG, np.uint32),
        np.zeros(n_extents, np.uint64),
        np.empty(0),
        np.zeros(n_extents, np.int32),
        state == PageState.LIVE,
    )
    return replace(
        real,
        space=replace(real.space, source=source),
        columns=columns,
        extents=extents,
        segments=[],
        indexes=indexes,
        owner=owner,
        state=state,
        page_class=page_class,
        sdi=[],
        findings=findings or [],
    )


def _columns(
    n: int,
    leaf: npt.NDArray[np.bool_],
    chains: list[npt.NDArray[np.int64]],
    shuffled: bool,
    at: np.random.Generator,
) -> PageColumns:
    real = _real().columns
    out: dict[str, Any] = {}
    for field in fields(PageColumns):
        value = getattr(real, field.name)
        if isinstance(value, np.ndarray):
            out[field.name] = np.zeros(n, value.dtype)
    records = at.integers(60, 90, n) if shuffled else np.full(n, 73)
    extra = at.integers(0, 3000, n) if shuffled else np.full(n, 5600)
    out["n_recs"] = np.where(leaf, records, 0).astype(np.uint16)
    out["heap_top"] = np.where(leaf, np.minimum(120 + records * 130 + extra, CAPACITY), 0).astype(np.uint16)
    out["n_heap"] = np.where(leaf, records + 2 + 0x8000, 0).astype(np.uint16)
    out["n_dir_slots"] = np.where(leaf, records // 6, 0).astype(np.uint16)
    if shuffled:
        out["garbage"] = np.where(leaf & (at.random(n) < 0.2), at.integers(1, 2000, n), 0).astype(np.uint16)
    lsn = at.integers(1 << 33, (1 << 33) + (1 << 30), n) if shuffled else np.arange(n) * 16_500 + (1 << 33)
    out["lsn"] = lsn.astype(np.uint64)
    out["type"] = np.where(leaf, PageType.INDEX, PageType.ALLOCATED).astype(np.uint16)
    out["type"][:3] = [PageType.FSP_HDR, PageType.IBUF_BITMAP, PageType.INODE][: min(3, n)]
    out["is_index"], out["written"] = leaf.copy(), np.ones(n, np.bool_)
    out["prev"], out["next"] = np.full(n, FIL_NULL, np.uint32), np.full(n, FIL_NULL, np.uint32)
    for chain in chains:
        out["prev"][chain[1:]], out["next"][chain[:-1]] = chain[:-1], chain[1:]
    return PageColumns(**out)


def _index(ordinal: int, name: str, table: str, chain: npt.NDArray[np.int64], columns: PageColumns) -> Index:
    pages = np.sort(chain)
    level = Level(0, measure_fill(columns, pages, 16384), measure_order(chain), pages, chain)
    return replace(
        _real().indexes[0],
        ordinal=ordinal,
        index_id=100 + ordinal,
        name=name,
        table=table,
        clustered=ordinal == 0,
        kind="btree",
        levels=(level,) if len(chain) else (),
        root_page_no=int(pages[0]) if len(pages) else None,
        height=1,
        build=None,
        columns=columns,
    )
