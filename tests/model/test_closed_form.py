"""The closed form against the dense eigenproblem, gradient flow and Adam."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
import scipy.sparse as sp
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import random_graph
from reference import complete_pairs, dense_effective_rank, dense_filter, dense_laplacian
from sparsecut import SCE, ClosedForm, Graph, MoSCE, Power, evaluate
from sparsecut.base.errors import MeaninglessEmbeddingWarning
from sparsecut.engines import MemoryEngine
from sparsecut.features.weighting import Weighting
from sparsecut.model.auto.constants import CONSTANTS, Constants, SpectrumCost
from sparsecut.model.history import History
from sparsecut.model.problem import Channel, Fitting, Problem
from sparsecut.model.solver import Solution
from sparsecut.operators.negatives import complete_graph


def smoothed(graph: Graph) -> np.ndarray:
    F = graph.features.toarray() if sp.issparse(graph.features) else graph.features
    return dense_filter(graph.adjacency.toarray(), "row", 2, 0.0) @ F


def solution_of(
    graph: Graph, solver: ClosedForm, dimension: int | None, constants: Constants = CONSTANTS
) -> tuple[Solution, str]:
    """What the closed form finds for P² F in memory, and by which route."""
    engine, history = MemoryEngine(torch.device("cpu")), History()
    settings = replace(SCE(dimension=dimension or "auto", solver=solver)._settings(), constants=constants)
    fitting = Fitting(settings, engine, complete_graph(graph.n_nodes), dimension, (0, 0), history, lambda *_: None)
    rows = engine.load(graph, Weighting("none"), Power())
    problem = Problem(fitting, Channel("smoothed", graph.n_features, rows, (Power(order=2),), sp.issparse(graph.features)))
    return solver.solve(problem), f"{history.reason}, {history.rows}"


def test_variances_are_those_of_m_sharpened_and_directions_its_eigenvectors() -> None:
    graph = random_graph(200, 12)
    model = SCE(weighting="none", dimension=12, filter=Power(order=2), solver=ClosedForm(effective_rank=4.0)).fit(graph)
    S = smoothed(graph)
    L = dense_laplacian(200, complete_pairs(200), np.ones(200 * 199 // 2))
    eigenvalues, vectors = np.linalg.eigh(S.T @ L @ S)
    eigenvalues, vectors = eigenvalues[::-1], vectors[:, ::-1]
    W = model.weights_[0]
    cosines = np.abs((W / np.linalg.norm(W, axis=0) * vectors).sum(axis=0))
    assert np.allclose(cosines, 1, atol=1e-3)
    variances = model.embedding_.var(axis=0)
    power = np.polyfit(np.log(eigenvalues), np.log(variances), 1)[0]
    assert np.allclose(np.log(variances / variances[0]), power * np.log(eigenvalues / eigenvalues[0]), atol=1e-3)
    assert dense_effective_rank(model.embedding_) == pytest.approx(4, rel=1e-3)
    assert np.allclose(model.embedding_.mean(axis=0), 0, atol=1e-4)


@pytest.mark.parametrize("is_sparse", [False, True])
def test_iterating_on_s_gives_what_the_eigenproblem_gives(is_sparse: bool) -> None:
    """With S smoothed, and with its factors, of sparse features."""
    graph, solver = random_graph(300, 40, is_sparse=is_sparse), ClosedForm(effective_rank=5.0, length=7.0)
    exact, route = solution_of(graph, solver, 40)
    assert route == "eigenvectors of the 40 × 40 matrix M, smoothed"
    by_products = Constants(spectrum_cost=SpectrumCost(exact_columns=0, n_iterations=30))
    found, route = solution_of(graph, solver, 40, by_products)
    assert "products with S" in route
    assert route.endswith("factors" if is_sparse else "smoothed")
    (W,), (expected,) = found.projection.weights, exact.projection.weights
    # The length of the rows follows from the trace of M, which is estimated where M is not built.
    assert float(W.norm()) == pytest.approx(float(expected.norm()), rel=0.05)
    W, expected = W / W.norm(), expected / expected.norm()
    assert torch.allclose(W, expected, atol=2e-3 * float(expected.abs().max()))
    assert found.reasons[0].chosen == exact.reasons[0].chosen  # the sharpness, to two digits


def test_gradient_flow_from_an_isotropic_start_is_the_exponential_of_m() -> None:
    """dW/dt = 2α·M·W/E² keeps W on the curve exp(τM)·W₀: small steps of gradient descent end there for some τ."""
    S = smoothed(random_graph(30, 5)).astype(np.float64)
    S -= S.mean(axis=0)
    M = 30 * S.T @ S / 1e3
    start = np.linalg.qr(np.random.default_rng(0).normal(size=(5, 5)))[0]
    W, tau = start.copy(), 0.0
    for _ in range(20_000):
        energy = np.trace(W.T @ M @ W)
        step = 1e-4 * 2 / energy**2
        W, tau = W + step * M @ W, tau + step
    assert np.allclose(W, scipy.linalg.expm(tau * M) @ start, rtol=1e-3, atol=1e-3)


def test_two_balanced_layers_sharpen_faster_than_one() -> None:
    """ds/dτ = 2λs² for W = W₁W₂ from W₁ = W₂: s = s₀/(1 − 2s₀λτ), where one layer has s₀·exp(λτ)."""
    eigenvalues, start, tau, n_steps = np.array([1.0, 0.6, 0.2]), 0.5, 0.8, 20_000
    M = np.diag(eigenvalues)
    W1 = W2 = np.sqrt(start) * np.eye(3)
    for _ in range(n_steps):
        product = W1 @ W2
        W1, W2 = W1 + tau / n_steps * M @ product @ W2.T, W2 + tau / n_steps * W1.T @ M @ product
    assert np.allclose(np.diag(W1 @ W2), start / (1 - 2 * start * eigenvalues * tau), rtol=1e-3)
    assert (np.diag(W1 @ W2)[0] / np.diag(W1 @ W2)[2]) > np.exp((eigenvalues[0] - eigenvalues[2]) * tau)


def test_run_to_its_end_the_flow_keeps_one_direction() -> None:
    """Measured on the embedding itself: the rank falls to one, and what is left is the direction that led before."""
    graph = random_graph(200, 12)
    ranks, leading = [], []
    for rank in (8.0, 3.0, 1.01):
        Z = SCE(channels="smoothed", solver=ClosedForm(effective_rank=rank)).fit_transform(graph).astype(np.float64)
        left, singular, _ = np.linalg.svd(Z - Z.mean(axis=0), full_matrices=False)
        shares = singular**2 / (singular**2).sum()
        shares = shares[shares > 0]
        ranks.append(np.exp(-(shares * np.log(shares)).sum()))
        leading.append(left[:, 0])
    assert ranks == pytest.approx([8.0, 3.0, 1.01], rel=1e-2)
    assert abs(leading[0] @ leading[1]) > 0.999
    assert abs(leading[0] @ leading[2]) > 0.999


def test_neither_the_seed_nor_a_repetition_changes_a_bit() -> None:
    graph = random_graph(100, 30)
    Z = SCE(random_state=0).fit_transform(graph)
    assert np.array_equal(Z, SCE(random_state=7).fit_transform(graph))
    assert np.array_equal(Z, SCE(random_state=None).fit_transform(graph))


@given(seed=st.integers(0, 50), scale=st.floats(0.01, 100))
@settings(max_examples=15, deadline=None)
def test_the_unit_of_the_features_does_not_matter(seed: int, scale: float) -> None:
    graph = random_graph(60, 12, seed=seed)
    scaled = Graph(graph.adjacency, features=graph.features * scale)
    Z = SCE(dimension=6).fit_transform(graph)
    assert np.allclose(SCE(dimension=6).fit_transform(scaled), Z, atol=1e-2 * np.abs(Z).max())


def test_rows_come_out_as_long_as_sharpening_leaves_them() -> None:
    graph = random_graph(200, 12)
    lengths = {}
    for rank in (1e9, 4.0):
        Z = SCE(dimension=12, filter="power", solver=ClosedForm(effective_rank=rank, length=5.0)).fit_transform(graph)
        lengths[rank] = np.sqrt((Z.astype(np.float64) ** 2).sum(axis=1).mean())
    assert lengths[1e9] == pytest.approx(5, rel=1e-3)  # nothing is sharpened
    assert lengths[4.0] < 5


def test_dimension_auto_leaves_out_a_thousandth() -> None:
    graph = random_graph(300, 60)
    one = {"channels": "smoothed", "solver": ClosedForm(effective_rank=5.0)}
    whole = SCE(dimension=60, **one).fit_transform(graph).var(axis=0)
    kept = SCE(**one).fit_transform(graph).shape[1]
    assert whole[:kept].sum() >= 0.999 * whole.sum() > whole[: kept - 1].sum()


def test_levels_share_one_spectrum_and_the_same_energy() -> None:
    graph = random_graph(200, 12)
    model = MoSCE(weighting="none", dimension=10, solver=ClosedForm(effective_rank=4.0)).fit(graph)
    S = [dense_filter(graph.adjacency.toarray(), "row", order, 0.0) @ graph.features for order in (1, 2)]
    S = [(level - level.mean(axis=0)) for level in S]
    joint = np.hstack([level / np.linalg.norm(level) for level in S])
    eigenvalues = np.linalg.eigvalsh(joint.T @ joint)[::-1][:10]
    variances = model.embedding_.astype(np.float64).var(axis=0)
    power = np.log(variances[1] / variances[0]) / np.log(eigenvalues[1] / eigenvalues[0])
    assert np.allclose(np.log(variances / variances[0]), power * np.log(eigenvalues / eigenvalues[0]), atol=0.05)
    assert np.allclose(model.transform(graph), model.embedding_, atol=1e-4)


def test_the_closed_form_reads_as_well_as_twenty_epochs(cora: Graph) -> None:
    scores = {
        name: evaluate(model.fit_transform(cora), cora.labels, per_class=20, n_splits=10).mean
        for name, model in {"closed form": SCE(), "adam": SCE(solver="adam")}.items()
    }
    assert scores["closed form"] > scores["adam"] > 75


def test_pairs_that_must_differ_come_first() -> None:
    """Two columns, a loud one and a quiet one; pairs that differ in the quiet one alone turn the first direction to it."""
    generator = np.random.default_rng(0)
    features = np.column_stack([3 * generator.choice([-1.0, 1.0], 100), generator.choice([-1.0, 1.0], 100)]).astype(
        np.float32
    )
    graph = Graph(sp.csr_array((100, 100)), features=features)
    loud, quiet = features.T
    pairs = [(i, j) for i in range(100) for j in range(i) if loud[i] == loud[j] and quiet[i] != quiet[j]][:300]
    settings = {"filter": Power(order=0), "weighting": "none", "dimension": 2, "solver": ClosedForm(effective_rank=1.2)}
    for apart, column in ((None, 0), ([(i, j, 50.0) for i, j in pairs], 1)):
        first = SCE(apart=apart, **settings).fit_transform(graph)[:, 0]
        assert abs(np.corrcoef(first, features[:, column])[0, 1]) > 0.95


def test_degrees_weigh_the_covariance() -> None:
    graph = random_graph(150, 8)
    model = SCE(weighting="none", dimension=8, filter=Power(order=2), negatives="degrees").fit(graph)
    S, degrees = smoothed(graph), graph.adjacency.toarray().sum(axis=1)
    centred = S - degrees @ S / degrees.sum()
    vectors = np.linalg.eigh(centred.T @ (degrees[:, None] * centred))[1][:, ::-1]
    W = model.weights_[0] / np.linalg.norm(model.weights_[0], axis=0)
    assert np.allclose(np.abs((W * vectors).sum(axis=0)), 1, atol=1e-3)


@pytest.mark.parametrize("filter", ["power", "pagerank"])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_rows_that_differ_by_rounding_alone_are_not_told_apart(filter: str, is_sparse: bool) -> None:
    """Three does not divide one: after hops over neighbourhoods of all sizes the rows differ in their last bits."""
    graph = random_graph(200, 4, density=0.05)
    rows = np.tile(np.array([0.1, 0.7, 3.3, 1.9], dtype=np.float32), (200, 1))
    graph = Graph(graph.adjacency, features=sp.csr_array(rows) if is_sparse else rows)
    with pytest.warns(MeaninglessEmbeddingWarning):
        Z = SCE(filter=filter, weighting="none").fit_transform(graph)
    assert not Z.any()


def test_by_default_the_effective_rank_is_16_and_the_smoothed_rows_have_length_9() -> None:
    """By hand: p from the eigenvalues of the dense M, Z of variances λ^p, and rows of 9 times the share that is left."""
    generator = np.random.default_rng(0)
    F = (generator.normal(size=(400, 60)) * 0.97 ** np.arange(60)).astype(np.float32)
    graph = Graph(random_graph(400, 2, density=0.02).adjacency, features=F)
    model = SCE(filter=Power(order=2), dimension=60, channels=("smoothed",), weighting="none").fit(graph)
    S = smoothed(graph)
    S = S - S.mean(axis=0)
    values = np.linalg.eigvalsh(S.T @ S)[::-1]
    p = scipy.optimize.brentq(lambda power: dense_effective_rank_of(values**power) - 16, 1, 20)
    Z = model.embedding_ - model.embedding_.mean(axis=0)
    variances = (Z**2).sum(axis=0)
    np.testing.assert_allclose(variances / variances.sum(), values**p / (values**p).sum(), atol=1e-4)
    assert model.history_.effective_rank == pytest.approx(16, abs=0.05)
    share = ((values / values[0]) ** p).sum() * values[0] / values.sum()
    assert np.sqrt((Z**2).sum(axis=1).mean()) == pytest.approx(9 * np.sqrt(share), rel=1e-3)


def test_a_spectrum_with_less_stays_as_it_is() -> None:
    """Six features have an effective rank of six at most: the sharpness is 1."""
    graph = Graph(random_graph(400, 2, density=0.02).adjacency, features=np.random.default_rng(0).normal(size=(400, 6)))
    model = SCE(filter=Power(order=2), weighting="none").fit(graph)
    assert 5 < model.history_.effective_rank <= 6
    assert "sharpness 1.00" in model.explain(details=True)


def dense_effective_rank_of(variances: np.ndarray) -> float:
    shares = variances / variances.sum()
    shares = shares[shares > 0]
    return float(np.exp(-(shares * np.log(shares)).sum()))
