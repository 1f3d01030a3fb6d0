"""Stage 3, pages to structures: extents, segments, B+trees, rows, names and definitions.

The rooms in the order in which they may import each other: ``finding``, ``space``, ``tree``, ``rows``,
``definition``; ``read`` reads all of them.
"""
