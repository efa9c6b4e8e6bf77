"""Candidates: every one has the value it states, the best threshold is among them, and each cut is there once."""

from __future__ import annotations

import numpy as np
import pytest

from cut_graphs import barbell, grid, planted
from sparsecut.cuts.candidates import (
    SHARES,
    Candidate,
    distinct,
    from_clusters,
    from_communities,
    from_groups,
    from_rotations,
    from_vectors,
    range_of,
)
from sparsecut.cuts.objective import OBJECTIVES, CutProblem


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_values_are_those_of_the_sides(objective: str) -> None:
    problem = CutProblem.of(planted(150, 3, 8, 1, seed=0), objective)
    vectors = np.random.default_rng(0).normal(size=(problem.n_nodes, 7))
    random = np.random.default_rng(1)
    found = [
        *from_vectors(problem, vectors[:, :2], "column"),
        *from_rotations(problem, vectors[:, :3]),
        *from_communities(problem, random, (0.5, 1.0)),
        *from_clusters(problem, vectors, random),
    ]
    for candidate in found:
        assert candidate.value == pytest.approx(problem.value(candidate.side))
    assert {candidate.source.split(" ")[0] for candidate in found} >= {"column", "eigenvectors", "communities", "4", "8"}


def test_a_vector_gives_the_best_threshold_of_every_range_of_sizes() -> None:
    problem = CutProblem.of(grid(5, 8))
    x = np.random.default_rng(3).normal(size=40)
    found = list(from_vectors(problem, x[:, None], "x"))
    order = np.argsort(x)
    for candidate in found:
        number = range_of(problem, float(candidate.side.sum()))
        values = []
        for length in range(1, 40):
            side = np.zeros(40, dtype=bool)
            side[order[:length]] = True
            if range_of(problem, float(length)) == number:
                values.append(problem.value(side))
        assert candidate.value == pytest.approx(min(values))
    assert len(found) <= len(SHARES)


def test_unions_of_few_parts_are_tried() -> None:
    """Six parts in two cliques: no part alone is the cut, their union is."""
    problem = CutProblem.of(barbell(6))
    found = list(from_groups(problem, np.arange(12) // 2, "parts"))
    best = min(found, key=lambda candidate: candidate.value)
    assert best.source == "union of parts"
    assert best.value == pytest.approx(12 * 1 / (6 * 6))
    assert list(from_groups(problem, np.zeros(12, dtype=np.int64), "one part")) == []


def test_both_sides_of_a_cut_are_one() -> None:
    side = np.array([True, False, True])
    kept = distinct(
        [Candidate(side, 2.0, "a"), Candidate(~side, 2.0, "b"), Candidate(np.array([True, False, False]), 1.0, "c")]
    )
    assert [candidate.source for candidate in kept] == ["c", "a"]
