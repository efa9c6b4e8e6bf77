import assert from "node:assert/strict";
import { test } from "node:test";

import { classColor, contrast, fromLinear, missingColor, parseColor, rampColor, THEMES, toLinear } from "../src/colors.js";

// Machado, Oliveira and Fernandes (2009), severity 1: what linear RGB looks like without one kind of cone.
const SIGHT = {
  normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  deuteranopia: [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
  protanopia: [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
};

function oklab(color, sight) {
  const linear = color.map(toLinear);
  const [r, g, b] = sight.map((row) => Math.max(0, row[0] * linear[0] + row[1] * linear[1] + row[2] * linear[2]));
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

const distance = (a, b) => Math.hypot(...a.map((value, i) => value - b[i]));

for (const [theme, { background, classes, ramp }] of Object.entries(THEMES)) {
  test(`${theme}: every colour has a contrast of at least 3 with the background`, () => {
    const ground = parseColor(background);
    for (const color of [...classes, ...ramp]) assert.ok(contrast(parseColor(color), ground) >= 3, `${color} on ${background}`);
    assert.ok(contrast(missingColor(theme), ground) >= 3);
    for (let position = 0; position < 500; position += 1) {
      assert.ok(contrast(classColor(position, theme), ground) >= 3, `class ${position}`);
    }
    for (let step = 0; step <= 20; step += 1) assert.ok(contrast(rampColor(step / 20, theme), ground) >= 3);
  });

  for (const [name, sight] of Object.entries(SIGHT)) {
    test(`${theme}: the first ten classes differ under ${name}`, () => {
      const seen = classes.slice(0, 10).map((color) => oklab(parseColor(color), sight));
      for (let i = 0; i < seen.length; i += 1) {
        for (let j = 0; j < i; j += 1) {
          assert.ok(distance(seen[i], seen[j]) > 0.06, `${classes[i]} and ${classes[j]}: ${distance(seen[i], seen[j])}`);
        }
      }
    });
  }
}

test("contrast is WCAG's", () => {
  assert.equal(contrast([0, 0, 0], [255, 255, 255]), 21);
  assert.ok(Math.abs(contrast([119, 119, 119], [255, 255, 255]) - 4.478) < 0.001);
});

test("linear light and back", () => {
  for (let channel = 0; channel < 256; channel += 1) assert.equal(fromLinear(toLinear(channel)), channel);
});

test("the ramp ends where it says", () => {
  assert.deepEqual(rampColor(0, "light"), parseColor(THEMES.light.ramp[0]));
  assert.deepEqual(rampColor(1, "dark"), parseColor(THEMES.dark.ramp.at(-1)));
  assert.deepEqual(rampColor(7, "dark"), parseColor(THEMES.dark.ramp.at(-1)));
});
