"""Through which neighbours two nodes are near, of many pairs at once.

    G = (F − 1mᵀ)·W       H = Σ_(k≥1) c_k P^(k−1)·G       z_u = c₀·G_u + Σ_a P_ua·H_a + rest_u

so that ½P_ua·H_a·z_v of z_u·z_v comes through the neighbour a of u, and likewise through those of v. A node is among its own
first steps, and what it brings itself, ½c₀·G_u·z_v, is with it. These are the shares of `Why.neighbors` with walks that read
everything.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.links.nearness import Nearness
from sparsecut.links.smoothed_levels import SmoothedLevel
from sparsecut.links.source_walks import StepMatrix

MOST_STEPS = 20_000_000  # neighbours of both nodes of all pairs: more would take minutes
STEPS_AT_ONCE = 1 << 18

Array = NDArray[np.float32]
Integers = NDArray[np.int64]


def through_of_pairs(
    near: Nearness, pairs: Integers, n_named: int, most_steps: int = MOST_STEPS
) -> tuple[Integers, NDArray[np.float64]] | None:
    """The nodes through which most of each pair's score comes, −1 for none, and their parts of it, (m, n_named) each.

    None where the pairs have too many neighbours.
    """
    lengths = sum(matrix.lengths(pairs[:, 0]) + matrix.lengths(pairs[:, 1]) + 2 for matrix in near.levels.matrices)
    if int(np.sum(lengths)) > most_steps:
        return None
    Z = np.asarray(near.vectors, dtype=np.float32)
    steps = [(level, *_brought(near, level)) for level in near.levels.listed]
    nodes, parts = np.full((len(pairs), n_named), -1), np.zeros((len(pairs), n_named))
    for part in np.split(np.arange(len(pairs)), _cuts(np.asarray(lengths))):
        found = _through(near, steps, pairs[part], Z)
        nodes[part], parts[part] = _largest(*found, len(part), n_named)
    return nodes, parts


def _brought(near: Nearness, level: SmoothedLevel) -> tuple[Array, Array | None]:
    """c₀·G and H of a level, (n, columns); no H without hops."""
    n_nodes = near.graph.n_nodes
    rows = near.source_rows(level.source, np.arange(n_nodes))
    G = np.asarray(rows @ level.W - level.centre @ level.W, dtype=np.float32)
    later = level.coefficients[1:]
    H = smoothed(near.levels.matrices[level.matrix], later, G) if later else None
    return np.asarray(level.coefficients[0] * G, dtype=np.float32), H


def _through(near: Nearness, steps: list[Any], pairs: Integers, Z: Array) -> tuple[Integers, Integers, NDArray[np.float64]]:
    """Pair, node and value of everything that comes through a node, some of it more than once."""
    numbers, nodes, values = [], [], []
    for side in (0, 1):
        own, other = pairs[:, side], pairs[:, 1 - side]
        for level, G, H in steps:
            direction = Z[other, level.columns]
            numbers.append(np.arange(len(pairs)))
            nodes.append(own)
            values.append(0.5 * np.einsum("md,md->m", G[own], direction))
            if H is not None:
                rows, columns, weights = near.levels.matrices[level.matrix].entries(own)
                numbers.append(rows)
                nodes.append(columns)
                values.append(0.5 * weights * np.einsum("md,md->m", H[columns], direction[rows]))
        means = near.means_of_types(own)
        if means is not None:
            numbers.append(np.arange(len(pairs)))
            nodes.append(own)
            values.append(0.5 * np.einsum("md,md->m", means, Z[other].astype(np.float64)))
    return np.concatenate(numbers), np.concatenate(nodes), np.concatenate(values)


def _largest(
    numbers: Integers, nodes: Integers, values: NDArray[np.float64], n_pairs: int, n_named: int
) -> tuple[Integers, NDArray[np.float64]]:
    """The nodes with the largest sums of each pair."""
    n_nodes = int(nodes.max(initial=0)) + 1
    keys, place = np.unique(numbers * n_nodes + nodes, return_inverse=True)
    sums = np.bincount(place, weights=values)
    pair, node = keys // n_nodes, keys % n_nodes
    order = np.lexsort((-sums, pair))
    rank = np.arange(len(order)) - np.searchsorted(pair[order], pair[order])
    chosen = order[rank < n_named]
    found, parts = np.full((n_pairs, n_named), -1), np.zeros((n_pairs, n_named))
    where = pair[chosen], rank[rank < n_named]
    found[where], parts[where] = node[chosen], sums[chosen]
    return found, parts


def smoothed(matrix: StepMatrix, coefficients: tuple[float, ...], rows: Array) -> Array:
    """Σ c_k P^k·rows by Horner's rule, over the whole graph."""
    A, left, own = matrix.adjacency, matrix.left[:, None], matrix.own[:, None]
    right = None if matrix.right is None else matrix.right[:, None]
    total = (coefficients[-1] * rows).astype(np.float32)
    for coefficient in coefficients[-2::-1]:
        sums = A @ (total if right is None else (right * total).astype(np.float32))
        total = (coefficient * rows + left * sums + own * total).astype(np.float32)
    return total


def _cuts(lengths: Integers) -> Integers:
    """Where pairs are cut into groups of so many neighbours at most, about."""
    return np.flatnonzero(np.diff(np.cumsum(lengths) // STEPS_AT_ONCE)) + 1
