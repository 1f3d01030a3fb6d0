// Where the cells of a map lie: rows of one extent (an even part of it, or several), in strips side by side.
const GUTTER = 8, AXIS = 20, LARGEST_FIT = 22, LARGEST_CELL = 72, ENOUGH = 14;

function gutterFor(nPages) { return 14 + 6.3 * whole(Math.max(0, nPages - 1)).length; }

/** The grid that shows all pages at once in width x height with the largest cells. */
function fitGrid(nPages, extent, width, height) {
  const gap = gutterFor(nPages);
  let best = null;
  const one = Math.min(extent, 64);
  const liking = new Map([[one, 1.6], [one / 2, 1.5], [one / 4, 1]]);
  if (nPages > 20000) for (const times of [2, 4, 8, 16]) liking.set(one * times, 1.3);
  for (const [rowPages, bonus] of liking) {
    if (rowPages < 16 || !Number.isInteger(rowPages)) continue;
    const nRows = Math.max(1, Math.ceil(nPages / rowPages));
    for (let strips = 1; strips <= Math.min(nRows, 160); strips++) {
      const rows = Math.ceil(nRows / strips);
      const cell = Math.min(LARGEST_FIT, (width - GUTTER - strips * gap) / (strips * rowPages), (height - AXIS - GUTTER) / rows);
      if (cell <= 0) break;
      const liked = Math.min(cell, ENOUGH) * bonus + cell / 100;
      if (!best || liked > best.liked + 1e-9) best = { liked, cell, strips: Math.ceil(nRows / rows), rows, rowPages, nRows, gap, extentRows: Math.max(1, extent / rowPages) };
    }
  }
  return best || { cell: 1, strips: 1, rows: nPages, rowPages: 16, nRows: nPages, gap, extentRows: 4 };
}

/** What part of the grid is seen, and how large: the same for all maps, so that two files move together. */
class View {
  constructor() { this.grid = null; this.width = 0; this.height = 0; }

  fit(grid, width, height) {
    Object.assign(this, { grid, width, height, cell: grid.cell });
    this.x = Math.max(0, (width - this.wide - GUTTER) / 2);
    this.x = Math.min(this.x, GUTTER);
    this.y = AXIS;
  }

  get pitch() { return this.grid.rowPages * this.cell + this.grid.gap; }
  get wide() { return this.grid.strips * this.pitch; }
  get tall() { return this.grid.rows * this.cell; }
  get zoomed() { return this.cell > this.grid.cell * 1.001; }

  xy(page) {
    const row = Math.floor(page / this.grid.rowPages);
    const strip = Math.floor(row / this.grid.rows);
    return [this.x + strip * this.pitch + this.grid.gap + (page % this.grid.rowPages) * this.cell, this.y + (row % this.grid.rows) * this.cell];
  }

  pageAt(px, py, nPages) {
    const strip = Math.floor((px - this.x) / this.pitch);
    const at = Math.floor((px - this.x - strip * this.pitch - this.grid.gap) / this.cell);
    const row = Math.floor((py - this.y) / this.cell);
    if (strip < 0 || strip >= this.grid.strips || at < 0 || at >= this.grid.rowPages || row < 0 || row >= this.grid.rows) return -1;
    const page = (strip * this.grid.rows + row) * this.grid.rowPages + at;
    return page < nPages ? page : -1;
  }

  zoom(factor, px, py) {
    const cell = Math.min(LARGEST_CELL, Math.max(this.grid.cell, this.cell * factor));
    const strip = Math.min(this.grid.strips - 1, Math.max(0, Math.floor((px - this.x) / this.pitch)));
    const inside = (px - this.x - strip * this.pitch - this.grid.gap) / this.cell;
    const row = (py - this.y) / this.cell;
    this.cell = cell;
    this.x = px - strip * this.pitch - this.grid.gap - inside * cell;
    this.y = py - row * cell;
    this.clamp();
  }

  pan(dx, dy) { this.x += dx; this.y += dy; this.clamp(); }

  clamp() {
    if (!this.zoomed) { this.fit(this.grid, this.width, this.height); return; }
    const wide = this.wide + 2 * GUTTER, tall = this.tall + AXIS + GUTTER;
    this.x = wide <= this.width ? GUTTER : Math.min(GUTTER, Math.max(this.width - wide + GUTTER, this.x));
    this.y = tall <= this.height ? AXIS : Math.min(AXIS, Math.max(this.height - tall + AXIS, this.y));
  }

  /** Bring a page into sight, with a margin. */
  show(page) {
    const [x, y] = this.xy(page), edge = Math.min(40, this.width / 6);
    if (x < edge) this.x += edge - x;
    if (x + this.cell > this.width - edge) this.x -= x + this.cell - this.width + edge;
    if (y < AXIS + edge) this.y += AXIS + edge - y;
    if (y + this.cell > this.height - edge) this.y -= y + this.cell - this.height + edge;
    this.clamp();
  }

  centre(page) {
    const [x, y] = this.xy(page);
    this.pan(this.width / 2 - x, this.height / 2 - y);
  }
}
