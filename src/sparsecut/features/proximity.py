"""The log-proximity of short walks: how much more often than chance a walk from one node comes by another.

    q = mean of the first five powers of P = D⁻¹A,     N_ij = log max(1, q_ij·vol/d_j), made symmetric

Entries of a power below a share of 1/500 are dropped, so q stays sparse; in a graph of more than 100,000 entries below a
larger one, (entries)/5·10⁷, so that a hop takes about 5·10⁷ multiplications. That alone does not bound the work: every
node next to a hub would list all neighbours of the hub, to find that each is too rare to keep. So before a power is
multiplied

1. a row i whose entries cannot reach the share is not multiplied: none exceeds Σ_h power_ih·max_j P_hj. Nothing is lost.
2. a row may take 10⁸/n rare steps, those with P_hj < share: in a graph without weights, steps out of nodes with more than
   500 neighbours. Where it would take more, entries with the most rare steps go by their frequent ones alone, of which
   there are at most 1/share. No sum loses as much as share·Σ_h power_ih ≤ share, which is dropped anyhow. Rows within the
   limit keep every bit, and so do whole graphs whose degrees are not extreme: all of `benchmarks/structure.py`.
3. rows are multiplied in blocks of so many multiplications, not of so many rows.
4. a row of q keeps as many entries as it has neighbours and 1/share more, the largest.

Then the sizes do not depend on the degrees. A hop takes at most 1/share multiplications per entry of the power, and 10⁸
rare ones. With E = (entries of A) + 500·(nodes), N has at most 2·E entries, and memory peaks at 32·E bytes and 0.5 GiB for
the block at hand. No step is random, and the order of the nodes decides between equally wide ones alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.progress import Reporter

N_HOPS = 5
MIN_SHARE = 0.002  # a walk that comes by less often is dropped: at most 500 entries per row
MAX_PRODUCTS = 50_000_000  # of a hop: on dense graphs the share rises, so that (entries)/share stays below this
RARE_STEPS = 100_000_000  # multiplications by rare steps, all rows together: 10,000 per row of a graph with 10,000 nodes
ROW_BLOCK = 20_000  # rows of q computed at a time
PRODUCT_BLOCK = 1 << 24  # multiplications at a time, and so the most entries a product has before the rare ones are dropped
MOST_CHANCE = 1e37  # beside which a node is hardly ever met by chance; times the visits it is a number in float32
ROUNDING = 1e-3  # sums in float32 may come out larger than their bound by no larger a part


@dataclass(frozen=True)
class ProximityWork:
    """What bounds time and memory: multiplications by rare steps, rows at a time, multiplications at a time."""

    rare_steps: int = RARE_STEPS
    row_block: int = ROW_BLOCK
    product_block: int = PRODUCT_BLOCK


WORK = ProximityWork()


def log_proximity(
    adjacency: sp.csr_array,
    min_share: float | None = None,
    n_hops: int = N_HOPS,
    report: Reporter | None = None,
    work: ProximityWork = WORK,
) -> sp.csr_array:
    """log max(1, q_ij·vol/d_j) made symmetric, (n, n) and sparse, a block of rows at a time."""
    n_nodes = adjacency.shape[0]
    share = max(MIN_SHARE, adjacency.nnz / MAX_PRODUCTS) if min_share is None else min_share
    degrees = adjacency.sum(axis=1, dtype=np.float64)
    inverse = np.divide(1, degrees, out=np.zeros(n_nodes), where=degrees > 0)
    P = (sp.diags_array(inverse) @ adjacency).tocsr().astype(np.float32)
    steps = Steps(P, share, work)
    chance = np.minimum(degrees.sum() * inverse / n_hops, MOST_CHANCE).astype(np.float32)
    blocks = []
    starts = range(0, n_nodes, work.row_block)
    for number, start in enumerate(starts, start=1):
        visits = power = P[start : start + work.row_block]
        own = np.diff(power.indptr)
        for _ in range(n_hops - 1):
            power = steps.after(power)
            visits = visits + power
        if share > 0:
            visits = keep_largest(visits, own + int(1 / share))
        visits.data *= chance[visits.indices]
        blocks.append(visits)
        if report is not None:
            report("structure", number, len(starts))
    del P, steps, visits, power
    ratio = [sp.vstack(blocks, format="csr")]
    blocks.clear()
    return _log_of_mean(ratio.pop(), work.product_block)


class Steps:
    """The matrix P that a walk steps by, and what bounds a product with it."""

    def __init__(self, P: sp.csr_array, share: float, work: ProximityWork = WORK) -> None:
        self.work = work
        self.P = P  # rows of sum 1 or 0
        self.share = share
        self.rare_limit = work.rare_steps / P.shape[0]  # of one row
        self.n_multiplications = 0  # so far
        self._widths = np.diff(P.indptr).astype(np.int64)
        self._likeliest = np.zeros(P.shape[0])  # the largest entry of each row
        is_there = self._widths > 0
        self._likeliest[is_there] = np.maximum.reduceat(P.data, P.indptr[:-1][is_there])
        self._frequent = P.copy()  # at most 1/share entries per row
        _drop_below(self._frequent, share)
        self._rare = self._widths - np.diff(self._frequent.indptr)  # steps below the share, none where the share is 0

    def after(self, power: sp.csr_array) -> sp.csr_array:
        """power·P without the entries below the share."""
        reach = power @ self._likeliest  # no entry of a row of power·P is larger
        rows = np.flatnonzero(reach >= self.share * (1 - ROUNDING))
        needed = power if len(rows) == power.shape[0] else power[rows]
        pieces = [self._product(part, excess) for part, excess in self._blocks(needed)]
        if not pieces:
            return sp.csr_array(power.shape, dtype=power.dtype)
        product = pieces[0] if len(pieces) == 1 else sp.vstack(pieces, format="csr")
        counts = np.zeros(power.shape[0] + 1, dtype=np.int64)
        counts[rows + 1] = np.diff(product.indptr)
        return sp.csr_array((product.data, product.indices, np.cumsum(counts)), shape=power.shape)

    def _blocks(self, power: sp.csr_array) -> Iterator[tuple[sp.csr_array, NDArray[np.float64]]]:
        """As many rows at a time as take `product_block` multiplications, or one that takes more; and their excess.

        The excess is how many rare steps a row would take beyond its limit.
        """
        excess = np.maximum(_row_sums(power, self._rare) - self.rare_limit, 0)
        ends = np.cumsum(_row_sums(power, self._widths) - excess)
        start, n_rows = 0, power.shape[0]
        while start < n_rows:
            done = ends[start - 1] if start else 0
            stop = max(int(np.searchsorted(ends, done + self.work.product_block, side="right")), start + 1)
            part = power if stop - start == n_rows else power[start:stop]
            yield part, excess[start:stop]
            start = stop

    def _product(self, power: sp.csr_array, excess: NDArray[np.float64]) -> sp.csr_array:
        product = self._times(power, self.P) if not excess.any() else self._limited_product(power, excess)
        _drop_below(product, self.share)
        return product

    def _limited_product(self, power: sp.csr_array, excess: NDArray[np.float64]) -> sp.csr_array:
        """Entries with the most rare steps first, take the frequent ones alone until each row keeps to its limit."""
        rare = self._rare[power.indices]
        order, row = _sorted_in_rows(power, -rare, excess > 0)
        before = np.cumsum(rare[order]) - rare[order]
        before -= before[np.searchsorted(row, row)]  # left out by the entries of the same row ahead of this one
        limited = power.copy()
        limited.data[:] = 0
        narrow = order[before < excess[row]]
        limited.data[narrow] = power.data[narrow]
        power = power.copy()
        power.data[narrow] = 0
        for part in (power, limited):
            part.eliminate_zeros()
        return self._times(power, self.P) + self._times(limited, self._frequent)

    def _times(self, power: sp.csr_array, P: sp.csr_array) -> sp.csr_array:
        self.n_multiplications += int(np.diff(P.indptr)[power.indices].sum())
        return (power @ P).tocsr()


def keep_largest(rows: sp.csr_array, limits: NDArray[np.integer]) -> sp.csr_array:
    """The rows with their largest entries, at most as many as their limits; the first columns among equals."""
    order, row = _sorted_in_rows(rows, -rows.data, np.diff(rows.indptr) > limits)
    if not len(order):
        return rows
    rank = np.arange(len(row)) - np.searchsorted(row, row)
    kept = rows.copy()
    kept.data[order[rank >= limits[row]]] = 0
    kept.eliminate_zeros()
    return kept


def _log_of_mean(ratio: sp.csr_array, n_at_once: int) -> sp.csr_array:
    """log max(1, (ratio + ratioᵀ)/2), its columns in order."""
    flipped = ratio.T.tocsr()
    ratio = flipped.T.tocsr()  # sorts the columns of each row, in one pass
    mean = ratio + flipped
    del ratio, flipped
    for start in range(0, mean.nnz, n_at_once):
        block = mean.data[start : start + n_at_once]
        block[:] = np.log(np.maximum(block.astype(np.float64) / 2, 1))
    mean.eliminate_zeros()
    return mean


def _sorted_in_rows(
    matrix: sp.csr_array, keys: NDArray[np.generic], is_chosen: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The positions of the entries of the chosen rows, row by row, ordered by their keys, then columns; and their rows."""
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    entries = np.flatnonzero(is_chosen[row])
    order = entries[np.lexsort((matrix.indices[entries], keys[entries], row[entries]))]
    return order, row[order]


def _row_sums(matrix: sp.csr_array, values: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each row the sum of its columns' values, whatever its entries are."""
    sums = np.zeros(matrix.nnz + 1, dtype=np.int64)
    np.cumsum(values[matrix.indices], out=sums[1:])
    by_row: NDArray[np.int64] = np.diff(sums[matrix.indptr])
    return by_row


def _drop_below(matrix: sp.csr_array, share: float) -> None:
    matrix.data[matrix.data < share] = 0
    matrix.eliminate_zeros()
