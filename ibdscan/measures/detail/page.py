"""Why one page is as it is: its state, extent, segment, index, place in the chain."""

from __future__ import annotations

from dataclasses import dataclass

from ibdscan.layout.fsp import XDES_ARRAY_OFFSET, xdes_entry
from ibdscan.layout.numbers import ExtentState
from ibdscan.measures.detail.extents import UNREAD_STATE, state_name
from ibdscan.measures.detail.owners import SegmentOwner, segment_of, segment_owners
from ibdscan.measures.file.survey import Survey
from ibdscan.measures.index.index import Index
from ibdscan.structures.space.states import PageClass, PageState


@dataclass(frozen=True)
class PageAccount:
    """What the rest of the file says of one page."""

    page_no: int
    state: str
    page_class: str
    extent_no: int
    extent_state: str
    descriptor_page_no: int
    descriptor_offset: int
    is_free: bool | None
    """The page's free bit in the extent descriptor; None where that descriptor is not initialised."""
    is_clean: bool | None
    owner: SegmentOwner | None
    fragment_slot: int | None
    """Place in the segment's fragment array; None for a page of one of its extents."""
    index: Index | None
    level: int | None
    rank: int | None
    """Place of a leaf along its chain, from 0."""


def account_for_page(survey: Survey, page_no: int) -> PageAccount:
    """Raises IbdError for a page outside the file."""
    if not 0 <= page_no < survey.n_pages:
        raise survey.space.error(f"no such page: the file has {survey.n_pages} pages", page_no)
    geometry = survey.space.geometry
    extent, place = divmod(page_no, geometry.extent_pages)
    descriptor = page_no - page_no % geometry.descriptor_interval
    entry = extent % geometry.xdes_entries
    offset = XDES_ARRAY_OFFSET + entry * geometry.xdes_entry_bytes
    state = UNREAD_STATE if survey.columns.unread[descriptor] else int(survey.extents.state[extent])
    is_known = state not in (UNREAD_STATE, ExtentState.NOT_INITIALISED)
    bits = _bits(survey, descriptor, offset, place) if is_known else (None, None)
    of_page = segment_of(survey)
    owner = segment_owners(survey, of_page)[of_page[page_no]] if of_page[page_no] >= 0 else None
    fragments = owner.segment.fragments.tolist() if owner else []
    ordinal = int(survey.owner[page_no])
    columns = survey.columns
    known = survey.state[page_no] == PageState.LIVE and columns.is_index[page_no] and not columns.unread[page_no]
    rank = int(survey.rank[page_no])
    return PageAccount(
        page_no=page_no,
        state=PageState(int(survey.state[page_no])).name.lower(),
        page_class=PageClass(int(survey.page_class[page_no])).name.lower(),
        extent_no=extent,
        extent_state=state_name(state),
        descriptor_page_no=descriptor,
        descriptor_offset=offset,
        is_free=bits[0],
        is_clean=bits[1],
        owner=owner,
        fragment_slot=fragments.index(page_no) if page_no in fragments else None,
        index=survey.indexes[ordinal] if ordinal >= 0 else None,
        level=int(columns.level[page_no]) if known else None,
        rank=rank if rank >= 0 else None,
    )


def _bits(survey: Survey, descriptor: int, offset: int, place: int) -> tuple[bool, bool]:
    """Free and clean bit of a page (two bits a page, lowest first)."""
    body = survey.space.read_page(descriptor)
    bitmap = xdes_entry(survey.space.geometry).parse(body[offset:]).bitmap
    pair = bitmap[place // 4] >> 2 * (place % 4)
    return bool(pair & 1), bool(pair & 2)
