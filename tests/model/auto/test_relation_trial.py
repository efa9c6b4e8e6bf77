"""Held-out edges of each type: a relation that goes with the others or itself is foretold, one drawn at random is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import sparsecut as sc
from sparsecut.model.auto.constants import CONSTANTS
from sparsecut.model.auto.relation_trial import sampled_relations, try_relations
from typed_graphs import typed_graph, with_noise

COST = CONSTANTS.relation_cost


def test_noise_is_told_from_relations_that_say_something() -> None:
    sample = sampled_relations(with_noise(typed_graph(n_papers=1200)), COST)
    writes, _, noise = try_relations(sample, lambda _: True, COST)
    assert writes is not None
    assert noise is not None
    assert writes.share > 3 * writes.error
    assert abs(noise.share) < 3 * noise.error


def test_many_edges_between_few_nodes_are_no_evidence() -> None:
    """Where a third of all pairs are edges, pairs without one have fewer edges: they are weighed as what they stand for."""
    rng = np.random.default_rng(1)
    fame = rng.pareto(1.5, 40) + 0.2
    edges = np.unique(np.column_stack([rng.integers(0, 400, 9000), rng.choice(40, 9000, p=fame / fame.sum())]), axis=0)
    other = np.unique(np.column_stack([rng.integers(0, 400, 900), rng.integers(0, 50, 900)]), axis=0)
    graph = sc.from_tables(
        nodes={"user": np.arange(400), "item": np.arange(40), "tag": np.arange(50)},
        edges={("user", "sees", "item"): edges, ("user", "has", "tag"): other},
    )
    sees, _ = try_relations(sampled_relations(graph, COST), lambda _: True, COST)
    assert sees is not None
    assert abs(sees.share) < 3 * sees.error


def test_a_sample_has_the_edges_of_its_nodes_whatever_their_order() -> None:
    graph = typed_graph(n_papers=300)
    cost = replace(COST, most_nodes=100)
    sample = sampled_relations(graph, cost)
    assert np.bincount(sample.codes).tolist() == [100, 100, 4]
    places = {identity: place for place, identity in enumerate(graph.node_ids.tolist())}
    nodes = [places[identity] for identity in sample.node_ids.tolist()]
    for own, matrix in zip(sample.matrices, graph.relations.matrices, strict=True):
        assert (own.toarray() == matrix.toarray()[np.ix_(nodes, nodes)]).all()


def test_too_few_edges_tell_nothing() -> None:
    assert try_relations(sampled_relations(typed_graph(n_papers=30), COST), lambda _: True, COST) == [None, None]


def test_thirty_small_relations_without_features_are_told_apart() -> None:
    """A graph of facts: twelve relations go with what the entities are, eighteen do not; 250 edges each."""
    rng = np.random.default_rng(0)
    topic, edges = rng.integers(0, 8, 1200), {}
    for number in range(30):
        sources = rng.integers(0, 1200, 250)
        any_target = rng.integers(0, 1200, 250)
        alike = np.array([rng.choice(np.flatnonzero(topic == topic[source])) for source in sources])
        goes_with = rng.random(250) < 0.8 * (number < 12)
        edges[("entity", f"r{number}", "entity")] = np.column_stack([sources, np.where(goes_with, alike, any_target)])
    graph = sc.from_tables({"entity": np.arange(1200)}, edges)
    found = try_relations(sampled_relations(graph, COST), lambda _: False, COST)
    shares = np.array([foretold.share for foretold in found if foretold is not None])
    errors = np.array([foretold.error for foretold in found if foretold is not None])
    assert len(shares) == 30
    assert shares[:12].mean() > 4 * np.sqrt((errors[:12] ** 2).sum()) / 12
    assert abs(shares[12:].mean()) < 3 * np.sqrt((errors[12:] ** 2).sum()) / 18
