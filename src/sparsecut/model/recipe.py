"""What is done to the features before anything is learned, and how "auto" chooses it without labels.

- The weighting follows from what the numbers are. Signed numbers are measurements and stay as they are. Counts and marks are
  words on a page: tf-idf. Other amounts are weighted already: l2. Both make every row as long as any other, which is right
  unless the length itself belongs to the place in the graph: where a node's length is told by its neighbours', it stays.
  It stays too where rows of one length say nothing, no half of the columns anything of the other, and rows as they come do.
- The filter is personalised PageRank. Its restart says how much of a node's own row is kept, and how little of its
  neighbourhood is added. Edges that are held out tell how much is right (`sparsecut.model.filter_choice`).
- The channels, own row and smoothed, follow from whether neighbours carry what a row carries
  (`sparsecut.model.channel_choice`).
- The sharpness follows from the spectrum (`sparsecut.model.sharpened`): one effective rank for every graph.

Each choice is a sentence in `reasons`, which `explain` shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.arrays.streaming import value_blocks
from sparsecut.engines.contract import Engine
from sparsecut.features import walked
from sparsecut.features.on_device import values_of
from sparsecut.features.weighting import Weighting, learn_weighting, row_lengths
from sparsecut.graph import Graph
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.model.channel_choice import choose_channels
from sparsecut.model.channels import channel_filter, describe
from sparsecut.model.filter_choice import choose_filter
from sparsecut.operators.aggregation import Aggregation
from sparsecut.operators.filters import Filter, PageRank, Power

LENGTH_AGREEMENT = (
    0.35  # correlation of a row's length with its neighbours'; below it a row's length says nothing of its place
)

MIN_LENGTHS, MIN_DEVIATION = 3, 1e-3  # of the logs of lengths: fewer, or more alike, correlate by chance


@dataclass(frozen=True)
class Recipe:
    """Weighting, the filter of each level and the aggregation over them, nothing left to choose.

    The levels of `SCE` are channels, with a weight for each.
    """

    weighting: Weighting
    filters: tuple[Filter, ...]
    aggregation: Aggregation
    channels: dict[str, float] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)

    @property
    def polynomials(self) -> tuple[Polynomial, ...]:
        return tuple(filter.coefficients() for filter in self.filters)

    @property
    def loaded(self) -> Filter:
        """The filter whose matrix the features are loaded for."""
        return loaded_filter(self.filters, tuple(self.channels))

    def to_header(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What JSON can hold of it, and the arrays."""
        arrays = {} if self.weighting.columns is None else {"recipe.columns": self.weighting.columns}
        filters = []
        for level, filter in enumerate(self.filters):
            header, held = filter.to_header()
            filters.append(header)
            arrays |= {f"recipe.{level}.{name}": array for name, array in held.items()}
        header = {"weighting": self.weighting.name, "filters": filters, "channels": self.channels}
        return {**header, "aggregation": self.aggregation, "reasons": self.reasons}, arrays


def read_recipe(header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Recipe:
    """What `to_header` wrote."""
    filters = []
    for level, filter in enumerate(header["filters"]):
        start = f"recipe.{level}."
        held = {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}
        filters.append(Filter.read(filter, held))
    weighting = Weighting(header["weighting"], arrays.get("recipe.columns"))
    return Recipe(weighting, tuple(filters), header["aggregation"], header["channels"], header["reasons"])


def settle(
    graph: Graph,
    engine: Engine[Any],
    *,
    weighting: str,
    filter: Filter | None,
    channels: Mapping[str, float] | None,
    dimension: int | None,
    n_levels: int | None,
    aggregation: Aggregation,
    chooses_from_graph: bool,
    is_structure: bool,
    caller: str,
    notes: list[str],
) -> tuple[Recipe, Any]:
    """The recipe as asked for, "auto" chosen, and the features loaded by it.

    `weighting` "auto", `filter` None and, with it, `channels` None are chosen from the graph, or are the paper's where the
    solver does not choose from it. Structure in place of features comes weighted, sharpened and with a length. What the
    trial of filters has to say against the features is added to `notes`.
    """
    reasons = []
    is_weighting_chosen = weighting == "auto" and chooses_from_graph and not is_structure
    if weighting == "auto":
        weighting, why = choose_weighting(graph) if chooses_from_graph else ("none", "the paper's")
        if is_structure:
            weighting, why = "none", "structure comes weighted"
        reasons.append(f"weighting {weighting}: {why}.")
    asked, is_chosen = "as asked for", False
    if filter is None:
        is_chosen = chooses_from_graph and n_levels is None and not is_structure
        filter, asked = (PageRank() if is_chosen else Power()), "the paper's"
    names = ("smoothed",) if channels is None else tuple(channels)
    loaded = loaded_filter([channel_filter(name, filter) for name in names], names)
    learned = learn_weighting(
        weighting, graph.features if graph.feature_tensor is None else graph.feature_tensor, graph.walk
    )
    rows = engine.load(graph, learned, loaded)
    if n_levels is not None:
        filters = filter.at_levels(n_levels, caller)
        reasons.append(f"filter {filters[-1].describe()} at the last level: {asked}.")
        return Recipe(learned, filters, aggregation, reasons=reasons), rows
    found = choose_channels(graph, rows, learned, engine) if channels is None and is_chosen else None
    if found is not None and found.is_blind and is_weighting_chosen and weighting != "none":
        given = Weighting("none")
        given_rows = engine.load(graph, given, loaded)
        again = choose_channels(graph, given_rows, given, engine)
        if not again.is_blind:
            learned, rows, found = given, given_rows, again
            reasons[-1] = (
                "weighting none: no half of the columns tells anything of the other in rows of one length, and in the rows "
                "as they come it does, so their length is kept."
            )
    doubt = None
    if channels is None or "smoothed" in channels:
        chosen = choose_filter(graph, rows, filter, engine)
        filter, doubt, asked = chosen.filter, chosen.doubt, chosen.why or asked
    why = "as asked for"
    if found is not None:
        channels, why = found.weights, found.why
        if dimension is not None and dimension < len(channels):  # a column cannot be shared: the heaviest have it
            channels = dict.fromkeys(sorted(channels, key=channels.__getitem__)[-dimension:], 1.0)
    channels = {"smoothed": 1.0} if channels is None else dict(channels)
    if doubt is not None:
        kept = "Here they are kept as they are" if "own" in channels else "channels='own' takes them as they are"
        notes.append(f"{doubt} {kept}, for averaging them over neighbours may lose more than it gains.")
    if "smoothed" in channels:
        reasons.append(f"filter {filter.describe()}: {asked}.")
    if len(channels) > 1 or "smoothed" not in channels:
        reasons.append(f"channels {describe(channels)}: {why}.")
    elif is_chosen:
        reasons.append(f"one channel, smoothed: {why}.")
    filters = tuple(channel_filter(name, filter) for name in channels)
    return Recipe(learned, filters, "mean" if len(channels) == 1 else "concat", channels, reasons), rows


def loaded_filter(filters: Sequence[Filter], names: Sequence[str]) -> Filter:
    """Of the filters of some channels the model's own, or the first that takes a hop."""
    if "smoothed" in names:
        return filters[list(names).index("smoothed")]
    return next((filter for filter in filters if len(filter.coefficients()) > 1), filters[0])


def choose_weighting(graph: Graph) -> tuple[str, str]:
    """The weighting for a graph's features, and why."""
    seen = None if graph.walk is None else walked.look_at_values(graph.walk)
    has_signs = _has_signs(graph) if seen is None else seen[0]
    if has_signs:
        return "none", "the features have signs, so they are measurements and stay as they are"
    shared = _length_agreement(graph)
    if shared >= LENGTH_AGREEMENT:
        return "none", f"the length of a row goes with its neighbours' (correlation {shared:.2f}), so it is kept"
    alone = f"the length of a row does not go with its neighbours' (correlation {shared:.2f})"
    are_whole = all(bool((values % 1 == 0).all()) for values in _values(graph)) if seen is None else seen[1]
    if are_whole:
        return "tf-idf", f"the features are counts or marks, and {alone}"
    return "l2", f"the features are amounts, weighted already, and {alone}"


def _values(graph: Graph) -> Iterator[Any]:
    """The stored numbers of the features in blocks, where they lie."""
    return value_blocks(graph.features) if graph.feature_tensor is None else values_of(graph.feature_tensor)


def _has_signs(graph: Graph) -> bool:
    """Whether a number is below zero, or there is none at all."""
    blocks = (values for values in _values(graph) if 0 not in values.shape)
    first = next(blocks, None)
    return first is None or float(first.min()) < 0 or any(float(values.min()) < 0 for values in blocks)


def _length_agreement(graph: Graph) -> float:
    """The correlation of the log of a row's length with its mean over the neighbours."""
    if graph.walk is not None:
        n_nodes, deviation, correlation = walked.length_agreement(graph.walk)
        return 0.0 if n_nodes < MIN_LENGTHS or deviation < MIN_DEVIATION else correlation
    lengths = row_lengths(graph.features if graph.feature_tensor is None else graph.feature_tensor)
    logs = np.log(np.maximum(lengths, 1e-3 * max(float(lengths.max()), 1e-30)))
    degrees, sums = graph.degrees, graph.neighbour_sums(logs)
    around = np.divide(sums, degrees, out=np.zeros_like(logs), where=degrees > 0)
    own, around = logs[degrees > 0], around[degrees > 0]
    # Lengths that differ by rounding alone say nothing, however they correlate.
    if len(own) < MIN_LENGTHS or own.std() < MIN_DEVIATION or around.std() == 0:
        return 0.0
    return float(np.corrcoef(own, around)[0, 1])
