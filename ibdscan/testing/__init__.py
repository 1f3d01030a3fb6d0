"""For tests: assertions on tablespace files, and a builder of small valid ones."""

from ibdscan.testing.asserts import assert_fill, assert_height, assert_no_findings, assert_order
from ibdscan.testing.build import BuiltIndex, BuiltSpace, build_space
from ibdscan.testing.specs import IndexSpec

__all__ = [
    "BuiltIndex",
    "BuiltSpace",
    "IndexSpec",
    "assert_fill",
    "assert_height",
    "assert_no_findings",
    "assert_order",
    "build_space",
]
