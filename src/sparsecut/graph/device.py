"""A graph whose arrays are torch tensors on a GPU: checked there, and left there.

What `sparsecut.graph.canonical` does to a matrix of scipy, by the same rules. A CSR tensor that is canonical already is
shared, not copied; anything else is sorted anew on the device.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import torch
from torch import Tensor

from sparsecut.base.errors import DirectedGraphWarning, InputError
from sparsecut.graph.canonical import DIRECTED_NOTE, loop_notes, negative_weight, wrong_shape
from sparsecut.graph.node_values import wrong_rows
from sparsecut.kernels.entries import Entries, entries_of_edges, index_type, ones_as_none

KEPT_TYPES = (torch.float32, torch.float16)  # that features are left in


def check_edges(
    edges: Tensor, weights: Tensor | None, n_nodes: int | None, directed: str
) -> tuple[Entries, tuple[str, ...]]:
    """(canonical entries of a list of edges (2, m) on a device, notes)."""
    i, j = edges[0], edges[1]
    low, high = (int(bound) for bound in edges.aminmax()) if edges.numel() else (0, -1)
    n_nodes = high + 1 if n_nodes is None else n_nodes
    if low < 0 or high >= n_nodes:
        raise InputError(f"The edge_index names nodes beyond the {n_nodes:,} of the graph: it has {low} to {high}.")
    if n_nodes == 0:
        raise InputError("The graph is empty: it has no edges and no features. A graph needs at least one node.")
    if weights is not None:
        _check_weights(weights, lambda place: (int(i[place]), int(j[place])))
    n_loops = len(torch.unique(i[i == j]))
    if directed == "in":
        i, j = j, i
    entries = entries_of_edges(i, j, weights, n_nodes, is_symmetric=directed == "symmetrize")
    return entries, loop_notes(n_loops)


def check_tensor(adjacency: Tensor, directed: str) -> tuple[Entries, tuple[str, ...]]:
    """(canonical entries of an adjacency on a device, of any layout, notes on what was changed)."""
    if adjacency.dim() != 2 or adjacency.shape[0] != adjacency.shape[1]:
        raise wrong_shape(tuple(adjacency.shape))
    if adjacency.shape[0] == 0:
        raise InputError("The graph is empty: the adjacency has no rows. A graph needs at least one node.")
    if adjacency.is_complex():
        raise InputError(f"The edge weights must be real numbers. Got an adjacency of type {adjacency.dtype}.")
    n_nodes = adjacency.shape[0]
    if adjacency.layout == torch.sparse_csr:
        return check_parts((adjacency.crow_indices(), adjacency.col_indices(), adjacency.values()), directed)
    return _checked(_sorted_entries(adjacency, n_nodes), directed)


def check_parts(parts: tuple[Tensor, ...], directed: str) -> tuple[Entries, tuple[str, ...]]:
    """Canonical entries and notes of a CSR matrix given as its parts: offsets, columns, and weights if there are any."""
    offsets, columns, values = parts[0], parts[1], parts[2] if len(parts) == 3 else None
    n_nodes, n_entries = len(offsets) - 1, len(columns)
    if n_nodes < 1:
        raise InputError("The graph is empty: the offsets name no rows. A graph needs at least one node.")
    ends = offsets[[0, -1]].tolist()
    if ends != [0, n_entries] or bool((offsets.diff() < 0).any()) or (values is not None and len(values) != n_entries):
        raise InputError(
            f"The offsets of a CSR matrix must rise from 0 to the number of its entries, {n_entries:,}, with a weight for "
            f"each entry if there are any. Got {ends[0]:,} to {ends[1]:,}."
        )
    if n_entries:
        low, high = (int(bound) for bound in columns.aminmax())
        if low < 0 or high >= n_nodes:
            raise InputError(f"The columns must name nodes, 0 to {n_nodes - 1:,}. Got {low:,} to {high:,}.")
    offsets = offsets.to(index_type(n_entries, n_nodes))
    return _checked(Entries(columns.int(), offsets, None if values is None else values.float()), directed)


def _checked(entries: Entries, directed: str) -> tuple[Entries, tuple[str, ...]]:
    n_nodes = entries.n_rows
    if entries.values is not None and entries.nnz:

        def ends(place: int) -> tuple[int, int]:
            row = int(torch.searchsorted(entries.offsets, place, right=True)) - 1
            return row, int(entries.indices[place])

        _check_weights(entries.values, ends)
    is_sorted, n_loops, has_zeros = _look(entries)
    if not is_sorted or n_loops or has_zeros:
        rows = entries.row_numbers(slice(0, n_nodes), slice(0, entries.nnz))
        entries = entries_of_edges(rows, entries.indices, entries.values, n_nodes, is_symmetric=False)
    entries = Entries(entries.indices, entries.offsets, ones_as_none(entries.values))
    notes = list(loop_notes(n_loops))
    if directed == "in":
        entries = transposed(entries)
    elif directed == "symmetrize" and not is_symmetric(entries):
        rows = entries.row_numbers(slice(0, n_nodes), slice(0, entries.nnz))
        entries = entries_of_edges(rows, entries.indices, entries.values, n_nodes, is_symmetric=True)
        notes.append(DIRECTED_NOTE)
        warnings.warn(DIRECTED_NOTE, DirectedGraphWarning, stacklevel=3)
    return entries, tuple(notes)


def check_feature_tensor(features: Tensor, n_nodes: int) -> Tensor:
    """Finite rows on a device, one per node, dense or CSR; float32 and float16 stay what they are and are not copied."""
    if features.dim() != 2:
        raise InputError(f"The features must be two-dimensional, one row per node. Got shape {tuple(features.shape)}.")
    if features.shape[0] != n_nodes:
        raise wrong_rows(n_nodes, features.shape[0])
    if features.shape[1] == 0:
        raise InputError("The features must have at least one column. Got none. Leave features out if there are none.")
    if features.is_complex():
        raise InputError(f"The features must be real numbers. Got a tensor of type {features.dtype}.")
    features = features.detach()
    if features.layout != torch.strided:
        features = _coordinates(features).to_sparse_csr().float()
        _check_finite(features.values())
        return features
    if features.dtype not in KEPT_TYPES:
        features = features.float()
    _check_finite(features)
    return features if features.stride(1) == 1 or features.shape[1] == 1 else features.contiguous()


def is_symmetric(entries: Entries) -> bool:
    """Whether the matrix is its transpose: xᵀAy = yᵀAx for whole numbers x, y drawn once, modulo 2⁶⁴.

    A is of the bits of the weights. One pass; matrices that differ pass it with a chance below 2⁻⁴⁰.
    """
    device, n_rows = entries.offsets.device, entries.n_rows
    generator = torch.Generator(device).manual_seed(1)
    x, y = torch.randint(-(2**63), 2**63 - 1, (2, n_rows), generator=generator, device=device)
    total = torch.zeros((), dtype=torch.int64, device=device)
    for rows, block in entries.blocks():
        columns = entries.indices[block]
        bits = None if entries.values is None else entries.values[block].view(torch.int32).long()
        places = (entries.offsets[rows.start : rows.stop + 1] - block.start).long()
        for of_rows, of_columns, sign in ((x, y, 1), (y, x, -1)):
            terms = of_columns[columns]
            if bits is not None:
                terms *= bits
            sums = torch.cat([terms.new_zeros(1), terms.cumsum(0)])[places].diff()
            total += sign * (of_rows[rows] * sums).sum()
    return int(total) == 0


def transposed(entries: Entries) -> Entries:
    """The transpose of a square matrix, its rows sorted."""
    n_nodes = entries.n_rows
    rows = entries.row_numbers(slice(0, n_nodes), slice(0, entries.nnz))
    return entries_of_edges(entries.indices, rows, entries.values, n_nodes, is_symmetric=False)


def _sorted_entries(adjacency: Tensor, n_nodes: int) -> Entries:
    """The entries of a dense or coordinate tensor, sorted by row and column; repeats are summed, zeros stay."""
    listed = _coordinates(adjacency)
    rows, columns = listed.indices()
    counts = torch.bincount(rows, minlength=n_nodes)
    offsets = torch.cat([counts.new_zeros(1), counts.cumsum(0)]).to(index_type(len(rows), n_nodes))
    return Entries(columns.int(), offsets, listed.values().float())


def _coordinates(matrix: Tensor) -> Tensor:
    """Sorted coordinates, repeats summed."""
    listed: Tensor = matrix.to_sparse_coo()  # type: ignore[no-untyped-call]
    return listed.coalesce()


def _look(entries: Entries) -> tuple[bool, int, bool]:
    """Whether the rows are sorted without repeats, how many nodes have a loop, and whether zeros are stored."""
    is_sorted, n_loops = True, 0
    for rows, block in entries.blocks():
        columns = entries.indices[block]
        starts = entries.offsets[rows.start + 1 : rows.stop] - block.start
        is_after = columns[1:] > columns[:-1]
        inside = starts[(starts > 0) & (starts < len(columns))].long() - 1
        is_after[inside] = True  # from the last entry of a row to the first of the next, any step is right
        is_sorted &= bool(is_after.all())
        numbers = entries.row_numbers(rows, block)
        n_loops += len(torch.unique(numbers[numbers == columns]))
    return is_sorted, n_loops, entries.values is not None and bool((entries.values == 0).any())


def _check_weights(weights: Tensor, ends: Callable[[int], tuple[int, int]]) -> None:
    low, high = (float(bound) for bound in weights.aminmax()) if weights.numel() else (0.0, 0.0)
    if math.isfinite(low) and math.isfinite(high) and low >= 0:
        return
    is_wrong = ~weights.isfinite() if not math.isfinite(low + high) else weights < 0
    place = int(is_wrong.int().argmax())
    value, (row, column) = float(weights[place]), ends(place)
    if math.isfinite(value):
        raise negative_weight(value, row, column)
    raise InputError(f"The edge weights must be finite. Got {value:g} between the nodes at positions {row} and {column}.")


def _check_finite(values: Tensor) -> None:
    """One pass, no copy: the least and the largest of numbers are finite only where all are."""
    if not values.numel():
        return
    low, high = (float(bound) for bound in values.aminmax())
    if math.isfinite(low) and math.isfinite(high):
        return
    position = int((~values.isfinite()).flatten().int().argmax())
    where = "" if values.dim() == 1 else f" in row {position // values.shape[1]}, column {position % values.shape[1]}"
    value = float(values.flatten()[position])
    raise InputError(f"The features must be finite. Got {value:g}{where}. Fill or drop such values first.")
