"""What is done to the features before anything is learned, and how "auto" chooses it without labels.

- The weighting follows from what the numbers are. Signed numbers are measurements and stay as they are. Counts and marks are
  words on a page: tf-idf. Other amounts are weighted already: l2. Both make every row as long as any other, which is right
  unless the length itself belongs to the place in the graph: where a node's length goes with its neighbours', it
  stays. It stays too where half of the columns predicts the other half in rows as they are, and not in rows of one length.
- The filter is personalised PageRank. Its restart says how much of a node's own row is kept, and how little of its
  neighbourhood is added. Edges that are held out choose it (`sparsecut.model.auto.filter_choice`).
- The channels, own row and smoothed, follow from whether neighbours carry what a row carries
  (`sparsecut.model.auto.channel_choice`). The place in the graph and the counts around a node stand beside them.
- The sharpness follows from the spectrum (`sparsecut.operators.sharpened`): one effective rank for every graph.

Each choice is a `Reason` in the recipe; `sparsecut.model.explanation` puts them into words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sparsecut.engines.contract import Engine
from sparsecut.features.weighting import Weighting, learn_weighting, learn_weighting_by_type
from sparsecut.graph import Graph
from sparsecut.kernels.hashing import node_hashes
from sparsecut.model import explanation
from sparsecut.model.auto.channel_choice import choose_channels
from sparsecut.model.auto.filter_choice import choose_filter
from sparsecut.model.auto.graph_channels import weigh_graph_channels
from sparsecut.model.auto.weighting_choice import choose_weighting, choose_weighting_by_type
from sparsecut.model.channels import channel_filter, describe, with_hops
from sparsecut.model.graph_columns import NONE, GraphColumns
from sparsecut.model.settings import Settings
from sparsecut.operators.filters import PageRank, Power
from sparsecut.operators.reason import Reason
from sparsecut.operators.recipe import Recipe, loaded_filter, source_of

PAPERS_WEIGHTING = Reason("weighting", "none", "paper")


def settle(
    settings: Settings, graph: Graph, engine: Engine[Any], columns: GraphColumns, *, notes: list[str]
) -> tuple[Recipe, dict[str, Any]]:
    """The recipe as requested, "auto" chosen, and the rows that were loaded for it, by their source.

    Weighting, filter and, with it, channels that were left to "auto" are chosen from the graph, or are the paper's where the
    solver does not choose from it. What the graph brings by itself comes with a scale of its own. Evidence of the trial of
    filters against the features is added to `notes`.
    """
    if not settings.embeds_features(graph):
        return _settle_graph(settings, columns), {}
    weighting, filter, channels = settings.weighting, settings.filter, settings.channels
    n_levels, constants, chooses_from_graph = settings.n_levels, settings.constants, settings.solver.chooses_from_graph
    reasons: list[Reason | str] = []
    column_types: Any = getattr(graph.encoder, "column_types", None)  # of a graph whose types have columns of their own
    is_by_type = weighting in ("auto", "by type") and chooses_from_graph and column_types is not None
    is_weighting_chosen = weighting == "auto" and chooses_from_graph and not is_by_type
    if is_by_type:
        assert graph.node_types is not None
        words, weighed = choose_weighting_by_type(engine, column_types, graph.node_types)
        reasons.append(weighed)
    elif weighting == "auto":
        weighed = PAPERS_WEIGHTING
        if is_weighting_chosen:
            weighed = choose_weighting(engine, constants.weighting, constants.weighting_cost)
        weighting = weighed.chosen
        reasons.append(weighed)
    because, is_chosen = "requested", False
    if filter is None:
        is_chosen = chooses_from_graph and n_levels is None
        filter, because = (PageRank() if is_chosen else Power()), "paper"
    names = ("smoothed",) if channels is None else tuple(channels)
    loaded = loaded_filter([channel_filter(name, filter) for name in names], names)
    learned = learn_weighting_by_type(words, column_types, engine) if is_by_type else learn_weighting(weighting, engine)
    rows = {"features": engine.load(graph, learned, loaded)}
    if n_levels is not None:
        filters = filter.at_levels(n_levels, settings.caller)
        figures = {"levels": n_levels, "hops": filters[-1].n_hops}
        reasons.append(Reason("filter", filters[-1].describe(), because, figures))
        recipe = Recipe(learned, filters, settings.aggregation, reasons=reasons)
        return _beside_structure(settings, recipe) if settings.features == "both" else recipe, rows
    is_sampled = channels is None and is_chosen
    hashes = node_hashes(engine) if is_sampled else None  # held until all samples are drawn
    found = choose_channels(graph, rows["features"], learned, engine, constants) if is_sampled else None
    if found is not None and found.is_blind and is_weighting_chosen and weighting != "none":
        given = Weighting("none")
        given_rows = engine.load(graph, given, loaded)
        again = choose_channels(graph, given_rows, given, engine, constants)
        if not again.is_blind:
            learned, rows["features"], found = given, given_rows, again
            reasons[-1] = Reason("weighting", "none", "informative lengths")
    trial = doubt = None
    if channels is None or "smoothed" in channels:
        chosen = choose_filter(graph, rows["features"], filter, engine, constants)
        filter, trial, doubt = chosen.filter, chosen.trial, chosen.doubt
    del hashes
    reason = None if found is None else found.reason
    if found is not None:
        channels = found.weights
    channels = {"smoothed": 1.0} if channels is None else dict(channels)
    if doubt is not None:
        notes.append(explanation.say_doubt(doubt, is_own_kept="own" in channels))
    if "smoothed" in channels:
        reasons.append(Reason("filter", filter.describe(), because, {"hops": filter.n_hops}))
        reasons.extend(() if trial is None else (trial,))
    if reason is None and channels != {"smoothed": 1.0}:
        reason = Reason("channels", describe(channels), "requested")
    own, weighed_by = dict(channels), None
    if settings.channels is None and columns.sources:
        is_typed = graph.relations is not None
        weights, weighed_by = _weigh(columns, channels, trial, settings, is_doubted=doubt is not None, is_typed=is_typed)
        channels |= weights
    if _is_narrow(settings, channels):
        channels, weighed_by = _heaviest(channels, settings.dimension), None
        if channels != own:
            reason = Reason("channels", describe(channels), "few columns", {"dimension": settings.dimension or 0})
    reasons.extend(found for found in (reason, weighed_by) if found is not None)
    channels = with_hops(channels)
    kind = {"has_sides": columns.has_sides, "is_either_way": columns.is_either_way}
    filters = tuple(channel_filter(name, filter, **kind) for name in channels)
    return Recipe(learned, filters, "mean" if len(channels) == 1 else "concat", channels, reasons), rows


def _settle_graph(settings: Settings, columns: GraphColumns) -> Recipe:
    """The recipe of a graph that is embedded without features: structure goes through the filter."""
    filter, because = (Power(), "structure") if settings.filter is None else (settings.filter.usual(), "requested")
    reasons: list[Reason | str] = [Reason("weighting", "none", "structure")]
    if settings.n_levels is not None:
        filters = filter.at_levels(settings.n_levels, settings.caller)
        figures = {"levels": settings.n_levels, "hops": filters[-1].n_hops}
        reasons.append(Reason("filter", filters[-1].describe(), because, figures))
        return Recipe(NONE, filters, settings.aggregation, {"structure": 1.0}, reasons)
    if settings.filter is None:
        filter = channel_filter("structure", filter, has_sides=columns.has_sides, is_either_way=columns.is_either_way)
    reasons.append(Reason("filter", filter.describe(), because, {"hops": filter.n_hops}))
    if settings.channels is not None:
        channels = dict(settings.channels)
    else:
        channels, weighed_by = _weigh(columns, {}, None, settings)
        reasons.append(weighed_by)
    if _is_narrow(settings, channels):
        channels = _heaviest(channels, settings.dimension)
    channels = with_hops(channels)
    filters = tuple(filter if name == "structure" else channel_filter(name, filter) for name in channels)
    return Recipe(NONE, filters, "mean" if len(channels) == 1 else "concat", channels, reasons)


def _is_narrow(settings: Settings, channels: Mapping[str, float]) -> bool:
    """Whether the requested dimension is too small for all channels; those that were requested need a column each."""
    if settings.dimension is None:
        return False
    is_chosen = settings.channels is None and any(source_of(name) != "features" for name in channels)
    each = settings.constants.graph_channels.columns_each if is_chosen else 1
    return settings.dimension < each * len(with_hops(channels))


def _weigh(
    columns: GraphColumns,
    channels: Mapping[str, float],
    trial: Reason | None,
    settings: Settings,
    *,
    is_doubted: bool = False,
    is_typed: bool = False,
) -> tuple[dict[str, float], Reason]:
    """The weights of what the graph brings by itself beside those of the features' channels, and why."""
    n_counts = 0 if columns.roles is None else len(columns.roles.kind.counts)
    constants, with_structure = settings.constants, columns.places is not None
    rule = constants.graph_channels
    if is_typed:  # the trial compares nodes of two types; structure knows of all relations
        rule, trial = replace(rule, unmeasured_structure=constants.relations.structure), None
    is_signed = columns.roles is not None and columns.roles.kind.is_signed
    known: dict[str, bool] = {"with_structure": with_structure, "is_doubted": is_doubted, "is_signed": is_signed}
    return weigh_graph_channels(channels, trial, n_counts, rule, **known)


def _beside_structure(settings: Settings, recipe: Recipe) -> Recipe:
    """The recipe of several levels with those of structure beside them."""
    assert settings.n_levels is not None
    weight = settings.constants.graph_channels.unmeasured_structure
    return replace(
        recipe,
        filters=(*recipe.filters, *Power().at_levels(settings.n_levels, settings.caller)),
        channels={"features": 1.0, "structure": weight},
        aggregation="mean",
        reasons=[*recipe.reasons, Reason("channels", describe({"features": 1.0, "structure": weight}), "requested")],
    )


def _heaviest(channels: dict[str, float], dimension: int | None) -> dict[str, float]:
    """The channels that have columns enough, for a column cannot be shared: those of the graph alone go first."""
    assert dimension is not None
    kept = {name: weight for name, weight in channels.items() if source_of(name) == "features"} or {"structure": 1.0}
    if dimension < len(kept):
        kept = dict.fromkeys(sorted(kept, key=kept.__getitem__)[-dimension:], 1.0)
    return kept
