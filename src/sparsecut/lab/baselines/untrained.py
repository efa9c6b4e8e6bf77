"""Nothing learned: the features as they are, and the features after the filter alone. What a method must beat."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray

from sparsecut.base.containers import contained
from sparsecut.engines import MemoryEngine, resolve_device
from sparsecut.features.weighting import Weighting
from sparsecut.graph import Graph, as_graph
from sparsecut.kernels.magnitude import check_finite
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.lab.baselines.baseline import Baseline, Run, with_features
from sparsecut.lab.baselines.declared import declared
from sparsecut.operators.filters import Filter


class Untrained:
    """For a `Baseline` that learns nothing: `fit` computes the embedding, and `transform` takes any graph with features."""

    @abstractmethod
    def _embed(self, graph: Graph) -> NDArray[np.float32]: ...

    def _fit(self, graph: Graph, run: Run) -> NDArray[np.float32]:
        return self._embed(graph)

    @contained
    def transform(self, graph: Any, *, features: Any = None) -> NDArray[np.float32]:
        """The embedding of any graph: one row per node, as many columns as it has features."""
        return self._embed(with_features(self, as_graph(graph, features)))


@declared
class RawFeatures(Untrained, Baseline):
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


@declared
class SmoothedFeatures(Untrained, Baseline):
    """The features after the filter, with nothing learned: Z = P^k F, dense.

    Examples
    --------
    >>> import sparsecut as sc
    >>> from sparsecut.lab.baselines import SmoothedFeatures
    >>> graph = sc.datasets.load("digits")
    >>> SmoothedFeatures(filter=sc.Power(order=3)).fit_transform(graph).shape
    (1797, 64)
    """

    kinds: ClassVar = {"filter": Filter}

    filter: str | Filter = "power"
    device: str = "auto"

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
