"""The Triton kernels behind `sparsecut.kernels.cuda`; imported only where there is a GPU.

No `from __future__ import annotations` here: Triton reads the annotations themselves.
"""

import triton
import triton.language as tl


@triton.jit
def hop(
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
    n_nodes,
    width,
    stride,
    first_stride,
    result_stride,
    scale,
    coefficient,
    IS_SOME: tl.constexpr,
    WIDTH: tl.constexpr,
    N_ROWS: tl.constexpr,
    N_AT_ONCE: tl.constexpr,
):
    """One row of the result, one panel of its columns. Programs are numbered row by row within a panel.

    Of some rows the result has those alone, in the order of the schedule.
    """
    row = tl.load(schedule + tl.program_id(0)).to(tl.int64)
    columns = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    is_column = columns < width
    start = tl.load(offsets + row).to(tl.int64)
    stop = tl.load(offsets + row + 1).to(tl.int64)
    places = start + tl.arange(0, N_AT_ONCE)

    sums = tl.zeros((N_AT_ONCE, WIDTH), tl.float32)
    neighbors = tl.load(indices + places, mask=places < stop, other=0).to(tl.int64)
    for _ in range(start, stop, N_AT_ONCE):
        is_there = places < stop
        gathered = tl.load(
            rows + neighbors[:, None] * stride + columns[None, :], mask=is_there[:, None] & is_column[None, :], other=0.0
        ).to(tl.float32)
        if values is not None:
            gathered *= tl.load(values + places, mask=is_there, other=0.0)[:, None]
        if right is not None:
            gathered *= tl.load(right + neighbors, mask=is_there, other=0.0)[:, None]
        places += N_AT_ONCE
        neighbors = tl.load(indices + places, mask=places < stop, other=0).to(tl.int64)
        sums += gathered

    itself = tl.load(rows + row * stride + columns, mask=is_column, other=0.0).to(tl.float32)
    total = (tl.sum(sums, 0) * tl.load(left + row) + itself * tl.load(own + row)) * scale
    if first is not None:
        total += tl.load(first + row * first_stride + columns, mask=is_column, other=0.0).to(tl.float32) * coefficient
    place = tl.program_id(0).to(tl.int64) if IS_SOME else row
    tl.store(result + place * result_stride + columns, total.to(result.dtype.element_ty), mask=is_column)


@triton.jit
def hop_rows(
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
    n_nodes,
    width,
    stride,
    first_stride,
    result_stride,
    scale,
    coefficient,
    IS_SOME: tl.constexpr,
    WIDTH: tl.constexpr,
    N_ROWS: tl.constexpr,
    N_AT_ONCE: tl.constexpr,
):
    """`hop` for a few rows that follow one another in the schedule: a narrow panel of one is too little for a warp."""
    number = tl.program_id(0) * N_ROWS + tl.arange(0, N_ROWS)
    is_row = number < n_nodes
    row = tl.load(schedule + number, mask=is_row, other=0).to(tl.int64)
    columns = tl.program_id(1) * WIDTH + tl.arange(0, WIDTH)
    is_column = columns < width
    start = tl.load(offsets + row, mask=is_row, other=0).to(tl.int64)
    stop = tl.load(offsets + row + 1, mask=is_row, other=0).to(tl.int64)
    places = start[:, None] + tl.arange(0, N_AT_ONCE)[None, :]

    sums = tl.zeros((N_ROWS, N_AT_ONCE, WIDTH), tl.float32)
    neighbors = tl.load(indices + places, mask=places < stop[:, None], other=0).to(tl.int64)
    for _ in range(0, tl.max(stop - start, 0), N_AT_ONCE):
        is_there = places < stop[:, None]
        gathered = tl.load(
            rows + neighbors[:, :, None] * stride + columns[None, None, :],
            mask=is_there[:, :, None] & is_column[None, None, :],
            other=0.0,
        ).to(tl.float32)
        if values is not None:
            gathered *= tl.load(values + places, mask=is_there, other=0.0)[:, :, None]
        if right is not None:
            gathered *= tl.load(right + neighbors, mask=is_there, other=0.0)[:, :, None]
        places += N_AT_ONCE
        neighbors = tl.load(indices + places, mask=places < stop[:, None], other=0).to(tl.int64)
        sums += gathered

    is_mine = is_row[:, None] & is_column[None, :]
    itself = tl.load(rows + row[:, None] * stride + columns[None, :], mask=is_mine, other=0.0).to(tl.float32)
    total = (tl.sum(sums, 1) * tl.load(left + row)[:, None] + itself * tl.load(own + row)[:, None]) * scale
    if first is not None:
        before = tl.load(first + row[:, None] * first_stride + columns[None, :], mask=is_mine, other=0.0)
        total += before.to(tl.float32) * coefficient
    place = number.to(tl.int64) if IS_SOME else row
    tl.store(result + place[:, None] * result_stride + columns[None, :], total.to(result.dtype.element_ty), mask=is_mine)
