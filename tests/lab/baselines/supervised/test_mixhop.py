"""MixHop against powers of the dense matrix."""

from __future__ import annotations

import numpy as np

from network_oracles import scaled_dense, scores_of
from reference import dense_propagation
from sparsecut import Graph
from sparsecut.lab.baselines import MixHop


def test_mixhop_is_powers_of_the_dense_matrix(graph: Graph) -> None:
    scores, W = scores_of(MixHop(widths=(2, 4, 3), segments=(1, 0, 2)), graph)
    P, X = dense_propagation(graph.adjacency.toarray(), "symmetric"), scaled_dense(graph, order=2)
    powers = [np.eye(30), P, P @ P]
    first = np.split(W["first"], [2, 6], axis=1)
    hidden = np.hstack([power @ X @ part for power, part in zip(powers, first, strict=True)])
    hidden = np.maximum((hidden - hidden.mean(axis=0)) / np.sqrt(hidden.var(axis=0) + 1e-3) + W["centre"], 0)
    second = np.split(W["second"], [3, 3], axis=1)
    segments = np.hstack([power @ hidden @ part for power, part in zip(powers, second, strict=True)])
    shares = np.exp(W["shares"]) / np.exp(W["shares"]).sum()
    expected = sum(share * segments[:, 3 * k : 3 * k + 3] for k, share in enumerate(shares))
    np.testing.assert_allclose(scores, expected, atol=1e-4)
