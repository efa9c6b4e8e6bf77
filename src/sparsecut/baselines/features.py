"""Nothing learned: the features as they are, and the features after the filter alone. What a method must beat."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from sparsecut.engines import MemoryEngine, resolve_device
from sparsecut.errors import InputError, check_choice, check_integer
from sparsecut.filters import FILTERS, propagation
from sparsecut.graph import Graph, as_graph
from sparsecut.progress import Reporter
from sparsecut.sparse import SparseMatrix

Estimator = TypeVar("Estimator", bound="_Untrained")


class _Untrained(TransformerMixin, BaseEstimator):
    """An embedding that is a function of the graph: fitting it is computing it."""

    embedding_: NDArray[np.float32]

    @abstractmethod
    def _embed(self, graph: Graph) -> NDArray[np.float32]: ...

    def fit(
        self: Estimator, graph: Any, y: object = None, *, features: Any = None, progress: Reporter | None = None
    ) -> Estimator:
        self.embedding_ = self.transform(graph, features=features)
        return self

    def fit_transform(
        self, graph: Any, y: object = None, *, features: Any = None, progress: Reporter | None = None
    ) -> NDArray[np.float32]:
        return self.fit(graph, y, features=features, progress=progress).embedding_

    def transform(self, graph: Any, *, features: Any = None) -> NDArray[np.float32]:
        """One vector a node, (n, features)."""
        graph = as_graph(graph, features)
        if graph.features is None:
            raise InputError(f"{type(self).__name__} needs node features, and the graph has none.")
        return self._embed(graph)


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

    def _embed(self, graph: Graph) -> NDArray[np.float32]:
        check_choice("SmoothedFeatures", "filter", self.filter, FILTERS)
        check_integer("SmoothedFeatures", "order", self.order, 0)
        engine = MemoryEngine(resolve_device(self.device, "SmoothedFeatures"))
        rows = engine.load(graph, propagation(graph.adjacency, self.filter))
        for smoothed in engine.smooth(rows, self.order):
            rows = smoothed
        S = rows.features
        return np.asarray((S.to_dense() if isinstance(S, SparseMatrix) else S).cpu().numpy())
