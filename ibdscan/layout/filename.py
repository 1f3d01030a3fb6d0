"""Names of tables in file names: InnoDB writes all but letters of ASCII, digits and ``_`` as ``@`` codes.

``@`` and four hex digits is a character of Unicode; ``@`` and two characters a letter of an alphabet with
capitals, by the table of :mod:`ibdscan.layout.filename_letters`. ``@@@`` ends names that Windows reserves.
"""

from __future__ import annotations

import re
from functools import cache

_CODE = re.compile(r"@([0-9a-fA-F]{4})|@([0-9@A-Za-z][0-9@A-Za-z])")
_RESERVED_END = "@@@"
_PARTITION = re.compile(r"#(sp|p|tmp|rem)#", re.IGNORECASE)


def decode_filename(name: str) -> str:
    """The name that the server shows for an encoded one; what is no code stays as it is.

    >>> decode_filename("t@002d1"), decode_filename("@65e5@672c"), decode_filename("stra@1je")
    ('t-1', '日本', 'straße')
    """
    if name.endswith(_RESERVED_END):
        name = name.removesuffix(_RESERVED_END)
    return _CODE.sub(_letter, name)


def _letter(match: re.Match[str]) -> str:
    if match[1]:
        code = int(match[1], 16)
        return match[0] if 0xD800 <= code < 0xE000 or code < 0x20 else chr(code)
    return _letters().get(match[2], match[0])


@cache
def _letters() -> dict[str, str]:
    from ibdscan.layout.filename_letters import LETTERS

    return {LETTERS[i : i + 2]: LETTERS[i + 2] for i in range(0, len(LETTERS), 3)}


def decode_table(name: str) -> str:
    """``schema/table`` of an encoded one, each part by itself."""
    return "/".join(_decode_parts(part) for part in name.split("/"))


def _decode_parts(name: str) -> str:
    marks = list(_PARTITION.finditer(name))
    ends = [m.start() for m in marks] + [len(name)]
    out = decode_filename(name[: ends[0]])
    for mark, end in zip(marks, ends[1:], strict=True):
        out += mark[0] + decode_filename(name[mark.end() : end])
    return out
