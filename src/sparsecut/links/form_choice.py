"""Which form, which power of the degrees and which penalty: those that rank held-out links best.

A tenth of the links is taken out of the graph, at most 20,000. Vectors that a model makes are made again without them, so
that nothing has seen what it is judged by; vectors that are given stay as they are. Two questions are asked of every form:

    pairs        the mean of AUC and average precision of held-out links among as many pairs without one; of a directed
                 graph half of those are links turned round
    candidates   ndcg@30 of the held-out links of a node among all its candidates, for up to 1,000 nodes; where there are two
                 sides, for nodes of each

Comparing any two pairs and ranking the candidates of one node differ: how many links a node has matters for the first and
cancels in the second. So each question has its own answer; that of the first adds several forms up (`pair_score`). That of
the second is the best form, or where it ranks better the sum of two: of the best forms of each kind any two are tried.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.base.progress import Reporter
from sparsecut.graph import Graph
from sparsecut.graph.linked_pairs import number_pairs, without_links
from sparsecut.links.forms import BOTH, COSINE, OWN, SOURCES, TARGETS, LinkForm, solve_form
from sparsecut.links.link_sums import EndRows, Incidence, LinkSums, end_rows, sum_links
from sparsecut.links.node_kinds import LinkEnds
from sparsecut.links.ranking import figure_of_pairs, ndcg_of_table

POWERS = (0.0, 0.5, 0.75, 1.0)
OWN_PENALTIES = (1e-3, 1e-1, 1.0)
PENALTIES = (1.0, 3.0, 10.0, 30.0)
HELD_OUT = 0.1
MAX_HELD_OUT = 20_000
N_COMPARED = 5_000  # pairs of each kind that every form is tried on
N_RANKED = 1_000  # nodes whose candidates are ranked
N_COUNTED = 30  # places of a ranking that count: ten are too few to tell forms apart
N_CANDIDATES = 5_000  # of each, drawn where there are more

Pairs = NDArray[np.int64]


@dataclass(frozen=True)
class HeldOut:
    """Links taken out of a graph, and pairs without one, all with the source first."""

    graph: Graph
    positive: Pairs
    others: Pairs  # drawn uniformly
    turned: Pairs  # held-out links of a directed graph, turned round

    @property
    def negative(self) -> Pairs:
        """Pairs that links are to rank above: other pairs, of a directed graph links turned round among them."""
        turned = self.turned[: len(self.positive) // 2]
        return np.concatenate([turned, self.others[: max(len(self.others) - len(turned), 1)]])


@dataclass(frozen=True)
class FormTrial:
    """A form, and how it ranked the held-out links: shares of 1."""

    kind: str
    power: float
    penalty: float
    pairs: float
    candidates: float  # of sources
    candidates_of_targets: float  # the same as of sources where the graph has no two sides

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class RankedBy:
    """The form, or the two whose sum is taken, that ranks the candidates of held-out links best, and the figure of it."""

    trials: tuple[FormTrial, ...]
    figure: float


@dataclass(frozen=True)
class TriedForms:
    """Every form with its figures on the held-out links, what ranks candidates best by role, and the sums of each power."""

    trials: list[FormTrial]
    rankings: dict[str, RankedBy]
    sums: dict[float, LinkSums]

    @property
    def worth(self) -> float:
        """How well the best forms rank pairs and candidates."""
        return max(trial.pairs for trial in self.trials) + self.rankings["candidates"].figure


def hold_out_links(graph: Graph, ends: LinkEnds, seed: int, fraction: float = HELD_OUT) -> HeldOut:
    """Take some links out of a graph, and draw as many pairs of sources and targets without one."""
    generator = np.random.default_rng(seed)
    entries = graph.adjacency.tocoo()
    links = np.column_stack([entries.row, entries.col]).astype(np.int64)
    if not ends.is_directed:
        links = ends.oriented(links[links[:, 0] < links[:, 1]])
    count = min(MAX_HELD_OUT, int(fraction * len(links)))
    if count < 1:
        raise InputError(
            f"Links are judged by a tenth of them that is held out: at least 10 edges are needed. Got {graph.n_edges:,}."
        )
    chosen = links[np.sort(generator.choice(len(links), count, replace=False))]
    if ends.is_directed:  # an arc that points back would give the other away
        is_lone = ~np.isin(_numbers(chosen[:, ::-1], graph.n_nodes), _numbers(links, graph.n_nodes))
        chosen = chosen[is_lone] if is_lone.sum() >= max(1, count // 2) else chosen
    rest = without_links(graph, np.sort(chosen, axis=1))
    turned = chosen[:, ::-1] if ends.is_directed else chosen[:0]
    turned = turned[~np.isin(_numbers(turned, graph.n_nodes), _numbers(links, graph.n_nodes))]
    return HeldOut(rest, chosen, draw_others(links, len(chosen), ends, generator), turned)


def try_forms(held_out: HeldOut, vectors: Any, ends: LinkEnds, seed: int, report: Reporter) -> TriedForms:
    """Try every form on the held-out links, by vectors and sums of the graph that is left."""
    incidence = Incidence.of(held_out.graph, ends)
    positive, negative = _some(held_out.positive, seed), _some(held_out.negative, seed)
    pairs = np.concatenate([positive, negative])
    is_link = np.repeat([True, False], [len(positive), len(negative)])
    sources, source_of = np.unique(pairs[:, 0], return_inverse=True)
    targets, target_of = np.unique(pairs[:, 1], return_inverse=True)
    questions = [_Question.draw(held_out, ends, seed, is_source=True)]
    if ends.has_sides:
        questions.append(_Question.draw(held_out, ends, seed, is_source=False))
    regressions = (BOTH, TARGETS, SOURCES) if ends.has_order else (BOTH,)
    grid = [(OWN, penalty) for penalty in OWN_PENALTIES]
    grid += [(kind, penalty) for kind in regressions for penalty in PENALTIES]
    sums, trials = {}, []
    for done, power in enumerate(POWERS):
        sums[power] = sum_links(vectors, incidence, power)
        rows_of = partial(end_rows, vectors, incidence, power=power)
        left_rows, right_rows = rows_of(sources, is_source=True), rows_of(targets, is_source=False)
        asked = [one.rows(rows_of) for one in questions]
        for kind, penalty in [*grid, *([(COSINE, 0.0)] if power == 0 else [])]:
            form = solve_form(kind, power, penalty, sums[power])
            scores = np.einsum("md,md->m", form.left(left_rows)[source_of], form.right(right_rows)[target_of])
            by_pairs = np.mean([figure_of_pairs(name, is_link, scores) for name in ("roc_auc", "average_precision")])
            figures = [one.figure(one.table(form, *rows)) for one, rows in zip(questions, asked, strict=True)]
            trials.append(FormTrial(kind, power, penalty, float(by_pairs), figures[0], figures[-1]))
        report("links", done + 1, len(POWERS))
    rankings = [_best_ranking(one, trials, vectors, incidence, sums) for one in questions]
    return TriedForms(trials, {"candidates": rankings[0], "of_targets": rankings[-1]}, sums)


def _best_ranking(
    question: _Question, trials: list[FormTrial], vectors: Any, incidence: Incidence, sums: dict[float, LinkSums]
) -> RankedBy:
    """The best of all forms, and of the sums of any two of the best of each kind."""
    by_figure = sorted(trials, key=question.figure_of, reverse=True)
    of_kinds = {trial.kind: trial for trial in reversed(by_figure)}
    found = [RankedBy((by_figure[0],), question.figure_of(by_figure[0]))]
    tables = {}
    for kind, trial in of_kinds.items():
        form = solve_form(kind, trial.power, trial.penalty, sums[trial.power])
        table = question.table(form, *question.rows(partial(end_rows, vectors, incidence, power=trial.power)))
        tables[kind] = table / (table.std() or 1.0)
    for pair in combinations(tables, 2):
        figure = question.figure(tables[pair[0]] + tables[pair[1]])
        found.append(RankedBy(tuple(of_kinds[kind] for kind in pair), figure))
    return max(found, key=lambda ranking: ranking.figure)


def best_of_each_kind(trials: list[FormTrial]) -> dict[str, FormTrial]:
    """The trials that rank pairs best: of the own form, of the regressions, and the cosine."""
    named = {"own": (OWN,), "regression": (BOTH, TARGETS, SOURCES), "cosine": (COSINE,)}
    return {
        name: max((trial for trial in trials if trial.kind in kinds), key=lambda trial: trial.pairs)
        for name, kinds in named.items()
    }


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
        nodes = np.unique(positive[:, 0])
        if len(nodes) > N_RANKED:
            nodes = np.sort(generator.choice(nodes, N_RANKED, replace=False))
        candidates = np.flatnonzero(ends.is_target if is_source else ends.is_source)
        if len(candidates) > N_CANDIDATES:
            drawn = generator.choice(candidates, N_CANDIDATES, replace=False)
            candidates = np.union1d(drawn, positive[np.isin(positive[:, 0], nodes), 1])
        A = held_out.graph.adjacency
        links = [np.isin(candidates, positive[positive[:, 0] == node, 1]) for node in nodes]
        known = [A.indices[A.indptr[node] : A.indptr[node + 1]] for node in nodes]
        may = [~np.isin(candidates, one) & (candidates != node) for node, one in zip(nodes, known, strict=True)]
        return cls(nodes, candidates, np.array(links), np.array(may), is_source)

    def rows(self, rows_of: Any) -> tuple[EndRows, EndRows]:
        """x and y of the nodes, and of their candidates."""
        asked, offered = (
            rows_of(self.nodes, is_source=self.is_source),
            rows_of(self.candidates, is_source=not self.is_source),
        )
        return asked, offered

    def table(self, form: LinkForm, rows: EndRows, others: EndRows) -> NDArray[np.float32]:
        """The scores of the nodes with their candidates."""
        left, right = (form.left(rows), form.right(others)) if self.is_source else (form.right(rows), form.left(others))
        return np.asarray(left @ right.T, dtype=np.float32)

    def figure(self, table: NDArray[np.float32]) -> float:
        """ndcg@30 of scores."""
        return ndcg_of_table(table, self.links, self.may, k=N_COUNTED)

    def figure_of(self, trial: FormTrial) -> float:
        return trial.candidates if self.is_source else trial.candidates_of_targets


def draw_others(links: Pairs, count: int, ends: LinkEnds, generator: np.random.Generator) -> Pairs:
    """Pairs of a source and a target without a link between them, uniformly."""
    n_nodes = len(ends.is_source)
    sources, targets = np.flatnonzero(ends.is_source), np.flatnonzero(ends.is_target)
    taken = _numbers(links, n_nodes) if ends.has_order else number_pairs(links[:, 0], links[:, 1], n_nodes)
    found: list[Pairs] = []
    n_found = 0
    for _ in range(100):
        if n_found >= count:
            break
        n_drawn = 2 * (count - n_found) + 64
        drawn = np.column_stack([generator.choice(sources, n_drawn), generator.choice(targets, n_drawn)])
        numbers = _numbers(drawn, n_nodes) if ends.has_order else number_pairs(drawn[:, 0], drawn[:, 1], n_nodes)
        found.append(drawn[ends.are_possible(drawn) & ~np.isin(numbers, taken)])
        n_found += len(found[-1])
    if not n_found:
        raise InputError("Links cannot be told from other pairs: every pair of nodes that could be linked is.")
    return np.concatenate(found)[:count]


def draw_alike(
    links: Pairs, alike: Pairs, codes: NDArray[np.int16], generator: np.random.Generator, *, is_directed: bool
) -> Pairs:
    """Pairs without a link, for each of some pairs one between nodes of the same two types; in that order if directed."""
    both = np.concatenate([links, links[:, ::-1]])
    kinds = codes[alike] if is_directed else np.sort(codes[alike], axis=1)
    drawn = []
    for first, second in np.unique(kinds, axis=0):
        count = int(((kinds[:, 0] == first) & (kinds[:, 1] == second)).sum())
        drawn.append(draw_others(both, count, LinkEnds(codes == first, codes == second), generator))
    return np.concatenate(drawn)


def _some(pairs: Pairs, seed: int) -> Pairs:
    """As many pairs as every form is tried on, drawn."""
    if len(pairs) <= N_COMPARED:
        return pairs
    return pairs[np.random.default_rng(seed).choice(len(pairs), N_COMPARED, replace=False)]


def _numbers(pairs: Pairs, n_nodes: int) -> NDArray[np.int64]:
    """One number per ordered pair."""
    return np.asarray(pairs[:, 0] * n_nodes + pairs[:, 1])
