"""Every filter against its dense definition, and what a filter says of itself."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import torch

from conftest import random_graph
from filter_cases import FILTERS, make_filter
from reference import dense_filter, dense_propagation
from sparsecut import SCE, InputError, MoSCE
from sparsecut.engines import MemoryEngine
from sparsecut.features.weighting import Weighting
from sparsecut.operators.filters import Average, Filter, Heat, Lazy, PageRank, Power, Symmetric

ENGINE = MemoryEngine(torch.device("cpu"))


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize(("order", "strength"), [(0, 0.3), (1, 0.9), (4, 0.15)])
@pytest.mark.parametrize("filter", FILTERS)
def test_every_filter_is_its_dense_definition(filter: str, order: int, strength: float, is_sparse: bool) -> None:
    graph = random_graph(is_sparse=is_sparse, is_weighted=True)
    F = graph.features.toarray() if is_sparse else graph.features
    expected = dense_filter(graph.adjacency.toarray(), filter, order, strength) @ F
    chosen = make_filter(filter, order, strength)
    loaded = ENGINE.load(graph, Weighting("none"), chosen)
    assert sum(chosen.coefficients()) == pytest.approx(1)
    for lazily in (False, True):
        rows = ENGINE.smooth(loaded, chosen.coefficients(), lazily=lazily)
        assert np.allclose(rows @ torch.eye(12), expected, atol=1e-5)


@pytest.mark.parametrize("filter", ["pagerank", "pagerank-symmetric"])
def test_many_hops_of_pagerank_are_its_closed_form(filter: str) -> None:
    A = random_graph(is_weighted=True).adjacency.toarray()
    P = dense_propagation(A, filter)
    closed = 0.2 * np.linalg.inv(np.eye(40) - 0.8 * P)
    coefficients = PageRank(restart=0.2, order=80).coefficients()
    series = sum(c * np.linalg.matrix_power(P, k) for k, c in enumerate(coefficients))
    assert np.allclose(series, closed, atol=1e-6)


def test_many_hops_of_heat_are_the_exponential() -> None:
    P = dense_propagation(random_graph(is_weighted=True).adjacency.toarray())
    coefficients = Heat(time=3.0, order=40).coefficients()
    series = sum(c * np.linalg.matrix_power(P, k) for k, c in enumerate(coefficients))
    assert np.allclose(series, scipy.linalg.expm(3 * (P - np.eye(40))), atol=1e-8)


def test_the_usual_hops() -> None:
    assert [len(kind().coefficients()) - 1 for kind in (Power, Symmetric, Lazy, Heat, Average)] == [2, 2, 2, 10, 10]
    # By 2/restart hops no more than an eighth of the walk has not restarted, whatever the restart.
    for restart in (0.3, 0.2, 0.1):
        coefficients = PageRank(restart=restart).coefficients()
        assert len(coefficients) - 1 == round(2 / restart)
        assert 0.08 < coefficients[-1] < 1 / 8


def test_only_pagerank_leaves_something_to_the_graph() -> None:
    for filter in (Power(), Symmetric(order=3), Lazy(), Heat(time=2.0), Average(), PageRank(restart=0.4)):
        assert filter.candidates() == (filter,)
        assert filter.usual() == filter
    left = PageRank(order=4, normalization="symmetric")
    assert [candidate.restart for candidate in left.candidates()] == [0.3, 0.2, 0.1]
    assert left.usual() == PageRank(restart=0.2, order=4, normalization="symmetric")
    assert {(candidate.order, candidate.normalization) for candidate in left.candidates()} == {(4, "symmetric")}


@pytest.mark.parametrize("kind", [Power, Symmetric, Lazy])
def test_levels_are_the_powers_of_one_matrix(kind: type[Power]) -> None:
    assert kind().at_levels(3, "MoSCE") == (kind(order=1), kind(order=2), kind(order=3))
    with pytest.raises(InputError, match=rf"Set levels, and leave the order of {kind.__name__}\(order=2\) out"):
        MoSCE(filter=kind(order=2)).fit(random_graph())


@pytest.mark.parametrize("filter", ["pagerank", "heat", "average", Heat(time=2.0)])
def test_a_series_has_no_levels(filter: str | Filter) -> None:
    with pytest.raises(
        InputError, match=r"MoSCE takes the powers of one matrix, and .* is not a power of one\. Use filter="
    ):
        MoSCE(filter=filter).fit(random_graph())


def test_in_words() -> None:
    assert PageRank(restart=0.25).describe() == "pagerank, restart 0.25, 8 hops"
    assert Heat(time=2.0, order=3).describe() == "heat, time 2, 3 hops"
    assert Symmetric(order=3).describe() == "symmetric, 3 hops"


@pytest.mark.parametrize(
    ("filter", "message"),
    [
        (Power(order=-1), "The order parameter of Power must be an integer of at least 0. Got -1 instead."),
        (Symmetric(order=True), "The order parameter of Symmetric must be an integer of at least 0. Got True instead."),
        (Lazy(order="two"), "The order parameter of Lazy must be an integer of at least 0. Got 'two' instead."),
        (Average(order=1.5), "The order parameter of Average must be an integer of at least 0. Got 1.5 instead."),
        (
            Average(normalization="row"),
            "The normalization parameter of Average must be one of 'mean', 'symmetric'. Got 'row' instead.",
        ),
        (PageRank(restart=0.0), "The restart parameter of PageRank must be a finite number above 0. Got 0.0 instead."),
        (PageRank(restart=1.5), "The restart parameter of PageRank must be at most 1, a probability. Got 1.5 instead."),
        (PageRank(order=-2), "The order parameter of PageRank must be an integer of at least 0. Got -2 instead."),
        (Heat(time=-1), "The time parameter of Heat must be a finite number above 0. Got -1 instead."),
        (Heat(normalization=3), "The normalization parameter of Heat must be one of 'mean', 'symmetric'. Got 3 instead."),
    ],
    ids=repr,
)
def test_parameters_that_break_their_rule(filter: Filter, message: str) -> None:
    with pytest.raises(InputError) as caught:
        SCE(filter=filter).fit(random_graph())
    assert str(caught.value) == message
