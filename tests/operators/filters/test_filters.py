"""Every filter against its dense definition, and what a filter says of itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
import torch

from conftest import random_graph
from filter_cases import FILTERS, make_filter
from reference import dense_filter, dense_propagation
from sparsecut import SCE, Graph, InputError, MoSCE
from sparsecut.engines import MemoryEngine
from sparsecut.features.weighting import Weighting
from sparsecut.operators.filters import Average, Filter, Heat, Lazy, PageRank, Paired, Power, Symmetric
from sparsecut.operators.filters.series import ERROR

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
    assert [len(kind().coefficients()) - 1 for kind in (Power, Symmetric, Lazy, Paired, Heat, Average)] == [2, 2, 2, 3, 4, 6]
    # By 2/restart hops no more than an eighth of the walk has not restarted, whatever the restart.
    for restart, n_hops in ((0.3, 4), (0.2, 6), (0.1, 8)):
        series = PageRank(restart=restart).series()
        assert len(series) - 1 == round(2 / restart)
        assert 0.08 < series[-1] < 1 / 8
        assert len(PageRank(restart=restart).coefficients()) - 1 == n_hops


@pytest.mark.parametrize("normalization", ["mean", "symmetric"])
@pytest.mark.parametrize(
    ("filter", "response"),
    [
        (Heat(time=0.5), lambda x: np.exp(0.5 * (x - 1))),
        (Heat(time=20.0), lambda x: np.exp(20 * (x - 1))),
        (Average(), lambda x: sum(x**k for k in range(11)) / 11),
        (PageRank(restart=0.1), lambda x: sum(0.1 * 0.9**k * x**k for k in range(20)) + 0.9**20 * x**20),
        (PageRank(restart=0.05), lambda x: sum(0.05 * 0.95**k * x**k for k in range(40)) + 0.95**40 * x**40),
    ],
    ids=lambda value: repr(value) if isinstance(value, Filter) else "",
)
def test_the_response_of_a_series_is_within_its_stated_error(
    filter: Heat | Average | PageRank, response: Callable[[Any], Any], normalization: Literal["mean", "symmetric"]
) -> None:
    """On every eigenvector of P, by the engine's hops in float32."""
    graph = random_graph(is_weighted=True)
    filter = type(filter)(**{**filter.get_params(deep=False), "normalization": normalization})
    A = graph.adjacency.toarray()
    values, vectors = np.linalg.eig(dense_propagation(A, "symmetric" if normalization == "symmetric" else "row"))
    assert np.abs(values.imag).max() < 1e-9
    rows = np.ascontiguousarray(vectors.real, dtype=np.float32)
    loaded = ENGINE.load(graph, Weighting("none"), filter, rows)
    smoothed = ENGINE.smooth(loaded, filter.coefficients()) @ torch.eye(40)
    responses = (smoothed.double().numpy() * vectors.real).sum(axis=0)  # the eigenvectors have length 1
    assert np.allclose(smoothed.double().numpy(), vectors.real * responses, atol=2e-5)
    assert np.abs(responses - response(values.real)).max() <= ERROR * 1.01
    assert np.abs(responses - response(values.real)).max() > 1e-4  # not the whole series


def test_a_directed_graph_takes_the_series_itself() -> None:
    """The eigenvalues of a directed ring lie on a circle, where the short polynomial is far off."""
    assert PageRank(restart=0.1).on_directed() == PageRank(restart=0.1, order=20)
    assert Average(order=3).on_directed() == Average(order=3)
    assert Power().on_directed() == Power()
    z = (1 + np.exp(2j * np.pi * np.arange(12) / 12)) / 2
    short, series = (
        np.polynomial.polynomial.polyval(z, f.coefficients())
        for f in (PageRank(restart=0.1), PageRank(restart=0.1, order=20))
    )
    assert np.abs(short - series).max() > 2 * ERROR
    ring = sp.csr_array((np.ones(12), (np.arange(12), (np.arange(12) + 1) % 12)), shape=(12, 12))
    features = np.random.default_rng(0).normal(size=(12, 3)).astype(np.float32)
    graph = Graph(ring, features=features, directed="out")
    model = SCE(filter=PageRank(restart=0.1)).fit(graph)
    assert model.recipe_.filters == (PageRank(restart=0.1, order=20),)
    smoothed = dense_filter(ring.toarray(), "pagerank", 20, 0.1) @ features
    assert np.allclose(model.transform(graph), smoothed @ model.weights_[0] - model.offset_, atol=1e-4)
    undirected = SCE(filter=PageRank(restart=0.1)).fit(Graph(ring + ring.T, features=features))
    assert undirected.recipe_.filters == (PageRank(restart=0.1),)


def test_only_pagerank_leaves_something_to_the_graph() -> None:
    for filter in (Power(), Symmetric(order=3), Lazy(), Heat(time=2.0), Average(), PageRank(restart=0.4)):
        assert filter.candidates() == (filter,)
        assert filter.usual() == filter
    left = PageRank(order=4, normalization="symmetric")
    assert [candidate.restart for candidate in left.candidates()] == [0.3, 0.2, 0.1]
    assert left.usual() == PageRank(restart=0.4, order=4, normalization="symmetric")
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
    assert PageRank(restart=0.25).describe() == "PageRank, restart 0.25"
    assert PageRank(restart=0.25).n_hops == 5
    assert Heat(time=2.0, order=3).describe() == "Heat, time 2"
    assert Symmetric(order=3).describe() == "Symmetric, 3 hops"
    assert Symmetric(order=1).describe() == "Symmetric, 1 hop"


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
