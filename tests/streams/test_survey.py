"""A survey of a stream says what the survey of the file says, key for key."""

from __future__ import annotations

import lzma
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ibdscan.errors import IbdError, NotKeptError
from ibdscan.measures.file.streamed import StreamedSurvey, survey_bytes
from ibdscan.measures.file.survey import open_survey
from ibdscan.pages.decode.keyring import read_keyring
from ibdscan.pages.source import streamed as module
from ibdscan.views.data.survey import survey_data
from tests.corpus import corpus_files, require_corpus
from tests.formats.keys import key_file

ROOT = Path(__file__).resolve().parents[2] / "fixtures"
FIXTURES = sorted(p for p in ROOT.rglob("*.xz") if "formats" not in p.parts)
SECOND_LOOK = "rows of unlike sizes take a second look at the leaves, a stream gives one"


def parts(data: bytes, seed: int) -> Iterator[bytes]:
    """In pieces of any size."""
    chosen, at = random.Random(seed), 0
    while at < len(data):
        n = chosen.choice((1, 1000, 70_000, 1 << 20, 5 << 20))
        yield data[at : at + n]
        at += n


def told(make: Any) -> Any:
    try:
        return survey_data(make())
    except IbdError as e:
        return type(e).__name__, e.message


def without_estimates(data: dict[str, Any], second_look: set[int]) -> dict[str, Any]:
    """What a stream can not have left out: what the file system has allocated, and where that index is the reason
    the estimate of its rebuild, of the sum and of the file."""
    left = {k: v for k, v in data.items() if k not in ("allocated_bytes", "holes", "rebuild")}
    left["indexes"] = [
        {k: v for k, v in i.items() if n not in second_look or k not in ("rebuild", "no_estimate", "verdict")}
        for n, i in enumerate(data["indexes"])
    ]
    return left if second_look else left | {"rebuild": data["rebuild"]}


def check(path: Path, folder: Path, seed: int) -> None:
    data = lzma.decompress(path.read_bytes())
    plain = folder / path.name.removesuffix(".xz")
    plain.write_bytes(data)
    key = key_file(path)
    keys = None if key is None else read_keyring(key)
    file = told(lambda: open_survey(str(plain), keyring=keys))
    stream = told(lambda: survey_bytes(parts(data, seed), str(plain), keys))
    plain.unlink()
    if isinstance(file, tuple) or isinstance(stream, tuple):
        assert stream == file
        return
    looked = {n for n, i in enumerate(stream["indexes"]) if i["no_estimate"] == SECOND_LOOK}
    assert without_estimates(stream, looked) == without_estimates(file, looked)


@pytest.mark.parametrize("path", FIXTURES, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_fixtures(path: Path, tmp_path: Path) -> None:
    check(path, tmp_path, 1)


@pytest.mark.corpus
@pytest.mark.parametrize("part", range(4))
def test_corpus(part: int, tmp_path: Path) -> None:
    files = corpus_files(require_corpus())[part::4]
    assert len(files) > 200
    for file in files:
        check(file.path, tmp_path, part)


def test_what_went_by_is_said_so(tmp_path: Path) -> None:
    data = lzma.decompress((ROOT / "mysql97" / "import_multi.ibd.xz").read_bytes())
    survey = survey_bytes([data], "a.ibd")
    leaf = int(survey.user_indexes[0].leaf.chain[5])
    with pytest.raises(NotKeptError, match="second look"):
        survey.space.read_page(leaf)
    assert survey.space.read_page(0) == data[:16384]
    with pytest.raises(NotKeptError):
        survey.space.source.gather(0, 1, 16384, 8)
    assert survey.space.source.count_holes() is None


def test_a_file_that_wants_all_its_pages_kept_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = lzma.decompress((ROOT / "mysql97" / "import_multi.ibd.xz").read_bytes())
    monkeypatch.setattr(module, "MAX_KEPT_BYTES", 0)
    with pytest.raises(NotKeptError, match="too many for a stream"):
        survey_bytes([data], "a.ibd")


def test_nothing_at_all() -> None:
    with pytest.raises(IbdError, match="empty"):
        StreamedSurvey("a.ibd").finish()
