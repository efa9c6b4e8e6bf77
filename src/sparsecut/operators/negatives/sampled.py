"""A few partners for every node, uniform over all nodes, drawn once: the paper's negatives (equation lossSparse).

A node may draw itself: that adds 0.
"""

from __future__ import annotations

import numpy as np

from sparsecut.base.errors import check_integer
from sparsecut.operators.negatives.negative_graph import ListedPairs, NegativeGraph
from sparsecut.operators.negatives.negatives import Negatives, Nodes
from sparsecut.operators.pair_sampling import sample_pairs


class Sampled(Negatives, word="sampled"):
    """Random partners for every node: the paper's approximation of all pairs.

    Parameters
    ----------
    n_negatives : int, default=5
        The number of partners per node, at least 1. More come nearer to all pairs, which `Complete` has exactly and faster.

    Examples
    --------
    >>> import sparsecut as sc
    >>> model = sc.SCE(negatives=sc.Sampled(n_negatives=10)).fit(sc.datasets.load("digits"))
    """

    def __init__(self, *, n_negatives: int = 5) -> None:
        self.n_negatives = n_negatives

    def check(self) -> None:
        check_integer("Sampled", "n_negatives", self.n_negatives, 1)

    def describe(self, nodes: Nodes, generator: np.random.Generator) -> NegativeGraph:
        n_nodes = nodes.n_nodes
        pairs = ListedPairs(n_nodes, *sample_pairs(n_nodes, self.n_negatives, generator))
        weight = sampled_weight(n_nodes, self.n_negatives)
        return NegativeGraph(n_nodes, listed=(pairs,), base_weight=weight, unit_weight=weight)

    def n_pairs(self, n_nodes: int) -> int:
        return n_nodes * self.n_negatives


def sampled_weight(n_nodes: int, n_negatives: int = 5) -> float:
    """The expected weight of `n_negatives` uniform pairs per node, of which one in n is a node with itself."""
    return float(n_negatives * (n_nodes - 1))
