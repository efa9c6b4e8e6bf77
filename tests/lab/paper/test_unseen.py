"""Nodes that come later are wholly absent from training: poison in their features and edges is never met."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from conftest import random_graph
from sparsecut import SCE, Adam, Graph, InputError, Power
from sparsecut.lab.baselines import SmoothedFeatures
from sparsecut.lab.paper.unseen import Unseen, cut_graph, embed_unseen, mean_seconds, only_seen, score_unseen

N_NODES = 60
TRAIN = np.arange(0, N_NODES, 2)
TEST = np.arange(1, N_NODES, 2)


def silent(*_: object) -> None:
    """No progress."""


@pytest.fixture
def graph() -> Graph:
    plain = random_graph(N_NODES, 8, seed=3, density=0.3)
    return Graph(plain.adjacency, features=plain.features, labels=np.arange(N_NODES) // 20)


def poisoned(graph: Graph, *, is_sparse: bool) -> tuple[Any, Any]:
    """Adjacency and features with NaN in every feature of a test node and on every edge that ends at one."""
    adjacency = graph.adjacency.copy().tocoo()
    data = adjacency.data.copy()
    data[np.isin(adjacency.row, TEST) | np.isin(adjacency.col, TEST)] = np.nan
    features = np.array(graph.features)
    features[TEST] = np.nan
    spoiled = sp.csr_array((data, (adjacency.row, adjacency.col)), shape=adjacency.shape)
    return spoiled, sp.csr_array(features) if is_sparse else features


@pytest.mark.parametrize("is_sparse", [False, True])
def test_poison_in_unseen_nodes_does_not_reach_the_weights(graph: Graph, is_sparse: bool) -> None:
    adjacency, features = poisoned(graph, is_sparse=is_sparse)
    seen = only_seen(adjacency, features, graph.labels, TRAIN)
    weights = SCE(solver=Adam(epochs=5)).fit(seen).weights_[0]
    clean = sp.csr_array(graph.features) if is_sparse else graph.features
    expected = SCE(solver=Adam(epochs=5)).fit(only_seen(graph.adjacency, clean, graph.labels, TRAIN)).weights_[0]
    assert np.isfinite(weights).all()
    np.testing.assert_array_equal(weights, expected)


def test_the_poison_works(graph: Graph) -> None:
    """One unseen node among the seen is noticed, by its features and by its edges alone."""
    adjacency, features = poisoned(graph, is_sparse=False)
    with pytest.raises(InputError, match="features must be finite"):
        only_seen(graph.adjacency, features, graph.labels, [*TRAIN, TEST[0]])
    with pytest.raises(InputError, match="edge weights must be finite"):
        only_seen(adjacency, graph.features, graph.labels, [*TRAIN, TEST[0]])


def test_the_experiments_own_cut_trains_on_nothing_but_the_training_nodes(graph: Graph) -> None:
    """What the experiment passes to `fit` is the training nodes' graph, edge for edge."""
    task = cut_graph(graph, TRAIN, TEST)
    fitted_on = []

    class Watched(SCE):
        def fit(self, graph: Any, y: object = None, **more: Any) -> Watched:
            fitted_on.append(graph)
            return super().fit(graph, y, **more)

    Z_seen, Z_test, seconds = embed_unseen(Watched(solver=Adam(epochs=3)), task, silent)
    (seen,) = fitted_on
    dense = graph.adjacency.toarray()
    np.testing.assert_array_equal(seen.adjacency.toarray(), dense[np.ix_(TRAIN, TRAIN)])
    np.testing.assert_array_equal(seen.features, np.asarray(graph.features)[TRAIN])
    assert (Z_seen.shape, Z_test.shape) == ((30, 8), (30, 8))
    assert seconds["seconds"] > 0
    # The test nodes are embedded within the whole graph.
    model = SCE(solver=Adam(epochs=3)).fit(seen)
    np.testing.assert_allclose(Z_test, model.transform(graph)[TEST], atol=1e-6)


def test_the_score_is_the_share_of_test_nodes_classified_right(graph: Graph) -> None:
    """A probe on the labels themselves is right everywhere; on shifted test labels nowhere."""
    task = Unseen(only_seen(graph.adjacency, graph.features, graph.labels, TRAIN), graph, TEST)
    one_hot = np.eye(3)[np.asarray(graph.labels)] * 100
    assert score_unseen(task, one_hot[TRAIN], one_hot[TEST], silent) == 100
    assert score_unseen(task, one_hot[TRAIN], np.roll(one_hot, 1, axis=1)[TEST], silent) == 0


def test_a_directed_graph_is_cut_with_its_directions(graph: Graph) -> None:
    """The part that is seen has the arrows of the whole, and one hop of it goes along them."""
    arrows = np.triu(graph.adjacency.toarray())
    whole = Graph(arrows, features=graph.features, labels=graph.labels, directed="out")
    seen = cut_graph(whole, TRAIN, TEST).seen
    assert seen.is_directed
    expected = arrows[np.ix_(TRAIN, TRAIN)]
    np.testing.assert_array_equal(seen.adjacency.toarray(), expected)
    P = expected + np.eye(len(TRAIN))
    smoothed = P / P.sum(axis=1, keepdims=True) @ np.asarray(graph.features)[TRAIN]
    np.testing.assert_allclose(SmoothedFeatures(filter=Power(order=1)).fit_transform(seen), smoothed, atol=1e-5)


def test_sizes_and_seconds_by_hand(graph: Graph) -> None:
    task = cut_graph(graph, TRAIN, TEST)
    n_seen_edges = int(graph.adjacency.toarray()[np.ix_(TRAIN, TRAIN)].sum()) // 2
    sizes = {"seen_nodes": 30, "seen_edges": n_seen_edges, "met_nodes": 60, "met_edges": graph.n_edges, "test_nodes": 30}
    assert task.sizes() == sizes
    times = [{"seconds": 1.0, "transform_seconds": 0.5}, {"seconds": 3.0, "transform_seconds": 1.0}]
    assert mean_seconds(times) == {"seconds": 2.0, "seconds_std": 1.0, "transform_seconds": 0.75}
