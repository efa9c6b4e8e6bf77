"""Roles: what stands in the graph around a node, in columns that mean the same in any graph.

    undirected   log degree, log triangles, clustering, log strength where edges have weights
    directed     log out- and in-degree, their difference, reciprocity, log triangles, clustering;
                 log out- and in-strength and their difference where edges have weights
    signed       of friendly and of unfriendly edges the log of their number, and the balance of the two, out and in where
                 edges have directions; nothing else (`features.signed_roles`)

Logarithms are of 1 + x, strengths in units of the fitted graph's typical weight. Out-edges are the rows of
`graph.adjacency`; triangles are those of the graph without directions. The standardised columns of log degrees are there
squared as well: without them no linear model tells middling degrees from both low and high ones. What stands around a node's
neighbours follows by the hops of a filter, as for any other columns.

All numbers are rounded to multiples of `GRID`, so that sums of them are exact: the order of nodes, the blocks they come in
and the engine do not change a bit. `NodeRoles` keeps the mean and the deviation of every column of the fitted graph, and
standardises those of any graph with them. A column that is constant there is zero everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.features.signed_roles import (
    DIRECTED_SIGNED,
    UNDIRECTED_SIGNED,
    counts_by_sign,
    demand_ends,
    unfriendly_share,
)
from sparsecut.features.triangles import triangles
from sparsecut.kernels.block import Block, Column, Passes
from sparsecut.kernels.either import (
    counts_of,
    doubles,
    is_tensor,
    log,
    longs,
    on_device_of,
    on_host,
    places_of,
    segment_sums,
    side_by_side,
    singles,
    stack,
)
from sparsecut.kernels.streaming import row_blocks

GRID = 2.0**-16  # of every count, logarithm and mean: float32 holds what is below 256 without rounding
WEIGHT_GRID = 2.0**-16  # of weights, in units of the typical one
FURTHEST = 6.0  # deviations: a graph of another size may be far outside of the fitted one, and then says no more than that
AT_ONCE = 1 << 24  # nodes whose incoming edges are added up in one pass
LOW_BITS = 24  # of a square that are added up by themselves: sums of either half fit 64 bits

UNDIRECTED = ("log degree", "log triangles", "clustering")
UNDIRECTED_WEIGHTS = ("log strength",)
DIRECTED = ("log out-degree", "log in-degree", "degree balance", "reciprocity", "log triangles", "clustering")
DIRECTED_WEIGHTS = ("log out-strength", "log in-strength", "strength balance")
SQUARED = ("log degree", "log out-degree", "log in-degree")


@dataclass(frozen=True)
class RoleKind:
    """Which counts there are, and the unit of weights."""

    is_directed: bool
    unit: float | None  # None where edges have no weights
    unfriendly: float | None = None  # the share of edges that ask for distance, of a signed graph

    @property
    def is_signed(self) -> bool:
        return self.unfriendly is not None

    @property
    def counts(self) -> tuple[str, ...]:
        plain, weighted = (DIRECTED, DIRECTED_WEIGHTS) if self.is_directed else (UNDIRECTED, UNDIRECTED_WEIGHTS)
        if self.is_signed:
            return DIRECTED_SIGNED if self.is_directed else UNDIRECTED_SIGNED
        return plain + (() if self.unit is None else weighted)

    @property
    def squared(self) -> list[int]:
        """Which of the counts are there squared as well."""
        return [place for place, count in enumerate(self.counts) if count in SQUARED]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns: the counts, then squares."""
        return (*self.counts, *(f"{self.counts[place]}, squared" for place in self.squared))


@dataclass(frozen=True)
class NodeRoles:
    """The mean and the deviation of every count in the fitted graph; a deviation of 0 stands for a constant one."""

    kind: RoleKind
    mean: NDArray[np.float64]
    scale: NDArray[np.float64]

    @classmethod
    def fit(cls, passes: Passes, undirected: Passes | None = None) -> NodeRoles:
        """`undirected` are passes over the same graph without directions; needed for a directed graph alone."""
        return cls.fit_columns(passes, undirected)[0]

    @classmethod
    def fit_columns(cls, passes: Passes, undirected: Passes | None = None) -> tuple[NodeRoles, RoleColumns]:
        """What is fitted and the fitted graph's own columns, which are computed once for both."""
        kind = kind_of(passes)
        counted = count_roles(passes, undirected, kind)
        roles = cls(kind, *moments_in(passes, counted))
        return roles, RoleColumns(roles, counted, passes.graph.n_nodes)

    def columns(self, passes: Passes, undirected: Passes | None = None) -> RoleColumns:
        """The columns of a graph, standardised as those of the fitted one."""
        return RoleColumns(self, count_roles(passes, undirected, self.kind), passes.graph.n_nodes)

    @property
    def names(self) -> tuple[str, ...]:
        return self.kind.names

    def standardised(self, counted: NDArray[Any]) -> NDArray[np.float32]:
        """The columns of some rows of counts, by the means and deviations of the fitted graph."""
        scales, squared, constant = self._scaling
        scaled = (counted - self.mean) / scales
        squares = (scaled[:, squared] ** 2 - 1) / math.sqrt(2)  # mean 0 and deviation 1 where columns are normal
        columns = np.concatenate([scaled, squares], axis=1)
        np.minimum(np.maximum(columns, -FURTHEST, out=columns), FURTHEST, out=columns)
        if len(constant):
            columns[:, constant] = 0
        return columns.astype(np.float32)

    @cached_property
    def _scaling(self) -> tuple[NDArray[np.float64], list[int], NDArray[np.int64]]:
        """What counts are divided by, which are squared, and the columns that are constant."""
        is_constant, squared = self.scale == 0, self.kind.squared
        constant = np.flatnonzero(np.append(is_constant, is_constant[squared]))
        return np.where(is_constant, 1.0, self.scale), squared, constant

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """All of it as arrays, for a file."""
        unit = np.nan if self.kind.unit is None else self.kind.unit
        kind = {"kind": np.array([self.kind.is_directed, unit, self.kind.is_signed])}
        if self.kind.is_signed:
            kind["unfriendly"] = np.array([self.kind.unfriendly])
        return {**kind, "mean": self.mean, "scale": self.scale}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> NodeRoles:
        is_directed, unit, *is_signed = arrays["kind"].tolist()
        if any(is_signed) and "unfriendly" not in arrays:
            raise InputError("The model of a signed graph was saved by an earlier sparsecut. Fit it and save it again.")
        share = float(arrays["unfriendly"][0]) if any(is_signed) else None
        kind = RoleKind(bool(is_directed), None if np.isnan(unit) else unit, share)
        return cls(kind, np.asarray(arrays["mean"], np.float64), np.asarray(arrays["scale"], np.float64))


@dataclass(frozen=True)
class RoleColumns:
    """The standardised columns of a graph, (n, k), a slice of rows at a time, from its counts."""

    roles: NodeRoles
    counted: Column
    n_nodes: int

    dtype = np.dtype(np.float32)
    ndim = 2

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_nodes, len(self.roles.names)

    def __len__(self) -> int:
        return self.n_nodes

    def __getitem__(self, rows: slice | NDArray[np.int64]) -> NDArray[np.float32]:
        return self.roles.standardised(on_host(self.counted[rows]))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        whole = np.empty(self.shape, dtype=np.float32)
        for rows in row_blocks(self.n_nodes, 16 * self.shape[1]):
            whole[rows] = self[rows]
        return whole if dtype is None else whole.astype(dtype, copy=False)


def kind_of(passes: Passes) -> RoleKind:
    """Which counts a graph has; the unit is the power of two at the mean of its weights' exponents."""
    graph = passes.graph
    share = unfriendly_share(graph)
    if share is not None or not graph.is_weighted:
        return RoleKind(graph.is_directed, None, share)
    n_weights, exponents = (int(number) for number in passes.total(exponents_of))
    return RoleKind(graph.is_directed, float(np.ldexp(1.0, exponents // n_weights)))


def count_roles(passes: Passes, undirected: Passes | None, kind: RoleKind) -> Column:
    """The counts of every node, (n, c) float32."""
    if undirected is None:
        if passes.graph.is_directed and not kind.is_signed:
            raise ValueError("Roles of a directed graph need passes over the graph without directions beside its own.")
        undirected = passes
    n_counts, unit = len(kind.counts), kind.unit
    around = None if kind.is_signed else triangles(undirected)
    which = f"{'directed' if kind.is_directed else 'undirected'}-{unit}"
    if kind.is_directed:
        n_nodes: int = passes.graph.n_nodes
        starts = range(0, n_nodes, AT_ONCE)
        arrived = [passes.total(arriving, start, min(start + AT_ONCE, n_nodes), unit) for start in starts]
        ends = passes.column(f"leaving-{unit}", np.float64, leaving, unit, width=2)
        others = passes.column(f"arriving-{unit}", np.float64, own_rows, np.concatenate(arrived), width=2)
        if not kind.is_signed:
            given = around, ends, others, unit
            return undirected.column(f"roles-{which}", np.float32, directed_counts, *given, width=n_counts)
        sides: tuple[Column, ...] = ends, others
    elif not kind.is_signed:
        return undirected.column(f"roles-{which}", np.float32, undirected_counts, around, unit, width=n_counts)
    else:
        sides = ()
    of_both = sides, demand_ends(passes.graph.demands, passes.graph.n_nodes), kind.unfriendly
    return passes.column(f"signed-{which}-{kind.unfriendly}", np.float32, signed_counts, *of_both, width=n_counts)


def signed_counts(block: Block, sides: tuple[Column, ...], asked: NDArray[np.float64], share: float) -> Any:
    """The counts by sign of the block's nodes; `sides` begin with the numbers of edges out and in, where these differ."""
    friendly = [side[block.rows][:, 0] for side in sides] or [_degrees(block)]
    return counts_of_signs(side_by_side(friendly), own_rows(block, asked), share)


def counts_of_signs(friendly: Any, asked: Any, share: float) -> Any:
    """`counts_by_sign`, rounded as all counts are."""
    return _on_grid(counts_by_sign(friendly, asked, share))


def exponents_of(block: Block) -> NDArray[np.int64]:
    """The number of weights and Σ ⌊log2 w⌋."""
    weights = block.weights()
    if weights is None:
        return np.array([len(block.neighbours()), 0])
    exponents = np.frexp(on_host(weights))[1]
    return np.array([len(exponents), exponents.sum(dtype=np.int64) - len(exponents)])


def leaving(block: Block, unit: float | None) -> Any:
    """The number of edges that leave each node and the sum of their weights."""
    return side_by_side([_degrees(block), _strengths(block, unit)])


def arriving(block: Block, start: int, stop: int, unit: float | None) -> Any:
    """The number of the block's edges that arrive at each of the nodes `start` to `stop`, and the sum of their weights."""
    others, weights = block.neighbours(), _weights(block, unit)
    here = places_of((others >= start) & (others < stop))
    ends = longs(others[here]) - start
    return side_by_side([doubles(counts_of(ends, stop - start)), counts_of(ends, stop - start, weights[here])])


def own_rows(block: Block, values: NDArray[Any]) -> Any:
    return on_device_of(block.starts(), values[block.rows])


def undirected_counts(block: Block, around: Column, unit: float | None) -> Any:
    degrees, found = _degrees(block), around[block.rows]
    counts = [log(1 + degrees), log(1 + found), _clustering(found, degrees)]
    if unit is not None:
        counts.append(log(1 + _strengths(block, unit)))
    return _on_grid(side_by_side(counts))


def directed_counts(block: Block, around: Column, ends: Column, others: Column, unit: float | None) -> Any:
    degrees, found = _degrees(block), around[block.rows]
    out_degrees, out_strengths = _beside(block, ends).T
    in_degrees, in_strengths = _beside(block, others).T
    out_log, in_log = log(1 + out_degrees), log(1 + in_degrees)
    reciprocity = (out_degrees + in_degrees - degrees) / degrees.clip(min=1)  # an edge that is answered counts twice
    counts = [out_log, in_log, out_log - in_log, reciprocity, log(1 + found), _clustering(found, degrees)]
    if unit is not None:
        out_log, in_log = log(1 + out_strengths), log(1 + in_strengths)
        counts += [out_log, in_log, out_log - in_log]
    return _on_grid(side_by_side(counts))


def _beside(block: Block, column: Column) -> Any:
    """A column's rows of a block, where the block is: the graph without directions is passed over in the host's memory."""
    rows = column[block.rows]
    return rows if is_tensor(block.starts()) else on_host(rows)


def moments_in(passes: Passes, table: Column) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """(mean, deviation) of every column, from exact sums."""
    n_nodes: int = passes.graph.n_nodes
    totals, high, low = (part.tolist() for part in passes.total(sums_of, table).reshape(3, -1))
    mean, scale = np.zeros(len(totals)), np.zeros(len(totals))
    for column, total in enumerate(totals):
        squares = (high[column] << LOW_BITS) + low[column]
        mean[column] = total / n_nodes * GRID
        scale[column] = (n_nodes * squares - total**2) ** 0.5 / n_nodes * GRID  # whole numbers of any size: exact
    return mean, scale


def sums_of(block: Block, table: Column) -> Any:
    """Σx, and the sums of the upper and the lower bits of x², in multiples of the grid."""
    numbers = longs(table[block.rows] / GRID)
    squares = numbers * numbers
    sums = [numbers, squares >> LOW_BITS, squares & ((1 << LOW_BITS) - 1)]
    return stack([part.sum(0) for part in sums])


def _degrees(block: Block) -> Any:
    starts = block.starts()
    return doubles(starts[1:] - starts[:-1])


def _clustering(found: Any, degrees: Any) -> Any:
    """The share of a node's pairs of neighbours that are linked; an estimate may be above 1."""
    return (2 * found / (degrees * (degrees - 1)).clip(min=1)).clip(max=1)


def _strengths(block: Block, unit: float | None) -> Any:
    if block.weights() is None:
        return _degrees(block) * float(_in_units(np.ones(1), unit)[0])
    return segment_sums(_weights(block, unit), block.starts())


def _weights(block: Block, unit: float | None) -> Any:
    weights = block.weights()
    return _in_units(doubles(block.neighbours() * 0) + 1 if weights is None else doubles(weights), unit)


def _in_units(weights: Any, unit: float | None) -> Any:
    """Weights in their unit, as multiples of a small fraction of it: then their sums are exact."""
    return weights if unit is None else (weights / (unit * WEIGHT_GRID)).round() * WEIGHT_GRID


def _on_grid(values: Any) -> Any:
    return singles((values / GRID).round() * GRID)
