"""Each pair with probability p, weight 1/p, so that its energy estimates the complete graph's.

p keeps n·ln n pairs in expectation, the order at which Spielman and Srivastava's theorem holds.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.operators.negatives.graph import ListedPairs, NegativeGraph, complete_graph
from sparsecut.operators.negatives.negatives import Negatives
from sparsecut.operators.sampling import sparsifier_probability, sparsify_complete


class Sparsifier(Negatives, word="sparsifier"):
    """A random sparse graph whose energy is that of all pairs, in expectation and nearly so in every direction.

    Examples
    --------
    >>> import sparsecut as sc
    >>> model = sc.SCE(negatives="sparsifier").fit(sc.datasets.load("digits"))
    """

    def describe(
        self, degrees: NDArray[np.float64], node_ids: NDArray[Any], generator: np.random.Generator
    ) -> NegativeGraph:
        n_nodes = len(degrees)
        drawn = sparsify_complete(n_nodes, sparsifier_probability(n_nodes), generator)
        return NegativeGraph(
            n_nodes, listed=(ListedPairs(n_nodes, *drawn),), base_weight=complete_graph(n_nodes).base_weight
        )

    def n_pairs(self, n_nodes: int) -> int:
        return math.ceil(n_nodes * math.log(n_nodes + 1))
