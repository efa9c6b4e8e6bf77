// Finding nodes by what is typed: an id, part of an id, or part of any attribute's value.

export const MAX_RESULTS = 50;

/**
 * The first nodes that match, the best first: the id itself, ids that start so, ids that contain it, then values of
 * columns. "column: text" looks into that column alone. Each result is {node, column} with column −1 for the id.
 */
export function searchNodes(query, ids, columns, limit = MAX_RESULTS) {
  const { text, only } = parseQuery(query, columns);
  if (!text) return { results: [], isCut: false };
  const ranks = [[], [], [], []];
  const seen = new Set();
  const isFull = () => seen.size > limit;
  if (only < 0) {
    for (let node = 0; node < ids.length; node += 1) {
      const place = String(ids[node]).toLowerCase().indexOf(text);
      if (place < 0) continue;
      const rank = place > 0 ? 2 : String(ids[node]).length === text.length ? 0 : 1;
      if (ranks[rank].length <= limit) ranks[rank].push({ node, column: -1 });
    }
    for (const rank of ranks) for (const found of rank) seen.add(found.node);
  }
  columns.forEach((column, position) => {
    if ((only >= 0 && position !== only) || isFull()) return;
    const isMatch = matcher(column, text);
    for (let node = 0; node < ids.length && !isFull(); node += 1) {
      if (!seen.has(node) && isMatch(node)) {
        seen.add(node);
        ranks[3].push({ node, column: position });
      }
    }
  });
  const all = ranks.flat();
  return { results: all.slice(0, limit), isCut: all.length > limit };
}

export function parseQuery(query, columns) {
  const text = query.trim().toLowerCase();
  const colon = text.indexOf(":");
  if (colon > 0) {
    const name = text.slice(0, colon).trim();
    const only = columns.findIndex((column) => column.name.toLowerCase() === name);
    if (only >= 0) return { text: text.slice(colon + 1).trim(), only };
  }
  return { text, only: -1 };
}

/** node → whether its value contains the text; of a class column every name is looked at once. */
function matcher(column, text) {
  if (column.kind === "class") {
    const matches = [false, ...column.names.map((name) => name.toLowerCase().includes(text))];
    return (node) => matches[column.values[node]];
  }
  if (column.kind === "number") return (node) => column.raw(node) === text;
  return (node) => (column.values[node] ?? "").toLowerCase().includes(text);
}
