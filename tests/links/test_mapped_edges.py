"""Edges in memory maps, less some and turned round, against scipy, block by block."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from sparsecut.graph.linked_pairs import without_pairs
from sparsecut.kernels.streaming import is_mapped
from sparsecut.links.mapped_edges import in_folder, turned_round, without_entries

BLOCK = 256  # bytes: many blocks


def edges_in(folder: Path, *, is_weighted: bool) -> sp.csr_array:
    generator = np.random.default_rng(0)
    A = np.triu(generator.random((40, 40)) < 0.2, 1) * generator.integers(1, 5, (40, 40))
    A[7] = A[:, 7] = 0  # a row without entries
    A[39] = A[:, 39] = 0
    made = sp.csr_array((A + A.T).astype(np.float32))
    A = sp.csr_array(made.shape, dtype=np.float32)
    for name in ("indptr", "indices", "data"):
        np.save(folder / f"{name}.npy", getattr(made, name))
        setattr(A, name, np.load(folder / f"{name}.npy", mmap_mode="r"))
    if not is_weighted:
        A.data = np.broadcast_to(np.float32(1), A.nnz)
    return A


@pytest.mark.parametrize("is_weighted", [True, False])
def test_what_is_left_and_what_is_turned_round_is_what_scipy_makes(is_weighted, tmp_path):
    A = edges_in(tmp_path, is_weighted=is_weighted)
    upper = sp.triu(A, k=1).tocoo()
    pairs = np.column_stack([upper.row, upper.col])[::3].astype(np.int64)
    half = sp.triu(A, k=1).tocsr()
    for made, expected in (
        (lambda folder: without_entries(A, pairs, folder, BLOCK), without_pairs(A, pairs)),
        (lambda folder: turned_round(A, folder, BLOCK), A.T.tocsr()),
    ):
        found = in_folder(made, tmp_path)
        assert is_mapped(found)
        np.testing.assert_array_equal(found.indptr, expected.indptr)
        np.testing.assert_array_equal(found.indices, expected.indices)
        np.testing.assert_array_equal(found.data, expected.data)
        assert (found.data.strides == (0,)) is not is_weighted
    arcs = in_folder(lambda folder: turned_round(half, folder, BLOCK), tmp_path)
    np.testing.assert_array_equal(arcs.toarray(), half.toarray().T)


def test_no_edge_is_left_and_files_go_with_the_matrix(tmp_path):
    A = edges_in(tmp_path, is_weighted=True)
    before = {path.name for path in tmp_path.iterdir()}
    upper = sp.triu(A, k=1).tocoo()
    pairs = np.column_stack([upper.row, upper.col]).astype(np.int64)
    assert in_folder(lambda folder: without_entries(A, pairs, folder), tmp_path).nnz == 0
    kept = in_folder(lambda folder: without_entries(A, pairs[1:], folder), tmp_path)
    assert kept.nnz == 2
    assert len(list(tmp_path.glob("sparsecut-links-*"))) == 1  # that of no edge has gone
    del kept
    with pytest.raises(ZeroDivisionError):
        in_folder(lambda folder: 1 / 0, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == before
