"""The warnings of a report: one sentence per defect of the embedding or the graph, the most severe first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import first_few
from sparsecut.evaluation.health import Health
from sparsecut.graph import Graph, Ids

FLAT = 1e-6  # of the largest column's deviation; below it a dimension says nothing
FAR = 10  # times the median length
MANY = 0.01  # share of equal vectors from which it is said


def cautions(Z: NDArray[np.float32], health: Health, ids: Ids, graph: Graph | None) -> list[str]:
    """Sentences on an embedding without its broken rows."""
    found = []
    if health.is_collapsed:
        found.append(f"{health.verdict} Distances, clusters and the map below mean little.")
    deviations = Z.std(axis=0, dtype=np.float64)
    n_flat = int((deviations <= FLAT * deviations.max()).sum()) if deviations.max() > 0 else Z.shape[1]
    if n_flat and not health.is_collapsed:
        found.append(
            f"{n_flat} of {Z.shape[1]} dimensions are the same for every node and only cost space. Set dimension lower."
        )
    lengths = np.linalg.norm(Z, axis=1)
    if (lengths == 0).any():
        zero = np.flatnonzero(lengths == 0)
        found.append(
            f"{_nodes(len(zero))} {_have(len(zero))} a vector of zeros, which has no nearest neighbours by cosine: "
            f"{first_few(ids[zero])}. Such nodes usually have features of zeros and no edges: give them some."
        )
    found += _duplicates(Z, ids)
    far = np.flatnonzero(lengths > FAR * max(float(np.median(lengths)), 1e-30))
    if len(far) and (lengths > 0).any():
        found.append(
            f"{_nodes(len(far))} {_have(len(far))} a vector more than {FAR} times as long as the median: "
            f"{first_few(ids[far])}. By Euclidean distance they are far from every other node: compare by cosine, or see "
            "whether their features are right."
        )
    if graph is not None:
        found += _of_graph(graph, ids)
    return found


def _duplicates(Z: NDArray[np.float32], ids: Ids) -> list[str]:
    """A warning where many nodes have the same vector."""
    if len(Z) < 2:
        return []
    rows = np.ascontiguousarray(Z + np.float32(0)).view(np.dtype((np.void, Z.shape[1] * Z.itemsize))).ravel()  # −0 is 0
    _, first, counts = np.unique(rows, return_index=True, return_counts=True)
    n_equal = int(counts[counts > 1].sum())
    if n_equal < max(2, MANY * len(Z)) or len(counts) == 1:
        return []
    largest = int(counts.argmax())
    same = np.flatnonzero(rows == rows[first[largest]])
    return [
        f"{n_equal:,} nodes ({n_equal / len(Z):.0%}) have the same vector as another node, so no search or classifier can "
        f"separate them; the largest group has {len(same):,}: {first_few(ids[same])}. Equal features and neighbourhoods "
        "give equal vectors: more features, or features='both' for the place in the graph, would separate them."
    ]


def _of_graph(graph: Graph, ids: Ids) -> list[str]:
    from scipy.sparse.csgraph import connected_components

    found = []
    degrees = np.diff(graph.adjacency.indptr)
    if graph.is_directed:
        degrees = degrees + np.bincount(graph.adjacency.indices, minlength=graph.n_nodes)
    isolated = np.flatnonzero(degrees == 0)
    if len(isolated):
        found.append(
            f"{_nodes(len(isolated))} of the graph {_have(len(isolated))} no edge, so the vector comes from the node's own "
            f"features alone: {first_few(ids[isolated])}. See whether edges are missing."
        )
    n_components, component_of = connected_components(graph.adjacency, directed=False)
    n_components -= len(isolated)
    if n_components > 1:
        sizes = np.sort(np.bincount(component_of))[::-1]
        found.append(
            f"The graph has {n_components:,} components with edges, the largest with {sizes[0] / graph.n_nodes:.1%} of the "
            "nodes. Between components only features say how near two nodes are: compare nodes within one."
        )
    return found


def _nodes(count: int) -> str:
    return "1 node" if count == 1 else f"{count:,} nodes"


def _have(count: int) -> str:
    return "has" if count == 1 else "have"
