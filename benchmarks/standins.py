"""Stand-ins: generated graphs of exactly a given size, for timing where the real graph is not at hand.

    P(edge i–j) ∝ weight_i · weight_j,  weights of a power law; a share of the edges stays within the ends' class

Classes are planted in the edges and, as one mean per class under normal noise, in the features. A stand-in has the real
graph's sizes and a plausible shape, nothing else of it: its time says something, its scores do not.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, check_integer
from sparsecut.graph import Graph

POWER = 2.5  # of the tail of the degrees: P(degree) ~ degree^−2.5, among the 2 to 3 of social networks
WITHIN_CLASS = 0.7  # the share of edges whose ends are drawn from one class
SIGNAL = 0.3  # the deviation of the class means beside noise of deviation 1

Nodes = NDArray[np.int64]


def stand_in(*, n_nodes: int, n_edges: int, n_features: int, n_classes: int, random_state: int = 0) -> Graph:
    """A graph with exactly so many nodes, undirected edges, features and classes."""
    for name, value, minimum in (
        ("n_nodes", n_nodes, 2),
        ("n_edges", n_edges, 1),
        ("n_features", n_features, 1),
        ("n_classes", n_classes, 1),
    ):
        check_integer("stand_in", name, value, minimum)
    if n_classes > n_nodes or n_edges > n_nodes * (n_nodes - 1) // 8:
        raise InputError(
            f"A stand-in needs one node per class and at most a quarter of all pairs as edges. "
            f"Got {n_nodes:,} nodes, {n_classes:,} classes and {n_edges:,} edges."
        )
    generator = np.random.default_rng(random_state)
    labels = np.sort(np.concatenate([np.arange(n_classes), generator.integers(0, n_classes, n_nodes - n_classes)]))
    i, j = _draw_edges(labels, n_edges, generator)
    order = generator.permutation(n_nodes)  # a node's number says nothing about its class
    i, j = order[i], order[j]
    numbered = np.empty_like(labels)
    numbered[order] = labels
    ones = np.ones(2 * n_edges, dtype=np.float32)
    adjacency = sp.csr_array((ones, (np.concatenate([i, j]), np.concatenate([j, i]))), shape=(n_nodes, n_nodes))
    features = generator.standard_normal((n_nodes, n_features), dtype=np.float32)
    means = SIGNAL * generator.standard_normal((n_classes, n_features), dtype=np.float32)
    for label in range(n_classes):  # a class at a time: no second array of the features' size
        features[numbered == label] += means[label]
    return Graph(adjacency, features=features, labels=numbered, notes=("Generated: a stand-in, not data.",))


def _draw_edges(labels: Nodes, n_edges: int, generator: np.random.Generator) -> tuple[Nodes, Nodes]:
    """The ends of exactly `n_edges` different edges without loops. The labels are sorted: a class is a range of nodes."""
    n_nodes = len(labels)
    # A weight of rank r^(−1/(power − 1)) gives degrees with that power's tail; ranks are dealt out at random.
    ranks = generator.permutation(n_nodes) + 0.01 * n_nodes  # the shift keeps the largest from taking all
    cumulative = np.concatenate([[0.0], np.cumsum(ranks ** (-1 / (POWER - 1)))])
    first = np.searchsorted(labels, labels, side="left")
    last = np.searchsorted(labels, labels, side="right")
    keys = np.empty(0, dtype=np.int64)
    while len(keys) < n_edges:
        n_drawn = int(1.1 * (n_edges - len(keys))) + 100
        i = _pick(cumulative, generator.random(n_drawn))
        is_within = generator.random(n_drawn) < WITHIN_CLASS
        low = np.where(is_within, cumulative[first[i]], 0.0) / cumulative[-1]
        high = np.where(is_within, cumulative[last[i]], cumulative[-1]) / cumulative[-1]
        j = _pick(cumulative, low + (high - low) * generator.random(n_drawn))
        drawn = np.minimum(i, j) * n_nodes + np.maximum(i, j)
        keys = np.unique(np.concatenate([keys, drawn[i != j]]))
    if len(keys) > n_edges:
        keys = np.delete(keys, generator.choice(len(keys), len(keys) - n_edges, replace=False))
    return keys // n_nodes, keys % n_nodes


def _pick(cumulative: NDArray[np.float64], shares: NDArray[np.float64]) -> Nodes:
    """The nodes at some shares of the whole weight, each as likely as it weighs."""
    places = np.searchsorted(cumulative, shares * cumulative[-1], side="right") - 1
    return np.asarray(np.clip(places, 0, len(cumulative) - 2), dtype=np.int64)
