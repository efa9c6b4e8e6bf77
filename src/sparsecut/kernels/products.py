"""Dense rows times a few columns, S·W and Sᵀ·G, by blocks of rows that the threads of a CPU share.

Rows in half precision become float32 a block at a time.
"""

from __future__ import annotations

from typing import Any, Protocol

import torch
from torch import Tensor

from sparsecut.kernels.threads import each

ROW_BLOCK = 16_384
GPU_BLOCK = 1 << 18  # a GPU is faster than its launches
N_TOGETHER = 16  # blocks whose (f, d) sums are held at a time


class DenseRows(Protocol):
    """A tensor (n, f), or what is read like one, a block of rows at a time."""

    shape: Any
    dtype: torch.dtype
    device: torch.device
    is_cuda: bool

    def __len__(self) -> int: ...

    def __getitem__(self, rows: slice, /) -> Tensor: ...


def times(rows: Tensor, weights: Tensor, *, row_block: int = ROW_BLOCK) -> Tensor:
    """S·W, (n, d), in the type of the weights."""
    if len(rows) <= row_block and rows.dtype == weights.dtype:
        return rows @ weights
    result = weights.new_empty((len(rows), weights.shape[1]))

    def multiply(block: slice) -> None:
        torch.mm(rows[block].to(weights.dtype), weights, out=result[block])

    each(multiply, row_blocks(rows, row_block), work=0 if rows.is_cuda else row_block * weights.numel())
    return result


def transpose_times(rows: Tensor, others: Tensor, *, row_block: int = ROW_BLOCK, n_together: int = N_TOGETHER) -> Tensor:
    """Sᵀ·G, (f, d), in the type of G."""
    if len(rows) <= row_block and rows.dtype == others.dtype:
        return rows.T @ others
    result = others.new_zeros((rows.shape[1], others.shape[1]))

    def multiply(block: slice) -> Tensor:
        return rows[block].to(others.dtype).T @ others[block]

    for together in groups(row_blocks(rows, row_block), 1 if rows.is_cuda else n_together):
        for part in each(multiply, together, work=0 if rows.is_cuda else row_block * result.numel()):
            result += part
    return result


def row_blocks(rows: Tensor | DenseRows, size: int) -> list[slice]:
    """Blocks of so many rows for the threads of a CPU, of more on a GPU."""
    return blocks(len(rows), GPU_BLOCK if rows.is_cuda else size)


def blocks(n_rows: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, n_rows)) for start in range(0, n_rows, size)]


def groups(items: list[slice], size: int) -> list[list[slice]]:
    """Groups of blocks that are worked on at a time: the result of each is held until all have been summed."""
    return [items[start : start + size] for start in range(0, len(items), size)]
