"""Every registered method that predicts keeps one contract: what it may see, checks, seeds, odd graphs, memory."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from baseline_graphs import a_split, labelled, large_graph
from conftest import random_graph
from sparsecut import Graph, InputError
from sparsecut.evaluation import Split, sample_splits
from sparsecut.lab.baselines import methods
from sparsecut.lab.paper.table1 import COLUMNS
from sparsecut.lab.worker import forget_peak, memory
from standins import stand_in

QUICK = {"epochs": 3, "device": "cpu", "random_state": 0}
METHODS = methods.names(is_supervised=True)
NOBODY = np.empty(0, dtype=np.int64)


def make(name: str, **more: object):
    return methods.find_method(name).make({**QUICK, **more})


def silent(*_: object) -> None:
    """No bar."""


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
def test_it_is_an_estimator_that_predicts_every_node(name: str, is_sparse: bool) -> None:
    graph = labelled(random_graph(is_sparse=is_sparse), np.array(["red", "green", "blue"])[np.arange(40) % 3])
    model = make(name)
    assert clone(model).get_params() == model.get_params()
    assert all(p.kind == p.KEYWORD_ONLY for p in inspect.signature(type(model)).parameters.values())
    predicted = model.fit_predict(graph, a_split(), progress=silent)
    assert predicted.shape == (40,)
    assert set(predicted) <= {"red", "green", "blue"}
    np.testing.assert_array_equal(predicted, model.predict(graph))
    assert model.fit(graph, split=a_split()) is model
    assert len(model.history_.loss) == len(model.history_.seconds) == 3


@pytest.mark.parametrize("name", METHODS)
def test_the_same_seed_gives_the_same_bits_and_leaves_the_global_ones(name: str) -> None:
    graph = labelled(random_graph())
    torch.manual_seed(5)
    np.random.seed(5)  # noqa: NPY002
    first = make(name).fit(graph, split=a_split())
    after = torch.rand(1), np.random.rand()  # noqa: NPY002
    torch.manual_seed(5)
    np.random.seed(5)  # noqa: NPY002
    assert (torch.rand(1), np.random.rand()) == after  # noqa: NPY002
    again, other = (make(name, random_state=seed).fit(graph, split=a_split()) for seed in (0, 1))
    assert again.history_.loss == first.history_.loss
    assert other.history_.loss != first.history_.loss
    for weights, same in zip(first.network_.parameters(), again.network_.parameters(), strict=True):
        assert torch.equal(weights, same)


@pytest.mark.parametrize("name", METHODS)
def test_labels_of_test_nodes_are_never_looked_at(name: str) -> None:
    split = a_split()
    honest = labelled(random_graph())
    changed = np.array(honest.labels, dtype=object)
    changed[split.test] = None
    ended = np.array(honest.labels)
    ended[split.test] = 77
    fits = [make(name).fit(graph, split=split) for graph in (honest, labelled(honest, changed), labelled(honest, ended))]
    for other in fits[1:]:
        assert other.history_.loss == fits[0].history_.loss
        np.testing.assert_array_equal(other.predict(honest), fits[0].predict(honest))


@pytest.mark.parametrize("name", METHODS)
def test_labels_of_validation_nodes_only_say_when_to_stop(name: str) -> None:
    split = a_split()
    graph = labelled(random_graph())
    turned = np.array(graph.labels)
    turned[split.validation] = (turned[split.validation] + 1) % 3
    losses = [make(name).fit(g, split=split).history_.loss for g in (graph, labelled(graph, turned))]
    assert losses[0] == losses[1]


@pytest.mark.parametrize("name", METHODS)
def test_a_planted_partition_is_learned(name: str) -> None:
    graph = stand_in(n_nodes=300, n_edges=2400, n_features=60, n_classes=3, random_state=0)
    (split,) = sample_splits(graph.labels, 20, 1)
    predicted = methods.find_method(name).make({"device": "cpu", "epochs": 60}).fit_predict(graph, split)
    assert (predicted[split.test] == graph.labels[split.test]).mean() > 0.9


@pytest.mark.parametrize("name", METHODS)
def test_no_label_and_no_training_node_are_refused(name: str) -> None:
    graph = random_graph()
    with pytest.raises(InputError, match="learns from labels, and the graph has none"):
        make(name).fit(graph, split=a_split())
    graph = labelled(graph)
    with pytest.raises(InputError, match="needs training nodes, and the split has none"):
        make(name).fit(graph, split=Split(NOBODY, np.arange(3), np.arange(3, 40)))
    for bad in (np.array([0, 40]), np.array([-1, 0]), np.array([0.5]), np.array([[0, 1]])):
        with pytest.raises(InputError, match=r"training nodes of the split given to .* must be positions from 0 to 39"):
            make(name).fit(graph, split=Split(bad, NOBODY, NOBODY))
        with pytest.raises(InputError, match=r"validation nodes of the split given to .* must be positions from 0 to 39"):
            make(name).fit(graph, split=Split(np.arange(5, 8), bad, NOBODY))
    bare = np.array(graph.labels)
    bare[[4, 5]] = -1
    with pytest.raises(InputError, match=r"2 training or validation nodes without a label: 4, 5\."):
        make(name).fit(labelled(graph, bare), split=Split(np.arange(5), np.array([5]), NOBODY))


@pytest.mark.parametrize("name", METHODS)
def test_a_class_absent_from_training_is_never_predicted(name: str) -> None:
    """It may be among the validation nodes, which then count without it."""
    graph = labelled(random_graph())
    train = np.flatnonzero(graph.labels != 1)[:9]
    strangers = np.flatnonzero(graph.labels == 1)
    known = np.setdiff1d(np.flatnonzero(graph.labels != 1), train)[:4]
    model = make(name)
    predicted = model.fit_predict(graph, Split(train, np.concatenate([strangers[:4], known]), strangers[4:]))
    assert set(predicted) <= {0, 2}
    without = make(name).fit_predict(graph, Split(train, known, strangers))
    np.testing.assert_array_equal(predicted, without)


@pytest.mark.parametrize("name", METHODS)
def test_without_validation_nodes_the_last_epoch_stays(name: str) -> None:
    graph = labelled(random_graph())
    model = make(name, patience=1, epochs=6).fit(graph, split=Split(np.arange(9), NOBODY, np.arange(9, 40)))
    assert len(model.history_.loss) == 6


@pytest.mark.parametrize("name", METHODS)
def test_progress_counts_the_epochs(name: str) -> None:
    seen = []
    make(name).fit(labelled(random_graph()), split=a_split(), progress=lambda *step: seen.append(step))
    assert seen == [("training", epoch, 3) for epoch in (1, 2, 3)]


@pytest.mark.parametrize("name", METHODS)
def test_predict_needs_a_fit_and_the_same_features_and_takes_another_graph(name: str) -> None:
    with pytest.raises(NotFittedError, match=r"has not been fitted\. Call fit or fit_predict first"):
        make(name).predict(random_graph())
    model = make(name).fit(labelled(random_graph()), split=a_split())
    with pytest.raises(InputError, match=r"was fitted with 12 features\. Got a graph with 5"):
        model.predict(random_graph(n_features=5))
    assert model.predict(random_graph(55, seed=1)).shape == (55,)


ODD = {
    "isolated node": Graph(sp.block_diag([sp.coo_array(np.ones((6, 6)) - np.eye(6)), [[0]]]), features=np.eye(7, 5)),
    "two nodes": Graph([[0, 1], [1, 0]], features=np.eye(2)),
    "no edges": Graph(sp.csr_array((6, 6)), features=np.eye(6)),
    "weighted": random_graph(20, is_weighted=True),
    "a node without features": Graph(np.ones((5, 5)) - np.eye(5), features=sp.csr_array(np.eye(5, 4))),
    "features of zeros": Graph(np.ones((5, 5)) - np.eye(5), features=sp.csr_array((5, 4))),
    "sums of zero": Graph(np.ones((4, 4)), features=np.array([[1, -1], [2, -2], [0, 0], [3, 1]])),
}


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("graph", ODD.values(), ids=ODD.keys())
def test_odd_graphs_work(name: str, graph: Graph) -> None:
    n = graph.n_nodes
    model = make(name).fit(labelled(graph, np.arange(n) % 2), split=Split(np.arange(2), np.arange(2, n), NOBODY))
    assert np.isfinite(model.history_.loss).all()
    assert all(torch.isfinite(weights).all() for weights in model.network_.parameters())
    assert model.predict(graph).shape == (n,)


@pytest.mark.parametrize("name", METHODS)
def test_a_graph_without_features_is_refused_in_words(name: str) -> None:
    with pytest.raises(InputError, match="needs node features, and the graph has none"):
        make(name).fit(labelled(Graph(random_graph().adjacency)), split=a_split())


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(
    ("adjacency", "message"),
    [
        (np.ones((3, 4)), "must be square"),
        (sp.csr_array((0, 0)), "The graph is empty"),
        ([[0, np.nan], [np.nan, 0]], "finite"),
        ([[0, -1], [-1, 0]], "zero or more"),
        ("edges.csv", "names a file or a dataset. Read it first"),
    ],
    ids=["not square", "empty", "nan weight", "negative weight", "a path"],
)
def test_bad_graphs_get_the_core_message(name: str, adjacency: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make(name).fit(adjacency, split=a_split())


WRONG = {
    "epochs": (0, 2.5),
    "patience": (0, True),
    "device": ("tpu",),
    "random_state": (-1,),
    "learning_rate": (0.0, np.nan),
    "l2": (-1,),
    "hidden": (0,),
    "heads": (0,),
    "output_heads": (1.5,),
    "dropout": (1.0, -0.1),
    "hidden_dropout": (1.0,),
    "filter": ("mean", None),
    "filter__order": (-1,),
    "widths": ((), (0, 0), (1, -1), 3, "12"),
    "segments": ((), (0,)),
}


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [
        (name, option, value)
        for name in METHODS
        for option in make(name).get_params()
        for value in WRONG[option]  # every option has some
    ],
)
def test_bad_parameters_get_their_own_message(name: str, option: str, value: object) -> None:
    with pytest.raises(InputError, match=rf"The {option.split('__')[-1]} parameter of \w+ must be"):
        make(name).set_params(**{option: value}).fit(labelled(random_graph()), split=a_split())


@pytest.mark.parametrize("dataset", COLUMNS)
@pytest.mark.parametrize("name", METHODS)
def test_every_dataset_of_the_table_has_settings_that_are_accepted(name: str, dataset: str) -> None:
    model = methods.find_method(name).make({"epochs": 1, "device": "cpu"}, paper=dataset)
    model.fit(labelled(random_graph()), split=a_split())


@pytest.mark.parametrize("name", METHODS)
def test_fifty_thousand_nodes_take_no_square_matrix(name: str) -> None:
    """n² would be 2.5 GB of single bytes."""
    graph = large_graph()
    n_nodes = graph.n_nodes
    split = Split(np.arange(60), np.arange(60, 120), np.arange(120, n_nodes))
    forget_peak()
    before = memory("VmRSS")
    assert make(name, epochs=1).fit_predict(graph, split, progress=silent).shape == (n_nodes,)
    assert memory("VmHWM") - before < 1.5e9
