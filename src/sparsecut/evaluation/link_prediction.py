"""Link prediction: edges held out before training, and ranked by the embedding among pairs without an edge.

An embedding of the whole graph has seen every edge, so it cannot show which ones it would have predicted. Here the graph
is cut first (`hold_out_edges`), the method sees only what is left, and held-out pairs are then ranked by

- links: the closed form of `sparsecut.Links`, fitted on what is left
- dot: z_i·z_j
- cosine: the same for vectors of length 1
- distance: −‖z_i − z_j‖², what the sparsest cut itself measures
- hadamard: a logistic regression (C = 1) on the standardised products z_i∘z_j, trained on edges of the training graph and as
  many pairs that are neither its edges nor held out

Figures, in percent (`sparsecut.links.ranking` has their equations): roc_auc is the chance that a held-out edge ranks above
a held-out non-edge, and average_precision weighs the top of that ranking; hit@k, ndcg@k and mrr are of the candidates of a
node, all nodes that it is not linked to, of a graph with types those of the type of the link; direction, of a directed
graph, is the AUC of held-out arcs against the same arcs turned round, where there is no arc both ways.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from sparsecut.base.errors import InputError, check_choice, check_integer
from sparsecut.base.progress import Reporter, reporting
from sparsecut.evaluation.linear_probe import CHUNK, check_embedding
from sparsecut.evaluation.link_holdout import LinkSplit, hold_out_edges
from sparsecut.evaluation.logistic import OneVsRest
from sparsecut.evaluation.scores import summary
from sparsecut.graph import Graph, as_graph, place_rows
from sparsecut.graph.linked_pairs import Pairs, in_order, linked_pairs, sample_non_edges
from sparsecut.kernels.hashing import hash_order
from sparsecut.links import Links
from sparsecut.links.node_kinds import LinkEnds, find_ends
from sparsecut.links.ranking import (
    LINK_METRICS,
    check_link_metrics,
    figure_of_pairs,
    figure_of_places,
    is_of_places,
    places_of,
)

SCORINGS = ("links", "dot", "cosine", "distance", "hadamard")
N_TRAINING_PAIRS = 10_000  # of each kind at most, for the logistic regression: far more than its coefficients
N_RANKED = 1_000  # nodes whose candidates are ranked
DIRECTION = "direction"

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LinkScores:
    """Figures of held-out links in percent, by metric and scoring, one value per run: see `evaluate_links`.

    Attributes
    ----------
    figures : dict of str to dict of str to array
        By the name of the metric, then by that of the scoring.
    fraction : float
        The fraction of edges held out.
    n_held_out : int
        How many edges that was.
    """

    figures: dict[str, dict[str, Array]]
    fraction: float
    n_held_out: int

    @property
    def auc(self) -> dict[str, Array]:
        """The AUC by scoring."""
        return self.figures["roc_auc"]

    def to_dict(self) -> dict[str, Any]:
        metrics = {
            name: {scoring: summary(values) for scoring, values in by_scoring.items()}
            for name, by_scoring in self.figures.items()
        }
        first = next(iter(self.figures.values()))
        return {
            "fraction": self.fraction,
            "n_held_out": self.n_held_out,
            "n_runs": len(next(iter(first.values()))),
            "metrics": metrics,
        }

    def __str__(self) -> str:
        name, by_scoring = next(iter(self.figures.items()))
        figures = ", ".join(f"{one} {values.mean():.1f} ± {values.std():.1f}" for one, values in by_scoring.items())
        return f"{figures} ({name})"


def evaluate_links(
    graph: Graph,
    embed: Callable[[Graph], ArrayLike] | Any,
    *,
    fraction: float = 0.1,
    n_runs: int = 5,
    scorings: Sequence[str] = SCORINGS,
    metrics: Sequence[str] = LINK_METRICS,
    random_state: int = 0,
    by: str = "random",
    progress: Reporter | None = None,
) -> LinkScores:
    """Score an estimator by how well it predicts edges it has not seen.

    Edges are held out, what is left is embedded, and the held-out edges are ranked among as many pairs without an edge, and
    among all candidates of their nodes.

    Parameters
    ----------
    graph : Graph, or an adjacency
        The whole graph.
    embed : estimator or callable
        An estimator, which is fitted anew for every run; or what takes a graph and returns its embedding, an array or a
        frame, such as `fit_transform`. `Links` chooses its form by links held out again, for which an estimator is fitted
        once more; vectors that a callable gave have seen them.
    fraction : float, default=0.1
        The fraction of edges to hold out.
    n_runs : int, default=5
        How often, each time with other edges; the embedding is fitted anew.
    scorings : sequence of {"links", "dot", "cosine", "distance", "hadamard"}, default=all
        How a pair of rows is scored. The logistic regression of "hadamard" grows with the cube of the columns: leave it
        out for embeddings of thousands.
    metrics : sequence of str, default=("roc_auc", "average_precision", "hit@10", "ndcg@10", "mrr")
        What to measure; "hit@K" and "ndcg@K" with any K. Of a directed graph "direction" is added.
    random_state : int, default=0
        Seed of the edges held out, and of the pairs without an edge.
    by : {"random", "time"}, default="random"
        Which edges are held out; "time": the later ones, see `hold_out_edges`. The embedding is then fitted once, and runs
        differ by the pairs without an edge.
    progress : callable, optional
        Called as `progress(stage, done, total)` in place of the progress bar.

    Returns
    -------
    LinkScores

    Examples
    --------
    >>> import sparsecut as sc
    >>> from sparsecut.evaluation import evaluate_links
    >>> graph = sc.datasets.load("digits")
    >>> scores = evaluate_links(graph, sc.SCE().fit_transform, n_runs=1, scorings=["cosine"])
    >>> bool(scores.auc["cosine"][0] > 95)
    True
    """
    graph = as_graph(graph)
    check_integer("evaluate_links", "n_runs", n_runs, 1)
    check_integer("evaluate_links", "random_state", random_state, 0)
    runs = []
    with reporting(progress) as report:
        for run, seed in enumerate(seeds_of_runs(random_state, n_runs)):
            split = hold_out_edges(graph, fraction, seed, by)
            if run == 0 or by == "random":  # later edges are the same in every run
                source = embed.fit(split.graph) if hasattr(embed, "fit") else embed(split.graph)
            runs.append(score_links(source, split, seed, scorings, metrics))
            report("links", run + 1, n_runs)
    return LinkScores(
        {name: {one: np.array([run[one][name] for run in runs]) for one in scorings} for name in runs[0][scorings[0]]},
        fraction=fraction,
        n_held_out=len(split.positive),
    )


def seeds_of_runs(random_state: int, n_runs: int) -> list[int]:
    """The seeds of the runs, by which edges are held out and examples drawn."""
    return [int(seed) for seed in np.random.SeedSequence(random_state).generate_state(n_runs)]


def score_links(
    embedding: ArrayLike | Any,
    split: LinkSplit,
    random_state: int = 0,
    scorings: Sequence[str] = SCORINGS,
    metrics: Sequence[str] = LINK_METRICS,
) -> dict[str, dict[str, float]]:
    """How well an embedding of the training graph separates held-out edges from pairs without an edge.

    Parameters
    ----------
    embedding : array or frame of shape (n, d), a fitted estimator, or Links
        Of `split.graph`, not of the whole graph. A frame is matched to its nodes by the ids it brings.
    split : LinkSplit
        From `hold_out_edges`.
    random_state : int, default=0
        Seed of the examples that "hadamard" learns from.
    scorings : sequence of {"links", "dot", "cosine", "distance", "hadamard"}, default=all
        See `evaluate_links`.
    metrics : sequence of str, default=("roc_auc", "average_precision", "hit@10", "ndcg@10", "mrr")
        See `evaluate_links`.

    Returns
    -------
    dict of str to dict of str to float
        Figures in percent by metric, by scoring.
    """
    for name in scorings:
        check_choice("score_links", "scorings", name, SCORINGS)
    check_link_metrics("score_links", tuple(metrics))
    source = embedding
    if isinstance(embedding, Links):
        embedding = embedding.vectors
    elif hasattr(embedding, "embedding_"):
        embedding = embedding.embedding_
    Z = check_embedding(place_rows(embedding, split.graph.node_ids))
    Z = np.asarray(Z.toarray() if sp.issparse(Z) else Z, dtype=np.float64)
    if len(Z) != split.graph.n_nodes:
        raise InputError(f"The embedding must have one row for each of the {split.graph.n_nodes:,} nodes. Got {len(Z):,}.")
    scored: dict[str, dict[str, float]] = {}
    for name in scorings:
        scorer = _make_scorer(name, Z if source is embedding else source, Z, split, random_state)
        scored[name] = _figures(scorer, split, metrics, random_state)
    return scored


@dataclass(frozen=True)
class _Scorer:
    """Scores of pairs by position, and of nodes with all others, (b, n)."""

    of_pairs: Callable[[Pairs], Array]
    of_nodes: Callable[[NDArray[np.int64]], Array]


def _make_scorer(name: str, source: Any, Z: Array, split: LinkSplit, seed: int) -> _Scorer:
    if name == "links":
        is_fitted = isinstance(source, Links)
        links = source if is_fitted else Links(source, split.graph, random_state=seed, progress=lambda *_: None)
        return _Scorer(links.score_positions, links.score_all)
    if name == "hadamard":
        weights = _hadamard_weights(Z, split, np.random.default_rng(seed))
        return _Scorer(lambda pairs: dots(Z * weights, Z, pairs), lambda nodes: (Z[nodes] * weights) @ Z.T)
    if name == "distance":
        squares = np.square(Z).sum(axis=1)
        return _Scorer(
            lambda pairs: minus_distances(Z, pairs), lambda nodes: 2 * Z[nodes] @ Z.T - squares - squares[nodes][:, None]
        )
    lengths = np.linalg.norm(Z, axis=1, keepdims=True)
    rows = Z if name == "dot" else np.divide(Z, lengths, out=np.zeros_like(Z), where=lengths > 0)
    return _Scorer(lambda pairs: dots(rows, rows, pairs), lambda nodes: rows[nodes] @ rows.T)


def _figures(scorer: _Scorer, split: LinkSplit, metrics: Sequence[str], seed: int) -> dict[str, float]:
    pairs = np.concatenate([split.positive, split.negative])
    is_edge = np.repeat([True, False], [len(split.positive), len(split.negative)])
    found: dict[str, float] = {}
    of_pairs = [name for name in metrics if not is_of_places(name)]
    if of_pairs:
        scores = scorer.of_pairs(pairs)
        found |= {name: 100 * figure_of_pairs(name, is_edge, scores) for name in of_pairs}
    of_places = [name for name in metrics if is_of_places(name)]
    if of_places:
        places = _ranked_places(scorer, split, find_ends(split.graph), seed)
        found |= {name: 100 * figure_of_places(name, places) for name in of_places}
    found = {name: found[name] for name in metrics}
    if len(split.one_way) and of_pairs:
        both = scorer.of_pairs(np.concatenate([split.one_way, split.one_way[:, ::-1]]))
        found[DIRECTION] = 100 * figure_of_pairs("roc_auc", np.repeat([True, False], len(split.one_way)), both)
    return found


def _ranked_places(scorer: _Scorer, split: LinkSplit, ends: LinkEnds, seed: int) -> list[NDArray[np.int64]]:
    """The places of held-out links among the candidates of some nodes: those of both ends of undirected edges."""
    positive = split.positive if ends.has_order else np.concatenate([split.positive, split.positive[:, ::-1]])
    order = hash_order(split.graph.node_ids)
    nodes = order[np.isin(order, positive[:, 0])]
    if len(nodes) > N_RANKED:
        nodes = nodes[np.sort(np.random.default_rng(seed).choice(len(nodes), N_RANKED, replace=False))]
    A = split.graph.adjacency
    places = []
    step = max(1, CHUNK // A.shape[0])
    for start in range(0, len(nodes), step):
        part = nodes[start : start + step]
        for node, scores in zip(part.tolist(), scorer.of_nodes(part), strict=True):
            may = ends.is_target.copy()
            may[A.indices[A.indptr[node] : A.indptr[node + 1]]] = False
            may[node] = False
            is_link = np.zeros(len(may), dtype=np.bool_)
            is_link[positive[positive[:, 0] == node, 1]] = True
            if split.graph.node_types is None or ends.has_sides:
                places.append(places_of(scores, is_link, may))
                continue
            codes = split.graph.type_codes  # of several types the candidates are those of the type of the link
            places += [
                places_of(scores, is_link & (codes == code), may & (codes == code)) for code in np.unique(codes[is_link])
            ]
    return [one for one in places if len(one)]


def dots(left: Array, right: Array, pairs: Pairs, n_numbers: int = CHUNK) -> Array:
    """Inner products of rows, some pairs at a time: raw features have thousands of columns."""
    step = max(1, n_numbers // left.shape[1])
    parts = [pairs[start : start + step] for start in range(0, len(pairs), step)]
    return np.concatenate([np.einsum("md,md->m", left[part[:, 0]], right[part[:, 1]]) for part in parts])


def minus_distances(Z: Array, pairs: Pairs, n_numbers: int = CHUNK) -> Array:
    """Squared distances of rows below zero, as many pairs at a time."""
    step = max(1, n_numbers // Z.shape[1])
    parts = [pairs[start : start + step] for start in range(0, len(pairs), step)]
    return np.concatenate([-np.square(Z[part[:, 0]] - Z[part[:, 1]]).sum(axis=1) for part in parts])


def _hadamard_weights(Z: Array, split: LinkSplit, generator: np.random.Generator) -> Array:
    """The weights of a logistic regression for products of rows, (d,); no scored pair is among its examples.

    The centre of the products and the intercept are the same for all pairs, and change no ranking.
    """
    edges, others = training_pairs(split, generator)
    examples = np.concatenate([edges, others])
    products = Z[examples[:, 0]] * Z[examples[:, 1]]
    centre, scale = products.mean(axis=0), products.std(axis=0)
    scale[scale <= 1e-12 * np.abs(centre)] = 1.0
    scale[scale == 0] = 1.0
    signs = np.repeat([1.0, -1.0], len(edges))[None, :, None]
    weights = OneVsRest(((products - centre) / scale)[None], signs).fit(C=1.0, tolerance=1e-6)[0, :, 0]
    return np.asarray(weights[:-1] / scale)


def training_pairs(split: LinkSplit, generator: np.random.Generator) -> tuple[Pairs, Pairs]:
    """Some edges that are not held out, and as many pairs that are neither edges nor held out."""
    order, n_nodes = hash_order(split.graph.node_ids), split.graph.n_nodes
    edges = in_order(linked_pairs(split.graph), order)
    avoided = np.concatenate([edges, np.sort(split.positive, axis=1), np.sort(split.negative, axis=1)])
    n_free = n_nodes * (n_nodes - 1) // 2 - len(avoided)
    count = min(N_TRAINING_PAIRS, len(edges), n_free)
    if count < 1:
        raise InputError("The graph is too dense to learn links from: every pair of its nodes is an edge or held out.")
    edges = edges[generator.choice(len(edges), count, replace=False)]
    return edges, sample_non_edges(avoided, order, count, generator)
