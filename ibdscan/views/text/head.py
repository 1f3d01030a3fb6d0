"""What each report on a file begins with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ibdscan.views.table.tables import Style, printable
from ibdscan.views.table.units import bytes_text, count_text

if TYPE_CHECKING:
    from ibdscan.measures.file.survey import Survey
    from ibdscan.measures.index.index import Index


def head_lines(survey: Survey, style: Style) -> list[str]:
    """Name, family, version, sizes: the first lines of each report on a file."""
    space = survey.space
    size = space.geometry.physical
    row_format = f", {survey.row_format} rows" if survey.row_format else ""
    allocated = space.source.allocated_bytes
    held = f", {bytes_text(allocated)} allocated" if allocated is not None else ""
    lines = [
        style.bold(printable(space.path)),
        f"{family_words(survey)}, {size // 1024} KiB pages{row_format}, space {space.space_id}"
        + (", full_crc32" if space.flags.full_crc32 else ""),
    ]
    tables = list(dict.fromkeys(i.table for i in survey.indexes if i.table))
    if tables:
        shown = ", ".join(printable(t) for t in tables[:3])
        more = f" and {len(tables) - 3} more" if len(tables) > 3 else ""
        lines.append(f"{'table' if len(tables) == 1 else 'tables'} {shown}{more}")
    elif survey.path_table:
        lines.append(f"table {printable(survey.path_table)} (from the file name)")
    states = [(state, n) for state, n in survey.page_states.items() if n or state != "unknown"]
    lines.append(
        f"{count_text(survey.n_pages)} pages, {bytes_text(space.source.size)}{held}: "
        + ", ".join(f"{count_text(n)} {state}" for state, n in states)
    )
    if int(space.fsp.size) != survey.n_pages:
        lines.append(f"the header records {count_text(int(space.fsp.size))} pages (FSP_SIZE)")
    return lines + _storage_lines(survey)


def _storage_lines(survey: Survey) -> list[str]:
    storage = survey.storage
    lines = []
    if storage.compression:
        part = "" if storage.compression_ratio is None else f", to {storage.compression_ratio * 100:.1f} %"
        holes = survey.space.source.count_holes()
        punched = "" if holes is None else f"; {count_text(holes)} holes in the file"
        lines.append(
            f"page compression {storage.compression}: {count_text(storage.compressed_pages)} pages "
            f"stored compressed{part}{punched}"
        )
    if survey.space.flags.is_zip:
        logical = survey.space.geometry.logical // 1024
        lines.append(
            f"KEY_BLOCK_SIZE={survey.page_size // 1024}: fill is of the uncompressed {logical} KiB image "
            "of each page"
        )
    if storage.encrypted and not storage.unread_pages:
        lines.append(f"encrypted: {count_text(storage.encrypted_pages)} pages, read with the key given")
    return lines + [printable(note) for note in storage.notes]


def family_words(survey: Survey) -> str:
    """The server and its version in words, as precisely as the file allows."""
    from ibdscan.pages.space.version import server_words

    return server_words(survey.space)


def label(index: Index, *, with_table: bool = False) -> str:
    """Index name, its table where there are several, ``*`` for the clustered one, the kind if not a B+tree."""
    name = f"{index.table}.{index.name}" if with_table and index.table else index.name
    star = " *" if index.clustered else ""
    kind = f" ({index.kind})" if index.kind not in ("btree", "sdi") else ""
    return f"{name}{star}{kind}"
