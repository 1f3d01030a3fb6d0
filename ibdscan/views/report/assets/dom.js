// Elements are made here and nowhere else: text goes in as text, so a name can never become markup.
const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "on") for (const [event, run] of Object.entries(value)) node.addEventListener(event, run);
    else if (name === "class") node.setAttribute("class", value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined) node.append(child);
  return node;
}

const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);
/** A name in its own direction: right-to-left letters do not turn the words around it. */
const name = (text) => el("bdi", {}, text);
const whole = (n) => n.toLocaleString("en-US");

/** Draws again when the theme changes or the element gets another width. */
const redraws = new Set();
function onResize(node, draw) {
  let width = 0;
  new ResizeObserver((entries) => {
    const now = Math.round(entries[0].contentRect.width);
    if (now && now !== width) { width = now; draw(); }
  }).observe(node);
  redraws.add(draw);
}
