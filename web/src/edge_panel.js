// The panel of the graph's edges: which of them are drawn, listed and counted, by type, sign and time.

import { formatNumber } from "./columns.js";
import { announce, byId, element, foreign } from "./dom.js";

const DAY = 86400;

/** Fill the panel; `changed` is called after a change of any filter. */
export function showEdgePanel(edges, changed) {
  const place = byId("edges");
  byId("edges-section").hidden = edges === null;
  if (edges === null) return;
  const status = element("p", { role: "status" });
  const apply = (change) => {
    edges.setFilter(change);
    tell(status, edges);
    announce(status.textContent);
    changed();
  };
  const only = element("input", { type: "checkbox", id: "linked-only" });
  only.addEventListener("change", () => {
    edges.hidesUnlinked = only.checked;
    changed();
  });
  place.replaceChildren(
    status,
    ...kindBoxes(edges, apply),
    ...signChoice(edges, apply),
    ...timeRange(edges, apply),
    element("label", { class: "row" }, only, "Only nodes with such an edge"),
  );
  tell(status, edges);
}

function tell(status, edges) {
  const all = formatNumber(edges.first.length);
  status.textContent = edges.isFiltered ? `${formatNumber(edges.countShown())} of ${all} edges` : `${all} edges`;
}

function kindBoxes(edges, apply) {
  if (edges.kinds.length < 2) return [];
  const boxes = edges.kinds.map((name, kind) => {
    const box = element("input", { type: "checkbox", checked: true, "data-kind": kind });
    box.addEventListener("change", () => {
      apply({ hiddenKinds: new Set(boxes.filter((one) => !one.checked).map((one) => Number(one.dataset.kind))) });
    });
    return box;
  });
  const rows = boxes.map((box, kind) => element("li", {}, element("label", {}, box, " ", foreign(edges.kinds[kind], 80))));
  return [element("ul", { class: "kinds", "aria-label": "Types of edges" }, ...rows)];
}

function signChoice(edges, apply) {
  if (!edges.apart) return [];
  const options = [["all", "all"], ["near", "those that ask for nearness"], ["apart", "those that ask for distance"]];
  const choice = element("select", { id: "edge-sign" }, ...options.map(([value, text]) => element("option", { value }, text)));
  choice.addEventListener("change", () => apply({ sign: choice.value }));
  return [element("label", { class: "row" }, "Sign", choice)];
}

function timeRange(edges, apply) {
  if (!edges.timeRange) return [];
  const [low, high] = edges.timeRange;
  const read = (box, otherwise, extra) => {
    const value = edges.isCalendar ? Date.parse(box.value) / 1000 + extra : Number.parseFloat(box.value);
    return Number.isNaN(value) ? otherwise : value;
  };
  const box = (name, value) => {
    const kind = edges.isCalendar ? "date" : "number";
    const input = element("input", { type: kind, step: "any", value: edges.timeText(value), "aria-label": `${name} time shown` });
    // The last day counts whole.
    input.addEventListener("change", () => apply({ low: read(first, low, 0), high: read(last, high, DAY - 1e-3) }));
    return input;
  };
  const [first, last] = [box("Earliest", low), box("Latest", high)];
  return [element("div", { class: "row times" }, element("span", {}, "From"), first, element("span", {}, "to"), last)];
}
