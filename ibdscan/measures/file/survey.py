"""The survey: everything that is measured of one tablespace, in one pass over its page headers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from ibdscan.errors import UsageError
from ibdscan.layout.numbers import SYSTEM_SPACE_ID
from ibdscan.measures.file.account import FREE_CLASSES, IndexBytes, Wastes, classes_by_index, measure_index_bytes
from ibdscan.measures.file.rebuilt import FileRebuild, rebuild_file
from ibdscan.measures.file.storage import Storage, measure_storage
from ibdscan.measures.index.assemble import Assembly, find_names, freed_leaves, measure_indexes
from ibdscan.measures.index.index import Index
from ibdscan.measures.index.reservation import data_free_bytes
from ibdscan.pages.decode.keyring import Keyring
from ibdscan.pages.page.columns import PageColumns, Progress, scan_columns
from ibdscan.pages.source.file import Source
from ibdscan.pages.source.joined import open_source
from ibdscan.pages.source.naming import table_of_path
from ibdscan.pages.source.packed import is_one_look
from ibdscan.pages.space.tablespace import Tablespace, read_tablespace
from ibdscan.structures.definition.sdi import SdiObject
from ibdscan.structures.finding import Finding, Findings
from ibdscan.structures.read import read_structures
from ibdscan.structures.space.extents import Extents
from ibdscan.structures.space.segments import Segment
from ibdscan.structures.space.states import PageClass, PageState
from ibdscan.structures.tree.btree import Tree

_STATE_NAMES = [state.name.lower() for state in PageState]
_CLASS_NAMES = [page_class.name.lower() for page_class in PageClass]
_FREE_NAMES = [page_class.name.lower() for page_class in FREE_CLASSES]


@dataclass(frozen=True)
class Survey:
    """What the file holds and how it uses its pages. Per-page arrays have the shape (n_pages,)."""

    space: Tablespace
    columns: PageColumns
    extents: Extents
    segments: list[Segment]
    indexes: list[Index]
    """Indexes by id, FULLTEXT ones, and the SDI index last."""
    owner: npt.NDArray[np.int32]
    """Ordinal (in ``indexes``) of the index a page belongs to: its tree, off-page or reserved; -1 none."""
    state: npt.NDArray[np.uint8]
    """:class:`~ibdscan.structures.space.states.PageState`."""
    page_class: npt.NDArray[np.uint8]
    """:class:`~ibdscan.structures.space.states.PageClass`."""
    sdi: list[SdiObject]
    findings: list[Finding]

    @property
    def path(self) -> str:
        return self.space.path

    @property
    def n_pages(self) -> int:
        return self.space.n_pages

    @property
    def page_size(self) -> int:
        """Bytes a page in the file."""
        return self.space.geometry.physical

    @property
    def user_indexes(self) -> list[Index]:
        """All indexes but the SDI's."""
        return [i for i in self.indexes if i.kind != "sdi"]

    def index(self, name: str | int) -> Index:
        """An index by name, by ``table.name`` or ``schema/table.name`` where several tables share the
        file, or by id. Raises UsageError when there is none or the name is not unique."""
        wanted = str(name)
        found = [i for i in self.indexes if wanted in _spellings(i)]
        if len(found) == 1:
            return found[0]
        known = ", ".join(dict.fromkeys(i.name for i in self.indexes)) or "none"
        if not found:
            raise UsageError(f"no index {wanted!r}; the file has: {known}", path=self.path)
        tables = ", ".join(f"{i.table}.{i.name}" for i in found)
        raise UsageError(f"several indexes {wanted!r}: say which of {tables}", path=self.path)

    @cached_property
    def data_free_bytes(self) -> int:
        """DATA_FREE as the server computes it."""
        fsp = self.space.fsp
        return data_free_bytes(self.space.geometry, fsp.size, fsp.free_limit, fsp.free.length)

    @cached_property
    def rebuild(self) -> FileRebuild:
        """How large the file is after a rebuild, and what that gives back."""
        return self.rebuild_at(100)

    def rebuild_at(self, fill_factor: int) -> FileRebuild:
        """The same at that innodb_fill_factor."""
        return rebuild_file(self.space, self.indexes, self.sdi, fill_factor)

    @cached_property
    def page_states(self) -> dict[str, int]:
        """Pages by state: live, stale, free, unused; they sum to the pages of the file."""
        counts = np.bincount(self.state, minlength=len(PageState))
        return dict(zip(_STATE_NAMES, counts.tolist(), strict=True))

    @cached_property
    def page_classes(self) -> dict[str, int]:
        """Pages by class; they sum to the pages of the file."""
        counts = np.bincount(self.page_class, minlength=len(PageClass))
        return dict(zip(_CLASS_NAMES, counts.tolist(), strict=True))

    @property
    def free_pages(self) -> int:
        """Pages free at the level of the file: free extents, free pages of fragment extents, pages above the
        free limit. Pages reserved by a segment are not among them."""
        classes = self.page_classes
        return sum([classes[name] for name in _FREE_NAMES])

    @cached_property
    def index_bytes(self) -> IndexBytes:
        """Record data, garbage, slack and overhead of the live index pages, the SDI's left out."""
        return measure_index_bytes(self.user_indexes, self.space.geometry.logical)

    @property
    def wastes(self) -> Wastes:
        """Free space of the file, reserved but unused pages, slack inside pages: three different wastes."""
        return Wastes(
            free_bytes=self.free_pages * self.page_size,
            reserved_unused_bytes=self.page_classes["reserved_unused"] * self.page_size,
            slack_bytes=self.index_bytes.slack_bytes + self.index_bytes.garbage_bytes,
        )

    @cached_property
    def classes_by_index(self) -> npt.NDArray[np.int64]:
        """Pages by index (ordinal; the last row: of none) and class, int64 (n_indexes + 1, n_classes)."""
        return classes_by_index(self.owner, self.page_class, len(self.indexes))

    @cached_property
    def page_types(self) -> dict[int, int]:
        """Live pages by FIL_PAGE_TYPE."""
        counts = np.bincount(self.columns.type[self.state == PageState.LIVE])  # np.unique loads numpy.ma
        return {int(t): int(counts[t]) for t in np.flatnonzero(counts)}

    @cached_property
    def row_format(self) -> str | None:
        """``redundant``, ``compact``, ``dynamic`` or ``compressed``; ``compact or dynamic`` where the
        flags do not tell the two apart (MariaDB's, and those of a shared space), None without a user index."""
        flags = self.space.flags
        roots = [i.root_page_no for i in self.user_indexes if i.root_page_no is not None]
        if flags.is_zip:
            return "compressed"
        if not roots:
            return None
        if not self.columns.n_heap[roots[0]] & 0x8000:
            return "redundant"
        if flags.full_crc32 or flags.shared or self.space.space_id == SYSTEM_SPACE_ID:
            return "compact or dynamic"
        return "dynamic" if flags.atomic_blobs else "compact"

    @cached_property
    def storage(self) -> Storage:
        """Page compression and encryption, and what could not be read for it."""
        return measure_storage(self.space, self.columns, self.state == PageState.LIVE)

    @property
    def fill_of(self) -> str:
        """What the fill figures are of: ``page``, or ``uncompressed image`` with ROW_FORMAT=COMPRESSED."""
        return "uncompressed image" if self.space.flags.is_zip else "page"

    @property
    def path_table(self) -> str | None:
        """``schema/table`` by the file's own name, where that names a table: a space of its own."""
        name = self.space.name
        is_table = self.space.space_id != SYSTEM_SPACE_ID and ".ibd" in name and not self.space.flags.shared
        return table_of_path(self.path) if is_table else None

    @cached_property
    def rank(self) -> npt.NDArray[np.int32]:
        """Position of each leaf along its chain, from 0; -1 for all other pages."""
        out = np.full(self.n_pages, -1, np.int32)
        for index in self.indexes:
            if index.has_leaf:
                chain = index.leaf.chain
                out[chain] = np.arange(len(chain), dtype=np.int32)
        return out

    def close(self) -> None:
        """Close the file. The survey stays usable, single pages can not be read any more."""
        self.space.source.close()


def _spellings(index: Index) -> set[str]:
    names = {index.name, f"{index.table}.{index.name}", str(index.index_id)}
    if index.table:
        names.add(f"{index.table.rpartition('/')[2]}.{index.name}")
    return names


def survey_source(
    source: Source,
    progress: Progress | None = None,
    keyring: Keyring | None = None,
    system: str | None = None,
    *,
    lean: bool = False,
) -> Survey:
    """Survey an open source. Raises IbdError when the file can not be surveyed at all; what is merely
    broken becomes a finding. ``lean``: names are looked for in the file itself and its ``.frm`` alone, and only
    where the numbers need them (to tell the clustered index of several)."""
    space = read_tablespace(source, keyring)
    columns = scan_columns(space, progress)
    return survey_columns(space, columns, system, lean=lean)


def survey_columns(
    space: Tablespace, columns: PageColumns, system: str | None = None, *, lean: bool = False
) -> Survey:
    """Survey from columns already read. ``system``: the system tablespace that has the names, where the file
    has none and the one beside it is not meant."""
    findings = Findings()
    found = read_structures(space, columns, findings, lean=lean)
    trees, segments = found.trees, found.segments
    owner = _owners(trees, found.segment_of, found.tree_of, len(segments))
    off_page = np.bincount(owner[(found.page_class == PageClass.OFF_PAGE) & (owner >= 0)], minlength=len(trees))
    names = find_names(space, trees, found.sdi, system, lean=lean)
    freed = freed_leaves(trees, columns, found.state)
    indexes = measure_indexes(Assembly(space, columns, trees, segments, names, found.sdi, off_page, freed))
    return Survey(
        space,
        columns,
        found.extents,
        segments,
        indexes,
        owner,
        found.state,
        found.page_class,
        found.sdi,
        findings.closed(),
    )


def _owners(
    trees: list[Tree], segment_of: npt.NDArray[np.int32], tree_of: npt.NDArray[np.int32], n_segments: int
) -> npt.NDArray[np.int32]:
    """Index ordinal of every page: of its tree, else of the segment that holds it."""
    by_segment = np.full(n_segments + 1, -1, np.int32)  # the last entry serves segment -1
    for i, tree in enumerate(trees):
        by_segment[tree.top_segment] = i
        if tree.leaf_segment >= 0:
            by_segment[tree.leaf_segment] = i
    owner = by_segment[segment_of]
    np.copyto(owner, tree_of, where=tree_of >= 0)
    return owner


def open_survey(
    path: str, progress: Progress | None = None, keyring: Keyring | None = None, system: str | None = None
) -> Survey:
    """Open a file and survey it; see :func:`survey_source`."""
    if is_one_look(path):
        from ibdscan.measures.file.streamed import survey_stream

        return survey_stream(path, keyring, system)
    source = open_source(path)
    try:
        return survey_source(source, progress, keyring, system)
    except BaseException:
        source.close()
        raise
