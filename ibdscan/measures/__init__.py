"""Stage 4, structures to numbers: fill, order, reservation, account, rebuild estimate, comparison.

The rooms in the order in which they may import each other: ``index``, ``file``, ``detail``; then
``verify``, and ``scan`` of many files.
"""
