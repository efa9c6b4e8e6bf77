"""The heterophilous graphs: small files by hand, and what is known of the real ones."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import savemat

from conftest import load_or_skip
from raw_files import write, write_npz
from sparsecut import datasets
from sparsecut.base.errors import InputError
from sparsecut.datasets import DATASETS, Dataset, GraphSizes, RawFile
from sparsecut.datasets.heterophilous import WIKI, read_heterophilous, read_mask_splits, read_wiki

FEATURES = np.eye(4, 12, dtype=np.float32)
ARRAYS = {
    "node_features": FEATURES,
    "node_labels": np.array([0, 1, 1, 0]),
    "edges": np.array([[0, 1], [3, 1], [1, 3], [2, 2]]),  # one in both directions, and a self-loop
    "train_masks": np.array([[1, 1, 0, 0], [0, 0, 1, 1]], dtype=bool),
    "val_masks": np.array([[0, 0, 1, 0], [1, 0, 0, 0]], dtype=bool),
    "test_masks": np.array([[0, 0, 0, 1], [0, 1, 0, 0]], dtype=bool),
}


def written(folder: Path, **changes: Any) -> Path:
    write_npz(folder / "x.npz", **{name: array for name, array in (ARRAYS | changes).items() if array is not None})
    return folder


def test_a_graph_of_pairs(tmp_path: Path) -> None:
    graph = read_heterophilous("x.npz", written(tmp_path))
    np.testing.assert_array_equal(np.argwhere(np.triu(graph.adjacency.toarray())), [[0, 1], [1, 3]])
    assert not graph.is_weighted
    assert sp.issparse(graph.features)
    np.testing.assert_array_equal(graph.features.toarray(), FEATURES)
    np.testing.assert_array_equal(graph.labels, [0, 1, 1, 0])


def test_features_that_are_mostly_not_zero_stay_dense(tmp_path: Path) -> None:
    rows = np.arange(8, dtype=np.float32).reshape(4, 2)
    graph = read_heterophilous("x.npz", written(tmp_path, node_features=rows))
    assert isinstance(graph.features, np.ndarray)
    np.testing.assert_array_equal(graph.features, rows)


def test_masks_are_splits(tmp_path: Path) -> None:
    first, second = read_mask_splits("x.npz", written(tmp_path))
    assert [part.tolist() for part in first] == [[0, 1], [2], [3]]
    assert [part.tolist() for part in second] == [[2, 3], [0], [1]]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"edges": np.array([[0, 4]])}, "it names the nodes 0 to 4 of 4"),
        ({"edges": np.array([[-1, 2]])}, "it names the nodes -1 to 2 of 4"),
        ({"edges": np.array([0, 1])}, "its edges should be pairs of nodes"),
        ({"edges": np.array([[0.0, 1.0]])}, "its edges should be pairs of nodes, and are float64"),
        ({"edges": None}, "it has no array 'edges'"),
        ({"node_labels": np.array([0, 1])}, "labels must be one value for each of the 4 nodes"),
        ({"node_labels": np.array([print] * 4, dtype=object)}, "it holds Python objects, which are never loaded"),
    ],
)
def test_damaged_graphs(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read_heterophilous("x.npz", written(tmp_path, **changes))


@pytest.mark.parametrize(
    "changes", [{"val_masks": np.zeros((2, 3), dtype=bool)}, {"val_masks": np.zeros((2, 4))}, {"test_masks": None}]
)
def test_damaged_masks(changes: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"x\.npz is damaged: (its masks should say|it has no array 'test_masks')"):
        read_mask_splits("x.npz", written(tmp_path, **changes))


def named(sizes: tuple[tuple[int, int, int], ...]) -> Dataset:
    return Dataset(
        name="toy",
        about="",
        sizes=GraphSizes(4, 2, 12, 2),
        origin="",
        citation="",
        raw=(RawFile("x.npz"),),
        read=partial(read_heterophilous, "x.npz"),
        read_splits=partial(read_mask_splits, "x.npz"),
        split_sizes=sizes,
    )


def test_splits_are_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(DATASETS, "toy", named(((2, 1, 1), (2, 1, 1))))
    written(tmp_path)
    assert datasets.load_splits("toy", tmp_path)[1].train.tolist() == [2, 3]
    overlapping = np.array([[0, 0, 1, 0], [0, 1, 0, 0]], dtype=bool)
    written(tmp_path, test_masks=overlapping)
    with pytest.raises(InputError, match="a split should name nodes from 0 to 3, each once"):
        datasets.load_splits("toy", tmp_path)
    monkeypatch.setitem(DATASETS, "toy", named(((2, 1, 1),)))
    with pytest.raises(InputError, match=r"expected splits of \(\(2, 1, 1\),\) nodes, got \(\(2, 1, 1\), \(2, 1, 1\)\)"):
        datasets.load_splits("toy", tmp_path)


def test_a_graph_without_splits() -> None:
    with pytest.raises(
        InputError, match=r"The publishers of dblp made no splits\. Those of .*actor, .*tolokers, .*ogbn_arxiv"
    ):
        datasets.load_splits("dblp")


W = np.array([[4.0, 2, 0], [1, 0, 0], [0, 0, 0]])


def test_wiki(tmp_path: Path) -> None:
    """Links in either direction join pages; how many does not count, nor those of a page to itself."""
    path = tmp_path / WIKI
    path.parent.mkdir()
    savemat(path, {"W": sp.csc_array(W), "fea": sp.csc_array(np.eye(3)), "gnd": np.array([[1.0], [2.0], [1.0]])})
    graph = read_wiki(tmp_path)
    np.testing.assert_array_equal(graph.adjacency.toarray(), [[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    np.testing.assert_array_equal(graph.features.toarray(), np.eye(3))
    assert graph.labels.tolist() == [0, 1, 0]
    savemat(path, {"W": W, "gnd": np.ones((3, 1))})
    with pytest.raises(InputError, match=r"wiki\.mat is damaged: it has no matrix 'fea', only 'W', 'gnd'"):
        read_wiki(tmp_path)
    write(path, path.read_bytes()[:200])
    with pytest.raises(InputError, match=r"wiki\.mat"):
        read_wiki(tmp_path)


@pytest.mark.parametrize("name", ["actor", "chameleon_filtered", "cornell", "tolokers"])
def test_the_real_splits_cover_every_node(name: str) -> None:
    graph = load_or_skip(name)
    splits = datasets.load_splits(name)
    assert len(splits) == 10
    for split in splits:
        np.testing.assert_array_equal(np.sort(np.concatenate(split)), np.arange(graph.n_nodes))
        assert len(np.unique(graph.labels[split.train])) == DATASETS[name].n_classes


def test_neighbours_differ_in_class() -> None:
    """The share of edges within a class, which Platonov et al. print for the filtered graphs: 0.24 and 0.59."""
    for name, share in (("chameleon_filtered", 0.24), ("tolokers", 0.59)):
        graph = load_or_skip(name)
        links = graph.adjacency.tocoo()
        assert np.mean(graph.labels[links.row] == graph.labels[links.col]) == pytest.approx(share, abs=0.005)
