"""ogbn-papers100M from small files of its format: what the store holds, where it is, and what is kept of broken work."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from raw_files import write_npz, write_ogb_split, write_papers100m
from sparsecut import Graph, datasets
from sparsecut.base.errors import InputError
from sparsecut.datasets import DATASETS, GraphSizes, papers100m
from sparsecut.evaluation import make_splits
from sparsecut.io import is_store
from sparsecut.kernels import is_mapped

NAME = "ogbn_papers100M"
GENERATOR = np.random.default_rng(0)
EDGES = GENERATOR.integers(0, 50, (300, 2))  # repeats, both directions and self-loops among them
FEATURES = GENERATOR.normal(size=(50, 6)).astype(np.float32)
LABELS = np.where(GENERATOR.random(50) < 0.6, np.nan, np.arange(50) % 4)
EXPECTED = np.zeros((50, 50))
EXPECTED[EDGES[:, 0], EDGES[:, 1]] = EXPECTED[EDGES[:, 1], EDGES[:, 0]] = 1
np.fill_diagonal(EXPECTED, 0)


@pytest.fixture(autouse=True)
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The dataset with the sizes of the small files, and a cache of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SPARSECUT_DATA", raising=False)
    labelled = np.flatnonzero(~np.isnan(LABELS))
    parts = [labelled[:5].tolist(), labelled[5:8].tolist(), labelled[8:].tolist()]
    write_ogb_split(tmp_path, NAME, "time", parts)
    sizes = GraphSizes(50, int(EXPECTED.sum()) // 2, 6, 4)
    split_sizes = ((5, 3, len(labelled) - 8),)
    monkeypatch.setitem(DATASETS, NAME, replace(DATASETS[NAME], sizes=sizes, split_sizes=split_sizes))


def check(graph: Graph) -> None:
    np.testing.assert_array_equal(graph.adjacency.toarray(), EXPECTED)
    np.testing.assert_array_equal(graph.features, FEATURES)
    np.testing.assert_array_equal(graph.labels, np.where(np.isnan(LABELS), -1, LABELS))
    np.testing.assert_array_equal(graph.node_ids, np.arange(50))


def built(root: Path) -> list[Path]:
    return sorted(root.glob(f"{NAME}/processed/*/graph"))


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("block_bytes", [papers100m.BLOCK_BYTES, 200])
def test_loads_by_name(is_packed: bool, block_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(papers100m, "BLOCK_BYTES", block_bytes)
    write_papers100m(tmp_path, EDGES, FEATURES, LABELS, is_packed=is_packed)
    stages: list[str] = []
    graph = datasets.load("ogbn-papers100M", tmp_path, progress=lambda stage, *_: stages.append(stage))
    check(graph)
    assert is_mapped(graph.features)
    assert is_mapped(graph.adjacency)
    assert list(dict.fromkeys(stages))[:2] == ["unpacking edges", "unpacking features"]
    n_loops = len(np.unique(EDGES[EDGES[:, 0] == EDGES[:, 1], 0]))
    assert graph.notes == (f"{n_loops} self-loops were dropped: filters count each node in its own neighbourhood once.",)
    (store,) = built(tmp_path)
    assert sorted(path.name for path in store.parent.iterdir()) == ["graph", "node_feat.npy"]
    assert not built(tmp_path / "home/sparsecut")


def test_the_second_time_it_is_only_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_papers100m(tmp_path, EDGES, FEATURES, LABELS)
    datasets.load(NAME, tmp_path)
    monkeypatch.setattr("sparsecut.io.build_store", lambda *_, **__: pytest.fail("it was built again"))
    check(datasets.load(NAME, tmp_path))
    write_papers100m(tmp_path, EDGES[:200], FEATURES, LABELS)  # another file of arrays is another graph
    with pytest.raises(BaseException, match="it was built again"):
        datasets.load(NAME, tmp_path)


def test_what_was_unpacked_is_not_unpacked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_papers100m(tmp_path, EDGES, FEATURES, LABELS)

    def killed(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("sparsecut.io.build_store", killed)
        with pytest.raises(KeyboardInterrupt):
            datasets.load(NAME, tmp_path)
    for name in ("_copy_pairs", "_copy_rows"):
        monkeypatch.setattr(papers100m, name, lambda *_: pytest.fail("it was unpacked again"))
    check(datasets.load(NAME, tmp_path))


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    """A file where the folder should be: permissions do not stop the user that tests may run as."""
    write_papers100m(tmp_path, EDGES, FEATURES, LABELS)
    (tmp_path / NAME / "processed").write_text("")
    check(datasets.load(NAME, tmp_path))
    (store,) = built(tmp_path / "home/sparsecut")
    assert is_store(store)
    check(datasets.load(NAME, tmp_path))


def test_features_in_half_precision_are_copied(tmp_path: Path) -> None:
    write_papers100m(tmp_path, EDGES, FEATURES.astype(np.float16), LABELS)
    graph = datasets.load(NAME, tmp_path)
    np.testing.assert_array_equal(graph.features, FEATURES.astype(np.float16).astype(np.float32))
    (store,) = built(tmp_path)
    assert sorted(path.name for path in store.parent.iterdir()) == ["graph"]


def test_the_official_split(tmp_path: Path) -> None:
    write_papers100m(tmp_path, EDGES, FEATURES, LABELS)
    (split,) = make_splits("official", LABELS, dataset="ogbn-papers100M", root=tmp_path)
    assert len(split.train) == 5
    assert not np.isnan(LABELS[np.concatenate([split.train, split.validation, split.test])]).any()


def test_unpacking_holds_a_block_and_not_the_arrays(tmp_path: Path) -> None:
    n_nodes, n_edges = 400_000, 1_500_000  # 51 MB of features, 24 MB of edges
    edges = np.random.default_rng(1).integers(0, n_nodes, (n_edges, 2))
    features = np.zeros((n_nodes, 32), dtype=np.float32)
    write_papers100m(tmp_path, edges, features, np.zeros(n_nodes))
    archive = papers100m.published_arrays(tmp_path / papers100m.DATA)
    n_bytes = edges.nbytes + features.nbytes
    del edges, features
    block = 1 << 20
    papers100m.BLOCK_BYTES, usual = block, papers100m.BLOCK_BYTES
    tracemalloc.start()
    try:
        papers100m._copy_pairs(archive, n_nodes, tmp_path / "edges.npy", lambda *_: None)
        papers100m._copy_rows(archive, n_nodes, tmp_path / "rows.npy", lambda *_: None)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        papers100m.BLOCK_BYTES = usual
    assert peak < 12 * block < n_bytes / 5
    pairs = np.load(tmp_path / "edges.npy", mmap_mode="r")
    assert (pairs.shape, pairs.dtype) == ((n_edges, 2), np.int32)
    np.testing.assert_array_equal(pairs, np.random.default_rng(1).integers(0, n_nodes, (n_edges, 2)))


def test_57_gigabytes_are_not_fetched_unasked(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        datasets.load("ogbn-papers100M", tmp_path)
    assert "are not here and are not fetched unasked: their archive has 57 GB" in str(caught.value)
    assert f"Put {NAME}/raw/data.npz, {NAME}/raw/node-label.npz into {tmp_path}" in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"edge_index": np.array([[0, 50], [1, 2]])}, "it names the nodes 0 to 50 of 50"),
        ({"edge_index": np.array([[0, -1], [1, 2]])}, "it names the nodes -1 to 2 of 50"),
        ({"edge_index": np.array([[0, 1, 2], [1, 2, 3]])}, r"should be integers of shape \(2, 2\)"),
        ({"edge_index": np.array([[0.0, 1], [1, 2]])}, r"should be integers of shape \(2, 2\), and is float64"),
        ({"edge_index": None}, "it has no array 'edge_index'"),
        ({"node_feat": FEATURES[:49]}, "a row for each of 50 nodes, and is float32 of shape"),
        ({"node_feat": np.array([print] * 50, dtype=object)}, "it holds Python objects, which are never loaded"),
        ({"num_nodes_list": np.array([25, 25])}, "its num_nodes_list should be one number above 0"),
    ],
)
def test_arrays_that_do_not_fit(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    write_papers100m(tmp_path, EDGES, FEATURES, LABELS)
    arrays: dict[str, Any] = {"edge_index": np.array([[0, 1], [1, 2]]), "node_feat": FEATURES}
    arrays |= {"num_nodes_list": np.array([50]), "num_edges_list": np.array([2])} | changes
    write_npz(tmp_path / papers100m.DATA, **{name: array for name, array in arrays.items() if array is not None})
    with pytest.raises(InputError, match=message):
        datasets.load(NAME, tmp_path)
    assert not built(tmp_path)


def test_as_many_labels_as_nodes(tmp_path: Path) -> None:
    write_papers100m(tmp_path, EDGES, FEATURES, LABELS[:49])
    with pytest.raises(InputError, match=r"node-label\.npz is damaged: it has 49 labels for 50 nodes"):
        datasets.load(NAME, tmp_path)
