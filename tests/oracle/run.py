"""Compare many files, in several processes; keep what is exact as counts and the rest in full."""

from __future__ import annotations

import multiprocessing
import os
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

from ibdscan.errors import IbdError
from ibdscan.measures.file.survey import open_survey
from ibdscan.pages.decode.keyring import read_keyring
from tests.corpus import CorpusFile, load_oracle
from tests.formats.keys import key_file
from tests.oracle.compare import compare
from tests.oracle.refused import is_refusal_right
from tests.oracle.verdict import EXACT, Comparison


@dataclass
class FileResult:
    """What came of one file."""

    file: CorpusFile
    server_version: str
    is_approximate: bool
    """The server was not asked of exactly these bytes."""
    refused: str = ""
    """The message with which this version refuses the file."""
    refusal_is_right: bool = True
    """The oracle has the format that the message names."""
    pages: int = 0
    indexes: int = 0
    exact: Counter[str] = field(default_factory=Counter)
    """Check -> comparisons that are equal."""
    others: list[Comparison] = field(default_factory=list)
    """All comparisons that are not."""


def run_file(file: CorpusFile) -> FileResult:
    """Survey one file and compare it to its oracle."""
    oracle = load_oracle(file)
    result = FileResult(file, oracle.server_version or "", not oracle.unchanged)
    try:
        keys = key_file(file.path)
        survey = open_survey(str(file.path), keyring=None if keys is None else read_keyring(keys))
    except IbdError as e:
        result.refused = e.message
        result.refusal_is_right = is_refusal_right(e, oracle)
        return result
    with survey.space.source:
        comparisons = compare(file.id, survey, oracle)
    result.pages, result.indexes = survey.n_pages, len([i for i in survey.indexes if i.has_leaf])
    result.exact = Counter(c.check for c in comparisons if c.verdict == EXACT)
    result.others = [c for c in comparisons if c.verdict != EXACT]
    return result


def run_files(files: Iterable[CorpusFile]) -> dict[CorpusFile, FileResult]:
    """Compare many files in as many processes as there are processors; the biggest first."""
    order = sorted(files, key=lambda f: (-f.path.stat().st_size, f))
    if len(order) <= 1:
        return {f: run_file(f) for f in order}
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context) as pool:
        results = list(pool.map(run_file, order, chunksize=4))
    return {r.file: r for r in sorted(results, key=lambda r: r.file)}
