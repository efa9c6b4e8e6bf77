"""The fit of links: hold some out, choose the source of vectors and the forms by them, solve these on the whole graph.

held out   a tenth of the links; the rest has its own vectors and sums
choose     every form is tried on the rest; the best ones for candidates, and the best of each kind for pairs
solve      the same forms from the sums of the whole graph
calibrate  scores of held-out links by what has not seen them, at the scale of what has seen all
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import numpy as np

from sparsecut.base.errors import InputError
from sparsecut.base.progress import Reporter
from sparsecut.graph import Graph
from sparsecut.links.calibration import Calibration, calibrate
from sparsecut.links.form_choice import FormTrial, HeldOut, best_of_each_kind, hold_out_links, try_forms
from sparsecut.links.forms import LinkForm, score_pairs, solve_form
from sparsecut.links.link_sums import Incidence, LinkSums, sum_links
from sparsecut.links.link_vectors import vectors_again, vectors_of
from sparsecut.links.node_kinds import LinkEnds, find_ends
from sparsecut.links.pair_score import PairScore, fit_pair_score

DECIDES = {"candidates": "candidates", "of_targets": "candidates_of_targets"}  # the figure of a trial, by role


@dataclass(frozen=True)
class FittedLinks:
    """What a fit of links found."""

    source: Any
    vectors: Any
    forms: dict[str, LinkForm]
    pair_score: PairScore
    calibrations: dict[str, Calibration]
    trials: list[FormTrial]


@dataclass(frozen=True)
class _Seen:
    """A graph as forms see it: its vectors, its edges from both ends, and the sums of each power."""

    vectors: Any
    incidence: Incidence
    sums: dict[float, LinkSums]

    def solve(self, trial: FormTrial) -> LinkForm:
        return solve_form(trial.kind, trial.power, trial.penalty, self.sums[trial.power])


def fit_links(source: Any, graph: Graph, seed: int, report: Reporter) -> FittedLinks:
    """Links of a graph; of several sources of vectors the one whose forms rank held-out links best."""
    ends = find_ends(graph)
    held_out = hold_out_links(graph, ends, seed)
    sources = source if isinstance(source, list | tuple) else [source]
    if not sources:
        raise InputError("Links need vectors, or something that makes them. Got an empty list.")
    tried = [_try(one, graph, held_out, ends, seed, report) for one in sources]
    place = max(range(len(sources)), key=lambda number: _worth(tried[number][0]))
    trials, rest = tried[place]

    best = {role: max(trials, key=attrgetter(figure)) for role, figure in DECIDES.items()}
    kinds = best_of_each_kind(trials)
    vectors, incidence = vectors_of(sources[place], graph), Incidence.of(graph, ends)
    powers = {one.power for one in (*best.values(), *kinds.values())}
    whole = _Seen(vectors, incidence, {power: sum_links(vectors, incidence, power) for power in powers})

    pair_score, for_pairs = _fit_pairs(held_out, kinds, rest, whole)
    forms = {role: whole.solve(one) for role, one in best.items()}
    calibrations = {role: _calibrated(held_out, rest, rest.solve(one), whole, forms[role]) for role, one in best.items()}
    return FittedLinks(sources[place], vectors, forms, pair_score, {"pairs": for_pairs, **calibrations}, trials)


def _try(
    source: Any, graph: Graph, held_out: HeldOut, ends: LinkEnds, seed: int, report: Reporter
) -> tuple[list[FormTrial], _Seen]:
    vectors = vectors_again(source, graph, held_out)
    trials, sums = try_forms(held_out, vectors, ends, seed, report)
    return trials, _Seen(vectors, Incidence.of(held_out.graph, ends), sums)


def _worth(trials: list[FormTrial]) -> float:
    """How well the best forms of a source rank pairs and candidates."""
    return float(sum(max(getattr(trial, figure) for trial in trials) for figure in ("pairs", "candidates")))


def _fit_pairs(held_out: HeldOut, kinds: dict[str, FormTrial], rest: _Seen, whole: _Seen) -> tuple[PairScore, Calibration]:
    """The score of pairs and its calibration: weights by the graph without its held-out links, forms by all of it."""
    first = max(kinds, key=lambda name: kinds[name].pairs)
    on_rest = {name: rest.solve(one) for name, one in kinds.items()}
    fitted = fit_pair_score(on_rest, first, rest.vectors, rest.incidence, held_out)
    mean = fitted.features(rest.vectors, rest.incidence, held_out.others).mean(axis=0)
    forms = {name: whole.solve(kinds[name]) for name in fitted.forms}
    score = fitted.solved_again(forms, whole.vectors, whole.incidence, held_out.others, mean)
    positive, others = (fitted(rest.vectors, rest.incidence, pairs) for pairs in (held_out.positive, held_out.others))
    return score, calibrate(positive, others, *_n_pairs(whole.incidence))


def _calibrated(held_out: HeldOut, rest: _Seen, on_rest: LinkForm, whole: _Seen, form: LinkForm) -> Calibration:
    """The calibration of a form for candidates."""
    pairs = (held_out.positive, held_out.others)
    positive, others = (score_pairs(on_rest, rest.vectors, rest.incidence, one) for one in pairs)
    found = calibrate(positive, others, *_n_pairs(whole.incidence))
    now = np.median(np.abs(score_pairs(form, whole.vectors, whole.incidence, held_out.others)))
    before = np.median(np.abs(others))
    return found.scaled(float(now / before)) if before > 0 and now > 0 else found


def _n_pairs(incidence: Incidence) -> tuple[int, int]:
    """How many pairs are links, and how many others could be."""
    ends, n_links = incidence.ends, incidence.rows.n_edges
    n_sources, n_targets = int(ends.is_source.sum()), int(ends.is_target.sum())
    n_pairs = n_sources * n_targets if ends.has_sides else n_sources * (n_sources - 1)
    n_pairs = n_pairs if ends.has_order else n_pairs // 2
    return n_links, max(n_pairs - n_links, 1)
