"""The real files of ``fixtures/``, and small built ones, for tests of all stages."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ibdscan.measures.file.survey import Survey, open_survey

FIXTURES = Path(__file__).parent.parent / "fixtures"
FAMILIES = ("mariadb1011", "mysql97")
"""Uncompressed, unencrypted tables with what the server said of them beside."""
ALL = sorted(path for family in FAMILIES for path in (FIXTURES / family).glob("*.ibd.xz"))
IDS = [f"{p.parent.name}/{p.name.removesuffix('.ibd.xz')}" for p in ALL]
every_fixture = pytest.mark.parametrize("path", ALL, ids=IDS)


def fixture(name: str) -> Path:
    """``mysql97/empty`` -> its path."""
    return FIXTURES / f"{name}.ibd.xz"


@cache
def fixture_bytes(name: str) -> bytes:
    """A fixture unpacked."""
    return lzma.decompress(fixture(name).read_bytes())


def facts(path: Path) -> dict[str, Any]:
    """What the server said of a fixture."""
    said: dict[str, Any] = json.loads(path.with_name(path.name.replace(".ibd.xz", ".json")).read_text("utf-8"))
    return said


@contextmanager
def surveyed(path: Path) -> Iterator[Survey]:
    """A survey, closed at the end."""
    survey = open_survey(str(path))
    try:
        yield survey
    finally:
        survey.close()
