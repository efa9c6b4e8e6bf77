"""Neighbour lists that change, against a dense matrix."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from sparsecut.updates.neighbor_lists import EntryChanges, NeighborLists


def random_changes(dense: np.ndarray, generator: np.random.Generator, n_changes: int) -> EntryChanges:
    places = np.sort(generator.choice(dense.size, n_changes, replace=False))
    weights = generator.uniform(0.5, 2, n_changes).astype(np.float32) * (generator.random(n_changes) < 0.6)
    rows, columns = np.unravel_index(places, dense.shape)
    return EntryChanges(rows, columns, weights.astype(np.float32))


@pytest.mark.parametrize("is_compiled", [False, True])
def test_hundreds_of_changes_leave_the_matrix_that_a_dense_one_is(is_compiled: bool) -> None:
    generator = np.random.default_rng(0)
    dense = (generator.random((30, 30)) * (generator.random((30, 30)) < 0.1)).astype(np.float32)
    lists = NeighborLists(sp.csr_array(dense))
    if is_compiled:
        lists.loops = pytest.importorskip("sparsecut.updates.list_loops")
    for step in range(120):
        if step % 40 == 39:
            lists.extend(2)
            dense = np.pad(dense, (0, 2))
        changes = random_changes(dense, generator, 12)
        rows, sums = lists.change(changes)
        dense[changes.rows, changes.columns] = changes.weights
        assert rows.tolist() == sorted(set(changes.rows.tolist()))
        np.testing.assert_allclose(sums, dense[rows].sum(axis=1), rtol=1e-6)
        assert lists.n_entries == np.count_nonzero(dense)
        some = generator.permutation(len(dense))[:7]
        taken = lists.take(some)
        for number, row in enumerate(some):
            here = slice(taken.offsets[number], taken.offsets[number + 1])
            assert taken.columns[here].tolist() == np.flatnonzero(dense[row]).tolist()
            np.testing.assert_array_equal(taken.weights[here], dense[row][dense[row] > 0])
        ends = generator.integers(0, len(dense), (2, 20))
        np.testing.assert_array_equal(lists.weights_of(*ends), dense[tuple(ends)])
        if step % 7 == 0:
            np.testing.assert_array_equal(lists.csr().toarray(), dense)
    whole = lists.csr()
    assert whole.has_sorted_indices
    np.testing.assert_array_equal(whole.toarray(), dense)
    np.testing.assert_array_equal(lists.csr().toarray(), dense)


def test_the_pool_stays_within_twice_what_it_holds() -> None:
    generator = np.random.default_rng(1)
    dense = np.ones((60, 60), dtype=np.float32)
    lists = NeighborLists(sp.csr_array(dense))
    for _ in range(300):
        lists.change(EntryChanges(np.array([3]), np.array([int(generator.integers(60))]), np.ones(1, dtype=np.float32) * 2))
    assert lists._used <= 2 * lists.n_entries
