"""One file of a scan as a flat row of numbers that add up, and the list of its columns for all outputs."""

from __future__ import annotations

from typing import Any, NamedTuple

SMALL_LEAVES = 8
"""As in :mod:`ibdscan.measures.index.index`: fewer leaves than this are too small to judge."""
MINIMAL_PAGES = 7
"""A file of at most so many pages is as the server creates it: 4 (MariaDB), 6 (MySQL 5.7), 7 (MySQL 8.0+)."""
FindingRow = tuple[str, int | None, int | None, str]


class FileRow(NamedTuple):
    """What a scan says of one file. Sizes are bytes or pages as the names say; 0 where nothing was read.

    ``status``: ``ok``; ``encrypted`` (the space is accounted for, the trees could not be read);
    ``vanished``, ``cut-short``, ``unreadable``, ``not-a-tablespace``, ``unsupported``, ``crashed`` with
    ``error``. ``mode``: ``full`` or ``quick`` (no leaf was looked at: ``slack_bytes`` and the leaf figures are 0).
    """

    path: str
    schema: str | None = None
    table: str | None = None
    partition: str | None = None
    kind: str = "table"
    status: str = "ok"
    error: str | None = None
    mode: str = "full"
    changed: bool = False
    """The file was written to while it was read, at each of several attempts."""
    family: str | None = None
    server_version: str | None = None
    space_id: int | None = None
    page_size: int = 0
    logical_page_size: int = 0
    row_format: str | None = None
    compression: str | None = None
    encrypted: bool = False
    bytes: int = 0
    allocated_bytes: int | None = None
    mtime_ns: int = 0
    pages: int = 0
    fsp_size: int = 0
    live_pages: int = 0
    stale_pages: int = 0
    data_free_bytes: int = 0
    free_bytes: int = 0
    reserved_unused_bytes: int = 0
    slack_bytes: int = 0
    n_indexes: int = 0
    n_segments: int = 0
    segment_pages: int = 0
    """Pages that the segments reserve; of the SDI's two segments only in a quick scan."""
    sdi_bytes: int = 0
    leaf_pages: int = 0
    most_leaves: int = 0
    """Leaves of the largest index."""
    records: int = 0
    data_bytes: int = 0
    capacity_bytes: int = 0
    directory_bytes: int = 0
    garbage_bytes: int = 0
    links: int = 0
    linked_pages: int = 0
    contiguous_links: int = 0
    out_of_order_pages: int = 0
    backward_links: int = 0
    seek_pages: int = 0
    rebuild_leaf_pages: int = 0
    rebuild_pages: int = 0
    rebuild_bytes: int = 0
    saved_bytes: int = 0
    file_saved_bytes: int = 0
    n_without_estimate: int = 0
    """1 where there is no estimate of what a rebuild of the file gives back."""
    n_findings: int = 0
    findings: tuple[FindingRow, ...] = ()

    @property
    def is_read(self) -> bool:
        """Page 0 and the account of the space could be read."""
        return self.status in ("ok", "encrypted")

    @property
    def wasted_bytes(self) -> int:
        """The three wastes together."""
        return self.free_bytes + self.reserved_unused_bytes + self.slack_bytes

    @property
    def is_minimal(self) -> bool:
        """No larger than the server creates a table's file."""
        return self.kind == "table" and 0 < self.pages <= MINIMAL_PAGES

    @property
    def too_small_to_judge(self) -> bool:
        return self.most_leaves < SMALL_LEAVES

    @property
    def fill(self) -> float | None:
        """Leaf fill of all indexes but the SDI's, weighted by pages."""
        return ratio(self.data_bytes, self.capacity_bytes)

    @property
    def dir_fill(self) -> float | None:
        return ratio(self.data_bytes + self.directory_bytes, self.capacity_bytes)

    @property
    def contiguous(self) -> float | None:
        return ratio(self.contiguous_links, self.links)

    @property
    def out_of_order(self) -> float | None:
        return ratio(self.out_of_order_pages, self.linked_pages)

    @property
    def backward(self) -> float | None:
        return ratio(self.backward_links, self.linked_pages)

    @property
    def avg_seek_pages(self) -> float | None:
        return ratio(self.seek_pages, self.links)

    @property
    def finding_dicts(self) -> list[dict[str, Any]]:
        return [dict(zip(FINDING_KEYS, finding, strict=True)) for finding in self.findings]


FINDING_KEYS = ("kind", "page_no", "offset", "message")

COLUMNS: tuple[tuple[str, str, type], ...] = (
    *((name, name, str) for name in ("path", "schema", "table", "partition", "kind", "status", "error", "mode")),
    ("changed", "changed", bool),
    ("family", "family", str),
    ("server_version", "server_version", str),
    *((name, name, int) for name in ("space_id", "page_size", "logical_page_size")),
    ("row_format", "row_format", str),
    ("compression", "compression", str),
    ("encrypted", "encrypted", bool),
    *(
        (name, name, int)
        for name in ("bytes", "allocated_bytes", "mtime_ns", "pages", "fsp_size", "data_free_bytes")
    ),
    ("is_minimal", "is_minimal", bool),
    ("too_small_to_judge", "too_small_to_judge", bool),
    ("page_states.live", "live_pages", int),
    ("page_states.stale", "stale_pages", int),
    ("wastes.free_bytes", "free_bytes", int),
    ("wastes.reserved_unused_bytes", "reserved_unused_bytes", int),
    ("wastes.slack_bytes", "slack_bytes", int),
    ("n_indexes", "n_indexes", int),
    ("n_segments", "n_segments", int),
    ("reserved_pages", "segment_pages", int),
    ("sdi_bytes", "sdi_bytes", int),
    ("leaf.pages", "leaf_pages", int),
    ("leaf.most_pages", "most_leaves", int),
    *((f"leaf.{name}", name, int) for name in ("records", "data_bytes", "capacity_bytes", "directory_bytes")),
    *((f"leaf.{name}", name, int) for name in ("garbage_bytes", "links", "linked_pages", "contiguous_links")),
    *((f"leaf.{name}", name, int) for name in ("out_of_order_pages", "backward_links", "seek_pages")),
    *((f"leaf.{name}", name, float) for name in ("fill", "dir_fill", "contiguous", "out_of_order", "backward")),
    ("leaf.avg_seek_pages", "avg_seek_pages", float),
    ("rebuild.leaf_pages", "rebuild_leaf_pages", int),
    ("rebuild.pages", "rebuild_pages", int),
    ("rebuild.bytes", "rebuild_bytes", int),
    ("rebuild.saved_bytes", "saved_bytes", int),
    ("rebuild.file_saved_bytes", "file_saved_bytes", int),
    ("rebuild.n_without_estimate", "n_without_estimate", int),
    ("n_findings", "n_findings", int),
    ("findings", "finding_dicts", list),
)
"""(key in JSON, CSV and Parquet; attribute of :class:`FileRow`; type). A dot is a level of nesting."""


def ratio(part: int, whole: int) -> float | None:
    """``part / whole``, None of nothing."""
    return part / whole if whole else None


def row_data(row: FileRow) -> dict[str, Any]:
    """The object that JSON carries: the names of ``ibdscan info``."""
    out: dict[str, Any] = {}
    for key, attribute, _ in COLUMNS:
        group, _, name = key.rpartition(".")
        (out.setdefault(group, {}) if group else out)[name] = getattr(row, attribute)
    return out


def row_of(data: dict[str, Any]) -> FileRow:
    """The row that :func:`row_data` was made of. Raises ValueError for anything else."""
    values: dict[str, Any] = {}
    try:
        for key, attribute, kind in COLUMNS:
            group, _, name = key.rpartition(".")
            value = (data.get(group) or {}).get(name) if group else data.get(name)
            if attribute in FileRow._fields and value is not None:
                values[attribute] = kind(value)
        findings = data.get("findings") or []
        values["findings"] = tuple(tuple(f.get(k) for k in FINDING_KEYS) for f in findings)
        return FileRow(**values)
    except (TypeError, AttributeError, KeyError, ValueError) as e:
        raise ValueError(f"not a row of a scan: {e}") from e
