"""The best candidates, by sorting all of them."""

from __future__ import annotations

import numpy as np

from sparsecut.links.best_candidates import first_candidates


def test_the_first_are_those_of_a_whole_sort_and_ties_go_to_the_smallest_ids():
    generator = np.random.default_rng(0)
    for _ in range(20):
        scores = generator.integers(0, 6, 30).astype(float)  # many ties
        may = generator.random(30) < 0.6
        allowed = np.flatnonzero(may)
        for ids in (generator.permutation(30), np.array([f"node {number}" for number in generator.permutation(30)])):
            expected = sorted(allowed, key=lambda place: (-scores[place], ids[place]))
            for k in (1, 5, 40):
                assert first_candidates(scores, may, k, ids).tolist() == expected[:k]
