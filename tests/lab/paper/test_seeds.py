"""Runs of several seeds: means and both spreads by hand, and which runs count."""

from __future__ import annotations

import numpy as np
import pytest

from sparsecut.lab.paper.seeds import Summary, summarise


def cell(seed: int, accuracies: list[float], probe: str = "paper") -> dict[str, object]:
    return {"seed": seed, "scores": {probe: {"accuracies": accuracies}}}


def test_spreads_by_hand() -> None:
    """Seed 0 has 70 and 74: variance 4; seed 1 has 71 and 81: variance 25. Their means are 72 and 76."""
    found = summarise([cell(0, [70.0, 74.0]), cell(1, [71.0, 81.0])], "paper")
    assert found is not None
    assert found.mean == 74.0
    assert found.split_std == pytest.approx(np.sqrt(14.5))
    assert found.seed_std == 2.0
    assert str(found) == "74.0 ± 3.8 ± 2.0"
    assert found.counts() == "2 splits, 2 seeds"
    np.testing.assert_array_equal(found.by_split.accuracies, [70.5, 77.5])
    assert found.by_split.probe == "paper"


def test_the_variance_of_all_runs_is_that_over_splits_and_that_over_seeds() -> None:
    accuracies = np.random.default_rng(0).normal(75, 3, (5, 40))
    found = Summary(accuracies, "tuned")
    assert found.seed_std is not None
    assert found.split_std**2 + found.seed_std**2 == pytest.approx(accuracies.var())


def test_one_seed_has_no_spread_over_seeds() -> None:
    found = summarise([cell(0, [70.0, 74.0])], "paper")
    assert found is not None
    assert found.seed_std is None
    assert str(found) == "72.0 ± 2.0"
    assert found.counts() == "2 splits, 1 seed"
    assert summarise([cell(0, [70.0])], "paper").counts() == "1 split, 1 seed"


def test_a_run_over_fewer_splits_or_by_another_probe_does_not_count() -> None:
    found = summarise([cell(0, [70.0, 74.0]), cell(1, [99.0]), cell(2, [1.0, 2.0, 3.0], "tuned")], "paper")
    assert found is not None
    assert found.accuracies.tolist() == [[70.0, 74.0]]
    assert summarise([cell(0, [70.0])], "tuned") is None
    assert summarise([], "paper") is None
