"""The fixtures of other formats, and what the server said of them."""

from __future__ import annotations

import json
import lzma
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import ibdscan
from ibdscan.measures.file.survey import Survey

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "formats"
MARIADB_KEYS = FOLDER / "mariadb.keys"
MYSQL_KEYRING = FOLDER / "mysql.keyring"
KEYS = {
    "mariadb1011_encrypted.ibd": MARIADB_KEYS,
    "mariadb1011_encrypted_classic.ibd": MARIADB_KEYS,
    "mysql97_encrypted.ibd": MYSQL_KEYRING,
}


@cache
def facts() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads((FOLDER / "facts.json").read_text("utf-8"))
    return found


def path_of(name: str) -> Path:
    return FOLDER / "files" / f"{name}.xz"


@cache
def bytes_of(name: str) -> bytes:
    return lzma.decompress(path_of(name).read_bytes())


def open_real(name: str, *, keys: bool = True) -> ibdscan.Space:
    return ibdscan.open(path_of(name), keyring=KEYS.get(name) if keys else None)


def header_of_page(space: Survey, page_no: int) -> list[int]:
    """Records and data size of one page, as the server gives them."""
    size = space.columns.data_bytes(np.array([page_no]))
    return [int(space.columns.n_recs[page_no]), int(size[0])]
