"""Principal components of the smoothed features, by a dense singular value decomposition and by their definition."""

from __future__ import annotations

import numpy as np
import pytest

from conftest import random_graph
from sparsecut import Graph, InputError, Power
from sparsecut.lab.baselines import SmoothedFeatures, SmoothedPCA
from standins import stand_in


def smoothed(graph: Graph, order: int = 2) -> np.ndarray:
    return SmoothedFeatures(filter=Power(order=order), device="cpu").fit_transform(graph)


@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
def test_it_is_the_decomposition_of_the_centred_smoothed_features(is_sparse: bool) -> None:
    graph = random_graph(is_sparse=is_sparse)
    S = smoothed(graph, order=1)
    U, values, _ = np.linalg.svd(S - S.mean(axis=0), full_matrices=False)
    Z = SmoothedPCA(dimension=5, filter=Power(order=1)).fit_transform(graph)
    np.testing.assert_allclose(np.abs(Z), np.abs((U * values)[:, :5]), atol=1e-4)  # a component has two directions


def test_a_component_is_the_direction_of_most_variance_left() -> None:
    """By hand: no edges, so the features are their own; spread 3, 1 and 0 along the axes."""
    F = np.array([[3, 0, 5], [-3, 0, 5], [0, 1, 5], [0, -1, 5]], dtype=np.float32)
    model = SmoothedPCA(dimension=2).fit(Graph(np.zeros((4, 4)), features=F))
    np.testing.assert_allclose(model.mean_, [0, 0, 5])
    np.testing.assert_allclose(np.abs(model.components_), [[1, 0], [0, 1], [0, 0]], atol=1e-6)
    np.testing.assert_allclose(np.abs(model.embedding_), [[3, 0], [3, 0], [0, 1], [0, 1]], atol=1e-6)


def test_there_are_no_more_columns_than_features_or_nodes() -> None:
    assert SmoothedPCA().fit_transform(random_graph(n_features=7)).shape == (40, 7)
    assert SmoothedPCA().fit_transform(random_graph(9, 30)).shape == (9, 9)


@pytest.mark.filterwarnings("ignore::sparsecut.base.errors.MeaninglessEmbeddingWarning")
def test_rows_that_are_all_alike_are_at_the_origin() -> None:
    Z = SmoothedPCA().fit_transform(Graph(np.ones((4, 4)), features=np.eye(4)))
    np.testing.assert_allclose(Z, np.zeros((4, 4)), atol=1e-6)


def test_new_nodes_are_centred_by_the_old_ones_mean() -> None:
    seen, met = random_graph(), random_graph(25, seed=4)
    model = SmoothedPCA(dimension=6).fit(seen)
    expected = (smoothed(met) - smoothed(seen).mean(axis=0)) @ model.components_
    np.testing.assert_allclose(model.transform(met), expected, atol=1e-5)


def test_where_the_decomposition_is_randomised_it_finds_the_same_space() -> None:
    """More than 500 nodes and features: what it keeps is nearly the most that can be kept."""
    graph = stand_in(n_nodes=700, n_edges=3000, n_features=620, n_classes=3, random_state=0)
    values = np.linalg.svd(smoothed(graph) - smoothed(graph).mean(axis=0), compute_uv=False)
    Z = SmoothedPCA(dimension=20).fit_transform(graph)
    most = np.square(values[:20]).sum()
    assert 0.99 * most < np.square(Z).sum() <= most * (1 + 1e-5)


@pytest.mark.parametrize(("option", "value"), [("filter__order", -1), ("filter", "wide"), ("dimension", 0)])
def test_wrong_parameters_are_refused(option: str, value: object) -> None:
    with pytest.raises(InputError, match=f"{option.split('__')[-1]} parameter of (SmoothedPCA|Power)"):
        SmoothedPCA().set_params(**{option: value}).fit(random_graph())
