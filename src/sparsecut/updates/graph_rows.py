"""What updates need of the channels that are made of the graph: their rows, and which of them a change of edges moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from sparsecut.graph import Graph

if TYPE_CHECKING:
    from sparsecut.updates.changing_graph import ChangingGraph
    from sparsecut.updates.node_index import NodeIndex

Integers = NDArray[np.int64]
Rows = NDArray[np.float32]


class RowsOfGraph(Protocol):
    """The columns of "structure" and "roles" as a model has fitted them."""

    def whole(self, source: str, graph: Graph) -> Rows:
        """The rows of all nodes of a graph, no hop of a filter taken."""

    def moved(self, source: str, graph: ChangingGraph, index: NodeIndex, ends: Integers) -> Integers:
        """The places whose rows may be others since edges with these ends changed, ascending."""

    def at(self, source: str, graph: ChangingGraph, index: NodeIndex, places: Integers) -> Rows:
        """The rows of some places, as `whole` has them."""
