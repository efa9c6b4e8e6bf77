"""Links of graphs whose edges lie in files, in this process, by the disk engine and on a cluster, against memory."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import sparsecut as sc
from disk_cases import community_graph, names_in
from local_cluster import address
from sparsecut.links.graph_edges import IN_PROCESS, edges_by, engine_of

KINDS = ("plain", "weighted", "directed", "sides")


def graph_of(kind: str) -> sc.Graph:
    if kind == "sides":
        R = np.random.default_rng(0).random((160, 120)) < 0.12
        R[0] = R[:, 0] = True
        A = sp.block_array([[None, sp.csr_array(R.astype(np.float32))], [sp.csr_array(R.T.astype(np.float32)), None]])
        return sc.Graph(A.tocsr())
    return community_graph(300, 12, is_weighted=kind == "weighted", is_directed=kind == "directed")


def in_files(graph: sc.Graph, folder: Path) -> sc.Graph:
    """The graph with its edges in memory maps, and its features where it has some."""
    folder.mkdir()
    A = sp.csr_array(graph.adjacency.shape, dtype=np.float32)
    for name in ("indptr", "indices", "data"):
        np.save(folder / f"{name}.npy", getattr(graph.adjacency, name))
        setattr(A, name, np.load(folder / f"{name}.npy", mmap_mode="r"))
    if (graph.adjacency.data == 1).all():
        A.data = np.broadcast_to(np.float32(1), A.nnz)
    return sc.Graph.from_canonical(A, node_ids=None, directed="out" if graph.is_directed else "symmetrize")


def assert_same_links(found: sc.Links, expected: sc.Links, graph: sc.Graph, rtol: float) -> None:
    pairs = np.random.default_rng(3).integers(0, graph.n_nodes, (400, 2))
    assert [str(one) for one in found.forms_.values()] == [str(one) for one in expected.forms_.values()]
    scores = expected.score(pairs)
    is_there = np.isfinite(scores)
    np.testing.assert_array_equal(np.isfinite(found.score(pairs)), is_there)
    size = np.abs(scores[is_there]).max()
    np.testing.assert_allclose(found.score(pairs)[is_there], scores[is_there], rtol=rtol, atol=rtol * size)
    np.testing.assert_allclose(found.probability(pairs), expected.probability(pairs), rtol=rtol, atol=rtol)
    table = expected.score_all(np.arange(30))
    np.testing.assert_allclose(found.score_all(np.arange(30)), table, rtol=rtol, atol=rtol * np.abs(table).max())


@pytest.mark.parametrize("kind", KINDS)
def test_links_of_files_are_those_of_memory(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    graph = graph_of(kind)
    Z = np.random.default_rng(1).normal(size=(graph.n_nodes, 10)).astype(np.float32)
    stored = in_files(graph, tmp_path / "graph")
    expected = sc.Links(Z, graph)
    found = sc.Links(Z, stored)
    assert_same_links(found, expected, graph, 0.0)  # bits
    by_disk = sc.Links(Z, stored, engine=sc.Disk(scratch=tmp_path))
    assert_same_links(by_disk, expected, graph, 1e-12)  # degrees are added up in another order
    later = found.transform(stored, Z)
    assert_same_links(later, expected, graph, 0.0)
    assert found.recommend(5).ids.tolist() == expected.recommend(5).ids.tolist()
    kept = names_in(tmp_path)
    assert len(kept) == (4 if graph.is_directed else 1)  # arcs turned round, one folder for each of the three
    del found, by_disk, later
    assert names_in(tmp_path) == ["graph"]


def test_a_model_on_disk_brings_its_engine(tmp_path):
    graph = community_graph(300, 12)
    model = sc.SCE(dimension=8, engine=sc.Disk(scratch=tmp_path))
    assert engine_of([np.eye(3), (np.eye(3), model)]) is model.engine
    assert engine_of(sc.SCE()) is None
    assert engine_of(sc.SCE(engine="disk")) == "disk"
    expected = sc.Links(sc.SCE(dimension=8), graph)
    found = sc.Links(model, graph)
    assert_same_links(found, expected, graph, 1e-5)
    assert names_in(tmp_path) == []


@pytest.mark.cluster
@pytest.mark.parametrize("kind", KINDS)
def test_workers_compute_the_sums_of_memory(kind, tmp_path):
    graph = graph_of(kind)
    Z = np.random.default_rng(1).normal(size=(graph.n_nodes, 10)).astype(np.float32)
    stored = in_files(graph, tmp_path / "graph")
    found = sc.Links(Z, stored, engine=sc.Dask(address(), scratch=tmp_path))
    assert_same_links(found, sc.Links(Z, graph), graph, 1e-6)
    del found
    assert names_in(tmp_path) == ["graph"]


@pytest.mark.cluster
def test_passes_run_on_the_workers_and_their_files_go(tmp_path):
    stored = in_files(graph_of("plain"), tmp_path / "graph")
    with edges_by(sc.Dask(address(), scratch=tmp_path)) as edges:
        passes = edges.passes(stored)
        assert edges.passes(stored) is passes
        processes = passes.each(process_of)
        values = np.arange(stored.n_nodes * 3, dtype=np.float64).reshape(-1, 3)
        for factor in (1.0, 2.0):
            placed = passes.placed("values", factor * values)
            np.testing.assert_array_equal(np.concatenate(passes.each(rows_at, placed)), factor * values)
        np.testing.assert_allclose(edges.degrees(stored), stored.degrees)
    assert process_of(None) not in processes
    assert names_in(tmp_path) == ["graph"]


def test_what_is_no_engine_is_refused_and_memory_is_this_process():
    with edges_by("memory") as edges:
        assert edges is IN_PROCESS
    with pytest.raises(sc.InputError, match="engine parameter of Links must be one of"), edges_by("paper"):
        pass


def process_of(block: Any) -> int:
    import os

    return os.getpid()


def rows_at(block: Any, column: Any) -> np.ndarray:
    return np.asarray(column[block.rows])
