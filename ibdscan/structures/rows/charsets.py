"""Character sets by collation id: how their bytes become text, and whether all characters have as many bytes.

Numbers: mysys/charset-def.cc and INFORMATION_SCHEMA.COLLATIONS of MySQL 9.7 and MariaDB 11.8, which agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

BINARY = 63
_NO_PAD = 1024
"""MariaDB's NO PAD variant of a collation: its number and this."""
_UCA1400 = (2048, 256, ("utf8mb3", "utf8mb4", "ucs2", "utf16", "utf32"))
"""MariaDB's uca1400 collations: first number, numbers a character set, character sets in order."""


@dataclass(frozen=True)
class Charset:
    """``codec``: Python's name, None for one that it has not. ``char_bytes``: bytes of each character, None
    where they differ. ``min_bytes``: of the shortest."""

    name: str
    codec: str | None
    char_bytes: int | None
    min_bytes: int = 1

    def text(self, raw: bytes) -> str:
        """The bytes as text; those that are none of the character set become question marks. Hexadecimal where
        Python does not know it."""
        if self.codec is None:
            return "0x" + raw.hex()
        if self.codec != "cp1252":
            return raw.decode(self.codec, "replace")
        # MySQL's latin1 has a character for each byte
        return "".join(chr(b) if b in _NOT_IN_1252 else bytes((b,)).decode("cp1252") for b in raw)


_NOT_IN_1252 = frozenset((0x81, 0x8D, 0x8F, 0x90, 0x9D))
_FIXED = 1
_TABLE: tuple[tuple[str, str | None, int | None, str], ...] = (
    ("big5", "big5", None, "1 84"),
    ("dec8", None, _FIXED, "3 69"),
    ("cp850", "cp850", _FIXED, "4 80"),
    ("latin1", "cp1252", _FIXED, "5 8 15 31 47-49 94"),
    ("hp8", "hp_roman8", _FIXED, "6 72"),
    ("koi8r", "koi8_r", _FIXED, "7 74"),
    ("latin2", "iso8859_2", _FIXED, "2 9 21 27 77"),
    ("swe7", None, _FIXED, "10 82"),
    ("ascii", "latin_1", _FIXED, "11 65"),
    ("ujis", "euc_jp", None, "12 91"),
    ("sjis", "shift_jis", None, "13 88"),
    ("cp1251", "cp1251", _FIXED, "14 23 50-52"),
    ("hebrew", "iso8859_8", _FIXED, "16 71"),
    ("tis620", "tis_620", _FIXED, "18 89"),
    ("euckr", "euc_kr", None, "19 85"),
    ("latin7", "iso8859_13", _FIXED, "20 41-42 79"),
    ("koi8u", "koi8_u", _FIXED, "22 75"),
    ("gb2312", "gb2312", None, "24 86"),
    ("greek", "iso8859_7", _FIXED, "25 70"),
    ("cp1250", "cp1250", _FIXED, "26 34 44 66 99"),
    ("gbk", "gbk", None, "28 87"),
    ("cp1257", "cp1257", _FIXED, "29 58-59"),
    ("latin5", "iso8859_9", _FIXED, "30 78"),
    ("armscii8", None, _FIXED, "32 64"),
    ("utf8mb3", "utf_8", None, "33 76 83 192-215 223 576-579"),
    ("ucs2", "utf_16_be", 2, "35 90 128-151 159 640-642"),
    ("cp866", "cp866", _FIXED, "36 68"),
    ("keybcs2", None, _FIXED, "37 73"),
    ("macce", "mac_latin2", _FIXED, "38 43"),
    ("macroman", "mac_roman", _FIXED, "39 53"),
    ("cp852", "cp852", _FIXED, "40 81"),
    ("utf8mb4", "utf_8", None, "45-46 224-247 255-323 608-611"),
    ("utf16", "utf_16_be", None, "54-55 101-124 672-674"),
    ("utf16le", "utf_16_le", None, "56 62"),
    ("cp1256", "cp1256", _FIXED, "57 67"),
    ("utf32", "utf_32_be", 4, "60-61 160-183 736-738"),
    ("binary", None, _FIXED, "63"),
    ("geostd8", None, _FIXED, "92-93"),
    ("cp932", "cp932", None, "95-96"),
    ("eucjpms", "euc_jp", None, "97-98"),
    ("gb18030", "gb18030", None, "248-250"),
)
_MIN_BYTES = {"ucs2": 2, "utf16": 2, "utf16le": 2, "utf32": 4}


@cache
def _by_id() -> dict[int, Charset]:
    out: dict[int, Charset] = {}
    for name, codec, char_bytes, ids in _TABLE:
        charset = Charset(name, codec, char_bytes, _MIN_BYTES.get(name, 1))
        for part in ids.split():
            first, _, last = part.partition("-")
            out |= dict.fromkeys(range(int(first), int(last or first) + 1), charset)
    return out


def charset_of(collation_id: int) -> Charset | None:
    """The character set of a collation, None for an unknown one."""
    first, each, names = _UCA1400
    if collation_id >= first:
        place = (collation_id - first) // each
        wanted = names[place] if place < len(names) else None
        return next((c for c in _by_id().values() if c.name == wanted), None)
    return _by_id().get(collation_id % _NO_PAD)
