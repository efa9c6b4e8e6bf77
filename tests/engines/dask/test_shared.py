"""Arrays in files: the rows that are asked for, in memory of their own, wherever the array lay."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from sparsecut.engines.dask.shared import positions_of_entries, share, share_matrix
from sparsecut.io.stores.workfolder import WorkFolder

NODES = [slice(2, 5), slice(3, 3), np.array([0, 4, 5]), None]


@pytest.mark.parametrize("nodes", NODES, ids=str)
@pytest.mark.parametrize(
    "array", [np.arange(21.0).reshape(7, 3), np.array(["a", "bcd", "", "e", "f", "g", "ä"])], ids=["f", "U"]
)
def test_rows_are_those_of_the_array(array: np.ndarray, nodes: object, tmp_path: Path) -> None:
    expected = array if nodes is None else array[nodes]
    np.testing.assert_array_equal(share(array, WorkFolder(tmp_path), "x").read(nodes), expected)


def test_an_array_in_a_memory_map_is_not_copied(tmp_path: Path) -> None:
    np.save(tmp_path / "big.npy", np.arange(40).reshape(10, 4))
    (tmp_path / "work").mkdir()
    part = np.load(tmp_path / "big.npy", mmap_mode="r")[3:8]
    shared = share(part, WorkFolder(tmp_path / "work"), "x")
    assert shared.path == str(tmp_path / "big.npy")
    np.testing.assert_array_equal(shared.read(slice(1, 3)), part[1:3])
    assert list((tmp_path / "work").iterdir()) == []
    strided = share(np.load(tmp_path / "big.npy", mmap_mode="r")[:, 1], WorkFolder(tmp_path / "work"), "y")
    np.testing.assert_array_equal(strided.read(), np.arange(40).reshape(10, 4)[:, 1])


@pytest.mark.parametrize("nodes", NODES[:3], ids=str)
def test_rows_of_a_sparse_matrix(nodes: object, tmp_path: Path) -> None:
    A = sp.random_array((7, 9), density=0.4, random_state=0, format="csr", dtype=np.float32)
    np.testing.assert_array_equal(share_matrix(A, WorkFolder(tmp_path), "A").read(nodes).toarray(), A.toarray()[nodes])


def test_positions_of_entries_by_hand() -> None:
    assert positions_of_entries(np.array([3, 9, 20]), np.array([5, 9, 23])).tolist() == [3, 4, 20, 21, 22]
    assert positions_of_entries(np.array([], dtype=np.int64), np.array([], dtype=np.int64)).tolist() == []
