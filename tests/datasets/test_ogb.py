"""OGB's text layout, from small files of exactly that format."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparsecut as sc
from raw_files import write, write_lines, write_ogb, write_ogb_split
from sparsecut import datasets
from sparsecut.base.errors import InputError
from sparsecut.datasets import DATASETS, GraphSizes
from sparsecut.datasets.ogb import read_numbers, read_ogb, read_ogb_splits
from sparsecut.evaluation import make_splits

EDGES = [[0, 1], [1, 0], [2, 1], [3, 2], [3, 3], [4, 3]]  # directed: one in both directions, a self-loop
FEATURES = np.arange(15).reshape(5, 3) / 4 - 1
LABELS = [0, 1, 2, 0, 1]
PARTS = [[4, 0], [1], [3, 2]]
GRAPHS = {"ogbn_arxiv": "time", "ogbn_products": "sales_ranking"}


@pytest.fixture(params=GRAPHS)
def name(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A dataset with small files in its place, and their sizes, so that `load` accepts them."""
    write_ogb(tmp_path, request.param, EDGES, FEATURES, LABELS)
    write_ogb_split(tmp_path, request.param, GRAPHS[request.param], PARTS)
    small = replace(DATASETS[request.param], sizes=GraphSizes(5, 4, 3, 3), split_sizes=((2, 1, 2),))
    monkeypatch.setitem(DATASETS, request.param, small)
    return str(request.param)


@pytest.mark.filterwarnings("error")
def test_loads_by_name_undirected(name: str, tmp_path: Path) -> None:
    graph = datasets.load(name.replace("_", "-"), tmp_path, download=False)
    np.testing.assert_array_equal(np.argwhere(np.triu(graph.adjacency.toarray())), [[0, 1], [1, 2], [2, 3], [3, 4]])
    np.testing.assert_array_equal(graph.features, FEATURES.astype(np.float32))
    np.testing.assert_array_equal(graph.labels, LABELS)
    assert not graph.is_directed
    assert not graph.is_weighted
    assert graph.notes == ("1 self-loops were dropped: filters count each node in its own neighbourhood once.",)
    assert graph.adjacency.dtype == np.float32
    again = sc.Graph(graph.adjacency)  # which checks that it is canonical
    assert (again.adjacency != graph.adjacency).nnz == 0
    assert again.notes == ()


def test_the_official_split(name: str, tmp_path: Path) -> None:
    (split,) = make_splits("official", LABELS, dataset=name.replace("_", "-"), root=tmp_path)
    assert [part.tolist() for part in (split.train, split.validation, split.test)] == [[0, 4], [1], [2, 3]]


def test_the_sizes_of_the_real_graphs_are_asked_for(tmp_path: Path) -> None:
    write_ogb(tmp_path, "ogbn_arxiv", EDGES, FEATURES, LABELS)
    write_ogb_split(tmp_path, "ogbn_arxiv", "time", PARTS)
    with pytest.raises(InputError, match="The files of ogbn_arxiv are not what they should be"):
        datasets.load("ogbn-arxiv", tmp_path)
    with pytest.raises(InputError, match="The files of ogbn_arxiv are not what they should be: expected splits"):
        datasets.load_splits("ogbn-arxiv", tmp_path)


def test_nodes_without_a_label(tmp_path: Path) -> None:
    write_ogb(tmp_path, "x", EDGES, FEATURES, [0, np.nan, 2, np.nan, 1])
    graph = read_ogb("x", tmp_path)
    assert graph.labels is not None
    assert graph.labels.tolist() == [0, -1, 2, -1, 1]
    assert graph.labels.dtype == np.int64


def test_a_table_in_many_blocks_is_the_same(tmp_path: Path) -> None:
    numbers = np.random.default_rng(0).integers(0, 1000, (5000, 3))
    path = write_lines(tmp_path / "x.csv.gz", numbers)
    np.testing.assert_array_equal(read_numbers(path, np.int64, block_bytes=1000), numbers)
    np.testing.assert_array_equal(read_numbers(path, np.int64, 5000, block_bytes=1000), numbers)
    np.testing.assert_array_equal(read_numbers(path, np.float32, 5000, block_bytes=1000), numbers.astype(np.float32))


@pytest.mark.parametrize(
    ("table", "rows", "message"),
    [
        ("edge", [[0, 1]], r"it has 1 lines, and should have 6"),
        ("edge", [*EDGES, [0, 2]], r"it has more than the 6 lines it should have"),
        ("edge", [[0, 5], *EDGES[1:]], r"it names the nodes 0 to 5 of 5"),
        ("edge", [[-1, 2], *EDGES[1:]], r"it names the nodes -1 to 4 of 5"),
        ("edge", [[0, 1, 2]] * 6, r"it should have two columns, and has 3"),
        ("edge", [[0, np.nan], *EDGES[1:]], r"it has an empty cell"),
        ("node-feat", FEATURES[:4], r"it has 4 lines, and should have 5"),
        ("node-label", [[0, 1]] * 5, r"it should hold one label per node, and has the shape \(5, 2\)"),
        ("node-label", [0.5, 1, 2, 0, 1], r"its labels should be whole numbers from 0 on"),
        ("node-label", [-3, 1, 2, 0, 1], r"its labels should be whole numbers from 0 on"),
        ("num-node-list", [2, 3], r"it should hold one number above 0, and holds \[2, 3\]"),
        ("num-node-list", [0], r"it should hold one number above 0"),
    ],
)
def test_tables_that_do_not_fit(table: str, rows: Any, message: str, tmp_path: Path) -> None:
    write_ogb(tmp_path, "x", EDGES, FEATURES, LABELS)
    write_lines(tmp_path / f"x/raw/{table}.csv.gz", rows)
    with pytest.raises(InputError, match=rf"{table}\.csv\.gz is damaged: {message}"):
        read_ogb("x", tmp_path)


@pytest.mark.parametrize("content", [b"", b"no gzip", b"\x1f\x8b\x08\x00"])
@pytest.mark.parametrize("table", ["edge", "node-feat", "num-node-list"])
def test_files_that_are_no_tables(table: str, content: bytes, tmp_path: Path) -> None:
    write_ogb(tmp_path, "x", EDGES, FEATURES, LABELS)
    write(tmp_path / f"x/raw/{table}.csv.gz", content)
    with pytest.raises(InputError, match=rf"{table}\.csv\.gz is damaged: "):
        read_ogb("x", tmp_path)


def test_a_file_cut_short(tmp_path: Path) -> None:
    write_ogb(tmp_path, "x", EDGES, FEATURES, LABELS)
    path = tmp_path / "x/raw/node-feat.csv.gz"
    write(path, path.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"node-feat\.csv\.gz is damaged: "):
        read_ogb("x", tmp_path)


def test_a_split_with_words(tmp_path: Path) -> None:
    write_ogb_split(tmp_path, "x", "time", PARTS)
    write_lines(tmp_path / "x/split/time/valid.csv.gz", [[1, 2]])
    with pytest.raises(InputError, match=r"valid\.csv\.gz is damaged: it should name a node per line, and has 2 columns"):
        read_ogb_splits("x", "time", tmp_path)
