"""Nothing learned: the features as they are, and the features after the filter alone. What a method must beat."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray

from sparsecut.arrays.magnitude import check_finite
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
        """The embedding of any graph: one row per node, as many columns as it has features."""
        return self._embed(self._accept(as_graph(graph, features)))


class RawFeatures(_Untrained):
    """The features as they are, dense: Z = F. What any method must beat.

    Examples
    --------
    >>> import sparsecut as sc
    >>> from sparsecut.baselines import RawFeatures
    >>> graph = sc.datasets.load("digits")
    >>> RawFeatures().fit_transform(graph).shape
    (1797, 64)
    """

    def _embed(self, graph: Graph) -> NDArray[np.float32]:
        F: Any = graph.features
        return np.asarray(F.toarray() if sp.issparse(F) else F)


class SmoothedFeatures(_Untrained):
    """The features after the filter, with nothing learned: Z = P^k F, dense.

    Parameters
    ----------
    filter : str, default="row"
        The matrix P: "row" is D̃⁻¹Ã, the mean over a node and its neighbours; "symmetric" is D̃^−½ÃD̃^−½.
    order : int, default=2
        k, how often it is applied; 0 leaves the features as they are.
    device : {"auto", "cpu", "cuda"}, default="auto"
        Where to compute; "auto" takes a GPU where there is one.

    Examples
    --------
    >>> import sparsecut as sc
    >>> from sparsecut.baselines import SmoothedFeatures
    >>> graph = sc.datasets.load("digits")
    >>> SmoothedFeatures(order=3).fit_transform(graph).shape
    (1797, 64)
    """

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
