// The features of the nodes, a byte per value, and how groups of nodes differ in them.

/** The features unpacked from the page; null where it has none. */
export async function loadFeatures(meta, payload, count) {
  if (!meta.features) return null;
  const [values, counts, steps] = await Promise.all([
    payload.array("feature-values", Uint8Array),
    meta.features.isSparse ? payload.array("feature-counts", Uint32Array) : null,
    meta.features.isSparse ? payload.array("feature-steps", Uint32Array) : null,
  ]);
  return new Features(meta.features, count, values, counts, steps);
}

export class Features {
  constructor(about, count, values, counts = null, steps = null) {
    Object.assign(this, about); // names, low, high, isSparse, nAll
    Object.assign(this, { count, values, counts, steps });
  }

  /** Call visit(node, value) for the values of a column, of a sparse one those that are kept, which are all but zeros. */
  forEach(column, start, visit) {
    const low = this.low[column];
    const unit = (this.high[column] - low) / 255;
    if (!this.isSparse) {
      for (let node = 0; node < this.count; node += 1) visit(node, low + unit * this.values[column * this.count + node]);
      return;
    }
    let node = 0;
    for (let place = start; place < start + this.counts[column]; place += 1) {
      node += this.steps[place];
      visit(node, low + unit * this.values[place]);
    }
  }
}

/**
 * The columns in which two groups differ beyond chance, the surest first: {name, means: [first, second], sureness}.
 * `groupOf` has 1 and 2 for the groups' nodes and 0 for others; `sizes` how many each group has.
 */
export function differingFeatures(features, groupOf, sizes, limit = 12) {
  const found = [];
  let start = 0;
  for (let column = 0; column < features.names.length; column += 1) {
    const sums = [0, 0, 0];
    const squares = [0, 0, 0];
    features.forEach(column, start, (node, value) => {
      sums[groupOf[node]] += value;
      squares[groupOf[node]] += value * value;
    });
    if (features.isSparse) start += features.counts[column];
    const means = [1, 2].map((group) => sums[group] / sizes[group - 1]);
    const sureness = surenessOf(means, [1, 2].map((group) => squares[group] / sizes[group - 1] - means[group - 1] ** 2), sizes);
    if (sureness > 3) found.push({ name: features.names[column], means, sureness });
  }
  return found.sort((one, two) => two.sureness - one.sureness).slice(0, limit);
}

/** The difference of two means over its standard error; the variances are never taken for less than a few nodes show. */
export function surenessOf(means, variances, sizes) {
  const pooled = (Math.max(0, variances[0]) * sizes[0] + Math.max(0, variances[1]) * sizes[1]) / (sizes[0] + sizes[1]);
  const between = ((means[0] - means[1]) ** 2 * sizes[0] * sizes[1]) / (sizes[0] + sizes[1]) ** 2;
  const whole = pooled + between; // of both groups together
  const error = sizes.reduce((sum, size, group) => sum + Math.max(variances[group], whole / (size + 1)) / size, 0);
  return error > 0 ? Math.abs(means[0] - means[1]) / Math.sqrt(error) : 0;
}
