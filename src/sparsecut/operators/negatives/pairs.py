"""Pairs that the user names: the non-uniform sparsest cut. A single pair (s, t) is the demand of the minimum s-t cut."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.graph.pair_lists import check_pairs, pack_pairs, unpack_pairs
from sparsecut.operators.negatives.negative_graph import ListedPairs, NegativeGraph
from sparsecut.operators.negatives.negatives import Negatives, Nodes


class Pairs(Negatives, name="pairs"):
    """Given pairs of nodes, and no others, are kept apart.

    Parameters
    ----------
    pairs : array, list or frame of shape (m, 2) or (m, 3)
        Node ids of the two ends, and a weight. Ids, never positions: `[("anna", "ben"), ("anna", "carl")]`.

    Examples
    --------
    >>> import sparsecut as sc
    >>> model = sc.SCE(negatives=sc.Pairs([(0, 1), (0, 2), (1, 2)])).fit(sc.datasets.load("digits"))
    """

    def __init__(self, pairs: Any) -> None:
        self.pairs = pairs

    def check(self) -> None:
        pack_pairs(self.pairs, "Pairs")

    def describe(self, nodes: Nodes, generator: np.random.Generator) -> NegativeGraph:
        ends, weights = check_pairs(self.pairs, nodes.node_ids, caller="Pairs", name="pairs", with_same=True)
        listed = ListedPairs(nodes.n_nodes, ends, weights.astype(np.float32))
        return NegativeGraph(nodes.n_nodes, listed=(listed,), base_weight=listed.total_weight)

    def n_pairs(self, n_nodes: int) -> int:
        return len(self.pairs)

    def to_header(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        return {"choice": self.name, "parameters": {}}, {"pairs": pack_pairs(self.pairs, "Pairs")}

    @classmethod
    def from_header(cls, values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Pairs:
        return cls(unpack_pairs(arrays["pairs"]))
