// The nodes that were lassoed: listed, copied, exported, compared with the others or with a group that was kept.

import { formatNumber } from "./columns.js";
import { csvText } from "./csv.js";
import { announce, byId, element, foreign } from "./dom.js";
import { comparison } from "./groups.js";

const LISTED = 200;

export function showSelection(nodes, app) {
  const place = byId("selection");
  place.replaceChildren();
  if (!nodes.length) {
    place.append(
      element("p", { class: "hint" }, "Draw around nodes with the lasso (or hold Shift and drag), or select all that the legend shows."),
      ...(app.kept ? [element("p", {}, `Group A has ${formatNumber(app.kept.length)} nodes: select another group to compare.`)] : []),
      selectShown(app),
    );
    return;
  }
  const count = `${formatNumber(nodes.length)} ${nodes.length === 1 ? "node" : "nodes"} selected`;
  const actions = element(
    "div",
    { class: "row" },
    button("Export CSV", () => exportCsv(nodes, app)),
    button("Copy ids", () => copyIds(nodes, app)),
    button(app.kept ? "Keep this instead" : "Keep as group A", () => keep(nodes, app)),
    button("Clear", () => app.select([])),
  );
  const list = element("ul", { class: "ids", "aria-label": "Selected nodes" });
  for (const node of nodes.slice(0, LISTED)) {
    list.append(element("li", {}, button(foreign(app.idOf(node), 80), () => app.pick(node, true), "quiet")));
  }
  place.append(element("p", { class: "total" }, count), actions, list);
  if (nodes.length > LISTED) {
    place.append(element("p", { class: "hint" }, `The first ${LISTED} are listed; the export has all.`));
  }
  place.append(...compared(nodes, app));
}

/** What tells the selection from group A, where one is kept, else from all other nodes. */
function compared(nodes, app) {
  const inside = new Set(nodes);
  const kept = app.kept?.filter((node) => !inside.has(node)) ?? [];
  const others = kept.length ? kept : Array.from({ length: app.count }, (_, node) => node).filter((node) => !inside.has(node));
  if (!others.length) return [];
  const names = kept.length ? ["selection", "group A"] : ["selection", "all others"];
  const title = kept.length ? `Selection and group A (${formatNumber(kept.length)} nodes)` : "Selection and all other nodes";
  const parts = comparison(nodes, others, names, app);
  const advice = kept.length ? [] : [element("p", { class: "hint" }, "To compare two groups keep this one as A, then select another.")];
  return parts.length ? [element("h3", {}, title), ...advice, ...parts] : [];
}

function keep(nodes, app) {
  app.kept = nodes;
  app.select([]);
  announce(`${nodes.length} nodes are group A. Select another group to compare the two.`);
}

/** All ids and columns of some nodes as CSV. */
export async function selectionCsv(nodes, app) {
  await Promise.all(app.columns.map((column) => column.load()));
  const header = ["id", ...app.columns.map((column) => column.name)];
  return csvText(header, nodes.map((node) => [app.idOf(node), ...app.columns.map((column) => column.raw(node))]));
}

async function exportCsv(nodes, app) {
  const blob = new Blob(["\ufeff", await selectionCsv(nodes, app)], { type: "text/csv;charset=utf-8" });
  const link = element("a", { href: URL.createObjectURL(blob), download: "selected-nodes.csv" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  announce(`${nodes.length} nodes exported.`);
}

async function copyIds(nodes, app) {
  const text = nodes.map((node) => app.idOf(node)).join("\n");
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without the permission: through a field that is selected and copied.
    const field = element("textarea", { class: "off-screen", "aria-hidden": "true" });
    field.value = text;
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
  announce(`${nodes.length} ids copied.`);
}

function selectShown(app) {
  return element("div", { class: "row" }, button("Select all shown", () => app.select(app.shownNodes())));
}

function button(content, action, kind = "") {
  return element("button", { type: "button", class: kind || undefined, onclick: action }, content);
}
