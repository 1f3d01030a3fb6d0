// The page itself: sections in order, from data that holds every number in words already.
const REPORT = JSON.parse(document.getElementById("report-data").textContent);
const root = document.documentElement;

function setTheme(choice) {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = choice || (dark ? "dark" : "light");
  const next = root.dataset.theme === "dark" ? "light" : "dark";
  const button = document.getElementById("theme");
  button.replaceChildren(...(next === "dark" ? ["☾", el("span", {}, " Dark")] : ["☀", el("span", {}, " Light")]));
  button.setAttribute("aria-label", `Change to the ${next} theme`);
  redraws.forEach((draw) => draw());
}

function letterBadge(letter) {
  const badge = el("span", { class: "letter" }, letter);
  const colors = REPORT.comparison ? REPORT.comparison.colors : [];
  const at = REPORT.files.findIndex((file) => file.letter === letter);
  if (colors[at]) badge.style.background = colors[at];
  return badge;
}

const many = REPORT.files.length > 1;

function section(id, title, ...children) {
  document.getElementById("nav").append(el("a", { href: `#${id}` }, title));
  const node = el("section", { id, "aria-labelledby": `${id}-title` }, el("h2", { id: `${id}-title` }, title), children);
  document.getElementById("main").append(node);
  return node;
}

function perFile(build) {
  return el("div", { class: many ? "grid" : "" }, REPORT.files.map((file, n) => el("div", { class: "card" },
    many ? el("h3", {}, letterBadge(file.letter), name(file.name)) : null, build(file, n))));
}

function tile({ name: title, value, note, share }) {
  const meter = el("i", {});
  if (share !== null) meter.style.width = `${100 * Math.min(1, Math.max(0, share))}%`;
  return el("div", { class: "tile" }, el("dt", {}, name(title)),
    el("dd", {}, el("div", { class: "value" }, value), share === null ? null : el("div", { class: "meter", "aria-hidden": "true" }, meter), el("div", { class: "small" }, note)));
}

function survey(file) {
  return [
    el("p", { class: "lead" }, name(file.path)),
    file.head.map((line) => el("p", {}, name(line))),
    el("dl", { class: "tiles" }, file.tiles.map(tile)),
    file.verdicts.map(([index, says]) => el("p", { class: "says" }, el("strong", {}, name(index)), ": ", says)),
    el("ul", { class: "plain note" }, file.rebuild.map((line) => el("li", {}, line))),
  ];
}

function account(file) {
  const bar = el("div", { class: "parts", "aria-hidden": "true" });
  const pieces = file.parts.map((part) => ({ part, node: el("i", { title: `${part.label}: ${part.text}` }) }));
  bar.append(...pieces.map(({ node }) => node));
  const chips = [];
  const paint = () => {
    const { parts } = themeNow();
    pieces.forEach(({ part, node }) => { node.style.flex = `${part.share} 0 0`; node.style.background = parts[part.class] || "#888"; });
    chips.forEach(([node, key]) => { node.style.background = parts[key] || "#888"; });
  };
  const byLabel = new Map(file.parts.map((part) => [part.label, part.class]));
  const chipFor = (label) => {
    if (!byLabel.has(label)) return null;
    const node = chip("");
    chips.push([node, byLabel.get(label)]);
    return node;
  };
  const table = renderTable(file.account, { caption: "Every page of the file is in exactly one class", chips: chipFor });
  redraws.add(paint);
  paint();
  return [bar, table];
}

function indexCard(index, file, pages, n) {
  const figures = el("div", { class: "figures" });
  const card = el("details", { class: "card", open: n < 3 },
    el("summary", {}, many ? letterBadge(file.letter) : null, name(index.name), el("span", { class: "note" }, index.verdict)),
    el("dl", { class: "facts" }, index.facts.map(([key, value]) => [el("dt", {}, key), el("dd", {}, value)])),
    renderTable(index.levels, { caption: "Level by level, the root first; level 0 are the leaves", sortable: false }), figures);
  if (index.histogram) {
    const color = REPORT.comparison ? REPORT.comparison.colors[REPORT.files.indexOf(file)] : "#0072b2";
    const label = `Leaf pages of ${index.name} by fill`;
    figures.append(histogramFigure([{ color, data: index.histogram }], niceTop(index.histogram), `Leaf pages by fill, ${index.histogram.pages} in all`, label));
    if (pages) figures.append(curveFigure(pages, index.ordinal, pages.n, color, "Order: place in key order against page number", index.verdict));
  }
  return card;
}

function comparisonSection(allPages) {
  const data = REPORT.comparison;
  const said = data.summary.flatMap(([pair, lines]) => lines.map((line) => el("li", {}, data.summary.length > 1 ? `${pair}: ` : null, name(line))));
  const files = el("div", { class: "keys" }, REPORT.files.map((file) => el("span", {}, letterBadge(file.letter), name(file.name))));
  const card = el("div", { class: "card beside" }, renderTable(data.file, { caption: "The files in numbers; differences to A", sortable: false }),
    el("div", {}, files, said.length ? el("ul", { class: "plain" }, said) : el("p", {}, "The files do not differ in leaf fill or order.")));
  const indexes = data.indexes.map((index, n) => {
    const series = index.histograms.map((histogram, i) => ({ color: data.colors[i], data: histogram, letter: data.letters[i] }));
    const figures = el("div", { class: "figures" });
    if (series.some((s) => s.data)) {
      figures.classList.add("wide");
      figures.append(histogramFigure(series, index.top, "Leaf pages by fill, as shares of each file's leaf pages", `Leaf pages of ${index.name} by fill, by file`));
    }
    const widest = Math.max(...allPages.map((pages) => pages.n), 0);
    index.ordinals.forEach((ordinal, i) => {
      if (ordinal === null || !allPages.length) return;
      const title = `${data.letters[i]}: place in key order against page number`;
      figures.append(curveFigure(allPages[i], ordinal, widest, data.colors[i], title, "A file in order is a line"));
    });
    return el("details", { class: "card", open: n === data.main || n < 2 }, el("summary", {}, name(index.name)),
      el("div", { class: "beside" }, renderTable(index.table, { caption: "In numbers; differences to A", sortable: false }), figures));
  });
  section("comparison", "Comparison", card, indexes);
}

function buildPage(allPages, problem) {
  const title = REPORT.files.map((file) => file.name).join(" against ");
  document.title = `${title} - ibdscan report`;
  document.getElementById("main").append(el("h1", {}, name(title)));
  if (problem) document.getElementById("main").append(el("p", { class: "notice", role: "alert" }, problem));
  section("survey", "Survey", perFile(survey));
  if (REPORT.comparison) comparisonSection(allPages);
  let maps = null;
  if (allPages.length) {
    maps = new Maps(REPORT.files, allPages);
    section("maps", many ? "Maps" : "Map", maps.node);
    redraws.add(() => maps.repaint());
    maps.fit();
  } else if (REPORT.files[0].pictures) {
    section("maps", "Maps", el("p", { class: "note" }, "The files have so many pages that a browser could not hold them: these are pictures. ibdscan map --pages draws a part in full."),
      REPORT.files.map((file) => file.pictures.map(({ mode, source }) => el("img", { class: "still", src: source, alt: `Map of ${file.name} by ${mode}` }))));
  }
  section("account", "Account", perFile(account));
  section("indexes", "Indexes", perFile((file) => (file.overview.rows.length
    ? renderTable(file.overview, { caption: "Fill, order and reservation together; click a heading to sort. * is the clustered index" })
    : el("p", {}, "No user index in this file."))),
    el("div", { id: "index-cards" }, REPORT.files.map((file, f) => file.indexes.map((index, n) => indexCard(index, file, allPages[f], n)))));
  section("findings", "Findings", perFile((file) => (file.n_findings
    ? renderTable(file.findings, { caption: `${whole(file.n_findings)} findings` })
    : el("p", {}, "No findings: pages, links, segments and extents agree with each other."))));
  document.getElementById("foot").append(`Made by ibdscan ${REPORT.version}. The page holds all it shows and loads nothing. `,
    "All figures are over live pages: those that the extent descriptors mark as used.");
  return maps;
}

async function start() {
  document.getElementById("theme").addEventListener("click", () => setTheme(root.dataset.theme === "dark" ? "light" : "dark"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTheme());
  setTheme();
  const allPages = [];
  let problem = null;
  if (REPORT.with_maps) {
    try {
      if (typeof DecompressionStream === "undefined") throw new Error("this browser has no DecompressionStream (Chrome 80, Firefox 113, Safari 16.4 and later have it)");
      for (let n = 0; n < REPORT.files.length; n++) {
        allPages.push(await Pages.read(JSON.parse(document.getElementById(`pages-${n}`).textContent)));
      }
    } catch (error) {
      allPages.length = 0;
      problem = `The maps can not be drawn: ${error.message}. All tables are below.`;
    }
  }
  const maps = buildPage(allPages, problem);
  // For tests and the curious: where a page lies on the map, in pixels of the window.
  window.ibdscanReport = Object.freeze({
    where(file, page) {
      const box = maps.maps[file].canvas.getBoundingClientRect(), [x, y] = maps.view.xy(page);
      return [box.left + x + maps.view.cell / 2, box.top + y + maps.view.cell / 2, maps.view.cell];
    },
    describe: (file, page) => maps.maps[file].pages.describe(page),
  });
  root.dataset.ready = "yes";
}

start();
