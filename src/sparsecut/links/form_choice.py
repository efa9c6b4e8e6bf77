"""Which form, which power of the degrees and which penalty: those that rank held-out links best.

Vectors that a model makes are made again without the held-out links, so that nothing has seen what it is judged by; vectors
that are given stay as they are. Two questions are asked of every form:

    pairs        the mean of AUC and average precision of held-out links among as many pairs without one; of a directed
                 graph half of those are links turned round
    candidates   ndcg@30 of the held-out links of a node among all its candidates, for up to 1,000 nodes; where there are two
                 sides, for nodes of each

Comparing any two pairs and ranking the candidates of one node differ: how many links a node has matters for the first and
cancels in the second. So each question has its own answer; that of the first adds several forms up (`pair_score`). That of
the second is the best form, or where it ranks better its sum with another of the best forms of each kind and basis, or with
two of them.

Forms are tried on the vectors, and on the columns of the links' own (`link_spectrum`): on 32 of these first, and the best of
each kind then on 16 and on 64. Sums of fewer columns are blocks of those of more.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.progress import Reporter
from sparsecut.links.forms import (
    BOTH,
    COSINE,
    GIVEN,
    OWN,
    SOURCES,
    SPECTRUM,
    TARGETS,
    Bases,
    LinkForm,
    rows_of_form,
    solve_form,
)
from sparsecut.links.held_out_links import HeldOut, Pairs
from sparsecut.links.link_sums import EndRows, Incidence, LinkSums, end_rows, sum_links
from sparsecut.links.node_kinds import LinkEnds
from sparsecut.links.ranking import figure_of_pairs, levelled, ndcg_of_table

POWERS = {GIVEN: (0.0, 0.5, 0.75, 1.0), SPECTRUM: (0.5, 1.0)}
OWN_PENALTIES = (1e-3, 1e-1, 1.0)
PENALTIES = (1.0, 3.0, 10.0, 30.0)
N_FIRST, N_OTHERS = 32, (16, 64)  # columns of the spectrum
N_ADDED = 3  # forms of a sum at most
N_COMPARED = 5_000  # pairs of each kind that every form is tried on
N_RANKED = 1_000  # nodes whose candidates are ranked
N_COUNTED = 30  # places of a ranking that count: ten are too few to tell forms apart
N_CANDIDATES = 5_000  # of each, drawn where there are more

Sums = dict[tuple[str, float], LinkSums]


@dataclass(frozen=True)
class FormTrial:
    """A form, and how it ranked the held-out links: shares of 1."""

    kind: str
    power: float
    penalty: float
    pairs: float
    candidates: float  # of sources
    candidates_of_targets: float  # the same as of sources where the graph has no two sides
    basis: str = GIVEN
    n_columns: int = 0  # of the basis

    @property
    def name(self) -> str:
        """Its kind, and its basis where that is the spectrum."""
        return self.kind if self.basis == GIVEN else f"{self.kind} of the {self.basis}"

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class RankedBy:
    """The forms whose sum ranks the candidates of held-out links best, one to three, and the figure of it."""

    trials: tuple[FormTrial, ...]
    figure: float


@dataclass(frozen=True)
class TriedForms:
    """Every form with its figures on the held-out links, what ranks candidates best by role, and the sums."""

    trials: list[FormTrial]
    rankings: dict[str, RankedBy]
    sums: Sums

    @property
    def worth(self) -> float:
        """How well the best forms rank pairs and candidates."""
        return max(trial.pairs for trial in self.trials) + self.rankings["candidates"].figure


def try_forms(held_out: HeldOut, vectors: Any, incidence: Incidence, seed: int, report: Reporter) -> TriedForms:
    """Try every form on the held-out links, by vectors and sums of the graph that is left, `incidence`.

    `vectors` are `Bases`, or those that were given or made alone.
    """
    bases, ends = vectors if isinstance(vectors, Bases) else Bases(vectors), incidence.ends
    judge = _Judge(held_out, bases, incidence, seed)
    regressions = (BOTH, TARGETS, SOURCES) if ends.has_order else (BOTH,)
    grid = [(OWN, penalty) for penalty in OWN_PENALTIES]
    grid += [(kind, penalty) for kind in regressions for penalty in PENALTIES]
    used = {GIVEN: bases.given.shape[1]}
    n_own = 0 if bases.spectrum is None else int(bases.spectrum.sources.shape[1])
    if n_own:
        used[SPECTRUM] = min(N_FIRST, n_own)
    passes = [(basis, power) for basis in used for power in POWERS[basis]]
    trials = []
    for done, (basis, power) in enumerate(passes):
        kinds = [*grid, *([(COSINE, 0.0)] if (basis, power) == (GIVEN, 0) else [])]
        trials += judge.try_all(basis, power, [(kind, penalty, used[basis]) for kind, penalty in kinds])
        report("links", done + 1, len(passes))
    for n_columns in N_OTHERS:
        if n_columns <= n_own and n_columns != used[SPECTRUM]:
            best = {one for best in judge.best_by_question(trials) for one in best if one.basis == SPECTRUM}
            for one in sorted(best, key=trials.index):
                trials += judge.try_all(SPECTRUM, one.power, [(one.kind, one.penalty, n_columns)])
    rankings = [judge.best_ranking(place, trials) for place in range(len(judge.questions))]
    return TriedForms(trials, {"candidates": rankings[0], "of_targets": rankings[-1]}, judge.sums)


class _Judge:
    """Tries forms on held-out links: by pairs, and by the candidates of nodes."""

    def __init__(self, held_out: HeldOut, bases: Bases, incidence: Incidence, seed: int) -> None:
        self.bases, self.incidence, ends = bases, incidence, incidence.ends
        self.sums: Sums = {}
        positive, negative = _some(held_out.positive, seed), _some(held_out.negative, seed)
        pairs = np.concatenate([positive, negative])
        self._is_link = np.repeat([True, False], [len(positive), len(negative)])
        self._sources, self._source_of = np.unique(pairs[:, 0], return_inverse=True)
        self._targets, self._target_of = np.unique(pairs[:, 1], return_inverse=True)
        self.questions = [_Question.draw(held_out, ends, seed, is_source=True)]
        if ends.has_sides:
            self.questions.append(_Question.draw(held_out, ends, seed, is_source=False))

    def try_all(self, basis: str, power: float, asked: list[tuple[str, float, int]]) -> list[FormTrial]:
        """Forms of one basis and power, each by its kind, penalty and number of columns."""
        vectors = self.bases.named(basis)
        if (basis, power) not in self.sums:
            self.sums[basis, power] = sum_links(vectors, self.incidence, power)

        def rows_of(nodes: Any, *, is_source: bool) -> EndRows:
            return end_rows(vectors, self.incidence, nodes, power, is_source=is_source)

        left, right = rows_of(self._sources, is_source=True), rows_of(self._targets, is_source=False)
        rows = [one.rows(rows_of) for one in self.questions]
        found = []
        for kind, penalty, n_columns in asked:
            size = n_columns + 1
            form = solve_form(kind, power, penalty, self.sums[basis, power].cut(size), basis)
            one, two = form.left(left.cut(size))[self._source_of], form.right(right.cut(size))[self._target_of]
            scores = levelled(np.einsum("md,md->m", one, two))
            by_pairs = [figure_of_pairs(name, self._is_link, scores) for name in ("roc_auc", "average_precision")]
            figures = [
                question.figure(question.table(form, asking.cut(size), offered.cut(size)))
                for question, (asking, offered) in zip(self.questions, rows, strict=True)
            ]
            found.append(
                FormTrial(kind, power, penalty, float(np.mean(by_pairs)), figures[0], figures[-1], basis, n_columns)
            )
        return found

    def best_by_question(self, trials: list[FormTrial]) -> list[Iterable[FormTrial]]:
        """The best trials of each kind and basis, by candidates for each role and by pairs."""
        ranked = [best_of_each_name(trials, question.figure_of).values() for question in self.questions]
        return [*ranked, best_of_each_kind(trials).values()]

    def best_ranking(self, place: int, trials: list[FormTrial]) -> RankedBy:
        """The best of all forms; while that ranks better, with the best to add of those of each kind and basis."""
        question = self.questions[place]
        of_names = best_of_each_name(trials, question.figure_of)
        tables = {}
        for name, trial in of_names.items():
            form = solve_trial(trial, self.sums)
            asking, offered = (
                rows_of_form(form, self.bases, self.incidence, nodes, is_source=is_source)
                for nodes, is_source in ((question.nodes, question.is_source), (question.candidates, not question.is_source))
            )
            table = question.table(form, asking, offered)
            tables[name] = table / (table.std() or 1.0)
        first = max(of_names, key=lambda name: question.figure_of(of_names[name]))
        found, total = RankedBy((of_names[first],), question.figure_of(of_names[first])), tables.pop(first)
        while tables and len(found.trials) < N_ADDED:
            figures = {name: question.figure(total + table) for name, table in tables.items()}
            best = max(figures, key=lambda name: figures[name])
            if figures[best] <= found.figure:
                break
            found, total = RankedBy((*found.trials, of_names[best]), figures[best]), total + tables.pop(best)
        return found


def solve_trial(trial: FormTrial, sums: Sums) -> LinkForm:
    """The form of a trial from the sums of a graph, of which a model may make other columns."""
    own = sums[trial.basis, trial.power]
    own = own.cut(trial.n_columns + 1) if trial.basis == SPECTRUM else own
    return solve_form(trial.kind, trial.power, trial.penalty, own, trial.basis)


def best_of_each_name(trials: list[FormTrial], figure: Any) -> dict[str, FormTrial]:
    """The best trials of each kind and basis, of equals the first."""
    found: dict[str, FormTrial] = {}
    for trial in trials:
        if trial.name not in found or figure(trial) > figure(found[trial.name]):
            found[trial.name] = trial
    return found


def best_of_each_kind(trials: list[FormTrial]) -> dict[str, FormTrial]:
    """The trials that rank pairs best: of the own form, of the regressions, the cosine, and of the spectrum."""
    given = [trial for trial in trials if trial.basis == GIVEN]
    named = {
        "own": [trial for trial in given if trial.kind == OWN],
        "regression": [trial for trial in given if trial.kind in (BOTH, TARGETS, SOURCES)],
        "cosine": [trial for trial in given if trial.kind == COSINE],
        "spectrum": [trial for trial in trials if trial.basis == SPECTRUM],
    }
    return {name: max(found, key=lambda trial: trial.pairs) for name, found in named.items() if found}


@dataclass(frozen=True)
class _Question:
    """Nodes with held-out links, the candidates they share, and for each node which are links and which may be ranked."""

    nodes: NDArray[np.int64]
    candidates: NDArray[np.int64]
    links: NDArray[np.bool_]  # (nodes, candidates)
    may: NDArray[np.bool_]
    is_source: bool  # whether the nodes are sources, and the candidates targets

    @classmethod
    def draw(cls, held_out: HeldOut, ends: LinkEnds, seed: int, *, is_source: bool) -> _Question:
        generator = np.random.default_rng(seed + 1)
        positive = held_out.positive if is_source else held_out.positive[:, ::-1]
        if not ends.has_order:
            positive = np.concatenate([positive, positive[:, ::-1]])
        order = held_out.order  # that of the nodes decides nothing, neither of ties nor of what a sum is rounded to
        nodes = order[np.isin(order, positive[:, 0])]
        if len(nodes) > N_RANKED:
            nodes = nodes[np.sort(generator.choice(len(nodes), N_RANKED, replace=False))]
        candidates = order[(ends.is_target if is_source else ends.is_source)[order]]
        if len(candidates) > N_CANDIDATES:
            drawn = generator.choice(candidates, N_CANDIDATES, replace=False)
            linked = positive[np.isin(positive[:, 0], nodes), 1]
            candidates = order[np.isin(order, np.concatenate([drawn, linked]))]
        A = held_out.graph.adjacency
        links = [np.isin(candidates, positive[positive[:, 0] == node, 1]) for node in nodes]
        known = [A.indices[A.indptr[node] : A.indptr[node + 1]] for node in nodes]
        may = [~np.isin(candidates, one) & (candidates != node) for node, one in zip(nodes, known, strict=True)]
        return cls(nodes, candidates, np.array(links), np.array(may), is_source)

    def rows(self, rows_of: Any) -> tuple[EndRows, EndRows]:
        """x and y of the nodes, and of their candidates."""
        return rows_of(self.nodes, is_source=self.is_source), rows_of(self.candidates, is_source=not self.is_source)

    def table(self, form: LinkForm, rows: EndRows, others: EndRows) -> NDArray[np.float32]:
        """The scores of the nodes with their candidates."""
        left, right = (form.left(rows), form.right(others)) if self.is_source else (form.right(rows), form.left(others))
        return np.asarray(left @ right.T, dtype=np.float32)

    def figure(self, table: NDArray[np.float32]) -> float:
        """ndcg@30 of scores."""
        return ndcg_of_table(levelled(table), self.links, self.may, k=N_COUNTED)

    def figure_of(self, trial: FormTrial) -> float:
        return trial.candidates if self.is_source else trial.candidates_of_targets


def _some(pairs: Pairs, seed: int) -> Pairs:
    """As many pairs as every form is tried on, drawn."""
    if len(pairs) <= N_COMPARED:
        return pairs
    return pairs[np.random.default_rng(seed).choice(len(pairs), N_COMPARED, replace=False)]
