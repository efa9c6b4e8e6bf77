"""All pairs with w_ij = d_i·d_j/vol, vol = Σd: the demands of the normalised cut. L Z = d⊙(Z − mean of Z weighted by d)."""

from __future__ import annotations

import numpy as np
import torch

from sparsecut.operators.negatives.negative_graph import AllPairs, NegativeGraph
from sparsecut.operators.negatives.negatives import Negatives, Nodes


class Degrees(Negatives, word="degrees"):
    """All pairs of nodes, weighted by the product of their degrees: the normalised cut in place of the sparsest cut.

    Nodes with many edges are kept apart more; a node without edges is not kept apart from any.

    Examples
    --------
    >>> import sparsecut as sc
    >>> model = sc.SCE(negatives="degrees").fit(sc.datasets.load("digits"))
    """

    def describe(self, nodes: Nodes, generator: np.random.Generator) -> NegativeGraph:
        weights = torch.from_numpy(np.array(nodes.degrees, dtype=np.float64))
        pairs = AllPairs(nodes.n_nodes, 1 / max(float(weights.sum()), 1e-300), weights)
        return NegativeGraph(nodes.n_nodes, (pairs,), base_weight=pairs.total_weight)
