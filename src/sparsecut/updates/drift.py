"""How far the closed form has moved since the fit, within the span of few columns whose moments follow the updates.

The state of a model carries Y = S·B, where B = [W Ω] has the fitted weights and a few columns beside them, orthogonal to W,
in which the features have most of what W leaves out. With an orthonormal basis Q of the span of B, Q = B·K,

    M_t = Kᵀ·scatter(Y_t)·K                    the M of the graph as it is, within the span of B
    A_t = V·g(Λ)·√(n/tr M_t),  M_t = V Λ Vᵀ    what the closed form would learn from it, up to one length for all t
    drift = min_R ‖S·Q·A_t − S·Q·A₀·R‖ / ‖S·Q·A_t‖,   R orthogonal

the part of their length by which the new closed form moves the vectors after the best rotation. By the moments it is
√((tr A_tᵀM_tA_t + tr A₀ᵀM_tA₀ − 2‖A₀ᵀM_tA_t‖_* + n‖m‖²)/tr A_tᵀM_tA_t), where m is the mean of the vectors, zero when they
were fitted and zero again after a refit.

Where Ω spans all that W leaves out it is what `refit(align=True)` reports, up to rounding and the choices of a refit
(filter, channels, dimension). Otherwise it is the drift within that span alone, which is no estimate of what a refit moves:
directions that are new to the graph lie outside, and neither more columns in Ω nor a factor makes up for them. `python
benchmarks/updates.py --cases drift` has both side by side.

The scatter is computed when the drift is read, in one pass over the rows: an update that had to follow it would spend more
time on it than on the rows that moved.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray

from sparsecut.operators.aggregation import Aggregation
from sparsecut.operators.sharpened import Sharpness

N_BESIDE = 16  # columns of Ω
SAMPLE = 4096  # rows that Ω is found from
N_ITERATIONS = 2
BESIDE_LENGTH = 0.25  # of Ω's rows beside W's, so that a tolerance is spent on the embedding
LEAST_SPREAD = 0.01  # of Ω's rows about their mean, beside the rows: less is taken for so much, for it may be rounding
RANK_SHARE = 1e-5  # of the leading direction of weights in float32: less is rounding
NO_VARIANCE = 1e-10  # of the largest eigenvalue: less is rounding
ADVISED_FROM = 0.25  # `refit_advised_`: a quarter of the vectors' length

Matrix = NDArray[np.float64]
Rows = NDArray[np.float32]


def columns_beside(weighted: Any, W: Rows) -> Rows:
    """Ω for the weights of one level: the leading directions of a sample of the features that W leaves out.

    Features may have no variance along such a direction, as the columns of a category, which sum to one: what their spread
    about the mean is scaled to then is no spread but rounding. So Ω is never longer than `BESIDE_LENGTH/LEAST_SPREAD` of W.
    """
    n_features = len(W)
    Q = _column_space(W)
    n_beside = min(N_BESIDE, n_features - Q.shape[1])
    if n_beside <= 0:
        return np.zeros((n_features, 0), dtype=np.float32)
    generator = np.random.default_rng(0)
    rows = weighted[np.sort(generator.permutation(weighted.shape[0])[:SAMPLE])]
    basis = _apart(generator.standard_normal((n_features, n_beside)), Q)
    for _ in range(N_ITERATIONS if n_beside == N_BESIDE else 0):  # fewer are all there are
        image = rows @ basis
        basis = _apart(rows.T @ (image - image.mean(axis=0)) + 1e-9 * basis, Q)
    size = max(_spread(rows @ basis), LEAST_SPREAD * float(np.linalg.norm(rows @ basis)))
    length = _spread(rows @ W.astype(np.float64))
    return (basis * (BESIDE_LENGTH * length / size if length > 0 and size > 0 else 1.0)).astype(np.float32)


class Scatter:
    """(Y − mean)ᵀ(Y − mean) of all rows."""

    def __init__(self, rows: Rows) -> None:
        self.n_rows, self.mean = len(rows), rows.mean(axis=0, dtype=np.float64)
        centred = rows - self.mean
        self.matrix: Matrix = centred.T @ centred


class Gauge:
    """The drift of levels that were solved together: their columns side by side."""

    def __init__(self, bases: Sequence[Rows], width: int, weight: float, rank: float) -> None:
        self.width, self.weight, self.rank = width, weight, rank
        B = sp.block_diag([sp.coo_array(np.asarray(basis, dtype=np.float64)) for basis in bases]).toarray()
        lengths = np.linalg.norm(B, axis=0)  # W's columns and Ω's may be of very different lengths
        scales = np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        sizes, vectors = np.linalg.eigh((B * scales).T @ (B * scales))
        is_there = sizes > RANK_SHARE**2
        self.coordinates: Matrix = scales[:, None] * vectors[:, is_there] / np.sqrt(sizes[is_there])  # K
        self.first: Matrix | None = None  # A₀
        self.first_mean: Matrix | None = None  # of the rows of Y, which the offset of the fit takes off

    def learn(self, scatter: Scatter) -> None:
        """Keep what the closed form learns now, to compare with later."""
        self.first, self.first_mean = self._closed_form(self._gram(scatter), scatter.n_rows), scatter.mean

    def square(self, scatter: Scatter) -> float:
        """drift²."""
        assert self.first is not None
        assert self.first_mean is not None
        M = self._gram(scatter)
        now = self._closed_form(M, scatter.n_rows)
        energy = float(np.trace(now.T @ M @ now))
        if energy <= 0:
            return 0.0
        shared = float(np.linalg.svd(self.first.T @ M @ now, compute_uv=False).sum())
        turned = max(energy + float(np.trace(self.first.T @ M @ self.first)) - 2 * shared, 0.0)
        shifted = scatter.n_rows * float(np.square((scatter.mean - self.first_mean) @ self.coordinates @ self.first).sum())
        return (turned + shifted) / energy

    def _gram(self, scatter: Scatter) -> Matrix:
        M = self.coordinates.T @ scatter.matrix @ self.coordinates
        return np.asarray((M + M.T) / 2)

    def _closed_form(self, M: Matrix, n_rows: int) -> Matrix:
        """A: weights of rows scaled to the length 1, so that it is the same for every graph; the drift is a share of it."""
        values, vectors = (torch.from_numpy(found) for found in np.linalg.eigh(M))
        if not len(values) or values[-1] <= 0:
            return np.zeros((len(M), self.width))
        leading = Sharpness.of(values.flip(0)[: self.width], self.rank, least=NO_VARIANCE)
        weights = leading.weights(vectors.flip(1)[:, : self.width])
        return np.asarray(weights.numpy() * math.sqrt(n_rows / float(np.trace(M))))


class DriftMeter:
    """The drift of all levels: each channel counts with the square of its weight."""

    def __init__(
        self, bases: Sequence[Rows], widths: Sequence[int], aggregation: Aggregation, weights: Sequence[float], rank: float
    ) -> None:
        self.groups = level_groups(len(bases), aggregation)
        shares = weights if len(weights) == len(self.groups) else [1.0] * len(self.groups)
        self.gauges = [
            Gauge([bases[level] for level in group], widths[group[0]], share, rank)
            for group, share in zip(self.groups, shares, strict=True)
        ]

    def learn(self, columns_of: Callable[[int], Rows]) -> None:
        """Take the graph as it is for the one that was fitted."""
        for number, gauge in enumerate(self.gauges):
            gauge.learn(self._scatter(number, columns_of))

    def drift(self, columns_of: Callable[[int], Rows]) -> float:
        """`columns_of` has S·B of all nodes at a level."""
        squares = [
            gauge.weight**2 * gauge.square(self._scatter(number, columns_of)) for number, gauge in enumerate(self.gauges)
        ]
        return math.sqrt(sum(squares) / sum(gauge.weight**2 for gauge in self.gauges))

    def _scatter(self, number: int, columns_of: Callable[[int], Rows]) -> Scatter:
        return Scatter(np.concatenate([columns_of(level) for level in self.groups[number]], axis=1))


def level_groups(n_levels: int, aggregation: Aggregation) -> list[list[int]]:
    """The levels that are solved together: all under a mean, each by itself otherwise."""
    return [list(range(n_levels))] if aggregation == "mean" else [[level] for level in range(n_levels)]


def _column_space(W: Rows) -> Matrix:
    """An orthonormal basis of what the columns of W span, small columns and large ones alike."""
    columns = W.astype(np.float64)
    lengths = np.linalg.norm(columns, axis=0)
    U, sizes, _ = np.linalg.svd(columns[:, lengths > 0] / lengths[lengths > 0], full_matrices=False)
    return np.asarray(U[:, sizes > RANK_SHARE * sizes.max(initial=0)])


def _spread(rows: Any) -> float:
    """The length of all rows together, about their mean."""
    rows = np.asarray(rows, dtype=np.float64)
    return float(np.linalg.norm(rows - rows.mean(axis=0)))


def _apart(columns: Matrix, Q: Matrix) -> Matrix:
    """An orthonormal basis of columns, less what lies in the span of Q."""
    for _ in range(2):
        columns = columns - Q @ (Q.T @ columns)
    return np.asarray(np.linalg.qr(columns)[0])
