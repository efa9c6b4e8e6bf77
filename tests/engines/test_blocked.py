"""The steps over blocks, with an engine whose blocks are dense matrices: what is computed, when, and what is held."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from weakref import WeakSet

import numpy as np
import pytest
import torch
from torch import Tensor

import sparsecut as sc
from conftest import random_graph
from reference import dense_propagation
from sparsecut.engines import Job
from sparsecut.engines.blocked import BlockedEngine, BlockedRows, Source, even_widths
from sparsecut.engines.in_process import InProcess
from sparsecut.features.weighting import Weighting
from sparsecut.graph import Graph
from sparsecut.io.stores.workfolder import WorkFolder, work_folder
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.operators.aggregation import Projection
from sparsecut.operators.negatives import ListedPairs, NegativeGraph, complete_graph

POLYNOMIAL = (0.5, 0.0, 2.0)


@dataclass(eq=False)
class Dense:
    name: str
    values: Tensor

    @property
    def n_columns(self) -> int:
        return self.values.shape[1]


Rows = BlockedRows[Dense, Dense]


class DenseEngine(BlockedEngine[Dense, Dense]):
    """`done` lists what was computed, `held` the matrices that somebody still holds."""

    def __init__(self, graph: Graph, work: WorkFolder) -> None:
        super().__init__(Job("test", graph), work, InProcess(graph))
        self.done: list[str] = []
        self.held: WeakSet[Dense] = WeakSet()

    def _made(self, step: str, name: str, values: Tensor) -> Dense:
        found = Dense(name, values)
        self.done.append(step)
        self.held.add(found)
        return found

    def _readable(self, features: Any, name: str) -> Any:
        return features

    def _operator(self, graph: Graph, filter: Any) -> Dense:
        return Dense("P", torch.from_numpy(dense_propagation(graph.adjacency.toarray())).float())

    def _operator_without(self, P: Dense, edges: np.ndarray) -> Dense:
        less = self.graph.adjacency.toarray()
        less[edges[0], edges[1]] = less[edges[1], edges[0]] = 0
        return Dense("P less", torch.from_numpy(dense_propagation(less)).float())

    def _loaded(self, source: Source, name: str, W: Tensor | None = None) -> Dense:
        features = torch.tensor(source.features)
        return self._made("load", name, features) if W is None else self._made("load·W", name, features @ W)

    def _smoothed(self, held: Dense, P: Dense, polynomial: Polynomial, name: str) -> Dense:
        powers = [torch.linalg.matrix_power(P.values, hops) for hops in range(len(polynomial))]
        values = sum(c * power for c, power in zip(polynomial, powers, strict=True)) @ held.values
        return self._made(f"smooth {held.n_columns}", name, values)

    def _product(self, held: Dense, W: Tensor, name: str) -> Dense:
        return self._made("·W", name, held.values @ W)

    def _sum(self, parts: Sequence[Dense], name: str) -> Dense:
        return self._made("sum", name, torch.stack([part.values for part in parts]).sum(dim=0))

    def _mapped(self, held: Sequence[Dense], function: Any, n_columns: int, arguments: Sequence[Any], name: str) -> Dense:
        return self._made("map", name, function(*(part.values for part in held), *arguments))

    def _scatters(self, held: Sequence[Dense], weights: Sequence[Tensor | None]) -> tuple[Tensor, Tensor]:
        X = torch.cat([part.values for part in held], dim=1).double()
        self.done.append("moments")
        means, scatters = [], []
        for given in weights:
            w = torch.ones(len(X), dtype=torch.float64) if given is None else given
            means.append(w @ X / w.sum())
            scatters.append((X - means[-1]).T @ (w[:, None] * (X - means[-1])))
        return torch.stack(means), torch.stack(scatters)

    def _gram_of_pairs(self, held: Sequence[Dense], pairs: ListedPairs) -> Tensor:
        X = torch.cat([part.values for part in held], dim=1)
        return (X.T @ pairs.laplacian(X)).double()

    def _image(self, held: Dense, negatives: NegativeGraph, name: str) -> Dense:
        return self._made("image", name, negatives.laplacian(held.values))

    def _transposed_times(self, rows: Rows, image: Dense) -> Tensor:
        return (self._formed(rows).values.T @ image.values).double()

    def to_project(self, levels: Sequence[Rows], weights: Sequence[Tensor]) -> tuple[list[Dense], Any]:
        return self._to_project(levels, Projection(tuple(weights), "mean"))


@pytest.fixture
def graph() -> Graph:
    return random_graph(20, 4)


@pytest.fixture
def engine(graph: Graph, tmp_path: Path) -> Iterator[DenseEngine]:
    with work_folder(tmp_path, "test") as work:
        yield DenseEngine(graph, work)


def load(engine: DenseEngine) -> Rows:
    return engine.load(engine.graph, Weighting("none"), sc.Power())


def smoothed(graph: Graph) -> np.ndarray:
    P = dense_propagation(graph.adjacency.toarray())
    return (0.5 * np.eye(20) + 2 * P @ P) @ graph.features


def test_nothing_is_computed_before_it_is_needed_and_then_once(engine: DenseEngine, graph: Graph) -> None:
    rows = engine.smooth(load(engine), POLYNOMIAL)
    assert engine.done == []
    held, weights = engine.to_project([rows], [torch.eye(4)])
    assert engine.done == ["load", "smooth 4"]
    assert np.allclose(held[0].values @ weights[0], smoothed(graph), atol=1e-5)
    engine.moments([rows], complete_graph(20))
    assert engine.done == ["load", "smooth 4", "moments"]


def test_remembered_moments_take_no_hop(engine: DenseEngine, graph: Graph) -> None:
    first = engine.moments([engine.smooth(load(engine), POLYNOMIAL)], complete_graph(20))
    S = smoothed(graph)
    assert np.allclose(first.M, S.T @ (20 * np.eye(20) - 1) @ S, rtol=1e-4, atol=1e-3)
    again = DenseEngine(graph, engine.work)  # of a process that goes on after it was killed
    second = again.moments([again.smooth(load(again), POLYNOMIAL)], complete_graph(20))
    assert again.done == []
    assert torch.equal(first.M, second.M)
    other = NegativeGraph(20, listed=(ListedPairs(20, np.array([[0, 1]]), np.ones(1, dtype=np.float32)),))
    again.moments([again.smooth(load(again), POLYNOMIAL)], other)
    assert again.done == ["load", "smooth 4", "moments"]


def test_lazy_rows_are_multiplied_first_and_others_are_formed(engine: DenseEngine, graph: Graph) -> None:
    W = torch.ones(4, 2)
    lazy = engine.multiply([engine.smooth(load(engine), POLYNOMIAL, lazily=True)], W)
    assert engine.done == ["load·W", "smooth 2"]
    formed = engine.multiply([engine.smooth(load(engine), POLYNOMIAL)], W)
    assert engine.done[2:] == ["load", "smooth 4", "·W"]
    for rows in (lazy, formed):
        assert np.allclose(rows.held.values, smoothed(graph) @ np.ones((4, 2)), atol=1e-4)


def test_hops_after_hops_hold_the_last_rows_alone(engine: DenseEngine, graph: Graph) -> None:
    """As the choice of a restart takes them, one after another: what a hop started from is let go."""
    rows = load(engine)
    for _ in range(3):
        rows = engine.smooth(rows, (0.0, 1.0))
        engine.moments([rows], complete_graph(20))
    gc.collect()
    assert engine.done == ["load", *["smooth 4", "moments"] * 3]
    assert [dense.name for dense in engine.held] == [rows.name]
    P = dense_propagation(graph.adjacency.toarray())
    assert np.allclose(rows.held.values, P @ P @ P @ graph.features, atol=1e-5)


def test_products_of_several_levels_are_added(engine: DenseEngine, graph: Graph) -> None:
    levels = [load(engine), engine.smooth(load(engine), POLYNOMIAL)]
    W = torch.arange(16.0).reshape(8, 2)
    expected = np.hstack([graph.features, smoothed(graph)]) @ W.numpy()
    product = engine.multiply(levels, W)
    assert np.allclose(product.held.values, expected, rtol=1e-4, atol=1e-3)
    found = engine.transpose_multiply(levels, product, complete_graph(20))
    S = np.hstack([graph.features, smoothed(graph)])
    assert np.allclose(found, S.T @ (20 * np.eye(20) - 1) @ expected, rtol=1e-3, atol=1e-1)


def test_rows_without_some_edges_start_from_the_features(engine: DenseEngine, graph: Graph) -> None:
    edges = np.array(np.triu(graph.adjacency.toarray()).nonzero(), dtype=np.int64)[:, :3]
    less = graph.adjacency.toarray()
    less[edges[0], edges[1]] = less[edges[1], edges[0]] = 0
    rows = engine.smooth(engine.without(load(engine), edges), (0.0, 1.0))
    (held,), _ = engine.to_project([rows], [torch.eye(4)])
    assert np.allclose(held.values, dense_propagation(less) @ graph.features, atol=1e-5)


def test_widths_are_even() -> None:
    assert even_widths(10, 4) == (3, 3, 2, 2)
    assert even_widths(3, 3) == (1, 1, 1)
