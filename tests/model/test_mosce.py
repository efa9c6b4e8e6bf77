"""MoSCE: the levels from their definition, and a sentence for every parameter that breaks its rule."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

from conftest import random_graph
from reference import dense_propagation
from sparsecut import Adam, InputError, MoSCE

GRAPH = random_graph()


@pytest.mark.parametrize("aggregation", ["concat", "mean", "max"])
def test_transform_by_levels(aggregation: str) -> None:
    model = MoSCE(dimension=5, levels=2, aggregation=aggregation, solver=Adam(depth=[1, 2])).fit(GRAPH)
    P = dense_propagation(GRAPH.adjacency.toarray())
    first, second = P @ GRAPH.features @ model.weights_[0], P @ P @ GRAPH.features @ model.weights_[1]
    expected = {
        "concat": np.hstack([first, second]),
        "mean": (first + second) / 2 if aggregation == "mean" else None,
        "max": np.maximum(first, second) if aggregation == "max" else None,
    }[aggregation]
    assert np.allclose(model.transform(GRAPH), expected, atol=1e-5)
    assert np.allclose(model.embedding_, expected, atol=1e-5)


@pytest.mark.parametrize("filter", ["symmetric", "lazy"])
def test_levels_are_powers_of_the_filters_matrix(filter: str) -> None:
    model = MoSCE(dimension=5, levels=3, filter=filter).fit(GRAPH)
    P = dense_propagation(GRAPH.adjacency.toarray(), filter)
    levels = [np.linalg.matrix_power(P, k) @ GRAPH.features @ W for k, W in enumerate(model.weights_, start=1)]
    assert np.allclose(model.embedding_, sum(levels) / 3 - model.offset_, atol=1e-4)


def test_another_order_of_the_columns_is_the_same_embedding() -> None:
    """The levels are scaled by the trace of their moments, not by an estimate that depends on where a column stands."""
    turned = GRAPH.replace(features=GRAPH.features[:, ::-1])
    Z, other = (MoSCE(levels=2).fit_transform(graph).astype(np.float64) for graph in (GRAPH, turned))
    assert np.abs(Z @ Z.T - other @ other.T).max() < 1e-5 * np.square(Z).sum(axis=1).mean()


def test_as_many_dimensions_as_the_levels_fill_are_not_too_many() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MoSCE(dimension=24, levels=2, aggregation="concat", solver="adam").fit(GRAPH)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"levels": 0}, "The levels parameter of MoSCE must be an integer of at least 1. Got 0 instead."),
        ({"aggregation": "sum"}, "The aggregation parameter of MoSCE must be one of 'concat', 'mean', 'max'. Got 'sum'"),
        (
            {"aggregation": "concat"},
            "MoSCE(solver=ClosedForm()) joins the levels by 'mean'. Got aggregation='concat'. Use solver='adam' for it.",
        ),
        ({"aggregation": "max"}, "MoSCE(solver=ClosedForm()) joins the levels by 'mean'. Got aggregation='max'."),
        ({"filter": "heat"}, "MoSCE takes the powers of one matrix, and Heat() is not a power of one. Use filter='power',"),
        ({"levels": 2, "solver": Adam(depth=[1, 1, 1])}, "one for each of the 2 levels. Got [1, 1, 1] instead."),
        ({"solver": Adam(depth=0)}, "The depth parameter of Adam must be an integer of at least 1. Got 0 instead."),
        (
            {"levels": 3, "dimension": 2, "aggregation": "concat", "solver": "adam"},
            "MoSCE needs a dimension for each of its 3 levels to concat. Got 2.",
        ),
    ],
    ids=str,
)
def test_bad_parameters_get_their_own_message(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        MoSCE(**parameters).fit(GRAPH)
    assert message in str(caught.value)
