"""What a relation adds to the prediction of columns, against a direct regression."""

from __future__ import annotations

from dataclasses import astuple, replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import sparsecut as sc
from sparsecut.model.auto.constants import CONSTANTS
from sparsecut.model.auto.relation_gains import means_over, relation_gains
from tables_by_type import files_by_type
from typed_graphs import typed_graph


def test_the_gain_is_that_of_a_direct_regression() -> None:
    graph = typed_graph(n_papers=400)
    cost = CONSTANTS.relation_cost
    gain = relation_gains(graph, graph.encoder.column_types, cost)[1]  # papers through their venue
    papers, venues = (np.flatnonzero(graph.type_codes == code) for code in (1, 2))
    B = graph.relations.matrices[1][papers][:, venues].toarray().astype(float)
    walk = (B / B.sum(axis=1, keepdims=True)) @ (B / B.sum(axis=0)).T
    np.fill_diagonal(walk, 0)
    walk /= walk.sum(axis=1, keepdims=True)  # the node itself left out
    X = graph.features[papers][:, graph.encoder.column_types == 1].astype(float)
    mixed = np.array_split(np.random.default_rng(0).permutation(X.shape[1]), 2)
    a, b = (X[:, np.sort(part)] - X[:, np.sort(part)].mean(axis=0) for part in mixed)

    def left(predictors: np.ndarray) -> float:
        predictors = predictors - predictors.mean(axis=0)
        hat = predictors @ np.linalg.solve(predictors.T @ predictors, predictors.T)
        return float((((b - hat @ b) / (1 - np.diag(hat))[:, None]) ** 2).sum())

    assert gain.share == pytest.approx(1 - left(np.hstack([a, walk @ a])) / left(a), abs=0.01)


def test_means_leave_the_node_out() -> None:
    B = np.array([[1.0, 0], [1, 1], [0, 2], [0, 0]])  # three things in two shops, one in none
    rows = np.array([[1.0], [10], [100], [1000]])
    means, has_means = means_over(sp.csr_array(B), rows, None)
    assert has_means.tolist() == [True, True, True, False]
    walk = (B / np.maximum(B.sum(axis=1, keepdims=True), 1)) @ (B / B.sum(axis=0)).T
    np.fill_diagonal(walk, 0)
    expected = walk[:3] / walk[:3].sum(axis=1, keepdims=True) @ rows
    assert means[:3] == pytest.approx(expected)
    A = np.array([[0.0, 1, 0], [1, 0, 1], [0, 1, 0]])
    within, _ = means_over(sp.csr_array(A), rows[:3], np.arange(3))
    assert within.ravel().tolist() == [10, 50.5, 10]


def test_neighbours_that_differ_are_told() -> None:
    graph = typed_graph(n_papers=400)
    gains = relation_gains(graph, graph.encoder.column_types, CONSTANTS.relation_cost)
    assert all(gain is not None and gain.alike > 3 for gain in gains)


def test_gains_of_a_store_are_those_of_memory(tmp_path: Path) -> None:
    nodes, edges = files_by_type(tmp_path, 300)
    likes = np.random.default_rng(0).integers(0, 150, (400, 2))
    np.save(tmp_path / "likes.npy", likes)
    edges[("author", "likes", "author")] = tmp_path / "likes.npy"
    cost = replace(CONSTANTS.relation_cost, least_columns=2, n_sampled=100, least_nodes=20)
    for directed in ("symmetrize", "out"):
        sc.build_store(tmp_path / "store", edges, nodes=nodes, directed=directed, overwrite=True)
        found, wanted = (
            relation_gains(graph, np.asarray(graph.encoder.column_types), cost)  # type: ignore[union-attr]
            for graph in (sc.open_store(tmp_path / "store"), sc.from_tables(nodes, edges, directed=directed))
        )
        assert any(gain is not None for gain in wanted)
        for one, other in zip(found, wanted, strict=True):
            assert (one is None) == (other is None)
            if one is not None and other is not None:
                np.testing.assert_allclose(astuple(one), astuple(other), rtol=1e-9, atol=1e-12)
