"""Whatever a file holds: a survey, or an IbdError of one line. Deterministic, some seconds."""

from __future__ import annotations

import lzma
import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibdscan.errors import IbdError
from ibdscan.measures.file.survey import Survey
from tests.damage.mutate import mutate, seeds, survey_bytes
from tests.files import fixture_bytes

FUZZ = settings(max_examples=300, deadline=20_000, derandomize=True)
SMALL_FIXTURES = (
    "mysql97/page4k",
    "mariadb1011/page4k",
    "mysql97/empty",
    "mysql97/compact",
    "mariadb1011/redundant",
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz") / "t.ibd"


@given(st.integers(0, 2**32), st.integers(0, 4))
@FUZZ
def test_mutations_of_built_files(path: Path, seed: int, which: int) -> None:
    survey_bytes(mutate(seeds()[which], random.Random(seed)), path)


@given(st.integers(0, 2**32), st.sampled_from(SMALL_FIXTURES))
@FUZZ
def test_mutations_of_real_files(path: Path, seed: int, name: str) -> None:
    page_size = 4096 if "page4k" in name else 16384
    survey_bytes(mutate(fixture_bytes(name), random.Random(seed), page_size), path)


@given(st.data())
@FUZZ
def test_a_patch_anywhere(path: Path, data: st.DataObject) -> None:
    seed = seeds()[data.draw(st.integers(0, 4))]
    at = data.draw(st.integers(0, len(seed) - 1))
    patch = data.draw(st.binary(min_size=1, max_size=40))
    survey_bytes((seed[:at] + patch + seed[at + len(patch) :])[: len(seed)], path)


@given(st.integers(0, 400_000), st.integers(0, 4))
@FUZZ
def test_a_cut_anywhere(path: Path, length: int, which: int) -> None:
    found = survey_bytes(seeds()[which][:length], path)
    if length < len(seeds()[which]):
        assert isinstance(found, IbdError) or found.findings


@given(st.binary(max_size=300))
@FUZZ
def test_any_bytes(path: Path, body: bytes) -> None:
    assert isinstance(survey_bytes(body, path), IbdError)
    survey_bytes(body + bytes(20_000), path)


@given(st.binary(max_size=60), st.integers(0, 8000))
@settings(max_examples=60, deadline=20_000, derandomize=True)
def test_damaged_compressed_copies(path: Path, patch: bytes, at: int) -> None:
    packed = lzma.compress(seeds()[4])
    at %= len(packed)
    found = survey_bytes(packed[:at] + patch + packed[at + len(patch) :], path)
    assert isinstance(found, (IbdError, Survey))


@pytest.mark.parametrize("page", range(4, 30, 5))
def test_absurd_record_counts_take_no_time(path: Path, page: int) -> None:
    data = bytearray(seeds()[0])
    for at in range(page * 4096, len(data), 3 * 4096):
        data[at + 54 : at + 56] = b"\xff\xff"
        data[at + 40 : at + 42] = b"\x00\x79" if page % 2 else b"\x0f\x00"
    start = time.process_time()
    survey_bytes(bytes(data), path)
    assert time.process_time() - start < 2


def test_the_seeds_are_whole(path: Path) -> None:
    for seed in seeds():
        found = survey_bytes(seed, path)
        assert isinstance(found, Survey)
        assert not found.findings
