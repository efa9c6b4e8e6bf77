// The nodes sorted into the cells of a square grid, so that what is under the pointer or inside a lasso is found without
// looking at every node.

const NODES_PER_CELL = 8;
const MAX_SIDE = 1024;

export class Grid {
  constructor(x, y) {
    this.x = x;
    this.y = y;
    this.bounds = boundsOf(x, y);
    const [x0, y0, x1, y1] = this.bounds;
    this.side = Math.max(1, Math.min(MAX_SIDE, Math.ceil(Math.sqrt(x.length / NODES_PER_CELL))));
    this.width = (x1 - x0) / this.side || 1;
    this.height = (y1 - y0) / this.side || 1;
    const cells = this.side * this.side;
    const cellOf = new Uint32Array(x.length);
    this.starts = new Uint32Array(cells + 1);
    for (let i = 0; i < x.length; i += 1) {
      cellOf[i] = this.row(y[i]) * this.side + this.column(x[i]);
      this.starts[cellOf[i] + 1] += 1;
    }
    for (let cell = 0; cell < cells; cell += 1) this.starts[cell + 1] += this.starts[cell];
    const next = this.starts.slice(0, cells);
    this.nodes = new Uint32Array(x.length); // sorted by cell
    for (let i = 0; i < x.length; i += 1) {
      this.nodes[next[cellOf[i]]] = i;
      next[cellOf[i]] += 1;
    }
  }

  column(x) {
    return clampIndex((x - this.bounds[0]) / this.width, this.side);
  }

  row(y) {
    return clampIndex((y - this.bounds[1]) / this.height, this.side);
  }

  /** How many nodes lie in the cells that a rectangle touches: at least those inside it. */
  count([x0, y0, x1, y1]) {
    let total = 0;
    const [left, right] = [this.column(x0), this.column(x1)];
    for (let row = this.row(y0); row <= this.row(y1); row += 1) {
      total += this.starts[row * this.side + right + 1] - this.starts[row * this.side + left];
    }
    return total;
  }

  /** Call visit(node) for the nodes of the cells that a rectangle touches. */
  forEachIn([x0, y0, x1, y1], visit) {
    const [left, right] = [this.column(x0), this.column(x1)];
    for (let row = this.row(y0); row <= this.row(y1); row += 1) {
      const end = this.starts[row * this.side + right + 1];
      for (let place = this.starts[row * this.side + left]; place < end; place += 1) visit(this.nodes[place]);
    }
  }

  /** The node nearest to a point within a radius for which accept(node) holds, or −1. */
  nearest(x, y, radius, accept = () => true) {
    let best = -1;
    let bestSquare = radius * radius;
    this.forEachIn([x - radius, y - radius, x + radius, y + radius], (node) => {
      const square = (this.x[node] - x) ** 2 + (this.y[node] - y) ** 2;
      // Of two in the same place the one drawn last, which is the one seen.
      if ((square < bestSquare || (square === bestSquare && node > best)) && accept(node)) {
        best = node;
        bestSquare = square;
      }
    });
    return best;
  }

  /** The nodes inside a closed polygon of [x, y] corners, ascending. */
  inside(polygon, accept = () => true) {
    if (polygon.length < 3) return [];
    const found = [];
    const rectangle = boundsOf(polygon.map((corner) => corner[0]), polygon.map((corner) => corner[1]));
    this.forEachIn(rectangle, (node) => {
      if (accept(node) && isInside(this.x[node], this.y[node], polygon)) found.push(node);
    });
    return found.sort((a, b) => a - b);
  }
}

export function boundsOf(x, y) {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < x.length; i += 1) {
    if (x[i] < x0) x0 = x[i];
    if (x[i] > x1) x1 = x[i];
    if (y[i] < y0) y0 = y[i];
    if (y[i] > y1) y1 = y[i];
  }
  return x.length ? [x0, y0, x1, y1] : [0, 0, 0, 0];
}

const SAMPLED = 20000;
const OUTSIDE = 0.005; // of the nodes, at either end of either axis

/**
 * The bounds without the few nodes that lie far off, where leaving them out saves much of the map; the bounds of all where it
 * does not.
 */
export function homeBounds(x, y) {
  const all = boundsOf(x, y);
  const step = Math.max(1, Math.floor(x.length / SAMPLED));
  const range = (values) => {
    const sorted = values.filter((_, i) => i % step === 0).sort();
    const cut = Math.floor(sorted.length * OUTSIDE);
    const [low, high] = [sorted[cut], sorted[sorted.length - 1 - cut]];
    return [low - 0.08 * (high - low), high + 0.08 * (high - low)];
  };
  if (x.length < 100) return all;
  const [[x0, x1], [y0, y1]] = [range(x), range(y)];
  const robust = [Math.max(all[0], x0), Math.max(all[1], y0), Math.min(all[2], x1), Math.min(all[3], y1)];
  const area = ([left, low, right, high]) => (right - left) * (high - low);
  return area(robust) > 0 && area(robust) < 0.6 * area(all) ? robust : all;
}

/** Whether a ray to the right crosses the polygon's sides an odd number of times. */
export function isInside(x, y, polygon) {
  let inside = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i, i += 1) {
    const [xi, yi] = polygon[i];
    const [xj, yj] = polygon[j];
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) inside = !inside;
  }
  return inside;
}

function clampIndex(place, side) {
  return Math.min(side - 1, Math.max(0, Math.floor(place)));
}
