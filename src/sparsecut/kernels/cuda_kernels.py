"""The Triton kernel behind `sparsecut.kernels.cuda`; imported only where there is a GPU.

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
    width,
    stride,
    first_stride,
    result_stride,
    scale,
    coefficient,
    WIDTH: tl.constexpr,
    N_AT_ONCE: tl.constexpr,
):
    """One row of the result, one panel of its columns. Programs are numbered row by row within a panel."""
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
    tl.store(result + row * result_stride + columns, total.to(result.dtype.element_ty), mask=is_column)


@triton.jit
def squares(
    rows,
    mean,
    shares,
    result,
    n_rows,
    width,
    stride,
    result_width,
    CHUNK: tl.constexpr,
    DEPTH: tl.constexpr,
    TILE: tl.constexpr,
):
    """One tile of (X − mean)ᵀ(X − mean) over one chunk of rows; tiles below the diagonal are left to their mirrors.

    tf32x3 is three products of the tensor cores for one: each factor as the sum of two numbers of eleven bits.
    """
    first, second = tl.program_id(0), tl.program_id(1)
    if second < first:
        return
    chunk = tl.program_id(2).to(tl.int64)
    left = first * TILE + tl.arange(0, TILE)
    right = second * TILE + tl.arange(0, TILE)
    left_mean = tl.load(mean + left, mask=left < width, other=0.0)
    right_mean = tl.load(mean + right, mask=right < width, other=0.0)
    sums = tl.zeros((TILE, TILE), tl.float32)
    for start in range(0, CHUNK, DEPTH):
        here = chunk * CHUNK + start + tl.arange(0, DEPTH)
        is_row = here < n_rows
        is_left = is_row[:, None] & (left < width)[None, :]
        is_right = is_row[:, None] & (right < width)[None, :]
        a = tl.load(rows + here[:, None] * stride + left[None, :], mask=is_left, other=0.0)
        b = tl.load(rows + here[:, None] * stride + right[None, :], mask=is_right, other=0.0)
        a = tl.where(is_left, a - left_mean[None, :], 0.0)
        b = tl.where(is_right, b - right_mean[None, :], 0.0)
        if shares is not None:
            a *= tl.load(shares + here, mask=is_row, other=0.0)[:, None]
        sums = tl.dot(tl.trans(a), b, sums, input_precision="tf32x3")
    place = chunk * result_width * result_width + left[:, None] * result_width + right[None, :]
    tl.store(result + place, sums)
