"""Clusters of rows that are far apart, and of rows that are all equal."""

from __future__ import annotations

import numpy as np

from sparsecut.cuts.kmeans import kmeans


def test_kmeans_separates_what_is_apart() -> None:
    random = np.random.default_rng(0)
    rows = np.concatenate([random.normal(size=(50, 2)), random.normal(size=(50, 2)) + 20])
    groups = kmeans(rows, 2, random)
    assert len(set(groups[:50])) == len(set(groups[50:])) == 1
    assert groups[0] != groups[50]
    assert kmeans(np.zeros((5, 2)), 3, random).tolist() == [0] * 5
