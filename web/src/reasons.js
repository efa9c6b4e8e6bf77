// Why neighbours are near: shares of the score by channel and feature, as sentences.

import { formatNumber } from "./columns.js";

const LEAST_PERCENT = 5;

/** The reasons of all nodes and their neighbours, unpacked from the page; null where it has none. */
export async function loadReasons(meta, payload) {
  if (!meta.why) return null;
  const [channels, features, shares, through, throughShares, links, shared] = await Promise.all([
    payload.array("why-channels", Int8Array),
    payload.array("why-features", Int32Array),
    payload.array("why-shares", Int8Array),
    payload.array("why-through", Int32Array),
    payload.array("why-through-shares", Int8Array),
    payload.array("why-links", Uint8Array),
    payload.array("why-shared", Uint32Array),
  ]);
  return new Reasons(meta, { channels, features, shares, through, throughShares, links, shared });
}

export class Reasons {
  constructor(meta, arrays) {
    this.k = meta.nNeighbors;
    this.channels = meta.why.channels;
    this.names = meta.why.names;
    this.nNamed = meta.why.nNamed;
    Object.assign(this, { arrays });
  }

  /** Whether a node and its neighbour, the first being 0, are linked in the graph. */
  isLinked(node, place) {
    return this.arrays.links[node * this.k + place] === 1;
  }

  /** Lines of text: what the score is made of, and how the two stand in the graph; `names` are those of shared neighbours. */
  lines(node, place, names = []) {
    const pair = node * this.k + place;
    const above = this.named(pair, 1);
    const below = this.named(pair, -1);
    const shared = this.arrays.shared[pair];
    return [
      above.length ? `Both have more than usual of ${above.join(", ")}.` : "",
      below.length ? `Both have less than usual of ${below.join(", ")}.` : "",
      this.channels.length > 1 ? `By channel: ${this.byChannel(pair)}.` : "",
      standing(this.isLinked(node, place), shared, names),
    ].filter((line) => line !== "");
  }

  /** The nodes through which most of a pair's score comes, with their shares of it in percent; the pair may be among them. */
  through(node, place) {
    const first = (node * this.k + place) * this.nNamed;
    const found = [];
    for (let i = first; i < first + this.nNamed; i += 1) {
      if (this.arrays.through[i] > 0) found.push({ other: this.arrays.through[i] - 1, percent: this.arrays.throughShares[i] });
    }
    return found;
  }

  named(pair, sign) {
    const found = [];
    for (let i = pair * this.nNamed; i < (pair + 1) * this.nNamed; i += 1) {
      const place = this.arrays.features[i] * sign;
      if (place > 0) found.push(`${this.names[place - 1]} (${this.arrays.shares[i]}%)`);
    }
    return found;
  }

  byChannel(pair) {
    return this.channels
      .map((name, i) => ({ name, percent: this.arrays.channels[pair * this.channels.length + i] }))
      .filter(({ percent }) => Math.abs(percent) >= LEAST_PERCENT)
      .sort((one, two) => two.percent - one.percent)
      .map(({ name, percent }) => `${name} ${String(percent).replace("-", "−")}%`)
      .join(", ");
  }
}

/** How two nodes stand in the graph, as a sentence. */
export function standing(isLinked, shared, names = []) {
  const count = shared === 0 ? "no shared neighbour" : shared === 1 ? "1 shared neighbour" : `${formatNumber(shared)} shared neighbours`;
  const more = names.length && names.length < shared ? " and others" : "";
  return `${isLinked ? "Linked" : "Not linked"}, ${count}${names.length ? `: ${names.join(", ")}${more}` : ""}.`;
}
