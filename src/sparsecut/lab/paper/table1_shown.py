"""Table 1 as the page shows it: accuracy under each probe beside the paper's, and SCE against every other in words.

Every sentence is computed from the cells. Two methods are compared split by split, each by its mean over seeds; where the
p-value of their difference is 0.05 or more the page says that the two are level.
"""

from __future__ import annotations

from collections.abc import Iterable

from sparsecut.evaluation import Comparison, compare_scores
from sparsecut.evaluation.linear_probe import PROTOCOLS
from sparsecut.evaluation.scores import CONFIDENCE, NO_PROBE
from sparsecut.lab.paper.experiments import read_experiment
from sparsecut.lab.paper.results import Results
from sparsecut.lab.paper.seeds import Summary, summarise
from sparsecut.lab.paper.shown import ALONE, NOTHING, ResultsTable, Shown, accuracy_shown, tally_verdicts
from sparsecut.lab.paper.table1_rows import COLUMNS, LABEL_COUNTS, ROWS, SUPERVISED, UNSUPERVISED, VARIANTS, published_figure

PLACES = [(dataset, count) for dataset in COLUMNS for count in LABEL_COUNTS]
NAMES = [f"{dataset}, {count}" for dataset, count in PLACES]
ABOUT_PROBES = {
    "paper": "logistic regression, C = 1, the embedding as it comes",
    "tuned": "C and standardisation chosen on each split's validation nodes",
}
SPREAD = "mean ± standard deviation over the splits ± standard deviation over the seeds, where there are several"


def tables(results: Results) -> list[ResultsTable]:
    """Accuracy by the paper's probe, by the tuned one, and SCE against the others."""
    return [_accuracy(results), _tuned(results), _against(results)]


def _accuracy(results: Results) -> ResultsTable:
    rows = [
        (method, [_cell(results, method, place, NO_PROBE if method in SUPERVISED else "paper") for place in PLACES])
        for method in ROWS
    ]
    return ResultsTable(
        "Table 1: accuracy",
        "Accuracy in percent on the random splits published with the paper, with 5 and 20 labels per class: "
        f"{SPREAD}. {', '.join(SUPERVISED)} predict the labels themselves and are fitted anew on every split with one seed; "
        f"all others are fitted once per seed, and one embedding serves all splits; probe: paper ({ABOUT_PROBES['paper']}).",
        NAMES,
        rows,
        [*_fewer(results), tally_verdicts(rows)],
    )


def _fewer(results: Results) -> list[str]:
    """Rows with fewer splits or seeds than planned for all, in a sentence."""
    experiment = read_experiment("table1")
    few: dict[str, dict[str, list[str]]] = {}
    for method in ROWS:
        is_supervised = method in SUPERVISED
        for dataset, count in PLACES:
            found = _summary(results, method, (dataset, count), NO_PROBE if is_supervised else "paper")
            if found is None:
                continue
            n_seeds, n_splits = found.accuracies.shape
            if n_splits < experiment["n_splits"] or n_seeds < (1 if is_supervised else experiment["n_seeds"]):
                graphs = few.setdefault(found.counts(), {}).setdefault(method, [])
                graphs += [dataset] if dataset not in graphs else []
    if not few:
        return []
    where = "; ".join(
        f"{counts}: {', '.join(f'{method} on {_joined(graphs)}' for method, graphs in by_method.items())}"
        for counts, by_method in few.items()
    )
    planned = [f"{method} on {_joined(graphs)}" for method, graphs in experiment["fewer_seeds"].items()]
    return [
        f"Rows with fewer than {experiment['n_splits']} splits or, of those that embed, {experiment['n_seeds']} seeds. "
        f"{where}. One seed is all that is planned, since a fit takes minutes, for {', '.join(planned)}."
    ]


def _tuned(results: Results) -> ResultsTable:
    return ResultsTable(
        "Table 1 with the tuned probe",
        f"The same embeddings; probe: tuned ({ABOUT_PROBES['tuned']}). {SPREAD[0].upper()}{SPREAD[1:]}. The paper has no "
        "such figures: C = 1 favours embeddings of a certain scale, and this probe none.",
        NAMES,
        [(method, [_cell(results, method, place, "tuned") for place in PLACES]) for method in UNSUPERVISED],
        [],
    )


def _cell(results: Results, method: str, place: tuple[str, int], probe: str) -> Shown:
    dataset, count = place
    has_figure = probe != "tuned" and method not in VARIANTS
    published = published_figure(method, dataset, count) if has_figure else None
    return accuracy_shown(results, published, probe, method=method, dataset=dataset, per_class=count)


def _against(results: Results) -> ResultsTable:
    rivals = [method for method in UNSUPERVISED if method != "SCE"]
    by_probe = {probe: {rival: _compare(results, rival, probe) for rival in rivals} for probe in PROTOCOLS}
    rows = [(rival, [_difference(by_probe, rival, place) for place in PLACES]) for rival in rivals]
    return ResultsTable(
        "SCE as published against the others",
        "Accuracy of SCE less that of the row, in points: the mean over the splits of their paired differences, each method "
        f"by its mean over seeds. Level: no difference shown, p ≥ {1 - CONFIDENCE:.2f} (t), which is about other splits, "
        "not about other seeds.",
        NAMES,
        rows,
        [remark for probe in PROTOCOLS for remark in (_words(by_probe[probe], probe), _leaders(results, probe)) if remark],
    )


def _compare(results: Results, rival: str, probe: str) -> dict[tuple[str, int], Comparison]:
    """SCE against a method wherever both ran over the same splits."""
    found = {}
    for dataset, count in PLACES:
        ours, theirs = (_summary(results, method, (dataset, count), probe) for method in ("SCE", rival))
        if ours is not None and theirs is not None and ours.accuracies.shape[1] == theirs.accuracies.shape[1]:
            found[dataset, count] = compare_scores(ours.by_split, theirs.by_split)
    return found


def _summary(results: Results, method: str, place: tuple[str, int], probe: str) -> Summary | None:
    return summarise(results.find_all(method=method, dataset=place[0], per_class=place[1]), probe)


def _difference(
    by_probe: dict[str, dict[str, dict[tuple[str, int], Comparison]]], rival: str, place: tuple[str, int]
) -> Shown:
    found = {probe: by_rival[rival][place] for probe, by_rival in by_probe.items() if place in by_rival[rival]}
    if not found:
        return Shown(NOTHING, verdict=ALONE)
    parts = [f"{probe} {_points(one)}, {_standing(one)}" for probe, one in found.items()]
    return Shown(parts[0], verdict=ALONE, remark="; ".join(parts[1:]))


def against_in_words(results: Results, rival: str, probe: str) -> str:
    """Where SCE as published is ahead of another method, level with it or behind it; "" where not both ran."""
    return _words({rival: _compare(results, rival, probe)}, probe)


def _words(by_rival: dict[str, dict[tuple[str, int], Comparison]], probe: str) -> str:
    """Where SCE stands against each of the others, one after the other."""
    stands = [_stand(rival, found) for rival, found in by_rival.items() if found]
    return f"With the {probe} probe, SCE as published is, against {'; against '.join(stands)}." if stands else ""


def _stand(rival: str, found: dict[tuple[str, int], Comparison]) -> str:
    parts = []
    for standing in ("ahead", "level", "behind"):
        places = [place for place in PLACES if place in found and _standing(found[place]) == standing]
        parts.append(f"{standing} {_where(places, found)}")
    return f"{rival}: {', '.join(parts)}"


def _leaders(results: Results, probe: str) -> str:
    """The method that embeds with the highest mean in every column, and which have no figure there to compare."""
    leading: dict[str, list[tuple[str, int]]] = {}
    unknown: dict[str, list[tuple[str, int]]] = {}
    for place in PLACES:
        found = {method: _summary(results, method, place, probe) for method in UNSUPERVISED}
        means = {method: summary.mean for method, summary in found.items() if summary is not None}
        if len(means) > 1:
            leading.setdefault(max(means, key=lambda method: means[method]), []).append(place)
            for method in found.keys() - means.keys():
                unknown.setdefault(method, []).append(place)
    leads = "; ".join(f"{method} {_where(places)}" for method, places in leading.items())
    without = "; ".join(f"{method} {_where(unknown[method])}" for method in UNSUPERVISED if method in unknown)
    rest = f" Without a figure: {without}." if without else ""
    return f"The highest mean of those that embed, {probe} probe: {leads}.{rest}" if leads else ""


def _where(places: Iterable[tuple[str, int]], found: dict[tuple[str, int], Comparison] | None = None) -> str:
    """Columns in words, both label counts of a graph as one, with their differences."""
    counts: dict[str, list[int]] = {}
    for dataset, count in places:
        counts.setdefault(dataset, []).append(count)
    parts = []
    for dataset, given in counts.items():
        labels = "" if len(given) == len(LABEL_COUNTS) else f" with {given[0]} labels"
        points = f" ({' / '.join(_points(found[dataset, count]) for count in given)})" if found is not None else ""
        parts.append(f"{dataset}{labels}{points}")
    return f"on {_joined(parts)}" if parts else "nowhere"


def _joined(names: Iterable[str]) -> str:
    return " and ".join(names)


def _standing(comparison: Comparison) -> str:
    if not comparison.p_value < 1 - CONFIDENCE:
        return "level"
    return "ahead" if comparison.mean_difference > 0 else "behind"


def _points(comparison: Comparison) -> str:
    rounded = round(comparison.mean_difference, 1)
    return f"{rounded:+.1f}".replace("-", "−") if rounded else "0.0"
