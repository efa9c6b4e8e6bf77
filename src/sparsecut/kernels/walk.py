"""Passes over a graph that no process reads whole: its rows lie in files, and the workers of a cluster go through them.

    walk.each(function, …)           what a function makes of every part of the rows, in their order
    walk.total(function, …)          the sum of that, added up where the parts are
    walk.column(name, function, …)   one number per node, kept where the parts are: some of them are read at a time

An engine whose workers have the rows puts a walk on its graph (`graph.walk`). Degrees, samples of nodes and edges and what
chooses a weighting are then taken there. The functions are those of the rooms that ask (`graph.walked_sample`,
`features.walked`), so an engine does not know what they are for. They are given to other processes by their names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray


class Part(Protocol):
    """Some consecutive rows of a graph, where they are at work; what is not requested is not read."""

    @property
    def rows(self) -> slice:
        """From the first row to the one behind the last."""

    def ids(self) -> NDArray[Any]:
        """The ids of the nodes, (b,)."""

    def features(self) -> Any:
        """Their features, (b, f), dense or CSR."""

    def starts(self) -> NDArray[np.int64]:
        """Where the neighbours of each node begin among those of the part, and where the last end, (b + 1,)."""

    def neighbours(self) -> NDArray[Any]:
        """The positions of the neighbours, one node after another."""

    def weights(self) -> NDArray[Any] | None:
        """The weights of these edges; None where all are 1."""


class Column(Protocol):
    """One number per node, in a place where every part reads it."""

    def read(self, nodes: slice | NDArray[np.int64] | None = None) -> NDArray[Any]:
        """The ids of the nodes at some positions, or of all."""


class Walk(Protocol):
    """Goes through all rows of a graph. `arguments` are numbers, words, columns and small arrays."""

    def each(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """[function(part, *arguments) for every part]."""

    def total(self, function: Callable[..., Any], *arguments: Any) -> NDArray[Any]:
        """The sum over all parts of the arrays function(part, *arguments)."""

    def column(self, name: str, dtype: DTypeLike, function: Callable[..., Any], *arguments: Any) -> Column:
        """function(part, *arguments) of all parts, one after another; computed once under a name."""


def degrees(walk: Walk) -> Column:
    """The weighted degrees of all nodes, float64."""
    return walk.column("degrees", np.float64, degrees_of)


def degrees_of(part: Part) -> NDArray[np.float64]:
    return sums_over_neighbours(part)


def sums_over_neighbours(part: Part, values: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
    """For every node the weighted sum of its neighbours' values, given one for every neighbour; of ones by default."""
    starts, weights = part.starts(), part.weights()
    if weights is None and values is None:
        return np.diff(starts).astype(np.float64)
    terms = np.zeros(int(starts[-1]) + 1)  # one more, for rows without entries at the end
    terms[:-1] = 1.0 if weights is None else weights
    if values is not None:
        terms[:-1] *= values
    return np.where(np.diff(starts) > 0, np.add.reduceat(terms, starts[:-1]), 0.0)
