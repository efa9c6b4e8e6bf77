"""I − P against its dense definition."""

from __future__ import annotations

import numpy as np

from conftest import random_graph
from sparsecut import SCE, Difference
from sparsecut.operators.filters import PageRank, Power, Symmetric
from sparsecut.operators.filters.filter import is_served_by


def test_what_a_row_has_beyond_its_neighbourhood() -> None:
    graph = random_graph(60, 10, is_weighted=True)
    closed = graph.adjacency.toarray() + np.eye(60)
    rest = np.asarray(graph.features) - closed / closed.sum(axis=1, keepdims=True) @ np.asarray(graph.features)
    model = SCE(filter="difference", weighting="none", dimension=10).fit(graph)
    expected = rest @ model.weights_[0] - model.offset_
    np.testing.assert_allclose(model.embedding_, expected, atol=1e-4 * np.abs(expected).max())


def test_filters_of_one_matrix_share_its_rows() -> None:
    assert is_served_by(Power(order=2), PageRank(restart=0.2))
    assert is_served_by(Difference(), Power(order=1))
    assert not is_served_by(Symmetric(order=2), Power(order=2))
    assert is_served_by(Power(order=0), Symmetric(order=2))  # no hop, no matrix
    assert not is_served_by(Symmetric(order=2), Power(order=0))
