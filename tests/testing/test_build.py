"""Built tablespaces: a survey gives exactly what was asked for, and finds nothing wrong."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibdscan.layout.geometry import PAGE_SIZES
from ibdscan.layout.index import INFIMUM_COMPACT, SUPREMUM_COMPACT
from ibdscan.measures.file.survey import Survey, open_survey
from ibdscan.pages.format.checksums import has_crc32, is_torn
from ibdscan.structures.space.states import PageState
from ibdscan.testing import BuiltSpace, IndexSpec, build_space
from ibdscan.testing.specs import interleaved

RICH = [
    IndexSpec(
        "PRIMARY", leaves=90, fill=0.7, order="random", stale=20, garbage=0.05, reserved_extents=1, fanout=20
    ),
    IndexSpec("k", leaves=40, fill=0.95, order="interleaved"),
    IndexSpec("gone", leaves=50, dropped=True),
    IndexSpec("empty", fill=0, stale=3),
    IndexSpec("wide", leaves=9, fill=0.8, record_bytes=900, order="descending"),
]


def check_survey(built: BuiltSpace, path: Path) -> Survey:
    """Survey the built file and compare everything that is known of it."""
    survey = open_survey(str(built.write(path)))
    survey.close()
    assert not survey.findings
    assert survey.n_pages == built.n_pages
    assert survey.space.fsp.size == built.n_pages
    assert [i.index_id for i in survey.user_indexes] == [i.index_id for i in built.indexes]
    for known in built.indexes:
        index = survey.index(known.index_id)
        assert index.height == known.height
        assert index.root_page_no == known.root_page_no
        for level in index.levels:
            assert level.chain.tolist() == list(known.levels[level.level])
        fill = index.levels[-1].fill
        assert (fill.pages, fill.records) == (len(known.leaf_pages), known.records)
        assert (fill.data_bytes, fill.garbage_bytes) == (known.data_bytes, known.garbage_bytes)
        assert fill.fill == known.fill
        assert index.off_page_pages == 0
        assert all(survey.state[list(known.stale_pages)] == PageState.STALE)
    return survey


@pytest.mark.parametrize("page_size", PAGE_SIZES)
@pytest.mark.parametrize("family", ["mysql", "mysql57", "mariadb"])
def test_a_rich_file_of_every_kind(tmp_path: Path, page_size: int, family: str) -> None:
    built = build_space(
        RICH,
        page_size=page_size,
        family=family.removesuffix("57"),
        sdi=family == "mysql",
        free_extents=2,
        unused_extents=1,
    )
    survey = check_survey(built, tmp_path / "t.ibd")
    assert survey.space.family == family.removesuffix("57")
    assert survey.page_classes["above_free_limit"] == survey.space.geometry.extent_pages
    assert survey.space.fsp.free.length == built.free_extents
    if family == "mysql":
        assert [i.name for i in survey.user_indexes] == ["PRIMARY", "k", "empty", "wide"]
        assert survey.index("PRIMARY").table == "test/t"
        assert survey.space.server_version == "9.7.4"
    for page_no in range(built.n_pages):
        page = built.page(page_no)
        if any(page):
            assert has_crc32(page, built.flags)
            assert not is_torn(page, built.flags)


@st.composite
def specs(draw: st.DrawFn) -> list[IndexSpec]:
    """One to three indexes of up to 40 leaves."""
    found = []
    for name in draw(st.sampled_from([["PRIMARY"], ["PRIMARY", "a"], ["PRIMARY", "a", "b"]])):
        leaves = draw(st.integers(1, 40))
        record_bytes = draw(st.sampled_from([40, 100, 190, 400, 900]))
        fill = draw(st.lists(st.floats(0.3, 0.97), min_size=leaves, max_size=leaves))
        order = draw(
            st.sampled_from(["ascending", "descending", "random", "interleaved"]) | st.permutations(range(leaves))
        )
        found.append(
            IndexSpec(
                name,
                leaves=leaves,
                fill=fill,
                order=order,
                streams=draw(st.integers(1, 5)),
                record_bytes=record_bytes,
                stale=draw(st.integers(0, 5)),
                reserved_extents=draw(st.integers(0, 1)),
                fanout=draw(st.sampled_from([None, 2, 5])),
                dropped=name != "PRIMARY" and draw(st.booleans()),
            )
        )
    return found


@given(specs(), st.sampled_from(["mysql", "mariadb"]), st.integers(0, 2), st.integers(0, 1), st.integers(0, 9))
@settings(max_examples=30, deadline=None, derandomize=True)
def test_whatever_is_asked_for_is_what_is_measured(
    tmp_path_factory: pytest.TempPathFactory,
    indexes: list[IndexSpec],
    family: str,
    free: int,
    unused: int,
    seed: int,
) -> None:
    built = build_space(
        indexes, page_size=4096, family=family, free_extents=free, unused_extents=unused, seed=seed
    )
    check_survey(built, tmp_path_factory.mktemp("build") / "t.ibd")


def records_of(page: bytes) -> list[int]:
    """Origins in link order, infimum and supremum included, and checks of heap numbers and owners."""
    origin, chain = INFIMUM_COMPACT, [INFIMUM_COMPACT]
    while origin != SUPREMUM_COMPACT:
        origin = (origin + int.from_bytes(page[origin - 2 : origin], "big")) % 65536
        chain.append(origin)
        assert len(chain) < 5000
    return chain


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 30])
def test_records_are_linked_and_owned_as_the_server_does(n: int) -> None:
    fill = n * 100 / (4096 - 132)
    page = build_space([IndexSpec("PRIMARY", fill=fill)], page_size=4096).page(4)
    chain = records_of(page)
    assert len(chain) == n + 2
    n_slots = int.from_bytes(page[38:40], "big")
    slots = [int.from_bytes(page[4096 - 8 - 2 * i - 2 : 4096 - 8 - 2 * i], "big") for i in range(n_slots)]
    owned = [page[origin - 5] & 15 for origin in chain]
    assert [o for o, k in zip(chain, owned, strict=True) if k] == slots
    assert owned[0] == 1
    assert all(4 <= k <= 8 for k in owned[1:-1] if k)
    assert 1 <= owned[-1] <= 8
    assert sum(owned) == n + 2
    heap = [int.from_bytes(page[o - 4 : o - 2], "big") >> 3 for o in chain]
    assert sorted(heap) == list(range(n + 2))
    assert int.from_bytes(page[42:44], "big") == 0x8000 | (n + 2)


def test_keys_ascend_along_the_leaves_and_pointers_lead_to_them() -> None:
    built = build_space([IndexSpec("PRIMARY", leaves=30, fill=0.6, order="random", fanout=7)], page_size=4096)
    index = built.index("PRIMARY")
    assert index.height == 3
    keys: list[int] = []
    for page_no in index.leaf_pages:
        page = built.page(page_no)
        keys += [int.from_bytes(page[o : o + 4], "big") for o in records_of(page)[1:-1]]
    assert keys == sorted(set(keys))
    for level in (1, 2):
        children = []
        for i, page_no in enumerate(index.levels[level]):
            page = built.page(page_no)
            origins = records_of(page)[1:-1]
            assert [bool(page[o - 5] & 0x10) for o in origins] == [i == 0 and o == origins[0] for o in origins]
            children += [int.from_bytes(page[o + 4 : o + 8], "big") for o in origins]
        assert children == list(index.levels[level - 1])


def test_orders(tmp_path: Path) -> None:
    wanted = {"ascending": (1, 0), "descending": (0, 1), "random": (0, 0.5), "interleaved": (0, 0)}
    for order, (contiguous, backward) in wanted.items():
        spec = IndexSpec("PRIMARY", leaves=128, fill=0.5, order=order, record_bytes=400)
        leaf = check_survey(build_space([spec], page_size=4096), tmp_path / "t.ibd").index("PRIMARY").leaf
        assert leaf.contiguous == pytest.approx(contiguous, abs=0.05)
        assert leaf.backward == pytest.approx(backward, abs=0.12)
    assert interleaved(7, 3) == [0, 3, 6, 1, 4, 2, 5]
    assert interleaved(2, 5) == [0, 1]


def test_the_same_arguments_give_the_same_bytes() -> None:
    random.seed(1)
    one = build_space(RICH, page_size=4096, seed=3).data
    random.seed(2)
    assert build_space(RICH, page_size=4096, seed=3).data == one
    assert build_space(RICH, page_size=4096, seed=4).data != one


def test_small_files_have_the_servers_first_size() -> None:
    assert build_space([IndexSpec("PRIMARY", fill=0)]).n_pages == 7
    assert build_space([IndexSpec("PRIMARY", fill=0)], family="mariadb").n_pages == 4


def test_lsns_grow_as_pages_were_written(tmp_path: Path) -> None:
    built = build_space([IndexSpec("PRIMARY", leaves=30, fill=0.5, order="random")], page_size=4096)
    survey = check_survey(built, tmp_path / "t.ibd")
    leaves = np.sort(np.array(built.index("PRIMARY").leaf_pages))
    assert np.all(np.diff(survey.columns.lsn[leaves].astype(np.int64)) > 0)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (IndexSpec("PRIMARY", leaves=0), "0 leaves"),
        (IndexSpec("PRIMARY", leaves=3, fill=[0.5, 0.5]), "2 fills for 3 leaves"),
        (IndexSpec("PRIMARY", leaves=2, fill=0), "0 only for a single leaf"),
        (IndexSpec("PRIMARY", fill=1.2), "up to 1"),
        (IndexSpec("PRIMARY", fill=1.0), "no room for a directory"),
        (IndexSpec("PRIMARY", fill=0.9, garbage=0.2), "no room"),
        (IndexSpec("PRIMARY", fill=0.001), "can not be made"),
        (IndexSpec("PRIMARY", leaves=2, order="sideways"), "'sideways' is none of"),
        (IndexSpec("PRIMARY", leaves=2, order=[0, 0]), "not a permutation"),
        (IndexSpec("PRIMARY", leaves=2, order="interleaved", streams=0), "at least one stream"),
    ],
)
def test_what_can_not_be_built_is_refused(spec: IndexSpec, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build_space([spec], page_size=4096)


def test_wrong_options_are_refused() -> None:
    with pytest.raises(ValueError, match="page size"):
        build_space([], page_size=5000)
    with pytest.raises(ValueError, match="family"):
        build_space([], family="oracle")
    with pytest.raises(ValueError, match="one name"):
        build_space([IndexSpec("a"), IndexSpec("a")])
