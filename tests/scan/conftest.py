"""A small data directory made of the fixtures: real files of both servers."""

from __future__ import annotations

import lzma
import shutil
from pathlib import Path

import pytest

FIXTURES = Path(__file__).parents[2] / "fixtures"


def unpack(packed: Path, target: Path) -> Path:
    """One fixture as a file of its own."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with lzma.open(packed) as source, target.open("wb") as out:
        shutil.copyfileobj(source, out)
    return target


@pytest.fixture(scope="session")
def _unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("datadirs")
    for family in ("mysql97", "mariadb1011"):
        for packed in sorted((FIXTURES / family).glob("*.ibd.xz")):
            unpack(packed, root / family / "shop" / packed.name.removesuffix(".xz"))
    return root


@pytest.fixture
def datadirs(_unpacked: Path, tmp_path: Path) -> Path:
    """``mysql97/shop/*.ibd`` and ``mariadb1011/shop/*.ibd``, to be changed at will."""
    return Path(shutil.copytree(_unpacked, tmp_path / "datadirs"))


@pytest.fixture
def datadir(datadirs: Path) -> Path:
    """MySQL's files alone."""
    return datadirs / "mysql97"
