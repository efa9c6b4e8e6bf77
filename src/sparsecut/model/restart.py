"""How much of a node's own row PageRank keeps: its restart, chosen by edges held out.

Some edges are taken out of the graph, the rest is embedded with each restart, and the one whose embedding tells the edges
best from other pairs of nodes is taken. The embeddings are made of the directions that lead after two hops: found once, they
are few columns to smooth, and what lies beyond weighs nothing. `model.restart_on_disk` does the same with rows on disk.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.engines import MemoryEngine
from sparsecut.graph import Graph
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.kernels.sparse import as_tensor
from sparsecut.kernels.spectrum import leading_eigenvectors
from sparsecut.model.edge_trial import STRUCTURE_HOPS, Trial, doubt, random_signs
from sparsecut.model.spectral import EFFECTIVE_RANK, solve
from sparsecut.operators.filters import polynomial
from sparsecut.operators.negatives import CompleteNegatives
from sparsecut.operators.propagation import Propagation
from sparsecut.operators.rows import Rows

RESTARTS = (0.3, 0.2, 0.1)  # from the lightest smoothing to the heaviest
USUAL_RESTART = 0.2
HELD_OUT = 0.1  # of the edges …
MAX_HELD_OUT = 20_000  # … and no more than tell restarts apart
MIN_EDGES = 2_000  # of which 200 are held out: fewer do not tell restarts apart, and the choice would be chance
TRIAL_HOPS, TRIAL_DIRECTIONS, TRIAL_ITERATIONS = 2, 64, 3


@dataclass(frozen=True)
class Restart:
    """The restart chosen, why, and what the trial says against the features, if anything."""

    value: float
    why: str
    doubt: str | None = None


def choose_restart(
    graph: Graph, loaded: Rows, filter: str, hops_of: Callable[[float], int], engine: MemoryEngine
) -> Restart:
    """The restart whose embedding tells held-out edges best from other pairs of nodes."""
    if graph.n_edges < MIN_EDGES:
        return usual_restart(graph)
    kept, held_out, others = _hold_out(graph)
    P = Propagation.of(kept, filter, engine.device, is_directed=graph.is_directed)
    leading = _leading_columns(Rows(loaded.features, P, loaded.coefficients))
    trial = Trial.of(held_out, others)

    nodes = as_tensor(trial.nodes, engine.device)

    def score_as_they_are(rows: Rows) -> float:
        assert isinstance(rows.features, Tensor)
        return trial.score_centred(rows.features[nodes])

    def structure() -> float:
        walks = Rows(random_signs(graph.n_nodes).to(engine.device), P)
        return score_as_they_are(engine.smooth(walks, polynomial("row", STRUCTURE_HOPS)))

    return best_restart(
        filter,
        hops_of,
        lambda coefficients: edge_score(leading, coefficients, trial, engine),
        alike=lambda: score_as_they_are(leading),
        structure=structure,
    )


def hops_of_restart(restart: float) -> int:
    """As many that little of the walk has not restarted: (1 − α)^(2/α) is about 1/8 for any α."""
    return round(2 / restart)


def best_restart(
    filter: str,
    hops_of: Callable[[float], int],
    score: Callable[[Polynomial], float],
    alike: Callable[[], float],
    structure: Callable[[], float],
) -> Restart:
    """The restart with the highest score, and all scores; `alike` and `structure` are what `edge_trial.doubt` asks for."""
    scores = {restart: score(polynomial(filter, hops_of(restart), restart)) for restart in RESTARTS}
    best = max(scores, key=scores.__getitem__)
    tried = ", ".join(f"{score:.3f} with {restart:g}" for restart, score in scores.items())
    why = f"held-out edges are told from other pairs best (AUC {tried})"
    return Restart(best, why, doubt(alike(), scores[best], structure))


def usual_restart(graph: Graph) -> Restart:
    return Restart(USUAL_RESTART, f"{graph.n_edges} edges are too few to hold some out: the usual restart")


def edge_score(rows: Rows, coefficients: Polynomial, trial: Trial, engine: MemoryEngine) -> float:
    """The AUC of edges against other pairs in the embedding of the smoothed rows."""
    level = engine.smooth(rows, coefficients)
    closed = solve(
        [level],
        CompleteNegatives(rows.shape[0]),
        engine=engine,
        dimension=rows.shape[1],
        effective_rank=EFFECTIVE_RANK,
        length=1.0,
        report=lambda *_: None,
    )
    Z = level @ closed.weights[0]
    return trial.score(Z[as_tensor(trial.nodes, engine.device)] - Z.mean(dim=0))  # few rows of a large graph


def trial_directions(multiply: Callable[[Tensor], Tensor], n_features: int, device: torch.device) -> Tensor:  # (f, k)
    """The leading directions of M = SᵀLS, known by its products, for the features S smoothed a little."""
    return leading_eigenvectors(multiply, n_features, TRIAL_DIRECTIONS, device=device, n_iterations=TRIAL_ITERATIONS)[1]


def _leading_columns(rows: Rows) -> Rows:  # (n, k)
    n_nodes, n_features = rows.shape
    if n_features <= TRIAL_DIRECTIONS:
        return Rows(rows @ torch.eye(n_features, device=rows.device), rows.propagation)
    smoothed, negatives = rows.through(polynomial("row", TRIAL_HOPS)), CompleteNegatives(n_nodes)
    V = trial_directions(lambda W: smoothed.transpose_times(negatives.laplacian(smoothed @ W)), n_features, rows.device)
    return Rows(rows @ V, rows.propagation)


def _hold_out(graph: Graph) -> tuple[sp.csr_array, NDArray[np.int64], NDArray[np.int64]]:
    """The graph without some of its edges, those edges, (2, m), and as many pairs at random, drawn once and for all."""
    generator, A = np.random.default_rng(0), graph.adjacency
    row_of_entry = np.repeat(np.arange(graph.n_nodes, dtype=A.indices.dtype), np.diff(A.indptr))
    entries = np.arange(A.nnz, dtype=A.indptr.dtype)
    first = entries if graph.is_directed else entries[row_of_entry < A.indices]  # of the two entries of an edge
    n_held_out = min(int(HELD_OUT * len(first)), MAX_HELD_OUT)
    chosen = first[np.sort(generator.choice(len(first), n_held_out, replace=False))]
    others = generator.integers(0, graph.n_nodes, (2, n_held_out))
    i, j = row_of_entry[chosen], A.indices[chosen]
    is_kept = np.ones(A.nnz, dtype=bool)
    is_kept[chosen] = False
    if not graph.is_directed:
        entry_at = sp.csr_array((entries, A.indices, A.indptr), shape=A.shape)
        is_kept[entry_at[j, i]] = False
    n_removed = np.bincount(row_of_entry[~is_kept], minlength=graph.n_nodes)
    indptr = A.indptr - np.concatenate([[0], np.cumsum(n_removed)]).astype(A.indptr.dtype)
    kept = sp.csr_array((A.data[is_kept], A.indices[is_kept], indptr), shape=A.shape)
    return kept, np.stack([i, j]).astype(np.int64), others
