"""Ids of every kind that is hashed."""

from __future__ import annotations

import numpy as np

KINDS = ("positions", "gaps", "negative", "words", "unicode")


def ids_of(kind: str, n_nodes: int) -> np.ndarray:
    generator = np.random.default_rng(5)
    if kind == "positions":
        return np.arange(n_nodes)
    if kind == "gaps":
        return np.sort(generator.choice(10**12, n_nodes, replace=False))
    if kind == "negative":
        return np.arange(n_nodes) * 7 - 50
    if kind == "words":
        return np.array([f"node {number}" * (1 + number % 3) for number in range(n_nodes)])
    return np.array([f"ä{number}ß漢" for number in range(n_nodes)])
