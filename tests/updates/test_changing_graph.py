"""A graph that changes, against its dense matrix."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from sparsecut.updates.changing_graph import ChangingGraph


@pytest.mark.parametrize("is_directed", [False, True])
def test_lists_degrees_and_both_directions_follow(is_directed: bool) -> None:
    generator = np.random.default_rng(0)
    dense = np.triu(generator.random((20, 20)) < 0.2, 1).astype(np.float32)
    dense = dense if is_directed else dense + dense.T
    graph = ChangingGraph(sp.csr_array(dense), is_directed=is_directed)
    for _ in range(50):
        graph.extend(1)
        dense = np.pad(dense, (0, 1))
        sources, targets = (generator.integers(0, len(dense), 15) for _ in range(2))
        keep = sources != targets
        sources, targets = sources[keep], targets[keep]
        weights = (generator.integers(0, 3, len(sources))).astype(np.float32)
        changed = graph.change(sources, targets, weights)
        before = dense.copy()
        for source, target, weight in zip(sources, targets, weights, strict=True):  # the last of an edge holds
            dense[source, target] = weight
            if not is_directed:
                dense[target, source] = weight
        assert set(np.flatnonzero((dense != before).any(axis=1))) <= set(changed.tolist())
        np.testing.assert_allclose(graph.degrees, 1 + dense.sum(axis=1))
        np.testing.assert_array_equal(graph.rows.csr().toarray(), dense)
        np.testing.assert_array_equal(graph.columns.csr().toarray(), dense.T)
        ends = graph.edges_of(np.array([0, 3]))
        touching = {(i, j) for i, j in np.argwhere(dense).tolist() if {i, j} & {0, 3}}
        found = set(zip(*(end.tolist() for end in ends), strict=True))
        assert (found if is_directed else found | {(j, i) for i, j in found}) == touching


def test_empty_places_are_left_out_of_the_packed_matrix() -> None:
    dense = np.array([[0, 0, 2], [0, 0, 0], [2, 0, 0]], dtype=np.float32)
    packed = ChangingGraph(sp.csr_array(dense), is_directed=False).packed(np.array([0, 2]))
    np.testing.assert_array_equal(packed.toarray(), [[0, 2], [2, 0]])
