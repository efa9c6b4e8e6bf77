"""What a filter leaves to the graph (the restart of PageRank), chosen by edges held out.

Some edges are taken out of the graph, the rest is embedded with each candidate, and the one whose embedding ranks the edges
best above other pairs of nodes is taken. The embeddings are made of directions that lead after a hop or two: found once,
they are few columns to smooth, and what lies beyond weighs nothing. The candidates are polynomials of one matrix, so they
share their hops,

    P^k X, k = 0 … d,      S_c = Σ c_k P^k X  for each candidate c,

and only some rows of each power are read: those of the pairs, and of the nodes that the spectrum is read off. So the
trial takes d hops of few columns, whatever the number of candidates. The edges are drawn by a hash of the node ids
(`sparsecut.graph.edge_sample`), so the order of nodes and lines changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.engines.contract import Engine
from sparsecut.features.weighting import Weighting
from sparsecut.graph import Graph
from sparsecut.graph.edge_sample import sample_edges, sample_linked_nodes, sample_node_pairs
from sparsecut.kernels.polynomials import power
from sparsecut.kernels.spectrum import orthonormal
from sparsecut.kernels.transfer import as_tensor
from sparsecut.model.auto.constants import CONSTANTS, Constants, FilterCost
from sparsecut.model.auto.edge_trial import RandomSigns, Trial, doubt, exchanged_ends
from sparsecut.model.problem import gram_product
from sparsecut.operators.filters import Filter
from sparsecut.operators.negatives import complete_graph
from sparsecut.operators.reason import Reason
from sparsecut.operators.sharpened import sharpened_directions


@dataclass(frozen=True)
class FilterChoice:
    """The filter chosen, what the trial of candidates measured, and what it says against the features, if anything."""

    filter: Filter
    trial: Reason | None = None  # None where there was nothing to choose
    doubt: Reason | None = None


def choose_filter(
    graph: Graph, rows: Any, filter: Filter, engine: Engine[Any], constants: Constants = CONSTANTS
) -> FilterChoice:
    """The candidate whose embedding ranks held-out edges best above other pairs of nodes."""
    rule, cost = constants.filter, constants.filter_cost
    candidates = [candidate.on(is_directed=graph.is_directed) for candidate in filter.candidates()]
    if len(candidates) == 1:
        return FilterChoice(candidates[0])
    if graph.n_edges < rule.min_edges:
        usual = filter.usual().on(is_directed=graph.is_directed)
        return FilterChoice(usual, Reason("trial", repr(usual), "few edges", {"edges": graph.n_edges}))
    n_held_out = min(int(rule.held_out * graph.n_edges), cost.max_held_out)
    edges = sample_edges(engine, n_held_out)
    codes = None if graph.node_types is None else graph.type_codes
    others = sample_node_pairs(engine, n_held_out) if codes is None else exchanged_ends(edges, codes)
    trial = Trial.of(edges, others, engine.device)
    kept = engine.without(rows, edges)
    leading = _leading_columns(kept, graph, engine, rule.n_hops, cost)

    def structure() -> float:
        signs = engine.load(graph, Weighting("none"), filter, RandomSigns(graph.node_ids))
        walks = engine.smooth(engine.without(signs, edges), power(rule.structure_hops))
        return trial.score_centred(engine.take(walks, trial.nodes))

    scores = engine.checkpoint("trials", lambda: _scores(candidates, leading, graph, trial, engine, constants))
    best = shortest_of_best(candidates, scores, rule.tie)
    tried = {repr(candidate): score for score, candidate in zip(scores, candidates, strict=True)}
    reason = Reason("trial", repr(candidates[best]), "held-out edges", tried)
    if codes is not None:  # the two ends of an edge have no column in common: before a hop they cannot be alike
        return FilterChoice(candidates[best], reason)
    alike = engine.checkpoint("trial-alike", lambda: trial.score_centred(engine.take(leading, trial.nodes)))
    return FilterChoice(
        candidates[best],
        reason,
        doubt(alike, scores[best], lambda: engine.checkpoint("trial-structure", structure), rule.max_alike),
    )


def shortest_of_best(candidates: Sequence[Filter], scores: Sequence[float], tie: float) -> int:
    """Which candidate to take: of those that no measurement can rank, the one with the fewest hops."""
    near = [number for number, score in enumerate(scores) if score >= max(scores) - tie]
    return min(near, key=lambda number: len(candidates[number].coefficients()))


def _scores(
    candidates: Sequence[Filter], leading: Any, graph: Graph, trial: Trial, engine: Engine[Any], constants: Constants
) -> list[float]:
    """The AUC of each candidate."""
    polynomials = [candidate.coefficients() for candidate in candidates]
    is_sampled = None
    if graph.n_nodes <= constants.filter_cost.many_nodes:
        nodes = np.arange(graph.n_nodes)
    else:
        nodes = trial.nodes
        is_sampled = np.zeros(len(nodes), dtype=bool)
        is_sampled[trial.others] = True  # pairs of any two nodes: their ends are a fair sample
    sums: list[Any] = [None] * len(polynomials)
    reached, last = leading, max(map(len, polynomials)) - 1
    for k in range(last + 1):
        if k > 0:  # of the last hop some rows are enough
            reached = engine.smooth(reached, power(1), lazily=k == last and is_sampled is not None)
        taken = engine.take(reached, nodes)  # (m, c)
        for number, coefficients in enumerate(polynomials):
            if k == 0:
                sums[number] = taken * coefficients[0]
            elif k < len(coefficients):
                sums[number].add_(taken, alpha=coefficients[k])
    device = sums[0].device
    of_spectrum = sums if is_sampled is None else [S[as_tensor(np.flatnonzero(is_sampled), device)] for S in sums]
    if graph.node_types is not None:  # each type about its own mean
        seen = nodes if is_sampled is None else nodes[is_sampled]
        means_by_type = [_means_by_type(S, graph.type_codes[seen], len(graph.node_types)) for S in of_spectrum]
        of_spectrum = [S - means[graph.type_codes[seen]] for S, means in zip(of_spectrum, means_by_type, strict=True)]
        sums = [S - means[graph.type_codes[nodes]] for S, means in zip(sums, means_by_type, strict=True)]
    known = torch.stack(of_spectrum).double()  # (candidates, nodes, c)
    means = known.mean(dim=1, keepdim=True)
    known -= means
    scatters = (known.mT @ known / known.shape[1]).cpu()
    W = sharpened_directions(scatters, constants.spectrum.effective_rank).to(device)
    embedded = torch.stack(sums)
    if len(nodes) != len(trial.nodes):
        embedded = embedded[:, as_tensor(trial.nodes, device)]
    return trial.scores((embedded - means.float()) @ W)


def _means_by_type(S: Tensor, codes: NDArray[np.int16], n_types: int) -> Tensor:
    """The mean of the rows of each type, (types + 1, c), the last that of nodes of no type; zeros where there are none."""
    places = torch.from_numpy(np.where(codes < 0, n_types, codes).astype(np.int64)).to(S.device)
    sums = torch.zeros(n_types + 1, S.shape[1], dtype=torch.float64, device=S.device).index_add_(0, places, S.double())
    counts = places.bincount(minlength=n_types + 1).clamp(min=1)
    return (sums / counts[:, None]).float()


def _leading_columns(rows: Any, graph: Graph, engine: Engine[Any], n_hops: int, cost: FilterCost) -> Any:  # (n, k)
    """Directions of the features that lead once they are smoothed, as rows that have taken no hop.

    The span of M·Ω for a random Ω is all that is needed: the spectrum inside it is found after the hops. M is that of two
    hops, or, where hops are dear, of one hop that a sample of nodes has taken, with a few products more.
    """
    n_features, is_large = graph.n_features, graph.n_nodes > cost.many_nodes
    n_directions = cost.few_directions if is_large else cost.n_directions
    if n_features <= n_directions:
        return engine.multiply([rows], torch.eye(n_features, device=engine.device))

    def directions() -> dict[str, Any]:
        V = torch.randn(n_features, n_directions, generator=torch.Generator().manual_seed(0)).to(engine.device)
        if is_large and not graph.has_sparse_features:
            some = engine.take(engine.smooth(rows, power(1), lazily=True), sample_linked_nodes(engine, cost.n_sampled))
            centred = some - some.mean(dim=0)
            for number in range(1, cost.n_products + 1):
                V = orthonormal(centred.T @ (centred @ V), n_passes=2 if number == cost.n_products else 1)
        else:
            smoothed = engine.smooth(rows, power(n_hops), lazily=True)
            V = orthonormal(gram_product(engine, [smoothed], V, complete_graph(graph.n_nodes)))
        return {"V": V.cpu().numpy()}

    V = engine.checkpoint("trial-directions", directions)["V"]
    return engine.multiply([rows], torch.from_numpy(V).to(engine.device))
