"""Nothing learned: the features as they are, and the features after the filter alone. What a method must beat."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray

from sparsecut.arrays import check_finite
from sparsecut.baselines.base import Baseline, Run
from sparsecut.engines import MemoryEngine, resolve_device
from sparsecut.errors import check_choice, check_integer
from sparsecut.graph import Graph, as_graph
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.operators.filters import FILTERS, polynomial


class _Untrained(Baseline):
    """An embedding that is a function of the graph: fitting it is computing it, and any graph can be transformed."""

    @abstractmethod
    def _embed(self, graph: Graph) -> NDArray[np.float32]: ...

    def _fit(self, graph: Graph, run: Run) -> NDArray[np.float32]:
        return self._embed(graph)

    def transform(self, graph: Any, *, features: Any = None) -> NDArray[np.float32]:
        """One vector a node, (n, features)."""
        return self._embed(self._accept(as_graph(graph, features)))


class RawFeatures(_Untrained):
    """Z = F, dense."""

    def _embed(self, graph: Graph) -> NDArray[np.float32]:
        F: Any = graph.features
        return np.asarray(F.toarray() if sp.issparse(F) else F)


class SmoothedFeatures(_Untrained):
    """Z = P^k F, dense: SCE without its network. `filter`, `order` and `device` are those of `SCE`."""

    def __init__(self, *, filter: str = "row", order: int = 2, device: str = "auto") -> None:
        self.filter = filter
        self.order = order
        self.device = device

    def _check(self) -> None:
        check_choice("SmoothedFeatures", "filter", self.filter, FILTERS)
        check_integer("SmoothedFeatures", "order", self.order, 0)

    def _embed(self, graph: Graph) -> NDArray[np.float32]:
        self._check()
        return smoothed_features(graph, self.filter, self.order, resolve_device(self.device, "SmoothedFeatures"))


def smoothed_features(graph: Graph, filter: str, order: int, device: torch.device) -> NDArray[np.float32]:
    """P^k F, dense."""
    engine = MemoryEngine(device)
    rows = engine.load(graph.features, graph.adjacency, filter, is_directed=graph.is_directed)
    S = engine.smooth(rows, polynomial(filter, order)).features
    smoothed = (S.to_dense() if isinstance(S, SparseMatrix) else S).cpu().numpy()
    return np.asarray(check_finite(smoothed, graph))
