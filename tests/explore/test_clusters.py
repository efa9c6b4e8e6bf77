"""The clusters of a report: the groups that are there, largest first."""

from __future__ import annotations

import numpy as np

from sparsecut.explore.clusters import find_clusters


def test_clusters_are_the_groups_largest_first() -> None:
    generator = np.random.default_rng(0)
    which = np.repeat([0, 1, 2], [20, 50, 30])
    Z = (np.eye(3)[which] * 9 + 0.1 * generator.normal(size=(100, 3))).astype(np.float32)
    found = find_clusters(Z, which, 0)
    assert np.bincount(found).tolist() == [50, 30, 20]
    assert len(set(zip(found.tolist(), which.tolist(), strict=True))) == 3
