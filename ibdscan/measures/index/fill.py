"""How full pages are: data, directory and garbage against the capacity of an empty page."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ibdscan.layout.index import capacity, data_bytes, directory_bytes
from ibdscan.measures.index.percentiles import percentiles_of
from ibdscan.pages.page.columns import PageColumns

BINS = 10
PERCENTILES = (0, 5, 25, 50, 75, 95, 100)


@dataclass(frozen=True)
class Fill:
    """Fill of a set of index pages. Ratios are 0..1 and weighted by capacity, None without pages.

    ``fill`` = sum of page_get_data_size / sum of page_get_free_space_of_empty; ``dir_fill`` adds the
    directory slots (what innodb_fill_factor steers); ``garbage`` = sum of PAGE_GARBAGE / capacity.
    ``histogram`` counts pages by fill in ten bins of 10 %, the last one includes 100 %.
    """

    pages: int
    records: int
    data_bytes: int
    capacity_bytes: int
    directory_bytes: int
    garbage_bytes: int
    histogram: tuple[int, ...]
    percentiles: dict[int, float]
    """Fill at the percentiles 0, 5, 25, 50, 75, 95 and 100; empty without pages."""

    @property
    def fill(self) -> float | None:
        return self.data_bytes / self.capacity_bytes if self.capacity_bytes else None

    @property
    def dir_fill(self) -> float | None:
        if not self.capacity_bytes:
            return None
        return (self.data_bytes + self.directory_bytes) / self.capacity_bytes

    @property
    def garbage(self) -> float | None:
        return self.garbage_bytes / self.capacity_bytes if self.capacity_bytes else None

    @property
    def slack_bytes(self) -> int:
        """Bytes that hold neither record data, garbage nor directory."""
        return self.capacity_bytes - self.data_bytes - self.garbage_bytes - self.directory_bytes


_EDGES = np.linspace(0.0, 1.0, BINS + 1).tolist()


def _fill_of_page(columns: PageColumns, page: int, page_size: int) -> Fill:
    """The same for one page, in plain integers: most levels of most small files are one page."""
    n_heap, garbage = int(columns.n_heap[page]), int(columns.garbage[page])
    data = data_bytes(int(columns.heap_top[page]), n_heap, garbage)
    room = capacity(page_size, n_heap)
    ratio = min(1.0, max(0.0, data / room))
    histogram = [0] * BINS
    histogram[min(BINS - 1, bisect_right(_EDGES, ratio) - 1)] = 1
    return Fill(
        pages=1,
        records=int(columns.n_recs[page]),
        data_bytes=data if 0 <= data <= room else 0,
        capacity_bytes=room,
        directory_bytes=directory_bytes(int(columns.n_dir_slots[page])),
        garbage_bytes=garbage,
        histogram=tuple(histogram),
        percentiles=dict.fromkeys(PERCENTILES, ratio),
    )


def page_fill(columns: PageColumns, pages: npt.NDArray[np.int64], page_size: int) -> npt.NDArray[np.float64]:
    """Fill of each of the given index pages, float64 (n,). A damaged header is clipped to 0..1."""
    ratio = columns.data_bytes(pages) / columns.capacity(pages, page_size)
    clipped: npt.NDArray[np.float64] = np.clip(ratio, 0.0, 1.0)
    return clipped


def measure_fill(columns: PageColumns, pages: npt.NDArray[np.int64], page_size: int) -> Fill:
    """Fill over the given live index pages (int64 page numbers)."""
    if len(pages) == 1:
        return _fill_of_page(columns, int(pages[0]), page_size)
    data = columns.data_bytes(pages)
    room = columns.capacity(pages, page_size)
    sound = (data >= 0) & (data <= room)
    ratio = np.clip(data / room, 0.0, 1.0)
    histogram, _ = np.histogram(ratio, bins=BINS, range=(0.0, 1.0))
    marks = percentiles_of(ratio, PERCENTILES) if len(pages) else []
    slots = columns.n_dir_slots[pages].astype(np.int64)
    return Fill(
        pages=len(pages),
        records=int(columns.n_recs[pages].sum(dtype=np.int64)),
        data_bytes=int(np.where(sound, data, 0).sum()),
        capacity_bytes=int(room.sum()),
        directory_bytes=int(directory_bytes(slots).sum()),
        garbage_bytes=int(columns.garbage[pages].sum(dtype=np.int64)),
        histogram=tuple(int(n) for n in histogram),
        percentiles=dict(zip(PERCENTILES, marks, strict=False)),
    )
