"""The built-in graph is the same on every machine: whole numbers, and a rule for ties."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits

from sparsecut.graph import Graph


def nearest_of(node: int, images: list[list[int]]) -> list[int]:
    """The ten nearest of a node in Python's own integers, the first of equally near ones."""
    ranked = sorted(
        (sum((a - b) ** 2 for a, b in zip(images[node], image, strict=True)), other)
        for other, image in enumerate(images)
        if other != node
    )
    return [other for _, other in ranked[:10]]


def test_neighbours_are_the_nearest_in_exact_arithmetic(digits: Graph) -> None:
    images = load_digits().data.astype(int).tolist()
    chosen = np.random.default_rng(0).permutation(1797)[:40]
    for node in chosen.tolist():
        neighbours = set(digits.adjacency[[node]].indices.tolist())
        own = nearest_of(node, images)
        assert set(own) <= neighbours
        assert all(node in nearest_of(other, images) for other in neighbours - set(own))


def test_distances_do_tie_at_the_tenth_place() -> None:
    """Without a rule for ties the graph would depend on rounding: some tenth and eleventh neighbours are equally near."""
    images = load_digits().data
    distances = np.sort(((images[:300, None] - images) ** 2).sum(axis=2), axis=1)
    assert (distances[:, 10] == distances[:, 11]).any()
