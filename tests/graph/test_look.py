"""One look tells whether a matrix is canonical: against what is made of it by sorting and transposing."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsecut.graph.look import is_canonical


def brute_force(A: sp.csr_array, is_symmetric: bool) -> bool:
    rows = [A.indices[start:stop].tolist() for start, stop in zip(A.indptr, A.indptr[1:], strict=False)]
    if any(row != sorted(set(row)) or number in row for number, row in enumerate(rows)):
        return False
    if any(not 0 <= column < A.shape[1] for row in rows for column in row):
        return False
    if not all(np.isfinite(A.data)) or any(A.data <= 0):
        return False
    return not is_symmetric or np.array_equal(A.toarray(), A.toarray().T)


@pytest.mark.slow
@settings(deadline=None, max_examples=300)
@given(st.data())
def test_against_the_rules_one_by_one(data: st.DataObject) -> None:
    n_nodes = data.draw(st.integers(1, 6))
    kind = data.draw(st.sampled_from(["as drawn", "symmetric", "one entry changed"]))
    values = st.sampled_from([0, 0, 1, 1, 2]) if data.draw(st.booleans()) else st.sampled_from([0, 1])
    A = np.array(data.draw(st.lists(values, min_size=n_nodes**2, max_size=n_nodes**2)), dtype=np.float32)
    A = A.reshape(n_nodes, n_nodes)
    if kind != "as drawn":
        A = np.maximum(A, A.T)
        np.fill_diagonal(A, 0)
    if kind == "one entry changed":
        i, j = (data.draw(st.integers(0, n_nodes - 1)) for _ in range(2))
        A[i, j] = data.draw(st.sampled_from([0, 1, 3, -1, np.inf, np.nan]))
    matrix = sp.csr_array(A)
    for is_symmetric in (True, False):
        assert is_canonical(matrix, is_symmetric=is_symmetric) == brute_force(matrix, is_symmetric)


@pytest.mark.parametrize(
    ("indices", "indptr"),
    [([1, 0, 2, 1], [0, 1, 3, 4]), ([1, 2, 0, 1], [0, 1, 3, 4]), ([1, 0, 0, 1], [0, 1, 3, 4]), ([1, 0, 3, 1], [0, 1, 3, 4])],
    ids=["canonical", "not sorted", "a repeat", "beyond the columns"],
)
def test_matrices_that_scipy_holds_as_they_are(indices: list[int], indptr: list[int]) -> None:
    A = sp.csr_array((3, 3), dtype=np.float32)
    A.data, A.indices, A.indptr = np.ones(4, dtype=np.float32), np.array(indices), np.array(indptr)
    assert is_canonical(A, is_symmetric=True) == (indices == [1, 0, 2, 1])
    assert not is_canonical(A.tocsc(), is_symmetric=True)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_in_blocks_and_on_threads(monkeypatch: pytest.MonkeyPatch, n_threads: int) -> None:
    """Every entry of a larger graph, changed alone, is noticed."""
    is_canonical_in_blocks = partial(is_canonical, block_bytes=256, min_entries=0)
    monkeypatch.setenv("OMP_NUM_THREADS", str(n_threads))
    generator = np.random.default_rng(0)
    upper = np.triu(generator.random((60, 60)) < 0.2, 1) * generator.uniform(0.5, 2, (60, 60))
    A = sp.csr_array((upper + upper.T).astype(np.float32))
    assert is_canonical_in_blocks(A, is_symmetric=True)
    for place in range(0, A.nnz, 7):
        changed = A.copy()
        changed.data[place] = np.nextafter(changed.data[place], np.float32(9))
        assert not is_canonical_in_blocks(changed, is_symmetric=True)
        assert is_canonical_in_blocks(changed, is_symmetric=False)


def test_a_loop_is_found_in_any_block() -> None:
    """Rows far from the first, whose own column lies beyond the width of their block; offsets in 64 bits too."""
    A = sp.csr_array(np.diag(np.ones(99, dtype=np.float32), 1))
    A = sp.csr_array(A + A.T)
    for place in (0, 42, 99):
        looped = sp.csr_array(A + sp.csr_array(([1.0], ([place], [place])), shape=A.shape), dtype=np.float32)
        wide = sp.csr_array((100, 100), dtype=np.float32)
        wide.data, wide.indices, wide.indptr = looped.data, looped.indices.astype(np.int64), looped.indptr.astype(np.int64)
        for matrix in (looped, wide):
            assert not is_canonical(matrix, is_symmetric=True, block_bytes=256)
    assert is_canonical(A, is_symmetric=True, block_bytes=256)
