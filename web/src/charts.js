// Small charts as SVG, each with the sentence it shows as its name and its numbers as a table for those who read them so.

import { formatNumber } from "./columns.js";
import { element, foreign, svg } from "./dom.js";

const WIDTH = 460;
const HEIGHT = 210;
const EDGE = { left: 52, right: 14, top: 12, bottom: 38 };
const SECOND_AXIS = 54; // room on the right for the numbers of a second axis
const LETTER = 6.3; // pixels, at most, of a letter of the charts' font on the mean

/** A line through (x, y), on a logarithmic axis where it says so, with a dashed second line on a 0 to 100% axis at the right. */
export function lineChart({ x, y, second, secondTitle, xTitle, yTitle, isLog, asBars }) {
  const right = second ? SECOND_AXIS : EDGE.right;
  const ends = asBars ? [x[0] - 0.5, x.at(-1) + 0.5] : x; // bars stand on their number: half of the first is before it
  const across = axis(ends, WIDTH, EDGE.left, right);
  if (asBars) across.marks = across.marks.filter((mark) => Number.isInteger(mark) && mark >= x[0] && mark <= x.at(-1));
  const up = axis(asBars ? [0, ...y] : y, HEIGHT, EDGE.bottom, EDGE.top, isLog);
  const place = (value, other) => [across.place(value), HEIGHT - up.place(other)];
  const drawing = frame(across, up, xTitle, yTitle, right);
  if (asBars) {
    const width = Math.max(1, Math.min(26, (across.place(1) - across.place(0)) * 0.8));
    x.forEach((value, position) => {
      const [left, top] = place(value, y[position]);
      const height = Math.max(0.5, HEIGHT - EDGE.bottom - top);
      drawing.append(svg("rect", { class: "mark", x: left - width / 2, y: top, width, height }));
    });
  } else {
    drawing.append(svg("path", { class: "line", d: path(x.map((value, position) => place(value, y[position]))) }));
    if (x.length === 1) drawing.append(svg("circle", { class: "mark", cx: place(x[0], y[0])[0], cy: place(x[0], y[0])[1], r: 3 }));
  }
  if (second) {
    const height = HEIGHT - EDGE.top - EDGE.bottom;
    const points = x.map((value, position) => [across.place(value), HEIGHT - EDGE.bottom - second[position] * height]);
    drawing.append(svg("path", { class: "line second", d: path(points) }));
    for (const share of [0, 0.5, 1]) {
      const numberAt = { x: WIDTH - right + 5, y: HEIGHT - EDGE.bottom - share * height + 4 };
      drawing.append(svg("text", { class: "second-axis", ...numberAt }, `${100 * share}%`));
    }
    const turn = { class: "title", x: EDGE.top, y: -WIDTH + 14, transform: "rotate(90)" };
    drawing.append(svg("text", turn, secondTitle ?? ""));
  }
  return drawing;
}

/** One horizontal bar per name. */
export function barChart({ names, values }) {
  const row = 22;
  const height = names.length * row + 6;
  const left = 130;
  const most = Math.max(...values, 1e-12);
  const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, "aria-hidden": "true", class: "chart" });
  names.forEach((name, position) => {
    const top = position * row + 4;
    const width = (values[position] / most) * (WIDTH - left - 70);
    drawing.append(
      svg("text", { x: left - 8, y: top + 12, "text-anchor": "end" }, clip(name, 19)),
      svg("rect", { class: "mark", x: left, y: top, width: Math.max(1, width), height: row - 6, rx: 2 }),
      svg("text", { x: left + width + 6, y: top + 12 }, formatNumber(values[position])),
    );
  });
  return drawing;
}

/** A table of shares of 0 to 1 as squares, the darker the larger; names on both sides. */
export function heatmap({ rows, columns, shares, texts, xTitle, yTitle }) {
  const cell = Math.max(12, Math.min(34, 330 / Math.max(rows.length, columns.length)));
  const left = 120;
  const top = 8;
  const below = 84;
  const caption = `${yTitle} (rows), ${xTitle} (columns)`;
  const width = Math.max(340, left + cell * columns.length + 10, 8 + LETTER * caption.length);
  const height = top + cell * rows.length + below;
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", class: "chart heat", width });
  rows.forEach((name, row) => {
    drawing.append(svg("text", { x: left - 6, y: top + cell * (row + 0.5) + 4, "text-anchor": "end" }, clip(name, 17)));
    columns.forEach((_, column) => {
      const share = shares[row][column];
      const [x, y] = [left + cell * column, top + cell * row];
      drawing.append(svg("rect", { class: "cell-ground", x, y, width: cell - 1, height: cell - 1 }));
      if (share > 0) drawing.append(svg("rect", { class: "cell", x, y, width: cell - 1, height: cell - 1, opacity: share }));
      if (cell >= 24 && texts) {
        const place = { x: x + cell / 2, y: y + cell / 2 + 4, "text-anchor": "middle", class: share > 0.5 ? "on-cell" : "off-cell" };
        drawing.append(svg("text", place, texts[row][column]));
      }
    });
  });
  columns.forEach((name, column) => {
    const [x, y] = [left + cell * (column + 0.5), top + cell * rows.length + 12];
    drawing.append(svg("text", { x, y, "text-anchor": "end", transform: `rotate(-40 ${x} ${y})` }, clip(name, 13)));
  });
  drawing.append(svg("text", { x: 4, y: height - 4, class: "title" }, caption));
  return drawing;
}

/** Counts in a grid over two axes, the more the more opaque, with a line of medians. */
export function densityChart({ xEdges, yEdges, counts, medians, xTitle, yTitle, isXLog }) {
  const [across, up] = [axis(xEdges, WIDTH, EDGE.left, EDGE.right, isXLog), axis(yEdges, HEIGHT, EDGE.bottom, EDGE.top)];
  const drawing = frame(across, up, xTitle, yTitle);
  const top = Math.log1p(Math.max(1, ...counts.flat()));
  counts.forEach((row, i) =>
    row.forEach((count, j) => {
      if (!count) return;
      const [left, right] = [across.place(xEdges[i]), across.place(xEdges[i + 1])];
      const [low, high] = [up.place(yEdges[j]), up.place(yEdges[j + 1])];
      const box = { x: left, y: HEIGHT - high, width: Math.max(1, right - left), height: Math.max(1, high - low) };
      drawing.append(svg("rect", { class: "cell", ...box, opacity: 0.15 + (0.85 * Math.log1p(count)) / top }));
    }),
  );
  const points = medians
    .map((value, i) => [(across.place(xEdges[i]) + across.place(xEdges[i + 1])) / 2, value])
    .filter(([, value]) => value !== null)
    .map(([left, value]) => [left, HEIGHT - up.place(value)]);
  drawing.append(svg("path", { class: "line second", d: path(points) }));
  return drawing;
}

export function dataTable(header, rows, limit = 200) {
  const body = rows.slice(0, limit).map((row) =>
    element("tr", {}, ...row.map((cell) => element("td", {}, typeof cell === "number" ? formatNumber(cell) : foreign(String(cell), 80)))));
  const head = element("tr", {}, ...header.map((name) => element("th", { scope: "col" }, foreign(name, 80))));
  const table = element("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Table" },
    element("table", {}, element("thead", {}, head), element("tbody", {}, ...body)));
  return element("details", {}, element("summary", {}, "Numbers"), table);
}

/** Round steps along an axis: at most about six, on a power of ten times 1, 2 or 5. */
export function ticks(low, high, count = 5) {
  if (!(high > low)) return [low];
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough);
  const found = [];
  for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) found.push(Number(value.toPrecision(12)));
  return found;
}

function axis(values, length, start, end, isLog = false) {
  const finite = values.filter((value) => Number.isFinite(value) && (!isLog || value > 0));
  let [low, high] = finite.length ? [Math.min(...finite), Math.max(...finite)] : [0, 1];
  if (high === low) [low, high] = [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2];
  const map = isLog ? (value) => Math.log10(Math.max(value, low)) : (value) => value;
  const [from, to] = [map(low), map(high)];
  const place = (value) => start + ((map(value) - from) / (to - from || 1)) * (length - start - end);
  const marks = isLog ? powers(low, high) : ticks(low, high);
  return { place, marks, low, high };
}

function powers(low, high) {
  const found = [];
  for (let power = Math.ceil(Math.log10(low)); power <= Math.floor(Math.log10(high)); power += 1) found.push(10 ** power);
  if (found.length < 3) return [low, ...ticks(low, high, 4).filter((mark) => mark > 1.5 * low)]; // less than two powers of ten
  const step = Math.ceil(found.length / 6);
  return found.filter((_, position) => position % step === 0);
}

function frame(across, up, xTitle, yTitle, right = EDGE.right) {
  const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true", class: "chart" });
  for (const mark of up.marks) {
    const y = HEIGHT - up.place(mark);
    drawing.append(svg("line", { class: "gridline", x1: EDGE.left, x2: WIDTH - right, y1: y, y2: y }));
    drawing.append(svg("text", { x: EDGE.left - 6, y: y + 4, "text-anchor": "end" }, formatNumber(mark)));
  }
  for (const mark of across.marks) {
    const x = across.place(mark);
    drawing.append(svg("text", { x, y: HEIGHT - EDGE.bottom + 16, "text-anchor": "middle" }, formatNumber(mark)));
  }
  drawing.append(svg("text", { class: "title", x: WIDTH - right, y: HEIGHT - 4, "text-anchor": "end" }, xTitle));
  const turn = { class: "title", x: -EDGE.top, y: 11, "text-anchor": "end", transform: "rotate(-90)" };
  drawing.append(svg("text", turn, yTitle));
  return drawing;
}

function path(points) {
  return points.map(([x, y], position) => `${position ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

function clip(text, limit) {
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}
