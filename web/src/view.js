// Which part of the plane the map shows: screen = (world − centre)·scale + size/2, with y upwards in the world.

const MARGIN = 0.06; // of the smaller side, around all nodes
const MAX_ZOOM = 20000;

export class View {
  constructor(bounds, home = bounds) {
    this.bounds = bounds; // [x0, y0, x1, y1] of all nodes
    this.home = home; // what the map shows at first: all of them, or all but a few that lie far off
    this.width = 1;
    this.height = 1;
    this.fit();
  }

  /** The scale at which the map shows what it shows at first. */
  get fitScale() {
    const [x0, y0, x1, y1] = this.home;
    const usable = 1 - 2 * MARGIN;
    const across = x1 > x0 ? (this.width * usable) / (x1 - x0) : Infinity;
    const up = y1 > y0 ? (this.height * usable) / (y1 - y0) : Infinity;
    const scale = Math.min(across, up);
    return Number.isFinite(scale) ? scale : Math.min(this.width, this.height); // one node, or all in one place
  }

  get zoom() {
    return this.scale / this.fitScale;
  }

  fit() {
    const [x0, y0, x1, y1] = this.home;
    this.x = (x0 + x1) / 2;
    this.y = (y0 + y1) / 2;
    this.scale = this.fitScale;
  }

  /** A new size keeps the centre and how far the map is zoomed in. */
  resize(width, height) {
    const zoom = this.zoom;
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.scale = this.fitScale * zoom;
  }

  toScreen(x, y) {
    return [(x - this.x) * this.scale + this.width / 2, this.height / 2 - (y - this.y) * this.scale];
  }

  toWorld(left, top) {
    return [(left - this.width / 2) / this.scale + this.x, (this.height / 2 - top) / this.scale + this.y];
  }

  pan(right, down) {
    this.x -= right / this.scale;
    this.y += down / this.scale;
    this.keepInside();
  }

  /** Zoom by a factor about a point of the screen, which stays where it is. */
  zoomAt(factor, left, top) {
    const [x, y] = this.toWorld(left, top);
    const fit = this.fitScale;
    this.scale = Math.min(fit * MAX_ZOOM, Math.max(fit * 0.2, this.scale * factor));
    this.x = x - (left - this.width / 2) / this.scale;
    this.y = y - (this.height / 2 - top) / this.scale;
    this.keepInside();
  }

  /** The centre of the screen never leaves the nodes. */
  keepInside() {
    const [x0, y0, x1, y1] = this.bounds;
    this.x = Math.min(x1, Math.max(x0, this.x));
    this.y = Math.min(y1, Math.max(y0, this.y));
  }

  /** The world rectangle on the screen: [x0, y0, x1, y1]. */
  rectangle() {
    const [x0, y1] = this.toWorld(0, 0);
    const [x1, y0] = this.toWorld(this.width, this.height);
    return [x0, y0, x1, y1];
  }
}
