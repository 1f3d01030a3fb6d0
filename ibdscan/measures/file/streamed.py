"""The survey of a tablespace that comes by once: heads of all pages are kept, and bodies that structures need."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ibdscan.errors import NotATablespaceError
from ibdscan.layout.index import INDEX_DATA_OFFSET, SEG_LEAF_OFFSET
from ibdscan.layout.numbers import FIL_NULL, SYSTEM_SPACE_ID, PageType
from ibdscan.measures.file.survey import Survey, survey_columns
from ibdscan.pages.decode.keyring import Keyring
from ibdscan.pages.page.columns import ColumnScan, page_head_dtype
from ibdscan.pages.source.archive import is_archive, open_stream, read_pieces
from ibdscan.pages.source.streamed import StreamedSource
from ibdscan.pages.space.tablespace import Tablespace, read_tablespace
from ibdscan.structures.space.segments import FIRST_INODE_PAGE

WINDOW_BYTES = 4 << 20
"""Worked on at a time; in the first, page sizes are told from the pages."""
_KEPT_TYPES = np.array(
    [
        int(t)
        for t in (
            *(PageType.FSP_HDR, PageType.XDES, PageType.INODE, PageType.SYS, PageType.TRX_SYS),
            *(PageType.SDI, PageType.SDI_BLOB, PageType.SDI_ZBLOB),
        )
    ]
)
_DICTIONARY_IDS = 16
"""Index ids below are of the data dictionary in the system tablespace (dict0boot.h)."""


class StreamedSurvey:
    """Fed with the bytes of one file in their order. Raises IbdError as a survey of a file does."""

    def __init__(self, path: str, keyring: Keyring | None = None) -> None:
        self.source = StreamedSource(path)
        self._keyring = keyring
        self._pending = bytearray()
        self._at = 0
        self._space: Tablespace | None = None
        self._scan: ColumnScan | None = None

    def feed(self, data: bytes | memoryview) -> None:
        """The next bytes."""
        self._pending += data
        while len(self._pending) >= WINDOW_BYTES:
            self._take(WINDOW_BYTES)

    def finish(self, system: str | None = None, *, lean: bool = False) -> Survey:
        """The survey, when all bytes have come."""
        self._take(len(self._pending))
        assert self._space is not None
        assert self._scan is not None
        self.source.show(memoryview(b""), 0, self._at + len(self._pending))
        return survey_columns(self._space, self._scan.columns(), system, lean=lean)

    def _take(self, n: int) -> None:
        window = bytes(memoryview(self._pending)[:n])
        self.source.show(memoryview(window), self._at, self._at + n)
        if self._space is None or self._scan is None:
            self._space = read_tablespace(self.source, self._keyring)
            self._scan = ColumnScan(self._space)
        page = self._space.geometry.physical
        whole = n // page * page
        if not whole:
            return
        pages = np.frombuffer(window, np.uint8, whole).reshape(-1, page)
        self.source.size = self._at + whole
        columns = self._scan.add(np.ascontiguousarray(pages[:, : page_head_dtype().itemsize]))
        kept = np.isin(columns["type"], _KEPT_TYPES)
        alone = (columns["prev"] == FIL_NULL) & (columns["next"] == FIL_NULL)
        kept |= columns["is_index"] & (alone | pages[:, SEG_LEAF_OFFSET:INDEX_DATA_OFFSET].any(axis=1))
        if self._space.space_id == SYSTEM_SPACE_ID:
            kept |= columns["is_index"] & (columns["index_id"] < _DICTIONARY_IDS)
        if not self._at:
            kept[[0, min(FIRST_INODE_PAGE, len(kept) - 1)]] = True
        for i in kept.nonzero()[0].tolist():
            self.source.keep(self._at // page + i, page)
        self._at += whole
        del self._pending[:whole]


def survey_stream(
    path: str, keyring: Keyring | None = None, system: str | None = None, *, lean: bool = False
) -> Survey:
    """Survey standard input (``-``) or a packed copy as it is unpacked."""
    with open_stream(path) as stream:
        if is_archive(stream):
            raise NotATablespaceError("an archive of many files: ibdscan scan reads those", path=path)
        return survey_bytes(read_pieces(stream), path, keyring, system, lean=lean)


def survey_bytes(
    parts: Iterable[bytes],
    path: str,
    keyring: Keyring | None = None,
    system: str | None = None,
    *,
    lean: bool = False,
) -> Survey:
    """Survey a file from its bytes, part after part."""
    streamed = StreamedSurvey(path, keyring)
    for part in parts:
        streamed.feed(part)
    return streamed.finish(system, lean=lean)
