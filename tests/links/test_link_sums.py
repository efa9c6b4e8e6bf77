"""Sums against dense matrices, in memory and in memory maps."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import sparsecut as sc
from sparsecut.links.link_sums import Incidence, end_rows, sum_links
from sparsecut.links.node_kinds import find_ends


def graph_of(kind: str) -> sc.Graph:
    generator = np.random.default_rng(1)
    if kind == "sides":
        R = generator.random((40, 30)) * (generator.random((40, 30)) < 0.4)
        R[0], R[:, 0] = 1, 1
        return sc.Graph(sp.block_array([[None, sp.csr_array(R)], [sp.csr_array(R.T), None]]).tocsr())
    A = generator.random((50, 50)) * (generator.random((50, 50)) < 0.2)
    np.fill_diagonal(A, 0)
    return sc.Graph(A, directed="out") if kind == "directed" else sc.Graph(A + A.T)


@pytest.mark.parametrize("kind", ["plain", "sides", "directed"])
@pytest.mark.parametrize("power", [0.0, 0.5])
def test_sums_are_those_of_dense_matrices(kind, power, tmp_path):
    graph = graph_of(kind)
    Z = np.random.default_rng(2).normal(size=(graph.n_nodes, 4)).astype(np.float32)
    ends = find_ends(graph)
    incidence = Incidence.of(graph, ends)
    A = graph.adjacency.toarray().astype(float)
    A = A * ends.is_source[:, None] * ends.is_target[None, :]  # from sources to targets
    delta = graph.adjacency.data.mean(dtype=float)
    degrees = graph.adjacency.toarray().astype(float)
    U = np.hstack([np.ones((len(Z), 1)), Z]) * ((degrees.sum(axis=1) + delta) ** power * ends.is_source)[:, None]
    V = np.hstack([np.ones((len(Z), 1)), Z]) * ((degrees.sum(axis=0) + delta) ** power * ends.is_target)[:, None]
    np.save(tmp_path / "z.npy", Z)
    for vectors in (Z, np.load(tmp_path / "z.npy", mmap_mode="r")):
        sums = sum_links(vectors, incidence, power)
        np.testing.assert_allclose(sums.K_sources, U.T @ U, rtol=1e-6)
        np.testing.assert_allclose(sums.K_targets, V.T @ V, rtol=1e-6)
        np.testing.assert_allclose(sums.S_rows, (A @ V).T @ (A @ V), rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(sums.S_columns, (A.T @ U).T @ (A.T @ U), rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(sums.X, U.T @ A @ V, rtol=1e-6, atol=1e-8)
    rows = end_rows(Z, incidence, np.arange(graph.n_nodes), power, is_source=True)
    np.testing.assert_allclose(rows.y[ends.is_source], (A @ V)[ends.is_source], rtol=1e-6, atol=1e-9)
