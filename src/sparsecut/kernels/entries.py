"""A CSR matrix as tensors on a device: what products read, and what is looked up in it without the host."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from sparsecut.kernels.threads import each, n_threads
from sparsecut.kernels.transfer import as_tensor

BLOCK_WORK = 1 << 22  # multiply-adds of a block of rows that a thread takes: about two milliseconds
MOST_BLOCKS = 64
KEYS_AT_ONCE = 250_000_000  # edges sorted at a time
ENTRIES_AT_ONCE = 1 << 27  # a block's temporary numbers take a few gigabytes at most


class Entries(NamedTuple):
    """What a product reads of a CSR matrix, on the device."""

    indices: Tensor  # the columns of the entries, row after row
    offsets: Tensor  # where each row starts, and where the last ends
    values: Tensor | None  # None where all are 1: then nothing is read for them

    @property
    def n_rows(self) -> int:
        return len(self.offsets) - 1

    @property
    def nnz(self) -> int:
        return len(self.indices)

    def __matmul__(self, dense: Tensor) -> Tensor:
        # Where torch may start threads of its own, it shares the product out itself.
        if n_threads() == 1 or torch.get_num_threads() > 1 or dense.requires_grad:
            return weighted_sums(*self, dense)
        blocks = self.row_blocks(dense.shape[1])
        if len(blocks) == 1:
            return weighted_sums(*self, dense)
        result = dense.new_empty((len(self.offsets) - 1, dense.shape[1]))

        def multiply(block: tuple[slice, Entries]) -> None:
            result[block[0]] = weighted_sums(*block[1], dense)

        each(multiply, blocks, work=BLOCK_WORK)
        return result

    def row_blocks(self, width: int) -> list[tuple[slice, Entries]]:
        """Blocks of rows with about as many entries each, worth a thread's while with so many columns, and their entries."""
        n_rows, n_entries = len(self.offsets) - 1, len(self.indices)
        n_blocks = min(MOST_BLOCKS, n_entries * width // BLOCK_WORK, n_rows)
        if n_blocks < 2 or self.indices.device.type != "cpu":
            return [(slice(0, n_rows), self)]
        ends = torch.linspace(0, n_entries, n_blocks + 1, dtype=torch.float64)[1:-1].to(self.offsets.dtype)
        bounds = sorted({0, *torch.searchsorted(self.offsets, ends).tolist(), n_rows})
        blocks = []
        for start, stop in pairwise(bounds):
            first, last = int(self.offsets[start]), int(self.offsets[stop])
            values = None if self.values is None else self.values[first:last]
            entries = Entries(self.indices[first:last], self.offsets[start : stop + 1] - first, values)
            blocks.append((slice(start, stop), entries))
        return blocks

    def counts(self) -> Tensor:
        """The entries of each row."""
        return self.offsets.diff()

    def row_sums(self) -> Tensor:
        """Σ_j a_ij for every row i, in float64."""
        if self.values is None:
            return self.counts().double()
        sums = torch.zeros(self.n_rows, dtype=torch.float64, device=self.offsets.device)
        for rows, entries in self.blocks():
            starts = self.offsets[rows.start : rows.stop + 1]
            terms = self.values[entries].double()
            sums[rows] = torch.segment_reduce(terms, "sum", offsets=(starts - starts[0]).long())
        return sums

    def blocks(self, at_once: int = ENTRIES_AT_ONCE) -> Iterator[tuple[slice, slice]]:
        """(rows, entries) of blocks of whole rows, about so many entries each."""
        n_blocks = -(-self.nnz // at_once)
        if n_blocks <= 1:
            yield slice(0, self.n_rows), slice(0, self.nnz)
            return
        goals = torch.arange(1, n_blocks, device=self.offsets.device, dtype=self.offsets.dtype) * at_once
        cuts = torch.unique_consecutive(torch.searchsorted(self.offsets, goals))
        bounds = [0, *cuts.tolist(), self.n_rows]
        places = [0, *self.offsets[cuts].tolist(), self.nnz]
        for number in range(len(bounds) - 1):
            if bounds[number] < bounds[number + 1]:
                yield slice(bounds[number], bounds[number + 1]), slice(places[number], places[number + 1])

    def parts(self, at_once: int) -> Iterator[tuple[slice, Entries]]:
        """Blocks of whole rows, about so many entries each, as matrices of their own over the same memory."""
        for rows, where in self.blocks(at_once):
            values = None if self.values is None else self.values[where]
            offsets = self.offsets[rows.start : rows.stop + 1] - self.offsets[rows.start]
            yield rows, Entries(self.indices[where], offsets, values)

    def row_numbers(self, rows: slice, entries: slice) -> Tensor:
        """The row of each entry of a block."""
        numbers = torch.arange(rows.start, rows.stop, device=self.offsets.device, dtype=self.indices.dtype)
        counts = self.offsets[rows.start : rows.stop + 1].diff()
        return torch.repeat_interleave(numbers, counts, output_size=entries.stop - entries.start)

    def places_of(self, rows: Tensor, columns: Tensor) -> Tensor:
        """Where entries that are there stand, by row and column: bisection, for all at once, a GPU by wider steps."""
        if len(rows) == 0:
            return rows
        place, last = self.offsets[rows].long(), self.offsets[rows + 1].long() - 1
        n_bits = 4 if rows.is_cuda else 1
        steps = torch.arange(1, 1 << n_bits, device=rows.device)[:, None]
        for bit in reversed(range(0, int((last - place).max()).bit_length(), n_bits)):
            is_before = self.indices[torch.minimum(place + (steps << bit), last)] <= columns
            place = torch.minimum(place + (is_before.sum(dim=0) << bit), last)
        return place

    def of_rows(self, rows: Tensor) -> Entries:
        """Some of the rows, in the order given."""
        starts = self.offsets[rows].long()
        counts = self.offsets[rows + 1].long() - starts
        offsets = torch.cat([counts.new_zeros(1), counts.cumsum(0)])
        shift = torch.repeat_interleave(starts - offsets[:-1], counts)
        places = torch.arange(len(shift), device=shift.device) + shift
        values = None if self.values is None else self.values[places]
        return Entries(self.indices[places], offsets.to(self.indices.dtype), values)

    def to_scipy(self, n_columns: int) -> sp.csr_array:
        """The matrix in the host's memory."""
        indices, offsets = self.indices.cpu().numpy(), self.offsets.cpu().numpy()
        data = np.ones(len(indices), dtype=np.float32) if self.values is None else self.values.cpu().numpy()
        return sp.csr_array((data, indices, offsets), shape=(self.n_rows, n_columns))


def weighted_sums(indices: Tensor, offsets: Tensor, values: Tensor | None, dense: Tensor) -> Tensor:
    """A CSR matrix, given as its entries, times a dense one."""
    if len(indices) == 0:
        return dense.new_zeros((len(offsets) - 1, dense.shape[1]))
    if indices.dtype != offsets.dtype:  # embedding_bag wants one type; only where the entries exceed 32 bits are there two
        indices = indices.to(offsets.dtype)
    return torch.nn.functional.embedding_bag(
        indices,
        dense,
        offsets,
        mode="sum",
        per_sample_weights=None if values is None else values.to(dense.dtype),
        include_last_offset=True,
    )


def entries_of_edges(
    i: Tensor, j: Tensor, weights: Tensor | None, n_nodes: int, *, is_symmetric: bool, at_once: int = KEYS_AT_ONCE
) -> Entries:
    """The adjacency of a list of edges, sorted, without loops: each edge in both directions if it is to be symmetric.

    Without weights repeats count once. With weights repeats in one direction are summed, in the order they came in, and of
    the two directions the larger counts. Rows are sorted a range of nodes at a time where all keys would be too many.
    """
    ways = ((i, j), (j, i)) if is_symmetric else ((i, j),)
    n_ranges = max(1, -(-len(ways) * len(i) // at_once))
    counts = torch.zeros(n_nodes, dtype=torch.int64, device=i.device)
    columns, values = [], []
    for part in range(n_ranges):
        low, high = n_nodes * part // n_ranges, n_nodes * (part + 1) // n_ranges
        found = [_keys(*ends, weights, low, high, n_nodes, way) for way, ends in enumerate(ways)]
        keys = torch.cat([key for key, _ in found])
        if weights is None:
            keys = torch.unique_consecutive((keys >> 1).sort().values)
        else:
            keys, order = keys.sort(stable=True)
            sums = torch.cat([value for _, value in found if value is not None])[order]
            keys, sums = _united(keys, sums, "sum")
            keys, sums = _united(keys >> 1, sums, "max")
            keys, sums = keys[sums > 0], sums[sums > 0]
            values.append(sums)
        rows = keys.div(n_nodes, rounding_mode="floor")
        counts[low:high] = torch.bincount(rows, minlength=high - low)
        columns.append((keys - rows * n_nodes).int())
        del keys, rows, found
    indices = columns[0] if n_ranges == 1 else torch.cat(columns)
    offsets = torch.cat([counts.new_zeros(1), counts.cumsum(0)]).to(index_type(len(indices), n_nodes))
    return Entries(indices, offsets, None if weights is None else ones_as_none(torch.cat(values)))


def entries_on(matrix: sp.csr_array, device: torch.device) -> Entries:
    """A CSR matrix of scipy on a device; 64 bits only where the entries need them."""
    is_large = len(matrix.indices) >= 2**31 or max(matrix.shape) >= 2**31
    # embedding_bag, which serves on a CPU, wants one integer type for both.
    wide = np.int64 if is_large else np.int32
    indices = as_tensor(matrix.indices.astype(np.int32 if device.type == "cuda" else wide, copy=False), device)
    offsets = as_tensor(matrix.indptr.astype(wide, copy=False), device)
    if matrix.nnz and matrix.data.strides == (0,) and matrix.data[0] == 1:  # one number for all
        return Entries(indices, offsets, None)
    return Entries(indices, offsets, ones_as_none(as_tensor(matrix.data, device)))


def csr_tensor(offsets: Tensor, columns: Tensor, values: Tensor, shape: tuple[int, int]) -> Tensor:
    """torch's CSR tensor of parts that are known to fit together."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Sparse")  # that the layout is new, and that nothing is checked
        return torch.sparse_csr_tensor(offsets, columns, values, size=shape, check_invariants=False)


def ones_as_none(values: Tensor | None) -> Tensor | None:
    """None for values that are all 1."""
    if values is None or not len(values):
        return None
    low, high = values.aminmax()
    return None if bool((low == 1) & (high == 1)) else values


def _keys(
    i: Tensor, j: Tensor, weights: Tensor | None, low: int, high: int, n_nodes: int, way: int
) -> tuple[Tensor, Tensor | None]:
    """Each edge from a range of nodes as one number, row, column and way, loops left out; and its weight."""
    is_here = (i != j) & (i >= low) & (i < high)
    keys = (((i[is_here].long() - low) * n_nodes + j[is_here]) << 1) + way
    return keys, None if weights is None else weights[is_here].float()


def _united(keys: Tensor, values: Tensor, reduce: str) -> tuple[Tensor, Tensor]:
    """Sorted keys without repeats, and what their values come to."""
    keys, counts = torch.unique_consecutive(keys, return_counts=True)
    if len(keys) < len(values):
        values = torch.segment_reduce(values, reduce, lengths=counts)
    return keys, values


def index_type(n_entries: int, n_rows: int) -> torch.dtype:
    """What offsets are kept in: 64 bits only where the entries need them."""
    return torch.int32 if n_entries < 2**31 and n_rows < 2**31 else torch.int64
