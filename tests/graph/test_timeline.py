"""The edges one by one that a graph keeps, through what makes another graph of it."""

from __future__ import annotations

import pickle

import numpy as np
import scipy.sparse as sp
from tests.timed_graphs import dense_ages, timed_edges

import sparsecut as sc
from sparsecut.graph.timeline import Timeline


def summed(graph: sc.Graph, half_life: float = 20.0) -> np.ndarray:
    """The adjacency again, from the edges one by one."""
    timeline, n = graph.timeline, graph.n_nodes
    assert isinstance(timeline, Timeline)
    assert graph.clock is not None
    (part,) = timeline.parts
    assert part.times is not None
    is_edge = part.is_friendly
    weights = np.exp2((part.times - graph.clock.now) / half_life)[is_edge]
    A = sp.coo_array((weights, (part.i[is_edge], part.j[is_edge])), shape=(n, n)).toarray()
    return A if graph.is_directed else A + A.T


def test_the_edges_are_those_of_the_graph_through_all_its_copies() -> None:
    edges = timed_edges()
    for directed in ("symmetrize", "out", "in"):
        graph = sc.from_edges(edges, time="at", half_life=20, directed=directed, node_ids=np.arange(60))
        some = graph.subgraph([7, 3, 50, 21, 8, 9, 10, 11, 12])
        later, labelled, again = graph.at(130), graph.replace(labels=np.zeros(60, int)), pickle.loads(pickle.dumps(graph))  # noqa: S301
        for one in (graph, some, later, labelled, again):
            np.testing.assert_allclose(summed(one), one.adjacency.toarray(), rtol=1e-5, atol=1e-12)
    np.testing.assert_allclose(summed(graph.at(130)).T, dense_ages(edges, 60, 20, 130, "one"), rtol=1e-5)
    assert graph.replace(adjacency=graph.adjacency).timeline is None  # others may be its edges
    assert sc.from_edges(edges).timeline is None
