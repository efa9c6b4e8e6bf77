"""P with the adjacency on disk against P written out, block by block, whole and without some edges."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from any_graph import graphs
from filter_cases import FILTERS, make_filter
from reference import dense_propagation
from sparsecut.engines.disk.disk_propagation import DiskPropagation
from sparsecut.graph import Graph
from sparsecut.kernels.streaming import neighbour_sums


@settings(deadline=None)  # the first call of a kernel takes longer
@given(graphs(), st.sampled_from(FILTERS), st.integers(8, 200), st.sampled_from([0.0, 0.3]), st.data())
def test_a_hop_is_the_dense_product(
    graph: Graph, filter: str, block_bytes: int, coefficient: float, data: st.DataObject
) -> None:
    """Blocks of a few entries; `without` takes out some edges, in an undirected graph with their reverse."""
    A = graph.adjacency.toarray()
    P = DiskPropagation(graph, make_filter(filter), neighbour_sums(graph.adjacency), block_bytes)
    edges = np.array((A if graph.is_directed else np.triu(A)).nonzero(), dtype=np.int64)
    is_out = np.array(data.draw(st.lists(st.booleans(), min_size=edges.shape[1], max_size=edges.shape[1])), dtype=bool)
    less = A.copy()
    for i, j in edges[:, is_out].T:
        less[i, j] = 0
        if not graph.is_directed:
            less[j, i] = 0
    X = np.random.default_rng(0).normal(size=(len(A), 3)).astype(np.float32)
    for hop, dense in ((P, A), (P.without(edges[:, is_out]), less)):
        ticks: list[int] = []
        rows, into = torch.from_numpy(X.copy()), torch.empty(len(A), 3)
        result = hop.hop(rows, into, lambda: ticks.append(1), torch.from_numpy(X), coefficient)  # noqa: B023
        assert result.data_ptr() == into.data_ptr()
        assert np.allclose(result, dense_propagation(dense, filter) @ X + coefficient * X, atol=1e-5)
        assert len(ticks) == len(hop.blocks(3))
        back = hop.T.hop(torch.from_numpy(X.copy()), into, lambda: None, torch.from_numpy(X), coefficient)
        assert np.allclose(back, dense_propagation(dense, filter).T @ X + coefficient * X, atol=1e-5)
        assert hop.name != hop.T.name


def test_rows_of_a_block_hold_no_more_than_it() -> None:
    ring = np.roll(np.eye(60), 1, axis=1)
    graph = Graph(ring + ring.T)
    P = DiskPropagation(graph, make_filter("row"), neighbour_sums(graph.adjacency), 200)
    blocks = P.blocks(4)
    assert len(blocks) > 3
    assert [rows.start for rows in blocks[1:]] == [rows.stop for rows in blocks[:-1]]
    assert blocks[0].start == 0
    assert blocks[-1].stop == 60
    assert all((rows.stop - rows.start) * 4 * 4 <= 200 for rows in blocks)
