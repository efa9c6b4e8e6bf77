"""`sparsecut.graph.edge_sample` for a graph whose edges lie on a GPU: the same hashes, so the same nodes and edges.

torch has no unsigned numbers to speak of. Sums and products modulo 2⁶⁴ are the same for signed ones; a shift to the right is
cut off by a mask, and an order flips the sign bit first.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.graph.edge_sample import MIN_SPARE, SPARE, hash_ids
from sparsecut.graph.graph import Graph
from sparsecut.kernels.entries import Entries
from sparsecut.kernels.transfer import as_tensor

SIGN_64, SIGN_32 = -(2**63), -(2**31)


def sample_edges(graph: Graph, entries: Entries, n_edges: int) -> NDArray[np.int64]:  # (2, m)
    hashes = node_hashes(graph, entries)
    wanted = min(n_edges, graph.n_edges)
    share = min(1.0, (SPARE * wanted + MIN_SPARE) / max(graph.n_edges, 1))
    while True:
        first, second, keys = _edges_below(entries, hashes, share, is_directed=graph.is_directed)
        if len(keys) >= wanted or share == 1:
            break
        share = min(1.0, 2 * share)
    ends = hashes[first] + (mixed(hashes[second]) if graph.is_directed else hashes[second])
    order = (mixed(ends) ^ SIGN_64).argsort(stable=True)
    order = order[keys[order].argsort(stable=True)][:wanted]
    return torch.stack([first[order], second[order]]).cpu().numpy()


def by_hash(graph: Graph, entries: Entries, n_nodes: int) -> NDArray[np.int64]:
    """The nodes with the smallest hashes, in their order."""
    ordered = node_hashes(graph, entries) ^ SIGN_64
    if n_nodes < len(ordered):
        return ordered.topk(n_nodes, largest=False, sorted=True).indices.cpu().numpy()
    return ordered.argsort().cpu().numpy()


def sample_linked_nodes(graph: Graph, entries: Entries, n_nodes: int) -> NDArray[np.int64]:
    nodes = entries.counts().nonzero()[:, 0]
    if len(nodes) > n_nodes:
        ordered = (node_hashes(graph, entries) ^ SIGN_64)[nodes]
        nodes = nodes[ordered.topk(n_nodes, largest=False, sorted=False).indices].sort().values
    return nodes.cpu().numpy()


def neighbourhoods_of(
    graph: Graph, entries: Entries, nodes: NDArray[np.int64], n_neighbours: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    chosen = torch.from_numpy(nodes).to(entries.indices.device)
    chosen = chosen[entries.counts()[chosen] > 1]
    around = entries.of_rows(chosen)
    degrees = around.counts().long()
    first = degrees.cumsum(0) - degrees
    owners = torch.repeat_interleave(torch.arange(len(chosen), device=chosen.device), degrees)
    neighbours = around.indices.long()
    keys = (owners << 40) | _shifted(node_hashes(graph, entries)[neighbours], 24)
    neighbours = neighbours[keys.argsort()]
    sizes = degrees.clamp(max=n_neighbours)
    is_kept = torch.arange(len(neighbours), device=chosen.device) - first[owners] < sizes[owners]
    sizes_here = sizes.cpu().numpy()
    members = np.insert(neighbours[is_kept].cpu().numpy(), np.cumsum(sizes_here) - sizes_here, chosen.cpu().numpy())
    return members, sizes_here


def degrees_at(entries: Entries, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
    return entries.of_rows(torch.from_numpy(nodes).to(entries.indices.device)).row_sums().cpu().numpy()


def node_hashes(graph: Graph, entries: Entries) -> Tensor:
    """`hash_ids` of all nodes, as signed numbers of the same bits."""
    device = entries.indices.device
    if graph.has_plain_ids:
        return mixed(torch.arange(graph.n_nodes, device=device))
    if graph.node_ids.dtype.kind in "iu":
        return mixed(as_tensor(graph.node_ids.astype(np.int64, copy=False), device))
    return as_tensor(hash_ids(graph.node_ids).view(np.int64), device)


def mixed(numbers: Tensor) -> Tensor:
    """Splitmix64."""
    z = numbers + _signed(0x9E3779B97F4A7C15)
    z = (z ^ _shifted(z, 30)) * _signed(0xBF58476D1CE4E5B9)
    z = (z ^ _shifted(z, 27)) * _signed(0x94D049BB133111EB)
    return z ^ _shifted(z, 31)


def _edges_below(entries: Entries, hashes: Tensor, share: float, *, is_directed: bool) -> tuple[Tensor, Tensor, Tensor]:
    """The edges whose hash, the sum of their ends' modulo 2³², is among the lowest share of all numbers."""
    limit = min(int(share * 2**32), 2**32 - 1) + SIGN_32  # in the order of signed numbers
    of_rows = _low_half(hashes)
    of_columns = _low_half(mixed(hashes)) if is_directed else of_rows
    found = []
    for rows, block in entries.blocks():
        columns = entries.indices[block]
        counts = entries.offsets[rows.start : rows.stop + 1].diff()
        sums = torch.repeat_interleave(of_rows[rows], counts, output_size=len(columns))
        sums += of_columns[columns]
        sums ^= SIGN_32
        places = (sums <= limit).nonzero()[:, 0]
        first = torch.searchsorted(entries.offsets, (places + block.start).to(entries.offsets.dtype), right=True) - 1
        second, keys = columns[places].long(), sums[places]
        if not is_directed:
            is_first = first < second  # of the two entries of an edge
            first, second, keys = first[is_first], second[is_first], keys[is_first]
        found.append((first, second, keys))
    first, second, keys = (torch.cat(parts) for parts in zip(*found, strict=True))
    return first, second, keys


def _low_half(numbers: Tensor) -> Tensor:
    """The lower 32 bits, as signed numbers."""
    low = numbers & 0xFFFFFFFF
    return torch.where(low >= 2**31, low - 2**32, low).int()


def _shifted(numbers: Tensor, n_bits: int) -> Tensor:
    return (numbers >> n_bits) & ((1 << (64 - n_bits)) - 1)


def _signed(number: int) -> int:
    return number - 2**64 if number >= 2**63 else number
