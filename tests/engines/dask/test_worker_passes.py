"""A store that workers go through: the answers of memory, and the driver reads samples of it alone."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import sparsecut as sc
from disk_cases import assert_same_rows, community_graph, names_in
from local_cluster import address
from sparsecut.engines.dask.running import Runner
from sparsecut.engines.dask.shared import share, share_matrix
from sparsecut.engines.dask.worker_passes import FileBlock, diagonal_of, walk_over
from sparsecut.engines.in_process import InProcess
from sparsecut.features.roles import NodeRoles
from sparsecut.io.stores.workfolder import WorkFolder, work_folder
from sparsecut.kernels.block import degrees

pytestmark = pytest.mark.cluster


def store_of(graph: sc.Graph, folder: Path) -> sc.Graph:
    """The graph as a store, by files."""
    entries = graph.adjacency.tocoo()
    is_first = entries.row < entries.col
    columns = {"source": entries.row[is_first], "target": entries.col[is_first], "weight": entries.data[is_first]}
    import pyarrow as pa
    import pyarrow.parquet

    pyarrow.parquet.write_table(pa.table(columns), folder / "edges.parquet")
    np.save(folder / "features.npy", graph.features)
    sc.build_store(folder / "store", folder / "edges.parquet", features=folder / "features.npy")
    return sc.open_store(folder / "store")


@pytest.mark.parametrize(("plan", "is_counts"), [("columns", False), ("rows", True)])
def test_everything_chosen_on_workers_is_what_memory_chooses(plan: str, is_counts: bool, tmp_path: Path) -> None:
    graph = community_graph(300, 20, is_weighted=True, is_counts=is_counts)
    stored = store_of(graph, tmp_path)
    expected = sc.SCE().fit(graph)
    engine = sc.Dask(address(), plan=plan, blocks=4, scratch=tmp_path)
    model = sc.SCE(engine=engine).fit(stored, output=tmp_path / "z")
    assert_same_rows(np.asarray(model.embedding_), expected.embedding_)
    assert model.recipe_.weighting.name == expected.recipe_.weighting.name
    assert model.recipe_.filters == expected.recipe_.filters
    assert model.recipe_.reasons[0] == expected.recipe_.reasons[0]
    assert names_in(tmp_path) == ["edges.parquet", "features.npy", "store", "z"]


def test_the_driver_reads_samples_of_a_store_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every slice that this process takes of a memory map is counted; workers are other processes."""
    n_nodes, n_features, n_edges = 40_000, 32, 1_000_000
    generator = np.random.default_rng(0)
    features = np.floor(generator.exponential(size=(n_nodes, n_features))).astype(np.float32)
    np.save(tmp_path / "edges.npy", generator.integers(0, n_nodes, (n_edges, 2)))
    np.save(tmp_path / "features.npy", features)
    sc.build_store(tmp_path / "store", tmp_path / "edges.npy", features=tmp_path / "features.npy")
    n_read: Counter[str] = Counter()
    take = np.memmap.__getitem__

    def counted(self: np.memmap, index: Any) -> Any:
        found = take(self, index)
        if self.filename is not None and np.ndim(found):
            n_read[Path(self.filename).name] += found.nbytes
        return found

    monkeypatch.setattr(np.memmap, "__getitem__", counted)
    graph = sc.open_store(tmp_path / "store")
    assert n_read["features.npy"] == 0
    engine = sc.Dask(address(), scratch=tmp_path)
    model = sc.SCE(features="given", engine=engine).fit(graph, output=tmp_path / "z")
    assert model.recipe_.weighting.name == "tf-idf"  # signs, whole numbers, lengths and columns were looked at
    assert n_read["features.npy"] == 0
    # Held-out edges, which are looked up by bisection.
    assert 0 < n_read["indices.npy"] < 0.5 * graph.adjacency.indices.nbytes


def test_columns_are_kept_for_a_driver_that_comes_back(tmp_path: Path) -> None:
    from distributed import get_client

    address()
    stored = store_of(community_graph(60, 4, is_weighted=True), tmp_path)
    runner = Runner(get_client(), lambda *_: None, 60.0, "the tests' cluster")
    with work_folder(tmp_path, "columns") as work:
        walk = walk_over(stored, share_matrix(stored.adjacency, work, "adjacency"), work, runner, 2)
        assert walk is not None
        found = degrees(walk)[:]
        np.testing.assert_allclose(found, stored.adjacency.sum(axis=1), rtol=1e-5)
        walk.parts = []  # nothing more can be computed
        assert np.array_equal(degrees(walk)[np.array([3, 9])], found[[3, 9]])
        assert walk_over(community_graph(60, 4), walk_matrix(work), work, runner, 2) is None  # it is here


def test_roles_of_a_store_are_those_of_memory(tmp_path: Path) -> None:
    from distributed import get_client

    address()
    graph = community_graph(80, 4, is_weighted=True)
    stored = store_of(graph, tmp_path)
    runner = Runner(get_client(), lambda *_: None, 60.0, "the tests' cluster")
    expected, columns = NodeRoles.fit_columns(InProcess(graph))
    np.testing.assert_array_equal(NodeRoles.fit_columns(InProcess(stored))[1], np.asarray(columns))
    with work_folder(tmp_path, "roles") as work:
        walk = walk_over(stored, share_matrix(stored.adjacency, work, "adjacency"), work, runner, 3)
        assert walk is not None
        assert len(walk.parts) == 3
        roles, found = NodeRoles.fit_columns(walk)
        assert roles.mean.tobytes() == expected.mean.tobytes()
        assert roles.scale.tobytes() == expected.scale.tobytes()
        np.testing.assert_array_equal(np.asarray(found), np.asarray(columns))


@pytest.mark.parametrize("node", [0, 3, 4, 7])
def test_a_held_out_edge_is_taken_from_both_degrees_wherever_parts_begin(node: int, tmp_path: Path) -> None:
    """Rows 0 to 3 and 4 to 7: the first and the last node of each part, against degrees of the graph without the edge."""
    A = np.ones((8, 8)) - np.eye(8)
    graph = sc.Graph(sp.csr_array(A * (1 + np.add.outer(np.arange(8), np.arange(8)))), features=np.eye(8, dtype=np.float32))
    other = (node + 2) % 8
    work = WorkFolder(tmp_path)
    matrix = share_matrix(graph.adjacency, work, "adjacency")
    degrees = share(np.asarray(graph.adjacency.sum(axis=1), dtype=np.float64), work, "degrees")
    kept = graph.adjacency.toarray()
    less = np.array([node, other]), kept[[node, other], [other, node]].astype(np.float64)
    kept[[node, other], [other, node]] = 0
    parts = [FileBlock(first, first + 4, matrix, None, None) for first in (0, 4)]
    found = np.concatenate([diagonal_of(part, degrees, sc.Power(), "left", less) for part in parts])
    np.testing.assert_allclose(found, 1 / (1 + kept.sum(axis=1)), rtol=1e-6)


def walk_matrix(work: Any) -> Any:
    return share_matrix(community_graph(60, 4).adjacency, work, "other")
