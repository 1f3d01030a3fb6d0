"""The corpus's files are compared once a session, all that the selected tests need in one go."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import pytest

from ibdscan.measures.file.survey import Survey, open_survey
from tests.corpus import CorpusFile, corpus_files, find_file, require_corpus
from tests.oracle.run import FileResult, run_files

SurveyOf = Callable[[str, str, str], Survey]


class Runs:
    """Results of files, computed together at the first question."""

    def __init__(self, wanted: list[CorpusFile]) -> None:
        self._wanted = wanted
        self._results: dict[CorpusFile, FileResult] = {}

    def of(self, file: CorpusFile) -> FileResult:
        if file not in self._results:
            self._results |= run_files(self._wanted)
        return self._results[file]

    def all(self) -> list[FileResult]:
        files = corpus_files(require_corpus())
        missing = [f for f in files if f not in self._results]
        if missing:
            self._results |= run_files(missing)
        return [self._results[f] for f in files]


@pytest.fixture(scope="session")
def runs(request: pytest.FixtureRequest) -> Runs:
    require_corpus()
    params = (getattr(item, "callspec", None) for item in request.session.items)
    files = (callspec.params.get("file") for callspec in params if callspec is not None)
    return Runs([f for f in files if isinstance(f, CorpusFile)])


@pytest.fixture(scope="session")
def survey_of() -> Iterator[SurveyOf]:
    """``survey_of(engine, instance, table)`` -> the survey of that file, made once."""
    root = require_corpus()
    with ExitStack() as stack:

        @cache
        def survey(engine: str, instance: str, stem: str) -> Survey:
            found = open_survey(str(find_file(root, engine, instance, stem).path))
            stack.callback(found.close)
            return found

        yield survey
