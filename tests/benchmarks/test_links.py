"""The benchmark of links: its peers by hand, and tables that say whether a target is met."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import links
from sparsecut import Graph


def test_adamic_adar_by_hand() -> None:
    A = np.zeros((5, 5))
    for i, j in [(0, 2), (1, 2), (0, 3), (1, 3), (2, 4)]:
        A[i, j] = A[j, i] = 1
    found = links.adamic_adar(Graph(A), np.array([[0, 1], [3, 4]]))
    assert found.tolist() == pytest.approx([1 / np.log(3) + 1 / np.log(2), 0])


def test_item_regression_has_no_diagonal_and_solves_its_equations() -> None:
    R = sp.csr_array((np.random.default_rng(0).random((links.N_USERS, links.N_MOVIES)) < 0.02).astype(float))
    scores = links.ease(R, 100.0)
    X = R.toarray()
    one, others = 7, np.delete(np.arange(links.N_MOVIES), 7)
    G = X.T @ X
    column = np.linalg.solve(G[np.ix_(others, others)] + 100 * np.eye(len(others)), G[others, one])
    np.testing.assert_allclose(scores[:, one], X[:, others] @ column, atol=1e-8)


def test_a_target_is_met_where_no_other_is_above() -> None:
    ours = {"roc_auc": 90.0, "average_precision": 91.0, "nodes": 10, "edges": 20}
    points = {"held_out|cora|Links": ours, "held_out|cora|cosine": {**ours, "roc_auc": 89.0}}
    points |= {"held_out|wiki|Links": ours, "held_out|wiki|Adamic–Adar": {**ours, "average_precision": 92.0}}
    points |= {"held_out|actor|cosine": ours, "direction|x|Links": {**ours, "direction": 81.0}}
    points |= {f"movies|Links(SCE(dimension=128))|{seed}": 0.46 for seed in links.SEEDS} | {
        f"new|{links.SEEDS[0]}": {"Links": 0.3}
    }
    held_out, direction, movies, new = links.tables(points)
    assert [(row[0], row[-1]) for row in held_out["rows"]] == [("cora", None), ("wiki", False)]  # others are not measured
    assert direction["rows"][0][-2:] == ["81.0", None]
    assert movies["rows"] == [["Links(SCE(dimension=128))", "0.4600", "0.0000", True]]
    assert new["rows"] == [["Links", "0.3000"]]
