"""One hop on an NVIDIA GPU: a Triton kernel in place of a library call.

A hop gathers one row per entry of the graph, many times more bytes than the rows have, so it runs at the speed of whatever
holds them. Columns are taken in panels of 256 bytes, and all rows of a panel before the next: of a graph of Reddit's size a
panel fits in the second-level cache, and the gathers come from there. A warp works on one row, or on a few that follow one
another where a panel is narrow; it fetches the numbers of the next neighbours while it adds up the rows of these.
`kernels.schedule` says in which order rows go. Sums are float32 whatever the rows are kept in.

`benchmarks/gpu.py` has the times beside those of torch's own calls, which serve where there is no Triton and as the oracle.
"""

from __future__ import annotations

import importlib.util
from typing import Any

import torch
from torch import Tensor

PANEL_BYTES = 256  # of a row, gathered at a time
WARP_NUMBERS = 512  # that a warp gathers at a time, about: the neighbours of one row of a wide panel, or of four rows
ALIGNMENT = 16  # columns: a row must start where a 16-byte load may, in every type
LINE_BYTES = 128  # of a cache line, where rows that are wider start

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
    *,
    scale: float = 1.0,
    first: Tensor | None = None,
    coefficient: float = 0.0,
    into: Tensor | None = None,
) -> Tensor:
    """scale·(left ⊙ (A·(right ⊙ rows)) + own ⊙ rows) + coefficient·first, in the type of the rows.

    `schedule` has every row once, in the order to go. What Horner's rule adds is added in the same pass. The result is
    written `into` what `empty_aligned` made for such rows, if that is given.
    """
    rows = aligned(rows)
    first = None if first is None or coefficient == 0 else aligned(first)
    result = empty_aligned(rows) if into is None else into
    width, factors = padded(rows.shape[1]), (scale, coefficient)
    return _launch((indices, offsets, values), diagonals, rows, schedule, first, result, width, factors, is_some=False)


def hop_some(
    indices: Tensor,
    offsets: Tensor,
    values: Tensor | None,
    diagonals: tuple[Tensor, Tensor | None, Tensor],
    coefficients: tuple[float, float],
    rows: Tensor,
    nodes: Tensor,
) -> Tensor:
    """The rows of c₀·rows + c₁·P·rows at some nodes, float32: only these nodes' neighbours are read.

    The rows stay as they lie in memory: to align all of them for a few would read more.
    """
    rows = rows if rows.stride(1) == 1 else rows.contiguous()
    result, width = rows.new_empty((len(nodes), rows.shape[1]), dtype=torch.float32), rows.shape[1]
    own, hopped = coefficients
    first = rows if own else None
    return _launch((indices, offsets, values), diagonals, rows, nodes, first, result, width, (hopped, own), is_some=True)


def _launch(
    entries: tuple[Tensor, Tensor, Tensor | None],
    diagonals: tuple[Tensor, Tensor | None, Tensor],
    rows: Tensor,
    schedule: Tensor,
    first: Tensor | None,
    result: Tensor,
    width: int,
    factors: tuple[float, float],
    *,
    is_some: bool,
) -> Tensor:
    (indices, offsets, values), (left, right, own), (scale, coefficient) = entries, diagonals, factors
    panel = min(PANEL_BYTES // rows.element_size(), _power_of_two(width))
    n_rows = max(1, min(4, WARP_NUMBERS // (4 * panel)))
    with torch.cuda.device(rows.device):  # where Triton launches, which is the current GPU else
        _kernel(n_rows)[(-(-len(schedule) // n_rows), -(-width // panel))](
            indices,
            offsets,
            values,
            rows,
            left,
            right,
            own,
            schedule,
            first,
            result,
            len(schedule),
            width,
            rows.stride(0),
            0 if first is None else first.stride(0),
            result.stride(0),
            float(scale),
            float(coefficient),
            IS_SOME=is_some,
            WIDTH=panel,
            N_ROWS=n_rows,
            N_AT_ONCE=8 if n_rows == 1 else 4,
            num_warps=1,
        )
    return result


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
    line = LINE_BYTES // (dtype or like.dtype).itemsize
    room = like.new_empty((n_rows, padded(width, line if width > line else ALIGNMENT)), dtype=dtype)
    if room.shape[1] == width:
        return room
    room[:, width:] = 0
    return room[:, :width]


def padded(number: int, unit: int = ALIGNMENT) -> int:
    """The next multiple of a unit."""
    return -(-number // unit) * unit


def _power_of_two(number: int) -> int:
    return 1 << (number - 1).bit_length()


def _kernel(n_rows: int) -> Any:
    """Triton is imported when a GPU first needs it."""
    from sparsecut.kernels import cuda_kernels

    return cuda_kernels.hop if n_rows == 1 else cuda_kernels.hop_rows
