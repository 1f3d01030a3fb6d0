"""What the page has to say of every page, taken from the columns by the plainest code."""

from __future__ import annotations

from ibdscan.layout.numbers import FIL_NULL, type_name
from ibdscan.measures.detail.owners import segment_of, segment_owners
from ibdscan.measures.file.survey import Survey
from ibdscan.structures.space.states import PageClass, PageState
from ibdscan.views.text.info import CLASS_WORDS

STATES = {"STALE": "stale: freed, old content left", "UNUSED": "not used yet"}


def facts_of_pages(survey: Survey) -> list[dict[str, str]]:
    columns, space = survey.columns, survey.space
    owners = segment_of(survey)
    names = [s.name for s in segment_owners(survey, owners)]
    out = []
    for page in range(survey.n_pages):
        index = bool(columns.is_index[page]) and not columns.unread[page]
        owner = int(survey.owner[page])
        data = int(columns.data_bytes([page])[0])
        room = int(columns.capacity([page], space.geometry.logical)[0])
        rank = int(survey.rank[page])
        prev, following = int(columns.prev[page]), int(columns.next[page])
        state = PageState(int(survey.state[page])).name
        fill = f"{100 * data / room:.1f} %, {data:,} bytes" if index and 0 <= data <= room else "-"
        facts = {
            "Type": type_name(int(columns.type[page]), space.family, full_crc32=bool(space.flags.full_crc32)),
            "State": STATES.get(state, state.lower()),
            "Account": CLASS_WORDS[PageClass(int(survey.page_class[page])).name.lower()],
            "Index": survey.indexes[owner].name if owner >= 0 else "-",
            "Segment": names[owners[page]] if owners[page] >= 0 else "-",
            "Level": f"{columns.level[page]:,}" if index else "-",
            "Records": f"{columns.n_recs[page]:,}" if index else "-",
            "Fill": fill,
            "Garbage": f"{columns.garbage[page]:,} bytes" if index else "-",
            "LSN": f"{columns.lsn[page]:,}",
            "Prev": f"{prev:,}" if index and prev != FIL_NULL else "-",
            "Next": f"{following:,}" if index and following != FIL_NULL else "-",
            "Rank": f"{rank:,} (0 to {survey.indexes[owner].leaf.pages - 1:,})" if rank >= 0 else "-",
        }
        if not columns.written[page]:
            facts["Note"] = "the page was never written"
        out.append(facts)
    return out
