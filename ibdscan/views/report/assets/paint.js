// Pages as pixels: one image of one pixel a page for each strip, and single cells where they are large enough.
const DETAIL = 9, STRONG = 8;

function themeName() { return document.documentElement.dataset.theme; }
function themeNow() { return REPORT.themes[themeName()]; }

function mixed(a, b, share) { return a.map((part, i) => Math.round(part + (b[i] - part) * share)); }
function rgbText(parts) { return `rgb(${parts.join(",")})`; }

/** Colours of one mode in the theme of the moment: by code, and by code and fill where fill is shown. */
class Palette {
  constructor(painted) {
    this.painted = painted;
    const { mode, legend } = painted;
    this.colors = new Map();
    this.looks = new Map();
    if (mode.scale) mode.scale.colors.forEach((hex, code) => this.colors.set(code, colorParts(hex)));
    for (const [code, entry] of legend) {
      const look = entry[themeName()];
      this.colors.set(code, colorParts(look.color));
      this.looks.set(code, { ...look, texture: entry.texture, shades: look.shades ? look.shades.map(colorParts) : null });
    }
    this.ground = colorParts(themeNow().background);
  }

  /** Colours as 32-bit pixels: [code * 8 + fill step], twice: plain and dimmed. */
  table() {
    const out = new Uint32Array(256 * STRONG), dim = new Uint32Array(256 * STRONG);
    const pixel = ([red, green, blue]) => ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
    for (const [code, color] of this.colors) {
      const shades = this.painted.mode.strength && this.looks.get(code)?.shades;
      for (let step = 0; step < STRONG; step++) {
        const shown = shades ? shades[step] : color;
        out[code * STRONG + step] = pixel(shown);
        dim[code * STRONG + step] = pixel(mixed(shown, this.ground, 0.86));
      }
    }
    return { out, dim };
  }
}

/** One canvas a strip, a pixel a page. */
function stripImages(pages, painted, palette, grid, only) {
  const { out, dim } = palette.table();
  const { codes, levels } = painted;
  const images = [];
  for (let strip = 0; strip < grid.strips; strip++) {
    const first = strip * grid.rows * grid.rowPages;
    const canvas = document.createElement("canvas");
    canvas.width = grid.rowPages;
    canvas.height = grid.rows;
    const context = canvas.getContext("2d");
    const image = context.createImageData(grid.rowPages, grid.rows);
    const pixels = new Uint32Array(image.data.buffer);
    const count = Math.min(pixels.length, pages.n - first);
    for (let i = 0; i < count; i++) {
      const page = first + i;
      const at = codes[page] * STRONG + (levels ? levels[page] >> 5 : 0);
      pixels[i] = only && pages.owner[page] !== only ? dim[at] : out[at];
    }
    context.putImageData(image, 0, 0);
    images.push(canvas);
  }
  return images;
}

/** One cell in full: texture, or a bar as high as the page is full. */
function drawCell(context, [x, y, wide, tall], palette, code, level, dimmed) {
  const look = palette.looks.get(code);
  const color = palette.colors.get(code) || palette.ground;
  const shade = (parts) => rgbText(dimmed ? mixed(parts, palette.ground, 0.86) : parts);
  if (look && look.ground && level !== null) {
    context.fillStyle = shade(colorParts(look.ground));
    context.fillRect(x, y, wide, tall);
    const high = Math.round((tall * level) / 255);
    context.fillStyle = shade(color);
    context.fillRect(x, y + tall - high, wide, high);
    return;
  }
  context.fillStyle = shade(color);
  context.fillRect(x, y, wide, tall);
  if (!look || !look.texture) return;
  const mark = shade(colorParts(look.mark));
  if (look.texture === "dot") {
    const dot = Math.max(2, Math.round(tall / 5));
    context.fillStyle = mark;
    context.fillRect(x + Math.floor((wide - dot) / 2), y + Math.floor((tall - dot) / 2), dot, dot);
    return;
  }
  context.save();
  context.beginPath();
  context.rect(x, y, wide, tall);
  context.clip();
  context.strokeStyle = mark;
  context.lineWidth = look.texture === "hatch" ? 1.2 : 1;
  context.beginPath();
  if (look.texture === "hatch") {
    const step = Math.max(4, tall / 4);
    for (let at = -tall; at < wide; at += step) { context.moveTo(x + at, y + tall); context.lineTo(x + at + tall, y); }
  } else context.rect(x + 0.5, y + 0.5, wide - 1, tall - 1);
  context.stroke();
  context.restore();
}

function swatchCanvas(entry, palette) {
  const canvas = el("canvas", { width: 36, height: 36, "aria-hidden": "true" });
  const context = canvas.getContext("2d");
  context.scale(2, 2);
  drawCell(context, [0, 0, 18, 18], palette, entry.code, palette.looks.get(entry.code).ground ? 178 : null, false);
  return canvas;
}

function renderLegend(painted, palette) {
  const { mode } = painted;
  const parts = [];
  if (mode.scale) {
    const ramp = el("canvas", { width: mode.scale.colors.length, height: 1, role: "img", "aria-label": mode.scale.title });
    const context = ramp.getContext("2d");
    mode.scale.colors.forEach((hex, i) => { context.fillStyle = hex; context.fillRect(i, 0, 1, 1); });
    const ticks = (list) => el("div", { class: "ticks" }, list.map(([at, label]) => {
      const tick = el("span", {}, label);
      tick.style.left = `${100 * at}%`;
      return tick;
    }));
    parts.push(el("div", { class: "ramp" }, el("div", {}, mode.scale.title), ramp, ticks(mode.scale.ticks),
      mode.scale.sub.length ? el("div", {}, mode.scale.sub_title) : null, mode.scale.sub.length ? ticks(mode.scale.sub) : null));
  }
  const row = (swatch, label, pages, share) => el("li", {}, swatch, name(label), el("span", {}, pages), el("span", {}, share));
  const items = [];
  if (mode.scale && mode.scale.pages !== "0") {
    const ramp = el("canvas", { width: 18, height: 18, "aria-hidden": "true" });
    const context = ramp.getContext("2d"), { colors } = mode.scale;
    for (let x = 0; x < 18; x++) { context.fillStyle = colors[Math.floor((x * colors.length) / 18)]; context.fillRect(x, 0, 1, 18); }
    items.push(row(ramp, mode.scale.label, mode.scale.pages, mode.scale.share));
  }
  items.push(...mode.legend.map((entry) => row(swatchCanvas(entry, palette), entry.label, entry.pages, entry.share)));
  parts.push(el("ul", { class: "legend", "aria-label": "Legend, with pages and share of the file" }, items));
  return parts;
}
