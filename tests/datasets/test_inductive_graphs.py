"""Flickr and Reddit from small files of exactly the published formats."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from raw_files import write, write_flickr, write_npz
from sparsecut import datasets
from sparsecut.base.errors import InputError
from sparsecut.datasets import DATASETS, GraphSizes
from sparsecut.datasets.inductive_graphs import (
    FLICKR,
    REDDIT,
    read_flickr,
    read_flickr_roles,
    read_reddit,
    read_reddit_roles,
)

ADJACENCY = np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]])
FEATURES = np.arange(12).reshape(4, 3) / 7
EDGES = [[0, 1], [1, 2], [2, 3]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    classes = {"2": 1, "0": 0, "3": 2, "1": 0}
    write_flickr(tmp_path, ADJACENCY, FEATURES, classes, {"te": [1], "tr": [3, 0], "va": [2]})
    (tmp_path / "Reddit/raw").mkdir(parents=True)
    # As DGL's file: ids beside the features, and scipy's own format for the graph.
    write_npz(
        tmp_path / REDDIT[0],
        feature=FEATURES.astype(np.float32),
        label=np.array([0, 0, 1, 2]),
        node_ids=np.arange(4),
        node_types=np.array([1, 3, 2, 1]),
    )
    sp.save_npz(tmp_path / REDDIT[1], sp.coo_matrix(ADJACENCY, dtype=np.float32))
    return tmp_path


@pytest.mark.parametrize("read", [read_flickr, read_reddit])
def test_graph_features_and_classes(read: Any, root: Path) -> None:
    graph = read(root)
    np.testing.assert_array_equal(np.argwhere(np.triu(graph.adjacency.toarray())), EDGES)
    np.testing.assert_array_equal(graph.features, FEATURES.astype(np.float32))
    np.testing.assert_array_equal(graph.labels, [0, 0, 1, 2])
    assert graph.notes == ()


@pytest.mark.parametrize("read", [read_flickr_roles, read_reddit_roles])
def test_roles(read: Any, root: Path) -> None:
    train, validation, test = read(root)
    np.testing.assert_array_equal(train, [0, 3])
    np.testing.assert_array_equal(validation, [2])
    np.testing.assert_array_equal(test, [1])


@pytest.fixture(params=["flickr", "reddit"])
def small(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The dataset with the sizes of the small files, so that `load` accepts them."""
    dataset = replace(DATASETS[request.param], sizes=GraphSizes(4, 3, 3, 3), role_sizes=(2, 1, 1))
    monkeypatch.setitem(DATASETS, dataset.name, dataset)
    return dataset.name


def test_a_model_trains_on_the_training_nodes_and_meets_the_others(small: str, root: Path) -> None:
    graph, roles = datasets.load(small, root), datasets.load_roles(small, root)
    assert roles._fields == ("train", "validation", "test")
    seen = graph.subgraph(positions=roles.train)
    np.testing.assert_array_equal(seen.node_ids, [0, 3])
    np.testing.assert_array_equal(seen.labels, [0, 2])
    assert seen.n_edges == 0


@pytest.mark.parametrize("roles", [[[3, 0], [2], [2]], [[3, 0], [2], [4]], [[3, 0, 1], [2], []], [[3, 0], [2], [1, 1]]])
@pytest.mark.parametrize("small", ["flickr"], indirect=True)
def test_roles_that_overlap_or_leave_nodes_out(roles: list[list[int]], small: str, root: Path) -> None:
    write(root / FLICKR[3], json.dumps(dict(zip(("tr", "va", "te"), roles, strict=True))))
    with pytest.raises(InputError, match=r"expected roles for each of 4 nodes, \(2, 1, 1\) of them, got \("):
        datasets.load_roles(small, root)


def test_the_counts_of_the_real_graphs_are_asked_for(root: Path) -> None:
    for name in ("flickr", "reddit"):
        with pytest.raises(InputError, match=f"The files of {name} are not what they should be"):
            datasets.load(name, root)
        with pytest.raises(InputError, match=f"The files of {name} are not what they should be"):
            datasets.load_roles(name, root)


def test_a_graph_without_roles() -> None:
    with pytest.raises(InputError, match=r"The nodes of cora have no roles\. Those of flickr and reddit have\."):
        datasets.load_roles("cora")


@pytest.mark.parametrize(
    ("file", "content"),
    [
        (FLICKR[0], b"PK"),
        (FLICKR[1], b"\x93NUMPY\x01\x00"),
        (FLICKR[2], b'{"0": 1, "1": 0, "2": 0}'),
        (FLICKR[2], b'{"0": 1, "1": 0, "2": 0, "3": [0, 1]}'),
        (FLICKR[2], b'{"0": 1, "1": 0, "2": 0, "4": 1}'),
        (FLICKR[2], b'{"0": 1, "1": 0, "2": 0, "-2": 1}'),
        (FLICKR[2], b"[]"),
    ],
)
def test_damaged_files_of_flickr(file: str, content: bytes, root: Path) -> None:
    write(root / file, content)
    with pytest.raises(InputError, match=rf"{file} is damaged: "):
        read_flickr(root)


def test_features_cut_short(root: Path) -> None:
    content = (root / FLICKR[1]).read_bytes()
    write(root / FLICKR[1], content[:-8])
    with pytest.raises(InputError, match=rf"{FLICKR[1]} is damaged: "):
        read_flickr(root)


def test_files_that_python_2_wrote(root: Path) -> None:
    content = (root / FLICKR[1]).read_bytes()
    old = content.replace(b"'shape': (4, 3), }  ", b"'shape': (4L, 3L), }")
    assert old != content
    write(root / FLICKR[1], old)
    np.testing.assert_array_equal(read_flickr(root).features, FEATURES.astype(np.float32))


def test_a_feature_too_large(root: Path) -> None:
    np.save(root / FLICKR[1], FEATURES * 1e300)
    with pytest.raises(InputError, match="One feature is too large for float32"):
        read_flickr(root)


@pytest.mark.parametrize("content", [b"{}", b'{"tr": [0], "va": [1], "te": 5}', b'{"tr": ["a"], "va": [], "te": []}'])
def test_damaged_roles(content: bytes, root: Path) -> None:
    write(root / FLICKR[3], content)
    with pytest.raises(InputError, match=rf"{FLICKR[3]} is damaged: "):
        read_flickr_roles(root)


def test_a_graph_of_reddit_with_other_nodes_than_its_features(root: Path) -> None:
    sp.save_npz(root / REDDIT[1], sp.coo_matrix((10**9, 10**9)))
    with pytest.raises(InputError, match=r"it has the shape \[1000000000, 1000000000\] beside 4 rows of features"):
        read_reddit(root)
