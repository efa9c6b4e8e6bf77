"""What an estimator does to the features before anything is learned, and how "auto" chooses it without labels.

- The weighting follows from what the numbers are. Signed numbers are measurements and stay as they are. Counts and marks are
  words on a page: tf-idf. Other amounts are weighted already: l2. Both make every row as long as any other, which is right
  unless the length itself belongs to the place in the graph: where a node's length is told by its neighbours', it stays.
- The filter is personalised PageRank. Its restart says how much of a node's own row is kept, and how little of its
  neighbourhood is added. Edges tell how much is right: some are held out, the rest of the graph is embedded with each
  restart, and the one whose embedding tells the held-out edges best from other pairs is taken. The embeddings are made of
  the directions that lead after two hops: found once, they are few columns to smooth, and what lies beyond weighs nothing.
- The sharpness follows from the spectrum (`sparsecut.spectral`): one effective rank for every graph.

Each choice is a sentence in `reasons`, which `explain` shows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.engines import MemoryEngine
from sparsecut.features import ROW_LENGTH
from sparsecut.filters import POWERS, SERIES_ORDER, Polynomial, polynomial
from sparsecut.graph import Graph
from sparsecut.negatives import CompleteNegatives
from sparsecut.propagation import Propagation
from sparsecut.rows import Rows
from sparsecut.sparse import as_tensor
from sparsecut.spectral import solve
from sparsecut.spectrum import leading_eigenvectors
from sparsecut.streaming import neighbour_sums, value_blocks
from sparsecut.weighting import Weighting, learn_weighting, row_lengths

EFFECTIVE_RANK = 16.0  # of the embedding: enough directions for dozens of groups, few enough for five labels a group
LENGTH = 9.0  # of the smoothed rows before sharpening: a logistic regression with C = 1 then neither under- nor overfits
RESTARTS = (0.3, 0.2, 0.1)  # from the lightest smoothing to the heaviest
HELD_OUT = 0.1  # of the edges …
MAX_HELD_OUT = 20_000  # … and no more than tell restarts apart
LENGTH_AGREEMENT = 0.35  # correlation of a row's length with its neighbours'; below it lengths are the rows' own affair
MIN_EDGES = 2_000  # of which 200 are held out: fewer do not tell restarts apart, and the choice would be chance
TRIAL_HOPS, TRIAL_DIRECTIONS, TRIAL_ITERATIONS = 2, 64, 3
USUAL_RESTART = 0.2
POWER_ORDER = 2  # hops of a power of P where none are given

L = TypeVar("L")


@dataclass(frozen=True)
class Recipe:
    """Weighting and filter, settled. `orders` has the hops of each level."""

    weighting: Weighting
    filter: str
    strength: float | None
    orders: tuple[int, ...]
    effective_rank: float = EFFECTIVE_RANK
    length: float = LENGTH
    reasons: list[str] = field(default_factory=list)

    @property
    def polynomials(self) -> tuple[Polynomial, ...]:
        return tuple(polynomial(self.filter, order, self.strength) for order in self.orders)

    def load(self, graph: Graph, engine: MemoryEngine) -> Rows:
        """The weighted features and the filter's matrix on the engine's device, no hop taken yet."""
        return load(graph, self.weighting, self.filter, engine)

    def to_header(self) -> dict[str, Any]:
        """What JSON can hold of it; the columns' weights are an array."""
        return {**asdict(self), "weighting": self.weighting.name}


def read_recipe(header: dict[str, Any], columns: NDArray[np.float32] | None) -> Recipe:
    return Recipe(**{**header, "weighting": Weighting(header["weighting"], columns), "orders": tuple(header["orders"])})


def load(graph: Graph, weighting: Weighting, filter: str, engine: MemoryEngine) -> Rows:
    return engine.load(weighting.apply(graph.features), graph.adjacency, filter, is_directed=graph.is_directed)


def settle(
    graph: Graph,
    *,
    load: Callable[[Weighting, str], L],
    choose: Callable[[L, str, Callable[[float], int]], tuple[float, str]],
    weighting: str,
    filter: str,
    strength: float | str,
    effective_rank: float | str,
    length: float | str,
    orders: Callable[[int], tuple[int, ...]],
    solver: str,
    is_structure: bool,
    with_series: bool,
) -> tuple[Recipe, L]:
    """The recipe as asked for, "auto" chosen, and the features loaded by it.

    `load(weighting, filter)` loads them, wherever the rows are kept; `choose(loaded, filter, hops_of)` chooses the restart.
    Adam's "auto" is the paper's. Structure in place of features comes weighted, sharpened and with a length.
    `orders(usual)` gives the hops of every level, `usual` where they were not given.
    """
    is_closed, reasons = solver == "spectral", []
    if weighting == "auto":
        weighting, why = choose_weighting(graph) if is_closed else ("none", "the paper's")
        if is_structure:
            weighting, why = "none", "structure comes weighted"
        reasons.append(f"weighting {weighting}: {why}.")
    if filter == "auto":
        filter = "pagerank" if is_closed and with_series and not is_structure else "row"
        hops = orders(POWER_ORDER)
    else:
        hops = orders(POWER_ORDER if filter in POWERS else SERIES_ORDER)
    learned = learn_weighting(weighting, graph.features)
    loaded = load(learned, filter)
    given = None if strength == "auto" else float(strength)
    if filter.startswith("pagerank"):
        why = "as asked for"
        if given is None:
            given, why = choose(loaded, filter, lambda restart: orders(hops_of_restart(restart))[0])
        hops = orders(hops_of_restart(given))
        reasons.append(f"filter {filter}, restart {given:g}, {hops[0]} hops: {why}.")
    elif any(hops):
        reasons.append(f"filter {filter}, {' and '.join(map(str, hops))} hops: as asked for, or else the paper's.")
    usual_rank, usual_length = (math.inf, ROW_LENGTH) if is_structure else (EFFECTIVE_RANK, LENGTH)
    rank = usual_rank if effective_rank == "auto" else float(effective_rank)
    return Recipe(learned, filter, given, hops, rank, usual_length if length == "auto" else float(length), reasons), loaded


def choose_weighting(graph: Graph) -> tuple[str, str]:
    """The weighting for a graph's features, and why."""
    features: Any = graph.features
    if features.size == 0 or any(values.size and float(values.min()) < 0 for values in value_blocks(features)):
        return "none", "the features have signs, so they are measurements and stay as they are"
    shared = _length_agreement(graph)
    if shared >= LENGTH_AGREEMENT:
        return "none", f"the length of a row goes with its neighbours' (correlation {shared:.2f}), so it is kept"
    alone = f"the length of a row does not go with its neighbours' (correlation {shared:.2f})"
    if all(bool((values == np.floor(values)).all()) for values in value_blocks(features)):
        return "tf-idf", f"the features are counts or marks, and {alone}"
    return "l2", f"the features are amounts, weighted already, and {alone}"


def hops_of_restart(restart: float) -> int:
    """As many that little of the walk has not restarted: (1 − α)^(2/α) is about 1/8 for any α."""
    return round(2 / restart)


def choose_restart(
    graph: Graph, loaded: Rows, filter: str, hops_of: Callable[[float], int], engine: MemoryEngine
) -> tuple[float, str]:
    """The restart whose embedding tells held-out edges best from other pairs of nodes, and why."""
    if graph.n_edges < MIN_EDGES:
        return usual_restart(graph)
    kept, held_out, others = _hold_out(graph)
    P = Propagation.of(kept, filter, engine.device, is_directed=graph.is_directed)
    leading = _leading_columns(Rows(loaded.features, P, loaded.coefficients))
    return best_restart(filter, hops_of, lambda coefficients: edge_score(leading, coefficients, held_out, others, engine))


def best_restart(filter: str, hops_of: Callable[[float], int], score: Callable[[Polynomial], float]) -> tuple[float, str]:
    """The restart with the highest score, and all scores."""
    scores = {restart: score(polynomial(filter, hops_of(restart), restart)) for restart in RESTARTS}
    best = max(scores, key=scores.__getitem__)
    tried = ", ".join(f"{score:.3f} with {restart:g}" for restart, score in scores.items())
    return best, f"held-out edges are told from other pairs best (AUC {tried})"


def usual_restart(graph: Graph) -> tuple[float, str]:
    return USUAL_RESTART, f"{graph.n_edges} edges are too few to hold some out: the usual restart"


def edge_score(
    rows: Rows, coefficients: Polynomial, edges: NDArray[np.int64], others: NDArray[np.int64], engine: MemoryEngine
) -> float:
    """The AUC of edges against other pairs, by the cosine in the embedding of the smoothed rows."""
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
    nodes, ends = np.unique(np.concatenate([edges, others], axis=1), return_inverse=True)
    ends = ends.reshape(2, -1)
    Z = Z[as_tensor(nodes, engine.device)] - Z.mean(dim=0)  # few rows of a large graph
    return cosine_score(Z, ends[:, : edges.shape[1]], ends[:, edges.shape[1] :])


def cosine_score(Z: Tensor, edges: NDArray[np.int64], others: NDArray[np.int64]) -> float:
    """The AUC of edges against other pairs, by the cosine of their ends' rows."""
    Z = torch.nn.functional.normalize(Z)
    cosines = [(Z[first] * Z[second]).sum(dim=1) for first, second in (edges, others)]
    ranks = torch.cat(cosines).argsort().argsort()[: edges.shape[1]].double() + 1
    n_edges, n_others = edges.shape[1], others.shape[1]
    return float((ranks.sum() - n_edges * (n_edges + 1) / 2) / (n_edges * n_others))


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


def _length_agreement(graph: Graph) -> float:
    """The correlation of the log of a row's length with its mean over the neighbours."""
    lengths = row_lengths(graph.features)
    degrees = neighbour_sums(graph.adjacency)
    logs = np.log(np.maximum(lengths, 1e-3 * max(float(lengths.max()), 1e-30)))
    around = np.divide(neighbour_sums(graph.adjacency, logs), degrees, out=np.zeros_like(logs), where=degrees > 0)
    own, around = logs[degrees > 0], around[degrees > 0]
    # Lengths that differ by rounding alone say nothing, however they correlate.
    if len(own) < 3 or own.std() < 1e-3 or around.std() == 0:
        return 0.0
    return float(np.corrcoef(own, around)[0, 1])
