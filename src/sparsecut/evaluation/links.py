"""Link prediction: edges held out before training, and ranked by the embedding among pairs without an edge.

An embedding of the whole graph has seen every edge, so it cannot show which ones it would have predicted. Here the graph
is cut first (`hold_out_edges`), the method sees only what is left, and both kinds of held-out pairs are then ranked by

- dot: z_i·z_j
- cosine: the same for vectors of length 1
- distance: −‖z_i − z_j‖², what the sparsest cut itself measures
- hadamard: a logistic regression (C = 1) on the standardised products z_i∘z_j, trained on edges of the training graph and as
  many pairs that are neither its edges nor held out

AUC is the chance that a held-out edge ranks above a held-out non-edge; average precision weighs the top of the ranking.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from sparsecut.base.errors import InputError, check_choice, check_integer, check_real
from sparsecut.base.progress import Reporter, reporting
from sparsecut.evaluation.linear_probe import CHUNK, check_embedding
from sparsecut.evaluation.logistic import OneVsRest
from sparsecut.evaluation.scores import summary
from sparsecut.graph import Graph, as_graph, place_rows
from sparsecut.graph.linked_pairs import Pairs, linked_pairs, sample_non_edges, without_pairs

SCORINGS = ("dot", "cosine", "distance", "hadamard")
N_TRAINING_PAIRS = 10_000  # of each kind at most, for the logistic regression: far more than its coefficients


@dataclass(frozen=True)
class LinkSplit:
    """A graph with some edges held out: see `hold_out_edges`.

    Attributes
    ----------
    graph : Graph
        What a method may see.
    positive : array of shape (m, 2)
        The pairs of nodes whose edges are held out.
    negative : array of shape (m, 2)
        As many pairs that are no edges.
    """

    graph: Graph
    positive: Pairs
    negative: Pairs


@dataclass(frozen=True)
class LinkScores:
    """AUC and average precision in percent by scoring, one value per run: see `evaluate_links`.

    Attributes
    ----------
    auc, average_precision : dict of str to array
        By the name of the scoring.
    fraction : float
        The fraction of edges held out.
    n_held_out : int
        How many edges that was.
    """

    auc: dict[str, NDArray[np.float64]]
    average_precision: dict[str, NDArray[np.float64]]
    fraction: float
    n_held_out: int

    def to_dict(self) -> dict[str, Any]:
        return {
            "fraction": self.fraction,
            "n_held_out": self.n_held_out,
            "n_runs": len(next(iter(self.auc.values()))),
            "auc": {name: summary(values) for name, values in self.auc.items()},
            "average_precision": {name: summary(values) for name, values in self.average_precision.items()},
        }

    def __str__(self) -> str:
        return ", ".join(f"{name} {values.mean():.1f} ± {values.std():.1f}" for name, values in self.auc.items()) + " (AUC)"


def evaluate_links(
    graph: Graph,
    embed: Callable[[Graph], ArrayLike],
    *,
    fraction: float = 0.1,
    n_runs: int = 5,
    scorings: Sequence[str] = SCORINGS,
    random_state: int = 0,
    progress: Reporter | None = None,
) -> LinkScores:
    """Score an estimator by how well it predicts edges it has not seen.

    Edges are held out, what is left is embedded, and the held-out edges are ranked among as many pairs without an edge.

    Parameters
    ----------
    graph : Graph, or an adjacency
        The whole graph.
    embed : callable
        Takes a graph and returns its embedding, an array or a frame: an estimator's `fit_transform`.
    fraction : float, default=0.1
        The fraction of edges to hold out.
    n_runs : int, default=5
        How often, each time with other edges; the embedding is fitted anew.
    scorings : sequence of {"dot", "cosine", "distance", "hadamard"}, default=all
        How a pair of rows is scored. The logistic regression of "hadamard" grows with the cube of the columns: leave it
        out for embeddings of thousands.
    random_state : int, default=0
        Seed of the edges held out.
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
        for run, seed in enumerate(np.random.SeedSequence(random_state).generate_state(n_runs)):
            split = hold_out_edges(graph, fraction, int(seed))
            runs.append(score_links(embed(split.graph), split, int(seed), scorings))
            report("links", run + 1, n_runs)
    return LinkScores(
        auc={name: np.array([run[name][0] for run in runs]) for name in scorings},
        average_precision={name: np.array([run[name][1] for run in runs]) for name in scorings},
        fraction=fraction,
        n_held_out=len(split.positive),
    )


def hold_out_edges(graph: Graph, fraction: float = 0.1, random_state: int = 0) -> LinkSplit:
    """Take a fraction of the edges out of a graph, uniformly, and draw as many pairs that are no edges of it.

    All nodes stay, with their features, labels and ids; a node may lose all its edges. A directed graph stays directed. Of
    two nodes that point to each other both edges are held out or neither: the scores of i, j and j, i are equal, so an edge
    that stays would give the other away.

    Parameters
    ----------
    graph : Graph
        The whole graph.
    fraction : float, default=0.1
        The fraction of pairs with an edge to hold out; at least one, and not all.
    random_state : int, default=0
        The seed.

    Returns
    -------
    LinkSplit

    Examples
    --------
    >>> import numpy as np
    >>> import sparsecut as sc
    >>> from sparsecut.evaluation import hold_out_edges
    >>> ring = sc.Graph(np.roll(np.eye(10), 1, axis=1) + np.roll(np.eye(10), -1, axis=1))
    >>> split = hold_out_edges(ring, fraction=0.2)
    >>> split.graph.n_edges, split.positive.shape, split.negative.shape
    (8, (2, 2), (2, 2))
    """
    graph = as_graph(graph)
    check_real("hold_out_edges", "fraction", fraction, above=0)
    check_integer("hold_out_edges", "random_state", random_state, 0)
    pairs = linked_pairs(graph)
    n_pairs = len(pairs)
    n_held_out = max(1, round(fraction * n_pairs))
    if n_held_out >= n_pairs:
        raise InputError(
            f"Held-out edges must leave some to train on. Got {fraction:g} of {n_pairs:,} edges. Use a smaller fraction."
        )
    generator = np.random.default_rng(random_state)
    is_held_out = np.zeros(n_pairs, dtype=bool)
    is_held_out[generator.choice(n_pairs, n_held_out, replace=False)] = True
    training = graph.replace(
        adjacency=without_pairs(graph.adjacency, pairs[is_held_out]),
        notes=(*graph.notes, f"{n_held_out:,} of {n_pairs:,} edges are held out."),
    )
    return LinkSplit(training, pairs[is_held_out], sample_non_edges(pairs, graph.n_nodes, n_held_out, generator))


def score_links(
    embedding: ArrayLike, split: LinkSplit, random_state: int = 0, scorings: Sequence[str] = SCORINGS
) -> dict[str, tuple[float, float]]:
    """How well an embedding of the training graph separates held-out edges from pairs without an edge.

    Parameters
    ----------
    embedding : array or frame of shape (n, d)
        Of `split.graph`, not of the whole graph. A frame is matched to its nodes by the ids it brings.
    split : LinkSplit
        From `hold_out_edges`.
    random_state : int, default=0
        Seed of the examples that "hadamard" learns from.
    scorings : sequence of {"dot", "cosine", "distance", "hadamard"}, default=all
        See `evaluate_links`.

    Returns
    -------
    dict of str to tuple of float
        AUC and average precision in percent, by scoring.
    """
    from sklearn.metrics import average_precision_score, roc_auc_score

    for name in scorings:
        check_choice("score_links", "scorings", name, SCORINGS)
    Z = check_embedding(place_rows(embedding, split.graph.node_ids))
    Z = np.asarray(Z.toarray() if sp.issparse(Z) else Z, dtype=np.float64)
    if len(Z) != split.graph.n_nodes:
        raise InputError(f"The embedding must have one row for each of the {split.graph.n_nodes:,} nodes. Got {len(Z):,}.")
    pairs = np.concatenate([split.positive, split.negative])
    is_edge = np.repeat([True, False], [len(split.positive), len(split.negative)])
    rankings = _rank_by_geometry(Z, pairs)
    if "hadamard" in scorings:
        rankings["hadamard"] = _hadamard(Z, split, pairs, np.random.default_rng(random_state))
    return {
        name: (
            100 * float(roc_auc_score(is_edge, rankings[name])),
            100 * float(average_precision_score(is_edge, rankings[name])),
        )
        for name in scorings
    }


def _rank_by_geometry(Z: NDArray[np.float64], pairs: Pairs) -> dict[str, NDArray[np.float64]]:
    """Dot, cosine and distance of pairs of rows, some pairs at a time: raw features have thousands of columns."""
    dots, lengths, distances = (np.empty(len(pairs)) for _ in range(3))
    step = max(1, CHUNK // Z.shape[1])
    for start in range(0, len(pairs), step):
        place = slice(start, start + step)
        left, right = Z[pairs[place, 0]], Z[pairs[place, 1]]
        dots[place] = np.einsum("md,md->m", left, right)
        lengths[place] = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
        distances[place] = -np.square(left - right).sum(axis=1)
    cosines = np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 0)
    return {"dot": dots, "cosine": cosines, "distance": distances}


def _hadamard(Z: NDArray[np.float64], split: LinkSplit, pairs: Pairs, generator: np.random.Generator) -> NDArray[np.float64]:
    """The decision values of a logistic regression for products of rows; no scored pair is among its examples."""
    edges = linked_pairs(split.graph)
    n_nodes = split.graph.n_nodes
    avoided = np.concatenate([edges, split.positive, split.negative])
    n_free = n_nodes * (n_nodes - 1) // 2 - len(avoided)
    count = min(N_TRAINING_PAIRS, len(edges), n_free)
    if count < 1:
        raise InputError("The graph is too dense to learn links from: every pair of its nodes is an edge or held out.")
    edges = edges[generator.choice(len(edges), count, replace=False)]
    examples = np.concatenate([edges, sample_non_edges(avoided, n_nodes, count, generator)])
    products = Z[examples[:, 0]] * Z[examples[:, 1]]
    centre, scale = products.mean(axis=0), products.std(axis=0)
    scale[scale <= 1e-12 * np.abs(centre)] = 1.0
    scale[scale == 0] = 1.0
    signs = np.repeat([1.0, -1.0], count)[None, :, None]
    weights = OneVsRest(((products - centre) / scale)[None], signs).fit(C=1.0, tolerance=1e-6)[0, :, 0]
    return np.asarray((Z[pairs[:, 0]] * Z[pairs[:, 1]] - centre) / scale @ weights[:-1] + weights[-1])
