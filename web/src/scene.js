// When the map is drawn, and as what: all points, a share of them while it moves, or density where there are too many.

import { CanvasRenderer } from "./canvas_renderer.js";
import { densityImage } from "./density.js";
import { Grid, homeBounds } from "./grid.js";
import { drawOverlay } from "./overlay.js";
import { WebglRenderer } from "./renderer.js";
import { View } from "./view.js";

export const MAX_POINTS = 250_000; // drawn as points at a time
const SLOW_FRAME = 26; // milliseconds; above it fewer points are drawn, at 38 frames per second
const FAST_FRAME = 18;
const MIN_SHARE = 0.05;
const SETTLE = 160; // milliseconds without a move, after which everything is drawn
const DENSITY_PIXEL = 2; // screen pixels per pixel of density

export class Scene {
  /** `twin` is the scene of another map of the same nodes, which shares this one's view and marks. */
  constructor(canvas, overlay, x, y, drawing = "auto", twin = null) {
    this.canvas = canvas;
    this.overlay = overlay.getContext("2d");
    this.x = x;
    this.y = y;
    this.grid = new Grid(x, y);
    this.view = twin?.view ?? new View(this.grid.bounds, homeBounds(x, y));
    this.twin = twin;
    if (twin) twin.twin = this;
    this.renderer = makeRenderer(canvas, x, y, drawing);
    this.colors = new Uint8Array(4 * x.length);
    this.marks = twin?.marks ?? {
      ...{ hover: -1, picked: -1, neighbors: [], linked: [], edges: [] },
      ...{ selection: new Set(), lasso: [], labels: [] },
    };
    this.share = 1;
    this.isMoving = false;
    this.lastFrame = 0;
    this.frames = 0;
    this.drawn = 0;
    this.image = null; // the world rectangle of the density image, where there is one
    this.requested = false;
    this.animation = null;
    canvas.addEventListener("webglcontextlost", (event) => event.preventDefault());
    canvas.addEventListener("webglcontextrestored", () => {
      this.renderer = WebglRenderer.create(canvas, x, y, true) ?? this.renderer;
      this.setColors(this.colors);
    });
  }

  get isDensity() {
    return this.x.length > MAX_POINTS && this.grid.count(this.view.rectangle()) > MAX_POINTS;
  }

  get pointSize() {
    const spread = Math.sqrt((this.view.width * this.view.height) / Math.max(1, this.x.length));
    const base = Math.min(7, Math.max(1.6, spread * 0.32));
    return Math.min(14, base * Math.max(1, this.view.zoom) ** 0.35);
  }

  setColors(colors) {
    this.colors = colors;
    this.renderer.setColors(colors);
    this.image = null;
    this.draw();
  }

  resize(width, height) {
    this.view.resize(width, height);
    this.image = null;
    this.draw();
  }

  /** The view changed and may change again at once. */
  moved() {
    for (const scene of [this, this.twin].filter(Boolean)) {
      scene.isMoving = true;
      clearTimeout(scene.settling);
      scene.request();
    }
  }

  draw() {
    this.request();
    this.twin?.request();
  }

  request() {
    if (this.requested) return;
    this.requested = true;
    requestAnimationFrame((now) => {
      this.requested = false;
      this.frame(now);
    });
  }

  frame(now) {
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    if (this.isMoving && this.lastFrame) this.adapt(now - this.lastFrame);
    if (this.isMoving) this.settle(this.lastFrame ? now - this.lastFrame : 0);
    this.lastFrame = this.isMoving ? now : 0;
    if (this.isDensity) this.drawDensity(ratio);
    else this.drawPoints(ratio);
    drawOverlay(this.overlay, this, ratio);
    this.frames += 1;
  }

  /** Draw everything once no move has come for a while: counted from a frame, so that slow frames do not end a move. */
  settle(elapsed) {
    clearTimeout(this.settling);
    this.settling = setTimeout(() => {
      this.isMoving = false;
      this.lastFrame = 0;
      this.image = null;
      this.draw();
    }, Math.max(SETTLE, 3 * elapsed));
  }

  drawPoints(ratio) {
    if (this.x.length > MAX_POINTS) {
      // Between density and points the nodes of the view and some around it are chosen anew when the map rests.
      if (!this.isMoving || this.image !== null) {
        const found = [];
        this.grid.forEachIn(this.view.rectangle(), (node) => found.push(node));
        this.renderer.choose(Uint32Array.from(found));
        this.image = null;
      }
    }
    this.drawn = this.renderer.drawPoints(this.view, ratio, this.pointSize, this.isMoving ? this.share : 1);
  }

  drawDensity(ratio) {
    if (this.image === null) {
      const width = Math.max(1, Math.round(this.view.width / DENSITY_PIXEL));
      const height = Math.max(1, Math.round(this.view.height / DENSITY_PIXEL));
      this.renderer.setImage(densityImage(this.grid, this.colors, this.view, width, height), width, height);
      this.image = this.view.rectangle();
    }
    this.renderer.drawImage(this.view, ratio, this.image);
    this.drawn = 0;
  }

  /** While the map moves, a frame that came late shrinks the next ones, and frames in time let them grow. */
  adapt(elapsed) {
    if (elapsed > SLOW_FRAME) this.share = Math.max(MIN_SHARE, this.share * Math.max(0.4, FAST_FRAME / elapsed));
    else if (elapsed < FAST_FRAME) this.share = Math.min(1, this.share * 1.08);
  }

  /** Move the view so that some nodes are shown, at once or in a short glide. */
  flyTo(nodes, isInstant) {
    const target = targetOf(this.view, nodes.map((node) => [this.x[node], this.y[node]]));
    cancelAnimationFrame(this.animation);
    if (isInstant) {
      Object.assign(this.view, target);
      this.moved();
      return;
    }
    const from = { x: this.view.x, y: this.view.y, scale: this.view.scale };
    const started = performance.now();
    const step = (now) => {
      const share = Math.min(1, (now - started) / 450);
      const eased = share * share * (3 - 2 * share);
      this.view.x = from.x + (target.x - from.x) * eased;
      this.view.y = from.y + (target.y - from.y) * eased;
      this.view.scale = from.scale * (target.scale / from.scale) ** eased;
      this.moved();
      if (share < 1) this.animation = requestAnimationFrame(step);
    };
    this.animation = requestAnimationFrame(step);
  }
}

/** WebGL where a GPU draws it, pixels set by hand where none does; "webgl" and "canvas" insist on one of them. */
function makeRenderer(canvas, x, y, drawing) {
  if (drawing !== "canvas") {
    try {
      const renderer = WebglRenderer.create(canvas, x, y, drawing === "webgl");
      if (renderer) return renderer;
    } catch (error) {
      console.warn(`WebGL failed, drawing without it: ${error.message}`);
      const fresh = canvas.cloneNode(); // a canvas that has given out one kind of context gives no other
      canvas.replaceWith(fresh);
      return new CanvasRenderer(fresh, x, y);
    }
  }
  return new CanvasRenderer(canvas, x, y);
}

/** The view that shows all of some places; one that is already well inside the view is left as it is. */
export function targetOf(view, places) {
  const xs = places.map((place) => place[0]);
  const ys = places.map((place) => place[1]);
  const [x0, x1] = [Math.min(...xs), Math.max(...xs)];
  const [y0, y1] = [Math.min(...ys), Math.max(...ys)];
  const fitting = Math.min((0.7 * view.width) / (x1 - x0 || 1e-12), (0.7 * view.height) / (y1 - y0 || 1e-12));
  const scale = Math.min(fitting, Math.max(view.scale, 4 * view.fitScale));
  return { x: (x0 + x1) / 2, y: (y0 + y1) / 2, scale };
}
