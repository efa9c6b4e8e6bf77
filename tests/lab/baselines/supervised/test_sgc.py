"""SGC against its equation with dense matrices, and against scikit-learn's logistic regression."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from network_oracles import scaled_dense, scores_of
from reference import dense_propagation
from sparsecut import Graph
from sparsecut.evaluation import Split
from sparsecut.lab.baselines import SGC


@pytest.mark.parametrize("filter", ["symmetric", "power"])
def test_sgc_is_a_linear_map_of_the_smoothed_features(graph: Graph, filter: str) -> None:
    scores, W = scores_of(SGC(filter=filter), graph)
    P = dense_propagation(graph.adjacency.toarray(), {"power": "row"}.get(filter, filter))
    np.testing.assert_allclose(scores, P @ P @ scaled_dense(graph) @ W["weights"] + W["bias"], atol=1e-5)


def test_sgc_trained_to_its_end_is_a_logistic_regression(graph: Graph) -> None:
    """The mean cross-entropy plus l2/2·‖w‖² is scikit-learn's sum plus ‖w‖²/(2C) with C = 1/(l2·n)."""
    y = np.arange(30) % 3
    train, l2 = np.arange(20), 1e-3
    model = SGC(l2=l2, epochs=1500, learning_rate=0.05, device="cpu")
    model.fit(Graph(graph.adjacency, features=graph.features, labels=y), split=Split(train, train[:0], train[:0]))
    P = dense_propagation(graph.adjacency.toarray(), "symmetric")
    S = np.hstack([P @ P @ scaled_dense(graph), np.ones((30, 1))])  # the bias is penalised too
    exact = LogisticRegression(C=1 / (l2 * 20), fit_intercept=False, tol=1e-10, max_iter=10_000).fit(S[train], y[train])
    ours = np.vstack([model.network_.weights.detach().numpy(), model.network_.bias.detach().numpy()])
    np.testing.assert_allclose(ours, exact.coef_.T, atol=2e-2 * np.abs(exact.coef_).max())
    np.testing.assert_array_equal(model.predict(graph), exact.predict(S))
