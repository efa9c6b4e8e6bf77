"""How far the closed form has moved since the fit, within the fitted directions and the leading ones beside them.

The state of a model carries Y = S·W. When the drift is read, a few columns Ω are found in which the features as they are now
have most of what W leaves out, and smoothed: so directions that are new to the graph count. With an orthonormal basis Q of
the span of B = [W Ω], Q = B·K,

    M_t = Kᵀ·scatter(S·B)·K                    the M of the graph as it is, within the span of B
    A_t = K·V·g(Λ)·√(n/tr),  M_t = V Λ Vᵀ      what the closed form would learn from it, up to one length for all t
    drift = min_R ‖S·B·A_t − S·B·A₀·R‖ / ‖S·B·A_t‖,   R orthogonal

the part of their length by which the new closed form moves the vectors after the best rotation. A₀ is what it learns from
S·W as it was when the state was made: the leading directions of M are W's then. By the scatter C it is
√((tr A_tᵀCA_t + tr A₀ᵀCA₀ − 2‖A₀ᵀCA_t‖_* + n‖m‖²)/tr A_tᵀCA_t), where m is the mean of the vectors, zero when they were
fitted and zero again after a refit. The trace is that of all features, what W leaves out by a few random signs
(Hutchinson): how much of it the leading directions have says how long the vectors of a refit are.

Where Ω spans all that W leaves out it is what `refit(align=True)` reports, up to rounding and the choices of a refit
(filter, channels, dimension). Otherwise it leaves out what lies beyond Ω. Solvers without a closed form have no Ω: their W
does not span the leading directions, so that these would look like drift. `python benchmarks/updates.py --cases drift` has
it beside what refits moved.
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

N_BESIDE = 64  # columns of Ω, at most
N_PROBES = 4  # of a trace; of up to four times as many directions each is one
SAMPLE = 4096  # rows that Ω is found from
N_ITERATIONS = 2
RANK_SHARE = 1e-5  # of the leading direction of weights in float32: less is rounding
NO_VARIANCE = 1e-10  # of the largest eigenvalue: less is rounding
ADVISED_FROM = 0.25  # `refit_advised_`: a quarter of the vectors' length

Matrix = NDArray[np.float64]
Rows = NDArray[np.float32]


class Scatter:
    """(Y − mean)ᵀ(Y − mean) of all rows."""

    def __init__(self, rows: Rows) -> None:
        self.n_rows, self.mean = len(rows), rows.mean(axis=0, dtype=np.float64)
        centred = rows - self.mean
        self.matrix: Matrix = centred.T @ centred

    @property
    def total(self) -> float:
        """The trace."""
        return float(np.trace(self.matrix))


class Gauge:
    """The drift of levels that were solved together: their weights in `bases`, their columns side by side."""

    def __init__(self, bases: Sequence[Rows], width: int, weight: float, rank: float) -> None:
        self.bases, self.width, self.weight, self.rank = bases, width, weight, rank
        self.first: Matrix | None = None  # A₀, in the columns of W
        self.first_mean: Matrix | None = None  # of the rows of S·W, which the offset of the fit takes off

    def learn(self, scatter: Scatter, left_out: float = 0.0) -> None:
        """Keep what the closed form learns now, to compare with later; `left_out` is the part of the trace beyond W."""
        B = _side_by_side(self.bases)
        self.first, self.first_mean = self._closed_form(B, scatter, left_out), scatter.mean

    def square(self, scatter: Scatter, beside: Sequence[Matrix] = (), left_out: float = 0.0) -> float:
        """drift². `scatter` is that of the columns of all levels' W and then of all levels' Ω, which are `beside`."""
        assert self.first is not None
        assert self.first_mean is not None
        B, C, n_fitted = _side_by_side(self.bases), scatter.matrix, len(self.first)
        if beside:
            B = np.concatenate([B, _side_by_side(beside)], axis=1)
        now = self._closed_form(B, scatter, left_out)
        energy = float(np.trace(now.T @ C @ now))
        if energy <= 0:
            return 0.0
        shared = float(np.linalg.svd(self.first.T @ C[:n_fitted] @ now, compute_uv=False).sum())
        own = float(np.trace(self.first.T @ C[:n_fitted, :n_fitted] @ self.first))
        shifted = scatter.n_rows * float(np.square((scatter.mean[:n_fitted] - self.first_mean) @ self.first).sum())
        return (max(energy + own - 2 * shared, 0.0) + shifted) / energy

    def _closed_form(self, B: Matrix, scatter: Scatter, left_out: float) -> Matrix:
        """A: weights of rows scaled to the length 1, so that it is the same for every graph; the drift is a share of it."""
        K, n_fitted = _coordinates(B), sum(basis.shape[1] for basis in self.bases)
        M, own = K.T @ scatter.matrix @ K, _coordinates(B[:, :n_fitted])
        total = left_out + float(np.trace(own.T @ scatter.matrix[:n_fitted, :n_fitted] @ own))
        values, vectors = (torch.from_numpy(found) for found in np.linalg.eigh((M + M.T) / 2))
        if not len(values) or values[-1] <= 0:
            return np.zeros((len(K), self.width))
        kept = values.flip(0)[: self.width]
        weights = Sharpness.of(kept, self.rank, least=NO_VARIANCE).weights(vectors.flip(1)[:, : self.width])
        return np.asarray(K @ weights.numpy() * math.sqrt(scatter.n_rows / max(total, float(kept.sum()))))  # of an estimate


class DriftMeter:
    """The drift of all levels: each channel counts with the square of its weight."""

    def __init__(self, bases: Sequence[Rows], aggregation: Aggregation, weights: Sequence[float], rank: float) -> None:
        self.groups = level_groups(len(bases), aggregation)
        shares = weights if len(weights) == len(self.groups) else [1.0] * len(self.groups)
        self.gauges = [
            Gauge([bases[level] for level in group], bases[group[0]].shape[1], share, rank)
            for group, share in zip(self.groups, shares, strict=True)
        ]

    def learn(self, columns_of: Callable[[int], Rows], left_out_of: Callable[[int], float] | None = None) -> None:
        """Take the graph as it is for the one that was fitted.

        `columns_of` has S·W of all nodes at a level, `left_out_of` the trace of what W leaves out there.
        """
        for gauge, group in zip(self.gauges, self.groups, strict=True):
            scatter = Scatter(np.concatenate([columns_of(level) for level in group], axis=1))
            gauge.learn(scatter, 0.0 if left_out_of is None else sum(map(left_out_of, group)))

    def drift(
        self,
        columns_of: Callable[[int], Rows],
        left_out_of: Callable[[int], float] | None = None,
        beside: Callable[[int], tuple[Matrix, Rows]] | None = None,
    ) -> float:
        """The drift; `beside` has Ω of a level and S·Ω of all nodes."""
        squares = 0.0
        for gauge, group in zip(self.gauges, self.groups, strict=True):
            found = [] if beside is None else [beside(level) for level in group]
            columns = [*(columns_of(level) for level in group), *(rows for _, rows in found)]
            scatter = Scatter(np.concatenate(columns, axis=1))
            left_out = 0.0 if left_out_of is None else sum(map(left_out_of, group))
            squares += gauge.weight**2 * gauge.square(scatter, [basis for basis, _ in found], left_out)
        return math.sqrt(squares / sum(gauge.weight**2 for gauge in self.gauges))


def leftover_probes(W: Rows) -> Matrix:
    """ω by which the trace of what W leaves out is Σ ωᵀFᵀCFω: signs without their part in W, or axes where few are left."""
    Q, generator = _column_space(W), np.random.default_rng(0)
    n_left = len(W) - Q.shape[1]
    if n_left <= 4 * N_PROBES:
        return _apart(generator.standard_normal((len(W), n_left)), Q) if n_left else np.zeros((len(W), 0))
    signs = generator.integers(0, 2, (len(W), N_PROBES)) * 2.0 - 1
    return np.asarray((signs - Q @ (Q.T @ signs)) / math.sqrt(N_PROBES))


def columns_beside(weighted: Any, W: Rows, n_columns: int = N_BESIDE) -> Matrix:
    """Ω for the weights of one level: orthonormal leading directions of a sample of the features that W leaves out."""
    n_features = len(W)
    Q = _column_space(W)
    n_beside = min(n_columns, n_features - Q.shape[1])
    if n_beside <= 0:
        return np.zeros((n_features, 0))
    generator = np.random.default_rng(0)
    basis = _apart(generator.standard_normal((n_features, n_beside)), Q)
    for _ in range(N_ITERATIONS if n_beside == n_columns else 0):  # fewer are all there are
        image = weighted @ basis
        basis = _apart(weighted.T @ (image - image.mean(axis=0)) + 1e-9 * basis, Q)
    return basis


def sampled_rows(n_rows: int) -> NDArray[np.int64]:
    """The rows that Ω is found from, ascending: the same each time."""
    return np.sort(np.random.default_rng(0).permutation(n_rows)[:SAMPLE])


def level_groups(n_levels: int, aggregation: Aggregation) -> list[list[int]]:
    """The levels that are solved together: all under a mean, each by itself otherwise."""
    return [list(range(n_levels))] if aggregation == "mean" else [[level] for level in range(n_levels)]


def _side_by_side(bases: Sequence[Any]) -> Matrix:
    return np.asarray(sp.block_diag([sp.coo_array(np.asarray(basis, dtype=np.float64)) for basis in bases]).toarray())


def _coordinates(B: Matrix) -> Matrix:
    """K of an orthonormal basis B·K of the span of B."""
    lengths = np.linalg.norm(B, axis=0)  # columns may be of very different lengths
    scales = np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    sizes, vectors = np.linalg.eigh((B * scales).T @ (B * scales))
    is_there = sizes > RANK_SHARE**2
    return np.asarray(scales[:, None] * vectors[:, is_there] / np.sqrt(sizes[is_there]))


def _column_space(W: Rows) -> Matrix:
    """An orthonormal basis of what the columns of W span, small columns and large ones alike."""
    columns = W.astype(np.float64)
    lengths = np.linalg.norm(columns, axis=0)
    U, sizes, _ = np.linalg.svd(columns[:, lengths > 0] / lengths[lengths > 0], full_matrices=False)
    return np.asarray(U[:, sizes > RANK_SHARE * sizes.max(initial=0)])


def _apart(columns: Matrix, Q: Matrix) -> Matrix:
    """An orthonormal basis of columns, less what lies in the span of Q."""
    for _ in range(2):
        columns = columns - Q @ (Q.T @ columns)
    return np.asarray(np.linalg.qr(columns)[0])
