// The edges of the graph: who is linked to whom, and which edges the filters let through.

/** The edges unpacked from the page; null where it has none. */
export async function loadEdges(meta, payload, count) {
  if (!meta.edges) return null;
  const optional = (name, type) => (payload.has(name) ? payload.array(name, type) : null);
  const [counts, steps, kinds, apart, ways, times] = await Promise.all([
    payload.array("edge-counts", Uint32Array),
    payload.array("edge-steps", Uint32Array),
    optional("edge-kinds", Uint16Array),
    optional("edge-signs", Uint8Array),
    optional("edge-ways", Uint8Array),
    optional("edge-times", Float64Array),
  ]);
  return new Edges(count, counts, steps, { ...meta.edges, kinds: meta.edges.kinds, kindOf: kinds, apart, ways, times });
}

export class Edges {
  /** `counts` and `steps` as the page packs them: how many edges each node has to later ones, and the distances of these. */
  constructor(count, counts, steps, about) {
    Object.assign(this, { count, ...about });
    const size = steps.length;
    this.first = new Uint32Array(size);
    this.second = new Uint32Array(size);
    let edge = 0;
    for (let node = 0; node < count; node += 1) {
      let other = node;
      for (let left = counts[node]; left > 0; left -= 1) {
        other += steps[edge];
        this.first[edge] = node;
        this.second[edge] = other;
        edge += 1;
      }
    }
    this.starts = new Uint32Array(count + 1);
    for (let i = 0; i < size; i += 1) {
      this.starts[this.first[i] + 1] += 1;
      this.starts[this.second[i] + 1] += 1;
    }
    for (let node = 0; node < count; node += 1) this.starts[node + 1] += this.starts[node];
    const next = this.starts.slice(0, count);
    this.incident = new Uint32Array(2 * size); // the edges of every node
    for (let i = 0; i < size; i += 1) {
      for (const node of [this.first[i], this.second[i]]) {
        this.incident[next[node]] = i;
        next[node] += 1;
      }
    }
    this.timeRange = about.times ? rangeOfTimes(about.times) : null;
    this.clearFilters();
  }

  clearFilters() {
    this.filter = { hiddenKinds: new Set(), sign: "all", low: -Infinity, high: Infinity };
    this.isFiltered = false;
  }

  setFilter(change) {
    Object.assign(this.filter, change);
    const { hiddenKinds, sign, low, high } = this.filter;
    const [least, most] = this.timeRange ?? [0, 0];
    this.isFiltered = hiddenKinds.size > 0 || sign !== "all" || (this.timeRange !== null && (low > least || high < most));
  }

  isShown(edge) {
    if (!this.isFiltered) return true;
    const { hiddenKinds, sign, low, high } = this.filter;
    if (this.kindOf && hiddenKinds.has(this.kindOf[edge])) return false;
    if (this.apart && sign !== "all" && (this.apart[edge] === 1) !== (sign === "apart")) return false;
    return !this.times || Number.isNaN(this.times[edge]) || (this.times[edge] >= low && this.times[edge] <= high);
  }

  /** The shown edges of a node: [{ edge, other }], the other ends ascending. */
  of(node) {
    const found = [];
    for (let place = this.starts[node]; place < this.starts[node + 1]; place += 1) {
      const edge = this.incident[place];
      if (this.isShown(edge)) found.push({ edge, other: this.first[edge] === node ? this.second[edge] : this.first[edge] });
    }
    return found.sort((one, two) => one.other - two.other || one.edge - two.edge);
  }

  /** The nodes that both of two nodes have an edge to that is shown, ascending. */
  shared(one, two) {
    const around = new Set(this.of(one).map(({ other }) => other));
    return [...new Set(this.of(two).map(({ other }) => other))].filter((other) => around.has(other));
  }

  isLinked(one, two) {
    return this.of(one).some(({ other }) => other === two);
  }

  /** The shown edges with both ends in a set of nodes, at most `limit` of them. */
  among(nodes, limit = Infinity) {
    const found = [];
    for (const node of nodes) {
      for (const { edge, other } of this.of(node)) {
        if (other > node && nodes.has(other)) found.push(edge);
        if (found.length >= limit) return found;
      }
    }
    return found;
  }

  /** The shown edges from one set of nodes to another. */
  between(nodes, others, limit = Infinity) {
    const [few, many] = nodes.size <= others.size ? [nodes, others] : [others, nodes];
    const found = [];
    for (const node of few) {
      for (const { edge, other } of this.of(node)) if (many.has(other) && !few.has(other)) found.push(edge);
      if (found.length >= limit) return found;
    }
    return found;
  }

  /** 1 per node that has a shown edge. */
  touched() {
    const mask = new Uint8Array(this.count);
    for (let edge = 0; edge < this.first.length; edge += 1) {
      if (this.isShown(edge)) mask[this.first[edge]] = mask[this.second[edge]] = 1;
    }
    return mask;
  }

  countShown() {
    if (!this.isFiltered) return this.first.length;
    let total = 0;
    for (let edge = 0; edge < this.first.length; edge += 1) total += this.isShown(edge) ? 1 : 0;
    return total;
  }

  /** What is known of an edge beside its ends, seen from a node. */
  note(edge, node) {
    const words = [];
    if (this.kindOf && this.kinds.length) words.push(this.kinds[this.kindOf[edge]]);
    if (this.ways) {
      const outward = this.first[edge] === node ? 1 : 2;
      words.push(this.ways[edge] === 3 ? "both ways" : this.ways[edge] === outward ? "to" : "from");
    }
    if (this.apart?.[edge]) words.push("asks for distance");
    if (this.times && !Number.isNaN(this.times[edge])) words.push(this.timeText(this.times[edge]));
    return words.join(", ");
  }

  timeText(time) {
    return this.isCalendar ? new Date(1000 * time).toISOString().slice(0, 10) : String(Number(time.toPrecision(6)));
  }
}

function rangeOfTimes(times) {
  let [low, high] = [Infinity, -Infinity];
  for (const time of times) {
    if (time < low) low = time;
    if (time > high) high = time;
  }
  return [low, high];
}
