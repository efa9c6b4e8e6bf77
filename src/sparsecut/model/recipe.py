"""What an estimator does to the features before anything is learned, and how "auto" chooses it without labels.

- The weighting follows from what the numbers are. Signed numbers are measurements and stay as they are. Counts and marks are
  words on a page: tf-idf. Other amounts are weighted already: l2. Both make every row as long as any other, which is right
  unless the length itself belongs to the place in the graph: where a node's length is told by its neighbours', it stays.
- The filter is personalised PageRank. Its restart says how much of a node's own row is kept, and how little of its
  neighbourhood is added. Edges that are held out tell how much is right (`sparsecut.model.restart`).
- The sharpness follows from the spectrum (`sparsecut.model.spectral`): one effective rank for every graph.

Each choice is a sentence in `reasons`, which `explain` shows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sparsecut.arrays.streaming import neighbour_sums, value_blocks
from sparsecut.engines import MemoryEngine
from sparsecut.features.structure import ROW_LENGTH
from sparsecut.features.weighting import Weighting, learn_weighting, row_lengths
from sparsecut.graph import Graph
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.model.restart import Restart, hops_of_restart
from sparsecut.model.spectral import EFFECTIVE_RANK
from sparsecut.operators.filters import POWERS, SERIES_ORDER, polynomial
from sparsecut.operators.rows import Rows

LENGTH = 9.0  # of the smoothed rows before sharpening: a logistic regression with C = 1 then neither under- nor overfits
LENGTH_AGREEMENT = 0.35  # correlation of a row's length with its neighbours'; below it lengths are the rows' own affair
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
    choose: Callable[[L, str, Callable[[float], int]], Restart],
    weighting: str,
    filter: str,
    strength: float | str,
    effective_rank: float | str,
    length: float | str,
    orders: Callable[[int], tuple[int, ...]],
    solver: str,
    is_structure: bool,
    with_series: bool,
    notes: list[str],
) -> tuple[Recipe, L]:
    """The recipe as asked for, "auto" chosen, and the features loaded by it.

    `load(weighting, filter)` loads them, wherever the rows are kept; `choose(loaded, filter, hops_of)` chooses the restart;
    what it has to say against the features is added to `notes`.
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
            chosen = choose(loaded, filter, lambda restart: orders(hops_of_restart(restart))[0])
            given, why = chosen.value, chosen.why
            notes.extend([chosen.doubt] if chosen.doubt is not None else [])
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
