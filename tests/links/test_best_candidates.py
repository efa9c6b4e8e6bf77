"""The best candidates, by sorting all of them."""

from __future__ import annotations

import numpy as np

from sparsecut.links.best_candidates import first_candidates


def test_the_first_are_those_of_a_whole_sort_and_ties_go_to_the_first_rows():
    generator = np.random.default_rng(0)
    for _ in range(20):
        scores = generator.integers(0, 6, 30).astype(float)  # many ties
        may = generator.random(30) < 0.6
        allowed = np.flatnonzero(may)
        expected = allowed[np.argsort(-scores[allowed], kind="stable")]
        for k in (1, 5, 40):
            assert first_candidates(scores, may, k).tolist() == expected[:k].tolist()
