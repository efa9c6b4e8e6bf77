"""Several methods on one graph by its links: the same edges held out for all, fitted alone, ranked by one scoring.

Every method is fitted anew for each set of held-out edges, in a process of its own. The scoring is that of `sparsecut.Links`
by default, fitted on the vectors of each method: what a user of the method would rank links by.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sparsecut.base.errors import InputError, check_choice, check_integer
from sparsecut.base.progress import Reporter, reporting
from sparsecut.evaluation.link_holdout import LinkSplit, hold_out_edges
from sparsecut.evaluation.link_prediction import SCORINGS, score_links
from sparsecut.evaluation.paired import Comparison, compare_scores
from sparsecut.evaluation.scores import Scores
from sparsecut.graph import Graph, as_graph
from sparsecut.lab.baselines.methods import find_method
from sparsecut.lab.compared import MethodComparison, MethodResult
from sparsecut.lab.comparison import DEFAULT_METHODS, fit_alone
from sparsecut.links.ranking import LINK_METRICS, check_link_metrics


def compare_links(
    graph: Graph,
    methods: str | Sequence[str] = DEFAULT_METHODS,
    *,
    fraction: float = 0.1,
    n_runs: int = 5,
    scoring: str = "links",
    metrics: str | Sequence[str] = LINK_METRICS,
    random_state: int = 0,
    options: Mapping[str, Any] | None = None,
    progress: Reporter | None = None,
) -> MethodComparison:
    """Fit registered methods on a graph without some edges, and score how well these are ranked.

    Parameters
    ----------
    graph : Graph
        The whole graph; it needs no labels.
    methods : str or sequence of str, default=("sce", "mosce", "smoothed", "raw")
        Names in the registry of methods that embed; the others are compared with the first, run by run.
    fraction : float, default=0.1
        The fraction of edges to hold out.
    n_runs : int, default=5
        How often, each time with other edges.
    scoring : {"links", "dot", "cosine", "distance", "hadamard"}, default="links"
        How pairs of vectors are scored; see `sparsecut.evaluation.evaluate_links`.
    metrics : str or sequence of str, default=("roc_auc", "average_precision", "hit@10", "ndcg@10", "mrr")
        What to measure; methods are compared by the first.
    random_state : int, default=0
        Seed of the edges held out and of the methods.
    options : mapping, optional
        Settings (dimension, epochs, device) for the methods that have them.
    progress : callable, optional
        Called as `progress(stage, done, total)` in place of the progress bar.

    Returns
    -------
    MethodComparison
        One `MethodResult` per method; its scores are under the key "links".

    Examples
    --------
    >>> import sparsecut as sc
    >>> from sparsecut.lab.link_comparison import compare_links
    >>> compared = compare_links(sc.datasets.load("digits"), ["smoothed", "raw"], n_runs=2, metrics=["roc_auc"])
    >>> [result.method for result in compared], compared[0].scores["links"].mean > 90
    (['smoothed', 'raw'], True)
    """
    graph = as_graph(graph)
    check_choice("compare_links", "scoring", scoring, SCORINGS)
    check_integer("compare_links", "n_runs", n_runs, 1)
    asked = [name.strip() for name in methods.split(",")] if isinstance(methods, str) else methods
    named = tuple(metrics.replace(" ", "").split(",")) if isinstance(metrics, str) else tuple(metrics)
    check_link_metrics("compare_links", named)
    chosen = [find_method(name) for name in asked]
    if wrong := [method.name for method in chosen if method.is_supervised]:
        raise InputError(f"Methods are compared by links through their embeddings. {wrong[0]} predicts labels and has none.")
    seeds = [int(seed) for seed in np.random.SeedSequence(random_state).generate_state(n_runs)]
    splits = [hold_out_edges(graph, fraction, seed) for seed in seeds]
    results: list[MethodResult] = []
    with reporting(progress) as report:
        for number, method in enumerate(chosen):
            report("methods", number, len(chosen))
            offered = {**(options or {}), "random_state": random_state}
            runs, measured, error = [], {}, None
            for seed, split in zip(seeds, splits, strict=True):
                fit = fit_alone(method, split.graph, offered=offered)
                if fit.embedding is None:
                    error = fit.error
                    break
                measured = fit.measured
                runs.append(score_links(fit.embedding, split, seed, [scoring], named)[scoring])
            scores: dict[int | str, Scores] = {}
            against: dict[int | str, Comparison] = {}
            if error is None:
                figures = {name: np.array([run[name] for run in runs]) for name in runs[0]}
                scores = {"links": Scores(figures, probe=scoring, splits=_digest(splits))}
            first = results[0].scores.get("links") if results else None
            if scores and first is not None:
                against = {"links": compare_scores(scores["links"], first)}
            results.append(MethodResult(method.name, scores, against, measured, error))
        report("methods", len(chosen), len(chosen))
    return MethodComparison(results, named)


def _digest(splits: Sequence[LinkSplit]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for split in splits:
        digest.update(split.positive.tobytes() + b"|" + split.negative.tobytes())
    return digest.hexdigest()
