"""Passes over all rows of a graph: functions of a `Block`, taken to the rows by the engine that has them.

    passes.each(function, …)           [function(block, …) for every block], in the order of the rows
    passes.total(function, …)          their sum, added up where the blocks are
    passes.column(name, function, …)   one number per node, or one row, kept where the blocks are
    passes.placed(name, array)         the same of numbers that this process has

Every engine is `Passes` (`sparsecut.engines.contract`). A function is given to other processes by its name, and is written
once for numpy and torch (`sparsecut.kernels.either`): blocks are arrays in the host's memory and tensors on a GPU.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from sparsecut.kernels.either import doubles, segment_sums


class Block(Protocol):
    """Some consecutive rows of a graph and their edges, where they are. What is not requested is not read."""

    @property
    def rows(self) -> slice:
        """From the first row to the one after the last."""

    def ids(self) -> Any:
        """The ids of the nodes, (b,); words are always an array of numpy."""

    def features(self, places: Any = None) -> Any:
        """Their features, (b, f), dense or CSR; those at some places among the rows if given."""

    def starts(self) -> Any:
        """Where the neighbours of each node begin among those of the block, and where the last end, (b + 1,)."""

    def neighbours(self, places: Any = None) -> Any:
        """The positions of the neighbours, one node after another; those at some places among them if given."""

    def weights(self) -> Any:
        """The weights of these edges; None where all are 1."""


class Column(Protocol):
    """One number per node, or one row, where every block reads it: an array, a tensor or a file."""

    def __getitem__(self, nodes: Any, /) -> Any:
        """The numbers of a slice of the nodes, or of some positions."""


class Passes(Protocol):
    """Goes over all rows of a graph. `arguments` are numbers, words, columns and small arrays."""

    graph: Any
    """The `Graph` whose rows these are."""

    def each(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """[function(block, *arguments) for every block]."""

    def total(self, function: Callable[..., Any], *arguments: Any) -> NDArray[Any]:
        """The sum over all blocks of the arrays function(block, *arguments), in the order of the rows."""

    def column(
        self, name: str, dtype: DTypeLike, function: Callable[..., Any], *arguments: Any, width: int | None = None
    ) -> Column:
        """function(block, *arguments) of all blocks, one after another; computed once under a name.

        With a width the function returns so many numbers per node, (b, width).
        """

    def placed(self, name: str, array: NDArray[Any]) -> Column:
        """An array of this process, one number per node or one row, where every block can read it, by `column[nodes]`.

        A second one of a name takes the place of the first, which is no longer read.
        """


def degrees(passes: Passes) -> Column:
    """The weighted degrees of all nodes, float64."""
    return passes.column("degrees", np.float64, degrees_of)


def degrees_of(block: Block) -> Any:
    return sums_over_neighbours(block)


def sums_over_neighbours(block: Block, values: Any = None) -> Any:
    """Σ_j a_ij x_j for every row i in float64, given x_j for every neighbour; x = 1 by default."""
    starts, weights = block.starts(), block.weights()
    if weights is None and values is None:
        return doubles(starts[1:] - starts[:-1])
    if values is None:
        return segment_sums(doubles(weights), starts)
    terms = doubles(values)
    return segment_sums(terms if weights is None else terms * weights, starts)
