"""A filter, a negative graph and a solver defined outside the package: with every engine, saved and loaded."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

import prepared
import sparsecut as sc
from conftest import random_graph
from reference import dense_laplacian
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.model.problem import Problem
from sparsecut.operators.diagonals import Diagonals
from sparsecut.operators.negatives import AllPairs, ListedPairs, NegativeGraph
from toy_engine import Toy

ENGINES = {"memory": sc.Memory(device="cpu"), "disk": sc.Disk(), "toy": Toy()}


class Band(sc.Filter):
    """own·F + (1 − own)·P² F, with P the mean over neighbours that leaves the node itself a share."""

    def __init__(self, *, own: float = 0.5) -> None:
        self.own = own

    def check(self) -> None:
        if not 0 <= self.own <= 1:
            raise sc.InputError(f"The own parameter of Band must lie between 0 and 1. Got {self.own}.")

    def diagonals(self, degrees: torch.Tensor) -> Diagonals:
        return Diagonals(0.9 / (degrees - 1).clamp(min=1), None, torch.where(degrees > 1, 0.1, 1.0).double())

    def coefficients(self) -> Polynomial:
        return (self.own, 0.0, 1 - self.own)


class Circle(sc.Negatives):
    """Each node against the next one, and against all others a little."""

    def __init__(self, *, steps: NDArray[Any] | None = None) -> None:
        self.steps = steps

    def describe(self, nodes: Any, generator: np.random.Generator) -> NegativeGraph:
        n = nodes.n_nodes
        steps = np.array([1]) if self.steps is None else self.steps
        pairs = np.concatenate([np.column_stack([np.arange(n), (np.arange(n) + step) % n]) for step in steps])
        listed = ListedPairs(n, pairs, np.ones(len(pairs)))
        return NegativeGraph(n, (AllPairs(n, 0.01),), (listed,), base_weight=listed.total_weight)

    def n_pairs(self, n_nodes: int) -> int:
        return n_nodes


class Principal(sc.Solver):
    """The leading eigenvectors of M, unsharpened."""

    def __init__(self, *, factor: float = 1.0) -> None:
        self.factor = factor

    def solve(self, problem: Problem) -> sc.Solution:
        assert problem.dimension is not None
        _, vectors = torch.linalg.eigh(problem.moments().M)
        W = vectors.flip(1)[:, : problem.dimension].float() * self.factor
        return sc.Solution(sc.Projection(problem.split(W), "mean"), ("principal directions.",))


def dense_embedding(graph: sc.Graph, own: float, steps: list[int], dimension: int, factor: float) -> np.ndarray:
    """The same fit from its definition."""
    A = graph.adjacency.toarray().astype(np.float64)
    degrees = A.sum(axis=1)
    P = 0.9 * A / np.maximum(degrees, 1)[:, None] + np.diag(np.where(degrees > 0, 0.1, 1.0))
    S = own * graph.features + (1 - own) * P @ P @ graph.features
    n = len(A)
    pairs = np.array([(i, (i + step) % n) for step in steps for i in range(n)])
    every = np.array([(i, j) for i in range(n) for j in range(i + 1, n)])
    L = dense_laplacian(n, pairs, np.ones(len(pairs))) + dense_laplacian(n, every, np.full(len(every), 0.01))
    _, vectors = np.linalg.eigh(S.T @ L @ S)
    return S @ vectors[:, ::-1][:, :dimension] * factor


@pytest.mark.parametrize("engine", ENGINES)
def test_all_three_at_once_with_every_engine_saved_and_loaded(engine: str, tmp_path: Path) -> None:
    graph = random_graph()
    settings = {"filter": Band(own=0.25), "negatives": Circle(steps=np.array([1, 4])), "solver": Principal(factor=2.0)}
    model = sc.SCE(dimension=3, engine=ENGINES[engine], **settings).fit(graph)
    expected = dense_embedding(graph, 0.25, [1, 4], 3, 2.0)
    products = expected @ expected.T
    np.testing.assert_allclose(model.embedding_ @ model.embedding_.T, products, atol=1e-4 * np.abs(products).max())
    assert "Principal directions." in model.explain()

    model.save(tmp_path / "model.safetensors")
    loaded = sc.load(tmp_path / "model.safetensors")
    assert (loaded.transform(graph) == model.transform(graph)).all()
    assert (loaded.filter, loaded.solver, loaded.engine) == (model.filter, model.solver, model.engine)
    assert loaded.negatives.steps.tolist() == [1, 4]
    refitted = loaded.fit(graph)
    np.testing.assert_allclose(refitted.embedding_, model.embedding_, atol=1e-6)


def test_their_rules_are_checked_and_their_parameters_seen_through() -> None:
    graph = random_graph()
    with pytest.raises(sc.InputError, match=r"own parameter of Band must lie between 0 and 1\. Got 3"):
        sc.SCE(filter=Band(own=3)).fit(graph)
    model = sc.SCE(filter=Band(), solver=Principal())
    assert model.get_params()["filter__own"] == 0.5
    assert model.set_params(solver__factor=3.0).solver.factor == 3.0
    with pytest.raises(sc.InputError, match=r"Band\(\) is not a power of one"):
        sc.MoSCE(filter=Band()).fit(graph)


@pytest.mark.slow
def test_a_model_whose_class_is_not_defined_is_not_loaded(tmp_path: Path) -> None:
    """In a process that has not imported this module: a sentence, and nothing is imported because the file says so."""
    path = tmp_path / "model.safetensors"
    sc.SCE(filter=Band()).fit(random_graph()).save(path)
    code = f"import sparsecut as sc\ntry:\n    sc.load({str(path)!r})\nexcept sc.InputError as error:\n    print(error)"
    done = subprocess.run([prepared.python(), "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert "was made with the filter" in done.stdout
    assert "Band, which is not defined here. Import the module that defines it" in done.stdout


def test_the_default_matrix_of_a_filter_is_the_mean_over_neighbours() -> None:
    class Twice(sc.Filter):
        def coefficients(self) -> Polynomial:
            return (0.0, 0.0, 1.0)

    graph = random_graph()
    Z = sc.SCE(dimension=3, filter=Twice(), weighting="none").fit_transform(graph)
    expected = sc.SCE(dimension=3, filter=sc.Power(order=2), weighting="none").fit_transform(graph)
    np.testing.assert_allclose(Z, expected, atol=1e-6)


class Given(sc.Filter):
    """The polynomial whose coefficients are given as an array."""

    def __init__(self, *, values: NDArray[Any]) -> None:
        self.values = values

    def coefficients(self) -> Polynomial:
        return tuple(self.values.tolist())


def test_a_filter_may_hold_an_array(tmp_path: Path) -> None:
    graph = random_graph()
    model = sc.SCE(filter=Given(values=np.array([0.25, 0.75]))).fit(graph)
    model.save(tmp_path / "model.safetensors")
    loaded = sc.load(tmp_path / "model.safetensors")
    assert loaded.filter.values.tolist() == [0.25, 0.75]
    assert (loaded.transform(graph) == model.transform(graph)).all()
