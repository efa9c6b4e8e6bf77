"""What is behind the targets that are missed: scores of two classes against a hand count, sentences against their points."""

from __future__ import annotations

import numpy as np
import pytest

import beyond
import misses
from sparsecut.evaluation import role_split


def test_accuracy_recall_and_auc_of_two_classes_against_a_hand_count() -> None:
    # One column; the probe's boundary is at 0. Of four test nodes of "a" three are left of it, of the one "b" all are right.
    Z = np.array([[-1.0], [1.0], [-3.0], [-2.0], [-1.0], [2.0], [1.0]])
    labels = np.array(["a", "b", "a", "a", "a", "a", "b"])
    split = role_split(train=[0, 1], validation=None, test=[2, 3, 4, 5, 6], n_nodes=7)
    found = misses.read_two_classes(Z, labels, [split, split])
    assert found["accuracy"] == pytest.approx(100 * 4 / 5)
    assert found["recall"] == pytest.approx(100 * (3 / 4 + 1) / 2)
    assert found["auc"] == pytest.approx(100 * 3 / 4)  # of four pairs (a, b) three are in order


def test_recall_and_auc_do_not_gain_by_giving_every_node_to_the_larger_class() -> None:
    labels = np.array(["a", "b", *("a" for _ in range(8)), "b", "b"])
    Z = np.where(np.arange(12) == 1, 1.0, -1.0)[:, None]  # test nodes are all on the side of "a"
    split = role_split(train=[0, 1], validation=None, test=np.arange(2, 12), n_nodes=12)
    assert misses.read_two_classes(Z, labels, [split]) == {"accuracy": 80.0, "recall": 50.0, "auc": 50.0}


def test_every_graph_and_seed_has_a_point() -> None:
    points = misses.plan()
    assert {f"matrix, {name}" for name in beyond.COLUMNS} <= set(points)
    assert sum(key.startswith("tolokers, DGI") for key in points) == misses.N_DGI


def test_the_sentences_are_counted_from_the_points() -> None:
    points = {
        "1 nodes of x": {"tf-idf": 50.0, "l2": 49.0},
        "2 nodes of x": {"tf-idf": 50.0, "l2": 52.0},
        "matrix, x": {"channels": {"smoothed": 1.0}, "mean": [50.0, 60.0], "symmetric": [51.0, 63.0]},
        "matrix, y": {"channels": {"own": 1.0}},
        "matrix, z": {"channels": {"smoothed": 1.0}, "mean": [50.0, 60.0], "symmetric": [45.0, 60.0]},
        "tolokers, default": {"accuracy": 61.0, "recall": 64.0, "auc": 69.0},
        "tolokers, DGI, seed 0": {"accuracy": 66.0, "recall": 62.0, "auc": 68.0},
        "tolokers, DGI, seed 1": {"accuracy": 64.0, "recall": 63.0, "auc": 70.0},
    }
    of_tolokers, of_matrices, of_samples = misses.notes_of(points)
    assert "(seeds: 2): accuracy 61.0 to 65.0" in of_tolokers
    assert "AUC 69.0 to 69.0" in of_tolokers
    assert "better on 1 of 2 graphs, by 2.0 points at most, and worse by up to 2.5: -0.2 on average" in of_matrices
    assert "1 of 2 samples score more, +0.5 points" in of_samples
    assert [len(table["rows"]) for table in misses.tables_of(points)] == [3, 2, 2]
