"""Weighting of features that are tensors, dense or CSR, on the device where they lie (`sparsecut.features.weighting`)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.base.errors import OverflowInputError
from sparsecut.kernels.entries import csr_tensor

NUMBERS_AT_ONCE = 1 << 28  # of dense rows that become float64, or are compared, at a time


def apply(columns: NDArray[np.float32] | None, features: Tensor) -> Tensor:
    """Columns times their weights, then every row divided by its length, in float32."""
    if columns is not None:
        factors = torch.from_numpy(columns).to(features.device)
        features = (
            _with_values(features, features.values() * factors[features.col_indices()])
            if is_sparse(features)
            else (features * factors)
        )
    lengths = row_lengths(features)
    if not bool(lengths.isfinite().all()):
        raise OverflowInputError("The weighted features overflow. Scale the features down.")
    scale = (1 / torch.where(lengths > 0, lengths, 1)).float()
    if is_sparse(features):
        counts = features.crow_indices().diff()
        return _with_values(features, features.values() * torch.repeat_interleave(scale, counts))
    return features.float() * scale[:, None]


def column_counts(features: Tensor) -> NDArray[np.int64]:
    """How many rows have something in each column."""
    n_columns = features.shape[1]
    if is_sparse(features):
        counts = torch.bincount(features.col_indices()[features.values() != 0], minlength=n_columns)
    else:
        counts = sum((block != 0).sum(dim=0) for block in blocks(features))  # type: ignore[assignment]
    return counts.cpu().numpy()


def row_lengths(features: Tensor) -> Tensor:
    """The Euclidean length of every row, float64."""
    if is_sparse(features):
        squares = torch.segment_reduce(features.values().double().square(), "sum", offsets=features.crow_indices().long())
        return squares.sqrt()
    return torch.cat([torch.linalg.vector_norm(block, dim=1, dtype=torch.float64) for block in blocks(features)])


def values_of(features: Tensor) -> Iterator[Tensor]:
    """The stored numbers, block by block."""
    yield from [features.values()] if is_sparse(features) else blocks(features)


def blocks(features: Tensor) -> tuple[Tensor, ...]:
    return torch.split(features, max(1, NUMBERS_AT_ONCE // features.shape[1]))


def is_sparse(features: Tensor) -> bool:
    return features.layout != torch.strided


def _with_values(features: Tensor, values: Tensor) -> Tensor:
    n_rows, n_columns = features.shape
    return csr_tensor(features.crow_indices(), features.col_indices(), values, (n_rows, n_columns))
