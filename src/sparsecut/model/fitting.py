"""From a loaded graph to a trained encoder: choose the route, hold the rows that way, build M if asked, train."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import torch
from torch import Tensor

from sparsecut.engines import MemoryEngine
from sparsecut.kernels.polynomials import Polynomial, is_power
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.model.routes import Problem, choose_route
from sparsecut.model.training import (
    Encoder,
    Energy,
    EnergyOverGram,
    History,
    TrainingSettings,
    effective_rank,
    energies_of_batches,
    energy_over_rows,
    rank_of_scatter,
    train,
)
from sparsecut.operators.filters import polynomial
from sparsecut.operators.negatives import CompleteNegatives, NegativeGraph
from sparsecut.operators.rows import Rows, StackedRows
from sparsecut.progress import Reporter


def fit_encoder(
    encoder: Encoder,
    loaded: Rows,
    polynomials: tuple[Polynomial, ...],
    negatives: NegativeGraph,
    settings: TrainingSettings,
    *,
    engine: MemoryEngine,
    history: History,
    batch_generator: torch.Generator,
    report: Reporter,
    callback: Callable[[int, History], None] | None = None,
) -> Trained:
    """Train the encoder in place; return the rows of its levels, for the projection."""
    blocks = encoder.blocks() if encoder.is_linear else []
    route = choose_route(
        Problem(
            n_nodes=loaded.shape[0],
            n_features=loaded.shape[1],
            orders=tuple(len(coefficients) - 1 for coefficients in polynomials),
            dimensions=tuple(matrix.shape[1] for matrix in encoder.matrices()),
            feature_entries=loaded.features.nnz if isinstance(loaded.features, SparseMatrix) else None,
            propagation_entries=loaded.propagation.nnz if loaded.propagation is not None else 0,
            negative_entries=negatives.n_entries,
            n_steps=settings.epochs,
            is_joint=any(len(levels) > 1 for levels, _ in blocks),
        ),
        route=settings.route,
        is_linear=encoder.is_linear,
        is_batched=settings.batch_size is not None,
        memory=engine.available_memory() // 2,
    )
    history.route, history.rows, history.reason = route.over, route.held, route.reason

    with history.stage("smooth"):
        levels = hold_rows(loaded, polynomials, route.held, engine, report)
    if settings.epochs == 0:
        history.route, history.reason = "none", "there is nothing to train"
        return Trained(levels)

    energy: Energy = energy_over_rows(levels, negatives)
    grams: dict[tuple[int, ...], Tensor] = {}
    if route.over == "gram":
        with history.stage("gram"):
            for position, (group, _) in enumerate(blocks):
                rows = levels[group[0]] if len(group) == 1 else StackedRows([levels[level] for level in group])
                grams[group] = engine.gram(rows, negatives)
                report("Gram matrix", position + 1, len(blocks))
        energy = EnergyOverGram(grams)

    with history.stage("train"):
        batch_size = settings.batch_size
        if batch_size is None:
            train(encoder, lambda: [energy], history, settings, report, callback)
        else:
            batches = partial(energies_of_batches, levels, negatives, batch_size, batch_generator)
            train(encoder, batches, history, settings, report, callback)
    return Trained(levels, grams)


@dataclass(frozen=True)
class Trained:
    """What training leaves beside the weights: the rows of the encoder's levels, and M where it was built."""

    levels: list[Rows]
    grams: dict[tuple[int, ...], Tensor] = field(default_factory=dict)

    def rank(self, encoder: Encoder, negatives: NegativeGraph, embedding: Tensor) -> float:
        """The effective rank of the embedding."""
        if len(self.grams) == 1 and isinstance(negatives, CompleteNegatives):
            # All pairs' energies are the scatter of the embedding, up to a factor: no row need be touched for its rank.
            ((group, matrix),) = encoder.blocks()
            W = matrix.detach().double()
            return rank_of_scatter(W.T @ self.grams[group].double() @ W)
        return effective_rank(embedding)


def hold_rows(
    loaded: Rows, polynomials: tuple[Polynomial, ...], held: str, engine: MemoryEngine, report: Reporter
) -> list[Rows]:
    """The rows of each level, as S or as its factors."""
    if held == "factors":
        return [loaded.through(coefficients) for coefficients in polynomials]
    levels: list[Rows] = []
    reached, n_hops = loaded, 0  # powers go on from the level before
    for coefficients in polynomials:
        order = len(coefficients) - 1
        if is_power(coefficients) and order >= n_hops:
            reached, n_hops = engine.smooth(reached, polynomial("row", order - n_hops), report), order
            levels.append(reached)
        else:
            levels.append(engine.smooth(loaded, coefficients, report))
    return levels
