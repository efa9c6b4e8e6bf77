"""Several labels per node from every kind of file, by id."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp

from sparsecut import InputError
from sparsecut.evaluation.targets import read_target
from sparsecut.io.nodes.label_lists import read_label_lists

IDS = np.array([7, 3, 5])
TRUTH = np.array([[True, True], [False, False], [False, True]])


@pytest.mark.parametrize("kind", ["csv", "json", "npz", "npy"])
def test_labels_meet_their_nodes(tmp_path, kind):
    path = tmp_path / f"labels.{kind}"
    if kind == "csv":
        path.write_text("node,group\n5,y\n7,x\n7,y\n")
    elif kind == "json":
        path.write_text(json.dumps({"5": ["y"], "7": ["x", "y"]}))
    elif kind == "npz":
        np.savez(path, labels=TRUTH[[2, 0]].astype(int), ids=np.array([5, 7]))
    else:
        np.save(path, TRUTH.astype(int))
    target = read_target(read_label_lists(path, IDS), None, 3)
    np.testing.assert_array_equal(target.values, TRUTH)
    assert target.is_known.tolist() == [True, kind == "npy", True]


def test_sparse_matrices_and_wrong_files(tmp_path):
    sp.save_npz(tmp_path / "sparse.npz", sp.csr_array(TRUTH.astype(float)))
    np.testing.assert_array_equal(read_label_lists(tmp_path / "sparse.npz", IDS), TRUTH)
    np.save(tmp_path / "short.npy", TRUTH[:2])
    with pytest.raises(InputError, match=r"each of the 3 nodes. Got shape \(2, 2\)"):
        read_label_lists(tmp_path / "short.npy", IDS)
    (tmp_path / "words.json").write_text('{"5": "y"}')
    with pytest.raises(InputError, match="a list of labels for each node"):
        read_label_lists(tmp_path / "words.json", IDS)
    (tmp_path / "other.csv").write_text("node,group\n9,y\n7,x\n")
    with pytest.raises(InputError, match="9"):
        read_label_lists(tmp_path / "other.csv", IDS)


@pytest.mark.parametrize("mark", ["|", ";", "; "])
def test_labels_of_a_node_in_one_cell(tmp_path, mark):
    (tmp_path / "labels.csv").write_text(f"node,group\n5,y\n3,\n7,x{mark}y\n")
    target = read_target(read_label_lists(tmp_path / "labels.csv", IDS), None, 3)
    assert target.classes.tolist() == ["x", "y"]
    np.testing.assert_array_equal(target.values, TRUTH)
    assert target.is_known.tolist() == [True, False, True]


def test_an_empty_cell_is_no_label(tmp_path):
    (tmp_path / "labels.csv").write_text("node,group\n5,2\n3,\n7,1\n7,2\n")
    target = read_target(read_label_lists(tmp_path / "labels.csv", IDS), None, 3)
    assert target.classes.tolist() == ["1", "2"]
    np.testing.assert_array_equal(target.values, TRUTH)
