"""Verdicts on loads whose making is known: files of the corpus, by how they were made; and made-up headers."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibdscan.measures.index.verdict import (
    BUILT,
    DESCENDING,
    FEW_LEAVES,
    INTERLEAVED,
    MOVED,
    ORDERED,
    RANDOM,
    SMALL,
    UNCLEAR,
    judge,
)
from ibdscan.testing import IndexSpec, build_space
from ibdscan.views.text.info import verdict_lines
from tests.corpus import find_file, require_corpus
from tests.files import surveyed

LOADS = {
    # table: (clustered index, second index)
    "frag/ord_asc": ({ORDERED}, {RANDOM}),
    "frag/ord_desc": ({DESCENDING}, {UNCLEAR}),
    "frag/bigrec": ({ORDERED}, None),
    "frag/deep": ({RANDOM}, None),
    "frag/uuid_random": ({RANDOM}, {ORDERED}),
    "frag/uuid_text": ({RANDOM}, {ORDERED}),
    "frag/uuid_optimize": ({BUILT}, {BUILT}),
    "frag/uuid_force": ({BUILT}, {BUILT}),
    "frag/ff10": ({BUILT}, {BUILT}),
    "frag/ff50": ({BUILT}, {BUILT}),
    "frag/ff70": ({BUILT}, {BUILT}),
    "frag/ff100": ({BUILT}, {BUILT}),
    "frag/del50_alt": ({MOVED}, {FEW_LEAVES}),
    "frag/del50_range": ({MOVED}, {MOVED, UNCLEAR}),
    "frag/del90_rand": ({MOVED}, {SMALL}),
    "frag/del_all": ({SMALL}, {SMALL}),
    "frag/merge_t10": ({MOVED}, {UNCLEAR}),
    "frag/merge_t50": ({MOVED}, {FEW_LEAVES}),
    "frag/upd_grow": ({UNCLEAR}, {RANDOM}),
    "frag/trunc": ({SMALL}, None),
    "single/sbtest1": ({ORDERED}, {RANDOM}),
    "multi/sbtest1": ({INTERLEAVED}, {RANDOM}),
    "multi_small/sbtest1": ({INTERLEAVED}, {RANDOM}),
    "rebuilt/sbtest1": ({BUILT}, {BUILT}),
}
"""How each table was made is in its name and in the corpus's README. A secondary key's deleted records leave
freed pages that still show on MySQL, and only garbage on MariaDB."""
FACTORS = {"frag/ff10": 10, "frag/ff50": 50, "frag/ff70": 70}


@pytest.mark.corpus
@pytest.mark.parametrize("engine", ["mysql97", "maria1011"])
@pytest.mark.parametrize("load", list(LOADS))
def test_load_is_recognised(engine: str, load: str) -> None:
    instance = "frag" if load.startswith("frag/") else "seed"
    with surveyed(find_file(require_corpus(), engine, instance, load).path) as survey:
        verdicts = [judge(i) for i in survey.user_indexes]
    for found, expected in zip(verdicts, LOADS[load], strict=False):
        if expected is not None:
            assert found.kind in expected, found
    if load in FACTORS:
        assert f"innodb_fill_factor of about {FACTORS[load]}:" in verdicts[0].text


@pytest.mark.corpus
@pytest.mark.parametrize("engine", ["mysql97", "maria1011"])
def test_expected_fill_holds_for_sound_loads(engine: str) -> None:
    """Ordered, built and random loads lie in the range that is printed beside them."""
    for load in (
        "frag/ord_asc",
        "frag/uuid_optimize",
        "frag/ff70",
        "frag/uuid_random",
        "single/sbtest1",
    ):
        instance = "frag" if load.startswith("frag/") else "seed"
        with surveyed(find_file(require_corpus(), engine, instance, load).path) as survey:
            index = survey.user_indexes[0]
            found = judge(index)
        assert found.expected_fill is not None
        low, high = found.expected_fill
        assert index.leaf.fill is not None
        assert low <= index.leaf.fill <= high, load


@pytest.mark.corpus
@pytest.mark.parametrize("engine", ["mysql97", "maria1011"])
def test_multi_connection_is_not_called_full(engine: str) -> None:
    with surveyed(find_file(require_corpus(), engine, "seed", "multi_small/sbtest1").path) as survey:
        assert "less than usual" in judge(survey.user_indexes[0]).text


def test_small_is_never_judged(tmp_path: object) -> None:
    path = build_space([IndexSpec("PRIMARY", leaves=7, fill=0.1, order="random")], page_size=4096).write(
        f"{tmp_path}/t.ibd"
    )
    with surveyed(path) as survey:
        assert judge(survey.index("PRIMARY")).kind == SMALL


def test_small_ones_share_a_line(tmp_path: Path) -> None:
    specs = [IndexSpec("PRIMARY", leaves=30, fill=0.9), *(IndexSpec(f"k{i}", leaves=1 + i % 7) for i in range(13))]
    path = build_space(specs, page_size=4096).write(tmp_path / "t.ibd")
    with surveyed(path) as survey:
        lines = verdict_lines(survey)
    assert len(lines) == 2
    assert lines[1] == "13 indexes: too small to judge (fewer than 8 leaf pages each)"
