"""Features of every kind, arrays and tensors, dense and sparse, against numpy on the dense array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from as_tensors import CPU
from sparsecut.features import matrices
from sparsecut.graph.placing import features_on
from sparsecut.kernels.either import on_host

X = np.random.default_rng(0).integers(-2, 4, (11, 3)).astype(np.float32)
X[[0, 4, 10]] = 0
KINDS: dict[str, Any] = {
    "array": X,
    "sparse array": sp.csr_array(X),
    "tensor": torch.from_numpy(X),
    "sparse tensor": features_on(sp.csr_array(X), CPU),
}


def dense(features: Any) -> np.ndarray:
    return (
        features.toarray()
        if sp.issparse(features)
        else on_host(features.to_dense() if hasattr(features, "layout") else features)
    )


@pytest.fixture(params=KINDS)
def features(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(matrices, "NUMBERS_AT_ONCE", 6)  # two rows
    return KINDS[request.param]


def test_counts_and_lengths(features: Any) -> None:
    assert on_host(matrices.column_counts(features)).tolist() == (X != 0).sum(axis=0).tolist()
    np.testing.assert_allclose(on_host(matrices.row_lengths(features)), np.linalg.norm(X.astype(np.float64), axis=1))
    stored = np.concatenate([on_host(values).ravel() for values in matrices.stored_blocks(features)])
    assert np.array_equal(stored[stored != 0], X[X != 0])
    assert len(stored) == matrices.n_stored(features) == ((X != 0).sum() if matrices.is_sparse(features) else X.size)


def test_rows_and_columns_times_factors(features: Any) -> None:
    of_columns, of_rows = np.array([1, 0.5, 3], dtype=np.float32), np.arange(11, dtype=np.float64)
    here = torch.from_numpy(of_rows) if hasattr(features, "is_cuda") else of_rows
    assert np.array_equal(dense(matrices.times_columns(features, of_columns)), X * of_columns)
    assert np.array_equal(dense(matrices.times_rows(features, here)), X * of_rows[:, None].astype(np.float32))


def test_some_rows_and_rows_put_together(features: Any) -> None:
    places = np.array([9, 0, 3])
    here = torch.from_numpy(places) if hasattr(features, "is_cuda") else places
    assert np.array_equal(dense(matrices.rows_at(features, here)), X[places])
    parts = [matrices.rows_between(features, rows) for rows in (slice(0, 4), slice(4, 5), slice(5, 11))]
    assert np.array_equal(dense(parts[2]), X[5:])
    together = matrices.stacked(parts)
    assert np.array_equal(dense(together), X)
    assert matrices.is_sparse(together) == matrices.is_sparse(features)
    assert matrices.rows_between(features, slice(0, 11)) is features
