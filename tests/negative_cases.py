"""Negative graphs by name or by pairs, and the pairs and weights that each stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from reference import complete_pairs
from sparsecut.operators.negatives import AllPairs, ListedPairs, NegativeGraph, Negatives, Pairs, with_apart

GIVEN = [(0, 3), (3, 1), (2, 2), (0, 3)]
WEIGHTED = [(0, 3, 0.5), (4, 1, 2.0)]
APART = [(0, 4), (4, 2), (4, 0)]


def degrees_of(n_nodes: int) -> np.ndarray:
    """Some degrees, whole and not, the last one zero."""
    return np.append(np.linspace(1, 4, n_nodes - 1), 0)


@dataclass
class SomeNodes:
    """Nodes with the ids 0, 1, … and any degrees."""

    degrees: np.ndarray

    @property
    def n_nodes(self) -> int:
        return len(self.degrees)

    @property
    def node_ids(self) -> np.ndarray:
        return np.arange(len(self.degrees))


def make_negatives(name: Any, n_nodes: int, seed: int = 0, apart: Any = None) -> NegativeGraph:
    """By a word, by an object or by a list of pairs, on nodes with the ids 0, 1, …"""
    choice = Negatives.of(Pairs(name) if isinstance(name, list) else name, "SCE", "negatives")
    nodes = SomeNodes(degrees_of(n_nodes))
    graph = choice.describe(nodes, np.random.default_rng(seed))
    return graph if apart is None else with_apart(graph, apart, nodes.node_ids, "SCE")


def pairs_of(negatives: NegativeGraph) -> tuple[np.ndarray, np.ndarray]:
    """Every pair and its weight, from the definition of the parts."""
    parts = [_pairs_of_part(part) for part in negatives.parts]
    return np.concatenate([pairs for pairs, _ in parts]), np.concatenate([weights for _, weights in parts])


def _pairs_of_part(part: AllPairs | ListedPairs) -> tuple[np.ndarray, np.ndarray]:
    if isinstance(part, ListedPairs):
        return part.pairs, part.weights
    pairs = complete_pairs(part.n_nodes)
    if part.row_weights is None:
        return pairs, np.full(len(pairs), part.scale)
    degrees = degrees_of(part.n_nodes)
    return pairs, np.array([degrees[i] * degrees[j] / degrees.sum() for i, j in pairs])
