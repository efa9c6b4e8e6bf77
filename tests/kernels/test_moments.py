"""Means and scatters in blocks of rows against numpy's, whatever the blocks."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sparsecut.operators.rows import Rows

from conftest import random_graph
from reference import dense_effective_rank
from sparsecut import SCE, Adam, Memory, MoSCE, PageRank, Power
from sparsecut.engines import MemoryEngine, memory
from sparsecut.kernels import moments


@pytest.mark.parametrize("block", [3, 100])
@pytest.mark.parametrize("with_shares", [False, True])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
def test_mean_and_scatter(monkeypatch: pytest.MonkeyPatch, block: int, with_shares: bool, dtype: torch.dtype) -> None:
    monkeypatch.setattr(moments, "ROW_BLOCK", block)
    generator = np.random.default_rng(0)
    rows = torch.from_numpy(generator.normal(size=(40, 5)) + 3).to(dtype)
    X, p = rows.double().numpy(), generator.random(40)
    p = p / p.sum() if with_shares else np.full(40, 1 / 40)
    shares = torch.from_numpy(p) if with_shares else None
    mean = p @ X
    assert np.allclose(moments.mean_of(rows, shares), mean, atol=1e-5)
    assert np.allclose(moments.scatter(rows, shares), (X - mean).T @ ((X - mean) * p[:, None]), atol=1e-4)
    squares = ((X - X.mean(axis=0)) ** 2).sum() / 40
    assert moments.mean_square_length(rows, torch.from_numpy(X.mean(axis=0)).float()) == pytest.approx(squares, rel=1e-5)


@pytest.mark.parametrize(("n_columns", "dimension", "is_over"), [(6, 6, True), (6, 4, True), (6, 2, False), (3, 5, False)])
def test_the_embedding_takes_the_place_of_s_where_it_fits(
    monkeypatch: pytest.MonkeyPatch, n_columns: int, dimension: int, is_over: bool
) -> None:
    monkeypatch.setattr(memory, "ROW_BLOCK", 7)
    generator = torch.Generator().manual_seed(0)
    S, W = torch.randn(50, n_columns, generator=generator), torch.randn(n_columns, dimension, generator=generator)
    expected = (S.double() @ W.double() * 2).float()
    kept = S.clone()
    engine = MemoryEngine(torch.device("cpu"))
    Z = engine.project([Rows(S, coefficients=(2.0,))], [W], "concat")
    assert torch.equal(S, kept)
    over = engine.project([Rows(S, coefficients=(2.0,))], [W], "concat", is_last_use=True)
    assert (over.data_ptr() == S.data_ptr()) == is_over
    assert torch.allclose(Z, expected, atol=1e-5)
    assert torch.allclose(over, expected, atol=1e-5)


@pytest.mark.parametrize(
    "model",
    [
        SCE(filter=Power(order=0), solver=Adam(epochs=2)),
        SCE(filter=PageRank(order=0)),
        SCE(solver=Adam(epochs=2)),
        SCE(),
        SCE(filter=PageRank(order=0), engine=Memory(precision="half")),
    ],
)
def test_a_fit_leaves_the_features_as_they_are(model: SCE) -> None:
    graph = random_graph()
    before = graph.features.copy()
    model.set_params(dimension=graph.features.shape[1]).fit(graph)
    assert np.array_equal(graph.features, before)


@pytest.mark.parametrize(
    "model",
    [
        SCE(solver=Adam(epochs=3, route="gram")),
        SCE(negatives="degrees", solver=Adam(epochs=3, route="gram")),
        MoSCE(solver=Adam(epochs=3, route="gram")),
        MoSCE(aggregation="concat", dimension=4, solver=Adam(epochs=3, route="gram")),
        SCE(),
        SCE(dimension=3),
        SCE(negatives="degrees"),
        MoSCE(),
    ],
)
def test_the_effective_rank_told_is_the_embeddings(model: SCE | MoSCE) -> None:
    model.fit(random_graph())
    assert model.history_.effective_rank == pytest.approx(dense_effective_rank(model.embedding_), rel=1e-3)


@pytest.mark.parametrize("settings", [{"epochs": 3}, {"epochs": 3, "route": "rows"}, {"epochs": 2, "batch_size": 10}, {}])
def test_half_precision_is_near_single_precision(settings: dict) -> None:
    graph = random_graph()
    single, half = (SCE(**settings, precision=precision).fit(graph) for precision in ("single", "half"))
    assert half.embedding_.dtype == np.float32
    gram, expected = half.embedding_ @ half.embedding_.T, single.embedding_ @ single.embedding_.T
    assert np.abs(gram - expected).max() < 0.01 * np.abs(expected).max()
    assert np.allclose(half.transform(graph), half.embedding_, atol=0.01 * np.abs(half.embedding_).max())
