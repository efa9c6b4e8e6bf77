"""Planetoid's pickles given by a user, made by the test in that format, and ones that want more than they may have."""

import os
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import sparsecut as sc
from sparsecut.io.formats.unpickling import unpickle_planetoid


@pytest.fixture
def folder(tmp_path):
    """Five nodes: three known, test nodes 4 and 3 in that order; a self-loop at 1."""
    parts = {
        "x": sp.csr_matrix(np.eye(2, 4)),
        "y": np.eye(2, dtype=np.int32),
        "allx": sp.csr_matrix(np.eye(3, 4)),
        "ally": np.array([[1, 0], [0, 1], [1, 0]], dtype=np.int32),
        "tx": sp.csr_matrix(np.array([[0, 0, 0, 5.0], [0, 0, 0, 7.0]])),
        "ty": np.array([[0, 1], [1, 0]], dtype=np.int32),
        "graph": {0: [1, 2], 1: [0, 1], 2: [0], 3: [4], 4: [3]},
    }
    for name, value in parts.items():
        (tmp_path / f"ind.toy.{name}").write_bytes(pickle.dumps(value, protocol=3))
    (tmp_path / "ind.toy.test.index").write_text("4\n3\n")
    return tmp_path


@pytest.mark.parametrize("name", ["", "ind.toy.graph", "ind.toy.allx", "ind.toy.test.index"])
def test_a_folder_or_any_of_its_files(folder, name):
    graph = sc.read_graph(folder / name)
    assert graph.adjacency.toarray().tolist() == [
        [0, 1, 1, 0, 0], [1, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 1, 0]
    ]  # fmt: skip
    assert graph.features.toarray()[:, 3].tolist() == [0, 0, 0, 7, 5]
    assert graph.labels.tolist() == [0, 1, 0, 0, 1]
    assert graph.notes == ("1 self-loops were dropped: filters count each node in its own neighbourhood once.",)


class Malice:
    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return os.mkdir, (self.path,)


def test_a_pickle_that_would_run_code_is_refused_before_it_runs(folder):
    (folder / "ind.toy.graph").write_bytes(pickle.dumps(Malice(folder / "harm"), protocol=3))
    with pytest.raises(sc.InputError, match=r"asks for posix\.mkdir, which no genuine Planetoid file does"):
        sc.read_graph(folder)
    assert not (folder / "harm").exists()


def test_a_damaged_pickle(folder):
    (folder / "ind.toy.graph").write_bytes(b"r\xff\xff\xff\x7f.")  # a memo of two billion places
    with pytest.raises(sc.InputError) as caught:
        sc.read_graph(folder)
    assert str(caught.value) == (
        f"{folder}/ind.toy.graph is damaged: it numbers a note 2147483647, beyond its own length. "
        "Remove it and fetch it again."
    )


def test_parts_that_do_not_fit_together(folder):
    (folder / "ind.toy.test.index").write_text("4\n3\n5\n")
    with pytest.raises(sc.InputError, match="do not fit together"):
        sc.read_graph(folder)
    (folder / "ind.toy.graph").write_bytes(pickle.dumps([1, 2], protocol=3))
    with pytest.raises(sc.InputError, match="it holds a list, not an array, a matrix or a dictionary"):
        sc.read_graph(folder)
    (folder / "ind.toy.tx").unlink()
    with pytest.raises(sc.InputError, match=r"ind\.toy\.tx does not exist"):
        sc.read_graph(folder)


def test_a_matrix_whose_attributes_lie(folder):
    matrix = sp.csr_matrix(np.eye(2, 4))
    matrix.indices = np.array([0, 99], dtype=np.int32)
    (folder / "ind.toy.tx").write_bytes(pickle.dumps(matrix, protocol=3))
    with pytest.raises(sc.InputError, match=r"ind\.toy\.tx is damaged: indices must be < 4"):
        sc.read_graph(folder)


def test_numpy_arrays_come_back_whole(tmp_path):
    (tmp_path / "x").write_bytes(pickle.dumps(np.arange(6.0).reshape(2, 3), protocol=3))
    assert unpickle_planetoid(tmp_path / "x").tolist() == [[0, 1, 2], [3, 4, 5]]
