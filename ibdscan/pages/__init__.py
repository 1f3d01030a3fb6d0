"""Stage 2, bytes to pages: where bytes come from, what page 0 says of them, header columns of all pages, one
page in full.

The rooms in the order in which they may import each other: ``format``, ``source``, ``decode``, ``space``,
``page``, ``check``.
"""
