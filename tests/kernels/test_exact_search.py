"""Nearest neighbours without an index against all pairs in double precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from near_vectors import distances
from sparsecut import Neighbors
from sparsecut.base.errors import InputError
from sparsecut.kernels import exact_search as exact
from sparsecut.kernels.exact_search import check_vectors, fingerprint


@pytest.mark.parametrize("metric", exact.METRICS)
@pytest.mark.parametrize("block", [1, 2**24])
def test_exact_neighbours_are_those_of_all_pairs(metric: str, block: int) -> None:
    Z = np.random.default_rng(1).normal(size=(150, 5)).astype(np.float32)
    D = distances(Z, metric)
    np.fill_diagonal(D, np.inf)
    rows = exact.prepare(Z, metric)
    positions = exact.exact_nearest(rows, rows, 8, metric, block=block)[:, 1:]  # the nearest to a row is itself
    np.testing.assert_array_equal(positions, np.argsort(D, axis=1, kind="stable")[:, :7])
    np.testing.assert_array_equal(positions, Neighbors(Z, metric=metric).nearest(7).positions)
    found = exact.distances_to(rows, rows, positions, metric, block)
    np.testing.assert_allclose(found, np.sort(D, axis=1)[:, :7], rtol=1e-4, atol=1e-6)


@given(
    arrays(np.float32, st.tuples(st.integers(2, 12), st.integers(1, 4)), elements=st.integers(-3, 3).map(float)),
    st.sampled_from(exact.METRICS),
    st.integers(1, 14),
)
@settings(deadline=None, max_examples=60)
def test_ties_zeros_and_duplicates_keep_the_order_of_distance(Z: np.ndarray, metric: str, k: int) -> None:
    D = distances(Z, metric)
    np.fill_diagonal(D, np.inf)
    found = Neighbors(Z, metric=metric).nearest(k)
    n = len(Z)
    assert found.positions.shape == (n, min(k, n - 1))
    for node in range(n):
        row = found.positions[node]
        assert node not in row
        assert len(set(row.tolist())) == len(row)
        np.testing.assert_allclose(D[node, row], np.sort(D[node])[: len(row)], atol=1e-5)


@pytest.mark.parametrize("metric", exact.METRICS)
@pytest.mark.parametrize("width", [1, 3, 16, 33])
def test_equal_rows_come_in_the_order_of_their_positions(metric: str, width: int) -> None:
    """Forty rows of one vector, wherever the product rounds them otherwise; then groups of equal rows among others."""
    generator = np.random.default_rng(width)
    found = Neighbors(np.tile(generator.normal(size=width).astype(np.float32), (40, 1)), metric=metric)
    assert found.query(0, 3).positions.tolist() == [[1, 2, 3]]
    assert found.query(39, 3).positions.tolist() == [[0, 1, 2]]
    assert found.nearest(3).positions[2].tolist() == [0, 1, 3]
    kinds = generator.integers(0, 12, 200)
    Z = generator.normal(size=(12, width)).astype(np.float32)[kinds]
    D = distances(Z, metric)
    if metric == "euclidean" or width > 1:  # of length one, all numbers of one sign are equal
        for row in range(200):
            for other in range(12):  # distances in double precision round too
                same = np.flatnonzero(kinds == other)
                D[row, same] = D[row, same[0]]
        np.fill_diagonal(D, np.inf)
        np.testing.assert_array_equal(
            Neighbors(Z, metric=metric).nearest(30).positions, np.argsort(D, axis=1, kind="stable")[:, :30]
        )


def test_ties_between_rows_that_differ_go_by_position() -> None:
    """Points of a grid, whose distances are exact: a row of ten, and each has two neighbours as near as one another."""
    Z = np.arange(10, dtype=np.float32)[:, None]
    near = Neighbors(Z, metric="euclidean").nearest(1).positions[:, 0].tolist()
    assert near == [1, 0, 1, 2, 3, 4, 5, 6, 7, 8]
    assert Neighbors(Z[::-1].copy(), metric="euclidean").nearest(1).positions[:, 0].tolist() == near
    zeros = np.zeros((30, 4), dtype=np.float32)
    zeros[::2] = -0.0
    assert Neighbors(zeros, metric="euclidean").query(29, 4).positions.tolist() == [[0, 1, 2, 3]]


@pytest.mark.parametrize("metric", exact.METRICS)
def test_equal_rows_are_equal_wherever_the_product_rounds_them(metric: str) -> None:
    """A matrix product sums up the last columns of its blocks in another order."""
    generator = np.random.default_rng(0)
    for n_rows in (41, 43, 47, 333):
        for width in (33, 64, 100):
            Z = np.tile(generator.normal(size=width).astype(np.float32), (n_rows, 1))
            assert Neighbors(Z, metric=metric).query(0, 3).positions.tolist() == [[1, 2, 3]], (n_rows, width)


Z = np.arange(6, dtype=np.float32).reshape(3, 2)


def test_numbers_of_any_kind_become_float32() -> None:
    assert check_vectors([[1, 2], [3, 4]]).tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert check_vectors(np.eye(2, dtype=bool)).dtype == np.float32


@pytest.mark.parametrize("wrong", [np.arange(3), np.empty((0, 2)), [["a"]], np.zeros((2, 0))], ids=str)
def test_what_is_no_matrix_of_numbers_is_refused(wrong: Any) -> None:
    with pytest.raises(InputError, match="must be a matrix of numbers, one row per node"):
        check_vectors(wrong)


def test_rows_that_are_not_finite_are_counted_and_the_first_is_named() -> None:
    with pytest.raises(InputError, match=r"2 are not, the first in row 1\."):
        check_vectors([[0.0, 1.0], [np.nan, 1.0], [np.inf, 2.0]])


def test_a_fingerprint_is_of_every_number_every_id_and_their_order() -> None:
    ids = ["a", "b", "c"]
    mark = fingerprint(Z, ids)
    assert fingerprint(np.asfortranarray(Z), np.array(ids)) == mark
    changed = Z.copy()
    changed[2, 1] = np.nextafter(changed[2, 1], np.float32(9))
    others = [(changed, ids), (Z[::-1], ids), (Z, ["b", "a", "c"]), (Z.reshape(2, 3), ids[:2]), (Z, [0, 1, 2])]
    assert len({mark, *(fingerprint(*other) for other in others)}) == 6
