"""What the trained methods share: a graph as tensors, Adam with patience, a graph convolution of sparse features."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sparsecut import Graph

PATIENCE = 20
MAX_EPOCHS = 10_000

Embedding = tuple[NDArray[np.float32], int]  # and the epochs it took


def train(model: nn.Module, loss_of: Callable[[], Tensor], *, learning_rate: float, max_epochs: int = MAX_EPOCHS) -> int:
    """Adam until the loss has not fallen for so many epochs; the best weights are put back. The number of epochs."""
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    lowest, best, n_waited, n_epochs = float("inf"), deepcopy(model.state_dict()), 0, 0
    while n_waited < PATIENCE and n_epochs < max_epochs:
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        value = float(loss.detach())
        if value < lowest:  # the weights that gave this loss, before the step that leaves them
            lowest, best, n_waited = value, deepcopy(model.state_dict()), 0
        else:
            n_waited += 1
        optimizer.step()
        n_epochs += 1
    model.load_state_dict(best)
    return n_epochs


def scaled_features(graph: Graph) -> Tensor:
    """Dense features, every row divided by its sum of sizes."""
    features: Any = graph.features
    dense = features.toarray() if sp.issparse(features) else np.asarray(features)
    rows = torch.tensor(dense, dtype=torch.float32)
    return rows / rows.abs().sum(dim=1, keepdim=True).clamp(min=1e-12)


def edge_index(graph: Graph) -> Tensor:
    """Both directions of every edge, (2, 2m)."""
    entries = graph.adjacency.tocoo()
    return torch.tensor(np.stack([entries.row, entries.col]), dtype=torch.int64)


def sparse_features(graph: Graph) -> Tensor:
    """The same as a sparse matrix: bags of words are mostly zeros."""
    rows = sp.csr_array(graph.features, dtype=np.float32)
    sums = np.abs(rows).sum(axis=1)
    rows = sp.csr_array(sp.diags_array(1 / np.where(sums > 0, sums, 1)) @ rows, dtype=np.float32)
    return _csr_tensor(rows)


def propagation(edges: Tensor, n_nodes: int, dropped: float = 0.0) -> Tensor:
    """D^−½ (A + I) D^−½ of the edges less a random share of them, each direction by itself, sparse."""
    kept = edges[:, torch.rand(edges.shape[1]) >= dropped]
    i, j = torch.cat([kept, torch.arange(n_nodes).expand(2, -1)], dim=1)
    scale = torch.bincount(i, minlength=n_nodes).float().rsqrt()
    values = (scale[i] * scale[j]).numpy()
    return _csr_tensor(sp.csr_array((values, (i.numpy(), j.numpy())), shape=(n_nodes, n_nodes)))


def _csr_tensor(rows: Any) -> Tensor:
    indices = (torch.from_numpy(array.astype(np.int64)) for array in (rows.indptr, rows.indices))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta")
        return torch.sparse_csr_tensor(*indices, torch.from_numpy(rows.data), rows.shape, check_invariants=False)


class GraphConvolution(nn.Module):
    """P (X W) + b as in `GCNConv`, where X may be sparse. A column of X is masked by the row of W it meets."""

    def __init__(self, n_inputs: int, n_outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(n_inputs, n_outputs))
        self.bias = nn.Parameter(torch.zeros(n_outputs))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, X: Tensor, P: Tensor, kept_columns: Tensor | None = None) -> Tensor:
        W = self.weight if kept_columns is None else kept_columns[:, None] * self.weight
        return torch.sparse.mm(P, torch.sparse.mm(X, W) if X.layout == torch.sparse_csr else X @ W) + self.bias


def keep_columns(n_columns: int, dropped: float) -> Tensor:
    """1 for a column that stays, 0 for one that is masked for all nodes."""
    return (torch.rand(n_columns) >= dropped).float()
