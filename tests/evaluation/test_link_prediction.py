"""Links: nothing held out is ever seen, and the figures are what a ranking by hand gives."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from pair_sets import edge_set, pair_set
from sparsecut import SCE, Graph, InputError, Memory, datasets
from sparsecut.evaluation import LinkSplit, evaluate_links, hold_out_edges, score_links
from sparsecut.evaluation.link_prediction import dots, minus_distances, seeds_of_runs, training_pairs


@pytest.fixture(scope="module")
def graph() -> Graph:
    return datasets.load("digits")


def test_the_estimator_never_sees_a_held_out_edge(graph):
    """Every graph that reaches the estimator's fit is recorded."""
    splits = [hold_out_edges(graph, 0.3, seed) for seed in seeds_of_runs(0, 2)]
    seen: list[Graph] = []

    class Spy(SCE):
        def fit(self, graph, y=None, **keywords):
            seen.append(graph)
            return super().fit(graph, y, **keywords)

    scores = evaluate_links(graph, Spy(engine=Memory(device="cpu")).fit_transform, fraction=0.3, n_runs=2)
    assert len(seen) == len(splits) == 2
    for training, split in zip(seen, splits, strict=True):
        assert edge_set(training) == edge_set(graph) - pair_set(split.positive)
        # And what it gives is what a graph built without those edges from the start gives.
        A = graph.adjacency.toarray()
        i, j = split.positive.T
        A[i, j] = A[j, i] = 0
        own = SCE(dimension=16, engine=Memory(device="cpu")).fit_transform(Graph(A, features=graph.features))
        np.testing.assert_array_equal(own, SCE(dimension=16, engine=Memory(device="cpu")).fit_transform(training))
        assert not np.allclose(own, SCE(dimension=16, engine=Memory(device="cpu")).fit_transform(graph))
    assert scores.n_held_out == round(0.3 * graph.n_edges)
    assert scores.auc["cosine"].min() > 85  # neighbours among digits are easily told
    assert json.dumps(scores.to_dict(), allow_nan=False)
    assert pair_set(splits[0].positive) != pair_set(splits[1].positive)


def test_the_regression_is_trained_on_no_held_out_pair(graph):
    split = hold_out_edges(graph, 0.2)
    edges, others = training_pairs(split, np.random.default_rng(0))
    assert pair_set(edges) <= edge_set(split.graph)
    assert len(others) == len(edges)
    assert pair_set(others).isdisjoint(edge_set(split.graph) | pair_set(split.positive) | pair_set(split.negative))


def test_rankings_by_hand():
    # 0–1 is held out, 2–3 is no edge. z0·z1 = 2 and z2·z3 = 3: the dot product ranks the wrong one first, distance does not.
    A = np.zeros((5, 5))
    for i, j in [(0, 2), (1, 4), (3, 4), (0, 4)]:
        A[i, j] = A[j, i] = 1
    split = LinkSplit(Graph(A), np.array([[0, 1]]), np.array([[2, 3]]))
    Z = np.array([[1.0, 1.0], [1.0, 1.0], [3.0, 0.0], [1.0, 5.0], [0.0, 1.0]])
    scores = score_links(Z, split, scorings=("dot", "cosine", "distance", "hadamard"))
    assert (scores["dot"]["roc_auc"], scores["dot"]["average_precision"]) == (0.0, 50.0)  # the edge is second of two
    for name in ("cosine", "distance"):
        assert (scores[name]["roc_auc"], scores[name]["average_precision"]) == (100.0, 100.0)
    # Candidates of 0 are 1 and 3, of 1 are 0, 2 and 3. By the dot product 1 is second for 0 (2 against 6), and 0 is third
    # for 1 (2 against 3 and 6); by distance each is first for the other.
    assert scores["dot"]["mrr"] == pytest.approx(100 * (1 / 2 + 1 / 3) / 2)
    assert scores["distance"]["mrr"] == 100
    assert scores["dot"]["hit@10"] == 100


def test_a_random_embedding_knows_nothing_and_a_zero_one_does_not_break(graph):
    split = hold_out_edges(graph, 0.2)
    alone = ("dot", "cosine", "distance", "hadamard")  # `links` also counts neighbours
    for found in score_links(np.random.default_rng(0).normal(size=(graph.n_nodes, 16)), split, scorings=alone).values():
        assert abs(found["roc_auc"] - 50) < 3
        assert abs(found["average_precision"] - 50) < 3
        assert found["ndcg@10"] < 5
    for found in score_links(np.zeros((graph.n_nodes, 4)), split, scorings=alone).values():
        assert found["roc_auc"] == pytest.approx(50)


def test_what_cannot_be_held_out_is_refused(graph):
    complete = Graph(np.ones((6, 6)) - np.eye(6))
    with pytest.raises(InputError, match="too dense to hold 2 edges out: only 0 pairs"):
        hold_out_edges(complete, 0.1)
    with pytest.raises(InputError, match=r"leave some to train on. Got 0.9 of 1 edges"):
        hold_out_edges(Graph(np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])), 0.9)
    with pytest.raises(InputError, match="leave some to train on"):
        hold_out_edges(Graph(np.zeros((3, 3))), 0.1)
    with pytest.raises(InputError, match="fraction parameter"):
        hold_out_edges(graph, 0)
    with pytest.raises(InputError, match=r"one row for each of the 1,797 nodes. Got 5"):
        score_links(np.ones((5, 2)), hold_out_edges(graph))
    with pytest.raises(InputError, match="n_runs"):
        evaluate_links(graph, lambda training: training.features, n_runs=0)


def test_scorings_asked_for_are_the_same_alone(graph):
    split = hold_out_edges(graph, 0.1)
    Z = SCE(engine=Memory(device="cpu")).fit_transform(split.graph)
    whole = score_links(Z, split)
    some = score_links(Z, split, scorings=("distance", "cosine"))
    assert list(some) == ["distance", "cosine"]
    for name, figures in some.items():
        assert figures == pytest.approx(whole[name])
    assert list(evaluate_links(graph, lambda _: Z, n_runs=1, scorings=("dot",)).auc) == ["dot"]
    with pytest.raises(InputError, match="scorings parameter of score_links"):
        score_links(Z, split, scorings=("best",))


def test_pairs_are_scored_in_blocks():
    generator = np.random.default_rng(0)
    Z, W, pairs = generator.normal(size=(30, 5)), generator.normal(size=(30, 5)), generator.integers(0, 30, (40, 2))
    for n_numbers in (1, 7 * 5, 1000):
        np.testing.assert_allclose(dots(Z, W, pairs, n_numbers), (Z @ W.T)[tuple(pairs.T)])
        np.testing.assert_allclose(-minus_distances(Z, pairs, n_numbers), cdist(Z, Z, "sqeuclidean")[tuple(pairs.T)])


def directed_graph(n_nodes: int = 40) -> Graph:
    """Edges in one direction or in both, with weights of their own."""
    generator = np.random.default_rng(5)
    A = generator.random((n_nodes, n_nodes)) * (generator.random((n_nodes, n_nodes)) < 0.2)
    np.fill_diagonal(A, 0)
    assert ((A > 0) & (A.T == 0)).any()
    assert ((A > 0) & (A.T > 0)).any()
    return Graph(A, features=generator.normal(size=(n_nodes, 4)), directed="out")


def test_links_of_a_directed_graph_are_scored_over_edges_of_either_direction():
    """With every edge pointing to a lower number, the upper triangle of A is empty: `hadamard` must find its examples."""
    whole = directed_graph()
    downward = Graph(np.tril(whole.adjacency.toarray()), features=whole.features, directed="out")
    split = hold_out_edges(downward, 0.2)
    assert (split.positive[:, 0] > split.positive[:, 1]).all()
    assert 0 <= score_links(np.asarray(whole.features), split, scorings=["hadamard"])["hadamard"]["roc_auc"] <= 100


def test_the_direction_of_arcs_is_scored_where_there_is_one():
    """Arcs go from later to earlier nodes: the closed form learns it, and no symmetric score can."""
    generator = np.random.default_rng(6)
    A = np.tril(generator.random((150, 150)) < 0.15, -1).astype(float)
    features = np.column_stack([np.arange(150) / 150, generator.normal(size=(150, 3))])
    split = hold_out_edges(Graph(A, features=features, directed="out"), 0.2)
    scores = score_links(features, split, scorings=("links", "cosine"))
    assert scores["links"]["direction"] > 95
    assert scores["cosine"]["direction"] == pytest.approx(50)
    assert scores["links"]["roc_auc"] > 60
    assert (
        "direction"
        not in score_links(np.eye(10), hold_out_edges(Graph(np.eye(10, k=1) + np.eye(10, k=-1))), scorings=["dot"])["dot"]
    )


def test_an_estimator_is_fitted_for_every_run_and_its_links_choose_without_what_is_held_out(graph):
    seen: list[Graph] = []

    class Spy(SCE):
        def fit(self, graph, y=None, **keywords):
            seen.append(graph)
            return super().fit(graph, y, **keywords)

    scores = evaluate_links(graph, Spy(dimension=16, engine=Memory(device="cpu")), n_runs=1, metrics=("roc_auc", "hit@5"))
    assert len(seen) == 2  # the run's graph, and that without what its links hold out again
    assert seen[1].n_edges < seen[0].n_edges < graph.n_edges
    assert list(scores.figures) == ["roc_auc", "hit@5"]
    assert scores.to_dict()["metrics"]["hit@5"]["links"]["mean"] == pytest.approx(scores.figures["hit@5"]["links"].mean())
    assert scores.auc["links"][0] > 90
