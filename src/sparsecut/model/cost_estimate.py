"""`estimate`: what a fit would take with each engine on this machine, and which one to take, before it is run.

The passes of a fit are counted as `model.fit` makes them: the trial of restarts, the choice of channels, smoothing, the Gram
matrix, the projection. What each engine makes of them is in its own file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sparsecut.base.errors import InputError, check_integer
from sparsecut.engines import EngineChoice
from sparsecut.engines.costs import Cost, Machine, Workload, measure_machine
from sparsecut.features.places import N_COLUMNS
from sparsecut.graph import Graph
from sparsecut.io import read_graph
from sparsecut.kernels.streaming import in_words
from sparsecut.model.auto.constants import ChannelCost, Constants, NarrowingCost
from sparsecut.model.auto.narrowing import narrowed_width
from sparsecut.model.embedding_model import SparsestCutEmbedding
from sparsecut.model.graph_columns import N_BESIDE
from sparsecut.model.sce import SCE
from sparsecut.operators.filters import PageRank, Power

SIZES = ("n_nodes", "n_edges", "n_features")
FASTEST = Machine(5e9, 1e11, 1e10, 1 << 50, 1 << 50, 64, streams=2e10, steps=1e8)  # no machine with one processor is faster


class Estimates(Sequence[Cost]):
    """The costs of all engines; `best` is the fastest that fits, and `str` a table.

    Parameters
    ----------
    costs : sequence of Cost
        One per engine.
    """

    def __init__(self, costs: Sequence[Cost]) -> None:
        self.costs = list(costs)

    def __getitem__(self, place: Any) -> Any:
        return self.costs[place]

    def __len__(self) -> int:
        return len(self.costs)

    def of(self, engine: EngineChoice) -> Cost | None:
        """The cost with an engine; with "auto" that of the one it takes: memory where the rows fit, else disk."""
        return next((cost for cost in self.costs if cost.engine == engine.taken_of(self.costs)), None)

    @property
    def best(self) -> Cost:
        """The fastest of those that fit; where none does, the one that needs least memory."""
        fitting = [cost for cost in self.costs if cost.fits]
        return min(fitting, key=lambda cost: cost.seconds) if fitting else min(self.costs, key=lambda cost: cost.memory)

    def __str__(self) -> str:
        lines = []
        for cost in self.costs:
            disk = f", disk {in_words(cost.disk)}" if cost.disk else ""
            plans = [f"{name} {in_words(n_bytes)}" for name, n_bytes in cost.moved_by.items()]
            moved = f", {in_words(cost.moved)} between workers" if cost.moved else ""
            moved += f" ({', '.join(plans)})" if plans else ""
            fits = "" if cost.fits else f": does not fit, {cost.why}"
            lines.append(f"{cost.engine:7} {in_time(cost.seconds)}, memory {in_words(cost.memory)}{disk}{moved}{fits}")
        verdict = f"Take engine={self.best.engine!r}." if self.best.fits else "None fits on this machine."
        return "\n".join([*lines, verdict])


def estimate(graph: Any, model: SparsestCutEmbedding | None = None, *, features: str | Path | None = None) -> Estimates:
    """What time, memory and disk each engine would need to fit a graph on this machine, and which one to take.

    Parameters
    ----------
    graph : Graph, path, or a mapping of n_nodes, n_edges and n_features
        The graph; the file or folder of its edges; or its sizes where there is none yet. Of a folder of Parquet files, or
        a Zarr array, only the sizes are read; every row is counted as an edge.
    model : SCE or MoSCE, optional
        What is to be fitted; by default `SCE()`.
    features : str or Path, optional
        The features beside a file or folder of edges; a folder of edges needs them.

    Returns
    -------
    Estimates
        A sequence with the cost of each engine; `.best` is the one to take.

    Notes
    -----
    The passes of a fit are counted, and divided by speeds that are measured here in about a second: of a hop, a dense
    product, a copy, a file and a loop. `docs/scaling.md` has estimates beside measured fits. A machine that is busy at
    that moment seems slow. Memory counts the large arrays and the libraries. What a cluster moves is given for both plans;
    by rows with a halo it is that of a graph whose edges go anywhere, and less where neighbours lie together. A cluster
    elsewhere is not measured: its estimate is that of worker processes on this machine, their start included.

    Examples
    --------
    >>> import sparsecut as sc
    >>> found = sc.estimate({"n_nodes": 10_000, "n_edges": 50_000, "n_features": 64})
    >>> found.best.engine
    'memory'
    >>> sc.estimate({"n_nodes": 10**9, "n_edges": 10**11, "n_features": 128}).best.fits
    False
    """
    model = SCE() if model is None else model
    if features is not None and not isinstance(graph, str | Path):
        raise InputError(f"features are for a file or folder of edges. Got {type(graph).__name__}, which has its own.")
    if isinstance(graph, str | Path):
        graph = _measured(graph, features)
    work = workload(graph, model)
    machine = measure_machine(work)
    chosen = model._choice("engine")
    engines = [
        chosen if chosen.word == word else EngineChoice.of(word, "estimate", "engine") for word in EngineChoice.words()
    ]
    found = [engine.estimate(work, machine) for engine in engines]
    return Estimates([cost for cost in found if cost is not None])


def outlook(graph: Graph, model: SparsestCutEmbedding, *, least: float = 1.5) -> Estimates | None:
    """The estimates for a fit that may take long, in about a second; None where the fastest machine needs less than `least`.

    So nothing is measured before a fit that is done in a few seconds, and one of ten seconds is estimated on every machine
    that is less than seven times slower.
    """
    return estimate(graph, model) if FASTEST.seconds(workload(graph, model)) >= least else None


def is_in_parts(path: str | Path, features: str | Path | None) -> bool:
    """Whether the edges or the features are a folder of Parquet files or a Zarr array, of which only the sizes are read."""
    from sparsecut.engines.dask.feature_sources import is_partitioned

    return any(is_partitioned(source) for source in (path, features) if source is not None)


def _measured(path: str | Path, features: str | Path | None) -> Any:
    """The sizes of a graph in folders, which are larger than memory as likely as not; any other graph is read."""
    from sparsecut.engines.dask.feature_sources import sizes_of

    if not is_in_parts(path, features):
        return read_graph(path, features=features)
    if features is None:
        raise InputError(
            f"The folder of edges {path} needs features beside it: features= (--features), a folder of Parquet files, a "
            "Parquet or .npy file or a Zarr array."
        )
    return sizes_of(path, features)


@dataclass(frozen=True)
class Sizes:
    """What is counted of a graph, whether it is there or only its sizes are known."""

    n_nodes: int
    n_edges: int
    n_features: int
    n_entries: int
    n_numbers: int  # of the features that are stored
    is_weighted: bool = False
    has_sparse_features: bool = False
    n_relations: int = 0  # types of edges

    @classmethod
    def of(cls, graph: Any) -> Sizes:
        if isinstance(graph, Graph):
            n, n_relations = graph.n_nodes, 0 if graph.relations is None else len(graph.relations.edge_types)
            is_sparse = graph.has_sparse_features
            features: Any = graph.features
            n_numbers = int(features.nnz) if is_sparse else n * graph.n_features
            kind = graph.is_weighted, is_sparse, n_relations
            return cls(n, graph.n_edges, graph.n_features, int(graph.adjacency.nnz), n_numbers, *kind)
        if isinstance(graph, Mapping) and all(name in graph for name in SIZES):
            n, m, f = (check_integer("estimate", name, graph[name], 1) for name in SIZES)
            return cls(n, m, f, 2 * m, n * f)
        raise InputError(f"estimate takes a Graph, a path, or a mapping of {', '.join(SIZES)}. Got {type(graph).__name__}.")

    @property
    def has_features(self) -> bool:
        return self.n_features > 0


@dataclass
class _Passes:
    """What the steps of a fit add up to."""

    sizes: Sizes
    hops: list[tuple[int, int]] = field(default_factory=list)  # columns and hops of each pass over all rows
    of_samples: int = 0  # Σ columns · hops of which some rows alone are wanted
    kept: int = 0  # Σ columns over the passes that go on from the last one's result
    grams: int = 0  # Σ columns²
    products: int = 0  # Σ columns that the features are multiplied with

    def multiply(self, n_columns: int, times: int = 1) -> None:
        self.products += times * n_columns

    def iterate(self, n_columns: int, n_hops: int) -> None:
        """Fᵀ·P·P·F·W: the features and their transpose, and the hops of both."""
        self.multiply(n_columns, times=2)
        self.hops += [(n_columns, n_hops)] * 2


def workload(graph: Any, model: SparsestCutEmbedding) -> Workload:
    """The passes that a fit of a model makes over a graph of these sizes."""
    sizes, settings = Sizes.of(graph), model._settings()
    n, f, constants = sizes.n_nodes, max(1, sizes.n_features), settings.constants
    passes, narrowing = _Passes(sizes), constants.narrowing_cost
    of_graph = settings.graph_channels(sizes)  # type: ignore[arg-type]
    with_features = settings.embeds_features(sizes)  # type: ignore[arg-type]
    is_chosen = settings.filter is None and settings.solver.chooses_from_graph and settings.n_levels is None
    filter = settings.filter or (PageRank() if is_chosen else Power())
    candidates = filter.candidates()
    order = max(len(candidate.coefficients()) - 1 for candidate in candidates)
    is_tried = with_features and len(candidates) > 1 and sizes.n_edges >= constants.filter.min_edges
    if is_tried:
        _count_trial(passes, f, order, len(candidates), constants)
    if with_features and is_chosen and settings.channels is None and f >= constants.channels.min_columns:
        _count_evidence(passes, f, constants.channel_cost)
    n_levels = settings.n_levels or max(1, settings.n_channels)
    dimension = settings.dimension or settings.solver.most_columns(f, n_levels)
    n_columns = f * (settings.n_levels or 1)
    is_whole, width = settings.solver.needs_whole_gram(n_columns), f  # columns of the rows that are smoothed
    narrowest = narrowed_width(f, dimension, narrowing)
    directions = -(-(dimension + narrowing.spare) // narrowing.line) * narrowing.line
    if settings.n_levels is not None:
        passes.hops += [(f, 1)] * settings.n_levels
        passes.grams += f**2 * settings.n_levels  # of each by itself, for its scale
    elif with_features and is_chosen:
        if sizes.has_sparse_features and not is_whole and directions + narrowing.n_probes < f:
            for n_hops in (*(1,) * narrowing.n_near, *(order,) * narrowing.n_itself):
                passes.iterate(directions, n_hops)
            width, is_whole = directions + narrowing.n_probes, True
        elif not sizes.has_sparse_features and is_whole and _pays(sizes, order, narrowest, narrowing):
            width = narrowest
            passes.of_samples += f
        if width < f:
            passes.multiply(width)
        passes.hops.append((width, order))
    elif with_features:
        passes.hops.append((f, order))
    if with_features:
        passes.grams += width**2 * n_levels * (n_levels if settings.n_levels is not None else 1) if is_whole else 0
        if not is_whole:
            passes.multiply(dimension + narrowing.spare, times=2 * constants.spectrum_cost.n_iterations)
    held = width if sizes.has_sparse_features else f
    if of_graph:
        n_places = N_BESIDE if with_features else N_COLUMNS
        passes.hops += [(n_places, 1)] * 2 + [(n_places, 2)]
        passes.grams += n_places**2
        held = held if with_features else n_places
    is_sparse, stored = sizes.has_sparse_features, sizes.n_numbers
    return Workload(
        n_nodes=n,
        n_entries=sizes.n_entries,
        n_features=held,
        is_weighted=sizes.is_weighted,
        hop_columns=sum(columns * hops for columns, hops in passes.hops),
        pass_columns=sum(columns for columns, _ in passes.hops),
        kept_columns=passes.kept,
        gram_columns=passes.grams,
        product_columns=width * dimension * n_levels + (0 if is_sparse else f * passes.products),
        sparse_products=stored * passes.products if is_sparse else 0,
        sampled_columns=passes.of_samples,
        n_levels=n_levels,
        dimension=dimension,
        n_passes=len(passes.hops),
        n_solved=width * (settings.n_levels or 1) if is_whole else dimension,
        is_chosen=is_chosen or is_tried,
        with_graph=bool(of_graph),
        n_relations=sizes.n_relations if settings.solver.chooses_from_graph else 0,
    )


def _count_trial(passes: _Passes, f: int, order: int, n_candidates: int, constants: Constants) -> None:
    """The candidates for the filter share their hops, which are taken one by one; of the last some rows are enough."""
    cost, is_large = constants.filter_cost, passes.sizes.n_nodes > constants.filter_cost.many_nodes
    width = min(f, cost.few_directions if is_large else cost.n_directions)
    if f > width and (not is_large or passes.sizes.has_sparse_features):  # directions are found from all rows …
        passes.iterate(width, constants.filter.n_hops)
    elif f > width:  # … or from few
        passes.of_samples += f
    passes.multiply(width)
    passes.hops += [(width, 1)] * (order - is_large)
    passes.of_samples += width * is_large
    passes.kept += width * (order - 1)
    passes.grams += 0 if is_large else width**2 * n_candidates


def _count_evidence(passes: _Passes, f: int, cost: ChannelCost) -> None:
    """Columns of both halves of the features at few nodes; of features that are wide or sparse, by products with all."""
    n_halvings = cost.n_halvings if passes.sizes.n_numbers < cost.many_entries else 1
    width = 2 * min(cost.n_directions, f // 2)
    passes.of_samples += width * n_halvings
    if passes.sizes.has_sparse_features or f > cost.wider * width * n_halvings:
        passes.multiply(width, times=n_halvings)


def _pays(sizes: Sizes, order: int, width: int, cost: NarrowingCost) -> bool:
    """Whether fewer columns are smoothed, as `narrow` decides it."""
    if order < cost.least_hops or sizes.n_nodes < cost.least_nodes or width >= sizes.n_features:
        return False
    saved = 2 * sizes.n_edges * order * (sizes.n_features - width)
    return saved >= cost.product_cost * sizes.n_nodes * sizes.n_features * width


def in_time(seconds: float) -> str:
    """Seconds for a person."""
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:,.1f} h"
