"""Clusters: figures by hand, by brute force, and on clusters that are plain to see."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

from sparsecut import Graph, InputError
from sparsecut.evaluation import evaluate_clusters, k_means
from sparsecut.evaluation.clustering import conductance, matched_accuracy, modularity


def two_triangles() -> Graph:
    """0-1-2 and 3-4-5, joined by the edge 2-3: 7 edges."""
    A = np.zeros((6, 6))
    for i, j in [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)]:
        A[i, j] = A[j, i] = 1
    return Graph(A)


def test_two_triangles_by_hand():
    graph, clusters = two_triangles(), [0, 0, 0, 1, 1, 1]
    assert modularity(graph, clusters) == pytest.approx(2 * (3 / 7 - (7 / 14) ** 2))
    assert conductance(graph, clusters) == pytest.approx(1 / 7)
    # One node against five: 2 of its 2 edges leave; the other side has volume 12, the smaller is 2.
    assert conductance(graph, [0, 1, 1, 1, 1, 1]) == pytest.approx(1.0)
    assert modularity(graph, [0] * 6) == pytest.approx(0)
    assert np.isnan(conductance(graph, [0] * 6))
    assert np.isnan(modularity(Graph(np.zeros((3, 3))), [0, 1, 1]))


def test_weighted_figures_by_brute_force():
    generator = np.random.default_rng(0)
    A = np.triu(generator.random((12, 12)) * (generator.random((12, 12)) < 0.5), 1)
    graph, clusters = Graph(A + A.T), np.arange(12) % 3
    A = graph.adjacency.toarray().astype(float)
    degrees, total = A.sum(axis=1), A.sum()
    same = clusters[:, None] == clusters
    assert modularity(graph, clusters) == pytest.approx(((A - np.outer(degrees, degrees) / total) * same).sum() / total)
    shares = []
    for cluster in range(3):
        inside = clusters == cluster
        shares.append(A[inside][:, ~inside].sum() / min(degrees[inside].sum(), degrees[~inside].sum()))
    assert conductance(graph, clusters) == pytest.approx(np.mean(shares))


@pytest.mark.parametrize("n_clusters", [2, 3, 4])
def test_matching_is_the_best_of_all(n_clusters):
    generator = np.random.default_rng(n_clusters)
    true, assigned = generator.integers(0, 3, 50), generator.integers(0, n_clusters, 50)
    size = max(3, n_clusters)
    best = max((np.array(order)[assigned] == true).mean() for order in itertools.permutations(range(size)))
    assert matched_accuracy(true, assigned) == pytest.approx(best)


def blobs(n_nodes: int = 90) -> tuple[np.ndarray, np.ndarray]:
    labels = np.arange(n_nodes) % 3
    return 10 * np.eye(3)[labels] + 0.01 * np.random.default_rng(0).normal(size=(n_nodes, 3)), labels


def test_plain_clusters_are_found():
    Z, labels = blobs()
    names = np.array(["x", "y", "z"])[labels]
    names[[4, 7]] = ""
    A = (labels[:, None] == labels).astype(float)
    scores = evaluate_clusters(Z, names, graph=Graph(A - np.eye(90)), n_runs=3, random_state=1)
    assert scores.n_clusters == 3
    best = {name: values.max() for name, values in scores.figures.items()}
    assert best["nmi"] == pytest.approx(100)
    assert best["ari"] == pytest.approx(100)
    assert best["accuracy"] == pytest.approx(100)
    assert best["modularity"] == pytest.approx(2 / 3)
    assert scores.figures["conductance"].min() == pytest.approx(0)
    again = evaluate_clusters(Z, names, graph=Graph(A - np.eye(90)), n_runs=3, random_state=1)
    assert again.to_dict() == scores.to_dict()
    assert scores.to_dict()["n_runs"] == 3


def test_the_metrics_requested_alone_for_a_dict_of_a_few_labels():
    Z, labels = blobs()
    few = dict(zip(range(0, 90, 4), labels[::4].tolist(), strict=True))
    scores = evaluate_clusters(Z, few, n_runs=1, metrics="ari, silhouette")
    marked = np.full(90, -1)
    marked[::4] = labels[::4]
    whole = evaluate_clusters(Z, marked, n_runs=1)
    assert list(scores.figures) == ["ari", "silhouette"]
    assert all((scores.figures[name] == whole.figures[name]).all() for name in scores.figures)


def test_the_graph_alone_will_do_with_a_number():
    Z, labels = blobs()
    graph = Graph((labels[:, None] == labels) * 1.0)
    scores = evaluate_clusters(Z, graph=graph, n_clusters=3, n_runs=2)
    assert set(scores.figures) == {"silhouette", "modularity", "conductance"}


def test_a_number_of_clusters_is_chosen_by_the_silhouette():
    from sklearn.metrics import silhouette_score

    Z, labels = blobs()
    scores = evaluate_clusters(Z, n_runs=2)
    assert scores.n_clusters == 3  # as many as there are blobs
    assert scores.figures["silhouette"].max() == pytest.approx(silhouette_score(Z, scores.assigned))
    assert matched_accuracy(labels, scores.assigned) == 1
    assert any("3 clusters were chosen by their silhouette" in note for note in scores.notes)


def test_a_collapsed_embedding_is_said_and_is_json():
    _, labels = blobs()
    scores = evaluate_clusters(np.ones((90, 4)), labels, graph=Graph(np.eye(90, k=1) + np.eye(90, k=-1)), n_runs=2)
    assert scores.notes == ("k-means found 1 of 3 clusters: the embedding has too few distinct rows.",)
    assert scores.figures["nmi"].tolist() == [0, 0]
    assert json.loads(json.dumps(scores.to_dict(), allow_nan=False))["figures"]["conductance"]["mean"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"labels": np.zeros(90)}, "at least two classes for 90 nodes. Got 90 labels, classes: 0.0"),
        ({"labels": np.arange(80) % 2}, "Got 80 labels"),
        ({"labels": np.arange(90) % 3, "graph": Graph(np.eye(4, k=1) + np.eye(4, k=-1))}, "embedding's 90 nodes. Got 4"),
        ({"labels": np.arange(90) % 3, "n_clusters": 91}, "more clusters than nodes. Got 91 for 90"),
        ({"labels": np.arange(90) % 3, "n_clusters": 1}, "n_clusters parameter"),
        ({"labels": np.arange(90) % 3, "n_runs": 0}, "n_runs parameter"),
        ({"n_clusters": 3, "metrics": "ari"}, "'ari' needs labels"),
        ({"n_clusters": 3, "metrics": ["modularity"]}, "'modularity' needs the graph"),
        ({"n_clusters": 3, "metrics": "silhouete"}, "Did you mean 'silhouette'"),
        ({"n_clusters": 3, "metrics": []}, "at least one metric"),
    ],
)
def test_wrong_input_is_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        evaluate_clusters(blobs()[0], **arguments)


def test_the_clusters_kept_are_those_nearest_to_their_means():
    generator = np.random.default_rng(3)
    Z = generator.normal(size=(60, 2)) + generator.integers(0, 5, (60, 1)) * 2
    scores = evaluate_clusters(Z, n_clusters=6, n_runs=6)
    assert (scores.n_runs, list(scores.figures)) == (6, ["silhouette"])

    def spread(assigned):
        return sum(np.square(Z[assigned == one] - Z[assigned == one].mean(axis=0)).sum() for one in np.unique(assigned))

    runs = [k_means(Z, 6, int(seed)) for seed in np.random.SeedSequence(0).generate_state(6)]
    assert spread(scores.assigned) == pytest.approx(min(map(spread, runs)))
    assert len({round(spread(run), 6) for run in runs}) > 1  # there was something to choose
