"""Cells as pixels: numpy only, no loop over pages or cells."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ibdscan.views.images.parts.grid import Grid
from ibdscan.views.images.parts.painting import BLANK, CHUNK, STRENGTHS, Codes, Painting, Swatch
from ibdscan.views.images.parts.theme import OKABE_ITO, Theme, mix

Pixels = npt.NDArray[np.uint8]
BAR_CELL = 6
"""Cells from this size on show fill as a bar; smaller ones as the strength of the colour."""
TEXTURE_CELL = 5
GAP_CELL = 8
"""Cells from this size on stand apart by a pixel."""
WEAKEST = 0.25


def draw_cells(painting: Painting, grid: Grid, theme: Theme) -> Iterator[Pixels]:
    """The cells of each strip, uint8 (strip_height, strip_width, 3)."""
    pixels = _reduced(painting, grid, theme) if grid.per_cell > 1 else _whole(painting, grid, theme)
    for first in range(0, grid.n_rows, grid.strip_rows):
        yield _strip(pixels[first : first + grid.strip_rows], grid, theme)


def _strip(rows: Pixels, grid: Grid, theme: Theme) -> Pixels:
    """(rows, cell, width, 3) -> an image of the strip, with the gaps between extents."""
    out = np.empty((grid.strip_height, grid.strip_width, 3), np.uint8)
    out[:] = theme.background
    top = grid.row_tops(len(rows))
    at = (top[:, None] + np.arange(grid.cell)).reshape(-1)
    out[at] = rows.reshape(-1, grid.strip_width, 3)
    return out


def _padded(codes: Codes, grid: Grid) -> Codes:
    """Codes of all cells of the grid, blank before and after the window: (rows, pages a row)."""
    out = np.full(grid.n_rows * grid.row_pages, BLANK, np.uint8)
    lead = grid.start - grid.first_page
    out[lead : lead + len(codes)] = codes
    return out.reshape(grid.n_rows, grid.row_pages)


def _whole(painting: Painting, grid: Grid, theme: Theme) -> Pixels:
    """One cell a page: every cell is a tile out of a small table."""
    bars = painting.levels is not None and grid.cell >= BAR_CELL
    if bars:
        assert painting.levels is not None
        tiles = _bar_tiles(painting, grid.cell, theme)
        ids = _padded(painting.codes, grid).astype(np.uint16)
        levels = np.zeros(ids.size, np.uint16)
        lead = grid.start - grid.first_page
        steps = grid.cell
        rounded = (painting.levels.astype(np.uint32) * steps + 127) // 255
        levels[lead : lead + painting.n_pages] = rounded
        ids = ids * np.uint16(steps + 1) + levels.reshape(ids.shape)
    else:
        codes, palette, _ = strength_codes(painting, theme)
        tiles = np.broadcast_to(palette[:, None, None, :], (len(palette), grid.cell, grid.cell, 3)).copy()
        if codes is painting.codes:
            for code, swatch in painting.swatches.items():
                tiles[code] = tile(swatch, grid.cell, theme)
        _separate(tiles, theme)
        ids = _padded(codes, grid).astype(np.uint16)
    cells = tiles[ids]  # (rows, cells, cell, cell, 3)
    return cells.transpose(0, 2, 1, 3, 4).reshape(grid.n_rows, grid.cell, grid.strip_width, 3)


def tile(swatch: Swatch, size: int, theme: Theme) -> Pixels:
    """A cell of one swatch, with its texture where there is room for it."""
    out = np.empty((size, size, 3), np.uint8)
    out[:] = swatch.color
    if size < TEXTURE_CELL or not swatch.texture:
        return out
    y, x = np.mgrid[0:size, 0:size]
    strong = mix(swatch.color, theme.ink, 0.3)
    if swatch.texture == "hatch":
        out[(x + y) % 4 == 0] = strong
    elif swatch.texture == "dot":
        low, high = (size - 1) // 2 - (size >= 10), (size - 1) // 2 + 1
        out[(x >= low) & (x <= high) & (y >= low) & (y <= high)] = strong
    else:
        out[(x == 0) | (y == 0) | (x == size - 1 - (size >= GAP_CELL)) | (y == size - 1)] = mix(
            swatch.color, theme.ink, 0.12
        )
    return out


def _separate(tiles: Pixels, theme: Theme) -> None:
    if tiles.shape[1] >= GAP_CELL:
        tiles[:, :, -1] = theme.background


def _bar_tiles(painting: Painting, size: int, theme: Theme) -> Pixels:
    """A tile for every code and every height of its bar."""
    steps = size + 1
    tiles = np.empty((256 * steps, size, size, 3), np.uint8)
    tiles[:] = theme.background
    for code, swatch in painting.swatches.items():
        if code not in painting.filled:
            tiles[code * steps : (code + 1) * steps] = tile(swatch, size, theme)
            continue
        for height in range(steps):
            part = tiles[code * steps + height]
            part[:] = mix(swatch.color, theme.background, 0.78)
            if height:
                part[size - height :] = swatch.color
    _separate(tiles, theme)
    return tiles


def strength_codes(painting: Painting, theme: Theme) -> tuple[Codes, Pixels, list[tuple[int, int]]]:
    """Codes, their colours (256, 3), and the range of codes of each kind of page that occurs. Fill of the pages
    becomes the strength of the colour where there are few enough hues for that."""
    palette = np.empty((256, 3), np.uint8)
    palette[:] = theme.background
    kinds: list[tuple[int, int]] = []
    if painting.scale:
        palette[: len(painting.scale.colors)] = painting.scale.colors
        if painting.n_scaled:
            kinds.append((0, len(painting.scale.colors) - 1))
    occurring = {code: s for code, s in sorted(painting.swatches.items()) if painting.counts[code]}
    if painting.levels is None or not uses_strength(painting):
        for code, swatch in occurring.items():
            palette[code] = swatch.color
        return painting.codes, palette, kinds + [(code, code) for code in occurring]
    table = np.full(256, BLANK, np.uint8)
    first = 0
    for code, swatch in occurring.items():
        table[code] = first
        steps = STRENGTHS if code in painting.filled else 1
        for step in range(steps):
            share = (1 - WEAKEST) * (1 - step / (steps - 1)) if steps > 1 else 0.0
            palette[first + step] = mix(swatch.color, theme.background, share)
        kinds.append((first, first + steps - 1))
        first += steps
    # pages that are not filled have level 0
    return table[painting.codes] + (painting.levels >> np.uint8(5)), palette, kinds


def uses_strength(painting: Painting) -> bool:
    """Whether small cells show fill as the strength of their hue: only where pale shades are no hues."""
    used = [code for code in painting.filled if painting.counts[code]]
    return painting.levels is not None and all(code < len(OKABE_ITO) for code in used)


def _reduced(painting: Painting, grid: Grid, theme: Theme) -> Pixels:
    """Cells of several pages: the pages of a cell sorted by colour, drawn from the bottom up."""
    codes, palette, kinds = strength_codes(painting, theme)
    side = grid.cell
    lead = grid.start - grid.first_page
    out = reduce_codes(codes, lead, grid.n_rows * grid.row_cells, grid.per_cell, side * side, kinds)
    cells = palette[out].reshape(grid.n_rows, grid.row_cells, side, side, 3)[:, :, ::-1]
    return cells.transpose(0, 2, 1, 3, 4).reshape(grid.n_rows, side, grid.strip_width, 3)


def reduce_codes(
    codes: Codes, lead: int, n_cells: int, per_cell: int, n_pixels: int, kinds: list[tuple[int, int]]
) -> Codes:
    """Cells of ``per_cell`` pages as ``n_pixels`` codes each, in ascending order; ``lead`` blanks come first."""
    out = np.empty((n_cells, n_pixels), np.uint8)
    step = max(1, CHUNK // per_cell)
    for first in range(0, n_cells, step):
        stop = min(first + step, n_cells)
        block = np.full((stop - first) * per_cell, BLANK, np.uint8)
        low, high = first * per_cell - lead, stop * per_cell - lead
        part = codes[max(0, low) : max(0, high)]
        at = max(0, -low)
        block[at : at + len(part)] = part
        out[first:stop] = _pick(block.reshape(-1, per_cell), n_pixels, kinds)
    return out


def _pick(block: Codes, n_pixels: int, kinds: list[tuple[int, int]]) -> Codes:
    """``n_pixels`` of the sorted pages of each cell at even distances; then every kind of page that has
    none gets one pixel, taken from the kind that has most."""
    block = np.sort(block, axis=1, kind="stable")
    at = ((np.arange(n_pixels) + 0.5) * block.shape[1] / n_pixels).astype(np.int64)
    picks = block[:, at]
    changed = False
    for low, high in kinds:
        missing = ((block >= low) & (block <= high)).any(axis=1)
        missing &= ~((picks >= low) & (picks <= high)).any(axis=1)
        rows = np.flatnonzero(missing)
        if len(rows):
            first = ((block[rows] >= low) & (block[rows] <= high)).argmax(axis=1)
            slot = _slot_of_largest(picks[rows], kinds)
            picks[rows, slot] = block[rows, first]
            changed = True
    return np.sort(picks, axis=1, kind="stable") if changed else picks


def _slot_of_largest(picks: Codes, kinds: list[tuple[int, int]]) -> npt.NDArray[np.int64]:
    """For each cell, a pixel of the kind (blank included) that has most pixels in it."""
    best = np.zeros(len(picks), np.int64)
    slot = np.zeros(len(picks), np.int64)
    for low, high in [*kinds, (BLANK, BLANK)]:
        mask = (picks >= low) & (picks <= high)
        count = mask.sum(axis=1)
        better = count > best
        best[better] = count[better]
        slot[better] = mask[better].argmax(axis=1)
    return slot
