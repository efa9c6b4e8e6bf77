"""The means of rows by the type of their node, and what is left of their scatter once each type is centred by itself.

With T the types of the nodes as columns of 0 and 1, n_t of type t, and L that of the complete graph,

    G = Sᵀ L T / n = Sᵀ(T − mean)          (f, types): n_t·(mean of type t − mean)
    scatter within types = scatter − G·diag(1/n_t)·Gᵀ
    M within types = M − c·v·G·diag(1/n_t)·Gᵀ     for all pairs of weight c on v nodes

so one product with T gives all of it, whatever the engine. Authors and venues have columns of their own, so between their
means lies more than within either: uncentred, the first directions of an embedding would say nothing but the type.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.engines.contract import Engine
from sparsecut.graph import Graph
from sparsecut.graph.node_types import codes_of
from sparsecut.operators.negatives import NegativeGraph, complete_graph


class TypeColumns:
    """The type of every node as columns of 0 and 1, the last for nodes of no type: features that are made in blocks."""

    def __init__(self, node_ids: NDArray[Any], names: Sequence[str]) -> None:
        self.node_ids, self.names = node_ids, tuple(names)
        self.shape = (len(node_ids), len(names) + 1)

    def __getitem__(self, rows: slice) -> NDArray[np.float32]:
        return self.of_ids(self.node_ids[rows])

    def of_ids(self, ids: NDArray[Any]) -> NDArray[np.float32]:
        """The rows of some nodes."""
        return np.eye(len(self.names) + 1, dtype=np.float32)[codes_of(ids, self.names)]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self[:].astype(np.float32 if dtype is None else dtype)

    def __repr__(self) -> str:
        return f"TypeColumns({self.shape[0]} nodes, {', '.join(self.names)})"


@dataclass(frozen=True)
class TypeMeans:
    """Where the rows of each type are, about the mean of all."""

    sums: Tensor  # G, (f, types + 1) float64
    counts: Tensor  # n_t

    @classmethod
    def of(cls, engine: Engine[Any], levels: Sequence[Any], types: Any, graph: Graph) -> TypeMeans:
        """The means of rows of an engine; `types` are the rows of `TypeColumns`."""
        n_nodes, n_types = graph.n_nodes, len(graph.node_types or ())
        product = engine.transpose_multiply(levels, types, complete_graph(n_nodes)).double() / n_nodes
        codes = np.where(graph.type_codes < 0, n_types, graph.type_codes)
        return cls(product, torch.from_numpy(np.bincount(codes, minlength=n_types + 1)).double().to(product.device))

    @property
    def shares(self) -> Tensor:
        """1/n_t; 0 for a type without nodes."""
        return torch.where(self.counts > 0, 1 / self.counts.clamp(min=1), 0.0)

    def between(self) -> Tensor:
        """G·diag(1/n_t)·Gᵀ: the scatter between types, (f, f)."""
        return (self.sums * self.shares) @ self.sums.T

    def between_times(self, W: Tensor) -> Tensor:
        """The scatter between types, times W."""
        return (self.sums * self.shares) @ (self.sums.T @ W.double())

    def offsets(self, mean: Tensor, W: Tensor) -> Tensor:
        """The mean of S·W for each type, (types + 1, d), given the mean of all rows of S·W."""
        return mean + ((self.sums.T @ W.double()) * self.shares[:, None])


def pairs_weight(negatives: NegativeGraph) -> float:
    """c·v, summed over the parts of all pairs without row weights: what M holds of the scatter of the rows."""
    return sum(pairs.scale * pairs.volume for pairs in negatives.all_pairs if pairs.row_weights is None)
