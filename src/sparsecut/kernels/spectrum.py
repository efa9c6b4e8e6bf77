"""Leading eigenvectors of a symmetric matrix known by its products, and what is read off a spectrum.

Subspace iteration from a fixed start: every product brings the block nearer to the leading eigenvectors, and the small
problem inside the last two blocks (Rayleigh and Ritz) tells them apart: as near as two products more with one block.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

LEAST_PART = 1e-2  # of a column's square: what less is left of a block beside the next is rounding more than direction
N_SPARE = 8  # columns iterated beyond those kept, for accuracy


def leading_eigenvectors(
    multiply: Callable[[Tensor], Tensor],
    n_rows: int,
    n_vectors: int,
    *,
    device: torch.device,
    n_iterations: int,
    seed: int = 0,
) -> tuple[Tensor, Tensor]:
    """Eigenvalues largest in size and their vectors, signs fixed, of the symmetric matrix behind `multiply`.

    n_iterations + 1 products.
    """
    width = min(n_vectors + N_SPARE, n_rows)
    start = torch.randn(n_rows, width, generator=torch.Generator().manual_seed(seed))
    basis = orthonormal(start.to(device))
    image = multiply(basis)
    before: tuple[Tensor, Tensor] | None = None
    for _ in range(n_iterations):
        before = basis, image
        basis = orthonormal(image)
        image = multiply(basis)
    if before is not None:  # the last block and the one before span more than the last, and their products are known
        basis, image = torch.cat([basis, before[0]], dim=1), torch.cat([image, before[1]], dim=1)
    within = _whitening(basis)  # (columns, k) float64
    small = within.T @ (basis.T @ image).double() @ within
    eigenvalues, vectors = torch.linalg.eigh((small + small.T) / 2)
    order = eigenvalues.abs().argsort(descending=True)[:n_vectors]
    return eigenvalues[order].to(basis.dtype), signed(basis @ (within @ vectors[:, order]).to(basis.dtype))


def _whitening(columns: Tensor) -> Tensor:
    """T with (X·T)ᵀ(X·T) = I for the directions of the columns X that are no rounding, and zeros for the others."""
    sizes, directions = torch.linalg.eigh((columns.T @ columns).double())
    is_there = sizes > LEAST_PART * sizes.max()
    whitening: Tensor = directions * (torch.where(is_there, sizes, 1).rsqrt() * is_there)
    return whitening


def orthonormal(columns: Tensor) -> Tensor:
    """An orthonormal basis of the span of a few long columns, by their Gram matrix: many times faster than a QR of them.

    Done twice, since the first pass squares the condition of the columns and loses half of the digits. Blocks of columns,
    (…, n, k), each have their own.
    """
    for _ in range(2):
        sizes, directions = torch.linalg.eigh((columns.mT @ columns).double())
        is_there = sizes > 1e-12 * sizes.amax(dim=-1, keepdim=True)
        scale = torch.where(is_there, sizes, 1).rsqrt() * is_there  # a direction that is not there stays zero
        columns = columns @ (directions * scale[..., None, :]).to(columns.dtype)
    return columns


def signed(vectors: Tensor) -> Tensor:
    """Each column with the sign that makes its largest entry positive: an eigenvector has no sign of its own."""
    largest = vectors.abs().argmax(dim=0, keepdim=True)
    signs = torch.where(vectors.gather(0, largest) < 0, -1.0, 1.0)
    return vectors * signs.to(vectors.dtype)


def rank_of(shares: Tensor) -> float:
    """The effective rank of a spectrum: exp of the entropy of its shares, between 1 and their number."""
    shares = shares.double().cpu()
    shares = shares / shares.sum()
    return math.exp(-float((shares * shares.clamp(min=1e-300).log()).sum()))


def rank_of_scatter(matrix: Tensor) -> float:
    """The effective rank of rows, from their scatter or any multiple of it; 0 where all rows are the same."""
    spectrum = torch.linalg.eigvalsh(matrix.double()).clamp(min=0)
    return rank_of(spectrum) if spectrum.sum() > 0 else 0.0


def sharpening(variances: Tensor, effective_rank: float, minimum: float = 0.0) -> float:
    """The power p ≥ minimum at which variances^p have an effective rank; the minimum where they have less already."""
    # A few numbers, fifty times: where they are (torch, a GPU) each call would cost more than the numbers.
    logarithms = np.log(variances.double().clamp(min=1e-30 * max(float(variances.max()), 1e-30)).cpu().numpy())
    logarithms -= logarithms.max()

    def rank_at(power: float) -> float:
        shares = np.exp(power * logarithms)
        shares /= shares.sum()
        return math.exp(-float(shares @ np.log(np.maximum(shares, 1e-300))))

    low, high = minimum, 64.0
    if rank_at(low) <= effective_rank:
        return low
    for _ in range(50):  # the rank falls with p
        middle = (low + high) / 2
        low, high = (middle, high) if rank_at(middle) > effective_rank else (low, middle)
    return high
