// The columns of the node table. A column is one of
//
//   class   a code per node and a name per code; the code 0 is "no value", class c has the code c + 1
//   number  a float32 per node, NaN for no value
//   text    a string per node: shown and searched, not coloured by

export const NO_VALUE = "no value";

export class Column {
  constructor(description, payload) {
    Object.assign(this, description); // name, kind, block, and names (class) or integer (number)
    this.payload = payload;
    this.values = null;
  }

  get isColorable() {
    return this.kind !== "text";
  }

  /** Unpack the values; columns nobody asks for are never unpacked. */
  async load() {
    if (this.values === null) {
      if (this.kind === "text") this.values = await this.payload.json(this.block);
      else if (this.kind === "number") this.values = await this.payload.array(this.block, Float32Array);
      else this.values = await this.payload.array(this.block, this.names.length < 65535 ? Uint16Array : Uint32Array);
      if (this.kind === "number") this.range = rangeOf(this.values);
      if (this.kind === "class") this.counts = countsOf(this.values, this.names.length + 1);
    }
    return this;
  }

  /** The value of a node as a person reads it; "" for none. */
  text(node) {
    const value = this.values[node];
    if (this.kind === "class") return value === 0 ? "" : this.names[value - 1];
    if (this.kind === "number") return Number.isNaN(value) ? "" : formatNumber(value);
    return value ?? "";
  }

  /** The value of a node for a file: numbers in full. */
  raw(node) {
    if (this.kind !== "number") return this.text(node);
    const value = this.values[node];
    if (Number.isNaN(value)) return "";
    return String(Number.isInteger(value) ? value : Number(value.toPrecision(8)));
  }
}

/** The smallest and largest number, and a high quantile's place: [low, high]; [0, 0] where there is none. */
export function rangeOf(values) {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? [low, high] : [0, 0];
}

export function countsOf(codes, size) {
  const counts = new Uint32Array(size);
  for (const code of codes) counts[code] += 1;
  return counts;
}

/** A number for a person: three or four digits that matter, thousands apart. */
export function formatNumber(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return value.toLocaleString("en-US");
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(2);
  return Number(value.toPrecision(4)).toLocaleString("en-US", { maximumSignificantDigits: 4 });
}

/**
 * What a numeric column is drawn by: where its numbers spread over more than three powers of ten, their logarithms, because
 * a ramp over such numbers would show one colour.
 */
export function isLogarithmic(values, [low, high]) {
  if (low < 0 || high <= 0) return false;
  let smallest = Infinity;
  for (const value of values) if (value > 0 && value < smallest) smallest = value;
  return high / smallest > 1000;
}

/** value → a share of 0 to 1 of its range. */
export function shareOf([low, high], isLog) {
  if (high <= low) return () => 0.5;
  if (!isLog) return (value) => (value - low) / (high - low);
  const top = Math.log1p(high - low);
  return (value) => Math.log1p(value - low) / top;
}
