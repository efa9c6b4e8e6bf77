"""The choice of the restart (`model.restart`) with the rows on disk: the same edges held out, the same directions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.arrays.streaming import blocks_of_entries, release, row_blocks
from sparsecut.engines.disk import DiskEngine, DiskPropagation, even_widths
from sparsecut.engines.panels import Panels
from sparsecut.graph import Graph
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.model.edge_trial import STRUCTURE_COLUMNS, STRUCTURE_HOPS, Trial, random_signs
from sparsecut.model.restart import (
    HELD_OUT,
    MAX_HELD_OUT,
    MIN_EDGES,
    TRIAL_DIRECTIONS,
    TRIAL_HOPS,
    Restart,
    best_restart,
    trial_directions,
    usual_restart,
)
from sparsecut.model.spectral import EFFECTIVE_RANK, solve_gram
from sparsecut.operators.filters import polynomial
from sparsecut.operators.negatives import CompleteNegatives
from sparsecut.operators.propagation import Diagonals


def choose_restart_on_disk(
    graph: Graph,
    degrees: NDArray[np.float64],
    engine: DiskEngine,
    features: Panels,
    filter: str,
    hops_of: Callable[[float], int],
) -> Restart:
    """The restart whose embedding tells held-out edges best from other pairs; the graph is read without them."""
    if graph.n_edges < MIN_EDGES:
        return usual_restart(graph)
    removed, held_out, others = _hold_out(graph)
    kept_degrees = degrees.copy()
    np.subtract.at(kept_degrees, _rows_of(graph, removed), graph.adjacency.data[removed].astype(np.float64))
    P = propagation_on_disk(graph, kept_degrees, filter, engine, removed)
    trial = Trial.of(held_out, others)
    leading = _leading_columns(features, P, engine)

    def score(coefficients: Polynomial) -> float:
        name = f"trial-{len(coefficients) - 1}-{coefficients[0]:g}"

        def compute() -> float:
            smoothed = engine.smooth(leading, P, coefficients, name, f"trial of {len(coefficients) - 1} hops")
            spread = engine.gram([smoothed], CompleteNegatives(graph.n_nodes), f"{name}-gram")
            n_columns = leading.shape[1]
            closed = solve_gram(spread.M, [n_columns], dimension=n_columns, effective_rank=EFFECTIVE_RANK, length=1.0)
            W = closed.weights[0]
            return trial.score(engine.take(smoothed, trial.nodes, W) - (spread.mean @ W.double()).float())

        value = float(engine.work.value(f"{name}-score", compute))
        if any(coefficients[:-1]):
            Panels(engine.work, name, *leading.shape[:1], leading.widths).remove()
        return value

    def score_as_they_are(rows: Panels) -> float:
        return trial.score_centred(engine.take(rows, trial.nodes, torch.eye(rows.shape[1])))

    def structure() -> float:
        signs = Panels(engine.work, "trial-signs", graph.n_nodes, even_widths(STRUCTURE_COLUMNS, max(features.widths)))
        signs.fill(lambda: _sign_blocks(signs, engine))
        walks = engine.smooth(signs, P, polynomial("row", STRUCTURE_HOPS), "trial-walks", "trial of structure")
        value = score_as_they_are(walks)
        signs.remove()
        walks.remove()
        return value

    restart = best_restart(
        filter,
        hops_of,
        score,
        alike=lambda: float(engine.work.value("trial-alike", lambda: score_as_they_are(leading))),
        structure=lambda: float(engine.work.value("trial-structure", structure)),
    )
    if leading is not features:
        leading.remove()
    return restart


def _leading_columns(features: Panels, P: DiskPropagation, engine: DiskEngine) -> Panels:
    """The features' leading directions after two hops, as panels of few columns."""
    negatives, n_features = CompleteNegatives(features.n_rows), features.shape[1]
    if n_features <= TRIAL_DIRECTIONS:
        return features
    leading = Panels(engine.work, "trial", features.n_rows, even_widths(TRIAL_DIRECTIONS, max(features.widths)))

    def blocks() -> Iterator[Tensor]:
        smoothed = engine.smooth(features, P, polynomial("row", TRIAL_HOPS), "trial-smoothed", "trial of two hops")
        M = engine.gram([smoothed], negatives, "trial-gram").M
        smoothed.remove()
        V = trial_directions(lambda W: (M @ W.double()).float(), n_features, torch.device("cpu"))
        yield from engine.project([features], [V], "mean")

    leading.fill(blocks)
    return leading


def _sign_blocks(signs: Panels, engine: DiskEngine) -> Iterator[Tensor]:
    for rows in row_blocks(signs.n_rows, 8 * STRUCTURE_COLUMNS, engine.sizes.block_bytes):
        yield random_signs(rows.stop - rows.start, rows.start)


def _hold_out(graph: Graph) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Where the held-out entries stand in the adjacency, those edges, (2, m), and as many pairs: drawn as in memory."""
    generator, A = np.random.default_rng(0), graph.adjacency
    n_held_out = min(int(HELD_OUT * graph.n_edges), MAX_HELD_OUT)
    chosen = np.sort(generator.choice(graph.n_edges, n_held_out, replace=False))
    others = generator.integers(0, graph.n_nodes, (2, n_held_out))
    if graph.is_directed:
        return chosen, np.stack([_rows_of(graph, chosen), A.indices[chosen].astype(np.int64)]), others
    # An edge is counted where its column is larger than its row.
    found, n_before = [], 0
    for rows in blocks_of_entries(A.indptr):
        starts = np.array(A.indptr[rows.start : rows.stop + 1], dtype=np.int64)
        row_of = np.repeat(np.arange(rows.start, rows.stop), np.diff(starts))
        upper = np.flatnonzero(A.indices[starts[0] : starts[-1]] > row_of)
        first, last = np.searchsorted(chosen, (n_before, n_before + len(upper)))
        found.append(starts[0] + upper[chosen[first:last] - n_before])
        n_before += len(upper)
        release(A, rows)
    there = np.concatenate(found)
    edges = np.stack([_rows_of(graph, there), A.indices[there].astype(np.int64)])
    back = [
        int(A.indptr[j]) + int(np.searchsorted(A.indices[int(A.indptr[j]) : int(A.indptr[j + 1])], i)) for i, j in edges.T
    ]
    release(A)
    return np.concatenate([there, np.array(back, dtype=np.int64)]), edges, others


def _rows_of(graph: Graph, entries: NDArray[np.int64]) -> NDArray[np.int64]:
    return (np.searchsorted(graph.adjacency.indptr, entries, side="right") - 1).astype(np.int64)


def propagation_on_disk(
    graph: Graph, degrees: NDArray[np.float64], filter: str, engine: DiskEngine, removed: NDArray[np.int64] | None = None
) -> DiskPropagation:
    diagonals = Diagonals.of(torch.from_numpy(1 + degrees), filter)
    return DiskPropagation(
        graph.adjacency, diagonals, engine.sizes.block_bytes, is_weighted=graph.is_weighted, removed=removed
    )
