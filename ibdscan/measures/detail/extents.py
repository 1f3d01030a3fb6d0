"""The extents of a file by state and owner, what keeps the file from shrinking, runs of like pages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibdscan.layout.numbers import ExtentState
from ibdscan.measures.detail.owners import SegmentOwner, segment_of, segment_owners
from ibdscan.measures.file.survey import Survey
from ibdscan.structures.space.extents import OWNED_STATES
from ibdscan.structures.space.states import PageState

UNREAD_STATE = -1


@dataclass(frozen=True)
class ExtentMap:
    """Extents and their owners; arrays of shape (n_extents,)."""

    survey: Survey
    owners: list[SegmentOwner]
    state: npt.NDArray[np.int64]
    """XDES_STATE, :data:`UNREAD_STATE` where the descriptor page could not be read."""
    owner: npt.NDArray[np.int32]
    """Ordinal of the segment that owns each extent, -1 for none."""
    stale_pages: npt.NDArray[np.int32]
    file_pages: npt.NDArray[np.int32]
    """Pages of the extent that the file has: the last one may be cut."""

    def __len__(self) -> int:
        return len(self.owner)

    @property
    def states(self) -> dict[str, tuple[int, int]]:
        """Extents and their used pages, by the name of the state."""
        out = {}
        for value in sorted(set(self.state.tolist())):
            chosen = self.state == value
            out[state_name(value)] = (int(chosen.sum()), int(self.survey.extents.n_used[chosen].sum()))
        return out


def state_name(value: int) -> str:
    """Name of an extent state; ``UNKNOWN(n)`` where the server has none, ``UNREAD`` if it was not read."""
    if value == UNREAD_STATE:
        return "UNREAD"
    return ExtentState(value).name if value in set(ExtentState) else f"UNKNOWN({value})"


def map_extents(survey: Survey) -> ExtentMap:
    """Extents with their owners."""
    of_page = segment_of(survey)
    per_extent = survey.extents.pages
    n = len(survey.extents)
    owned = np.isin(survey.extents.state, OWNED_STATES)
    first = np.arange(n, dtype=np.int64) * per_extent
    state = survey.extents.state.astype(np.int64)
    descriptors = first - first % survey.space.geometry.descriptor_interval
    state[survey.columns.unread[descriptors]] = UNREAD_STATE
    owner = np.where(owned, of_page[first], -1).astype(np.int32) if n else np.empty(0, np.int32)
    # a fragment page that is the first of an owned extent would be damage; the extent's own id rules
    stale = np.zeros(n * per_extent, np.bool_)
    stale[: survey.n_pages] = survey.state == PageState.STALE
    return ExtentMap(
        survey,
        segment_owners(survey, of_page),
        state,
        owner,
        stale.reshape(n, per_extent).sum(axis=1, dtype=np.int32),
        np.minimum(per_extent, survey.n_pages - first).astype(np.int32),
    )


@dataclass(frozen=True)
class LastUsed:
    """What keeps the file from shrinking: its last page in use."""

    page_no: int
    owner: SegmentOwner | None
    """None for a page of no segment (headers, descriptor pages)."""
    free_after: int
    """Pages of the file after it."""
    free_before: int
    """Free pages of the file before it, reserved and unused ones included."""
    extent_used: int
    """Used pages of its extent."""


def last_used(extents: ExtentMap) -> LastUsed | None:
    """The last page in use, descriptor pages and their bitmaps left out: they come with the extents after
    them. None where nothing else is in use."""
    survey = extents.survey
    interval = survey.space.geometry.descriptor_interval
    used = np.flatnonzero(survey.extents.used)
    beside = used % interval
    mine = used[(beside > 1) | (used < interval)]
    if not len(mine):
        return None
    page = int(mine[-1])
    of_page = segment_of(survey)[page]
    return LastUsed(
        page,
        extents.owners[of_page] if of_page >= 0 else None,
        survey.n_pages - page - 1,
        page + 1 - int(np.count_nonzero(survey.extents.used[: page + 1])),
        int(survey.extents.n_used[page // survey.extents.pages]),
    )


@dataclass(frozen=True)
class DescriptorLoss:
    """Extents that hold a descriptor page after the first: no segment can have them as a whole.

    Their free pages serve single (fragment) pages only; MySQL 8.0+ leases such an extent to a segment
    (FSEG_FRAG), and then its pages are not lost.
    """

    extents: int
    leased_extents: int
    lost_pages: int


def descriptor_loss(extents: ExtentMap) -> DescriptorLoss:
    """Count the pages that are free beside descriptor pages."""
    survey = extents.survey
    per_extent = survey.extents.pages
    step = survey.space.geometry.xdes_entries
    limit = min(int(survey.space.fsp.free_limit), survey.n_pages)
    places = np.arange(step, len(extents), step)
    places = places[places * per_extent < limit]
    state = extents.state[places]
    fragments = places[(state == ExtentState.FREE_FRAG) | (state == ExtentState.FULL_FRAG)]
    lost = int((extents.file_pages[fragments] - survey.extents.n_used[fragments]).sum())
    return DescriptorLoss(len(places), int(np.count_nonzero(state == ExtentState.FSEG_FRAG)), lost)


@dataclass(frozen=True)
class Regions:
    """Runs of pages of one type, state, class and owner; arrays of shape (n_regions,)."""

    start: npt.NDArray[np.int64]
    count: npt.NDArray[np.int64]
    type: npt.NDArray[np.uint16]
    state: npt.NDArray[np.uint8]
    page_class: npt.NDArray[np.uint8]
    owner: npt.NDArray[np.int32]
    """Ordinal of the index, -1 for none."""

    def __len__(self) -> int:
        return len(self.start)


def find_regions(survey: Survey) -> Regions:
    """Runs of like pages, in file order; together they are the file."""
    types, state, page_class, owner = survey.columns.type, survey.state, survey.page_class, survey.owner
    change = np.zeros(survey.n_pages, np.bool_)
    change[:1] = True
    for column in (types, state, page_class, owner):
        change[1:] |= column[1:] != column[:-1]
    start = np.flatnonzero(change)
    count = np.diff(start, append=survey.n_pages)
    return Regions(start, count, types[start], state[start], page_class[start], owner[start])
