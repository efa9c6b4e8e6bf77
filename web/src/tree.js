// A hierarchy of cuts to walk down: where one stands, both sides of the next cut, and the edges between them.

import { Column, formatNumber } from "./columns.js";
import { announce, byId, element } from "./dom.js";

/** The hierarchy unpacked from the page; null where it has none. */
export async function loadTree(meta, payload, count) {
  if (!meta.tree) return null;
  const [left, right, values] = await Promise.all([
    payload.array("tree-left", Uint32Array),
    payload.array("tree-right", Uint32Array),
    payload.array("tree-values", Float32Array),
  ]);
  return new Tree(count, left, right, values);
}

export class Tree {
  constructor(count, left, right, values) {
    Object.assign(this, { count, left, right, values });
    this.root = count + left.length - 1;
    this.path = [this.root];
  }

  get current() {
    return this.path.at(-1);
  }

  /** The two clusters below one, the larger first; none below a node. */
  children(cluster) {
    if (cluster < this.count) return [];
    const both = [this.left[cluster - this.count], this.right[cluster - this.count]];
    return this.members(both[0]).length >= this.members(both[1]).length ? both : both.reverse();
  }

  value(cluster) {
    return this.values[cluster - this.count];
  }

  members(cluster) {
    const found = [];
    const open = [cluster];
    while (open.length) {
      const next = open.pop();
      if (next < this.count) found.push(next);
      else open.push(this.left[next - this.count], this.right[next - this.count]);
    }
    return found.sort((a, b) => a - b);
  }

  /** Both sides of the current cut as a column to colour by; nodes outside have no value. */
  sides() {
    const column = new Column({ name: "sides of this cut", kind: "class", names: ["larger side", "smaller side"] }, null);
    column.values = new Uint16Array(this.count);
    const sides = this.children(this.current).map((child) => this.members(child));
    sides.forEach((members, side) => {
      for (const node of members) column.values[node] = side + 1;
    });
    if (!sides.length) column.values[this.current] = 1;
    column.counts = new Uint32Array(3);
    for (const code of column.values) column.counts[code] += 1;
    return column;
  }
}

/** The panel of the tree; `changed` is called after each step. */
export function showTree(tree, changed) {
  byId("tree-section").hidden = tree === null;
  if (tree === null) return;
  const place = byId("tree");
  const walk = (path) => {
    tree.path = path;
    showTree(tree, changed);
    changed();
    announce(`Step ${tree.path.length - 1}: ${formatNumber(tree.members(tree.current).length)} nodes.`);
    (place.querySelector("button:not(:disabled)") ?? place).focus();
  };
  const size = formatNumber(tree.members(tree.current).length);
  const children = tree.children(tree.current);
  const sentence = children.length
    ? `${tree.path.length < 2 ? "The whole graph" : `Step ${tree.path.length - 1}`}: ${size} nodes, and the sparsest cut found of them, with
      φ′ ${formatNumber(tree.value(tree.current))}. The edges between both sides are drawn.`
    : "One node: the tree ends here.";
  const step = (child, name) =>
    element("button", { type: "button", onclick: () => walk([...tree.path, child]) },
      `${name}: ${formatNumber(tree.members(child).length)} nodes`);
  const up = element("button", { type: "button", onclick: () => walk(tree.path.slice(0, -1)) }, "Up");
  const top = element("button", { type: "button", onclick: () => walk([tree.root]) }, "Whole graph");
  up.disabled = top.disabled = tree.path.length < 2;
  place.replaceChildren(
    element("p", {}, sentence),
    element("div", { class: "row" }, ...children.map((child, side) => step(child, side ? "Smaller side" : "Larger side"))),
    element("div", { class: "row" }, up, top),
  );
}
