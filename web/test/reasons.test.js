import assert from "node:assert/strict";
import { test } from "node:test";

import { loadReasons, Reasons } from "../src/reasons.js";

const meta = { nNeighbors: 2, why: { channels: ["own", "smoothed", "roles"], names: ["kernel", "margin"], nNamed: 3 } };
const arrays = {
  channels: Int8Array.of(20, 78, 2, 60, 50, -10),
  features: Int32Array.of(1, 2, 0, -2, 0, 0),
  shares: Int8Array.of(30, 12, 0, 9, 0, 0),
  through: Int32Array.of(8, 1, 0, 0, 0, 0),
  "through-shares": Int8Array.of(40, 15, 0, 0, 0, 0),
  links: Uint8Array.of(1, 0),
  shared: Uint32Array.of(1, 0),
};

test("features, channels and the graph are said of each neighbour", () => {
  const reasons = new Reasons(meta, arrays);
  assert.deepEqual(reasons.lines(0, 0), [
    "Both have more than usual of kernel (30%), margin (12%).",
    "By channel: smoothed 78%, own 20%.",
    "Linked, 1 shared neighbour.",
  ]);
  assert.deepEqual(reasons.lines(0, 1), [
    "Both have less than usual of margin (9%).",
    "By channel: own 60%, smoothed 50%, roles −10%.",
    "Not linked, no shared neighbour.",
  ]);
  assert.equal(reasons.isLinked(0, 0), true);
  assert.equal(reasons.isLinked(0, 1), false);
});

test("one channel is not named, and many shared neighbours are counted", () => {
  const reasons = new Reasons(
    { nNeighbors: 1, why: { channels: ["features"], names: [], nNamed: 3 } },
    { ...arrays, channels: Int8Array.of(100), features: new Int32Array(3), links: Uint8Array.of(0), shared: Uint32Array.of(7) },
  );
  assert.deepEqual(reasons.lines(0, 0), ["Not linked, 7 shared neighbours."]);
});

test("a page without reasons has none, and one with them unpacks them by name", async () => {
  assert.equal(await loadReasons({ nNeighbors: 2 }, null), null);
  const payload = { array: async (name) => arrays[name.replace("why-", "")] };
  const reasons = await loadReasons(meta, payload);
  assert.equal(reasons.lines(0, 0).length, 3);
  assert.deepEqual(reasons.through(0, 0), [
    { other: 7, percent: 40 },
    { other: 0, percent: 15 },
  ]);
  assert.deepEqual(reasons.through(0, 1), []);
});
