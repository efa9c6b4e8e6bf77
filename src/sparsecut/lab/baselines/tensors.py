"""A graph as torch tensors, for the networks among the baselines.

    tensors = graph_tensors(graph, device)
    Z = product(tensors.propagation, product(tensors.features, W))     # P·(F·W), with the gradient for W

Features stay sparse where they are. torch_geometric's GCNConv gives the same P·F·W from a dense F: forwards and backwards it
takes 17, 29 and 11 times as long on Cora, Citeseer and Pubmed (one thread: 0.123 s against 0.007 on Cora), and is an extra.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from sparsecut.engines.rows import Rows, project
from sparsecut.graph import Features, Graph
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.kernels.transfer import as_tensor
from sparsecut.operators.filters import Filter, Symmetric
from sparsecut.operators.propagation import propagation_matrix


@dataclass(frozen=True)
class GraphTensors:
    """F, (n, f), and the matrix P of a filter, (n, n), on a device."""

    features: Tensor | SparseMatrix
    propagation: SparseMatrix


def graph_tensors(
    graph: Graph, device: torch.device, *, filter: Filter | None = None, is_scaled: bool = False
) -> GraphTensors:
    """The graph's features, each row scaled to sum to one where `is_scaled`, and its filter's matrix."""
    features: Any = graph.features
    assert features is not None
    if is_scaled:
        features = scale_rows(features)
    on_device = SparseMatrix(features, device) if sp.issparse(features) else as_tensor(features, device)
    return GraphTensors(on_device, SparseMatrix(propagation_matrix(graph.adjacency, filter or Symmetric()), device))


def product(matrix: Tensor | SparseMatrix, dense: Tensor) -> Tensor:
    """M·X with the gradient for X; M is data, sparse or dense."""
    return project(Rows(matrix), dense.contiguous())


def scale_rows(features: Features) -> Any:
    """Every row divided by the sum of its absolute values, as Kipf and Welling's code does with counts; empty rows stay."""
    sums = np.asarray(abs(features).sum(axis=1, dtype=np.float64)).ravel()
    scale = np.divide(1, sums, out=np.zeros_like(sums), where=sums > 0).astype(np.float32)
    if sp.issparse(features):
        return sp.csr_array(sp.diags_array(scale) @ features, dtype=np.float32)
    return np.asarray(features * scale[:, None])
