"""Hops in panels against the dense product, whatever the panels' width, in float32 and in half precision."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from any_graph import graphs
from filter_cases import FILTERS, make_filter
from reference import dense_propagation
from sparsecut.graph import Graph
from sparsecut.kernels import hops
from sparsecut.kernels.halves import halved
from sparsecut.operators.propagation import Propagation

EPSILON = 2.0**-11  # a number rounded to float16 is off by no more, relative to itself
SMALLEST = 2.0**-25  # … and by no more than this however small it is: half the distance of two float16 near 0

CPU = torch.device("cpu")


def dense_polynomial(A: np.ndarray, filter: str, order: int, X: np.ndarray) -> np.ndarray:
    P = dense_propagation(A, filter)
    return sum(c * np.linalg.matrix_power(P, k) @ X for k, c in enumerate(make_filter(filter, order).coefficients()))


@settings(deadline=None)  # the first call of a kernel takes longer
@given(graphs(), st.sampled_from(FILTERS), st.integers(0, 4), st.integers(1, 7), st.integers(1, 3))
def test_panels_of_any_width_give_the_polynomial_of_p(graph: Graph, filter: str, order: int, width: int, step: int) -> None:
    P = Propagation.of(graph.adjacency, make_filter(filter), CPU, is_directed=graph.is_directed)
    A, X = graph.adjacency.toarray(), np.random.default_rng(0).normal(size=(graph.n_nodes, width)).astype(np.float32)
    rows, coefficients = torch.from_numpy(X), make_filter(filter, order).coefficients()
    whole = P.smooth(coefficients, rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hops, "panel_width", lambda *_: step)
        in_panels = P.smooth(coefficients, rows)
        transposed = P.T.smooth(coefficients, rows)
    assert torch.equal(in_panels, whole)
    assert np.allclose(whole, dense_polynomial(A, filter, order, X), atol=1e-5)
    powers = [np.linalg.matrix_power(dense_propagation(A, filter).T, k) for k in range(order + 1)]
    assert np.allclose(transposed, sum(c * power @ X for c, power in zip(coefficients, powers, strict=True)), atol=1e-4)
    assert np.array_equal(rows.numpy(), X)


@settings(deadline=None)  # the first call of a kernel takes longer
@given(graphs(), st.sampled_from(FILTERS), st.integers(1, 4))
def test_half_precision_stays_within_its_bound(graph: Graph, filter: str, order: int) -> None:
    """A hop rounds the rows it gathers, their sum and its result: three roundings of numbers whose sizes P averages.

    So the error of an entry is at most that many roundings of what P^k makes of |F|, entry by entry.
    """
    P = Propagation.of(graph.adjacency, make_filter(filter), CPU, is_directed=graph.is_directed)
    halves, scale = halved(torch.from_numpy(np.random.default_rng(0).normal(size=(graph.n_nodes, 5)).astype(np.float32)))
    X = halves.double().numpy()
    result = P.smooth(make_filter(filter, order).coefficients(), halves)
    assert result.dtype == torch.float16
    assert scale >= 1
    A = graph.adjacency.toarray()
    sizes = dense_polynomial(A, filter, order, np.abs(X))
    largest_row = dense_propagation(A, filter).sum(axis=1).max() ** order
    degree = 1 + A.sum(axis=1).max()
    bound = (3 * order + 2) * (EPSILON * sizes + SMALLEST * degree * largest_row) * 1.01
    assert (np.abs(result.double().numpy() - dense_polynomial(A, filter, order, X)) <= bound).all()


@pytest.mark.parametrize("weight", [1.0, 3.0])
@pytest.mark.parametrize("filter", ["row", "symmetric", "lazy"])
def test_a_hub_of_a_hundred_thousand_neighbors_does_not_overflow_halves(filter: str, weight: float) -> None:
    n_leaves = 100_000
    leaves, hub = np.arange(1, n_leaves + 1), np.zeros(n_leaves, dtype=np.int64)
    ends = np.concatenate([hub, leaves]), np.concatenate([leaves, hub])
    star = sp.csr_array((np.full(2 * n_leaves, weight, dtype=np.float32), ends), shape=(n_leaves + 1,) * 2)
    P = Propagation.of(star, make_filter(filter), CPU)
    ones = np.ones((n_leaves + 1, 1), dtype=np.float32)
    result = P.smooth((0.0, 0.0, 1.0), torch.from_numpy(ones).half()).float()
    expected = P.smooth((0.0, 0.0, 1.0), torch.from_numpy(ones))
    assert torch.allclose(result, expected, rtol=4 * EPSILON)


def test_a_panel_is_as_many_lines_as_the_cache_holds() -> None:
    assert hops.panel_width(232_965, 4) == 16
    assert hops.panel_width(232_965, 2) == 32
    assert hops.panel_width(2_708, 4) == 16 * (hops.CACHE_BYTES // (2_708 * 64))
    assert hops.panel_width(10_000_000, 4) * 4 == hops.WIDE_BYTES


def test_every_hop_of_every_panel_is_reported() -> None:
    P = Propagation.of(Graph(np.ones((4, 4)) - np.eye(4)).adjacency, make_filter("row"), CPU)
    reports: list[tuple[int, int]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hops, "panel_width", lambda *_: 2)
        P.smooth((0.0, 0.0, 1.0), torch.ones(4, 5), lambda *report: reports.append(report))
    assert reports == [(done, 6) for done in range(1, 7)]
