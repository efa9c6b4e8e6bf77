"""MATLAB files, written by scipy and read back."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import savemat

import sparsecut as sc

DENSE = np.array([[0, 2, 0, 0], [2, 0, 1, 0], [0, 1, 0, 3], [0, 0, 3, 0]], dtype=np.float32)


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_matlab(is_packed, is_sparse, tmp_path):
    A = sp.csc_array(DENSE.astype(np.float64)) if is_sparse else DENSE
    others = {"X1": np.eye(4), "title": "a graph", "group": np.array([[3], [1], [2], [1]]), "attrb": np.eye(4, 5)}
    savemat(tmp_path / "x.mat", {"Network": A, **others}, do_compression=is_packed)
    graph = sc.read_graph(tmp_path / "x.mat")
    assert (graph.adjacency.toarray() == DENSE).all()
    assert (graph.features == np.eye(4, 5)).all()
    assert graph.labels.tolist() == [3, 1, 2, 1]
    assert graph.notes == (f"MATLAB: {tmp_path}/x.mat, adjacency in 'Network', features in 'attrb', labels in 'group'.",)
    assert (sc.read_graph(tmp_path / "x.mat", adjacency="X1").adjacency.nnz) == 0


def test_matlab_struct_of_the_suite_sparse_collection(tmp_path):
    savemat(tmp_path / "x.mat", {"Problem": {"title": "x", "A": sp.csc_array(DENSE.astype(np.float64)), "id": 3}})
    assert (sc.read_graph(tmp_path / "x.mat").adjacency.toarray() == DENSE).all()
