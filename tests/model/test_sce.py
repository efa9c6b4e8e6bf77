"""SCE: the embedding from its definition, and a sentence for every parameter that breaks its rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from conftest import random_graph
from reference import dense_propagation
from sparsecut import SCE, Adam, ClosedForm, InputError, Power, Symmetric

GRAPH = random_graph()


@pytest.mark.parametrize(("filter", "name"), [(Power(order=3), "row"), (Symmetric(order=3), "symmetric")], ids=repr)
def test_transform_is_smoothing_and_the_weights(filter: Power, name: str) -> None:
    model = SCE(dimension=4, filter=filter).fit(GRAPH)
    other = random_graph(25, seed=9)
    P = dense_propagation(other.adjacency.toarray(), name)
    expected = np.linalg.matrix_power(P, 3) @ other.features @ model.weights_[0] - model.offset_
    assert np.allclose(model.transform(other), expected, atol=1e-5)


def test_order_zero_is_the_features_times_the_weights() -> None:
    for solver in ("closed_form", "adam"):
        model = SCE(filter=Power(order=0), solver=solver).fit(GRAPH)
        assert np.allclose(model.embedding_, GRAPH.features @ model.weights_[0] - model.offset_, atol=1e-4)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"dimension": 0}, "The dimension parameter of SCE must be an integer of at least 1. Got 0 instead."),
        ({"dimension": 2.5}, "The dimension parameter of SCE must be an integer of at least 1. Got 2.5 instead."),
        ({"dimension": "big"}, "The dimension parameter of SCE must be 'auto' or an integer of at least 1. Got 'big'"),
        ({"features": "all"}, "The features parameter of SCE must be one of 'auto', 'given', 'structure', 'both'."),
        ({"weighting": "bm25"}, "The weighting parameter of SCE must be one of 'auto', 'none', 'l2', 'tf-idf'."),
        ({"random_state": -1}, "The random_state parameter of SCE must be an integer of at least 0. Got -1 instead."),
        (
            {"filter": "hot"},
            "The filter parameter of SCE must be one of 'auto', 'average', 'difference', 'heat', 'lazy', 'pagerank', "
            "'paired', 'power', 'symmetric', or a Filter object. Got 'hot' instead.",
        ),
        ({"filter": Power}, "or a Filter object. Got <class"),
        ({"filter": 2}, "or a Filter object. Got 2 instead."),
        (
            {"negatives": "some"},
            "The negatives parameter of SCE must be one of 'complete', 'degrees', 'sampled', 'sparsifier', or a Negatives "
            "object. Got 'some' instead.",
        ),
        ({"negatives": [(0, 1)]}, "given as an object: negatives=sparsecut.Pairs(…). Got [(0, 1)]."),
        (
            {"solver": "sgd"},
            "The solver parameter of SCE must be one of 'adam', 'closed_form', or a Solver object. Got 'sgd' instead.",
        ),
        ({"solver": Power()}, "or a Solver object. Got Power() instead."),
        (
            {"solver": ClosedForm(effective_rank="high")},
            "effective_rank parameter of ClosedForm must be a finite number above 0",
        ),
        (
            {"solver": ClosedForm(effective_rank=0)},
            "The effective_rank parameter of ClosedForm must be a finite number above 0",
        ),
        ({"solver": ClosedForm(length=-1)}, "The length parameter of ClosedForm must be a finite number above 0. Got -1"),
    ],
    ids=str,
)
def test_bad_parameters_get_their_own_message(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        SCE(**parameters).fit(GRAPH)
    assert message in str(caught.value)


def test_a_wrong_choice_is_found_before_any_work() -> None:
    calls: list[Any] = []
    with pytest.raises(InputError, match="epochs parameter of Adam"):
        SCE(solver=Adam(epochs=0)).fit(GRAPH, progress=lambda *report: calls.append(report))
    assert not calls
