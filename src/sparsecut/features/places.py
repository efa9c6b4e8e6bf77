"""Structure that travels: places of nodes, fitted on one graph, and the rows of any graph that has some of these nodes.

Fitted, on one graph:

1. Nodes are contracted into at most 4,096 groups (`contraction`); a smaller graph is taken as it is.
2. The groups' log-proximity N (`proximity`) has leading eigenvectors V with eigenvalues λ. The place of a group is its row
   of V·diag(λ^p), so that the coarse structure weighs more than the fine; p is chosen so that the columns have one effective
   rank on every graph. Eigenvectors of negative λ get weight 0: in them neighbours are far apart. They appear on graphs with
   two sides, as mirror images of the others.
3. A node's place is that of its group. Nodes in components of one group have none, and neither have nodes without edges.

Rows, of any graph, by the hops that every engine takes (P is the mean over a node and its neighbours):

4. `Places.on(node_ids)` is the row [place | side] of each node, zeros for unknown ones. After a hop `averaged` divides by
   the share of known nodes: a known node gets the mean over itself and its known neighbours, a new one that over its known
   neighbours. A second hop, by `filled`, reaches new nodes next to these.
5. `centred` takes the mean off and gives rows one length. The mean weighs nodes by their degrees, so that hops keep it at
   zero, and each side has its own: near means near across sides too.

Nothing of this depends on the order of the nodes, nor on where the rows are: the graph that was fitted has the same rows
when it comes back.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray

from sparsecut.base.progress import Reporter
from sparsecut.features.contraction import contract
from sparsecut.features.proximity import log_proximity
from sparsecut.features.two_sides import two_sides
from sparsecut.kernels.either import on_device_of
from sparsecut.kernels.sparse import SparseMatrix, between_diagonals
from sparsecut.kernels.spectrum import leading_eigenvectors, sharpening

N_GROUPS = 4096  # of the graph whose eigenvectors are taken: more groups score as high and take longer
N_COLUMNS = 128
EFFECTIVE_RANK = 35.0  # of the weighted columns: fewer cannot separate dozens of groups, more keep what is noise
EXACT_NODES = 512  # up to here all eigenvectors are computed …
N_ITERATIONS = 4  # … and beyond the leading ones, by so many steps of subspace iteration: the spectrum of N falls fast
ROW_LENGTH = 6.0  # of every row: a logistic regression with C = 1 then neither under- nor overfits
ROUNDING = 1e-6  # rows no longer than this are at the mean but for rounding, and stay there

Lists = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]
Rows = Any  # an array, or a tensor where the engine has its rows


@dataclass(frozen=True, eq=False)
class Places:
    """The places of a fitted graph's nodes. See the module for what they are and how rows follow from them.

    Attributes
    ----------
    ids : array of shape (n,)
        The ids of the nodes that have a place, ascending.
    groups : int32 array of shape (n,)
        The group of each of these nodes, a row of `vectors`.
    sides : int8 array of shape (n,)
        The side of each of these nodes; 0 for all of them in a graph without sides.
    vectors : float32 array of shape (g, k)
        The place of each group; k is 128, or as many as the fitted graph has nodes.
    means : float32 array of shape (1, k) or (2, k)
        What rows are centred by: one row per side.
    """

    ids: NDArray[Any]
    groups: NDArray[np.int32]
    sides: NDArray[np.int8]
    vectors: NDArray[np.float32]
    means: NDArray[np.float32]

    @classmethod
    def fit(
        cls,
        adjacency: sp.csr_array,
        node_ids: NDArray[Any],
        *,
        n_columns: int = N_COLUMNS,
        n_groups: int = N_GROUPS,
        sides: NDArray[Any] | None = None,
        is_directed: bool = False,
        is_aged: bool = False,
        report: Reporter | None = None,
    ) -> Places:
        """Places for the nodes of a graph; `sides` are two words or numbers, found from the edges where none are given.

        In a mean by strength few recent nodes outweigh all others where edges are `is_aged`: it is then by neighbours.
        """
        adjacency, node_ids, sides = _by_id(adjacency, node_ids, sides)
        n_nodes = adjacency.shape[0]
        links = sp.csr_array(adjacency + adjacency.T) if is_directed else adjacency
        side = _given(sides) if sides is not None else two_sides(links, node_ids)
        side = np.zeros(n_nodes, dtype=np.int8) if side is None else side

        groups, graph = contract(adjacency, node_ids, n_groups, is_directed=is_directed)
        is_linked = np.bincount(graph.indices, minlength=graph.shape[0]) + np.diff(graph.indptr) > 0
        if not is_linked.all():
            graph = sp.csr_array(graph[is_linked][:, is_linked])
        vectors = np.zeros((graph.shape[0], min(n_columns, n_nodes)), dtype=np.float32)
        found = _weighted_eigenvectors(graph, vectors.shape[1], report)
        vectors[:, : found.shape[1]] = found

        known = np.flatnonzero(is_linked[groups])
        groups = (np.cumsum(is_linked, dtype=np.int32) - 1)[groups[known]]
        weights = np.zeros((n_nodes, 1 + int(side.max(initial=0))))  # of each side's nodes in its mean
        strengths = np.diff(links.indptr) if is_aged else links.sum(axis=1, dtype=np.float64)
        weights[np.arange(n_nodes), side] = strengths
        means = _mean_rows(adjacency, weights, known, groups, vectors)
        return cls(node_ids[known], groups, side[known], vectors, means)

    @property
    def n_columns(self) -> int:
        return int(self.vectors.shape[1])

    @property
    def nbytes(self) -> int:
        """What the arrays take, in memory and in a model's file."""
        return sum(array.nbytes for array in (self.ids, self.groups, self.sides, self.vectors, self.means))

    def find(self, node_ids: NDArray[Any]) -> NDArray[np.int64]:
        """Where nodes stand among those with a place; −1 where they have none. The id 5 is not "5"."""
        if not len(self.ids) or (self.ids.dtype.kind in "iu") != (node_ids.dtype.kind in "iu"):
            return np.full(len(node_ids), -1)
        place = np.minimum(np.searchsorted(self.ids, node_ids), len(self.ids) - 1)
        return np.where(self.ids[place] == node_ids, place, -1)

    def of_ids(self, ids: NDArray[Any]) -> NDArray[np.float32]:
        """[place | side] of nodes, (m, k + number of sides); the side is a 1 in its column. Zeros for unknown nodes."""
        rows: NDArray[np.float32] = self._table[self.numbers(ids)]
        return rows

    def numbers(self, ids: NDArray[Any]) -> NDArray[np.int64]:
        """Where the rows of nodes stand in the table that `first_rows` reads; −1 for unknown nodes."""
        found = self.find(ids)
        is_known = found >= 0
        known = found[is_known]
        numbers = np.full(len(ids), -1)  # the last row of the table has zeros
        numbers[is_known] = len(self.vectors) * self.sides[known].astype(np.int64) + self.groups[known]
        return numbers

    @cached_property
    def _table(self) -> NDArray[np.float32]:
        """[place | side] of each group, on one side after the other, and a last row of zeros."""
        n_groups, n_sides = len(self.vectors), len(self.means)
        table = np.zeros((n_groups * n_sides + 1, self.n_columns + n_sides), dtype=np.float32)
        for side in range(n_sides):
            rows = slice(side * n_groups, (side + 1) * n_groups)
            table[rows, : self.n_columns] = self.vectors
            table[rows, self.n_columns + side] = 1
        return table

    def on(self, node_ids: NDArray[Any]) -> PlaceColumns:
        """The rows [place | side] of a graph's nodes, as features that are made in blocks."""
        return PlaceColumns(self, node_ids)

    def rows(self, adjacency: sp.csr_array, node_ids: NDArray[Any]) -> NDArray[np.float32]:
        """The rows of a graph, (n, k), in the host's memory: the steps that an engine takes, in their order."""
        shares = 1 / (1 + adjacency.sum(axis=1, dtype=np.float64))
        P = SparseMatrix(between_diagonals(adjacency, shares, None, shares), torch.device("cpu"))
        own = torch.from_numpy(self.of_ids(node_ids))
        placed = averaged(own, P @ own, self.n_columns)
        if not is_placed(placed, self.n_columns).all():
            placed = filled(placed, P @ placed, self.n_columns)
        rows: NDArray[np.float32] = centred(placed, self.means).numpy()
        return rows

    def first_rows(self, own: NDArray[np.int64], lists: Lists) -> NDArray[np.float32] | None:
        """Rows of some nodes, by their `numbers` and those of their neighbours; None where one has no known neighbour.

        `lists` are where each one's neighbours start and the last one's end, the neighbours' numbers, the edges' weights.
        """
        offsets, neighbours, weights = lists
        rows = self._table[own]
        around = rows.copy()
        for node, (start, end) in enumerate(pairwise(offsets.tolist())):
            shares = weights[start:end]
            around[node] += shares @ self._table[neighbours[start:end]]
            around[node] /= np.float32(1 + shares.sum(dtype=np.float64))
        placed = averaged(rows, around, self.n_columns)
        return np.asarray(centred(placed, self.means)) if is_placed(placed, self.n_columns).all() else None


class PlaceColumns:
    """The columns [place | side] of some nodes by their ids, as features that are made in blocks."""

    def __init__(self, places: Places, node_ids: NDArray[Any]) -> None:
        self.places = places
        self.node_ids = node_ids
        self.shape = (len(node_ids), places.n_columns + len(places.means))

    def __getitem__(self, rows: slice) -> NDArray[np.float32]:
        return self.places.of_ids(self.node_ids[rows])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self[:].astype(np.float32 if dtype is None else dtype)

    def __repr__(self) -> str:
        return f"PlaceColumns({self.shape[0]} nodes)"


def averaged(own: Rows, around: Rows, n_columns: int) -> Rows:
    """Rows [place | side] after a hop: the mean over the known among a node and its neighbours.

    `own` are the rows before the hop and `around` = P·own. A new node is on the side that its neighbours are not on.
    """
    sides = around[:, n_columns:]
    share = sides.sum(axis=1)[:, None]
    is_reached, is_known = share > 0, is_placed(own, n_columns)[:, None]
    placed = around / (share + ~is_reached)  # nothing is divided by 0; rows that are not reached are 0
    found = placed[:, n_columns:] * 0 + is_reached
    if found.shape[1] == 2:
        found[:, 0] *= sides[:, 1] >= sides[:, 0]
        found[:, 1] *= sides[:, 1] < sides[:, 0]
    placed[:, n_columns:] = own[:, n_columns:] * is_known + found * ~is_known
    return placed


def filled(own: Rows, around: Rows, n_columns: int) -> Rows:
    """Rows [place | side] after one more hop: those that have a place keep it, the others get their neighbours' mean."""
    is_known = is_placed(own, n_columns)[:, None]
    return own * is_known + averaged(own, around, n_columns) * ~is_known


def is_placed(rows: Rows, n_columns: int) -> Rows:
    """Which rows [place | side] have a place."""
    return rows[:, n_columns:].sum(axis=1) > 0


def centred(placed: Rows, means: NDArray[np.float32]) -> Rows:
    """Rows of one length about their side's mean, (m, k), from rows [place | side]; zeros for those without a place."""
    n_columns = means.shape[1]
    rows = placed[:, :n_columns] - placed[:, n_columns:] @ on_device_of(placed, means)
    lengths = (rows * rows).sum(axis=1)[:, None] ** 0.5
    rows *= ROW_LENGTH / lengths.clip(ROUNDING)
    return rows


def _by_id(
    adjacency: sp.csr_array, node_ids: NDArray[Any], sides: NDArray[Any] | None
) -> tuple[sp.csr_array, NDArray[Any], NDArray[Any] | None]:
    """The graph with its nodes ordered by their ids: all that follows is the same, to the bit, whatever their order was."""
    order = np.argsort(node_ids, kind="stable")
    if (order == np.arange(len(order))).all():
        return adjacency, node_ids, sides
    ordered = sp.csr_array(adjacency[order][:, order])
    ordered.sort_indices()
    return ordered, node_ids[order], None if sides is None else sides[order]


def _given(sides: NDArray[Any]) -> NDArray[np.int8] | None:
    """Sides as 0 and 1; a node whose side is "" has no edges, and any will do. None where there are not two of them."""
    names = np.unique(sides[sides != ""] if sides.dtype.kind == "U" else sides)
    return (sides == names[1]).astype(np.int8) if len(names) == 2 else None


def _weighted_eigenvectors(graph: sp.csr_array, n_columns: int, report: Reporter | None) -> NDArray[np.float32]:
    """The leading eigenvectors of a graph's log-proximity, weighted by λ^p, (n, n_columns) or fewer columns."""
    n_nodes, host = graph.shape[0], torch.device("cpu")
    if not n_nodes:
        return np.zeros((0, 0), dtype=np.float32)
    proximity = log_proximity(graph, report=report)
    if n_nodes <= EXACT_NODES:
        eigenvalues, vectors = torch.linalg.eigh(torch.from_numpy(proximity.toarray()).double())
        eigenvalues, vectors = eigenvalues.flip(0)[:n_columns], vectors.flip(1)[:, :n_columns].float()
    else:
        N = SparseMatrix(proximity, host)
        eigenvalues, vectors = leading_eigenvectors(
            N.__matmul__, n_nodes, min(n_columns, n_nodes), device=host, n_iterations=N_ITERATIONS, seed=0
        )
    # An eigenvector has no sign of its own: it is turned to its longer side, whatever the order of the nodes.
    vectors = vectors * torch.where(vectors.double().pow(3).sum(dim=0) < 0, -1.0, 1.0).float()
    sizes = eigenvalues.clamp(min=0)
    power = sharpening(sizes.square(), EFFECTIVE_RANK)
    weights = (sizes / sizes.max().clamp(min=1e-30)) ** power * (sizes > 0)
    weighted: NDArray[np.float32] = (vectors * weights).numpy()
    return weighted


def _mean_rows(
    adjacency: sp.csr_array,
    weights: NDArray[np.float64],
    known: NDArray[np.int64],
    groups: NDArray[np.int32],
    vectors: NDArray[np.float32],
) -> NDArray[np.float32]:
    """Σ_i w_i (P·X)_i / Σ_i w_i for each column w of the weights, by Xᵀ(Pᵀw), so that no hop of X is taken.

    All neighbours of known nodes are known, so nothing is divided by the share of known ones.
    """
    weights = weights * np.isin(np.arange(len(weights)), known)[:, None]
    stepped = weights / (1 + adjacency.sum(axis=1, dtype=np.float64))[:, None]
    arriving = (stepped + adjacency.T @ stepped)[known]  # Pᵀw
    by_group = np.stack([np.bincount(groups, column, len(vectors)) for column in arriving.T])
    means: NDArray[np.float64] = by_group @ vectors / np.maximum(weights.sum(axis=0), 1e-300)[:, None]
    return means.astype(np.float32)
