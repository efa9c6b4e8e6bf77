"""The diagonals of P, against those of the filter for the degrees as they are."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from sparsecut.operators.filters import Filter, PageRank, Power
from sparsecut.updates.changing_graph import ChangingGraph
from sparsecut.updates.matrix_diagonals import MatrixDiagonals


@pytest.mark.parametrize("filter", [Power(order=2), PageRank(restart=0.2, order=2, normalization="symmetric")])
def test_diagonals_follow_degrees_and_new_nodes(filter: Filter) -> None:
    graph = ChangingGraph(sp.csr_array(np.array([[0, 1, 2], [1, 0, 0], [2, 0, 0]], dtype=np.float32)), is_directed=False)
    diagonals = MatrixDiagonals(graph, filter)
    graph.extend(1)
    relinked = graph.change(np.array([1]), np.array([3]), np.array([5], dtype=np.float32))
    first = diagonals.follow(relinked)
    assert diagonals.follow(relinked) is first  # a second level of the same matrix
    expected = filter.diagonals(torch.tensor([4.0, 7.0, 3.0, 6.0], dtype=torch.float64))
    np.testing.assert_allclose(diagonals.left, expected.left, rtol=1e-6)
    np.testing.assert_allclose(diagonals.own, expected.own, rtol=1e-6)
    if expected.right is None:
        assert diagonals.right is first is None
    else:
        np.testing.assert_allclose(diagonals.right, expected.right, rtol=1e-6)
        np.testing.assert_allclose(first, [2**-0.5, 1], rtol=1e-6)  # nodes 1 and 3 before
