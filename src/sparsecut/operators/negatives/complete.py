"""All n(n−1)/2 pairs, none of them touched: L_K Z = n·(Z − mean of Z). Equation lossall of the paper, exactly."""

from __future__ import annotations

import numpy as np

from sparsecut.operators.negatives.negative_graph import NegativeGraph, complete_graph
from sparsecut.operators.negatives.negatives import Negatives, Nodes


class Complete(Negatives, word="complete"):
    """All pairs of nodes, each with the same weight, exactly. It costs one pass over the rows.

    Examples
    --------
    >>> import sparsecut as sc
    >>> model = sc.SCE(negatives="complete").fit(sc.datasets.load("digits"))
    """

    def describe(self, nodes: Nodes, generator: np.random.Generator) -> NegativeGraph:
        return complete_graph(nodes.n_nodes)
