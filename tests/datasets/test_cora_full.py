"""Cora Full from either of its forms, small."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from raw_files import write, write_benchmark
from sparsecut import datasets
from sparsecut.base.errors import InputError
from sparsecut.datasets.cora_full import EDGES, LABELS, WITH_FEATURES, read_cora_full


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The path 0-1-2 and the lonely node 3, without features."""
    write(tmp_path / EDGES, "0\t1\n1\t0\n1\t2\n2\t1\n")
    write(tmp_path / LABELS, "0 5\n1 5\n2 0\n3 1\n")
    return tmp_path


def test_without_features_it_is_a_graph_that_says_so(root: Path) -> None:
    graph = read_cora_full(root)
    assert graph.features is None
    assert graph.notes == (f"Cora Full has no features here: {root / WITH_FEATURES}, which holds them, is absent.",)
    np.testing.assert_array_equal(np.argwhere(np.triu(graph.adjacency.toarray())), [[0, 1], [1, 2]])
    np.testing.assert_array_equal(graph.labels, [5, 5, 0, 1])


def test_with_its_file_of_features_it_has_them(root: Path) -> None:
    adjacency = np.array([[0, 1, 0, 0], [0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]])
    write_benchmark(root / WITH_FEATURES, adjacency, np.eye(4), [5, 5, 0, 1])
    graph = read_cora_full(root)
    np.testing.assert_array_equal(graph.features.toarray(), np.eye(4))
    np.testing.assert_array_equal(np.argwhere(np.triu(graph.adjacency.toarray())), [[0, 1], [1, 2]])
    assert graph.notes == ()


def test_which_form_is_found(root: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files with features in a later root are better than files without in an earlier one."""
    dataset, home = datasets.find_dataset("cora_full"), tmp_path_factory.mktemp("home")
    monkeypatch.setenv("SPARSECUT_DATA", str(root))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    assert datasets.has_files(dataset, root)
    assert datasets.find_folder(dataset) == root
    assert not datasets.brings_features("cora_full")
    write(home / "sparsecut" / WITH_FEATURES, b"")
    assert datasets.find_folder(dataset) == home / "sparsecut"
    assert datasets.brings_features("cora_full")


def test_nothing_found_is_to_be_fetched_with_features(tmp_path: Path) -> None:
    assert datasets.brings_features("cora_full", tmp_path)
    with pytest.raises(InputError, match=f"Put {WITH_FEATURES} into"):
        datasets.load("cora_full", tmp_path, download=False)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        (LABELS, "0 5\n2 5\n1 0\n3 1\n"),
        (LABELS, "0 5\n1\n"),
        (LABELS, "0 5 1\n1 5 1\n"),
        (EDGES, "0\tx\n"),
        (EDGES, "0\t4\n4\t0\n"),
        (EDGES, "0\t-1\n"),
    ],
)
def test_damaged_files(file: str, content: str, root: Path) -> None:
    write(root / file, content)
    with pytest.raises(InputError, match=rf"{file} is damaged: "):
        read_cora_full(root)
