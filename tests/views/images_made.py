"""Made-up surveys for pictures: any number of pages and indexes, with known codes, no file behind them."""

from __future__ import annotations

from dataclasses import fields
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from ibdscan.layout.geometry import Geometry
from ibdscan.layout.numbers import ExtentState, PageType
from ibdscan.measures.file.survey import Survey
from ibdscan.measures.index.fill import measure_fill
from ibdscan.measures.index.index import Index, Level
from ibdscan.measures.index.order import measure_order
from ibdscan.pages.page.columns import PageColumns
from ibdscan.pages.space.tablespace import Tablespace
from ibdscan.structures.finding import Finding
from ibdscan.structures.space.extents import Extents
from ibdscan.structures.space.segments import Segment
from ibdscan.structures.space.states import PageClass, PageState

JAPANESE = "注文明細テーブル"
EMOJI = "📦orders🚚"
HEBREW = "טבלת_הזמנות"
LONG = "a_name_of_sixty_four_characters_as_long_as_the_server_allows_it_x"[:64]


def _space(n_pages: int, page_size: int, name: str, free_limit: int) -> Tablespace:
    fsp = SimpleNamespace(size=n_pages, free_limit=free_limit, free=SimpleNamespace(length=0))
    space = SimpleNamespace(
        source=SimpleNamespace(size=n_pages * page_size),
        flags=SimpleNamespace(full_crc32=False, shared=False, is_zip=False),
        space_id=7,
        fsp=fsp,
        family="mysql",
        server_version="9.7.4",
        path=f"/data/{name}",
        name=name,
        geometry=Geometry(page_size, page_size),
        n_pages=n_pages,
    )
    return cast(Tablespace, space)


def _columns(n: int, made: dict[str, npt.NDArray[Any]]) -> PageColumns:
    """Columns with the given arrays; all others take no memory."""
    kinds = dict.fromkeys(("written", "is_index", "encrypted", "unread"), np.bool_)
    out: dict[str, Any] = {
        f.name: made.get(f.name, np.broadcast_to(np.zeros((), kinds.get(f.name, np.uint16)), n))
        for f in fields(PageColumns)
        if f.name not in ("doublewrite", "forms")
    }
    return PageColumns(**out)


def _segment(segment_id: int) -> Segment:
    return Segment(segment_id, 2, 50, 0, 0, 0, 0, 0, np.empty(0, np.uint32), 0, 64)


def _index(
    ordinal: int, name: str, table: str, chain: npt.NDArray[np.int64], columns: PageColumns, size: int
) -> Index:
    pages = np.sort(chain)
    levels: tuple[Level, ...] = ()
    if len(chain):
        levels = (Level(0, measure_fill(columns, pages, size), measure_order(chain), pages, chain),)
    return Index(
        ordinal=ordinal,
        index_id=100 + ordinal,
        name=name,
        table=table,
        clustered=ordinal == 0,
        clustered_is_certain=True,
        kind="btree",
        root_page_no=4 + ordinal,
        height=1,
        levels=levels,
        leaf_segment=_segment(2 * ordinal + 1),
        top_segment=_segment(2 * ordinal + 2),
        off_page_pages=0,
        build=None,
        no_estimate="made up",
    )


def made_survey(
    n_pages: int,
    *,
    n_indexes: int = 1,
    page_size: int = 16384,
    name: str = "made.ibd",
    table: str = "db/made",
    index_names: list[str] | None = None,
    torn: bool = False,
    all_free: bool = False,
    only_system: bool = False,
    n_findings: int = 0,
    stale_pages: list[int] | None = None,
) -> Survey:
    """A survey of ``n_pages``: three system pages, extents dealt to the indexes, every 97th page stale (or those
    given), the last eighth not used yet. ``torn``: the chain jumps between four streams, fill is from 0 to 1."""
    page = np.arange(n_pages, dtype=np.int64)
    limit = n_pages - n_pages // 8
    page_class = np.full(n_pages, PageClass.LEAF, np.uint8)
    owner = (page // 64 % max(n_indexes, 1)).astype(np.int32)
    if all_free or only_system:
        page_class[:] = PageClass.FREE_EXTENT
    page_class[: min(3, n_pages)] = PageClass.SYSTEM
    page_class[limit:] = PageClass.ABOVE_FREE_LIMIT
    if all_free:
        page_class[:] = PageClass.FREE_EXTENT
    state = np.where(page_class >= PageClass.RESERVED_UNUSED, PageState.FREE, PageState.LIVE).astype(np.uint8)
    state[limit:] = PageState.UNUSED
    stale = page % 97 == 96 if stale_pages is None else np.isin(page, stale_pages)
    stale &= page_class == PageClass.LEAF
    page_class[stale] = PageClass.RESERVED_UNUSED
    state[stale] = PageState.STALE
    leaf = page_class == PageClass.LEAF
    owner[~leaf] = -1
    capacity = page_size - 132
    fill = (page * 7919 % 1000) / 1000 if torn else np.full(n_pages, 0.92)
    heap_top = (120 + fill * capacity).astype(np.uint16)
    kinds = np.where(leaf, PageType.INDEX, PageType.INODE).astype(np.uint16)
    made: dict[str, npt.NDArray[Any]] = {
        "heap_top": heap_top,
        "n_heap": np.full(n_pages, 0x8010, np.uint16),
        "lsn": (page + 10_000).astype(np.uint64),
        "type": kinds,
        "n_recs": np.full(n_pages, 14, np.uint16),
        "n_dir_slots": np.full(n_pages, 4, np.uint16),
    }
    columns = _columns(n_pages, made)
    names = index_names or ["PRIMARY", *(f"k_{i}" for i in range(1, n_indexes))]
    indexes = []
    for i in range(0 if all_free or only_system else n_indexes):
        chain = np.flatnonzero(leaf & (owner == i))
        if torn:
            chain = np.concatenate([chain[k::4] for k in range(4)])
        indexes.append(_index(i, names[i], table, chain, columns, page_size))
    n_extents = -(-n_pages // 64)
    extents = Extents(
        64,
        np.full(n_extents, ExtentState.FREE_FRAG, np.uint32),
        np.zeros(n_extents, np.uint64),
        np.empty(0),
        np.zeros(n_extents, np.int32),
        state == PageState.LIVE,
    )
    findings = [Finding("made", 1, 0, "made up")] * n_findings
    space = _space(n_pages, page_size, name, limit)
    return Survey(space, columns, extents, [], indexes, owner, state, page_class, [], findings)
