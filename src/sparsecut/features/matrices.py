"""Features as a matrix of any kind, an array, scipy's CSR, a dense tensor or torch's CSR: what weighting asks of each.

Dense rows in the host's memory are read in blocks, whose pages of a memory map are handed back.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.kernels.either import concatenate, is_tensor, on_device_of, positions, segment_sums
from sparsecut.kernels.streaming import blocks_of_entries, release, row_blocks, value_blocks

NUMBERS_AT_ONCE = 1 << 28  # of dense rows of a tensor that become float64, or are compared, at a time


def is_sparse(features: Any) -> bool:
    return str(features.layout) != "torch.strided" if is_tensor(features) else bool(sp.issparse(features))


def n_stored(features: Any) -> int:
    """The numbers that are stored: all of dense features."""
    if is_tensor(features):
        return int(features.values().numel() if is_sparse(features) else features.numel())
    return int(features.nnz if sp.issparse(features) else features.size)


def stored_blocks(features: Any) -> Iterator[Any]:
    """The stored numbers, block by block."""
    if not is_tensor(features):
        return value_blocks(features)
    return iter([features.values()] if is_sparse(features) else _dense_blocks(features))


def stored_entries(features: Any) -> tuple[Any, Any]:
    """The columns and the numbers of the entries of sparse features."""
    return (features.col_indices(), features.values()) if is_tensor(features) else (features.indices, features.data)


def column_counts(features: Any) -> Any:
    """How many rows have something in each column, int64."""
    n_columns = features.shape[1]
    if is_tensor(features):
        if is_sparse(features):
            return features.col_indices()[features.values() != 0].bincount(minlength=n_columns)
        return sum((block != 0).sum(dim=0) for block in _dense_blocks(features))
    counts = np.zeros(n_columns, dtype=np.int64)
    if sp.issparse(features):
        for _, places in _entry_blocks(features):
            counts += np.bincount(features.indices[places][features.data[places] != 0], minlength=n_columns)
        return counts
    for rows in row_blocks(len(features), 4 * n_columns):
        counts += np.count_nonzero(features[rows], axis=0)
        release(features, rows)
    return counts


def row_lengths(features: Any) -> Any:
    """The Euclidean length of every row, float64."""
    if is_tensor(features):
        import torch

        if is_sparse(features):
            return segment_sums(features.values().double().square(), features.crow_indices()).sqrt()
        norms = [torch.linalg.vector_norm(block, dim=1, dtype=torch.float64) for block in _dense_blocks(features)]
        return concatenate(norms)
    lengths = np.empty(features.shape[0])
    if sp.issparse(features):
        for rows, places in _entry_blocks(features):
            starts = features.indptr[rows.start : rows.stop + 1] - places.start
            lengths[rows] = np.sqrt(segment_sums(features.data[places].astype(np.float64) ** 2, starts))
        return lengths
    for rows in row_blocks(len(features), 4 * features.shape[1]):
        lengths[rows] = np.sqrt(np.einsum("ij,ij->i", features[rows], features[rows], dtype=np.float64))
        release(features, rows)
    return lengths


def times_columns(features: Any, factors: NDArray[np.float32]) -> Any:
    """Every column times its factor."""
    if is_tensor(features):
        here = on_device_of(features, factors)
        if is_sparse(features):
            return _with_values(features, features.values() * here[features.col_indices()])
        return features * here
    return sp.csr_array(features * factors[None, :]) if sp.issparse(features) else features * factors


def times_rows(features: Any, factors: Any) -> Any:
    """Every row times its factor, in float32."""
    if is_tensor(features):
        if is_sparse(features):
            of_entries = factors.float().repeat_interleave(features.crow_indices().diff())
            return _with_values(features, features.values() * of_entries)
        return features.float() * factors.float()[:, None]
    factors = factors.astype(np.float32)
    return sp.csr_array(sp.diags_array(factors) @ features) if sp.issparse(features) else features * factors[:, None]


def rows_between(features: Any, rows: slice) -> Any:
    """Consecutive rows; all of them are the features themselves."""
    if rows == slice(0, features.shape[0]):
        return features
    return rows_at(features, positions(rows, features)) if is_tensor(features) and is_sparse(features) else features[rows]


def rows_at(features: Any, places: Any) -> Any:
    """Some rows, by their positions, sparse where the features are."""
    if not is_tensor(features) or not is_sparse(features):
        return features[places]
    from sparsecut.kernels.entries import Entries, csr_tensor

    taken = Entries(features.col_indices(), features.crow_indices(), features.values()).of_rows(places)
    assert taken.values is not None
    return csr_tensor(taken.offsets, taken.indices, taken.values, (len(places), features.shape[1]))


def stacked(parts: list[Any]) -> Any:
    """Rows one after another, sparse where the parts are."""
    if len(parts) == 1:
        return parts[0]
    if is_tensor(parts[0]) and is_sparse(parts[0]):
        from sparsecut.kernels.entries import csr_tensor

        counts = concatenate([part.crow_indices().diff() for part in parts])
        offsets = concatenate([counts.new_zeros(1), counts.cumsum(0).to(counts.dtype)])
        columns, values = (concatenate([getattr(part, of)() for part in parts]) for of in ("col_indices", "values"))
        return csr_tensor(offsets, columns, values, (len(counts), parts[0].shape[1]))
    return sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else concatenate(parts)


def _dense_blocks(features: Any) -> Any:
    return features.split(max(1, NUMBERS_AT_ONCE // features.shape[1]))


def _entry_blocks(features: sp.csr_array) -> Iterator[tuple[slice, slice]]:
    """(rows, entries) of blocks of whole rows."""
    for rows in blocks_of_entries(features.indptr):
        yield rows, slice(int(features.indptr[rows.start]), int(features.indptr[rows.stop]))


def _with_values(features: Any, values: Any) -> Any:
    from sparsecut.kernels.entries import csr_tensor

    n_rows, n_columns = features.shape
    return csr_tensor(features.crow_indices(), features.col_indices(), values, (n_rows, n_columns))
