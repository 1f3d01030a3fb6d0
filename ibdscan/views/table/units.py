"""Units for people: bytes, ratios, counts. Raw numbers stay in JSON and CSV."""

from __future__ import annotations

from ibdscan.measures.file.metrics import Value

UNKNOWN = "-"
_STEP = 1024


def bytes_text(n: float | None, *, sign: bool = False) -> str:
    """Bytes in binary units.

    >>> bytes_text(1567424512), bytes_text(512), bytes_text(-16384, sign=True)
    ('1.46 GiB', '512 B', '-16.0 KiB')
    """
    if n is None:
        return UNKNOWN
    if sign and not n:
        return "0"
    plus = "+" if sign and n > 0 else ""
    size = float(n)
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if abs(size) < _STEP or unit == "TiB":
            break
        size /= _STEP
    if unit == "B":
        return f"{plus}{int(size)} B"
    digits = 2 if abs(size) < 10 else 1 if abs(size) < 1000 else 0
    return f"{plus}{size:,.{digits}f} {unit}"


def ratio_text(ratio: float | None, *, sign: bool = False) -> str:
    """A ratio 0..1 as a percentage, a difference of two in percentage points.

    >>> ratio_text(0.9271), ratio_text(None), ratio_text(-0.5, sign=True)
    ('92.7 %', '-', '-50.0 pp')
    """
    if ratio is None:
        return UNKNOWN
    if not sign:
        return f"{100 * ratio:.1f} %"
    points = round(100 * ratio, 1)
    return f"{points:+.1f} pp" if points else "0"


def count_text(n: int | None, *, sign: bool = False) -> str:
    """A whole number with thousands separators."""
    if n is None:
        return UNKNOWN
    return f"{n:+,d}" if sign and n else f"{n:,d}"


def number_text(x: float | None, *, sign: bool = False) -> str:
    """A number with one decimal."""
    if x is None:
        return UNKNOWN
    if not sign:
        return f"{x:,.1f}"
    return f"{x:+,.1f}" if round(x, 1) else "0"


def value_text(value: Value, unit: str, *, sign: bool = False) -> str:
    """A metric's value in its unit; differences of ratios are percentage points."""
    if unit == "bytes":
        return bytes_text(value, sign=sign)
    if unit == "ratio":
        return ratio_text(value, sign=sign)
    if unit == "number":
        return number_text(value, sign=sign)
    return count_text(None if value is None else int(value), sign=sign)
