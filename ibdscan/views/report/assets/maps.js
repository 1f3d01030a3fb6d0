// The maps of all files with one set of controls: they show the same mode and the same part of the grid.
class Maps {
  constructor(files, allPages) {
    this.many = files.length > 1;
    this.view = new View();
    this.mode = allPages[0].facts.modes[0].name;
    this.index = "";
    this.tip = el("div", { class: "tip", hidden: true, "aria-hidden": "true" });
    this.maps = files.map((file, n) => new PageMap(file, allPages[n], this));
    this.host = el("div", { class: "maps" }, this.maps.map((map) => map.node));
    this.says = el("p", { class: "note" });
    this.node = el("div", {}, el("div", { class: "card" }, this.tools(allPages), this.says, this.help()), this.host, this.tip);
    this.host.style.marginTop = "14px";
    onResize(this.maps[0].stage, () => this.fit());
  }

  tools(allPages) {
    const modes = el("div", { class: "modes", role: "radiogroup", "aria-label": "Colour the pages by" },
      allPages[0].facts.modes.map((mode) => el("label", { title: mode.title },
        el("input", { type: "radio", name: "mode", value: mode.name, checked: mode.name === this.mode,
          on: { change: () => { this.mode = mode.name; this.repaint(); } } }),
        el("span", {}, mode.name))));
    const names = [...new Set(allPages.flatMap((pages) => pages.facts.indexes))];
    const choose = el("select", { id: "only", on: { change: () => { this.index = choose.value; this.repaint(); } } },
      el("option", { value: "" }, "all"), names.map((one, n) => el("option", { value: String(n + 1) }, one)));
    this.names = names;
    const go = el("input", { type: "text", inputmode: "numeric", id: "go", autocomplete: "off", placeholder: "number" });
    const form = el("form", { on: { submit: (event) => { event.preventDefault(); this.goTo(go.value); } } }, el("label", {}, "Page", go));
    const button = (sign, label, run) => el("button", { type: "button", "aria-label": label, title: label, on: { click: run } }, sign);
    const middle = (factor) => () => { this.view.zoom(factor, this.view.width / 2, this.view.height / 2); this.settle(); };
    return el("div", { class: "tools" }, modes, el("label", {}, "Index", choose), form,
      el("span", { class: "zoom" }, button("−", "Zoom out", middle(1 / 2)), button("+", "Zoom in", middle(2)), button("Fit", "Show all pages", () => this.fit())));
  }

  help() {
    const keys = (...list) => list.map((key) => [el("kbd", {}, key), " "]);
    return el("details", { class: "note" }, el("summary", {}, "How to move about"),
      el("p", { id: "map-keys" }, "One cell is one page; page numbers grow left to right, then down, strip after strip; lines part the extents. ",
        "Arrow keys move to the next page or row, plus and minus zoom, Enter zooms in on the page, 0 shows all, n and p follow the links to the next and previous page, Escape lets go."),
      el("p", {}, keys("←", "→", "↑", "↓", "+", "−", "Enter", "0", "n", "p", "Esc"), "on the map; drag or swipe to pan once zoomed in, pinch, double-click, or turn the wheel (with ",
        el("kbd", {}, "Ctrl"), ", or after a click on the map) to zoom. Lines lead from the chosen page to its previous (yellow) and next (red) page."));
  }

  /** Owner (ordinal + 1) that is shown alone in a map; 0 for all. */
  only(map) {
    return this.index ? map.pages.facts.indexes.indexOf(this.names[Number(this.index) - 1]) + 1 || -1 : 0;
  }

  goTo(text) {
    const page = Number(text.replace(/[\s,.']/g, ""));
    if (!text.trim() || !Number.isInteger(page)) return;
    this.maps.forEach((map) => {
      if (page >= map.pages.n) return;
      if (this.view.cell < 16) this.view.zoom(20 / this.view.cell, ...this.view.xy(page));
      this.view.centre(page);
      map.select(page, { show: true });
    });
    this.settle();
  }

  fit() {
    const width = this.maps[0].stage.clientWidth;
    if (!width) return;
    const highest = Math.max(260, Math.min(620, innerHeight * 0.66));
    const pages = Math.max(...this.maps.map((map) => map.pages.n)), extent = Math.max(...this.maps.map((map) => map.pages.extent));
    const grid = fitGrid(pages, extent, width, highest);
    this.view.fit(grid, width, Math.max(120, Math.ceil(grid.rows * grid.cell) + AXIS + GUTTER));
    this.repaint();
    this.settle();
  }

  repaint() {
    const { mode } = this.maps[0].painted;
    this.says.replaceChildren(el("strong", {}, mode.title[0].toUpperCase() + mode.title.slice(1) + ". "), mode.explanation);
    this.maps.forEach((map) => map.repaint());
  }

  /** The view has moved under the pointer: what was pointed at is elsewhere now. */
  settle() { this.maps.forEach((map) => { map.point(-1); map.draw(); }); }

  drawAll() { this.maps.forEach((map) => map.draw()); }
}
