"""Planetoid's eight files, small and by hand: test rows are shuffled, and some test nodes have no row."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from raw_files import write, write_planetoid
from sparsecut.base.errors import InputError
from sparsecut.datasets.planetoid import planetoid_files, read_planetoid

# Six nodes: 0, 1, 2 are known; of the test nodes 3, 4, 5 the file has rows for 5 and 3, in this order, and none for 4.
KNOWN = np.array([[1, 0], [0, 1], [2, 0]], dtype=np.float32)
TEST = np.array([[5, 5], [3, 3]], dtype=np.float32)
PARTS = {
    "x": sp.csr_matrix(KNOWN[:1]),
    "y": np.array([[1, 0, 0]]),
    "allx": sp.csr_matrix(KNOWN),
    "ally": np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    "tx": sp.csr_matrix(TEST),
    "ty": np.array([[0, 0, 1], [0, 1, 0]]),
    # An edge given twice and a self-loop: 0-1, 1-2 (twice), 3-3, 3-5; 4 is alone.
    "graph": {0: [1], 1: [0, 2, 2], 2: [1, 1], 3: [3, 5], 4: [], 5: [3]},
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_planetoid(tmp_path / "Planetoid/Toy/raw", "toy", PARTS, [5, 3])
    return tmp_path


def test_rows_go_to_their_nodes_and_a_node_without_one_has_no_features_and_class_0(root: Path) -> None:
    graph = read_planetoid("toy", "Toy", root)
    expected = np.array([[1, 0], [0, 1], [2, 0], [3, 3], [0, 0], [5, 5]])
    np.testing.assert_array_equal(graph.features.toarray(), expected)
    np.testing.assert_array_equal(graph.labels, [0, 1, 2, 1, 0, 2])
    np.testing.assert_array_equal(np.argwhere(np.triu(graph.adjacency.toarray())), [[0, 1], [1, 2], [3, 5]])
    assert not graph.is_weighted
    assert graph.notes == ("1 self-loops were dropped: filters count each node in its own neighbourhood once.",)


@pytest.mark.parametrize(
    ("part", "content", "message"),
    [
        ("test.index", b"5\nx\n", r"ind\.toy\.test\.index is damaged"),
        ("test.index", b"99999999999\n3\n", "do not fit together: node 99999999999 of 6"),
        ("test.index", b"-1\n3\n", "do not fit together"),
        ("test.index", b"5\n3\n4\n", "raw is damaged"),
        ("graph", pickle.dumps({0: [10**9]}), "do not fit together"),
        ("graph", pickle.dumps({node: [7] for node in range(6)}), "raw is damaged"),
        ("graph", pickle.dumps(dict.fromkeys(range(6), "abc")), "raw is damaged"),
        ("graph", pickle.dumps(dict.fromkeys(range(6))), "raw is damaged"),
        ("ally", pickle.dumps(np.eye(7), protocol=4), "raw is damaged"),
        ("allx", pickle.dumps({}), "raw is damaged"),
        ("tx", pickle.dumps(sp.csr_matrix((2, 9)), protocol=4), "raw is damaged"),
        ("tx", b"", r"ind\.toy\.tx is damaged"),
    ],
)
def test_parts_that_are_damaged_or_of_different_graphs(part: str, content: bytes, message: str, root: Path) -> None:
    write(root / f"Planetoid/Toy/raw/ind.toy.{part}", content)
    with pytest.raises(InputError, match=message):
        read_planetoid("toy", "Toy", root)


def test_the_files_are_where_torch_geometric_has_them() -> None:
    assert planetoid_files("citeseer", "CiteSeer")[-1] == "Planetoid/CiteSeer/raw/ind.citeseer.test.index"
