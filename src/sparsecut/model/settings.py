"""The settings of a fit: the parameters of an estimator, checked, with an object in place of every word."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sparsecut.base.errors import DimensionWarning, InputError, check_integer, parameter_error
from sparsecut.engines import EngineChoice
from sparsecut.graph import Graph
from sparsecut.model.auto.constants import CONSTANTS, Constants, GraphCost
from sparsecut.model.channels import refuse_several, with_hops
from sparsecut.model.solver import Solver
from sparsecut.operators.aggregation import Aggregation
from sparsecut.operators.filters import Filter
from sparsecut.operators.negatives import Negatives
from sparsecut.operators.recipe import OF_GRAPH, source_of


@dataclass(frozen=True)
class Settings:
    """`filter`, `channels`, `relations` None, `weighting` "auto" are chosen in the fit; `n_levels` is None for channels."""

    caller: str
    dimension: int | None
    features: str
    weighting: str
    filter: Filter | None
    channels: dict[str, float] | None
    relations: Mapping[Any, float] | None
    n_levels: int | None
    aggregation: Aggregation
    negatives: Negatives
    apart: Any
    solver: Solver
    engine: EngineChoice
    random_state: int | None
    parameters: Mapping[str, Any]  # as a file holds them: what the result depends on
    constants: Constants = CONSTANTS  # that "auto" goes by
    n_columns: int | None = None  # of the embedding where `dimension` is None: as many as an earlier fit had chosen

    def embeds_features(self, graph: Graph) -> bool:
        """Whether a channel is made of the node features."""
        if self.channels is not None:
            return any(source_of(name) == "features" for name in self.channels)
        return self.features in ("given", "both") or (self.features == "auto" and graph.has_features)

    def graph_channels(self, graph: Graph) -> tuple[str, ...]:
        """The channels that are made of the graph alone, by request or by default.

        By default they stand beside features whose filter is left to the fit too: a filter of the user's own is one channel,
        the paper's training has one, and levels have structure where there is nothing else.
        """
        if self.channels is not None:
            return tuple(name for name in OF_GRAPH if name in self.channels)
        is_one = self.n_levels is not None or not self.solver.chooses_from_graph
        if not self.embeds_features(graph) or self.features == "both":
            return ("structure",) if is_one else OF_GRAPH
        is_left_out = is_one or self.filter is not None or self.features == "given"
        return () if is_left_out or self._is_large(graph) else OF_GRAPH

    def say_left_out(self, graph: Graph) -> list[str]:
        """A note where the graph's own channels would be there by default, and are left out for its size."""
        small = replace(self, constants=replace(self.constants, graph_cost=GraphCost(most_edges=graph.n_edges)))
        if self.graph_channels(graph) or not small.graph_channels(graph):
            return []
        return [
            f"The graph has {graph.n_edges:,} edges. Beyond {self.constants.graph_cost.most_edges:,} the place of a node in "
            "the graph and the counts around it would take longer than the rest, and are left out. Set features='both' to "
            "have them all the same."
        ]

    def _is_large(self, graph: Graph) -> bool:
        return graph.n_edges > self.constants.graph_cost.most_edges

    @property
    def n_channels(self) -> int:
        """At most."""
        if self.n_levels is not None:
            n_channels = self.n_levels
        elif self.channels is not None:
            n_channels = len(self.channels)
        else:
            n_channels = 2 if self.filter is None and self.solver.chooses_from_graph else 1
        return n_channels + (self.features == "both")

    def check_channels(self, graph: Graph) -> None:
        """Refuse, before any work, what cannot be put side by side."""
        if self.channels is not None and self.features in ("structure", "both"):
            raise InputError(
                f"{self.caller}(features={self.features!r}) says which channels there are. Leave channels out, or "
                "name them all: channels=('own', 'smoothed', 'structure', 'roles')."
            )
        n_parts = len(with_hops(self.channels)) if self.channels is not None else 2 * (self.features == "both")
        if n_parts > 1 and not self.solver.chooses_from_graph:
            raise refuse_several(self.caller, self.solver)
        if self.dimension is not None and self.dimension < n_parts:
            raise InputError(
                f"{self.caller}(dimension={self.dimension}) has no column for each of {n_parts} channels. Ask for more."
            )
        if self.embeds_features(graph) and not graph.has_features:
            if self.channels is not None:
                raise InputError(
                    f"Channels other than 'structure' and 'roles' are made of node features, and the graph has none. "
                    f"Leave channels out of {self.caller}."
                )
            if self.features == "both":
                raise InputError(
                    f"{self.caller}(features='both') needs node features beside the structure, and the graph has none. "
                    "Use features='auto'."
                )

    def needs(self, *, with_output: bool) -> frozenset[str]:
        """What an engine must serve beyond the contract's calls."""
        asked = {"max": self.aggregation == "max", "output": with_output}
        return self.solver.needs() | {need for need, is_asked in asked.items() if is_asked}

    def n_pairs(self, n_nodes: int) -> int:
        """Pairs that the negative graph will list, about."""
        return self.negatives.n_pairs(n_nodes) + (0 if self.apart is None else len(self.apart))

    def dimension_for(self, n_features: int) -> int | None:
        """The columns of the embedding; None leaves them to a solver that chooses them."""
        if self.dimension is None and not self.solver.chooses_dimension:
            return self.solver.most_columns(n_features, self.n_levels or 1)
        return self.dimension

    def with_dimension(self, dimension: int) -> Settings:
        """These settings with another number of columns."""
        return replace(self, dimension=dimension, parameters={**self.parameters, "dimension": dimension})

    def say_dimension(self, n_features: int, n_columns: int) -> list[str]:
        """A warning, also as a note, where more columns were requested than the features fill.

        A solver that chooses the dimension returns the columns that are filled. Others return what was requested, and a
        linear map of f features has columns that follow from f of them.
        """
        if self.dimension is None:
            return []
        n_useful = n_columns if self.solver.chooses_dimension else n_features
        if self.aggregation == "concat" and not self.solver.chooses_dimension:
            n_useful *= self.n_levels or 1
        if self.dimension <= n_useful:
            return []
        asked, remedy = f"{self.caller}(dimension={self.dimension})", "dimension='auto' takes what is useful."
        if self.solver.chooses_dimension:
            message = (
                f"{asked} requests more columns than this graph fills: its embedding has {n_columns:,}, and any more would "
                f"be zero. {remedy}"
            )
        else:
            message = (
                f"{asked} requests more columns than {n_features:,} features fill: of the embedding's {n_columns:,} columns "
                f"{n_useful:,} determine the others. {remedy}"
            )
        warnings.warn(message, DimensionWarning, stacklevel=5)
        return [message]


def check_dimension(caller: str, dimension: object) -> int | None:
    if dimension == "auto":
        return None
    if isinstance(dimension, str):
        raise parameter_error(caller, "dimension", "'auto' or an integer of at least 1", dimension)
    return check_integer(caller, "dimension", dimension, 1)


def check_aggregation(caller: str, solver: Solver, aggregation: Aggregation) -> None:
    if aggregation not in solver.aggregations:
        can = " or ".join(repr(word) for word in solver.aggregations)
        raise InputError(
            f"{caller}(solver={solver!r}) joins the levels by {can}. Got aggregation={aggregation!r}. "
            "Use solver='adam' for it."
        )
