"""What SCE and MoSCE share: scikit-learn's rules, new nodes, relabelled nodes, odd graphs."""

from __future__ import annotations

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
from sparsecut import SCE, Adam, ClosedForm, Graph, InputError, MoSCE, Pairs, Power, evaluate

BOTH = pytest.mark.parametrize("estimator", [SCE, MoSCE])
GRAPH = random_graph()
SPARSE_GRAPH = random_graph(is_sparse=True)


def permuted(graph: Graph, order: np.ndarray) -> Graph:
    return Graph(graph.adjacency[order][:, order], features=graph.features[order])


@BOTH
def test_follows_scikit_learn(estimator: type[SCE]) -> None:
    model = estimator(dimension=5, solver=Adam(epochs=3), negatives=Pairs(np.array([[0, 1]])))
    twin = clone(model)
    assert twin.get_params().keys() == model.get_params().keys()
    assert twin.set_params(dimension=7).dimension == 7
    assert model.dimension == 5
    assert not hasattr(clone(model.fit(GRAPH)), "weights_")
    assert "dimension=5" in repr(model)


@BOTH
def test_parameters_of_the_choices_are_seen_through(estimator: type[SCE]) -> None:
    """In an object, and behind a word, which is short for the object with its defaults."""
    model = estimator(solver=Adam(epochs=7), engine="disk")
    parameters = model.get_params(deep=True)
    assert parameters["solver__epochs"] == 7
    assert parameters["engine__memory_limit"] == "2GiB"
    assert not any("__" in name for name in model.get_params(deep=False))
    shared = model.solver
    assert model.set_params(solver__epochs=9, solver__depth=2).solver == Adam(epochs=9, depth=2)
    assert shared == Adam(epochs=7)  # another model may hold it
    assert estimator().set_params(solver__effective_rank=3.0).solver == ClosedForm(effective_rank=3.0)
    both_at_once = estimator().set_params(solver__l2=0.5, solver=Adam(epochs=2))
    assert both_at_once.solver == Adam(epochs=2, l2=0.5)
    twin = clone(model)
    assert twin.solver == model.solver
    assert twin.solver is not model.solver


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("solver__temperature", "ClosedForm has no parameter 'temperature'. It has effective_rank, length."),
        (
            "temperature",
            "SCE has no parameter 'temperature'. It has apart, channels, dimension, engine, features, filter, negatives,",
        ),
        ("temperature__low", "SCE has no parameter 'temperature__low'"),
        ("filter__order", "SCE(filter='auto') holds no object to set order of. Set filter to one first."),
        ("random_state__size", "SCE(random_state=0) holds no object to set size of. Set random_state to one first."),
    ],
)
def test_parameters_that_are_not_there(name: str, message: str) -> None:
    model = SCE()
    with pytest.raises(InputError) as caught:
        model.set_params(dimension=3, **{name: 1})
    assert message in str(caught.value)
    assert repr(model) == "SCE()"  # nothing is set where one of them is wrong


def test_is_a_step_of_a_pipeline(digits: Graph) -> None:
    pipeline = make_pipeline(SCE(), StandardScaler(), LogisticRegression(max_iter=300))
    assert isinstance(pipeline.fit(digits, digits.labels), Pipeline)
    assert pipeline.score(digits, digits.labels) > 0.95
    assert pipeline.set_params(sce__solver__length=3.0).get_params()["sce__solver__length"] == 3.0


@BOTH
def test_fit_transform_is_fit_then_transform(estimator: type[SCE]) -> None:
    Z = estimator(dimension=6).fit_transform(SPARSE_GRAPH)
    assert Z.dtype == np.float32
    assert Z.shape == (40, 6)
    model = estimator(dimension=6).fit(SPARSE_GRAPH)
    assert np.array_equal(model.embedding_, Z)
    assert np.allclose(model.transform(SPARSE_GRAPH), Z, atol=1e-5)


def test_nodes_that_came_later_do_not_change_training(cora: Graph) -> None:
    """Half of Cora is embedded by a model that never saw it, and reads as well as the half it saw."""
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
    Z = estimator(features="given").fit_transform(graph)
    found = estimator(features="given").fit_transform(permuted(graph, order))
    assert np.allclose(found, Z[order], atol=1e-4 * np.abs(Z).max())
    # Other numbers are other names, by which ties of structure are decided: inner products stay.
    whole, again = estimator().fit_transform(graph)[order], estimator().fit_transform(permuted(graph, order))
    assert np.allclose(again @ again.T, whole @ whole.T, atol=1e-3 * np.abs(whole @ whole.T).max())


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
@pytest.mark.filterwarnings("ignore::sparsecut.base.errors.MeaninglessEmbeddingWarning")
@pytest.mark.filterwarnings("ignore::sparsecut.base.errors.DimensionWarning")  # their rows lie on a line
def test_odd_graphs_work(estimator: type[SCE], graph: Graph) -> None:
    for solver in ("closed_form", "adam"):
        Z = estimator(solver=solver, dimension=3).fit_transform(graph)
        assert len(Z) == graph.n_nodes
        assert Z.shape[1] == 3 if solver == "adam" else 1 <= Z.shape[1] <= 3
        assert np.isfinite(Z).all()
    assert np.isfinite(estimator().fit_transform(graph)).all()


def test_an_isolated_node_is_embedded_by_its_own_features() -> None:
    adjacency = sp.lil_array((4, 4))
    adjacency[0, 1] = adjacency[1, 0] = 1
    graph = Graph(adjacency, features=np.diag([1.0, 2.0, 3.0, 4.0]))
    for solver in ("closed_form", "adam"):
        model = SCE(filter=Power(order=3), weighting="none", solver=solver).fit(graph)
        assert np.allclose(model.embedding_[3], 4 * model.weights_[0][3] - model.offset_, atol=1e-5)


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
        model.set_params(negatives=Pairs([(0, 99)])).fit(GRAPH)
    assert model.embedding_ is before


def test_explain_says_what_was_chosen_and_why(digits: Graph) -> None:
    model = SCE(features="given").fit(digits)
    lines = model.explain(details=True).splitlines()
    assert lines[: len(model.explain().splitlines())] == model.explain().splitlines()
    for beginning in (
        "Solver: ClosedForm().",
        "Weighting: ",
        "Filter: PageRank",
        "AUC of",
        "Spectrum: ",
        "Route: closed form",
    ):
        assert len([line for line in lines if line.startswith(beginning)]) == 1, beginning
    adam = SCE(solver=Adam(epochs=3)).fit(digits)
    assert "Solver: Adam(epochs=3)." in adam.explain(details=True).splitlines()
    assert "Features are averaged over neighbours (Power, 2 hops), as in the paper." in adam.explain()
