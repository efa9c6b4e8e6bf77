"""What is done to the features before anything is learned, and how "auto" chooses it without labels.

- The weighting follows from what the numbers are. Signed numbers are measurements and stay as they are. Counts and marks are
  words on a page: tf-idf. Other amounts are weighted already: l2. Both make every row as long as any other, which is right
  unless the length itself belongs to the place in the graph: where a node's length goes with its neighbours', it
  stays. It stays too where half of the columns predicts the other half in rows as they are, and not in rows of one length.
- The filter is personalised PageRank. Its restart says how much of a node's own row is kept, and how little of its
  neighbourhood is added. Edges that are held out choose it (`sparsecut.model.auto.filter_choice`).
- The channels, own row and smoothed, follow from whether neighbours carry what a row carries
  (`sparsecut.model.auto.channel_choice`).
- The sharpness follows from the spectrum (`sparsecut.operators.sharpened`): one effective rank for every graph.

Each choice is a `Reason` in the recipe; `sparsecut.model.explanation` puts them into words.
"""

from __future__ import annotations

from typing import Any

from sparsecut.engines.contract import Engine
from sparsecut.engines.in_process import InProcess
from sparsecut.features.weighting import Weighting, learn_weighting
from sparsecut.graph import Graph
from sparsecut.model import explanation
from sparsecut.model.auto.channel_choice import choose_channels
from sparsecut.model.auto.filter_choice import choose_filter
from sparsecut.model.auto.weighting_choice import choose_weighting
from sparsecut.model.channels import channel_filter, describe
from sparsecut.model.settings import Settings
from sparsecut.operators.filters import PageRank, Power
from sparsecut.operators.reason import Reason
from sparsecut.operators.recipe import Recipe, loaded_filter


def settle(
    settings: Settings, graph: Graph, engine: Engine[Any], *, is_structure: bool, notes: list[str]
) -> tuple[Recipe, Any]:
    """The recipe as requested, "auto" chosen, and the features loaded by it.

    Weighting, filter and, with it, channels that were left to "auto" are chosen from the graph, or are the paper's where the
    solver does not choose from it. Structure in place of features comes weighted, sharpened and with a length. Evidence
    of the trial of filters against the features is added to `notes`.
    """
    weighting, filter, channels, dimension = settings.weighting, settings.filter, settings.channels, settings.dimension
    n_levels, constants, chooses_from_graph = settings.n_levels, settings.constants, settings.solver.chooses_from_graph
    reasons: list[Reason | str] = []
    is_weighting_chosen = weighting == "auto" and chooses_from_graph and not is_structure
    if weighting == "auto":
        if is_weighting_chosen:
            weighed = choose_weighting(engine, constants.weighting)
        else:
            weighed = Reason("weighting", "none", "structure" if is_structure else "paper")
        weighting = weighed.chosen
        reasons.append(weighed)
    because, is_chosen = "structure" if is_structure else "requested", False
    if filter is None:
        is_chosen = chooses_from_graph and n_levels is None and not is_structure
        filter, because = (PageRank() if is_chosen else Power()), "structure" if is_structure else "paper"
    names = ("smoothed",) if channels is None else tuple(channels)
    loaded = loaded_filter([channel_filter(name, filter) for name in names], names)
    learned = learn_weighting(weighting, InProcess(graph) if is_structure else engine)
    rows = engine.load(graph, learned, loaded)
    if n_levels is not None:
        filters = filter.at_levels(n_levels, settings.caller)
        figures = {"levels": n_levels, "hops": filters[-1].n_hops}
        reasons.append(Reason("filter", filters[-1].describe(), because, figures))
        return Recipe(learned, filters, settings.aggregation, reasons=reasons), rows
    found = choose_channels(graph, rows, learned, engine, constants) if channels is None and is_chosen else None
    if found is not None and found.is_blind and is_weighting_chosen and weighting != "none":
        given = Weighting("none")
        given_rows = engine.load(graph, given, loaded)
        again = choose_channels(graph, given_rows, given, engine, constants)
        if not again.is_blind:
            learned, rows, found = given, given_rows, again
            reasons[-1] = Reason("weighting", "none", "informative lengths")
    trial = doubt = None
    if channels is None or "smoothed" in channels:
        chosen = choose_filter(graph, rows, filter, engine, constants)
        filter, trial, doubt = chosen.filter, chosen.trial, chosen.doubt
    reason = None if found is None else found.reason
    if found is not None:
        channels = found.weights
        if dimension is not None and dimension < len(channels):  # a column cannot be shared: the heaviest have it
            channels = dict.fromkeys(sorted(channels, key=channels.__getitem__)[-dimension:], 1.0)
            reason = Reason("channels", describe(channels), "few columns", {"dimension": dimension})
    channels = {"smoothed": 1.0} if channels is None else dict(channels)
    if doubt is not None:
        notes.append(explanation.say_doubt(doubt, is_own_kept="own" in channels))
    if "smoothed" in channels:
        reasons.append(Reason("filter", filter.describe(), because, {"hops": filter.n_hops}))
        reasons.extend(() if trial is None else (trial,))
    if reason is None and channels != {"smoothed": 1.0}:
        reason = Reason("channels", describe(channels), "requested")
    reasons.extend(() if reason is None else (reason,))
    filters = tuple(channel_filter(name, filter) for name in channels)
    return Recipe(learned, filters, "mean" if len(channels) == 1 else "concat", channels, reasons), rows
