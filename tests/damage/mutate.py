"""Mutations of tablespace files, and what a survey of the result may do: answer, or raise IbdError."""

from __future__ import annotations

import json
import random
import warnings
from functools import cache
from pathlib import Path

import numpy as np

from ibdscan.errors import IbdError
from ibdscan.measures.file.survey import Survey, open_survey
from ibdscan.testing import IndexSpec, build_space
from ibdscan.views.data.survey import survey_data

INTERESTING = (0, 1, 2, 3, 4, 5, 8, 18, 63, 64, 255, 4095, 4096, 17853, 17854, 17855, 0x7FFF, 0x8000, 0xFFFF)
WIDE_VALUES = (0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF, 1 << 63, (1 << 64) - 1, 97937874)
HOT = (*range(0, 160), *range(174, 262, 4))
"""Offsets where headers, XDES entries and inodes lie."""


@cache
def seeds() -> tuple[bytes, ...]:
    """Small built files with 4 KiB pages: every structure that a survey reads."""
    rich = [
        IndexSpec("PRIMARY", leaves=60, fill=0.6, order="random", stale=6, fanout=10, record_bytes=190),
        IndexSpec("k", leaves=12, fill=0.8, order="interleaved", record_bytes=190),
        IndexSpec("gone", leaves=5, fill=0.5, dropped=True, record_bytes=190),
    ]
    large = [IndexSpec("PRIMARY", leaves=160, fill=0.3, order="descending", stale=20, record_bytes=190)]
    return (
        build_space(rich, page_size=4096).data,
        build_space(rich, page_size=4096, family="mariadb").data,
        build_space(rich, page_size=4096, sdi=False).data,
        build_space(large, page_size=4096, family="mysql", unused_extents=1).data,
        build_space([IndexSpec("PRIMARY", fill=0.2)], page_size=4096).data,
    )


def mutate(data: bytes, rng: random.Random, page_size: int = 4096) -> bytes:
    """One to six random changes: a field, bytes, a region of zeros or noise, pages swapped, a cut."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 6)):
        n_pages = max(1, len(out) // page_size)
        page = rng.choice([0, 0, 0, 2, 2, 3, 4, rng.randrange(n_pages), rng.randrange(n_pages)]) * page_size
        kind = rng.random()
        if kind < 0.6:
            _set_field(out, page, rng, n_pages)
        elif kind < 0.75:
            for _ in range(rng.randint(1, 20)):
                if out:
                    out[rng.randrange(len(out))] = rng.randrange(256)
        elif kind < 0.85:
            start, size = (
                min(page + rng.randrange(page_size), len(out)),
                rng.choice([1, 4, 16, 100, 1000, page_size]),
            )
            end = min(len(out), start + size)
            out[start:end] = bytes(end - start) if rng.random() < 0.5 else rng.randbytes(end - start)
        elif kind < 0.95:
            other = rng.randrange(n_pages) * page_size
            a, b = out[page : page + page_size], out[other : other + page_size]
            if len(a) == len(b) == page_size:
                out[page : page + page_size], out[other : other + page_size] = b, a
        else:
            del out[rng.randrange(len(out) + 1) if rng.random() < 0.5 else rng.randrange(n_pages) * page_size :]
    return bytes(out)


def _set_field(out: bytearray, page: int, rng: random.Random, n_pages: int) -> None:
    width = rng.choice([1, 2, 2, 4, 4, 4, 8])
    at = page + (rng.choice(HOT) if rng.random() < 0.8 else rng.randrange(4096))
    near = (n_pages - 1, n_pages, n_pages + 1, rng.randrange(n_pages))
    value = rng.choice([*INTERESTING, *WIDE_VALUES, *near, *near, rng.getrandbits(64)])
    if at + width <= len(out):
        out[at : at + width] = (value % (1 << 8 * width)).to_bytes(width, "big")


def survey_bytes(data: bytes, path: Path) -> Survey | IbdError:
    """Survey the bytes as a file and look at everything; any exception but IbdError gets out."""
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            survey = open_survey(str(path))
        except IbdError as e:
            check_message(e, path)
            return e
        try:
            look_at(survey)
        finally:
            survey.close()
    return survey


def check_message(error: IbdError, path: Path) -> None:
    """One line that names the file."""
    assert "\n" not in str(error)
    assert str(path) in str(error)


def look_at(survey: Survey) -> None:
    """Compute every lazy figure and check the sums that always hold."""
    n = survey.n_pages
    assert sum(survey.page_states.values()) == n
    assert sum(survey.page_classes.values()) == n
    assert sum(survey.page_types.values()) == survey.page_states["live"]
    assert survey.data_free_bytes >= 0
    assert survey.row_format is None or survey.row_format
    assert len(survey.rank) == n
    for index in survey.indexes:
        assert index.used_pages >= 0
        assert index.reserved_pages >= 0
        for level in index.levels:
            assert level.fill.fill is None or 0 <= level.fill.fill <= 1
            assert len(np.unique(level.chain)) == len(level.chain) <= level.pages
            for ratio in (level.order.contiguous, level.order.out_of_order, level.order.backward):
                assert ratio is None or 0 <= ratio <= 1
    json.dumps(survey_data(survey), allow_nan=False)
    for finding in survey.findings:
        assert finding.kind
        assert "\n" not in finding.message
        assert finding.page_no is None or finding.page_no >= 0
