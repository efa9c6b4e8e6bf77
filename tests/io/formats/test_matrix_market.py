"""Matrix Market files, written by scipy and read back."""

import gzip

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.io import mmwrite

import sparsecut as sc

DENSE = np.array([[0, 2, 0, 0], [2, 0, 1, 0], [0, 1, 0, 3], [0, 0, 3, 0]], dtype=np.float32)


@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
@pytest.mark.parametrize("field", ["real", "integer", "pattern"])
@pytest.mark.parametrize("is_packed", [False, True])
def test_matrix_market(symmetry, field, is_packed, tmp_path):
    matrix = sp.coo_array(DENSE.astype(np.int64) if field == "integer" else DENSE)
    mmwrite(tmp_path / "x.mtx", matrix, comment="made by a test", symmetry=symmetry, field=field)
    path = tmp_path / "x.mtx"
    if is_packed:
        path = tmp_path / "x.mtx.gz"
        path.write_bytes(gzip.compress((tmp_path / "x.mtx").read_bytes()))
    graph = sc.read_graph(path)
    assert (graph.adjacency.toarray() == (DENSE > 0 if field == "pattern" else DENSE)).all()


@pytest.mark.parametrize("symmetry", ["general", "symmetric"])
def test_matrix_market_whole_matrix(symmetry, tmp_path):
    mmwrite(tmp_path / "x.mtx", DENSE, symmetry=symmetry)
    assert (sc.read_graph(tmp_path / "x.mtx").adjacency.toarray() == DENSE).all()
