// The search box: a combobox whose list has the nodes found. Arrow keys move, Enter goes there, Escape closes.

import { announce, byId, element, foreign } from "./dom.js";
import { searchNodes } from "./search.js";

const PAUSE = 120; // milliseconds after a key before the search runs
const KEYS = ["ArrowDown", "ArrowUp", "Enter", "Escape"];

export function setUpSearch(app) {
  const box = byId("search");
  const list = byId("results");
  let active = -1;
  let timer = 0;
  let shown = null; // the query that the list answers

  const close = () => {
    list.hidden = true;
    active = -1;
    box.setAttribute("aria-expanded", "false");
    box.removeAttribute("aria-activedescendant");
  };
  const activate = (position) => {
    const options = [...list.querySelectorAll("[role=option]")];
    if (!options.length) return;
    active = (position + options.length) % options.length;
    options.forEach((item, place) => item.setAttribute("aria-selected", String(place === active)));
    options[active].scrollIntoView({ block: "nearest" });
    box.setAttribute("aria-activedescendant", options[active].id);
  };
  const go = (node) => {
    close();
    app.pick(node, true);
  };
  const run = async () => {
    await app.loadAll();
    shown = box.value;
    const { results, isCut } = searchNodes(shown, app.ids, app.columns);
    list.replaceChildren(...results.map(({ node, column }, position) => option(app, node, column, position, go)));
    if (!results.length && box.value.trim()) list.append(element("li", { class: "hint", role: "none" }, "Nothing found."));
    if (isCut) list.append(element("li", { class: "hint", role: "none" }, "More nodes match: type more."));
    list.hidden = !box.value.trim();
    box.setAttribute("aria-expanded", String(!list.hidden));
    active = -1;
    if (box.value.trim()) announce(results.length ? `${results.length}${isCut ? " or more" : ""} nodes found.` : "Nothing found.");
  };

  // A key may come before the search for what was typed or pasted has run: it must not act on the previous query's list.
  const act = async (key) => {
    clearTimeout(timer);
    if (key === "Escape") {
      close();
      return;
    }
    if (list.hidden || shown !== box.value) await run();
    if (key === "ArrowDown") activate(active + 1);
    else if (key === "ArrowUp") activate(active < 0 ? -1 : active - 1);
    else {
      if (active < 0) activate(0);
      list.querySelectorAll("[role=option]")[active]?.click();
    }
  };
  let acted = Promise.resolve(); // one key after the other, in their order

  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(run, PAUSE);
  });
  box.addEventListener("keydown", (event) => {
    if (!KEYS.includes(event.key)) return;
    event.preventDefault();
    acted = acted.then(() => act(event.key));
  });
  document.addEventListener("pointerdown", (event) => {
    if (!list.contains(event.target) && event.target !== box) close();
  });
}

function option(app, node, column, position, go) {
  const item = element("li", { role: "option", id: `result-${position}`, "aria-selected": "false" }, foreign(app.idOf(node), 80));
  if (column >= 0) {
    const found = app.columns[column];
    item.append(element("span", { class: "count" }, foreign(`${found.name}: ${found.text(node)}`, 60)));
  }
  item.addEventListener("click", () => go(node));
  return item;
}
