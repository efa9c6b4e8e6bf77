// The legend of the column the map is coloured by. It filters: a class by its checkbox, numbers by a range.

import { cssColor, rampColor } from "./colors.js";
import { formatNumber, NO_VALUE } from "./columns.js";
import { byId, element, foreign } from "./dom.js";
import { colorLookup, legendOrder } from "./painting.js";

const STEPS = 24;
const SEARCHED = 20; // classes from which on the legend has a box to find one

/** Show the legend of a column; `changed` is called when a filter changes. */
export function showLegend(column, filters, theme, changed) {
  const place = byId("legend");
  place.replaceChildren();
  if (column === null) {
    place.append(element("p", { class: "hint" }, "There is no column to colour by."));
    return;
  }
  if (column.kind === "class") place.append(...classLegend(column, filters, theme, changed));
  else place.append(...numberLegend(column, filters, theme, changed));
}

function classLegend(column, filters, theme, changed) {
  const color = colorLookup(column, theme);
  const codes = legendOrder(column);
  if (column.counts[0]) codes.push(0);
  const list = element("ul", { class: "classes", "aria-label": `Classes of ${column.name}` });
  const boxes = new Map();
  const apply = () => {
    filters.setHidden(column, new Set(codes.filter((code) => !boxes.get(code).checked)));
    changed();
  };
  for (const code of codes) {
    const name = code === 0 ? NO_VALUE : column.names[code - 1];
    const box = element("input", { type: "checkbox", onchange: apply });
    box.checked = !filters.hidden(column).has(code);
    boxes.set(code, box);
    const swatch = element("span", { class: "swatch", style: { background: cssColor(color(code)) } });
    const count = element("span", { class: "count" }, formatNumber(column.counts[code]));
    const label = element("label", {}, box, swatch, element("span", { class: "name" }, foreign(name, 200)), count);
    const only = element("button", { type: "button", class: "quiet", "aria-label": `Show only ${name.slice(0, 80)}` }, "only");
    only.addEventListener("click", () => {
      for (const [other, otherBox] of boxes) otherBox.checked = other === code;
      apply();
    });
    list.append(element("li", { "data-code": code }, label, only));
  }
  const all = element("button", { type: "button", class: "quiet" }, "Show all");
  all.addEventListener("click", () => {
    for (const box of boxes.values()) box.checked = true;
    apply();
  });
  const none = element("button", { type: "button", class: "quiet" }, "Hide all");
  none.addEventListener("click", () => {
    for (const box of boxes.values()) box.checked = false;
    apply();
  });
  const parts = [element("div", { class: "row" }, all, none), list];
  if (codes.length >= SEARCHED) {
    const find = element("input", {
      type: "search",
      placeholder: `Find one of ${formatNumber(codes.length)}`,
      "aria-label": `Find a class of ${column.name}`,
    });
    find.addEventListener("input", () => {
      const text = find.value.trim().toLowerCase();
      for (const item of list.children) {
        const code = Number(item.dataset.code);
        const name = code === 0 ? NO_VALUE : column.names[code - 1];
        item.hidden = !name.toLowerCase().includes(text);
      }
    });
    parts.unshift(find);
  }
  return parts;
}

function numberLegend(column, filters, theme, changed) {
  const [low, high] = column.range;
  const stops = Array.from({ length: STEPS }, (_, step) => cssColor(rampColor(step / (STEPS - 1), theme)));
  const bar = element("div", { class: "ramp", style: { background: `linear-gradient(90deg, ${stops.join(", ")})` } });
  const ends = element("div", { class: "ends" }, element("span", {}, formatNumber(low)), element("span", {}, formatNumber(high)));
  const set = filters.byColumn.get(column) ?? { low, high };
  const input = (name, value) => {
    const box = element("input", { type: "number", step: "any", value, "aria-label": `${name} ${column.name} shown` });
    box.addEventListener("change", () => {
      const [least, most] = [numberOr(lowest.value, low), numberOr(highest.value, high)];
      filters.setRange(column, least, most);
      changed();
    });
    return box;
  };
  const lowest = input("Smallest", set.low);
  const highest = input("Largest", set.high);
  const range = element("div", { class: "row" }, element("span", {}, "Show"), lowest, element("span", {}, "to"), highest);
  return [bar, ends, range];
}

function numberOr(text, otherwise) {
  const value = Number.parseFloat(text);
  return Number.isNaN(value) ? otherwise : value;
}
