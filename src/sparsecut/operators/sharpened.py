"""W = V·g(Λ): the eigenvectors of M with their spectrum sharpened to one effective rank, where they have as much.

g(λ) = (λ/λ₁)^((p−1)/2),   so that the variances of S·W are λ^p, with p ≥ 1 chosen by the effective rank
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from sparsecut.base.errors import OverflowInputError
from sparsecut.kernels.spectrum import eigenvectors, leading_eigenvectors, sharpening, signed
from sparsecut.operators.reason import Reason

FILLED = 2.0**-22  # of the first eigenvalue: what is smaller is the rounding of rows in single precision, not a direction


@dataclass(frozen=True)
class EigenSpectrum:
    """The leading eigenvalues of M, their vectors, and the sum of all."""

    values: Tensor  # in the host's memory: few numbers, and many questions to them
    vectors: Tensor  # (columns, k)
    total: float
    route: str


def whole_spectrum(M: Tensor, n_directions: int) -> EigenSpectrum:
    """The leading eigenvectors of an M that is built."""
    values, vectors = eigenvectors(M.nan_to_num())
    leading = values.cpu().flip(0)[:n_directions].float(), signed(vectors.flip(1)[:, :n_directions].float()).to(M.device)
    return EigenSpectrum(*leading, float(M.trace()), f"eigenvectors of the {len(M):,} × {len(M):,} matrix M")


def spectrum_within(M: Tensor, basis: Tensor, n_within: int, n_directions: int) -> EigenSpectrum:
    """The leading eigenvectors of the M of F·[B R]: the `n_within` columns of B hold what leads, those of R sample the rest.

    Signs are those of the vectors in all columns of F.
    """
    within = whole_spectrum(M[:n_within, :n_within], n_directions)
    wide = basis[:, :n_within] @ within.vectors
    signs = (signed(wide) * wide).sum(dim=0).sign()
    vectors = torch.nn.functional.pad(within.vectors * signs, (0, 0, 0, len(M) - n_within))
    total = within.total + float(M.diagonal()[n_within:].mean())
    route = f"{within.route}, within {n_within:,} leading directions of the features"
    return EigenSpectrum(within.values, vectors, total, route)


def leading_spectrum(
    multiply: Callable[[Tensor], Tensor],
    total: float,
    n_columns: int,
    n_directions: int,
    device: torch.device,
    n_iterations: int,
) -> EigenSpectrum:
    """The leading eigenvectors of an M that is known by its products, by subspace iteration."""
    values, vectors = leading_eigenvectors(multiply, n_columns, n_directions, device=device, n_iterations=n_iterations)
    route = f"{n_directions} eigenvectors of M by {n_iterations + 1} products with S, as M would have {n_columns:,} columns"
    return EigenSpectrum(values.cpu(), vectors, total, route)


def sharpen(
    spectrum: EigenSpectrum,
    widths: Sequence[int],
    scales: Sequence[float],
    dimension: int | None,
    effective_rank: float,
    length: float,
    kept_share: float = 1.0,
) -> SharpenedSpectrum:
    """The weights of the levels: at most `dimension` columns, fewer where fewer directions hold anything.

    `dimension` None takes the columns that hold `kept_share` of the sharpened variance.
    """
    eigenvalues, V, total, route = spectrum.values, spectrum.vectors, spectrum.total, spectrum.route
    if not math.isfinite(total) or not bool(eigenvalues.isfinite().all()):
        raise OverflowInputError("The energy of the smoothed features overflows. Scale the features down.")

    eigenvalues = eigenvalues.clamp(min=0)
    if total <= 0 or float(eigenvalues.max()) <= 0:  # all rows are alike: there is nothing to keep apart
        weights = tuple(torch.zeros(width, dimension or 1, device=V.device) for width in widths)
        return SharpenedSpectrum(weights, 1.0, effective_rank, 0.0, route, kept_share)
    sharpness = Sharpness.of(eigenvalues, effective_rank)
    variances = sharpness.variances
    if dimension is None:
        kept = int((variances.cumsum(0) < kept_share * variances.sum()).sum()) + 1
    else:
        kept = min(dimension, int((sharpness.relative > FILLED).sum()))
    parts = torch.split(sharpness.weights(V[:, :kept]), list(widths))
    # A mean over the levels undoes the factor of their number.
    weights = tuple(part * (scale * len(widths)) for part, scale in zip(parts, scales, strict=True))
    share = float(variances[:kept].double().sum()) * float(eigenvalues[0]) / total
    return SharpenedSpectrum(weights, sharpness.power, effective_rank, length * share**0.5, route, kept_share)


@dataclass(frozen=True)
class Sharpness:
    """The closed form of a spectrum: the power p at which it has an effective rank, and V·g(Λ) for its vectors V.

    Eigenvalues that `least` of the largest exceeds are rounding: their columns of W are zero.
    """

    power: float  # p
    relative: Tensor  # λ/λ₁, (k,)

    @classmethod
    def of(cls, eigenvalues: Tensor, effective_rank: float, *, least: float = 0.0) -> Sharpness:
        eigenvalues = eigenvalues.clamp(min=0)
        largest = eigenvalues.max()
        if largest <= 0:
            return cls(1.0, torch.zeros_like(eigenvalues))
        relative = torch.where(eigenvalues > least * largest, eigenvalues / largest, 0)
        return cls(sharpening(eigenvalues, effective_rank, minimum=1.0), relative)

    @property
    def variances(self) -> Tensor:
        """λ^p of the columns of S·W, as shares of the first."""
        return self.relative**self.power

    def weights(self, vectors: Tensor) -> Tensor:
        """W = V·g(Λ) for the first vectors, (columns, at most k), on any device."""
        relative = self.relative[: vectors.shape[1]]
        scales = torch.where(relative > 0, relative ** ((self.power - 1) / 2), 0)
        return vectors * scales.to(vectors.device)


def sharpened_directions(matrices: Tensor, effective_rank: float) -> Tensor:
    """V·g(Λ) of small symmetric matrices, (…, k, k) float32; columns of directions that hold nothing are zero."""
    if not bool(matrices.isfinite().all()):
        raise OverflowInputError("The energy of the smoothed features overflows. Scale the features down.")
    values, vectors = (found.float() for found in eigenvectors(matrices))
    of_each = zip(values, vectors, strict=True)
    return torch.stack([Sharpness.of(own, effective_rank, least=FILLED).weights(V) for own, V in of_each])


@dataclass(frozen=True)
class SharpenedSpectrum:
    """The weights of every level before scaling to the data, and what was read off the spectrum."""

    weights: tuple[Tensor, ...]  # (f, d) for each level
    power: float  # p
    effective_rank: float  # that was wanted
    length: float  # of the rows of Z, root mean square, centred
    route: str
    kept_share: float  # of the variance, that the columns were chosen by where they were chosen

    def reasons(self, *, is_dimension_chosen: bool) -> tuple[Reason, ...]:
        """What the spectrum decided: the sharpness and, where nobody requested it, the dimension."""
        n_columns = self.weights[0].shape[1]
        because = "given" if math.isinf(self.effective_rank) else "flat" if self.power == 1 else "sharpened"
        figures = {"sharpness": self.power, "length": self.length, "columns": n_columns}
        if math.isfinite(self.effective_rank):
            figures["effective rank"] = self.effective_rank
        sharpness = Reason("spectrum", f"{self.power:.2f}", because, figures)
        return (sharpness, dimension_reason(n_columns, self.kept_share)) if is_dimension_chosen else (sharpness,)


def dimension_reason(n_columns: int, kept_share: float) -> Reason:
    """The columns that hold nearly all of the variance."""
    return Reason("dimension", str(n_columns), "variance", {"share": kept_share})
