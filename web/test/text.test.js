import assert from "node:assert/strict";
import { test } from "node:test";

import { Column, formatNumber, isLogarithmic, shareOf } from "../src/columns.js";
import { csvCell, csvText } from "../src/csv.js";
import { parseQuery, searchNodes } from "../src/search.js";

test("a cell that a spreadsheet would run is text", () => {
  for (const formula of ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "=HYPERLINK(\"http://x\")"]) {
    assert.ok(csvCell(formula).replace(/^"/, "").startsWith("'"), formula);
  }
  for (const plain of ["-1.5", "+3", "1e-5", "-2E+10", "abc", "a=b", ""]) assert.equal(csvCell(plain), plain);
});

test("quotes, commas and line ends are quoted", () => {
  assert.equal(csvCell('a"b'), '"a""b"');
  assert.equal(csvCell("a,b"), '"a,b"');
  assert.equal(csvText(["id"], [["a\nb"], [null]]), 'id\r\n"a\nb"\r\n\r\n');
});

const columns = [
  column({ name: "country", kind: "class", names: ["Norway", "Chile"] }, Uint16Array.of(1, 2, 0, 1)),
  column({ name: "age", kind: "number" }, Float32Array.of(31, 40, NaN, 40)),
  column({ name: "note", kind: "text" }, ["likes maps", "", "NORWAY trip", "x"]),
];
const ids = ["ann", "annabel", "bo", "joann"];

function column(description, values) {
  return Object.assign(new Column(description, null), { values });
}

test("ids come first: the same, those that start so, those that contain it", () => {
  const { results } = searchNodes("ANN", ids, columns);
  assert.deepEqual(results.map((result) => result.node), [0, 1, 3]);
});

test("attributes are searched after the ids, each node once", () => {
  const { results } = searchNodes("norway", ids, columns);
  assert.deepEqual(results, [{ node: 0, column: 0 }, { node: 3, column: 0 }, { node: 2, column: 2 }]);
  assert.deepEqual(searchNodes("40", ids, columns).results.map((result) => result.node), [1, 3]);
});

test("a column can be named", () => {
  assert.deepEqual(parseQuery("Age: 40", columns), { text: "40", only: 1 });
  assert.deepEqual(searchNodes("note: norway", ids, columns).results, [{ node: 2, column: 2 }]);
  assert.deepEqual(parseQuery("http://x", columns), { text: "http://x", only: -1 });
});

test("many results are cut, and that is said", () => {
  const many = Array.from({ length: 500 }, (_, i) => `n${i}`);
  const { results, isCut } = searchNodes("n", many, []);
  assert.equal(results.length, 50);
  assert.equal(isCut, true);
  assert.deepEqual(searchNodes("  ", many, []), { results: [], isCut: false });
});

test("values as people read them, and as files hold them", () => {
  assert.deepEqual([0, 1, 2].map((node) => columns[0].text(node)), ["Norway", "Chile", ""]);
  assert.deepEqual([0, 2].map((node) => columns[1].text(node)), ["31", ""]);
  assert.equal(column({ name: "x", kind: "number" }, Float32Array.of(0.1)).raw(0), "0.1");
  assert.equal(formatNumber(1234567), "1,234,567");
  assert.equal(formatNumber(0.00001234), "1.23e-5");
  assert.equal(formatNumber(NaN), "–");
});

test("a ramp over powers of ten is logarithmic, one over a few is not", () => {
  assert.equal(isLogarithmic([1, 10, 50000], [1, 50000]), true);
  assert.equal(isLogarithmic([1, 2, 3], [1, 3]), false);
  assert.equal(isLogarithmic([-5, 10000], [-5, 10000]), false);
  for (const isLog of [true, false]) {
    const share = shareOf([2, 200], isLog);
    assert.equal(share(2), 0);
    assert.ok(Math.abs(share(200) - 1) < 1e-12);
  }
  assert.equal(shareOf([3, 3], false)(3), 0.5);
});
