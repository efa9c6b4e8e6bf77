"""Fewer columns to smooth: against the fit with all of them, on every engine, and what lies outside against the trace."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from sparsecut import SCE, Disk, Graph, Memory, PageRank, Power
from sparsecut.engines.memory import MemoryEngine
from sparsecut.features.weighting import Weighting
from sparsecut.model.auto.constants import Constants, NarrowingCost
from sparsecut.model.auto.narrowing import _most_gained, _n_leading, _near, narrow
from sparsecut.operators.filters import Filter
from sparsecut.operators.negatives import complete_graph
from sparsecut.operators.sharpened import spectrum_within, whole_spectrum

FILTER = PageRank(restart=0.2)
ALWAYS = NarrowingCost(least_nodes=1)  # small graphs too
SETTINGS = {"filter": FILTER, "channels": "smoothed", "dimension": 24}


def planted(rank: int | None = None, n_nodes: int = 900, n_features: int = 192) -> Graph:
    """Groups of linked nodes with features of their own, of a given rank where one is given."""
    generator = np.random.default_rng(0)
    groups = np.arange(n_nodes) % 6
    features = generator.normal(size=(6, n_features))[groups] + generator.normal(size=(n_nodes, n_features))
    if rank is not None:
        features = features[:, :rank] @ generator.normal(size=(rank, n_features))
    linked = (groups[:, None] == groups) | (generator.random((n_nodes, n_nodes)) < 0.05)
    upper = np.triu(linked & (generator.random((n_nodes, n_nodes)) < 0.15), 1)
    return Graph(sp.csr_array((upper + upper.T).astype(np.float32)), features=features.astype(np.float32), labels=groups)


class Narrowed(SCE):
    """`SCE` that smooths fewer columns of small graphs too; `SCE` itself smooths all of them."""

    constants = Constants(narrowing_cost=ALWAYS)


@pytest.mark.parametrize("engine", [Memory(device="cpu"), Disk()], ids=["memory", "disk"])
def test_features_that_fit_the_directions_lose_nothing(engine: object) -> None:
    """Of rank 40, all within the 96 directions: the embedding of all columns, up to rounding."""
    graph = planted(rank=40)
    model = Narrowed(**SETTINGS, engine=engine).fit(graph)
    assert "leading directions of the features" in model.history_.reason
    expected = SCE(**SETTINGS).fit_transform(graph)
    assert np.abs(model.embedding_ - expected).max() < 2e-3 * np.abs(expected).max()
    assert np.abs(model.transform(graph) - model.embedding_).max() < 1e-4 * np.abs(expected).max()


def test_features_of_full_rank_keep_what_leads() -> None:
    graph = planted()
    Z, expected = (kind(**SETTINGS).fit_transform(graph) for kind in (Narrowed, SCE))
    for column in range(5):
        cosine = Z[:, column] @ expected[:, column] / np.linalg.norm(Z[:, column]) / np.linalg.norm(expected[:, column])
        assert cosine > 0.99
    assert np.linalg.norm(Z) == pytest.approx(np.linalg.norm(expected), rel=0.02)


def test_what_lies_outside_is_estimated() -> None:
    graph, engine = planted(), MemoryEngine(torch.device("cpu"))
    rows = engine.load(graph, Weighting("none"), FILTER)
    found = narrow(engine, rows, graph.n_features, FILTER.coefficients(), 24, ALWAYS)
    assert found is not None
    assert found.basis.shape == (192, 96 + ALWAYS.n_probes)
    B, R = found.basis.double().split([found.n_directions, ALWAYS.n_probes], dim=1)
    torch.testing.assert_close(B.T @ B, torch.eye(96, dtype=torch.float64), atol=1e-5, rtol=0)
    assert float((B.T @ R).abs().max()) < 1e-4
    negatives = complete_graph(graph.n_nodes)
    whole = engine.moments([engine.smooth(rows, FILTER.coefficients())], negatives).M
    M = engine.moments([engine.smooth(found.rows, FILTER.coefficients())], negatives).M
    spectrum, expected = spectrum_within(M, found.basis, 96, 24), whole_spectrum(whole, 24)
    outside = float(whole.trace()) - float((B.T @ whole @ B).trace())
    assert spectrum.total == pytest.approx(expected.total, abs=0.15 * outside)
    assert 0.05 * expected.total < outside  # there is something to estimate
    torch.testing.assert_close(spectrum.values[:5], expected.values[:5], rtol=5e-3, atol=0)
    assert bool((spectrum.values <= expected.values * (1 + 1e-5)).all())  # Cauchy: within a part no eigenvalue is larger
    assert not spectrum.vectors[96:].any()


@pytest.mark.parametrize("engine", [Memory(device="cpu"), Disk()], ids=["memory", "disk"])
def test_few_directions_serve_where_they_hold_all(engine: object) -> None:
    """Of 300 columns 160 would be smoothed for the 128 that an embedding may have; six groups need fewer."""

    class Free(SCE):
        constants = Constants(narrowing_cost=replace(ALWAYS, product_cost=0.0, lost=1e-2))

    graph, generator = planted(n_features=300), np.random.default_rng(2)
    features = generator.normal(size=(6, 300))[graph.labels] + 0.05 * generator.normal(size=(graph.n_nodes, 300))
    graph = graph.replace(features=features.astype(np.float32))
    settings = {"filter": FILTER, "channels": "smoothed", "features": "given", "engine": engine}
    model, expected = (kind(**settings).fit(graph) for kind in (Free, SCE))
    assert "within 48 leading" in model.history_.reason  # five directions, and 32 to spare, in whole cache lines
    found, all_columns = model.embedding_[:, :5], expected.embedding_[:, :5]
    assert np.allclose(found, all_columns, atol=0.01 * np.abs(all_columns).max())


def test_what_hops_may_raise_by_hand() -> None:
    degrees = np.array([1.0, 3.0])
    kept_after_one = ((0.5 + 0.25) ** 2 + 0.25 * 1 / 4, (0.5 + 0.125) ** 2 + 0.25 * 3 / 16)
    assert _most_gained((0.5, 0.5), degrees) == pytest.approx(np.mean(kept_after_one) / 0.25)
    assert _most_gained((0.0, 1.0), degrees) == np.inf
    values = torch.tensor([1.0, 1.0, 0.5, 0.1, 0.01])  # fewer than an effective rank of 16: not sharpened
    assert _n_leading(values, 1.0, 16.0, 0.05) == 3  # 0.11 of 2.61 beyond
    assert _n_leading(values, 2.0, 16.0, 0.05) == 4  # 0.22 may be beyond three, 0.02 beyond four
    assert _n_leading(values, np.inf, 16.0, 0.05) == 5
    assert _n_leading(torch.zeros(4), np.inf, 16.0, 0.05) == 0


def test_half_precision_is_near_single() -> None:
    graph = planted()
    single = Narrowed(**SETTINGS).fit_transform(graph)
    half = Narrowed(**SETTINGS, engine=Memory(device="cpu", precision="half")).fit_transform(graph)
    cosines = (single * half).sum(axis=1) / np.linalg.norm(single, axis=1) / np.linalg.norm(half, axis=1)
    assert cosines.min() > 0.999


def test_relabelled_nodes_have_the_same_embedding() -> None:
    graph = planted(n_nodes=600)
    order = np.random.default_rng(1).permutation(graph.n_nodes)
    shuffled = Graph(
        sp.csr_array(graph.adjacency[order][:, order]), features=np.asarray(graph.features)[order], node_ids=order
    )
    Z, other = Narrowed(**SETTINGS).fit_transform(graph), Narrowed(**SETTINGS).fit_transform(shuffled)
    assert np.abs(Z[order] - other).max() < 1e-3 * np.abs(Z).max()


def test_columns_stay_where_that_costs_less() -> None:
    graph, engine = planted(), MemoryEngine(torch.device("cpu"))
    rows = engine.load(graph, Weighting("none"), FILTER)

    def is_narrowed(filter: Filter = FILTER, n_kept: int = 24, cost: NarrowingCost = ALWAYS) -> bool:
        return narrow(engine, rows, graph.n_features, filter.coefficients(), n_kept, cost) is not None

    assert is_narrowed()
    assert not is_narrowed(Power(order=2))  # few hops
    assert not is_narrowed(n_kept=150)  # nearly all columns are wanted
    assert not is_narrowed(cost=replace(ALWAYS, product_cost=100.0))  # the product would cost more than the hops
    assert not is_narrowed(cost=NarrowingCost())  # too few nodes


@pytest.mark.parametrize(
    ("polynomial", "one_hop"),
    [
        ((0.5, 0.25, 0.125), (0.5, 0.375)),
        ((0.1, 0.2, 0.3, 0.4), (0.1, 0.9)),
        ((0.0, 0.0, 2.0), (0.0, 2.0)),
        ((0.3, 0.7), (0.3, 0.7)),
    ],
)
def test_one_hop_has_the_share_of_the_own_row_and_the_sum_of_the_filter(
    polynomial: tuple[float, ...], one_hop: tuple[float, ...]
) -> None:
    assert _near(polynomial) == pytest.approx(one_hop)
