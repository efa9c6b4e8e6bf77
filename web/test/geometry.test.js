import assert from "node:assert/strict";
import { test } from "node:test";

import { discInsets } from "../src/canvas_renderer.js";
import { boundsOf, Grid, homeBounds, isInside } from "../src/grid.js";
import { View } from "../src/view.js";

function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function cloud(count, seed = 1) {
  const next = random(seed);
  return [Float32Array.from({ length: count }, next), Float32Array.from({ length: count }, next)];
}

test("screen and world are inverse", () => {
  const view = new View([-1, -2, 3, 2]);
  view.resize(800, 500);
  view.fit();
  view.zoomAt(3, 100, 50);
  const [left, top] = view.toScreen(0.3, 0.7);
  const [x, y] = view.toWorld(left, top);
  assert.ok(Math.abs(x - 0.3) < 1e-12 && Math.abs(y - 0.7) < 1e-12);
});

test("all nodes fit, and zooming keeps the point under the pointer", () => {
  const view = new View([0, 0, 10, 1]);
  view.resize(500, 400);
  view.fit();
  for (const [x, y] of [[0, 0], [10, 1]]) {
    const [left, top] = view.toScreen(x, y);
    assert.ok(left >= 0 && left <= 500 && top >= 0 && top <= 400);
  }
  const before = view.toWorld(320, 210);
  view.zoomAt(2, 320, 210);
  const after = view.toWorld(320, 210);
  assert.ok(Math.abs(before[0] - after[0]) < 1e-9 && Math.abs(before[1] - after[1]) < 1e-9);
});

test("one node, or all in one place, still has a view", () => {
  const view = new View([2, 3, 2, 3]);
  view.resize(300, 200);
  view.fit();
  assert.deepEqual(view.toScreen(2, 3), [150, 100]);
  assert.ok(Number.isFinite(view.scale));
});

test("a resize keeps the zoom", () => {
  const view = new View([0, 0, 1, 1]);
  view.resize(1000, 800);
  view.fit();
  view.zoomAt(4, 500, 400);
  view.resize(390, 600);
  assert.ok(Math.abs(view.zoom - 4) < 1e-9);
});

test("the nearest node is that of a search through all", () => {
  const [x, y] = cloud(3000);
  const grid = new Grid(x, y);
  const next = random(9);
  for (let round = 0; round < 200; round += 1) {
    const [px, py] = [next() * 1.2 - 0.1, next() * 1.2 - 0.1];
    const radius = next() * 0.05;
    let best = -1;
    let square = radius ** 2;
    for (let i = 0; i < x.length; i += 1) {
      const own = (x[i] - px) ** 2 + (y[i] - py) ** 2;
      if (own < square) [best, square] = [i, own];
    }
    assert.equal(grid.nearest(px, py, radius), best);
  }
});

test("a filter leaves nodes out of the search", () => {
  const grid = new Grid(Float32Array.of(0, 1), Float32Array.of(0, 0));
  assert.equal(grid.nearest(0.1, 0, 5), 0);
  assert.equal(grid.nearest(0.1, 0, 5, (node) => node !== 0), 1);
  assert.equal(grid.nearest(9, 9, 1), -1);
});

test("the lasso finds the nodes that a search through all finds", () => {
  const [x, y] = cloud(2000, 5);
  const grid = new Grid(x, y);
  const polygon = [[0.2, 0.1], [0.9, 0.3], [0.5, 0.5], [0.8, 0.95], [0.1, 0.7]]; // not convex
  const all = Array.from(x.keys()).filter((i) => isInside(x[i], y[i], polygon));
  assert.ok(all.length > 100);
  assert.deepEqual(grid.inside(polygon), all);
  assert.deepEqual(grid.inside([[0, 0], [1, 1]]), []);
});

test("inside is what geometry says", () => {
  const square = [[0, 0], [2, 0], [2, 2], [0, 2]];
  assert.equal(isInside(1, 1, square), true);
  assert.equal(isInside(3, 1, square), false);
  assert.equal(isInside(1, 1, [[0, 0], [2, 0], [2, 2], [1, 0.5], [0, 2]]), false); // in the notch
});

test("counting a rectangle never misses a node", () => {
  const [x, y] = cloud(5000, 3);
  const grid = new Grid(x, y);
  const inside = Array.from(x.keys()).filter((i) => x[i] > 0.3 && x[i] < 0.6 && y[i] > 0.1 && y[i] < 0.2).length;
  const counted = grid.count([0.3, 0.1, 0.6, 0.2]);
  assert.ok(counted >= inside && counted < inside + 400);
  assert.equal(grid.count(boundsOf(x, y)), 5000);
});

test("a few nodes far off do not shrink the map, and an even map is shown whole", () => {
  const [x, y] = cloud(5000, 8);
  assert.deepEqual(homeBounds(x, y), boundsOf(x, y));
  x[17] = 50;
  y[90] = -40;
  const [x0, y0, x1, y1] = homeBounds(x, y);
  assert.ok(x1 < 1.2 && y0 > -0.2 && x0 < 0.02 && y1 > 0.98);
  assert.deepEqual(homeBounds(Float32Array.of(0, 90), Float32Array.of(0, 1)), [0, 0, 90, 1]);
});

test("a disc is round, whole rows where it is small", () => {
  assert.deepEqual([...discInsets(1)], [0]);
  assert.deepEqual([...discInsets(3)], [0, 0, 0]);
  assert.deepEqual([...discInsets(5)].map((inset) => 5 - 2 * inset), [3, 5, 5, 5, 3]);
  const widths = [...discInsets(9)].map((inset) => 9 - 2 * inset);
  assert.deepEqual(widths, [...widths].reverse());
  assert.ok(Math.abs(widths.reduce((sum, width) => sum + width) - Math.PI * 4.5 ** 2) < 8);
});
