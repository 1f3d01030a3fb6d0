// One map: a canvas that shows a file's pages, follows pointer, touch and keyboard, and says what it points at.
class PageMap {
  constructor(file, pages, maps) {
    Object.assign(this, { file, pages, maps, cursor: -1, hover: -1, pointers: new Map(), drawn: 0 });
    this.canvas = el("canvas", { tabindex: "0", role: "application", "aria-roledescription": "page map", "aria-describedby": "map-keys" });
    this.stage = el("div", { class: "stage" }, this.canvas);
    this.legend = el("div", {});
    this.pin = el("div", { class: "pin" });
    this.spoken = el("p", { class: "sr", "aria-live": "polite" });
    this.title = el("h3", {}, maps.many ? letterBadge(file.letter) : null, name(file.name));
    this.node = el("div", { class: "card" }, this.title, this.stage, this.spoken,
      el("div", { class: "below" }, el("div", {}, el("h4", {}, "Legend"), this.legend), el("div", {}, el("h4", {}, "Page"), this.pin)));
    this.listen();
    this.showPin();
  }

  get painted() { return this.pages.codesOf.get(this.maps.mode); }

  /** Colours anew: another mode, theme, index or grid. */
  repaint() {
    this.palette = new Palette(this.painted);
    this.images = stripImages(this.pages, this.painted, this.palette, this.maps.view.grid, this.maps.only(this));
    this.legend.replaceChildren(...renderLegend(this.painted, this.palette));
    const { mode } = this.painted;
    const counts = [...(mode.scale ? [mode.scale] : []), ...mode.legend].map((l) => `${l.label} ${l.pages}`).join(", ");
    this.canvas.setAttribute("aria-label", `Map of ${this.file.name}, ${mode.title}: ${whole(this.pages.n)} pages. ${counts}.`);
    this.draw();
  }

  draw() {
    if (this.drawn) return;
    this.drawn = requestAnimationFrame(() => { this.drawn = 0; this.drawNow(); });
  }

  drawNow() {
    const { view } = this.maps, { grid } = view, scale = window.devicePixelRatio || 1, look = themeNow();
    const [wide, tall] = [Math.round(view.width * scale), Math.round(view.height * scale)];
    if (this.canvas.width !== wide || this.canvas.height !== tall) { this.canvas.width = wide; this.canvas.height = tall; }
    this.canvas.style.height = `${view.height}px`;
    this.canvas.style.touchAction = view.zoomed ? "none" : "pan-y";
    const context = this.canvas.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = look.background;
    context.fillRect(0, 0, view.width, view.height);
    context.imageSmoothingEnabled = view.cell * scale < 1.5;
    context.imageSmoothingQuality = "high";
    for (let strip = 0; strip < grid.strips; strip++) {
      const left = view.x + strip * view.pitch + grid.gap;
      if (left > view.width || left + grid.rowPages * view.cell < 0) continue;
      if (view.cell < DETAIL) context.drawImage(this.images[strip], left, view.y, grid.rowPages * view.cell, view.tall);
      else this.drawCells(context, strip, left);
      this.drawLabels(context, strip, left, look);
    }
    this.drawCursor(context, look);
  }

  rowsInSight(strip) {
    const { view } = this.maps, { grid } = view;
    const inFile = Math.ceil(this.pages.n / grid.rowPages) - strip * grid.rows;
    return [Math.max(0, Math.floor(-view.y / view.cell)), Math.min(grid.rows, inFile, Math.ceil((view.height - view.y) / view.cell))];
  }

  drawCells(context, strip, left) {
    const { view } = this.maps, { grid, cell } = view, only = this.maps.only(this);
    const { codes, levels, isFilled } = this.painted;
    const [first, last] = this.rowsInSight(strip);
    const from = Math.max(0, Math.floor(-left / cell)), to = Math.min(grid.rowPages, Math.ceil((view.width - left) / cell));
    const words = cell >= 46;
    if (words) { context.font = "11px system-ui, sans-serif"; context.textAlign = "center"; }
    for (let row = first; row < last; row++) for (let at = from; at < to; at++) {
      const page = (strip * grid.rows + row) * grid.rowPages + at;
      if (page >= this.pages.n) break;
      const code = codes[page], x = Math.round(left + at * cell), y = Math.round(view.y + row * cell);
      const box = [x, y, Math.round(left + (at + 1) * cell) - 1 - x, Math.round(view.y + (row + 1) * cell) - 1 - y];
      drawCell(context, box, this.palette, code, levels && isFilled[code] ? levels[page] : null, only && this.pages.owner[page] !== only);
      if (words) this.drawWord(context, page, x + cell / 2, y + cell / 2 + 4);
    }
  }

  drawWord(context, page, x, y) {
    context.lineWidth = 3;
    context.strokeStyle = "rgb(255 255 255 / .85)";
    context.strokeText(whole(page), x, y);
    context.fillStyle = "#111";
    context.fillText(whole(page), x, y);
  }

  /** Page numbers at the left of a strip, lines between extents, offsets of the pages in a row above it. */
  drawLabels(context, strip, left, look) {
    const { view } = this.maps, { grid, cell } = view;
    const [first, last] = this.rowsInSight(strip);
    if (last <= first) return;
    const right = left + grid.rowPages * cell;
    context.fillStyle = look.background;
    if (cell * grid.extentRows >= 5) {
      for (let row = Math.ceil(first / grid.extentRows) * grid.extentRows; row < last; row += grid.extentRows) {
        if (row) context.fillRect(left, view.y + row * cell - 1, right - left, 1);
      }
    }
    const { extent } = this.pages;
    if (grid.rowPages > extent && cell >= 3) {
      for (let at = extent; at < grid.rowPages; at += extent) context.fillRect(left + at * cell - 1, view.y, 1, view.tall);
    }
    let every = 1;
    while (every * cell < 20) every *= 2;
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = look.muted;
    context.textAlign = "right";
    const edge = Math.max(left, grid.gap - 4);
    context.fillStyle = look.background;
    if (edge > left && right > 0) context.fillRect(0, view.y, edge - 2, view.tall);
    context.fillStyle = look.muted;
    for (let row = Math.ceil(first / every) * every; row < last; row += every) {
      const y = view.y + row * cell;
      if (y > 4 && right > edge) context.fillText(whole((strip * grid.rows + row) * grid.rowPages), edge - 5, y + Math.min(cell, 13) / 2 + 4);
    }
    context.fillStyle = look.background;
    context.fillRect(edge - 2, 0, right - edge + 4, AXIS - 2);
    context.fillStyle = look.muted;
    context.textAlign = "left";
    const parts = cell * grid.rowPages >= 900 ? 8 : cell * grid.rowPages >= 260 ? 4 : cell * grid.rowPages >= 110 ? 2 : 0;
    for (let part = 0; part < parts; part++) {
      const at = (grid.rowPages * part) / parts;
      if (left + at * cell >= edge - 1) context.fillText(`+${at}`, left + at * cell, AXIS - 6);
    }
  }

  drawCursor(context, look) {
    const { view } = this.maps;
    const middle = (page) => { const [x, y] = view.xy(page); return [x + view.cell / 2, y + view.cell / 2]; };
    const at = this.cursor;
    if (at >= 0) {
      context.lineWidth = 2;
      for (const [link, color] of [[this.pages.prev[at], "#e69f00"], [this.pages.next[at], "#d55e00"]]) {
        const other = link - 1;
        if (!this.pages.is_index[at] || other < 0 || other >= this.pages.n) continue;
        const [[x0, y0], [x1, y1]] = [middle(at), middle(other)];
        for (const [style, line] of [[look.background, 4], [color, 2]]) {
          context.strokeStyle = style;
          context.lineWidth = line;
          context.beginPath();
          context.moveTo(x0, y0);
          context.lineTo(x1, y1);
          context.stroke();
        }
        this.ring(context, other, color, look, 2);
      }
      this.ring(context, at, look.ink, look, 3);
    }
    if (this.hover >= 0 && this.hover !== at) this.ring(context, this.hover, look.ink, look, 1.5);
  }

  ring(context, page, color, look, line) {
    const { view } = this.maps, [x, y] = view.xy(page);
    const size = Math.max(view.cell - (view.cell >= DETAIL ? 1 : 0), 6), off = Math.min(0, (view.cell - size) / 2);
    for (const [style, width, out] of [[look.background, line + 2, 2], [color, line, 1.5]]) {
      context.strokeStyle = style;
      context.lineWidth = width;
      context.strokeRect(x + off - out, y + off - out, size + 2 * out, size + 2 * out);
    }
  }

  /** Choose a page: its facts stay beside the map. */
  select(page, { show = false, say = true } = {}) {
    if (page < 0 || page >= this.pages.n) return;
    this.cursor = page;
    if (show) this.maps.view.show(page);
    this.showPin();
    if (say) this.spoken.textContent = this.pages.sentence(page);
    this.maps.drawAll();
  }

  showPin() {
    const page = this.cursor;
    if (page < 0) {
      this.pin.replaceChildren(el("p", { class: "note" }, "Point at a page to see what it is; click, tap or press an arrow key to keep it here."));
      return;
    }
    const go = (label, link) => {
      const there = this.pages.is_index[page] && link > 0 && link <= this.pages.n;
      const move = () => { this.select(link - 1, { show: true }); };
      return el("button", { type: "button", disabled: !there, on: { click: move } }, label);
    };
    this.pin.dataset.page = page;
    this.pin.replaceChildren(el("strong", {}, `Page ${whole(page)}`), factList(this.pages.describe(page)),
      el("div", { class: "tools" }, go("← prev page", this.pages.prev[page]), go("next page →", this.pages.next[page])));
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  listen() {
    const { canvas, maps } = this, { view } = maps;
    const on = (type, run, options) => canvas.addEventListener(type, run, options);
    on("pointerdown", (event) => {
      this.pointers.set(event.pointerId, this.at(event));
      if (this.pointers.size === 1) this.moved = 0;
      else this.moved = 99;
      if (event.pointerType === "mouse" || view.zoomed) canvas.setPointerCapture(event.pointerId);
    });
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => {
      const tap = this.pointers.delete(event.pointerId) && this.moved < 6 && event.button === 0;
      canvas.classList.remove("grab");
      if (!tap) return;
      const page = view.pageAt(...this.at(event), this.pages.n);
      if (page >= 0) this.select(page);
    });
    on("pointercancel", (event) => this.pointers.delete(event.pointerId));
    on("pointerleave", () => { this.point(-1); });
    on("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== canvas) return;
      event.preventDefault();
      view.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), ...this.at(event));
      maps.drawAll();
    }, { passive: false });
    on("dblclick", (event) => { view.zoom(3, ...this.at(event)); maps.drawAll(); });
    on("keydown", (event) => this.key(event));
    on("blur", () => this.point(-1));
  }

  move(event) {
    const { view } = this.maps, now = this.at(event), before = this.pointers.get(event.pointerId);
    if (!before) {
      if (event.pointerType === "mouse") this.point(view.pageAt(...now, this.pages.n), event);
      return;
    }
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, xy]) => xy);
    if (others.length) {
      const distance = (a, b) => Math.max(8, Math.hypot(a[0] - b[0], a[1] - b[1]));
      const middle = [(now[0] + others[0][0]) / 2, (now[1] + others[0][1]) / 2];
      view.zoom(distance(now, others[0]) / distance(before, others[0]), ...middle);
      view.pan((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
    } else {
      this.moved += Math.hypot(now[0] - before[0], now[1] - before[1]);
      if (view.zoomed) { view.pan(now[0] - before[0], now[1] - before[1]); canvasGrab(this.canvas, this.moved); }
    }
    this.pointers.set(event.pointerId, now);
    this.point(-1);
    this.maps.drawAll();
  }

  /** Show the tooltip of a page; -1 hides it. */
  point(page, event) {
    if (page !== this.hover) { this.hover = page; this.draw(); }
    const { tip } = this.maps;
    tip.hidden = page < 0;
    if (page < 0) return;
    if (Number(tip.dataset.page) !== page || tip.dataset.file !== this.file.letter) {
      tip.replaceChildren(el("strong", {}, `Page ${whole(page)}`), factList(this.pages.describe(page)));
      Object.assign(tip.dataset, { page, file: this.file.letter });
    }
    const box = tip.getBoundingClientRect();
    const x = event.clientX + 18 + box.width > innerWidth ? event.clientX - 14 - box.width : event.clientX + 18;
    const y = Math.min(event.clientY + 14, innerHeight - box.height - 8);
    tip.style.transform = `translate(${Math.max(4, x)}px, ${Math.max(4, y)}px)`;
  }

  key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { view } = this.maps, { grid } = view, last = this.pages.n - 1;
    const from = this.cursor < 0 ? 0 : this.cursor;
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -grid.rowPages, ArrowDown: grid.rowPages,
      PageUp: -grid.rowPages * 16, PageDown: grid.rowPages * 16, Home: -last, End: last };
    if (event.key in steps) {
      const step = steps[event.key];
      const start = this.cursor < 0 && event.key.startsWith("Arrow") ? 0 : from + step;
      this.select(Math.min(last, Math.max(0, start)), { show: true });
      this.point(-1);
    } else if (event.key === "+" || event.key === "=" || event.key === "-") {
      const [x, y] = this.cursor < 0 ? [view.width / 2, view.height / 2] : view.xy(this.cursor);
      view.zoom(event.key === "-" ? 1 / 1.5 : 1.5, x + view.cell / 2, y + view.cell / 2);
      if (this.cursor >= 0) view.show(this.cursor);
      this.maps.settle();
    } else if (event.key === "Enter") {
      if (this.cursor < 0) this.select(0, { show: true });
      else {
        view.zoom(Math.max(1, 28 / view.cell), ...view.xy(this.cursor));
        view.centre(this.cursor);
        this.spoken.textContent = this.pages.sentence(this.cursor);
        this.maps.settle();
      }
    } else if (event.key === "0") this.maps.fit();
    else if (event.key === "n" || event.key === "p") {
      const link = this.pages[event.key === "n" ? "next" : "prev"][from];
      if (this.pages.is_index[from] && link) this.select(link - 1, { show: true });
    } else if (event.key === "Escape") { this.cursor = -1; this.showPin(); this.maps.drawAll(); } else return;
    event.preventDefault();
  }
}

function canvasGrab(canvas, moved) { if (moved > 5) canvas.classList.add("grab"); }

function factList(rows) {
  return el("dl", {}, rows.map(([key, value]) => [el("dt", {}, key), el("dd", { "data-key": key.toLowerCase() }, name(value))]));
}
