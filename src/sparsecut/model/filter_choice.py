"""What a filter leaves to the graph (the restart of PageRank), chosen by edges held out.

Some edges are taken out of the graph, the rest is embedded with each candidate, and the one whose embedding tells the edges
best from other pairs of nodes is taken. The embeddings are made of directions that lead after two hops: found once, they
are few columns to smooth, and what lies beyond weighs nothing. The candidates are polynomials of one matrix, so they share
their hops,

    P^k X, k = 0 … d,      S_c = Σ c_k P^k X  for each candidate c,

and only some rows of each power are looked at: those of the pairs, and of the nodes that the spectrum is read off. So the
trial takes d hops of few columns, whatever the number of candidates. The edges are drawn by a hash of the node ids
(`sparsecut.graph.edge_sample`), so the order of nodes and lines changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from sparsecut.engines.contract import Engine
from sparsecut.features.weighting import Weighting
from sparsecut.graph import Graph
from sparsecut.graph.edge_sample import sample_edges, sample_node_pairs
from sparsecut.kernels.moments import mean_of, scatter
from sparsecut.kernels.polynomials import power
from sparsecut.kernels.sparse import as_tensor
from sparsecut.kernels.spectrum import orthonormal
from sparsecut.model.edge_trial import STRUCTURE_HOPS, RandomSigns, Trial, doubt
from sparsecut.model.sharpened import EFFECTIVE_RANK, sharpen, whole_spectrum
from sparsecut.model.solver import gram_product
from sparsecut.operators.filters import Filter
from sparsecut.operators.negatives import complete_graph

HELD_OUT = 0.1  # of the edges …
MAX_HELD_OUT = 10_000  # … and no more than tell candidates apart
MIN_EDGES = 2_000  # of which 200 are held out: fewer do not tell candidates apart, and the choice would be chance
TIE = 5e-4  # of the AUC: less than another draw of the edges changes it by
TRIAL_HOPS, TRIAL_DIRECTIONS = 2, 64
MANY_NODES = 1 << 16  # from here on the spectrum is read off a sample of the nodes, and …
FEW_DIRECTIONS = 32  # … so many columns tell the candidates apart


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

    def structure() -> float:
        signs = engine.load(graph, Weighting("none"), filter, RandomSigns(graph.node_ids))
        walks = engine.smooth(engine.without(signs, edges), power(STRUCTURE_HOPS))
        return trial.score_centred(engine.take(walks, trial.nodes))

    scores = engine.checkpoint("trials", lambda: _scores(candidates, leading, graph, trial, engine))
    # Of those that no measurement tells apart the one with the fewest hops.
    near = [number for number, score in enumerate(scores) if score >= max(scores) - TIE]
    best = min(near, key=lambda number: len(candidates[number].coefficients()))
    tried = ", ".join(f"{score:.3f} with {_setting(candidate)}" for score, candidate in zip(scores, candidates, strict=True))
    alike = engine.checkpoint("trial-alike", lambda: trial.score_centred(engine.take(leading, trial.nodes)))
    return FilterChoice(
        candidates[best],
        f"held-out edges are told from other pairs best (AUC {tried})",
        doubt(alike, scores[best], lambda: engine.checkpoint("trial-structure", structure)),
    )


def _scores(candidates: Sequence[Filter], leading: Any, graph: Graph, trial: Trial, engine: Engine[Any]) -> list[float]:
    """The AUC of each candidate."""
    polynomials = [candidate.coefficients() for candidate in candidates]
    nodes, sampled = np.arange(graph.n_nodes), None
    if graph.n_nodes > MANY_NODES:
        nodes = trial.nodes
        sampled = np.unique(trial.others)  # pairs of any two nodes: their ends are a fair sample
    sums: list[Any] = [None] * len(polynomials)
    reached = leading
    for k in range(max(map(len, polynomials))):
        reached = reached if k == 0 else engine.smooth(reached, power(1))
        taken = engine.take(reached, nodes)  # (m, c)
        for number, coefficients in enumerate(polynomials):
            if k < len(coefficients):
                term = taken * coefficients[k]
                sums[number] = term if k == 0 else sums[number].add_(term)
    scores = []
    for S in sums:
        of_spectrum = S if sampled is None else S[as_tensor(sampled, S.device)]
        mean = mean_of(of_spectrum)
        M = scatter(of_spectrum, None, mean)
        n_columns = len(M)
        W = sharpen(whole_spectrum(M, n_columns), [n_columns], [1.0], n_columns, EFFECTIVE_RANK, 1.0).weights[0]
        of_pairs = S if len(nodes) == len(trial.nodes) else S[as_tensor(trial.nodes, S.device)]
        scores.append(trial.score((of_pairs - mean.float()) @ W))
    return scores


def _leading_columns(rows: Any, graph: Graph, engine: Engine[Any]) -> Any:  # (n, k)
    """Directions of the features that lead after two hops, as rows that have taken none.

    The span of M·Ω for a random Ω is all that is asked for: the spectrum inside it is found after the hops.
    """
    n_features = graph.n_features
    n_directions = TRIAL_DIRECTIONS if graph.n_nodes <= MANY_NODES else FEW_DIRECTIONS
    if n_features <= n_directions:
        return engine.multiply([rows], torch.eye(n_features, device=engine.device))

    def directions() -> dict[str, Any]:
        by_products = "products" in engine.supports
        smoothed = engine.smooth(rows, power(TRIAL_HOPS), lazily=by_products)
        product = gram_product(engine, [smoothed], complete_graph(graph.n_nodes), by_products=by_products)
        start = torch.randn(n_features, n_directions, generator=torch.Generator().manual_seed(0))
        return {"V": orthonormal(product(orthonormal(start.to(engine.device)))).cpu().numpy()}

    V = engine.checkpoint("trial-directions", directions)["V"]
    return engine.multiply([rows], torch.from_numpy(V).to(engine.device))


def _setting(filter: Filter) -> str:
    """What tells a candidate from the others, in words."""
    restart = getattr(filter, "restart", None)
    return f"{restart:g}" if restart is not None else repr(filter)
