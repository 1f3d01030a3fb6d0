"""B+trees by their links: roots, levels, sibling chains, off-page columns. May import ``finding`` and
``space``.
"""
