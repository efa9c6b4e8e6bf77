"""What a solver is given: levels that are powers of one another, moments computed once, and those of the embedding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from conftest import random_graph
from negative_cases import SomeNodes
from reference import dense_filter
from sparsecut import SCE, Average, Power
from sparsecut.engines import MemoryEngine, Moments
from sparsecut.features.weighting import Weighting
from sparsecut.graph import Graph
from sparsecut.model.history import History
from sparsecut.model.problem import Channel, Fitting, Problem, gram_product, smooth_levels
from sparsecut.operators.aggregation import Projection
from sparsecut.operators.negatives import Degrees, NegativeGraph, complete_graph


class Counting(MemoryEngine):
    """The engine in memory, counting its hops and its passes for moments."""

    def __init__(self) -> None:
        super().__init__(torch.device("cpu"))
        self.n_hops, self.n_moments = 0, 0

    def smooth(self, rows: Any, polynomial: Any, *, lazily: bool = False) -> Any:
        self.n_hops += 0 if lazily else len(polynomial) - 1
        return super().smooth(rows, polynomial, lazily=lazily)

    def moments(self, levels: Any, negatives: NegativeGraph) -> Moments:
        self.n_moments += 1
        return super().moments(levels, negatives)


def make_problem(graph: Graph, engine: MemoryEngine, filters: tuple, negatives: NegativeGraph) -> Problem:
    settings = SCE(dimension=3)._settings()
    fitting = Fitting(settings, engine, negatives, 3, (0, 0), History(), lambda *_: None)
    rows = engine.load(graph, Weighting("none"), Power())
    return Problem(fitting, Channel("smoothed", graph.n_features, rows, filters))


GRAPH = random_graph()
A = GRAPH.adjacency.toarray()


@pytest.mark.parametrize("lazily", [False, True])
def test_powers_go_on_from_the_level_before(lazily: bool) -> None:
    engine = Counting()
    rows = engine.load(GRAPH, Weighting("none"), Power())
    polynomials = [Power(order=order).coefficients() for order in (1, 2, 5)] + [Average(order=3).coefficients()]
    levels = smooth_levels(engine, rows, polynomials, lazily=lazily)
    assert engine.n_hops == (0 if lazily else 5 + 3)
    expected = [dense_filter(A, "row", order, 0) for order in (1, 2, 5)] + [dense_filter(A, "average", 3, 0)]
    for level, matrix in zip(levels, expected, strict=True):
        assert np.allclose(level @ torch.eye(12), matrix @ GRAPH.features, atol=1e-5)


def test_moments_are_computed_once_and_of_some_levels() -> None:
    engine = Counting()
    problem = make_problem(GRAPH, engine, (Power(order=1), Power(order=2)), complete_graph(40))
    assert problem.known_moments is None
    whole = problem.moments()
    assert problem.moments() is whole
    assert problem.known_moments is whole
    assert engine.n_moments == 1
    assert np.allclose(problem.moments([1]).M, whole.M[12:, 12:], rtol=1e-4, atol=1e-4)
    assert engine.n_moments == 2
    assert {"smooth", "gram"} <= set(problem.history.stages)


@pytest.mark.parametrize("aggregation", ["mean", "concat"])
@pytest.mark.parametrize("negatives", ["complete", "degrees"])
def test_moments_of_the_embedding_are_the_embeddings(negatives: str, aggregation: str) -> None:
    """From those of S where they are known with their scatter, else from S·W itself."""
    described = complete_graph(40)
    if negatives == "degrees":
        described = Degrees().describe(SomeNodes(A.sum(axis=1).astype(float)), np.random.default_rng(0))
    problem = make_problem(GRAPH, Counting(), (Power(order=1), Power(order=2)), described)
    problem.moments()
    W = torch.randn(24, 3, generator=torch.Generator().manual_seed(0))
    projection = Projection(problem.split(W), aggregation)
    assert [tuple(part.shape) for part in projection.weights] == [(12, 3), (12, 3)]
    S = [dense_filter(A, "row", order, 0) @ GRAPH.features for order in (1, 2)]
    parts = [level @ part.numpy() for level, part in zip(S, projection.weights, strict=True)]
    Z = np.hstack(parts) if aggregation == "concat" else sum(parts) / 2
    mean, scatter = problem.embedding_moments(projection)
    assert np.allclose(mean, Z.mean(axis=0), atol=1e-4)
    assert np.allclose(scatter, (Z - Z.mean(axis=0)).T @ (Z - Z.mean(axis=0)), rtol=1e-3, atol=1e-2)


def test_products_with_m_are_the_same_built_or_not() -> None:
    engine = MemoryEngine(torch.device("cpu"))
    level = engine.smooth(engine.load(GRAPH, Weighting("none"), Power()), (0.0, 1.0))
    W = torch.randn(12, 4, generator=torch.Generator().manual_seed(0))
    built = engine.moments([level], complete_graph(40)).M.float() @ W
    assert torch.allclose(built, gram_product(engine, [level], W, complete_graph(40)), rtol=1e-4, atol=1e-3)
