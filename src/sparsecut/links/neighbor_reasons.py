"""Why the nodes of an embedding are near their neighbours, of all nodes at once: what a report shows beside each.

    z_u·z_v = Σ_f ½[(s_u − κ_u m)_f (W z_v)_f + (s_v − κ_v m)_f (W z_u)_f] + …

as in `nearness`, with the smoothed rows s = Σ c_k P^k F of the whole graph in place of walks, so that nothing is left out
of a feature. Channels without named features have one share each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.links.forms import weights_between
from sparsecut.links.nearness import Nearness
from sparsecut.links.smoothed_levels import SmoothedLevel
from sparsecut.links.through_neighbors import smoothed, through_of_pairs

N_NAMED = 3  # features of a pair
MOST_NUMBERS = 40_000_000  # of smoothed rows: more would take the memory of the fit again
PAIRS_AT_ONCE = 1 << 12
LEAST_NAMED = 0.02  # of the size of the score
AGREEMENT = 1e-3  # of the largest number of the vectors, between these and what the levels give

Array = NDArray[np.float32]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class NeighborReasons:
    """Reasons of n nodes and k neighbours each.

    channels : names of the channels; shares of the score (n, k, c)
    features : names; the features that add most of a pair by their number, −1 for none, and their shares, (n, k, N_NAMED)
    are_above : whether both nodes have more of it than usual; else both have less, (n, k, N_NAMED)
    through : the neighbours of either, or the two themselves, through which most of the score comes, by their row, −1 for
        none, and their shares, (n, k, N_NAMED); none at all where nodes have too many neighbours
    n_shared : neighbours in the graph that both have, (n, k)
    are_linked : whether the two are linked, (n, k)
    """

    channels: list[str]
    channel_shares: Array
    feature_names: NDArray[Any]
    features: NDArray[np.int64]
    feature_shares: Array
    are_above: NDArray[np.bool_]
    through: Integers
    through_shares: Array
    n_shared: Integers
    are_linked: NDArray[np.bool_]


def reasons_of_neighbors(near: Nearness, neighbors: Integers) -> NeighborReasons:
    """Why each node is near its neighbours, given by their rows in the graph, (n, k).

    Raises
    ------
    InputError
        Where the vectors are not what the model makes of the graph, or the features are too many.
    """
    n_nodes, k = neighbors.shape
    Z = np.asarray(near.vectors, dtype=np.float32)
    named = [level for level in near.levels.listed if level.source == "features"]
    if n_nodes * near.graph.n_features * bool(named) > MOST_NUMBERS:
        raise InputError(
            f"Reasons of all neighbours take {n_nodes:,} × {near.graph.n_features:,} numbers, more than {MOST_NUMBERS:,}. "
            "Ask for some nodes: model.why(node, k=10), or sparsecut why."
        )
    parts = [_NamedLevel.of(near, level, Z) for level in named]
    pairs = np.column_stack([np.repeat(np.arange(n_nodes), k), neighbors.ravel()])
    scores = np.einsum("md,md->m", Z[pairs[:, 0]], Z[pairs[:, 1]])
    sizes = np.where(np.abs(scores) > 0, np.abs(scores), 1)
    shares = [np.einsum("md,md->m", Z[pairs[:, 0], part], Z[pairs[:, 1], part]) / sizes for part in near.channels.values()]
    found = [
        _named(parts, pairs[one : one + PAIRS_AT_ONCE], sizes[one : one + PAIRS_AT_ONCE]) for one in _starts(len(pairs))
    ]
    features, values, are_above = (np.concatenate(part).reshape(n_nodes, k, -1) for part in zip(*found, strict=True))
    through, through_shares = _through(near, pairs, sizes)
    n_shared, are_linked = _links(near.graph.adjacency, pairs)
    return NeighborReasons(
        list(near.channels),
        np.stack(shares, axis=1).reshape(n_nodes, k, -1),
        near.feature_names(named[0]) if named else np.empty(0, dtype=object),
        features,
        values,
        are_above,
        through.reshape(n_nodes, k, -1),
        through_shares.reshape(n_nodes, k, -1),
        n_shared.reshape(n_nodes, k),
        are_linked.reshape(n_nodes, k),
    )


@dataclass(frozen=True)
class _NamedLevel:
    """A level of named features: how far smoothed rows are above the mean, (n, f), and what a feature is worth to each."""

    above: Array
    worth: Array

    @classmethod
    def of(cls, near: Nearness, level: SmoothedLevel, Z: Array) -> _NamedLevel:
        matrix = near.levels.matrices[level.matrix]
        rows = near.source_rows(level.source, np.arange(near.graph.n_nodes))
        rows = np.asarray(rows.toarray() if sp.issparse(rows) else rows, dtype=np.float32)
        above = smoothed(matrix, level.coefficients, rows)
        kept = smoothed(matrix, level.coefficients, np.ones((len(rows), 1), dtype=np.float32))
        above -= kept * level.centre.astype(np.float32)
        W = level.W.astype(np.float32)
        others = [one for one in near.levels.listed if one.columns == level.columns]
        off = np.abs(above @ W - Z[:, level.columns]).max(initial=0) if len(others) == 1 else 0.0
        if near.is_untyped and off > AGREEMENT * np.abs(Z).max(initial=0):
            raise InputError(
                "The vectors are not what the model makes of this graph and its features. Pass those that it made."
            )
        return cls(above, Z[:, level.columns] @ W.T)


def _named(parts: list[_NamedLevel], pairs: Integers, sizes: Array) -> tuple[Integers, Array, NDArray[np.bool_]]:
    """The features that add most to some pairs, of those that both nodes have above the mean or both below it."""
    numbers = np.full((len(pairs), N_NAMED), -1)
    shares, above = np.zeros((len(pairs), N_NAMED), dtype=np.float32), np.zeros((len(pairs), N_NAMED), dtype=bool)
    if not parts:
        return numbers, shares, above
    u, v = pairs.T
    values = sum(part.above[u] * part.worth[v] + part.above[v] * part.worth[u] for part in parts)
    values = np.asarray(values) / (2 * sizes[:, None])
    amounts = [np.sum([part.above[side] for part in parts], axis=0) for side in (u, v)]
    values[amounts[0] * amounts[1] <= 0] = 0
    n_named = min(N_NAMED, values.shape[1])
    best = np.argpartition(-values, n_named - 1, axis=1)[:, :n_named]
    best = np.take_along_axis(best, np.argsort(-np.take_along_axis(values, best, axis=1), axis=1, kind="stable"), axis=1)
    taken = np.take_along_axis(values, best, axis=1)
    numbers[:, :n_named] = np.where(taken >= LEAST_NAMED, best, -1)
    shares[:, :n_named] = taken
    above[:, :n_named] = np.take_along_axis(amounts[0], best, axis=1) > 0
    return numbers, shares, above


def _through(near: Nearness, pairs: Integers, sizes: Array) -> tuple[Integers, Array]:
    """The nodes through which most of the score of pairs comes, and their shares of it."""
    found = through_of_pairs(near, pairs, N_NAMED)
    if found is None:
        return np.full((len(pairs), N_NAMED), -1), np.zeros((len(pairs), N_NAMED), dtype=np.float32)
    nodes, parts = found
    shares = parts / sizes[:, None]
    is_said = shares >= LEAST_NAMED
    return np.where(is_said, nodes, -1), np.where(is_said, shares, 0).astype(np.float32)


def _links(adjacency: sp.csr_array, pairs: Integers) -> tuple[Integers, NDArray[np.bool_]]:
    """How many neighbours, in either direction, both nodes of a pair have, and whether they are linked."""
    A = sp.csr_array((np.ones(adjacency.nnz, dtype=np.float32), adjacency.indices, adjacency.indptr), shape=adjacency.shape)
    A = A.maximum(A.T).tocsr()
    parts = [pairs[one : one + PAIRS_AT_ONCE] for one in _starts(len(pairs))]
    shared = [np.asarray(A[part[:, 0]].multiply(A[part[:, 1]]).sum(axis=1)).ravel() for part in parts]
    linked = [weights_between(A, part) > 0 for part in parts]
    return np.concatenate(shared).astype(np.int64), np.concatenate(linked)


def _starts(n_pairs: int) -> range:
    return range(0, n_pairs, PAIRS_AT_ONCE)
