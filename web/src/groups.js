// Two groups of nodes compared: in which features, columns and edges they differ.

import { formatNumber } from "./columns.js";
import { element, foreign } from "./dom.js";
import { differingFeatures, surenessOf } from "./features.js";

const SHOWN_CLASSES = 3;

/** Tables of what tells `nodes` from `others`; `names` are what the two are called. */
export function comparison(nodes, others, names, app) {
  const groupOf = new Uint8Array(app.count);
  for (const node of others) groupOf[node] = 2;
  for (const node of nodes) groupOf[node] = 1;
  const sizes = [nodes.length, others.length];
  const parts = [];
  const columns = app.columns.flatMap((column) => columnRows(column, nodes, others, sizes));
  if (columns.length) parts.push(table("Columns", names, columns));
  if (app.features) {
    const rows = differingFeatures(app.features, groupOf, sizes).map(({ name, means }) => [name, ...means.map(meanText)]);
    parts.push(rows.length ? table("Features, their means", names, rows) : hint("Features: no difference beyond chance."));
    const kept = app.features.names.length;
    if (kept < app.features.nAll) {
      parts.push(hint(`Of ${formatNumber(app.features.nAll)} features the ${formatNumber(kept)} that vary most.`));
    }
  }
  if (app.edges) parts.push(table("Edges per node", names, edgeRows(app.edges, nodes, others, groupOf, sizes)));
  return parts;
}

function columnRows(column, nodes, others, sizes) {
  if (column.kind === "class") return classRows(column, nodes, others, sizes);
  return column.kind === "number" ? numberRow(column, nodes, others) : [];
}

/** The values of a column that one group has more often than the other, the largest difference first. */
function classRows(column, nodes, others, sizes) {
  const counts = [nodes, others].map((group) => {
    const found = new Uint32Array(column.names.length + 1);
    for (const node of group) found[column.values[node]] += 1;
    return found;
  });
  return column.names
    .map((name, position) => ({ name, shares: counts.map((count, group) => count[position + 1] / sizes[group]) }))
    .map((row) => ({ ...row, sureness: surenessOf(row.shares, row.shares.map((share) => share * (1 - share)), sizes) }))
    .filter(({ sureness }) => sureness > 3)
    .sort((one, two) => Math.abs(two.shares[0] - two.shares[1]) - Math.abs(one.shares[0] - one.shares[1]))
    .slice(0, SHOWN_CLASSES)
    .map(({ name, shares }) => [`${column.name}: ${name}`, ...shares.map((share) => `${Math.round(100 * share)}%`)]);
}

function numberRow(column, nodes, others) {
  const moments = [nodes, others].map((group) => {
    let [count, sum, square] = [0, 0, 0];
    for (const node of group) {
      const value = column.values[node];
      if (Number.isNaN(value)) continue;
      count += 1;
      sum += value;
      square += value * value;
    }
    return { count, mean: sum / count, variance: square / count - (sum / count) ** 2 };
  });
  if (moments.some(({ count }) => count === 0)) return [];
  const [means, variances, sizes] = ["mean", "variance", "count"].map((name) => moments.map((one) => one[name]));
  return surenessOf(means, variances, sizes) > 3 ? [[`${column.name}, mean`, ...means.map(meanText)]] : [];
}

/** Ends of edges per node of each group: within the group, to the other, to all others; then by type of edge. */
export function edgeRows(edges, nodes, others, groupOf, sizes) {
  const within = [0, 0];
  const across = [0, 0];
  const away = [0, 0];
  const byKind = edges.kinds.map(() => [0, 0]);
  const apart = [0, 0];
  [nodes, others].forEach((group, side) => {
    for (const node of group) {
      for (const { edge, other } of edges.of(node)) {
        if (groupOf[other] === side + 1) within[side] += 1;
        else if (groupOf[other] !== 0) across[side] += 1;
        else away[side] += 1;
        if (edges.kindOf && edges.kinds.length > 1) byKind[edges.kindOf[edge]][side] += 1;
        if (edges.apart?.[edge]) apart[side] += 1;
      }
    }
  });
  const row = (name, counts) => [name, ...counts.map((count, side) => meanText(count / Math.max(1, sizes[side])))];
  const rows = [row("within the group", within), row("to the other group", across)];
  if (away[0] + away[1]) rows.push(row("to all others", away));
  edges.kinds.forEach((kind, place) => {
    if (edges.kinds.length > 1) rows.push(row(kind, byKind[place]));
  });
  if (edges.apart) rows.push(row("asking for distance", apart));
  return rows;
}

function meanText(value) {
  return formatNumber(Number(value.toPrecision(3)));
}

function table(title, names, rows) {
  const head = ["", ...names].map((name) => element("th", { scope: "col" }, name || element("span", { class: "off-screen" }, "what")));
  const body = rows.map(([name, ...cells]) =>
    element("tr", {}, element("th", { scope: "row" }, foreign(name, 60)), ...cells.map((cell) => element("td", {}, cell))));
  return element("div", { class: "comparison" }, element("h4", {}, title),
    element("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": title },
      element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body))));
}

function hint(text) {
  return element("p", { class: "hint" }, text);
}
