"""Types of nodes, centred one by one: against dense sums, on every engine, and through save, load, transform and update."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
import torch

import sparsecut as sc
from local_cluster import address
from sparsecut.engines.memory import MemoryEngine
from sparsecut.features.feature_tables import FeatureMatrix
from sparsecut.features.weighting import Weighting
from sparsecut.graph.relations import Relations
from sparsecut.model.type_means import TypeColumns, TypeMeans, pairs_weight
from sparsecut.operators.filters import Power
from sparsecut.operators.negatives import complete_graph
from typed_graphs import typed_graph

NONE = Weighting("none")


def test_scatter_within_types_is_the_dense_one() -> None:
    graph = typed_graph()
    engine = MemoryEngine(torch.device("cpu"), graph=graph)
    rows = engine.load(graph, NONE, Power(order=1))
    types = engine.load(graph, NONE, Power(order=1), TypeColumns(graph.node_ids, graph.node_types))
    means = TypeMeans.of(engine, [rows], types, graph)
    F, codes = graph.features.astype(np.float64), graph.type_codes
    within = np.zeros((11, 11))
    for code in range(3):
        here = F[codes == code]
        within += (here - here.mean(axis=0)).T @ (here - here.mean(axis=0))
        W = np.random.default_rng(1).normal(size=(11, 2))
        offsets = means.offsets(torch.from_numpy(F.mean(axis=0) @ W), torch.from_numpy(W))
        np.testing.assert_allclose(offsets[code], here.mean(axis=0) @ W, atol=1e-4)
    whole = (F - F.mean(axis=0)).T @ (F - F.mean(axis=0))
    np.testing.assert_allclose(whole - means.between().numpy(), within, atol=1e-3)
    np.testing.assert_allclose(means.between_times(torch.from_numpy(W)).numpy(), means.between().numpy() @ W, atol=1e-6)
    assert pairs_weight(complete_graph(7)) == 7


def test_columns_of_types_follow_from_ids() -> None:
    columns = TypeColumns(np.array(["paper:1", "author:1", "odd"]), ("author", "paper"))
    assert np.asarray(columns).tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    assert columns[1:].tolist() == columns.of_ids(np.array(["author:9", "x"])).tolist()


@pytest.mark.parametrize("is_sparse", [False, True])
def test_every_type_has_mean_zero_in_every_channel_of_features(is_sparse: bool) -> None:
    graph = typed_graph(is_sparse=is_sparse)
    model = sc.SCE(channels=("own", "smoothed", "roles"))
    Z = model.fit_transform(graph)
    assert model.offset_.shape == (4, Z.shape[1])
    for code in range(3):
        assert np.abs(Z[graph.type_codes == code].mean(axis=0)).max() < 1e-4 * np.abs(Z).max()


@pytest.mark.parametrize("is_sparse", [False, True])
def test_disk_is_memory_with_types(is_sparse: bool) -> None:
    graph = typed_graph(is_sparse=is_sparse)
    Z = sc.SCE().fit_transform(graph)
    on_disk = sc.SCE(engine=sc.Disk(memory_limit="600MB")).fit_transform(graph)
    assert on_disk.shape == Z.shape
    assert np.abs(on_disk - Z).max() < 1e-4 * np.abs(Z).max()


@pytest.mark.cluster
def test_a_cluster_is_memory_with_types(tmp_path: Path) -> None:
    graph = typed_graph()
    Z = sc.SCE().fit_transform(graph)
    on_cluster = sc.SCE(engine=sc.Dask(address(), plan="rows", blocks=3, scratch=tmp_path)).fit_transform(graph)
    assert np.abs(on_cluster - Z).max() < 1e-4 * np.abs(Z).max()


def test_nodes_in_another_order_have_the_same_vectors() -> None:
    graph = typed_graph()
    order = np.random.default_rng(3).permutation(graph.n_nodes)
    model = sc.SCE()
    Z = model.fit_transform(graph)
    shuffled = graph.subgraph(positions=order)
    for other in (sc.SCE().fit_transform(shuffled), model.transform(shuffled)):
        assert np.abs(other - Z[order]).max() < 1e-3 * np.abs(Z).max()


def test_groups_are_found_across_types() -> None:
    graph = typed_graph()
    Z = sc.SCE().fit_transform(graph)
    Z = Z / np.linalg.norm(Z, axis=1, keepdims=True)
    venues = np.flatnonzero(graph.type_codes == 2)
    authors = np.flatnonzero(graph.type_codes == 0)
    nearest = venues[(Z[authors] @ Z[venues].T).argmax(axis=1)]
    assert (graph.labels[nearest] == graph.labels[authors]).mean() > 0.8  # chance is a half


def test_a_relation_weighs_what_was_requested_and_the_model_keeps_it(tmp_path: Path) -> None:
    graph = typed_graph()
    model = sc.SCE(relations={"in": 3.0, ("author", "writes", "paper"): 1.0}, features="structure").fit(graph)
    assert model.kind_ is not None
    assert model.kind_.relations is not None
    totals = np.array(model.kind_.relations.factors) * graph.relations.volumes
    assert totals[1] == pytest.approx(3 * totals[0], rel=1e-5)
    assert "paper:in:venue × 3" in model.explain()
    model.save(tmp_path / "model.safetensors")
    again = sc.load(tmp_path / "model.safetensors")
    assert np.abs(again.transform(graph) - model.embedding_).max() < 1e-4
    assert again.kind_ == model.kind_


def test_a_type_that_was_not_fitted_is_refused_and_a_missing_one_has_no_edges() -> None:
    graph = typed_graph()
    relations = graph.relations
    assert relations is not None
    model = sc.SCE(features="given").fit(graph.replace(features=FeatureMatrix(graph.features)))
    plain = graph.replace(features=FeatureMatrix(graph.features))
    cites = ("paper", "cites", "paper")
    new = Relations.of({**dict(zip(relations.edge_types, relations.matrices, strict=True)), cites: relations.matrices[0]})
    with pytest.raises(sc.InputError, match=r"does not know how much others weigh. Got 'paper:cites:paper'"):
        model.transform(plain.replace(adjacency=new.added_up(), relations=new))
    few = Relations.of({relations.edge_types[1]: relations.matrices[1]})
    fewer = plain.replace(adjacency=few.added_up(), relations=few)
    assert model.kind_ is not None
    np.testing.assert_allclose(
        model.kind_.weighed(fewer, "SCE").adjacency.toarray(),
        relations.matrices[1].toarray() * model.kind_.relations.factors[1],
        rtol=1e-6,
    )
    with pytest.raises(sc.InputError, match="Got a graph without types"):
        model.transform(sc.Graph(plain.adjacency, features=graph.features))
    with pytest.raises(sc.InputError, match="'journal' too"):
        model.transform(plain.replace(node_types=("author", "paper", "journal")))


def test_updates_weigh_edges_by_their_type() -> None:
    graph = typed_graph()
    plain = graph.replace(features=FeatureMatrix(graph.features))
    model = sc.SCE(filter=sc.Power(order=2)).fit(plain)
    author, venue = 3, graph.n_nodes - 1
    paper = next(p for p in range(200, 300) if graph.adjacency[author, p] == 0)
    other = next(p for p in range(130, 300) if graph.adjacency[venue, p] == 0)
    edges = [(graph.node_ids[author], graph.node_ids[paper]), (graph.node_ids[venue], graph.node_ids[other])]
    model.update(edges_added=edges, tolerance=0)
    relations = graph.relations
    matrices = [matrix.tolil() for matrix in relations.matrices]
    for matrix, (i, j) in zip(matrices, ((author, paper), (venue, other)), strict=True):
        matrix[i, j] = matrix[j, i] = 1
    changed = Relations.of(
        {kind: sp.csr_array(matrix.tocsr()) for kind, matrix in zip(relations.edge_types, matrices, strict=True)}
    )
    rebuilt = plain.replace(adjacency=changed.added_up(), relations=changed)
    assert np.abs(model.transform(rebuilt) - model.embedding_).max() < 1e-4
    with pytest.raises(sc.InputError, match="edges between 'author' and 'venue', and no fitted type does"):
        model.update(edges_added=[(graph.node_ids[author], graph.node_ids[venue])])
