"""The settings of a fit: the parameters of an estimator, checked, with an object in place of every word."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from sparsecut.base.errors import DimensionWarning, InputError, check_integer, parameter_error
from sparsecut.engines import EngineChoice
from sparsecut.graph import Graph
from sparsecut.model.auto.constants import CONSTANTS, Constants
from sparsecut.model.channels import refuse_several
from sparsecut.model.solver import Solver
from sparsecut.operators.aggregation import Aggregation
from sparsecut.operators.filters import Filter
from sparsecut.operators.negatives import Negatives


@dataclass(frozen=True)
class Settings:
    """`filter` and `channels` None, `weighting` "auto" are chosen in the fit; `n_levels` is None for channels."""

    caller: str
    dimension: int | None
    features: str
    weighting: str
    filter: Filter | None
    channels: dict[str, float] | None
    n_levels: int | None
    aggregation: Aggregation
    negatives: Negatives
    apart: Any
    solver: Solver
    engine: EngineChoice
    random_state: int | None
    parameters: Mapping[str, Any]  # as a file holds them: what the result depends on
    constants: Constants = CONSTANTS  # that "auto" goes by

    def is_structure(self, graph: Graph) -> bool:
        """Whether the graph's structure takes the place of its features."""
        return self.features == "structure" or (self.features == "auto" and not graph.has_features)

    @property
    def with_structure(self) -> bool:
        """Whether structure is a channel beside the features."""
        return self.features == "both" or (self.channels is not None and "structure" in self.channels)

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
                "name them all: channels=('own', 'smoothed', 'structure')."
            )
        several = self.with_structure or (self.channels is not None and len(self.channels) > 1)
        if several and not self.solver.chooses_from_graph:
            raise refuse_several(self.caller, self.solver)
        if self.channels is not None and set(self.channels) == {"structure"}:
            raise InputError(f"{self.caller}(channels='structure') alone is features='structure'. Use that.")
        n_parts = (0 if self.channels is None else len(self.channels)) + (self.features == "both") * 2
        if self.dimension is not None and self.dimension < n_parts:
            raise InputError(
                f"{self.caller}(dimension={self.dimension}) has no column for each of {n_parts} channels. Ask for more."
            )
        if self.with_structure and not graph.has_features:
            raise InputError(
                f"{self.caller}(features='both') needs node features beside the structure, and the graph has none. "
                "Use features='auto'."
            )
        if self.channels is not None and not graph.has_features:
            raise InputError(
                f"Channels are made of node features, and the graph has none. Leave channels out of {self.caller}."
            )

    def needs(self, graph: Graph, *, with_output: bool) -> frozenset[str]:
        """What an engine must serve beyond the contract's calls."""
        structure = self.is_structure(graph) or self.with_structure
        asked = {"structure": structure, "max": self.aggregation == "max", "output": with_output}
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
