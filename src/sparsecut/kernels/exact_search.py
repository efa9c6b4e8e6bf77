"""Nearest neighbours without an index: blocks of Q·Zᵀ, and the largest k of every row.

Cosine similarity is the inner product of rows of length one. For Euclidean distance

    ‖q − z‖² = ‖q‖² + ‖z‖² − 2·q·z

and the order over z is that of q·z − ‖z‖²/2: one matrix product serves both metrics. The k distances that are returned are
computed again from the differences, because the formula above loses the small ones to rounding.

Rows that are equal come in the order of their positions. The product rounds them differently, by where they stand in its
blocks, so all of them take the number of the first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.base.progress import Reporter

METRICS = ("cosine", "euclidean")
BLOCK = 2**24  # products held at a time: 64 MiB

Vectors = NDArray[np.float32]
Positions = NDArray[np.int64]


def prepare(embedding: Vectors, metric: str) -> Vectors:
    """The rows as the metric compares them: of length one for cosine. A row of zeros stays, similar to nothing."""
    if metric == "euclidean":
        return embedding
    lengths = np.sqrt(np.einsum("nd,nd->n", embedding, embedding, dtype=np.float64))
    return np.asarray(embedding / np.where(lengths > 0, lengths, 1)[:, None], dtype=np.float32)


def exact_nearest(
    vectors: Vectors, queries: Vectors, k: int, metric: str, report: Reporter | None = None, block: int = BLOCK
) -> Positions:
    """The positions (q, k) of the k rows nearest to each query, nearest first; of equals the first row.

    block : the most products in memory at a time.
    """
    n_rows = len(vectors)
    k = min(k, n_rows)
    half_squares = None if metric == "cosine" else np.einsum("nd,nd->n", vectors, vectors) / 2
    found = np.empty((len(queries), k), dtype=np.int64)
    first_equal = _first_equal(vectors)
    step = max(1, block // n_rows)
    for start in range(0, len(queries), step):
        closeness = queries[start : start + step] @ vectors.T  # (block, n)
        if half_squares is not None:
            closeness -= half_squares
        if first_equal is not None:
            closeness = closeness[:, first_equal]
        best = np.argpartition(closeness, n_rows - k, axis=1)[:, n_rows - k :] if k < n_rows else _all(closeness)
        _take_first_of_ties(best, closeness)
        best.sort(axis=1)  # ascending positions, so that a stable sort leaves equals in that order
        order = np.argsort(-np.take_along_axis(closeness, best, axis=1), axis=1, kind="stable")
        found[start : start + step] = np.take_along_axis(best, order, axis=1)
        if report is not None:
            report("nearest neighbours", min(start + step, len(queries)), len(queries))
    return found


def distances_to(
    vectors: Vectors, queries: Vectors, positions: Positions, metric: str, block: int = BLOCK
) -> NDArray[np.float32]:
    """The distance of each query to its rows: 1 − cosine, or Euclidean."""
    distances = np.empty(positions.shape, dtype=np.float32)
    step = max(1, block // max(1, positions.shape[1] * vectors.shape[1]))
    for start in range(0, len(queries), step):
        rows = slice(start, start + step)
        near, query = vectors[positions[rows]], queries[rows, None, :]
        gaps = np.square(near - query).sum(axis=2)
        # For rows of length one ‖q − z‖² = 2·(1 − cos), and a row of zeros has the similarity 0.
        distances[rows] = np.sqrt(gaps) if metric == "euclidean" else _cosine_distance(near, query, gaps)
    return distances


def _cosine_distance(near: Vectors, query: Vectors, gaps: Vectors) -> Vectors:
    is_zero = ~near.any(axis=2) | ~query.any(axis=2)
    return np.where(is_zero, np.float32(1), gaps / 2)


def _first_equal(vectors: Vectors) -> Positions | None:
    """The position of the first row that is equal to each; None where all differ."""
    rows = np.ascontiguousarray(vectors + np.float32(0)).view(np.dtype((np.void, vectors.itemsize * vectors.shape[1])))
    _, first, group = np.unique(rows.ravel(), return_index=True, return_inverse=True)  # + 0 makes one zero of two
    return None if len(first) == len(vectors) else np.asarray(first[group.ravel()], dtype=np.int64)


def _take_first_of_ties(best: Positions, closeness: Vectors) -> None:
    """Among rows as close as the last of the best, take those with the lowest positions: a partition takes any."""
    k, values = best.shape[1], np.take_along_axis(closeness, best, axis=1)
    last = values.min(axis=1, keepdims=True)
    for row in np.flatnonzero((closeness == last).sum(axis=1) > (values == last).sum(axis=1)):
        closer = np.flatnonzero(closeness[row] > last[row])
        best[row] = np.concatenate([closer, np.flatnonzero(closeness[row] == last[row])[: k - len(closer)]])


def _all(closeness: Vectors) -> Positions:
    return np.tile(np.arange(closeness.shape[1]), (len(closeness), 1))


def as_vectors(embedding: Any) -> Vectors:
    """One float32 vector per row; some may not be finite."""
    Z = np.asarray(embedding)
    if Z.ndim != 2 or Z.dtype.kind not in "biuf" or 0 in Z.shape:
        raise InputError(f"An embedding must be a matrix of numbers, one row per node. Got {Z.dtype}, shape {Z.shape}.")
    return np.ascontiguousarray(Z, dtype=np.float32)


def check_vectors(embedding: Any) -> Vectors:
    """One finite float32 vector per row."""
    Z = as_vectors(embedding)
    is_finite = np.isfinite(Z).all(axis=1)
    if not is_finite.all():
        wrong = np.flatnonzero(~is_finite)
        raise InputError(
            f"The vectors must be finite. {len(wrong):,} are not, the first in row {wrong[0]}. Leave those nodes out."
        )
    return Z


def fingerprint(embedding: Vectors, ids: Sequence[Any] | NDArray[Any]) -> str:
    """What an index belongs to: the vectors, bit by bit, and the ids, in their order."""
    digest = hashlib.sha256(np.ascontiguousarray(embedding, dtype="<f4").data)
    digest.update(repr(np.shape(embedding)).encode())
    ids = np.asarray(ids)
    digest.update(ids.astype("<i8").tobytes() if ids.dtype.kind in "iu" else "\0".join(map(str, ids.tolist())).encode())
    return digest.hexdigest()
