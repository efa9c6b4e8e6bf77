"""The spectrum of the links against dense singular vectors, and on graphs that came later."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import sparsecut as sc
from sparsecut.links.link_spectrum import LinkSpectrum
from sparsecut.links.link_sums import Incidence
from sparsecut.links.node_kinds import find_ends


def graph_of(kind: str) -> sc.Graph:
    """A graph with six groups, which are six large singular values."""
    generator = np.random.default_rng(1)
    n_nodes = 120
    groups = np.arange(n_nodes) % 6
    near = (groups[:, None] + (kind != "plain")) % 6 == groups
    A = (generator.random((n_nodes, n_nodes)) < np.where(near, 0.6, 0.05)).astype(float)
    np.fill_diagonal(A, 0)
    if kind == "sides":
        R = sp.csr_array(A[:, :90])
        return sc.Graph(sp.block_array([[None, R], [R.T, None]]).tocsr())
    return sc.Graph(A, directed="out") if kind == "directed" else sc.Graph(np.triu(A) + np.triu(A).T)


def dense_of(graph: sc.Graph) -> tuple[np.ndarray, Incidence]:
    incidence = Incidence.of(graph, find_ends(graph))
    ends = incidence.ends
    A = graph.adjacency.toarray() * ends.is_source[:, None] * ends.is_target[None, :]
    out, into = A.sum(axis=1), A.sum(axis=0)
    left = ends.is_source / np.sqrt(out + out.sum() / 2 / ends.is_source.sum())
    right = ends.is_target / np.sqrt(into + into.sum() / 2 / ends.is_target.sum())
    return left[:, None] * A * right, incidence


@pytest.mark.parametrize("kind", ["plain", "sides", "directed"])
def test_it_is_the_leading_singular_vectors(kind):
    N, incidence = dense_of(graph_of(kind))
    found = LinkSpectrum.of(incidence, 6)
    U, values, Vt = np.linalg.svd(N)
    for columns, vectors in ((found.sources, U[:, :6]), (found.targets, Vt[:6].T)):  # one by one, but for their signs
        own = columns.astype(float)
        lengths = np.linalg.norm(own, axis=0)
        np.testing.assert_allclose(np.abs((own / lengths * vectors).sum(axis=0)), 1, atol=2e-3)
    np.testing.assert_allclose(np.sqrt(np.abs(found.values.prod(axis=0))), values[:6], rtol=1e-3)
    np.testing.assert_allclose(N @ found.targets, found.sources * found.values[0], atol=0.05)
    np.testing.assert_allclose(N.T @ found.sources, found.targets * found.values[1], atol=0.05)  # of columns of size one


@pytest.mark.parametrize("kind", ["plain", "directed"])
def test_new_nodes_have_the_rows_of_their_links(kind):
    graph = graph_of(kind)
    known = graph.subgraph(positions=np.arange(100))
    spectrum = LinkSpectrum.of(Incidence.of(known, find_ends(known)), 6)
    incidence = Incidence.of(graph, find_ends(graph))
    later = spectrum.on(np.where(np.arange(120) < 100, np.arange(120), -1), incidence)
    np.testing.assert_array_equal(later.sources[:100], spectrum.sources)
    A = graph.adjacency.toarray()
    tau_out, tau_in = spectrum.degrees
    node = 110
    row = A[node, :100] / np.sqrt(A[node].sum() + tau_out) / np.sqrt(A.sum(axis=0)[:100] + tau_in)
    np.testing.assert_allclose(later.sources[node], row @ spectrum.targets / spectrum.values[0], rtol=2e-3, atol=1e-3)
    column = A[:100, node] / np.sqrt(A[:, node].sum() + tau_in) / np.sqrt(A.sum(axis=1)[:100] + tau_out)
    np.testing.assert_allclose(later.targets[node], column @ spectrum.sources / spectrum.values[1], rtol=2e-3, atol=1e-3)
    groups = np.arange(120) % 6  # a node that came later stands with its group
    nearest = (later.sources[100:] @ later.sources[:100].T).argmax(axis=1)
    assert (groups[nearest] == groups[100:]).mean() > 0.9


def test_a_graph_without_edges_has_none():
    graph = sc.Graph(sp.csr_array((5, 5)))
    assert LinkSpectrum.of(Incidence.of(graph, find_ends(graph))).n_columns == 0
