"""How much types of edges weigh: a relation that says nothing about its nodes is found, others stay equal."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

import sparsecut as sc
from sparsecut.features.feature_tables import FeatureMatrix
from sparsecut.model.auto.constants import CONSTANTS
from sparsecut.model.auto.relation_choice import chosen_weights, surely_says, weight
from sparsecut.model.auto.relation_gains import Gain, relation_gains
from sparsecut.model.auto.relation_trial import Foretold
from typed_graphs import typed_graph, with_noise


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


def test_weight_follows_from_held_out_edges_and_gains() -> None:
    rule = CONSTANTS.relations
    assert weight(None, None, rule) == 1
    assert weight(None, Foretold(0.0, 0.01), rule) < 0.05  # surely nothing
    assert weight(None, Foretold(-0.2, 0.01), rule) < 0.05
    assert weight(None, Foretold(0.05, 0.005), rule) == 1  # little, but surely
    assert weight(None, Foretold(0.0, 0.3), rule) > 0.8  # not known
    assert weight(Gain(0.1, 0.001), Foretold(0.0, 0.01), rule) == 1  # its features go with it
    assert weight(Gain(0.1, 0.001, alike=-5.0), Foretold(0.5, 0.01), rule) == rule.least
    assert weight(Gain(0.5, 0.1), None, rule) == 1
    assert weight(Gain(0.0, 0.01), None, rule) == 1  # may still add a lot
    assert weight(Gain(-0.01, 0.0001), None, rule) == rule.least
    assert weight(Gain(0.001, 0.00025), None, rule) == pytest.approx(0.5)


def test_the_chance_is_that_of_the_two_densities() -> None:
    rule, foretold = CONSTANTS.relations, Foretold(0.05, 0.03)
    useful = norm.pdf(0.05, rule.usual, np.hypot(rule.spread, 0.03))
    noise = norm.pdf(0.05, 0, 0.03)
    assert surely_says(foretold, rule) == pytest.approx(2 * useful / (useful + noise))


@pytest.mark.parametrize("with_features", [True, False])
def test_noise_weighs_next_to_nothing_and_copies_share(with_features: bool) -> None:
    rng = np.random.default_rng(0)
    group = rng.integers(0, 4, 900)

    def ends(own: np.ndarray | None) -> np.ndarray:
        to = rng.integers(0, 120, (900, 4))
        to = to if own is None else np.where(rng.random((900, 4)) < 0.6, to - to % 4 + own[:, None], to)
        return np.unique(np.column_stack([np.repeat(np.arange(900), 4), to.ravel()]), axis=0)

    told = ends(group)
    things = (0.2 * rng.normal(size=(4, 8))[group] + rng.normal(size=(900, 8))) if with_features else np.arange(900)
    others = {name: np.arange(120) for name in ("shop", "twin", "street")}
    edges = {("thing", "in", "shop"): told, ("thing", "at", "twin"): told, ("thing", "near", "street"): ends(None)}
    graph = sc.from_tables(nodes={"thing": things, **others}, edges=edges)
    model = sc.SCE().fit(graph)
    weights = next(one for one in model.recipe_.reasons if getattr(one, "topic", "") == "relations").figures
    assert weights["thing:near:street"] < 0.15 * 2
    assert weights["thing:in:shop"] == weights["thing:at:twin"] == 1  # half of a weight each, and the largest is 1
    assert "say little or the same as others" in model.explain()
    mixed = graph.subgraph(graph.node_ids[rng.permutation(graph.n_nodes)])
    assert chosen_weights(mixed, sc.SCE()._settings()) == list(weights.values())


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
