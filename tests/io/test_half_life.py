"""The half-life that tells later edges best, on made graphs whose nodes change their friends at a known pace."""

from __future__ import annotations

import numpy as np
import pytest

from sparsecut.io.half_life import choose_half_life


def drifting(period: float, n_nodes: int = 120, n_edges: int = 6000, seed: int = 0) -> tuple[np.ndarray, ...]:
    """Edges within groups over 1,000 units of time; every node draws its group anew after each `period`."""
    generator = np.random.default_rng(seed)
    times = np.sort(generator.random(n_edges)) * 1000
    phases = generator.random(n_nodes) * period
    groups = generator.integers(0, 6, (n_nodes, int(1000 / period) + 3))
    sources, targets = generator.integers(0, n_nodes, n_edges), np.zeros(n_edges, dtype=int)
    for edge, (source, time) in enumerate(zip(sources, times, strict=True)):
        now = groups[np.arange(n_nodes), ((time + phases) // period).astype(int)]
        friends = np.flatnonzero(now == now[source])
        targets[edge] = generator.choice(friends)
    return sources, targets, times


@pytest.mark.parametrize(("period", "least", "most"), [(150.0, 3.0, 130.0), (1e6, 240.0, np.inf)])
def test_friends_that_change_fast_ask_for_a_short_half_life(period: float, least: float, most: float) -> None:
    half_life, (note,) = choose_half_life(*drifting(period), is_calendar=False)
    assert least < half_life <= most
    assert "by how well earlier edges predict later ones" in note


def test_too_few_edges_do_not_age() -> None:
    times = np.arange(5.0)
    half_life, (note,) = choose_half_life(np.arange(5), np.arange(5) + 1, times, is_calendar=False)
    assert half_life == np.inf
    assert "half_life=" in note
    assert choose_half_life(np.arange(5), np.arange(5) + 1, np.zeros(5), is_calendar=True)[0] == np.inf
