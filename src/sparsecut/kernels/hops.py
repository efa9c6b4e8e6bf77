"""Hops on a CPU, a panel of columns at a time: the rows gathered are one cache line each and stay in the cache.

A hop gathers one row per entry of the graph, many times more bytes than the rows have. Whole rows come from main memory; a
panel of one line per row fits the last cache up to a few hundred thousand nodes, and the gathers come from there. All hops
of a polynomial are taken in a panel before the next, so what is held beside the rows and the result is a few panels.

At Reddit's size, two cores, this takes about half the time of whole rows, though every panel reads the neighbour lists again
(`benchmarks/smoothing.py`). An order of the nodes that keeps communities together is not looked for: bringing graph and
features into it costs more than two hops gain, even where the communities are given.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from sparsecut.kernels.entries import BLOCK_WORK, Entries
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.kernels.threads import each

LINE_BYTES = 64
CACHE_BYTES = 16 << 20  # a panel of this size stays in the cache, lists and sums streaming past it
WIDE_BYTES = 512  # of a row's panel where no panel fits the cache: wide enough for main memory to stream
ROW_BLOCK = 16_384  # rows of a panel whose sums are finished at a time, within a core's own cache
MAX_HALF = 2.0**15  # sums below it fit float16


def smooth(
    neighbors: Entries,
    diagonals: tuple[Tensor, Tensor | None, Tensor],
    coefficients: Polynomial,
    rows: Tensor,
    report: Callable[[int, int], None] | None = None,
) -> Tensor:
    """Σ c_k P^k · rows for P = diag(left)·A·diag(right) + diag(own), in the type of the rows, by Horner's rule.

    Sums are float32 for rows in float16, whose numbers must not exceed 1 (`kernels.halves`); what a hop leaves of them is
    rounded to float16 again, and so are weights, each row's by its largest. `report(done, total)` is called after every hop
    of a panel.
    """
    n_hops, width = len(coefficients) - 1, rows.shape[1]
    step = min(width, panel_width(len(rows), rows.dtype.itemsize)) if rows.device.type == "cpu" else width
    starts = range(0, width, step) if width else ()
    left, right, own = (
        diagonals[0][:, None],
        None if diagonals[1] is None else diagonals[1][:, None],
        diagonals[2][:, None],
    )
    if rows.dtype == torch.float16:
        if neighbors.values is not None:
            neighbors, left = _halved_weights(neighbors, left)
        growth = max(1.0, sum(map(abs, coefficients)))  # what Horner's rule has on its way to the result
        if (factor := _factor_of_sums(left, right, growth)) != 1:
            left, right = left / factor, torch.full_like(left, factor) if right is None else right * factor
    blocks = neighbors.row_blocks(step)
    if len(starts) == 1 and n_hops:  # what the last hop leaves is the result: no copy of it

        def count_hop(hop: int) -> None:
            if report is not None:
                report(hop, n_hops)

        return _smooth_panel(blocks, (left, right, own), coefficients, rows.contiguous(), count_hop)
    result = rows.new_empty(rows.shape)
    for number, start in enumerate(starts):

        def count(hop: int, number: int = number) -> None:
            if report is not None:
                report(number * n_hops + hop, len(starts) * n_hops)

        tile = rows[:, start : start + step].contiguous()
        result[:, start : start + step] = _smooth_panel(blocks, (left, right, own), coefficients, tile, count)
        del tile  # before the next one takes its memory
    return result


def panel_width(n_rows: int, item_bytes: int) -> int:
    """Columns of a panel: as many lines as the cache holds for every row; wide ones where it holds not one."""
    lines = CACHE_BYTES // (n_rows * LINE_BYTES)
    return (lines * LINE_BYTES if lines else WIDE_BYTES) // item_bytes


def _smooth_panel(
    blocks: Sequence[tuple[slice, Entries]],
    diagonals: tuple[Tensor, Tensor | None, Tensor],
    coefficients: Polynomial,
    first: Tensor,
    count: Callable[[int], None],
) -> Tensor:
    left, right, own = diagonals
    tile, spare = first if coefficients[-1] == 1 else first * coefficients[-1], None
    for hop, coefficient in enumerate(reversed(coefficients[:-1]), start=1):
        scaled = tile if right is None else (tile * right).to(tile.dtype)
        into = torch.empty_like(tile) if spare is None else spare

        def finish(
            block: tuple[slice, Entries],
            tile: Tensor = tile,
            scaled: Tensor = scaled,
            into: Tensor = into,
            coefficient: float = coefficient,
        ) -> None:
            rows, entries = block
            _finish(into[rows], entries @ scaled, left[rows], own[rows], tile[rows], first[rows], coefficient)

        each(finish, blocks, work=BLOCK_WORK)
        tile, spare = into, None if tile is first else tile
        count(hop)
    return tile


def _finish(into: Tensor, sums: Tensor, left: Tensor, own: Tensor, tile: Tensor, first: Tensor, coefficient: float) -> None:
    """into ← left ⊙ sums + own ⊙ tile + coefficient · first, computed in float32 where they are halves."""
    for start in range(0, len(sums), ROW_BLOCK):
        block = slice(start, start + ROW_BLOCK)
        if sums.dtype == torch.float16:
            total = sums[block].float().mul_(left[block]).addcmul_(tile[block].float(), own[block])
        else:
            total = torch.mul(sums[block], left[block], out=into[block]).addcmul_(tile[block], own[block])
        if coefficient:
            total.add_(first[block], alpha=coefficient)
        if sums.dtype == torch.float16:
            into[block] = total


def _halved_weights(neighbors: Entries, left: Tensor) -> tuple[Entries, Tensor]:
    """The weights in float16, each row's largest 1, and `left` with what that took from them."""
    indices, offsets, values = neighbors
    assert values is not None
    largest = torch.segment_reduce(values, "max", offsets=offsets.long(), initial=0.0)
    largest = torch.where(largest > 0, largest, 1.0)
    halves = (values / largest.repeat_interleave(offsets.diff().long())).half()
    return Entries(indices, offsets, halves), left * largest[:, None]


def _factor_of_sums(left: Tensor, right: Tensor | None, growth: float) -> float:
    """The power of two at which sums of right ⊙ rows over neighbours fit float16.

    1/(left·right) is at least the node's degree, and P leaves right ⊙ rows below the `growth` of the 1 they started from.
    """
    largest = growth * float((1 / (left if right is None else left * right)).max())
    return 2.0 ** min(0, math.floor(math.log2(MAX_HALF / largest)))
