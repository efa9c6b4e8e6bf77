"""An adjacency in memory maps is read once, block by block, and taken only if it needs no change.

Whether it is symmetric is found without transposing it: the sum of hashes of the entries above the diagonal must be that of
the entries below.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.kernels.streaming import release, row_blocks


def check_mapped(adjacency: Any, *, is_symmetric: bool) -> None:
    """Refuse a CSR adjacency that is not canonical: sorted, without repeats, loops and zeros, and symmetric if asked."""
    rule = _broken_rule(adjacency, is_symmetric)
    if rule is not None:
        raise InputError(
            f"An adjacency in a memory map must be {rule}, since it is not copied. Make one of its edges with "
            "sparsecut.build_store, or read it into memory first."
        )


def _broken_rule(adjacency: Any, is_symmetric: bool) -> str | None:
    if adjacency.format != "csr" or adjacency.data.dtype != np.float32:
        return "a CSR matrix of float32"
    if adjacency.shape[0] != adjacency.shape[1] or adjacency.shape[0] == 0:
        return "square, one row and one column a node"
    n_nodes, indptr, n_entries = adjacency.shape[0], adjacency.indptr, len(adjacency.indices)
    if int(indptr[0]) != 0 or not int(indptr[-1]) == n_entries == len(adjacency.data):
        return "whole"
    sides = np.zeros(2, dtype=np.uint64)  # the hashes of the entries above the diagonal, and of those below
    for nodes in row_blocks(n_nodes, 64 * (1 + n_entries // n_nodes)):
        starts = np.asarray(indptr[nodes.start : nodes.stop + 1], dtype=np.int64)
        if (np.diff(starts) < 0).any() or starts[-1] > n_entries:
            return "whole"
        entries = slice(int(starts[0]), int(starts[-1]))
        columns, weights = np.asarray(adjacency.indices[entries], dtype=np.int64), adjacency.data[entries]
        rows = np.repeat(np.arange(nodes.start, nodes.stop), np.diff(starts))
        if len(columns) and (columns.min() < 0 or columns.max() >= n_nodes):
            return "whole"
        if not (np.diff(columns)[np.diff(rows) == 0] > 0).all():
            return "sorted and without repeats"
        if (columns == rows).any():
            return "without self-loops"
        if not (np.isfinite(weights) & (weights > 0)).all():
            return "of finite weights above zero"
        if is_symmetric:
            for side, is_there in enumerate((columns > rows, columns < rows)):
                low, high = np.minimum(rows, columns)[is_there], np.maximum(rows, columns)[is_there]
                sides[side] += _hash_pairs(low, high, weights[is_there]).sum(dtype=np.uint64)
        release(adjacency, nodes)
    return "symmetric" if sides[0] != sides[1] else None


def _hash_pairs(low: NDArray[Any], high: NDArray[Any], weights: NDArray[np.float32]) -> NDArray[np.uint64]:
    """64 bits a weighted pair (splitmix64), so that sums of them agree where two lists hold the same pairs."""
    mixed: NDArray[np.uint64] = low.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for part in (high.astype(np.uint64), np.ascontiguousarray(weights).view(np.uint32).astype(np.uint64)):
        mixed += part
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))
