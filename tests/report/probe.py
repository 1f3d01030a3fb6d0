"""What the browser tests ask of the page, in JavaScript."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tests.report.browser import Browser


def where(tab: Browser, page: int, file: int = 0) -> tuple[float, float, float]:
    """Middle of a page's cell in the window, and the size of a cell."""
    x, y, cell = tab.js(f"ibdscanReport.where({file}, {page})")
    return x, y, cell


def to_map(tab: Browser) -> None:
    tab.js("document.querySelector('.stage').scrollIntoView({block: 'center'})")
    tab.settle()


def middle(tab: Browser, selector: str) -> tuple[float, float]:
    """Bring an element into sight; its middle."""
    x, y = tab.js(f"""(() => {{ const e = document.querySelector({selector!r});
      e.scrollIntoView({{block: 'center'}}); const r = e.getBoundingClientRect();
      return [r.x + r.width / 2, r.y + r.height / 2]; }})()""")
    return x, y


def push(tab: Browser, name: str) -> None:
    """Push the button of that name."""
    tab.js(f"document.querySelector('button[aria-label=\"{name}\"]').click()")
    tab.settle()


def mode(tab: Browser, name: str) -> None:
    tab.js(f"document.querySelector('input[value={name}]').click()")
    tab.settle()


def go_to(tab: Browser, page: str | int) -> None:
    tab.js(f"document.getElementById('go').value = '{page}'")
    tab.js("document.getElementById('go').form.requestSubmit()")
    tab.settle()


def facts(tab: Browser, place: str) -> dict[str, str]:
    """What the tooltip (``.tip``) or the panel (``.pin``) says."""
    found: dict[str, str] = tab.js(f"""Object.fromEntries([...document.querySelectorAll('{place} dt')]
      .map((d) => [d.textContent, d.nextSibling.textContent]))""")
    return found


def title(tab: Browser, place: str, n: int = 0) -> str | None:
    found: str | None = tab.js(
        f"document.querySelectorAll('{place}')[{n}].querySelector('strong')?.textContent ?? null"
    )
    return found


def texts(tab: Browser, selector: str) -> list[str]:
    found: list[str] = tab.js(f"[...document.querySelectorAll({selector!r})].map((e) => e.textContent)")
    return found


def rows(tab: Browser, table: str, n: int = 0) -> list[list[str]]:
    """Cells of the n-th table's body below ``table``."""
    found: list[list[str]] = tab.js(f"""[...document.querySelectorAll({table + " table"!r})[{n}].tBodies[0].rows]
      .map((r) => [...r.cells].map((c) => c.textContent))""")
    return found


def pixels(tab: Browser, n_pages: int) -> npt.NDArray[np.uint8]:
    """Colour of each cell below its middle (bars grow from the bottom), left of dots, inside of frames."""
    found = tab.js(f"""(() => {{
      const canvas = document.querySelector('.stage canvas'), box = canvas.getBoundingClientRect();
      const image = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height), out = [];
      for (let p = 0; p < {n_pages}; p++) {{
        const [x, y, cell] = ibdscanReport.where(0, p);
        const [left, top] = [x - box.left - cell * 0.25, y - box.top + cell * 0.25];
        const at = 4 * (Math.round(top) * canvas.width + Math.round(left));
        out.push(image.data[at], image.data[at + 1], image.data[at + 2]);
      }}
      return out;
    }})()""")
    return np.array(found, np.uint8).reshape(-1, 3)


def inked(tab: Browser, n: int) -> int:
    """Pixels of the n-th order curve of the comparison that are not the ground's."""
    found: int = tab.js(f"""(() => {{
      const canvas = document.querySelectorAll('#comparison figure canvas')[{n}];
      const {{ data }} = canvas.getContext('2d').getImageData(60, 4, canvas.width - 70, 140);
      let count = 0;
      for (let i = 3; i < data.length; i += 4) count += data[i] > 0;
      return count;
    }})()""")
    return found


def slowest_mode(tab: Browser) -> float:
    """Milliseconds of the slowest change of mode."""
    found: float = tab.js("""Math.max(...[...document.querySelectorAll('.modes input')].map((input) => {
      const start = performance.now(); input.click(); return performance.now() - start; }))""")
    return found


def unnamed(tab: Browser) -> list[Any]:
    """Controls that a screen reader has no name for."""
    found: list[Any] = tab.js("""[...document.querySelectorAll('button, select, input')]
      .filter((e) => !(e.getAttribute('aria-label') || e.textContent || e.labels?.length))
      .map((e) => e.outerHTML)""")
    return found
