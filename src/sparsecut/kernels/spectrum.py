"""Leading eigenvectors of a symmetric matrix known by its products, and what is read off a spectrum.

Subspace iteration from a fixed start: every product brings the block nearer to the leading eigenvectors, and the small
problem inside the last two blocks (Rayleigh and Ritz) tells them apart: as near as two products more with one block.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

HOST_COLUMNS = 128  # up to here the host solves an eigenproblem in less time than sending it to a GPU takes
LEAST_PART = 1e-2  # of a column's square: what less is left of a block beside the next is rounding more than direction
ABSENT = 1e-12  # of the largest square of a direction: what has less is no direction
MAX_SHARPNESS, MOST_STEPS = 64.0, 60
TIE = 1e-5  # of the largest entry: what another order of sums changes an eigenvector by
N_SPARE = 8  # columns iterated beyond those kept, for accuracy


def leading_eigenvectors(
    multiply: Callable[[Tensor], Tensor],
    n_rows: int,
    n_vectors: int,
    *,
    device: torch.device,
    n_iterations: int,
    seed: int = 0,
    start_order: NDArray[np.int64] | None = None,
) -> tuple[Tensor, Tensor]:
    """Eigenvalues largest in size and their vectors, signs fixed, of the symmetric matrix behind `multiply`.

    n_iterations + 1 products. The rows of the start are drawn in an order of the rows, by default as they come.
    """
    width = min(n_vectors + N_SPARE, n_rows)
    start = torch.randn(n_rows, width, generator=torch.Generator().manual_seed(seed))
    if start_order is not None:
        start = torch.empty_like(start).index_copy_(0, torch.from_numpy(start_order), start)
    basis = start.to(device) / math.sqrt(n_rows)  # nearly orthonormal: it is random
    image = multiply(basis)
    before: tuple[Tensor, Tensor] | None = None
    for _ in range(n_iterations):
        before = basis, image
        basis = orthonormal(image, n_passes=1)  # what rounding leaves of other columns in one is found again below
        image = multiply(basis)
    if before is not None:  # the last block and the one before span more than the last, and their products are known
        basis, image = torch.cat([basis, before[0]], dim=1), torch.cat([image, before[1]], dim=1)
    within = _whitening(basis)  # (columns, k) float64
    small = within.T @ (basis.T @ image).to(within) @ within
    eigenvalues, vectors = eigenvectors((small + small.T) / 2)
    order = eigenvalues.abs().argsort(descending=True)[:n_vectors]
    return eigenvalues[order].to(basis), signed(basis @ (within.to(vectors) @ vectors[:, order]).to(basis))


def eigenvectors(matrix: Tensor) -> tuple[Tensor, Tensor]:
    """Eigenvalues, rising, and vectors of symmetric matrices, (…, k, k), in float64; of small ones in the host's memory."""
    return tuple(torch.linalg.eigh(_where_solved(matrix).double()))


def _where_solved(matrix: Tensor) -> Tensor:
    return matrix.cpu() if matrix.shape[-1] <= HOST_COLUMNS else matrix


def _whitening(columns: Tensor) -> Tensor:
    """T with (X·T)ᵀ(X·T) = I for the directions of the columns X that are no rounding, and zeros for the others."""
    sizes, directions = eigenvectors(columns.T @ columns)
    is_there = sizes > LEAST_PART * sizes.max()
    whitening: Tensor = directions * (torch.where(is_there, sizes, 1).rsqrt() * is_there)
    return whitening


def orthonormal(columns: Tensor, *, n_passes: int = 2) -> Tensor:
    """An orthonormal basis of the span of a few long columns, by their Gram matrix: many times faster than a QR of them.

    Done twice, since the first pass squares the condition of the columns and loses half of the digits; one pass is enough
    on the way to another product. Blocks of columns, (…, n, k), each have their own.
    """
    for _ in range(n_passes):
        if columns.is_cuda:
            columns = _by_cholesky(columns)
            continue
        sizes, directions = eigenvectors(columns.mT @ columns)
        is_there = sizes > ABSENT * sizes.amax(dim=-1, keepdim=True)
        scale = torch.where(is_there, sizes, 1).rsqrt() * is_there  # a direction that is not there stays zero
        columns = columns @ (directions * scale[..., None, :]).to(columns)
    return columns


def _by_cholesky(columns: Tensor) -> Tensor:
    """Columns of the span by a Cholesky factor in float64: unlike eigenvectors, a GPU computes it without the host.

    A small share of the columns' squares is added to the diagonal, so that columns that depend on others have a factor too.
    Columns of zeros stay zero.
    """
    doubles = columns.double()
    squares = doubles.mT @ doubles
    squares.diagonal(dim1=-2, dim2=-1).add_(ABSENT * squares.diagonal(dim1=-2, dim2=-1).sum(-1, keepdim=True) + 1e-300)
    factor, _ = torch.linalg.cholesky_ex(squares)
    basis: Tensor = torch.linalg.solve_triangular(factor.mT, doubles, upper=True, left=False)
    return basis.to(columns)


def signed(vectors: Tensor) -> Tensor:
    """Each column with the sign that makes its largest entry positive: an eigenvector has no sign of its own.

    Of entries that are as large but for rounding the first counts, so that no order of sums decides.
    """
    sizes = vectors.abs()
    largest = (sizes >= (1 - TIE) * sizes.amax(dim=0, keepdim=True)).int().argmax(dim=0, keepdim=True)
    signs = torch.where(vectors.gather(0, largest) < 0, -1.0, 1.0)
    return vectors * signs.to(vectors.dtype)


def rank_of(shares: Tensor) -> float:
    """The effective rank of a spectrum: exp of the entropy of its shares, between 1 and their number."""
    shares = shares.double().cpu()
    shares = shares / shares.sum()
    return math.exp(-float((shares * shares.clamp(min=1e-300).log()).sum()))


def rank_of_scatter(matrix: Tensor) -> float:
    """The effective rank of rows, from their scatter or any multiple of it; 0 where all rows are the same."""
    spectrum = torch.linalg.eigvalsh(_where_solved(matrix).double()).clamp(min=0)
    return rank_of(spectrum) if spectrum.sum() > 0 else 0.0


def sharpening(variances: Tensor, effective_rank: float, minimum: float = 0.0) -> float:
    """The power p ≥ minimum at which variances^p have an effective rank; the minimum where they have less already.

    The entropy H of shares λ^p/Σλ^p falls with p, dH/dp = −p·(the variance of log λ under the shares): Newton's steps, and
    halves of what is known to hold p where a step leaves it.
    """
    # A few numbers, a few times: where they are (torch, a GPU) each call would cost more than the numbers.
    numbers = variances.double().cpu().numpy()
    logarithms = np.log(np.maximum(numbers, 1e-30 * max(float(numbers.max()), 1e-30)))
    logarithms -= logarithms.max()
    wanted, low, high, power = math.log(effective_rank), minimum, MAX_SHARPNESS, minimum
    for step in range(MOST_STEPS):
        shares = np.exp(power * logarithms)
        total = float(shares.sum())
        shares /= total
        mean = float(shares @ logarithms)
        entropy = math.log(total) - power * mean
        if step == 0 and entropy <= wanted:
            return minimum
        low, high = (power, high) if entropy > wanted else (low, power)
        slope = power * (float(shares @ logarithms**2) - mean**2)
        moved = power + (entropy - wanted) / slope if slope > 0 else math.inf
        moved = moved if low < moved < high else (low + high) / 2
        if abs(moved - power) <= 1e-13 * power:
            break
        power = moved
    return power
