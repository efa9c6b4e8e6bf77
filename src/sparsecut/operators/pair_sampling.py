"""Pairs of nodes drawn at random: a few for every node, or each of all pairs with the same probability."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray


def sample_pairs(
    n_nodes: int, n_negatives: int, generator: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """`n_negatives` uniform partners for every node."""
    source = np.repeat(np.arange(n_nodes), n_negatives)
    target = generator.integers(0, n_nodes, size=len(source))
    return np.column_stack([source, target]), np.ones(len(source), dtype=np.float32)


def sparsifier_probability(n_nodes: int) -> float:
    """The p at which n·ln n of the n(n−1)/2 pairs are kept in expectation."""
    return min(1.0, 2 * math.log(n_nodes) / (n_nodes - 1)) if n_nodes > 1 else 1.0


def sparsify_complete(
    n_nodes: int, probability: float, generator: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Each pair of nodes independently with a probability, in time proportional to the pairs kept.

    Number the n(n−1)/2 pairs. The gap from one kept pair to the next is geometric, so the kept ones are found by summing
    gaps, and the others are never visited.
    """
    n_pairs = n_nodes * (n_nodes - 1) // 2
    kept: list[NDArray[np.int64]] = []
    position = -1
    while position < n_pairs - 1:
        expected = (n_pairs - position) * probability
        gaps = generator.geometric(probability, size=int(expected + 4 * math.sqrt(expected)) + 16)
        # A gap past the end means "no more"; capping it keeps the sum inside 64 bits.
        numbers = position + np.cumsum(np.minimum(gaps, n_pairs + 1), dtype=np.int64)
        kept.append(numbers[numbers < n_pairs])
        position = int(numbers[-1])
    numbers = np.concatenate(kept) if kept else np.empty(0, dtype=np.int64)
    pairs = pair_of_number(numbers, n_nodes)
    return pairs, np.full(len(pairs), 1 / probability, dtype=np.float32)


def pair_of_number(numbers: NDArray[np.int64], n_nodes: int) -> NDArray[np.int64]:
    """The pair i < j behind each number, counting (0,1), (0,2), …, (0,n−1), (1,2), …"""

    def first_number(i: NDArray[np.int64]) -> NDArray[np.int64]:
        # i(2n − i − 1)/2, the even factor halved first: the product itself would overflow past 2³¹ nodes.
        other = 2 * n_nodes - i - 1
        return np.where(i % 2 == 0, (i // 2) * other, i * (other // 2))

    b = 2.0 * n_nodes - 1
    i = np.floor((b - np.sqrt(np.maximum(b * b - 8.0 * numbers, 0))) / 2).astype(np.int64)
    i = np.clip(i, 0, max(n_nodes - 2, 0))
    # The square root is inexact for large n; the right row is next to it.
    while (low := numbers < first_number(i)).any():
        i -= low
    while (high := numbers >= first_number(i + 1)).any():
        i += high
    return np.column_stack([i, numbers - first_number(i) + i + 1])
