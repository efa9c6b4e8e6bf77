"""Edges of both signs that come, go and turn: the graph is that of the edges in the end, and the vectors are its own."""

from __future__ import annotations

import numpy as np
import pytest

import sparsecut as sc
from sparsecut.base.errors import InputError


def drawn(n_nodes: int = 60, seed: int = 0) -> dict[tuple[int, int], float]:
    """One rating for each of some pairs, a fifth below zero."""
    generator = np.random.default_rng(seed)
    pairs = {tuple(sorted(pair)) for pair in generator.integers(0, n_nodes, (5 * n_nodes, 2)).tolist() if pair[0] != pair[1]}
    signs = np.where(generator.random(len(pairs)) < 0.2, -1.0, 1.0) * generator.integers(1, 5, len(pairs))
    return dict(zip(sorted(pairs), signs.tolist(), strict=True))


def graph_of(ratings: dict[tuple[int, int], float], n_nodes: int, directed: str) -> sc.Graph:
    edges = [(source, target, weight) for (source, target), weight in ratings.items()]
    return sc.from_edges(edges, signed=True, directed=directed, node_ids=np.arange(n_nodes))


@pytest.mark.parametrize("directed", ["out", "symmetrize"])
def test_the_graph_is_that_of_the_edges_in_the_end(directed: str) -> None:
    ratings, n_nodes = drawn(), 60
    model = sc.SCE().fit(graph_of(ratings, n_nodes, directed))
    bad, good = ([pair for pair, weight in ratings.items() if weight * sign > 0] for sign in (-1, 1))
    removed = [bad[0], good[0]]
    turned = {bad[1]: 2.0, good[1]: -3.0, bad[2]: -4.0, good[2]: 4.0}
    added = {(0, n_nodes): -2.0, (1, n_nodes): 1.0, bad[0]: 5.0, good[0]: -1.0}
    model.update(
        nodes_added=[n_nodes],
        edges_removed=removed,
        weights_changed=[(*pair, weight) for pair, weight in turned.items()],
        edges_added=[(*pair, weight) for pair, weight in added.items()],
        tolerance=0,
    )
    wanted = graph_of(
        {pair: ratings[pair] for pair in ratings if pair not in removed} | turned | added, n_nodes + 1, directed
    )
    assert (model.graph_.adjacency != wanted.adjacency).nnz == 0
    assert (model.graph_.demands != wanted.demands).nnz == 0
    Z = model.transform(wanted)
    np.testing.assert_allclose(model.embedding_, Z, atol=1e-5 * np.abs(Z).max())


def test_what_cannot_be_is_refused_and_changes_nothing() -> None:
    ratings = drawn()
    model = sc.SCE().fit(graph_of(ratings, 60, "out"))
    bad, good = (next(pair for pair, weight in ratings.items() if weight * sign > 0) for sign in (-1, 1))
    for pair in (bad, good):
        for weight in (-1.0, 1.0):
            with pytest.raises(InputError, match="has already"):
                model.update(edges_added=[(*pair, weight)])
    absent = next((0, other) for other in range(1, 60) if (0, other) not in ratings)
    with pytest.raises(InputError, match="does not have"):
        model.update(weights_changed=[(*absent, -1.0)])
    with pytest.raises(InputError, match="not zero"):
        model.update(edges_added=[(*absent, 0.0)])
    with pytest.raises(InputError, match="twice"):
        model.update(edges_added=[(*absent, -1.0), (*absent, -2.0)])
    plain = sc.SCE().fit(sc.from_edges([(0, 1), (1, 2), (2, 3)]))
    with pytest.raises(InputError, match="above zero"):
        plain.update(edges_added=[(0, 3, -1.0)])
    assert model.graph_.demands.nnz == sum(weight < 0 for weight in ratings.values())
