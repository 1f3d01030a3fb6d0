"""Whether a file is refused for what it is, by the oracle's words."""

from __future__ import annotations

from ibdscan.errors import IbdError, NotATablespaceError, UnsupportedFormatError
from tests.corpus import Oracle

_FULL_CRC32 = 0x10


def is_refusal_right(error: IbdError, oracle: Oracle) -> bool:
    """The oracle shows the format, or the damage, that the message names."""
    message = error.message
    if isinstance(error, UnsupportedFormatError):
        if "ROW_FORMAT=COMPRESSED" in message:
            return _is_zip(oracle)
        if "page compression" in message:
            return _is_page_compressed(oracle)
        return "encrypted" in message and _is_encrypted(oracle)
    is_blank = not any(oracle.header[key] for key in ("flags", "lsn", "fsp_size", "space_id"))
    return isinstance(error, NotATablespaceError) and "page 0 is all zeros" in message and is_blank


def _is_zip(oracle: Oracle) -> bool:
    flags = oracle.header["flags"]
    is_zip = not flags & _FULL_CRC32 and flags >> 1 & 0xF != 0
    row = oracle.tablespace or {}
    named = (row.get("ROW_FORMAT") or "").lower() in ("compressed", "any", "")
    return bool(is_zip and named)


def _is_page_compressed(oracle: Oracle) -> bool:
    kinds = {kind for _, kind, _ in oracle.innochecksum.page_types}
    created = " ".join(t.create_table for t in oracle.tables).upper()
    asked = "COMPRESSION=" in created or "PAGE_COMPRESSED" in created
    flags = oracle.header["flags"]
    marked = bool(flags & 0xE0) if flags & _FULL_CRC32 else bool(flags & 0x10000)
    return asked or marked or "Page compressed page" in kinds


def _is_encrypted(oracle: Oracle) -> bool:
    kinds = " ".join(kind.lower() for _, kind, _ in oracle.innochecksum.page_types)
    created = " ".join(t.create_table for t in oracle.tables).upper()
    row = oracle.tablespace or {}
    asked = "ENCRYPTED`=YES" in created.replace(" ", "") or "ENCRYPTION='Y'" in created
    return row.get("ENCRYPTION") == "Y" or asked or "encrypted" in kinds or oracle.encrypts_all
