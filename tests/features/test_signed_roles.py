"""Counts of edges that ask for distance: by hand, in every engine, and after updates as computed anew."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import sparsecut as sc
from sparsecut.engines.in_process import InProcess
from sparsecut.features.roles import NodeRoles, count_roles, kind_of
from sparsecut.graph.undirected import without_directions


def signed_graph(n_nodes: int = 120, directed: str = "out", seed: int = 0) -> sc.Graph:
    generator = np.random.default_rng(seed)
    ends = generator.integers(0, n_nodes, (6 * n_nodes, 2))
    weights = generator.integers(1, 5, len(ends)) * np.where(generator.random(len(ends)) < 0.2, -1, 1)
    return sc.from_edges(np.column_stack([ends, weights]), signed=True, directed=directed, node_ids=np.arange(n_nodes))


@pytest.mark.parametrize("directed", ["out", "in", "symmetrize"])
def test_counts_by_hand(directed: str) -> None:
    ratings = [("a", "b", 1), ("a", "c", -2), ("b", "c", -1), ("c", "a", 1), ("d", "c", 1)]
    graph = sc.from_edges(ratings, signed=True, directed=directed)
    kind = kind_of(InProcess(graph))
    other = InProcess(without_directions(graph)) if graph.is_directed else None
    counted = np.asarray(count_roles(InProcess(graph), other, kind)[:])
    columns = dict(zip(kind.counts, counted.T, strict=True))
    leave, arrive = [2, 1, 0, 0] if directed != "symmetrize" else [1, 1, 2, 0], [0, 0, 2, 0]
    if directed == "out":
        leave = [1, 1, 0, 0]
    elif directed == "in":
        leave, arrive = [0, 0, 2, 0], [1, 1, 0, 0]
    assert kind.unfriendly == pytest.approx(3 / 7)  # without directions a and c are friends and enemies
    name = "log unfriendly out-degree" if graph.is_directed else "log unfriendly degree"
    np.testing.assert_allclose(columns[name], np.log1p(leave), atol=2**-16)
    if graph.is_directed:
        np.testing.assert_allclose(columns["log unfriendly in-degree"], np.log1p(arrive), atol=2**-16)
        friendly = np.asarray(graph.adjacency.sum(axis=0) > 0) * np.bincount(graph.adjacency.indices, minlength=4)
        balance = np.log(np.array(arrive) + 6 / 7) - np.log(friendly + 8 / 7)  # two edges are counted in, 3 of 7 unfriendly
        np.testing.assert_allclose(columns["unfriendly in-balance"], balance, atol=2**-15)


def test_a_graph_without_signs_has_the_counts_it_had() -> None:
    graph = signed_graph().replace(demands=None)
    roles = NodeRoles.fit(InProcess(graph), InProcess(without_directions(graph)))
    assert not any("unfriendly" in name for name in roles.names)
    assert not NodeRoles.from_arrays(roles.to_arrays()).kind.is_signed


@pytest.mark.parametrize("directed", ["out", "symmetrize"])
def test_engines_updates_and_files_agree(directed: str, tmp_path: Path) -> None:
    graph = signed_graph(directed=directed)
    model = sc.SCE(engine=sc.Memory()).fit(graph)
    Z = model.embedding_
    assert any("unfriendly" in name for name in model.columns_.roles.names)
    scale = np.abs(Z).max()
    for limit in ("700MiB", "2GiB"):
        np.testing.assert_allclose(sc.SCE(engine=sc.Disk(memory_limit=limit)).fit_transform(graph), Z, atol=2e-5 * scale)
    np.testing.assert_allclose(model.transform(graph), Z, atol=1e-5 * scale)
    order = np.random.default_rng(1).permutation(graph.n_nodes)
    np.testing.assert_allclose(model.transform(graph.subgraph(graph.node_ids[order])), Z[order], atol=1e-5 * scale)
    path = tmp_path / "model.safetensors"
    for nodes in ([5, 6], [7]):
        model.update(nodes_removed=nodes, tolerance=0)
        np.testing.assert_allclose(model.embedding_, model.transform(model.graph_), atol=1e-5 * scale)
        model.save(path, with_state=True, overwrite=True)
        loaded = sc.load(path)
        np.testing.assert_array_equal(loaded.embedding_, model.embedding_)
        assert (loaded.graph_.demands != model.graph_.demands).nnz == 0
        assert loaded.graph_.demands.nnz == graph.subgraph(loaded.graph_.node_ids).demands.nnz
        model = loaded


def test_demands_are_part_of_the_negative_graph_with_the_weight_of_all_pairs() -> None:
    graph = signed_graph(directed="symmetrize")
    pairs = graph.demands.tocoo()
    listed = list(zip(pairs.row.tolist(), pairs.col.tolist(), (pairs.data / pairs.data.mean()).tolist(), strict=True))
    plain = {"features": "given", "weighting": "none", "filter": sc.Power(order=1), "dimension": 4}
    features = np.random.default_rng(2).standard_normal((graph.n_nodes, 6)).astype(np.float32)
    signed = sc.SCE(**plain).fit_transform(graph.replace(features=features))
    apart = sc.SCE(**plain, apart=listed).fit_transform(graph.replace(features=features, demands=None))
    np.testing.assert_allclose(signed, apart, atol=1e-4)
    unsigned = sc.SCE(**plain).fit_transform(graph.replace(features=features, demands=None))
    assert np.abs(signed - unsigned).max() > 1e-2


def test_a_signed_adjacency() -> None:
    matrix = np.array([[0.0, 2.0, -1.0], [2.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])
    with pytest.raises(sc.InputError, match="signed=True"):
        sc.Graph(matrix)
    graph = sc.Graph(matrix, signed=True)
    assert graph.adjacency.toarray().tolist() == [[0, 2, 0], [2, 0, 0], [0, 0, 0]]
    assert graph.demands is not None
    assert graph.demands.toarray().tolist() == [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
