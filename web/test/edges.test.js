import assert from "node:assert/strict";
import { test } from "node:test";

import { Edges } from "../src/edges.js";
import { differingFeatures, Features, surenessOf } from "../src/features.js";
import { edgeRows } from "../src/groups.js";
import { Tree } from "../src/tree.js";

// 0–1, 0–2, 0–4, 1–2, 3–4, packed as the page has them
const counts = Uint32Array.of(3, 1, 0, 1, 0);
const steps = Uint32Array.of(1, 1, 2, 1, 1);
const make = (about = {}) => new Edges(5, counts, steps, { kinds: [], isCalendar: false, ...about });
const others = (edges, node) => edges.of(node).map(({ other }) => other);

test("edges come back from counts and steps", () => {
  const edges = make();
  assert.deepEqual([0, 1, 2, 3, 4].map((node) => others(edges, node)), [[1, 2, 4], [0, 2], [0, 1], [4], [0, 3]]);
  assert.deepEqual(edges.shared(1, 2), [0]);
  assert.deepEqual(edges.shared(0, 3), [4]);
  assert.deepEqual(edges.among(new Set([0, 1, 2])), [0, 1, 3]);
  assert.deepEqual(edges.among(new Set([0, 1, 2]), 1), [0]);
  assert.deepEqual(edges.between(new Set([0, 1, 2]), new Set([3, 4])), [2]);
  assert.equal(edges.isLinked(3, 4), true);
  assert.equal(edges.isLinked(1, 4), false);
});

test("filters by type, sign and time hide edges, and each is let go", () => {
  const edges = make({
    kinds: ["likes", "knows"],
    kindOf: Uint16Array.of(0, 1, 0, 0, 1),
    apart: Uint8Array.of(0, 0, 1, 0, 0),
    times: Float64Array.of(10, 20, 30, NaN, 50),
  });
  assert.equal(edges.countShown(), 5);
  edges.setFilter({ hiddenKinds: new Set([1]) });
  assert.deepEqual([0, 1, 2, 3, 4].map((node) => others(edges, node)), [[1, 4], [0, 2], [1], [], [0]]);
  assert.deepEqual([...edges.touched()], [1, 1, 1, 0, 1]);
  edges.setFilter({ hiddenKinds: new Set(), sign: "apart" });
  assert.deepEqual(others(edges, 0), [4]);
  edges.setFilter({ sign: "near" });
  assert.deepEqual(others(edges, 0), [1, 2]);
  edges.setFilter({ sign: "all", low: 15, high: 30 });
  assert.deepEqual(others(edges, 0), [2, 4]);
  assert.deepEqual(others(edges, 1), [2]); // an edge without a time is in every range
  edges.setFilter({ low: 10, high: 50 });
  assert.equal(edges.isFiltered, false);
});

test("what is said of an edge", () => {
  const edges = make({ ways: Uint8Array.of(1, 2, 3, 1, 1), times: Float64Array.of(86400, 0, 0, 0, 0), isCalendar: true });
  assert.equal(edges.note(0, 0), "to, 1970-01-02");
  assert.equal(edges.note(0, 1), "from, 1970-01-02");
  assert.equal(edges.note(2, 4), "both ways, 1970-01-01");
});

test("features that differ are found, dense and sparse alike, and chance is not taken for a difference", () => {
  const count = 40;
  const groupOf = Uint8Array.from({ length: count }, (_, node) => (node < 20 ? 1 : 2));
  const dense = new Uint8Array(2 * count);
  for (let node = 0; node < count; node += 1) {
    dense[node] = node < 18 ? 255 : 0; // column 0: 90% of the first group
    dense[count + node] = node % 2 ? 255 : 0; // column 1: half of either
  }
  const about = { names: ["here", "anywhere"], low: [0, 0], high: [1, 1], nAll: 2 };
  const found = differingFeatures(new Features({ ...about, isSparse: false }, count, dense), groupOf, [20, 20]);
  assert.deepEqual(found.map(({ name, means }) => [name, ...means.map((mean) => mean.toFixed(2))]), [["here", "0.90", "0.00"]]);
  const columns = [0, 1].map((column) => [...Array(count).keys()].filter((node) => dense[column * count + node]));
  const sparse = new Features(
    { ...about, isSparse: true }, count, new Uint8Array(columns.flat().length).fill(255),
    Uint32Array.from(columns, (rows) => rows.length),
    Uint32Array.from(columns.flatMap((rows) => rows.map((row, place) => row - (place ? rows[place - 1] : 0)))),
  );
  assert.deepEqual(differingFeatures(sparse, groupOf, [20, 20]), found);
  assert.ok(surenessOf([1, 0], [0, 0], [1, 1000]) < surenessOf([1, 0], [0, 0], [100, 1000]));
});

test("edges per node of two groups", () => {
  const groupOf = Uint8Array.of(1, 1, 0, 2, 2);
  const rows = edgeRows(make(), [0, 1], [3, 4], groupOf, [2, 2]);
  assert.deepEqual(rows, [["within the group", "1", "1"], ["to the other group", "0.5", "0.5"], ["to all others", "1", "0"]]);
});

test("a tree is walked from the whole to a node", () => {
  const tree = new Tree(4, Uint32Array.of(0, 2, 4), Uint32Array.of(1, 3, 5), Float32Array.of(3, 2, 1)); // ((0 1) (2 3))
  assert.deepEqual(tree.members(tree.root), [0, 1, 2, 3]);
  assert.deepEqual(tree.children(tree.root), [4, 5]);
  assert.equal(tree.value(tree.root), 1);
  assert.deepEqual([...tree.sides().values], [1, 1, 2, 2]);
  tree.path.push(5);
  assert.deepEqual([...tree.sides().values], [0, 0, 1, 2]);
  tree.path.push(3);
  assert.deepEqual(tree.children(3), []);
  assert.deepEqual([...tree.sides().values], [0, 0, 0, 1]);
});
