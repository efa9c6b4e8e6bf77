"""The contract of SCE and MoSCE: scikit-learn's rules, new nodes, relabelled nodes, odd graphs, bad input."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from conftest import random_graph
from reference import dense_propagation
from sparsecut import SCE, Adam, Graph, InputError, Memory, MoSCE
from sparsecut.errors import DimensionWarning

BOTH = pytest.mark.parametrize("estimator", [SCE, MoSCE])
GRAPH = random_graph()
SPARSE_GRAPH = random_graph(is_sparse=True)


def permuted(graph: Graph, order: np.ndarray) -> Graph:
    return Graph(graph.adjacency[order][:, order], features=graph.features[order])


@BOTH
def test_follows_scikit_learn(estimator: type[SCE]) -> None:
    model = estimator(dimension=5, epochs=3, negatives=np.array([[0, 1]]))
    twin = clone(model)
    assert twin.get_params().keys() == model.get_params().keys()
    assert twin.set_params(dimension=7).dimension == 7
    assert model.dimension == 5
    assert not hasattr(clone(model.fit(GRAPH)), "weights_")
    assert "dimension=5" in repr(model)


def test_is_a_step_of_a_pipeline(digits: Graph) -> None:
    pipeline = make_pipeline(SCE(), StandardScaler(), LogisticRegression(max_iter=300))
    assert isinstance(pipeline.fit(digits, digits.labels), Pipeline)
    assert pipeline.score(digits, digits.labels) > 0.95


@BOTH
def test_fit_transform_is_fit_then_transform(estimator: type[SCE]) -> None:
    Z = estimator(dimension=6).fit_transform(SPARSE_GRAPH)
    assert Z.dtype == np.float32
    assert Z.shape == (40, 6)
    model = estimator(dimension=6).fit(SPARSE_GRAPH)
    assert np.array_equal(model.embedding_, Z)
    assert np.allclose(model.transform(SPARSE_GRAPH), Z, atol=1e-5)


@pytest.mark.parametrize("filter", ["row", "symmetric"])
def test_transform_is_smoothing_and_the_weights(filter: str) -> None:
    model = SCE(dimension=4, order=3, filter=filter).fit(GRAPH)
    other = random_graph(25, seed=9, is_weighted=True)
    P = dense_propagation(other.adjacency.toarray(), filter)
    expected = np.linalg.matrix_power(P, 3) @ other.features @ model.weights_[0] - model.offset_
    assert np.allclose(model.transform(other), expected, atol=1e-5)


@pytest.mark.parametrize("aggregation", ["concat", "mean", "max"])
def test_mosce_transform_by_levels(aggregation: str) -> None:
    model = MoSCE(dimension=5, levels=2, aggregation=aggregation, solver=Adam(depth=[1, 2])).fit(GRAPH)
    P = dense_propagation(GRAPH.adjacency.toarray())
    first, second = P @ GRAPH.features @ model.weights_[0], P @ P @ GRAPH.features @ model.weights_[1]
    expected = {
        "concat": np.hstack([first, second]),
        "mean": (first + second) / 2 if aggregation == "mean" else None,
        "max": np.maximum(first, second) if aggregation == "max" else None,
    }[aggregation]
    assert np.allclose(model.transform(GRAPH), expected, atol=1e-5)
    assert np.allclose(model.embedding_, expected, atol=1e-5)


def test_nodes_that_came_later_do_not_change_training(cora: Graph) -> None:
    """Half of Cora is embedded by a model that never saw it, and reads as well as the half it saw."""
    from sparsecut import evaluate

    seen = np.random.default_rng(0).permutation(cora.n_nodes)[: cora.n_nodes // 2]
    unseen = np.setdiff1d(np.arange(cora.n_nodes), seen)
    model = SCE(dimension=128).fit(cora.subgraph(seen))
    Z = model.transform(cora)[unseen]
    assert evaluate(Z, cora.labels[unseen], per_class=20, n_splits=5).mean > 74


@BOTH
@given(seed=st.integers(0, 1000))
@settings(max_examples=10, deadline=None)
def test_permuting_the_nodes_permutes_the_rows(estimator: type[SCE], seed: int) -> None:
    graph = random_graph(seed=seed % 7, is_sparse=bool(seed % 2))
    order = np.random.default_rng(seed).permutation(graph.n_nodes)
    Z = estimator().fit_transform(graph)
    assert np.allclose(estimator().fit_transform(permuted(graph, order)), Z[order], atol=1e-4 * np.abs(Z).max())


@BOTH
@pytest.mark.parametrize("negatives", ["complete", "sampled", "sparsifier"])
def test_the_same_seed_gives_the_same_bits(estimator: type[SCE], negatives: str) -> None:
    settings = {"negatives": negatives, "solver": "adam"}
    one, same, other = (estimator(random_state=seed, **settings).fit_transform(GRAPH) for seed in (3, 3, 4))
    assert np.array_equal(one, same)
    assert not np.allclose(one, other)
    assert not np.array_equal(*(estimator(random_state=None, solver="adam").fit_transform(GRAPH) for _ in range(2)))


def test_no_global_randomness_is_used_or_changed() -> None:
    np.random.seed(1)  # noqa: NPY002 - the global state is what is tested
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    SCE(negatives="sampled").fit(GRAPH)
    assert np.array_equal(np.random.get_state()[1], before)  # noqa: NPY002


def test_adjacency_and_features_serve_as_a_graph() -> None:
    model = SCE().fit(GRAPH.adjacency, features=GRAPH.features)
    assert np.array_equal(model.embedding_, SCE().fit_transform(GRAPH))
    assert np.allclose(model.transform(GRAPH.adjacency, features=GRAPH.features), model.embedding_, atol=1e-5)


@BOTH
@pytest.mark.parametrize(
    "graph",
    [
        Graph(sp.csr_array((1, 1)), features=[[1.0, 2.0, 3.0]]),
        Graph(sp.csr_array((4, 4)), features=np.arange(12).reshape(4, 3)),
        Graph(sp.block_diag([sp.coo_array(np.ones((3, 3))), np.ones((2, 2))]), features=np.arange(15).reshape(5, 3)),
    ],
    ids=["one node", "no edges", "disconnected"],
)
@pytest.mark.filterwarnings("ignore::sparsecut.errors.MeaninglessEmbeddingWarning")
def test_odd_graphs_work(estimator: type[SCE], graph: Graph) -> None:
    for solver in ("spectral", "adam"):
        Z = estimator(solver=solver, dimension=3).fit_transform(graph)
        assert Z.shape == (graph.n_nodes, 3)
        assert np.isfinite(Z).all()
    assert np.isfinite(estimator().fit_transform(graph)).all()


def test_an_isolated_node_is_embedded_by_its_own_features() -> None:
    adjacency = sp.lil_array((4, 4))
    adjacency[0, 1] = adjacency[1, 0] = 1
    graph = Graph(adjacency, features=np.diag([1.0, 2.0, 3.0, 4.0]))
    for solver in ("spectral", "adam"):
        model = SCE(order=3, weighting="none", solver=solver).fit(graph)
        assert np.allclose(model.embedding_[3], 4 * model.weights_[0][3] - model.offset_, atol=1e-5)


def test_order_zero_is_the_features_times_the_weights() -> None:
    for solver in ("spectral", "adam"):
        model = SCE(order=0, filter="row", solver=solver).fit(GRAPH)
        assert np.allclose(model.embedding_, GRAPH.features @ model.weights_[0] - model.offset_, atol=1e-4)


def test_loss_none_is_a_random_projection() -> None:
    model = SCE(dimension=4, solver=Adam(loss="none")).fit(GRAPH)
    assert model.history_.route == "none"
    assert model.history_.loss == []
    assert np.abs(model.weights_[0]).max() <= np.sqrt(6 / 16)


@pytest.mark.parametrize(("n_features", "dimension"), [(12, 12), (600, 512)])
def test_dimension_auto_with_adam_is_what_the_features_fill_up_to_512(n_features: int, dimension: int) -> None:
    assert SCE(solver=Adam(epochs=2)).fit_transform(random_graph(n_features=n_features)).shape[1] == dimension


def test_a_dimension_larger_than_useful_is_said() -> None:
    with pytest.warns(DimensionWarning, match="larger than useful: a linear map of 12 features fills at most 12 dimensions"):
        Z = SCE(dimension=13).fit_transform(GRAPH)
    assert Z.shape == (40, 13)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MoSCE(dimension=24, levels=2, aggregation="concat", solver="adam").fit(GRAPH)


@pytest.mark.parametrize(
    ("estimator", "parameters", "message"),
    [
        (SCE, {"dimension": 0}, "The dimension parameter of SCE must be an integer of at least 1. Got 0 instead."),
        (SCE, {"dimension": 2.5}, "The dimension parameter of SCE must be an integer of at least 1. Got 2.5 instead."),
        (SCE, {"dimension": "big"}, "The dimension parameter of SCE must be 'auto' or an integer of at least 1. Got 'big'"),
        (SCE, {"order": -1}, "The order parameter of SCE must be an integer of at least 0. Got -1 instead."),
        (SCE, {"order": True}, "The order parameter of SCE must be an integer of at least 0. Got True instead."),
        (SCE, {"depth": 0}, "The depth parameter of SCE must be an integer of at least 1. Got 0 instead."),
        (SCE, {"depth": 3, "widths": [4]}, r"one for each of the 2 hidden layers. Got [4]"),
        (SCE, {"depth": 2, "widths": 0}, "The widths parameter of SCE must be an integer of at least 1. Got 0"),
        (SCE, {"epochs": 0}, "The epochs parameter of SCE must be an integer of at least 1. Got 0 instead."),
        (
            SCE,
            {"loss": "hinge"},
            "The loss parameter of SCE must be one of 'inverse', 'negative', 'none'. Got 'hinge' instead.",
        ),
        (SCE, {"filter": "hot"}, "The filter parameter of SCE must be one of 'auto', 'row', 'symmetric', 'lazy', 'average'"),
        (
            MoSCE,
            {"filter": "heat"},
            "must be one of 'auto', 'row', 'symmetric', 'lazy'. Got 'heat'",
        ),
        (SCE, {"weighting": "bm25"}, "The weighting parameter of SCE must be one of 'auto', 'none', 'l2', 'tf-idf'."),
        (SCE, {"solver": "sgd"}, "The solver parameter of SCE must be one of 'auto', 'spectral', 'adam'."),
        (SCE, {"strength": 0.0}, "The strength parameter of SCE must be a finite number above 0. Got 0.0 instead."),
        (
            SCE,
            {"filter": "pagerank", "strength": 1.5},
            "strength parameter of SCE must be at most 1 with",
        ),
        (SCE, {"effective_rank": "high"}, "The effective_rank parameter of SCE must be a finite number above 0."),
        (SCE, {"length": -1}, "The length parameter of SCE must be a finite number above 0."),
        (SCE, {"solver": "spectral", "epochs": 5}, "has no training loop to give epochs to. Use solver='adam'"),
        (SCE, {"negatives": "some"}, "The negatives parameter of SCE must be one of 'complete', 'degrees', 'sampled',"),
        (
            SCE,
            {"device": "tpu"},
            "The device parameter of SCE must be 'auto', 'cpu', 'cuda' or 'cuda:N'. Got 'tpu' instead.",
        ),
        (SCE, {"device": "cuda:x"}, "The device parameter of SCE must be"),
        (SCE, {"route": "fast"}, "The route parameter of SCE must be one of 'auto', 'gram', 'rows'. Got 'fast' instead."),
        (SCE, {"alpha": -1.0}, "The alpha parameter of SCE must be a finite number above 0. Got -1.0 instead."),
        (SCE, {"alpha": "big"}, "The alpha parameter of SCE must be a finite number above 0. Got 'big' instead."),
        (SCE, {"l2": -0.1}, "The l2 parameter of SCE must be a finite number of at least 0. Got -0.1 instead."),
        (SCE, {"learning_rate": 0}, "The learning_rate parameter of SCE must be a finite number above 0. Got 0 instead."),
        (SCE, {"learning_rate": float("nan")}, "The learning_rate parameter of SCE must be a finite number above 0."),
        (SCE, {"n_negatives": 0}, "The n_negatives parameter of SCE must be an integer of at least 1."),
        (SCE, {"batch_size": 1}, "The batch_size parameter of SCE must be an integer of at least 2."),
        (SCE, {"batch_size": 4, "route": "gram"}, "cannot train mini-batches over the Gram matrix"),
        (SCE, {"random_state": -1}, "The random_state parameter of SCE must be an integer of at least 0."),
        (MoSCE, {"levels": 0}, "The levels parameter of MoSCE must be an integer of at least 1. Got 0 instead."),
        (MoSCE, {"aggregation": "sum"}, "The aggregation parameter of MoSCE must be one of 'concat', 'mean', 'max'."),
        (MoSCE, {"levels": 2, "depths": [1, 1, 1]}, "one for each of the 2 levels. Got [1, 1, 1] instead."),
        (MoSCE, {"depths": 0}, "The depths parameter of MoSCE must be an integer of at least 1."),
        (MoSCE, {"levels": 3, "dimension": 2, "aggregation": "concat"}, "a dimension for each of its 3 levels"),
    ],
)
def test_bad_parameters_get_their_own_message(estimator: type[SCE], parameters: dict, message: str) -> None:
    with pytest.raises(InputError) as caught:
        estimator(**parameters).fit(GRAPH)
    assert message in str(caught.value)


@BOTH
def test_transform_before_fit_or_with_other_features(estimator: type[SCE]) -> None:
    with pytest.raises(NotFittedError, match=r"has not been fitted\. Call fit"):
        estimator().transform(GRAPH)
    with pytest.raises(NotFittedError, match="nothing to save"):
        estimator().save("model.safetensors")
    model = estimator().fit(GRAPH)
    with pytest.raises(InputError, match=r"was fitted with 12 features\. Got a graph with 3"):
        model.transform(random_graph(n_features=3))
    with pytest.raises(InputError, match="needs node features, and the graph has none"):
        model.transform(GRAPH.adjacency)
    with pytest.raises(InputError, match="needs node features, and the graph has none"):
        estimator(features="given").fit(GRAPH.adjacency)


def test_a_failed_fit_leaves_the_fitted_model_as_it_was() -> None:
    model = SCE().fit(GRAPH)
    before = model.embedding_
    with pytest.raises(InputError):
        model.set_params(negatives=[(0, 99)]).fit(GRAPH)
    assert model.embedding_ is before


@pytest.mark.parametrize("is_sparse", [False, True])
def test_half_precision_of_sparse_features_says_that_it_changes_nothing(is_sparse: bool) -> None:
    graph = random_graph(60, 8, is_sparse=is_sparse)
    half = SCE(engine=Memory(precision="half")).fit(graph)
    assert any("single precision" in note for note in half.history_.notes) == is_sparse
    assert np.array_equal(half.embedding_, SCE().fit_transform(graph)) == is_sparse
