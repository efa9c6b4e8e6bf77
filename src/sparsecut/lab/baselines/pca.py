"""Principal components of the smoothed features: the linear embedding that keeps most of their variance."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import check_integer
from sparsecut.engines import resolve_device
from sparsecut.graph import Graph
from sparsecut.lab.baselines.baseline import Baseline, Inductive, Run
from sparsecut.lab.baselines.declared import declared, learned
from sparsecut.lab.baselines.untrained import smoothed_features
from sparsecut.operators.filters import Filter


@declared
class SmoothedPCA(Inductive, Baseline):
    """Principal components of the smoothed features: Z = (S − 1·mean)·V, with S = P^k F and V its first components.

    Parameters
    ----------
    dimension : int, default=512
        How many components at most; a graph has no more than features or nodes.
    random_state : int or None, default=0
        The seed; the same one gives the same bits on the same machine. None draws a new one.
        It matters where features and nodes are many: the components are then found by a randomised decomposition.

    Attributes
    ----------
    mean_ : array of shape (f,)
        Of the smoothed features.
    components_ : array of shape (f, dimension)
        V, orthonormal, the largest variance first.

    Examples
    --------
    >>> import sparsecut as sc
    >>> from sparsecut.lab.baselines import SmoothedPCA
    >>> graph = sc.datasets.load("digits")
    >>> SmoothedPCA(dimension=8).fit_transform(graph).shape
    (1797, 8)
    """

    kinds: ClassVar = {"filter": Filter}

    dimension: int = 512
    filter: str | Filter = "power"
    device: str = "auto"
    random_state: int | None = 0

    mean_: NDArray[np.float32] = learned()
    components_: NDArray[np.float32] = learned()

    def _check(self) -> None:
        check_integer("SmoothedPCA", "dimension", self.dimension, 1)
        self._choice("filter")

    def _fit(self, graph: Graph, run: Run) -> NDArray[np.float32]:
        from sklearn.decomposition import PCA

        S = smoothed_features(graph, self._choice("filter"), run.device)
        with np.errstate(invalid="ignore"):  # rows all alike have no variance to take shares of; the shares are not used
            found = PCA(min(self.dimension, *S.shape), random_state=int(run.generator.integers(2**31))).fit(S)
        self.mean_ = found.mean_.astype(np.float32)
        self.components_ = np.ascontiguousarray(found.components_.T, dtype=np.float32)
        self.n_features_in_ = graph.n_features
        return self._project(S)

    def _embed(self, graph: Graph) -> NDArray[np.float32]:
        return self._project(smoothed_features(graph, self._choice("filter"), resolve_device(self.device, "SmoothedPCA")))

    def _project(self, S: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.asarray((S - self.mean_) @ self.components_)
