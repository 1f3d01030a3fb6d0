// Histograms (SVG) and order curves (canvas). The numbers and their spellings come from the survey.
const NICE = [0.1, 0.2, 0.4, 0.6, 0.8, 1];

function drawHistogram(host, series, top, label) {
  const width = Math.max(240, host.clientWidth), height = 170, left = 40, bottom = 34, above = 16;
  const plot = height - bottom - above, each = (width - left - 4) / 10;
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": label });
  for (const part of [0, 0.5, 1]) {
    const y = above + plot * (1 - part);
    root.append(svg("line", { class: "axis", x1: left, x2: width, y1: y, y2: y }),
      svg("text", { x: left - 6, y: y + 4, "text-anchor": "end" }, `${Math.round(100 * top * part)} %`));
  }
  const bar = (each * 0.84) / series.length;
  series.forEach(({ color, data, letter }, n) => data && data.bins.forEach((bin, i) => {
    if (!bin.share) return;
    const tall = Math.max(1.5, (plot * bin.share) / top);
    const x = left + i * each + each * 0.08 + n * bar;
    root.append(svg("rect", { class: "bar", x, y: above + plot - tall, width: Math.max(1, bar - 1), height: tall, fill: color, rx: 1.5 },
      svg("title", {}, `${letter ? letter + ": " : ""}${bin.label} full: ${bin.count} leaf pages, ${bin.text}`)));
    if (series.length === 1 && each > 7 * bin.count.length) {
      root.append(svg("text", { class: "count", x: x + bar / 2, y: above + plot - tall - 4, "text-anchor": "middle" }, bin.count));
    }
  }));
  for (let i = 0; i <= 10; i += 2) {
    const anchor = i === 10 ? "end" : "middle";
    root.append(svg("text", { x: left + i * each, y: height - bottom + 16, "text-anchor": anchor }, `${10 * i} %`));
  }
  root.append(svg("text", { x: left, y: height - 3 }, "fill of the leaf page"));
  host.replaceChildren(root);
}

function histogramFigure(series, top, title, label) {
  const host = el("div", {});
  const shown = series.filter((s) => s.data);
  const bins = shown.length ? shown[0].data.bins : [];
  const table = {
    columns: [{ title: "fill", number: false }, ...shown.map((s) => ({ title: s.letter ? `${s.letter}: leaf pages` : "leaf pages", number: true }))],
    rows: bins.map((bin, i) => [[bin.label, null], ...shown.map((s) => [`${s.data.bins[i].count} (${s.data.bins[i].text})`, i])]),
    foot: 0,
  };
  const figure = el("figure", {}, el("figcaption", {}, title), host,
    series.length > 1 ? el("div", { class: "keys" }, series.map((s) => el("span", {}, chip(s.color), s.letter))) : null,
    el("details", {}, el("summary", { class: "note" }, "As a table"), renderTable(table, { caption: label, sortable: false })));
  onResize(host, () => drawHistogram(host, series, top, label));
  return figure;
}

function niceTop(data) {
  const highest = Math.max(...data.bins.map((bin) => bin.share));
  return NICE.find((top) => top >= highest - 1e-9);
}

function chip(color) {
  const node = el("i", { class: "chip", "aria-hidden": "true" });
  node.style.background = color;
  return node;
}

function colorParts(hex) {
  const n = parseInt(hex.slice(1), 16);
  return [n >> 16, (n >> 8) & 255, n & 255];
}

/** Every leaf as a dot: its page number across, its place in key order upwards. A file in order is a line. */
function drawCurve(canvas, chain, nPages, color) {
  const width = canvas.clientWidth, height = 190, scale = window.devicePixelRatio || 1;
  canvas.style.height = `${height}px`;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext("2d");
  const look = themeNow();
  const left = Math.round(42 * scale), plot = canvas.width - left - scale, tall = Math.round((height - 22) * scale);
  const [red, green, blue] = colorParts(color);
  const image = context.createImageData(plot, tall);
  const hits = new Uint32Array(plot * tall);
  const spread = chain.length < 4000 ? Math.max(2, Math.round(2 * scale)) : chain.length < 60000 ? Math.ceil(scale) : 1;
  for (let i = 0; i < chain.length; i++) {
    const x = Math.min(plot - 1, Math.floor((chain[i] * plot) / Math.max(1, nPages)));
    const y = tall - 1 - Math.floor((i * tall) / chain.length);
    for (let dx = 0; dx < spread; dx++) for (let dy = 0; dy < spread; dy++) {
      if (x + dx < plot && y - dy >= 0) hits[(y - dy) * plot + x + dx]++;
    }
  }
  const even = spread > 1 ? 1 : Math.max(1, chain.length / Math.max(plot, tall) / 2);
  for (let i = 0; i < hits.length; i++) if (hits[i]) {
    image.data.set([red, green, blue, hits[i] >= even ? 255 : 110 + Math.round((145 * hits[i]) / even)], 4 * i);
  }
  context.strokeStyle = look.line;
  context.lineWidth = scale;
  context.putImageData(image, left, 0);
  context.strokeRect(left - scale / 2, scale / 2, plot + scale / 2, tall - scale / 2);
  context.fillStyle = look.muted;
  context.font = `${11 * scale}px system-ui, sans-serif`;
  context.textAlign = "right";
  for (const [part, label] of [[0, "0 %"], [0.5, "50 %"], [1, "100 %"]]) {
    context.fillText(label, left - 6 * scale, Math.max(9 * scale, tall * (1 - part) + 3.5 * scale - part * 2 * scale));
  }
  context.fillText(whole(Math.max(0, nPages - 1)), canvas.width - scale, canvas.height - 6 * scale);
  context.textAlign = "left";
  context.fillText("page 0", left, canvas.height - 6 * scale);
}

function curveFigure(pages, ordinal, nPages, color, title, says) {
  const canvas = el("canvas", { role: "img", "aria-label": `${title}. ${says}` });
  onResize(canvas, () => drawCurve(canvas, pages.chains[ordinal], nPages, color));
  return el("figure", {}, el("figcaption", {}, title), canvas);
}
