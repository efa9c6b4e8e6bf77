"""The mean of many rows and their scatter about it, a block of rows at a time: nothing of the rows' size is made.

    mean = Σ p_i s_i,   scatter = Σ p_i (s_i − mean)(s_i − mean)ᵀ,   Σ p_i = 1

Blocks are multiplied in float32 and added up in float64.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from sparsecut.kernels.products import N_TOGETHER, DenseRows, groups, row_blocks
from sparsecut.kernels.threads import each

ROW_BLOCK = 8192  # 20 MB of 602 columns: multiplied at full speed, and small beside the rows
ROUNDING = 4 * torch.finfo(torch.float32).eps  # of a column that a few hops have averaged, against its mean


def mean_of(rows: Tensor | DenseRows, shares: Tensor | None = None, *, row_block: int = ROW_BLOCK) -> Tensor:
    """(f,) float64; every row has the same share where none are given."""
    mean = torch.zeros(rows.shape[1], dtype=torch.float64, device=rows.device)

    def sum_of(block: slice) -> Tensor:
        return _single(rows[block]).sum(dim=0) if shares is None else shares[block].to(_type(rows)) @ _single(rows[block])

    for part in each(sum_of, row_blocks(rows, row_block), work=0 if rows.is_cuda else row_block * rows.shape[1]):
        mean += part
    return mean / len(rows) if shares is None else mean


def scatter(
    rows: Tensor | DenseRows, shares: Tensor | None = None, mean: Tensor | None = None, *, row_block: int = ROW_BLOCK
) -> Tensor:
    """(f, f) float64; `mean` is that of the rows with their shares, where it is known."""
    mean = (mean_of(rows, shares, row_block=row_block) if mean is None else mean).to(_type(rows))
    total = torch.zeros(rows.shape[1], rows.shape[1], dtype=torch.float64, device=rows.device)

    def squares(block: slice) -> Tensor:
        centred = _single(rows[block]) - mean
        if shares is not None:
            centred *= shares[block, None].sqrt().to(centred.dtype)
        return _squares(centred)

    for together in groups(row_blocks(rows, row_block), 1 if rows.is_cuda else N_TOGETHER):
        for part in each(squares, together, work=0 if rows.is_cuda else row_block * rows.shape[1] ** 2):
            total += part
    return total / len(rows) if shares is None else total


def drop_rounding(matrices: Sequence[Tensor], variances: Tensor, mean: Tensor, n_rows: int) -> None:
    """Set to zero, in place, the rows and columns of constant columns: float64 sums of what float32 rounded are not zero.

    `variances` are the diagonal of the scatter of `n_rows` rows about their `mean`.
    """
    is_rounding = variances <= n_rows * (ROUNDING * mean).square()
    for matrix in matrices:
        matrix[is_rounding], matrix[:, is_rounding] = 0, 0


def _squares(rows: Tensor) -> Tensor:
    """XᵀX. Numpy sees that both factors are one matrix and does half of the work; torch does it all."""
    if rows.device.type != "cpu":
        return rows.T @ rows
    array = rows.numpy()
    with np.errstate(over="ignore", invalid="ignore"):  # as in torch: whoever reads the energy says that it overflowed
        return torch.from_numpy(array.T @ array)


def _type(rows: Tensor | DenseRows) -> torch.dtype:
    return torch.float32 if rows.dtype == torch.float16 else rows.dtype


def _single(rows: Tensor) -> Tensor:
    return rows.to(_type(rows))
