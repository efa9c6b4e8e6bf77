"""The closed form: what a few epochs of SCE tend to, without epochs or a seed.

Gradient flow on α/tr(WᵀMW) from an isotropic start is W(τ) = exp(τM)·W₀: along each eigenvector of M = V Λ Vᵀ the weights
grow at the pace of its eigenvalue. Run to its end only the first is left; stopped early, the leading ones stand out. So

    W = V·g(Λ),   g(λ) = (λ/λ₁)^((p−1)/2):   Z = S·W has variances λ^p,

with the sharpness p ≥ 1 chosen so that they have one effective rank; a spectrum that has less stays as it is (p = 1).
`docs/method.md` derives this.

The first direction keeps the length it had in S and the others shrink, so noise makes rows shorter: S is scaled to rows of
one length (root mean square, centred), and Z is as long as what sharpening leaves of them. At that scale a logistic
regression with C = 1 works untuned.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from sparsecut.base.errors import OverflowInputError, check_real
from sparsecut.engines.contract import Moments
from sparsecut.features.places import ROW_LENGTH
from sparsecut.kernels.spectrum import rank_of_scatter
from sparsecut.model.auto.constants import CONSTANTS
from sparsecut.model.problem import Problem
from sparsecut.model.solver import Solution, Solver
from sparsecut.operators.aggregation import Projection
from sparsecut.operators.negatives import complete_graph
from sparsecut.operators.sharpened import (
    SharpenedSpectrum,
    leading_spectrum,
    sharpen,
    spectrum_within,
    whole_spectrum,
)

ROUNDING = 1e-11  # rows whose squares differ from their mean's by no larger a share differ by rounding alone


class ClosedForm(Solver, word="closed_form"):
    """The closed form: the eigenvectors of M with their spectrum sharpened. No epochs, no seed, no tuning.

    Parameters
    ----------
    effective_rank : float or "auto", default="auto"
        The effective rank that the spectrum is sharpened to, above 0: how many directions the embedding uses, about. "auto"
        is 16; raise it where there are many more groups of nodes than that.
    length : float or "auto", default="auto"
        The length (root mean square, centred) that the smoothed rows are scaled to before the sharpening, above 0. "auto" is
        9, at which a logistic regression with C = 1 works untuned. It changes the scale of the embedding alone.

    Examples
    --------
    >>> import sparsecut as sc
    >>> model = sc.SCE(solver=sc.ClosedForm(effective_rank=32)).fit(sc.datasets.load("digits"))
    """

    chooses_dimension = True

    def __init__(
        self, *, effective_rank: float | Literal["auto"] = "auto", length: float | Literal["auto"] = "auto"
    ) -> None:
        self.effective_rank = effective_rank
        self.length = length

    def check(self) -> None:
        for name in ("effective_rank", "length"):
            if getattr(self, name) != "auto":
                check_real("ClosedForm", name, getattr(self, name), above=0)

    def needs_whole_gram(self, n_columns: int) -> bool:
        return n_columns <= CONSTANTS.spectrum_cost.exact_columns

    def most_columns(self, n_features: int, n_levels: int) -> int:
        return min(CONSTANTS.spectrum.n_directions, n_features * n_levels)

    @property
    def sharpened_rank(self) -> float:
        return super().sharpened_rank if self.effective_rank == "auto" else float(self.effective_rank)

    def solve(self, problem: Problem) -> Solution:
        rule, cost = problem.constants.spectrum, problem.constants.spectrum_cost
        usual = (math.inf, ROW_LENGTH) if problem.is_sharpened else (rule.effective_rank, rule.length)
        rank = usual[0] if self.effective_rank == "auto" else float(self.effective_rank)
        length = usual[1] if self.length == "auto" else float(self.length)
        n_columns, history = sum(problem.widths), problem.history
        by_products = n_columns > cost.exact_columns
        n_kept = rule.n_directions if problem.dimension is None else problem.dimension
        problem.narrow(n_kept, rank, by_products=by_products)
        by_products = by_products and problem.narrowed is None
        is_lazy = by_products and problem.is_sparse
        problem.smooth(lazily=is_lazy)
        moments = None if by_products else problem.moments()
        with history.stage("spectrum"):
            spectrum = _Spectra(problem, moments).closed_form(rank, length)
        problem.report("spectrum", 1, 1)
        history.route, history.rows = "closed form", "factors" if is_lazy else "smoothed"
        history.reason = spectrum.route
        mean, scatter = problem.embedding_moments(Projection(spectrum.weights, "mean"))
        history.effective_rank = rank_of_scatter(scatter)
        rms = math.sqrt(max(float(scatter.trace()), 0.0) / problem.negatives.n_nodes)
        factor = spectrum.length / rms if rms > 0 else 1.0
        weights = tuple(matrix * factor for matrix in spectrum.weights)
        reasons = spectrum.reasons(is_dimension_chosen=problem.dimension is None)
        # Structure comes centred, each side of the graph by itself: near then means near across sides too.
        # Where edges age, nodes with recent ones alone move from their places, and take the mean with them.
        is_centred = problem.is_sharpened and problem.engine.graph.clock is None
        offset = torch.zeros_like(mean) if is_centred else mean
        if problem.types is not None:
            offset = problem.type_means().offsets(mean, Projection(spectrum.weights, "mean").whole())
        return Solution(Projection(weights, "mean", (offset * factor).float()), reasons, scatter * factor**2)


class _Spectra:
    """M of the levels side by side, each scaled to the same share of the energy, by a matrix or by products with S."""

    def __init__(self, problem: Problem, moments: Moments | None) -> None:
        self.problem, self.moments, self.widths = problem, moments, problem.widths
        self.device = problem.engine.device
        self.rule, self.cost = problem.constants.spectrum, problem.constants.spectrum_cost
        n_levels = len(self.widths)
        self.scales = _equal_shares([self._trace((level,)) for level in range(n_levels)]) if n_levels > 1 else [1.0]
        parts = [torch.full((width,), scale) for width, scale in zip(self.widths, self.scales, strict=True)]
        self.scale = torch.cat(parts).double().to(self.device)  # of each column

    def closed_form(self, effective_rank: float, length: float) -> SharpenedSpectrum:
        """W = V·g(Λ)."""
        n_columns, dimension = sum(self.widths), self.problem.dimension
        n_directions = min(self.rule.n_directions if dimension is None else dimension, n_columns)
        narrowed = self.problem.narrowed
        if narrowed is not None and self.moments is not None:
            spectrum = spectrum_within(self.moments.M, narrowed.basis, narrowed.n_directions, n_directions)
        elif self.moments is not None:
            spectrum = whole_spectrum(self.moments.M * self.scale[:, None] * self.scale, n_directions)
        else:
            spectrum = leading_spectrum(
                self._scaled_product, self._trace(), n_columns, n_directions, self.device, self.cost.n_iterations
            )
        if self._are_alike():
            spectrum = replace(spectrum, total=0.0)
        n_kept = self.problem.n_columns if dimension is None else dimension
        return sharpen(spectrum, self.widths, self.scales, n_kept, effective_rank, length, self.rule.kept_share)

    def _scaled_product(self, W: Tensor) -> Tensor:
        scale = self.scale[:, None].float()
        return self.problem.gram_product(W * scale) * scale

    def _trace(self, group: tuple[int, ...] | None = None) -> float:
        """tr(M), a level unscaled; of an M too large to be built by every engine an estimate.

        The estimate is Hutchinson's: the mean of ωᵀMω over random signs ω, with a fixed start. It depends on the order of
        the columns, which the trace does not.
        """
        levels = tuple(range(len(self.widths))) if group is None else group
        if self.moments is not None and sum(self.widths) <= self.cost.exact_columns:
            starts = np.cumsum([0, *self.widths])
            return sum(float(self.moments.M.diagonal()[starts[level] : starts[level + 1]].sum()) for level in levels)
        signs = self._signs(sum(self.widths[level] for level in levels)).to(self.device)
        if group is None:
            signs = signs * self.scale[:, None].float()
        if self.moments is None:
            image = self.problem.engine.multiply([self.problem.levels[level] for level in levels], signs)
            return self.problem.trace(image) / self.cost.n_probes
        first = sum(self.widths[: levels[0]])
        columns = slice(first, first + len(signs))
        signs = signs.double()
        return float((signs * (self.moments.M[columns, columns] @ signs)).sum()) / self.cost.n_probes

    def _are_alike(self) -> bool:
        """Whether the rows differ by rounding alone, seen in a few random combinations of their columns."""
        known = self.moments
        if known is None or known.scatter is None:
            engine, levels = self.problem.engine, self.problem.levels
            image = engine.multiply(levels, self._signs(sum(self.widths))[:, :4].to(self.device))
            known = engine.moments([image], complete_graph(self.problem.negatives.n_nodes))
        assert known.scatter is not None
        spread = float(known.scatter.trace())
        return spread <= ROUNDING * (spread + known.n_rows * float(known.mean.square().sum()))

    def _signs(self, n_columns: int) -> Tensor:
        return torch.randint(0, 2, (n_columns, self.cost.n_probes), generator=torch.Generator().manual_seed(0)) * 2.0 - 1


def _equal_shares(traces: Sequence[float]) -> list[float]:
    if not all(math.isfinite(trace) for trace in traces):
        raise OverflowInputError("The energy of the smoothed features overflows. Scale the features down.")
    return [trace**-0.5 if trace > 0 else 0.0 for trace in traces]
