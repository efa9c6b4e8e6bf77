"""Products of rows kept in half precision, in float32: half the memory, and half of what a hop moves.

float16 keeps eleven bits of each number, three more than bfloat16, and rows fit its range once their largest number is 1:
`halved` sees to that. On a GPU the tensor cores multiply halves and add up in float32; elsewhere a block of rows becomes
float32 at a time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from sparsecut.cuda import can_hop, empty_aligned

ROW_BLOCK = 16_384
PRECISIONS = ("single", "half")
SMALLEST_SCALE, LARGEST_SCALE = 2.0**-6, 2.0**14  # of weights that float16 holds as they are, to eleven bits


def halved(features: Tensor) -> tuple[Tensor, float]:
    """The features as float16, and the power of two they are to be multiplied with."""
    scale = _power_above(features)
    halves = empty_aligned(features, dtype=torch.float16)
    for start, stop in _blocks(len(features)):
        halves[start:stop] = features[start:stop] / scale
    return halves, scale


def is_half(features: object) -> bool:
    return isinstance(features, Tensor) and features.dtype == torch.float16


def times(rows: Tensor, weights: Tensor) -> Tensor:
    """S·W, (n, d)."""
    if with_tensor_cores(rows):
        scale = _power_above(weights)
        if SMALLEST_SCALE <= scale <= LARGEST_SCALE:
            return torch.mm(rows, weights.to(rows.dtype), out_dtype=torch.float32)
        halves = (weights / scale).to(rows.dtype)
        return torch.mm(rows, halves, out_dtype=torch.float32).mul_(scale)
    result = weights.new_empty((len(rows), weights.shape[1]))
    for start, stop in _blocks(len(rows)):
        torch.mm(rows[start:stop].to(weights.dtype), weights, out=result[start:stop])
    return result


def transpose_times(rows: Tensor, others: Tensor) -> Tensor:
    """Sᵀ·G, (f, d)."""
    result = others.new_zeros((rows.shape[1], others.shape[1]))
    for start, stop in _blocks(len(rows)):
        result.addmm_(rows[start:stop].to(others.dtype).T, others[start:stop])
    return result


def _power_above(numbers: Tensor) -> float:
    """The least power of two that no number exceeds in size."""
    low, high = (float(bound) for bound in numbers.aminmax()) if numbers.numel() else (0.0, 0.0)
    largest = max(-low, high)
    return 2.0 ** math.ceil(math.log2(largest)) if largest > 0 else 1.0


def with_tensor_cores(rows: Tensor) -> bool:
    """Whether halves are multiplied into float32 as they are: on a GPU with Triton, and torch 2.8 or newer."""
    return is_half(rows) and can_hop(rows) and hasattr(torch.ops.aten.mm, "dtype")


def _blocks(n_rows: int) -> Iterator[tuple[int, int]]:
    return ((start, min(start + ROW_BLOCK, n_rows)) for start in range(0, n_rows, ROW_BLOCK))
