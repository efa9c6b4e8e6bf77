"""A fit, and a transform, of rows that are not in memory: the same passes in the same order, by `engines.disk`.

Everything is a function of M = Sᵀ L_H S and of the mean and the scatter of S, all f × f or less: the choice of the restart,
the closed form or Adam's epochs, the length of the rows and their effective rank. So the rows are touched to smooth them, to
reduce them, and to project them, and at no other time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.arrays.magnitude import check_finite
from sparsecut.arrays.streaming import in_words, neighbour_sums, parse_bytes
from sparsecut.engines.disk import (
    BASE_BYTES,
    MIN_BLOCK,
    N_BLOCKS,
    NODE_BYTES,
    DiskEngine,
    DiskPropagation,
    Spread,
    plan_sizes,
)
from sparsecut.engines.panels import Panels
from sparsecut.errors import InputError
from sparsecut.graph import Graph
from sparsecut.graph.pairs import pack_pairs
from sparsecut.io.files import check_writable
from sparsecut.io.workfolder import RowWriter, WorkFolder, check_room, fingerprint_of, unfinished, work_folder
from sparsecut.kernels.polynomials import Polynomial, is_power
from sparsecut.model.parameters import recipe_settings, solver_of, training_settings
from sparsecut.model.recipe import Recipe, settle
from sparsecut.model.restart_on_disk import choose_restart_on_disk, propagation_on_disk
from sparsecut.model.spectral import N_DIRECTIONS, ROUNDING, solve_gram
from sparsecut.model.training import Encoder, EnergyOverGram, History, rank_of_scatter, train
from sparsecut.operators.filters import polynomial
from sparsecut.operators.negatives import NegativeGraph
from sparsecut.progress import Reporter
from sparsecut.version import __version__

PAIR_BYTES = 130  # a pair of a sparse negative graph: itself, its entries in the Laplacian, and what sorts them


@dataclass(frozen=True)
class Fitted:
    recipe: Recipe
    weights: list[Tensor]
    offset: Tensor
    embedding: NDArray[np.float32]


def fit_on_disk(
    model: Any,
    graph: Graph,
    *,
    output: str | Path | None,
    history: History,
    report: Reporter,
    make_negatives: Callable[[NDArray[np.float64], np.random.Generator], NegativeGraph],
    make_encoder: Callable[[int, int], Encoder],
    keep: Callable[[Recipe, list[Tensor], Tensor], None],
    callback: Callable[[int, History], None] | None,
) -> Fitted:
    """Fit an estimator. `keep` makes the weights of an epoch its own before `callback` is called."""
    _check_possible(model, graph)
    path = None if output is None else check_output(output)
    n_nodes, n_features = graph.n_nodes, graph.n_features
    orders, solver, name = model._orders(1), solver_of(model), type(model).__name__
    most_columns = _most_columns(model, n_features * len(orders))
    limit = parse_bytes(name, "memory_limit", model.memory_limit)
    sizes = plan_sizes(
        n_nodes,
        n_features,
        limit,
        caller=name,
        is_series=model.with_series and model.filter not in ("row", "symmetric", "lazy"),
        extra_bytes=PAIR_BYTES * _n_pairs(model, n_nodes),
        gram_columns=n_features * len(orders),
    )
    if path is None:
        check_in_memory(n_nodes, most_columns, limit, name)
    parameters = {key: value for key, value in model.get_params(deep=False).items() if key != "scratch"}
    given = {
        key: pack_pairs(parameters[key]) for key in ("negatives", "apart") if not isinstance(parameters[key], str | None)
    }
    ids = graph.node_ids if given else None  # what the ends of the pairs mean
    fingerprint = fingerprint_of(
        "fit", __version__, graph.adjacency, graph.features, {**parameters, **given}, ids, str(path)
    )
    with _working(model, path, fingerprint) as work:
        panel_bytes = 4 * n_nodes * n_features * (1 + len(orders))
        _check_room(work, panel_bytes, path, 4 * n_nodes * most_columns)
        seeds = work.value("seeds", lambda: _seeds(model.random_state))
        engine = DiskEngine(work, sizes, report)
        with history.stage("prepare"):
            degrees = neighbour_sums(graph.adjacency)
            recipe, features = settle(
                graph,
                load=lambda weighting, _: engine.load(graph.features, weighting),
                choose=partial(choose_restart_on_disk, graph, degrees, engine),
                is_structure=False,
                notes=history.notes,
                **recipe_settings(model),
            )
            negatives = make_negatives(degrees, np.random.default_rng(seeds[1]))
        with history.stage("smooth"):
            P = propagation_on_disk(graph, degrees, recipe.filter, engine)
            levels = _smooth_levels(features, recipe.polynomials, P, engine)
        history.rows = "disk"
        with history.stage("gram"):
            spread = engine.gram(levels, negatives, "gram")
        if solver == "spectral":
            weights, offset = _solve(model, spread, n_features, recipe, history)
            aggregation = "mean"
        else:
            aggregation = model._aggregation
            encoder = make_encoder(seeds[0], model._check_dimension(n_features))
            weights, offset = _train(model, spread, negatives, encoder, recipe, history, report, keep, callback)
        # What was solved is written down before a row is projected: a resumed run projects the others with the same bits.
        solution = work.arrays(
            "solution",
            lambda: {f"{level}": matrix.numpy() for level, matrix in enumerate(weights)} | {"offset": offset.numpy()},
        )
        weights = [torch.from_numpy(solution[f"{level}"]).clone() for level in range(len(weights))]
        offset = torch.from_numpy(solution["offset"]).clone()
        history.effective_rank = _effective_rank(spread, weights, aggregation)
        with history.stage("project"):
            n_columns = len(offset)
            embedding = _write(
                lambda start: _finished(engine.project(levels, weights, aggregation, start), offset, graph),
                (n_nodes, n_columns),
                path,
                work,
            )
    if path is not None:
        embedding = np.load(path, mmap_mode="r")
    return Fitted(recipe, weights, offset, embedding)


def transform_on_disk(model: Any, graph: Graph, *, output: str | Path | None, report: Reporter) -> NDArray[np.float32]:
    """The embedding of a graph by a fitted model, projected first: the hops carry the columns of the embedding."""
    path = None if output is None else check_output(output)
    recipe: Recipe = model.recipe_
    weights = [torch.from_numpy(np.array(matrix)) for matrix in model.weights_]
    offset = torch.from_numpy(np.array(model.offset_))
    aggregation = model._aggregation if solver_of(model) == "adam" else "mean"
    name, n_nodes = type(model).__name__, graph.n_nodes
    limit = parse_bytes(name, "memory_limit", model.memory_limit)
    if path is None:
        check_in_memory(n_nodes, len(offset), limit, name)
    is_series = not all(is_power(coefficients) for coefficients in recipe.polynomials)
    fingerprint = fingerprint_of(
        "transform", __version__, graph.adjacency, graph.features, recipe.to_header(), recipe.weighting.columns,
        model.weights_, model.offset_, model.memory_limit, str(path),
    )  # fmt: skip
    with _working(model, path, fingerprint) as work:
        _check_room(work, 8 * n_nodes * sum(matrix.shape[1] for matrix in weights), path, 4 * n_nodes * len(offset))
        degrees, levels = neighbour_sums(graph.adjacency), []
        for level, (matrix, coefficients) in enumerate(zip(weights, recipe.polynomials, strict=True)):
            sizes = plan_sizes(n_nodes, matrix.shape[1], limit, caller=name, is_series=is_series)
            engine = DiskEngine(work, sizes, report)
            projected = engine.load(graph.features, recipe.weighting, matrix, f"projected-{level}")
            P = propagation_on_disk(graph, degrees, recipe.filter, engine)
            levels.append(engine.smooth(projected, P, coefficients, f"smoothed-{level}"))
        embedding = _write(
            lambda start: _finished(engine.project(levels, None, aggregation, start), offset, graph),
            (n_nodes, len(offset)),
            path,
            work,
        )
    return embedding if path is None else np.load(path, mmap_mode="r")


def check_output(path: str | Path) -> Path:
    """The path of an embedding that is written as it is computed."""
    path = Path(path)
    if path.suffix != ".npy":
        raise InputError(f"The output {path} must end in .npy: it is written row by row.")
    return check_writable(path).absolute()


def check_in_memory(n_nodes: int, n_columns: int, limit: int, caller: str) -> None:
    """An embedding without a file to go to must fit into the limit beside the blocks."""
    needed = BASE_BYTES + NODE_BYTES * n_nodes + 4 * n_nodes * n_columns + N_BLOCKS * MIN_BLOCK
    if needed > limit:
        raise InputError(
            f"The embedding of {caller}, {n_nodes:,} × {n_columns:,}, does not fit into the memory_limit of "
            f"{in_words(limit)}. Write it to disk: output='embedding.npy'."
        )


@contextmanager
def _working(model: Any, output: Path | None, fingerprint: str) -> Iterator[WorkFolder]:
    """The folder of a run: in `scratch`, or else beside the output, or else where the system keeps such things."""
    parent = model.scratch if model.scratch is not None else (None if output is None else output.parent)
    with work_folder(parent, fingerprint) as work:
        if output is not None:
            work.beside.append(unfinished(output, work))
        yield work


def _check_room(work: WorkFolder, scratch_bytes: int, output: Path | None, output_bytes: int) -> None:
    needed = {work.path: max(0, scratch_bytes - work.n_bytes)}
    if output is not None:
        needed[output.parent] = output_bytes
    check_room(needed, "name a folder on another disk (scratch)")


def _write(
    blocks: Callable[[int], Iterator[Tensor]], shape: tuple[int, int], path: Path | None, work: WorkFolder
) -> NDArray[np.float32]:
    """Blocks of rows, from a row on, to a file or into an array. Nothing but its shape is left of what went to a file."""
    if path is None:
        Z, n_rows = np.empty(shape, dtype=np.float32), 0
        for block in blocks(0):
            Z[n_rows : n_rows + len(block)] = block.numpy()
            n_rows += len(block)
        return Z
    with RowWriter(path, shape, work) as writer:
        for block in blocks(writer.n_rows):
            writer.write(block.numpy())
    return np.empty((0, shape[1]), dtype=np.float32)


def _finished(blocks: Iterator[Tensor], offset: Tensor, graph: Graph) -> Iterator[Tensor]:
    """Blocks of the embedding about the offset; a number that overflowed is never written."""
    for block in blocks:
        Z = block - offset
        check_finite(Z.numpy(), graph)
        yield Z


def _smooth_levels(
    features: Panels, polynomials: Sequence[Polynomial], P: DiskPropagation, engine: DiskEngine
) -> list[Panels]:
    levels: list[Panels] = []
    reached, n_hops = features, 0  # powers go on from the level before
    for level, coefficients in enumerate(polynomials):
        order, name = len(coefficients) - 1, f"smoothed-{level}"
        if is_power(coefficients) and order >= n_hops:
            reached, n_hops = engine.smooth(reached, P, polynomial("row", order - n_hops), name), order
            levels.append(reached)
        else:
            levels.append(engine.smooth(features, P, coefficients, name))
    return levels


def _solve(model: Any, spread: Spread, n_features: int, recipe: Recipe, history: History) -> tuple[list[Tensor], Tensor]:
    """The closed form, scaled to the data by their mean and scatter."""
    with history.stage("spectrum"):
        closed = solve_gram(
            spread.M,
            [n_features] * (len(spread.M) // n_features),
            dimension=None if model.dimension == "auto" else model._check_dimension(n_features),
            effective_rank=recipe.effective_rank,
            length=recipe.length,
            are_alike=float(spread.scatter.trace()) <= ROUNDING * spread.n_rows * float(spread.mean.square().sum()),
        )
    history.route, history.reason = "spectral", closed.route
    recipe.reasons.extend(closed.reasons(is_dimension_chosen=model.dimension == "auto"))
    W = _whole_matrix(closed.weights, "mean")
    rms = math.sqrt(max(float((W * (spread.scatter @ W)).sum()), 0.0) / spread.n_rows)
    factor = closed.length / rms if rms > 0 else 1.0
    return [matrix * factor for matrix in closed.weights], (spread.mean @ W * factor).float()


def _train(
    model: Any,
    spread: Spread,
    negatives: NegativeGraph,
    encoder: Encoder,
    recipe: Recipe,
    history: History,
    report: Reporter,
    keep: Callable[[Recipe, list[Tensor], Tensor], None],
    callback: Callable[[int, History], None] | None,
) -> tuple[list[Tensor], Tensor]:
    """Adam over M."""
    settings = training_settings(model, negatives)
    n_features = encoder.matrices()[0].shape[0]

    def offset() -> Tensor:
        return torch.zeros(_whole_matrix([matrix.detach() for matrix in encoder.matrices()], model._aggregation).shape[1])

    def call_back(epoch: int, history: History) -> None:
        assert callback is not None
        keep(recipe, [matrix.detach().clone() for matrix in encoder.matrices()], offset())
        callback(epoch, history)

    history.route, history.reason = "none", "there is nothing to train"
    if settings.epochs:
        history.route, history.reason = "gram", "rows on disk are reduced to M once"
        grams = {}
        for group, _ in encoder.blocks():
            columns = slice(group[0] * n_features, (group[-1] + 1) * n_features)
            grams[group] = spread.M[columns, columns].float()
        with history.stage("train"):
            train(
                encoder,
                lambda: [EnergyOverGram(grams)],
                history,
                settings,
                report,
                None if callback is None else call_back,
            )
    return [matrix.detach().contiguous() for matrix in encoder.matrices()], offset()


def _whole_matrix(weights: Sequence[Tensor], aggregation: str) -> Tensor:
    """The one matrix, float64, that takes the levels side by side to the embedding."""
    if aggregation == "mean":
        return torch.cat(list(weights)).double() / len(weights)
    widths = [matrix.shape[1] for matrix in weights]
    whole = torch.zeros(sum(len(matrix) for matrix in weights), sum(widths), dtype=torch.float64)
    for level, matrix in enumerate(weights):
        rows, columns = level * len(matrix), sum(widths[:level])
        whole[rows : rows + len(matrix), columns : columns + widths[level]] = matrix
    return whole


def _effective_rank(spread: Spread, weights: Sequence[Tensor], aggregation: str) -> float:
    W = _whole_matrix(weights, aggregation)
    return rank_of_scatter(W.T @ spread.scatter @ W)


def _check_possible(model: Any, graph: Graph) -> None:
    """What needs rows in memory is refused, with what to do instead."""
    name = type(model).__name__

    def refuse(what: str, remedy: str) -> InputError:
        return InputError(f"{name}(engine='disk') cannot {what}. {remedy}, or use engine='memory'.")

    if model.features == "structure" or graph.features is None:
        raise refuse("take structure in place of features", "Give the graph features")
    if model.device not in ("auto", "cpu"):
        raise refuse(f"compute on {model.device!r}", "Use device='cpu'")
    if model.precision != "single":
        raise refuse(f"keep rows in precision={model.precision!r}", "Use precision='single'")
    if model._aggregation == "max":
        raise refuse("aggregate by max, which is not a function of the Gram matrix", "Use aggregation='mean' or 'concat'")
    if model.batch_size is not None:
        raise refuse("train mini-batches, which take rows from everywhere", "Leave batch_size out")
    if model.route == "rows":
        raise refuse("train over rows", "Use route='auto' or 'gram'")


def _n_pairs(model: Any, n_nodes: int) -> int:
    """The pairs of a sparse negative graph, which are held in memory."""
    counts = {
        "complete": 0,
        "degrees": 0,
        "sampled": n_nodes * model.n_negatives,
        "sparsifier": n_nodes * math.log(n_nodes + 1),
    }
    base = counts.get(model.negatives, 0) if isinstance(model.negatives, str) else len(model.negatives)
    return math.ceil(base) + (0 if model.apart is None else len(model.apart))


def _most_columns(model: Any, n_columns: int) -> int:
    """The columns of the embedding, or the most that dimension="auto" may take."""
    if model.dimension != "auto":
        return int(model.dimension)
    return min(512 if solver_of(model) == "adam" else N_DIRECTIONS, n_columns)


def _seeds(random_state: int | None) -> list[int]:
    return [int(seed) & (2**63 - 1) for seed in np.random.SeedSequence(random_state).generate_state(4, np.uint64)]
