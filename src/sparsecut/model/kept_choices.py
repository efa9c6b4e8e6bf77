"""The settings of a fit that chooses nothing: what an earlier fit has chosen from its graph is taken as requested.

    weighting, filter (with its restart), channels and their weights, the number of columns

Everything that is learned from the nodes themselves (scales, idf, places, means, the spectrum, the weights) is learned
again. The reasons of such a fit have no figures of the earlier graph: they say that the choice was kept.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from sparsecut.features.weighting import Weighting
from sparsecut.model.settings import Settings
from sparsecut.operators.reason import KEPT, Reason
from sparsecut.operators.recipe import Recipe, source_of

TOPICS = ("weighting", "filter", "channels", "graph channels", "dimension")
NOT_CHOSEN = ("requested", "paper", "structure")  # grounds that hold as they did


def with_choices(settings: Settings, recipe: Recipe, n_columns: int) -> Settings:
    """The settings with what a fit by them has chosen: `recipe`, and so many columns."""
    if not settings.solver.chooses_from_graph:
        return settings  # the paper's training, which chooses nothing
    chosen = replace(settings, n_columns=n_columns)
    if "features" in recipe.sources:
        chosen = replace(chosen, weighting=recipe.weighting.name)
    if settings.n_levels is not None:
        return chosen
    if "smoothed" in recipe.channels:
        chosen = replace(chosen, filter=recipe.filters[list(recipe.channels).index("smoothed")])
    return replace(chosen, channels=_requested(recipe.channels), features="auto")


def choices_of(recipe: Recipe) -> Recipe:
    """What a recipe has of choices alone: nothing that was learned from the nodes, and no figure of them."""
    return replace(recipe, weighting=Weighting(recipe.weighting.name), reasons=_kept(recipe.reasons))


def keep_reasons(fitted: Recipe, before: Sequence[Reason | str]) -> Recipe:
    """The recipe of such a fit with reasons for what was kept; what was requested, or is the paper's, stays so."""
    found = [reason for reason in fitted.reasons if not isinstance(reason, Reason) or reason.topic not in TOPICS]
    return replace(fitted, reasons=[*_kept(before), *(reason for reason in found if not _is_trial(reason))])


def _kept(before: Sequence[Reason | str]) -> list[Reason | str]:
    earlier = {reason.topic: reason for reason in before if isinstance(reason, Reason) and not reason.channel}
    reasons: list[Reason | str] = []
    for topic in TOPICS:
        reason = earlier.get(topic)
        if reason is None:
            continue
        figures = {name: reason.figures[name] for name in ("hops", "levels") if name in reason.figures}
        is_chosen = reason.because not in NOT_CHOSEN or (topic == "filter" and "trial" in earlier)
        reasons.append(Reason(topic, reason.chosen, KEPT if is_chosen else reason.because, figures))
    return reasons


def _is_trial(reason: Reason | str) -> bool:
    return isinstance(reason, Reason) and reason.topic == "trial"


def _requested(channels: dict[str, float]) -> dict[str, float]:
    """The channels as a user names them: roles are one, of which a recipe has three."""
    named = {name: weight for name, weight in channels.items() if source_of(name) != "roles"}
    if "roles" in channels:
        named["roles"] = channels["roles"] * math.sqrt(3)
    return named
