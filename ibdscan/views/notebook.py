"""What a notebook shows of a space: its survey as a small HTML table, and its map as PNG."""

from __future__ import annotations

import io
from html import escape

from ibdscan.measures.file.survey import Survey
from ibdscan.views.table.tables import Style, Table
from ibdscan.views.text.head import head_lines
from ibdscan.views.text.info import overview_table


def survey_html(survey: Survey) -> str:
    """The head lines and one row an index. Names are escaped: whatever they hold, they are text."""
    name, *lines = head_lines(survey, Style())
    head = "".join(f"<div>{escape(line)}</div>" for line in lines)
    findings = f"<div>{len(survey.findings)} findings</div>" if survey.findings else ""
    table = _table_html(overview_table(survey))
    return f"<div><strong><bdi>{escape(name)}</bdi></strong>{head}{table}{findings}</div>"


def _table_html(table: Table) -> str:
    if not table.rows:
        return ""
    align = ["left" if c.unit == "text" and not c.right else "right" for c in table.columns]
    heads = [f"<th>{escape(' '.join(c.title.split()))}</th>" for c in table.columns]
    rows = [[escape(c.show(v)) for c, v in zip(table.columns, row, strict=True)] for row in table.rows]
    cells = [
        "".join(f'<td style="text-align: {a}"><bdi>{text}</bdi></td>' for a, text in zip(align, row, strict=True))
        for row in rows
    ]
    body = "".join(f"<tr>{row}</tr>" for row in cells)
    return f"<table><thead><tr>{''.join(heads)}</tr></thead><tbody>{body}</tbody></table>"


def map_png(survey: Survey, by: str = "index") -> bytes:
    """A space map as the bytes of a PNG file."""
    from ibdscan.views.images import draw_map

    out = io.BytesIO()
    draw_map(survey, by=by).save(out, format="PNG")
    return out.getvalue()
