"""Records: their links, their fields, the values of key columns. May import ``finding``, ``space`` and
``tree``.
"""
