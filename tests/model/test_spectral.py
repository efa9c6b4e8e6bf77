"""The closed form against the dense eigenproblem, gradient flow and Adam, and the choices that lead to it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sparsecut.model.restart import _hold_out, choose_restart, edge_score
from sparsecut.model.spectral import solve
from sparsecut.operators.rows import Rows

from conftest import load_or_skip, random_graph
from reference import complete_pairs, dense_effective_rank, dense_filter, dense_laplacian
from sparsecut import SCE, Adam, ClosedForm, Graph, MoSCE, PageRank, Power, evaluate, load
from sparsecut.engines import MemoryEngine
from sparsecut.errors import MeaninglessEmbeddingWarning
from sparsecut.features.weighting import learn_weighting, row_lengths
from sparsecut.model.edge_trial import Trial
from sparsecut.model.recipe import choose_weighting
from sparsecut.operators.filters import polynomial
from sparsecut.operators.negatives import CompleteNegatives

CPU = torch.device("cpu")
ENGINE = MemoryEngine(CPU)


def smoothed(graph: Graph) -> np.ndarray:
    F = graph.features.toarray() if sp.issparse(graph.features) else graph.features
    return dense_filter(graph.adjacency.toarray(), "row", 2, 0.0) @ F


def silent(*_: object) -> None:
    """No bar."""


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
    graph = random_graph(300, 40, is_sparse=is_sparse)
    loaded = ENGINE.load(graph.features, graph.adjacency)
    coefficients = polynomial("row", 2)
    levels = [ENGINE.smooth(loaded, coefficients), Rows(loaded.features, loaded.propagation, coefficients)]
    asked = {"engine": ENGINE, "dimension": 40, "effective_rank": 5.0, "length": 7.0, "report": silent}
    exact = solve(levels[:1], CompleteNegatives(300), **asked)
    for level in levels:
        found = solve([level], CompleteNegatives(300), exact_columns=0, n_iterations=30, **asked)
        assert found.power == pytest.approx(exact.power, rel=1e-3)
        assert torch.allclose(found.weights[0], exact.weights[0], atol=2e-3 * float(exact.weights[0].abs().max()))


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
    eigenvalues, start, tau, n_steps = np.array([1.0, 0.6, 0.2]), 0.5, 0.8, 200_000
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
        Z = SCE(solver=ClosedForm(effective_rank=rank)).fit_transform(graph).astype(np.float64)
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
    whole = SCE(dimension=60, solver=ClosedForm(effective_rank=5.0)).fit_transform(graph).var(axis=0)
    kept = SCE(solver=ClosedForm(effective_rank=5.0)).fit_transform(graph).shape[1]
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


def test_a_saved_model_transforms_as_before(tmp_path) -> None:
    generator = np.random.default_rng(0)
    graph = Graph(random_graph(80).adjacency, features=sp.csr_array(generator.poisson(0.3, (80, 20)).astype(np.float32)))
    model = SCE().fit(graph)
    assert model.recipe_.weighting.name == "tf-idf"
    model.save(tmp_path / "model.safetensors")
    again = load(tmp_path / "model.safetensors")
    assert np.array_equal(again.transform(graph), model.transform(graph))
    assert again.explain() == model.explain()


def test_the_closed_form_reads_as_well_as_twenty_epochs(cora: Graph) -> None:
    scores = {
        name: evaluate(model.fit_transform(cora), cora.labels, per_class=20, n_splits=10).mean
        for name, model in {"spectral": SCE(), "adam": SCE(solver="adam")}.items()
    }
    assert scores["spectral"] > scores["adam"] > 75


def test_pairs_that_must_differ_come_first() -> None:
    """Two columns, a loud one and a quiet one; pairs that differ in the quiet one alone turn the first direction to it."""
    generator = np.random.default_rng(0)
    features = np.column_stack([3 * generator.choice([-1.0, 1.0], 100), generator.choice([-1.0, 1.0], 100)]).astype(
        np.float32
    )
    graph = Graph(sp.csr_array((100, 100)), features=features)
    loud, quiet = features.T
    pairs = [(i, j) for i in range(100) for j in range(i) if loud[i] == loud[j] and quiet[i] != quiet[j]][:300]
    settings = {"filter": "row", "order": 0, "weighting": "none", "dimension": 2, "effective_rank": 1.2}
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


def test_pairs_are_saved_with_the_model(tmp_path) -> None:
    model = SCE(apart=[(0, 1), (2, 3)], dimension=4).fit(random_graph())
    model.save(tmp_path / "model.safetensors")
    assert np.array_equal(load(tmp_path / "model.safetensors").apart, [(0, 1), (2, 3)])


# Weighting


@pytest.mark.parametrize("is_sparse", [False, True])
def test_weightings_by_hand(is_sparse: bool) -> None:
    F = np.array([[1.0, 2.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]], dtype=np.float32)
    given_features = sp.csr_array(F) if is_sparse else F

    def weighted(name: str) -> np.ndarray:
        result = learn_weighting(name, given_features).apply(given_features)
        return result.toarray() if is_sparse else result

    assert np.array_equal(weighted("none"), F)
    assert np.allclose(weighted("l2"), [[1 / 5**0.5, 2 / 5**0.5, 0], [0, 1, 0], [0, 0, 0]])
    idf = np.log(4 / np.array([2, 3])) + 1  # one of three nodes has the first word, two have the second
    first = np.array([idf[0], 2 * idf[1], 0])
    assert np.allclose(weighted("tf-idf"), [first / np.linalg.norm(first), [0, 1, 0], [0, 0, 0]])
    assert np.allclose(row_lengths(given_features), np.linalg.norm(F, axis=1))


def test_tf_idf_is_scikit_learns() -> None:
    from sklearn.feature_extraction.text import TfidfTransformer

    F = sp.random_array((50, 30), density=0.2, rng=np.random.default_rng(0), dtype=np.float32).tocsr()
    expected = TfidfTransformer().fit_transform(F)
    assert np.allclose(learn_weighting("tf-idf", F).apply(F).toarray(), expected.toarray(), atol=1e-6)


def test_another_graph_is_weighed_by_what_was_learned() -> None:
    F = sp.csr_array(np.eye(4, dtype=np.float32)[[0, 0, 0, 1]] + np.eye(4, dtype=np.float32)[[1, 2, 3, 2]])
    weighting = learn_weighting("tf-idf", F)
    one = sp.csr_array(np.array([[1, 1, 0, 0]], dtype=np.float32))
    assert weighting.apply(one).toarray()[0, 0] < weighting.apply(one).toarray()[0, 1]  # the first word is the common one


# Choices


def words(graph: Graph, *, is_shared: bool) -> Graph:
    """Rows of word counts, long or short by the side of the graph a node is on, or at random."""
    generator = np.random.default_rng(0)
    n_nodes = graph.n_nodes
    is_long = np.arange(n_nodes) < n_nodes // 2 if is_shared else generator.random(n_nodes) < 0.5
    return Graph(graph.adjacency, features=generator.poisson(np.where(is_long, 4.0, 0.5)[:, None], (n_nodes, 30)))


def two_sides(n_nodes: int = 200) -> Graph:
    generator = np.random.default_rng(1)
    side = np.arange(n_nodes) < n_nodes // 2
    chance = np.where(side[:, None] == side, 0.1, 0.002)
    upper = np.triu(generator.random((n_nodes, n_nodes)) < chance, 1)
    return Graph((upper + upper.T).astype(np.float32))


def test_the_weighting_follows_from_what_the_numbers_are() -> None:
    graph = two_sides()
    assert choose_weighting(words(graph, is_shared=False))[0] == "tf-idf"
    assert choose_weighting(words(graph, is_shared=True))[0] == "none"
    amounts = Graph(graph.adjacency, features=words(graph, is_shared=False).features / np.float32(7))
    assert choose_weighting(amounts)[0] == "l2"
    assert choose_weighting(random_graph())[0] == "none"  # signed


def test_the_score_of_edges_is_the_auc_of_their_cosines() -> None:
    from sklearn.metrics import roc_auc_score

    graph = random_graph(120, 10)
    rows = ENGINE.load(graph.features, graph.adjacency)
    coefficients = polynomial("pagerank", 10, 0.2)
    edges = np.array(sp.triu(graph.adjacency).nonzero(), dtype=np.int64)
    others = np.random.default_rng(0).integers(0, 120, (2, 300))
    Z = SCE(weighting="none", dimension=10, filter=PageRank(restart=0.2)).fit_transform(graph)
    Z /= np.linalg.norm(Z, axis=1, keepdims=True)
    cosines = [(Z[first] * Z[second]).sum(axis=1) for first, second in (edges, others)]
    expected = roc_auc_score(np.repeat([1, 0], [len(values) for values in cosines]), np.concatenate(cosines))
    assert edge_score(rows, coefficients, Trial.of(edges, others), ENGINE) == pytest.approx(expected, abs=5e-3)


def test_nothing_is_left_of_the_edges_that_are_held_out() -> None:
    graph = random_graph(200, is_weighted=True)
    A = graph.adjacency
    kept, held_out, others = _hold_out(graph)
    assert kept[held_out[0], held_out[1]].sum() == 0
    assert kept.nnz + 2 * held_out.shape[1] == A.nnz
    assert np.allclose((A - kept).toarray()[held_out[0], held_out[1]], A[held_out[0], held_out[1]])
    assert held_out.shape == others.shape == (2, A.nnz // 2 // 10)
    assert (abs(kept - kept.T)).sum() == 0


def test_a_directed_graph_keeps_its_directions_while_edges_are_held_out() -> None:
    A = sp.csr_array(np.triu(np.random.default_rng(0).random((60, 60)) < 0.3, 1).astype(np.float32))
    graph = Graph(A, directed="out")
    kept, held_out, _ = _hold_out(graph)
    assert kept.nnz + held_out.shape[1] == graph.adjacency.nnz
    assert sp.tril(kept).nnz == sp.tril(graph.adjacency).nnz == 0


def test_noisier_features_are_smoothed_more() -> None:
    """Nodes on a circle, joined to some near ones; with more noise on every row, more of the neighbourhood is added."""
    generator = np.random.default_rng(0)
    angle = generator.uniform(0, 2 * np.pi, 800)
    waves = np.arange(1, 11)
    position = np.hstack([np.cos(angle[:, None] * waves), np.sin(angle[:, None] * waves)])
    apart = np.abs(np.angle(np.exp(1j * (angle[:, None] - angle))))
    upper = np.triu(generator.random((800, 800)) < 0.12 * np.exp(-((apart / 0.2) ** 2)), 1).astype(np.float32)
    restarts = []
    for spread in (0.0, 5.0):
        features = position + spread * generator.normal(size=position.shape)
        graph = Graph(sp.csr_array(upper + upper.T), features=features.astype(np.float32))
        loaded = ENGINE.load(graph.features, graph.adjacency)
        chosen = choose_restart(graph, loaded, "pagerank", lambda restart: round(2 / restart), ENGINE)
        restarts.append(chosen.value)
        assert f"with {chosen.value:g}" in chosen.why
    assert restarts[1] < restarts[0]


@pytest.mark.parametrize("filter", ["row", "pagerank"])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_rows_that_differ_by_rounding_alone_are_not_told_apart(filter: str, is_sparse: bool) -> None:
    """Three does not divide one: after hops over neighbourhoods of all sizes the rows differ in their last bits."""
    graph = random_graph(200, 4, density=0.05)
    rows = np.tile(np.array([0.1, 0.7, 3.3, 1.9], dtype=np.float32), (200, 1))
    graph = Graph(graph.adjacency, features=sp.csr_array(rows) if is_sparse else rows)
    with pytest.warns(MeaninglessEmbeddingWarning):
        Z = SCE(filter=filter, weighting="none").fit_transform(graph)
    assert not Z.any()


def test_explain_says_what_was_chosen_and_why(digits: Graph) -> None:
    model = SCE().fit(digits)
    lines = model.explain().splitlines()
    for beginning in (
        "Solver spectral",
        "Weighting",
        "Filter pagerank",
        "Sharpness",
        "Dimension",
        "Rows of length",
        "Route",
    ):
        assert any(line.startswith(beginning) for line in lines)
    adam = SCE(solver=Adam(epochs=3)).fit(digits).explain()
    assert adam.startswith("Solver adam: epochs was given.")


def test_too_few_edges_to_hold_out_take_the_usual_restart() -> None:
    model = SCE().fit(random_graph(12, n_features=3))
    assert "too few to hold some out" in model.explain()
    assert model.recipe_.strength == 0.2


@pytest.mark.parametrize(
    ("name", "floors"),
    [("cora", (77.0, 82.5)), ("citeseer", (68.5, 71.8)), ("pubmed", (69.0, 78.3))],
)
def test_the_default_is_ahead_of_the_paper_on_its_own_splits(name: str, floors: tuple[float, float]) -> None:
    from sparsecut.evaluation import probe, published_splits

    graph = load_or_skip(name)
    Z = SCE().fit_transform(graph)
    for per_class, floor in zip((5, 20), floors, strict=True):
        splits = published_splits(name, per_class, graph.n_nodes)
        assert round(probe(Z, graph.labels, splits).mean, 1) >= floor
