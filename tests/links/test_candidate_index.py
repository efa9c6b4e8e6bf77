"""An index of candidates finds what comparing all finds, as often as it says; where it cannot, all are compared."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import sparsecut as sc
from sparsecut.links.candidate_index import build_candidate_index

GENERATOR = np.random.default_rng(0)
N, C = 3000, 6


def test_the_largest_products_are_found_whatever_the_lengths_of_vectors():
    rows = (GENERATOR.normal(size=(N, C)) * GENERATOR.pareto(1.5, (N, 1))).astype(np.float32)
    questions = GENERATOR.normal(size=(N, C)).astype(np.float32)
    candidates = np.arange(0, N, 2)
    built = build_candidate_index(
        rows,
        np.arange(N),
        candidates,
        lambda nodes: questions[nodes],
        np.arange(N),
        lambda node: np.array([node, (node + 2) % N]),
        0.95,
        0,
        lambda *_: None,
    )
    assert built.recall >= 0.95
    n_found = 0
    for node in range(100):
        known = np.array([node, (node + 2) % N])
        may = np.setdiff1d(candidates, known)
        true = may[np.argsort(-(rows[may] @ questions[node]))[:10]]
        found = built.best(questions[node], known, 10)
        assert found is not None
        assert len(found) == 10
        assert not np.isin(found, known).any()
        assert (found % 2 == 0).all()
        assert (np.diff(rows[found] @ questions[node]) <= 1e-5).all()
        n_found += len(np.intersect1d(found, true))
    assert abs(n_found / 1000 - built.recall) < 0.05
    assert built.best(questions[0], np.arange(1200), 10) is None  # more are known than the index is asked for


def test_links_recommend_by_an_index_what_they_recommend_without():
    R = sp.csr_array((GENERATOR.random((400, 300)) < 0.05).astype(float))
    graph = sc.Graph(sp.block_array([[None, R], [R.T, None]]).tocsr())
    Z = sc.SCE(dimension=8).fit_transform(graph)
    exact = sc.Links(Z, graph, index="exact")
    quick = exact.transform(graph, Z)
    quick.index = "approximate"
    assert exact.recall_ == 1.0
    assert quick.recall_ >= 0.99
    for with_known in (False, True):
        nodes = [*range(0, 400, 7), *range(400, 700, 7)]
        pairs = zip(
            exact.recommend(nodes, with_known=with_known), quick.recommend(nodes, with_known=with_known), strict=True
        )
        same = [np.isin(one.ids, two.ids).mean() for one, two in pairs]
        assert np.mean(same) > 0.97
    one, two = exact.recommend(3, k=5), quick.recommend(3, k=5)
    np.testing.assert_allclose(two.scores, one.scores, rtol=1e-4)
    np.testing.assert_allclose(two.probabilities, one.probabilities, rtol=1e-3)
    assert len(quick.recommend(3, k=1000).ids) == len(exact.recommend(3, k=1000).ids)
    with pytest.raises(sc.InputError, match="must be one of"):
        sc.Links(Z, graph, index="fast")
