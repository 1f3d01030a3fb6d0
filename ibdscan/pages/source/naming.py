"""The table that a file is of, by where the file lies."""

from __future__ import annotations

import os
import re

from ibdscan.layout.filename import decode_table

_SUFFIX = re.compile(r"(\.ibd)?(\.xz|\.gz)?$")


def table_of_path(path: str) -> str:
    """``schema/table`` from where a table's file lies; a partition keeps its ``#p#`` marks.

    >>> table_of_path("/var/lib/mysql/db@002d1/t@002d1#P#p0.ibd")
    'db-1/t-1#P#p0'
    """
    folder, name = os.path.split(os.path.abspath(path))
    return decode_table(f"{os.path.basename(folder)}/{_SUFFIX.sub('', name)}")
