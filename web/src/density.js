// A map of more nodes than can be told apart: every pixel takes the mean colour of its nodes, the denser the more opaque.

const FAINTEST = 0.16; // the opacity of a pixel with one node

/**
 * RGBA of width × height pixels for the nodes inside a view. `colors` has four bytes per node; the fourth is 0 where a
 * node is filtered out.
 */
export function densityImage(grid, colors, view, width, height) {
  const sums = new Float32Array(width * height * 3);
  const counts = new Uint32Array(width * height);
  const [x0, y0, x1, y1] = view.rectangle();
  const across = width / (x1 - x0);
  const up = height / (y1 - y0);
  let most = 0;
  grid.forEachIn([x0, y0, x1, y1], (node) => {
    const column = Math.floor((grid.x[node] - x0) * across);
    const row = Math.floor((y1 - grid.y[node]) * up);
    if (column < 0 || row < 0 || column >= width || row >= height || colors[4 * node + 3] === 0) return;
    const pixel = row * width + column;
    counts[pixel] += 1;
    if (counts[pixel] > most) most = counts[pixel];
    for (let channel = 0; channel < 3; channel += 1) sums[3 * pixel + channel] += colors[4 * node + channel];
  });
  const image = new Uint8ClampedArray(width * height * 4);
  const top = Math.log1p(most);
  for (let pixel = 0; pixel < counts.length; pixel += 1) {
    const count = counts[pixel];
    if (!count) continue;
    for (let channel = 0; channel < 3; channel += 1) image[4 * pixel + channel] = sums[3 * pixel + channel] / count;
    image[4 * pixel + 3] = 255 * (FAINTEST + (1 - FAINTEST) * (Math.log1p(count) / top));
  }
  return image;
}
