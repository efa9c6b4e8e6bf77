import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { test } from "node:test";

import { ticks } from "../src/charts.js";
import { classColor, missingColor } from "../src/colors.js";
import { Column, countsOf, rangeOf } from "../src/columns.js";
import { densityImage } from "../src/density.js";
import { Grid } from "../src/grid.js";
import { Filters, labelPlaces, legendOrder, paint } from "../src/painting.js";
import { decodeBlock } from "../src/payload.js";
import { shuffled } from "../src/renderer.js";
import { targetOf } from "../src/scene.js";
import { View } from "../src/view.js";

function classes(codes, names) {
  const column = new Column({ name: "c", kind: "class", names }, null);
  column.values = Uint16Array.from(codes);
  column.counts = countsOf(column.values, names.length + 1);
  return column;
}

function numbers(values) {
  const column = new Column({ name: "n", kind: "number" }, null);
  column.values = Float32Array.from(values);
  column.range = rangeOf(column.values);
  return column;
}

test("a block is what was packed", async () => {
  const text = JSON.stringify({ id: "</script><script>alert(1)</script> 🦊 שלום" });
  const bytes = await decodeBlock(gzipSync(text).toString("base64"));
  assert.equal(new TextDecoder().decode(bytes), text);
});

test("classes have their colours, no value is grey, hidden ones are clear", () => {
  const column = classes([1, 2, 0, 2], ["a", "b"]);
  const filters = new Filters();
  filters.setHidden(column, new Set([2]));
  const colors = paint(column, 4, filters.mask(4), "light");
  assert.deepEqual([...colors.subarray(0, 4)], [...classColor(0, "light"), 255]);
  assert.deepEqual([...colors.subarray(4, 8)], [0, 0, 0, 0]);
  assert.deepEqual([...colors.subarray(8, 12)], [...missingColor("light"), 255]);
});

test("filters of two columns hold together, and a range leaves nodes without a number out", () => {
  const kinds = classes([1, 1, 2, 2], ["a", "b"]);
  const sizes = numbers([1, 5, 5, NaN]);
  const filters = new Filters();
  filters.setRange(sizes, 2, 9);
  assert.deepEqual([...filters.mask(4)], [0, 1, 1, 0]);
  filters.setHidden(kinds, new Set([1]));
  assert.deepEqual([...filters.mask(4)], [0, 0, 1, 0]);
  filters.setHidden(kinds, new Set());
  filters.setRange(sizes, 0, 9);
  assert.equal(filters.isEmpty, true);
});

test("many classes are ordered by size, few by name", () => {
  const names = Array.from({ length: 20 }, (_, i) => `k${i}`);
  const many = classes([3, 3, 3, 7, 7, 1], names);
  assert.deepEqual(legendOrder(many).slice(0, 3), [3, 7, 1]);
  assert.deepEqual(legendOrder(classes([2, 2, 1], ["a", "b"])), [1, 2]);
});

test("a name stands on a node of its class", () => {
  const column = classes([1, 1, 1, 2], ["a", "b"]);
  const places = labelPlaces(column, [0, 10, 1, 5], [0, 10, 1, 5], [1, 1, 1, 1]);
  assert.deepEqual(places, [{ text: "a", x: 1, y: 1 }, { text: "b", x: 5, y: 5 }]);
  assert.deepEqual(labelPlaces(null, [0], [0], [1]), []);
});

test("a pixel of density has the mean colour of its nodes and is the more opaque the more they are", () => {
  const x = Float32Array.of(0.1, 0.1, 0.9);
  const y = Float32Array.of(0.1, 0.1, 0.9);
  const grid = new Grid(x, y);
  const view = new View([0, 0, 1, 1]);
  view.resize(100, 100);
  view.fit();
  const colors = Uint8Array.of(255, 0, 0, 255, 0, 0, 255, 255, 0, 255, 0, 255);
  const image = densityImage(grid, colors, view, 10, 10);
  const pixels = [];
  for (let i = 0; i < 100; i += 1) if (image[4 * i + 3]) pixels.push([...image.subarray(4 * i, 4 * i + 4)]);
  assert.equal(pixels.length, 2);
  const [sparse, dense] = pixels.sort((a, b) => a[3] - b[3]);
  assert.deepEqual(sparse.slice(0, 3), [0, 255, 0]);
  assert.deepEqual(dense, [128, 0, 128, 255]);
  colors[11] = 0; // filtered out
  assert.equal(densityImage(grid, colors, view, 10, 10).filter((value, i) => i % 4 === 3 && value).length, 1);
});

test("the order of drawing has every node once, and its first part is a fair sample", () => {
  const order = shuffled(10000);
  assert.deepEqual([...order].sort((a, b) => a - b), Array.from({ length: 10000 }, (_, i) => i));
  const mean = order.subarray(0, 1000).reduce((sum, node) => sum + node, 0) / 1000;
  assert.ok(Math.abs(mean - 5000) < 400);
  assert.deepEqual(shuffled(5), shuffled(5));
});

test("flying to nodes shows all of them", () => {
  const view = new View([0, 0, 100, 100]);
  view.resize(800, 600);
  view.fit();
  Object.assign(view, targetOf(view, [[10, 10], [20, 30]]));
  for (const [x, y] of [[10, 10], [20, 30]]) {
    const [left, top] = view.toScreen(x, y);
    assert.ok(left > 0 && left < 800 && top > 0 && top < 600);
  }
  const alone = targetOf(view, [[50, 50]]);
  assert.ok(Number.isFinite(alone.scale) && alone.scale >= view.scale);
});

test("ticks are round and inside", () => {
  assert.deepEqual(ticks(0, 1), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(ticks(3, 47), [10, 20, 30, 40]);
  assert.deepEqual(ticks(5, 5), [5]);
});
