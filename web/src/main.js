// The page: unpack what it carries, draw the map, connect the panels.

import { Column, formatNumber } from "./columns.js";
import { showDetails, showTooltip } from "./details.js";
import { announce, byId, element, prefersReducedMotion } from "./dom.js";
import { showEdgePanel } from "./edge_panel.js";
import { loadEdges } from "./edges.js";
import { loadFeatures } from "./features.js";
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
import { loadTree, showTree } from "./tree.js";

const MOST_LINES = 4000; // edges drawn of a selection

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
    this.edges = null;
    this.features = null;
    this.tree = null;
    this.recommended = null;
    this.kept = null; // group A
    this.selected = [];
    this.isLasso = false;
    const [x, y] = await Promise.all(["x", "y"].map((name) => this.payload.array(name, Float32Array)));
    if (this.column) await this.column.load();
    this.showHead();
    const drawing = new URLSearchParams(location.search).get("draw") ?? "auto"; // ?draw=webgl or ?draw=canvas
    this.scene = new Scene(byId("map"), byId("overlay"), x, y, drawing);
    this.count = x.length;
    await this.setUpBefore(drawing);
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

  /** The map of the earlier embedding beside today's, where the page has one. */
  async setUpBefore(drawing) {
    this.before = null;
    if (!this.payload.has("before-x")) return;
    const [x, y] = await Promise.all(["before-x", "before-y"].map((name) => this.payload.array(name, Float32Array)));
    this.wasThere = await this.payload.array("before-common", Uint8Array);
    byId("maps").classList.add("two");
    byId("before-frame").hidden = byId("now-caption").hidden = false;
    this.before = new Scene(byId("before-map"), byId("before-overlay"), x, y, drawing, this.scene);
  }

  setUpMap() {
    const frame = byId("map-frame");
    const fit = () => {
      this.scene.resize(frame.clientWidth, frame.clientHeight);
      this.before?.resize(frame.clientWidth, frame.clientHeight);
    };
    fit();
    this.scene.view.fit();
    new ResizeObserver(fit).observe(frame);
    if (this.before) this.listenTo(byId("before-overlay"), this.before, (node) => this.shown[node] === 1 && this.wasThere[node] === 1);
    this.listenTo(byId("overlay"), this.scene, (node) => this.shown[node] === 1);
  }

  listenTo(canvas, scene, isShown) {
    listen(canvas, scene, {
      hover: (node, left, top) => this.hover(node, left, top),
      pick: (node) => this.pick(node, false),
      select: (nodes, isAdded) => this.select(isAdded ? [...new Set([...this.selected, ...nodes])].sort((a, b) => a - b) : nodes),
      isShown,
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
    chooser.addEventListener("change", () => {
      if (chooser.value === "sides") this.walked();
      else this.colorBy(this.columns[Number(chooser.value)]);
    });
    const lasso = byId("lasso");
    lasso.addEventListener("click", () => {
      this.isLasso = !this.isLasso;
      lasso.setAttribute("aria-pressed", String(this.isLasso));
      byId("maps").classList.toggle("lassoing", this.isLasso);
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
      this.edges?.clearFilters();
      if (this.edges) this.edges.hidesUnlinked = false;
      showEdgePanel(this.edges, () => this.edgesChanged());
      this.repaint();
    });
  }

  async colorBy(column) {
    this.column = await column.load();
    this.cutSides = null;
    this.markEdges();
    this.repaint();
    announce(`Coloured by ${column.name}.`);
  }

  /** Colours, the legend and the names after a change of column, filter or theme. */
  repaint() {
    const theme = currentTheme();
    const { x, y } = this.scene;
    this.shown = this.filters.mask(this.count);
    if (this.edges?.hidesUnlinked) {
      const touched = this.edges.touched();
      this.shown = this.shown.map((isShown, node) => isShown & touched[node]);
    }
    this.scene.setColors(paint(this.column, this.count, this.shown, theme));
    if (this.before) {
      const wasShown = this.shown.map((isShown, node) => isShown & this.wasThere[node]);
      this.before.setColors(paint(this.column, this.count, wasShown, theme));
    }
    this.scene.marks.labels = byId("names").checked ? labelPlaces(this.column, x, y, this.shown) : [];
    const focused = document.activeElement?.closest?.("#legend") ? focusPath(document.activeElement) : null;
    showLegend(this.column, this.filters, theme, () => this.repaint());
    if (focused) restoreFocus(focused);
    const n = this.shown.reduce((sum, value) => sum + value, 0);
    byId("shown").textContent = n === this.count ? "" : `${formatNumber(n)} of ${formatNumber(this.count)} nodes shown`;
    byId("clear-filters").hidden = this.filters.isEmpty && !this.edges?.isFiltered && !this.edges?.hidesUnlinked;
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
      this.edges = await loadEdges(this.meta, this.payload, this.count);
      this.features = await loadFeatures(this.meta, this.payload, this.count);
      if (this.payload.has("recommended")) {
        this.recommended = await this.payload.array("recommended", Uint32Array);
        this.probabilities = await this.payload.array("recommended-shares", Float32Array);
      }
      showEdgePanel(this.edges, () => this.edgesChanged());
      this.tree = await loadTree(this.meta, this.payload, this.count);
      showTree(this.tree, () => this.walked());
      for (const column of this.columns) await column.load();
      document.documentElement.dataset.loaded = "true";
    })();
    return this.loading;
  }

  neighborsOf(node) {
    const k = this.meta.nNeighbors;
    return this.neighbors && node >= 0 ? [...this.neighbors.subarray(node * k, (node + 1) * k)] : [];
  }

  /** The nodes recommended to one: [{ other, share }], the best first. */
  recommendedTo(node) {
    const { k } = this.meta.recommended;
    const places = Array.from({ length: k }, (_, place) => node * k + place);
    return places
      .map((place) => ({ other: this.recommended[place], share: this.probabilities[place] }))
      .filter(({ other }) => other < this.count);
  }

  /** Which edges are drawn: those of the node that is chosen, else those inside the selection, else those that a cut cuts. */
  markEdges() {
    const { marks } = this.scene;
    let edges = [];
    if (this.edges && marks.picked >= 0) edges = this.edges.of(marks.picked).map(({ edge }) => edge);
    else if (this.edges && marks.selection.size) edges = this.edges.among(marks.selection, MOST_LINES);
    else if (this.edges && this.cutSides) edges = this.edges.between(...this.cutSides, MOST_LINES);
    marks.edges = edges.map((edge) => [this.edges.first[edge], this.edges.second[edge], this.edges.apart?.[edge] === 1]);
  }

  /** After a change of the filters of edges: what is drawn and listed by them. */
  edgesChanged() {
    const { picked } = this.scene.marks;
    this.markEdges();
    if (picked >= 0) showDetails(picked, this.neighborsOf(picked), this);
    showSelection(this.selected, this);
    this.repaint();
  }

  /** After a step in the hierarchy: both sides of the cut in colour, the edges between them drawn. */
  walked() {
    this.column = this.tree.sides();
    this.cutSides = this.tree.children(this.tree.current).map((child) => new Set(this.tree.members(child)));
    if (this.cutSides.length < 2) this.cutSides = null;
    this.scene.marks.picked = -1;
    this.scene.marks.neighbors = [];
    this.scene.marks.selection = new Set();
    this.selected = [];
    showDetails(-1, [], this);
    showSelection([], this);
    this.markEdges();
    if (!byId("color-by").querySelector("[value=sides]")) byId("color-by").append(element("option", { value: "sides" }, this.column.name));
    byId("color-by").value = "sides";
    this.repaint();
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
    this.scene.marks.linked = neighbors.map((other, place) =>
      this.edges ? this.edges.isLinked(node, other) : this.reasons === null || this.reasons.isLinked(node, place));
    this.markEdges();
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
    this.markEdges();
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
