"""The warnings of a report: one per defect, and none for a sound embedding."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

import sparsecut as sc
from sparsecut.evaluation.health import measure_health
from sparsecut.explore.cautions import cautions


def warned(Z: Any, graph: sc.Graph | None = None) -> str:
    Z = np.asarray(Z, dtype=np.float32)
    return " ".join(cautions(Z, measure_health(Z, graph), np.array([f"n{i}" for i in range(len(Z))]), graph))


def test_warnings_name_what_is_wrong_and_are_silent_otherwise() -> None:
    generator = np.random.default_rng(0)
    good = generator.normal(size=(60, 4))
    ring = sp.csr_array((np.ones(60), (np.arange(60), (np.arange(60) + 1) % 60)), shape=(60, 60))
    whole = sc.Graph(ring + ring.T)
    assert warned(good, whole) == ""
    assert "Collapsed to a line" in warned(np.outer(generator.normal(size=60), [1, 2, 3]))
    assert "1 of 5 dimensions are the same for every node" in warned(np.column_stack([good, np.full(60, 3.0)]))
    assert "1 node has a vector of zeros, which has no nearest neighbours by cosine: 'n7'" in warned(
        np.where(np.arange(60)[:, None] == 7, 0, good)
    )
    assert "3 nodes (5%) have the same vector as another node" in warned(
        np.where(np.isin(np.arange(60), [4, 8, 9])[:, None], 1.5, good)
    )
    assert "more than 10 times as long as the median: 'n5'" in warned(np.where(np.arange(60)[:, None] == 5, 500, good))
    cut = (ring + ring.T).toarray()
    cut[3] = cut[:, 3] = 0
    cut[29, 30] = cut[30, 29] = 0
    text = warned(good, sc.Graph(sp.csr_array(cut)))
    assert "1 node of the graph has no edge" in text
    assert "n3" in text
    assert "2 components with edges" in text
