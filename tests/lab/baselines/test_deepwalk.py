"""DeepWalk, node2vec and DeepWalk with features: communities found, losses by hand, known vectors kept."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from conftest import random_graph
from sparsecut import Graph, InputError
from sparsecut.lab.baselines import DeepWalk, DeepWalkFeatures, Node2Vec

QUICK = {"dimension": 8, "epochs": 5, "walk_length": 10, "window": 3}


def two_cliques(size: int = 8, node_ids: list[str] | None = None) -> Graph:
    """Two cliques with one edge between."""
    A = np.kron(np.eye(2), np.ones((size, size))) - np.eye(2 * size)
    A[size - 1, size] = A[size, size - 1] = 1
    return Graph(A, features=np.eye(2 * size, 3), node_ids=node_ids)


def cosines(Z: np.ndarray) -> np.ndarray:
    unit = Z / np.linalg.norm(Z, axis=1, keepdims=True)
    return unit @ unit.T


MODELS = {
    "deepwalk": DeepWalk(**QUICK),
    "hierarchical": DeepWalk(objective="hierarchical", **QUICK),
    "both": DeepWalk(objective="both", passes=2, **QUICK),
    "node2vec": Node2Vec(p=0.5, q=2.0, **QUICK),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_two_cliques_lie_apart(model: DeepWalk | Node2Vec) -> None:
    model.set_params(epochs=60)
    similarity = cosines(model.fit_transform(two_cliques()))
    is_same = np.kron(np.eye(2), np.ones((8, 8))) > 0
    np.fill_diagonal(similarity, np.nan)
    assert np.nanmin(similarity[is_same]) > np.nanmax(similarity[~is_same])
    # A softmax cannot say which of the 7 others of a clique comes next: its loss ends at log 7, from log 16.
    floor = 0.0 if getattr(model, "objective", "negative") == "negative" else np.log(7)
    assert model.history_.loss[-1] - floor < 0.7 * (model.history_.loss[0] - floor)


def test_an_epoch_of_every_pass_is_in_the_history() -> None:
    model = DeepWalk(objective="both", passes=3, **QUICK).fit(two_cliques())
    assert len(model.history_.loss) == len(model.history_.seconds) == 3 * QUICK["epochs"]


def test_frequent_nodes_are_left_out_of_the_walks() -> None:
    """With 16 nodes every share is far above 0.001: nearly all visits are left out, and vectors stay near their start."""
    graph = two_cliques()
    all_visits, few = (DeepWalk(subsample=subsample, **QUICK).fit(graph) for subsample in (0.0, 0.001))
    assert few.history_.loss[-1] > all_visits.history_.loss[-1]


def test_node2vec_without_bias_is_deepwalk() -> None:
    graph = random_graph()
    np.testing.assert_array_equal(Node2Vec(p=1, q=1, **QUICK).fit_transform(graph), DeepWalk(**QUICK).fit_transform(graph))
    assert (Node2Vec(p=0.1, q=1, **QUICK).fit_transform(graph) != DeepWalk(**QUICK).fit_transform(graph)).any()


def test_the_features_stand_beside_the_walks() -> None:
    for is_sparse in (False, True):
        graph = random_graph(is_sparse=is_sparse)
        Z = DeepWalkFeatures(**QUICK).fit_transform(graph)
        np.testing.assert_array_equal(Z[:, :8], DeepWalk(**QUICK).fit_transform(graph))
        np.testing.assert_array_equal(Z[:, 8:], graph.features.toarray() if sp.issparse(graph.features) else graph.features)


def test_known_nodes_keep_their_vectors_whatever_their_place() -> None:
    whole = two_cliques(node_ids=[f"node {i}" for i in range(16)])
    seen = whole.subgraph(positions=[14, 3, 0, 1, 2, 12, 13, 15])
    model = DeepWalkFeatures(**QUICK).fit(seen)
    Z = model.transform(whole)
    np.testing.assert_array_equal(Z[[14, 3, 0, 1, 2, 12, 13, 15]], model.embedding_)
    np.testing.assert_array_equal(Z, model.transform(whole))  # by the seed
    order = [3, 15, 0, 14]
    np.testing.assert_array_equal(model.transform(whole.subgraph(positions=order)), Z[order])


def test_a_new_node_comes_to_lie_beside_its_neighbours() -> None:
    whole = two_cliques()
    new = [2, 5, 10, 13]
    seen = [node for node in range(16) if node not in new]
    model = DeepWalkFeatures(**{**QUICK, "epochs": 100}).fit(whole.subgraph(positions=seen))
    similarity = cosines(model.transform(whole)[:, :8])
    for node in new:
        own, other = (range(8), range(8, 16)) if node < 8 else (range(8, 16), range(8))
        assert np.mean([similarity[node, i] for i in own if i in seen]) > np.mean([similarity[node, i] for i in other]) + 0.5


def test_a_graph_of_strangers_is_refused_in_words() -> None:
    graph = two_cliques()
    model = DeepWalkFeatures(**QUICK).fit(graph)
    strangers = Graph(graph.adjacency, features=graph.features, node_ids=np.arange(100, 116))
    with pytest.raises(InputError, match="this graph has none of them"):
        model.transform(strangers)


def test_the_papers_settings_and_bad_options() -> None:
    assert DeepWalk.paper("pubmed").dimension == 256
    assert DeepWalk.paper("cora", epochs=3).get_params()["epochs"] == 3
    assert DeepWalkFeatures.paper("reddit").dimension == 128
    for options, message in (({"p": 0}, "p parameter of Node2Vec"), ({"q": -1}, "q parameter"), ({"window": 0}, "window")):
        with pytest.raises(InputError, match=message):
            Node2Vec(**options).fit(two_cliques())
    for options, message in (
        ({"objective": "softmax"}, "objective"),
        ({"passes": 0}, "passes"),
        ({"subsample": -1}, "subs"),
    ):
        with pytest.raises(InputError, match=f"The {message}"):
            DeepWalk(**options).fit(two_cliques())
    with pytest.raises(InputError, match=r'Got objective="both"\. Take "negative"'):
        DeepWalkFeatures(objective="both").fit(two_cliques())
    for method in (DeepWalk, Node2Vec):
        assert not hasattr(method, "transform")
