"""Stand-ins: exact sizes, no loops or repeats, heavy-tailed degrees, planted classes, the same for the same seed."""

from __future__ import annotations

import numpy as np
import pytest

from sparsecut import InputError
from sparsecut.graph import Graph
from standins import WITHIN_CLASS, stand_in


@pytest.fixture(scope="module")
def graph() -> Graph:
    return stand_in(n_nodes=4000, n_edges=40000, n_features=20, n_classes=5, random_state=1)


@pytest.mark.parametrize(("n_nodes", "n_edges"), [(50, 100), (2, 1), (4000, 40000), (1000, 99999)])
def test_sizes_are_exact(n_nodes: int, n_edges: int) -> None:
    if n_edges > n_nodes * (n_nodes - 1) // 8:
        with pytest.raises(InputError, match="at most a quarter of all pairs"):
            stand_in(n_nodes=n_nodes, n_edges=n_edges, n_features=3, n_classes=2)
        return
    made = stand_in(n_nodes=n_nodes, n_edges=n_edges, n_features=3, n_classes=2)
    assert (made.n_nodes, made.n_edges, made.n_features) == (n_nodes, n_edges, 3)
    assert set(made.labels) == {0, 1}
    assert (made.adjacency.data == 1).all()  # no edge twice
    assert not made.adjacency.diagonal().any()
    assert (made.adjacency != made.adjacency.T).nnz == 0


def test_degrees_have_a_heavy_tail(graph: Graph) -> None:
    """A random graph of this size has no node of 45 edges; here the most connected have many times the mean, 20."""
    degrees = np.diff(graph.adjacency.indptr)
    assert degrees.mean() == 20
    assert degrees.max() > 120
    assert np.median(degrees) < 17
    # The exponent of the tail by maximum likelihood (Hill), on the top tenth.
    tail = np.sort(degrees)[-400:]
    exponent = 1 + 1 / np.log(tail / tail[0]).mean()
    assert 2 < exponent < 4


def test_classes_are_planted_in_the_edges_and_in_the_features(graph: Graph) -> None:
    edges = graph.adjacency.tocoo()
    share = (graph.labels[edges.row] == graph.labels[edges.col]).mean()
    by_chance = WITHIN_CLASS + (1 - WITHIN_CLASS) / 5
    assert share == pytest.approx(by_chance, abs=0.03)
    means = np.stack([graph.features[graph.labels == label].mean(axis=0) for label in range(5)])
    nearest = ((graph.features[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
    assert (nearest == graph.labels).mean() > 0.5
    # A node's number does not give its class away.
    assert abs(np.corrcoef(np.arange(4000), graph.labels)[0, 1]) < 0.1


def test_the_seed_is_the_graph(graph: Graph) -> None:
    again, other = (stand_in(n_nodes=4000, n_edges=40000, n_features=20, n_classes=5, random_state=seed) for seed in (1, 2))
    assert (again.adjacency != graph.adjacency).nnz == 0
    np.testing.assert_array_equal(again.features, graph.features)
    assert (other.adjacency != graph.adjacency).nnz > 0


def test_it_says_what_it_is(graph: Graph) -> None:
    assert any("stand-in" in note for note in graph.notes)


def test_sizes_that_make_no_graph() -> None:
    with pytest.raises(InputError, match="n_nodes parameter of stand_in"):
        stand_in(n_nodes=1, n_edges=1, n_features=1, n_classes=1)
    with pytest.raises(InputError, match="one node per class"):
        stand_in(n_nodes=10, n_edges=5, n_features=1, n_classes=11)
