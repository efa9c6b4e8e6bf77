"""Nothing learned: the features as they are, and the features after the filter alone. What a method must beat."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray

from sparsecut.engines import MemoryEngine, resolve_device
from sparsecut.features.weighting import Weighting
from sparsecut.graph import Graph, as_graph
from sparsecut.kernels.magnitude import check_finite
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.lab.baselines.baseline import Baseline, Run
from sparsecut.operators.filters import Filter


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
    >>> from sparsecut.lab.baselines import RawFeatures
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
    filter : str or Filter, default="power"
        The low-pass filter, as in `SCE`: "power" is two hops of the mean over a node and its neighbours.
    device : {"auto", "cpu", "cuda"}, default="auto"
        Where to compute; "auto" takes a GPU where there is one.

    Examples
    --------
    >>> import sparsecut as sc
    >>> from sparsecut.lab.baselines import SmoothedFeatures
    >>> graph = sc.datasets.load("digits")
    >>> SmoothedFeatures(filter=sc.Power(order=3)).fit_transform(graph).shape
    (1797, 64)
    """

    kinds: ClassVar = {"filter": Filter}

    def __init__(self, *, filter: str | Filter = "power", device: str = "auto") -> None:
        self.filter = filter
        self.device = device

    def _check(self) -> None:
        self._choice("filter")

    def _embed(self, graph: Graph) -> NDArray[np.float32]:
        self._check()
        return smoothed_features(graph, self._choice("filter"), resolve_device(self.device, "SmoothedFeatures"))


def smoothed_features(graph: Graph, filter: Filter, device: torch.device) -> NDArray[np.float32]:
    """Σ c_k P^k F, dense."""
    engine, settled = MemoryEngine(device), filter.usual().on(is_directed=graph.is_directed)
    S = engine.smooth(engine.load(graph, Weighting("none"), settled), settled.coefficients()).features
    smoothed = (S.to_dense() if isinstance(S, SparseMatrix) else S).cpu().numpy()
    return np.asarray(check_finite(smoothed, graph))
