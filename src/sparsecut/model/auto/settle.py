"""What is done to the features before anything is learned, and how "auto" chooses it without labels.

- The weighting follows from what the numbers are. Signed numbers are measurements and stay as they are. Counts and marks are
  words on a page: tf-idf. Other amounts are weighted already: l2. Both make every row as long as any other, which is right
  unless the length itself belongs to the place in the graph: where a node's length is told by its neighbours', it stays.
  It stays too where rows of one length say nothing, no half of the columns anything of the other, and rows as they come do.
- The filter is personalised PageRank. Its restart says how much of a node's own row is kept, and how little of its
  neighbourhood is added. Edges that are held out tell how much is right (`sparsecut.model.auto.filter_choice`).
- The channels, own row and smoothed, follow from whether neighbours carry what a row carries
  (`sparsecut.model.auto.channel_choice`).
- The sharpness follows from the spectrum (`sparsecut.operators.sharpened`): one effective rank for every graph.

Each choice is a sentence in `reasons`, which `explain` shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sparsecut.engines.contract import Engine
from sparsecut.features.weighting import Weighting, learn_weighting
from sparsecut.graph import Graph
from sparsecut.model.auto.channel_choice import choose_channels
from sparsecut.model.auto.constants import CONSTANTS, Constants
from sparsecut.model.auto.filter_choice import choose_filter
from sparsecut.model.auto.weighting_choice import choose_weighting
from sparsecut.model.channels import channel_filter, describe
from sparsecut.operators.aggregation import Aggregation
from sparsecut.operators.filters import Filter, PageRank, Power
from sparsecut.operators.recipe import Recipe, loaded_filter


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
    constants: Constants = CONSTANTS,
) -> tuple[Recipe, Any]:
    """The recipe as asked for, "auto" chosen, and the features loaded by it.

    `weighting` "auto", `filter` None and, with it, `channels` None are chosen from the graph, or are the paper's where the
    solver does not choose from it. Structure in place of features comes weighted, sharpened and with a length. What the
    trial of filters has to say against the features is added to `notes`.
    """
    reasons = []
    is_weighting_chosen = weighting == "auto" and chooses_from_graph and not is_structure
    if weighting == "auto":
        weighting, why = choose_weighting(graph, constants.weighting) if chooses_from_graph else ("none", "the paper's")
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
    found = choose_channels(graph, rows, learned, engine, constants) if channels is None and is_chosen else None
    if found is not None and found.is_blind and is_weighting_chosen and weighting != "none":
        given = Weighting("none")
        given_rows = engine.load(graph, given, loaded)
        again = choose_channels(graph, given_rows, given, engine, constants)
        if not again.is_blind:
            learned, rows, found = given, given_rows, again
            reasons[-1] = (
                "weighting none: no half of the columns tells anything of the other in rows of one length, and in the rows "
                "as they come it does, so their length is kept."
            )
    doubt = None
    if channels is None or "smoothed" in channels:
        chosen = choose_filter(graph, rows, filter, engine, constants)
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
