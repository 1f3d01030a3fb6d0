"""One row a page: number, type, state, class, owner, level, records, bytes, fill, LSN, links, rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ibdscan.errors import MissingExtraError, UsageError
from ibdscan.layout.numbers import FIL_NULL, type_name
from ibdscan.measures.detail.owners import segment_of
from ibdscan.measures.file.survey import Survey
from ibdscan.structures.space.states import PageClass, PageState
from ibdscan.views.table.columns import CHUNK_ROWS, Cells, Named
from ibdscan.views.table.declared import PAGE_COLUMNS
from ibdscan.views.table.tables import Column

if TYPE_CHECKING:
    import pyarrow as pa


class PagesTable:
    """The pages of a survey as a table of columns.

    Level, records, bytes and fill are those of live index pages; all others have none, freed pages that
    still carry an old header (``state`` stale) included: so the columns sum to the figures of ``indexes``.
    ``prev``, ``next`` and ``lsn`` are as the page's header has them: none where it was never written, and no
    link where it says 0xFFFFFFFF, or page 0, which is nobody's neighbour. ``rank`` is the place of a leaf along
    its chain.
    """

    head: Sequence[Column] = PAGE_COLUMNS

    def __init__(self, survey: Survey, pages: npt.NDArray[np.int64] | None = None) -> None:
        self.survey = survey
        self._pages = pages

    def __len__(self) -> int:
        return self.survey.n_pages if self._pages is None else len(self._pages)

    @cached_property
    def _segment_of(self) -> npt.NDArray[np.int32]:
        return segment_of(self.survey)

    @cached_property
    def _types(self) -> tuple[npt.NDArray[np.uint16], list[str | None]]:
        """Code of each type value, and the names of the types that occur."""
        space = self.survey.space
        values = np.flatnonzero(np.bincount(self.survey.columns.type, minlength=1)).tolist()
        codes = np.zeros(1 << 16, np.uint16)
        codes[values] = np.arange(len(values))
        names = [type_name(v, space.family, full_crc32=space.flags.full_crc32) for v in values]
        return codes, list(names)

    def part(self, start: int, stop: int) -> Mapping[str, Cells]:
        """The columns of rows ``start`` to ``stop`` - 1."""
        survey, columns = self.survey, self.survey.columns
        stop = min(stop, len(self))
        rows: Any = slice(start, stop) if self._pages is None else self._pages[start:stop]
        page_no = np.arange(start, stop, dtype=np.uint32) if self._pages is None else rows.astype(np.uint32)
        owner, written = survey.owner[rows], columns.written[rows]
        of_page = self._segment_of[rows]
        ids = np.array([s.segment_id for s in survey.segments] or [0], np.uint64)
        index_ids = np.array([i.index_id or 0 for i in survey.indexes] or [0], np.uint64)
        codes, type_names = self._types
        linked = written & (page_no != 0)  # page 0 of MySQL 8.0+ keeps versions there
        rank = survey.rank[rows]
        return {
            "page_no": page_no,
            "type": Named(codes[columns.type[rows]], type_names),
            "state": Named(survey.state[rows], [s.name.lower() for s in PageState]),
            "class": Named(survey.page_class[rows], [c.name.lower() for c in PageClass]),
            "table": Named(owner, [i.table for i in survey.indexes]),
            "index": Named(owner, [i.name for i in survey.indexes]),
            "index_id": np.ma.array(index_ids[owner], mask=owner < 0),
            "segment_id": np.ma.array(ids[of_page], mask=of_page < 0),
            **self._contents(rows),
            "lsn": np.ma.array(columns.lsn[rows], mask=~written),
            "prev": _links(columns.prev[rows], linked),
            "next": _links(columns.next[rows], linked),
            "rank": np.ma.array(rank, mask=rank < 0),
        }

    def _contents(self, rows: Any) -> dict[str, Cells]:
        """What the index header says, of live index pages."""
        survey, columns = self.survey, self.survey.columns
        known = (survey.state[rows] == PageState.LIVE) & columns.is_index[rows] & ~columns.unread[rows]
        size = columns.data_bytes(rows)
        room = columns.capacity(rows, survey.space.geometry.logical)
        sound = known & (size >= 0) & (size <= room)
        with np.errstate(divide="ignore", invalid="ignore"):
            fill = size / room
        return {
            "level": np.ma.array(columns.level[rows], mask=~known),
            "records": np.ma.array(columns.n_recs[rows], mask=~known),
            "data_bytes": np.ma.array(size.astype(np.int32), mask=~sound),
            "garbage_bytes": np.ma.array(columns.garbage[rows], mask=~known),
            "fill": np.ma.array(np.where(sound, fill, 0.0), mask=~sound),
        }

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """All rows as numpy arrays by key: texts as object arrays, masked where values may be unknown."""
        out = self.part(0, len(self))
        return {key: c.objects() if isinstance(c, Named) else c for key, c in out.items()}

    def to_arrow(self) -> pa.Table:
        """All rows as a pyarrow table, texts dictionary-encoded. Raises MissingExtraError without pyarrow."""
        arrow = _pyarrow(self.survey.path)
        return arrow.Table.from_batches([self._batch(arrow, 0, len(self))])

    def write_parquet(self, path: str) -> None:
        """Write a Parquet file, row group after row group. Raises MissingExtraError without pyarrow."""
        arrow = _pyarrow(self.survey.path)
        from pyarrow import parquet

        step = CHUNK_ROWS * 32
        batch = self._batch(arrow, 0, min(step, len(self)))
        with parquet.ParquetWriter(path, batch.schema, compression="zstd") as writer:
            for start in range(0, max(1, len(self)), step):
                writer.write_batch(self._batch(arrow, start, min(start + step, len(self))))

    def _batch(self, arrow: Any, start: int, stop: int) -> Any:
        part = self.part(start, stop)
        arrays = [_arrow_array(arrow, part[c.key]) for c in self.head]
        return arrow.RecordBatch.from_arrays(arrays, names=[c.key for c in self.head])

    def shown(self) -> PagesTable:
        """The same for people: without the columns that say nothing in this file."""
        out = PagesTable(self.survey, self._pages)
        tables = {i.table for i in self.survey.user_indexes}
        hidden = {"index_id"} | ({"table"} if len(tables) <= 1 else set())
        out.head = [c for c in PAGE_COLUMNS if c.key not in hidden]
        return out


def _links(values: npt.NDArray[np.uint32], linked: npt.NDArray[np.bool_]) -> Cells:
    return np.ma.array(values, mask=~linked | (values == FIL_NULL) | (values == 0))


def _pyarrow(path: str) -> Any:
    try:
        import pyarrow
    except ImportError as e:
        raise MissingExtraError("Parquet and Arrow need pyarrow: pip install 'ibdscan[parquet]'", path=path) from e
    return pyarrow


def _arrow_array(arrow: Any, column: Cells) -> Any:
    if isinstance(column, Named):
        names = list(dict.fromkeys(n for n in column.names if n is not None))
        place = np.array([*(-1 if n is None else names.index(n) for n in column.names), -1], np.int32)
        codes = place[column.codes]
        return arrow.DictionaryArray.from_arrays(
            arrow.array(codes, mask=codes < 0), arrow.array(names, arrow.string())
        )
    if isinstance(column, np.ma.MaskedArray):
        return arrow.array(np.asarray(column.data), mask=np.ma.getmaskarray(column))
    return arrow.array(column)


def pages_columns(survey: Survey) -> dict[str, npt.NDArray[Any]]:
    """One numpy array a column of ``ibdscan pages``, all pages of the file; see :class:`PagesTable`."""
    return PagesTable(survey).columns()


def select_pages(
    survey: Survey,
    *,
    index: str | int | None = None,
    state: str | None = None,
    level: int | None = None,
    window: tuple[int, int] | None = None,
) -> PagesTable:
    """The rows that fit all conditions. ``index`` takes all pages the index owns, reserved ones included;
    ``window`` is first page and first page not meant. Raises UsageError for an unknown index or state."""
    chosen = np.ones(survey.n_pages, np.bool_)
    if index is not None:
        chosen &= survey.owner == survey.index(index).ordinal
    if state is not None:
        names = [s.name.lower() for s in PageState]
        if state not in names:
            raise UsageError(f"no state {state!r}; there are: {', '.join(names)}")
        chosen &= survey.state == names.index(state)
    if level is not None:
        columns = survey.columns
        chosen &= (survey.state == PageState.LIVE) & columns.is_index & ~columns.unread & (columns.level == level)
    if window is not None:
        chosen[: window[0]] = False
        chosen[window[1] :] = False
    return PagesTable(survey, None if chosen.all() else np.flatnonzero(chosen))
