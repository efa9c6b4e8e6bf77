"""The edges of a graph one by one, with their times, as they were read: repeats are not added up, and nothing has aged.

A graph holds the weights of its edges at one moment. Which edges it had at an earlier one, and what they weighed then, only
the edges themselves tell: splits by time go back to them (`evaluation.later_links`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class DatedEdges:
    """Edges of one type by the positions of their nodes, as the rows of the adjacency have them: i points to j.

    Attributes
    ----------
    i, j : array (m,)
        The positions of both ends.
    weights : array (m,) of float32, or None
        As they were given, before they aged; below zero where an edge asks for distance.
    times : array (m,) of float64, or None
        As numbers (`sparsecut.graph.times`); None for a type of edges without times, which do not age.
    """

    i: NDArray[Any]
    j: NDArray[Any]
    weights: NDArray[np.float32] | None
    times: NDArray[np.float64] | None

    @property
    def is_friendly(self) -> NDArray[np.bool_]:
        """Which edges join two different nodes, and do not ask for distance."""
        joins = np.asarray(self.i != self.j)
        return joins if self.weights is None else joins & (self.weights > 0)

    def where(self, is_kept: NDArray[np.bool_]) -> DatedEdges:
        """Some of the edges."""
        return DatedEdges(
            self.i[is_kept],
            self.j[is_kept],
            None if self.weights is None else self.weights[is_kept],
            None if self.times is None else self.times[is_kept],
        )

    def among(self, number: NDArray[np.int64]) -> DatedEdges:
        """The edges between nodes with a new number, which is −1 for those that go."""
        renumbered = replace(self, i=number[self.i], j=number[self.j])
        is_kept = (renumbered.i >= 0) & (renumbered.j >= 0)
        return renumbered if is_kept.all() else renumbered.where(is_kept)


@dataclass(frozen=True)
class Timeline:
    """The edges of every type, in the order of `Graph.edge_types`; one part of a graph without types of edges.

    Attributes
    ----------
    parts : tuple of DatedEdges
    is_calendar : bool
        Whether times are seconds since 1970; else numbers of a unit of their own.
    is_chosen : bool
        Whether the half-life was chosen by the edges, and is to be chosen again where there are fewer.
    """

    parts: tuple[DatedEdges, ...]
    is_calendar: bool
    is_chosen: bool

    def take(self, nodes: NDArray[np.int64], n_nodes: int) -> Timeline:
        """The edges among some of the nodes, numbered in their order."""
        number = np.full(n_nodes, -1, dtype=np.int64)
        number[nodes] = np.arange(len(nodes))
        return replace(self, parts=tuple(part.among(number) for part in self.parts))
