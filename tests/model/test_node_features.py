"""Nodes as samples: what scikit-learn's pipelines, searches and checks ask of a transformer."""

from __future__ import annotations

import copy

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils import estimator_checks

from sparsecut import SCE, Graph, InputError, NodeFeatures
from sparsecut.lab.baselines import SmoothedPCA


@pytest.fixture(scope="module")
def graph() -> Graph:
    """Two groups of twenty nodes whose features differ, linked within; ids that are no positions."""
    generator = np.random.default_rng(0)
    group = np.repeat([0, 1], 20)
    links = (generator.random((40, 40)) < np.where(group[:, None] == group, 0.3, 0.02)).astype(float)
    features = generator.normal(size=(40, 6)) + group[:, None]
    links = np.triu(links, 1)
    return Graph(links + links.T, features=features, labels=group, node_ids=1000 - 7 * np.arange(40))


def test_rows_are_those_of_the_nodes_asked_for(graph: Graph) -> None:
    Z = SCE(dimension=3).fit_transform(graph)
    rows = NodeFeatures(graph=graph, model=SCE(dimension=3)).fit(graph.node_ids)
    order = np.array([5, 0, 39, 5])
    assert np.array_equal(rows.transform(graph.node_ids[order]), Z[order])
    assert np.array_equal(rows.transform(graph.node_ids[order][:, None]), Z[order])
    assert np.array_equal(rows.transform(pd.DataFrame({"id": graph.node_ids[order]})), Z[order])
    named = rows.set_output(transform="pandas").transform(pd.Series(graph.node_ids[order], index=list("wxyz")))
    assert named.index.tolist() == list("wxyz")
    assert named.columns.tolist() == ["nodefeatures0", "nodefeatures1", "nodefeatures2"]


def test_the_model_that_was_given_is_not_fitted_and_labels_are_not_seen(graph: Graph) -> None:
    model = SCE(dimension=3)
    first = NodeFeatures(graph=graph, model=model).fit(graph.node_ids, graph.labels)
    other = NodeFeatures(graph=graph.replace(labels=None), model=model).fit(graph.node_ids[:4], graph.labels[::-1][:4])
    assert not hasattr(model, "weights_")
    assert np.array_equal(first.embedding_, other.embedding_)


def test_a_pipeline_is_searched_over_settings_of_the_embedding(graph: Graph) -> None:
    pipeline = Pipeline([("rows", NodeFeatures(graph=graph)), ("probe", LogisticRegression())])
    grid = {"rows__model__n_components": [1, 3], "rows__model": [SCE(), SmoothedPCA()], "probe__C": [0.1, 1.0]}
    search = GridSearchCV(pipeline, grid, cv=4).fit(graph.node_ids[:, None], graph.labels)
    assert search.best_score_ > 0.9
    assert len(search.cv_results_["params"]) == 8
    assert {type(one).__name__ for one in search.cv_results_["param_rows__model"]} == {"SCE", "SmoothedPCA"}
    best = search.best_estimator_.named_steps["rows"]
    assert best.embedding_.shape[1] == search.best_params_["rows__model__n_components"]
    # By hand: the folds are folds of rows of one embedding.
    Z = SCE(dimension=3).fit_transform(graph)
    by_hand = cross_val_score(LogisticRegression(), Z, graph.labels, cv=4)
    piped = make_pipeline(NodeFeatures(graph=graph, model=SCE(dimension=3)), LogisticRegression())
    assert np.array_equal(cross_val_score(piped, graph.node_ids, graph.labels, cv=4), by_hand)


def test_a_clone_shares_the_graph(graph: Graph) -> None:
    twin = clone(NodeFeatures(graph=graph, model=SCE(dimension=3)))
    assert twin.graph is graph
    assert copy.copy(graph) is graph
    assert copy.deepcopy([graph])[0] is graph
    assert repr(twin) == f"NodeFeatures(graph={graph!r}, model=SCE(dimension=3))"


@pytest.mark.parametrize(
    "name",
    [
        "check_estimator_cloneable",
        "check_estimator_repr",
        "check_no_attributes_set_in_init",
        "check_get_params_invariance",
        "check_set_params",
        "check_estimator_tags_renamed",
        "check_valid_tag_types",
        "check_mixin_order",
    ],
)
def test_scikit_learns_checks_that_need_no_matrix(name: str, graph: Graph) -> None:
    for estimator in (NodeFeatures(graph=graph, model=SCE(dimension=3)), SCE(dimension=3)):
        getattr(estimator_checks, name)(type(estimator).__name__, estimator)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        (np.array([0, 1]), "NodeFeatures.transform names nodes that the graph does not have: 0, 1"),
        (np.ones((3, 2)), r"one column of them: graph.node_ids\[:, None\]. Got shape \(3, 2\)"),
    ],
)
def test_what_is_no_node_is_refused(nodes: np.ndarray, message: str, graph: Graph) -> None:
    rows = NodeFeatures(graph=graph, model=SCE(dimension=2)).fit(graph.node_ids)
    with pytest.raises(InputError, match=message):
        rows.transform(nodes)


def test_it_says_that_it_is_not_fitted(graph: Graph) -> None:
    with pytest.raises(NotFittedError, match="Call fit first"):
        NodeFeatures(graph=graph).transform(graph.node_ids)
    with pytest.raises(NotFittedError):
        NodeFeatures(graph=graph).get_feature_names_out()
