// Tables that sort by any column: a button in each head, so mouse and keyboard do the same.
function compareCells(a, b, number) {
  if (!number) return a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0;
  if (a[1] === null || b[1] === null) return (a[1] === null) - (b[1] === null);
  return a[1] - b[1];
}

function renderTable(table, { caption, sortable = true, chips = null }) {
  const body = el("tbody");
  const foot = table.foot ? el("tfoot") : null;
  const cell = (value, i) => {
    const chip = chips && i === 0 && chips(value[0]);
    const parts = [chip || null, table.columns[i].number ? value[0] : name(value[0])];
    const look = { class: table.columns[i].number ? "num" : null };
    return i === 0 ? el("th", { scope: "row", ...look }, parts) : el("td", look, parts);
  };
  const line = (row) => el("tr", {}, row.map(cell));
  const rows = table.rows.slice(0, table.rows.length - table.foot);
  const lines = rows.map(line);
  body.append(...lines);
  if (foot) foot.append(...table.rows.slice(rows.length).map(line));
  const heads = table.columns.map((column, i) => {
    const attributes = { scope: "col", class: column.number ? "num" : null };
    if (!sortable || rows.length < 2) return el("th", attributes, column.title);
    const mark = el("i", { "aria-hidden": "true" }, "↕");
    const head = el("th", { ...attributes, "aria-sort": "none" });
    const sort = () => {
      const down = head.getAttribute("aria-sort") === (column.number ? "none" : "ascending")
        || (column.number && head.getAttribute("aria-sort") === "ascending");
      for (const other of heads) {
        if (other.hasAttribute("aria-sort")) other.setAttribute("aria-sort", "none");
        const sign = other.querySelector("i");
        if (sign) sign.textContent = "↕";
      }
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      mark.textContent = down ? "↓" : "↑";
      const order = rows.map((_, n) => n).sort((a, b) => {
        const [x, y] = [rows[a][i], rows[b][i]];
        const unknown = column.number && (x[1] === null || y[1] === null);
        return (down && !unknown ? -1 : 1) * compareCells(x, y, column.number) || a - b;
      });
      body.append(...order.map((n) => lines[n]));
    };
    head.append(el("button", { type: "button", title: "Sort", on: { click: sort } }, column.title, mark));
    return head;
  });
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el("table", {}, el("caption", {}, caption), el("thead", {}, el("tr", {}, heads)), body, foot));
}
