"""`Adam`: the paper's training loop, epochs of a deep linear network on α/E + l2/2·‖θ‖²."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any, Literal

import torch
from torch import Tensor

from sparsecut.base.errors import InputError, check_choice, check_integer, check_real
from sparsecut.base.system_memory import available_memory
from sparsecut.engines.contract import TrainableRows
from sparsecut.kernels.threads import of_torch
from sparsecut.model.linear_encoder import LinearEncoder, layer_widths
from sparsecut.model.problem import Problem
from sparsecut.model.routes import ROUTES, Route, TrainingWork, choose_route
from sparsecut.model.solver import Solution, Solver
from sparsecut.model.training import Energy, EnergyOverGram, TrainingSettings, energies_of_batches, energy_over_rows, train
from sparsecut.operators.aggregation import AGGREGATIONS, Projection
from sparsecut.operators.losses import LOSSES, EnergyPerEdges, alpha_against, edge_graph
from sparsecut.operators.negatives import NegativeGraph, sampled_weight

LARGE_STEP = 1 << 27  # multiply-adds of an epoch, a few milliseconds, from which on torch's own threads gain
Loss = Literal["inverse", "ratio", "negative", "none"]


class Adam(Solver, word="adam"):
    """The paper's training: Adam on a deep linear network, for a given number of epochs.

    Parameters
    ----------
    epochs : int, default=20
        How many times it steps over all nodes, at least 1. More epochs leave fewer directions: with an L2 penalty one is
        left in the end and accuracy falls; without one, 2,000 score within a point of the paper's number (docs/method.md).
    learning_rate : float, default=0.001
        Adam's, above 0.
    loss : {"inverse", "ratio", "negative", "none"}, default="inverse"
        "inverse" is SCE's α/E; "ratio" is the relaxed sparsest cut that the paper derives it from (equation opt), α·E_G/E,
        with the energy E_G of the graph's edges as numerator; "negative" is −α·E, an ablation of the paper; "none" is the
        random projection that training starts from. With "ratio", `history_.energy` is E/E_G; it needs rows in memory, has
        no mini-batches, and loses accuracy with more epochs even without a penalty (docs/method.md).
    alpha : float or "auto", default="auto"
        The weight α of the loss against the L2 penalty. "auto" makes the loss start at 1. A number counts against the energy
        of negatives that weigh as much as 5 sampled ones per node (`n_negatives` of `Sampled`), whichever are taken.
    l2 : float, default=0.0
        The weight of the L2 penalty, at least 0.
    depth : int or sequence of int, default=1
        Layers of the linear network; with `MoSCE` one number for all levels, or one per level. Depth changes the path that
        training takes, not what can be expressed.
    widths : int, sequence or None, default=None
        Widths of the hidden layers: one for all, or one per hidden layer; with `MoSCE` one for all, or one (or a sequence)
        per level. None is the dimension.
    batch_size : int or None, default=None
        Nodes per mini-batch, at least 2 (Algorithm 2 of the paper); None is all of them.
    route : {"auto", "gram", "rows"}, default="auto"
        Whether it trains over M or over the rows. "auto" prices both; `history_` says what was taken and why.

    Examples
    --------
    >>> import sparsecut as sc
    >>> model = sc.SCE(dimension=16, solver=sc.Adam(epochs=5, depth=2)).fit(sc.datasets.load("digits"))
    >>> len(model.history_.loss)
    5
    """

    chooses_from_graph = False
    aggregations = AGGREGATIONS

    def __init__(
        self,
        *,
        epochs: int = 20,
        learning_rate: float = 0.001,
        loss: Loss = "inverse",
        alpha: float | Literal["auto"] = "auto",
        l2: float = 0.0,
        depth: int | Sequence[int] = 1,
        widths: int | Sequence[Any] | None = None,
        batch_size: int | None = None,
        route: Literal["auto", "gram", "rows"] = "auto",
    ) -> None:
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.loss: Loss = loss
        self.alpha = alpha
        self.l2 = l2
        self.depth = depth
        self.widths = widths
        self.batch_size = batch_size
        self.route = route

    def check(self) -> None:
        check_integer("Adam", "epochs", self.epochs, 1)
        check_real("Adam", "learning_rate", self.learning_rate, above=0)
        check_choice("Adam", "loss", self.loss, LOSSES)
        if self.alpha != "auto":
            check_real("Adam", "alpha", self.alpha, above=0)
        check_real("Adam", "l2", self.l2, minimum=0)
        for depth in self.depth if isinstance(self.depth, Sequence) else [self.depth]:
            check_integer("Adam", "depth", depth, 1)
        if self.batch_size is not None:
            check_integer("Adam", "batch_size", self.batch_size, 2)
        check_choice("Adam", "route", self.route, ROUTES)
        if self.batch_size is not None and self.route == "gram":
            raise InputError("Adam cannot train mini-batches over the Gram matrix. Use route='auto' or 'rows'.")
        if self.batch_size is not None and self.loss == "ratio":
            raise InputError(
                "Adam cannot train mini-batches on loss='ratio': the ratios of batches do not average to the ratio of the "
                "whole. Leave batch_size out, or use loss='inverse'."
            )

    def needs(self) -> frozenset[str]:
        asked = {"batches": self.batch_size is not None, "rows": self.route == "rows"}
        return frozenset(need for need, is_asked in asked.items() if is_asked)

    def solve(self, problem: Problem) -> Solution:
        assert problem.dimension is not None
        if self.loss == "ratio" and "rows" not in problem.engine.supports:
            raise InputError(
                "Adam(loss='ratio') needs the graph's edges in memory beside the rows, and this engine does not keep rows "
                "there. Use engine='memory', or loss='inverse'."
            )
        settings = self._settings(problem.negatives)
        start, batches = (torch.Generator().manual_seed(seed) for seed in problem.seeds)
        shapes = layer_widths(self.depth, self.widths, problem.widths, problem.dimension, problem.aggregation)
        encoder = LinearEncoder(shapes, problem.aggregation, start).to(problem.engine.device)
        route = self._choose_route(problem, encoder, settings)
        history = problem.history
        history.route, history.rows, history.reason = route.over, route.held, route.reason
        problem.smooth(lazily=route.held == "factors")
        if settings.epochs == 0:
            history.route, history.reason = "none", "there is nothing to train"
            return Solution(_projection_of(encoder))
        energy = self._energy(problem, encoder, route)
        energies = (
            partial(energies_of_batches, problem.levels, problem.negatives, settings.batch_size, batches)
            if settings.batch_size is not None
            else lambda: [energy]
        )

        def call_back(epoch: int) -> None:
            assert problem.on_epoch is not None
            # Copied: the parameters move on, what a caller keeps of this epoch must not.
            problem.on_epoch(
                epoch, Projection(tuple(matrix.clone() for matrix in _projection_of(encoder).weights), encoder.aggregation)
            )

        n_rows = sum(problem.widths) if route.over == "gram" else problem.negatives.n_nodes
        is_large = n_rows * sum(problem.widths) * problem.dimension > LARGE_STEP
        with history.stage("train"), of_torch() if is_large else nullcontext():
            train(encoder, energies, history, settings, problem.report, None if problem.on_epoch is None else call_back)
        return Solution(_projection_of(encoder))

    def _settings(self, negatives: NegativeGraph) -> TrainingSettings:
        alpha = self.alpha
        if alpha != "auto":
            # A number is put in terms of this negative graph's energy.
            unit = negatives.unit_weight or sampled_weight(negatives.n_nodes)
            alpha = alpha_against(self.loss, float(alpha), negatives.base_weight, unit)
        epochs = 0 if self.loss == "none" else self.epochs
        return TrainingSettings(self.loss, alpha, self.l2, self.learning_rate, epochs, self.batch_size)

    def _energy(self, problem: Problem, encoder: LinearEncoder, route: Route) -> Energy:
        groups = [group for group, _ in encoder.blocks()] if route.over == "gram" else []
        energy: Energy = (
            EnergyOverGram({group: problem.moments(group).M.float() for group in groups})
            if route.over == "gram"
            else energy_over_rows(problem.levels, problem.negatives)
        )
        if self.loss != "ratio":
            return energy
        graph = problem.engine.graph
        edges = edge_graph(graph.adjacency, is_directed=graph.is_directed)
        over_edges: Energy = energy_over_rows(problem.levels, edges)
        if route.over == "gram":
            levels = {group: [problem.levels[level] for level in group] for group in groups}
            with problem.history.stage("gram"):
                grams = {group: problem.engine.moments(levels[group], edges).M.float() for group in groups}
            over_edges = EnergyOverGram(grams)
        ratio = EnergyPerEdges(energy, over_edges)
        ratio.check(encoder)
        return ratio

    def _choose_route(self, problem: Problem, encoder: LinearEncoder, settings: TrainingSettings) -> Route:
        engine = problem.engine
        if "rows" not in engine.supports:
            return Route("gram", "smoothed", "rows that are not in memory are reduced to M once")
        rows: TrainableRows = problem.rows
        blocks = encoder.blocks() if encoder.is_linear else []
        work = TrainingWork(
            n_nodes=problem.negatives.n_nodes,
            n_features=problem.widths[0],
            orders=tuple(len(polynomial) - 1 for polynomial in problem.polynomials),
            dimensions=tuple(matrix.shape[1] for matrix in encoder.matrices()),
            feature_entries=rows.n_stored,
            propagation_entries=rows.n_gathered,
            negative_entries=problem.negatives.n_entries + (rows.n_gathered if self.loss == "ratio" else 0),
            n_steps=settings.epochs,
            is_joint=any(len(levels) > 1 for levels, _ in blocks),
        )
        return choose_route(
            work,
            route=self.route,
            is_linear=encoder.is_linear,
            is_batched=self.batch_size is not None,
            memory=available_memory(engine.device) // 2,
        )


def _projection_of(encoder: LinearEncoder) -> Projection:
    weights: tuple[Tensor, ...] = tuple(matrix.detach().contiguous() for matrix in encoder.matrices())
    return Projection(weights, encoder.aggregation)
