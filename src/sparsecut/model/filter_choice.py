"""What a filter leaves to the graph (the restart of PageRank), chosen by edges held out.

Some edges are taken out of the graph, the rest is embedded with each candidate, and the one whose embedding tells the edges
best from other pairs of nodes is taken. The embeddings are made of the directions that lead after two hops: found once, they
are few columns to smooth, and what lies beyond weighs nothing. The edges are drawn by a hash of the node ids
(`sparsecut.graph.edge_sample`), so the order of nodes and lines changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from sparsecut.engines.contract import Engine
from sparsecut.features.weighting import Weighting
from sparsecut.graph import Graph
from sparsecut.graph.edge_sample import sample_edges, sample_node_pairs
from sparsecut.kernels.polynomials import power
from sparsecut.kernels.spectrum import leading_eigenvectors
from sparsecut.model.edge_trial import STRUCTURE_HOPS, RandomSigns, Trial, doubt
from sparsecut.model.sharpened import EFFECTIVE_RANK, sharpen, whole_spectrum
from sparsecut.model.solver import gram_product
from sparsecut.operators.filters import Filter
from sparsecut.operators.negatives import complete_graph

HELD_OUT = 0.1  # of the edges …
MAX_HELD_OUT = 20_000  # … and no more than tell candidates apart
MIN_EDGES = 2_000  # of which 200 are held out: fewer do not tell candidates apart, and the choice would be chance
TRIAL_HOPS, TRIAL_DIRECTIONS, TRIAL_ITERATIONS = 2, 64, 3


@dataclass(frozen=True)
class FilterChoice:
    """The filter chosen, why, and what the trial says against the features, if anything."""

    filter: Filter
    why: str = ""  # empty where there was nothing to choose
    doubt: str | None = None


def choose_filter(graph: Graph, rows: Any, filter: Filter, engine: Engine[Any]) -> FilterChoice:
    """The candidate whose embedding tells held-out edges best from other pairs of nodes."""
    candidates = [candidate.on(is_directed=graph.is_directed) for candidate in filter.candidates()]
    if len(candidates) == 1:
        return FilterChoice(candidates[0])
    if graph.n_edges < MIN_EDGES:
        usual = filter.usual().on(is_directed=graph.is_directed)
        return FilterChoice(usual, f"{graph.n_edges} edges are too few to hold some out: the usual restart")
    n_held_out = min(int(HELD_OUT * graph.n_edges), MAX_HELD_OUT)
    edges = sample_edges(graph, n_held_out)
    trial = Trial.of(edges, sample_node_pairs(graph, n_held_out))
    kept = engine.without(rows, edges)
    leading = _leading_columns(kept, graph, engine)

    def score(candidate: Filter) -> float:
        smoothed = engine.smooth(leading, candidate.coefficients())
        moments = engine.moments([smoothed], complete_graph(graph.n_nodes))
        n_columns = len(moments.M)
        spectrum = whole_spectrum(moments.M, n_columns)
        W = sharpen(spectrum, [n_columns], [1.0], n_columns, EFFECTIVE_RANK, 1.0).weights[0]
        Z = engine.take(smoothed, trial.nodes) @ W  # few rows of a large graph
        return trial.score(Z - (moments.mean @ W.double()).float())

    def structure() -> float:
        signs = engine.load(graph, Weighting("none"), filter, RandomSigns(graph.node_ids))
        walks = engine.smooth(engine.without(signs, edges), power(STRUCTURE_HOPS))
        return trial.score_centred(engine.take(walks, trial.nodes))

    scores = [engine.checkpoint(f"trial-{number}", partial(score, candidate)) for number, candidate in enumerate(candidates)]
    best = max(range(len(scores)), key=scores.__getitem__)
    tried = ", ".join(f"{score:.3f} with {_setting(candidate)}" for score, candidate in zip(scores, candidates, strict=True))
    alike = engine.checkpoint("trial-alike", lambda: trial.score_centred(engine.take(leading, trial.nodes)))
    return FilterChoice(
        candidates[best],
        f"held-out edges are told from other pairs best (AUC {tried})",
        doubt(alike, scores[best], lambda: engine.checkpoint("trial-structure", structure)),
    )


def _leading_columns(rows: Any, graph: Graph, engine: Engine[Any]) -> Any:  # (n, k)
    """The features' leading directions after two hops, as rows that have taken none."""
    n_features = graph.n_features
    if n_features <= TRIAL_DIRECTIONS:
        return engine.multiply([rows], torch.eye(n_features, device=engine.device))

    def directions() -> dict[str, Any]:
        by_products = "products" in engine.supports
        smoothed = engine.smooth(rows, power(TRIAL_HOPS), lazily=by_products)
        product = gram_product(engine, [smoothed], complete_graph(graph.n_nodes), by_products=by_products)
        _, V = leading_eigenvectors(
            product, n_features, TRIAL_DIRECTIONS, device=engine.device, n_iterations=TRIAL_ITERATIONS
        )
        return {"V": V.cpu().numpy()}

    V = engine.checkpoint("trial-directions", directions)["V"]
    return engine.multiply([rows], torch.from_numpy(V).to(engine.device))


def _setting(filter: Filter) -> str:
    """What tells a candidate from the others, in words."""
    restart = getattr(filter, "restart", None)
    return f"{restart:g}" if restart is not None else repr(filter)
