"""The edges of the graph as blocks of the report's page, which draws them, lists them and filters by them.

edge-counts   how many edges a node has to nodes after it, (n,); what follows has one entry per edge, ordered by both ends
edge-steps    the other end, as the distance from the end of the edge before it, or from the node itself
edge-kinds    the place of the edge's type among the names; edge-signs 1 where it asks for distance; edge-ways 1 from the
              first to the second node, 2 back, 3 both; edge-times the latest time; each only where the graph has it
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.explore.report_page import PageBlocks
from sparsecut.graph import Graph

MOST_EDGES = 3_000_000  # two to three bytes of the page each
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class PageEdges:
    """Edges i < j in the order of i, then j, then type. Parts that the graph does not have are None."""

    i: Integers
    j: Integers
    kinds: Integers | None
    names: tuple[str, ...]
    are_apart: NDArray[np.bool_] | None
    ways: Integers | None
    times: NDArray[np.float64] | None
    is_calendar: bool


def find_edges(graph: Graph | None, most_edges: int = MOST_EDGES) -> tuple[PageEdges | None, str]:
    """The edges of a graph, or none and a sentence that says why."""
    if graph is None or not sp.issparse(graph.held_edges):
        return None, ""
    if graph.n_edges > most_edges:
        return None, f"The graph's {graph.n_edges:,} edges are not in this page, which holds at most {most_edges:,}."
    relations = graph.relations
    matrices = [graph.adjacency] if relations is None or not relations.matrices else list(relations.matrices)
    names = () if relations is None or len(matrices) < 2 else tuple(_spelt(kind) for kind in relations.edge_types)
    parts = [(*_pairs(matrix), kind, False) for kind, matrix in enumerate(matrices)]
    if graph.demands is not None:
        parts.append((*_pairs(graph.demands), 0, True))
    i, j, ways = (np.concatenate([part[place] for part in parts]).astype(np.int64) for place in range(3))
    sizes = [len(part[0]) for part in parts]
    kinds = np.repeat(np.array([part[3] for part in parts]), sizes)
    are_apart = np.repeat(np.array([part[4] for part in parts]), sizes)
    order = np.lexsort((are_apart, kinds, j, i))
    i, j, ways, kinds, are_apart = i[order], j[order], ways[order], kinds[order], are_apart[order]
    return PageEdges(
        i,
        j,
        kinds if names else None,
        names,
        are_apart if graph.demands is not None else None,
        ways if graph.is_directed else None,
        _times(graph, i, j, kinds),
        graph.timeline is not None and graph.timeline.is_calendar,
    ), ""


def add_edges(blocks: PageBlocks, edges: PageEdges, n_nodes: int) -> dict[str, Any]:
    """Pack the edges; returns what the page needs to know of them."""
    before = np.concatenate([[-1], edges.i[:-1]])
    steps = edges.j - np.where(before == edges.i, np.concatenate([[0], edges.j[:-1]]), edges.i)
    blocks.add_array("edge-counts", np.bincount(edges.i, minlength=n_nodes), "<u4")
    blocks.add_array("edge-steps", steps, "<u4")
    for name, values, dtype in (
        ("edge-kinds", edges.kinds, "<u2"),
        ("edge-signs", edges.are_apart, "<u1"),
        ("edge-ways", edges.ways, "<u1"),
        ("edge-times", edges.times, "<f8"),
    ):
        if values is not None:
            blocks.add_array(name, values, dtype)
    return {"count": len(edges.i), "kinds": list(edges.names), "isCalendar": edges.is_calendar}


def _spelt(kind: tuple[str, str, str]) -> str:
    return " ".join(kind)


def _pairs(matrix: sp.csr_array) -> tuple[Integers, Integers, Integers]:
    """The pairs i < j of a matrix, and which ways their entries go."""
    found = sp.coo_array(matrix)
    row, column = (np.asarray(part, dtype=np.int64) for part in (found.row, found.col))
    is_edge = (row != column) & (found.data != 0)
    row, column = row[is_edge], column[is_edge]
    n = matrix.shape[0]
    keys, place = np.unique(np.minimum(row, column) * n + np.maximum(row, column), return_inverse=True)
    ways = np.zeros(len(keys), dtype=np.int64)
    np.bitwise_or.at(ways, place, np.where(row < column, 1, 2))
    return keys // n, keys % n, ways


def _times(graph: Graph, i: Integers, j: Integers, kinds: Integers) -> NDArray[np.float64] | None:
    """The latest time of each edge; NaN where its type has none."""
    if graph.timeline is None or all(part.times is None for part in graph.timeline.parts):
        return None
    latest = np.full(len(i), -np.inf)
    n = graph.n_nodes
    for kind, part in enumerate(graph.timeline.parts):
        if part.times is None:
            continue
        of_kind = np.flatnonzero(kinds == kind)
        keys = i[of_kind] * n + j[of_kind]
        one, two = np.asarray(part.i, dtype=np.int64), np.asarray(part.j, dtype=np.int64)
        asked = np.minimum(one, two) * n + np.maximum(one, two)
        # An edge and one of the same ends that asks for distance may both be there.
        for place in (np.searchsorted(keys, asked, "left"), np.searchsorted(keys, asked, "right") - 1):
            inside = np.clip(place, 0, max(len(keys) - 1, 0))
            is_found = (keys[inside] == asked) if len(keys) else np.zeros(len(asked), dtype=bool)
            np.maximum.at(latest, of_kind[inside[is_found]], part.times[is_found])
    return np.where(np.isinf(latest), np.nan, latest)
