"""Each pair with probability p, weight 1/p, so that its energy estimates the complete graph's.

p keeps n·ln n pairs in expectation: the order at which Spielman and Srivastava's theorem holds, with a constant of 1. That
connects the graph and keeps xᵀL_H x / xᵀL_K x between 0.08 and 2.4 for all x at once (measured, 50 to 1,000 nodes, up to 20
draws each). A bound of 1 ± ε with ε below 1 takes about ten times as many pairs
(`tests/operators/negatives/test_sparsifier.py`).
"""

from __future__ import annotations

import math

import numpy as np

from sparsecut.operators.negatives.negative_graph import ListedPairs, NegativeGraph, complete_graph
from sparsecut.operators.negatives.negatives import Negatives, Nodes
from sparsecut.operators.pair_sampling import sparsifier_probability, sparsify_complete


class Sparsifier(Negatives, word="sparsifier"):
    """A random sparse graph whose energy is that of all pairs in expectation, and of the same order in every direction.

    Examples
    --------
    >>> import sparsecut as sc
    >>> model = sc.SCE(negatives="sparsifier").fit(sc.datasets.load("digits"))
    """

    def describe(self, nodes: Nodes, generator: np.random.Generator) -> NegativeGraph:
        n_nodes = nodes.n_nodes
        drawn = sparsify_complete(n_nodes, sparsifier_probability(n_nodes), generator)
        return NegativeGraph(
            n_nodes, listed=(ListedPairs(n_nodes, *drawn),), base_weight=complete_graph(n_nodes).base_weight
        )

    def n_pairs(self, n_nodes: int) -> int:
        return math.ceil(n_nodes * math.log(n_nodes + 1))
