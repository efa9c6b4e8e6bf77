"""The one fit, whichever engine has the rows:

rows    = engine.load(graph, weighting, filter)          F, weighted
levels  = engine.smooth(rows, polynomial), …             S = Σ c_k P^k F
moments = engine.moments(levels, negatives)              M = Sᵀ L_H S, mean, scatter
W       = solver.solve(…)                                by the closed form, or by Adam
Z       = engine.project(levels, W)                      the embedding

Channels are solved one by one and projected together (`sparsecut.model.channels`).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.base.errors import InputError, ReadingWarning, ScaleWarning
from sparsecut.base.progress import Reporter, reporting
from sparsecut.engines import Engine, EngineChoice, Job
from sparsecut.features import dominant_column
from sparsecut.features.structure import STRUCTURE_NOTE, structural_features
from sparsecut.features.weighting import Weighting
from sparsecut.graph import Graph
from sparsecut.kernels.block import degrees
from sparsecut.kernels.either import on_host
from sparsecut.kernels.magnitude import naming_overflow
from sparsecut.kernels.polynomials import is_power
from sparsecut.kernels.spectrum import rank_of_scatter
from sparsecut.kernels.transfer import as_array
from sparsecut.model.auto.settle import settle
from sparsecut.model.channels import Part, combine_structure, side_by_side
from sparsecut.model.history import History, effective_rank
from sparsecut.model.meaning import check_meaning
from sparsecut.model.settings import Settings
from sparsecut.model.solver import Problem
from sparsecut.operators.aggregation import Aggregation, Projection
from sparsecut.operators.filters import Filter, Power, is_served_by
from sparsecut.operators.negatives import NegativeGraph, complete_graph, with_apart
from sparsecut.operators.reason import Reason, of_channel
from sparsecut.operators.recipe import Recipe
from sparsecut.operators.sharpened import dimension_reason


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
        job = _fit_job(settings, graph, n_features, _file_of(output), report)
        with settings.engine.open(job) as engine:
            seeds = engine.checkpoint("seeds", lambda: _seeds(settings.random_state))
            if is_structure:
                with history.stage("structure"):
                    graph = _with_structure(graph, seeds[3], engine.device, report)
                history.notes.append(STRUCTURE_NOTE)
            else:
                history.notes.extend(_say_features(graph, engine, settings.caller))
            with history.stage("prepare"):
                recipe, rows = settle(
                    graph,
                    engine,
                    weighting=settings.weighting,
                    filter=settings.filter,
                    channels=settings.channels,
                    dimension=settings.dimension,
                    n_levels=settings.n_levels,
                    aggregation=settings.aggregation,
                    chooses_from_graph=settings.solver.chooses_from_graph,
                    is_structure=is_structure,
                    caller=settings.caller,
                    notes=history.notes,
                    constants=settings.constants,
                )
                negatives = _describe_negatives(settings, engine, seeds[1])
                structure = None
                if settings.with_structure:
                    with history.stage("structure"):
                        structure = _with_structure(graph, seeds[3], engine.device, report)

            def keep(epoch: int, projection: Projection) -> None:
                assert on_epoch is not None
                on_epoch(epoch, Fitted(graph, recipe, projection, is_structure, history))

            def problem_of(
                graph: Graph, rows: Any, filters: tuple[Filter, ...], *, is_sharpened: bool, name: str = "structure"
            ) -> Problem:
                return Problem(
                    engine=engine,
                    rows=rows,
                    polynomials=tuple(filter.coefficients() for filter in filters),
                    n_features=graph.n_features,
                    negatives=negatives,
                    dimension=dimension,
                    aggregation=settings.aggregation,
                    is_sharpened=is_sharpened,
                    is_sparse=graph.has_sparse_features,
                    seeds=(seeds[0], seeds[2]),
                    history=history,
                    report=report,
                    on_epoch=None if on_epoch is None else keep,
                    name=name,
                    constants=settings.constants,
                )

            dimension = settings.dimension_for(graph.n_features)
            recipe, problems = _problems(settings, graph, structure, recipe, rows, engine, problem_of, is_structure)
            projection = _remembered(engine, _solve(settings, recipe, problems, dimension, history))
            history.notes.extend(settings.say_dimension(graph.n_features, projection.dimension))
            with history.stage("project"):
                if len(problems) == 1 and math.isnan(history.effective_rank) and projection.is_linear:
                    history.effective_rank = rank_of_scatter(problems[0].embedding_moments(projection)[1])
                levels = [level for problem in problems for level in problem.levels]
                if math.isnan(history.effective_rank) and "parts" in engine.supports:
                    history.effective_rank = _rank_by(engine, levels, projection, graph.n_nodes)
                found = engine.project(levels, projection, job.output, is_last_use=True)
                if math.isnan(history.effective_rank):
                    history.effective_rank = effective_rank(found if isinstance(found, Tensor) else torch.from_numpy(found))
                embedding = _as_asked(found, output)
            projection = _widened(projection, problems)
            history.details.extend(engine.notes)
            if structure is not None:
                history.notes.append(_say_structure(projection, recipe))
    check_meaning(embedding, graph, settings.caller, history.notes, is_structure=is_structure)
    return Fitted(graph, recipe, projection, is_structure, history, embedding)


def _problems(
    settings: Settings,
    graph: Graph,
    structure: Graph | None,
    recipe: Recipe,
    rows: Any,
    engine: Engine[Any],
    problem_of: Callable[..., Problem],
    is_structure: bool,
) -> tuple[Recipe, list[Problem]]:
    """One problem for all levels of `MoSCE`, one for each channel of `SCE`; and the recipe with structure as a channel."""
    groups = [recipe.filters] if settings.n_levels is not None else [(filter,) for filter in recipe.filters]
    names = list(recipe.channels) or ["features"]
    channels = recipe.channels
    problems = []
    for name, filters in zip(names, groups, strict=True):
        if name == "structure":
            problems.append(_structure_problem(structure, filters, engine, problem_of))
            continue
        own = rows if is_served_by(filters[0], recipe.loaded) else engine.load(graph, recipe.weighting, filters[0])
        problems.append(problem_of(graph, own, filters, is_sharpened=is_structure, name=name))
    if settings.features == "both":
        filters = (Power(),) if settings.n_levels is None else Power().at_levels(settings.n_levels, settings.caller)
        problems.append(_structure_problem(structure, filters, engine, problem_of))
        channels = combine_structure(channels or {"features": 1.0}, settings.constants.channels.structure_share)
        reasons = [*recipe.reasons, Reason("structure", " and ".join(names), "requested")]
        aggregation: Aggregation = "concat" if settings.n_levels is None else "mean"
        recipe = replace(
            recipe, filters=(*recipe.filters, *filters), channels=channels, aggregation=aggregation, reasons=reasons
        )
    return recipe, problems


def _structure_problem(
    structure: Graph | None, filters: tuple[Filter, ...], engine: Engine[Any], problem_of: Callable[..., Problem]
) -> Problem:
    assert structure is not None
    rows = engine.load(structure, Weighting("none"), filters[0], structure.features)
    return problem_of(structure, rows, filters, is_sharpened=True)


def _solve(
    settings: Settings, recipe: Recipe, problems: list[Problem], dimension: int | None, history: History
) -> Projection:
    """The weights of every channel by itself, then side by side."""
    if len(problems) == 1:
        solution = settings.solver.solve(problems[0])
        recipe.reasons.extend(solution.reasons)
        return solution.projection
    parts, routes = [], []
    for (name, weight), problem in zip(recipe.channels.items(), problems, strict=True):
        solution = settings.solver.solve(problem)
        recipe.reasons.extend(of_channel(solution.reasons, name))
        routes.append(f"{name}: {history.reason}")
        scatter = problem.embedding_moments(solution.projection)[1] if solution.scatter is None else solution.scatter
        parts.append(Part(solution.projection, scatter, weight))
    history.reason, history.effective_rank = "; ".join(routes), math.nan
    kept_share = settings.constants.spectrum.kept_share
    projection = side_by_side(parts, dimension, kept_share)
    if dimension is None:
        recipe.reasons.append(dimension_reason(projection.dimension, kept_share))
    return projection


def _widened(projection: Projection, problems: list[Problem]) -> Projection:
    """The projection of all features, from that of the columns that the problems were solved in."""
    owners = [problem for problem in problems for _ in problem.levels]
    if all(problem.narrowed is None for problem in problems):
        return projection
    weights = tuple(problem.widened(matrix) for problem, matrix in zip(owners, projection.weights, strict=True))
    return replace(projection, weights=weights)


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
            needs=frozenset() if _file_of(output) is None else frozenset({"output"}),
            output=_file_of(output),
            key=("transform", recipe.to_header(), _arrays_of(projection)),
            report=report,
        )
        with engine.open(job) as opened:
            rows = opened.load(graph, recipe.weighting, recipe.loaded)
            levels = []
            for learned in recipe.filters:
                filter = learned.on(is_directed=graph.is_directed)
                own = rows if is_served_by(filter, recipe.loaded) else opened.load(graph, recipe.weighting, filter)
                levels.append(opened.smooth(own, filter.coefficients(), lazily=True))
            on_device = tuple(matrix.to(opened.device) for matrix in projection.weights)
            offset = None if projection.offset is None else projection.offset.to(opened.device)
            found = opened.project(levels, Projection(on_device, projection.aggregation, offset), job.output)
            embedding: NDArray[np.float32] = _as_asked(found, output)
            return embedding


def _as_asked(embedding: Any, output: str | Path | None) -> Any:
    """The embedding as a tensor where it is, for output="torch", or as an array."""
    if output == "torch":
        return embedding if isinstance(embedding, Tensor) else torch.from_numpy(embedding)
    return as_array(embedding) if isinstance(embedding, Tensor) else embedding


def _file_of(output: str | Path | None) -> Path | None:
    return None if output is None or output == "torch" else Path(output).absolute()


def require_features(graph: Graph, caller: str) -> None:
    if not graph.has_features:
        raise InputError(
            f"{caller} needs node features, and the graph has none. Pass Graph(adjacency, features=...), or fit with "
            "features='auto' to use its structure."
        )


def _fit_job(settings: Settings, graph: Graph, n_features: int, output: Path | None, report: Reporter) -> Job:
    n_levels, solver = settings.n_levels or 1, settings.solver
    n_channels = settings.n_channels if settings.n_levels is None else 1 + (settings.features == "both")
    columns = settings.dimension
    if columns is None:
        columns = solver.most_columns(n_features, n_levels) * n_channels
    # The ends of pairs are ids: what they mean belongs to what is computed.
    with_pairs = settings.apart is not None or settings.n_pairs(graph.n_nodes)
    return Job(
        caller=settings.caller,
        graph=graph,
        n_levels=n_levels if settings.channels is None else len(settings.channels),
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
    if settings.channels is not None and "difference" in settings.channels:
        return False
    return all(is_power(filter.coefficients()) for filter in settings.filter.candidates())


@dataclass(frozen=True)
class _Nodes:
    """What a negative graph is made of."""

    engine: Engine[Any]

    @property
    def n_nodes(self) -> int:
        return self.engine.graph.n_nodes

    @property
    def node_ids(self) -> NDArray[Any]:
        return self.engine.graph.node_ids

    @property
    def degrees(self) -> NDArray[np.float64]:
        return on_host(degrees(self.engine)[:])


def _describe_negatives(settings: Settings, engine: Engine[Any], seed: int) -> NegativeGraph:
    nodes = _Nodes(engine)
    negatives = settings.negatives.describe(nodes, np.random.default_rng(seed))
    if settings.apart is None:
        return negatives
    return with_apart(negatives, settings.apart, nodes.node_ids, settings.caller)


def _remembered(engine: Engine[Any], projection: Projection) -> Projection:
    """The projection as a run that is resumed will have it, to the bit: written down before a row is projected."""
    arrays = engine.checkpoint("solution", lambda: _arrays_of(projection))
    weights = tuple(
        torch.from_numpy(arrays[f"weights.{level}"]).to(engine.device) for level in range(len(projection.weights))
    )
    offset = torch.from_numpy(arrays["offset"]).to(engine.device) if "offset" in arrays else None
    return Projection(weights, projection.aggregation, offset)


def _rank_by(engine: Engine[Any], levels: list[Any], projection: Projection, n_nodes: int) -> float:
    """The effective rank of an embedding whose rows stay where they are."""
    image = engine.multiply(levels, projection.whole())
    scatter = engine.moments([image], complete_graph(n_nodes)).scatter
    assert scatter is not None
    return rank_of_scatter(scatter)


def _arrays_of(projection: Projection) -> dict[str, NDArray[Any]]:
    arrays = {f"weights.{level}": matrix.contiguous().cpu().numpy() for level, matrix in enumerate(projection.weights)}
    return arrays if projection.offset is None else arrays | {"offset": projection.offset.cpu().numpy()}


def _say_structure(projection: Projection, recipe: Recipe) -> str:
    where = (
        f"The last {projection.weights[-1].shape[1]} columns are" if recipe.aggregation == "concat" else "Some columns are"
    )
    return f"{where} the graph's structure. They mean something for this graph alone: to embed another one, fit again."


def _say_features(graph: Graph, engine: Engine[Any], caller: str) -> list[str]:
    """What became of a table's columns; a column that drowns all others is worth a warning."""
    notes = [] if graph.encoder is None else list(graph.encoder.notes)
    for sentence in getattr(graph.encoder, "free_text", ()):
        warnings.warn(sentence, ReadingWarning, stacklevel=4)
    dominant = dominant_column(engine)
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


def _with_structure(graph: Graph, seed: int, device: torch.device, report: Reporter) -> Graph:
    """The graph with its structure for features."""
    return graph.replace(features=structural_features(graph.adjacency, seed=seed, device=device, report=report))
