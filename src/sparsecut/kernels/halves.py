"""Products of rows kept in half precision, in float32: half the memory, and half of what a hop moves.

float16 keeps eleven bits of each number, three more than bfloat16, and rows fit its range once their largest number is 1:
`halved` sees to that. On a GPU the tensor cores multiply halves and add up in float32; elsewhere a block of rows becomes
float32 at a time.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from sparsecut.kernels import products
from sparsecut.kernels.cuda import aligned, can_hop, empty_aligned, padded

ROW_BLOCK = 16_384  # rows that become float32 at a time
SUM_BLOCK = 1024  # rows that the tensor cores sum up
SUMS_BYTES = 1 << 28  # of the blocks' sums held at a time
PRECISIONS = ("single", "half")
SMALLEST_SCALE, LARGEST_SCALE = 2.0**-6, 2.0**14  # of weights that float16 holds as they are, to eleven bits


def halved(features: Tensor) -> tuple[Tensor, float]:
    """The features as float16, and the power of two they are to be multiplied with."""
    scale = _power_above(features)
    halves = empty_aligned(features, dtype=torch.float16)
    if features.is_cuda:  # in one pass: nothing is made beside it
        return torch.mul(features, 1 / scale, out=halves), scale
    for block in products.row_blocks(features, ROW_BLOCK):
        halves[block] = features[block] / scale
    return halves, scale


def is_half(features: object) -> bool:
    return isinstance(features, Tensor) and features.dtype == torch.float16


def times(rows: Tensor, weights: Tensor, out: Tensor | None = None) -> Tensor:
    """S·W, (n, d), float32; of a GPU's rows in either precision, where `out` is, if it is given."""
    if with_tensor_cores(rows):
        scale = _power_above(weights)
        is_within = SMALLEST_SCALE <= scale <= LARGEST_SCALE
        wide = _wide(rows)
        halves = torch.nn.functional.pad(weights if is_within else weights / scale, (0, 0, 0, wide.shape[1] - len(weights)))
        result = torch.mm(wide, halves.to(rows.dtype), out_dtype=torch.float32, out=out)
        return result if is_within else result.mul_(scale)
    if out is not None:
        return torch.mm(rows.float(), weights, out=out)
    return products.times(rows, weights)


def _wide(rows: Tensor) -> Tensor:
    """The rows with the columns of zeros that lie beside them in memory: tensor cores want a multiple of eight."""
    rows = aligned(rows)
    return rows.as_strided((len(rows), padded(rows.shape[1])), rows.stride())


def _power_above(numbers: Tensor) -> float:
    """The least power of two that no number exceeds in size."""
    low, high = torch.stack(numbers.aminmax()).tolist() if numbers.numel() else (0.0, 0.0)
    largest = max(-low, high)
    return 2.0 ** math.ceil(math.log2(largest)) if largest > 0 else 1.0


def moments(rows: Tensor) -> tuple[Tensor, Tensor]:
    """SᵀS, (f, f), and Sᵀ1, (f,), float64, by the tensor cores.

    They cut off what float32 cannot hold instead of rounding it, so a long sum comes out too small: they sum up blocks of
    rows, and float64 the blocks.
    """
    wide, width = _wide(rows), rows.shape[1]
    squares = _block_sums(wide, wide)
    return squares[:width, :width], rows.sum(dim=0, dtype=torch.float32).double()


def _block_sums(left: Tensor, right: Tensor) -> Tensor:
    """Leftᵀ·Right in float64: the tensor cores sum up blocks of rows in float32, and float64 the blocks."""
    width, n_blocks = left.shape[1], len(left) // SUM_BLOCK
    whole = slice(0, n_blocks * SUM_BLOCK)
    parts = [side[whole].view(n_blocks, SUM_BLOCK, width) for side in (left, right)]
    total = torch.mm(left[whole.stop :].T, right[whole.stop :], out_dtype=torch.float32).double()
    at_once = max(1, SUMS_BYTES // (4 * width**2))
    for first, second in zip(*(torch.split(part, at_once) for part in parts), strict=True):
        total += torch.bmm(first.mT, second, out_dtype=torch.float32).sum(dim=0, dtype=torch.float64)
    return total


def with_tensor_cores(rows: Tensor) -> bool:
    """Whether halves are multiplied into float32 as they are: on a GPU with Triton, and torch 2.8 or newer."""
    return is_half(rows) and can_hop(rows) and hasattr(torch.ops.aten.mm, "dtype")
