"""Walks against dense powers of P, whole and cut short."""

from __future__ import annotations

import numpy as np
import pytest

import sparsecut as sc
from sparsecut.links.source_walks import StepMatrix, listed_rows, walk_from

GENERATOR = np.random.default_rng(0)
A = np.triu((GENERATOR.random((30, 30)) < 0.12) * GENERATOR.integers(1, 4, (30, 30)), 1).astype(float)
A += A.T
ADJACENCY = sc.Graph(A).adjacency
FILTERS = [sc.Power(order=2), sc.Symmetric(order=2), sc.Lazy(order=3), sc.PageRank(restart=0.1), sc.Power(order=0)]


def dense(filter: sc.Filter) -> np.ndarray:
    d = 1 + A.sum(axis=1)
    if isinstance(filter, sc.Symmetric):
        return (A + np.eye(30)) / np.sqrt(np.outer(d, d))
    P = (A + np.eye(30)) / d[:, None]
    return (np.eye(30) + P) / 2 if isinstance(filter, sc.Lazy) else P


@pytest.mark.parametrize("filter", FILTERS, ids=str)
def test_a_whole_walk_is_the_row_of_the_filter(filter):
    P, coefficients = dense(filter), filter.coefficients()
    S = sum(c * np.linalg.matrix_power(P, k) for k, c in enumerate(coefficients))
    matrix = StepMatrix(ADJACENCY, filter)
    values = GENERATOR.normal(size=30)
    later = sum((c * np.linalg.matrix_power(P, k) for k, c in enumerate(coefficients[1:])), np.zeros((30, 30))) @ values
    for node in (0, 7, 29):
        walk = walk_from(matrix, node, filter.n_hops, 10_000)
        assert walk.is_whole
        found = np.zeros(30)
        found[walk.nodes] = walk.row(coefficients)
        np.testing.assert_allclose(found, S[node], atol=1e-12)
        through = np.zeros(30)
        np.add.at(through, *walk.through(coefficients, values[walk.nodes]))
        expected = P[node] * later
        expected[node] += coefficients[0] * values[node]
        np.testing.assert_allclose(through, expected, atol=1e-12)
    x = GENERATOR.normal(size=30)
    np.testing.assert_allclose(matrix.transposed(x), P.T @ x, atol=1e-12)


def test_a_walk_that_is_cut_short_is_the_filter_of_the_rows_it_follows():
    filter = sc.PageRank(restart=0.1)
    P, coefficients = dense(filter), filter.coefficients()
    walk = walk_from(StepMatrix(ADJACENCY, filter), 3, filter.n_hops, 25)
    assert not walk.is_whole
    followed = walk.nodes[np.diff(walk.steps.indptr) > 0]
    assert (np.diff(ADJACENCY.indptr)[followed] + 1)[followed != 3].sum() <= 25
    T = np.zeros((30, 30))
    T[followed] = P[followed]
    S = sum(c * np.linalg.matrix_power(T, k) for k, c in enumerate(coefficients))
    found = np.zeros(30)
    found[walk.nodes] = walk.row(coefficients)
    np.testing.assert_allclose(found, S[3], atol=1e-12)


def test_rows_are_listed_as_they_stand():
    rows, columns, weights = listed_rows(ADJACENCY, np.array([4, 0, 4]))
    for number, node in enumerate((4, 0, 4)):
        np.testing.assert_array_equal(columns[rows == number], np.flatnonzero(A[node]))
        np.testing.assert_array_equal(weights[rows == number], A[node][A[node] > 0])
