"""Sparse matrices in .npz files, scipy's and the gnn-benchmark's."""

import numpy as np
import pytest
import scipy.sparse as sp

import sparsecut as sc

DENSE = np.array([[0, 2, 0, 0], [2, 0, 1, 0], [0, 1, 0, 3], [0, 0, 3, 0]], dtype=np.float32)


@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
def test_scipy_npz(layout, tmp_path):
    sp.save_npz(tmp_path / "x.npz", sp.csr_array(DENSE).asformat(layout))
    assert (sc.read_graph(tmp_path / "x.npz").adjacency.toarray() == DENSE).all()


def test_gnn_benchmark_npz_without_touching_its_python_objects(tmp_path):
    A, X = sp.csr_matrix(DENSE), sp.csr_matrix(np.eye(4, 6))
    parts = {f"adj_{name}": getattr(A, name) for name in ("data", "indices", "indptr", "shape")}
    parts |= {f"attr_{name}": getattr(X, name) for name in ("data", "indices", "indptr", "shape")}
    np.savez(tmp_path / "x.npz", **parts, labels=np.arange(4), node_names=np.array(["a", None, 1, 2], dtype=object))
    graph = sc.read_graph(tmp_path / "x.npz")
    assert (graph.adjacency.toarray() == DENSE).all()
    assert (graph.features.toarray() == X.toarray()).all()
    assert graph.labels.tolist() == [0, 1, 2, 3]
