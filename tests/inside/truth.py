"""One truth: what ``pages`` says of single pages sums to what ``indexes`` and ``info`` say."""

from __future__ import annotations

import numpy as np

from ibdscan.api import Space
from ibdscan.views.data.pages import pages_columns
from ibdscan.views.data.survey import survey_data


def assert_one_truth(space: Space) -> None:
    """Assert that the pages' columns sum to the figures of each level, index and class."""
    columns = pages_columns(space)
    assert len(columns["page_no"]) == space.n_pages
    info = survey_data(space)
    for key, name in (("page_states", "state"), ("page_classes", "class")):
        values, counts = np.unique(columns[name].astype(str), return_counts=True)
        found = dict(zip(values.tolist(), counts.tolist(), strict=True))
        assert found == {k: n for k, n in info[key].items() if n}
    level = np.ma.asarray(columns["level"])
    for index in space.indexes:
        if index.index_id is None:
            continue
        of_index = ~np.ma.getmaskarray(level) & (space.owner == index.ordinal)
        for wanted in index.levels:
            rows = of_index & (level.filled(9999) == wanted.level)
            assert int(rows.sum()) == wanted.fill.pages
            for key in ("records", "data_bytes", "garbage_bytes"):
                total = int(np.ma.asarray(columns[key])[rows].astype(np.int64).filled(0).sum())
                assert total == getattr(wanted.fill, key), (index.name, wanted.level, key)
        if index.has_leaf:
            rank = columns["rank"]
            mine = ~np.ma.getmaskarray(rank) & (space.owner == index.ordinal)
            chain = np.flatnonzero(mine)[np.argsort(rank[mine])]
            assert chain.tolist() == index.leaf.chain.tolist()
