"""How the bytes lie in the file: page compression, holes, encryption, and what could not be read for it."""

from __future__ import annotations

from dataclasses import dataclass

from ibdscan.pages.columns import PageColumns
from ibdscan.pages.tablespace import Tablespace


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
    unread_pages: int
    """Pages of which only the FIL header could be read."""
    notes: tuple[str, ...]
    """Plain words on what could not be read and why, and on work of the server that is not finished."""

    @property
    def compression_ratio(self) -> float | None:
        """Bytes stored for the compressed pages / bytes they stand for, None without compressed pages."""
        whole = self.compressed_pages * self.page_size
        return self.compressed_bytes / whole if whole else None


def measure_storage(space: Tablespace, columns: PageColumns) -> Storage:
    """From the flags and the forms seen in the scan."""
    forms = columns.forms
    named = space.flags.compression if space.flags.full_crc32 else None
    seen = "+".join(sorted(forms.algorithms))
    notes = [
        f"{message}: {unread.pages} pages not read"
        for (kind, message), unread in forms.problems.items()
        if kind != "damaged-image"
    ]
    if space.flags.undo_unusable:
        notes.append("marked as not usable: the server was creating or truncating this undo tablespace")
    return Storage(
        compression=seen or named or space.flags.compression,
        compressed_pages=forms.packed_pages,
        compressed_bytes=forms.packed_bytes,
        page_size=space.geometry.physical,
        encrypted=space.flags.encrypted or forms.encrypted_pages > 0,
        encrypted_pages=forms.encrypted_pages,
        unread_pages=forms.unread_pages,
        notes=tuple(notes),
    )
