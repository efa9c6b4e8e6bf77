// One node in words: the tooltip under the pointer, and the panel of the node that was clicked.

import { formatNumber } from "./columns.js";
import { byId, element, foreign } from "./dom.js";
import { standing } from "./reasons.js";

const TOOLTIP_ROWS = 8;
const TOOLTIP_CHARACTERS = 120;
const LISTED_EDGES = 100;
const NAMED = 5; // of the neighbours that two nodes share

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
  if (neighbors.length) place.append(...nearestOf(node, neighbors, app));
  if (app.recommended) place.append(...recommendedTo(node, app));
  if (app.edges) place.append(...edgesOf(node, app));
}

/** The nearest neighbours, each with why it is near and how the two stand in the graph. */
function nearestOf(node, neighbors, app) {
  const list = element("ol", { class: "neighbors", "aria-label": "Nearest neighbours" });
  neighbors.forEach((other, number) => {
    const shared = app.edges ? app.edges.shared(node, other) : [];
    const names = shared.slice(0, NAMED).map((one) => app.idOf(one).slice(0, 40));
    const inGraph = app.edges ? [standing(app.edges.isLinked(node, other), shared.length, names)] : [];
    const lines = app.reasons ? app.reasons.lines(node, number, names) : inGraph;
    const item = element("li", {}, toNode(other, app), ...lines.map((line) => element("p", { class: "why" }, foreign(line, 300))));
    const through = app.reasons ? app.reasons.through(node, number) : [];
    if (through.length) item.append(throughNodes(through, [node, other], app));
    list.append(item);
  });
  return [element("h4", {}, `${formatNumber(neighbors.length)} nearest by ${app.meta.metric}`), list];
}

/** Through which neighbours a node is near, each a button to it; the two nodes bring a share of their own. */
function throughNodes(through, pair, app) {
  const line = element("p", { class: "why" }, "It comes through ");
  through.forEach(({ other, percent }, number) => {
    if (number > 0) line.append(", ");
    const name = foreign(app.idOf(other), 40);
    if (pair.includes(other)) line.append(name, " itself");
    else {
      const button = element("button", { type: "button", class: "link" }, name);
      button.addEventListener("click", () => app.pick(other, true));
      line.append(button);
    }
    line.append(` (${percent}%)`);
  });
  line.append(".");
  return line;
}

function recommendedTo(node, app) {
  const found = app.recommendedTo(node);
  const title = element("h4", {}, "Recommended: new links");
  if (!found.length) return [title, element("p", { class: "hint" }, "None: there is no node left to recommend.")];
  const list = element("ol", { class: "neighbors", "aria-label": "Recommended nodes" });
  for (const { other, share } of found) {
    const how = `Probability ${formatNumber(Number(share.toPrecision(2)))}`;
    list.append(element("li", {}, toNode(other, app), element("p", { class: "why" }, how)));
  }
  return [title, list];
}

/** The edges of the graph at a node that the filters let through. */
function edgesOf(node, app) {
  const edges = app.edges.of(node);
  const which = app.edges.isFiltered ? "shown " : "";
  const title = element("h4", {}, `${formatNumber(edges.length)} ${which}${edges.length === 1 ? "edge" : "edges"} in the graph`);
  if (!edges.length) return [title];
  const list = element("ul", { class: "neighbors edges", "aria-label": "Edges of the graph" });
  for (const { edge, other } of edges.slice(0, LISTED_EDGES)) {
    const note = app.edges.note(edge, node);
    list.append(element("li", {}, toNode(other, app), note ? element("p", { class: "why" }, foreign(note, 120)) : null));
  }
  const more = edges.length > LISTED_EDGES ? [element("p", { class: "hint" }, `The first ${LISTED_EDGES} are listed.`)] : [];
  return [title, list, ...more];
}

function toNode(other, app) {
  const button = element("button", { type: "button" }, foreign(app.idOf(other), 80));
  const note = app.column ? app.column.text(other) : "";
  if (note) button.append(element("span", { class: "count" }, foreign(note, 40)));
  button.addEventListener("click", () => app.pick(other, true));
  return button;
}

function row(column, node, limit = Infinity) {
  const text = column.text(node);
  return [element("dt", {}, foreign(column.name, 60)), element("dd", {}, text === "" ? "–" : foreign(text, limit))];
}
