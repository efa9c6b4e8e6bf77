"""Health: collapsed embeddings are called so, and the cut ratio is its definition."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from sparsecut import SCE, Adam, Graph, InputError, Memory, datasets
from sparsecut.evaluation import measure_health
from sparsecut.evaluation.health import cut_ratio
from sparsecut.model.history import effective_rank


def random_graph(n_nodes: int = 30) -> Graph:
    generator = np.random.default_rng(0)
    A = np.triu(generator.random((n_nodes, n_nodes)) * (generator.random((n_nodes, n_nodes)) < 0.2), 1)
    return Graph(A + A.T)


def test_the_cut_ratio_is_its_definition():
    graph = random_graph()
    Z = np.random.default_rng(1).normal(size=(30, 4)) + 100
    A = graph.adjacency.toarray().astype(float)
    gaps = np.square(Z[:, None] - Z).sum(axis=2)
    upper = np.triu_indices(30, 1)
    expected = (A * gaps)[upper].sum() / A[upper].sum() / gaps[upper].mean()
    assert cut_ratio(Z, graph) == pytest.approx(expected)
    assert measure_health(Z, graph).cut_ratio == pytest.approx(expected)
    # Neither scale nor place changes it.
    assert cut_ratio(7 * Z - 3, graph) == pytest.approx(expected)


def test_the_cut_ratio_in_blocks():
    graph, Z = random_graph(), np.random.default_rng(1).normal(size=(30, 4))
    assert cut_ratio(Z, graph, n_numbers=12) == pytest.approx(cut_ratio(Z, graph))


def test_edges_that_are_points_and_edges_like_any_pair():
    pairs = np.kron(np.eye(5), [[0, 1], [1, 0]])
    assert cut_ratio(np.repeat(np.eye(5), 2, axis=0), Graph(pairs)) == 0
    assert cut_ratio(np.random.default_rng(0).normal(size=(6, 3)), Graph(np.ones((6, 6)) - np.eye(6))) == pytest.approx(1)
    assert cut_ratio(np.eye(3), Graph(np.zeros((3, 3)))) is None


@pytest.mark.parametrize("shape", [(50, 6), (6, 50)])
def test_the_effective_rank_is_that_of_training(shape):
    Z = np.random.default_rng(0).normal(size=shape) * np.arange(1, shape[1] + 1)
    health = measure_health(Z)
    assert health.effective_rank == pytest.approx(effective_rank(torch.from_numpy(Z)), rel=1e-6)
    covariance = np.sort(np.linalg.eigvalsh(np.cov(Z.T)))[::-1]
    n_shares = len(health.spectrum)
    np.testing.assert_allclose(health.spectrum, covariance[:n_shares] / covariance.sum(), atol=1e-12)
    assert health.first_share == health.spectrum[0]


def test_a_point_is_called_collapsed():
    for Z in (np.ones((10, 4)), np.zeros((10, 4)), 1000 + 1e-9 * np.random.default_rng(0).normal(size=(10, 4))):
        health = measure_health(Z, random_graph(10))
        assert health.is_collapsed
        assert health.effective_rank == 0
        assert health.verdict == "Collapsed to a point: all nodes have the same vector."
        values = json.loads(json.dumps(health.to_dict(), allow_nan=False))
        assert values["first_share"] is None
        assert values["cut_ratio"] is None


def test_a_line_is_called_collapsed():
    generator = np.random.default_rng(0)
    Z = np.outer(generator.normal(size=200), generator.normal(size=8)) + 0.01 * generator.normal(size=(200, 8))
    health = measure_health(Z)
    assert health.is_collapsed
    assert health.verdict.startswith("Collapsed to a line: 100.0% of the variance lies in the first of 8 components")


@pytest.mark.slow
def test_a_model_trained_to_its_end_is_called_collapsed():
    graph = datasets.load("digits")
    fresh = measure_health(SCE(engine=Memory(device="cpu")).fit_transform(graph), graph)
    worn = measure_health(
        SCE(solver=Adam(epochs=2000, learning_rate=0.1, l2=1e-3), engine=Memory(device="cpu")).fit_transform(graph), graph
    )
    assert not fresh.is_collapsed
    assert fresh.verdict.startswith("Spread over about ")
    assert "Neighbours are closer together than other nodes" in fresh.verdict
    assert worn.is_collapsed
    assert "Collapsed" in str(worn)


def test_one_dimension_is_no_collapse():
    health = measure_health(np.arange(10.0)[:, None])
    assert not health.is_collapsed
    assert health.verdict == "Spread over about 1 of 1 dimensions."


def test_edges_farther_than_chance_are_said():
    # A path whose neighbours are opposite.
    A = np.eye(8, k=1) + np.eye(8, k=-1)
    Z = np.column_stack([np.tile([1.0, -1.0], 4), np.random.default_rng(0).normal(size=8)])
    health = measure_health(Z, Graph(A))
    assert health.cut_ratio > 1
    assert "no closer together" in health.verdict


def test_a_graph_of_another_size_is_refused():
    with pytest.raises(InputError, match=r"embedding's 5 nodes. Got 30"):
        measure_health(np.eye(5), random_graph())
