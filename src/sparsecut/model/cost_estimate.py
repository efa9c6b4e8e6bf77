"""`estimate`: what a fit would take with each engine on this machine, and which one to take, before it is run.

The passes of a fit are counted as `model.fit` makes them: the trial of restarts, the choice of channels, smoothing, the Gram
matrix, the projection. What each engine makes of them is in its own file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sparsecut.base.errors import InputError, check_integer
from sparsecut.engines import EngineChoice
from sparsecut.engines.costs import Cost, Machine, Workload, measure_machine
from sparsecut.graph import Graph
from sparsecut.io import read_graph
from sparsecut.kernels.streaming import in_words
from sparsecut.model.auto.narrowing import narrowed_width
from sparsecut.model.embedding_model import SparsestCutEmbedding
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


def outlook(graph: Graph, model: SparsestCutEmbedding, *, least: float = 4.0) -> Estimates | None:
    """The estimates for a fit that may take long, in about a second; None where the fastest machine needs less than `least`.

    So nothing is measured before a fit that is done in a few seconds.
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


def workload(graph: Any, model: SparsestCutEmbedding) -> Workload:
    """The passes that a fit of a model makes over a graph of these sizes."""
    if isinstance(graph, Graph):
        sizes = {"n_nodes": graph.n_nodes, "n_edges": graph.n_edges, "n_features": graph.n_features}
        n_entries, is_weighted = int(graph.adjacency.nnz), graph.is_weighted
    elif isinstance(graph, Mapping) and all(name in graph for name in SIZES):
        sizes = {name: check_integer("estimate", name, graph[name], 1) for name in SIZES}
        n_entries, is_weighted = 2 * sizes["n_edges"], False
    else:
        raise InputError(f"estimate takes a Graph, a path, or a mapping of {', '.join(SIZES)}. Got {type(graph).__name__}.")
    settings, f = model._settings(), max(1, sizes["n_features"])
    constants = settings.constants
    trial, evidence, narrowing = constants.filter_cost, constants.channel_cost, constants.narrowing_cost
    is_chosen = settings.filter is None and settings.solver.chooses_from_graph and settings.n_levels is None
    is_beside = is_chosen and settings.features == "auto" and settings.channels is None
    filter = settings.filter or (PageRank() if is_chosen else Power())
    n_levels = settings.n_levels or max(1, settings.n_channels)
    candidates = filter.candidates()
    order = max(len(candidate.coefficients()) - 1 for candidate in candidates)
    passes: list[tuple[int, int]] = []  # columns and hops of each
    products, grams, kept, n_nodes = 0, 0, 0, sizes["n_nodes"]
    is_tried = len(candidates) > 1 and sizes["n_edges"] >= constants.filter.min_edges
    if is_tried:  # candidates share their hops, which are taken one by one
        width = min(f, trial.n_directions if n_nodes <= trial.many_nodes else trial.few_directions)
        passes, products, kept = [(width, 1)] * order, f * width, width * (order - 1)
        grams = width**2 * len(candidates) if n_nodes <= trial.many_nodes else 0  # of all nodes, or of few
        if f > width and n_nodes <= trial.many_nodes:  # directions are found from all columns; else from few rows
            passes, products = [*passes, (f, constants.filter.n_hops)], products + f * width
    if is_chosen and settings.channels is None and f >= constants.channels.min_columns:
        width, n_halvings = (
            2 * min(evidence.n_directions, f // 2),
            evidence.n_halvings if n_nodes * f < evidence.many_entries else 1,
        )
        passes, products = [*passes, *[(width, 1)] * n_halvings], products + n_halvings * f * width
    dimension = settings.dimension or settings.solver.most_columns(f, n_levels)
    narrow, n_columns = narrowed_width(f, dimension, narrowing), f * (settings.n_levels or 1)
    if settings.n_levels is not None:
        passes += [(f, 1)] * settings.n_levels
    elif is_chosen and order >= narrowing.least_hops and n_nodes >= narrowing.least_nodes and narrow < f:
        passes, products = [*passes, (narrow, order)], products + f * narrow
    else:
        passes.append((f, order))
    return Workload(
        n_nodes=n_nodes,
        n_entries=n_entries,
        n_features=f,
        is_weighted=is_weighted,
        hop_columns=sum(columns * hops for columns, hops in passes),
        pass_columns=sum(columns for columns, _ in passes),
        kept_columns=kept,
        gram_columns=grams + (f * f * n_levels**2 if settings.n_levels is not None else f * f * n_levels),
        product_columns=products + f * dimension * n_levels,
        n_levels=n_levels,
        dimension=dimension,
        n_passes=len(passes),
        n_solved=n_columns if settings.solver.needs_whole_gram(n_columns) else dimension,
        is_chosen=is_chosen or is_tried,
        with_graph=settings.features == "both" or (is_beside and sizes["n_edges"] <= constants.graph_cost.most_edges),
    )


def in_time(seconds: float) -> str:
    """Seconds for a person."""
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:,.1f} h"
