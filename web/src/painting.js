// Which colour every node has, and whether it is shown: what the legend says.

import { classColor, missingColor, rampColor } from "./colors.js";
import { isLogarithmic, shareOf } from "./columns.js";

/** What is hidden: codes of a class column, or all numbers outside a range. One filter per column, all of them hold. */
export class Filters {
  constructor() {
    this.byColumn = new Map(); // column → {hidden: Set of codes} or {low, high, withMissing}
  }

  get isEmpty() {
    return this.byColumn.size === 0;
  }

  hidden(column) {
    return this.byColumn.get(column)?.hidden ?? new Set();
  }

  setHidden(column, hidden) {
    if (hidden.size) this.byColumn.set(column, { hidden });
    else this.byColumn.delete(column);
  }

  setRange(column, low, high) {
    const [least, most] = column.range;
    if (low <= least && high >= most) this.byColumn.delete(column);
    else this.byColumn.set(column, { low, high });
  }

  clear() {
    this.byColumn.clear();
  }

  /** 1 per node that every filter lets through. */
  mask(count) {
    const shown = new Uint8Array(count).fill(1);
    for (const [column, filter] of this.byColumn) {
      const { values } = column;
      if (filter.hidden) {
        const isHidden = new Uint8Array(column.names.length + 1);
        for (const code of filter.hidden) isHidden[code] = 1;
        for (let node = 0; node < count; node += 1) if (isHidden[values[node]]) shown[node] = 0;
      } else {
        // A node without a number is in no range.
        for (let node = 0; node < count; node += 1) {
          if (!(values[node] >= filter.low && values[node] <= filter.high)) shown[node] = 0;
        }
      }
    }
    return shown;
  }
}

/** Four bytes per node: red, green, blue, and 0 or 255 for hidden or shown. */
export function paint(column, count, shown, theme) {
  const colors = new Uint8Array(4 * count);
  const lookup = column === null ? () => classColor(0, theme) : colorLookup(column, theme);
  for (let node = 0; node < count; node += 1) {
    if (!shown[node]) continue;
    const [red, green, blue] = lookup(column === null ? 0 : column.values[node]);
    colors[4 * node] = red;
    colors[4 * node + 1] = green;
    colors[4 * node + 2] = blue;
    colors[4 * node + 3] = 255;
  }
  return colors;
}

/** value → colour. The largest class has the first colour, and no value is grey. */
export function colorLookup(column, theme) {
  const missing = missingColor(theme);
  if (column.kind === "class") {
    const table = new Array(column.names.length + 1);
    table[0] = missing;
    legendOrder(column).forEach((code, position) => {
      table[code] = classColor(position, theme);
    });
    return (code) => table[code];
  }
  const share = shareOf(column.range, isLogarithmic(column.values, column.range));
  const steps = Array.from({ length: 256 }, (_, step) => rampColor(step / 255, theme));
  return (value) => (Number.isNaN(value) ? missing : steps[Math.round(255 * share(value))]);
}

/** The codes of a class column: in the order of their names where few, so that colours do not depend on sizes. */
export function legendOrder(column) {
  const codes = column.names.map((_, position) => position + 1);
  return column.names.length <= 12 ? codes : codes.sort((a, b) => column.counts[b] - column.counts[a] || a - b);
}

/** Where the name of each class goes: the median of its shown nodes, drawn from at most 2,000 of each; largest first. */
export function labelPlaces(column, x, y, shown, limit = 40) {
  if (column === null || column.kind !== "class") return [];
  const members = column.names.map(() => ({ xs: [], ys: [], count: 0 }));
  for (let node = 0; node < x.length; node += 1) {
    const code = column.values[node];
    if (code === 0 || !shown[node]) continue;
    const group = members[code - 1];
    group.count += 1;
    if (group.xs.length < 2000) {
      group.xs.push(x[node]);
      group.ys.push(y[node]);
    }
  }
  return members
    .map((group, position) => ({ text: shorten(column.names[position]), group }))
    .filter(({ group }) => group.count > 0)
    .sort((a, b) => b.group.count - a.group.count)
    .slice(0, limit)
    .map(({ text, group }) => ({ text, ...medoid(group) }));
}

/** The member nearest to the medians: a class in two pieces is named at one of them, not between. */
function medoid({ xs, ys }) {
  const [x, y] = [median(xs), median(ys)];
  let best = 0;
  for (let i = 1; i < xs.length; i += 1) {
    if ((xs[i] - x) ** 2 + (ys[i] - y) ** 2 < (xs[best] - x) ** 2 + (ys[best] - y) ** 2) best = i;
  }
  return { x: xs[best], y: ys[best] };
}

function median(values) {
  return values.toSorted ? values.toSorted((a, b) => a - b)[values.length >> 1] : [...values].sort((a, b) => a - b)[values.length >> 1];
}

function shorten(text) {
  return text.length > 24 ? `${text.slice(0, 23)}…` : text;
}
