// Elements made of text. Nothing here parses HTML, so an id is shown as it is spelt, whatever it spells.

const SVG = "http://www.w3.org/2000/svg";

/** An element with properties, attributes and children; strings become text. */
export function element(tag, options = {}, ...children) {
  return fill(document.createElement(tag), options, children);
}

export function svg(tag, options = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), options, children);
}

function fill(node, options, children) {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [property, text] of Object.entries(value)) node.style.setProperty(property, text);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

export function byId(id) {
  return document.getElementById(id);
}

/** A value of unknown script and direction, kept apart from the words around it. */
export function foreign(text, limit = Infinity) {
  const shown = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return element("bdi", {}, shown);
}

/** Tell a screen reader, without moving anything. */
export function announce(message) {
  byId("announcer").textContent = message;
}

export function prefersReducedMotion() {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}
