"""Nodes as samples: node ids in, rows of an embedding out, for scikit-learn's pipelines and searches.

scikit-learn splits rows of X into folds; an embedding needs the whole graph. `NodeFeatures` holds the graph and takes ids
for X, so that folds are folds of nodes:

    fit(X)          embeds the graph, all of it and without labels; X is only checked
    transform(X)    the rows of the nodes in X

The embedding sees the edges and features of test nodes, never a label: that is the transductive setting, in which the graph
is given and labels are missing.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.base.estimator import Estimator, not_fitted
from sparsecut.graph import Graph, as_graph
from sparsecut.graph.node_ids import find_nodes
from sparsecut.model.sce import SCE

Features = TypeVar("Features", bound="NodeFeatures")


class NodeFeatures(Estimator):
    """A transformer from node ids to the rows of their embedding, to stand first in a scikit-learn pipeline.

    Parameters
    ----------
    graph : Graph
        The graph whose nodes are the samples. It is fixed: folds are folds of its nodes.
    model : estimator, default=None
        What embeds it: `SCE()` where none is given, or anything with `fit_transform(graph)`. Its parameters are reached as
        `model__dimension`.

    Attributes
    ----------
    model_ : estimator
        A copy of `model`, fitted on the graph.
    embedding_ : numpy.ndarray of shape (n_nodes, dimension)
        One row per node of the graph.

    Examples
    --------
    >>> import sparsecut as sc
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> graph = sc.datasets.load("digits")
    >>> nodes, labels = graph.node_ids[:, None], graph.labels
    >>> features = sc.NodeFeatures(graph=graph, model=sc.SCE(dimension=16))
    >>> classifier = make_pipeline(features, LogisticRegression(max_iter=500))
    >>> float(classifier.fit(nodes[::2], labels[::2]).score(nodes[1::2], labels[1::2])) > 0.9
    True
    """

    embedding_: NDArray[np.float32]

    def __init__(self, *, graph: Graph, model: Any = None) -> None:
        self.graph = graph
        self.model = model

    def fit(self: Features, X: Any, y: object = None) -> Features:
        """Embed the graph.

        Parameters
        ----------
        X : array of shape (n_samples,) or (n_samples, 1)
            Ids of nodes, checked and not used further: the embedding is of the whole graph.
        y : object
            Ignored: labels are not used.

        Returns
        -------
        NodeFeatures
            Itself, fitted.
        """
        graph = as_graph(self.graph)
        find_nodes(_ids_of(X), graph.node_ids, "NodeFeatures.fit")
        chosen = self._held("model")
        self.model_ = type(chosen)(**chosen.get_params(deep=False))
        self.embedding_ = np.asarray(self.model_.fit_transform(graph))
        self.n_features_in_ = 1
        return self

    def transform(self, X: Any) -> NDArray[np.float32]:
        """The rows of some nodes.

        Parameters
        ----------
        X : array of shape (n_samples,) or (n_samples, 1)
            Ids of nodes, never positions; one may be there more than once.

        Returns
        -------
        numpy.ndarray of shape (n_samples, dimension)
            One row per id, in their order.
        """
        if not hasattr(self, "embedding_"):
            raise not_fitted(self, "Call fit first")
        return self.embedding_[find_nodes(_ids_of(X), self.graph.node_ids, "NodeFeatures.transform")]

    def fit_transform(self, X: Any, y: object = None) -> NDArray[np.float32]:
        """`fit`, then the rows of the same nodes.

        Parameters
        ----------
        X, y : object
            As in `fit`.

        Returns
        -------
        numpy.ndarray of shape (n_samples, dimension)
            One row per id.
        """
        return self.fit(X, y).transform(X)

    def _held(self, name: str) -> Any:
        return SCE() if name == "model" and self.model is None else super()._held(name)


def _ids_of(X: Any) -> NDArray[Any]:
    """Node ids as one column, whether they came as one or as a table that has only one."""
    ids = np.asarray(X)
    if ids.ndim == 2 and ids.shape[1] == 1:
        return ids[:, 0]
    if ids.ndim != 1:
        raise InputError(f"NodeFeatures takes node ids, one column of them: graph.node_ids[:, None]. Got shape {ids.shape}.")
    return ids
