"""What a fit chose, in words: the only place where choices become sentences.

A choice says what was chosen, the evidence in one plain number, and what to set to choose otherwise. All other figures, and
how the answer was computed, are details.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from sparsecut.model.history import History
from sparsecut.operators.reason import KEPT, Reason
from sparsecut.operators.recipe import OF_GRAPH, Recipe, source_of

PARTS = {
    "own": "each node's own features",
    "neighbors": "features averaged over two hops of neighbours",
    "difference": "differences between a node and its neighbours",
    "structure": "each node's place in the graph",
    "roles": "counts around each node (degrees, triangles)",
}
ALONE = {
    "own": "Features are embedded as they are, not averaged over neighbours",
    "neighbors": "Features are averaged over two hops of neighbours, and a node's own are not added back",
    "difference": "The difference between a node's features and its neighbours' is embedded",
}
AS_BEFORE = "as chosen by an earlier fit"
WEIGHTED = {"none": "not weighted", "l2": "scaled to one length (l2)", "tf-idf": "weighted by tf-idf"}
AS_THEY_ARE = "Set filter=sc.Power(order=0) to leave them as they are."


def say_choices(recipe: Recipe) -> list[str]:
    """One line per choice: what, why, and how to choose otherwise."""
    reasons = {reason.topic: reason for reason in recipe.reasons if isinstance(reason, Reason) and not reason.channel}
    lines = [
        _weighting(reasons.get("weighting")),
        _relations(reasons.get("relations")),
        _averaging(reasons, recipe.channels),
        _graph(reasons.get("graph channels"), recipe.channels),
        _dimension(reasons.get("dimension")),
        *(reason[:1].upper() + reason[1:] for reason in recipe.reasons if isinstance(reason, str)),
    ]
    return [line for line in lines if line]


def say_details(solver: object, recipe: Recipe, history: History) -> list[str]:
    """How the answer was computed: all figures, the route, the seconds of each stage, what the engine did."""
    lines = [f"Solver: {solver!r}."]
    lines += [line for reason in recipe.reasons if isinstance(reason, Reason) for line in _details(reason)]
    if history.reason:
        lines.append(f"Route: {history.route}, {history.reason}.")
    if history.stages:
        lines.append(f"Seconds: {', '.join(f'{name} {seconds:.2f}' for name, seconds in history.stages.items())}.")
    return lines + history.details


def say_doubt(doubt: Reason, *, is_own_kept: bool) -> str:
    """The note on features that do not go with the edges."""
    figures = doubt.figures
    own = "" if is_own_kept else ", channels='own' to leave the features as they are"
    return (
        "The features hardly go with the edges: linked nodes are about as alike as any two nodes (AUC "
        f"{figures['features']:.2f}; 0.5 is chance), and held-out edges are predicted better by the graph's structure alone "
        f"(AUC {figures['structure']:.2f}) than by the embedding ({figures['embedding']:.2f}). Averaging such features over "
        "neighbours may lose more than it gains. Set features='structure' to leave them out"
        f"{own}."
    )


def _weighting(reason: Reason | None) -> str:
    if reason is None or reason.because == "structure":
        return ""
    if reason.because == KEPT:
        return f"Features are {WEIGHTED[reason.chosen]}, {AS_BEFORE}."
    if reason.because == "types":
        return (
            f"The features of each type of nodes are weighted by what their numbers are ({reason.chosen}). Set weighting to "
            "weigh those of all types alike."
        )
    if reason.because == "signs":
        return (
            "Features are not weighted: some are negative, so they are measurements and not counts. Set weighting='l2' to "
            "scale every node's features to one length."
        )
    if reason.because == "paper":
        return "Features are not weighted, as in the paper. Set weighting='tf-idf' for counts or 'l2' for amounts."
    if reason.because == "informative lengths":
        return (
            "Features are not weighted: scaled to one length, half of the columns no longer predicts the other half. Set "
            "weighting='l2' to scale them all the same."
        )
    correlation = f"(correlation {reason.figures['correlation']:.2f})"
    if reason.because == "lengths":
        return (
            f"Features are not weighted: the length of a node's feature vector goes with its neighbours' {correlation}. Set "
            "weighting='l2' to scale every node's features to one length."
        )
    weighted = "weighted by tf-idf: they are counts, and" if reason.because == "counts" else "scaled to one length (l2):"
    return (
        f"Features are {weighted} the length of a node's feature vector does not go with its neighbours' {correlation}. Set "
        "weighting='none' to leave them as they are."
    )


def _relations(reason: Reason | None) -> str:
    """How much the types of edges weigh."""
    if reason is None or len(reason.figures) < 2:
        return ""
    weights = reason.figures
    otherwise = f"Set relations={{{next(iter(weights))!r}: 2.0}} to choose otherwise."
    if reason.because == "store":
        return "The types of edges were weighed when the store was built."
    if reason.because == "requested":
        said = ", ".join(f"{name} × {weight:g}" for name, weight in weights.items())
        return f"The types of edges weigh as requested: {said}."
    low = {name: weight for name, weight in weights.items() if weight < 1}
    if not low:
        return f"All {len(weights)} types of edges weigh the same in sum, however many edges each has. {otherwise}"
    said = ", ".join(f"{name} × {weight:g}" for name, weight in low.items())
    return (
        "Types of edges weigh the same in sum, but for those that say little or the same as others, by held-out edges and "
        f"features: {said}. {otherwise}"
    )


def _averaging(reasons: Mapping[str, Reason], weights: Mapping[str, float]) -> str:
    """Whether and how features are averaged over neighbours: the filter and the channels in one line."""
    filter, trial, channels = reasons.get("filter"), reasons.get("trial"), reasons.get("channels")
    names = [name for name in weights if source_of(name) == "features"]
    if weights and not names:
        return ""
    chosen = _chosen(filter, names, weights)
    if channels is None:
        assert filter is not None
        return f"{chosen}{_ground(filter, trial)}"
    if channels.because in ("requested", KEPT):
        return f"{chosen}, {AS_BEFORE if channels.because == KEPT else 'as requested'}."
    return f"{chosen}: {_evidence(channels, names)}. {_otherwise(names)}"


def _graph(reason: Reason | None, weights: Mapping[str, float]) -> str:
    """What the graph brings by itself: the place of each node, and counts around it. No reason: it was requested."""
    names = [name for name in OF_GRAPH if name in weights]
    if not names:
        return ""
    lengths = {name: math.sqrt(sum(weights[key] ** 2 for key in weights if source_of(key) == name)) for name in names}
    features = [weight for name, weight in weights.items() if source_of(name) == "features"]
    most = max(features or lengths.values())
    parts = [
        PARTS[name]
        + ("" if len(weights) == 1 or round(lengths[name] / most, 2) == 1 else f" at weight {lengths[name] / most:.2g}")
        for name in names
    ]
    joined = " and ".join(parts)
    if not features:
        return f"The embedding is of {joined}{', as requested.' if reason is None else ': no features are embedded.'}"
    if reason is None:
        return f"Beside the features stand {joined}, as requested."
    if reason.because == KEPT:
        return f"Beside the features stand {joined}, {AS_BEFORE}."
    auc = reason.figures.get("AUC")
    ground = "" if auc is None else f": without them held-out edges are predicted with AUC {auc:.2f} (0.5 is chance)"
    return f"Beside the features stand {joined}{ground}. Set features='given' to leave them out."


def _chosen(filter: Reason | None, names: list[str], weights: Mapping[str, float]) -> str:
    if len(names) > 1:
        most = max(weights[name] for name in names)
        parts = [
            (_smoothed(filter, "features averaged over neighbours") if name == "smoothed" else PARTS[name])
            + ("" if weights[name] == most else f" at weight {weights[name] / most:.2g}")
            for name in names
        ]
        return f"The embedding joins {', '.join(parts[:-1])} and {parts[-1]}"
    if names and names[0] in ALONE:
        return ALONE[names[0]]
    assert filter is not None
    if filter.figures["hops"] == 0:
        return "Features are embedded as they are, not averaged over neighbours"
    return _smoothed(filter, "Features are averaged over neighbours")


def _smoothed(filter: Reason | None, words: str) -> str:
    if filter is None:
        return words
    if "levels" in filter.figures:
        return f"{words} at {filter.figures['levels']} levels ({filter.chosen} at the last)"
    return f"{words} ({filter.chosen})"


def _ground(filter: Reason, trial: Reason | None) -> str:
    """Why the filter is what it is, where nothing was measured about neighbours."""
    if filter.because == KEPT:
        return f", {AS_BEFORE}."
    if trial is None:
        if filter.because == "paper":
            return f", as in the paper. {AS_THEY_ARE}" if "levels" not in filter.figures else ", as in the paper."
        return ", as requested."
    if trial.because == "few edges":
        return f": the usual setting, since {trial.figures['edges']:,} edges are too few to try several."
    return f": of the settings tried it predicts held-out edges best (AUC {trial.figures[trial.chosen]:.3f})."


def _evidence(reason: Reason, names: list[str]) -> str:
    figures = reason.figures
    if reason.because == "few columns":
        return f"dimension={figures['dimension']} has no column for more"
    if reason.because == "too few":
        ((what, count),) = figures.items()
        return f"{count:,} {what} are too few to measure whether neighbours help to predict a node's features"
    if reason.because == "neighbours alone":
        measured = f"a node's neighbours predict its features with R² {_percent(figures['R2 from neighbours'])}"
    else:
        verb = "do not help" if names == ["own"] else "help a little" if len(names) > 1 else "help"
        alone, both = figures["R2"], figures["R2 with neighbours"]
        measured = f"neighbours {verb} to predict a node's features (R² {_percent(alone)} → {_percent(both)})"
    return measured


def _percent(share: float) -> str:
    """With a digit behind the point where the share is small."""
    return (f"{share:.1%}" if 0.0005 <= share < 0.015 else f"{share:.0%}").replace("%", " %")


def _otherwise(names: list[str]) -> str:
    if len(names) > 1:
        return f"Set channels={' or channels='.join(map(repr, names))} to embed one of them alone."
    if names == ["own"]:
        return "Set channels='smoothed' to average them over neighbours."
    return AS_THEY_ARE


def _dimension(reason: Reason | None) -> str:
    if reason is None:
        return ""
    if reason.because == KEPT:
        return f"The embedding has {int(reason.chosen):,} column{'s' * (reason.chosen != '1')}, {AS_BEFORE}."
    share = f"{reason.figures['share']:.1%}".replace("%", " %")
    columns = "1 column, which holds" if reason.chosen == "1" else f"{int(reason.chosen):,} columns, which hold"
    return f"The embedding has {columns} {share} of the variance. Set dimension to choose another number."


def _details(reason: Reason) -> Iterator[str]:
    figures, of_channel = reason.figures, f" of {reason.channel}" if reason.channel else ""
    if reason.topic == "weighting":
        yield f"Weighting: {reason.chosen}{_figures(figures)}."
    elif reason.topic == "filter":
        levels = f" at the last of {figures['levels']} levels" if "levels" in figures else ""
        yield f"Filter: {reason.chosen}{levels}, a polynomial of degree {figures['hops']}."
    elif reason.topic == "trial" and reason.because == "few edges":
        yield f"{reason.chosen} is the usual filter: {figures['edges']:,} edges are too few to hold some out for a trial."
    elif reason.topic == "trial":
        tried = ", ".join(f"{auc:.3f} with {filter}" for filter, auc in figures.items())
        yield f"AUC of held-out edges against other pairs: {tried}."
    elif reason.topic == "channels":
        yield f"Channels: {reason.chosen}{_figures(figures)}."
    elif reason.topic == "graph channels":
        counts = f", {figures['counts']} counts per node" if figures.get("counts") else ""
        measured = f", AUC of held-out edges without them {figures['AUC']:.3f}" if "AUC" in figures else ""
        yield f"From the graph itself: {reason.chosen}{counts}{measured}."
    elif reason.topic == "spectrum":
        wanted = f", effective rank at most {figures['effective rank']:g}" if "effective rank" in figures else ""
        yield (
            f"Spectrum{of_channel}: sharpness {figures['sharpness']:.2f}{wanted}, {figures['columns']:,} columns, mean "
            f"vector length {figures['length']:.1f}."
        )


def _figures(figures: Mapping[str, float]) -> str:
    return "".join(f", {name.replace('R2', 'R²')} {value:g}" for name, value in figures.items())
