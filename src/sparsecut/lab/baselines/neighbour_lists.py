"""Neighbours drawn at random, for a whole batch of nodes at once: what GraphSAGE trains on.

Edges are sampled uniformly, whatever their weight, as GraphSAGE does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.lab.baselines.baseline import Nodes


@dataclass(frozen=True)
class NeighbourLists:
    """List i is `indices[offsets[i]:offsets[i + 1]]`, and none is empty."""

    indices: Nodes
    offsets: Nodes

    @classmethod
    def of_graph(cls, adjacency: Any) -> NeighbourLists:
        """The neighbours of every node. One that has none is its own: then nobody downstream needs to know of it."""
        degrees = np.diff(adjacency.indptr)
        alone = np.flatnonzero(degrees == 0)
        indices = np.insert(adjacency.indices.astype(np.int64), adjacency.indptr[alone], alone)
        return cls(indices, np.concatenate([[0], np.cumsum(np.maximum(degrees, 1), dtype=np.int64)]))

    @classmethod
    def of_table(cls, table: Nodes) -> NeighbourLists:
        """One row per node, all of one length."""
        n_rows, length = table.shape
        return cls(table.ravel(), np.arange(0, n_rows * length + 1, length))

    @property
    def lengths(self) -> Nodes:
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def part(self, start: int, stop: int) -> NeighbourLists:
        """Some of the lists, next to each other."""
        offsets = self.offsets[start : stop + 1]
        return NeighbourLists(self.indices[offsets[0] : offsets[-1]], offsets - offsets[0])

    def sample(self, nodes: Nodes, size: int, generator: np.random.Generator) -> Nodes:
        """As many neighbours of each node, (nodes, size), in random order.

        They differ where there are enough of them; a shorter list is drawn from with replacement.
        """
        first = self.offsets[nodes]
        length = self.offsets[nodes + 1] - first
        ranks = _scale(generator.random((len(nodes), size)), length[:, None])
        if size > 1:
            is_long = length >= size
            ranks[is_long] = _distinct_ranks(length[is_long], size, generator)
        neighbours: Nodes = self.indices[first[:, None] + ranks]
        return neighbours


@dataclass(frozen=True)
class SampledLayers:
    """`sources` are the nodes whose features are needed; the lists of each layer count positions in the layer below."""

    sources: Nodes
    lists: list[NeighbourLists]


def sample_layers(
    graph: NeighbourLists, nodes: Nodes, fan_outs: Sequence[int], generator: np.random.Generator, scratch: Nodes
) -> SampledLayers:
    """What is needed to embed some distinct nodes: for each layer, the sampled neighbours of those the layer above needs.

    A node draws its neighbours once per layer, however many ask for it, as in Algorithm 2 of GraphSAGE. The nodes of a layer
    come first among those of the layer below, so that node i there is itself at i. `scratch` has a place for every node of
    the graph, whatever is in it; all else is as large as the batch and the fan-outs make it.
    """
    lists: list[NeighbourLists] = []
    for size in reversed(fan_outs):
        sampled = graph.sample(nodes, size, generator)
        n_nodes = len(nodes)
        nodes, positions = number(np.concatenate([nodes, sampled.ravel()]), scratch)
        lists.insert(0, NeighbourLists.of_table(positions[n_nodes:].reshape(sampled.shape)))
    return SampledLayers(nodes, lists)


def number(nodes: Nodes, scratch: Nodes) -> tuple[Nodes, Nodes]:
    """The distinct nodes in order of appearance, and the number of each given one among them. No sorting."""
    places = np.arange(len(nodes))
    scratch[nodes[::-1]] = places[::-1]  # the last assignment stays: the first appearance
    first = scratch[nodes]
    is_first = first == places
    return nodes[is_first], (np.cumsum(is_first) - 1)[first]


def walk_pairs(graph: NeighbourLists, starts: Nodes, length: int, generator: np.random.Generator) -> Nodes:
    """Pairs (start, visited) of a random walk from each start, (pairs, 2), walk after walk.

    `length` counts the nodes of a walk with its start, as GraphSAGE's code does. Coming back to the start makes no pair.
    """
    walks = np.empty((len(starts), length), dtype=np.int64)
    walks[:, 0] = starts
    for step in range(1, length):
        walks[:, step] = graph.sample(walks[:, step - 1], 1, generator)[:, 0]
    walker, visited = np.repeat(starts, length - 1), walks[:, 1:].ravel()
    is_pair = walker != visited
    return np.stack([walker[is_pair], visited[is_pair]], axis=1)


def _distinct_ranks(lengths: Nodes, size: int, generator: np.random.Generator) -> Nodes:
    """`size` different numbers below each length, every set as likely as any other: Floyd's algorithm, row by row at once.

    Step t draws a number up to length - size + t and takes that bound itself where the number is taken already. A set comes
    out in an order that tells on it, so the columns are shuffled, alike in all rows: for a row that is as good as its own.
    """
    draws = generator.random((size, len(lengths)))
    ranks = np.empty((size, len(lengths)), dtype=np.int64)
    for step in range(size):
        bound = lengths - size + step
        drawn = _scale(draws[step], bound + 1)
        ranks[step] = np.where((ranks[:step] == drawn).any(axis=0), bound, drawn)
    shuffled: Nodes = ranks[generator.permutation(size)].T
    return shuffled


def _scale(uniform: NDArray[np.float64], limit: Nodes) -> Nodes:
    """Whole numbers from 0 up to below a limit."""
    return (uniform * limit).astype(np.int64)
