"""METIS files (`.graph`, `.metis`), the format of graph partitioning: one line per node, which lists its neighbours.

    % a comment
    n m [fmt [ncon]]                          nodes, edges (each once), what the lines hold, weights per node
    [size] [w₁ … w_ncon] v₁ [e₁] v₂ [e₂] …    neighbours of node 1, each with the weight of its edge if fmt ends in 1

fmt has up to three digits, each 0 or 1: sizes of nodes, weights of nodes, weights of edges. Nodes are counted from 1, and so
are the node ids of the graph; a blank line is a node without neighbours. Every edge stands in the lines of both of its ends.
A file that breaks any of this is damaged, and the error names the line. All lines are parsed at once, without a loop.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.graph import Graph
from sparsecut.io.edges.adjacency import as_weights, offset_type
from sparsecut.io.formats.graph_format import GraphFormat, GraphRequest
from sparsecut.io.hostile.guards import check_claim, reading
from sparsecut.io.opening import open_bytes

MAX_DIGITS = 18  # of a number that 64 bits hold
NEWLINE, COMMENT = ord("\n"), ord("%")


def read_metis(request: GraphRequest) -> Graph:
    """The graph of a METIS file, with the ids 1..n. Sizes and weights of nodes have no place in it, which a note says."""
    path = request.path
    with reading(path, "graph"):
        with open_bytes(path, "graph") as file:
            content = file.read().removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        header, n_before = _header(content, path)
        what = f"The graph file {path}"
        check_claim(header.n_nodes, header.n_nodes, header.n_edges, path, "graph")
        lines = _NodeLines(content, n_before, header, what)
        i, j, weights = _entries(lines, header, what)
        _check_symmetric(i, j, weights, lines, header, what)
        adjacency = _adjacency(i, j, weights, header.n_nodes)
    unused = [name for name, is_there in (("sizes", header.has_sizes), ("weights", header.n_weights > 0)) if is_there]
    said = f" The {' and '.join(unused)} of its nodes are not used." if unused else ""
    kind = "weights of edges" if header.has_edge_weights else "no weights"
    return Graph.from_canonical(
        adjacency,
        node_ids=np.arange(1, header.n_nodes + 1),
        directed=request.directed,
        notes=(f"Graph: {path}, METIS, {kind}, nodes counted from 1.{said}",),
    )


@dataclass(frozen=True)
class _Header:
    n_nodes: int
    n_edges: int
    has_sizes: bool
    n_weights: int  # of each node
    has_edge_weights: bool

    @property
    def n_leading(self) -> int:
        """Numbers of a line before its neighbours."""
        return self.has_sizes + self.n_weights


def _header(content: bytes, path: Path) -> tuple[_Header, int]:
    """The first line that is no comment, and how many lines there are up to it."""
    n_before, start = 1, 0
    while content[start : start + 1] == b"%":
        start = content.find(b"\n", start) + 1 or len(content)
        n_before += 1
    line = content[start:].split(b"\n", 1)[0]
    what = f"The graph file {path}"
    words = line.split()
    rule = "the numbers of nodes and edges, and what its lines hold: n m [fmt [ncon]]"
    if not 2 <= len(words) <= 4 or not all(re.fullmatch(rb"\d{1,18}", word) for word in words):
        shown = line[:60].decode("utf-8", "replace")
        raise InputError(f"{what} must be a METIS file and begin with {rule}. Got {shown!r} in line {n_before:,}.")
    n_nodes, n_edges = int(words[0]), int(words[1])
    form = words[2].decode() if len(words) > 2 else "0"
    if not re.fullmatch("[01]{1,3}", form):
        raise InputError(
            f"{what} must say what its lines hold by up to three digits, each 0 or 1. Got {form!r} in line {n_before:,}."
        )
    has_sizes, has_weights, has_edge_weights = (digit == "1" for digit in form.zfill(3))
    n_weights = int(words[3]) if len(words) > 3 else int(has_weights)
    if (n_weights > 0) != has_weights:
        raise InputError(
            f"{what} contradicts itself in line {n_before:,}: by its format {form!r} each node has "
            f"{'some' if has_weights else 'no'} weights, and by the next number {n_weights:,}."
        )
    if n_nodes == 0:
        raise InputError(f"{what} has no nodes. A graph needs at least one node.")
    return _Header(n_nodes, n_edges, has_sizes, n_weights, has_edge_weights), n_before


class _NodeLines:
    """The numbers of all lines: `values[starts[k] : starts[k + 1]]` are those of node k, in line `number(k)` of the file."""

    def __init__(self, content: bytes, n_before: int, header: _Header, what: str) -> None:
        body = content.split(b"\n", n_before)[n_before:]
        text = re.sub(rb"(?m)^%[^\n]*", b"%", body[0] if body else b"") + b"\n"
        characters = np.frombuffer(text, dtype=np.uint8)
        ends = np.flatnonzero(characters == NEWLINE)
        line_starts = np.concatenate([[0], ends[:-1] + 1])
        is_comment = characters[line_starts] == COMMENT
        self._lines, self._n_before = np.flatnonzero(~is_comment), n_before
        is_space = (characters == ord(" ")) | (characters == ord("\t")) | (characters == NEWLINE)
        is_space[line_starts[is_comment]] = True
        wrong = np.flatnonzero(~is_space & ((characters < ord("0")) | (characters > ord("9"))))
        if len(wrong):
            at = int(wrong[0])
            token = re.split(rb"\s", text[max(0, at - 20) : at])[-1] + re.split(rb"\s", text[at : at + 20])[0]
            raise InputError(
                f"{what} must hold integers of zero or more. Got {token.decode('utf-8', 'replace')!r} in line "
                f"{np.searchsorted(ends, at) + n_before + 1:,}."
            )
        step = np.diff(is_space.astype(np.int8), prepend=1)
        first, last = np.flatnonzero(step == -1), np.flatnonzero(step == 1)  # of each number, and one after
        node_of = np.searchsorted(self._lines, np.searchsorted(ends, first))
        long = np.flatnonzero(last - first > MAX_DIGITS)
        if len(long):
            raise InputError(f"{what} has a number that is too large in line {self.number(node_of[long[0]]):,}.")
        rule = f"{what} must have one line for each of its {header.n_nodes:,} nodes."
        if len(node_of) and node_of[-1] >= header.n_nodes:
            raise InputError(f"{rule} Line {self.number(header.n_nodes):,} is one too many.")
        # What follows the last line end counts as a blank line: a last node without neighbours may have no line end.
        if len(self._lines) < header.n_nodes:
            n_lines = len(self._lines) - (not body or body[0].endswith(b"\n"))
            raise InputError(f"{rule} There are {n_lines:,}.")
        self.values = np.fromstring(text.replace(b"%", b" "), dtype=np.int64, sep=" ") if len(first) else first
        self.starts = np.searchsorted(node_of, np.arange(header.n_nodes + 1))

    def number(self, node: int | np.integer[Any]) -> int:
        """The line of a node, counted from 1 in the file: comments count too."""
        return int(self._lines[node]) + self._n_before + 1


def _entries(
    lines: _NodeLines, header: _Header, what: str
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64] | None]:
    """(nodes, neighbours, weights of the edges), one entry for each neighbour in a line, nodes counted from 0."""
    counts = np.diff(lines.starts) - header.n_leading
    short = np.flatnonzero(counts < 0)
    if len(short):
        raise InputError(
            f"{what} must begin each line with {header.n_leading} numbers, the sizes and weights of its node. "
            f"Line {lines.number(short[0]):,} has {counts[short[0]] + header.n_leading}."
        )
    is_neighbour = np.ones(len(lines.values), dtype=bool)
    for offset in range(header.n_leading):
        is_neighbour[lines.starts[:-1] + offset] = False
    values = lines.values[is_neighbour]
    weights = None
    if header.has_edge_weights:
        odd = np.flatnonzero(counts % 2)
        if len(odd):
            raise InputError(
                f"{what} must give each neighbour a weight, two numbers each. "
                f"Line {lines.number(odd[0]):,} has {counts[odd[0]]} numbers."
            )
        values, weights, counts = values[::2], values[1::2], counts // 2
    i, j = np.repeat(np.arange(header.n_nodes), counts), values - 1
    rules = [
        ((j < 0) | (j >= header.n_nodes), f"must name neighbours from 1 to {header.n_nodes:,}", values),
        (i == j, "must not join a node to itself", values),
    ]
    if weights is not None:
        rules.append((weights <= 0, "must have edge weights above 0", weights))
    for is_wrong, rule, shown in rules:
        if is_wrong.any():
            entry = int(np.argmax(is_wrong))
            raise InputError(f"{what} {rule}. Got {shown[entry]} in line {lines.number(i[entry]):,}.")
    return i, j, weights


def _check_symmetric(
    i: NDArray[np.int64],
    j: NDArray[np.int64],
    weights: NDArray[np.int64] | None,
    lines: _NodeLines,
    header: _Header,
    what: str,
) -> None:
    """Every edge stands once in the lines of both ends, with one weight, and there are as many as the header says."""
    order, order_back = np.lexsort((j, i)), np.lexsort((i, j))
    there, back = (i[order], j[order]), (j[order_back], i[order_back])
    repeated = np.flatnonzero((np.diff(there[0]) == 0) & (np.diff(there[1]) == 0))
    if len(repeated):
        node, neighbour = there[0][repeated[0]], there[1][repeated[0]]
        raise InputError(f"{what} names the neighbour {neighbour + 1} twice in line {lines.number(node):,}.")
    differs = np.flatnonzero((there[0] != back[0]) | (there[1] != back[1]))
    if len(differs):
        # Before the first difference both lists agree, so the smaller of the two pairs there is missing from the other list.
        at = int(differs[0])
        one, other = (there[0][at], there[1][at]), (back[0][at], back[1][at])
        node, neighbour = one if one < other else other[::-1]
        raise InputError(
            f"{what} has an edge in one direction only: line {lines.number(node):,} names the neighbour {neighbour + 1}, "
            f"and line {lines.number(neighbour):,}, the one of that node, does not name {node + 1}."
        )
    if weights is not None:
        differs = np.flatnonzero(weights[order] != weights[order_back])
        if len(differs):
            node, neighbour = there[0][differs[0]], there[1][differs[0]]
            raise InputError(
                f"{what} gives an edge two weights: {weights[order][differs[0]]} in line {lines.number(node):,} and "
                f"{weights[order_back][differs[0]]} in line {lines.number(neighbour):,}."
            )
    if len(i) != 2 * header.n_edges:
        raise InputError(f"{what} says that it has {header.n_edges:,} edges, and has {len(i) // 2:,}.")


def _adjacency(i: NDArray[np.int64], j: NDArray[np.int64], weights: NDArray[np.int64] | None, n_nodes: int) -> sp.csr_array:
    index_type = offset_type(n_nodes, len(i))
    values = np.ones(len(i), dtype=np.float32) if weights is None else weights.astype(np.float32)
    A = sp.csr_array((values, (i, j)), shape=(n_nodes, n_nodes))
    A.sort_indices()
    return as_weights(A, index_type)


FORMATS = (GraphFormat((".graph", ".metis"), read_metis, is_text=True),)
