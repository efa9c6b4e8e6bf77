"""How much types of edges weigh: a relation that says nothing about its nodes is found, others stay equal."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import sparsecut as sc
from sparsecut.features.feature_tables import FeatureMatrix
from sparsecut.graph.relations import Relations
from sparsecut.model.auto.constants import CONSTANTS
from sparsecut.model.auto.relation_choice import Gain, relation_gains
from typed_graphs import typed_graph


def with_noise(graph: sc.Graph, seed: int = 5) -> sc.Graph:
    """A further relation between papers and venues that goes with nothing."""
    generator = np.random.default_rng(seed)
    relations = graph.relations
    assert relations is not None
    papers = np.flatnonzero(graph.type_codes == 1)
    others = np.flatnonzero(graph.type_codes == 2)
    i, j = papers, generator.choice(others, len(papers))
    half = sp.coo_array((np.ones(len(i), dtype=np.float32), (i, j)), shape=graph.adjacency.shape).tocsr()
    known = dict(zip(relations.edge_types, relations.matrices, strict=True))
    more = Relations.of({**known, ("paper", "lies near", "venue"): sp.csr_array(half + half.T)})
    return graph.replace(adjacency=more.added_up(), relations=more)


def test_a_relation_that_adds_nothing_weighs_little() -> None:
    graph = with_noise(typed_graph(n_papers=3000))
    gains = relation_gains(graph, graph.encoder.column_types, CONSTANTS.relation_cost)
    assert gains[0].share > 10 * gains[2].share
    assert gains[1].share > 10 * gains[2].share
    model = sc.SCE().fit(graph)
    assert "paper:lies near:venue × 0." in model.explain()
    assert "author:writes:paper ×" not in model.explain()


def test_thin_evidence_throws_no_relation_away() -> None:
    graph = with_noise(typed_graph(n_papers=60))
    model = sc.SCE().fit(graph)
    assert "All 3 types of edges weigh the same in sum" in model.explain()


def test_weight_follows_from_what_a_relation_adds_at_most() -> None:
    rule = CONSTANTS.relations
    assert Gain(0.5, 0.1).weight(rule) == 1
    assert Gain(0.0, 0.01).weight(rule) == 1  # may still add a lot
    assert Gain(-0.01, 0.0001).weight(rule) == rule.least
    assert Gain(0.001, 0.00025).weight(rule) == pytest.approx(0.5)


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


def test_relations_are_for_graphs_that_have_them() -> None:
    with pytest.raises(sc.InputError, match="this one has none"):
        sc.SCE(relations={"writes": 2.0}).fit(sc.datasets.load("digits"))
    with pytest.raises(sc.InputError, match="must be 'auto' or a dictionary"):
        sc.SCE(relations=[1.0]).fit(typed_graph())
    with pytest.raises(sc.InputError, match="must name relations of the graph"):
        sc.SCE(relations={"wrote": 2.0}).fit(typed_graph())
    graph = typed_graph()
    plain = graph.replace(features=FeatureMatrix(graph.features))
    assert "All 2 types" in sc.SCE(features="given").fit(plain).explain()


def test_of_one_type_of_edges_there_is_nothing_to_say() -> None:
    rng = np.random.default_rng(0)
    ratings = {("user", "rates", "film"): np.column_stack([rng.integers(0, 20, 200), rng.integers(0, 30, 200)])}
    graph = sc.from_tables(nodes={"user": rng.normal(size=(20, 4)), "film": rng.normal(size=(30, 3))}, edges=ratings)
    assert "types of edges" not in sc.SCE().fit(graph).explain()
