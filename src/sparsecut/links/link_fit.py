"""The fit of links: hold some out, choose the source of vectors and the forms by them, solve these on the whole graph.

held out   a tenth of the links; the rest has its own vectors, spectrum and sums
choose     every form is tried on the rest; the best one to three for candidates, and the best of each kind for pairs
solve      the same forms from the sums of the whole graph
calibrate  scores of held-out links by what has not seen them, at the scale of what has seen all
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sparsecut.base.errors import InputError
from sparsecut.base.progress import Reporter
from sparsecut.graph import Graph
from sparsecut.links.calibration import Calibration, calibrate
from sparsecut.links.form_choice import FormTrial, RankedBy, Sums, best_of_each_kind, solve_trial, try_forms
from sparsecut.links.form_sums import FormSum
from sparsecut.links.forms import SPECTRUM, Bases, LinkForm
from sparsecut.links.graph_edges import IN_PROCESS, GraphEdges
from sparsecut.links.held_out_links import HeldOut, hold_out_links
from sparsecut.links.link_spectrum import LinkSpectrum
from sparsecut.links.link_sums import Incidence, sum_links
from sparsecut.links.link_vectors import vectors_again, vectors_of
from sparsecut.links.node_kinds import find_ends
from sparsecut.links.pair_score import PairScore, fit_pair_score


@dataclass(frozen=True)
class FittedLinks:
    """What a fit of links found. The spectrum has as many columns as the forms take, none if none do."""

    source: Any
    vectors: Any
    incidence: Incidence
    spectrum: LinkSpectrum | None
    forms: dict[str, FormSum]
    pair_score: PairScore
    calibrations: dict[str, Calibration]
    trials: list[FormTrial]


@dataclass(frozen=True)
class _Seen:
    """A graph as forms see it: its vectors, its edges from both ends, and the sums of each basis and power."""

    vectors: Bases
    incidence: Incidence
    sums: Sums

    def solve(self, trial: FormTrial) -> LinkForm:
        return solve_trial(trial, self.sums)

    def rank(self, ranking: RankedBy, others: Any) -> FormSum:
        return FormSum.of(tuple(self.solve(one) for one in ranking.trials), self.vectors, self.incidence, others)


def fit_links(
    source: Any, graph: Graph, seed: int, with_spectrum: bool, report: Reporter, edges: GraphEdges = IN_PROCESS
) -> FittedLinks:
    """Links of a graph; of several sources of vectors the one whose forms rank held-out links best."""
    ends = find_ends(graph)
    held_out = hold_out_links(graph, ends, seed, edges)
    sources = source if isinstance(source, list) else [source]
    if not sources:
        raise InputError("Links need vectors, or something that makes them. Got an empty list.")
    incidence = Incidence.of(held_out.graph, ends, edges)
    spectrum = LinkSpectrum.of(incidence, seed=seed).vectors() if with_spectrum else None
    found = []
    for one in sources:
        bases = Bases(vectors_again(one, graph, held_out, edges.engine), spectrum)
        found.append((try_forms(held_out, bases, incidence, seed, report), bases))
    place = max(range(len(sources)), key=lambda number: found[number][0].worth)
    tried, bases = found[place]
    rest = _Seen(bases, incidence, tried.sums)

    kinds = best_of_each_kind(tried.trials)
    chosen = [*kinds.values(), *(one for ranking in tried.rankings.values() for one in ranking.trials)]
    vectors, incidence = vectors_of(sources[place], graph, edges.engine), Incidence.of(graph, ends, edges)
    n_columns = max((one.n_columns for one in chosen if one.basis == SPECTRUM), default=0)
    own = LinkSpectrum.of(incidence, n_columns, seed) if n_columns else None
    bases = Bases(vectors, None if own is None else own.vectors())
    needed = sorted({(one.basis, one.power) for one in chosen})
    sums = {(basis, power): sum_links(bases.named(basis), incidence, power) for basis, power in needed}
    whole = _Seen(bases, incidence, sums)

    pair_score, for_pairs = _fit_pairs(held_out, kinds, rest, whole)
    forms, calibrations = {}, {"pairs": for_pairs}
    for role, ranking in tried.rankings.items():
        forms[role], on_rest = whole.rank(ranking, held_out.others), rest.rank(ranking, held_out.others)
        calibrations[role] = _calibrated(held_out, rest, on_rest, whole, forms[role])
    taken = [*pair_score.forms.values(), *(form for found in forms.values() for form in found.forms)]
    n_columns = max((form.n_columns for form in taken if form.basis == SPECTRUM), default=0)
    kept = own.cut(n_columns) if own is not None and n_columns else None
    whole_edges = incidence.after_fit()
    return FittedLinks(sources[place], vectors, whole_edges, kept, forms, pair_score, calibrations, tried.trials)


def _fit_pairs(held_out: HeldOut, kinds: dict[str, FormTrial], rest: _Seen, whole: _Seen) -> tuple[PairScore, Calibration]:
    """The score of pairs and its calibration: weights by the graph without its held-out links, forms by all of it."""
    first = max(kinds, key=lambda name: kinds[name].pairs)
    on_rest = {name: rest.solve(one) for name, one in kinds.items()}
    fitted = fit_pair_score(on_rest, first, rest.vectors, rest.incidence, held_out)
    mean = fitted.features(rest.vectors, rest.incidence, held_out.others).mean(axis=0)
    forms = {name: whole.solve(kinds[name]) for name in fitted.forms}
    score = fitted.solved_again(forms, whole.vectors, whole.incidence, held_out.others, mean)
    pairs = (held_out.positive, held_out.calibrating)
    positive, others = (fitted(rest.vectors, rest.incidence, one) for one in pairs)
    return score, calibrate(positive, others, *_n_pairs(whole.incidence))


def _calibrated(held_out: HeldOut, rest: _Seen, on_rest: FormSum, whole: _Seen, form: FormSum) -> Calibration:
    """The calibration of what ranks candidates."""
    pairs = (held_out.positive, held_out.calibrating)
    positive, others = (on_rest.score_pairs(rest.vectors, rest.incidence, one) for one in pairs)
    found = calibrate(positive, others, *_n_pairs(whole.incidence))
    now = np.median(np.abs(form.score_pairs(whole.vectors, whole.incidence, held_out.calibrating)))
    before = np.median(np.abs(others))
    return found.scaled(float(now / before)) if before > 0 and now > 0 else found


def _n_pairs(incidence: Incidence) -> tuple[int, int]:
    """How many pairs are links, and how many others could be."""
    ends, n_links = incidence.ends, incidence.rows.n_edges
    n_sources, n_targets = int(ends.is_source.sum()), int(ends.is_target.sum())
    n_pairs = n_sources * n_targets if ends.has_sides else n_sources * (n_sources - 1)
    n_pairs = n_pairs if ends.has_order else n_pairs // 2
    return n_links, max(n_pairs - n_links, 1)
