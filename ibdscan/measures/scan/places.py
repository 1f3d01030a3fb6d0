"""Which files are tablespaces, by their names, and of which table."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache

from ibdscan.layout.filename import decode_filename

KINDS = ("table", "shared", "system", "dictionary", "undo", "temporary")
PACKED = (".xz", ".gz", ".zst", ".lz4")
_TABLESPACE = re.compile(r"(?:.+\.ib[dtu]|ibdata\d+|ibtmp\d+|undo_?\d+)(?:\.xz|\.gz|\.zst|\.lz4)?", re.DOTALL)
_SYSTEM = re.compile(r"ibdata\d+")
_UNDO = re.compile(r"undo_?\d+|.+\.ibu", re.DOTALL)
"""MySQL's CREATE UNDO TABLESPACE wants names that end in ``.ibu``."""
_TEMPORARY = re.compile(r"ibtmp\d+|.+\.ibt", re.DOTALL)
_PART = re.compile(
    r"(?P<table>.+?)#(?:p#(?P<partition>.+)|(?P<vector>i#\d+))|(?P<fulltext>fts_[0-9a-f]{16})_(?P<aux>[0-9a-z_]+)",
    re.DOTALL | re.IGNORECASE,
)
"""A partition; MariaDB's file of a vector index; an auxiliary table of a FULLTEXT index, with its table's id."""


@dataclass(frozen=True)
class Place:
    """What a path says. ``kind`` is one of :data:`KINDS`; ``shared`` only shows inside the file. ``partition``
    also names a file beside the table's own: ``i#01`` of a vector index; the auxiliary tables of a FULLTEXT index
    are parts of one ``FTS_<table id>``."""

    schema: str | None
    table: str | None
    partition: str | None
    kind: str

    @property
    def name(self) -> str:
        """``schema/table``, or what there is of it."""
        return "/".join(part for part in (self.schema, self.table) if part)


def is_tablespace_name(name: str) -> bool:
    """Whether a file of that name is looked at.

    >>> [is_tablespace_name(n) for n in ("t.ibd", "t.ibd.xz", "ibdata1", "undo_001", "t.frm", "ib_logfile0")]
    [True, True, True, True, False, False]
    """
    return _TABLESPACE.fullmatch(name) is not None


def is_system_part(name: str) -> bool:
    """``ibdata1``, ``ibdata2``, ...: unpacked parts of one tablespace."""
    return _SYSTEM.fullmatch(name) is not None


def place_of(path: str) -> Place:
    """Schema, table and partition by folder and file name, as the server encodes them.

    >>> place_of("/d/shop/order@0020s#p#p0#sp#s1.ibd")
    Place(schema='shop', table='order s', partition='p0#sp#s1', kind='table')
    """
    folder, name = os.path.split(path)
    if name.endswith(PACKED):
        name = name.rpartition(".")[0]
    if not name.endswith(".ibd"):
        kind = "system" if _SYSTEM.fullmatch(name) else "undo" if _UNDO.fullmatch(name) else None
        kind = kind or ("temporary" if _TEMPORARY.fullmatch(name) else None)
        if kind is not None:
            return Place(None, None, None, kind)
    elif name == "mysql.ibd":
        return Place(None, None, None, "dictionary")
    stem = name.removesuffix(".ibd")
    found = _PART.fullmatch(stem)
    table = (found["table"] or found["fulltext"]) if found else stem
    part = decode_filename(found["partition"] or found["vector"] or found["aux"]) if found else None
    return Place(_schema_of(folder), decode_filename(table), part, "table")


@lru_cache(maxsize=64)
def _schema_of(folder: str) -> str:
    return decode_filename(os.path.basename(os.path.abspath(folder)))


class NameFilter:
    """``--match`` and ``--exclude``: shell patterns for table, schema/table, schema.table, file or path."""

    def __init__(self, match: tuple[str, ...] = (), exclude: tuple[str, ...] = ()) -> None:
        self._match = match
        self._exclude = exclude

    def takes(self, path: str) -> bool:
        """Whether the file at ``path`` is wanted."""
        if not self._match and not self._exclude:
            return True
        place = place_of(path)
        name = place.name
        names = {path, os.path.basename(path), name, name.replace("/", "."), place.table or ""}

        def fits(patterns: tuple[str, ...]) -> bool:
            return any(fnmatchcase(name, pattern) for pattern in patterns for name in names)

        return (not self._match or fits(self._match)) and not fits(self._exclude)
