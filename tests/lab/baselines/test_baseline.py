"""Every registered embedding keeps the estimators' contract: checks, seeds, odd graphs, memory that does not grow as n²."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from baseline_graphs import large_graph
from conftest import random_graph
from sparsecut import Graph, InputError
from sparsecut.lab.baselines import methods
from sparsecut.lab.worker import forget_peak, memory

QUICK = {"dimension": 8, "epochs": 2, "walk_length": 10, "device": "cpu", "random_state": 0}  # each method takes what it has
METHODS = methods.names(is_supervised=False)
INDUCTIVE = [name for name in METHODS if hasattr(methods.find_method(name).estimator_class(), "transform")]
# With nothing to learn from where there are none.
NEEDS_EDGES = ["gcn-unsup", "g2g", "line", "graphsage-gcn", "graphsage-mean", "graphsage-lstm", "graphsage-pool"]

pytestmark = pytest.mark.filterwarnings("ignore:.*larger than useful")


def make(name: str, **more: object):
    return methods.find_method(name).make({}, offered={**QUICK, **more})


def needs_features(name: str) -> bool:
    return getattr(make(name), "needs_features", False)


def silent(*_: object) -> None:
    """No bar."""


@pytest.mark.parametrize("name", METHODS)
def test_it_is_a_scikit_learn_estimator(name: str) -> None:
    graph = random_graph()
    model = make(name)
    assert clone(model).get_params() == model.get_params()
    Z = model.fit_transform(graph, progress=silent)
    assert Z.dtype == np.float32
    assert Z.shape[0] == graph.n_nodes
    assert np.isfinite(Z).all()
    np.testing.assert_array_equal(Z, model.embedding_)
    assert model.fit(graph) is model


@pytest.mark.parametrize("name", METHODS)
def test_the_same_seed_gives_the_same_bits_and_leaves_the_global_ones(name: str) -> None:
    graph = random_graph()
    torch.manual_seed(5)
    np.random.seed(5)  # noqa: NPY002
    Z = make(name).fit_transform(graph)
    after = torch.rand(1), np.random.rand()  # noqa: NPY002
    torch.manual_seed(5)
    np.random.seed(5)  # noqa: NPY002
    assert (torch.rand(1), np.random.rand()) == after  # noqa: NPY002
    np.testing.assert_array_equal(Z, make(name).fit_transform(graph))


@pytest.mark.parametrize("name", INDUCTIVE)
@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
def test_transform_of_the_training_graph_is_its_embedding(name: str, is_sparse: bool) -> None:
    graph = random_graph(is_sparse=is_sparse)
    model = make(name)
    np.testing.assert_allclose(model.fit_transform(graph), model.transform(graph), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", INDUCTIVE)
def test_nodes_that_come_later_are_embedded(name: str) -> None:
    model = make(name).fit(random_graph())
    other = random_graph(55, seed=1)
    Z = model.transform(other)
    assert Z.shape[0] == 55
    assert np.isfinite(Z).all()


@pytest.mark.parametrize("name", [name for name in INDUCTIVE if name not in ("raw", "smoothed")])
def test_transform_needs_a_fit_and_the_same_features(name: str) -> None:
    with pytest.raises(NotFittedError, match="has not been fitted"):
        make(name).transform(random_graph())
    with pytest.raises(InputError, match=r"was fitted with 12 features\. Got a graph with 5"):
        make(name).fit(random_graph()).transform(random_graph(n_features=5))


ODD = {
    "isolated node": Graph(sp.block_diag([sp.coo_array(np.ones((6, 6)) - np.eye(6)), [[0]]]), features=np.eye(7, 5)),
    "two nodes": Graph([[0, 1], [1, 0]], features=np.eye(2)),
    "self loops": Graph(np.ones((4, 4)), features=np.eye(4)),
    "weighted": random_graph(20, is_weighted=True),
    "a node without features": Graph(np.ones((5, 5)) - np.eye(5), features=np.eye(5, 4)),
}


@pytest.mark.filterwarnings("ignore::sparsecut.base.errors.MeaninglessEmbeddingWarning")
@pytest.mark.filterwarnings("ignore::sparsecut.base.errors.DimensionWarning")
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("graph", ODD.values(), ids=ODD.keys())
def test_odd_graphs_work(name: str, graph: Graph) -> None:
    Z = make(name).fit_transform(graph)
    assert Z.shape[0] == graph.n_nodes
    assert np.isfinite(Z).all()


@pytest.mark.filterwarnings("ignore::sparsecut.base.errors.DimensionWarning")
@pytest.mark.parametrize("name", METHODS)
def test_no_edges_at_all_is_embedded_or_refused_in_words(name: str) -> None:
    graph = Graph(sp.csr_array((6, 6)), features=np.eye(6))
    if name in NEEDS_EDGES:
        with pytest.raises(InputError, match="edge"):
            make(name).fit(graph)
    else:
        assert np.isfinite(make(name).fit_transform(graph)).all()


@pytest.mark.parametrize("name", METHODS)
def test_a_graph_without_features_is_embedded_or_refused_in_words(name: str) -> None:
    graph = Graph(random_graph().adjacency)
    if needs_features(name):
        with pytest.raises(InputError, match="needs node features"):
            make(name).fit(graph)
    else:
        assert np.isfinite(make(name).fit_transform(graph)).all()


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(
    ("adjacency", "features", "message"),
    [
        (np.ones((3, 4)), np.eye(3), "must be square"),
        (sp.csr_array((0, 0)), None, "The graph is empty"),
        ([[0, np.nan], [np.nan, 0]], np.eye(2), "finite"),
        ([[0, -1], [-1, 0]], np.eye(2), "zero or more"),
        ([[0, 1], [1, 0]], np.eye(3), "one row for each"),
        ([[0, 1], [1, 0]], [[np.inf], [0]], "finite"),
    ],
    ids=["not square", "empty", "nan weight", "negative weight", "rows", "infinite feature"],
)
def test_bad_graphs_get_the_core_message(name: str, adjacency: object, features: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make(name).fit(adjacency, features=features)


WRONG = [
    ("dimension", 0),
    ("dimension", 2.5),
    ("epochs", 0),
    ("device", "tpu"),
    ("random_state", -1),
    ("learning_rate", 0.0),
]


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [(name, option, value) for name in METHODS for option, value in WRONG if option in make(name).get_params()],
)
def test_bad_parameters_get_their_own_message(name: str, option: str, value: object) -> None:
    with pytest.raises(InputError, match=option):
        make(name).set_params(**{option: value}).fit(random_graph())


@pytest.mark.parametrize("name", METHODS)
def test_fifty_thousand_nodes_take_no_square_matrix(name: str) -> None:
    """n² would be 2.5 GB of single bytes."""
    graph = large_graph()
    model = make(
        name, epochs=1, walk_length=2, fan_outs=(2, 2), n_negatives=2, window=1
    )  # what is done for a node is not at issue
    forget_peak()
    before = memory("VmRSS")
    Z = model.fit_transform(graph, progress=silent)
    assert Z.shape[0] == graph.n_nodes
    assert memory("VmHWM") - before < 1.5e9
