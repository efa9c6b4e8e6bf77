"""An approximate index: the recall it states is the recall it has."""

from __future__ import annotations

import numpy as np
import pytest

from near_vectors import clustered
from sparsecut import Neighbors
from sparsecut.kernels import exact_search as exact
from sparsecut.kernels import inverted


@pytest.mark.parametrize("metric", exact.METRICS)
def test_an_index_finds_what_it_says_it_finds(metric: str) -> None:
    Z = clustered()
    near = Neighbors(Z, metric=metric, index="approximate", recall=0.97)
    assert not near.is_exact
    assert near.recall_ >= 0.97
    true, found = Neighbors(Z, metric=metric, index="exact").nearest(10), near.nearest(10)
    share = (found.distances <= true.distances[:, -1:] + 1e-5).mean()
    assert abs(share - near.recall_) < 0.03
    assert f"{near.recall_:.4f}" in repr(near)


def test_a_recall_of_one_looks_into_every_list_if_it_must() -> None:
    Z = np.random.default_rng(0).normal(size=(3000, 24)).astype(np.float32)  # no structure: the hardest case
    low, high = (Neighbors(Z, index="approximate", recall=recall) for recall in (0.3, 1.0))
    assert high.recall_ == 1.0
    assert low._index.n_probed < high._index.n_probed


def test_the_same_seed_gives_the_same_index() -> None:
    first, second = (Neighbors(clustered(), index="approximate", random_state=3) for _ in range(2))
    np.testing.assert_array_equal(first._index.list_of, second._index.list_of)


def test_another_order_of_the_vectors_has_the_same_centroids_and_lists() -> None:
    Z = clustered()
    order = np.random.default_rng(1).permutation(len(Z))
    first, second = (Neighbors(Z[rows], rows, index="approximate") for rows in (np.arange(len(Z)), order))
    np.testing.assert_array_equal(first._index.centroids, second._index.centroids)
    np.testing.assert_array_equal(first._index.list_of[order], second._index.list_of)
    assert (first.recall_, first._index.n_probed) == (second.recall_, second._index.n_probed)


def test_recall_counts_equal_vectors_as_found() -> None:
    vectors = np.zeros((30, 2), dtype=np.float32)
    vectors[:, 0] = 1
    found = np.tile(np.arange(11), (5, 1))
    recall = inverted.measure_recall(found, vectors, np.arange(20, 25), "cosine", np.zeros(5, dtype=np.float32))
    assert recall == 1.0
    vectors[:, 1] = np.arange(30)
    assert inverted.measure_recall(found, vectors, np.arange(20, 25), "euclidean", np.full(5, 5.0, dtype=np.float32)) == 0
