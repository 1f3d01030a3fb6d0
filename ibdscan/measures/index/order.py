"""How well the link order of the leaves agrees with the order of the pages in the file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Order:
    """Order along one sibling chain. Ratios are 0..1; None where there are too few pages to say.

    - ``contiguous``: links with next = page + 1 / (pages - 1)
    - ``out_of_order``: pages whose NEXT is not the next higher page of the same level / pages, the
      last page never (SQL Server's logical fragmentation)
    - ``backward``: links to a lower page number / pages (PostgreSQL's leaf_fragmentation)
    - ``fragments``: runs of contiguous pages; ``avg_run``: pages a run
    - ``avg_seek_pages``: mean distance of a link in pages
    """

    pages: int
    contiguous_links: int
    out_of_order_pages: int
    backward_links: int
    seek_pages: int

    @property
    def links(self) -> int:
        return max(0, self.pages - 1)

    @property
    def contiguous(self) -> float | None:
        return self.contiguous_links / self.links if self.links else None

    @property
    def out_of_order(self) -> float | None:
        return self.out_of_order_pages / self.pages if self.links else None

    @property
    def backward(self) -> float | None:
        return self.backward_links / self.pages if self.links else None

    @property
    def fragments(self) -> int:
        return self.links - self.contiguous_links + 1 if self.pages else 0

    @property
    def avg_run(self) -> float | None:
        return self.pages / self.fragments if self.pages else None

    @property
    def avg_seek_pages(self) -> float | None:
        return self.seek_pages / self.links if self.links else None


def measure_order(order: npt.NDArray[np.int64]) -> Order:
    """Measure a chain of page numbers (int64) in link order."""
    if len(order) < 2:
        return Order(len(order), 0, 0, 0, 0)
    step = np.diff(order)
    ascending = np.sort(order)
    # the next higher page of the level, for each page of the chain but the last
    after = np.searchsorted(ascending, order[:-1], side="right")
    follower = ascending[np.minimum(after, len(order) - 1)]
    return Order(
        pages=len(order),
        contiguous_links=int(np.count_nonzero(step == 1)),
        out_of_order_pages=int(np.count_nonzero(follower != order[1:])),
        backward_links=int(np.count_nonzero(step < 0)),
        seek_pages=int(np.abs(step).sum()),
    )
