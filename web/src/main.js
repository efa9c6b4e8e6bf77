// The page: unpack what it carries, draw the map, connect the panels.

import { Column, formatNumber } from "./columns.js";
import { showDetails, showTooltip } from "./details.js";
import { announce, byId, element, prefersReducedMotion } from "./dom.js";
import { listen } from "./interaction.js";
import { showLegend } from "./legend.js";
import { Filters, labelPlaces, paint } from "./painting.js";
import { Payload } from "./payload.js";
import { loadReasons } from "./reasons.js";
import { Scene } from "./scene.js";
import { setUpSearch } from "./search_box.js";
import { showSections, showWarnings } from "./sections.js";
import { showSelection } from "./selection.js";
import { currentTheme, setUpTheme } from "./theme.js";

class App {
  async start() {
    this.payload = new Payload(document);
    this.meta = await this.payload.json("meta");
    this.columns = this.meta.columns.map((description) => new Column(description, this.payload));
    this.column = this.columns.find((column) => column.name === this.meta.colorBy) ?? null;
    this.filters = new Filters();
    this.ids = null;
    this.neighbors = null;
    this.reasons = null;
    this.selected = [];
    this.isLasso = false;
    const [x, y] = await Promise.all(["x", "y"].map((name) => this.payload.array(name, Float32Array)));
    if (this.column) await this.column.load();
    this.showHead();
    const drawing = new URLSearchParams(location.search).get("draw") ?? "auto"; // ?draw=webgl or ?draw=canvas
    this.scene = new Scene(byId("map"), byId("overlay"), x, y, drawing);
    this.count = x.length;
    this.setUpMap();
    this.setUpControls();
    setUpTheme(byId("theme"), () => this.repaint());
    showDetails(-1, [], this);
    showSelection([], this);
    showWarnings(this.meta.warnings);
    showSections(this.meta);
    setUpSearch(this);
    byId("loading").remove();
    requestAnimationFrame(() => requestAnimationFrame(() => {
      document.documentElement.dataset.ready = "true";
      performance.mark("first-paint-of-map");
      this.loadAll();
    }));
  }

  showHead() {
    document.title = this.meta.title;
    byId("title").textContent = this.meta.title;
    byId("summary").textContent = this.meta.summary;
  }

  setUpMap() {
    const frame = byId("map-frame");
    const fit = () => this.scene.resize(frame.clientWidth, frame.clientHeight);
    fit();
    this.scene.view.fit();
    new ResizeObserver(fit).observe(frame);
    listen(byId("overlay"), this.scene, {
      hover: (node, left, top) => this.hover(node, left, top),
      pick: (node) => this.pick(node, false),
      select: (nodes, isAdded) => this.select(isAdded ? [...new Set([...this.selected, ...nodes])].sort((a, b) => a - b) : nodes),
      isShown: (node) => this.shown[node] === 1,
      isLasso: () => this.isLasso,
    });
  }

  setUpControls() {
    const chooser = byId("color-by");
    for (const column of this.columns.filter((candidate) => candidate.isColorable)) {
      chooser.append(element("option", { value: this.columns.indexOf(column) }, column.name));
    }
    chooser.disabled = chooser.options.length === 0;
    if (this.column) chooser.value = String(this.columns.indexOf(this.column));
    chooser.addEventListener("change", () => this.colorBy(this.columns[Number(chooser.value)]));
    const lasso = byId("lasso");
    lasso.addEventListener("click", () => {
      this.isLasso = !this.isLasso;
      lasso.setAttribute("aria-pressed", String(this.isLasso));
      byId("map-frame").classList.toggle("lassoing", this.isLasso);
    });
    const names = byId("names");
    names.addEventListener("change", () => this.repaint());
    const zoom = (factor) => () => {
      const { view } = this.scene;
      view.zoomAt(factor, view.width / 2, view.height / 2);
      this.scene.moved();
    };
    byId("zoom-in").addEventListener("click", zoom(1.6));
    byId("zoom-out").addEventListener("click", zoom(1 / 1.6));
    byId("zoom-fit").addEventListener("click", () => {
      this.scene.view.fit();
      this.scene.moved();
    });
    byId("clear-filters").addEventListener("click", () => {
      this.filters.clear();
      this.repaint();
    });
  }

  async colorBy(column) {
    this.column = await column.load();
    this.repaint();
    announce(`Coloured by ${column.name}.`);
  }

  /** Colours, the legend and the names after a change of column, filter or theme. */
  repaint() {
    const theme = currentTheme();
    const { x, y } = this.scene;
    this.shown = this.filters.mask(this.count);
    this.scene.setColors(paint(this.column, this.count, this.shown, theme));
    this.scene.marks.labels = byId("names").checked ? labelPlaces(this.column, x, y, this.shown) : [];
    const focused = document.activeElement?.closest?.("#legend") ? focusPath(document.activeElement) : null;
    showLegend(this.column, this.filters, theme, () => this.repaint());
    if (focused) restoreFocus(focused);
    const n = this.shown.reduce((sum, value) => sum + value, 0);
    byId("shown").textContent = this.filters.isEmpty ? "" : `${formatNumber(n)} of ${formatNumber(this.count)} nodes shown`;
    byId("clear-filters").hidden = this.filters.isEmpty;
    this.scene.draw();
  }

  idOf(node) {
    return this.ids === null ? "…" : String(this.ids[node]);
  }

  loadedColumns() {
    const first = this.column && this.columns.indexOf(this.column) > 7 ? [this.column] : [];
    return [...first, ...this.columns.filter((column) => column.values && column !== first[0])];
  }

  shownNodes() {
    const nodes = [];
    this.shown.forEach((isShown, node) => {
      if (isShown) nodes.push(node);
    });
    return nodes;
  }

  /** Ids, neighbours and columns: unpacked after the first paint, or when they are asked for. */
  loadAll() {
    this.loading ??= (async () => {
      this.ids = await this.payload.json("ids");
      if (this.payload.has("neighbors")) this.neighbors = await this.payload.array("neighbors", Uint32Array);
      this.reasons = await loadReasons(this.meta, this.payload);
      for (const column of this.columns) await column.load();
      document.documentElement.dataset.loaded = "true";
    })();
    return this.loading;
  }

  neighborsOf(node) {
    const k = this.meta.nNeighbors;
    return this.neighbors && node >= 0 ? [...this.neighbors.subarray(node * k, (node + 1) * k)] : [];
  }

  hover(node, left, top) {
    if (node === this.scene.marks.hover && node < 0) return;
    this.scene.marks.hover = node;
    showTooltip(node, left, top, this);
    this.scene.draw();
  }

  async pick(node, isFlown) {
    await this.loadAll();
    const neighbors = this.neighborsOf(node);
    this.scene.marks.picked = node;
    this.scene.marks.neighbors = neighbors;
    this.scene.marks.linked = neighbors.map((_, place) => this.reasons === null || this.reasons.isLinked(node, place));
    showDetails(node, neighbors, this);
    if (node >= 0) {
      announce(`${this.idOf(node).slice(0, 100)} chosen.`);
      if (isFlown) this.scene.flyTo([node, ...neighbors.slice(0, 5)], prefersReducedMotion());
    }
    this.scene.draw();
  }

  async select(nodes) {
    await this.loadAll();
    this.selected = nodes;
    this.scene.marks.selection = new Set(nodes);
    showSelection(nodes, this);
    announce(nodes.length ? `${nodes.length} nodes selected.` : "Nothing selected.");
    this.scene.draw();
  }
}

/** The focus stays where it was when the legend is drawn anew. */
function focusPath(focused) {
  const all = [...byId("legend").querySelectorAll("input, button")];
  return all.indexOf(focused);
}

function restoreFocus(position) {
  byId("legend").querySelectorAll("input, button")[position]?.focus();
}

function fail(error) {
  const place = byId("loading") ?? document.body.appendChild(element("div", { id: "loading" }));
  place.setAttribute("role", "alert");
  place.textContent = `This page could not be shown: ${error?.message ?? error}. A current Chrome, Edge, Firefox or Safari can show it.`;
}

const app = new App();
app.start().catch(fail);
window.sparsecut = app; // for those who look into the page with the browser's tools
