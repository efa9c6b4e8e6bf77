"""A refit rotated onto the vectors before it: min_R ‖Z·R − Z₀‖ over orthogonal R, which keeps all distances and angles.

With ZᵀZ₀ = U Σ Vᵀ the best rotation is R = U Vᵀ (Schönemann, 1966). Channels are rotated each within its own columns where
they are the same as before; where they are not, R mixes their columns and the embedding becomes a mean over the levels:

    [S₁W₁ … S_kW_k]·R = Σ_l S_l·(W_l·R_l),   R_l the rows of R that belong to W_l

Rows are multiplied a block at a time in float32, as they are, and added up in float64.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.kernels.moments import ROW_BLOCK
from sparsecut.operators.recipe import Recipe

Rows = NDArray[np.float32]
Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Aligned:
    """What was fitted, rotated."""

    embedding: Rows
    weights: list[Rows]
    offset: Rows
    recipe: Recipe
    residual: float  # ‖Z·R − Z₀‖ / ‖Z₀‖


def align(Z: Rows, before: Rows, weights: list[Rows], offset: Rows, recipe: Recipe, *, by_channel: bool = False) -> Aligned:
    """Rotate an embedding and its weights onto earlier vectors of the same nodes, as wide.

    `by_channel` rotates each channel within its columns: those of the earlier vectors must be the same.
    """
    ends = np.cumsum([matrix.shape[1] for matrix in weights])[:-1]
    by_channel = by_channel and recipe.aggregation == "concat"
    if recipe.aggregation == "max":
        R = np.eye(Z.shape[1])  # entries of different levels are compared: no rotation commutes with that
    elif by_channel:
        rotations = map(rotation, np.split(Z, ends, axis=1), np.split(before, ends, axis=1))
        R = sp.block_diag([sp.coo_array(each) for each in rotations]).toarray()
    else:
        R = rotation(Z, before)
    rotated, residual = _rotated(Z, before, R, ends if by_channel else ends[:0])
    if by_channel:
        starts = (0, *ends)
        turned = [
            matrix @ R[start : start + matrix.shape[1], start : start + matrix.shape[1]]
            for matrix, start in zip(weights, starts, strict=True)
        ]
    elif recipe.aggregation == "concat":
        parts = np.split(R, ends)
        turned = [matrix @ part * len(weights) for matrix, part in zip(weights, parts, strict=True)]
        recipe = replace(recipe, aggregation="mean")
    else:
        turned = [matrix @ R for matrix in weights]
    single = [matrix.astype(np.float32) for matrix in turned]
    return Aligned(rotated, single, (offset @ R).astype(np.float32), recipe, residual)


def rotation(Z: Rows, before: Rows) -> Matrix:
    """R of min ‖Z·R − Z₀‖, (d, d₀), with orthonormal rows."""
    shared = np.zeros((Z.shape[1], before.shape[1]))
    for rows in _blocks(Z):
        shared += Z[rows].T @ before[rows]
    U, _, V = np.linalg.svd(shared, full_matrices=False)
    return np.asarray(U @ V)


def _rotated(Z: Rows, before: Rows, R: Matrix, ends: NDArray[np.int64]) -> tuple[Rows, float]:
    """Z·R, and how far it is from earlier rows as a share of their length; R is zero between columns that `ends` part."""
    rotated, single = np.empty((len(Z), R.shape[1]), dtype=np.float32), R.astype(np.float32)
    parts = [slice(first, end) for first, end in zip((0, *ends), (*ends, len(R)), strict=True)]
    apart = size = 0.0
    for rows in _blocks(Z):
        for part in parts:
            columns = part if len(parts) > 1 else slice(None)
            rotated[rows, columns] = Z[rows, part] @ single[part, columns]
        apart, size = apart + _squares(rotated[rows] - before[rows]), size + _squares(before[rows])
    return rotated, math.sqrt(apart / size) if size > 0 else 0.0


def _squares(rows: Rows) -> float:
    return float(np.einsum("ij,ij->i", rows, rows).sum(dtype=np.float64))


def _blocks(rows: Rows) -> list[slice]:
    return [slice(start, start + ROW_BLOCK) for start in range(0, len(rows), ROW_BLOCK)]
