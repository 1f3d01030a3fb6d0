"""A file as one row: surveyed in full, or by its space management pages alone."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from ibdscan.errors import (
    IbdError,
    NotATablespaceError,
    ShrunkError,
    UnreadableError,
    UnreadPageError,
    UnsupportedFormatError,
)
from ibdscan.measures.file.account import FREE_CLASSES
from ibdscan.measures.file.rebuilt import FileRebuild
from ibdscan.measures.file.streamed import survey_stream
from ibdscan.measures.file.survey import Survey, survey_source
from ibdscan.measures.index.index import Index, Level
from ibdscan.measures.index.reservation import data_free_bytes
from ibdscan.measures.scan.places import place_of
from ibdscan.measures.scan.row import FileRow
from ibdscan.pages.decode.keyring import Keyring
from ibdscan.pages.page.columns import PageColumns
from ibdscan.pages.source.file import Source
from ibdscan.pages.source.joined import SEPARATOR
from ibdscan.pages.source.packed import ONE_LOOK
from ibdscan.pages.space.tablespace import Tablespace, read_tablespace
from ibdscan.structures.finding import Finding, Findings
from ibdscan.structures.space.extents import read_extents
from ibdscan.structures.space.segments import read_segments
from ibdscan.structures.space.states import PageClass, free_classes

ATTEMPTS = 3
MAX_FINDINGS = 20
"""Kept of one file; ``n_findings`` counts all."""


@dataclass(frozen=True)
class HowTo:
    """How files are to be read."""

    quick: bool = False
    keyring: Keyring | None = None
    system: str | None = None


def measure_file(path: str, how: HowTo, source: Source | None = None) -> FileRow:
    """The row of one file. Never raises IbdError: what can not be read becomes the row's status.

    A file that was written to meanwhile, and is not as it should be, is read again. ``source``: the file, when
    it is already open; it is closed here.
    """
    row = FileRow(path)
    for attempt in range(ATTEMPTS):
        before = _stamp(path)
        row = _measure(path, how, source)
        source = None
        changed = _stamp(path) != before
        row = row._replace(mtime_ns=before[0], changed=changed)
        if not changed or (row.status == "ok" and not row.n_findings) or attempt == ATTEMPTS - 1:
            break
    return row


def failed_row(path: str, status: str, message: str, quick: bool = False) -> FileRow:
    """The row of a file that could not be read."""
    place = place_of(path)
    mode = "quick" if quick else "full"
    return FileRow(
        path, place.schema, place.table, place.partition, place.kind, status=status, error=message, mode=mode
    )


def _stamp(path: str) -> tuple[int, int]:
    stamps = []
    for part in path.split(SEPARATOR) if SEPARATOR in path and not os.path.exists(path) else (path,):
        try:
            status = os.stat(part)
        except OSError:
            return 0, -1
        stamps.append((status.st_mtime_ns, status.st_size))
    return max(s[0] for s in stamps), sum(s[1] for s in stamps)


def _measure(path: str, how: HowTo, source: Source | None) -> FileRow:
    try:
        if source is None:
            source = open_for_scan(path)
        with source:
            if path.endswith(ONE_LOOK) and not how.quick:
                return survey_row(survey_stream(path, how.keyring, how.system, lean=True))
            if how.quick:
                return quick_row(read_tablespace(source, how.keyring), source)
            return survey_row(survey_source(source, None, how.keyring, how.system, lean=True))
    except IbdError as e:
        return row_of_error(path, e, how)._replace(bytes=source.size if source else 0)


def row_of_error(path: str, error: IbdError, how: HowTo) -> FileRow:
    """The row of a file that could not be surveyed."""
    return failed_row(path, _status(error), error.message, how.quick)


def open_for_scan(path: str) -> Source:
    """Open a file, or the parts of a system tablespace."""
    from ibdscan.pages.source.joined import open_source

    return open_source(path)


def _status(error: IbdError) -> str:
    if isinstance(error, ShrunkError):
        return "cut-short"
    if isinstance(error, UnreadableError):
        return "vanished" if isinstance(error.__cause__, FileNotFoundError) else "unreadable"
    if isinstance(error, UnreadPageError):
        return "encrypted"
    if isinstance(error, NotATablespaceError):
        return "not-a-tablespace"
    return "unsupported" if isinstance(error, UnsupportedFormatError) else "unreadable"


class _LeafSums:
    """Leaf levels of several indexes added up."""

    def __init__(self) -> None:
        self.pages = self.most = self.records = self.data_bytes = self.capacity_bytes = 0
        self.directory_bytes = self.garbage_bytes = self.links = self.linked_pages = 0
        self.contiguous_links = self.out_of_order_pages = self.backward_links = self.seek_pages = 0

    def add(self, level: Level) -> None:
        """Add one leaf level; of a single page there is no order."""
        fill, order = level.fill, level.order
        self.pages += fill.pages
        self.most = max(self.most, fill.pages)
        self.records += fill.records
        self.data_bytes += fill.data_bytes
        self.capacity_bytes += fill.capacity_bytes
        self.directory_bytes += fill.directory_bytes
        self.garbage_bytes += fill.garbage_bytes
        if order.links:
            self.links += order.links
            self.linked_pages += order.pages
            self.contiguous_links += order.contiguous_links
            self.out_of_order_pages += order.out_of_order_pages
            self.backward_links += order.backward_links
            self.seek_pages += order.seek_pages


def survey_row(survey: Survey) -> FileRow:
    """The row of a survey: its numbers are those of ``ibdscan info``."""
    space, states, wastes = survey.space, survey.page_states, survey.wastes
    indexes = survey.user_indexes
    leaves = _LeafSums()
    for index in indexes:
        if index.has_leaf:
            leaves.add(index.levels[-1])
    rebuilds = [r for i in indexes if (r := i.rebuild)]
    sdi = [i for i in survey.indexes if i.kind == "sdi"]
    blind = survey.columns.forms.is_blind
    fields = _fields_of_space(space, space.source, survey.findings, "full")
    fields["encrypted"] |= survey.columns.forms.encrypted_pages > 0
    return FileRow(
        **fields,
        status="encrypted" if blind and space_is_encrypted(survey) else "unsupported" if blind else "ok",
        row_format=survey.row_format,
        live_pages=states["live"],
        stale_pages=states["stale"],
        free_bytes=wastes.free_bytes,
        reserved_unused_bytes=wastes.reserved_unused_bytes,
        slack_bytes=wastes.slack_bytes,
        n_indexes=len(indexes),
        n_segments=len(survey.segments),
        segment_pages=sum(s.reserved_pages for s in survey.segments) - sum(i.reserved_pages for i in sdi),
        sdi_bytes=_sdi_bytes(sdi),
        leaf_pages=leaves.pages,
        most_leaves=leaves.most,
        records=leaves.records,
        data_bytes=leaves.data_bytes,
        capacity_bytes=leaves.capacity_bytes,
        directory_bytes=leaves.directory_bytes,
        garbage_bytes=leaves.garbage_bytes,
        links=leaves.links,
        linked_pages=leaves.linked_pages,
        contiguous_links=leaves.contiguous_links,
        out_of_order_pages=leaves.out_of_order_pages,
        backward_links=leaves.backward_links,
        seek_pages=leaves.seek_pages,
        rebuild_leaf_pages=sum(r.leaf_pages for r in rebuilds),
        rebuild_pages=sum(r.pages for r in rebuilds),
        rebuild_bytes=sum(r.bytes for r in rebuilds),
        saved_bytes=sum(r.saved_bytes for r in rebuilds),
        **_fields_of_rebuild(survey.rebuild, fields["kind"], len(indexes)),
    )


def space_is_encrypted(survey: Survey) -> bool:
    """Whether what keeps the trees from being read is encryption."""
    return survey.space.flags.encrypted or bool(survey.columns.encrypted.any())


def _sdi_bytes(sdi: list[Index]) -> int:
    return sum(level.fill.data_bytes for index in sdi for level in index.levels)


def _fields_of_rebuild(rebuild: FileRebuild, kind: str, n_indexes: int) -> dict[str, Any]:
    """Of a table's file; nothing is promised of others, and of those that can not be told."""
    if kind != "table" or not n_indexes:
        return {}
    unknown = rebuild.saved_bytes is None
    return {"file_saved_bytes": rebuild.saved_bytes or 0, "n_without_estimate": int(unknown)}


def _fields_of_space(space: Tablespace, source: Source, findings: list[Finding], mode: str) -> dict[str, Any]:
    place, flags, fsp = place_of(source.path), space.flags, space.fsp
    kind = "shared" if place.kind == "table" and flags.shared else place.kind
    return {
        "path": source.path,
        "schema": None if kind == "shared" else place.schema,
        "table": place.table,
        "partition": place.partition,
        "kind": kind,
        "mode": mode,
        "family": space.family,
        "server_version": space.server_version,
        "space_id": space.space_id,
        "page_size": space.geometry.physical,
        "logical_page_size": space.geometry.logical,
        "compression": flags.compression,
        "encrypted": flags.encrypted,
        "bytes": source.size,
        "allocated_bytes": source.allocated_bytes,
        "pages": space.n_pages,
        "fsp_size": int(fsp.size),
        "data_free_bytes": data_free_bytes(space.geometry, fsp.size, fsp.free_limit, fsp.free.length),
        "n_findings": len(findings),
        "findings": tuple((f.kind, f.page_no, f.offset, f.message) for f in findings[:MAX_FINDINGS]),
    }


class _Types:
    """Page types, read from a page when they are asked for: a quick scan asks for a few."""

    def __init__(self, space: Tablespace) -> None:
        self._space = space

    def __getitem__(self, page_no: int) -> int:
        try:
            page = self._space.read_page(page_no)
        except UnreadPageError:
            page = self._space.read_raw(page_no)
        return int.from_bytes(page[24:26], "big")


class _Unread:
    """Whether a page can not be read for want of a key or a codec."""

    def __init__(self, space: Tablespace) -> None:
        self._space = space

    def __getitem__(self, page_no: int) -> bool:
        try:
            self._space.read_page(page_no)
        except UnreadPageError:
            return True
        return False


@dataclass(frozen=True)
class _FewColumns:
    type: _Types
    unread: _Unread


def quick_row(space: Tablespace, source: Source) -> FileRow:
    """The row by page 0, the INODE and XDES pages: sizes, free and reserved space. No index page is
    read, nor the SDI, so that nothing is known of a rebuild."""
    columns = cast(PageColumns, _FewColumns(_Types(space), _Unread(space)))
    findings = Findings()
    extents = read_extents(space, columns, findings)
    segments = read_segments(space, columns, extents, findings)
    counts: Any = np.bincount(free_classes(space, extents), minlength=len(PageClass))
    page_size = space.geometry.physical
    fields = _fields_of_space(space, source, findings.closed(), "quick")
    free = sum(int(counts[c]) for c in FREE_CLASSES) * page_size
    return FileRow(
        **fields,
        live_pages=int(extents.used.sum()),
        free_bytes=free,
        reserved_unused_bytes=int(counts[PageClass.RESERVED_UNUSED]) * page_size,
        n_segments=len(segments),
        segment_pages=sum(s.reserved_pages for s in segments),
        **_fields_of_rebuild(FileRebuild(), fields["kind"], len(segments)),
    )
