// The same map where there is no WebGL: pixels set by hand in a canvas of two dimensions.

import { shuffled } from "./renderer.js";

export class CanvasRenderer {
  constructor(canvas, x, y) {
    this.context = canvas.getContext("2d");
    this.x = x;
    this.y = y;
    this.order = shuffled(x.length);
    this.chosen = null;
    this.picture = document.createElement("canvas");
  }

  setColors(colors) {
    this.colors = colors;
  }

  choose(nodes) {
    this.chosen = nodes;
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
    const image = this.context.createImageData(width, height);
    const pixels = new Uint32Array(image.data.buffer);
    const colors = new Uint32Array(this.colors.buffer, this.colors.byteOffset, this.x.length);
    const side = Math.max(1, Math.round(size * ratio));
    const nodes = this.chosen ?? this.order;
    const drawn = Math.round(nodes.length * share);
    for (let place = 0; place < drawn; place += 1) {
      const node = nodes[place];
      const color = colors[node];
      if (color >>> 24 === 0) continue;
      const [left, top] = view.toScreen(this.x[node], this.y[node]);
      const column = Math.round(left * ratio - side / 2);
      const row = Math.round(top * ratio - side / 2);
      for (let down = Math.max(0, row); down < Math.min(height, row + side); down += 1) {
        for (let right = Math.max(0, column); right < Math.min(width, column + side); right += 1) {
          pixels[down * width + right] = color | 0xff000000;
        }
      }
    }
    this.context.putImageData(image, 0, 0);
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
