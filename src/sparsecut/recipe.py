"""What an estimator does to the features before anything is learned, and how "auto" chooses it without labels.

- The weighting follows from what the numbers are. Signed numbers are measurements and stay as they are. Counts and marks are
  words on a page: tf-idf. Other amounts are weighted already: l2. Both make every row as long as any other, which is right
  unless the length itself belongs to the place in the graph: where a node's length is told by its neighbours', it stays.
- The filter is personalised PageRank. Its restart says how much of a node's own row is kept. The less the features of one
  node tell, the more of its neighbourhood they need: the columns are split in two halves, each half is embedded, and the
  restart is lowered until the two embeddings agree.
- The sharpness follows from the spectrum (`sparsecut.spectral`): one effective rank for every graph.

Each choice is a sentence in `reasons`, which `explain` shows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.engines import MemoryEngine
from sparsecut.features import ROW_LENGTH
from sparsecut.filters import POWERS, SERIES_ORDER, Polynomial, polynomial, propagation
from sparsecut.graph import Graph
from sparsecut.negatives import CompleteNegatives
from sparsecut.rows import Rows
from sparsecut.sparse import SparseMatrix
from sparsecut.spectral import solve
from sparsecut.weighting import Weighting, learn_weighting, row_lengths

EFFECTIVE_RANK = 16.0  # of the embedding: enough directions for dozens of groups, few enough for five labels a group
LENGTH = 9.0  # of the smoothed rows before sharpening: a logistic regression with C = 1 then neither under- nor overfits
RESTARTS = (0.2, 0.1, 0.05)  # from the lightest smoothing to the heaviest
AGREEMENT = 0.25  # of the two halves; below it an embedding is mostly its own noise
LENGTH_AGREEMENT = 0.35  # correlation of a row's length with its neighbours'; below it lengths are the rows' own affair
MIN_HALVED = 8  # columns, below which there is nothing to halve
HALF_DIRECTIONS = 32
POWER_ORDER = 2  # hops of a power of P where none are given
HALF_ITERATIONS = 3


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
        return engine.load(self.weighting.apply(graph.features), propagation(graph.adjacency, self.filter))

    def to_header(self) -> dict[str, Any]:
        """What JSON can hold of it; the columns' weights are an array."""
        return {**asdict(self), "weighting": self.weighting.name}


def read_recipe(header: dict[str, Any], columns: NDArray[np.float32] | None) -> Recipe:
    return Recipe(**{**header, "weighting": Weighting(header["weighting"], columns), "orders": tuple(header["orders"])})


def settle(
    graph: Graph,
    engine: MemoryEngine,
    *,
    weighting: str,
    filter: str,
    strength: float | str,
    effective_rank: float | str,
    length: float | str,
    orders: Callable[[int], tuple[int, ...]],
    solver: str,
    is_structure: bool,
    with_series: bool,
) -> tuple[Recipe, Rows]:
    """The recipe as asked for, "auto" chosen, and the features loaded by it.

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
    loaded = engine.load(learned.apply(graph.features), propagation(graph.adjacency, filter))
    given = None if strength == "auto" else float(strength)
    if filter.startswith("pagerank"):
        why = "as asked for"
        if given is None:
            given, why = choose_restart(loaded, filter, lambda restart: orders(hops_of_restart(restart))[0], engine)
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
    values = features.data if sp.issparse(features) else features
    if values.size == 0 or values.min() < 0:
        return "none", "the features have signs, so they are measurements and stay as they are"
    shared = _length_agreement(graph)
    if shared >= LENGTH_AGREEMENT:
        return "none", f"the length of a row goes with its neighbours' (correlation {shared:.2f}), so it is kept"
    alone = f"the length of a row does not go with its neighbours' (correlation {shared:.2f})"
    if (values == np.floor(values)).all():
        return "tf-idf", f"the features are counts or marks, and {alone}"
    return "l2", f"the features are amounts, weighted already, and {alone}"


def hops_of_restart(restart: float) -> int:
    """As many that little of the walk has not restarted: (1 − α)^(2/α) is about 1/8 for any α."""
    return round(2 / restart)


def choose_restart(rows: Rows, filter: str, hops_of: Callable[[float], int], engine: MemoryEngine) -> tuple[float, str]:
    """The largest restart at which two halves of the features give embeddings that agree, and why."""
    if rows.shape[1] < MIN_HALVED:
        return RESTARTS[0], f"{rows.shape[1]} columns are too few to halve: the usual restart"
    tried = []
    for restart in RESTARTS:
        agreement = half_agreement(rows, polynomial(filter, hops_of(restart), restart), engine)
        tried.append(f"{agreement:.2f} at {restart:g}")
        if agreement >= AGREEMENT:
            break
    return restart, f"halves of the features agree by {', '.join(tried)}; {AGREEMENT:g} is enough"


def half_agreement(rows: Rows, coefficients: Polynomial, engine: MemoryEngine) -> float:
    """How alike the embeddings of two halves of the columns are: the RV coefficient, 1 for the same up to rotation."""
    first, second = (_embed_half(half, rows, coefficients, engine) for half in _halves(rows.features))
    between = (first.T @ second).square().sum()
    within = (first.T @ first).square().sum() * (second.T @ second).square().sum()
    return float(between / within.sqrt()) if within > 0 else 0.0


def _embed_half(half: Tensor | SparseMatrix, rows: Rows, coefficients: Polynomial, engine: MemoryEngine) -> Tensor:
    level = Rows(half, rows.propagation, coefficients)
    if isinstance(half, Tensor):
        level = engine.smooth(level, coefficients)
    closed = solve(
        [level],
        CompleteNegatives(rows.shape[0]),
        engine=engine,
        dimension=min(HALF_DIRECTIONS, half.shape[1]),
        effective_rank=EFFECTIVE_RANK,
        length=1.0,
        report=lambda *_: None,
        n_iterations=HALF_ITERATIONS,
        exact_columns=0,
    )
    Z = (level @ closed.weights[0]).double()
    return Z - Z.mean(dim=0)


def _halves(features: Tensor | SparseMatrix) -> list[Tensor | SparseMatrix]:
    """The columns in two halves, drawn once and for all."""
    is_first = np.random.default_rng(0).permutation(features.shape[1]) % 2 == 0
    if isinstance(features, Tensor):
        return [features[:, torch.from_numpy(chosen).to(features.device)] for chosen in (is_first, ~is_first)]
    return [SparseMatrix(features.csr[:, np.flatnonzero(chosen)], features.device) for chosen in (is_first, ~is_first)]


def _length_agreement(graph: Graph) -> float:
    """The correlation of the log of a row's length with its mean over the neighbours."""
    lengths = row_lengths(graph.features)
    degrees = graph.adjacency.sum(axis=1, dtype=np.float64)
    logs = np.log(np.maximum(lengths, 1e-3 * max(float(lengths.max()), 1e-30)))
    around = np.divide(graph.adjacency @ logs, degrees, out=np.zeros_like(logs), where=degrees > 0)
    own, around = logs[degrees > 0], around[degrees > 0]
    # Lengths that differ by rounding alone say nothing, however they correlate.
    if len(own) < 3 or own.std() < 1e-3 or around.std() == 0:
        return 0.0
    return float(np.corrcoef(own, around)[0, 1])
