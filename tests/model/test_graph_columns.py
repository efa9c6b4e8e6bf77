"""What a graph brings by itself travels: to a graph that has grown, to another process, through updates, by every engine."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import sparsecut as sc
from conftest import load_or_skip, random_graph
from sparsecut.base.errors import InputError, StrangersWarning

WORDS = [f"person {number}" for number in range(90)]


def communities(n_groups: int = 3, size: int = 30, seed: int = 0) -> sp.csr_array:
    """Groups of nodes with many edges inside and few between."""
    generator = np.random.default_rng(seed)
    group = np.repeat(np.arange(n_groups), size)
    chance = np.where(group[:, None] == group, 0.3, 0.01)
    upper = np.triu(generator.random(chance.shape) < chance, 1)
    return sp.csr_array((upper + upper.T).astype(np.float32))


def part_of(graph: sc.Graph, nodes: np.ndarray) -> sc.Graph:
    """The graph of some of its nodes, under their own ids."""
    features = None if not graph.has_features else graph.features[nodes]
    return sc.Graph(graph.adjacency[nodes][:, nodes], features=features, node_ids=graph.node_ids[nodes])


def cosines(Z: np.ndarray) -> np.ndarray:
    unit = Z / np.linalg.norm(Z, axis=1, keepdims=True)
    return unit @ unit.T


MODELS = [sc.SCE(), sc.SCE(features="structure"), sc.SCE(channels="roles"), sc.MoSCE(features="structure")]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_transform_of_the_fitted_graph_is_the_fit(model: Any, tmp_path: Path) -> None:
    graph = random_graph(80)
    graph = sc.Graph(graph.adjacency, features=graph.features, node_ids=[f"node {number}" for number in range(80)])
    Z = model.fit_transform(graph)
    np.testing.assert_allclose(model.transform(graph), Z, atol=2e-5)
    model.save(tmp_path / "model.safetensors", overwrite=True)
    np.testing.assert_allclose(sc.load(tmp_path / "model.safetensors").transform(graph), Z, atol=2e-5)
    order = np.random.default_rng(1).permutation(80)
    np.testing.assert_allclose(model.transform(part_of(graph, order)), Z[order], atol=2e-5)


def test_new_nodes_are_placed_in_their_group() -> None:
    A = communities()
    whole = sc.Graph(A, node_ids=WORDS)
    is_new = np.arange(90) % 9 == 0
    known = part_of(whole, np.flatnonzero(~is_new))
    model = sc.SCE(channels="structure").fit(known)
    Z = model.transform(whole)
    near, group = cosines(Z), np.arange(90) // 30
    for node in np.flatnonzero(is_new):
        others = np.flatnonzero(~is_new)
        nearest = others[np.argsort(-near[node, others])[:10]]
        assert (group[nearest] == group[node]).mean() >= 0.9


def test_columns_are_named_by_their_channel() -> None:
    model = sc.SCE(channels=("own", "structure", "roles")).fit(random_graph(80))
    names = model.get_feature_names_out()
    assert len(names) == len(set(names)) == model.embedding_.shape[1]
    for channel, columns in model.channels_.items():
        assert names[columns][0] == f"sce_{channel}0"
    assert sc.SCE(channels="roles", dimension=4).fit(random_graph(80)).get_feature_names_out()[0] == "sce_roles0"
    assert sc.SCE(channels="own").fit(random_graph(80)).get_feature_names_out()[0] == "sce0"


def test_a_graph_of_strangers() -> None:
    A = communities()
    features = np.random.default_rng(0).normal(size=(90, 5)).astype(np.float32)
    known = sc.Graph(A, features=features, node_ids=WORDS)
    strangers = sc.Graph(communities(seed=5), features=features, node_ids=[f"other {number}" for number in range(90)])
    alone = sc.SCE(features="structure").fit(known)
    with pytest.raises(InputError, match=r"knows none of the 90 nodes.*roles"):
        alone.transform(strangers)
    beside = sc.SCE().fit(known)
    with pytest.warns(StrangersWarning, match="knows none of the 90 nodes"):
        Z = beside.transform(strangers)
    columns = beside.channels_["structure"]
    assert np.ptp(Z[:, columns], axis=0).max() < 1e-5  # no node is anywhere: all are at one place
    others = np.delete(np.arange(Z.shape[1]), np.arange(columns.start, columns.stop))
    assert np.ptp(Z[:, others], axis=0).min() > 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sc.SCE(channels="roles").fit(known).transform(strangers)  # roles are the same for any graph


def test_ids_that_are_other_nodes_are_found_out() -> None:
    """Both graphs count from 0, and their nodes have nothing to do with one another."""
    model = sc.SCE(features="structure").fit(sc.Graph(communities()))
    shuffled = np.random.default_rng(3).permutation(90)
    other = sc.Graph(communities(seed=5)[shuffled][:, shuffled])
    with pytest.raises(InputError, match=r"edges.*are not those"):
        model.transform(other)


@pytest.mark.parametrize("engine", [sc.Disk(), pytest.param("dask", marks=pytest.mark.cluster)], ids=["disk", "dask"])
def test_engines_agree_on_a_graph_that_has_grown(engine: Any, tmp_path: Path) -> None:
    if engine == "dask":
        from local_cluster import address

        engine = sc.Dask(address(), blocks=3, scratch=tmp_path)  # two runs of this test do not share a folder
    graph = random_graph(120, seed=4)
    known = part_of(graph, np.arange(100))
    model = sc.SCE().fit(known)
    expected, n_columns = model.transform(graph), model.embedding_.shape[1]
    other = sc.SCE(engine=engine).fit(known)
    assert other.embedding_.shape[1] == n_columns
    np.testing.assert_allclose(np.asarray(other.transform(graph)), expected, atol=1e-3)


CHANGES: list[dict[str, Any]] = [
    {"edges_added": [(0, 70), (3, 44), (5, 61)]},
    {"edges_removed": "first"},
    {"nodes_added": True, "edges_added": [(200, 1), (200, 2), (200, 17)]},
    {"nodes_removed": [7, 8]},
]


@pytest.mark.parametrize("changes", CHANGES, ids=lambda change: next(iter(change)))
@pytest.mark.parametrize("model", [sc.SCE(), sc.SCE(features="structure")], ids=repr)
def test_an_update_is_the_transform_of_the_new_graph(model: Any, changes: dict[str, Any]) -> None:
    graph = random_graph(80)
    model.fit(graph)
    changes = dict(changes)
    if changes.get("edges_removed") == "first":
        sources, targets = graph.adjacency[:10].nonzero()
        changes["edges_removed"] = [(int(i), int(j)) for i, j in zip(sources, targets, strict=True) if i < j][:4]
    if "nodes_added" in changes:
        has_features = "features" in model.recipe_.sources
        changes["nodes_added"] = {200: np.asarray(graph.features)[0]} if has_features else [200]
    present = graph.adjacency.toarray()
    changes["edges_added"] = [(i, j) for i, j in changes.get("edges_added", []) if max(i, j) >= 80 or present[i, j] == 0]
    model.update(**changes, tolerance=0)
    np.testing.assert_allclose(model.embedding_, model.transform(model.graph_), atol=1e-4)


def test_half_of_cora_places_the_other_half() -> None:
    """A tenth of the nodes comes later; the score of these is near that of a fit with them."""
    cora = load_or_skip("cora")
    is_new = np.random.default_rng(0).random(cora.n_nodes) < 0.1
    model = sc.SCE(channels="structure").fit(part_of(cora, np.flatnonzero(~is_new)))
    grown, fitted = model.transform(cora), sc.SCE(channels="structure").fit_transform(cora)
    labels = np.asarray(cora.labels)
    from sklearn.linear_model import LogisticRegression

    def score(Z: np.ndarray) -> float:
        return float(LogisticRegression(max_iter=300).fit(Z[~is_new], labels[~is_new]).score(Z[is_new], labels[is_new]))

    assert score(grown) > score(fitted) - 0.04
