"""Made edges with times, and their weights by the formula, for tests of ageing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

DAY = 86400.0


def timed_edges(n_nodes: int = 60, n_edges: int = 400, n_days: float = 100.0, seed: int = 0) -> dict[str, Any]:
    """A table of edges between two groups of nodes, with repeats, in the order of their times, in days."""
    generator = np.random.default_rng(seed)
    source = generator.integers(0, n_nodes, n_edges)
    step = generator.integers(1, n_nodes // 2, n_edges) * 2 - (generator.random(n_edges) < 0.1)
    return {
        "source": source,
        "target": (source + step) % n_nodes,
        "at": np.sort(generator.random(n_edges)) * n_days,
    }


def dense_ages(edges: dict[str, Any], n_nodes: int, half_life: float, now: float, sides: str = "both") -> NDArray[Any]:
    """The adjacency by the formula, an edge at a time."""
    A = np.zeros((n_nodes, n_nodes))
    for source, target, at in zip(edges["source"], edges["target"], edges["at"], strict=True):
        weight = 2 ** (-(now - at) / half_life)
        if source != target:
            A[source, target] += weight
            if sides == "both":
                A[target, source] += weight
    return A


def part_of(edges: dict[str, Any], rows: slice) -> dict[str, Any]:
    return {name: values[rows] for name, values in edges.items()}
