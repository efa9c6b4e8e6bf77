"""The closed form: what a few epochs of SCE tend to, without epochs or a seed.

Gradient flow on α/tr(WᵀMW) from an isotropic start is W(τ) = exp(τM)·W₀: along each eigenvector of M = V Λ Vᵀ the weights
grow at the pace of its eigenvalue. Run to its end only the first is left; stopped early, the leading ones stand out. So

    W = V·g(Λ),   g(λ) = (λ/λ₁)^((p−1)/2):   Z = S·W has variances λ^p,

with the sharpness p ≥ 1 chosen so that they have one effective rank on every graph. `docs/method.md` derives this.

The first direction keeps the length it had in S and the others shrink, so noise makes rows shorter: S is scaled to rows of
one length (root mean square, centred), and Z is as long as what sharpening leaves of them. At that scale a logistic
regression with C = 1 works untuned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from sparsecut.engines import MemoryEngine
from sparsecut.errors import OverflowInputError
from sparsecut.kernels.moments import mean_of, mean_square_length
from sparsecut.kernels.spectrum import leading_eigenvectors, rank_of, sharpening, signed
from sparsecut.operators.negatives import NegativeGraph
from sparsecut.operators.rows import Rows, StackedRows
from sparsecut.progress import Reporter

EFFECTIVE_RANK = 16.0  # of the embedding: enough directions for dozens of groups, few enough for five labels a group
EXACT_COLUMNS = 1024  # up to here M is built and solved whole; beyond, iteration on S is cheaper
N_DIRECTIONS = 128  # of dimension="auto"; with a sharpened spectrum what lies beyond weighs nothing
KEPT_SHARE = 0.999  # of the variance; dimension="auto" leaves out the rest
N_ITERATIONS = 6
N_PROBES = 64  # random columns that estimate the trace of an M that is not built
ROUNDING = 1e-11  # rows whose squares differ from their mean's by no larger a share differ by rounding alone


@dataclass(frozen=True)
class ClosedForm:
    """The weights of every level before scaling to the data, and what was read off the spectrum."""

    weights: list[Tensor]  # (f, d) a level
    power: float  # p
    effective_rank: float  # that was wanted
    length: float  # of the rows of Z, root mean square, centred
    route: str
    reached: float = 0.0  # the effective rank of the sharpened spectrum

    def reasons(self, *, is_dimension_chosen: bool) -> list[str]:
        """What the spectrum decided, in sentences."""
        if math.isinf(self.effective_rank):
            sharp = "the features come with a sharpened spectrum"
        elif self.power == 1:
            sharp = f"the spectrum has no more than the effective rank of {self.effective_rank:g} that is wanted"
        else:
            sharp = f"the spectrum then has the effective rank of {self.effective_rank:g} that is wanted"
        width = f"it holds {KEPT_SHARE:.1%} of the sharpened variance" if is_dimension_chosen else "it was asked for"
        return [
            f"sharpness {self.power:.2f}: {sharp}.",
            f"dimension {self.weights[0].shape[1]}: {width}.",
            f"rows of length {self.length:.1f}: what sharpening leaves of the length of the smoothed ones.",
        ]


def solve(
    levels: Sequence[Rows],
    negatives: NegativeGraph,
    *,
    engine: MemoryEngine,
    dimension: int | None,
    effective_rank: float,
    length: float,
    report: Reporter,
    n_directions: int = N_DIRECTIONS,
    n_iterations: int = N_ITERATIONS,
    exact_columns: int = EXACT_COLUMNS,
) -> ClosedForm:
    """W = V·g(Λ) of the levels side by side, each with the same share of the energy. `dimension` None chooses it."""
    scales = _equal_shares([_estimate_trace(level, negatives) for level in levels]) if len(levels) > 1 else [1.0]
    scaled = [level.scaled(scale) for level, scale in zip(levels, scales, strict=True)]
    rows: Rows | StackedRows = scaled[0] if len(scaled) == 1 else StackedRows(scaled)
    n_columns = rows.shape[1]
    n_directions = min(n_directions if dimension is None else dimension, n_columns)
    if n_columns <= exact_columns:
        spectrum = _whole_spectrum(engine.gram(rows, negatives).double(), n_directions)
    else:
        spectrum = _leading_spectrum(
            lambda W: rows.transpose_times(negatives.laplacian(rows @ W)),
            _estimate_trace(rows, negatives),
            n_columns,
            n_directions,
            n_iterations,
            rows.device,
        )
    report("spectrum", 1, 1)
    if _are_alike(rows):
        spectrum = replace(spectrum, total=0.0)
    return _closed_form(spectrum, [level.shape[1] for level in levels], scales, dimension, effective_rank, length)


def solve_gram(
    M: Tensor,
    widths: Sequence[int],
    *,
    dimension: int | None,
    effective_rank: float,
    length: float,
    are_alike: bool = False,
    n_directions: int = N_DIRECTIONS,
    n_iterations: int = N_ITERATIONS,
    exact_columns: int = EXACT_COLUMNS,
) -> ClosedForm:
    """The same from M alone, in float64, of levels with these widths: for rows that are not in memory.

    `are_alike` says that all rows are the same but for rounding: then there is nothing to keep apart.
    """

    def trace(part: Tensor) -> float:
        signs = _signs(part.shape[0]).double()
        return float((signs * (part @ signs)).sum()) / N_PROBES

    scales = [1.0]
    if len(widths) > 1:
        blocks = [torch.split(part, list(widths), dim=1)[level] for level, part in enumerate(torch.split(M, list(widths)))]
        scales = _equal_shares([trace(block) for block in blocks])
        scale = torch.cat([torch.full((width,), share) for width, share in zip(widths, scales, strict=True)]).double()
        M = M * scale[:, None] * scale
    n_columns = M.shape[0]
    n_directions = min(n_directions if dimension is None else dimension, n_columns)
    if n_columns <= exact_columns:
        spectrum = _whole_spectrum(M, n_directions)
    else:
        spectrum = _leading_spectrum(
            lambda W: (M @ W.double()).float(), trace(M), n_columns, n_directions, n_iterations, M.device
        )
    if are_alike:
        spectrum = replace(spectrum, total=0.0)
    return _closed_form(spectrum, widths, scales, dimension, effective_rank, length)


@dataclass(frozen=True)
class _Spectrum:
    """The leading eigenvalues of M, their vectors, and the sum of all."""

    values: Tensor
    vectors: Tensor  # (columns, k)
    total: float
    route: str


def _whole_spectrum(M: Tensor, n_directions: int) -> _Spectrum:
    values, vectors = torch.linalg.eigh(M.nan_to_num())
    leading = values.flip(0)[:n_directions].float(), signed(vectors.flip(1)[:, :n_directions].float())
    return _Spectrum(*leading, float(M.trace()), f"the {len(M):,} × {len(M):,} eigenproblem of M")


def _leading_spectrum(
    multiply: Callable[[Tensor], Tensor],
    total: float,
    n_columns: int,
    n_directions: int,
    n_iterations: int,
    device: torch.device,
) -> _Spectrum:
    leading = leading_eigenvectors(multiply, n_columns, n_directions, device=device, n_iterations=n_iterations)
    route = f"{n_directions} directions by {n_iterations} iterations on S, for M would have {n_columns:,} columns"
    return _Spectrum(*leading, total, route)


def _closed_form(
    spectrum: _Spectrum,
    widths: Sequence[int],
    scales: Sequence[float],
    dimension: int | None,
    effective_rank: float,
    length: float,
) -> ClosedForm:
    eigenvalues, V, total, route = spectrum.values, spectrum.vectors, spectrum.total, spectrum.route
    if not math.isfinite(total) or not bool(eigenvalues.isfinite().all()):
        raise OverflowInputError("The energy of the smoothed features overflows. Scale the features down.")

    eigenvalues = eigenvalues.clamp(min=0)
    if total <= 0 or float(eigenvalues.max()) <= 0:  # all rows are alike: there is nothing to keep apart
        weights = [torch.zeros(width, dimension or 1, device=V.device) for width in widths]
        return ClosedForm(weights, 1.0, effective_rank, 0.0, route)
    power = sharpening(eigenvalues, effective_rank, minimum=1.0)
    relative = eigenvalues / eigenvalues[0]
    variances = relative**power
    if dimension is None:
        kept = int((variances.cumsum(0) < KEPT_SHARE * variances.sum()).sum()) + 1
        eigenvalues, V, relative, variances = eigenvalues[:kept], V[:, :kept], relative[:kept], variances[:kept]
    W = V * torch.where(relative > 0, relative ** ((power - 1) / 2), 0)
    if dimension is not None and W.shape[1] < dimension:
        W = torch.nn.functional.pad(W, (0, dimension - W.shape[1]))
    parts = torch.split(W, list(widths))
    weights = [
        part * (scale * len(widths)) for part, scale in zip(parts, scales, strict=True)
    ]  # a mean over levels undoes it
    share = float(variances.double().sum()) * float(eigenvalues[0]) / total
    return ClosedForm(weights, power, effective_rank, length * share**0.5, route, rank_of(variances))


def scale_to(Z: Tensor, length: float) -> tuple[float, Tensor]:
    """The factor and the offset that centre the rows and give them a length, root mean square."""
    offset = mean_of(Z).to(Z.dtype)
    rms = mean_square_length(Z, offset) ** 0.5
    factor = length / rms if rms > 0 else 1.0
    return factor, offset * factor


def _equal_shares(traces: Sequence[float]) -> list[float]:
    if not all(math.isfinite(trace) for trace in traces):
        raise OverflowInputError("The energy of the smoothed features overflows. Scale the features down.")
    return [trace**-0.5 if trace > 0 else 0.0 for trace in traces]


def _are_alike(rows: Rows | StackedRows) -> bool:
    """Whether the rows differ by rounding alone, seen in a few random combinations of their columns."""
    image = (rows @ _signs(rows.shape[1])[:, :4].to(rows.device)).double()
    return float((image - image.mean(dim=0)).square().sum()) <= ROUNDING * float(image.square().sum())


def _estimate_trace(rows: Rows | StackedRows, negatives: NegativeGraph) -> float:
    """tr(M) by Hutchinson's estimate: the mean of ωᵀMω over random signs ω, with a fixed start."""
    image = rows @ _signs(rows.shape[1]).to(rows.device)
    return float((image * negatives.laplacian(image)).sum(dtype=torch.float64)) / N_PROBES


def _signs(n_columns: int) -> Tensor:
    return torch.randint(0, 2, (n_columns, N_PROBES), generator=torch.Generator().manual_seed(0)) * 2.0 - 1
