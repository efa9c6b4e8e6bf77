"""What a choice of negatives is: pairs that an embedding must keep apart, the demand side of the sparsest cut."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.choice import Choice
from sparsecut.graph.pair_lists import check_pairs
from sparsecut.operators.negatives.negative_graph import ListedPairs, NegativeGraph

DEMANDS_SHARE = 1.0  # of the weight of all pairs, for the edges of a signed graph that ask for distance


class Nodes(Protocol):
    """What negatives may ask of the nodes of a graph: a `Graph` computes each when it is first used."""

    @property
    def n_nodes(self) -> int: ...

    @property
    def degrees(self) -> NDArray[np.float64]:
        """Weighted, (n,)."""

    @property
    def node_ids(self) -> NDArray[Any]:
        """(n,)"""


class Negatives(Choice):
    """Pairs to keep apart. A subclass describes them by the parts of a `NegativeGraph`.

    Examples
    --------
    >>> import sparsecut as sc
    >>> from sparsecut.operators.negatives import AllPairs, NegativeGraph
    >>> class Half(sc.Negatives):
    ...     def describe(self, nodes, generator):
    ...         pairs = AllPairs(nodes.n_nodes, scale=0.5)
    ...         return NegativeGraph(nodes.n_nodes, (pairs,), base_weight=pairs.total_weight)
    >>> Z = sc.SCE(negatives=Half()).fit_transform(sc.datasets.load("digits"))
    """

    @abstractmethod
    def describe(self, nodes: Nodes, generator: np.random.Generator) -> NegativeGraph:
        """The negative graph on the nodes of a graph."""

    def n_pairs(self, n_nodes: int) -> int:
        """How many pairs will be listed, about: an engine leaves room for them."""
        return 0


def with_apart(base: NegativeGraph, apart: Any, node_ids: NDArray[Any], caller: str) -> NegativeGraph:
    """Pairs that must differ on top of a negative graph: L = L_base + c·L_apart.

    c is the base's total weight over the number of pairs, so that together they demand as much as the whole base does,
    however many nodes and pairs there are. Weights multiply: weighted 10 each, they demand ten times as much as the base.
    """
    pairs, weights = check_pairs(apart, node_ids, caller=caller, name="apart")
    # Where the base demands nothing (degrees of a graph without edges), there is nothing to measure the pairs against.
    scale = (base.total_weight or 1.0) / len(pairs)
    return replace(base, listed=(*base.listed, ListedPairs(base.n_nodes, pairs, scale * weights)))


def with_demands(base: NegativeGraph, demands: Any, share: float = DEMANDS_SHARE) -> NegativeGraph:
    """The edges of a signed graph that ask for distance on top of a negative graph: L = L_base + c·L_demands.

    c is `share` of the base's total weight over theirs: by default they ask for as much as all pairs do, whatever the unit
    of their weights is and however many there are.
    """
    entries = demands.tocoo()
    total = float(entries.data.sum(dtype=np.float64))
    if not total:
        return base
    scale = share * (base.total_weight or 1.0) / total
    listed = ListedPairs(base.n_nodes, np.stack(entries.coords, axis=1).astype(np.int64), scale * entries.data)
    return replace(base, listed=(*base.listed, listed))
