"""What is done to the features before anything is learned: the weighting, the filter of each level, the aggregation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from sparsecut.features.weighting import Weighting
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.operators.aggregation import Aggregation
from sparsecut.operators.filters import Filter
from sparsecut.operators.reason import Reason, read_reasons, to_header

OF_GRAPH = ("structure", "roles")  # channels that are made of the graph alone


@dataclass(frozen=True)
class Recipe:
    """Weighting, the filter of each level and the aggregation over them, nothing left to choose.

    The levels of `SCE` are channels, with a weight for each.
    """

    weighting: Weighting
    filters: tuple[Filter, ...]
    aggregation: Aggregation
    channels: dict[str, float] = field(default_factory=dict)
    reasons: list[Reason | str] = field(default_factory=list)

    @property
    def polynomials(self) -> tuple[Polynomial, ...]:
        return tuple(filter.coefficients() for filter in self.filters)

    @property
    def sources(self) -> tuple[str, ...]:
        """What the columns of each level are: "features", "structure" or "roles"."""
        names = tuple(self.channels) or ("features",)
        n_levels = len(self.filters) // len(names)
        return tuple(source_of(name) for name in names for _ in range(n_levels))

    @property
    def loaded(self) -> Filter:
        """The filter whose matrix the features are loaded for."""
        return loaded_filter(self.filters, tuple(self.channels))

    def to_header(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What JSON can hold of it, and the arrays."""
        arrays: dict[str, NDArray[Any]] = {f"recipe.{name}": array for name, array in self.weighting.arrays.items()}
        filters = []
        for level, filter in enumerate(self.filters):
            header, held = filter.to_header()
            filters.append(header)
            arrays |= {f"recipe.{level}.{name}": array for name, array in held.items()}
        header = {"weighting": self.weighting.name, "filters": filters, "channels": self.channels}
        return {**header, "aggregation": self.aggregation, "reasons": to_header(self.reasons)}, arrays


def read_recipe(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Recipe:
    """What `to_header` wrote."""
    filters = []
    for level, filter in enumerate(header["filters"]):
        start = f"recipe.{level}."
        held = {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}
        filters.append(Filter.read(filter, held))
    learned = {name: arrays.get(f"recipe.{name}") for name in ("columns", "normalised", "scale")}
    weighting = Weighting(header["weighting"], **learned)
    return Recipe(weighting, tuple(filters), header["aggregation"], header["channels"], read_reasons(header["reasons"]))


def source_of(channel: str) -> str:
    """What a channel's columns are: "structure", "roles", or the node features."""
    source = channel.partition("_")[0]
    return source if source in OF_GRAPH else "features"


def loaded_filter(filters: Sequence[Filter], names: Sequence[str]) -> Filter:
    """The filter of the channel "smoothed" where there is one, else the first of the features' that takes a hop."""
    if "smoothed" in names:
        return filters[list(names).index("smoothed")]
    if len(names) == len(filters):
        own = [filter for filter, name in zip(filters, names, strict=True) if source_of(name) == "features"]
        filters = own or filters
    return next((filter for filter in filters if len(filter.coefficients()) > 1), filters[0])
