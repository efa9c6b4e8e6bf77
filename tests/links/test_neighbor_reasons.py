"""The reasons of all neighbours at once are those of every pair, asked one by one with walks that read everything."""

from __future__ import annotations

import numpy as np
import pytest

import sparsecut as sc
from sparsecut.links.neighbor_reasons import reasons_of_neighbors

GRAPH = sc.datasets.load("digits").subgraph(positions=range(0, 1797, 12))


@pytest.mark.parametrize("settings", [{"features": "given"}, {"features": "both"}, {"filter": sc.Power(order=2)}])
def test_shares_are_those_of_why(settings):
    model = sc.SCE(dimension=16, **settings).fit(GRAPH)
    near = sc.Nearness(model, most_edges=10**6)
    neighbors = sc.Neighbors(model.embedding_).nearest(3).positions
    found = reasons_of_neighbors(near, neighbors)
    A = GRAPH.adjacency.toarray() > 0
    for u in range(0, GRAPH.n_nodes, 10):
        for number, v in enumerate(neighbors[u]):
            why = near.why(GRAPH.node_ids[u], GRAPH.node_ids[v])
            size = abs(why.score)
            for name, share in zip(found.channels, found.channel_shares[u, number], strict=True):
                assert share == pytest.approx(why.channels[name] / size, abs=1e-4)
            for place, share in zip(found.features[u, number], found.feature_shares[u, number], strict=True):
                if place >= 0:
                    assert share == pytest.approx(why.features.value(found.feature_names[place]) / size, abs=1e-3)
            named = [found.feature_names[place] for place in found.features[u, number] if place >= 0]
            both = why.features.higher[0] * why.features.higher[1] > 0
            expected = [
                name
                for name, value in zip(why.features.names[both], why.features.values[both], strict=True)
                if value >= 0.025 * size
            ]
            assert named[: len(expected[:3])] == expected[:3]
            listed = zip(found.through[u, number], found.through_shares[u, number], strict=True)
            through = [(GRAPH.node_ids[place], share) for place, share in listed if place >= 0]
            for name, share in through:
                assert share == pytest.approx(why.neighbors.value(name) / size, abs=1e-3)
            largest = why.neighbors.values[:3] / size
            np.testing.assert_allclose([share for _, share in through], largest[largest >= 0.02][: len(through)], atol=1e-3)
            assert len(through) >= (largest >= 0.021).sum()
            assert found.n_shared[u, number] == len(why.shared) == (A[u] & A[v]).sum()
            assert found.are_linked[u, number] == A[u, v]


def test_vectors_of_another_model_are_refused():
    model = sc.SCE(dimension=16, features="given").fit(GRAPH)
    near = sc.Nearness(model, GRAPH, np.random.default_rng(0).normal(size=model.embedding_.shape))
    with pytest.raises(sc.InputError, match="not what the model makes of this graph"):
        reasons_of_neighbors(near, np.array([[1]] * GRAPH.n_nodes))
