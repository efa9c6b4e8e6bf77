// One node in words: the tooltip under the pointer, and the panel of the node that was clicked.

import { formatNumber } from "./columns.js";
import { byId, element, foreign } from "./dom.js";

const TOOLTIP_ROWS = 8;
const TOOLTIP_CHARACTERS = 120;

/** The tooltip of a node beside the pointer, or none where node is −1. */
export function showTooltip(node, left, top, app) {
  const tip = byId("tooltip");
  if (node < 0) {
    tip.hidden = true;
    return;
  }
  const rows = app.loadedColumns().slice(0, TOOLTIP_ROWS).map((column) => row(column, node, TOOLTIP_CHARACTERS));
  const hidden = app.columns.length - rows.length;
  tip.replaceChildren(
    element("strong", {}, foreign(app.idOf(node), TOOLTIP_CHARACTERS)),
    element("dl", {}, ...rows.flat()),
    hidden > 0 ? element("p", { class: "hint" }, `Click for ${hidden} more.`) : "",
  );
  tip.hidden = false;
  const box = tip.parentElement.getBoundingClientRect();
  const size = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, left + 16 + size.width > box.width ? left - size.width - 12 : left + 16)}px`;
  tip.style.top = `${Math.max(4, Math.min(top + 12, box.height - size.height - 4))}px`;
}

/** The panel of the clicked node: all attributes, and its nearest neighbours, each with why it is near and a button to it. */
export function showDetails(node, neighbors, app) {
  const place = byId("details");
  place.replaceChildren();
  if (node < 0) {
    place.append(element("p", { class: "hint" }, "Click a node, or search for one, to see it and its nearest neighbours."));
    return;
  }
  place.append(element("h3", { class: "node-id" }, foreign(app.idOf(node))));
  place.append(element("dl", {}, ...app.columns.filter((column) => column.values).flatMap((column) => row(column, node))));
  if (!neighbors.length) return;
  const list = element("ol", { class: "neighbors", "aria-label": "Nearest neighbours" });
  neighbors.forEach((other, number) => {
    const button = element("button", { type: "button" }, foreign(app.idOf(other), 80));
    const note = app.column ? app.column.text(other) : "";
    if (note) button.append(element("span", { class: "count" }, foreign(note, 40)));
    button.addEventListener("click", () => app.pick(other, true));
    const lines = app.reasons ? app.reasons.lines(node, number) : [];
    list.append(element("li", {}, button, ...lines.map((line) => element("p", { class: "why" }, foreign(line, 300)))));
  });
  place.append(element("h4", {}, `${formatNumber(neighbors.length)} nearest by ${app.meta.metric}`), list);
}

function row(column, node, limit = Infinity) {
  const text = column.text(node);
  return [element("dt", {}, foreign(column.name, 60)), element("dd", {}, text === "" ? "–" : foreign(text, limit))];
}
