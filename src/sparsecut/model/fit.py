"""The one fit, whichever engine has the rows:

rows    = engine.load(graph, weighting, filter)          F, weighted
levels  = engine.smooth(rows, polynomial), …             S = Σ c_k P^k F
moments = engine.moments(levels, negatives)              M = Sᵀ L_H S, mean, scatter
W       = solver.solve(…)                                by the closed form, or by Adam
Z       = engine.project(levels, W)                      the embedding

Channels are solved one by one and projected together (`sparsecut.model.channels`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
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
from sparsecut.features import dominant_column, doubts_of, leaks_of
from sparsecut.graph import Graph, encode_labels
from sparsecut.kernels.block import degrees
from sparsecut.kernels.either import on_host
from sparsecut.kernels.magnitude import naming_overflow
from sparsecut.kernels.polynomials import is_power
from sparsecut.kernels.spectrum import rank_of_scatter
from sparsecut.kernels.transfer import as_array, as_tensor
from sparsecut.model.auto.relation_choice import weigh_relations
from sparsecut.model.auto.settle import settle
from sparsecut.model.channels import ChannelPart, side_by_side
from sparsecut.model.graph_columns import NONE, GraphColumns
from sparsecut.model.history import History, effective_rank
from sparsecut.model.meaning import check_features, check_meaning
from sparsecut.model.problem import Channel, Fitting, Problem
from sparsecut.model.settings import Settings
from sparsecut.model.type_means import TypeColumns
from sparsecut.operators.aggregation import Projection
from sparsecut.operators.filters import Filter, is_served_by
from sparsecut.operators.negatives import NegativeGraph, complete_graph, with_apart
from sparsecut.operators.reason import of_channel
from sparsecut.operators.recipe import Recipe, source_of
from sparsecut.operators.sharpened import dimension_reason


@dataclass(frozen=True)
class Fitted:
    """What a fit has learned."""

    graph: Graph
    recipe: Recipe
    projection: Projection
    columns: GraphColumns
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
    with_features, history = settings.embeds_features(graph), History()
    if with_features:
        require_features(graph, settings.caller)
    graph, weighed = weigh_relations(graph, settings)
    with reporting(progress) as report, naming_overflow(graph):
        job = _fit_job(settings, graph, graph.n_features if with_features else 1, _file_of(output), report)
        with settings.engine.open(job) as engine:
            seeds = engine.checkpoint("seeds", lambda: _seeds(settings.random_state))
            if with_features:
                history.notes.extend(_say_features(graph, engine, settings.caller))
            history.notes.extend(settings.say_left_out(graph))
            names, columns = settings.graph_channels(graph), GraphColumns()
            if names:
                with history.stage("structure"):
                    columns = GraphColumns.fit(names, graph, engine, is_alone=not with_features, report=report)
            with history.stage("prepare"):
                recipe, rows = settle(settings, graph, engine, columns, notes=history.notes)
                recipe.reasons.extend(weighed)
                negatives = _describe_negatives(settings, engine, seeds[1])

            def keep(epoch: int, projection: Projection) -> None:
                assert on_epoch is not None
                on_epoch(epoch, Fitted(graph, recipe, projection, columns, history))

            n_features = graph.n_features if with_features else columns.n_columns(recipe.sources[0])
            fitting = Fitting(
                settings=settings,
                engine=engine,
                negatives=negatives,
                demands=graph.demands,
                dimension=settings.dimension_for(n_features),
                seeds=(seeds[0], seeds[2]),
                history=history,
                report=report,
                on_epoch=None if on_epoch is None else keep,
                n_channels=len(recipe.channels) or 1,
                types=_type_rows(graph, engine, recipe) if settings.solver.chooses_from_graph else None,
            )
            projection, found = _learn(fitting, _load_channels(fitting, graph, columns, recipe, rows), recipe, job.output)
            history.notes.extend(settings.say_dimension(n_features, projection.dimension))
            history.notes.extend(engine.notes)
            history.details.extend(engine.details)
            embedding = _as_requested(found, output)
    of_features = [W for W, source in zip(projection.weights, recipe.sources, strict=True) if source == "features"]
    if of_features and len(of_features) < len(projection.weights):
        check_features(of_features, graph, settings.caller, history.notes)
    check_meaning(embedding, graph, settings.caller, history.notes, is_structure=not with_features)
    return Fitted(graph, recipe, projection, columns.of(recipe.sources), history, embedding)


def _learn(fitting: Fitting, channels: Sequence[Channel], recipe: Recipe, output: Path | None) -> tuple[Projection, Any]:
    """The five lines for rows that are loaded: the projection of all features, and the embedding where the engine has it.

    A problem smooths its rows and computes their moments when its solver asks for them.
    """
    engine, history = fitting.engine, fitting.history
    problems = [Problem(fitting, channel) for channel in channels]  # levels = engine.smooth, moments = engine.moments
    projection = _remembered(engine, _solve(fitting, problems, recipe))  # W = solver.solve
    levels = [level for problem in problems for level in problem.levels]
    with history.stage("project"):
        if history.effective_rank is None:
            history.effective_rank = _rank_before(engine, problems, levels, projection)
        Z = engine.project(levels, projection, output, is_last_use=True)
        if history.effective_rank is None:
            history.effective_rank = effective_rank(Z if isinstance(Z, Tensor) else as_tensor(Z, torch.device("cpu")))
    return _widened(projection, problems), Z


def _load_channels(
    fitting: Fitting, graph: Graph, columns: GraphColumns, recipe: Recipe, rows: Mapping[str, Any]
) -> list[Channel]:
    """The rows of each channel of `SCE`, or of all levels of `MoSCE`; `rows` are loaded already, by their source."""
    engine, n_levels = fitting.engine, fitting.settings.n_levels or 1
    channels, rows = [], dict(rows)
    for number, name in enumerate(recipe.channels or ("features",)):
        filters = recipe.filters[number * n_levels : (number + 1) * n_levels]
        source = source_of(name)
        if source == "features":
            is_loaded = is_served_by(filters[0], recipe.loaded)
            own = rows[source] if is_loaded else engine.load(graph, recipe.weighting, filters[0])
            channels.append(Channel(name, graph.n_features, own, filters, graph.has_sparse_features))
        else:
            if source not in rows:  # all of a source have one matrix
                rows[source] = columns.load(source, graph, filters[0], engine)
            own = rows[source]
            is_sharpened = source == "structure"
            channels.append(Channel(name, columns.n_columns(source), own, filters, is_sharpened=is_sharpened))
    return channels


def _type_rows(graph: Graph, engine: Engine[Any], recipe: Recipe) -> Any:
    """The types of the nodes as rows, for means by type; None for a graph without types."""
    if graph.node_types is None:
        return None
    return engine.load(graph, NONE, recipe.filters[0], TypeColumns(graph.node_ids, graph.node_types))


def _solve(fitting: Fitting, problems: Sequence[Problem], recipe: Recipe) -> Projection:
    """The weights of every channel by itself, then side by side; the solver's reasons are added to the recipe's."""
    solver, history = fitting.settings.solver, fitting.history
    if len(problems) == 1:
        solution = solver.solve(problems[0])
        recipe.reasons.extend(solution.reasons)
        return solution.projection
    parts, routes = [], []
    for (name, weight), problem in zip(recipe.channels.items(), problems, strict=True):
        solution = solver.solve(problem)
        recipe.reasons.extend(of_channel(solution.reasons, name))
        routes.append(f"{name}: {history.reason}")
        scatter = problem.embedding_moments(solution.projection)[1] if solution.scatter is None else solution.scatter
        parts.append(ChannelPart(solution.projection, scatter, weight))
    history.reason, history.effective_rank = "; ".join(routes), None  # that of all channels together is not known yet
    share = fitting.settings.constants.spectrum.kept_share
    n_columns = fitting.settings.n_columns if fitting.dimension is None else fitting.dimension
    projection = side_by_side(parts, n_columns, share)
    if fitting.dimension is None:
        recipe.reasons.append(dimension_reason(projection.dimension, share))
    return projection


def _rank_before(
    engine: Engine[Any], problems: Sequence[Problem], levels: Sequence[Any], projection: Projection
) -> float | None:
    """The effective rank of the embedding from moments, where they are known or the rows do not come here; else None."""
    if len(problems) == 1 and projection.is_linear:
        return rank_of_scatter(problems[0].embedding_moments(projection)[1])
    if "parts" not in engine.supports:
        return None
    image = engine.multiply(levels, projection.whole())
    scatter = engine.moments([image], complete_graph(problems[0].negatives.n_nodes)).scatter
    assert scatter is not None
    return rank_of_scatter(scatter)


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
    columns: GraphColumns,
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
            key=("transform", recipe.to_header(), _arrays_of(projection), columns.to_header()),
            report=report,
        )
        with engine.open(job) as opened:
            columns = columns.checked(graph, opened, caller, is_alone="features" not in recipe.sources)
            loaded: dict[str, tuple[Filter, Any]] = {}  # by their source
            if "features" in recipe.sources:
                loaded["features"] = recipe.loaded, opened.load(graph, recipe.weighting, recipe.loaded)
            levels = []
            for source, learned in zip(recipe.sources, recipe.filters, strict=True):
                filter = learned.on(is_directed=graph.is_directed)
                known, own = loaded.get(source, (None, None))
                if known is None or not is_served_by(filter, known):
                    own = (
                        opened.load(graph, recipe.weighting, filter)
                        if source == "features"
                        else columns.load(source, graph, filter, opened)
                    )
                    loaded.setdefault(source, (filter, own))
                levels.append(opened.smooth(own, filter.coefficients(), lazily=True))
            on_device = tuple(matrix.to(opened.device) for matrix in projection.weights)
            offset = None if projection.offset is None else projection.offset.to(opened.device)
            found = opened.project(levels, Projection(on_device, projection.aggregation, offset), job.output)
            embedding: NDArray[np.float32] = _as_requested(found, output)
            return embedding


def _as_requested(embedding: Any, output: str | Path | None) -> Any:
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
        n_pairs=settings.n_pairs(graph.n_nodes) + (0 if graph.demands is None else int(graph.demands.nnz)),
        with_whole_gram=solver.needs_whole_gram(n_features * n_levels),
        needs=settings.needs(with_output=output is not None),
        output=output,
        key=("fit", settings.parameters, graph.node_ids if with_pairs else None, *_parts_of(graph.demands)),
        report=report,
    )


def _parts_of(demands: Any) -> tuple[Any, ...]:
    return () if demands is None else (demands.indptr, demands.indices, demands.data)


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


def _arrays_of(projection: Projection) -> dict[str, NDArray[Any]]:
    arrays = {f"weights.{level}": matrix.contiguous().cpu().numpy() for level, matrix in enumerate(projection.weights)}
    return arrays if projection.offset is None else arrays | {"offset": projection.offset.cpu().numpy()}


def _say_features(graph: Graph, engine: Engine[Any], caller: str) -> list[str]:
    """What became of a table's columns; a doubtful reading and a column that drowns all others are worth a warning."""
    notes = [] if graph.encoder is None else list(graph.encoder.notes)
    doubts = (*doubts_of(graph.source), *leaks_of(graph.source, _classes_of(graph)))
    notes.extend(doubts)
    for sentence in (*getattr(graph.encoder, "free_text", ()), *doubts):
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


def _classes_of(graph: Graph) -> NDArray[np.int64] | None:
    """The class of every node, where a column of a table may hold it; −1 for none."""
    is_table = getattr(graph.encoder, "kind", "") in ("table", "types")
    return encode_labels(graph.labels)[1] if is_table and graph.labels is not None and graph.labels.ndim == 1 else None


def _seeds(random_state: int | None) -> list[int]:
    """Seeds of the weights' start, of the sampled negatives, and of the order of mini-batches."""
    return [int(seed) & (2**63 - 1) for seed in np.random.SeedSequence(random_state).generate_state(3, np.uint64)]
