"""What kind of graph a model was fitted on: with directions or without, with weights or without.

Features that were averaged over other edges are other features: a model fitted on a directed, weighted graph that is given
the same graph without directions or without weights moves the median vector by a third of its length. Directions are a
choice of whoever reads the graph, so another choice is refused. Weights are data, and a later graph may happen to have only
ones, so a difference is a warning. An update names its weights one by one: the graph that a model follows may get its first.
"""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, OtherWeightsWarning
from sparsecut.graph.graph import Graph


@dataclass(frozen=True)
class GraphKind:
    """Whether edges have directions, and weights other than 1."""

    is_directed: bool
    is_weighted: bool

    @classmethod
    def of(cls, graph: Graph) -> GraphKind:
        return cls(graph.is_directed, graph.is_weighted)

    def to_header(self) -> dict[str, Any]:
        return asdict(self)

    def check(self, graph: Graph, caller: str) -> None:
        """Refuse a graph with other directions than the fitted one, and warn of other weights; no edges, no kind."""
        if not graph.n_edges:
            return
        if graph.is_directed != self.is_directed:
            fitted, given = _direction(self.is_directed), _direction(graph.is_directed)
            remedy = "'out' or 'in', as the fitted graph was" if self.is_directed else "'symmetrize'"
            raise InputError(
                f"This {caller} was fitted on {fitted} graph. Got {given} one: averages over other neighbours give vectors "
                f"that cannot be compared. Read the graph with directed={remedy}, or fit a model on {given} graph."
            )
        if graph.is_weighted != self.is_weighted:
            fitted, given = ("with weights", "none") if self.is_weighted else ("without weights", "some")
            remedy = "Name the column of weights" if self.is_weighted else "Leave the weights out"
            warnings.warn(
                f"This {caller} was fitted on a graph {fitted}. The graph to transform has {given}: averages by other "
                f"weights give vectors that may not be comparable. {remedy}, or fit a model on such a graph.",
                OtherWeightsWarning,
                stacklevel=3,
            )

    def with_weights(self, weights: NDArray[np.float32]) -> GraphKind:
        """The kind of the graph once some of its edges have these weights."""
        return GraphKind(self.is_directed, self.is_weighted or bool((weights != 1).any()))


def read_kind(header: dict[str, Any] | None) -> GraphKind | None:
    """What `to_header` wrote; None of a file that was saved before kinds were."""
    return None if header is None else GraphKind(bool(header["is_directed"]), bool(header["is_weighted"]))


def _direction(is_directed: bool) -> str:
    return "a directed" if is_directed else "an undirected"
