"""How the bytes lie in the file: page compression, holes, encryption, and what could not be read for it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibdscan.layout.bridge import reader_of
from ibdscan.layout.fsp import ENCRYPTION_PROGRESS, encryption_progress_offset
from ibdscan.layout.numbers import PageType
from ibdscan.pages.page.columns import PageColumns
from ibdscan.pages.space.tablespace import Tablespace


@dataclass(frozen=True)
class Storage:
    """What the file system and the stored forms of the pages say."""

    compression: str | None
    """Page compression: its algorithm, several joined by ``+``; None without."""
    compressed_pages: int
    compressed_bytes: int
    """Bytes of the images of the compressed pages."""
    page_size: int
    encrypted: bool
    encrypted_pages: int
    plain_pages: int
    """Of a file with encrypted pages: those in use that are not, though the server would encrypt them."""
    unread_pages: int
    """Pages of which only the FIL header could be read."""
    notes: tuple[str, ...]
    """Plain words on what could not be read and why, and on work of the server that is not finished."""

    @property
    def compression_ratio(self) -> float | None:
        """Bytes stored for the compressed pages / bytes they stand for, None without compressed pages."""
        whole = self.compressed_pages * self.page_size
        return self.compressed_bytes / whole if whole else None


_NEVER_ENCRYPTED = (PageType.FSP_HDR, PageType.XDES, PageType.RTREE, PageType.TRX_SYS, PageType.ALLOCATED)
"""By MariaDB (``fil_space_encrypt``); by MySQL page 0 alone."""
_UNDER_WAY = {1: "an encryption was under way", 2: "a decryption was under way"}


def measure_storage(space: Tablespace, columns: PageColumns, live: npt.NDArray[np.bool_]) -> Storage:
    """From the flags and the forms seen in the scan; ``live``: the pages in use, bool (n_pages,)."""
    forms = columns.forms
    named = space.flags.compression if space.flags.full_crc32 else None
    seen = "+".join(sorted(forms.algorithms))
    notes = [
        f"{message}: {unread.pages} pages not read"
        for (kind, message), unread in forms.problems.items()
        if kind != "damaged-image"
    ]
    plain = _plain_pages(space, columns, live)
    if plain:
        work = _UNDER_WAY.get(_operation(space), "an encryption or decryption is not finished")
        notes.append(f"{work}: {forms.encrypted_pages} pages are encrypted, {plain} in use are not")
    if space.flags.undo_unusable:
        notes.append("marked as not usable: the server was creating or truncating this undo tablespace")
    return Storage(
        compression=seen or named or space.flags.compression,
        compressed_pages=forms.packed_pages,
        compressed_bytes=forms.packed_bytes,
        page_size=space.geometry.physical,
        encrypted=space.flags.encrypted or forms.encrypted_pages > 0,
        encrypted_pages=forms.encrypted_pages,
        plain_pages=plain,
        unread_pages=forms.unread_pages,
        notes=tuple(notes),
    )


def _plain_pages(space: Tablespace, columns: PageColumns, live: npt.NDArray[np.bool_]) -> int:
    if not columns.forms.encrypted_pages:
        return 0
    plain = live & columns.written
    plain[0] = False
    plain[np.concatenate(columns.forms.encrypted_at)] = False
    if columns.doublewrite is not None:
        plain &= ~columns.doublewrite
    if space.family == "mariadb":
        plain &= ~np.isin(columns.type, _NEVER_ENCRYPTED)
    return int(plain.sum())


def _operation(space: Tablespace) -> int:
    """The ALTER ... ENCRYPTION that page 0 of MySQL 8.0+ notes, 0 for none."""
    if not space.flags.sdi:
        return 0
    page = space.read_page(0)
    return int(reader_of(ENCRYPTION_PROGRESS)(page, encryption_progress_offset(space.geometry)).operation)
