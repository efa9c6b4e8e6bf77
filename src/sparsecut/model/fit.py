"""The one fit, whichever engine has the rows:

rows    = engine.load(graph, weighting, filter)          F, weighted
levels  = engine.smooth(rows, polynomial), …             S = Σ c_k P^k F
moments = engine.moments(levels, negatives)              M = Sᵀ L_H S, mean, scatter
W       = solver.solve(…)                                by the closed form, or by Adam
Z       = engine.project(levels, W)                      the embedding
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray

from sparsecut.arrays.magnitude import naming_overflow
from sparsecut.arrays.streaming import neighbour_sums
from sparsecut.encoding import dominant_column
from sparsecut.engines import Engine, EngineChoice, Job
from sparsecut.errors import InputError, ScaleWarning
from sparsecut.features.structure import STRUCTURE_NOTE, with_structure
from sparsecut.graph import Graph
from sparsecut.kernels.polynomials import is_power
from sparsecut.kernels.spectrum import rank_of_scatter
from sparsecut.model.history import History, effective_rank
from sparsecut.model.meaning import check_meaning
from sparsecut.model.recipe import Recipe, settle
from sparsecut.model.settings import Settings
from sparsecut.model.solver import Problem
from sparsecut.operators.aggregation import Projection
from sparsecut.operators.negatives import NegativeGraph, with_apart
from sparsecut.progress import Reporter, reporting


@dataclass(frozen=True)
class Fitted:
    """What a fit has learned."""

    graph: Graph  # with the features that were embedded
    recipe: Recipe
    projection: Projection
    is_structure: bool
    history: History
    embedding: NDArray[np.float32] | None = None  # None while it is being trained


def fit(
    settings: Settings,
    graph: Graph,
    *,
    output: str | Path | None,
    on_epoch: Callable[[int, Fitted], None] | None,
    progress: Reporter | None,
) -> Fitted:
    """Learn from a graph. `on_epoch` is called after every epoch of a solver that has epochs."""
    is_structure, history = settings.is_structure(graph), History()
    if not is_structure:
        require_features(graph, settings.caller)
    n_features = graph.n_features if graph.has_features and not is_structure else 1
    with reporting(progress) as report, naming_overflow(graph):
        job = _fit_job(settings, graph, n_features, None if output is None else Path(output).absolute(), report)
        with settings.engine.open(job) as engine:
            seeds = engine.checkpoint("seeds", lambda: _seeds(settings.random_state))
            if is_structure:
                with history.stage("structure"):
                    graph = with_structure(graph, seeds[3], engine.device, report)
                history.notes.append(STRUCTURE_NOTE)
            else:
                history.notes.extend(_say_features(graph, settings.caller))
            with history.stage("prepare"):
                recipe, rows = settle(
                    graph,
                    engine,
                    weighting=settings.weighting,
                    filter=settings.filter,
                    n_levels=settings.n_levels,
                    aggregation=settings.aggregation,
                    chooses_from_graph=settings.solver.chooses_from_graph,
                    is_structure=is_structure,
                    caller=settings.caller,
                    notes=history.notes,
                )
                negatives = _describe_negatives(settings, graph, seeds[1])

            def keep(epoch: int, projection: Projection) -> None:
                assert on_epoch is not None
                on_epoch(epoch, Fitted(graph, recipe, projection, is_structure, history))

            problem = Problem(
                engine=engine,
                rows=rows,
                polynomials=recipe.polynomials,
                n_features=graph.n_features,
                negatives=negatives,
                dimension=settings.dimension_for(graph.n_features),
                aggregation=settings.aggregation,
                is_sharpened=is_structure,
                is_sparse=sp.issparse(graph.features),
                seeds=(seeds[0], seeds[2]),
                history=history,
                report=report,
                on_epoch=None if on_epoch is None else keep,
            )
            solution = settings.solver.solve(problem)
            recipe.reasons.extend(solution.reasons)
            projection = _remembered(engine, solution.projection)
            with history.stage("project"):
                if math.isnan(history.effective_rank) and projection.is_linear:
                    history.effective_rank = rank_of_scatter(problem.embedding_moments(projection)[1])
                embedding = engine.project(problem.levels, projection, job.output, is_last_use=True)
            if math.isnan(history.effective_rank):
                history.effective_rank = effective_rank(torch.from_numpy(embedding).to(engine.device))
            history.notes.extend(engine.notes)
    check_meaning(embedding, graph, settings.caller, history.notes, is_structure=is_structure)
    return Fitted(graph, recipe, projection, is_structure, history, embedding)


def embed(
    engine: EngineChoice,
    graph: Graph,
    recipe: Recipe,
    projection: Projection,
    *,
    caller: str,
    output: str | Path | None,
    progress: Reporter | None,
) -> NDArray[np.float32]:
    """The embedding of a graph by what was fitted: projected first, so that hops carry the columns of the embedding."""
    with reporting(progress) as report, naming_overflow(graph):
        job = Job(
            caller=caller,
            graph=graph,
            n_levels=len(recipe.filters),
            n_columns=sum(matrix.shape[1] for matrix in projection.weights),
            is_series=not all(is_power(polynomial) for polynomial in recipe.polynomials),
            with_moments=False,
            needs=frozenset() if output is None else frozenset({"output"}),
            output=None if output is None else Path(output).absolute(),
            key=("transform", recipe.to_header(), _arrays_of(projection)),
            report=report,
        )
        with engine.open(job) as opened:
            rows = opened.load(graph, recipe.weighting, recipe.filters[0])
            levels = [opened.smooth(rows, polynomial, lazily=True) for polynomial in recipe.polynomials]
            on_device = tuple(matrix.to(opened.device) for matrix in projection.weights)
            offset = None if projection.offset is None else projection.offset.to(opened.device)
            return opened.project(levels, Projection(on_device, projection.aggregation, offset), job.output)


def require_features(graph: Graph, caller: str) -> None:
    if not graph.has_features:
        raise InputError(
            f"{caller} needs node features, and the graph has none. Pass Graph(adjacency, features=...), or fit with "
            "features='auto' to use its structure."
        )


def _fit_job(settings: Settings, graph: Graph, n_features: int, output: Path | None, report: Reporter) -> Job:
    n_levels, solver = settings.n_levels or 1, settings.solver
    columns = settings.dimension if settings.dimension is not None else solver.most_columns(n_features, n_levels)
    # The ends of pairs are ids: what they mean belongs to what is computed.
    with_pairs = settings.apart is not None or settings.n_pairs(graph.n_nodes)
    return Job(
        caller=settings.caller,
        graph=graph,
        n_levels=n_levels,
        n_columns=columns,
        is_series=settings.n_levels is None and not _is_power(settings),
        n_pairs=settings.n_pairs(graph.n_nodes),
        with_whole_gram=solver.needs_whole_gram(n_features * n_levels),
        needs=settings.needs(graph, with_output=output is not None),
        output=output,
        key=("fit", settings.parameters, graph.node_ids if with_pairs else None),
        report=report,
    )


def _is_power(settings: Settings) -> bool:
    """Whether no filter comes back to the features it started from."""
    if settings.filter is None:
        return not settings.solver.chooses_from_graph
    return all(is_power(filter.coefficients()) for filter in settings.filter.candidates())


def _describe_negatives(settings: Settings, graph: Graph, seed: int) -> NegativeGraph:
    degrees, generator = neighbour_sums(graph.adjacency), np.random.default_rng(seed)
    negatives = settings.negatives.describe(degrees, graph.node_ids, generator)
    if settings.apart is None:
        return negatives
    return with_apart(negatives, settings.apart, graph.node_ids, settings.caller)


def _remembered(engine: Engine[Any], projection: Projection) -> Projection:
    """The projection as a run that is resumed will have it, to the bit: written down before a row is projected."""
    arrays = engine.checkpoint("solution", lambda: _arrays_of(projection))
    weights = tuple(
        torch.from_numpy(arrays[f"weights.{level}"]).to(engine.device) for level in range(len(projection.weights))
    )
    offset = torch.from_numpy(arrays["offset"]).to(engine.device) if "offset" in arrays else None
    return Projection(weights, projection.aggregation, offset)


def _arrays_of(projection: Projection) -> dict[str, NDArray[Any]]:
    arrays = {f"weights.{level}": matrix.contiguous().cpu().numpy() for level, matrix in enumerate(projection.weights)}
    return arrays if projection.offset is None else arrays | {"offset": projection.offset.cpu().numpy()}


def _say_features(graph: Graph, caller: str) -> list[str]:
    """What became of a table's columns; a column that drowns all others is worth a warning."""
    notes = [] if graph.encoder is None else list(graph.encoder.notes)
    dominant = dominant_column(graph.features)
    if dominant is not None:
        column, share = dominant
        names = getattr(graph.encoder, "names_out", graph.feature_names)
        message = (
            f"Column {column if names is None else repr(names[column])} holds {share:.2%} of the variance of the features, "
            f"so the embedding of {caller} follows it and hardly any other. Columns of unequal scale are standardised where "
            "they come as a table with names (a data frame, a file with a header, scale=True); divide those of an array by "
            "their standard deviation."
        )
        notes.append(message)
        warnings.warn(message, ScaleWarning, stacklevel=4)
    return notes


def _seeds(random_state: int | None) -> list[int]:
    """Of the weights' start, the sampled negatives, the order of mini-batches, and structure."""
    return [int(seed) & (2**63 - 1) for seed in np.random.SeedSequence(random_state).generate_state(4, np.uint64)]
