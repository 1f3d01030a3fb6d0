"""The small real files in fixtures/ and the server's own words of each, as an oracle like the corpus's."""

from __future__ import annotations

import json
import lzma
import struct
from pathlib import Path
from typing import Any

from tests.corpus import Innochecksum, Oracle, OracleIndex, OracleTable

FOLDER = Path(__file__).resolve().parents[1] / "fixtures"
FAMILIES = ("mysql97", "mariadb1011")


def fixture_files() -> list[Path]:
    """All ``fixtures/<family>/<name>.ibd.xz``; each has its JSON beside it."""
    return sorted(p for family in FAMILIES for p in (FOLDER / family).glob("*.ibd.xz"))


def fixture_id(path: Path) -> str:
    return f"{path.parent.name}/{path.name.removesuffix('.ibd.xz')}"


def fixture_facts(path: Path) -> dict[str, Any]:
    facts: dict[str, Any] = json.loads(path.with_name(path.name.replace(".ibd.xz", ".json")).read_text("utf-8"))
    return facts


def fixture_bytes(path: Path) -> bytes:
    """The unpacked file."""
    return lzma.decompress(path.read_bytes())


def fixture_oracle(path: Path) -> Oracle:
    facts = fixture_facts(path)
    data = fixture_bytes(path)
    table = _table(facts)
    pages = [(no, name, n, size) for name, rows in facts["pages"].items() for no, n, size in rows]
    return Oracle(
        server_version=facts["server_version"],
        page_size=facts["page_size"],
        tablespace=None,
        datafile_free=None,
        tables=(table,),
        visited={i.visited_names[0]: frozenset(p[0] for p in pages if p[1] == i.name) for i in table.indexes},
        buffer_pages=tuple((no, "INDEX", name, n, size) for no, name, n, size in sorted(pages)),
        header=_header(data),
        innochecksum=Innochecksum("", (), has_tree_counts=False),
        sdi=None,
        file_bytes=facts["bytes"],
        unchanged=True,
        encrypts_all=False,
        is_live_copy=False,
    )


def _table(facts: dict[str, Any]) -> OracleTable:
    schema, name = facts["database"], facts["table"]
    indexes = tuple(
        OracleIndex(
            table=f"{schema}/{name}",
            schema=schema,
            table_name=name,
            name=index["name"],
            index_id=index["index_id"],
            root_page_no=index["root_page_no"],
            type=3 if index["name"] == "PRIMARY" else 0,
            n_fields=1,  # every key of the recipes has one column
            n_leaf_pages=index["n_leaf_pages"],
            size=index["size"],
        )
        for index in facts["indexes"]
    )
    return OracleTable(
        full_name=f"{schema}/{name}",
        schema=schema,
        name=name,
        indexes=indexes,
        row_count=facts["row_count"],
        table_rows=None,
        data_free=facts["data_free"],
        create_table=facts["create_table"],
        clustered_size=None,
        other_sizes=None,
    )


def _header(page: bytes) -> dict[str, Any]:
    """Page 0 read by hand."""
    (lsn,) = struct.unpack_from(">Q", page, 16)
    space_id, _, size, free_limit, flags, frag_n_used = struct.unpack_from(">6I", page, 38)
    names = ("lsn", "fsp_space_id", "fsp_size", "free_limit", "flags", "frag_n_used")
    return dict(zip(names, (lsn, space_id, size, free_limit, flags, frag_n_used), strict=True))
