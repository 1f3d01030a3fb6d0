"""Every file of the corpus against its oracle. What is compared and accepted: docs/accuracy.md."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.corpus import CorpusFile, corpus_files, corpus_root, require_corpus
from tests.oracle.__main__ import PAGE
from tests.oracle.conftest import Runs
from tests.oracle.reasons import REASONS
from tests.oracle.report import CHECKS, render
from tests.oracle.verdict import DIFFERENT

pytestmark = pytest.mark.corpus


def _files() -> list[CorpusFile | None]:
    """One test a file; a single one without the corpus, which is skipped or fails."""
    root = corpus_root()
    return list(corpus_files(root)) if root else [None]


@pytest.mark.parametrize("file", _files(), ids=lambda f: f.id if f else "no-corpus")
def test_file_agrees_with_the_server(file: CorpusFile | None, runs: Runs) -> None:
    require_corpus()
    assert file is not None
    result = runs.of(file)
    different = [str(c) for c in result.others if c.verdict == DIFFERENT]
    assert not different, "\n".join(different[:20])
    assert result.refusal_is_right, f"refused, and the oracle does not say so: {result.refused}"
    assert result.refused or result.exact["header"] >= 6


def test_nothing_is_dropped(runs: Runs) -> None:
    """Each file is read or refused; each kind of comparison was made, on many files."""
    results = runs.all()
    assert len(results) == len({r.file.id for r in results}) == len(corpus_files(require_corpus()))
    total: Counter[str] = Counter()
    for result in results:
        total += result.exact
    assert set(total) == set(CHECKS)
    assert {c.reason for r in results for c in r.others} <= set(REASONS)
    read = [r for r in results if not r.refused]
    assert len(read) >= 700
    assert total["records"] == total["data size"] > 80_000
    assert total["live pages"] > 1_000


def test_only_files_that_change_are_approximate(runs: Runs) -> None:
    approximate = {Path(r.file.name).name for r in runs.all() if r.is_approximate}
    approximate -= {Path(r.file.name).name for r in runs.all() if r.file.instance in ("live", "temp")}
    assert approximate == {"ibdata1", "mysql.ibd", "undo_001", "undo_002"}


def test_accuracy_page_is_up_to_date(runs: Runs) -> None:
    assert PAGE.is_file(), "run python -m tests.oracle"
    assert PAGE.read_text(encoding="utf-8") == render(runs.all()), "out of date: run python -m tests.oracle"
