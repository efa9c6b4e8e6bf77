"""One hop, and the moments of the rows, on an NVIDIA GPU: Triton kernels in place of library calls.

A hop gathers one row an entry of the graph, many times more bytes than the rows have, so it runs at the speed of whatever
holds them. Columns are taken in panels of 256 bytes, and all rows of a panel before the next: of a graph of Reddit's size a
panel fits in the second-level cache, and the gathers come from there. One warp works on one row; it fetches the next eight
neighbours' numbers while it adds up the rows of these eight. Rows with most neighbours go first, so that none is left to
finish alone. Sums are float32 whatever the rows are kept in.

`benchmarks/gpu.py` has the times beside those of torch's own calls, which serve where there is no Triton and as the oracle.
"""

from __future__ import annotations

import importlib.util
from typing import Any

import torch
from torch import Tensor

PANEL_BYTES = 256  # of a row, gathered at a time
N_AT_ONCE = 8  # neighbours
ALIGNMENT = 16  # columns: a row must start where a 16-byte load may, in every type
ROW_BLOCK = 64  # rows that the Gram kernel multiplies at a time
PROGRAMS_PER_PROCESSOR = 2
MAX_TILE_COLUMNS = 128  # the Gram kernel keeps one square tile in registers; wider rows are a matter for cuBLAS

TYPES = (torch.float32, torch.float16, torch.bfloat16)


def can_hop(rows: Tensor) -> bool:
    """Whether the kernels here serve for such rows."""
    return rows.is_cuda and rows.dtype in TYPES and importlib.util.find_spec("triton") is not None


def hop(
    indices: Tensor,
    offsets: Tensor,
    values: Tensor | None,
    diagonals: tuple[Tensor, Tensor | None, Tensor],
    rows: Tensor,
    schedule: Tensor,
) -> Tensor:
    """left ⊙ (A·(right ⊙ rows)) + own ⊙ rows, in the type of the rows. `schedule` has every row once, in the order to go."""
    left, right, own = diagonals
    rows = aligned(rows)
    result = empty_aligned(rows)
    panel = min(PANEL_BYTES // rows.element_size(), _power_of_two(rows.stride(0)))
    _kernels().hop[(len(rows), -(-result.stride(0) // panel))](
        indices,
        offsets,
        values,
        rows,
        left,
        right,
        own,
        schedule,
        result,
        rows.stride(0),
        WIDTH=panel,
        N_AT_ONCE=N_AT_ONCE,
        num_warps=1,
    )
    return result


def moments(rows: Tensor) -> tuple[Tensor, Tensor]:
    """SᵀS, (f, f), and Sᵀ1, (f,), in float64 from float32 sums, the same bits every time."""
    n_rows, width = rows.shape
    if width > MAX_TILE_COLUMNS:
        squares = torch.mm(rows.T, rows, out_dtype=torch.float32)
        return squares.double(), rows.sum(dim=0, dtype=torch.float32).double()
    tile = max(_power_of_two(width), 16)
    n_programs = PROGRAMS_PER_PROCESSOR * torch.cuda.get_device_properties(rows.device).multi_processor_count
    squares = rows.new_empty((n_programs, width, width), dtype=torch.float32)
    sums = rows.new_empty((n_programs, width), dtype=torch.float32)
    _kernels().moments[(n_programs,)](
        rows, squares, sums, n_rows, width, rows.stride(0), TILE=tile, ROW_BLOCK=ROW_BLOCK, num_warps=8
    )
    return squares.double().sum(dim=0), sums.double().sum(dim=0)


def aligned(rows: Tensor) -> Tensor:
    """The rows, each starting where wide loads may; a copy only where they do not yet."""
    stride = rows.stride(0)
    is_aligned = rows.stride(1) == 1 and stride % ALIGNMENT == 0 and rows.data_ptr() % 16 == 0
    reaches = rows.storage_offset() + len(rows) * stride <= rows.untyped_storage().nbytes() // rows.element_size()
    if is_aligned and reaches:
        return rows
    return empty_aligned(rows).copy_(rows)


def empty_aligned(like: Tensor, dtype: torch.dtype | None = None) -> Tensor:
    """Room for as many rows and columns, each row starting aligned: a view of wider rows, zeros between them."""
    n_rows, width = like.shape
    padded = -(-width // ALIGNMENT) * ALIGNMENT
    room = like.new_empty((n_rows, padded), dtype=dtype)
    room[:, width:] = 0
    return room[:, :width]


def _power_of_two(number: int) -> int:
    return 1 << (number - 1).bit_length()


def _kernels() -> Any:
    """Triton is imported when a GPU first needs it."""
    from sparsecut import cuda_kernels

    return cuda_kernels
