// The same map where there is no GPU: pixels set by hand in a canvas of two dimensions. That is two to three times faster
// than WebGL drawn by the processor.

import { shuffled } from "./renderer.js";

export class CanvasRenderer {
  constructor(canvas, x, y) {
    this.context = canvas.getContext("2d");
    this.x = x;
    this.y = y;
    this.order = shuffled(x.length);
    this.colors = new Uint32Array(x.length);
    this.picture = document.createElement("canvas");
    this.choose(null);
  }

  setColors(colors) {
    this.colors = new Uint32Array(colors.buffer, colors.byteOffset, this.x.length);
    this.drawnColors = this.nodes.map((node) => this.colors[node]);
  }

  /** Draw only these nodes, or all (null). What is drawn is copied into the order of drawing, which memory likes. */
  choose(nodes) {
    if (nodes !== null && !this.placeOf) {
      this.placeOf = new Uint32Array(this.x.length);
      this.order.forEach((node, place) => {
        this.placeOf[node] = place;
      });
    }
    // In the random order of all, of which any first part is a fair sample.
    this.nodes = nodes === null ? this.order : nodes.map((node) => this.placeOf[node]).sort().map((place) => this.order[place]);
    this.drawnX = Float32Array.from(this.nodes, (node) => this.x[node]);
    this.drawnY = Float32Array.from(this.nodes, (node) => this.y[node]);
    this.drawnColors = this.nodes.map((node) => this.colors[node]);
  }

  begin(view, ratio) {
    const { canvas } = this.context;
    const width = Math.round(view.width * ratio);
    const height = Math.round(view.height * ratio);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    this.context.clearRect(0, 0, width, height);
    return [width, height];
  }

  drawPoints(view, ratio, size, share = 1) {
    const [width, height] = this.begin(view, ratio);
    if (this.image?.width !== width || this.image?.height !== height) this.image = this.context.createImageData(width, height);
    const pixels = new Uint32Array(this.image.data.buffer);
    pixels.fill(0);
    const side = Math.max(1, Math.round(size * ratio));
    const drawn = Math.round(this.nodes.length * share);
    // The view's arithmetic, spelt out: a call per node would take longer than the pixels.
    const scale = view.scale * ratio;
    const left = width / 2 - view.x * scale - side / 2;
    const top = height / 2 + view.y * scale - side / 2;
    const { drawnX, drawnY, drawnColors } = this;
    const insets = discInsets(side);
    for (let place = 0; place < drawn; place += 1) {
      const color = drawnColors[place];
      const column = Math.round(left + drawnX[place] * scale);
      const row = Math.round(top - drawnY[place] * scale);
      if (color === 0 || column < 0 || row < 0 || column + side > width || row + side > height) continue;
      for (let down = 0, start = row * width + column; down < side; down += 1, start += width) {
        for (let pixel = start + insets[down], end = start + side - insets[down]; pixel < end; pixel += 1) pixels[pixel] = color;
      }
    }
    this.context.putImageData(this.image, 0, 0);
    return drawn;
  }

  setImage(pixels, width, height) {
    this.picture.width = width;
    this.picture.height = height;
    this.picture.getContext("2d").putImageData(new ImageData(pixels, width, height), 0, 0);
  }

  drawImage(view, ratio, [x0, y0, x1, y1]) {
    this.begin(view, ratio);
    const [left, top] = view.toScreen(x0, y1);
    const [right, bottom] = view.toScreen(x1, y0);
    this.context.imageSmoothingEnabled = false;
    this.context.drawImage(this.picture, left * ratio, top * ratio, (right - left) * ratio, (bottom - top) * ratio);
  }
}

/** How many pixels a disc leaves free at either end of each row of its square. */
export function discInsets(side) {
  const radius = side / 2;
  return Int32Array.from({ length: side }, (_, row) => {
    const half = Math.sqrt(Math.max(0, radius * radius - (row + 0.5 - radius) ** 2));
    return Math.min(Math.max(0, Math.round(radius - half)), Math.floor((side - 1) / 2));
  });
}
