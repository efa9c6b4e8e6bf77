"""The sparse kernel against dense products."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from any_graph import graphs
from sparsecut.graph import Graph
from sparsecut.kernels.sparse import SparseMatrix, entries_of
from sparsecut.kernels.transfer import as_tensor

CPU = torch.device("cpu")


def random_sparse(n_rows: int, n_columns: int, density: float, seed: int) -> sp.csr_array:
    return sp.random_array((n_rows, n_columns), density=density, rng=np.random.default_rng(seed), dtype=np.float32).tocsr()


@given(st.integers(1, 12), st.integers(1, 12), st.integers(1, 9), st.floats(0, 1), st.integers(0, 99))
def test_products_match_dense(n_rows: int, n_columns: int, width: int, density: float, seed: int) -> None:
    matrix = random_sparse(n_rows, n_columns, density, seed)
    X = np.random.default_rng(seed).normal(size=(n_columns, width))
    sparse = SparseMatrix(matrix, CPU)
    assert np.allclose(sparse @ torch.from_numpy(X), matrix.toarray() @ X, atol=1e-12)
    Y = np.random.default_rng(seed).normal(size=(n_rows, width))
    assert np.allclose(sparse.T @ torch.from_numpy(Y), matrix.toarray().T @ Y, atol=1e-12)


def test_64_bit_indices_give_the_same_product() -> None:
    matrix = random_sparse(30, 20, 0.2, 0)
    wide = matrix.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    X = torch.randn(20, 5, generator=torch.Generator().manual_seed(0))
    assert torch.equal(SparseMatrix(matrix, CPU) @ X, SparseMatrix(wide, CPU) @ X)


def test_a_read_only_array_becomes_a_tensor_without_a_copy_or_a_warning() -> None:
    array = np.ones(3, dtype=np.float32)
    array.flags.writeable = False
    assert as_tensor(array, CPU).data_ptr() == array.ctypes.data


@settings(deadline=None)
@given(graphs(), st.randoms(use_true_random=False))
def test_entries_of_edges_are_where_they_stand(graph: Graph, random: Any) -> None:
    A = graph.adjacency
    places = [(i, j) for i, j in zip(*A.nonzero(), strict=True) if graph.is_directed or i < j]
    edges = np.array(random.sample(places, len(places) // 2), dtype=np.int64).reshape(-1, 2).T
    wanted = [*edges.T.tolist(), *([] if graph.is_directed else edges[::-1].T.tolist())]
    found = entries_of(A, edges, is_directed=graph.is_directed)
    row_of_entry = np.repeat(np.arange(graph.n_nodes), np.diff(A.indptr))
    assert [[int(row_of_entry[entry]), int(A.indices[entry])] for entry in found] == wanted
